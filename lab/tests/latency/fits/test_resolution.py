from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.latency.fits import Gamma, Lognormal, Pareto, Resolution, ShiftedExponential, fit, resolution


def digits(values: np.ndarray[tuple[int], np.dtype[np.float64]], count: int) -> list[float]:
    return [float(f"{value:.{count - 1}e}") for value in values]


RANDOM = np.random.default_rng(1)
VALUES = RANDOM.lognormal(4, 0.8, 5000)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (VALUES, None),
        (np.round(VALUES), Resolution(step=1.0)),
        (np.round(VALUES / 1000, 3), Resolution(step=0.001)),
        (np.round(VALUES / 10) * 10, Resolution(step=10.0)),
        (np.round(VALUES * 1e6), None),
        (digits(VALUES, 2), Resolution(digits=2)),
        (digits(VALUES * 1e6, 2), Resolution(digits=2)),
        (np.round(VALUES[:40] * 1000), None),
    ],
    ids=["exact", "ms", "ms as s", "10 ms", "ns", "two digits", "two digits of ns", "few"],
)
def test_rounding_is_found_where_it_matters(values: list[float], expected: Resolution | None) -> None:
    found = resolution(np.sort(np.array(values)))
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.step == pytest.approx(expected.step)
        assert found.digits == expected.digits


def test_values_lie_in_the_cells_that_they_are_rounded_to() -> None:
    for found, rounded in (
        (Resolution(step=1.0), np.round(VALUES)),
        (Resolution(digits=2), np.array(digits(VALUES, 2))),
    ):
        low, high = found.cells(rounded)
        assert np.all((low <= VALUES * (1 + 1e-12)) & (high * (1 + 1e-12) >= VALUES))
    low, high = Resolution(step=1.0).cells(np.array([0.0, 1.0]))
    assert (low.tolist(), high.tolist()) == ([0.0, 0.5], [0.5, 1.5])
    low, high = Resolution(digits=2).cells(np.array([100.0, 110.0]))
    assert low == pytest.approx([99.5, 105])
    assert high == pytest.approx([105, 115])


def test_rounded_values_are_fitted_as_intervals() -> None:
    # Half of the values round to 0 or 1, where a density would be misled.
    made = Lognormal.of(shape=0.8, scale=1.5)
    values = made.rvs(4000, seed=1)
    rounded = np.round(values)
    fitted = Lognormal().fit(rounded)
    assert abs(fitted.shape_ - 0.8) < 3 * fitted.standard_errors_["shape"]
    assert abs(fitted.scale_ - 1.5) < 3 * fitted.standard_errors_["scale"]
    assert fitted.standard_errors_["shape"] > Lognormal().fit(values).standard_errors_["shape"]


@pytest.mark.parametrize("made", [ShiftedExponential.of(location=5.5, scale=20), Pareto.of(shape=1.5, scale=5.3)])
def test_where_rounded_values_begin_is_within_its_interval(made: ShiftedExponential | Pareto) -> None:
    random = np.random.default_rng(5)
    name, held = made.family.anchor, 0
    for _ in range(150):
        low, high = type(made)().fit(np.round(made.rvs(1000, random) / 2) * 2).intervals()[name]
        held += low <= made.parameters_[name] <= high
    assert 134 <= held <= 149  # 95 % of 150 with less than one chance in a thousand of fewer


def test_rounding_alone_rejects_nothing() -> None:
    ranking = fit(np.round(Gamma.of(shape=2, scale=5).rvs(20_000, seed=2)), ["gamma"], replicates=39)
    tested = ranking.best.tested
    assert tested is not None
    assert tested.kolmogorov_smirnov > 0.05
    assert "multiples of 1; each was fitted as the interval" in ranking.notes[0]


def test_two_significant_digits_say_nothing_of_tails() -> None:
    ranking = fit(np.array(digits(VALUES, 2)), replicates=19)
    assert {refused.name for refused in ranking.refused} == {
        "pareto",
        "lomax",
        "generalised-pareto",
        "burr",
        "log-logistic",
    }
    assert "rounded to 2 significant digits" in ranking.refused[0].reason
    assert ranking.best.name == "lognormal"
    assert "left out" in str(ranking.table())
    assert "burr" in ranking.to_dict()["refused"]
