"""Share of samples, whose law is known, that `poolkeeper.latency.tails` calls heavy-tailed."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from poolkeeper.latency import tails

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from poolkeeper.arrays import Floats

    Law = Callable[[Generator, int], Floats]


def two(random: Generator, n: int, slow: float, draw: Callable[[int], Floats]) -> Floats:
    """A lognormal body, and a share of slow requests from another law."""
    many = int(random.binomial(n, slow))
    return np.concatenate([random.lognormal(3, 0.6, n - many), draw(many)])


def cut(random: Generator, n: int, slow: float, index: float) -> Floats:
    """A lognormal body up to its upper share `slow`, and exactly a Pareto law above that."""
    edge = float(np.exp(ndtri(1 - slow)))
    body = random.lognormal(0, 1, 3 * n)
    many = int(random.binomial(n, slow))
    return np.concatenate([body[body < edge][: n - many], edge * (1 + random.pareto(index, many))])


LIGHTER: dict[str, Law] = {
    "exponential": lambda r, n: r.exponential(size=n),
    "gamma 0.5": lambda r, n: r.gamma(0.5, size=n),
    "Weibull 0.7": lambda r, n: r.weibull(0.7, n),
    "Weibull 0.5": lambda r, n: r.weibull(0.5, n),
    "Weibull 0.3": lambda r, n: r.weibull(0.3, n),
    "lognormal 0.5": lambda r, n: r.lognormal(0, 0.5, n),
    "lognormal 1": lambda r, n: r.lognormal(0, 1, n),
    "lognormal 1.5": lambda r, n: r.lognormal(0, 1.5, n),
    "lognormal 2": lambda r, n: r.lognormal(0, 2, n),
    "lognormal 3": lambda r, n: r.lognormal(0, 3, n),
    "5 % slower lognormal 1": lambda r, n: two(r, n, 0.05, lambda m: r.lognormal(5, 1, m)),
    "5 % exponential": lambda r, n: two(r, n, 0.05, lambda m: 60 + r.exponential(300, m)),
}
HEAVY: dict[str, Law] = {
    "Pareto 1.2": lambda r, n: 1 + r.pareto(1.2, n),
    "Pareto 1.8": lambda r, n: 1 + r.pareto(1.8, n),
    "Pareto 2.5": lambda r, n: 1 + r.pareto(2.5, n),
    "20 % Pareto 1.5": lambda r, n: two(r, n, 0.2, lambda m: 30 * (1 + r.pareto(1.5, m))),
    "5 % Pareto 1.5": lambda r, n: two(r, n, 0.05, lambda m: 50 * (1 + r.pareto(1.5, m))),
    "1 % Pareto 1.5 above a body": lambda r, n: cut(r, n, 0.01, 1.5),
    "5 % Pareto 2 above a body": lambda r, n: cut(r, n, 0.05, 2.0),
    "Lomax 1.5": lambda r, n: r.pareto(1.5, n),
    "Student t 2": lambda r, n: np.abs(r.standard_t(2, n)) + 1e-9,
}


def verdict(task: tuple[str, int, int, int]) -> tuple[str, int, str]:
    """The verdict on one sample, and what stood against heavy."""
    name, n, seed, replicates = task
    random = np.random.default_rng([seed, n, *name.encode()])
    report = tails.analyze({**LIGHTER, **HEAVY}[name](random, n), replicates=0)
    word = report.verdict.tail
    if word is tails.Tail.UNKNOWN:  # only then the bootstrap decides
        fit = tails.goodness(report.law, replicates=replicates, seed=random, workers=1)
        word = tails.judge(report.law, report.comparisons, fit).tail
    return name, n, str(word)


def main() -> None:
    """Print a table: laws and sizes down, verdicts across."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="of each law and size (default 200)")
    parser.add_argument("--replicates", type=int, default=50, help="of each bootstrap (default 50)")
    parser.add_argument("--sizes", default="1000,2000,5000,20000", help="values in a sample")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    tasks = [
        (name, n, seed, given.replicates) for name in [*LIGHTER, *HEAVY] for n in sizes for seed in range(given.samples)
    ]
    seen: Counter[tuple[str, int, str]] = Counter()
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        seen.update(pool.map(verdict, tasks, chunksize=20))
    words = [str(word) for word in tails.Tail]
    print(f"{given.samples} samples each, {given.replicates} replicates; verdicts in percent")
    print(f"{'law':24}{'values':>8}" + "".join(f"{word:>18}" for word in words))
    for name in [*LIGHTER, *HEAVY]:
        for n in sizes:
            shares = "".join(f"{100 * seen[name, n, word] / given.samples:18.1f}" for word in words)
            print(f"{name:24}{n:8,}{shares}")


if __name__ == "__main__":
    main()
