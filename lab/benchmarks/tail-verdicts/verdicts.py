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


def modes(random: Generator, n: int, slow: float, index: float) -> Floats:
    """A body of two modes, such as hits and misses of a cache, and a Pareto law that begins within the second."""
    many = int(random.binomial(n, slow))
    misses = int(random.binomial(n - many, 0.3))
    body = [random.gamma(9, 0.5, n - many - misses), random.lognormal(3.5, 0.4, misses)]
    return np.concatenate([*body, 60 * (1 + random.pareto(index, many))])


def steps(values: Floats, step: float) -> Floats:
    """Values of a clock that ticks so often."""
    return np.maximum(step, step * np.rint(values / step))


def counts(random: Generator, n: int, exponent: float) -> Floats:
    """Whole numbers that follow the zeta law."""
    return np.minimum(random.zipf(exponent, n), 10**12).astype(float)


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
    "geometric": lambda r, n: r.geometric(0.1, n).astype(float),
    "lognormal 1 in steps": lambda r, n: steps(r.lognormal(2, 1, n), 1),
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
    "3 % Pareto 1.5, two modes": lambda r, n: modes(r, n, 0.03, 1.5),
    "5 % Pareto 1.5 in steps": lambda r, n: steps(two(r, n, 0.05, lambda m: 50 * (1 + r.pareto(1.5, m))), 16),
    "counts, exponent 2.2": lambda r, n: counts(r, n, 2.2),
    "counts, exponent 3": lambda r, n: counts(r, n, 3.0),
    "Lomax 1.5": lambda r, n: r.pareto(1.5, n),
    "Student t 2": lambda r, n: np.abs(r.standard_t(2, n)) + 1e-9,
}


def verdict(task: tuple[str, int, int, int]) -> tuple[str, int, str]:
    """The verdict on one sample, and what stood against heavy."""
    name, n, seed, replicates = task
    random = np.random.default_rng([seed, n, *name.encode()])
    values = {**LIGHTER, **HEAVY}[name](random, n)
    found = tails.analyze(values, replicates=0).verdict
    if found.untested:  # only then the bootstrap decides
        found = tails.analyze(values, replicates=replicates).verdict
    return name, n, str(found.tail)


def main() -> None:
    """Print a table: laws and sizes down, verdicts across."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="of each law and size (default 200)")
    parser.add_argument("--replicates", type=int, default=50, help="of each bootstrap (default 50)")
    parser.add_argument("--sizes", default="1000,2000,5000,20000", help="values in a sample")
    parser.add_argument("--laws", choices=["lighter", "heavy", "all"], default="all", help="kind of laws (default all)")
    given = parser.parse_args()
    names = [*(LIGHTER if given.laws != "heavy" else ()), *(HEAVY if given.laws != "lighter" else ())]
    sizes = [int(size) for size in given.sizes.split(",")]
    tasks = [(name, n, seed, given.replicates) for name in names for n in sizes for seed in range(given.samples)]
    seen: Counter[tuple[str, int, str]] = Counter()
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        seen.update(pool.map(verdict, tasks, chunksize=20))
    words = [str(word) for word in tails.Tail]
    print(f"{given.samples} samples each, {given.replicates} replicates; verdicts in percent")
    print(f"{'law':28}{'values':>8}" + "".join(f"{word:>18}" for word in words))
    for name in names:
        for n in sizes:
            shares = "".join(f"{100 * seen[name, n, word] / given.samples:18.1f}" for word in words)
            print(f"{name:28}{n:8,}{shares}")
    each = len(sizes) * given.samples
    claimed = sum(seen[name, n, "heavy"] for name in LIGHTER for n in sizes)
    denied = sum(seen[name, n, word] for name in HEAVY for n in sizes for word in ("not a power law", "light"))
    if given.laws != "heavy":
        print(f"lighter tails called heavy: {claimed} of {len(LIGHTER) * each}")
    if given.laws != "lighter":
        print(f"true tails denied: {denied} of {len(HEAVY) * each}")


if __name__ == "__main__":
    main()
