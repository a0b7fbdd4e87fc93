"""Figures of a run whose work several servers share."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from experiments import add_run
from synthetic import Phase

from poolkeeper.record import read_run
from poolkeeper.report.description import shared_out_sentences
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.measuring.measurement import Measurement, measure
from poolkeeper.report.summary import summarise
from poolkeeper.report.tables import variant_table

if TYPE_CHECKING:
    from pathlib import Path

SECOND = 1_000_000_000
WAITS = {"server-1": 100, "server-2": 1000, "balancer": 7}
"""A second."""


def measured(folder: Path) -> Measurement:
    return measure([read_run(folder)])[0]


def of_two(folder: Path) -> Measurement:
    """A run of five seconds as if two servers had shared its work.

    The second server has three threads more than the first, from its second window on one more, and is killed after two
    seconds; the first uses half a processor, the second one, the balancer a quarter.
    """
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    document["configuration"] |= {"balancer": "round-robin", "back_ends": 2}
    used = {"period_s": 0.01, "periods": 500, "throttled": 100, "throttled_s": 0.5}
    document["quotas"] = {"server-1": {"cpus": 0.5, **used}, "server-2": {"cpus": 1.5, **used}}
    (folder / "run.json").write_text(json.dumps(document), encoding="utf-8")
    header, *rows = (folder / "windows.csv").read_text(encoding="utf-8").splitlines()
    lines = [header]
    for name, more in (("server-1", 0), ("server-2", 3)):
        for number, row in enumerate(rows):
            pool, start, end, size, *rest = row.split(",")
            grown = int(size) + more + (1 if more and number else 0)
            lines.append(",".join([f"{name}/{pool}", start, end, str(grown), *rest]))
    (folder / "windows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    begin = int((folder / "load.csv").read_text(encoding="utf-8").splitlines()[1].split(",")[0])
    monitor = ["at_ns,process,cpu_ns,rss_bytes,voluntary_switches"]
    for second in range(6):
        used = {"server-1": SECOND * second // 2, "balancer": SECOND * second // 4}
        if second <= 2:
            used["server-2"] = SECOND * second
        monitor += [f"{begin + second * SECOND},{name},{cpu},1,{WAITS[name] * second}" for name, cpu in used.items()]
    (folder / "monitor.csv").write_text("\n".join(monitor) + "\n", encoding="utf-8")
    return measured(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return add_run(tmp_path / "demo", "fixed-2", phases=(Phase(2, 5),))


def test_the_pools_of_all_servers_count_together(folder: Path) -> None:
    alone = measured(folder).thread_seconds(0.0, 5.0)
    together = of_two(folder)
    assert len(together.pools) == 2
    first = together.sizes()[0][1]
    assert together.thread_seconds(0.0, 5.0) == pytest.approx(2 * alone + 5 * 3 + (5 - first))


def test_pools_of_one_server_do_not(folder: Path) -> None:
    alone = measured(folder).thread_seconds(0.0, 5.0)
    of_two(folder)
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del document["configuration"]["back_ends"]
    (folder / "run.json").write_text(json.dumps(document), encoding="utf-8")
    assert measured(folder).thread_seconds(0.0, 5.0) == alone


def test_the_cpu_of_all_servers_is_summed_over_the_whole_load_and_the_balancer_stands_apart(folder: Path) -> None:
    together = of_two(folder)
    assert together.server_cpu() == pytest.approx(0.5 + 2 / 5), "the second used two seconds of five"
    assert together.watched_cpu("balancer") == pytest.approx(0.25)
    (summary,) = summarise("", {"spread": [together.run]})
    figures = {figure.label: figure.text for figure in variant_table([summary]).rows[0].figures}
    assert (figures["Server CPU"], figures["Balancer CPU"]) == ("0.90", "0.25")


def test_what_a_request_cost_all_servers_is_counted_together(folder: Path) -> None:
    together = of_two(folder)
    waits = 100 + 1000 * 2 / 5  # the second lived for two seconds of five
    assert Costs.of(together).voluntary == pytest.approx(waits / (together.requests / together.seconds))
    assert math.isnan(Costs.of(together).involuntary), "nobody counted these"


def test_the_share_of_quotas_that_was_used_is_shown_where_there_are_any(folder: Path) -> None:
    together = of_two(folder)
    assert together.quota_used("server") == pytest.approx((0.5 + 2 / 5) / 2.0)
    (summary,) = summarise("", {"spread": [together.run]})
    table = variant_table([summary])
    figures = {figure.label: figure.text for figure in table.rows[0].figures}
    assert figures["Server quota"] == "45.0"
    assert "Balancer quota" not in figures, "it has none"
    assert dict(zip(table.csv.header, table.csv.rows[0], strict=True))["server_quota_used"] == pytest.approx(0.45)


def test_the_page_says_who_shared_the_work_and_what_quotas_allowed(folder: Path) -> None:
    assert shared_out_sentences([measured(folder).run]) == []
    shared = of_two(folder).run
    (output,) = shared_out_sentences([shared])
    assert output == (
        "In fixed-2 users reached an nginx with 2 such servers behind it (round-robin), whose pools and processors are "
        "counted together."
    )
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    document["configuration"]["quotas"] = {"server": 0.5, "balancer": None, "period_s": 0.01}
    (folder / "run.json").write_text(json.dumps(document), encoding="utf-8")
    assert shared_out_sentences([read_run(folder)])[1] == "A CPU quota allowed each server 0.5 or 1.5 of a processor."
    document["quotas"] = {}
    (folder / "run.json").write_text(json.dumps(document), encoding="utf-8")
    assert shared_out_sentences([read_run(folder)])[1] == "CPU quotas were asked for and could not be set."
