"""Comparison of contestants: all runs in rounds, goodput of each phase, and the time to come near the best static one.

The best static contestant of a phase is that of fixed sizes with the highest goodput in its second half. A contestant
has come to it in the first second from which ten seconds in a row have 95 % of that or more in the mean.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.planning.earlier_runs import differences
from poolkeeper.ntier.allocator.evidence import Level
from poolkeeper.ntier.online.run import OnlineRun, run_contestant, write_run
from poolkeeper.ntier.rounds import in_order_of
from poolkeeper.ntier.system import PoolKey
from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from poolkeeper.ntier.online.schedule import Contestant, Schedule

NEAR = 0.95
"""Part of the best static goodput from which on a contestant has come to it."""
SMOOTH_S = 10
"""Seconds whose mean decides about that."""
HEADER = "online.json"
_MOST_DIFFERENCES = 3


def run_all(  # noqa: PLR0913 - the last two have defaults
    schedule: Schedule,
    contestants: Sequence[Contestant],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
    runner: Callable[..., OnlineRun] = run_contestant,
    *,
    resume: bool = False,
) -> list[OnlineRun]:
    """Run all contestants in each round, in an order of its own, and keep each run in the folder at once.

    With `resume` those in the folder are taken from there. Raises InputError for runs of another schedule, RunError.
    """
    _check(folder, schedule, resume=resume)
    found: list[OnlineRun] = []
    planned = [(turn, contestant) for turn in range(1, rounds + 1) for contestant in in_order_of(turn, contestants)]
    for number, (turn, contestant) in enumerate(planned, start=1):
        file = folder / f"{contestant.name}-{turn}.json"
        if file.exists():
            found.append(read_run(file))
            continue
        say(f"run {number} of {len(planned)}: {contestant.name} ({contestant.allocation}), round {turn}")
        run = runner(schedule, contestant, turn, folder / f"{contestant.name}-{turn}", say)
        write_run(run, file)
        found.append(run)
    return found


def _check(folder: Path, schedule: Schedule, *, resume: bool) -> None:
    header = folder / HEADER
    now = json.loads(json.dumps(schedule.document))
    now.pop("question", None)
    # The names of the files of requests stay when they change.
    if resume and not header.exists() and any(path.name != ".lock" for path in folder.iterdir()):
        raise InputError(f"{folder}: holds no online comparison, so there is nothing to resume")
    now["load digests"] = [hashlib.sha256(load.read_bytes()).hexdigest()[:16] for load in schedule.loads]
    if resume and header.exists():
        before = _read_header(header)
        before.pop("question", None)
        # More contestants may join; those that have run, and what all of them meet, must be the same.
        earlier = before.get("contestants", {})
        met = {**before, "contestants": {name: earlier[name] for name in now["contestants"] if name in earlier}}
        meets = {**now, "contestants": {name: now["contestants"][name] for name in met["contestants"]}}
        if found := differences(met, meets):
            more = f"; and {len(found) - _MOST_DIFFERENCES} more" if len(found) > _MOST_DIFFERENCES else ""
            raise InputError(
                f"{header}: cannot continue: {'; '.join(found[:_MOST_DIFFERENCES])}{more}; "
                "without --resume and with another --output the comparison starts anew"
            )
        now["contestants"] = {**earlier, **now["contestants"]}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(header, json.dumps(now) + "\n")
    except OSError as error:
        raise RunError(f"{header}: cannot be written: {error.strerror}") from None


def _read_header(header: Path) -> dict[str, Any]:
    try:
        document = json.loads(header.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        document = None
    if not isinstance(document, dict):
        raise InputError(
            f"{header}: is not the header of an online comparison; without --resume and with another --output the "
            "comparison starts anew"
        )
    return document


def read_run(file: Path) -> OnlineRun:
    """A run that was kept. Raises InputError if it is none."""
    try:
        return OnlineRun.from_json(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file}: is not a run of an online comparison: {error}; delete it to run it again") from None


@dataclass(frozen=True)
class PhaseResult:
    """A contestant in a phase.

    Attributes:
        goodput: by bound in seconds, over the whole phase.
        share: goodput of its second half to that of the best static contestant, in the first bound.
        arrival_s: median over the rounds of the time to come to the best static one; infinite where it did not.
        arrived: rounds in which it came.
        threads: mean size in the second half.
        connections: the same.
        others: mean sizes of the other tiers' pools there, where some contestant sizes them.
    """

    goodput: dict[float, Level]
    share: float
    arrival_s: float
    arrived: int
    threads: float
    connections: float
    others: dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """All contestants in all phases.

    Attributes:
        schedule: phases and contestants.
        rounds: runs of each contestant.
        best: best static contestant of each phase.
        results: by contestant, one a phase.
        whole: goodput over the whole schedule, by contestant and bound.
    """

    schedule: Schedule
    rounds: int
    best: tuple[str, ...]
    results: dict[str, tuple[PhaseResult, ...]]
    whole: dict[str, dict[float, Level]]


def compare(schedule: Schedule, contestants: Sequence[Contestant], runs: Sequence[OnlineRun]) -> Comparison:
    """Compare runs, an equal number of each contestant.

    Raises InputError if no contestant has fixed sizes.
    """
    bound = schedule.file.topology.bounds_s[0]
    by_name = {each.name: [run for run in runs if run.contestant == each.name] for each in contestants}
    static = [each.name for each in contestants if each.static]
    if not static:
        raise InputError("--contestants: none has fixed sizes, with which the others are compared")
    spans = schedule.spans()

    followers = dict.fromkeys(pool for run in runs for pool in run.others)
    allocations = {each.name: each.allocation for each in contestants}

    def other(name: str, pool: str, seconds: slice) -> float:
        fixed = (allocations[name][PoolKey.parse(pool)],)
        return float(np.mean([np.mean(run.others[pool][seconds] if run.others else fixed) for run in by_name[name]]))

    def settled(name: str, span: tuple[int, int]) -> float:
        begin, end = span
        half = (begin + end) // 2
        return float(np.mean([np.mean(run.goodput[bound][half:end]) for run in by_name[name]]))

    best = [max(static, key=lambda name, span=span: settled(name, span)) for span in spans]  # type: ignore[misc]
    goals = [settled(name, span) for name, span in zip(best, spans, strict=True)]

    def result(name: str, span: tuple[int, int], goal: float) -> PhaseResult:
        begin, end = span
        half = (begin + end) // 2
        arrivals = [arrival(run.goodput[bound][begin:end], goal) for run in by_name[name]]
        return PhaseResult(
            goodput={
                each: _level([run.goodput[each][begin:end] for run in by_name[name]]) for each in _bounds(schedule)
            },
            share=settled(name, span) / goal if goal else math.nan,
            arrival_s=float(median(arrivals)),
            arrived=sum(math.isfinite(each) for each in arrivals),
            threads=float(np.mean([np.mean(run.threads[half:end]) for run in by_name[name]])),
            connections=float(np.mean([np.mean(run.connections[half:end]) for run in by_name[name]])),
            others={pool: other(name, pool, slice(half, end)) for pool in followers},
        )

    return Comparison(
        schedule,
        max(len(each) for each in by_name.values()),
        tuple(best),
        {name: tuple(result(name, s, g) for s, g in zip(spans, goals, strict=True)) for name in by_name},
        {
            name: {each: _level([r.goodput[each] for r in found]) for each in _bounds(schedule)}
            for name, found in by_name.items()
        },
    )


def _bounds(schedule: Schedule) -> tuple[float, ...]:
    return schedule.file.topology.bounds_s


def arrival(series: Sequence[float], goal: float) -> float:
    """Seconds until `SMOOTH_S` seconds in a row have `NEAR` of a goodput in the mean; infinite if they never do."""
    for begin in range(len(series) - SMOOTH_S + 1):
        if sum(series[begin : begin + SMOOTH_S]) / SMOOTH_S >= NEAR * goal:
            return float(begin)
    return math.inf


def _level(courses: Sequence[Sequence[float]]) -> Level:
    """Mean goodput; its interval comes from the rounds.

    One round has none: the seconds after a change are no sample of anything.
    """
    means = [float(np.mean(course)) for course in courses]
    if len(means) == 1:
        return Level(means[0], math.nan, 1)
    return Level(float(np.mean(means)), float(np.std(means, ddof=1)) / math.sqrt(len(means)), len(means) - 1)


def to_dict(level: Level, confidence: float) -> dict[str, Any]:
    """Mean and half the width of its interval; None for one round, which has none."""
    half = level.margin(confidence)
    return {"value": level.value, "half_width": half if math.isfinite(half) else None}
