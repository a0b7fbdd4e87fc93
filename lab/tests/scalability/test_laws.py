from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.latency import Estimate
from poolkeeper.scalability import Holds, forced_flow, littles_law, littles_law_of, utilisation_law

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

USERS, RESPONSE, THINK = 40, 0.2, 0.3


def closed(rng: np.random.Generator, seconds: float = 60.0) -> tuple[Floats, Floats]:
    """Ends and response times of users who wait and think, both exponential, over a stretch of steady state."""
    count = int(3 * (seconds + 30) / (RESPONSE + THINK))
    response = rng.exponential(RESPONSE, (USERS, count))
    think = rng.exponential(THINK, (USERS, count))
    ended = np.cumsum(response + think, axis=1) - think
    seen = (ended > 20) & (ended < 20 + seconds)
    order = np.argsort(ended[seen])
    return ended[seen][order], response[seen][order]


def test_interval_of_littles_law_holds_the_users_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    found = [littles_law(USERS, *closed(rng), think_time=THINK) for _ in range(1000)]

    held = float(np.mean([check.measured.low <= USERS <= check.measured.high for check in found]))
    assert 0.93 <= held <= 0.97, held
    assert np.mean([check.holds is Holds.YES for check in found]) > 0.93


def test_what_cannot_be_right_is_named() -> None:
    ended, response = closed(np.random.default_rng(1))

    queued = littles_law(USERS, ended, response + 0.5, think_time=THINK)
    idle = littles_law(2 * USERS, ended, response, think_time=THINK)
    scaled = littles_law(USERS, ended, 1000 * response, think_time=1000 * THINK)
    unknown = littles_law(USERS, ended, response, think_time=None)

    assert queued.holds is Holds.TOO_MUCH
    assert "waiting inside the client" in queued.verdict
    assert idle.holds is Holds.TOO_LITTLE
    assert "not all active" in idle.verdict
    assert "milliseconds and seconds" in scaled.verdict
    assert unknown.holds is Holds.YES
    assert unknown.measured.value == pytest.approx(USERS * RESPONSE / (RESPONSE + THINK), rel=0.05)


def test_order_and_unit_do_not_matter() -> None:
    ended, response = closed(np.random.default_rng(2))
    found = littles_law(USERS, ended, response, think_time=THINK)

    turned = littles_law(USERS, ended[::-1], response[::-1], think_time=THINK)
    scaled = littles_law(USERS, 1000 * ended, 1000 * response, think_time=1000 * THINK)

    assert turned.measured.value == pytest.approx(found.measured.value)
    assert scaled.measured.low == pytest.approx(found.measured.low)


def test_figures_of_a_report() -> None:
    assert littles_law_of(100, 199, 0.5).holds is Holds.YES
    assert littles_law_of(100, 400, 0.5).holds is Holds.TOO_MUCH
    assert littles_law_of(100, 50, 0.5, 1.5).holds is Holds.YES
    assert littles_law_of(100, 10, 0.5).holds is Holds.TOO_LITTLE
    sure = littles_law_of(100, Estimate(206, 205, 207, 0.95), Estimate(0.5, 0.499, 0.501, 0.95))
    assert sure.holds is Holds.TOO_MUCH
    assert sure.measured.low == pytest.approx(103 * (1 - np.hypot(1 / 206, 0.001 / 0.5)))
    assert littles_law_of(100, 206, 0.5).holds is Holds.YES


def test_published_measurements_obey_littles_law() -> None:
    for users, throughput, latency_ms in ((100, 17588.2, 5.63), (500, 18235.69, 27.23), (1000, 13203.39, 75.63)):
        assert littles_law_of(users, throughput, latency_ms / 1000).holds is Holds.YES


def test_utilisation_law() -> None:
    assert utilisation_law(128, 0.025, 4).measured.value == pytest.approx(0.8)
    assert utilisation_law(128, 0.025, 4).holds is Holds.YES
    assert utilisation_law(200, 0.025, 4).holds is Holds.TOO_MUCH
    assert utilisation_law(128, 0.025, 4, utilisation=0.8).holds is Holds.YES
    assert utilisation_law(128, 0.025, 4, utilisation=0.5).holds is Holds.TOO_MUCH
    assert utilisation_law(100, 0.025, 4, utilisation=0.95).holds is Holds.TOO_LITTLE


def test_forced_flow_law() -> None:
    assert forced_flow(2625, 3.21, 8426).holds is Holds.YES
    assert forced_flow(2625, 3.21, 9500).holds is Holds.TOO_MUCH
    assert forced_flow(2625, 3.21, 7000).holds is Holds.TOO_LITTLE
    assert forced_flow(100, 2, Estimate(220, 190, 250, 0.95)).holds is Holds.YES


def test_results_can_be_shown() -> None:
    found = littles_law(USERS, *closed(np.random.default_rng(4)), think_time=THINK)

    assert found.ratio == pytest.approx(1, abs=0.05)
    assert found.to_dict()["holds"] == "holds"
    assert found.table().rows[0][-1] == "holds"
    assert found.plot().series[1].y == (USERS, USERS)


def test_bad_input_is_named() -> None:
    many = np.arange(300.0)
    with pytest.raises(TooFewError, match="at least 200"):
        littles_law(1, [1.0], [1.0])
    with pytest.raises(DataError, match="300 and 299 values"):
        littles_law(1, many, many[1:])
    with pytest.raises(DataError, match="negative"):
        littles_law(1, many, many - 1)
    with pytest.raises(DataError, match="all 300 requests ended at 5"):
        littles_law(1, np.full(300, 5.0), many)
    with pytest.raises(InputError, match="users: 0 is not above 0"):
        littles_law(0, many, many)
    with pytest.raises(InputError, match="throughput: -1 is not above 0"):
        littles_law_of(10, -1, 1)
    with pytest.raises(InputError, match="utilisation: 2 is not"):
        utilisation_law(1, 0.1, utilisation=2)
