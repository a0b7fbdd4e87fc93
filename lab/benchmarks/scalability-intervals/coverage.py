"""Coverage of the 95 % intervals of a scalability law's peak, with errors that are constant or grow with the load."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.scalability import Law, _views
from poolkeeper.scalability._estimate import Fits, Form, fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats

LAW = Law(100.0, 0.03, 5e-4)
FORM = Form("USL", alpha=True, beta=True)
ERRORS: dict[str, Callable[[Floats], Floats]] = {
    "constant": lambda truth: np.full_like(truth, 0.02 * truth.max()),
    "square root": lambda truth: 0.02 * np.sqrt(truth * truth.max()),
    "proportional": lambda truth: 0.03 * truth,
    "square": lambda truth: 0.03 * truth**2 / truth.max(),
    "with the level": lambda truth: np.linspace(0.005, 0.045, truth.size) * truth.max(),
}
"""Standard deviations of the errors at levels with such throughputs."""
REACHES = {"beyond the peak": 2.0, "below the peak": 0.6}
"""The highest level, in times the peak."""
PEAKS = ((_views.PEAK_CONCURRENCY, 1 / LAW.peak_concurrency), (_views.PEAK_THROUGHPUT, LAW.peak_throughput))


def coverage(task: tuple[str, str, int, int, int]) -> tuple[str, str, int, list[float]]:
    """Shares of samples whose interval holds the peak's place and height, then those with errors taken as constant."""
    errors, reach, number, samples, seed = task
    levels = np.unique(np.round(np.geomspace(1, REACHES[reach] * LAW.peak_concurrency, number)))
    truth = LAW.throughput(levels)
    random = np.random.default_rng([seed, number, *errors.encode(), *reach.encode()])
    data = np.maximum(truth + random.normal(0, ERRORS[errors](truth), (samples, levels.size)), 1e-3)
    fits = fit(FORM, levels, data)
    ways: tuple[Callable[..., tuple[Floats, Floats]], ...] = (Fits.interval, Fits.profile)
    held = []
    for way in ways:
        for view, value in PEAKS:
            low, high = way(fits, view, 0.95)
            held.append(float(np.mean((low <= value) & (value <= high))))
    return errors, reach, levels.size, held


def main() -> None:
    """Print a table: errors, reach and number of levels down, intervals across."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400, help="of each kind (default 400)")
    parser.add_argument("--levels", default="6,8,12", help="numbers of levels; equal ones after rounding are one")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tasks = [
        (errors, reach, int(number), given.samples, given.seed)
        for errors in ERRORS
        for reach in REACHES
        for number in given.levels.split(",")
    ]
    print(f"{'':49}{'intervals':>18}{'constant errors':>20}")
    print(f"{'errors grow':17}{'levels':18}{'number':>8}{'place':>15}{'height':>9}{'place':>11}{'height':>9}")
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for errors, reach, number, held in pool.map(coverage, tasks):
            shares = [f"{100 * share:.1f}" for share in held]
            print(
                f"{errors:17}{reach:18}{number:8}{shares[0]:>15}{shares[1]:>9}{shares[2]:>11}{shares[3]:>9}", flush=True
            )


if __name__ == "__main__":
    main()
