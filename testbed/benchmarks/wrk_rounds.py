"""Shared by benchmarks of servers: wrk as the load, and intervals of ratios over rounds."""

import argparse
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")


class Called(NamedTuple):
    """Result of a call of wrk: requests a second, processor time a request of the server, and the share of its processors that wrk used."""

    rate: float
    server_us: float
    wrk_share: float


def cpu_s(pid):
    """Processor time of a process so far, in seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def on(processors, command):
    """The command, bound to these processors."""
    return ["taskset", "-c", ",".join(map(str, sorted(processors))), *map(str, command)]


def call(pid, url, users, seconds, processors):
    """Let wrk call a server on these processors."""
    threads = min(users, len(processors))
    command = ["wrk", f"-t{threads}", f"-c{users}", f"-d{seconds}s", url]
    server_before, wrk_before, began = cpu_s(pid), os.times(), time.monotonic()
    said = subprocess.run(on(processors, command), capture_output=True, text=True, check=True).stdout
    wrk_after = os.times()
    wrk_s = wrk_after.children_user + wrk_after.children_system - wrk_before.children_user - wrk_before.children_system
    wrong = re.search(r"(Socket errors|Non-2xx).*", said)
    if wrong:
        sys.exit(f"poolkeeper: {url}: {wrong[0]}")
    requests = int(re.search(r"(\d+) requests in", said)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])
    return Called(rate, (cpu_s(pid) - server_before) / requests * 1e6, wrk_s / threads / (time.monotonic() - began))


def median_interval(values):
    """An interval that holds the median with 95 % or more, whatever its distribution; None of fewer than six values.

    Ranks are those of the sign test (Conover, Practical Nonparametric Statistics, 3.2)."""
    ordered, n, beyond, tail = sorted(values), len(values), 0, 2 * 0.5 ** len(values)
    if tail > 0.05:
        return None
    while tail + 2 * math.comb(n, beyond + 1) * 0.5**n <= 0.05:
        beyond += 1
        tail += 2 * math.comb(n, beyond) * 0.5**n
    return ordered[beyond], ordered[n - 1 - beyond]


def judged(ratios, target):
    """Whether the median of all rounds there could be reaches the target."""
    interval = median_interval(ratios)
    if interval is None:
        return "too few rounds to tell"
    return "reached" if interval[0] >= target else "missed" if interval[1] < target else "undecided"


def told(ratios):
    interval = median_interval(ratios)
    sure = f"95 % {interval[0]:.2f} to {interval[1]:.2f}, " if interval else ""
    return f"{statistics.median(ratios):.2f} ({sure}range {min(ratios):.2f} to {max(ratios):.2f})"


def whole(least):
    def parse(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number, {least} or more, but is '{text}'")
        return int(text)

    return parse
