"""Times one pass over a JTL, in turns with pandas on fewer rows, each in a process of its own whose memory is watched.

Both give count, mean, standard deviation, percentiles and errors of all requests and of each label, and completions,
errors, mean and p99 of each second. Pandas does it as its documentation would: read_csv of the columns that are needed,
then groupby; and once more as most would write it, with read_csv as it is, which reads all columns.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ["timeStamp", "elapsed", "label", "success"]
CONTESTANTS = ["ours", "pandas", "pandas, all columns"]
QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]


def ours(path: Path) -> dict[str, float]:
    """Everything that an analysis needs of the file, in one pass."""
    from poolkeeper import results

    found = results.read(path).survey()
    digest, series = found.digest, found.series
    assert series is not None  # noqa: S101 - a JTL has times
    series.quantile(0.99)
    for group in found.groups.values():
        group.quantiles(QUANTILES)
    quantiles = dict(zip(map(str, QUANTILES), digest.quantiles(QUANTILES) / 1e6, strict=True))
    return {"count": digest.count, "mean": digest.mean / 1e6, "errors": sum(found.errors.values()), **quantiles}


def pandas(path: Path, columns: list[str] | None) -> dict[str, float]:
    """The same by pandas, of the columns that are needed or of all."""
    import pandas as pd

    frame = pd.read_csv(path, usecols=columns)
    frame["failed"] = ~frame["success"]
    by_label = frame.groupby("label")
    by_label["elapsed"].agg(["count", "mean", "std", "min", "max"])
    by_label["elapsed"].quantile(QUANTILES)
    by_label["failed"].sum()
    by_second = frame.groupby((frame["timeStamp"] + frame["elapsed"]) // 1000)
    by_second["elapsed"].agg(["count", "mean", "std", "max"])
    by_second["elapsed"].quantile(0.99)
    by_second["failed"].sum()
    quantiles = frame["elapsed"].quantile(QUANTILES)
    all_of_it = {"count": len(frame), "mean": float(frame["elapsed"].mean()), "errors": int(frame["failed"].sum())}
    frame["elapsed"].std()
    return all_of_it | {str(q): float(quantiles[q]) for q in QUANTILES}


@dataclass(frozen=True)
class Ran:
    """One run in a process of its own, its start and imports included: seconds, of processors too, and megabytes."""

    seconds: float
    processors: float
    memory: float
    found: dict[str, float]


def timed(what: str, path: Path) -> Ran:
    """Run one of the two."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        [sys.executable, __file__, "--one", what, "--file", str(path)], check=True, capture_output=True, text=True
    )
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    memory, found = ran.stdout.strip().split("\n")
    numbers = dict(pair.split("=") for pair in found.split())
    processors = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran(seconds, processors, float(memory), {name: float(value) for name, value in numbers.items()})


def measure_one(what: str, path: Path) -> None:
    """Run one of the two, and print its peak of memory and what it found."""
    found = ours(path) if what == "ours" else pandas(path, COLUMNS if what == "pandas" else None)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
    print(" ".join(f"{name}={value}" for name, value in found.items()))


def spread(values: list[float], digits: int = 1) -> str:
    """Median with range."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main() -> None:
    """Generate, read in turns, compare, and clean up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, default=100_000_000, help="of the long file, 80 bytes each; 0 leaves it out"
    )
    parser.add_argument("--compared", type=int, default=10_000_000, help="rows of the file that pandas reads as well")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="folder in which generated files stay, and are found again")
    parser.add_argument("--one", choices=CONTESTANTS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure_one(given.one, given.file)
        return
    cores = len(os.sched_getaffinity(0))
    print(f"{platform.processor() or platform.machine()}, {cores} processors, Python {platform.python_version()}")
    with contextlib.nullcontext(given.keep) if given.keep else tempfile.TemporaryDirectory() as folder:
        if given.compared:
            compare(made(Path(folder), given.compared), given.rounds)
        if given.rows:
            path = made(Path(folder), given.rows)
            ran, size = timed("ours", path), path.stat().st_size / 1e9
            what = f"{ran.found['count']:,.0f} rows, {size:.1f} GB"
            times = f"{ran.seconds:.1f} s, {ran.processors:.1f} s of processors"
            print(f"{what}: {times}, {ran.memory / 1000:.2f} GB of memory")


def made(folder: Path, rows: int) -> Path:
    """A JTL of so many rows: the one that is there, or a new one."""
    from generate import generate

    path = folder / f"{rows}.jtl"
    if not path.exists():
        generate(path, rows)
    return path


def compare(path: Path, rounds: int) -> None:
    """All on one file in turns; stops where they disagree by more than ours says it may."""
    runs: dict[str, list[Ran]] = {what: [] for what in CONTESTANTS}
    for _ in range(rounds):
        for what, done in runs.items():
            done.append(timed(what, path))
    a, *others = (done[0].found for done in runs.values())
    for name, value in (pair for other in others for pair in other.items()):
        # Digest: within 0.05 % of the value at the rank; pandas interpolates between whole milliseconds.
        allowed = 0 if name == "count" else 0.0005 * value + (1 if name[0] == "0" else 0)
        if abs(a[name] - value) > allowed:
            sys.exit(f"{name}: {a[name]} is not {value}")
    for what, done in runs.items():
        memory = max(run.memory for run in done)
        times = f"{spread([run.seconds for run in done])} s, {spread([run.processors for run in done])} s of processors"
        print(f"{what:19} {a['count']:,.0f} rows: {times}, {memory:,.0f} MB of memory at most")
    for what in CONTESTANTS[1:]:
        for name, word in (("seconds", "long"), ("processors", "much time of processors")):
            ratios = [getattr(b, name) / getattr(a, name) for a, b in zip(runs["ours"], runs[what], strict=True)]
            print(f"{what} takes {spread(ratios)} times as {word}, over {rounds} rounds")


if __name__ == "__main__":
    main()
