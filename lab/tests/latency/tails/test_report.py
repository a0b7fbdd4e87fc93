from __future__ import annotations

import json

import numpy as np
import pytest

from tidepool.errors import DataError, TooFewError
from tidepool.latency.tails import Tail, analyze


def test_nothing_is_claimed_of_few_values() -> None:
    report = analyze(1 + np.random.default_rng(0).pareto(1.2, 200), replicates=50)

    assert report.verdict.tail is Tail.UNKNOWN
    assert "200 values are too few" in report.verdict.text


def test_a_power_law_is_called_heavy() -> None:
    report = analyze(1 + np.random.default_rng(1).pareto(1.5, 5000), replicates=50, unit="ms")

    assert report.verdict.tail is Tail.HEAVY
    assert "the mean is finite and the variance infinite" in report.verdict.text
    assert "nothing is known" in report.verdict.limits[0]


def test_whole_milliseconds_are_spread_and_the_notes_say_so() -> None:
    values = np.round(np.random.default_rng(2).lognormal(5, 1, 5000))
    report = analyze(values, replicates=20)

    assert "multiples of 1" in report.notes[0]
    assert analyze(values, replicates=20).law.xmin == report.law.xmin


def test_two_significant_digits_are_refused() -> None:
    values = [float(f"{value:.1e}") for value in np.random.default_rng(3).lognormal(5, 1.5, 3000)]

    with pytest.raises(DataError, match="two significant digits, as Locust does"):
        analyze(values)


def test_fifty_values_are_the_least() -> None:
    with pytest.raises(TooFewError, match="at least 50"):
        analyze(np.arange(1, 50))


def test_the_report_shows_itself() -> None:
    report = analyze(np.random.default_rng(4).lognormal(3, 1, 3000), replicates=20, unit="ms")

    assert json.loads(json.dumps(report.to_dict()))["power_law"]["xmin"] == report.law.xmin
    assert report.verdict.text in str(report.table())
    assert len(report.tables()) == 4
    assert [chart.title for chart in report.plots()] == ["Complementary distribution", "Hill plot", "Lorenz curve"]
