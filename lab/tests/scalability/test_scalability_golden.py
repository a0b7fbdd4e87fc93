"""Published fits, to the digits they were printed with."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from poolkeeper.scalability import Law, Usl

DATA = Path(__file__).with_name("data")


def test_specsdm91() -> None:
    data = np.loadtxt(DATA / "usl_specsdm91.csv", delimiter=",", skiprows=1)
    fit = Usl().fit(data[:, 0], data[:, 1])

    assert round(fit.alpha_, 7) == 0.0277285
    assert round(fit.beta_, 9) == 1.04365e-4
    assert round(fit.lambda_, 4) == 89.9952
    assert round(fit.errors_["alpha"], 7) == 0.0091217
    assert round(fit.errors_["beta"], 9) == 1.9875e-5
    assert round(fit.errors_["lambda"], 4) == 14.2135
    assert round(fit.law_.peak_concurrency, 5) == 96.51956
    assert round(fit.law_.peak_throughput, 2) == 1883.90
    assert round(fit.law_.knee, 5) == 36.06401
    assert round(fit.law_.limit, 3) == 3245.589
    assert fit.degrees_of_freedom_ == 4


OPTIMA = {
    "500B": (0.040997819, 3.6969041e-6, 899.70049, 509.32, 20100.576, 63081.5),
    "1KB": (0.056065117, 3.7134041e-6, 1103.8326, 504.18, 18456.934, 117509.4),
    "10KB": (0.095038068, 1.0234975e-5, 1393.0139, 297.35, 13776.582, 116861.3),
}
PUBLISHED_SQUARES = {"500B": 428991, "1KB": 172455, "10KB": 131599}


def wso2(size: str) -> tuple[list[float], list[float]]:
    with (DATA / "usl_wso2_ei.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["message_size"] == size]
    return [float(row["concurrency"]) for row in rows], [float(row["throughput_rps"]) for row in rows]


@pytest.mark.parametrize("size", OPTIMA)
def test_wso2_optimum(size: str) -> None:
    fit = Usl().fit(*wso2(size))

    alpha, beta, lambda_, peak, highest, squares = OPTIMA[size]
    # one unit of the last printed digit
    assert (fit.alpha_, fit.beta_, fit.lambda_) == pytest.approx((alpha, beta, lambda_), rel=1e-7)
    assert round(fit.law_.peak_concurrency, 2) == peak
    assert round(fit.law_.peak_throughput, 3) == highest
    assert round(fit.sum_of_squares_, 1) == squares
    assert any("barely identified" in warning and "12.7" in warning for warning in fit.warnings_)


@pytest.mark.parametrize("size", PUBLISHED_SQUARES)
def test_published_coefficients_of_wso2_are_not_the_optimum(size: str) -> None:
    with (DATA / "usl_wso2_ei_published_fit.csv").open(encoding="utf-8") as lines:
        row = next(entry for entry in csv.DictReader(lines) if entry["message_size"] == size)
    alpha, beta = float(row["contention_alpha"]), float(row["coherency_beta"])
    peak = float(row["peak_throughput_rps"])
    # lambda is not printed: it follows from the printed throughput at the peak
    scale = peak / Law(1.0, alpha, beta).peak_throughput
    levels, measured = wso2(size)
    squares = float(((Law(scale, alpha, beta).throughput(levels) - measured) ** 2).sum())

    assert squares == pytest.approx(PUBLISHED_SQUARES[size], rel=2e-3)
    assert squares > 1.1 * Usl().fit(levels, measured).sum_of_squares_
    assert math.isclose(Law(scale, alpha, beta).peak_concurrency, float(row["peak_concurrency"]), rel_tol=2e-3)
