"""Runs of a disk experiment, and what a person sees of them."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from disk_experiments import FAKE, TEXT, selection, written
from rich.console import Console

from poolkeeper.disk.definition import read_disk_experiment, variants
from poolkeeper.disk.launch import choose, disk_file, explain, launch
from poolkeeper.disk.results import RESULT, measured
from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.launch import RunOptions

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    return written(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "testbed" / "disk" / "target" / "classes").mkdir(parents=True)
    return tmp_path / "root"


@pytest.fixture
def java(tmp_path: Path) -> list[str]:
    script = tmp_path / "java"
    script.write_text(f"#!{sys.executable}\n{textwrap.dedent(FAKE)}", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return [str(script)]


def test_session_runs_all_keeps_them_and_shows_them(
    experiment: Path, root: Path, java: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = selection(experiment)
    console = Console(width=200)
    assert launch(chosen, root, java, console) == 0
    out = capsys.readouterr().out
    assert "24 of 24" in out
    assert "fixed-4 (baseline)" in out
    assert "page cache: dropped file by file" in out
    assert "Runtime by the number of threads" in (chosen.folder / "report.html").read_text(encoding="utf-8")
    assert not list(chosen.folder.glob(".poolkeeper-disk-*"))
    assert launch(chosen, root, java, console) == 0
    assert "24 of 24 runs complete already" in capsys.readouterr().out
    assert disk_file(chosen.folder) == chosen.folder / "experiment.yaml"
    assert explain(chosen.folder, console).is_file()


NODE = """
question: Does Node keep up?
disk: {small: mixed:100:oneshot}
pools:
  fixed: {runtime: node, settings: {size: [4, 16]}}
  ours: {runtime: node, controller: response-curve, minimum: 2, initial: 4, maximum: 32}
"""
FAKE_NODE = """
    import json, os, sys
    names = ["UV_THREADPOOL_SIZE", *(f"POOLKEEPER_{name}" for name in ("MINIMUM", "MAXIMUM", "CONTROLLER", "MODE"))]
    if "--check" in sys.argv:
        sys.exit()
    print(json.dumps({
        "seconds": 1.0, "thread_seconds": 2.0, "mean_size": 2.0, "failed": 0, "failure": "",
        "blocked_seconds": None, "blocked_source": "none", "problem": None, "page_cache": "dropped",
        "arguments": sys.argv[1:], "environment": {name: os.environ.get(name) for name in names},
    }))
"""


def test_runs_in_node_are_sized_by_the_environment_and_the_preload(
    experiment: Path, root: Path, java: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment.write_text(NODE, encoding="utf-8")
    chosen = selection(experiment)
    chosen.folder.mkdir()
    build = root / "node" / "build"
    with pytest.raises(RunError, match=r"build: is missing; build it with: .*npm ci && npm run build"):
        launch(chosen, root, java, Console(quiet=True))
    (build / "experiment").mkdir(parents=True)
    (build / "experiment" / "disk-run.js").touch()
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    node.write_text(f"#!{sys.executable}\n{textwrap.dedent(FAKE_NODE)}", encoding="utf-8")
    node.chmod(node.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{node.parent}:{os.environ['PATH']}")
    assert launch(chosen, root, java, Console(quiet=True)) == 0
    results = {
        run.variant.name: json.loads((run.folder / RESULT).read_text(encoding="utf-8"))["result"] for run in chosen.runs
    }
    assert results["fixed-16"]["environment"]["UV_THREADPOOL_SIZE"] == "16"
    assert results["fixed-16"]["environment"]["POOLKEEPER_CONTROLLER"] is None
    assert results["fixed-16"]["arguments"][0] == str(build / "experiment" / "disk-run.js")
    assert results["ours"]["environment"] == {
        "UV_THREADPOOL_SIZE": "4",
        "POOLKEEPER_MINIMUM": "2",
        "POOLKEEPER_MAXIMUM": "32",
        "POOLKEEPER_CONTROLLER": "response-curve",
        "POOLKEEPER_MODE": "active",
    }
    assert results["ours"]["arguments"][:2] == ["--import", str(build / "src" / "register.cjs")]
    assert results["ours"]["arguments"][-2:] == ["--phase", "mixed:100:oneshot"]


ROCKSDB = """
question: Which size?
engine: rocksdb
layout: families=8,memtable=1
disk:
  fill: [fillseq:1000:oneshot, overwrite_readers:100:1ms]
pools:
  default: {controller: default}
  fixed: {settings: {size: [2, 4]}}
"""


def test_rocksdb_runs_by_the_same_commands_and_shows_its_figures(
    experiment: Path, root: Path, java: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    experiment.write_text(ROCKSDB, encoding="utf-8")
    chosen = selection(experiment)
    with pytest.raises(RunError, match=r"testbed/rocksdb/target/classes: is missing"):
        launch(chosen, root, java, Console(quiet=True))
    (root / "testbed" / "rocksdb" / "target" / "classes").mkdir(parents=True)
    assert launch(chosen, root, java, Console(width=250)) == 0
    out = capsys.readouterr().out
    assert "writes/s" in out
    assert "123,457" in out
    assert "waiting for the disk" not in out, "a column without any figure"
    arguments = json.loads((chosen.folder / "fill" / "default" / "1" / "arguments.json").read_text())
    assert arguments[arguments.index("-cp") + 2] == "io.poolkeeper.testbed.rocksdb.RocksDbRunMain"
    assert arguments[arguments.index("--layout") + 1] == "families=8,memtable=1"
    assert "--files" not in arguments
    assert explain(chosen.folder, Console(width=250)).is_file()
    experiment.write_text(ROCKSDB.replace("memtable=1", "memtable=2"), encoding="utf-8")
    assert measured(selection(experiment).runs) == {}, "another layout is another configuration"


def test_runs_take_the_jdk_that_the_experiment_names(experiment: Path, root: Path, java: list[str]) -> None:
    experiment.write_text(TEXT + "java: 99\n", encoding="utf-8")
    with pytest.raises(RunError, match="no JDK 99 below"):
        launch(selection(experiment), root, ["no-such-java"], Console(quiet=True))
    home = Path(java[0]).parent / "jdk"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").symlink_to(java[0])
    experiment.write_text(TEXT + f"java: {home}\n", encoding="utf-8")
    chosen = selection(experiment, ("workload=small", "variant=fixed-1"))
    assert launch(chosen, root, ["no-such-java"], Console(quiet=True)) == 0
    assert chosen.runs[0].configuration()["java"] == str(home)
    experiment.write_text(TEXT + "java: 25\n", encoding="utf-8")
    options = RunOptions(scale=0.5, repetitions=None, only=[], output=home / "out", resume=False, full=False)
    assert choose(experiment, options, home).experiment.java == "25"


def test_jobs_may_run_on_virtual_threads(experiment: Path) -> None:
    experiment.write_text(TEXT.replace("plain: {sensor: false,", "plain: {threads: virtual,"), encoding="utf-8")
    plain = variants(read_disk_experiment(experiment))[-1]
    assert plain.arguments()[-2:] == ["--threads", "virtual"]
    assert plain.fixed_size is None, "no fixed pool"


def test_run_of_another_configuration_is_made_again(experiment: Path, root: Path, java: list[str]) -> None:
    chosen = selection(experiment, ("variant=fixed-1", "workload=small"))
    assert launch(chosen, root, java, Console(quiet=True)) == 0
    experiment.write_text(TEXT.replace("rw_4kb:100:", "rw_4kb:200:"), encoding="utf-8")
    again = selection(experiment, ("variant=fixed-1", "workload=small"))
    assert measured(again.runs) == {}


@pytest.mark.parametrize(
    "failure",
    [
        ("fails", "the disk is full"),
        ("loses", "3 jobs failed, the first with IOException"),
        ("dies", "the process was killed by SIGKILL"),
    ],
)
def test_failed_run_is_named_and_run_again(
    experiment: Path, root: Path, java: list[str], capsys: pytest.CaptureFixture[str], failure: tuple[str, str]
) -> None:
    mode, message = failure
    experiment.write_text(
        TEXT.replace("{objective: disk-throughput}", f"{{mode: {mode}}}").replace("repetitions: 2", ""),
        encoding="utf-8",
    )
    chosen = selection(experiment, ("workload=small",))
    assert launch(chosen, root, java, Console(width=200)) == 1
    assert f"failed: {message}" in capsys.readouterr().out
    document: dict[str, Any] = json.loads((chosen.folder / "small" / "ours" / "1" / RESULT).read_text())
    assert document["status"] == "failed"
    assert launch(chosen, root, java, Console(width=200)) == 1
    assert "5 of 6 runs complete already" in capsys.readouterr().out


def test_wrong_setting_stops_the_experiment(experiment: Path, root: Path, java: list[str]) -> None:
    experiment.write_text(TEXT.replace("{objective: disk-throughput}", "{mode: bad}"), encoding="utf-8")
    with pytest.raises(InputError, match="small · ours · 1: unknown controller"):
        launch(selection(experiment, ("variant=ours",)), root, java, Console(quiet=True))


def test_all_pools_and_workloads_are_checked_before_the_first_run(
    experiment: Path, root: Path, java: list[str]
) -> None:
    experiment.write_text(TEXT.replace("{objective: disk-throughput}", "{mode: wrong}"), encoding="utf-8")
    chosen = selection(experiment)
    with pytest.raises(InputError, match="small · ours · 1: mode must be good, but is wrong"):
        launch(chosen, root, java, Console(quiet=True))
    assert measured(chosen.runs) == {}


@pytest.mark.parametrize("setting", ["runtime: node", "minimum: 2", "window: 1s", "sensor: false"])
def test_settings_without_effect_on_rocksdb_are_refused(experiment: Path, setting: str) -> None:
    name = setting.partition(":")[0]
    experiment.write_text(ROCKSDB.replace("fixed: {", f"fixed: {{{setting}, "), encoding="utf-8")
    with pytest.raises(InputError, match=f"pools.fixed has a setting {name}, which has no effect with engine: rocksdb"):
        read_disk_experiment(experiment)


def test_neighbour_needs_fio(experiment: Path, root: Path, java: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    experiment.write_text(TEXT.replace("rw_4kb:100", "rw_4kb_neighbour:100"), encoding="utf-8")
    monkeypatch.setenv("PATH", str(experiment.parent))
    with pytest.raises(RunError, match="fio is missing, which rw_4kb_neighbour:100:oneshot needs; on Debian"):
        launch(selection(experiment), root, java, Console(quiet=True))


def test_interrupt_keeps_what_was_measured_and_removes_files(experiment: Path, root: Path, java: list[str]) -> None:
    experiment.write_text(TEXT.replace("{objective: disk-throughput}", "{mode: hangs}"), encoding="utf-8")
    program = f"""
        import sys
        from pathlib import Path
        from rich.console import Console
        from poolkeeper.disk.definition import plan, read_disk_experiment
        from poolkeeper.disk.launch import DiskSelection, launch
        stated = read_disk_experiment(Path({str(experiment)!r}))
        folder = Path({str(experiment.parent / "results")!r})
        chosen = DiskSelection(stated, folder, plan(stated, folder, ("workload=small",)))
        sys.exit(launch(chosen, Path({str(root)!r}), [{java[0]!r}], Console(width=200)))
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "fixed-8 · 1" in line:  # the next one hangs
                break
        os.kill(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "stopped, keeping what was measured" in rest
    results = experiment.parent / "results"
    assert (results / "small" / "fixed-8" / "1" / RESULT).is_file()
    assert not list(results.glob(".poolkeeper-disk-*"))


def test_files_of_a_killed_lab_are_removed(experiment: Path, root: Path, java: list[str]) -> None:
    chosen = selection(experiment, ("workload=small", "variant=fixed-1"))
    dead = chosen.folder / ".poolkeeper-disk-999999999-files"
    dead.mkdir(parents=True)
    assert launch(chosen, root, java, Console(quiet=True)) == 0
    assert not dead.exists()
