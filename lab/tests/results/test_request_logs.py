"""Logs with a line a request, as h2load, tsung, ghz, k6 and vegeta themselves wrote them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

LOGS = Path(__file__).parent / "files" / "logs"
MS = 10**6
NS = 10**9


def text(name: str) -> list[str]:
    return (LOGS / name).read_text(encoding="utf-8").splitlines()


def test_h2load(tmp_path: Path) -> None:
    rows = [tuple(map(int, line.split("\t"))) for line in text("h2load.log")]
    found = results.read(LOGS / "h2load.log")
    frame = found.frame.collect()
    assert found.values().tolist() == [1000 * elapsed for _, _, elapsed in rows]
    assert frame["start_ns"].to_list() == [1000 * start for start, _, _ in rows]
    assert frame["ok"].to_list() == [status == 200 for _, status, _ in rows]
    assert frame["ok"].sum() == 115, "as h2load.txt, which it printed, says"
    (warning,) = map(str, found.warnings)
    assert "h2load writes answered requests only" in warning
    broken = tmp_path / "broken.log"
    broken.write_text("1795460879326620\t-1\t10925\t7\n1795460879326594\t200\t10995\t7\n")
    frame = results.read(broken).frame.collect()
    assert (frame["ok"].to_list(), frame["code"].to_list()) == ([False, True], ["", "200"])


def test_tsung() -> None:
    rows = list(csv.DictReader(text("tsung.dump"), delimiter=";"))
    found = results.read(LOGS / "tsung.dump")
    frame = found.frame.collect()
    taken = [float(row["duration"]) for row in rows]
    assert found.values() / MS == pytest.approx(taken)
    ends = [float(row["#date"]) for row in rows]
    assert ((frame["start_ns"] + frame["response_ns"]) / NS).to_list() == pytest.approx(ends, abs=1e-6)
    statuses = [row["HTTP status"] for row in rows]
    assert "error_no_http_status" in statuses
    assert frame["ok"].to_list() == [status == "200" for status in statuses]
    kinds = set(zip(frame["code"], frame["message"], strict=True))
    assert kinds == {("200", ""), ("", "error_no_http_status")}
    assert set(frame["label"]) == {"GET /close", "GET /ok?d=5"}
    assert set(frame["group"]) == {"tr_home", "-"}
    (warning,) = found.warnings
    assert warning.words.endswith("tsung.log, which counts errors, is not beside it")


def test_tsung_writes_addresses_with_semicolons_as_they_are(tmp_path: Path) -> None:
    """tsung puts neither quotation marks nor escapes around them, and its last column is empty as a rule."""
    header, *rows = text("tsung.dump")
    plain = [row for row in rows if ";/ok?d=5;" in row]
    file = tmp_path / "tsung.dump"
    for address in ("/ok?a=1;b=2", "/ok?a=1;b=2;c=3", "/ok;200;7", "/;;"):
        file.write_text("\n".join([header, *(row.replace("/ok?d=5", address) for row in plain), ""]), encoding="utf-8")
        frame = results.read(file).frame.collect()
        assert set(frame["label"]) == {f"GET {address}"}
        cells = [dict(zip(header.split(";"), row.split(";"), strict=True)) for row in plain]
        taken = [float(cell["duration"]) for cell in cells]
        assert (frame["response_ns"] / MS).to_list() == pytest.approx(taken)
        assert frame["code"].to_list() == [cell["HTTP status"] for cell in cells]
        assert frame["bytes"].to_list() == [int(cell["size"]) for cell in cells]
    file.write_text("\n".join([header, *plain, plain[0].replace(";200;", ";20;"), ""]), encoding="utf-8")
    with pytest.raises(FileError, match=f"line {len(plain) + 2}: is not a request of tsung"):
        results.read(file).frame.collect()


def ghz_times(name: str) -> list[float]:
    """Response times in milliseconds, found by other means than the reader's."""
    if name == "ghz.json":
        return [hit["latency"] / MS for hit in json.loads((LOGS / name).read_text(encoding="utf-8"))["details"]]
    pattern, scale = (r"^([\d.]+),", 1) if name == "ghz.csv" else (r"latency=(\d+)", MS)
    return [float(row[1]) / scale for row in (re.search(pattern, line) for line in text(name)) if row]


@pytest.mark.parametrize("name", ["ghz.csv", "ghz.json", "ghz.influx"])
def test_ghz(name: str) -> None:
    found = results.read(LOGS / name)
    frame = found.frame.collect()
    assert sorted(found.values() / MS) == pytest.approx(sorted(ghz_times(name)))
    assert frame.height == 60
    failed = frame.filter(~frame["ok"])
    assert 0 < failed.height < 10
    assert set(failed["code"]) <= {"Internal", "DeadlineExceeded"}
    assert 'rpc error: code = Internal desc = no, "never"' in failed["message"].to_list()
    if name != "ghz.csv":
        starts = np.sort(frame["start_ns"].to_numpy())
        ends = np.sort((frame["start_ns"] + frame["response_ns"]).to_numpy())
        alive = np.searchsorted(starts, ends - 1, side="right") - np.arange(len(ends))
        assert alive.max() <= 4, "three workers were busy, and one call may be stamped late"


@pytest.mark.parametrize(
    ("name", "torn"), [("ghz.csv", "0.84,OK,"), ("ghz.influx", 'ghz_detail,name="x" latency=840000,err')]
)
def test_two_calls_of_ghz_in_one_line_stop_the_reading(tmp_path: Path, name: str, torn: str) -> None:
    """The former one was lost without a word."""
    lines = (LOGS / name).read_text(encoding="utf-8").splitlines()
    lines[4] = torn + lines[4]
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(FileError, match="line 5: holds more than one call"):
        results.read(tmp_path / name).values()


def test_a_report_of_ghz_that_is_broken(tmp_path: Path) -> None:
    whole = (LOGS / "ghz.json").read_text(encoding="utf-8")
    cases = {
        whole[:-50]: "is not JSON",
        whole.replace('"latency"', '"l"'): "is not a report of ghz: KeyError 'latency'",
        whole[: whole.index('"details":')] + '"details":[]}': "holds no calls",
    }
    for number, (content, message) in enumerate(cases.items()):
        file = tmp_path / f"{number}.json"
        file.write_text(content, encoding="utf-8")
        with pytest.raises(FileError, match=message):
            results.read(file)
    file = tmp_path / "count.json"
    file.write_text(whole.replace('"count":60', '"count":61'), encoding="utf-8")
    assert "states 61 calls, but lists 60" in str(results.read(file).warnings[0])


@pytest.mark.parametrize("name", ["k6-users.csv", "k6-users.json"])
def test_users_of_k6(name: str, tmp_path: Path) -> None:
    found = results.read(LOGS / name)
    frame = found.frame.collect()
    users = [
        (point["data"]["time"], point["data"]["value"])
        for point in map(json.loads, text("k6-users.json"))
        if point["metric"] == "vus" and point["type"] == "Point"
    ]
    assert {value for _, value in users} == {1, 3}
    ends = (frame["start_ns"] + frame["response_ns"]).to_numpy()
    order = np.argsort(ends, kind="stable")
    assert set(frame["users"].to_numpy()[order][:5]) == {1}
    assert set(frame["users"].to_numpy()[order][-10:]) == {3}
    # Requests of 151 ms one after the other: Little's law has to find the users again.
    late = ends > ends.max() - 2 * NS
    assert frame["response_ns"].to_numpy()[late].sum() / (2 * NS) == pytest.approx(3, rel=0.2)
    without = tmp_path / name
    without.write_text("\n".join(line for line in text(name) if "vus" not in line) + "\n", encoding="utf-8")
    assert "users" not in results.read(without).columns


def k6_of(file: Path, users: list[int], ready: int | None) -> Path:
    """A file with a request and the users of each second."""
    rows = []
    for second, number in enumerate(users):
        at = 1_700_000_000 + second
        rows += [f"http_req_duration,{at},10.5,home,200", f"vus,{at},{number}.000000,,"]
        rows += [] if ready is None else [f"vus_max,{at},{ready}.000000,,"]
    file.write_text("\n".join(["metric_name,timestamp,metric_value,name,status", *rows]) + "\n")
    return file


@pytest.mark.parametrize(
    ("users", "ready", "load"),
    [
        ([1] * 10 + [5] * 10, 5, True),
        ([*range(1, 21), *range(20, 0, -1)], 20, True),
        ([1] * 10 + [5] * 10, None, True),
        ([1] * 20, 50, False),
        ([2, 5, 1, 1, 2, 1, 3, 1, 2, 2, 1, 4], 50, False),
        ([2, 5, 1, 1, 2, 1, 3, 1, 2, 2, 1, 4], None, False),
    ],
)
def test_busy_users_of_a_test_at_a_rate_are_not_its_load(
    tmp_path: Path, users: list[int], ready: int | None, *, load: bool
) -> None:
    found = results.read(k6_of(tmp_path / "k6.csv", users, ready))
    assert ("users" in found.columns) is load
    if load:
        assert found.frame.collect()["users"].to_list()[2:-2] == pytest.approx(users[2:-2], abs=1)


@pytest.mark.parametrize("name", ["vegeta.csv", "vegeta.json"])
def test_hits_of_vegeta(name: str) -> None:
    report = json.loads((LOGS.parent / "summaries" / "vegeta.json").read_text(encoding="utf-8"))
    found = results.read(LOGS / name)
    frame = found.frame.collect()
    assert frame.height == report["requests"] == 60
    assert (~frame["ok"]).sum() == report["status_codes"]["0"] == 3
    assert found.values().sum() == report["latencies"]["total"]
    assert found.values().max() == report["latencies"]["max"]


@pytest.mark.parametrize("name", ["h2load.log", "tsung.dump", "ghz.csv", "ghz.influx", "k6-users.csv", "vegeta.csv"])
def test_other_line_ends_packed_and_cut_off(name: str, tmp_path: Path) -> None:
    whole = results.read(LOGS / name).values()
    import gzip

    content = (LOGS / name).read_bytes()
    for file, written in (
        ("crlf", content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")),
        ("packed.gz", gzip.compress(content)),
        ("no-end", content.rstrip(b"\n")),
    ):
        (tmp_path / file).write_bytes(written)
        assert results.read(tmp_path / file).values().tolist() == whole.tolist(), file
    (tmp_path / "cut").write_bytes(content[: content.rstrip().rindex(b"\n") + 8])
    cut = results.read(tmp_path / "cut")
    assert whole.size - 2 <= cut.values().size < whole.size
    assert "cut off" in {warning.kind for warning in cut.warnings}


@pytest.mark.parametrize("name", ["tsung.dump", "ghz.csv", "k6-users.csv"])
def test_a_file_with_another_one_after_it(name: str, tmp_path: Path) -> None:
    whole = results.read(LOGS / name).values()
    (tmp_path / name).write_bytes(2 * (LOGS / name).read_bytes())
    found = results.read(tmp_path / name)
    assert found.values().size == 2 * whole.size
    assert "appended" in {warning.kind for warning in found.warnings}


def test_a_log_of_h2load_that_was_cut_off_in_its_second_line(tmp_path: Path) -> None:
    (tmp_path / "h2load.log").write_text("1795460879326620\t200\t10925\n179546087932")
    found = results.read(tmp_path / "h2load.log")
    assert found.values().tolist() == [10_925_000]
    assert "cut off" in {warning.kind for warning in found.warnings}


def test_what_a_tool_leaves_out_is_told(tmp_path: Path, poolkeeper: CommandLine) -> None:
    for name in ("hey.csv", "oha.csv"):
        (tmp_path / name).write_bytes((LOGS.parent / name).read_bytes())
        found = json.loads(poolkeeper(tmp_path, f"analyze {name} --json").out)
        assert any("writes answered requests only" in warning for warning in found["warnings"])


K6_HEAD = "metric_name,timestamp,metric_value,error,error_code,method,url\n"


@pytest.mark.parametrize("ends", [[1], [1, 2, 3, 4], [1, 1, 1, 30]])
def test_the_last_request_counts_where_it_ended_as_an_interval_begins(
    tmp_path: Path, ends: list[int], poolkeeper: CommandLine
) -> None:
    rows = "".join(f"http_req_duration,{1_700_000_000 + 30 * end},1500.0,,,GET,/\n" for end in ends)
    (tmp_path / "k6.csv").write_text(K6_HEAD + rows, encoding="utf-8")
    series = results.read(tmp_path / "k6.csv").survey().series_of_load
    assert series is not None
    assert int(series.count.sum()) == len(ends)
    done = poolkeeper(tmp_path, "analyze k6.csv")
    assert (done.code, done.out.startswith(f"{len(ends)} request")) == (0, True)


@pytest.mark.parametrize("is_json", [False, True])
def test_the_code_of_an_error_of_k6_tells_failures_where_no_status_does(tmp_path: Path, *, is_json: bool) -> None:
    codes = ["", "1503", "1212", ""]
    if is_json:
        tags = {"name": "http_req_duration{expected_response:true}", "tags": {"expected_response": "true"}}
        metric = {"name": "http_req_duration", "type": "trend", "contains": "time", "submetrics": [tags]}
        text = json.dumps({"type": "Metric", "data": metric, "metric": "http_req_duration"}) + "\n"
        text += "".join(
            json.dumps(
                {
                    "metric": "http_req_duration",
                    "type": "Point",
                    "data": {
                        "time": f"2026-01-01T00:00:0{second}Z",
                        "value": 5.0,
                        "tags": {"url": "/"} | ({"error_code": code} if code else {}),
                    },
                }
            )
            + "\n"
            for second, code in enumerate(codes)
        )
    else:
        rows = [f"http_req_duration,{1_700_000_000 + at},5.0,,{code},GET,/\n" for at, code in enumerate(codes)]
        text = K6_HEAD + "".join(rows)
    (tmp_path / "k6").write_text(text, encoding="utf-8")
    assert results.read(tmp_path / "k6").survey().errors == {"": 2}


@pytest.mark.parametrize("as_json", [True, False])
def test_requests_that_tsung_counted_and_did_not_dump_are_told(tmp_path: Path, *, as_json: bool) -> None:
    """tsung may end before it has written all of its dump; its log of figures has the requests of each interval."""
    lines = (LOGS / "tsung.dump").read_text(encoding="utf-8").splitlines()
    (tmp_path / "tsung.dump").write_text("\n".join([*lines[:41], ""]), encoding="utf-8")
    for last, words in (
        (20, []),
        (25, ["tsung.log counts 45 requests, and this file has 40: tsung may lose what it dumps last"]),
    ):
        if as_json:
            samples = [{"samples": [{"value": value, "name": "request", "mean": 9.1}]} for value in (20, last)]
            log = json.dumps({"stats": samples}, indent=1)
        else:
            dumps = [f"# stats: dump at 1\nstats: request {value} 9.1 1 9 1 9.1 500\n" for value in (20, last)]
            log = "".join([*dumps, "stats: page 90 9.1 1 9 1 9.1 500\n"])
        (tmp_path / "tsung.log").write_text(log, encoding="utf-8")
        found = results.read(tmp_path / "tsung.dump")
        assert found.digest().count == 40
        assert [warning.words.partition(": ")[2] for warning in found.warnings if warning.kind == "count"] == words


@pytest.mark.parametrize("as_json", [True, False])
def test_errors_that_tsung_counted_beside_its_dump_are_told(tmp_path: Path, *, as_json: bool) -> None:
    """Requests whose connection was refused are in no dump."""
    (tmp_path / "tsung.dump").write_bytes((LOGS / "tsung.dump").read_bytes())
    name, both = "error_connect_econnrefused", (147, 85)
    if as_json:
        samples = [{"samples": [{"name": name, "value": value, "total": 232}]} for value in both]
        log = json.dumps({"stats": samples})
    else:
        log = "".join(f"# stats: dump at 1\nstats: {name} {value} 232\nstats: 200 9 9\n" for value in both)
    (tmp_path / "tsung.log").write_text(log, encoding="utf-8")
    (warning,) = results.read(tmp_path / "tsung.dump").warnings
    words = "tsung.dump: tsung.log counts errors (error_connect_econnrefused 232): requests without an answer"
    assert warning.words.startswith(words)


def test_means_of_fio_are_no_column_of_response_times(tmp_path: Path) -> None:
    (tmp_path / "a_lat.1.log").write_text("500, 93980, 0, 0, 0\n1000, 117961, 0, 0, 0\n", encoding="utf-8")
    with pytest.raises(FileError, match="means of intervals"):
        results.read(tmp_path / "a_lat.1.log", column=1, unit="ns")
    (tmp_path / "a_lat.1.log").write_text("0, 216859, 0, 4096, 0\n0, 15962, 1, 4096, 0\n", encoding="utf-8")
    assert results.read(tmp_path / "a_lat.1.log", column=1, unit="ns").digest().count == 2


@pytest.mark.parametrize("name", ["a_bw.1.log", "a_iops.12.log", "a_bw.log"])
def test_rates_of_fio_are_no_response_times(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("22, 3854, 0, 4096, 0\n22, 48372, 0, 4096, 0\n", encoding="utf-8")
    for column in (None, 1):
        with pytest.raises(FileError, match="has bandwidths or numbers of transfers of fio"):
            results.read(tmp_path / name, column=column, unit="ns")


def test_files_of_other_threads_of_pgbench_are_told(tmp_path: Path) -> None:
    for name in ("log.77", "log.77.1", "log.77.2", "log.78", "log.77.txt"):
        (tmp_path / name).write_text("0 1 2448 0 1795762116 765114\n0 2 2469 0 1795762116 773072\n", encoding="utf-8")

    def warned(*names: str) -> list[str]:
        found = results.read([tmp_path / name for name in names])
        found.digest()
        return [str(warning) for warning in found.warnings if warning.kind == "threads"]

    words = "log.77: pgbench writes a file for each thread, and log.77.1 and log.77.2 of the same run were not given"
    assert warned("log.77") == [f"{words}: counts and rates lack them"]
    assert "and log.77 of the same run was not given" in warned("log.77.1", "log.77.2")[0]
    assert warned("log.77", "log.77.1", "log.77.2") == warned("log.78") == []


YCSB = "{0} latency raw data: op, timestamp(ms), latency(us)\n{0},1767261600100,50000\n{0},1767261600200,1500\n"


def test_raw_data_of_ycsb_ends_with_its_times(tmp_path: Path) -> None:
    file = tmp_path / "raw.csv"
    file.write_text(YCSB.format("READ") + YCSB.format("READ-MODIFY-WRITE") + YCSB.format("READ-NOT_FOUND"))
    found = results.read(file)
    frame = found.frame.collect()
    assert frame["response_ns"].to_list() == [50_000_000, 1_500_000] * 3
    assert frame["start_ns"][:2].to_list() == [1_767_261_600_050_000_000, 1_767_261_600_198_500_000]
    assert frame["label"].to_list()[::2] == ["READ", "READ-MODIFY-WRITE", "READ"]
    assert frame["ok"].to_list()[::2] == [True, True, False]
    assert [finding.kind for finding in found.warnings] == ["transactions"]


def test_of_what_ycsb_prints_raw_data_alone_counts(tmp_path: Path) -> None:
    file = tmp_path / "printed.txt"
    figures = "[OVERALL], RunTime(ms), 10110\n[READ], Total Operations, 2\nREAD, Average latency (us), 1067.0\n"
    file.write_text(
        f"Raw data measurement: will output to stdout.\n{YCSB.format('READ')}{YCSB.format('Intended-READ')}{figures}"
    )
    found = results.read(file)
    assert found.frame.collect().height == 2
    assert [str(each) for each in found.warnings] == [
        "printed.txt: lines left out, as they are no operations, or other times of them: 6"
    ]
    file.write_text(YCSB.format("READ") + "READ,17672616,5\n")
    with pytest.raises(FileError, match="line 4: is not an operation of YCSB"):
        results.read(file).frame.collect()


def ycsb(*sections: tuple[str, Sequence[int]]) -> str:
    """Raw data of YCSB: an operation of some 20 ms each 100 ms, one kind after the other."""
    title = "{0} latency raw data: op, timestamp(ms), latency(us)"
    return "\n".join(
        line
        for name, places in sections
        for line in (
            title.format(name),
            *(f"{name},{1_767_261_600_000 + 100 * place},{20_000 + 31 * len(name) + place % 29}" for place in places),
        )
    )


def test_ycsb_writes_one_kind_of_operations_after_the_other(tmp_path: Path, poolkeeper: CommandLine) -> None:
    """Its times begin anew with each kind, which is no clock that was set back, and leaves rates."""
    file = tmp_path / "raw.txt"
    file.write_text(ycsb(("READ", range(400)), ("UPDATE", range(0, 400, 2)), ("CLEANUP", range(400, 402))) + "\n")
    answer = json.loads(poolkeeper(tmp_path, "analyze raw.txt --json").out)
    assert answer["warnings"] == ["raw.txt: lines left out, as they are no operations, or other times of them: 2"]
    assert answer["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(15, rel=0.01)
    assert [label["requests"] for label in answer["results"]["labels"]["labels"]] == [400, 200]
    file.write_text(ycsb(("READ", range(400)), ("UPDATE", [*range(200, 400), *range(200)])) + "\n")
    (warning,) = results.read(file).warnings
    assert "the clock was set back" in warning.words


def test_operations_of_ycsb_that_are_made_of_others_are_told(tmp_path: Path) -> None:
    file = tmp_path / "raw.txt"
    file.write_text(ycsb(("READ", range(40)), ("READ-MODIFY-WRITE", range(20)), ("UPDATE", range(20))) + "\n")
    (warning,) = results.read(file).warnings
    assert "beside the READ and UPDATE that it is made of, so that both count" in warning.words
    file.write_text(ycsb(("READ-MODIFY-WRITE", range(20))) + "\n")
    assert not results.read(file).warnings
