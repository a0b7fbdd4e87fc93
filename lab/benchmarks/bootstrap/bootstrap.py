"""Times the parametric bootstrap of all distributions, apart from their fits."""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import sys
import time

import numpy as np

from poolkeeper.latency.fits import fit

TARGET = 60


def main() -> None:
    """Measure and print seconds with their range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    print(f"command: bootstrap {' '.join(sys.argv[1:])}; {platform.machine()}, {processors} processors")
    values = np.random.default_rng(1).lognormal(3, 0.6, options.size)
    fit(values[:1000])
    seconds = []
    for turn in range(options.rounds):
        start = time.perf_counter()
        fit(values, replicates=0, seed=turn)
        middle = time.perf_counter()
        fit(values, replicates=options.replicates, seed=turn)
        seconds.append((time.perf_counter() - middle) - (middle - start))
        print(f"round {turn + 1}: fits alone {middle - start:.2f} s, the bootstrap {seconds[-1]:.2f} s")
    found = statistics.median(seconds)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{options.replicates} replicates of {options.size:,} values, all distributions: {found:.2f} s"
        f" ({min(seconds):.2f} to {max(seconds):.2f}), target {TARGET} s; largest resident set {memory} MB"
    )


if __name__ == "__main__":
    main()
