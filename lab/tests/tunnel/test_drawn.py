"""Drawn plants: their table, their targets, and their place on the page, against figures made by hand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tunnels import Drawn, add_drawn, scores, write

from poolkeeper.tunnel.drawn import rows, seeds
from poolkeeper.tunnel.launch import explain
from poolkeeper.tunnel.results import load
from poolkeeper.tunnel.summary import by_cell, ranking
from poolkeeper.tunnel.targets import Target, targets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from browser import Browser

CATEGORIES = ("steady", "steady", "steady", "bursts", "changes")
DRAWS = [
    Drawn(1000 + i, ("cliff", "plateau")[i % 2], CATEGORIES[i // 2 % len(CATEGORIES)])
    for i in range(2 * len(CATEGORIES))
]
"""Six of steady work, two of bursts, two of changing work."""


def good(draw: Drawn, controller: str) -> dict[str, float | str]:
    overall = {"response-curve": 0.985, "ours": 0.5, "peer": 0.95, "best-fixed": 1.0}[controller]
    low = controller == "peer" and draw.kind == "cliff" and draw.category == "bursts"
    return scores("", overall=0.3 if low else overall, threads=1.2)


def planned_scores(_plant: str, load_name: str, _noise: str, _seed: int, _controller: str) -> dict[str, float | str]:
    return scores(load_name, overall=0.9)


def judged(folder: Path, name: str = "response-curve") -> list[Target]:
    results = load(folder)
    return [target for target in targets(results, by_cell(results), name) if target.what.startswith("drawn")]


def test_the_table_has_the_tunnels_plants_beside_the_drawn_ones(tmp_path: Path) -> None:
    def score(draw: Drawn, controller: str) -> dict[str, float | str]:
        if controller != "ours":
            return good(draw, controller)
        return scores("", overall=0.7 + 0.02 * (draw.seed - 1000), threads=1 + 0.1 * (draw.seed - 1000))

    results = load(add_drawn(write(tmp_path, planned_scores), DRAWS, score))
    table = {row.controller: row for row in rows(results, by_cell(results))}
    assert list(table) == ["best-fixed", "response-curve", "peer", "ours"]
    ours = table["ours"]
    assert (ours.planned.count, ours.steady.count, ours.all.count) == (12, 6, 10)
    assert ours.planned.mean == pytest.approx(0.9)
    assert ours.all.mean == pytest.approx(0.79)
    assert ours.all.worst == pytest.approx(0.7)
    assert ours.all.low == pytest.approx(0.7 + 0.02 * 0.05 * 9)
    assert ours.steady.mean == pytest.approx(0.75)
    assert ours.threads == pytest.approx(1.45)
    assert {name: group.count for name, group in ours.groups.items()} == {
        "steady": 6,
        "bursts": 2,
        "changes": 2,
        "cliff": 5,
        "plateau": 5,
    }
    assert table["peer"].groups["cliff"].worst == pytest.approx(0.3)


def test_the_ranking_is_of_the_tunnels_plants_alone_where_they_were_flown(tmp_path: Path) -> None:
    both = load(add_drawn(write(tmp_path / "both", planned_scores), DRAWS, good))
    assert [standing.overall for standing in ranking(both, by_cell(both))] == pytest.approx([0.9] * 4)
    alone = load(add_drawn(tmp_path / "alone", DRAWS, good, alone=True))
    standings = ranking(alone, by_cell(alone))
    assert [standing.controller for standing in standings][:2] == ["best-fixed", "response-curve"]
    # Eight resizes in ten minutes.
    assert standings[0].resizes_per_minute == pytest.approx(0.8)


def test_targets_on_drawn_plants_are_of_means_and_percentiles(tmp_path: Path) -> None:
    found = judged(add_drawn(write(tmp_path, planned_scores), DRAWS, good))
    assert [target.reached for target in found] == [True, True, True, True]
    assert [target.cells for target in found] == [6, 10, 2, 10]
    assert found[0].found == "mean 0.985, 5th percentile 0.985, farthest 0.985"


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"overall": 0.975}, ["steady work with noise"]),
        ({"overall": 0.96}, ["steady work with noise", "bursts and changing work", "ahead of every other"]),
        ({"threads": 1.4}, ["threads"]),
    ],
)
def test_what_is_missed_on_drawn_plants(tmp_path: Path, changed: dict[str, float], missed: Sequence[str]) -> None:
    def score(draw: Drawn, controller: str) -> dict[str, float | str]:
        peer = {"overall": 0.94} if controller == "peer" else {}
        return good(draw, controller) | (changed if controller == "response-curve" else peer)

    found = [target.what for target in judged(add_drawn(tmp_path, DRAWS, score, alone=True)) if not target.reached]
    assert len(found) == len(missed)
    assert all(words in what for words, what in zip(missed, found, strict=True))


def test_a_few_bad_plants_miss_the_percentile(tmp_path: Path) -> None:
    def score(draw: Drawn, controller: str) -> dict[str, float | str]:
        bad = controller == "response-curve" and draw.seed == 1000
        return good(draw, controller) | ({"overall": 0.8} if bad else {"overall": 0.999})

    steady, *_ = judged(
        add_drawn(tmp_path, [*DRAWS, *(Drawn(1100 + i, "dip", "steady") for i in range(6))], score, alone=True)
    )
    assert not steady.reached
    assert steady.met == 11
    assert steady.worst == "cliff-1000, closed-70, wander-9%"


def test_the_targets_of_the_tunnels_plants_do_not_see_drawn_ones(tmp_path: Path) -> None:
    def bad(draw: Drawn, controller: str) -> dict[str, float | str]:
        return good(draw, controller) | {"overall": 0.1, "steady": 0.1, "threads_steady": 9}

    def of(folder: Path) -> list[Target]:
        results = load(folder)
        found: list[Target] = targets(results, by_cell(results), "response-curve")
        return [target for target in found if not target.what.startswith("drawn")]

    before = of(write(tmp_path, planned_scores))
    assert of(add_drawn(tmp_path, DRAWS, bad)) == before


def test_no_target_is_set_for_bounded_pools(tmp_path: Path) -> None:
    folder = add_drawn(tmp_path, DRAWS, good, alone=True)
    assert "targets reached" in explain(folder).text
    document = folder / "tunnel.json"
    document.write_text(document.read_text().replace('"largest_size": 256', '"largest_size": 20'))
    bounded = explain(folder)
    assert bounded.text.endswith("judged by the best size up to it; no targets are set for them.")
    assert "Pools of up to 20 workers" in bounded.text
    assert "had to reach" not in bounded.page.read_text()


@pytest.mark.parametrize(
    ("first", "purpose"),
    [(1, "for tuning, no figures for a report"), (995, "some of them for tuning"), (1000, "that nobody tunes on")],
)
def test_the_seeds_say_what_they_are_for(tmp_path: Path, first: int, purpose: str) -> None:
    draws = [Drawn(first + i, "cliff", "steady") for i in range(10)]
    results = load(add_drawn(tmp_path, draws, good, alone=True))
    assert seeds(results) == f"10 drawn plants, seeds {first} to {first + 9}, {purpose}"


def test_the_terminal_shows_both_and_every_kind(tmp_path: Path) -> None:
    text = explain(add_drawn(write(tmp_path, planned_scores), DRAWS, good)).text
    assert text.startswith("Over 12 situations")
    assert "10 drawn plants, seeds 1000 to 1009, that nobody tunes on; percent of the optimum:" in text
    assert re.search(r"response-curve +90\.0 +90\.0 +98\.5 +98\.5 +98\.5 +98\.5 +98\.5 +98\.5 +1\.20×", text)
    assert re.search(r"steady work in bursts +2 +100\.0 \(100\.0\) +98\.5 \(98\.5\) +62\.5 \(30\.0\)", text)
    assert re.search(r"cliff +5 ", text)


def test_a_folder_of_drawn_plants_alone_is_explained(tmp_path: Path) -> None:
    explained = explain(add_drawn(tmp_path, DRAWS, good, alone=True))
    assert explained.text.startswith("10 drawn plants")
    assert "plants of the tunnel" not in explained.text
    text = explained.page.read_text(encoding="utf-8")
    assert '<h2 id="drawn-title">Drawn plants</h2>' in text
    assert 'id="drawn-cliff"' in text
    assert 'id="plant-cpu"' not in text


def test_controllers_that_met_only_one_sort_of_plants_are_shown(tmp_path: Path) -> None:
    folder = write(tmp_path, planned_scores, controllers=("ours", "peer"))
    results = load(add_drawn(folder, DRAWS, good, controllers=("response-curve", "peer")))
    assert [standing.controller for standing in ranking(results, by_cell(results))] == ["ours", "peer"]
    assert [row.controller for row in rows(results, by_cell(results))] == ["response-curve", "peer"]
    assert "response-curve" in explain(folder).page.read_text(encoding="utf-8")


def test_a_kind_in_the_heat_map_leads_to_its_worst_plant(browser: Browser, tmp_path: Path) -> None:
    browser.open(explain(add_drawn(write(tmp_path, planned_scores), DRAWS, good)).page)
    peer = "[...document.querySelectorAll('#heat tbody tr')].find((one) => one.cells[0].textContent === 'peer')"
    at = "[...document.querySelectorAll('#heat thead th')].findIndex((one) => one.dataset.column === 'drawn cliff')"
    browser.run(f"{peer}.cells[{at}].querySelector('button').click()")
    # Cliffs of seeds 1000, 1002, ...; the one with bursts is the fourth.
    assert browser.run("document.getElementById('cell-plant').value") == "cliff-1006"
    words = browser.run("document.getElementById('cell-words').textContent")
    assert words.startswith("Drawn: a drawn cliff: k; 70 users; it wanders. 0 to 600 s: cliff-1006, best size 2")
    loads = browser.run("[...document.getElementById('heat-load').options].map((one) => one.value)")
    assert loads == ["", "closed-100", "changes-60", "closed-1"]
    kinds = {"Runtime.exceptionThrown", "Log.entryAdded"}
    assert [event["params"] for event in browser.events if event["method"] in kinds] == []


def tunnel(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "poolkeeper", "tunnel", "-o", str(folder / "out"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("quick_java")
def test_drawn_plants_from_the_command_to_the_page_and_again(tmp_path: Path) -> None:
    chosen = ["--controllers", "fixed-9,best-fixed", "--jobs", "2"]
    done = tunnel(tmp_path, "--drawn", "2", "--seed", "140", *chosen)
    assert done.returncode == 0, done.stderr
    assert "2 drawn plants, seeds 140 to 141, for tuning" in done.stdout
    done = tunnel(
        tmp_path, "--drawn", "3", "--seed", "140", "--plants", "cpu", "--loads", "closed-1", "--resume", *chosen
    )
    assert done.returncode == 0, done.stderr
    assert "3 drawn plants, seeds 140 to 142, for tuning" in done.stdout
    assert "plants of the tunnel" in done.stdout
    about: dict[str, Any] = json.loads((tmp_path / "out" / "tunnel.json").read_text(encoding="utf-8"))
    assert [entry["seed"] for entry in about["drawn"]] == [140, 141, 142]
