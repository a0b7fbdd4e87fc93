"""The commands `run` and `demo` from the command line to the results."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from fake_testbed import FakeTestbed
from rich.console import Console

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.launch import Display, RunOptions, choose, launch
from poolkeeper.experiment.processes.quota import QuotaRefused
from poolkeeper.report.show import show_results
from poolkeeper.study import RESOLVED

ROOT = Path(__file__).parents[3]
EXPERIMENT = """
question: Does it work?
application: [prime1m, prime10m]
pools:
  fixed: {size: [2, 10]}
versus: fixed-10
load:
  phases: [{users: 20, for: 8s}, {users: 1, for: 4s}, {users: 20, for: 8s}]
"""


def asked(folder: Path, text: str = EXPERIMENT) -> Path:
    file = folder / "question" / "matrix.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file.parent


def go(
    folder: Path, options: RunOptions, testbed: FakeTestbed | None = None, path: Path | None = None
) -> tuple[int, str]:
    """Run and return the exit code and what was said beside the results."""
    console = Console(file=io.StringIO(), width=200)
    chosen = choose(path or asked(folder), options, folder / "runs")
    code = launch(chosen, testbed or FakeTestbed(), ROOT, ["poolkeeper", "run"], Display(console, show_results))
    assert isinstance(console.file, io.StringIO)
    return code, console.file.getvalue()


def test_an_experiment_ends_with_tables_and_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = go(tmp_path, RunOptions(only=["application=prime1m"], output=tmp_path / "out"))
    assert code == 0
    assert "Does it work?" in output
    assert "2 runs, about 0:46, into" in output
    results = capsys.readouterr().out
    levels = [line.split() for line in results.splitlines() if " 20 " in line or " 1 " in line]
    assert any(row[:4] == ["prime1m", "·", "fixed-2", "20"] for row in levels)
    assert f"report: {tmp_path / 'out' / 'report.html'}" in results
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


def test_a_heap_that_the_machine_has_no_memory_for_is_refused_before_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolkeeper.experiment.launch.machine", lambda: {"cpus": 4, "memory_bytes": 24 << 30})
    folder = asked(tmp_path, EXPERIMENT + "heap: [100m, 25g, 999g]\n")
    with pytest.raises(InputError) as raised:
        go(tmp_path, RunOptions(output=tmp_path / "out"), path=folder)
    assert str(raised.value) == "heap: 25g is more than the memory of this machine, 24.0g; at most 24576m"
    assert not (tmp_path / "out").exists()


CLAIM = """claims:
  - {claim: Ten do more, of: fixed-10, to: fixed-2, above: 1000}
published: figures.csv
"""


def test_claims_are_judged_and_what_was_published_is_kept_beside_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = asked(tmp_path, EXPERIMENT + CLAIM)
    (folder / "figures.csv").write_text("application,variant,mean_ms\nprime1m,fixed-2,1\n", encoding="utf-8")
    output = tmp_path / "out"
    code, _ = go(tmp_path, RunOptions(only=["application=prime1m"], output=output), path=folder)
    assert code == 0
    assert "undecided: Ten do more (the throughput of fixed-10 was " in capsys.readouterr().out
    assert (output / "published.csv").read_bytes() == (folder / "figures.csv").read_bytes()
    (folder / "figures.csv").unlink()
    code, _ = go(tmp_path, RunOptions(only=["application=prime1m"], resume=True), path=output)
    assert code == 0


def test_who_may_not_set_quotas_is_told_so_once_and_gets_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise QuotaRefused("/sys/fs/cgroup/poolkeeper-1-try: Permission denied")

    monkeypatch.setattr("poolkeeper.experiment.launch.control_groups", refuse)
    path = asked(tmp_path, EXPERIMENT + "quotas: {server: 0.5}\n")
    code, output = go(tmp_path, RunOptions(only=["application=prime1m"], output=tmp_path / "out"), path=path)
    assert code == 0
    (output,) = [line for line in output.splitlines() if line.startswith("without")]
    assert output == (
        "without CPU quotas, and the results say so: /sys/fs/cgroup/poolkeeper-1-try: Permission denied; run as root, "
        "or with control groups of version 2 under: systemd-run --user --scope ./poolkeeper run"
    )


def test_a_balancer_that_is_not_installed_is_missed_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolkeeper.experiment.balancer.nginx.shutil.which", lambda *_, **__: None)
    path = asked(tmp_path, EXPERIMENT.replace("size: [2, 10]", "size: [2, 10], balancer: round-robin, back_ends: 2"))
    with pytest.raises(RunError, match="no nginx: a balancer needs it; on Debian: apt-get install nginx-light"):
        go(tmp_path, RunOptions(output=tmp_path / "out"), path=path)
    assert not (tmp_path / "out").exists()


def test_a_failure_is_told_with_the_way_to_go_on_and_resume_goes_it(tmp_path: Path) -> None:
    output = tmp_path / "out"
    code, message = go(tmp_path, RunOptions(output=output), FakeTestbed(load_by_variant={"fixed-2": "fails"}))
    assert code == 1
    assert "prime1m · fixed-2: failed: load ended with exit code 1" in message
    assert "failed: application" not in message, "the results tell it again"
    assert (
        message.splitlines()[-1] == f"2 of 4 runs complete, 2 failed; to continue: ./poolkeeper run {output} --resume"
    )
    again = FakeTestbed()
    code, message = go(tmp_path, RunOptions(resume=True), again, path=output)
    assert code == 0
    assert "application-prime10m/fixed-2/1 runs again: it was failed" in message
    assert "2 of 4 runs complete already" in message
    assert sum("load" in command for command in again.commands) == 2
    code, message = go(tmp_path, RunOptions(resume=True), FakeTestbed(), path=output)
    assert code == 0
    assert "0 runs, about 0:00" in message


def test_the_resolved_experiment_holds_the_wishes(tmp_path: Path) -> None:
    output = tmp_path / "out"
    options = RunOptions(scale=0.5, repetitions=2, output=output, only=["variant=fixed-2", "application=prime1m"])
    go(tmp_path, options)
    again = choose(output / RESOLVED, RunOptions(output=tmp_path / "other"), tmp_path / "runs")
    assert again.experiment.name == "question"
    runs = [run for run in again.runs if run.application == "prime1m"]
    assert [(run.variant.name, run.repetition, run.load_s) for run in runs] == [
        ("fixed-2", 1, 10.0),
        ("fixed-10", 1, 10.0),
        ("fixed-10", 2, 10.0),
        ("fixed-2", 2, 10.0),
    ]


def test_results_are_not_run_over(tmp_path: Path) -> None:
    output = tmp_path / "out"
    go(tmp_path, RunOptions(output=output, only=["variant=fixed-2", "application=prime1m"]))
    with pytest.raises(InputError, match="holds results; --resume continues with them"):
        choose(output, RunOptions(), tmp_path / "runs")
    with pytest.raises(InputError, match="is not empty; --resume continues"):
        choose(asked(tmp_path), RunOptions(output=output), tmp_path / "runs")


@pytest.mark.parametrize(
    ("options", "output"),
    [
        (RunOptions(scale=0), "--scale must be above 0, but is 0"),
        (RunOptions(scale=-1), "--scale must be above 0, but is -1"),
        (RunOptions(scale=float("nan")), "--scale must be above 0, but is nan"),
        (RunOptions(repetitions=0), "--repetitions must be from 1 to 1000, but is 0"),
        (RunOptions(resume=True), "nothing to resume: there is no"),
        (RunOptions(only=["variant=fixed-3"]), "--only variant=fixed-3: unknown variant 'fixed-3'"),
    ],
)
def test_wrong_wishes_are_one_clear_line_before_anything_starts(
    tmp_path: Path, options: RunOptions, output: str
) -> None:
    with pytest.raises(InputError) as error:
        choose(asked(tmp_path), options, tmp_path / "runs")
    assert str(error.value).startswith(output)
    assert not (tmp_path / "runs").exists()


def test_a_testbed_that_is_not_built_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="build the testbed first"):
        go(tmp_path, RunOptions(), FakeTestbed(missing=RunError("build the testbed first")))
    assert not (tmp_path / "runs").exists()


def poolkeeper(*words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "poolkeeper", *words],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_command_line_lists_what_would_run(tmp_path: Path) -> None:
    done = poolkeeper("run", str(asked(tmp_path)), "--list", "--only", "application=prime10m", folder=tmp_path)
    assert done.stdout.splitlines() == [
        "prime10m · fixed-2   1 × 0:20, window 1s",
        "prime10m · fixed-10  1 × 0:20, window 1s",
        "2 runs, about 0:46 in all",
    ]
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["question"]


def test_a_typo_is_one_line_on_standard_error_and_exit_code_2(tmp_path: Path) -> None:
    path = asked(tmp_path, EXPERIMENT.replace("pools", "pool"))
    done = poolkeeper("run", str(path), folder=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"poolkeeper: {path}/matrix.yaml:4: unknown setting 'pool'; did you mean 'pools'? known: name, question, "
        "application, n, connections, database, downstream, controller, pools, architecture, handlers, heap, "
        "collector, java, window, goodput_within, bounds, initial, load, warm_up, server, scale, repetitions, order, "
        "slice, versus, claims, published, seed, quotas, parts, small\n"
    )


def test_a_home_that_is_none_is_told(tmp_path: Path) -> None:
    done = poolkeeper("demo", folder=tmp_path, POOLKEEPER_HOME=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == (
        f"poolkeeper: POOLKEEPER_HOME {tmp_path} is not the project, whose servers, loads and simulator this needs: "
        "get its repository and use the ./poolkeeper in it, or set POOLKEEPER_HOME to it\n"
    )


def test_help_loads_nothing_that_is_slow() -> None:
    code = "import sys, json, poolkeeper.cli; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    loaded = set(json.loads(done.stdout))
    assert loaded & {"numpy", "scipy", "pydantic", "yaml", "psutil", "asyncio", "jinja2", "hdrh"} == set()


def test_a_folder_of_experiments_is_answered_with_what_it_holds(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "matrix.yaml").touch()
    with pytest.raises(InputError) as raised:
        choose(tmp_path, RunOptions(), tmp_path)
    assert str(raised.value) == (f"{tmp_path}: is a folder without a matrix.yaml; give one of those below it: one, two")
    empty = tmp_path / "one" / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"without a matrix.yaml; give the file of an experiment$"):
        choose(empty, RunOptions(), tmp_path)
    (empty / "kinds.yaml").write_text("application: prime", encoding="utf-8")
    (empty / "model.yaml").write_text("tiers: {}", encoding="utf-8")
    (empty / "damaged.yaml").write_text("[", encoding="utf-8")
    with pytest.raises(InputError, match=r"without a matrix.yaml; give one of its files: kinds.yaml$"):
        choose(empty, RunOptions(), tmp_path)


def test_what_only_the_full_form_has_is_not_called_unknown(tmp_path: Path) -> None:
    path = asked(tmp_path, EXPERIMENT + "small:\n  parts: [{application: prime1m}]\n")
    with pytest.raises(InputError, match=r"^--only application=prime10m: only in the full form: --full$"):
        choose(path, RunOptions(only=["application=prime10m"]), tmp_path)
    with pytest.raises(InputError, match="unknown application 'prime'"):
        choose(path, RunOptions(only=["application=prime"]), tmp_path)
    assert choose(path, RunOptions(only=["application=prime10m"], full=True), tmp_path).runs


def test_a_phase_that_is_not_scaled_down_is_told(tmp_path: Path) -> None:
    code, output = go(tmp_path, RunOptions(only=["variant=fixed-2", "application=prime1m"], scale=0.2))
    assert code == 0
    assert "no phase is scaled below 1 s, since the load is recorded by the second" in output


def test_results_of_another_experiment_are_refused_and_left_as_they_are(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert go(tmp_path, RunOptions(only=["variant=fixed-2", "application=prime1m"], output=out))[0] == 0
    other = tmp_path / "another" / "matrix.yaml"
    other.parent.mkdir()
    other.write_text(EXPERIMENT, encoding="utf-8")
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    output = "out: holds results of question, which another cannot continue"
    with pytest.raises(InputError, match=output):
        choose(other.parent, RunOptions(output=out, resume=True), tmp_path / "runs")
    (out / RESOLVED).unlink()  # its runs name it too
    with pytest.raises(InputError, match=output):
        choose(other.parent, RunOptions(output=out, resume=True), tmp_path / "runs")
    del before[out / RESOLVED]
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
