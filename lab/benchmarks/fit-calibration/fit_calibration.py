"""Draws samples with known parameters, fits them, and counts how often intervals hold them and p values are small."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from poolkeeper.latency.fits import DISTRIBUTIONS
from poolkeeper.latency.fits.bootstrap import Draws, p_values
from poolkeeper.latency.fits.data import observe

TRUTHS = [
    ("exponential", {"scale": 20}),
    ("shifted-exponential", {"location": 5, "scale": 20}),
    ("normal", {"location": 100, "scale": 20}),
    ("lognormal", {"shape": 0.6, "scale": 20}),
    ("inverse-gaussian", {"shape": 2, "scale": 20}),
    ("gamma", {"shape": 2, "scale": 10}),
    ("weibull", {"shape": 1.5, "scale": 20}),
    ("weibull", {"shape": 0.6, "scale": 20}),
    ("shifted-lognormal", {"location": 5, "shape": 0.6, "scale": 20}),
    ("shifted-lognormal", {"location": 15, "shape": 1, "scale": 10}),
    ("shifted-gamma", {"location": 5, "shape": 3, "scale": 10}),
    ("shifted-weibull", {"location": 5, "shape": 2.5, "scale": 20}),
    ("log-logistic", {"shape": 3, "scale": 20}),
    ("pareto", {"shape": 1.5, "scale": 5}),
    ("lomax", {"shape": 2, "scale": 20}),
    ("generalised-pareto", {"shape": 0.3, "scale": 20}),
    ("generalised-pareto", {"shape": -0.2, "scale": 20}),
    ("burr", {"shape": 2.5, "power": 1.2, "scale": 20}),
    ("hyperexponential", {"share": 0.8, "fast": 5, "slow": 50}),
]
LEVEL = 0.05


def study(task: tuple[str, dict[str, float], int, int, float]) -> str:
    """A line of the result: coverage of each parameter, and shares of p values up to 0.05 and 0.5."""
    name, truth, size, samples, step = task
    random = np.random.default_rng(7)
    made = DISTRIBUTIONS[name].of(**truth)
    held = dict.fromkeys(truth, 0)
    chances = []
    for _ in range(samples):
        values = made.rvs(size, random)
        data = observe(np.round(values / step) * step if step else values, negative=True)
        fitted = DISTRIBUTIONS[name]().learn(data)
        for parameter, (low, high) in fitted.intervals().items():
            held[parameter] += low <= truth[parameter] <= high
        tested = p_values(fitted.family, fitted.maximum, data, Draws.make(size, 99, random), random)
        square = tested.chi_square.p if tested.chi_square else float("nan")
        chances.append((tested.kolmogorov_smirnov, tested.anderson_darling, square))
    p = np.array(chances)
    coverage = ", ".join(f"{parameter} {count / samples * 100:.1f} %" for parameter, count in held.items())
    small, half = ((p <= level).mean(axis=0) * 100 for level in (LEVEL, 0.5))
    shares = ", ".join(
        f"{test} {a:.1f} and {b:.1f} %" for test, a, b in zip(("KS", "AD", "chi-square"), small, half, strict=True)
    )
    parameters = ", ".join(f"{parameter} {value:g}" for parameter, value in truth.items())
    return f"{name} ({parameters}): covered {coverage}; p up to 0.05 and 0.5: {shares}"


def main() -> None:
    """Study all distributions and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--step", type=float, default=0, help="round the values to multiples of it")
    parser.add_argument("--only", help="one distribution, or the first word of several")
    options = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    error = (LEVEL * (1 - LEVEL) / options.samples) ** 0.5 * 100
    print(f"command: fit-calibration {' '.join(sys.argv[1:])}; {platform.machine()}, {processors} processors")
    print(
        f"{options.samples} samples of {options.size} values each; a share of 5 % has a standard error of {error:.1f} %"
    )
    tasks = [
        (name, truth, options.size, options.samples, options.step)
        for name, truth in TRUTHS
        if options.only in (None, name, name.partition("-")[0])
    ]
    with ProcessPoolExecutor(processors) as pool:
        for line in pool.map(study, tasks):
            print(line, flush=True)


if __name__ == "__main__":
    main()
