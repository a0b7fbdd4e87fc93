"""Times the analysis of tails by `poolkeeper.latency.tails` and the package powerlaw, on the same samples in turn."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np
import powerlaw

from poolkeeper.latency import tails

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from poolkeeper.arrays import Floats


def mixture(random: Generator, n: int) -> Floats:
    """A lognormal body with a power law of index 1.5 above it in two percent of the values."""
    heavy = n // 50
    return np.concatenate([random.lognormal(3, 0.6, n - heavy), 60 * (1 + random.pareto(1.5, heavy))])


LAWS: dict[str, Callable[[Generator, int], Floats]] = {
    "pareto": lambda random, n: 1 + random.pareto(1.5, n),
    "mixture": mixture,
    "mixture-ms": lambda random, n: np.round(mixture(random, n)) + 1,
    "mixture-2-digits": lambda random, n: np.array([float(f"{value:.1e}") for value in mixture(random, n)]),
    "lognormal": lambda random, n: random.lognormal(3, 1, n),
}


def ours(values: Floats) -> tuple[float, float]:
    """The power law, three tails and two distributions beside it, Hill plot, regression, mass-count disparity."""
    tail = tails.UpperTail.of(values)
    law = tails.power_law(tail)
    tails.compare(law)
    tails.hill(tail)
    tails.regression(tail)
    tails.mass_count(values)
    return law.xmin, law.alpha


def theirs(values: Floats) -> tuple[float, float]:
    """The power law, and three tails beside it. Left alone powerlaw 2 admits no alpha above 3, so it is told to."""
    fit = powerlaw.Fit(values, verbose=0, parameter_ranges={"alpha": [1, np.inf]})
    for other in ("lognormal", "exponential", "stretched_exponential"):
        fit.distribution_compare("power_law", other)
    return float(fit.xmin), float(fit.alpha)


def timed(analysis: Callable[[Floats], tuple[float, float]], values: Floats) -> tuple[float, tuple[float, float]]:
    """Seconds, and what was found."""
    start = time.perf_counter()
    found = analysis(values)
    return time.perf_counter() - start, found


def main() -> int:
    """Print one line for each law, and whether both found the same; the exit code says so too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000, help="values in a sample (default 20000)")
    parser.add_argument("--rounds", type=int, default=3, help="samples of each law (default 3)")
    parser.add_argument("--laws", default=",".join(LAWS), help="of " + ", ".join(LAWS))
    parser.add_argument("--found", action="store_true", help="print the xmin and alpha that powerlaw finds")
    given = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} processors, "
          f"{given.size:,} values, {given.rounds} rounds, powerlaw {powerlaw.__version__}")  # fmt: skip
    ours(LAWS["pareto"](np.random.default_rng(0), 2000))  # what is imported on first use
    same = True
    for name in given.laws.split(","):
        ratios, own, other, off = [], [], [], 0.0
        for seed in range(given.rounds):
            values = LAWS[name](np.random.default_rng(seed), given.size)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of powerlaw's own, about what it does to the data
                first, found = timed(ours, values)
                second, expected = timed(theirs, values)
            if given.found:
                print(f"{name}, sample {seed}: powerlaw finds xmin {expected[0]!r}, alpha {expected[1]!r}")
            ratios.append(second / first)
            own.append(first)
            other.append(second)
            off = max(off, *(abs(a / b - 1) for a, b in zip(found, expected, strict=True)))
        same &= off <= 0.01  # noqa: PLR2004 - the target
        print(f"{name:18} ratio {statistics.median(ratios):8,.0f} ({min(ratios):,.0f} to {max(ratios):,.0f}); "
              f"{statistics.median(own):.3f} s, powerlaw {statistics.median(other):.1f} s; "
              f"xmin and alpha {100 * off:.2g} % apart", flush=True)  # fmt: skip
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
