from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from poolkeeper.experiment.recording.monitor import COLUMNS, Monitor
from poolkeeper.record.columns import MONITOR
from poolkeeper.record.table import read_table

CONTRACT = Path(__file__).parents[3] / "contract" / "monitor.columns.json"


def test_its_columns_are_those_of_the_contract() -> None:
    columns = json.loads(CONTRACT.read_text(encoding="utf-8"))["columns"]
    assert [column["name"] for column in columns] == list(COLUMNS)


def test_rows_count_up_and_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "monitor.csv"
    code = "import signal; print(flush=True); signal.pause()"
    with (
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process,
        Monitor(file) as monitor,
    ):
        try:
            assert process.stdout
            process.stdout.readline()  # before, it may not even have its first megabyte
            monitor.watch("server", process.pid)
            for _ in range(3):
                monitor.sample()
        finally:
            process.kill()
    table, cut_off = read_table(file, MONITOR, 0)
    assert not cut_off
    assert list(table.labels["process"]) == ["lab", "server", "machine"] * 3
    lab = [row for row, name in enumerate(table.labels["process"]) if name == "lab"]
    for column in ("at_s", "cpu_s", "voluntary_switches"):
        values = table[column][lab].tolist()
        assert values == sorted(values)
        assert values[0] > 0
    assert table["rss_bytes"].min() > 1 << 20


def test_switches_are_those_of_all_threads(tmp_path: Path) -> None:
    code = (
        "import sys, threading, time\n"
        "def wait():\n    for _ in range(300): time.sleep(0.0001)\n    done.acquire()\n    stay.acquire()\n"
        "done, stay = threading.Semaphore(3), threading.Semaphore(0)\n"
        "threads = [threading.Thread(target=wait, daemon=True) for _ in range(3)]\n"
        "[thread.start() for thread in threads]\n"
        "while done._value: time.sleep(0.001)\n"
        "print(flush=True); sys.stdin.read()"
    )
    with (
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
        Monitor(tmp_path / "monitor.csv") as monitor,
    ):
        assert process.stdout
        process.stdout.readline()
        monitor.watch("server", process.pid)
        before = switches(process.pid)
        monitor.sample()
        after = switches(process.pid)
        process.kill()
    table, _ = read_table(tmp_path / "monitor.csv", MONITOR, 0)
    assert sum(before.values()) <= table["voluntary_switches"][1] <= sum(after.values())
    assert sum(before.values()) > max(before.values()), "those of one thread are not all"
    assert table["threads"][1] == 4


def switches(pid: int) -> dict[int, int]:
    """Voluntary context switches of each thread, as the kernel tells them."""
    found = {}
    for folder in Path(f"/proc/{pid}/task").iterdir():
        (line,) = [line for line in (folder / "status").read_text().splitlines() if line.startswith("voluntary")]
        found[int(folder.name)] = int(line.split()[1])
    return found


def test_a_process_that_ends_is_left_out(tmp_path: Path) -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as process,
        Monitor(tmp_path / "monitor.csv") as monitor,
    ):
        monitor.watch("server", process.pid)
        monitor.sample()
        process.kill()
        process.wait()
        monitor.sample()
        monitor.watch("load", process.pid)
        monitor.sample()
    table, _ = read_table(tmp_path / "monitor.csv", MONITOR, 0)
    assert list(table.labels["process"]) == ["lab", "server", "machine", "lab", "machine", "lab", "machine"]


def test_what_others_use_is_the_machine_without_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([1_000_000_000, 3_000_000_000])
    machine = iter([90_000_000_000, 10_000_000_000, 99_000_000_000, 15_000_000_000])
    """Of all processors, and then of those that the run may use."""
    ours = iter([1_000_000_000, 2_500_000_000])
    with Monitor(tmp_path / "monitor.csv") as monitor:
        assert monitor.others_cpus() == 0.0
        monkeypatch.setattr("poolkeeper.experiment.recording.monitor.time.monotonic_ns", lambda: next(clock))
        monkeypatch.setattr("poolkeeper.experiment.recording.monitor._busy_ns", lambda *_: next(machine))
        monkeypatch.setattr(Monitor, "_tree", lambda *_: [next(ours)])
        monitor.sample()
        monitor.sample()
        monkeypatch.undo()
        assert monitor.others_cpus() == pytest.approx((5.0 - 1.5) / 2.0)


def test_busy_time_of_the_machine_is_not_above_its_processors(tmp_path: Path) -> None:
    with Monitor(tmp_path / "monitor.csv") as monitor:
        monitor.sample()
        monitor.sample()
    table, _ = read_table(tmp_path / "monitor.csv", MONITOR, 0)
    assert 0 < table["cpu_s"][1] <= _uptime() * (psutil.cpu_count() or 1) * 1.01


def _uptime() -> float:
    return float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
