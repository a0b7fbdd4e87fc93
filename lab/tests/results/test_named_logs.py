"""Logs of servers and of other tools: the command that the message gives writes the right times."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from poolkeeper import results
from poolkeeper.errors import InputError
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

ACCESS = '127.0.0.1 - - [01/Jan/2026:10:00:00 +0000] "GET /rt=9 HTTP/1.1" 200 612 "-" "curl/7.88 (a b)"'
SHORT = ACCESS.partition(' "-"')[0]
HAPROXY = "10.0.0.7:50123 [01/Jan/2026:10:00:00.123] fe~ be/s1"
WRITTEN = {
    "names before the times": (
        f'{ACCESS} rt=0.116 uct="0.000" urt="0.115"\n{ACCESS} rt=0.026 uct="-" urt="-"\n'.replace("/rt=9", "/a"),
        "s",
        [116, 26],
    ),
    "connections of HAProxy": (
        (
            f"Jan  1 10:00:00 lb haproxy[12]: {HAPROXY} 0/1/61 612 -- 1/1/0/0/0 0/0\n"
            f"Jan  1 10:00:01 lb haproxy[12]: {HAPROXY} 0/-1/+3000 0 sC 1/1/0/0/3 0/0\n"
        ),
        "ms",
        [61, 3000],
    ),
    "connections of AWS's network load balancers": (
        (
            "tls 2.0 2026-01-01T10:00:00 net/lb/c6e77e28c25b2234 g3d4b5e8bb8464cd 72.21.218.154:51341"
            " 172.100.100.185:443 5 2 98 246 - arn:aws:acm:us-east-2:671290407336:certificate/2a1 - TLS_AES TLSv1.2"
            " - my-lb.elb.us-east-2.amazonaws.com - - - 2026-01-01T09:59:59\n"
            "tls 2.0 2026-01-01T10:00:01 net/lb/c6e77e28c25b2234 g3d4b5e8bb8464cd [2001:db8::1]:51342"
            " 172.100.100.185:443 1200 - 0 0 - - - - - - - - - - 2026-01-01T10:00:00\n"
        ),
        "ms",
        [5, 1200],
    ),
    "Squid": (
        (
            "1767225600.586    921 192.168.0.68 TCP_MISS/200 507 POST http://a/ - DIRECT/1.2.3.4 text/html\n"
            "1767225601.001  12004 192.168.0.68 TCP_TUNNEL/200 39 CONNECT a:443 - HIER_DIRECT/1.2.3.4 -\n"
        ),
        "ms",
        [921, 12004],
    ),
    "uWSGI": (
        (
            "[pid: 12|app: 0|req: 1/1] 127.0.0.1 () {32 vars in 384 bytes} [Thu Jan  1 10:00:00 2026] GET /in 7 bytes"
            " => generated 12 bytes in 41 msecs (HTTP/1.1 200) 2 headers in 79 bytes (1 switches on core 0)\n"
        )
        * 2,
        "ms",
        [41, 41],
    ),
    "Rails": (
        (
            'Started GET "/" for 127.0.0.1 at 2026-01-01 10:00:00 +0000\nCompleted 200 OK in 12ms (Views: 1.2ms)\n'
            "Completed 500 Internal Server Error in 7ms (ActiveRecord: 0.3ms | Allocations: 9)\n"
        ),
        "ms",
        [12, 7],
    ),
    "lograge": (
        "method=GET path=/a format=html status=200 duration=58.33 view=40.43 db=15.26\n" * 2,
        "ms",
        [58.33, 58.33],
    ),
    "morgan": ("GET /a 200 12 - 41.123 ms\n\x1b[0mGET /b \x1b[32m200\x1b[0m 1.5 ms - 12\x1b[0m\n", "ms", [41.123, 1.5]),
    "Google Cloud, lines": (
        '{"httpRequest":{"latency":"0.25s","status":200},"insertId":"x"}\n{"textPayload":"other"}\n',
        "s",
        [250],
    ),
    "Google Cloud, a list": (
        '[\n  {\n    "httpRequest": {\n      "latency": "0.25s"\n    },\n    "insertId": "x"\n  }\n]\n',
        "s",
        [250],
    ),
    "ping": (
        (
            "PING localhost (127.0.0.1) 56(84) bytes of data.\n"
            "64 bytes from localhost (127.0.0.1): icmp_seq=1 ttl=64 time=0.666 ms\n"
            "64 bytes from localhost (127.0.0.1): icmp_seq=2 ttl=64 time=12 ms\n\n--- localhost ping statistics ---\n"
            "2 packets transmitted, 2 received, 0% packet loss, time 1001ms\n"
        ),
        "ms",
        [0.666, 12],
    ),
    "curl": (
        " time_connect:  0.0001\n   time_total:  0.012500\n time_connect:  0.0001\n   time_total:  1.5\n",
        "s",
        [12.5, 1500],
    ),
    "sockperf": (
        (
            "------------------------------\ntest was performed using the following parameters: --mps=10000\n"
            "------------------------------\npacket, txTime(sec), rxTime(sec)\n0, 0.000100000, 0.000112500\n"
            "1, 0.000200000, 0.000225000\n"
        ),
        "s",
        [0.0125, 0.025],
    ),
}
COLUMNS = {
    "a virtual host first": (f"example.com:80 {ACCESS} 0.067\n", "--column 11 --unit s", "11", "s", [67]),
    "nginx": (f"{ACCESS} 0.067\n" * 2, "column 10 has numbers that may be response times", "10", "s", [67, 67]),
    "nginx, with the time of its upstream": (
        f'{ACCESS} "0.067" 0.060\n' * 2,
        "columns 10 and 11 have numbers that may be response times",
        "10",
        "s",
        [67, 67],
    ),
    "Apache's %D": (
        f"{SHORT} 46985\n",
        "--column 8 and its unit: --unit us for Apache's %D (Tomcat's before 10: ms), --unit s for %T",
        "8",
        "us",
        [46.985],
    ),
    "morgan, with a unit": (f"{SHORT} - 46.985 ms\n", "--column 9 --unit ms", "9", "ms", [46.985]),
    "a log of fio": (
        "160, 160620, 0, 4096, 0\n164, 3801, 0, 4096, 0\n",
        "--column 1 --unit ns",
        "1",
        "ns",
        [0.16062, 0.003801],
    ),
    "a log of fio 2": ("160, 160, 0, 4096\n164, 4, 0, 4096\n", "or --unit us if a version", "1", "us", [0.16, 0.004]),
}
REPORTS = {
    "fio's JSON": '{\n  "fio version" : "fio-3.33",\n  "jobs" : []\n}\n',
    "fio's text": "a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.33\n",
    "fio's terse lines": "3;fio-3.33;a;0;0;8192;1234\n",
}
FIGURES = {
    "NTttcp": "NTttcp for Linux 1.4.0\n-----\n01:40:39 INFO: Network activity progressing...\n",
    "HammerDB": "Vuser 1:Beginning rampup time of 2 minutes\nVuser 1:Rampup 1 minutes complete ...\n",
    "netperf": "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to localhost\nMinimum Mean\n",
    "iperf3": "Connecting to host 127.0.0.1, port 5201\n[ ID] Interval           Transfer     Bitrate\n",
    "JMH": '"Benchmark","Mode","Threads","Samples","Score"\n"a.b","avgt",1,5,12.3\n',
    "go test -bench": "goos: linux\nBenchmarkFib10-8   \t 5000000\t       325 ns/op\nPASS\n",
    "Google Benchmark": '{"context": {"date": "x"}, "benchmarks": [{"name": "a", "real_time": 1.2}]}',
    "CockroachDB's workload": "_elapsed___errors__ops/sec(inst)___ops/sec(cum)\n    1s  0  1200.1  1200.1\n",
    "RabbitMQ's perf-test": "id: test-1, time 1.000s, sent: 1000 msg/s, min/median/75th consumer latency: 1/2/3 ms\n",
    "mysqlslap": "Benchmark\n\tAverage number of seconds to run all queries: 0.123 seconds\n",
    "plow": '{"Summary": {"Elapsed": "5s", "Count": 100000, "RPS": 20000.1}, "Percentiles": {"P50": "1ms"}}',
    "fortio load -json report.json": "Fortio 1.60.3 running at 8 queries per second, 4->4 procs, for 5s: http://h\n",
    "rewrk": '{"latency_avg":1.0,"latency_max":10.0,"latency_min":0.1,"requests_avg":20,"requests_total":100}\n',
    "sysbench": '[\n  {\n    "time":    1,\n    "threads": 4,\n    "tps": 100.00,\n    "qps": {\n',
    "Gatling 1": "RUN\t20120815170122\tdefault\tempty\nACTION\ts\t1\thome\t1344000000000\t1344000000001\n",
    "-log hdrfile=NAME": "Results:\nOp rate  :   12,345 op/s\nLatency mean              :    1.2 ms [WRITE: 1.2 ms]\n",
}


def refusal(file: Path) -> str:
    with pytest.raises(FileError) as caught:
        results.read(file)
    return str(caught.value)


def put(folder: Path, text: str) -> Path:
    file = folder / "log"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("case", WRITTEN)
def test_the_command_writes_the_times_alone(tmp_path: Path, case: str) -> None:
    text, unit, expected = WRITTEN[case]
    words = refusal(put(tmp_path, text))
    found = re.search(r": ((?:grep|sed|awk) .*> times\.txt)(?:, and --unit (\w+))?$", words)
    assert found is not None
    typed = found[1].replace("LOG", "log").replace("FILE", "log")
    assert found[2] in {unit, None}  # milliseconds need no option
    subprocess.run(["sh", "-c", typed], cwd=tmp_path, check=True)  # noqa: S607 - what the message says to type
    times = results.read(tmp_path / "times.txt", unit=unit).values() / 1e6
    assert times.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("case", COLUMNS)
def test_the_column_holds_the_times(tmp_path: Path, case: str) -> None:
    text, words, column, unit, expected = COLUMNS[case]
    file = put(tmp_path, text)
    assert words in refusal(file)
    assert (results.read(file, column=column, unit=unit).values() / 1e6).tolist() == pytest.approx(expected)


def test_access_logs_without_such_a_column_say_how_to_count(tmp_path: Path) -> None:
    words = refusal(put(tmp_path, f"{ACCESS} -\n{ACCESS} 0.067\n"))
    assert "no column has a number in every line" in words
    assert "counted from 0; a text in quotation marks is one, a date is two" in words


def test_lines_of_several_widths_give_their_last_column(tmp_path: Path) -> None:
    words = refusal(put(tmp_path, f"{ACCESS} - 0.067\n{ACCESS} 0.068\n"))
    assert "whose lines have 11 to 12 columns" in words
    typed = words.rpartition("where they come last: ")[2].replace("LOG", "log")
    subprocess.run(["sh", "-c", typed], cwd=tmp_path, check=True)  # noqa: S607 - what the message says to type
    assert results.read(tmp_path / "times.txt", unit="s").values().tolist() == [67e6, 68e6]


def test_what_workers_of_locust_send_is_named(tmp_path: Path) -> None:
    stats = '[{"response_times": {"44": 1}, "num_requests": 1, "num_reqs_per_sec": {"1": 1}, "num_failures": 0}]'
    line = f'{{"errors": {{}}, "stats": {stats}, "user_count": 2, "client_id": "a"}}\n'
    assert "holds what the workers of Locust send to Taurus" in refusal(put(tmp_path, line * 2))
    assert "kpi.jtl of its artifacts" in refusal(put(tmp_path, line))


@pytest.mark.parametrize("case", REPORTS)
def test_reports_of_fio_name_its_log(tmp_path: Path, case: str) -> None:
    assert "is a report of fio; write the time of each transfer: fio --write_lat_log" in refusal(
        put(tmp_path, REPORTS[case])
    )


@pytest.mark.parametrize("case", FIGURES)
def test_tools_that_state_figures_alone_are_named(tmp_path: Path, case: str) -> None:
    words = refusal(put(tmp_path, FIGURES[case]))
    assert case in words
    assert "has no known format" not in words


def test_logs_of_iis_without_the_response_time_name_its_field(tmp_path: Path) -> None:
    """A status is no response time that a column may be asked for."""
    file = tmp_path / "u_ex240229.log"
    comments = "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n"
    fields = "date time cs-method cs-uri-stem sc-status"
    file.write_text(f"{comments}#Fields: {fields}\n2024-02-29 00:00:00 GET / 200\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"without the response time; let the server write the field time-taken$"):
        results.read(file)
    file.write_text(f"#Fields: {fields} time-taken\n2024-02-29 00:00:00 GET / 200 15\n", encoding="utf-8")
    assert results.read(file).values().tolist() == [15_000_000]


@pytest.mark.parametrize("names", ["A_lat.1.log A_clat.1.log", "A_slat.log A_lat.log", "A_clat.2.log A_lat.2.log.gz"])
def test_parts_of_the_time_of_a_transfer_are_not_read_together(tmp_path: Path, names: str) -> None:
    for name in names.split():
        (tmp_path / name).write_text("160, 160000, 0, 4096, 0\n164, 4000, 1, 4096, 0\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"hold parts of the time of the same transfers.*: give one of them, A_lat\."):
        results.read([tmp_path / name for name in names.split()], column="1", unit="ns")


def test_jobs_of_fio_are_read_together(tmp_path: Path) -> None:
    files = [tmp_path / f"A_lat.{job}.log" for job in (1, 2)]
    for file in files:
        file.write_text("160, 160000, 0, 4096, 0\n164, 4000, 1, 4096, 0\n", encoding="utf-8")
    assert results.read(files, column="1", unit="ns").values().size == 4
