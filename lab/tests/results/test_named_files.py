"""Files that are not read: a line names the tool, and the command that produces a readable file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

FILES = Path(__file__).parent / "files"
AUTOCANNON = """Running {amount} test @ http://127.0.0.1:8080/
4 connections


┌─────────┬───────┬───────┐
│ Stat    │ 2.5%  │ 50%   │
├─────────┼───────┼───────┤
│ Latency │ 10 ms │ 13 ms │
└─────────┴───────┴───────┘

171 2xx responses, 29 non 2xx responses
200 requests in 1.06s, 22.6 kB read
"""
HTTP_LOG = {"status": 200, "response_time": 12, "name": "GET /"}
NAMED = {
    "autocannon for some seconds": (AUTOCANNON.format(amount="3s"), "autocannon --json"),
    "autocannon for some requests": (AUTOCANNON.format(amount="200 requests"), "autocannon --json"),
    "ab as a page": (
        "<table >\n<tr ><th colspan=2  bgcolor=white>Server Software:</th></tr>\n",
        "ab -e percentiles.csv",
    ),
    "JMeter's Aggregate Report": ("Label,# Samples,Average,Median,90% Line,Error %\nA,5,1,1,2,0.00%\n", "the .jtl"),
    "JMeter's dashboard": ('{"A b": {"transaction": "A b", "sampleCount": 5, "pct1ResTime": 2.0}}', "the .jtl"),
    "JMeter's summariser": (
        "Starting the test\nsummary +    100 in 00:00:05 =   20.1/s Avg:    45 Min:    12\n",
        "jmeter -n -t PLAN -l results.jtl",
    ),
    "Gatling's console": ("Simulation A started...\n---- Global Information -------\n", "give simulation.log"),
    "Locust's early percentiles": ('"Name","# requests","50%","66%"\n"GET /a",3,4,5\n', "ends with _requests.csv"),
    "Goose's console": (" -----\n === PER REQUEST METRICS ===\n -----\n", "--request-log"),
    "The Grinder": (
        "Thread, Run, Test, Start time (ms since Epoch), Test time\n0, 0, 1, 1, 9\n",
        "--column 'Test time'",
    ),
    "Yandex.Tank": ("1700000000.123\t#1\t5000\t9\t9\t9\t9\t9\t9\t9\t0\t200\n" * 2, "--column 2 --unit us"),
    "YCSB": ("[OVERALL], RunTime(ms), 10110\n[READ], Operations, 507\n", "hdrhistogram.fileoutput=true"),
    "memtier_benchmark's table": ("4 Threads\n\nALL STATS\n=====\nType         Ops/sec \n", "--hdr-file-prefix"),
    "sysbench's intervals": (
        "[ 1s ] thds: 4 tps: 100.00 qps: 2000.00 (r/w/o: 14/4/2) lat (ms,95%): 12.3\n",
        "sysbench",
    ),
    "sysbench's histogram": ("Latency histogram (values are in milliseconds)\n  value  --- count\n", "sysbench"),
    "perf bench": ("# Running 'sched/messaging' benchmark:\n# 20 sender processes\n", "what perf bench prints"),
    "sysbench without its title": ("Running the test with following options:\nNumber of threads: 4\n", "sysbench"),
    "rewrk": ("Beginning round 1...\nBenchmarking 10 connections @ http://h for 10 second(s)\n", "rewrk"),
    "etcd's benchmark": (
        "\n\nSummary:\n  Total:\t2.5301 secs.\n  Slowest:\t0.1211 secs.\n  Requests/sec:\t3952.3421\n",
        "is what etcd's benchmark prints",
    ),
    "etcd's seconds": ("UNIX-SECOND,MIN-LATENCY-MS,AVG-LATENCY-MS\n1700000000,1.1,2.2\n", "etcd's benchmark"),
    "hey's summary": ("\nSummary:\n  Total:\t2.0083 secs\n  Slowest:\t0.1211 secs\n", "hey -o csv"),
    "dnsperf": ("DNS Performance Testing Tool\nVersion 2.14.0\n", "what dnsperf prints"),
    "db_bench": ("fillseq      :       2.113 micros/op 473198 ops/sec;   52.3 MB/s\n", "what db_bench prints"),
    "weighttp": (
        "weighttp 0.4 - a simple benchmark\n\nrequests: 9 total, 9 started, 9 done, 9 succeeded, 0 failed, 0 errored\n",
        "what weighttp prints",
    ),
    "JMeter's log": (
        "2017-08-18 17:23:41,964 INFO o.a.j.u.JMeterUtils: Setting Locale to en_US\n",
        "jmeter -n -t PLAN -l results.jtl",
    ),
    "k6 below its warnings": (
        'time="2026-11-28T07:36:06Z" level=warning msg="Request Failed" error="Get \\"http://h/\\": refused"\n' * 60,
        "k6 run --out csv",
    ),
    "siege's lines": ("HTTP/1.1 200     0.01 secs:     123 bytes ==> GET  /\n" * 2, "siege --json-output"),
    "siege's coloured lines": (
        "\x1b[0;34m   4,HTTP/1.1,200,  0.36,   3372,/,0,2015-12-20 21:30:13\x1b[0m\n" * 2,
        "siege --json-output",
    ),
    "oha's coloured summary": (
        "\x1b[1m\x1b[4mSummary:\x1b[0m\n  Success rate:\t100.00%\x1b[0m\n  Total:\t60.07 secs\n",
        "oha --output-format csv",
    ),
    "k6's progress": (
        "     scenarios: (100.00%) 1 scenario, 8 max VUs, 5m30s max duration\n\n\nrunning (0m01.0s), 8/8 VUs\n",
        "k6 run --out csv=results.csv",
    ),
    "Nighthawk's text": ("Nighthawk - A layer 7 protocol benchmarking tool.\n\nbenchmark\n", "--output-format fortio"),
    "Nighthawk's YAML": (
        "options:\n  connections: 0\nresults:\n  - name: worker_0\n    statistics:\n",
        "--output-format fortio",
    ),
    "JSON a line": (f"{json.dumps(HTTP_LOG)}\n" * 3, "jq -r '.response_time // empty'"),
    "JSON a line with other names": (
        '{"ts": 1.5, "type": "workers", "value": 0}\n{"ts": 2.5, "type": "request", "elapsed": 0.25, "ok": true}\n',
        "jq -r '.NAME // empty' FILE > times.txt, and say their unit: --unit ms (numbers are ts, value and elapsed)",
    ),
    "JSON a line with objects, as Kong writes it": (
        '{"latencies": {"request": 515, "kong": 58}, "started_at": 1700000000000, "service": {"name": "a"}}\n' * 2,
        "(numbers are started_at, latencies.request and latencies.kong)",
    ),
    "labels before values": ("time:2015-09-06T05:58:05+09:00\tmethod:GET\tapptime:0.057\tua:U\n" * 2, "grep -oP"),
    "an HTTP archive": ('{"log": {"version": "1.2", "entries": []}}', "jq '.log.entries"),
    "hyperfine": ('{"results": [{"command": "a", "times": [0.1]}]}', "jq '.results"),
}


@pytest.mark.parametrize("case", NAMED)
def test_a_line_names_the_tool_and_the_command(tmp_path: Path, case: str) -> None:
    text, command = NAMED[case]
    file = tmp_path / "results"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        results.read(file)
    assert command in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_report_of_siege_in_one_line_is_no_log_of_json(tmp_path: Path) -> None:
    text = (FILES / "summaries" / "siege.json").read_text(encoding="utf-8")
    file = tmp_path / "siege.json"
    file.write_text(json.dumps(json.loads(text[text.index("{") :])), encoding="utf-8")
    assert repr(results.read(file).summaries) == repr(results.read(FILES / "summaries" / "siege.json").summaries)
