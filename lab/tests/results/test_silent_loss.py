"""Rows and columns that must not get lost, and requests that must not count twice, without a word."""

from __future__ import annotations

import gzip
import io
import tarfile
from typing import TYPE_CHECKING

import pytest

from poolkeeper import results
from poolkeeper.errors import InputError
from poolkeeper.results import FileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEADER = "timeStamp,elapsed,label,responseCode,threadName,success,bytes,allThreads\n"
START = 1_700_000_000_000
LOCUST = (
    "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,"
    "Max Response Time,Requests/s,50%\nGET,/,518,7,12,13.5,2,90,10,12\n,Aggregated,518,7,12,13.5,2,90,10,12\n"
)
HISTORY = (
    "Timestamp,User Count,Type,Name,Requests/s,50%,Total Request Count,Total Failure Count,"
    "Total Average Response Time,Total Min Response Time,Total Max Response Time\n"
    "1700000000,5,,Aggregated,10,12,10,0,13.5,2,90\n1700000051,5,,Aggregated,10,12,518,7,13.5,2,90\n"
)


def rows(count: int, *, start: int = START) -> list[str]:
    return [f"{start + 100 * k},{20 + k % 7},a,200,t 1-1,true,1,1" for k in range(count)]


def put(folder: Path, text: str | bytes, name: str = "results.jtl") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def words_of(kind: str, *files: Path) -> list[str]:
    return [str(warning) for warning in results.read(files).warnings if warning.kind == kind]


def swallowed() -> str:
    """A JTL in which a label begins with a quotation mark, and a later one ends with one: between them is one cell."""
    lines = rows(40)
    lines[10], lines[20] = lines[10].replace(",a,", ',"a,'), lines[20].replace(",a,", ',a",')
    return HEADER + "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[str], bytes]] = {
    "plain": lambda text: text.encode(),
    "packed": lambda text: gzip.compress(text.encode()),
    "with a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "in UTF-16": lambda text: text.encode("utf-16"),
    "without an end of the last line": lambda text: text.rstrip("\n").encode(),
    "with another file behind it": lambda text: (
        text + HEADER + "\n".join(rows(5, start=START + 9000)) + "\n"
    ).encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_lines_within_an_open_quotation_are_told_however_the_file_is_kept(tmp_path: Path, form: str) -> None:
    more = 5 if "another" in form else 0
    (words,) = words_of("count", put(tmp_path, FORMS[form](swallowed())))
    assert f"{40 + more} lines begin as records do, but {30 + more} records were read" in words


@pytest.mark.parametrize("form", FORMS)
def test_whole_files_are_counted_alike(tmp_path: Path, form: str) -> None:
    text = HEADER + "\n".join(rows(40)).replace(",a,", ',"a\nb",') + "\n"
    assert not words_of("count", put(tmp_path, FORMS[form](text)))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("end", "count"), [('"a\nb",200,t,true,1,1', 41), ('"a\nb",200,t,tr', 40), ('"a\nb\nc', 40)])
def test_a_last_row_of_several_lines_counts_if_it_is_whole(
    tmp_path: Path, end: str, count: int, *, packed: bool
) -> None:
    text = (HEADER + "\n".join([*rows(40), f"{START + 4000},5,{end}"])).encode()
    found = results.read(put(tmp_path, gzip.compress(text) if packed else text))
    assert found.digest().count == count
    assert [warning.kind for warning in found.warnings] == ([] if count > 40 else ["cut off"])


def test_a_last_line_that_was_cut_off_is_no_difference_of_counts(tmp_path: Path) -> None:
    text = HEADER + "\n".join(rows(40))[:-9]
    for packed in (text.encode(), gzip.compress(text.encode())):
        kinds = [warning.kind for warning in results.read(put(tmp_path, packed)).warnings]
        assert kinds == ["cut off"]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("column", [None, 0])
def test_an_archive_is_named(tmp_path: Path, column: int | None, *, packed: bool) -> None:
    held, times = io.BytesIO(), b"12\n13\n14\n"
    with tarfile.open(fileobj=held, mode="w") as archive:
        member = tarfile.TarInfo("times.txt")
        member.size = len(times)
        archive.addfile(member, io.BytesIO(times))
    file = put(tmp_path, gzip.compress(held.getvalue()) if packed else held.getvalue(), "times")
    with pytest.raises(FileError, match="is a tar archive; unpack it"):
        results.read(file, column=column)


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_marks_of_pages_and_paragraphs_end_no_line(tmp_path: Path, mark: str) -> None:
    assert results.read(put(tmp_path, f"# one{mark}two\n12\n13\n14\n")).values().tolist() == [12e6, 13e6, 14e6]
    named = LOCUST.replace("GET,/,", f"GET,/{mark}x,")
    assert results.read(put(tmp_path, named, "a_stats.csv")).summaries[0].label == f"GET /{mark}x"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xef\xbb\xbf" + HEADER.encode() + f"{START},5,".encode() + b"\xfc,200,t,true,1,1\n", "is not text in UTF-8"),
        ((HEADER + f"{START},5,").encode("utf-16") + b"\x00\xd8\x41\x00", "is not text in UTF-16"),
    ],
)
def test_bytes_that_are_none_of_the_encoding_are_named(tmp_path: Path, text: bytes, words: str) -> None:
    with pytest.raises(FileError, match=words):
        results.read(put(tmp_path, text)).digest()


@pytest.mark.parametrize("cell", ["9" * 25, "9" * 5000])
def test_a_number_of_any_length_is_named(tmp_path: Path, cell: str) -> None:
    with pytest.raises(FileError, match="line 2: elapsed has too many digits"):
        results.read(put(tmp_path, HEADER + f"{START},{cell},a,200,t,true,1,1\n")).digest()


def test_a_file_and_the_beginning_of_it_are_told(tmp_path: Path) -> None:
    whole = put(tmp_path, HEADER + "\n".join(rows(60)) + "\n", "whole.jtl")
    part = put(tmp_path, HEADER + "\n".join(rows(30)) + "\n", "part.jtl")
    (words,) = words_of("twice", part, whole)
    assert "part.jtl and whole.jtl hold the same requests" in words
    assert "about 100 % of the first" in words
    later = put(tmp_path, HEADER + "\n".join(rows(30, start=START + 6000)) + "\n", "later.jtl")
    assert not words_of("twice", whole, later)


@pytest.mark.parametrize("spare", [0, 2])
def test_transactions_without_their_timers_and_a_message_are_told(tmp_path: Path, spare: int) -> None:
    header = "timeStamp,elapsed,label,responseCode,threadName,success\n"
    lines = []
    for place in range(20):
        thread, start = f"t 1-{place % 3 + 1}", START + 1000 * place
        lines += [f"{start + 175},30,get,200,{thread},true", f"{start + 400},50,put,200,{thread},true"]
        lines.append(f"{start},{80 + spare},buy,,{thread},true")
    (words,) = words_of("transactions", put(tmp_path, header + "\n".join(lines) + "\n"))
    assert "within others of it: transactions beside their requests" in words
    assert "cut by label, or let JMeter write responseMessage as well" in words
    requests = [line for line in lines if ",buy," not in line]
    assert not words_of("transactions", put(tmp_path, header + "\n".join(requests) + "\n"))


def test_figures_that_come_twice_are_told(tmp_path: Path) -> None:
    first, second = (put(tmp_path, LOCUST, name) for name in ("one_stats.csv", "two_stats.csv"))
    (words,) = words_of("twice", first, second)
    assert "one_stats.csv and two_stats.csv state the same figures" in words
    other = put(tmp_path, LOCUST.replace("518", "519"), "other_stats.csv")
    assert not words_of("twice", first, other)


def test_statistics_and_history_of_a_test_of_locust_do_not_add_up(tmp_path: Path) -> None:
    files = [put(tmp_path, LOCUST, "a_stats.csv"), put(tmp_path, HISTORY, "a_stats_history.csv")]
    with pytest.raises(InputError, match=r"a_stats\.csv and a_stats_history\.csv hold the same requests of one test"):
        results.read(files)
    assert results.read([files[0], put(tmp_path, HISTORY, "b_stats_history.csv")]).summaries


def test_what_only_some_files_tell_is_told(tmp_path: Path) -> None:
    whole = put(tmp_path, HEADER + "\n".join(rows(30)) + "\n", "whole.jtl")
    lines = (line.split(",") for line in rows(30, start=START + 5000))
    less = "".join(f"{cells[0]},{cells[1]},{cells[2]}\n" for cells in lines)
    bare = put(tmp_path, f"timeStamp,elapsed,label\n{less}", "bare.jtl")
    found = words_of("columns", whole, bare)
    assert found == [
        f"bare.jtl tells no {content}, as whole.jtl does: for all files together they are not known"
        for content in ("successes and failures", "numbers of users")
    ]
    assert not words_of("columns", whole)


def test_points_between_thousands_are_doubted_where_no_number_shows_decimals(tmp_path: Path) -> None:
    (words,) = words_of("thousands", put(tmp_path, "latency_us\n987\n1.234\n12.345\n", "times.csv"))
    assert "if points part thousands (1.234)" in words
    for text in ("1.234\n12.345\n", "987\n1.234\n12.34\n", "987\n0.123\n1.234\n"):
        assert not words_of("thousands", put(tmp_path, f"latency_us\n{text}", "times.csv"))


def test_commas_between_thousands_get_no_advice_that_makes_fractions_of_them(tmp_path: Path) -> None:
    file = put(tmp_path, 'latency\n987\n"12,345"\n', "times.csv")
    with pytest.raises(FileError, match="write a decimal point, and none between thousands"):
        results.read(file).digest()


NO_COMMAS, POINTS = r"tr -d , < FILE > CONVERTED", r"tr , \. < FILE > CONVERTED"
EITHER = f"if its commas part thousands, write none: {NO_COMMAS}; if they are decimal ones, write points: {POINTS}"
BOTH = r"and none between thousands: tr -d \. < FILE \| tr , \. > CONVERTED"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('"latency [us]"\n"19,116"\n"11,317"\n', EITHER),
        ('"latency [us]"\n"19,116"\n"1,311,317"\n', f"write no commas between thousands: {NO_COMMAS}"),
        ('"latency [us]"\n"19,116"\n"11,3"\n', f"write decimal points: {POINTS}"),
        ('"latency [s]"\n"0,116"\n"1,317"\n', f"write decimal points: {POINTS}"),
        ("latency_us;x\n19,116;1\n11,317;1\n", EITHER),
        ("latency_us;x\n1,019,116;1\n11,317;1\n", f"write no commas between thousands: {NO_COMMAS}"),
        ("latency_ms;x\n19,12;1\n11,317;1\n", f"write decimal points: {POINTS}"),
        ("latency_ms;x\n1.019,12;1\n11,317;1\n", BOTH),
        ("19,116\n11,317\n", EITHER),
        ("timeStamp;elapsed;success\n1700000000000;1,234;true\n", f"part thousands, write none: {NO_COMMAS}"),
    ],
)
def test_the_advice_on_commas_makes_no_fractions_of_thousands(tmp_path: Path, text: str, advice: str) -> None:
    with pytest.raises((FileError, InputError), match=advice):
        results.read(put(tmp_path, text, "times.csv")).digest()


def test_a_blank_line_below_the_header_hides_no_form_of_the_rows(tmp_path: Path) -> None:
    text = HEADER + "\n" + "2023/11/14 22:13:20,5,a,200,t,1,1,1\n2023/11/14 22:13:21,7,a,500,t,0,1,1\n"
    found = results.read(put(tmp_path, text)).survey()
    assert found.digest.count == 2
    assert sum(found.errors.values()) == 1


def test_an_encoding_that_nobody_knows_is_named(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="Infinity"?>\n<testResults><sample t="1" ts="1" s="true"/></testResults>\n'
    with pytest.raises(FileError, match="is not XML: unknown encoding: Infinity"):
        results.read(put(tmp_path, text)).digest()


def test_carriage_returns_within_lines_are_no_traceback(tmp_path: Path) -> None:
    dated = "2023/11/14 22:13:2{},5,a\rb,200,t,true,1,1"
    found = results.read(put(tmp_path, HEADER + "\n".join(dated.format(k) for k in range(3)) + "\n"))
    assert found.digest().count == 3
    with pytest.raises(InputError):
        results.read(put(tmp_path, "one\rtwo,3\n4,5\n"))


def test_blanks_around_numbers_are_passed_over_behind_a_second_header_too(tmp_path: Path) -> None:
    text = HEADER + "\n".join(rows(20)) + "\n"
    with_blanks = text.replace(",1,1\n", ", 1, 3\n")
    assert results.read(put(tmp_path, with_blanks)).series().users[0] == 3
    again = HEADER + "\n".join(rows(20, start=START + 5000)) + "\n"
    found = results.read(put(tmp_path, with_blanks + again))
    assert found.digest().count == 40
    assert found.series().users[0] == 3


LONG = {
    "h2load": "1767261600000000\t200\t{}\n",
    "pgbench": "0 1 {} 0 1767261600 5\n",
    "YCSB": "READ,1767261600000,{}\n",
    "HAProxy": '1 [01/Jan/2026:10:00:00.000] f b/s 0/0/0/1/{} 200 6 - - ---- 1/1/0/0/0 0/0 "GET /a HTTP/1.1"\n',
    "Envoy": '[2026-01-01T10:00:01.250Z] "GET /a HTTP/1.1" 200 - 0 5 {} 3 "-" "c" "i" "h" "10.0.0.1:80"\n',
    "Envoy, JSON": '{{"start_time":"2026-01-01T10:00:00Z","method":"GET","path":"/","response_code":200,'
    '"response_flags":"-","duration":{}}}\n',
    "Traefik": '::1 - - [01/Jan/2026:10:00:01 +0000] "GET /a HTTP/1.1" 200 9 "-" "c" 1 "r" "http://b:80" {}ms\n',
}


@pytest.mark.parametrize("writer", LONG)
def test_times_that_nanoseconds_cannot_count_are_left_out_and_told(tmp_path: Path, writer: str) -> None:
    head = "READ,latency raw data: op, timestamp(ms), latency(us)\n" if writer == "YCSB" else ""
    file = put(tmp_path, head + "".join(map(LONG[writer].format, (7, 10**17, 9))))
    found = results.read(file)
    assert found.digest().count == 2
    assert any("beyond 292 years" in str(warning) for warning in found.warnings)


def test_a_date_of_gatling_beyond_milliseconds_stops_the_reading(tmp_path: Path) -> None:
    log = "RUN\tcomputers\tx\t1767261600000\t \t3.9\nREQUEST\t\ta\t1767261600000\t1767261600005\tOK\t \n"
    for stamp in (10**15, 10**18, 10**22):
        file = put(tmp_path, log + log.splitlines()[1].replace("1767261600000", str(stamp)) + "\n", "simulation.log")
        with pytest.raises(FileError, match="line 3: a request whose start and end are not whole numbers of millisec"):
            results.read(file).digest()


def test_a_request_of_k6_with_a_damaged_name_stops_the_reading(tmp_path: Path) -> None:
    """It was passed over, as another metric."""
    lines = [f"{name},{1_700_000_000 + k},20.0" for k in range(5) for name in ("http_reqs", "http_req_duration")]
    lines[3] = f" {lines[3]}"
    file = put(tmp_path, "\n".join(["metric_name,timestamp,metric_value", *lines]) + "\n", "k6.csv")
    with pytest.raises(FileError, match="line 5: metric_name is no name of a metric: ' http_req_duration'"):
        results.read(file).values()


@pytest.mark.parametrize("change", [lambda line: f"{line} ", lambda line: line.replace(",", ", ")])
def test_blanks_around_names_of_columns_leave_a_file_what_it_is(tmp_path: Path, change: Callable[[str], str]) -> None:
    """Seconds of oha were taken for milliseconds, and its failures for successes."""
    header = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status"
    lines = [f"{k / 10},0,0,0.1,0.1{k},100,{500 if k == 3 else 200}" for k in range(9)]
    file = put(tmp_path, "\n".join([change(header), *(f"{line} " for line in lines)]) + "\n", "oha.csv")
    found = results.read(file)
    assert found.format == "oha (CSV)"
    assert found.values()[2] == 120_000_000
    assert sum(found.survey().errors.values()) == 1


K6 = "metric_name,timestamp,metric_value,expected_response,name,extra_tags,metadata\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda data: data.rstrip(b"\n")])
@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("a.csv", K6, "http_req_duration,{second},{time}.5,true,/a,b=1,\n"),
        ("a.jtl", HEADER, "{second}000,{time},a,200,t 1-1,true,1,1\n"),
        ("a.xml", "<testResults>\n", '<httpSample ts="{second}000" t="{time}" s="true" lb="a" rm="long enough"/>\n'),
    ],
)
def test_zeros_in_place_of_rows_stop_the_reading(
    tmp_path: Path, name: str, header: str, row: str, pack: Callable[[bytes], bytes]
) -> None:
    lines = [row.format(second=1_700_000_000 + place, time=20 + place % 7) for place in range(40)]
    data = (header + "".join(lines)).encode() + (b"</testResults>\n" if name == "a.xml" else b"")
    at = data.index(lines[10].encode()) + len(lines[10]) - 8
    hole = b"\0" * (len(lines[10]) + 2)
    file = put(tmp_path, pack(data[:at] + hole + data[at + len(hole) :]), name)
    with pytest.raises(FileError, match=r"has zeros in place of text|line 1[123]|is not XML"):
        results.read(file).survey()


def test_two_requests_in_a_line_of_tsung_stop_the_reading(tmp_path: Path) -> None:
    header = "#date;pid;id;http method;host;URL;HTTP status;size;duration;transaction;match;error;tag\n"
    lines = [f"17954615{k}.5;<0.205.0>;{k};get;h;/a;b?d={k};200;119;5.4;-;;;\n" for k in range(10, 30)]
    lines[5] = lines[5].rstrip("\n")
    with pytest.raises(FileError, match="line 7: holds more than one request"):
        results.read(put(tmp_path, header + "".join(lines), "tsung.dump")).survey()


def test_a_status_of_oha_that_was_cut_stops_the_reading(tmp_path: Path) -> None:
    header = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
    lines = [f"0.{place:03d},0,0,0.01,0.012,12,200\n" for place in range(10, 30)]
    lines[5] = lines[5].replace("200", "20")
    with pytest.raises(FileError, match="line 7: status is none of HTTP: '20'"):
        results.read(put(tmp_path, header + "".join(lines), "oha.csv")).survey()
