"""Whole tests whose load, response times and failures hold still, or change in a known way, drawn from seeds."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.signal import lfilter

from poolkeeper.commands.load import RequestSelection, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Booleans, Floats
    from poolkeeper.commands.steps.load_steps import LoadSteps

    Kind = Callable[["Draw"], None]

START_MS = 1_700_000_000_000
MEDIAN_MS = 40.0
NEAR = 0.04
"""Share of the test by which the place of a step may be off."""


@dataclass
class Draw:
    """One test in the making: requests in the order in which they are sent."""

    random: np.random.Generator
    seconds: int
    sent_s: Floats
    times_ms: Floats
    ok: Booleans
    users: int | None = None
    changes_until_s: float = 0.0
    """The end of a warm-up, up to which a change is no false alarm."""

    @classmethod
    def steady(cls, random: np.random.Generator) -> Draw:
        """Poisson arrivals at a rate of 10 to 100 a second for 2 to 15 minutes; lognormal response times."""
        seconds, most = (int(value) for value in random.choice([(120, 3), (300, 3), (900, 2)]))
        rate = float(random.choice([10, 30, 100][:most]))
        sent = np.sort(random.uniform(0, seconds, random.poisson(seconds * rate)))
        times = MEDIAN_MS * random.lognormal(0, random.choice([0.2, 0.5, 1.0]), sent.size)
        return cls(random, seconds, sent, times, np.ones(sent.size, np.bool_))

    @property
    def at(self) -> np.ndarray:
        """Second in which each request is sent."""
        return self.sent_s.astype(np.int64)

    @property
    def late(self) -> Booleans:
        """Whether a request is sent in the second half."""
        return self.sent_s >= self.seconds / 2

    def thin(self, kept: Floats | float) -> None:
        """Sends each request with some probability only."""
        self.keep(self.random.random(self.sent_s.size) < kept)

    def keep(self, kept: Booleans) -> None:
        """Sends some requests only."""
        self.sent_s, self.times_ms, self.ok = self.sent_s[kept], self.times_ms[kept], self.ok[kept]

    def fail(self, share: Floats | float) -> None:
        """Lets requests fail with some probability."""
        self.ok &= self.random.random(self.sent_s.size) >= share

    def write(self, file: Path) -> None:
        """Writes a JTL."""
        columns = {
            "timeStamp": START_MS + np.rint(1000 * self.sent_s).astype(np.int64),
            "elapsed": np.maximum(1, np.rint(self.times_ms)).astype(np.int64),
            "label": np.full(self.sent_s.size, "home"),
            "responseCode": np.where(self.ok, "200", "503"),
            "success": np.where(self.ok, "true", "false"),
        }
        if self.users is not None:
            columns["allThreads"] = np.full(self.sent_s.size, self.users)
        pl.DataFrame(columns).write_csv(file)


def dependent(random: np.random.Generator, size: int, correlation: float) -> Floats:
    """Normal noise of variance 1 whose neighbours depend on each other."""
    start = int(10 / (1 - correlation))
    noise: Floats = lfilter([1.0], [1.0, -correlation], random.standard_normal(size + start))[start:]
    noise *= np.sqrt(1 - correlation**2)
    return noise


def bursts(random: np.random.Generator, seconds: int, length: float, share: float) -> Booleans:
    """Whether each second lies in one of two bursts or more: both they and what is between them last exponentially.

    A single one is an outage, which is told.
    """
    many = 4 + 4 * int(seconds / length)
    while True:
        lasts = random.exponential([length * (1 - share) / share, length], (many, 2)).ravel()
        edges = np.cumsum(lasts)[np.cumsum(lasts) < seconds].astype(np.int64)
        held: Booleans = np.searchsorted(edges, np.arange(seconds + 1), side="right") % 2 == 1
        if np.count_nonzero(np.diff(held.astype(np.int8)) > 0) > 1:
            return held


def bursts_of_failures(length: float, share: float, failing: float) -> Kind:
    """Failures in bursts of some seconds."""

    def change(draw: Draw) -> None:
        draw.fail(np.where(bursts(draw.random, draw.seconds, length, share)[draw.at], failing, 0.002))

    return change


def regular_bursts(draw: Draw) -> None:
    """Failures in three of twelve seconds."""
    draw.fail(np.where(np.isin(draw.at % 12, [3, 4, 5]), 1.0, 0.0))


def failing(share: float) -> Kind:
    """Failures that are independent of each other."""
    return lambda draw: draw.fail(share)


def by_request(correlation: float) -> Kind:
    """Response times each of which depends on the one before it."""

    def change(draw: Draw) -> None:
        draw.times_ms = MEDIAN_MS * np.exp(0.5 * dependent(draw.random, draw.sent_s.size, correlation))

    return change


def by_second(correlation: float) -> Kind:
    """Response times whose level drifts from second to second."""

    def change(draw: Draw) -> None:
        draw.times_ms *= np.exp(0.1 * dependent(draw.random, draw.seconds + 1, correlation))[draw.at]

    return change


def queue(load: float) -> Kind:
    """Response times of a server with one thread."""

    def change(draw: Draw) -> None:
        service = draw.random.exponential(load * draw.seconds / draw.sent_s.size, draw.sent_s.size)
        ends = np.cumsum(service)
        ends += np.maximum.accumulate(draw.sent_s - (ends - service))
        draw.times_ms = 1000 * (ends - draw.sent_s)

    return change


def pauses(draw: Draw) -> None:
    """Garbage collections of a tenth of a second to two seconds, in which nothing is answered."""
    begins = np.sort(draw.random.uniform(0, draw.seconds, max(1, draw.seconds // 30)))
    ends = begins + draw.random.uniform(0.1, 2, begins.size)
    for begin, end in zip(begins, ends, strict=True):
        held = (draw.sent_s >= begin) & (draw.sent_s < end)
        draw.times_ms[held] += 1000 * (end - draw.sent_s[held])


def spikes(draw: Draw) -> None:
    """Single seconds in which everything takes five times as long."""
    slow = draw.random.poisson(0.02, draw.seconds + 1) > 0
    draw.times_ms *= np.where(slow, 5.0, 1.0)[draw.at]


def heavy_tail(draw: Draw) -> None:
    """A Pareto law."""
    draw.times_ms = 20 * (1 + draw.random.pareto(1.3, draw.sent_s.size))


def batches(draw: Draw) -> None:
    """Requests in batches of ten on average."""
    many = draw.sent_s.size // 10
    sizes = draw.random.geometric(0.1, many)
    draw.sent_s = np.sort(np.repeat(draw.random.uniform(0, draw.seconds, many), sizes))
    draw.times_ms = MEDIAN_MS * draw.random.lognormal(0, 0.5, draw.sent_s.size)
    draw.ok = np.ones(draw.sent_s.size, np.bool_)


def drifting_rate(draw: Draw) -> None:
    """A rate that drifts from second to second."""
    level = np.exp(0.2 * dependent(draw.random, draw.seconds + 1, 0.5))[draw.at]
    draw.thin(level / level.max())


def closed(draw: Draw) -> None:
    """A fixed number of users, of whom each waits for the answer and thinks for a second."""
    draw.users = 30
    sent, times = [], []
    for _ in range(draw.users):
        took = MEDIAN_MS * draw.random.lognormal(0, 0.5, 2 * draw.seconds)
        starts = np.concatenate([[0.0], np.cumsum(took / 1000 + draw.random.exponential(1, took.size))[:-1]])
        held = starts < draw.seconds
        sent.append(starts[held])
        times.append(took[held])
    order = np.argsort(np.concatenate(sent))
    draw.sent_s, draw.times_ms = np.concatenate(sent)[order], np.concatenate(times)[order]
    draw.ok = np.ones(order.size, np.bool_)


def warm_up(draw: Draw) -> None:
    """Response times that fall from four times the level to it, within some ten seconds."""
    draw.times_ms *= 1 + 3 * np.exp(-draw.sent_s / 5)
    draw.changes_until_s = 30.0


def cold_failures(draw: Draw) -> None:
    """A third of the requests of the first ten seconds fails, and hardly any after that."""
    cold_s = 10.0
    draw.fail(np.where(draw.sent_s < cold_s, 0.3, 0.001))
    draw.changes_until_s = 1.5 * cold_s


def step_of_rate(by: float) -> Kind:
    """More requests in the second half."""
    return lambda draw: draw.thin(np.where(draw.late, 1.0, 1 / (1 + by)))


def step_of_times(by: float) -> Kind:
    """Slower responses in the second half."""

    def change(draw: Draw) -> None:
        draw.times_ms = np.where(draw.late, 1 + by, 1.0) * draw.times_ms

    return change


def step_of_failures(before: float, after: float) -> Kind:
    """More failures in the second half."""
    return lambda draw: draw.fail(np.where(draw.late, after, before))


STILL: dict[str, Kind] = {
    "steady": lambda _: None,
    "closed, 30 users": closed,
    "batches of requests": batches,
    "rate, AR(1) 0.5 by second": drifting_rate,
    "1 % fail": failing(0.01),
    "30 % fail": failing(0.3),
    "all fail in 3 of 12 s": regular_bursts,
    **{
        f"bursts: {length} s, {share:.0%}, {part:.0%} fail": bursts_of_failures(length, share, part)
        for length, share, part in [(2, 0.05, 1), (2, 0.2, 0.5), (5, 0.1, 1), (5, 0.1, 0.3), (5, 0.3, 0.5)]
    },
    "times, AR(1) 0.5 by request": by_request(0.5),
    "times, AR(1) 0.9 by request": by_request(0.9),
    "times, AR(1) 0.99 by request": by_request(0.99),
    "times, AR(1) 0.5 by second": by_second(0.5),
    "times, AR(1) 0.9 by second": by_second(0.9),
    "queue, load 0.7": queue(0.7),
    "queue, load 0.9": queue(0.9),
    "pauses": pauses,
    "spikes of a second": spikes,
    "Pareto 1.3": heavy_tail,
    "slow warm-up": warm_up,
    "failures at the start": cold_failures,
}
CHANGED: dict[str, tuple[str, Kind]] = {
    **{f"rate +{by:.0%}": ("rate", step_of_rate(by)) for by in (0.1, 0.2, 0.5, 1.0)},
    **{f"times +{by:.0%}": ("times", step_of_times(by)) for by in (0.1, 0.2, 0.5, 1.0)},
    **{
        f"failures {before:.0%} to {after:.0%}": ("failures", step_of_failures(before, after))
        for before, after in [(0, 0.02), (0, 0.1), (0, 1), (0.05, 0.1), (0.1, 0.5)]
    },
}


@dataclass(frozen=True)
class Answer:
    """The changes that are told of one test."""

    alarm: str
    """The cause of a false one, or empty."""
    found: bool
    """Whether the real one is told where it is."""


def judged(draw: Draw, found: LoadSteps | None, cause: str) -> Answer:
    """Judges what is told of a test that changes in its middle, or does not."""
    if found is None:
        return Answer("", found=False)
    places = [level.start_s for level in found.levels[1:]] or [0.0]
    near = [abs(place - draw.seconds / 2) <= NEAR * draw.seconds for place in places]
    wrong = [
        place
        for place, close in zip(places, near, strict=True)
        if place > draw.changes_until_s and not (cause and close)
    ]
    if found.wave is not None or (not cause and not draw.changes_until_s):
        wrong = places
    right = bool(cause) and found.cause == cause and any(near)
    return Answer(found.cause if wrong or (cause and found.cause != cause) else "", found=right)


def answered(task: tuple[str, int, int]) -> tuple[str, Answer]:
    """One test of some name from one seed."""
    name, study, number = task
    random = np.random.default_rng([study, number, *name.encode()])
    draw = Draw.steady(random)
    cause, kind = CHANGED.get(name, ("", STILL.get(name, closed)))
    kind(draw)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "test.jtl"
        draw.write(file)
        found = load(RequestSelection.of([file])).steps
    return name, judged(draw, found, cause)
