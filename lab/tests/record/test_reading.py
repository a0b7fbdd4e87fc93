"""Behaviour of the reader for records that are cut off, incomplete, wrong or of a later version."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkeeper.record import BadLine, RecordError, find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parents[3] / "contract" / "golden" / "v1"
FILES = ("windows.csv", "decisions.jsonl", "load.csv", "latency.hlog")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return shutil.copytree(GOLDEN / "adaptive", tmp_path / "adaptive")


def edit(file: Path, change: Callable[[str], str]) -> None:
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


def edit_run(record: Path, **changes: Any) -> None:
    edit(record / "run.json", lambda text: json.dumps(json.loads(text) | changes))


@pytest.mark.parametrize("name", FILES)
def test_a_last_line_without_end_is_ignored_with_a_note(record: Path, name: str) -> None:
    whole = read_run(record)
    edit(record / name, lambda text: text.removesuffix("\n"))
    cut = read_run(record)
    assert cut.notes == (f"{name}: the last line is cut off and was ignored",)

    def sizes(run: Any) -> list[int]:
        return [len(run.windows), len(run.decisions), len(run.load), len(run.latency.intervals)]

    assert [before - after for before, after in zip(sizes(whole), sizes(cut), strict=True)] == [
        int(name == file) for file in FILES
    ]


@pytest.mark.parametrize("name", FILES)
def test_a_bad_line_is_named_with_file_and_line(record: Path, name: str) -> None:
    edit(record / name, lambda text: "\n".join([*text.split("\n")[:8], "nonsense", *text.split("\n")[8:]]))
    with pytest.raises(BadLine, match=f"{name}: line 9: ") as raised:
        read_run(record)
    assert (raised.value.file, raised.value.line) == (record / name, 9)


@pytest.mark.parametrize("places", [(4, 4), (5, 4)], ids=["twice", "swapped"])
def test_windows_of_a_pool_follow_each_other(record: Path, places: tuple[int, int]) -> None:
    def damaged(text: str) -> str:
        lines = text.split("\n")
        return "\n".join([*lines[:4], *(lines[place] for place in places), *lines[6:]])

    edit(record / "windows.csv", damaged)
    with pytest.raises(BadLine, match=r"windows.csv: line 6: start_ns is before the end of the pool's window"):
        read_run(record)


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        ("size", "many", "size is not a whole number: 'many'"),
        ("size", "1.5", "size is not a whole number: '1.5'"),
        ("busy", "NaN", "busy is not a finite number: 'NaN'"),
        ("busy", "-0.1", "busy is below 0: -0.1"),
        ("completions", "9" * 40, f"completions is beyond {2**63 - 1}: {'9' * 40}"),
        ("start_ns", "", "start_ns is empty"),
        ("end_ns", "5002500000000", "end_ns is before start_ns"),
    ],
)
def test_a_bad_cell_is_named(record: Path, column: str, cell: str, problem: str) -> None:
    def change(text: str) -> str:
        lines = text.split("\n")
        cells = lines[2].split(",")
        cells[lines[0].split(",").index(column)] = cell
        return "\n".join([*lines[:2], ",".join(cells), *lines[3:]])

    edit(record / "windows.csv", change)
    with pytest.raises(BadLine) as raised:
        read_run(record)
    assert str(raised.value) == f"{record / 'windows.csv'}: line 3: {problem}"


def test_an_empty_cell_is_not_measured(record: Path) -> None:
    before = _not_measured(record)
    edit(record / "windows.csv", lambda text: text.replace(",0,0,", ",,,", 1))
    assert _not_measured(record) == before + 2


def _not_measured(record: Path) -> int:
    windows = read_run(record).windows
    assert windows is not None
    return sum(int(np.isnan(cells).sum()) for cells in windows.numbers.values())


def test_a_missing_column_is_named(record: Path) -> None:
    edit(record / "load.csv", lambda text: text.replace("users", "user", 1))
    with pytest.raises(BadLine, match=r"load.csv: line 1: column missing: users"):
        read_run(record)


def test_an_optional_column_may_be_missing(record: Path) -> None:
    edit(record / "load.csv", lambda text: text.replace("p50_ns", "something_else", 1))
    load = read_run(record).load
    assert load is not None
    assert np.isnan(load["p50_s"]).all()
    assert not np.isnan(load["p99_s"]).any()


@pytest.mark.parametrize("name", ["windows.csv", "load.csv", "load.json", "latency.hlog", "run.json"])
def test_an_empty_file_is_named(record: Path, name: str) -> None:
    (record / name).write_bytes(b"")
    with pytest.raises(RecordError, match=f"{name}: is empty"):
        read_run(record)


def test_no_decisions_are_no_error(record: Path) -> None:
    (record / "decisions.jsonl").write_bytes(b"")
    assert read_run(record).decisions == ()


@pytest.mark.parametrize("name", [*FILES, "load.json"])
def test_a_file_may_be_missing_only_from_an_unfinished_run(record: Path, name: str) -> None:
    (record / name).unlink()
    with pytest.raises(RecordError, match=f"{name}: is missing although the run is complete"):
        read_run(record)
    edit_run(record, status="failed", error="the database died")
    run = read_run(record)
    assert run.notes == (f"{name} is missing",)
    assert run.error == "the database died"


def test_a_later_version_is_refused_by_name(record: Path) -> None:
    edit_run(record, version=2, machine="of a form this reader cannot know")
    with pytest.raises(RecordError, match=r"run.json: version 2 of the run record; this reader knows versions up to 1"):
        read_run(record)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"version": 0}, "version 0 of the run record does not exist"),
        ({"version": "one"}, "version: input should be a valid integer"),
        ({"status": "done"}, "status: input should be 'running', 'complete', 'interrupted' or 'failed'"),
        ({"machine": {"os": "Linux"}}, "machine.cpus: field required"),
        ({"repetition": -1}, "repetition: input should be greater than or equal to 0"),
    ],
)
def test_what_is_wrong_with_run_json_is_named(record: Path, changes: dict[str, Any], problem: str) -> None:
    edit_run(record, **changes)
    with pytest.raises(RecordError) as raised:
        read_run(record)
    assert str(raised.value).startswith(f"{record / 'run.json'}: {problem}")
    assert "\n" not in str(raised.value)


def test_run_json_that_is_no_object(record: Path) -> None:
    (record / "run.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(RecordError, match=r"run.json: "):
        read_run(record)


def test_runs_are_found_below_a_folder(tmp_path: Path) -> None:
    for place in ("b/run-2", "a/run-1", "a/.hidden/run", "x/y/z/run-3", "v/w/x/y/z/too-deep"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder / "run.json").touch()
    (tmp_path / "report.html").touch()
    assert [str(found.relative_to(tmp_path)) for found in find_runs(tmp_path)] == ["a/run-1", "b/run-2", "x/y/z/run-3"]
    assert find_runs(tmp_path / "a" / "run-1") == [tmp_path / "a" / "run-1"]
    assert find_runs(tmp_path / "x") == [tmp_path / "x" / "y" / "z" / "run-3"]


@settings(max_examples=150)
@given(name=st.sampled_from(FILES), data=st.data())
def test_damage_is_read_or_named_never_a_crash(tmp_path_factory: pytest.TempPathFactory, name: str, data: Any) -> None:
    record = tmp_path_factory.mktemp("damaged") / "run"
    shutil.copytree(GOLDEN / "fixed-4" if name != "decisions.jsonl" else GOLDEN / "adaptive", record)
    content = bytearray((record / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    (record / name).write_bytes(bytes(content))
    assert _blamed(record) in {None, record / name}
    shutil.rmtree(record)


def _blamed(record: Path) -> Path | None:
    """The file that cannot be read, if there is one."""
    try:
        read_run(record)
    except RecordError as error:
        return error.file
    return None
