"""Counts in a span of a run, and the number of requests that ended in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.report.measuring.monitor_samples import nearest, of_kind

if TYPE_CHECKING:
    from poolkeeper.record import Run, Table
    from poolkeeper.report.measuring.measurement import Measurement

_AT_WORK = ("server", "load")
"""Processes without whose counters a sample tells nothing of a request."""


@dataclass(frozen=True)
class Span:
    """From one sample of the counters to another, in seconds since the run began.

    Samples come by another clock than the rows of load.csv, and throughput changes while a load runs: what counters
    gained between two samples is divided by the requests that ended between these, and by no others.
    """

    run: Run
    start_s: float
    end_s: float

    @staticmethod
    def of(measured: Measurement) -> Span:
        """The span of counters nearest to the load: of monitor.csv, or else of windows.csv, or else the load itself."""
        run, begin_s, end_s = measured.run, measured.begin_s, measured.begin_s + measured.seconds
        if run.monitor and (found := nearest(_samples(run.monitor), begin_s, end_s)) is not None:
            return Span(run, *found)
        windows = measured.windows_with_cpu
        if windows is not None:
            return Span(run, float(windows["start_s"][0]), float(windows["end_s"][-1]))
        return Span(run, begin_s, end_s)

    @cached_property
    def requests(self) -> float:
        """Requests that ended in the span, evenly within each row of load.csv.

        A warm-up is the beginning of the same stream: what lies before the first row has the throughput of this row.
        """
        return self.of_load("requests") + self._before()

    def of_load(self, column: str) -> float:
        """Sum of a column of load.csv in that part of the span in which the load ran."""
        load = self.run.load
        if not load:
            return 0.0
        starts, ends = load["start_s"], load["end_s"]
        overlap = np.maximum(0.0, np.minimum(ends, self.end_s) - np.maximum(starts, self.start_s))
        return float(np.nansum(load[column] * overlap / (ends - starts)))

    def gained(self, process: str, column: str) -> float:
        """By how much a column of monitor.csv rose, summed over all processes of that kind; NaN if in none of them.

        One that ended early rose no more from then on.
        """
        monitor = self.run.monitor
        if monitor is None:
            return math.nan
        names = np.asarray(monitor.labels["process"], dtype=object)
        inside = (monitor["at_s"] >= self.start_s) & (monitor["at_s"] <= self.end_s) & ~np.isnan(monitor[column])
        kinds = [name for name in dict.fromkeys(names.tolist()) if of_kind(name, process)]
        values = [monitor[column][inside & (names == name)] for name in kinds]
        rises = [float(each[-1] - each[0]) for each in values if each.size > 1]
        return sum(rises) if rises else math.nan

    def per_request(self, amount: float) -> float:
        """An amount of the span for each of its requests; NaN without requests."""
        return amount / self.requests if self.requests else math.nan

    def _before(self) -> float:
        load = self.run.load
        if not load or self.run.warm_up is None:
            return 0.0
        rate = float(load["requests"][0] / (load["end_s"][0] - load["start_s"][0]))
        return rate * max(0.0, float(load["start_s"][0]) - self.start_s)


def _samples(monitor: Table) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """When the processes that work on requests were looked at, as far as any of them ever was."""
    times = np.unique(monitor["at_s"])
    for process in _AT_WORK:
        ours = np.array([of_kind(name, process) for name in monitor.labels["process"]], dtype=np.bool_)
        if ours.any():
            times = np.intersect1d(times, monitor["at_s"][ours])
    return times
