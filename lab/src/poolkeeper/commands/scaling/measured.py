"""Levels of load as they were measured, and their response times."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poolkeeper.commands.steps.base import origin_s
from poolkeeper.present.numbers import number
from poolkeeper.present.text import listed

if TYPE_CHECKING:
    from poolkeeper.commands.load import Load
    from poolkeeper.latency import Estimate
    from poolkeeper.scalability import LoadLevel

_PARTS = 4
"""Parts of a level whose options are listed."""


@dataclass(frozen=True)
class MeasuredLevel:
    """One level of load: users (NaN if unknown), successes per second, and response times if there are any."""

    users: float
    throughput: float
    in_system: float = math.nan
    throughput_interval: Estimate | None = None
    responses: Any = None
    """Values in milliseconds, what each second held of them, or the figure that a bound is about."""
    failing: float = 0.0
    """Share of the requests that failed, 0 to 1; 0 where that is not known."""
    place: str = ""
    """File, or time in it, in words."""
    throughput_error: float = math.nan
    """Standard error of the throughput; NaN where nothing tells it."""
    answered: float = math.nan
    """Requests answered per second, failed ones among them; NaN where none is known to have failed."""

    @property
    def rate(self) -> float:
        """The load in requests a second, whether these succeeded or not."""
        return self.throughput if math.isnan(self.answered) else self.answered


def sent_in(loaded: Load, between_s: tuple[float, float], level: LoadLevel | None = None) -> Any:
    """Response times of what was sent between two times; None if nothing of it is looked at.

    Where those of a `level` of users change, they say so in words.
    """
    from poolkeeper.latency.ordered.sample import Sample

    if loaded.silent:
        return None
    data = loaded.during(between_s)
    if not data.count:
        return None
    if level is None or not level.parts:
        return data
    words = _in_words(loaded, level)
    return replace(data, cause=words) if isinstance(data, Sample) else replace(data, change=words)


def place_of(loaded: Load | None, start_s: float, end_s: float) -> str:
    """Words for a stretch of a load, whose name is given where there are several."""
    return f"from {start_s:,.0f} s to {end_s:,.0f} s{'' if loaded is None else f' in {loaded.name}'}"


def _in_words(loaded: Load, level: LoadLevel) -> str:
    """Words for the parts of a level between steps of its response times, and the options that select each."""
    begin_s = origin_s(loaded)
    times = [f"{begin_s + at:.0f}" for at, _ in level.parts[1:]]
    often = "once" if len(times) == 1 else f"{len(times)} times"
    if len(level.parts) > _PARTS:
        where = f"first at {times[0]} s, last at {times[-1]} s"
        return f"their level changes {often}, {where}: look at each part by itself"
    medians = [number(1000 * usual) for _, usual in level.parts]
    if len(medians) > 2:  # noqa: PLR2004 - one step
        sizes = f"medians of {listed(medians)}"
    else:
        sizes = f"median {medians[0]} before and {medians[1]} after"
    options = [
        " ".join([*([f"--from {start}s"] if start else []), *([f"--to {end}s"] if end else [])])
        for start, end in zip(["", *times], [*times, ""], strict=True)
    ]
    changes = f"their level changes {often}, at {listed(times)} s ({sizes})"
    return f"{changes}: look at each part by itself, with {listed(options)}"
