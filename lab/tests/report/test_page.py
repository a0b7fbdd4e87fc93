"""The page: self-contained, honest about what is missing, safe with any name, small."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from experiments import STEADY, add_run, demo, two_axes

from poolkeeper.report import write_reports

GOLDEN = Path(__file__).parents[3] / "contract" / "golden" / "v1"


class Page(HTMLParser):
    """Elements with their attributes, visible text, and the embedded data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.raw = text
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.within: list[str] = []
        self.embedded = ""
        self.feed(text)
        self.text = " ".join(" ".join(self.words).split())
        self.data: dict[str, Any] = json.loads(self.embedded)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in {"script", "style"}:
            self.within.append("data" if dict(attrs).get("id") == "data" else tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self.within.pop()

    def handle_data(self, data: str) -> None:
        if self.within == ["data"]:
            self.embedded += data
        elif not self.within:
            self.words.append(data)


def page(folder: Path) -> Page:
    (report,) = write_reports([folder])
    return Page(report.path.read_text(encoding="utf-8"))


def test_a_record_that_a_console_exported_has_no_users(tmp_path: Path) -> None:
    run = shutil.copytree(GOLDEN / "adaptive", tmp_path / "run")
    for name in ("load.csv", "load.json", "latency.hlog"):
        (run / name).unlink()
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    (run / "run.json").write_text(json.dumps(document | {"kind": "export", "status": "running"}), encoding="utf-8")
    found = page(run)
    assert "It holds what its pool did and decided, and no load." in found.text
    assert "Pools were watched in a running program, under a load that is not recorded." in found.text
    assert "played users" not in found.text
    assert "was still running" not in found.text


def test_nothing_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    found = page(demo(tmp_path / "demo"))
    loaded = [value for _, attributes in found.elements for name in ("src", "href") if (value := attributes.get(name))]
    assert [value for value in loaded if not value.startswith(("#", "data:"))] == []
    assert not re.search(r"url\((?!data:)|@import|fetch\(|XMLHttpRequest|WebSocket|import\(", found.raw)
    policy = next(
        attributes["content"]
        for _, attributes in found.elements
        if "content-security-policy" in str(attributes).lower()
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_it_is_small(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", repetitions=3)
    assert write_reports([folder])[0].path.stat().st_size < 500_000


def test_names_of_any_kind_stay_text(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    add_run(
        tmp_path / "demo", "fixed-10", phases=STEADY, about={"variant": hostile}, question=hostile, application=hostile
    )
    decisions = tmp_path / "demo/fixed-10/0/decisions.jsonl"
    decision = {"pool": "w", "at_ns": 5_004_000_000_000, "mode": "active", "action": "resized", "size_before": 1}
    decision |= {"size_after": 2, "size_asked": 2, "reason": hostile, "numbers": {hostile: 1.0}}
    decisions.write_text(json.dumps(decision) + "\n", encoding="utf-8")
    run = tmp_path / "demo/fixed-10/0/run.json"
    document = json.loads(run.read_text(encoding="utf-8"))
    document["configuration"]["pool"] = {"controller": "mine"}
    run.write_text(json.dumps(document), encoding="utf-8")
    found = page(tmp_path / "demo")
    assert [tag for tag, _ in found.elements].count("script") == 3
    assert "img" not in [tag for tag, _ in found.elements]
    (cell,) = found.data["cells"]
    assert cell["variants"][0]["name"] == hostile
    assert cell["decisions"][0]["reason"] == hostile


def test_the_opening_asks_tells_and_answers(tmp_path: Path) -> None:
    text = page(demo(tmp_path / "demo")).text
    for sentence in (
        "Does a pool that sizes itself keep up with fixed pools while the load changes?",
        "to the application dbwrite: 100, then 1, then 100, then 1, then 100 users for 15 s each.",
        "with a fixed number of threads (fixed-2, fixed-10 and fixed-100) and with a pool that a controller",
        "resizes while it runs (adaptive), once each, after a warm-up of 2 s that does not count.",
        "The adaptive pool served 386 requests per second",
        "4 processors (Example CPU @ 2.50GHz), 24 GiB of memory",
        "A difference is seen when its 95 % interval leaves out zero and it is at least 1 %.",
        "another pair of runs may differ by more.",
    ):
        assert sentence in text


def test_what_went_wrong_comes_first(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", names=("fixed-10", "fixed-100"))
    add_run(folder, "adaptive", phases=STEADY, about={"status": "interrupted", "error": "interrupted by hand"})
    add_run(folder, "fixed-2", phases=STEADY, about={"status": "failed", "error": "the database died in mid-run."})
    load = folder / "fixed-100/0/load.json"
    summary = json.loads(load.read_text(encoding="utf-8")) | {
        "bottleneck": True,
        "cpu_share": 0.9,
        "warnings": ["the threads were busy"],
    }
    load.write_text(json.dumps(summary), encoding="utf-8")
    text = page(folder).text
    warnings = text[text.index("Read this first") : text.index("The variants side by side")]
    for sentence in (
        "The run adaptive/0 was interrupted after 12 s of load; no verdict rests on it.",
        "The run fixed-2/0 failed: the database died in mid-run.",
        "In fixed-100/0 the load generator itself may have been the bottleneck",
        f"fixed-100: {summary['errors']} of {summary['requests']:,} requests failed; failed requests count neither as",
        "In fixed-100/0: the threads were busy.",
    ):
        assert sentence in warnings


def test_a_load_generator_that_others_held_up_is_not_called_busy(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", names=("fixed-2", "fixed-10"))
    file = folder / "fixed-10/0/load.json"
    output = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(output | {"bottleneck": True, "cpu_share": 0.08}), encoding="utf-8")
    shown = page(folder).text
    assert "In fixed-10/0 the load generator was held up, though it used 8.0 % of a processor only" in shown
    assert "load held up" in shown
    assert "load at its limit" not in shown


def test_published_figures_none_of_which_fits_are_told(tmp_path: Path) -> None:
    folder = two_axes(tmp_path / "axes")
    (folder / "published.csv").write_text("users,variant,mean_ms\n7,fixed-10,5\n", encoding="utf-8")
    assert "Of the published figures none can stand beside these" in page(folder).text


def test_warnings_alike_are_said_once(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", repetitions=2, names=("fixed-2", "fixed-10"))
    for place, run in enumerate(sorted(folder.glob("*/*/run.json"))):
        document = json.loads(run.read_text(encoding="utf-8"))
        document["warnings"] = [f"other processes used {2.5 + place} processors", "the disk is slow"][: 1 + (place > 2)]
        run.write_text(json.dumps(document), encoding="utf-8")
    text = page(folder).text
    assert "In all 4 runs: other processes used 2.5…5.5 processors." in text
    assert "In fixed-2/1: the disk is slow." in text


def test_no_warning_where_nothing_is_wrong(tmp_path: Path) -> None:
    assert "Read this first" not in page(demo(tmp_path / "demo", names=("fixed-10", "adaptive"))).text


def test_runs_that_measured_nothing_are_shown_as_such(tmp_path: Path) -> None:
    run = add_run(tmp_path / "demo", "fixed-10", about={"status": "failed", "error": "port 8080 is in use"})
    for name in ("windows.csv", "decisions.jsonl", "load.csv", "load.json", "latency.hlog"):
        (run / name).unlink()
    text = page(tmp_path / "demo").text
    assert "No run got as far as measuring a second of load." in text
    assert "The run fixed-10/0 failed: port 8080 is in use." in text


def test_charts_hold_what_was_measured(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", names=("fixed-10", "adaptive"), repetitions=2)
    (cell,) = page(folder).data["cells"]
    assert cell["bin"] == 1
    assert cell["x"] == [second + 0.5 for second in range(75)]
    assert [(phase["start"], *phase["levels"]) for phase in cell["phases"]] == [
        (0, 100),
        (15, 1),
        (30, 100),
        (45, 1),
        (60, 100),
    ]
    adaptive = cell["variants"][1]
    assert (adaptive["name"], adaptive["adaptive"], adaptive["repetitions"]) == ("adaptive", True, [0, 1])
    rows = [
        [line.split(",") for line in (folder / f"adaptive/{number}/load.csv").read_text(encoding="utf-8").split()[1:]]
        for number in (0, 1)
    ]
    rates = [[int(row[4]) - int(row[5]) for row in run] for run in rows]
    series = adaptive["series"]["throughput"]
    assert series["mean"] == [(rate + other) / 2 for rate, other in zip(*rates, strict=True)]
    assert series["low"] == [min(pair) for pair in zip(*rates, strict=True)]
    assert series["high"] == [max(pair) for pair in zip(*rates, strict=True)]
    lines = (folder / "adaptive/1/decisions.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = [json.loads(line) for line in lines]
    found = [entry for entry in cell["decisions"] if entry["run"] == 1]
    assert [(entry["before"], entry["after"], entry["reason"]) for entry in found] == [
        (entry["size_before"], entry["size_after"], entry["reason"]) for entry in wanted
    ]
    sizes = adaptive["sizes"][1]
    assert sizes["y"][0] == 1
    assert sizes["x"][1:-1] == [entry["t"] for entry in found if entry["action"] == "resized" and entry["t"] < 75]


def test_fixed_pools_have_no_decisions_to_explain(tmp_path: Path) -> None:
    run = add_run(tmp_path / "demo", "fixed-10", phases=STEADY)
    decision = {
        "pool": "workers",
        "controller": "fixed",
        "at_ns": 5_004_000_000_000,
        "mode": "active",
        "action": "kept",
    }
    decision |= {"size_before": 10, "size_after": 10, "size_asked": 10, "reason": "fixed at 10", "numbers": {}}
    (run / "decisions.jsonl").write_text(json.dumps(decision) + "\n", encoding="utf-8")
    assert page(tmp_path / "demo").data["cells"][0]["decisions"] == []


def test_several_cells_have_an_overview_and_a_section_each(tmp_path: Path) -> None:
    found = page(two_axes(tmp_path / "axes"))
    assert [cell["name"] for cell in found.data["cells"]] == [
        "dbwrite · 1 user", "dbwrite · 100 users", "prime1m · 1 user", "prime1m · 100 users",
    ]  # fmt: skip
    assert "for each combination of application (dbwrite and prime1m) and users (1 and 100)" in found.text
    assert "Of the 4 combinations measured, within 5 % of the highest throughput came" in found.text
    overview = found.data["overview"]["tables"]["throughput_per_s"]
    assert len(overview["rows"]) == 12
    assert sum(tag == "details" and attributes.get("class") == "cell" for tag, attributes in found.elements) == 4


def test_combinations_and_variants_that_were_left_out_are_not_said_to_be_measured(tmp_path: Path) -> None:
    folder = two_axes(tmp_path / "axes")
    shutil.rmtree(folder / "application-dbwrite_users-1" / "fixed-2")
    of = "Of the 4 combinations of application (dbwrite and prime1m) and users (1 and 100)"
    assert f"{of} 4 were measured, not each of them with all variants." in page(folder).text
    shutil.rmtree(folder / "application-dbwrite_users-1")
    assert " 3 were measured." in page(folder).text


def test_phases_of_a_load_are_told_apart(tmp_path: Path) -> None:
    (cell,) = page(demo(tmp_path / "demo", names=("fixed-2", "fixed-10"))).data["cells"]
    table = cell["tables"]["phases"]
    assert table["header"] == [
        "variant",
        "phase",
        "users",
        "throughput_per_s",
        "response_mean_s",
        "response_p99_s",
        "mean_pool_size",
    ]
    assert [row[2] for row in table["rows"] if row[0] == "fixed-2"] == [100, 1, 100, 1, 100]
    rates = [row[3] for row in table["rows"] if row[0] == "fixed-2"]
    assert min(rates[::2]) > 90
    assert max(rates[1::2]) < 60


@pytest.mark.parametrize("seconds", [400, 1500])
def test_long_runs_are_drawn_in_longer_bins(tmp_path: Path, seconds: int) -> None:
    from synthetic import Phase

    add_run(tmp_path / "demo", "fixed-2", phases=(Phase(1, float(seconds)),))
    (cell,) = page(tmp_path / "demo").data["cells"]
    assert cell["bin"] == (1 if seconds == 400 else 4)
    assert len(cell["x"]) <= 400
    assert None not in cell["variants"][0]["series"]["p99"]["mean"]


def test_the_golden_record_makes_a_page() -> None:
    from poolkeeper.report.experiment import load_experiments
    from poolkeeper.report.page import render

    (experiment,) = load_experiments([GOLDEN])
    page = render(experiment)
    assert "cut off and was ignored" in page.html
    assert page.answer.startswith("The adaptive pool served 205 requests per second")
