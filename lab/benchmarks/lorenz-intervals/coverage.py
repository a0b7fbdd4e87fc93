"""Coverage of the 95 % intervals of mass-count disparity, of samples whose law is known."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from poolkeeper.latency.tails import mass_count

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

LAWS = {
    "uniform": stats.uniform(),
    "exponential": stats.expon(),
    "gamma 3": stats.gamma(3),
    "Weibull 0.7": stats.weibull_min(0.7),
    "lognormal 0.5": stats.lognorm(0.5),
    "lognormal 1": stats.lognorm(1),
    "Pareto 4": stats.pareto(4),
    "Pareto 3": stats.pareto(3),
    "Pareto 1.5": stats.pareto(1.5),
}
MEASURES = ("gini", "joint", "n_half", "w_half")


def truth(name: str) -> Floats:
    """The measures of the law, from two million of its quantiles."""
    number = 2_000_000
    found = mass_count(LAWS[name].ppf((np.arange(number) + 0.5) / number)).disparity
    return np.array([getattr(found, measure) for measure in MEASURES])


def coverage(task: tuple[str, int, int]) -> tuple[str, int, int, Floats]:
    """Of so many samples of a law: how many got intervals, and how many of those hold each measure."""
    name, n, samples = task
    random = np.random.default_rng([n, *name.encode()])
    true, offered, held = truth(name), 0, np.zeros(len(MEASURES))
    for _ in range(samples):
        found = mass_count(LAWS[name].rvs(n, random_state=random), replicates=200, seed=random).intervals
        if found["gini"].has_interval:
            offered += 1
            held += [
                found[measure].low <= value <= found[measure].high
                for measure, value in zip(MEASURES, true, strict=True)
            ]
    return name, n, offered, held


def main() -> None:
    """Print a table: laws and sizes down, measures across."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400, help="of each law and size (default 400)")
    parser.add_argument("--sizes", default="1000,10000,100000", help="values in a sample")
    given = parser.parse_args()
    tasks = [(name, int(size), given.samples) for size in given.sizes.split(",") for name in LAWS]
    print(f"{'law':16}{'values':>9}{'offered %':>11}" + "".join(f"{measure:>9}" for measure in MEASURES))
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, n, offered, held in pool.map(coverage, tasks):
            shares = "".join(f"{100 * entry / offered:9.1f}" if offered else f"{'–':>9}" for entry in held)
            print(f"{name:16}{n:9,}{100 * offered / given.samples:11.1f}{shares}", flush=True)


if __name__ == "__main__":
    main()
