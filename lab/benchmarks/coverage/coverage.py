"""Counts how often the 95 % intervals of poolkeeper.latency hold the truth, on streams whose truth is known.

Every kind of stream is drawn many times, with as many values as make some intervals just possible and with more. What
is refused is counted apart: coverage is that of the intervals that were offered. Runs are compared with a second run of
the same stream, so that every difference that is seen is a false alarm.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from streams import EXPONENTIAL, Stream, lognormal, slow_bursts, waiting

from poolkeeper.latency import Throughput, apdex, compare, summarize
from poolkeeper.latency.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkeeper.latency import Estimate
    from poolkeeper.latency.comparison.difference import Difference

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
CASES = (
    (EXPONENTIAL, (100, 500, 5_000)),
    (lognormal(0), (100, 500, 5_000)),
    (lognormal(0.5), (500, 2_000, 10_000)),
    (lognormal(0.9), (4_000, 16_000, 80_000)),
    (slow_bursts(20, 0.1, 3), (2_000, 10_000)),
    (slow_bursts(100, 0.1, 3), (10_000, 50_000)),
    (waiting(0.6), (4_000, 16_000, 64_000)),
    (waiting(0.7), (8_000, 32_000, 128_000)),
    (waiting(0.8), (16_000, 64_000, 250_000)),
)
STRETCH = 200
"""Values of a digest."""
COMPARED = 10_000
"""Values of a run up to which two are compared: larger ones show nothing else, and slower."""
FEWEST = 100
"""Intervals offered from which their coverage is shown."""
LOWEST, HIGHEST = 0.93, 0.97
FALSE_ALARMS = 0.05
FAMILY = "any percentile seen to differ"


@dataclass(frozen=True)
class Found:
    """One interval: whether it was offered, and whether it lay below or above the truth."""

    figure: str
    offered: bool
    below: bool
    above: bool


def judged(figure: str, estimate: Estimate | Difference, truth: float) -> Found:
    """Whether an interval holds the truth."""
    return Found(figure, estimate.has_interval, estimate.high < truth, estimate.low > truth)


def one_run(stream: Stream, values: np.ndarray) -> Iterator[Found]:
    """Every interval of one run, from its values and from digests."""
    summary = summarize(values, percentiles=PERCENTILES)
    for p, percentile in summary.percentiles.items():
        yield judged(f"p{p:g}", percentile, stream.quantile(p / 100))
    yield judged("mean", summary.mean, stream.mean)
    target = stream.mean
    yield judged("apdex", apdex(values, target).score, (stream.below(target) + stream.below(4 * target)) / 2)
    if values.size >= 30 * STRETCH:
        digests = [Digest.of(part, tail=0) for part in np.array_split(values, values.size // STRETCH)]
        counted = summarize(digests, percentiles=(50, 99))
        for p, percentile in counted.percentiles.items():
            yield judged(f"p{p:g} of digests", percentile, stream.quantile(p / 100))
        yield judged("mean of digests", counted.mean, stream.mean)


def two_runs(first: np.ndarray, second: np.ndarray) -> Iterator[Found]:
    """Every interval of the difference of two equal runs."""
    found = compare(first, second, percentiles=PERCENTILES)
    for p, percentile in found.percentiles.items():
        yield judged(f"difference of p{p:g}", percentile, 0.0)
    yield judged("ratio of p99", found.percentiles[99].ratio, 1.0)
    yield judged("difference of means", found.mean, 0.0)
    yield judged("superiority", found.superiority, 0.5)
    yield judged("shift", found.shift, 0.0)
    judged_any = any(entry.judged for entry in found.percentiles.values())
    yield Found(FAMILY, judged_any, below=False, above=bool(found.seen))


def rates(random: np.random.Generator, seconds: int) -> Iterator[Found]:
    """Completions of a stream whose rate drifts, and errors that come in bursts."""
    level = lognormal(0.6).draw(random, seconds) ** 0.2
    completions = random.poisson(200 * level)
    chance = np.where(lognormal(0.7).draw(random, seconds) > 1, 0.03, 0.01)
    errors = random.binomial(completions, chance)
    mean = 200 * math.exp(0.2**2 / 2)
    found = Throughput.of(completions, errors=errors)
    yield judged("throughput", found.throughput, 0.98 * mean)
    yield judged("error share", found.error_share, 0.02)


def repeated(task: tuple[int, int, int, int, int]) -> list[Found]:
    """One task: the repetitions of one case from one seed."""
    case, size, study, seed, repetitions = task
    found: list[Found] = []
    for repetition in range(repetitions):
        random = np.random.default_rng([case + 1, size, seed, repetition, study])
        if case < 0:
            found.extend(rates(random, size))
            continue
        stream = CASES[case][0]
        values = stream.draw(random, size)
        found.extend(one_run(stream, values))
        if size <= COMPARED:
            found.extend(two_runs(values, stream.draw(random, size)))
    return found


def name_of(case: int) -> str:
    """Name of a case."""
    return CASES[case][0].name if case >= 0 else "counts a second"


def line(figure: str, every: list[Found]) -> tuple[str, bool]:
    """Line about one figure of one case, and whether it is outside what it should be by more than chance."""
    offered = [entry for entry in every if entry.offered]
    message = f"  {figure:28} offered {len(offered) / len(every):4.0%}"
    if len(offered) < FEWEST:
        return message, False
    low, high = (sum(getattr(entry, side) for entry in offered) / len(offered) for side in ("below", "above"))
    held = 1 - low - high
    error = 1.96 * math.sqrt(held * (1 - held) / len(offered))
    if figure == FAMILY:
        wrong = high - error > FALSE_ALARMS
        message += f"  false alarms {high:.1%} ± {error:.1%}"
    else:
        wrong = held + error < LOWEST or held - error > HIGHEST
        message += f"  held {held:.1%} ± {error:.1%} (too low {low:.1%}, too high {high:.1%})"
    return message + ("  outside" if wrong else ""), wrong


def main() -> None:
    """Run the study and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400, help="draws of every case")
    parser.add_argument("--only", default="", help="streams whose name holds this word")
    parser.add_argument("--seed", type=int, default=0, help="another study with other draws")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    began = time.monotonic()
    share = max(1, options.repetitions // 20)
    cases = [(case, size) for case, (_, sizes) in enumerate(CASES) for size in sizes] + [(-1, 300), (-1, 3_600)]
    cases = [(case, size) for case, size in cases if options.only in name_of(case)]
    machine, draws = platform.processor() or platform.machine(), f"{options.repetitions} draws of every case"
    print(f"{machine}, {draws}, seed {options.seed}, 95 % intervals")
    outside = shown = 0
    with Pool(options.processes) as pool:
        for case, size in cases:
            tasks = [(case, size, options.seed, seed, share) for seed in range(-(-options.repetitions // share))]
            by_figure: dict[str, list[Found]] = defaultdict(list)
            for part in pool.imap_unordered(repeated, tasks):
                for entry in part:
                    by_figure[entry.figure].append(entry)
            print(f"\n{name_of(case)}, {size:,} values")
            for figure, every in by_figure.items():
                message, wrong = line(figure, every)
                print(message, flush=True)
                shown += "±" in message
                outside += wrong
    bounds = f"{LOWEST:.0%} to {HIGHEST:.0%}"
    print(f"\n{outside} of {shown} outside {bounds} by more than chance, {time.monotonic() - began:,.0f} s")


if __name__ == "__main__":
    main()
