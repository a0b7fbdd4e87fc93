"""A disk experiment, and a stand-in for the Java program that makes its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.disk.definition import plan, read_disk_experiment
from poolkeeper.disk.launch import DiskSelection

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
question: Which pool is the fastest?
disk:
  small: rw_4kb:100:oneshot
  mixed: [rw_2mb:10:30ms, rw_2mb:20:oneshot]
pools:
  fixed: {settings: {size: [1, 4, 8]}}
  ours: {controller: response-curve, initial: 8, window: 500ms, settings: {objective: disk-throughput}}
  computed: {controller: response-curve, decisions: computed}
  plain: {sensor: false, settings: {size: 4}}
repetitions: 2
"""

FAKE = """
    import json, sys
    arguments = sys.argv[1:]
    seconds = 8.0
    for argument in arguments:
        if argument.startswith("size="):
            seconds = 8.0 / min(4, int(argument[5:]))
    if "--check" in arguments:
        if "mode=wrong" in arguments:
            print("poolkeeper: mode must be good, but is wrong", file=sys.stderr)
            sys.exit(2)
        sys.exit()
    if "mode=fails" in arguments:
        sys.exit("poolkeeper: the disk is full")
    if "mode=dies" in arguments:
        import os
        os.kill(os.getpid(), 9)
    if "mode=bad" in arguments:
        print("poolkeeper: unknown controller", file=sys.stderr)
        sys.exit(2)
    if "mode=hangs" in arguments:
        import signal
        print("hangs", file=sys.stderr, flush=True)
        signal.alarm(600)
        signal.pause()
    if "RocksDbRunMain" in " ".join(arguments):
        from pathlib import Path
        record = Path(arguments[arguments.index("--record") + 1])
        (record / "arguments.json").write_text(json.dumps(arguments))
        print(json.dumps({
            "seconds": seconds, "thread_seconds": 2 * seconds, "mean_size": 2.0, "failed": 0,
            "blocked_source": "none", "figures": {"writes/s": 123456.7, "p99 of writes, ms": 0.0123},
        }))
        sys.exit()
    print(json.dumps({
        "seconds": seconds, "thread_seconds": 2 * seconds, "mean_size": 2.0,
        "failed": 3 if "mode=loses" in arguments else 0, "failure": "IOException",
        "blocked_seconds": 1.5, "blocked_source": "state-samples", "problem": None,
        "page_cache": "dropped file by file",
    }))
"""


def written(folder: Path) -> Path:
    """Write the experiment."""
    file = folder / "disk-test" / "matrix.yaml"
    file.parent.mkdir()
    file.write_text(TEXT, encoding="utf-8")
    return file


def selection(file: Path, only: tuple[str, ...] = ()) -> DiskSelection:
    """Choose runs of an experiment; its results go beside it."""
    stated = read_disk_experiment(file)
    results = file.parent / "results"
    return DiskSelection(stated, results, plan(stated, results, only))
