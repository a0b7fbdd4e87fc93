"""Disk experiments: the file, its runs, the figures, and what a person sees of them."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from poolkeeper.disk.definition import plan, read_disk_experiment, variants
from poolkeeper.disk.launch import DiskSelection, choose, disk_file, explain, launch
from poolkeeper.disk.page import curve
from poolkeeper.disk.results import RESULT, VariantRuns, measured, optimal_fixed, published_ratios, ratio
from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.launch import RunOptions

if TYPE_CHECKING:
    from command_line import CommandLine

PROJECT = Path(__file__).parents[3]
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


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    folder = tmp_path / "disk-test"
    folder.mkdir()
    file = folder / "matrix.yaml"
    file.write_text(TEXT, encoding="utf-8")
    return file


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


def selection(file: Path, only: tuple[str, ...] = ()) -> DiskSelection:
    stated = read_disk_experiment(file)
    results = file.parent / "results"
    return DiskSelection(stated, results, plan(stated, results, only))


def test_pools_become_variants_of_every_combination(experiment: Path) -> None:
    names = [variant.name for variant in variants(read_disk_experiment(experiment))]
    assert names == ["fixed-1", "fixed-4", "fixed-8", "ours", "computed", "plain"]
    by_name = {variant.name: variant for variant in variants(read_disk_experiment(experiment))}
    assert by_name["fixed-4"].arguments()[:4] == ["--controller", "fixed", "--set", "size=4"]
    assert by_name["ours"].arguments()[-6:] == ["--initial", "8", "--maximum", "64", "--window", "500"]
    assert by_name["computed"].arguments()[-1] == "--advice-only"
    assert by_name["plain"].arguments()[-1] == "--no-loop"
    assert [by_name[name].fixed_size for name in ("fixed-8", "plain", "ours")] == [8, None, None]


def test_runs_are_interleaved_and_can_be_chosen(experiment: Path) -> None:
    runs = selection(experiment).runs
    assert len(runs) == 24
    assert runs[0].title == "small · fixed-1 · 1"
    assert runs[12].title == "mixed · plain · 2"
    assert {run.workload for run in selection(experiment, ("workload=mixed",)).runs} == {"mixed"}
    with pytest.raises(InputError, match="did you mean 'fixed-4'"):
        selection(experiment, ("variant=fixed-44",))
    with pytest.raises(InputError, match="--only must be"):
        selection(experiment, ("size=4",))


SMALL = """\
small:
  disk: {small: rw_4kb:7:oneshot}
  variants: [fixed-4, ours]
  files: 5
  repetitions: 3
"""


def test_small_form_is_run_unless_all_is_wanted(experiment: Path, tmp_path: Path) -> None:
    experiment.write_text(TEXT + SMALL, encoding="utf-8")
    small = choose(experiment, RunOptions(), tmp_path)
    assert small.listing() == [
        "small · fixed-4: rw_4kb:7:oneshot × 3",
        "small · ours: rw_4kb:7:oneshot × 3",
        "6 runs",
    ]
    assert small.experiment.files == 5
    full = choose(experiment, RunOptions(full=True), tmp_path)
    assert full.listing()[0] == "small · fixed-1: rw_4kb:100:oneshot × 2"
    assert full.experiment.small is None
    with pytest.raises(InputError, match=r"--only variant=plain: only in the full form: --full"):
        choose(experiment, RunOptions(only=("variant=plain",)), tmp_path)
    with pytest.raises(InputError, match=r"--only: unknown variant 'none'"):
        choose(experiment, RunOptions(only=("variant=none",)), tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (RunOptions(scale=-1), "--scale must be above 0, but is -1"),
        (RunOptions(scale=float("nan")), "--scale must be above 0, but is nan"),
        (
            RunOptions(scale=1e30),
            "scale 1e\\+30 makes 1e\\+32 jobs of rw_4kb:100:oneshot; a phase may have 10,000,000 at",
        ),
        (RunOptions(repetitions=0), "--repetitions must be from 1 to 1000, but is 0"),
    ],
)
def test_wrong_option_is_named(experiment: Path, tmp_path: Path, options: RunOptions, message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose(experiment, options, tmp_path)


def test_full_form_of_an_experiment_without_a_small_one_is_refused(experiment: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="states no small form"):
        choose(experiment, RunOptions(full=True), tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[fixed-4, ours]", "[fixed-4, our]", "small.variants: unknown variant 'our'; did you mean 'ours'?"),
        ("[fixed-4, ours]", "[ours]", "small.variants: none is fixed, and versus is optimal-fixed"),
        ("rw_4kb:7:oneshot", "rw_4kb:7", "small.disk.small must be workload:jobs:arrivals"),
        ("rw_4kb:7:oneshot", "rw_4k:7:oneshot", "small.disk.small: unknown workload 'rw_4k'; did you mean 'rw_4kb'"),
        ("files: 5", "pools: 5", "unknown setting 'pools'"),
        ("files: 5", "file: 5", "unknown setting 'file'; did you mean 'files'?"),
    ],
)
def test_wrong_small_form_is_named(experiment: Path, before: str, after: str, message: str) -> None:
    experiment.write_text(TEXT + SMALL.replace(before, after), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_disk_experiment(experiment)
    assert message in str(error.value)


def test_scale_is_a_factor_on_jobs(experiment: Path) -> None:
    stated = read_disk_experiment(experiment).model_copy(update={"scale": 0.25})
    assert plan(stated, Path(), ())[6].phases == ("rw_2mb:3:30ms", "rw_2mb:5:oneshot")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("rw_4kb:100:oneshot", "rw_4k:100:oneshot", "unknown workload 'rw_4k'; did you mean 'rw_4kb'"),
        (
            "rw_4kb:100:oneshot",
            "rw_4kb:0:oneshot",
            "disk.small must be workload:jobs:arrivals, such as rw_2mb:1500:oneshot, but is 'rw_4kb:0:oneshot'",
        ),
        ("rw_2mb:20:oneshot", "20", "disk.mixed[2] must be a text, but is 20"),
        ("size: [1, 4, 8]", "sice: 1", "needs settings: {size"),
        ("size: [1, 4, 8]", "size: [1, many]", "whole numbers from 1 to 1024, but has many"),
        ("size: [1, 4, 8]", "size: [0, 4]", "whole numbers from 1 to 1024, but has 0"),
        ("size: [1, 4, 8]", "size: [1, 2.5]", "whole numbers from 1 to 1024, but has 2.5"),
        ("ours:", "fixed-4:", "pools: two variants are called fixed-4"),
        ("ours:", "../ours:", "pools: '../ours' is no name of a variant"),
        ("small:", "a/b:", "disk: 'a/b' is no name of a workload"),
        ("initial: 8", "initail: 8", "unknown setting 'initail'; did you mean 'initial'?"),
        ("initial: 8", "initial: many", "pools.ours.initial must be a whole number, but is 'many'"),
        (
            "controller: response-curve, initial",
            "controller: response-curv, initial",
            "unknown controller 'response-curv'; did you",
        ),
        (
            "controller: response-curve, initial: 8, window: 500ms",
            "runtime: node, controller: throughput, initial: 8",
            "known: fixed, response-curve, sc",
        ),
        (
            "controller: response-curve, initial",
            "controller: adoc, initial",
            "pools.ours.controller: unknown controller 'adoc'",
        ),
        (
            "objective: disk-throughput",
            "objective: .nan",
            "pools.ours.settings.objective must be a text, a finite number, true or ",
        ),
        (
            "question: Which pool is the fastest?",
            "qestion: Which?",
            "unknown setting 'qestion'; did you mean 'question'?",
        ),
        ("question: Which pool is the fastest?", "", "the setting 'question' is missing"),
        ("initial: 8", "initial: 8, minimum: 9", "needs minimum <= initial <= maximum, but has 9, 8, 64"),
        ("repetitions: 2", "versus: fixd-4", "unknown variant 'fixd-4'; did you mean 'fixed-4'"),
        ("repetitions: 2", "published: no.csv", "there is no file"),
        (
            "decisions: computed",
            "decisions: compute",
            "pools.computed.decisions: unknown value 'compute'; did you mean 'computed'?",
        ),
        ("disk:", "engine: rocksdb\ndisk:", "unknown workload 'rw_4kb'"),
        (
            "rw_4kb:100:oneshot",
            "rw_4kb:10000001:oneshot",
            "disk.small must have 10,000,000 jobs at most, but is 'rw_4k",
        ),
        ("rw_4kb:100:oneshot", "mixed:100:oneshot", "disk.small: unknown workload 'mixed'"),
        ("repetitions: 2", "layout: families=2", "layout: is that of a RocksDB, and needs engine: rocksdb"),
        (
            "controller: response-curve, initial: 8",
            "runtime: node, controller: response-curve, initial: 8",
            "pools.ours has a setting window, which has no effect with runtime: node",
        ),
        (
            "controller: response-curve, initial: 8, window: 500ms, settings: {",
            "runtime: node, controller: response-curve, initial: 8, settings: {tolerance: 0.1, ",
            "has runtime: node, where response-curve takes objective alone, but has tolerance",
        ),
        ("repetitions: 2", "java: 8", "java must be a version, 17 or later"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(experiment: Path, before: str, after: str, message: str) -> None:
    experiment.write_text(TEXT.replace(before, after), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_disk_experiment(experiment)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{experiment}:")


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


def test_optimal_is_the_smallest_size_within_three_percent() -> None:
    def fixed(size: int, seconds: float) -> VariantRuns:
        return VariantRuns(f"fixed-{size}", size, {1: {"seconds": seconds}})

    found = optimal_fixed([fixed(8, 10.0), fixed(2, 20.0), fixed(4, 10.2)])
    assert found is not None
    assert found.variant == "fixed-4"
    assert optimal_fixed([VariantRuns("ours", None, {1: {"seconds": 1.0}})]) is None


def test_curve_of_the_disk_holds_fixed_sizes_and_the_mean_sizes_of_the_others() -> None:
    runs = {
        size: VariantRuns(f"fixed-{size}", size, {1: {"seconds": 8.0 / size}, 2: {"seconds": 10.0 / size}})
        for size in (4, 1, 2)
    }
    ours = VariantRuns("ours", None, {1: {"seconds": 2.5, "mean_size": 3.5}})
    (chart,) = curve([*runs.values(), ours])
    line, point = chart.series
    assert (line.x, line.y) == ((1, 2, 4), (9, 4.5, 2.25))
    assert line.high[0] - line.low[0] == pytest.approx(2 * 2**0.5)
    assert (point.name, point.x, point.y) == ("ours", (3.5,), (2.5,))
    assert curve([runs[4], ours]) == ()


def test_ratio_is_paired_by_repetition() -> None:
    base = VariantRuns("a", 1, {1: {"seconds": 10.0}, 2: {"seconds": 20.0}, 3: {"seconds": 40.0}})
    half = VariantRuns("b", 1, {number: {"seconds": run["seconds"] / 2} for number, run in base.runs.items()})
    found = ratio(half, base)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    assert ratio(VariantRuns("c", 1, {9: {"seconds": 1.0}}), base) is None


def test_published_figures_are_ratios_to_their_own_optimum() -> None:
    found = published_ratios(PROJECT / "experiments" / "disk" / "published.csv")
    assert found["rw_2mb", "adapter"] == pytest.approx(324.7 / 330.8)
    assert found["rw_2mb", "optimal-fixed"] == 1


@pytest.mark.parametrize(
    "file", ["disk/single-phase/matrix", "disk/multi-phase/matrix", "node/matrix", "rocksdb/bulkload"]
)
def test_published_figures_are_of_variants_and_workloads_that_there_are(file: str) -> None:
    experiment = read_disk_experiment(PROJECT / "experiments" / f"{file}.yaml")
    names = {variant.name for variant in variants(experiment)} | {"optimal-fixed"}
    assert experiment.published is not None
    found = published_ratios(Path(experiment.published))
    assert {variant for _, variant in found} <= names
    assert {workload for workload, _ in found} & set(experiment.disk)


DISK_EXPERIMENTS = [
    *("disk/arrivals", "disk/single-phase", "disk/multi-phase", "disk/overhead", "disk/parameters"),
    *("node", "rocksdb", "rocksdb/bulkload.yaml", "virtual-files"),
]


@pytest.mark.parametrize("name", DISK_EXPERIMENTS)
def test_experiments_of_the_project_can_be_listed(poolkeeper: CommandLine, name: str) -> None:
    listed = poolkeeper(PROJECT, f"run experiments/{name} --list")
    assert listed.code == 0, listed
    assert "runs" in listed.out
