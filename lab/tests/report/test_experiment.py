"""Runs gathered from folders: what is found, what is broken, what cannot be shown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from experiments import STEADY, add_run, two_axes
from typer.testing import CliRunner

from poolkeeper.cli import app
from poolkeeper.report import write_reports
from poolkeeper.report.experiment import NothingToShow, cell_name, load_experiments

GOLDEN = Path(__file__).parents[3] / "contract" / "golden" / "v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("fixed-2", "fixed-10"):
        add_run(tmp_path / "demo", name, phases=STEADY)
    return tmp_path / "demo"


def test_a_report_goes_beside_the_runs_unless_told(folder: Path) -> None:
    assert [report.path for report in write_reports([folder])] == [folder / "report.html"]
    assert [report.path for report in write_reports([folder / "fixed-2/0"])] == [folder / "fixed-2/0/report.html"]
    elsewhere = folder.parent / "elsewhere.html"
    assert [report.path for report in write_reports([folder], elsewhere)] == [elsewhere]
    assert elsewhere.read_text(encoding="utf-8") == (folder / "report.html").read_text(encoding="utf-8")


def test_several_experiments_give_a_report_each(folder: Path) -> None:
    add_run(folder.parent / "other", "fixed-2", phases=STEADY)
    add_run(folder.parent / "other", "adaptive", phases=STEADY)
    reports = write_reports([folder.parent])
    assert [(report.experiment, report.path) for report in reports] == [
        ("demo", folder / "report.html"),
        ("other", folder.parent / "other" / "report.html"),
    ]
    with pytest.raises(Exception, match=r"one file cannot hold the 2 experiments found \(demo, other\)"):
        write_reports([folder.parent], folder / "one.html")


def test_several_folders_of_one_experiment_become_one_report(folder: Path) -> None:
    moved = folder.parent / "later" / "demo"
    moved.parent.mkdir()
    add_run(moved, "adaptive", phases=STEADY)
    (report,) = write_reports([folder, moved])
    assert report.path == folder.parent / "report.html"
    assert "The adaptive pool served" in report.text


def test_a_broken_run_is_named_and_the_others_are_shown(folder: Path) -> None:
    broken = add_run(folder, "adaptive", phases=STEADY)
    with (broken / "load.csv").open("a", encoding="utf-8") as file:
        file.write("1,2,3\n")
    (experiment,) = load_experiments([folder])
    assert [run.variant for run in experiment.runs] == ["fixed-10", "fixed-2"]
    assert [(broken.place, broken.problem) for broken in experiment.broken] == [
        ("adaptive/0", "load.csv: line 14: has 3 cells, the header has 15")
    ]
    assert "adaptive/0 cannot be read and is left out: load.csv: line 14" in (
        write_reports([folder])[0].path.read_text(encoding="utf-8")
    )


def test_cells_are_sorted_as_a_person_would(tmp_path: Path) -> None:
    (experiment,) = load_experiments([two_axes(tmp_path / "axes")])
    assert [cell_name(cell) for cell in experiment.cells()] == [
        "dbwrite · 1 user",
        "dbwrite · 100 users",
        "prime1m · 1 user",
        "prime1m · 100 users",
    ]


def test_nothing_to_show_is_said_in_one_line(tmp_path: Path, folder: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    cases = {
        tmp_path / "absent": "absent: no such folder",
        folder / "fixed-2/0/run.json": "run.json: is a file; give the folder of an experiment or of a run",
        empty: "empty: holds no run (no run.json in it or below)",
    }
    for given, problem in cases.items():
        with pytest.raises(NothingToShow) as raised:
            load_experiments([given])
        assert str(raised.value) == f"{given.parent}/{problem}"


def test_only_broken_runs_are_nothing_to_show(folder: Path) -> None:
    for run in (folder / "fixed-2/0", folder / "fixed-10/0"):
        document = json.loads((run / "run.json").read_text(encoding="utf-8"))
        (run / "run.json").write_text(json.dumps(document | {"version": 3}), encoding="utf-8")
    with pytest.raises(
        NothingToShow, match=r"none of the 2 runs can be read; the first: .*version 3 of the run record"
    ):
        load_experiments([folder])


def test_the_command_prints_the_answer_and_the_path(tmp_path: Path) -> None:
    golden = shutil.copytree(GOLDEN, tmp_path / "golden")
    done = CliRunner().invoke(app, ["report", str(golden)])
    assert done.exit_code == 0, done.output
    answer, *notes, path = done.output.splitlines()
    assert answer.startswith("The adaptive pool served 205 requests per second")
    assert all(note.startswith("note: ") for note in notes)
    assert "note: The run cut-off was interrupted after 6 s of load; no verdict rests on it." in notes
    assert path == f"report: {golden / 'report.html'}"


def test_the_command_takes_a_file_to_write(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["report", str(GOLDEN), "--output", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "page.html").stat().st_size > 50_000
