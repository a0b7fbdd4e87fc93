"""Bad input through the command line: each is named in one line, none is a stack trace or a silent wrong number."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine
from result_files import HEADER, START_MS, jtl, row, staircase, steady

from poolkeeper.cli import main

WRK = Path(__file__).parents[1] / "results" / "files" / "wrk.txt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(2)
    texts = {
        "empty.jtl": "",
        "header.jtl": HEADER + "\n",
        "zeros.txt": "0\n" * 100,
        "negative.txt": "5\n-3\n7\n" * 50,
        "nan.txt": "5\nnan\n7\n" * 50,
        "seconds.txt": "".join(f"{value:.4f}\n" for value in random.lognormal(-3, 0.5, 500)),
        "few.csv": "users,throughput\n1,65\n18,996\n",
        "flat.csv": "users,throughput\n" + "4,65\n4,66\n4,64\n4,65\n",
        "retrograde.csv": "users,throughput\n10,900\n20,700\n40,500\n80,300\n160,200\n",
        "semicolons.csv": "# levels\n\nusers;throughput\n10;900,5\n20;700\n40;500\n80;300\n160;200\n",
        "commented.csv": "# levels\n\nusers,throughput\n10,9\n20,many\n",
        "words.csv": "users,throughput\n10,many\n",
        "none.csv": "users,throughput\n",
        "beyond.txt": "1e300\n" * 100,
        "unclosed.jtl": HEADER + '\n1700000000000,5,"home\n' + (row(START_MS, 5) + "\n") * 5,
    }
    for name, text in texts.items():
        (made / name).write_text(text, encoding="utf-8")
    times = [int(value) for value in random.lognormal(4, 0.6, 500)]
    texts = {
        "prose.md": "# Results of 3 tests, as they came\n\nThe first 2, of seven.\n",
        "k6.csv": "metric_name,timestamp,metric_value\n" + "http_req_duration,1795266120,5.47\n" * 13,
        "mostly-zero.txt": "0\n" * 80 + "1\n" * 20,
        "few.txt": "1\n2\n3\n4\n" * 50,
        "mixed.txt": "\n".join((WRK.read_text(encoding="utf-8"), HEADER, *["1,2,a"] * 100)),
        "tiny.txt": "1e-9\n" * 100,
    }
    for name, text in texts.items():
        (made / name).write_text(text, encoding="utf-8")
    jtl(made / "huge.jtl", [row(START_MS, 5), row(START_MS, 10**15)])
    jtl(made / "digits.jtl", [row(START_MS, 5), row(START_MS, "9" * 23)])
    steady(made / "years.jtl", start_ms=START_MS + 3 * 365 * 86_400_000, seed=3)
    paused = [START_MS + 10 * k + (5000 if k >= 1000 else 0) for k in range(2000)]
    jtl(made / "pause.jtl", [row(start, 30) for start in paused])
    jtl(made / "seconds.jtl", [row(START_MS + 10 * k, 1000 * (k % 9 == 0)) for k in range(900)])
    jtl(made / "fast.jtl", [row(START_MS + 10 * k, 2 + k % 3) for k in range(900)])
    (made / "dates.csv").write_text("id,end\n" + "a,1e25\n" * 100)
    jtl(made / "one.jtl", [row(START_MS, 12)])
    jtl(made / "equal.jtl", [row(START_MS + 10 * place, 7) for place in range(500)])
    back = [3_600_000 if place > 250 else 0 for place in range(500)]
    jtl(made / "clock.jtl", [row(START_MS + 10 * k - back[k], time) for k, time in enumerate(times)])
    good = steady(made / "good.jtl")
    steady(made / "later.jtl", start_ms=START_MS + 86_400_000, mean_ms=400, seed=2)
    staircase(made / "stairs.jtl", seconds=12)
    packed = gzip.compress(good.read_bytes())
    (made / "truncated.jtl.gz").write_bytes(packed[: len(packed) // 2])
    (made / "damaged.jtl.gz").write_bytes(packed[:8])
    (made / "binary.jtl").write_bytes(random.integers(0, 256, 5000, dtype=np.uint8).tobytes())
    lines = good.read_text(encoding="utf-8").splitlines()
    lines[50] = lines[50].replace("true", "tr")
    (made / "bad-line.jtl").write_text("\n".join(lines), encoding="utf-8")
    (made / "folder").mkdir()
    return made


@pytest.fixture
def poolkeeper(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


REFUSED = {
    "analyze good.jtl --report good.jtl": "--report good.jtl: is the file to be analysed",
    "compare good.jtl later.jtl --report ./later.jtl": "--report later.jtl: is the file to be analysed",
    "usl stairs.jtl --report stairs.jtl": "--report stairs.jtl: is the file to be analysed",
    "queue mva --users 1000000000 --centre cpu=5ms": "users: 1,000,000,000 is above 1,000,000",
    "queue closed --users 1000000000 --service 25ms": "users: 1,000,000,000 is above 1,000,000",
    "analyze good.jtl --seed -1": "invalid value for '--seed': Input should be greater than or equal to 0",
    "analyze empty.jtl": "empty.jtl: is empty",
    "analyze header.jtl": "header.jtl: holds no requests",
    "analyze good.jtl --to 0s": "cut: nothing is left",
    "analyze unclosed.jtl": "unclosed.jtl: holds no requests",
    "analyze beyond.txt": "beyond.txt: holds no requests: beyond.txt: 100 requests with a response time beyond 292",
    "analyze dates.csv --column end": "dates.csv: holds no requests: dates.csv: 100 requests with a response time",
    "usl none.csv": "none.csv: lists no levels of load below its header",
    f"analyze {'a' * 300}": f"{'a' * 300}: cannot be read: File name too long",
    f"analyze good.jtl --report {'a' * 300}": f"--report {'a' * 300}: File name too long",
    "analyze nowhere.jtl": "nowhere.jtl: cannot be read: No such file or directory",
    "analyze folder": "folder: ",
    "analyze binary.jtl": "binary.jtl: line 1: has no known format",
    "analyze damaged.jtl.gz": "damaged.jtl.gz: cannot be unpacked",
    "analyze bad-line.jtl": "bad-line.jtl: line 51: success is not true or false: 'tr'",
    "analyze huge.jtl": "huge.jtl: line 3: elapsed is beyond 1,000,000,000,000 ms",
    "analyze digits.jtl": "digits.jtl: line 3: elapsed has too many digits",
    "analyze prose.md": "prose.md: line 1: has no known format",
    "analyze good.jtl --cluster tcp://127.0.0.1:1": "--cluster tcp://127.0.0.1:1: no scheduler answers there",
    "analyze good.jtl good.jtl": "good.jtl: is given twice",
    "analyze good.jtl --percentile 0": "percentile: 0 is not from 1 to below 100; the nearest are 1 and 99.99",
    "analyze good.jtl --percentile 101": "percentile: 101 is not from 1 to below 100",
    "analyze good.jtl --percentile 0.99": "percentile: 0.99 is below 1; percentiles are in percent, so write 99",
    "analyze good.jtl --label hmoe": "--label: unknown label 'hmoe'; did you mean 'home'?",
    "usl stairs.jtl --label hmoe": "--label: unknown label 'hmoe'",
    "capacity stairs.jtl --p99 500ms --from 12:99": "--from",
    "analyze good.jtl --group nobody": "--group: unknown group 'nobody'; known: Users",
    "analyze good.jtl --warm-up 30": "--warm-up: must be a number with its unit, such as 500ms, 10s, 5m or 1h",
    "analyze good.jtl --warm-up 1h": "cut: nothing is left of 19.8 s in which requests were sent: warm-up 3,600 s",
    "analyze good.jtl --from 10s --to 5s": "cut: nothing is left of 19.8 s in which requests were sent: from 10.0 s",
    "analyze good.jtl --format jmetr": "unknown format 'jmetr'; did you mean 'jtl'?",
    "analyze seconds.txt --unit parsec": "unknown unit 'parsec'; known: ns, us, ms, s, min",
    "analyze good.jtl --apdex 0s": "--apdex 0s: must be longer than 0",
    "analyze good.jtl --bound fast": "--bound: must be a number with its unit",
    "analyze good.jtl --report nowhere/page.html": "--report nowhere/page.html: there is not a folder nowhere; make it",
    "analyze good.jtl --report folder": "--report folder: is a folder",
    "analyze good.jtl --lable home": "no such option: --lable (Possible options: --label)",
    "analyse good.jtl": "unknown command 'analyse'; did you mean 'analyze'?",
    "compare good.jtl nowhere.jtl": "nowhere.jtl: cannot be read",
    "fit one.jtl": "response times: 1 value, but at least 30 are needed",
    "fit equal.jtl": "response times: all 500 values are 7; nothing varies",
    "fit zeros.txt": "response times: all 100 values are 0",
    "fit good.jtl --distribution lognormel": "unknown distribution 'lognormel'; did you mean 'lognormal'?",
    "tail good.jtl --replicates 999999999999": "replicates: 999999999999 is more than 10000",
    "fit good.jtl --replicates 10001": "replicates: 10001 is more than 10000",
    "fit good.jtl --replicates -1": "replicates: -1 is negative",
    "fit good.jtl --replicates 5": "replicates: 5 are too few for a p value; the nearest valid number is 100, and 0",
    "tail good.jtl --replicates 1": "replicates: 1 is too few for a p value; the nearest valid number is 20, and 0",
    "tail one.jtl": "response times: 1 value, but at least 50 are needed",
    "tail equal.jtl": "response times: all 500 values are 7: they have no tail",
    "usl few.csv": "levels of concurrency for the 3 parameters of USL: 2 values, but at least 3 are needed",
    "usl flat.csv": "levels of concurrency (all measurements are at 4): 1 value, but at least 3 are needed",
    "usl commented.csv": "commented.csv: line 5: users and throughput are not numbers: '20,many'",
    "usl words.csv": "words.csv: line 2: users and throughput are not numbers: '10,many'",
    "usl good.jtl later.jtl --users 3": "--users: 1 numbers for 2 files; give one for each file",
    "usl few.csv --over sessions": "--over: unknown value 'sessions'",
    "capacity stairs.jtl": "capacity: give one bound, such as --p99 500ms",
    "capacity stairs.jtl --p99 0ms": "--p99 0ms: must be longer than 0",
    "capacity stairs.jtl --p99 5ms --mean 5ms": "capacity: give one bound, such as --p99 500ms, not several",
    "capacity stairs.jtl --percentile 0 --within 5ms": "--percentile 0: is not above 0 and below 100, in percent",
    "capacity stairs.jtl --percentile 101 --within 5ms": "--percentile 101: is not above 0 and below 100",
    "capacity stairs.jtl --percentile 97.5": "capacity: --percentile and --within go together",
    "capacity stairs.jtl --p99.9 5ms --p99.99 5ms": "capacity: give one bound, such as --p99 500ms, not several",
    "capacity clock.jtl --p99 5ms": "clock.jtl: has no times to count requests by: clock.jtl: times go back by up to",
    "usl clock.jtl": "clock.jtl: has no times to count requests by",
    "capacity stairs.jtl --mean fast": "--mean: must be a number with its unit",
    "capacity few.csv --p99 3ms": "few.csv: lists throughputs, but no response times",
    "queue mmd": "unknown model 'mmd'; did you mean 'mmc'?",
    "queue mmc --rate 128": "mmc: --service is missing",
    "queue mm1 --rate 128 --service 25ms": "rate: 128.0 is not below the 40.00 that can be served",
    "queue mm1 --rate 1 --service 25": "--service: must be a number with its unit",
    "queue mm1 --rate x --service 25ms": "--rate x: must be requests a second, such as 128 or 128/s",
    "queue mm1 --rate 1 --service 25ms --servers 3": "--servers: does not apply to mm1, which takes --rate, --service",
    "queue mva --users 5 --centre db": "--centre db: must be NAME=TIME or NAME=TIMExSERVERS",
    "queue mmc --rate 1 --service 1ms --what-if addserver": "--what-if: unknown change 'addserver'; did you mean",
    "queue mmc --rate 1 --service 1ms --servers 1000000001": "servers: 1,000,000,001 is above 1,000,000,000",
    "queue mmck --rate 1 --service 1ms --servers 1 --places 10000001": "places: 10,000,001 is above 10,000,000",
    "queue closed --users 0 --service 1ms": "users: 0 is not a whole number of 1 or above",
}

WARNED = {
    "analyze negative.txt": "negative.txt: 50 requests with a negative response time were left out",
    "analyze nan.txt": "nan.txt: 50 requests without a response time (missing, or not a number) were left out",
    "analyze seconds.txt": "taken as milliseconds: if they are seconds, say unit s",
    "analyze clock.jtl": "no throughput: the times are no ground for a rate, as a warning says",
    "analyze truncated.jtl.gz": "the packed file is cut off or damaged; what could be unpacked is used",
    "analyze good.jtl later.jtl": "later.jtl begins 24.0 h after good.jtl ends: these may be two tests",
    "analyze good.jtl years.jtl": "too long to look at each interval: figures over time are not given",
    "analyze k6.csv": "k6.csv: its times are whole seconds, and all lie within 5.47 ms: too short to say",
    "analyze mostly-zero.txt": "mostly-zero.txt: 80 of 100 response times are 0: they were rounded too coarsely",
    "analyze tiny.txt": "tiny.txt: 100 of 100 response times are 0: they were rounded",
    "analyze tiny.txt --unit s": "half of the response times are 1.00 ns or less, and all are kept in whole ns",
    "analyze one.jtl": "no fits: response times: 1 value, but at least 30 are needed",
    "analyze equal.jtl": "no tail: response times: all 500 values are 7: they have no tail",
    "analyze zeros.txt": "no fits: response times: all 100 values are 0; nothing varies that could be fitted",
    "compare one.jtl good.jtl": "undecided",
    "compare seconds.txt good.jtl": "warning: seconds.txt: half",
    "analyze pause.jtl": "nothing ended for 4.00 s, 11.0 s after the first answer: rates over the whole time",
    "analyze seconds.jtl": "half of them or more are recorded as 0, in whole seconds, one in a hundred 1,000 ms",
    "analyze fast.jtl": "response times were recorded in whole milliseconds: no figure of them is finer than that",
    "analyze good.jtl k6.csv": "good.jtl is JMeter JTL (CSV) and k6.csv is k6 (CSV): results of different tools may",
    "analyze few.txt": "whole milliseconds: no figure of them is finer than that; if they are seconds, use --unit s",
    "analyze mixed.txt": "warning: mixed.txt: 101 lines after wrk's report were not read",
    "usl semicolons.csv": "alpha is at its bound 1: more users bring nothing at all",
    "usl retrograde.csv": "alpha is at its bound 1: more users bring nothing at all",
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_cannot_be_answered_is_refused_in_one_line(poolkeeper: CommandLine, folder: Path, command: str) -> None:
    done = poolkeeper(folder, command)
    assert (done.code, done.out) == (2, ""), done.err
    (line,) = done.err.splitlines()
    assert line.startswith(f"poolkeeper: {REFUSED[command]}")


@pytest.mark.parametrize("command", WARNED)
def test_what_limits_an_answer_is_said_with_it(poolkeeper: CommandLine, folder: Path, command: str) -> None:
    done = poolkeeper(folder, command)
    assert (done.code, done.err) == (0, "")
    assert WARNED[command] in done.out
    assert "nan" not in done.out.replace("nan.txt", "").lower()


@pytest.mark.parametrize("file", ["clock.jtl", "k6.csv", "good.jtl years.jtl"])
def test_a_verdict_names_no_rate_where_the_clock_is_not_to_be_believed(
    poolkeeper: CommandLine, folder: Path, file: str
) -> None:
    assert "/s" in json.loads(poolkeeper(folder, "analyze good.jtl --json").out)["verdict"]
    assert "/s" not in json.loads(poolkeeper(folder, f"analyze {file} --json").out)["verdict"]


def test_a_file_whose_name_has_two_lines_is_refused_in_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "two\nlines.jtl").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["poolkeeper", "analyze", "two\nlines.jtl"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err == "poolkeeper: two lines.jtl: is empty\n"


def test_one_request_has_no_half(poolkeeper: CommandLine, folder: Path) -> None:
    verdict = json.loads(poolkeeper(folder, "analyze one.jtl --json").out)["verdict"]
    assert "it took 12.0 ms" in verdict
    assert "half" not in verdict
    assert "/s" not in verdict
