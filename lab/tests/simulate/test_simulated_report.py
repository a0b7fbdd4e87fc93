"""A simulated run, from the model to the page: the report shows it as it shows a real one, and says what it is."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import numpy as np
import pytest
from simulator import simulate, started, until

from poolkeeper.record import read_run
from poolkeeper.report import write_reports

if TYPE_CHECKING:
    from pathlib import Path

    from browser import Browser

MODEL = """
question: Does a pool follow a load that comes and goes?
clients: {kind: closed, phases: [{users: 40, for: 20s}, {users: 2, for: 20s}]}
tiers:
  server:
    workers: POOL
    stations: {database: {rates: {1: 40/s, 16: 400/s, 40: 250/s}}}
    work: [{use: database, amount: exponential 1}]
run: {replications: 2}
"""
ADAPTIVE = "{controller: throughput, window: 1s}"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    (folder / "fixed-4.yaml").write_text(MODEL.replace("POOL", "4"), encoding="utf-8")
    (folder / "adaptive.yaml").write_text(MODEL.replace("POOL", ADAPTIVE), encoding="utf-8")
    simulate("fixed-4.yaml", "adaptive.yaml", "-o", "record", cwd=folder)
    return folder / "record"


def test_its_record_is_read_like_any_other(record: Path) -> None:
    run = read_run(record / "adaptive" / "1")
    assert (run.simulated, run.status, run.experiment, run.variant) == (True, "complete", "simulate", "adaptive")
    assert run.windows is not None
    assert run.windows["end_s"].tolist() == [float(second) for second in range(1, 41)]
    assert {decision.at_s for decision in run.decisions} == {float(second) for second in range(1, 41)}
    assert run.load is not None
    assert run.load["users"].tolist() == [40.0] * 20 + [2.0] * 20
    assert run.latency is not None
    assert run.summary is not None
    total = run.latency.binned(np.array([0.0, 40.0]))
    assert sum(part.counts.sum() for part in total) == run.summary.requests - run.summary.errors


def test_the_page_says_that_it_is_a_simulation(record: Path) -> None:
    (report,) = write_reports([record])
    text = report.path.read_text(encoding="utf-8")
    assert "simulation report" in text
    assert "A simulation played users who each send a request" in text
    assert "virtual time of a simulation" in text
    assert "measured" not in report.text
    assert "Load CPU" not in text.split("<script", maxsplit=1)[0]


def test_the_page_draws_sizes_and_decisions(record: Path, browser: Browser) -> None:
    (report,) = write_reports([record])
    browser.open(report.path, width=1280)
    drawn = browser.run(
        """new Promise((done) => {
          const drawn = () => document.querySelectorAll(".chart canvas").length === 5;
          const look = () => drawn() ? done(5) : requestAnimationFrame(look);
          look();
        })"""
    )
    assert drawn == 5
    assert "Verdict" in browser.run("document.querySelector('table.stack').innerText")
    log = browser.run("document.querySelector('.decisions .count').innerText")
    assert any(digit.isdigit() for digit in log)
    kinds = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}
    assert [event["params"] for event in browser.events if event["method"] in kinds] == []


def test_an_open_load_is_told_by_its_rate(tmp_path: Path) -> None:
    text = MODEL.replace("POOL", "16").replace(
        "kind: closed, phases: [{users: 40, for: 20s}, {users: 2, for: 20s}]",
        "kind: open, phases: [{rate: 100/s, for: 10s}, {rate: 20/s, for: 10s}]",
    )
    (tmp_path / "open.yaml").write_text(text, encoding="utf-8")
    simulate("open.yaml", "-o", "record", cwd=tmp_path)
    (report,) = write_reports([tmp_path / "record"])
    page = report.path.read_text(encoding="utf-8")
    assert (
        "requests that arrive whatever becomes of those before them, to a modelled system: 100, then 20 a second"
        in page
    )
    data = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
    assert [phase["label"] for phase in data["cells"][0]["phases"]] == ["100/s", "20/s"]


def test_a_model_without_a_pool_has_a_page_as_well(tmp_path: Path) -> None:
    text = MODEL.replace("    workers: POOL\n", "").replace("replications: 2", "replications: 1")
    (tmp_path / "plain.yaml").write_text(text, encoding="utf-8")
    simulate("plain.yaml", "-o", "record", cwd=tmp_path)
    (report,) = write_reports([tmp_path / "record"])
    assert "The same model ran without a pool (plain), once." in report.path.read_text(encoding="utf-8")


def test_ctrl_c_keeps_what_there_is(tmp_path: Path) -> None:
    text = MODEL.replace("POOL", "16").replace("{users: 2, for: 20s}", "{users: 2, for: 10h}")
    (tmp_path / "long.yaml").write_text(text.replace("users: 2,", "users: 40,"), encoding="utf-8")
    with started("long.yaml", "-o", "record", "--jobs", "1", cwd=tmp_path) as process:
        first = tmp_path / "record/long/0/load.csv"
        until(lambda: first.exists() and first.stat().st_size > 0, process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "was stopped before anything could be told" in err
    assert read_run(tmp_path / "record/long/0").status == "interrupted"
