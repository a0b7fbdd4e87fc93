"""Fits the same response times with Poolkeeper and with fitter, in turns, and compares times and likelihoods."""

from __future__ import annotations

import argparse
import logging
import os
import platform
import statistics
import sys
import time
import warnings

import numpy as np
from scipy import stats

from poolkeeper.latency.fits import DISTRIBUTIONS, fit

# Distributions that scipy has too.
SAME = {
    "exponential": "expon",
    "normal": "norm",
    "lognormal": "lognorm",
    "inverse-gaussian": "invgauss",
    "gamma": "gamma",
    "weibull": "weibull_min",
    "log-logistic": "fisk",
    "lomax": "lomax",
    "generalised-pareto": "genpareto",
    "burr": "burr12",
}
TARGET = 10
HEAVY = 0.02


def response_times(size: int, seed: int = 1) -> np.ndarray:
    """98 % lognormal(3, 0.6), 2 % Pareto(1.5), in milliseconds."""
    random = np.random.default_rng(seed)
    values = random.lognormal(3, 0.6, size)
    tail = random.random(size) < HEAVY
    values[tail] = random.pareto(1.5, int(tail.sum())) + 1
    return values


def fitter(values: np.ndarray, names: list[str]) -> dict[str, tuple[float, ...] | None]:
    """Fits with fitter's defaults: free locations, 30 s for each, a worker for each processor."""
    try:
        from fitter import Fitter
    except ImportError:
        sys.exit("poolkeeper: fitter is missing; pip install 'lab[bench]' brings it")
    logging.disable(logging.CRITICAL)
    found = Fitter(values, distributions=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.fit(max_workers=len(os.sched_getaffinity(0)))
    return {name: found.fitted_param.get(name) for name in names}


def likelihoods(size: int) -> None:
    """Print differences of log-likelihoods to scipy with location 0, and to fitter with a free one."""
    values = response_times(size)
    ranking = fit(values, SAME, replicates=0)
    free = fitter(values, list(SAME.values()))
    print(f"log-likelihood of {size:,} values, less that of scipy with location 0, and of fitter with a free location")
    for name, other in SAME.items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            family = getattr(stats, other)
            theirs = family.fit(values, **({} if name == "normal" else {"floc": 0}))
            mine = ranking[name].distribution.log_likelihood_
            to_scipy = mine - family.logpdf(values, *theirs).sum()
            to_fitter = mine - family.logpdf(values, *free[other]).sum() if free[other] else float("nan")
        print(f"  {name:20s} {to_scipy:+14.4f} {to_fitter:+14.4f}")


def main() -> None:
    """Measure, in turns, and print ratios with their range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--likelihood", type=int, default=100_000, help="values for the comparison of likelihoods")
    parser.add_argument("--common", action="store_true", help="fitter's ten common distributions in place of the same")
    options = parser.parse_args()
    from fitter import get_common_distributions

    names = get_common_distributions() if options.common else list(SAME.values())
    processors = len(os.sched_getaffinity(0))
    print(f"command: fits {' '.join(sys.argv[1:])}; {platform.machine()}, {processors} processors")
    if options.likelihood:
        likelihoods(options.likelihood)
    values = response_times(options.size)
    fit(values[:1000])
    ratios = []
    for turn in range(options.rounds):
        start = time.perf_counter()
        fit(values)
        ours = time.perf_counter() - start
        start = time.perf_counter()
        found = fitter(values, names)
        theirs = time.perf_counter() - start
        failed = [name for name, parameters in found.items() if parameters is None]
        ratios.append(theirs / ours)
        missing = f", without {', '.join(failed)}" if failed else ""
        print(
            f"round {turn + 1}: {len(DISTRIBUTIONS)} distributions with tests {ours:.2f} s;"
            f" fitter, {len(names)}{missing}, {theirs:.1f} s: {theirs / ours:.1f} times",
            flush=True,
        )
    middle = statistics.median(ratios)
    print(f"ratio {middle:.1f} ({min(ratios):.1f} to {max(ratios):.1f}), target {TARGET}")


if __name__ == "__main__":
    main()
