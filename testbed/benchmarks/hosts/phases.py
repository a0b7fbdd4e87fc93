"""Figures of a load whose work changes, out of the samples of the load generator."""

import csv
import math
import statistics
from typing import NamedTuple

BIN_S = 0.5
NEAR = 0.95
STEADY_BINS = 4


class Figures(NamedTuple):
    """Figures of one phase: successful answers a second by half second, the 99th percentile, errors, and threads."""

    rates: list[float]
    p99_ms: float
    errors: int
    threads: float

    @property
    def rate(self):
        """Answers a second over the phase."""
        return statistics.fmean(self.rates)

    @property
    def steady(self):
        """Answers a second in the second half."""
        return statistics.fmean(self.rates[len(self.rates) // 2 :])

    @property
    def tells_time(self):
        """Whether the phase is long enough to tell when a level was reached."""
        return len(self.rates) >= 2 * STEADY_BINS

    def seconds_to(self, level):
        """Time from which two seconds on average come to 95 % of a level; None if that is never."""
        for place in range(len(self.rates) - STEADY_BINS + 1):
            if statistics.fmean(self.rates[place : place + STEADY_BINS]) >= NEAR * level:
                return place * BIN_S
        return None


def p99(values):
    """Nearest rank; not a number without values."""
    ordered = sorted(values)
    return ordered[math.ceil(0.99 * len(ordered)) - 1] if ordered else math.nan


def figures(samples, begin_ms, phase_s, works, threads):
    """Figures of the phases after a lead-in that ends at `begin_ms`.

    Answers count when they come, response times and errors by when the request was sent. `threads` are samples: milliseconds and a number."""
    bins = round(phase_s / BIN_S)
    counts = [[0] * bins for _ in works]
    times = [[] for _ in works]
    errors = [0] * len(works)
    with samples.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sent, elapsed = int(row["timeStamp"]), int(row["elapsed"])
            phase = int((sent - begin_ms) // (1000 * phase_s))
            if row["success"] == "true":
                place = int((sent + elapsed - begin_ms) // (1000 * BIN_S))
                if 0 <= place < bins * len(works):
                    counts[place // bins][place % bins] += 1
                if 0 <= phase < len(works):
                    times[phase].append(elapsed)
            elif 0 <= phase < len(works):
                errors[phase] += 1
    found = []
    for i in range(len(works)):
        edges = begin_ms + 1000 * phase_s * i, begin_ms + 1000 * phase_s * (i + 1)
        running = [number for at, number in threads if edges[0] <= at < edges[1]]
        rates = [count / BIN_S for count in counts[i]]
        found.append(Figures(rates, p99(times[i]), errors[i], statistics.fmean(running) if running else math.nan))
    return found
