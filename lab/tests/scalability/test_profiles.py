"""Profiles find the smallest sum of squares wherever the levels lie, and whatever else is asked at the same time."""

from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.scalability import Law, Usl, _views
from poolkeeper.scalability._estimate import Form, fit

LAW = Law(50.0, 0.03, 5e-4)
BEYOND = np.array([64.0, 80, 96, 112, 128, 160, 192, 224, 256])
"""Levels beyond the peak at 44, all of them."""
MEASURED = np.array([648.1, 612.97, 562.08, 526.58, 485.71, 430.41, 385.46, 344.11, 309.45])
SAMPLES = 400


def test_throughput_at_a_peak_below_all_levels_is_covered_as_often_as_it_says() -> None:
    errors = np.random.default_rng(1).normal(0, 4, (SAMPLES, BEYOND.size))
    fits = fit(Form("", alpha=True, beta=True), BEYOND, LAW.throughput(BEYOND) + errors)

    low, high = fits.profile(_views.PEAK_THROUGHPUT, 0.95)

    best = _views.PEAK_THROUGHPUT.of(fits.law)[:, 0]
    assert (low < 0.999 * best).all()
    assert (high > 1.001 * best).all()
    # 99 % of studies of this size lie within 2.58 standard errors of 0.95
    held = float(np.mean((low <= LAW.peak_throughput) & (LAW.peak_throughput <= high)))
    assert held == pytest.approx(0.95, abs=2.58 * (0.95 * 0.05 / SAMPLES) ** 0.5)
    # these levels cannot tell how errors grow, so that the interval has room for more than constant ones
    some = 100
    few = fit(Form("", alpha=True, beta=True), BEYOND, fits.data[:some])
    wide_low, wide_high = few.interval(_views.PEAK_THROUGHPUT, 0.95)
    assert ((wide_low <= low[:some]) & (high[:some] <= wide_high)).mean() > 0.9


def test_a_band_at_a_point_does_not_depend_on_the_other_points() -> None:
    law = Usl().fit(BEYOND, MEASURED)
    at = np.linspace(1, 320, 48)

    band = law.predict(at)

    some = slice(None, None, 4)
    alone = [law.predict([entry]) for entry in at[some]]
    assert band.low[some] == pytest.approx([prediction.low[0] for prediction in alone], rel=1e-6)
    assert band.high[some] == pytest.approx([prediction.high[0] for prediction in alone], rel=1e-6)
