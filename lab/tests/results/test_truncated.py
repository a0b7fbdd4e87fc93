"""Files that were cut off anywhere near their end: no figure is lost or changed without a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

FILES = Path(__file__).parent / "files"
DOUBTS = {"cut off", "open end", "truncated"}
_SHOWN = ("start_ns", "response_ns", "ok", "label", "group")
YCSB = "READ latency raw data: op, timestamp(ms), latency(us)\n" + "".join(
    f"READ,17954608793{place:02d},{1000 + place}\n" for place in range(20)
)
PGBENCH = "".join(f"0 {place} 1234 0 1795460879 {100_000 + place}\n" for place in range(20))
WRITTEN = {"ycsb.txt": YCSB, "pgbench_log.1": PGBENCH, "times.csv": "name,elapsed_ms\n" + "a,123\nb,456\n" * 5}
REQUESTS = [
    "hey.csv",
    "oha.csv",
    "k6.csv",
    "jmeter.jtl",
    "logs/h2load.log",
    "logs/tsung.dump",
    "logs/vegeta.csv",
    *WRITTEN,
]
FIGURES = [
    "locust_stats.csv", "wrk.txt", "wrk-errors.txt", "wrk2.txt", "summaries/wrk-late.txt", "summaries/drill.txt",
    "summaries/h2load.txt", "summaries/httperf.txt", "summaries/loadtest.txt",
    "summaries/vegeta.hdrplot",
]  # fmt: skip


def content(name: str) -> bytes:
    return WRITTEN[name].encode() if name in WRITTEN else (FILES / name).read_bytes()


def kinds(found: results.Results) -> set[str]:
    return {finding.kind for finding in found.warnings}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_last_line_that_was_cut_changes_no_request_without_a_message(tmp_path: Path, name: str) -> None:
    whole = content(name).rstrip(b"\n")
    file = tmp_path / Path(name).name

    def rows(text: bytes) -> tuple[list[tuple[object, ...]], set[str]]:
        file.write_bytes(text)
        found = results.read(file)
        shown = [column for column in _SHOWN if column in found.columns]
        return found.frame.select(shown).collect().rows(), kinds(found)

    complete, doubts = rows(whole + b"\n")
    assert not doubts & DOUBTS
    for cut in range(1, min(8, len(whole.splitlines()[-1]))):
        left, doubts = rows(whole[:-cut])
        changed = [row for row, before in zip(left, complete, strict=False) if row != before]
        assert len(left) >= len(complete) - 1
        assert doubts & DOUBTS or (not changed and len(left) == len(complete)), cut


@pytest.mark.parametrize("name", FIGURES)
def test_figures_that_were_cut_off_are_refused_or_told(tmp_path: Path, name: str) -> None:
    whole = content(name).rstrip(b"\n")
    file = tmp_path / Path(name).name
    file.write_bytes(whole + b"\n")
    complete = results.read(file)
    assert not kinds(complete) & DOUBTS
    for end in range(len(whole) - 60, len(whole)):
        file.write_bytes(whole[:end])
        try:
            found = results.read(file)
        except FileError:
            continue
        assert kinds(found) & DOUBTS or repr(found.summaries) == repr(complete.summaries), whole[:end][-30:]


@pytest.mark.parametrize(("end", "kind"), [(b"\n98,", "cut off"), (b"\n99,1", "open end"), (b"\n100,2", "open end")])
def test_percentiles_of_ab_that_were_cut_off_are_told(tmp_path: Path, end: bytes, kind: str) -> None:
    file, whole = tmp_path / "ab.csv", content("summaries/ab.csv")
    file.write_bytes(whole[: whole.index(end) + len(end)])
    assert kind in kinds(results.read(file))


def test_statistics_of_locust_without_their_total_are_told(tmp_path: Path) -> None:
    file = tmp_path / "a_stats.csv"
    lines = content("locust_stats.csv").decode().splitlines()
    file.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    assert "cut off" in kinds(results.read(file))


def test_json_that_was_cut_off_before_it_could_be_recognised_is_named(tmp_path: Path) -> None:
    for name in ("summaries/siege.json", "summaries/bombardier.json", "logs/ghz.json"):
        file = tmp_path / "report.json"
        file.write_bytes(content(name)[:200])
        with pytest.raises(FileError, match=r"is JSON that was cut off or damaged \(line \d+: "):
            results.read(file)


def test_of_two_reports_of_wrk_the_first_one_is_read(tmp_path: Path) -> None:
    file, first = tmp_path / "wrk.txt", content("wrk.txt")
    file.write_bytes(first + first.replace(b"ms", b"s").replace(b"us", b"ms"))
    found = results.read(file)
    assert repr(found.summaries) == repr(results.read(FILES / "wrk.txt").summaries)
    assert "more text" in kinds(found)


def test_two_distributions_in_one_file_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.hgrm"
    file.write_bytes(2 * content("summaries/vegeta.hdrplot"))
    with pytest.raises(FileError, match="line 96: holds another distribution from here on"):
        results.read(file)
