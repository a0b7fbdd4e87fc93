"""Files that hold no readable results, and the command that makes readable ones of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from poolkeeper.present.text import listed
from poolkeeper.results import access_logs
from poolkeeper.results.findings import Findings

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

_BEGINNING = 4096
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_LINES = 20
"""Lines of JSON that are looked at for numbers, and the most names of these that are told."""
_JSON_LINES = "has an object of JSON a line; write the response times alone"
_JSON_LIST = "is a list of objects in JSON; write the response times alone"
_JSON_SPACE = b"\xef\xbb\xbf \t\r\n"
_NAMED_TIMES = {"request_time": "and --unit s", "response_time": "and say their unit: --unit ms"}
"""Names of response times in lines of JSON, and advice on their unit."""
_NUMBER_TEXT = re.compile(r"\d+(?:\.\d+)?")
_BINARY: tuple[tuple[bytes, str], ...] = (
    (
        rb"Result[\s\S]{0,40}Attack",
        "is vegeta's own binary; write it as CSV: vegeta encode --to csv RESULTS > results.csv",
    ),
    (rb"\A\x93HDR|\A\x1c\x84\x93", "is a bare HdrHistogram; write a log of it with HistogramLogWriter"),
    (
        rb"\A(?:7z\xbc\xaf|Rar!|\x04\x22\x4d\x18|\x1f\x9d|\x5d\0\0|\xff\x06\0\0sNaPpY|\x1f\x8b|BZh\d1AY|\x28\xb5\x2f\xfd|\xfd7zX)",
        "is packed in a way that is not read, or twice; unpack it first",
    ),
    (rb"\AFLR\0", "is a flight recording of Java, which has no results of a load test"),
    (rb"\APAR1", "is a Parquet file; write it as CSV"),
    (rb"\ASQLite format 3", "is a SQLite database; export its results as CSV"),
    (rb"\A%PDF", "is a PDF"),
    (rb"(?i)\A\s*(?:<!DOCTYPE html|<html)", "is a web page; give the file of results that it was made from"),
)
_ENCODED: tuple[tuple[bytes, str], ...] = (
    (rb"\A(?:\xff\xfe\0\0|\0\0\xfe\xff)", "is text in UTF-32; convert it: iconv -f utf-32 -t utf-8"),
    (rb"\A(?:[\t\r\n -~]\0){4}", "is text in UTF-16 without its mark; convert it: iconv -f utf-16le -t utf-8"),
    (rb"\A(?:\0[\t\r\n -~]){4}", "is text in UTF-16 without its mark; convert it: iconv -f utf-16be -t utf-8"),
)
_HAPROXY = r"\[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d\.\d{3}\] \S+ \S+ "
_ADVISED = "is an access log"
"""Stands for what the columns of an access log are."""
_SUMMARIES = (
    (
        "sysbench",
        r"\Asysbench \d|^Running the test with following options:|^\[ \d+s \] thds: \d+ tps: |^Latency histogram \(",
    ),
    ("perf bench", r"\A# Running '[^'\n]+' benchmark:"),
    ("plow", r"\ABenchmarking \S+ .*using \d+ connection"),
    ("rewrk", r"^Beginning round \d+\.\.\.|\A\{\s*\"latency_avg\": *[\d.]+, *\"latency_max\""),
    ("sysbench", r"\A\[\s*\{\s*\"time\": *\d+,\s*\"threads\": *\d+,\s*\"(?:tps|transactions)\""),
    ("cassowary", r"^Starting Load Test with \d+ requests"),
    ("Anteon", r"^Success Count: +\d+ +\(\d+%\)"),
    ("Kafka's producer-perf-test", r"^\d+ records sent, [\d.]+ records/sec"),
    ("NTttcp", r"^NTttcp for |^\d\d:\d\d:\d\d INFO: .*\bthroughput\s*:"),
    ("HammerDB", r"^Vuser \d+:|TEST RESULT : System achieved \d+"),
    ("netperf", r"^MIGRATED \S+ .*TEST from |^OMNI Send"),
    ("iperf3", r"^\[ ID\] Interval +Transfer +"),
    ("JMH", r"\A# JMH version: |\A\[\s*\{\s*\"jmhVersion\"|^\"?Benchmark\"?[ ,]+\"?Mode\"?[ ,]+\"?(?:Cnt|Threads)"),
    ("go test -bench", r"^Benchmark\S+\s+\d+\s+[\d.]+ ns/op"),
    ("Google Benchmark", r"\A\{\s*\"context\": *\{[\s\S]*\"benchmarks\": *\["),
    ("CockroachDB's workload", r"^_elapsed_+errors_+ops"),
    ("RabbitMQ's perf-test", r"^id: \S+, time [\d.]+ ?s, "),
    ("mysqlslap", r"Average number of seconds to run all queries: "),
    ("plow", r"\A\{\s*\"Summary\": *\{\s*\"Elapsed\""),
    ("etcd's benchmark", r"^ *Total:\s+[\d.]+ secs\.\s*$|^UNIX-SECOND,MIN-LATENCY-MS,"),
    ("Kafka's consumer-perf-test", r"\Astart\.time, end\.time, data\.consumed\.in\.MB, "),
    ("dnsperf", r"\ADNS (?:Performance|Resolution Performance) Testing Tool|^ +Queries (?:sent|completed): +\d"),
    ("db_bench", r"^\w+ +: +[\d.]+ micros/op(?: \d+ ops/sec)?|^Microseconds per \w+:$"),
    ("go-ycsb", r"^\w+ +- Takes\(s\): [\d.]+, Count: \d+, OPS: "),
    ("mutilate", r"\A#type +avg +std +min "),
    ("clickhouse-benchmark", r"\"query_time_percentiles\": *\{"),
    ("OpenMessaging's benchmark", r"\"publishLatencyAvg\"\s*:\s*\["),
    ("http_load", r"\A\d+ fetches, \d+ max parallel, "),
    ("weighttp", r"\Aweighttp [\d.]+ "),
)
"""Tools of which only figures can be had, and what their texts are known by."""
_MEAN_OF_FIO = r"\d+, \d+, [012], 0(?:, \d+)*\s*(?:\n|\Z)"
"""A line whose transfer has a size of 0, which those of a single transfer never have."""
_OF_FIO = r"\A\d+, \d+, [012], \d+(?:, \d+)*\s*(?:\n|\Z)"
_SHORT_OF_FIO = r"\A\d+, \d+, [012], \d+\s*(?:\n|\Z)"
"""One without places and priorities of transfers, as versions before 3 wrote, in microseconds, and early ones of 3."""
_FIO_LOG = "looks like a log of fio; of response times, written without --log_avg_msec, it is read with --column 1"
_RATES_OF_FIO = re.compile(r".+_(?:bw|iops)(?:\.\d+)?\.log")
"""Names of fio's files with bandwidths and numbers of transfers."""
_NO_COLUMN: tuple[tuple[str, str], ...] = (
    (
        r"\A\d+, [012], \d+(?:, \d+){20}",
        "is a log of fio's histograms; write the time of each transfer: fio --write_lat_log=NAME",
    ),
    (
        rf"\A(?:{_MEAN_OF_FIO}{_MEAN_OF_FIO}|{_MEAN_OF_FIO}\Z)",
        "has means of intervals, as fio writes with --log_avg_msec; write the time of each transfer, without it",
    ),
    (
        r"\A\"?elapsed\"?,[^\n]*\bupdate\b[^\n]*\bcoordinated_omission_elapsed\b",
        (
            "is a request log of Goose as CSV, in which a request that was marked later has two rows; write it as JSON:"
            " --request-log requests.json --request-format json"
        ),
    ),
)
"""Files whose columns are not read, whatever is asked for: of no response times, or of several rows a request."""
_TEXT: tuple[tuple[str, str], ...] = (
    (
        r"\A(?:<\?xml[^>]*>\s*)?<testsuites?[\s>]",
        "is JUnit XML, which has no requests; give what it was made from: a .jtl of JMeter or Taurus, or a CSV of k6",
    ),
    (
        r"\A(?:<\?xml[^>]*>\s*)?<jmeterTestPlan[\s>]",
        "is a test plan of JMeter; run it: jmeter -n -t PLAN -l results.jtl",
    ),
    (
        r"\A\"?Method\"?,\"?Name\"?,\"?Error\"?,\"?Occurrences\"?",
        "lists the failures of Locust; give the file that ends with _stats.csv, which is compared with this one",
    ),
    (
        r"\A\"?Count\"?,\"?Message\"?,\"?Traceback\"?",
        "lists the exceptions in the tasks of Locust; give the file that ends with _stats.csv",
    ),
    (
        r"This is ApacheBench|\A<table\s*>\s*<tr\s*><th colspan=2",
        "is what ab prints; write its percentiles with ab -e percentiles.csv, or all requests with ab -g requests.tsv",
    ),
    (
        r"\A\"?Label\"?[,;\t]\"?# Samples\"?[,;\t]|\A\{\s*\"[^\"]*\": *\{\s*\"transaction\":[^}]*\"pct1ResTime\"",
        "has the figures of a report of JMeter; give the .jtl that the report was made from",
    ),
    (
        r"^summary [+=] +\d+ in +[\d:.]+s? = |\A\d{4}[-/]\d\d[-/]\d\d [\d:,]+ INFO +(?:- jmeter|o\.a\.j)\.",
        "is what JMeter prints; write its results: jmeter -n -t PLAN -l results.jtl",
    ),
    (
        r"\ARUN\t\d{14}\t|^ACTION\t[^\t\n]*\t\d+\t[^\t\n]*(?:\t\d{13}){4}\t",
        "is a log of Gatling 1, which is not read; write the response times alone, one a line",
    ),
    (
        r"^-{3,} Global Information -{3,}",
        "is what Gatling prints; give simulation.log",
    ),
    (
        r"\A\"?Name\"?,\"?# requests\"?,\"?50%",
        "has percentiles of an early version of Locust; give the file that ends with _requests.csv",
    ),
    (
        r"=== PER (?:REQUEST|SCENARIO|TRANSACTION|TASK) METRICS ===",
        "is what Goose prints; write all requests: --request-log requests.json --request-format json",
    ),
    (
        r"\AThread, Run, Test, Start time",
        "is a log of The Grinder; say which column to read: --column 'Test time' --unit ms",
    ),
    (
        r"\A\d{9,10}\.\d{3}\t[^\t\n]*(?:\t\d+){10}",
        "is phout.txt of Yandex.Tank; say which column to read: --column 2 --unit us",
    ),
    (
        r"\A(?![\s\S]*latency raw data: op)[\s\S]*^\[OVERALL\], (?:RunTime|Throughput)",
        (
            "is what YCSB prints; give its logs of HdrHistogram (-p measurementtype=hdrhistogram"
            " -p hdrhistogram.fileoutput=true), with --unit us"
        ),
    ),
    *(
        (mark, f"is what {tool} prints, which has no response times of single requests and is not read")
        for tool, mark in _SUMMARIES
    ),
    (
        r"\ASummary:\s+(?:Success rate:[^\n]*\s+)?Total:\s+[\d.]+",
        "is what hey or oha prints; write all requests: hey -o csv, or oha --output-format csv",
    ),
    (
        r"\ARequests\s+\[total, rate",
        "is a text report of vegeta; write all requests: vegeta encode --to csv RESULTS > results.csv",
    ),
    (r"\ABucket\s+#\s+%\s+Histogram", "is a histogram of vegeta; write all requests: vegeta encode --to csv"),
    (
        r"Lifting the server siege|\ATransactions:\s+\d+ hits|\A(?:\d+,)?HTTP/[\d.]+[ ,]+\d{3}[ ,]+[\d.]+(?:,| s)",
        "is what siege prints; write its report as JSON: siege --json-output",
    ),
    (
        r"^Running \d+(?:s| requests?) test @ \S+\n[\s\S]*Stat +. +[12]",
        "is what autocannon prints; write its report: autocannon --json",
    ),
    (
        r"\ABombarding \S+ |\ABombarding \d+ |Statistics +Avg +Stdev +Max",
        "is what bombardier prints; write its report: bombardier --print result --format json --latencies",
    ),
    (
        r"\A(?:\s*Name:.*\n)?\s*Summary:\s+Count:\s+\d+",
        "is what ghz prints; write all calls: ghz --format json --output calls.json",
    ),
    (r"\Aghz_run,", "is a summary of ghz for InfluxDB; write all calls: ghz --format json --output calls.json"),
    (
        r"\A# stats: dump at \d+|\A\{\s*\"stats\" ?: ?\[\s*\{[^{}]*\"(?:timestamp|samples)\"",
        'is tsung\'s log of figures; give tsung.dump, which has each request where dumptraffic="protocol" is set',
    ),
    (
        r"\A\s*Date & Time,\s*Trans,\s*Elap Time",
        "is siege's log, a line a test; write the report of one as JSON: siege --json-output",
    ),
    (
        r"\ATest run id: \w+|^Metrics for period to: .*\n-{3,}|^Summary report @ ",
        "is what Artillery prints; write its report: artillery run --output report.json",
    ),
    (
        r"\A(?:---)?\s*- name: .*\n\s+duration: [\d.]+",
        "is a report of drill to compare with; give what drill prints with --stats",
    ),
    (
        r"\Apgbench \(|^number of transactions actually processed: \d",
        "is what pgbench prints; write all transactions: pgbench --log, and give its pgbench_log.* files",
    ),
    (
        r"\A\d{9,10} \d+ \d+ \d+ \d+ \d+(?: \d+){0,12}\s*(?:\n|\Z)",
        "has sums of pgbench for each interval; write all transactions: --log without --aggregate-interval",
    ),
    (
        r"====== [A-Z]\S* ======|\A\"test\",\"rps\",\"avg_latency_ms\"|requests per second, p50=[\d.]+ msec",
        "is what redis-benchmark reports: figures of each of its tests, which are not read",
    ),
    (r"\A\{\s*\"start\":\s*\{\s*\"connected\"", "is a report of iperf3, which measures no response times"),
    (
        r"^Response time percentiles \(approximated\)|\A\[[^\]]*\]? ?\S*/INFO/locust",
        "is what Locust prints; write its report: locust --json, or --csv NAME",
    ),
    (
        r'\A\{"(?:errors|stats|user_count|client_id)": ?[\s\S]*"(?:num_reqs_per_sec|response_times)": ?\{',
        (
            "holds what the workers of Locust send to Taurus: sums, an object of JSON a line; give the final statistics"
            " of Taurus (dump-csv of its module final-stats), or kpi.jtl of its artifacts from a run without workers"
        ),
    ),
    (
        access_logs.LINE + r"[^\n]* \"?(?:rt|(?:\w+_)?time)=\"?[\d.]+",
        (
            "is an access log with names before its times; write the response times alone, say of rt:"
            r" grep -oP '\brt=\K[\d.]+' LOG > times.txt, and --unit s"
        ),
    ),
    (access_logs.LINE + r"(?![^\n]* \d+ \"[^\"]*\" \"[^\"]*\" \d+ms\s*$)", _ADVISED),
    (
        r"^\d+ bytes from \S.*[ :]icmp_seq=\d+ .*time=[\d.]+ ms",
        (
            "is what ping prints; write its times alone: sed -nE 's/.* time=([0-9.]+) ms.*/\\1/p' FILE > times.txt,"
            " and --unit ms"
        ),
    ),
    (
        r"^ *time_total: +[\d.]+",
        (
            "is what curl prints of each request; write the total times alone:"
            " sed -nE 's/^ *time_total: +//p' FILE > times.txt, and --unit s"
        ),
    ),
    (
        r"\A\{\s*\"fio version\"|\A\d;fio-\d|^fio-\d[\d.]*$|^\S.*: \(groupid=\d+, jobs=\d+\)|: \(g=\d+\): rw=\w+, bs=",
        (
            "is a report of fio; write the time of each transfer: fio --write_lat_log=NAME, and read NAME_lat.1.log"
            " with --column 1 --unit ns"
        ),
    ),
    (
        r"\A\d{9,10}\.\d{3} +-?\d+ \S+ [A-Z_]+/\d{3} ",
        "is a log of Squid; write the response times alone: awk '{print $2}' LOG > times.txt, and --unit ms",
    ),
    *(
        (
            rf"^\[pid: \d+\|[^\n]* generated \d+ bytes in \d+ {word} ",
            (
                r"is a log of uWSGI; write the response times alone: grep -oP 'bytes in \K\d+' LOG > times.txt,"
                f" and {unit}"
            ),
        )
        for word, unit in (("msecs", "--unit ms"), ("micros", "--unit us"))
    ),
    (
        r"^[^\n]*Completed \d{3} [^\n]*in [\d.]+ms",
        (
            "is a log of Rails; write the response times alone:"
            r" grep -oP 'Completed \d+ .*?in \K[\d.]+(?=ms)' LOG > times.txt, and --unit ms"
        ),
    ),
    (
        r"^[^\n]*\bmethod=\S+ path=\S+ [^\n]*\bduration=[\d.]+(?:\s|$)",
        (
            r"is a log of Rails (lograge); write the response times alone: grep -oP '\bduration=\K[\d.]+' LOG"
            " > times.txt, and --unit ms"
        ),
    ),
    (
        r"\A[A-Za-z_][\w.]*=\S+ [^\n]*\b(?:duration|latency|elapsed|request_time|response_time|service|took)=",
        (
            r"has a name before each value; write the response times alone, say grep -oP '\bduration=\K[\d.]+' LOG,"
            " and say their unit: --unit ms"
        ),
    ),
    (
        r"\A(?:\x1b\[\d*m)?[A-Z]+ \S+ \d{3} [^\n]*?\d\.\d+ ms\b",
        (
            r"is a log of morgan; write the response times alone: grep -oP '[\d.]+(?= ms)' LOG > times.txt,"
            " and --unit ms"
        ),
    ),
    (
        r"\"httpRequest\": ?\{[^{}]*\"latency\": ?\"[\d.]+s\"",
        (
            "is a log of Google Cloud; write the response times alone:"
            r""" grep -oP '"latency": ?"\K[\d.]+(?=s")' FILE > times.txt, and --unit s"""
        ),
    ),
    (
        r"\A(?:\| *\S[^\n]*\|\s*\n\|[-:| ]+\||\+-[-+]+\+\n\||shape: \(|[^\n|]+(?:\|[^\n|]+)+\n *-+\+[-+]+\s*\n)",
        "is a table that was printed for people; save it as CSV",
    ),
    *_NO_COLUMN,
    (
        _SHORT_OF_FIO,
        f"{_FIO_LOG} --unit ns, or --unit us if a version of fio before 3 wrote it, which both have these four columns",
    ),
    (_OF_FIO, f"{_FIO_LOG} --unit ns"),
    (
        r"^sockperf: |\A-+\ntest was performed using the following parameters: ",
        (
            "is of sockperf; write the time of each answered message, out of its --full-log:"
            " awk -F, '/^[0-9]/ {printf \"%.9f\\n\", $3 - $2}' LOG > times.txt, and --unit s"
        ),
    ),
    (
        r"^Fortio [\d.]+ running at |^Aggregated (?:Function Time|Sleep Time) : count ",
        "is what fortio prints; write its report: fortio load -json report.json",
    ),
    (
        r"^Latency (?:mean|median) +: +[\d.]+ ",
        "is what cassandra-stress prints; write a log of HdrHistogram: -log hdrfile=NAME",
    ),
    (
        r"\A[A-Za-z_]\w*:[^\t\n]*(?:\t[A-Za-z_]\w*:[^\t\n]*){2}",
        (
            "has a label before each value (LTSV); write the response times alone, say of apptime:"
            r" grep -oP '\bapptime:\K[^\t]+' LOG > times.txt, and --unit s"
        ),
    ),
    (
        r"\A\{\"log\": ?\"[^\n]*\"stream\": ?\"std(?:out|err)\"",
        "is a log that Docker keeps, with each line within JSON; write the lines themselves: jq -j .log FILE > LOG",
    ),
    (
        r"\A\{\s*\"log\": *\{\s*\"version\"",
        "is an HTTP archive (HAR); write the response times alone: jq '.log.entries[].time' FILE > times.txt",
    ),
    (
        r"\A\{\s*\"results\": *\[\s*\{\s*\"command\"",
        "is a report of hyperfine; write the times alone: jq '.results[].times[]' FILE > times.txt, and --unit s",
    ),
    (
        r"\A(?:tls|tcp|udp|tcp_udp) \d\.\d \d{4}-\d\d-\d\dT[\d:.]+Z? net/\S+ ",
        (
            "is a log of a network load balancer of AWS, whose times are those of whole connections; write these alone:"
            " awk '{print $8}' LOG > times.txt"
        ),
    ),
    (
        _HAPROXY + r"-?\d+/-?\d+/\+?\d+ \d+ ",
        (
            "is a log of connections of HAProxy, whose times are those of whole sessions; write these alone:"
            r" sed -nE 's|.* -?[0-9]+/-?[0-9]+/\+?([0-9]+) [0-9]+ .*|\1|p' LOG > times.txt"
        ),
    ),
    (
        r"\A(?:var stats = )?\{[^{]*(?:\"?stats\"?|\"numberOfRequests\"): \{",
        "has the figures of Gatling's page; give simulation.log",
    ),
    (
        r"\A# (?:HELP|TYPE) \S+ ",
        "holds counters and histograms of Prometheus, added up since the start of a program: no results of a load test",
    ),
    (
        (
            r"\A\{\s*\"options\": ?\{[\s\S]*\"results\": ?\[\s*\{\s*\"name\": ?\"(?:worker_|global)"
            r"|\ANighthawk - A layer 7|\Aoptions:\n[\s\S]*^results:\n  - name: (?:worker_|global)"
        ),
        "is a report of Nighthawk; write it as fortio does: nighthawk_client --output-format fortio",
    ),
    (
        r"\A\{\s*\"resource(?:Metrics|Spans)\":",
        "is a file of OpenTelemetry; write the response times alone, one a line",
    ),
    (
        r"\A\{\s*\"configuration\":[\s\S]*\"(?:client\": ?\"|ALL STATS\":)|^ALL STATS\s*\n=+\s*\nType +Ops/sec",
        "is a report of memtier_benchmark; give NAME_FULL_RUN_1.hgrm of --hdr-file-prefix NAME, with --unit us",
    ),
    (
        r"^#Fields:(?![^\n]* time-taken\b)",
        "is a log in W3C's extended format without the response time; let the server write the field time-taken",
    ),
    (r"Molotov v[\d.]+", "is what Molotov prints, which measures no response times"),
    (r"unable to connect to \S+:\w+", "is what wrk prints when it cannot connect: there are no results"),
    (
        (
            r"checks_total\.|http_req_duration\.{3,}|^ +scenarios: \(\d[\d.]*%\) \d+ scenario|^running \(\d+m[\d.]+s\)"
            r', |^time="[^"]+" level=\w+ msg="Request Failed"'
        ),
        "is what k6 prints; write all requests: k6 run --out csv=results.csv",
    ),
)


def json_objects(source: Source) -> str:
    """Command that writes the response times of objects of JSON, of lines or of a list; empty for any other file."""
    objects, what, path = _listed(source), _JSON_LIST, ".[]"
    if not objects:
        objects, what, path = _by_line(source), _JSON_LINES, ""
    if not objects:
        return ""
    numbers: dict[str, None] = {}
    for found in objects:
        inner = {
            f"{key}.{name}": value
            for key, part in found.items()
            if isinstance(part, dict)
            for name, value in part.items()
        }
        numbers |= {key: None for key, value in (found | inner).items() if _is_number(value)}
    if not numbers:
        return what
    if named := next((name for name in _NAMED_TIMES if name in numbers), ""):
        return f"{what}: jq -r '{path}.{named} // empty' FILE > times.txt, {_NAMED_TIMES[named]}"
    shown = listed(list(numbers)[:_LINES])
    return f"{what}: jq -r '{path}.NAME // empty' FILE > times.txt, and say their unit: --unit ms (numbers are {shown})"


def _by_line(source: Source) -> list[dict[str, Any]]:
    """The objects of the first lines; none if a line has another thing."""
    try:
        found = [json.loads(line) for line in source.head[:_LINES]]
    except ValueError:
        return []
    return found if all(isinstance(each, dict) for each in found) else []


def _listed(source: Source) -> list[dict[str, Any]]:
    """The first objects of a list of them; none if it is another thing."""
    if not source.start.lstrip(_JSON_SPACE).startswith(b"["):
        return []
    try:
        found = json.loads(source.text(Findings()))[:_LINES]
    except (ValueError, RecursionError):
        return []
    return found if all(isinstance(each, dict) for each in found) else []


def broken_json(source: Source) -> str:
    """Message about a document of JSON that was cut off or damaged; empty for any other file."""
    if not source.start.lstrip(_JSON_SPACE).startswith((b"{", b"[")):
        return ""
    try:
        json.loads(source.text(Findings()))
    except json.JSONDecodeError as error:
        # Lines of an object each are no document.
        cut = f"is JSON that was cut off or damaged (line {error.lineno:,}: {error.msg})"
        return "" if error.msg == "Extra data" else cut
    except RecursionError:
        return "is JSON that is nested too deeply"
    except ValueError:  # Python reads no number of thousands of digits
        return "is JSON with a number that is too long"
    return ""


def _is_number(value: Any) -> bool:
    """Whether a value is a number, or a text with one."""
    if isinstance(value, str):
        return _NUMBER_TEXT.fullmatch(value) is not None
    return type(value) in {int, float}


def hint(source: Source, *, column: bool = False) -> str:
    """Name of a format that is not read, and the command that gives a readable file; empty for any other file.

    With `column`, somebody said which column has the response times, and only files that have none are named.
    """
    start = source.start[:_BEGINNING]
    for pattern, message in _ENCODED if column else (*_ENCODED, *_BINARY):
        if re.search(pattern, start):
            return message
    text = _COLOUR.sub("", start.decode(source.encoding, errors="replace")).lstrip()
    if _RATES_OF_FIO.fullmatch(source.path.name) and re.match(_OF_FIO, text):
        return "has bandwidths or numbers of transfers of fio; give its response times: NAME_lat.1.log"
    patterns = _NO_COLUMN if column else _TEXT
    found = next(((pattern, words) for pattern, words in patterns if re.search(pattern, text, re.MULTILINE)), ("", ""))
    return access_logs.advice(source) if found[1] == _ADVISED else found[1]
