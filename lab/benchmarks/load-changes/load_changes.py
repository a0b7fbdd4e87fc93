"""Counts false alarms and detections of changes in whole tests whose truth is known.

Each test is drawn from one seed, written as a JTL, and read as the commands read it. The thresholds of the lab were
set on the draws of seed 100; any other seed is a further study.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from multiprocessing import Pool
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from drawn_tests import CHANGED, STILL, Answer, answered

FALSE_ALARMS = 0.05
"""Share of the tests of a kind without a change that may be said to change."""


def main() -> None:
    """Run the study and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=200, help="of every kind (default 200)")
    parser.add_argument("--only", default="", help="kinds whose name holds this word")
    parser.add_argument("--seed", type=int, default=0, help="another study with other draws")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    began = time.monotonic()
    names = [name for name in [*STILL, *CHANGED] if options.only in name]
    tasks = [(name, options.seed, number) for name in names for number in range(options.tests)]
    by_name: dict[str, list[Answer]] = defaultdict(list)
    with Pool(options.processes) as pool:
        for name, found in pool.imap_unordered(answered, tasks, chunksize=5):
            by_name[name].append(found)
    print(f"{options.tests} tests of every kind, seed {options.seed}\n{'kind':34}{'false alarms':>14}{'found':>8}")
    outside = []
    for name in names:
        every = by_name[name]
        alarms = [entry.alarm for entry in every if entry.alarm]
        causes = ", ".join(f"{alarms.count(cause)} {cause}" for cause in sorted(set(alarms)))
        found = f"{sum(entry.found for entry in every) / len(every):8.1%}" if name in CHANGED else " " * 8
        share = len(alarms) / len(every)
        wrong = share - 1.96 * np.sqrt(share * (1 - share) / len(every)) > FALSE_ALARMS
        outside += [name] if wrong else []
        print(f"{name:34}{share:14.1%}{found}  {causes}{'  too many' if wrong else ''}")
    beyond = f"{len(outside)} of {len(names)} kinds above {FALSE_ALARMS:.0%} by more than chance"
    print(f"{beyond}, {time.monotonic() - began:,.0f} s")
    sys.exit(bool(outside))


if __name__ == "__main__":
    main()
