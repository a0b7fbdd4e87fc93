"""Processors that other programs, or the host, have taken from the servers of a run."""

from __future__ import annotations

import pytest

from poolkeeper.ntier.tiers.processors import ProcessorTimes, taken_by_others

BEGIN = ProcessorTimes(100.0, 500.0, 7.0)


@pytest.mark.parametrize(
    ("busy_s", "stolen_s", "own_s", "found"),
    [
        (10.0, 0.0, 10.0, None),
        (11.5, 0.0, 10.0, None),
        (10.0, 0.0, 10.2, None),
        (18.0, 0.0, 3.0, "other programs used 1.5 of this machine's 2 processors: the servers may have had less"),
        (10.0, 4.0, 10.0, "the host took 0.4 of this machine's 2 processors: the servers may have had less"),
        (16.0, 4.0, 6.0, "other programs used 1 of this machine's 2 processors and the host took 0.4 of"),
    ],
)
def test_what_others_took_in_ten_seconds_of_two_processors(
    busy_s: float, stolen_s: float, own_s: float, found: str | None
) -> None:
    end = ProcessorTimes(110.0, 500.0 + busy_s, 7.0 + stolen_s)
    message = taken_by_others(BEGIN, end, own_s, 2)
    assert message is None if found is None else message is not None and message.startswith(found)


def test_no_time_has_no_message() -> None:
    assert taken_by_others(BEGIN, BEGIN, 0.0) is None


def test_the_times_of_this_machine_grow() -> None:
    before = ProcessorTimes.now()
    while ProcessorTimes.now().busy_s <= before.busy_s:  # this loop keeps a processor busy
        pass
    assert ProcessorTimes.now().at_s > before.at_s
