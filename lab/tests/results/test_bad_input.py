"""Faults of a file: each is named as an error with line and reason, or as a finding with words."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import pytest
import zstandard

from poolkeeper import results
from poolkeeper.errors import InputError
from poolkeeper.results import FileError, Results, source
from poolkeeper.results.findings import Findings

FILES = Path(__file__).parent / "files"
HEADER = "timeStamp,elapsed,label,responseCode,threadName,success,bytes,allThreads\n"
START = 1_700_000_000_000
REST = "200,t,true,1,1\n"
GATLING = "RUN\ta\tb\t1\t \t3.9\n"
LOCUST = "Type,Name,Request Count,Failure Count\n"
HLOG = "#[Histogram log format version 1.3]\n"
XML = '<?xml version="1.0"?>\n<testResults version="1.2">\n'
K6 = '{"type":"Metric","metric":"x"}\n'


def jtl(count: int, *, start: int = START, elapsed: int = 20, step: int = 100, users: int = 3) -> str:
    return "".join(
        f'{start + k * step},{elapsed + k % 7},"GET /{k % 3}, x",200,Users 1-{k % 3},true,100,{users}\n'
        for k in range(count)
    )


def put(folder: Path, text: str | bytes, name: str = "results.jtl") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def zipped() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("results.jtl", HEADER + jtl(9))
    return made.getvalue()


def kinds(found: Results) -> list[str]:
    return [warning.kind for warning in found.warnings]


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "empty file": ("", "is empty"),
    "nothing but blanks": (" \r\n\n", "is empty"),
    "mark of UTF-8 alone": (b"\xef\xbb\xbf", "is empty"),
    "no results": ("# A page\nof text\n", "line 1: has no known format .* begins with '# A page'"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "has no known format"),
    "no elapsed": ("timeStamp,label\n1,a\n", "line 1: .*has no column elapsed"),
    "a column twice": ("timeStamp,elapsed,elapsed\n1,2,3\n", "line 1: names a column twice"),
    "a word for a number": (
        HEADER + jtl(3) + f"{START},fast,a,{REST}",
        "line 5: elapsed is not a whole number: 'fast'",
    ),
    "seconds in JMeter's results": (
        HEADER + f"{START},0.128,a,{REST}",
        "line 2: elapsed is not a whole number: '0.128'; are these seconds\\? Format columns, .* unit s",
    ),
    "NaN in JMeter's results": (
        HEADER + f"{START},NaN,a,{REST}",
        "line 2: elapsed is not a whole number: 'NaN'",
    ),
    "success that is neither": (
        HEADER + f"{START},5,a,200,t,maybe,1,1\n",
        "line 2: success is not true or false: 'maybe'",
    ),
    "a line too short": (HEADER + f"{START},5,a\n" + jtl(3), "line 2: ends before success"),
    "a label with a bare comma": (
        HEADER + jtl(2) + f"{START},5,a,b,{REST}",
        "line 4: has 9 cells, but there are 8",
    ),
    "a quote that never ends": (HEADER + jtl(2) + f'{START},5,"a,{REST}' + jtl(2), "line 4: is not CSV"),
    "bytes that are no text": (
        HEADER.encode() + b"1700000000000,5,\xff\xfe,200,t,true,1,1\n",
        "line 2: is not text in UTF-8; .* convert it: iconv",
    ),
    "after quoted newlines": (
        HEADER + f'{START},5,"a\nb",{REST}{START},x,a,{REST}',
        "line 4: elapsed is not",
    ),
    "k6 without a value": (
        "metric_name,timestamp,metric_value,name\nhttp_req_duration,1700000000,fast,a\n",
        "line 2: metric_value is not a number: 'fast'",
    ),
    "JSON that breaks off": (
        K6 + '{"type":"Point","metric":"http_req_duration","da\n{}\n',
        "line 2: is not JSON",
    ),
    "Gatling with a strange record": (GATLING + "HELLO\tx\n", "line 2: 'HELLO' is not a record"),
    "Gatling without an end": (
        GATLING + "REQUEST\t\tx\t1\tsoon\tOK\t \n",
        "line 2: a request whose start and end",
    ),
    "XML without a time": (
        XML + '<sample ts="1" s="true"/>\n</testResults>\n',
        "line 3: a sample without its time",
    ),
    "a report of wrk cut off": ("Running 3s test @ http://x/\n  1 threads and 4 connections\n", "cut off"),
    "Locust with a header only": (LOCUST, "only a header"),
    "Locust with a word": (
        LOCUST + "GET,a,many,0\n",
        "line 2: Request Count is not a number: 'many'",
    ),
    "a log with a broken interval": (
        HLOG + "1,1,1,AAAA\n",
        "line 2: its histogram cannot be decoded",
    ),
    "a log with a strange line": (HLOG + "hello\n", "line 2: is not an interval"),
    "numbers with units": ("12.5ms\n900us\n", r"has units behind its numbers \('12.5ms'\)"),
    "a table with units": ("name,latency\na,0.5 s\n", r"has units behind its numbers \('0.5 s'\)"),
    "a file packed twice": (gzip.compress(gzip.compress(b"1\n2\n")), "is packed in a way that is not read, or twice"),
    "an archive of 7z": (b"7z\xbc\xaf\x27\x1c" + HEADER.encode(), "is packed in a way that is not read"),
    "a program": (b"\x7fELF\x02\x01\x01\0\0\0\n" + bytes(100), "has no known format: it is binary"),
    "UTF-16 without its mark": (
        (HEADER + jtl(3)).encode("utf-16-le"),
        "without its mark; convert it: iconv -f utf-16le",
    ),
    "the other one": ((HEADER + jtl(3)).encode("utf-16-be"), "without its mark; convert it: iconv -f utf-16be"),
    "UTF-32": ((HEADER + jtl(3)).encode("utf-32"), "is text in UTF-32; convert it: iconv -f utf-32"),
    "a log with a start that is none": (
        HLOG + f"#[StartTime: {10**20} (seconds since epoch), x]\n1,1,1,HIST\n",
        "line 2: has a StartTime as no test has",
    ),
    "a separator of groups in a number": (
        HEADER + f"{START},7\x1d,a,{REST}",
        r"line 2: elapsed is not a whole number: '7.x1d'",
    ),
    "a percentile of endless requests": (
        "Value Percentile TotalCount 1/(1-Percentile)\n\n 1.0 0.5 " + "9" * 5000 + " 2.00\n",
        "has no percentiles below its header",
    ),
    "a report of wrk with endless requests": (
        "Running 3s test @ http://x/\n  1 threads and 4 connections\n  "
        + "9" * 5000
        + " requests in 3.00s, 1KB read\n",
        "no line says how many requests there were",
    ),
    "a log of HAProxy with an endless time": (
        f'[01/Jan/2026:10:00:01.250] web app/s1 0/0/0/1/{"9" * 5000} 200 1 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"\n',
        "has no known format|not in the default format",
    ),
    "JSON with a long number": ('{\n"a": ' + "9" * 5000 + "}", "is JSON with a number that is too long"),
    "a zip that lacks some bytes": (zipped()[:60] + zipped()[90:], "cannot be unpacked: "),
    "a damaged gzip": (b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\xff" * 20, "cannot be unpacked"),
}


@pytest.mark.parametrize("column", ["1", "elapsed"])
def test_a_report_is_named_also_where_a_column_was_asked_for(tmp_path: Path, column: str) -> None:
    with pytest.raises(FileError, match="is a report of fio"):
        results.read(put(tmp_path, '{\n "fio version" : "fio-3.33",\n'), column=column)


@pytest.mark.parametrize("fault", REFUSED)
def test_a_file_that_is_not_what_it_claims_is_named_with_line_and_reason(tmp_path: Path, fault: str) -> None:
    text, words = REFUSED[fault]
    file = put(tmp_path, text)
    with pytest.raises(InputError, match=words) as caught:
        results.read(file).digest()
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("packed", [True, False])
def test_the_line_is_right_whichever_way_a_file_is_read(tmp_path: Path, packed: bool) -> None:  # noqa: FBT001
    text = (HEADER + jtl(100) + f"{START},x,a,{REST}" + jtl(3)).encode()
    with pytest.raises(FileError, match="line 102: elapsed"):
        results.read(put(tmp_path, gzip.compress(text) if packed else text)).digest()


@pytest.mark.parametrize(
    "end", ["1700000099999,5", '1700000099999,5,"GET /a', "1700000099999,5,a,200,t,tr", "17000000", f"{START},"]
)
def test_a_last_line_that_was_cut_off_is_left_out_and_told(tmp_path: Path, end: str) -> None:
    found = results.read(put(tmp_path, HEADER + jtl(20) + end))
    assert found.digest().count == 20
    assert kinds(found) == ["cut off"]
    assert "last line is cut off" in str(found.warnings[0])


def test_a_last_line_that_lacks_only_its_end_counts(tmp_path: Path) -> None:
    found = results.read(put(tmp_path, (HEADER + jtl(20)).rstrip("\n")))
    assert (found.digest().count, found.warnings) == (20, ())


def test_xml_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = (FILES / "jmeter-parent.xml").read_text(encoding="utf-8")
    found = results.read(put(tmp_path, whole[: whole.rindex("<sample ") + 30]))
    assert found.digest().count == 44
    assert set(kinds(found)) == {"cut off"}


def test_a_packed_file_that_was_cut_off_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    packed = gzip.compress((HEADER + jtl(60_000)).encode())
    found = results.read(put(tmp_path, packed[: len(packed) // 2], "results.jtl.gz"))
    assert 10_000 < found.digest().count < 50_000
    assert "truncated" in kinds(found)
    frames = zstandard.compress((HEADER + jtl(60_000)).encode())
    found = results.read(put(tmp_path, frames[: len(frames) // 2], "results.jtl.zst"))
    assert 0 < found.digest().count < 60_000
    assert "truncated" in kinds(found)


ODD: dict[str, tuple[str | bytes, list[str], int]] = {
    "header only": (HEADER, [], 0),
    "one row": (HEADER + jtl(1), [], 1),
    "marked UTF-8": (b"\xef\xbb\xbf" + (HEADER + jtl(9)).encode(), [], 9),
    "UTF-16": ((HEADER + jtl(9)).encode("utf-16"), [], 9),
    "Windows line ends": ((HEADER + jtl(9)).replace("\n", "\r\n"), [], 9),
    "semicolons": (HEADER.replace(",", ";") + jtl(3).replace(",", ";"), [], 3),
    "gzip": (gzip.compress((HEADER + jtl(9)).encode()), [], 9),
    "zstd": (zstandard.compress((HEADER + jtl(9)).encode()), [], 9),
    "negative": (HEADER + jtl(9) + f"{START},-5,a,{REST}", ["no response time"], 9),
    "the same header again": (HEADER + jtl(9) + HEADER + jtl(9, start=START + 900), ["appended"], 18),
    "clock set back": (HEADER + jtl(300) + jtl(300, start=START - 3_600_000), ["clock", "gap"], 600),
    "an hour apart": (HEADER + jtl(9) + jtl(9, start=START + 3_600_000), ["gap"], 18),
    "seconds for dates": (HEADER + jtl(9, start=START // 1000, step=1), ["dates"], 9),
    "seconds for milliseconds": (HEADER + jtl(2000, elapsed=1, step=10, users=400), ["unit"], 2000),
    "microseconds for milliseconds": (HEADER + jtl(2000, elapsed=20_000, step=10), ["unit"], 2000),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_told_and_the_rest_is_read(tmp_path: Path, name: str) -> None:
    text, wanted, count = ODD[name]
    found = results.read(put(tmp_path, text))
    assert found.digest().count == count
    assert kinds(found) == wanted
    assert all("\n" not in warning.words for warning in found.warnings)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        HEADER + jtl(9),
        HEADER + jtl(5) + HEADER + jtl(4),
        (FILES / "jmeter-bare.jtl").read_text(),
        (FILES / "k6.csv").read_text(),
        (FILES / "k6.json").read_text(),
        (FILES / "oha.csv").read_text(),
        (FILES / "hey.csv").read_text(),
        (FILES / "gatling-3.9.log").read_text(),
        "103.2\n99.1\n12\n",
        "a,latency_ms\nx,103.2\ny,99.1\nz,12\n",
    ],
)
def test_empty_lines_are_passed_over(tmp_path: Path, text: str, end: str, packed: bool) -> None:  # noqa: FBT001
    def found(lines: list[str]) -> Results:
        written = end.join((*lines, "")).encode()
        return results.read(put(tmp_path, gzip.compress(written) if packed else written, "results"))

    lines = text.splitlines()
    expected = found(lines)
    with_empty = found([*lines[:3], "", "", *lines[3:], "", ""])
    assert with_empty.values().tolist() == expected.values().tolist()
    assert kinds(with_empty) == kinds(expected)


def test_rows_without_anything_are_empty_lines(tmp_path: Path) -> None:
    nothing = ",,,,,,,\n"
    assert results.read(put(tmp_path, HEADER + jtl(1) + nothing + jtl(1))).digest().count == 2
    with pytest.raises(FileError, match="line 3: timeStamp is missing"):
        results.read(put(tmp_path, HEADER + nothing + nothing[:-1] + "1\n" + jtl(1))).digest()


def test_rows_before_a_header_that_comes_again_count_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_BLOCK", 500)
    text = HEADER + jtl(50) + HEADER + jtl(40, start=START + 5000)
    found = results.read(put(tmp_path, gzip.compress(text.encode())))
    assert (found.digest().count, kinds(found)) == (90, ["appended"])


def test_columns_without_unit_are_doubted_where_the_numbers_suggest_it(tmp_path: Path) -> None:
    file = put(tmp_path, "0.231\n0.412\n0.198\n")
    assert "if they are seconds, say unit s" in str(results.read(file).warnings[0])
    assert results.read(file, unit="s").warnings == ()
    assert results.read(put(tmp_path, "250000\n310000\n190000\n")).warnings[0].kind == "unit"


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("nan", "without a response time (missing, or not a number)"),
        ("NaN", "without a response time (missing, or not a number)"),
        ("-3", "with a negative response time"),
        ("-1e300", "with a negative response time"),
        ("inf", "with a response time beyond 292 years (infinite, or in another unit)"),
        ("1e17", "with a response time beyond 292 years (infinite, or in another unit)"),
        ("1e300", "with a response time beyond 292 years (infinite, or in another unit)"),
    ],
)
def test_numbers_that_are_no_response_times_are_left_out_and_told(tmp_path: Path, cell: str, words: str) -> None:
    found = results.read(put(tmp_path, f"1.5\n{cell}\n2\n"))
    assert found.values().tolist() == [1.5e6, 2e6]
    assert found.warnings[0].words == f"results.jtl: 1 request {words} was left out"


def test_decimal_commas_are_named(tmp_path: Path) -> None:
    file = put(tmp_path, "103,214\n99,1\n")
    with pytest.raises(
        InputError,
        match=r"a comma \(103,214\): write decimal points: tr , \. < FILE > CONVERTED; or say which",
    ):
        results.read(file)
    assert kinds(results.read(file, column="column 0")) == ["decimal comma"]
    assert kinds(results.read(put(tmp_path, "103.5,214\n99,1\n"), column="column 0")) == ["not read"]


@pytest.mark.parametrize("text", ["12,5;a\n13,7;b\n", "12,5;13,7\n1,5;1,7\n", "ms\n12,5\n13,7\n", "12;0,25\n13;0,5\n"])
def test_decimal_commas_beside_semicolons_or_a_header_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError, match=r"write (a )?decimal point"):
        results.read(put(tmp_path, text), column=int(text.startswith("12;"))).digest()


@pytest.mark.parametrize("lead", ["\n", "# made by hand\n", "# made by hand\n\n# twice, 2\n"])
@pytest.mark.parametrize("text", [HEADER + jtl(5), "3.5\n2\n1\n", "a,latency_ms\nx,3\ny,2\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_comments_and_empty_lines_at_the_beginning_are_passed_over(
    tmp_path: Path,
    lead: str,
    text: str,
    packed: bool,  # noqa: FBT001
) -> None:
    def found(written: str) -> Results:
        return results.read(put(tmp_path, gzip.compress(written.encode()) if packed else written.encode()))

    expected = found(text).values().tolist()
    assert found(lead + text).values().tolist() == expected
    wrong = lead + text + text.splitlines()[-1].replace("2", "x").replace("1", "x") + "\n"
    with pytest.raises(FileError, match=f"line {wrong.count(chr(10))}: "):
        found(wrong).values()


@pytest.mark.parametrize("name", ["fifo", "-"])
def test_a_pipe_without_a_writer_and_standard_input_are_named(tmp_path: Path, name: str) -> None:
    """To open such a pipe would wait for ever."""
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(FileError, match=r"is a pipe or a terminal, .* write them to a file"):
        results.read(tmp_path / name)


def test_a_file_without_requests_among_others_is_told(tmp_path: Path) -> None:
    """A load generator that failed leaves a header."""
    found = results.read([put(tmp_path, HEADER + jtl(9), "a.jtl"), put(tmp_path, HEADER, "b.jtl")])
    assert [warning.words for warning in found.warnings] == ["b.jtl: none of these requests are from it"]


def test_a_pipe_is_named() -> None:
    reads, writes = os.pipe()
    os.close(writes)
    try:
        with pytest.raises(FileError, match=r"is a pipe or a terminal, .* write them to a file"):
            results.read(f"/dev/fd/{reads}")
    finally:
        os.close(reads)


def test_text_after_a_report_is_told(tmp_path: Path) -> None:
    report = (FILES / "wrk.txt").read_text()
    assert kinds(results.read(put(tmp_path, report + "\n"))) == kinds(results.read(put(tmp_path, report)))
    found = results.read(put(tmp_path, report + HEADER + jtl(2))).warnings[-1]
    assert found.words == "results.jtl: 3 lines after wrk's report were not read"


def test_units_within_cells_are_refused_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="line 2: column 0 is not a number: '3ms'"):
        results.read(put(tmp_path, "1.5\n3ms\n2\n")).digest()


def test_files_of_two_tests_are_told(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER + jtl(50), "one.jtl")
    later = put(tmp_path, HEADER + jtl(50, start=START + 7_200_000), "later.jtl")
    assert "these may be two tests" in str(results.read([path, later]).warnings[0])
    seconds = put(tmp_path, HEADER + jtl(50, elapsed=20_000), "micro.jtl")
    assert any("may be in different units" in str(finding) for finding in results.read([path, seconds]).warnings)


def test_what_is_asked_for_wrongly_is_named(tmp_path: Path) -> None:
    file = put(tmp_path, HEADER + jtl(9))
    plain = put(tmp_path, "1\n2\n", "times.txt")
    for call, words in (
        (lambda: results.read(file, format="jmx"), "unknown format 'jmx'.*, jtl, jtl-xml"),
        (lambda: results.read(file, unit="s"), "unit, column: .* says both itself"),
        (lambda: results.read(file, format="wrk"), "line 1: is not wrk; it begins with 'timeStamp"),
        (lambda: results.read([]), "paths: there is no file"),
        (lambda: results.read(tmp_path / "none.jtl"), r"none\.jtl: cannot be read: No such file"),
        (lambda: results.read(tmp_path), "is a folder, but no run record"),
        (lambda: results.read(plain).cut(label="a"), "have no labels to cut by"),
        (lambda: results.read(plain).series(), "contain no times"),
        (lambda: results.read(file).cut(warm_up=-1), "warm_up: -1 s is below 0"),
        (lambda: results.read(file).series(every=0.01), "every: 0.01 s is shorter"),
        (lambda: results.read(file).digests("colour"), "by: .* have no column colour"),
    ):
        with pytest.raises(InputError, match=words):
            call()


def test_a_quotation_mark_that_swallows_lines_is_told_with_both_numbers(tmp_path: Path) -> None:
    labels = ["a"] * 40
    labels[10], labels[20] = '"a', 'a"'
    rows = "".join(f"{START + 100 * place},20,{label},{REST}" for place, label in enumerate(labels))
    found = results.read(put(tmp_path, HEADER + rows))
    warnings = {warning.kind: str(warning) for warning in found.warnings}
    assert found.digest().count == 30
    assert "40 lines begin as records do, but 30 records were read" in warnings["count"]


def test_an_open_quotation_mark_does_not_hold_the_rest_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_BLOCK", 500)
    monkeypatch.setattr(source, "_LONGEST", 2000)
    text = HEADER + jtl(10) + f'{START},20,"a,{REST}' + jtl(200)
    file = put(tmp_path, gzip.compress(text.encode()), "results.jtl.gz")
    blocks = list(source.Source(file).blocks(Findings()))
    assert b"".join(blocks) == text.encode()
    assert max(map(len, blocks)) <= 2500
    found = results.read(file)
    assert found.digest().count < 211
    assert "count" in kinds(found)


def test_messages_of_several_lines_are_no_difference_of_counts(tmp_path: Path) -> None:
    text = HEADER + jtl(40).replace("GET /1, x", "GET\n/1, x")
    found = results.read(put(tmp_path, text))
    assert found.digest().count == 40
    assert "count" not in kinds(found)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("metric_name,timestamp,metric_value,status,name\nX,1700000001,702.5,200,/\n", "X,1700000002,70"),
        ("timeStamp,elapsed,success,allThreads,Latency\n1700000000000,702,true,15,0\n", "1700000001000,702,true,1"),
        ("1700000000000000000,200,702500,0,2,,b2s=,,0,GET,/,\n", "1700000001000000000,200,70"),
    ],
)
def test_a_last_row_that_is_cut_in_a_number_is_left_out(tmp_path: Path, text: str, cut: str) -> None:
    file = tmp_path / "results"
    file.write_text((text + cut).replace("X,", "http_req_duration,"), encoding="utf-8")
    found = results.read(file).survey()
    assert found.digest.count == 1
    assert [warning.kind for warning in found.warnings if warning.kind == "cut off"] == ["cut off"]
