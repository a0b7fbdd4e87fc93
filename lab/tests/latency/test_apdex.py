from __future__ import annotations

import json

import numpy as np
import pytest

from poolkeeper.errors import DataError, InputError
from poolkeeper.latency import apdex


def test_the_score_is_that_of_the_specification() -> None:
    found = apdex([1.0] * 60 + [3.0] * 30 + [9.0] * 10, 2.0, independent=True, unit="s")

    assert (found.satisfied, found.tolerating, found.frustrated) == (60, 30, 10)
    assert found.score.value == pytest.approx(0.75)
    assert str(found) == "0.75 [2 s]"
    assert found.rating == "fair"
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["score"]["value"] == 0.75


def test_bounds_belong_to_the_better_zone() -> None:
    found = apdex([2.0, 8.0, 8.1], 2.0)

    assert (found.satisfied, found.tolerating, found.frustrated) == (1, 1, 1)


def test_errors_frustrate_however_fast_they_were() -> None:
    found = apdex([1.0, 1.0], 2.0, ok=[True, False])

    assert (found.satisfied, found.frustrated, found.failed) == (1, 1, 1)


def test_a_small_sample_bears_an_asterisk() -> None:
    assert str(apdex([1.0] * 99, 2.0)).endswith("*")
    assert "small sample" in str(apdex([1.0] * 99, 2.0).table())


@pytest.mark.parametrize(
    ("score", "word"), [(94, "excellent"), (93, "good"), (84, "fair"), (69, "poor"), (49, "unacceptable")]
)
def test_ratings_have_the_bounds_of_the_specification(score: int, word: str) -> None:
    assert apdex([1.0] * score + [99.0] * (100 - score), 2.0).rating == word


def test_the_interval_holds_the_truth_of_a_known_distribution() -> None:
    values = np.random.default_rng(7).exponential(size=20_000)
    truth = (1 - np.exp(-1)) + (np.exp(-1) - np.exp(-4)) / 2

    score = apdex(values, 1.0).score

    assert score.low < truth < score.high


def test_bad_settings_are_named() -> None:
    with pytest.raises(InputError, match="target: 0 is not above 0"):
        apdex([1.0], 0)
    with pytest.raises(DataError, match="ok: 3 values for 2"):
        apdex([1.0, 2.0], 1, ok=[True, False, True])


def test_the_chart_names_what_its_bars_stand_for() -> None:
    drawn = apdex([1.0, 5.0, 99.0], 2.0).plot().to_dict()

    assert drawn["x"]["names"] == ["satisfied", "tolerating", "frustrated"]
    assert drawn["series"][0]["x"] == [-0.5, 0.5, 1.5, 2.5]


def test_failures_that_gather_leave_no_interval_beyond_the_scale() -> None:
    ok = np.arange(20_000) < 10_000
    found = apdex(np.full(20_000, 40.0) + np.arange(20_000) % 2, 500, ok=ok)
    assert found.score.value == 0.5
    assert not found.score.has_interval
    assert "scores that depend on each other" in found.score.why
