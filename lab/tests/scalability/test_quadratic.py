"""The quadratic regression against coefficients that were published with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper.errors import InputError, TooFewError
from poolkeeper.scalability import Law, Usl, quadratic

if TYPE_CHECKING:
    from command_line import CommandLine

DATA = Path(__file__).with_name("data")
RAYS = (
    [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64],
    [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310],
)
"""Throughput of a ray tracer over processors, in thousands of rays a second."""


def test_coefficients_of_spec_sdm91() -> None:
    """As the R package usl 1.8 prints them in its description, when it fitted the regression by default."""
    data = np.loadtxt(DATA / "usl_specsdm91.csv", delimiter=",", skiprows=1)
    found = quadratic(data[:, 0], data[:, 1])

    assert (f"{found.alpha:.3e}", f"{found.beta:.3e}", found.lambda_) == ("1.705e-02", "7.892e-05", 64.9)


def test_ratios_give_the_coefficients_of_throughputs() -> None:
    levels, rays = RAYS
    for divisor in (20.0, 310.0):  # relative to one processor, and to the most: ratios below 1
        ratios = [value / divisor for value in rays]
        assert quadratic(levels, ratios).alpha == pytest.approx(quadratic(*RAYS).alpha)
        assert Usl().fit(levels, ratios).alpha_ == pytest.approx(Usl().fit(*RAYS).alpha_, rel=1e-6)


def test_exact_data_give_the_law_back() -> None:
    law = Law(50.0, 0.03, 2e-4)
    levels = [1.0, 5, 10, 40, 80, 160]
    found = quadratic(levels, law.throughput(levels))

    assert (found.alpha, found.beta) == pytest.approx((0.03, 2e-4))
    assert found.peak_concurrency == pytest.approx(law.peak_concurrency)


def test_negative_coefficients_are_said_to_mean_nothing() -> None:
    found = quadratic([1, 2, 4, 8], [10, 19, 40, 76])

    assert min(found.alpha, found.beta) < 0
    assert "negative, which the law does not allow" in found.verdict


def test_what_it_needs_is_named() -> None:
    with pytest.raises(InputError, match="nothing was measured at concurrency 1, the lowest is 2"):
        quadratic([2, 4, 8], [10, 19, 30])
    with pytest.raises(TooFewError, match="levels of concurrency above 1 for the quadratic regression: 1 value"):
        quadratic([1, 4], [10, 30])


def test_the_command_shows_it_beside_the_default(poolkeeper: CommandLine, tmp_path: Path) -> None:
    rows = "\n".join(f"{n},{x}" for n, x in zip(*RAYS, strict=True))
    (tmp_path / "rays.csv").write_text(f"users,throughput\n{rows}\n", encoding="utf-8")
    plain, both = (poolkeeper(tmp_path, f"usl rays.csv{option}").out for option in ("", " --fit quadratic"))

    assert both.startswith(plain.partition("Which scalability law")[0])
    assert "Quadratic regression" not in plain
    assert "alpha = b − a (sigma) 0.05002" in " ".join(both.split())
    assert poolkeeper(tmp_path, "usl rays.csv --fit cubic").err.startswith("poolkeeper: --fit: unknown value 'cubic'")


@pytest.mark.parametrize("unit", [1.0, RAYS[1][-1], RAYS[1][0]])
def test_throughput_as_a_ratio_gives_the_same_law(poolkeeper: CommandLine, tmp_path: Path, unit: float) -> None:
    """Normalised data: relative to the highest throughput, all below 1, or to the throughput at 1."""
    rows = "\n".join(f"{n},{x / unit!r}" for n, x in zip(*RAYS, strict=True))
    (tmp_path / "rays.csv").write_text(f"users,throughput\n{rows}\n", encoding="utf-8")
    done = poolkeeper(tmp_path, "usl rays.csv --fit quadratic --json")
    found = json.loads(done.out)["results"]

    assert done.code == 0, done.err
    law = Usl().fit(*RAYS)
    assert found["usl"]["estimates"]["alpha"]["value"] == pytest.approx(law.alpha_, rel=1e-6)
    assert found["usl"]["estimates"]["lambda"]["value"] * unit == pytest.approx(law.lambda_, rel=1e-6)


def test_a_throughput_that_falls_below_that_of_one_is_fitted(poolkeeper: CommandLine, tmp_path: Path) -> None:
    n = np.array([1, 2, 4, 8, 16, 32])
    ratios = Law(1, 0.8, 0.2).throughput(n)
    (tmp_path / "ratios.csv").write_text(
        "users,throughput\n" + "\n".join(f"{a},{b!r}" for a, b in zip(n.tolist(), ratios.tolist(), strict=True)),
        "utf-8",
    )
    done = poolkeeper(tmp_path, "usl ratios.csv")

    assert ratios.max() == 1
    assert done.code == 0, done.err
    assert "beta: coherency" in done.out
