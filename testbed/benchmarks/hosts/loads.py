"""Sends loads of the load generator to servers of the benchmark `hosts` and the like."""

import json
import pathlib
import shutil
import subprocess
import sys
import threading
import time

from servers import HOME, JAVA


class ThreadCount(threading.Thread):
    """Reads the number of threads of a process ten times a second, until it is told to stop or the process has ended."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.status = pathlib.Path(f"/proc/{pid}/status")
        self.samples = []
        self.over = threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.1):
            try:
                lines = self.status.read_text(encoding="utf-8").splitlines()
            except OSError:
                return
            self.samples += [(time.time() * 1000, int(line.split()[1])) for line in lines if line.startswith("Threads:")]


def send(server, folder, load):
    """Sends a load; returns the file of its samples, when the first was sent in milliseconds, and the numbers of threads of the server meanwhile."""
    record = folder / "record"
    shutil.rmtree(record, ignore_errors=True)
    (folder / "load.json").write_text(json.dumps(load), encoding="utf-8")
    target = HOME / "testbed/load/target"
    command = [JAVA, "-XX:+UseG1GC", "-Xms256m", "-Xmx256m", "-cp", f"{target}/classes:{target}/lib/*", "io.poolkeeper.testbed.load.LoadMain"]
    command += ["--target", f"http://127.0.0.1:{server.port}", "--jtl", "--record", record, folder / "load.json"]
    count = ThreadCount(server.process.pid)
    try:
        done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    finally:
        count.over.set()
        count.join()
    if done.returncode:
        sys.exit(f"poolkeeper: the load of {server.name} failed: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    samples = record / "samples.jtl"
    with samples.open(encoding="utf-8") as file:
        next(file)
        first = min(int(line.split(",", 1)[0]) for line in file)
    return samples, first, count.samples
