"""Shared by benchmarks of servers: wrk as the load."""

import os
import pathlib
import re
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
    done = subprocess.run(on(processors, command), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"poolkeeper: {' '.join(command)} failed: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    said = done.stdout
    wrk_after = os.times()
    wrk_s = wrk_after.children_user + wrk_after.children_system - wrk_before.children_user - wrk_before.children_system
    wrong = re.search(r"(Socket errors|Non-2xx).*", said)
    if wrong:
        sys.exit(f"poolkeeper: {url}: {wrong[0]}")
    requests = int(re.search(r"(\d+) requests in", said)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])
    return Called(rate, (cpu_s(pid) - server_before) / requests * 1e6, wrk_s / threads / (time.monotonic() - began))
