"""Measurements of one run under its load: whole-run figures, and blocks of seconds for the spread within it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from poolkeeper.record import merge
from poolkeeper.report.measuring.monitor_samples import during, of_kind
from poolkeeper.report.measuring.pools import NO_STEPS, area, at, sizes
from poolkeeper.study.load import requested

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.record import Run, Table
    from poolkeeper.report.measuring.pools import Steps

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NS = 1_000_000_000

BLOCK_S = 5
"""Shortest block of a phase that is long enough for several of them."""
MOST_BLOCKS = 10
"""Blocks of a phase at most: longer blocks depend less on each other."""
LEAST_BLOCKS = 3
"""Blocks of a phase that is too short for blocks of five seconds."""
BUSY = 0.5
"""Processors that a load generator uses at least if one of its threads is busy in every second interval."""


@dataclass(frozen=True)
class Blocks:
    """A run cut into blocks that do not cross phases: seconds, completions, thread-seconds and response times of each.

    `counts[b, k]` response times of block b fell into bucket k, of `width_ns[k]` values from `lowest_ns[k]` on.
    """

    phase: Integers
    place: Integers
    seconds: Floats
    completions: Floats
    thread_seconds: Floats
    counts: Integers
    lowest_ns: Integers
    width_ns: Integers
    seamless: tuple[int, ...] = ()
    """Phases that begin at the level at which the one before ended, as after a ramp."""
    bound_s: float = math.nan
    """Response time within which an answer counts as goodput; NaN where the experiment states none."""

    def everything(self) -> Floats:
        """Weights that count every block once."""
        return np.ones(self.seconds.size)

    def during(self, *phases: int) -> Floats:
        """Weights that count the blocks of some phases, but not the first one of a phase that follows another.

        That one holds the answers to users who have left. It counts only where a phase has no other block, and where
        nobody left because the phase is seamless.
        """
        inside = np.isin(self.phase, phases)
        settled = inside & ~((self.place == 0) & (self.phase > 0) & ~np.isin(self.phase, self.seamless))
        weights: Floats = np.where(settled if settled.any() else inside, 1.0, 0.0)
        return weights

    def all_of(self, phase: int) -> Floats:
        """Weights that count all blocks of a phase."""
        weights: Floats = np.where(self.phase == phase, 1.0, 0.0)
        return weights

    def throughput(self, weights: Floats) -> float:
        """Completions per second over the weighted blocks."""
        return _ratio(float(weights @ self.completions), float(weights @ self.seconds))

    def goodput(self, weights: Floats) -> float:
        """Successful answers within the bound per second over the weighted blocks; NaN without a bound.

        A bucket of the histogram counts if all of its values are within the bound.
        """
        if math.isnan(self.bound_s):
            return math.nan
        within = self.lowest_ns + self.width_ns - 1 <= self.bound_s * NS
        return _ratio(float((weights @ self.counts)[within].sum()), float(weights @ self.seconds))

    def mean_pool_size(self, weights: Floats) -> float:
        """Thread-seconds per second over the weighted blocks."""
        return _ratio(float(weights @ self.thread_seconds), float(weights @ self.seconds))

    def mean_s(self, weights: Floats) -> float:
        """Mean response time of the weighted blocks in seconds."""
        counts = weights @ self.counts
        return _ratio(float((self.lowest_ns + self.width_ns // 2) @ counts), float(counts.sum())) / NS

    def percentile_s(self, percentile: float, weights: Floats) -> float:
        """Nearest-rank percentile of the response time of the weighted blocks in seconds; NaN without requests."""
        sums = np.cumsum(weights @ self.counts)
        if not sums.size or sums[-1] <= 0:
            return math.nan
        place = int(np.searchsorted(sums, math.nextafter(percentile, 0.0) * sums[-1] / 100))
        return int(self.lowest_ns[place] + self.width_ns[place] - 1) / NS


@dataclass(frozen=True, slots=True)
class LoadPhase:
    """A phase of the load: start and end in seconds since it began, and how much of it there is.

    `level` is a number of users, or with `rate` how many arrive in a second; of a ramp at its beginning, and `to` at
    its end.
    """

    start_s: float
    end_s: float
    level: float
    rate: bool = False
    to: float | None = None
    shares: tuple[tuple[str, float], ...] = ()
    """Requests of its own with their probabilities; empty where it sends those of the whole load."""

    @property
    def requests(self) -> str:
        """Its own requests in words: "call20", "report + cpu"; empty without any."""
        return requested({"requests": dict(self.shares)})

    @property
    def levels(self) -> tuple[float, ...]:
        """The level, or those between which a ramp lies."""
        return (self.level,) if self.to is None else (self.level, self.to)

    @property
    def short(self) -> str:
        """The level as a number, or a ramp as two: "100", "10 to 300"; the requests of a phase that has its own."""
        return self.requests or self._level

    @property
    def _level(self) -> str:
        return " to ".join(f"{level:,.6g}" for level in self.levels)

    @property
    def label(self) -> str:
        """The level as in the heading of a chart: "100 users", "10 to 300 users", "128/s", "200 users, call20"."""
        sent = f", {self.requests}" if self.requests else ""
        if self.rate:
            return f"{self._level}/s{sent}"
        return f"{self._level} {'user' if self.levels == (1,) else 'users'}{sent}"


class Measurement:
    """One run's figures over its load. Times are seconds since the load began."""

    def __init__(self, run: Run, load: Table) -> None:
        """Take a run with a load.csv of at least one row; `measure` makes sure of that.

        What the test of steadiness leaves out at the beginning of the load is left out of everything: in older records
        its first second, in which the load generator changed over from the warm-up.
        """
        whole_begin_s = float(load["start_s"][0])
        if run.drift is not None and len(load) > run.drift.left_out_s:
            load = load.where(np.arange(len(load)) >= run.drift.left_out_s)
        self.run = run
        self.load = load
        self.begin_s = float(load["start_s"][0])
        self.left_out_s = self.begin_s - whole_begin_s
        self.seconds = float(load["end_s"][-1]) - self.begin_s
        self.phase: Integers = np.nan_to_num(load["phase"]).astype(np.int64)
        rows = self._users_there(load["start_s"] - whole_begin_s)
        self.worked_off_s = self.seconds - (float(load["end_s"][rows - 1]) - self.begin_s)
        """Time after the last phase until the requests under way had ended, by whole rows; it is a phase of its own."""
        self.after: int = int(self.phase[rows - 1]) + 1
        """Number of that phase."""
        self.phase[rows:] = self.after
        self.completions: Floats = np.nan_to_num(load["requests"]) - np.nan_to_num(load["errors"])
        self.errors = int(np.nansum(load["errors"]))
        self.requests = int(np.nansum(load["requests"]))

    @property
    def steady(self) -> bool:
        """Whether throughput was shown to be steady to the end of the load; where that was not asked, before it.

        A run of which nobody asked is not called unsteady.
        """
        if self.run.drift is not None:
            return self.run.drift.steady
        return self.run.warm_up is None or self.run.warm_up.steady is not False

    @property
    def silent(self) -> bool:
        """Whether no request succeeded, so that there are no ratios to other variants."""
        return not self.completions.any()

    @property
    def limited(self) -> bool:
        """Whether the load generator itself may have been the bottleneck."""
        return self.run.summary is not None and self.run.summary.bottleneck

    @property
    def held_up(self) -> bool:
        """Whether that was not because its own threads were busy: a busy one takes a processor for the most part."""
        summary = self.run.summary
        return self.limited and summary is not None and summary.cpu_share is not None and summary.cpu_share < BUSY

    @cached_property
    def pools(self) -> tuple[str, ...]:
        """The pools that the run is about: the first of windows.csv, or where there are several servers those of all.

        Servers behind a balancer share the work of one, so that their pools count together.
        """
        windows = self.run.windows
        names = tuple(dict.fromkeys(windows.labels["pool"])) if windows else ()
        return names if self.run.configuration.get("back_ends") else names[:1]

    @cached_property
    def other_pools(self) -> tuple[str, ...]:
        """The other pools of windows.csv, such as the connections of a modelled system."""
        windows = self.run.windows
        names = tuple(dict.fromkeys(windows.labels["pool"])) if windows else ()
        return tuple(name for name in names if name not in self.pools)

    def sizes(self) -> Steps:
        """The sizes of these pools together as a step function: the times at which each began, and the sizes."""
        return self._sizes

    @cached_property
    def _sizes(self) -> Steps:
        steps = [self.sizes_of(pool) for pool in self.pools]
        if not steps or not all(begins.size for begins, _ in steps):
            return NO_STEPS
        # What a pool had before its first window is what it had in it.
        times = np.unique(np.concatenate([begins for begins, _ in steps]))
        return times, np.sum([at(step, times) for step in steps], axis=0)

    def sizes_of(self, pool: str) -> Steps:
        """The sizes of one pool as a step function."""
        return sizes(self.run, pool, self.begin_s)

    def thread_seconds(self, start_s: float, end_s: float) -> float:
        """The size of the pools summed over [start, end); the size at the ends of the record holds beyond them."""
        return area(self.sizes(), start_s, end_s)

    @cached_property
    def blocks(self) -> Blocks:
        """The run in blocks of seconds, for every phase at least five seconds long and at most ten."""
        firsts, phases, places = _cut(self.phase)
        starts = self.load["start_s"][firsts]
        edges = np.concatenate((starts, [self.load["end_s"][-1]]))
        latency = self.run.latency
        distributions = latency.binned(edges) if latency else [merge([]) for _ in firsts]
        total = merge(distributions)
        counts = np.zeros((firsts.size, total.lowest.size), dtype=np.int64)
        for row, part in zip(counts, distributions, strict=True):
            row[np.searchsorted(total.lowest, part.lowest)] = part.counts
        return Blocks(
            phase=phases,
            place=places,
            seconds=np.add.reduceat(self.load["end_s"] - self.load["start_s"], firsts),
            completions=np.add.reduceat(self.completions, firsts),
            thread_seconds=np.array(
                [
                    self.thread_seconds(start - self.begin_s, end - self.begin_s)
                    for start, end in pairwise(edges.tolist())
                ]
            ),
            counts=counts,
            lowest_ns=total.lowest,
            width_ns=total.width,
            seamless=tuple(
                number
                for number, (before, phase) in enumerate(pairwise(self.phases()), start=1)
                if before.levels[-1] == phase.levels[0] and before.shares == phase.shares
            ),
            bound_s=self.bound_s,
        )

    @property
    def bound_s(self) -> float:
        """Response time within which an answer counts as goodput; NaN where the experiment states none."""
        stated = self.run.configuration.get("goodput_within_s")
        return float(stated) if isinstance(stated, int | float) else math.nan

    def offered(self) -> float:
        """Requests a second that arriving clients should have sent, sent or not; NaN for closed users."""
        offered = self.load["offered"]
        return float("nan") if np.isnan(offered).all() else _ratio(float(np.nansum(offered)), self.seconds)

    def server_cpu(self) -> float:
        """Mean number of processors that the server used while the load ran, or all servers; NaN if not measured."""
        watched = self.watched_cpu("server")
        return self._windows_cpu() if math.isnan(watched) else watched

    def watched_cpu(self, process: str) -> float:
        """Mean number of processors that a process of monitor.csv used while the load ran; NaN if it is not in it.

        Where there are several, called `server-1` and so on, it is their sum.
        """
        monitor = self.run.monitor
        if monitor is None:
            return float("nan")
        names = dict.fromkeys(name for name in monitor.labels["process"] if of_kind(name, process))
        return sum(self._one_cpu(monitor, name) for name in names) if names else float("nan")

    def _one_cpu(self, monitor: Table, process: str) -> float:
        ours = np.array([name == process for name in monitor.labels["process"]], dtype=np.bool_)
        inside = during(monitor["at_s"], self.begin_s, self.begin_s + self.seconds)
        rows = monitor.where(ours & inside & ~np.isnan(monitor["cpu_s"]))
        # Over the whole load, in which a server that was killed used nothing from then on.
        at = monitor["at_s"][inside]
        return _ratio(float(np.ptp(rows["cpu_s"])), float(np.ptp(at))) if len(rows) > 1 else float("nan")

    def quota_used(self, process: str) -> float:
        """Share of its CPU quota that a process used while the load ran, or several together; NaN without a quota."""
        allowed = sum(quota.cpus for name, quota in self.run.quotas.items() if of_kind(name, process))
        return _ratio(self.watched_cpu(process), allowed)

    def _windows_cpu(self) -> float:
        rows = self.windows_with_cpu
        return (
            math.nan
            if rows is None
            else _ratio(float(rows["process_cpu_s"].sum()), float((rows["end_s"] - rows["start_s"]).sum()))
        )

    @cached_property
    def windows_with_cpu(self) -> Table | None:
        """The windows inside the load in which the server told its CPU time; None without any, or of several pools."""
        windows = self.run.windows
        if windows is None or len(self.pools) != 1:
            return None
        ours = np.array([name == self.pools[0] for name in windows.labels["pool"]], dtype=np.bool_)
        inside = (windows["start_s"] >= self.begin_s) & (windows["end_s"] <= self.begin_s + self.seconds)
        rows = windows.where(ours & inside & ~np.isnan(windows["process_cpu_s"]))
        return rows or None

    def load_cpu(self) -> float:
        """Mean number of processors that the load generator used; NaN for a simulation, which has none."""
        if self.run.simulated:
            return float("nan")
        return _ratio(float(np.nansum(self.load["cpu_s"])), self.seconds)

    def phases(self) -> list[LoadPhase]:
        """The phases of the load in the rows."""
        firsts = np.flatnonzero(np.concatenate(([True], np.diff(self.phase) != 0)))
        firsts = firsts[self.phase[firsts] < self.after]
        end_s = self.seconds - self.worked_off_s
        starts = self.load["start_s"][firsts] - self.begin_s
        ends = np.concatenate((starts[1:], [end_s]))
        users = np.nan_to_num(self.load["users"]).astype(np.int64)[firsts]
        planned = self._planned_starts()
        # Rows tell a phase's start to a second; the plan tells it exactly, as long as both agree.
        if planned.size >= starts.size and np.all(np.abs(planned[: starts.size] - starts) <= 1.0):
            starts = planned[: starts.size]
            ends = np.concatenate((starts[1:], [end_s]))
        found = [phase.get("rate_per_s") for phase in self._planned()]
        rates = [float(rate) for rate in found if isinstance(rate, int | float)]
        rate = len(rates) >= starts.size
        levels: list[float] = rates[: starts.size] if rate else [int(n) for n in users]
        ramps = self._ramps()
        found_phases = []
        for place, (start, end, level) in enumerate(zip(starts, ends, levels, strict=True)):
            first, by_rate, to = ramps.get(place, (level, rate, None))
            found_phases.append(LoadPhase(float(start), float(end), first, by_rate, to, self._shares(place)))
        return found_phases

    def _ramps(self) -> dict[int, tuple[float, bool, float | None]]:
        """For each phase number: its first load, whether that is a rate, and its last load."""
        return {
            number: (float(phase.get("rate_per_s", phase.get("users", 0))), "rate_per_s" in phase, float(phase["to"]))
            for number, phase in enumerate(self._planned())
            if isinstance(phase.get("to"), int | float)
        }

    def _shares(self, place: int) -> tuple[tuple[str, float], ...]:
        """The requests of a phase, if it has its own."""
        planned = self._planned()
        requests = planned[place].get("requests") if place < len(planned) else None
        return (
            tuple((str(name), float(share)) for name, share in requests.items()) if isinstance(requests, dict) else ()
        )

    @cached_property
    def completions_by_name(self) -> dict[str, Floats]:
        """Successful requests of each name in each row of the load; empty where response times were not kept."""
        found: dict[str, Floats] = {}
        starts = self.load["start_s"]
        for interval in self.run.latency.intervals if self.run.latency else ():
            row = int(np.searchsorted(starts, (interval.start_s + interval.end_s) / 2, side="right")) - 1
            if 0 <= row < starts.size:
                found.setdefault(interval.tag, np.zeros(starts.size))[row] += interval.latencies.count
        return found

    def _planned(self) -> list[dict[str, Any]]:
        load = self.run.configuration.get("load")
        phases = load.get("phases") if isinstance(load, dict) else None
        return [phase for phase in phases or () if isinstance(phase, dict)]

    def _planned_starts(self) -> Floats:
        return self._planned_edges()[:-1]

    def _planned_edges(self) -> Floats:
        """When each phase was to begin, and the last to end; empty where the plan does not say."""
        lengths = [phase.get("seconds") for phase in self._planned()]
        if not lengths or not all(isinstance(length, int | float) for length in lengths):
            return np.empty(0)
        return np.cumsum(np.array([0.0, *lengths]))

    def _users_there(self, starts: Floats) -> int:
        """Number of rows that began, by these starts since the whole load's, before the last phase was over.

        Users may only be said to have left where nobody is told of any more; arrivals leave when they are answered.
        """
        edges = self._planned_edges()
        users = np.nan_to_num(self.load["users"])
        later = starts >= edges[-1] if edges.size else np.zeros(starts.size, dtype=np.bool_)
        if not any("rate_per_s" in phase for phase in self._planned()):
            later &= users == 0
        there = np.flatnonzero(~later)
        return int(there[-1]) + 1 if there.size else starts.size


def during_phase(measured: Measurement, phase: LoadPhase, start_s: float) -> tuple[Floats, Floats, Floats]:
    """The rows of a phase from a time on: their starts and lengths in seconds, and completions of its own requests.

    All completions count where the phase has no requests of its own. Times are seconds since the load began.
    """
    starts, ends = measured.load["start_s"] - measured.begin_s, measured.load["end_s"] - measured.begin_s
    middles = (starts + ends) / 2
    inside = (start_s <= middles) & (middles < phase.end_s)
    names = [name for name, _ in phase.shares]
    nothing = np.zeros(starts.size)
    own = (
        sum((measured.completions_by_name.get(name, nothing) for name in names), nothing)
        if names
        else measured.completions
    )
    return starts[inside], (ends - starts)[inside], own[inside]


def measure(runs: Sequence[Run]) -> list[Measurement]:
    """The runs in which the load ran at least for a second, measured."""
    return [Measurement(run, run.load) for run in runs if run.load]


def _cut(phase: Integers) -> tuple[Integers, Integers, Integers]:
    """First row, phase and place within the phase of every block."""
    firsts: list[int] = []
    phases: list[int] = []
    places: list[int] = []
    bounds = [0, *(np.flatnonzero(np.diff(phase)) + 1).tolist(), phase.size]
    for start, end in pairwise(bounds):
        rows = end - start
        number = min(MOST_BLOCKS, max(min(LEAST_BLOCKS, rows), rows // BLOCK_S))
        for place in range(number):
            firsts.append(start + rows * place // number)
            phases.append(int(phase[start]))
            places.append(place)
    return np.array(firsts), np.array(phases), np.array(places)


def _ratio(over: float, under: float) -> float:
    return over / under if under > 0 else float("nan")
