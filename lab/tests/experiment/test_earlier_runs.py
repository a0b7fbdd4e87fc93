from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.definition.model import Experiment
from poolkeeper.experiment.planning.earlier_runs import EARLIER, differences, folder_for, locked, sort_out
from poolkeeper.experiment.planning.plan import PlannedRun, plan

if TYPE_CHECKING:
    from pathlib import Path

JSON = st.recursive(
    st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def planned(folder: Path, **changes: Any) -> list[PlannedRun]:
    stated = {
        "name": "asked",
        "question": "Which?",
        "application": "prime1m",
        "pools": {"fixed": {"size": [1, 2, 3, 4]}},
        "load": {"users": 5, "for": "10s"},
        "versus": "fixed-1",
    }
    return plan(Experiment.model_validate({**stated, **changes}), folder)


def record(run: PlannedRun, status: str | None = "complete") -> None:
    run.folder.mkdir(parents=True)
    (run.folder / "windows.csv").write_text(run.id, encoding="utf-8")
    if status is not None:
        document = {"status": status, "configuration": run.configuration}
        (run.folder / "run.json").write_text(json.dumps(document), encoding="utf-8")


def test_complete_runs_are_kept_and_others_are_made_again_without_losing_them(tmp_path: Path) -> None:
    runs = planned(tmp_path)
    for run, status in zip(runs, ["complete", "interrupted", "running", None], strict=True):
        record(run, status)
    found = sort_out(tmp_path, runs)
    assert found.kept == runs[:1]
    assert found.to_do == runs[1:]
    assert found.notes[:3] == [
        "fixed-2/1 runs again: it was interrupted",
        "fixed-3/1 runs again: it was cut off",
        "fixed-4/1 runs again: it was unreadable",
    ]
    assert not any(run.folder.exists() for run in found.to_do)
    (aside,) = (tmp_path / EARLIER).iterdir()
    assert f"what these had measured before is in {aside}" == found.notes[3]
    assert (aside / "fixed-3/1/windows.csv").read_text(encoding="utf-8") == "fixed-3/1"


def test_a_new_folder_has_everything_to_do(tmp_path: Path) -> None:
    runs = planned(tmp_path)
    found = sort_out(tmp_path, runs)
    assert (found.to_do, found.kept, found.notes) == (runs, [], [])


def test_a_changed_configuration_is_named(tmp_path: Path) -> None:
    for run in planned(tmp_path):
        record(run)
    changed = planned(tmp_path, load={"users": 7, "for": "20s"})
    found = sort_out(tmp_path, changed)
    assert found.to_do == changed
    assert found.notes[0] == (
        "fixed-1/1 runs again: load.phases[1].users was 5, is 7; load.phases[1].seconds was 10.0, is 20.0"
    )


def test_another_question_or_baseline_does_not_change_what_was_measured(tmp_path: Path) -> None:
    for run in planned(tmp_path):
        record(run)
    runs = planned(tmp_path, question="Why?", versus="fixed-2")
    assert sort_out(tmp_path, runs).kept == runs
    document = json.loads((runs[0].folder / "run.json").read_text(encoding="utf-8"))
    assert document["configuration"]["question"] == "Why?"
    assert document["configuration"]["versus"] == "fixed-2"


@given(JSON, JSON)
def test_documents_differ_exactly_where_differences_are_named(before: Any, now: Any) -> None:
    assert differences(now, now) == []
    assert bool(differences(before, now)) == (json.loads(json.dumps(before)) != json.loads(json.dumps(now)))


def test_a_second_lab_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with locked(tmp_path / "runs"), pytest.raises(RunError, match="another poolkeeper"), locked(tmp_path / "runs"):
        pass
    with locked(tmp_path / "runs"):
        pass


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="Not a directory"), locked(tmp_path / "file" / "runs"):
        pass


def test_results_go_to_a_new_folder_and_resume_takes_the_newest(tmp_path: Path) -> None:
    new = folder_for("demo", None, tmp_path, resume=False)
    assert new.parent == tmp_path
    assert new.name.startswith("demo-2")
    with pytest.raises(InputError, match="nothing to resume: there is no"):
        folder_for("demo", None, tmp_path, resume=True)
    for name in ("demo-20260101-120000", "demo-20260301-110000", "demo-long-20270101-000000", "demo-9-20270101-000000"):
        (tmp_path / name).mkdir()
    assert folder_for("demo", None, tmp_path, resume=True) == tmp_path / "demo-20260301-110000"


def test_a_folder_that_is_named_must_fit_the_wish(tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert folder_for("demo", output, tmp_path, resume=False) == output
    with pytest.raises(InputError, match="no such folder, so there is nothing to resume"):
        folder_for("demo", output, tmp_path, resume=True)
    output.mkdir()
    assert folder_for("demo", output, tmp_path, resume=False) == output
    (output / "servers").mkdir()
    assert folder_for("demo", output, tmp_path, resume=False) == output, (
        "as after a start for which a program is missing"
    )
    (output / "servers" / "something").touch()
    assert folder_for("demo", output, tmp_path, resume=True) == output
    with pytest.raises(InputError, match="is not empty; --resume continues"):
        folder_for("demo", output, tmp_path, resume=False)
