"""Time of `poolkeeper analyze` on a small file from the shell, Python's own start included."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

TARGET_S = 1.5


def write(file: Path, rows: int) -> None:
    """Write a JTL of so many rows with a header, lognormal response times and two labels."""
    random = np.random.default_rng(1)
    starts = 1_700_000_000_000 + np.cumsum(random.exponential(10, rows)).astype(int)
    times = np.ceil(random.lognormal(3.7, 0.5, rows)).astype(int)
    lines = ["timeStamp,elapsed,label,responseCode,threadName,success"]
    lines += [
        f"{start},{took},{'home' if place % 3 else 'search'},200,Users 1-1,true"
        for place, (start, took) in enumerate(zip(starts, times, strict=True))
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def seconds(words: list[str]) -> float:
    """Runs a command and returns its wall time."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "poolkeeper", *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Time both, and say what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000, help="rows of the file")
    parser.add_argument("--rounds", type=int, default=15, help="how often each is timed")
    chosen = parser.parse_args()
    print(f"command: {' '.join(sys.argv)}")
    print(f"machine: {platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} processors,", end=" ")
    print(f"Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.jtl"
        write(file, chosen.rows)
        commands = {f"analyze {chosen.rows:,} rows": ["analyze", str(file)], "help": ["--help"]}
        for words in commands.values():
            seconds(words)  # fills the caches of files
        found = {name: [seconds(words) for _ in range(chosen.rounds)] for name, words in commands.items()}
    for name, times in found.items():
        print(f"{name}: median {statistics.median(times):.2f} s, {min(times):.2f} to {max(times):.2f} in {len(times)}")
    median = statistics.median(found[next(iter(commands))])
    print(f"target {TARGET_S} s: {'met' if median < TARGET_S else 'missed'}")


if __name__ == "__main__":
    main()
