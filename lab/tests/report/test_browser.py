"""The page in a real browser: it draws, fits, explains itself by keyboard, and gives its numbers away."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from browser import Browser, chromium
from console_page import wait
from experiments import chained, demo, two_axes

from poolkeeper.report import write_reports

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(chromium() is None, reason="chromium is not installed: apt-get install chromium")

CHARTS = 5
DRAWN = """new Promise((done, failed) => {
  const end = Date.now() + 240000;
  const look = () => {
    const drawn = [...document.querySelectorAll("details[open] .chart canvas")];
    if (drawn.length && drawn.every((one) => one.width > 0)) setTimeout(() => done(drawn.length));
    else if (Date.now() > end) failed("no chart was drawn");
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reports([demo(tmp_path_factory.mktemp("runs") / "demo", repetitions=2)])[0].path


@pytest.fixture(scope="module")
def overview(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reports([two_axes(tmp_path_factory.mktemp("runs") / "axes")])[0].path


@pytest.fixture(scope="module")
def two_pools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reports([chained(tmp_path_factory.mktemp("runs") / "chained")])[0].path


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo whose adaptive pool tells the curve that it has learned in its last decision."""
    folder = demo(tmp_path_factory.mktemp("runs") / "learned", repetitions=1)
    for file in folder.glob("adaptive*/**/decisions.jsonl"):
        lines = file.read_text(encoding="utf-8").splitlines()
        last = json.loads(lines[-1])
        last["numbers"] = {f"curve.{size}.{part}": value for size, part, value in CURVE}
        last["numbers"] |= {"noise": 0.08, "acceptable": 776.0}
        file.write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n", encoding="utf-8")
    return write_reports([folder])[0].path


CURVE = [(1, "mean", 90.0), (1, "sd", 4.0), (4, "mean", 350.0), (4, "sd", 30.0), (16, "mean", 800.0), (16, "sd", 90.0)]


def complaints(browser: Browser) -> list[Any]:
    """Messages that the page logged or threw."""
    kinds = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}
    return [event["params"] for event in browser.events if event["method"] in kinds]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_draws_fits_and_asks_for_nothing(browser: Browser, report: Path, width: int, scheme: str) -> None:
    browser.open(report, width=width, scheme=scheme)
    assert browser.run(DRAWN) == CHARTS
    assert browser.run("document.documentElement.scrollWidth") <= width
    requested = [
        event["params"]["request"]["url"] for event in browser.events if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in requested if not url.startswith("data:")] == [report.resolve().as_uri()]
    assert complaints(browser) == []
    # Something is on every canvas: a blank one has a single colour.
    colours = browser.run(
        """[...document.querySelectorAll(".chart canvas")].map((canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size;
        })"""
    )
    assert min(colours) > 20


@pytest.mark.parametrize("width", [1280, 390])
def test_a_learned_curve_is_drawn_where_there_is_one(browser: Browser, learned: Path, width: int) -> None:
    browser.open(learned, width=width)
    browser.run(DRAWN)
    assert browser.run("document.querySelectorAll('.learned').length") == 1
    label = browser.run("document.querySelector('.learned .curve').getAttribute('aria-label')")
    assert label.startswith("Expected value at each size: 1: 90 ± 4; 4: 350 ± 30; 16: 800 ± 90. Enough: 776. Chosen: ")
    assert browser.run("document.querySelectorAll('.learned .point').length") == 3
    heights = browser.run("[...document.querySelectorAll('.learned .point')].map((one) => one.cy.baseVal.value)")
    assert heights == sorted(heights, reverse=True), "more is higher up"
    unsure = browser.run("[...document.querySelectorAll('.learned .point')].map((one) => one.matches('.unsure'))")
    assert unsure == [False, False, True]
    bar = browser.run("document.querySelector('.learned .acceptable').y1.baseVal.value")
    assert heights[-1] < bar < heights[-2]
    assert "curve." not in browser.run("document.querySelector('.log').textContent")
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert complaints(browser) == []


def test_a_page_without_learned_curves_does_not_speak_of_them(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    assert browser.run("document.querySelector('.curves')") is None


def test_the_overview_fits_a_phone_and_its_links_open_sections(browser: Browser, overview: Path) -> None:
    browser.open(overview, width=390)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.run("document.querySelectorAll('details.cell[open]').length") == 0
    browser.run("document.querySelector('.heat a[href=\"#cell-3\"]').click()")
    assert browser.run(DRAWN) == CHARTS
    assert browser.run("document.querySelector('details.cell[open]').id") == "cell-3"
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert complaints(browser) == []


def test_decisions_are_reached_by_keyboard(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    browser.run("document.querySelector('.chart[data-figure=sizes] .csv').focus()")
    browser.press("Tab")
    data = browser.run("JSON.parse(document.getElementById('data').textContent)")
    resized = [entry for entry in data["cells"][0]["decisions"] if entry["action"] == "resized" and entry["run"] == 0]
    for wanted in resized[:4]:
        assert browser.run("document.activeElement.className").startswith("mark")
        card = browser.run("document.getElementById('card').innerText")
        assert f"{wanted['before']} → {wanted['after']} threads" in card
        assert wanted["reason"] in card
        assert all(name in card for name in wanted["numbers"])
        assert wanted["reason"] in browser.run("document.activeElement.getAttribute('aria-label')")
        browser.press("ArrowRight")
    browser.press("End")
    assert resized[-1]["reason"] in browser.run("document.getElementById('card').innerText")
    browser.press("Escape")
    assert browser.run("document.getElementById('card').hidden") is True


def test_every_pool_has_its_chart_with_its_own_decisions(browser: Browser, two_pools: Path) -> None:
    browser.open(two_pools)
    browser.run(DRAWN)
    titles = browser.run(
        "[...document.querySelectorAll('.chart[data-figure^=sizes] h3')].map((one) => one.textContent)"
    )
    assert titles == ["Size of the pool workers", "Size of the pool store"]
    data = browser.run("JSON.parse(document.getElementById('data').textContent)")["cells"][0]
    resized = [entry for entry in data["decisions"] if entry["action"] == "resized"]
    for figure, pool in (("sizes", "workers"), ("sizes-0", "store")):
        chart = f'.chart[data-figure="{figure}"]'
        ours = [entry for entry in resized if entry["pool"] == pool]
        assert browser.run(f"document.querySelectorAll('{chart} .mark').length") == len(ours) > 10
        browser.run(f"document.querySelector('{chart} .csv').focus()")
        browser.press("Tab")
        card = browser.run("document.getElementById('card').innerText")
        assert f"pool {pool}" in card
        assert f"{ours[0]['before']} → {ours[0]['after']} threads" in card
    assert complaints(browser) == []


def test_pointing_at_a_decision_explains_it(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    at = browser.run(
        """(() => {
          document.querySelector(".chart[data-figure=sizes]").scrollIntoView({ behavior: "instant", block: "center" });
          const box = document.querySelector(".mark").getBoundingClientRect();
          return [box.x + 8, box.y - 30];
        })()"""
    )
    browser.point(*at)
    wait(browser, "document.getElementById('card').innerText.includes('1 → 11 threads · resized')")
    assert "fixed-100\t100" in browser.run("document.getElementById('card').innerText")


def test_a_tap_explains_a_decision_until_the_next(browser: Browser, report: Path) -> None:
    browser.open(report, width=390)
    browser.run(DRAWN)
    at = browser.run(
        """(() => {
          document.querySelector(".chart[data-figure=sizes]").scrollIntoView({ behavior: "instant", block: "center" });
          const box = document.querySelector(".mark").getBoundingClientRect();
          return [box.x + 5, box.y - 20];
        })()"""
    )
    browser.tap(*at)
    wait(browser, "document.getElementById('card').innerText.includes('1 → 11 threads · resized')")
    assert browser.run("document.getElementById('card').hidden") is False
    browser.tap(20, 20)
    wait(browser, "document.getElementById('card').hidden")


def test_zooming_one_chart_zooms_all(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    left, top, width, height = browser.run(
        """(() => {
          document.querySelector(".chart[data-figure=mean]").scrollIntoView({ behavior: "instant", block: "center" });
          const box = document.querySelector(".chart[data-figure=mean] .u-over").getBoundingClientRect();
          return [box.x, box.y, box.width, box.height];
        })()"""
    )
    before = browser.run("document.querySelectorAll('.mark').length")
    shown = "document.querySelectorAll('.mark:not([hidden])').length"
    wait(browser, f"{shown} === {before}")
    browser.drag(left + width / 2, left + width * 0.9, top + height / 2)
    wait(browser, f"0 < {shown} && {shown} < {before}")
    browser.double_click(left + width / 2, top + height / 2)
    wait(browser, f"{shown} === {before}")


def test_a_variant_can_be_hidden(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    marks = "document.querySelectorAll('.mark').length"
    assert browser.run(marks) > 10
    chip = "document.querySelector('.legend button.adaptive')"
    browser.run(f"{chip}.click()")
    assert browser.run(f"{chip}.getAttribute('aria-pressed')") == "false"
    assert browser.run(f"new Promise((done) => requestAnimationFrame(() => done({marks})))") == 0
    browser.run(f"{chip}.click()")
    assert browser.run(f"new Promise((done) => requestAnimationFrame(() => done({marks})))") > 10


def test_decisions_are_searched(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    count = "document.querySelector('.decisions .count').textContent"
    rows = "[...document.querySelectorAll('.log tbody .reason')].map((one) => one.textContent)"
    data = browser.run("JSON.parse(document.getElementById('data').textContent)")["cells"][0]["decisions"]
    changed = [entry for entry in data if entry["action"] != "kept"]
    assert browser.run(count) == f"{len(changed)} of {len(data)} decisions."
    browser.run(
        "(() => { const field = document.querySelector('.decisions input[type=search]');"
        " field.value = 'UNDONE throughput'; field.dispatchEvent(new Event('input')); })()"
    )
    found = browser.run(rows)
    assert len(found) == sum("undone" in entry["reason"] for entry in data) > 0
    assert all("increase undone" in text for text in found)
    browser.run("document.querySelector('.log tbody button').click()")
    assert "increase undone" in browser.run("document.getElementById('card').innerText")


def expected_rows(cell: dict[str, Any], figure: str) -> list[list[str]]:
    """Rows that the CSV of a figure must hold, from the data of the page."""

    def text(value: object) -> str:
        if value is None:
            return ""
        return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)

    if figure in cell["tables"]:
        return [[text(value) for value in row] for row in cell["tables"][figure]["rows"]]
    if figure == "decisions":
        keys = ("t", "pool", "mode", "action", "before", "asked", "after", "reason")
        names = cell["variants"]
        return [
            [names[entry["variant"]]["name"], str(entry["run"]), *(text(entry[key]) for key in keys)]
            for entry in cell["decisions"]
        ]
    if figure == "exceeded":
        lines = cell["exceeded"]["series"]
        return [
            [line["name"], text(at), text(share)]
            for line in lines
            for at, share in zip(line["x"], line["y"], strict=True)
        ]
    if figure == "sizes":
        return [
            [entry["name"], str(run), text(time), text(size)]
            for entry in cell["variants"]
            for run, steps in enumerate(entry["sizes"])
            for time, size in zip(steps["x"], steps["y"], strict=True)
        ]
    return [
        [entry["name"], text(time), *(text(entry["series"][figure][kind][place]) for kind in ("mean", "low", "high"))]
        for entry in cell["variants"]
        for place, time in enumerate(cell["x"])
    ]


def test_every_figure_is_downloaded_with_its_data(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    browser.run(
        """(() => { window.saved = []; HTMLAnchorElement.prototype.click = function () {
          window.saved.push([this.download, fetch ? this.href : ""]); };
          const make = URL.createObjectURL; window.blobs = [];
          URL.createObjectURL = (blob) => { window.blobs.push(blob); return make(blob); }; })()"""
    )
    buttons = browser.run(
        "[...document.querySelectorAll('button.csv')].map((one) => (one.click(), one.dataset.figure))"
    )
    tables = ["counters", "decisions", "differences", "phases", "variants"]
    assert sorted(buttons) == sorted([*tables, "exceeded", "mean", "p99", "sizes", "throughput"])
    texts = browser.run("Promise.all(window.blobs.map((blob) => blob.text()))")
    names = browser.run("window.saved.map(([name]) => name)")
    cell = browser.run("JSON.parse(document.getElementById('data').textContent)")["cells"][0]
    for figure, name, content in zip(buttons, names, texts, strict=True):
        assert name == f"demo-{figure}.csv"
        header, *rows = csv.reader(io.StringIO(content))
        wanted = expected_rows(cell, figure)
        assert len(rows) == len(wanted) > 0
        for row, values in zip(rows, wanted, strict=True):
            assert len(row) == len(header)
            for found, value in zip(row, values, strict=False):
                assert found == value or float(found) == float(value), (figure, row)


def test_a_download_arrives_as_a_file(browser: Browser, report: Path, tmp_path: Path) -> None:
    browser.open(report)
    browser.run(DRAWN)
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), eventsEnabled=True)
    browser.run("document.querySelector('.csv[data-figure=variants]').click()")
    while browser.wait_for("Browser.downloadProgress")["params"]["state"] != "completed":
        pass
    (saved,) = tmp_path.iterdir()
    rows = list(csv.DictReader(io.StringIO(saved.read_text(encoding="utf-8"))))
    assert [row["variant"] for row in rows] == ["fixed-2", "fixed-10", "fixed-100", "adaptive"]


def test_it_prints_in_light_colours_and_comes_back(browser: Browser, report: Path) -> None:
    browser.open(report, scheme="dark")
    browser.run(DRAWN)
    browser.run(
        "addEventListener('beforeprint', () => { window.printed = [document.documentElement.dataset.theme,"
        " getComputedStyle(document.documentElement).getPropertyValue('--panel')]; })"
    )
    printed = browser.send("Page.printToPDF", printBackground=True)
    assert len(printed["data"]) > 50_000
    assert browser.run("window.printed") == ["light", "#ffffff"]
    assert browser.run("document.documentElement.dataset.theme ?? 'automatic'") == "automatic"
    assert complaints(browser) == []


def test_the_theme_can_be_chosen(browser: Browser, report: Path) -> None:
    browser.open(report)
    back = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(back)
    for _ in range(2):
        browser.run("document.getElementById('theme').click()")
    assert browser.run("document.getElementById('theme').textContent") == "Theme: dark"
    assert browser.run(back) != light


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(text: str, other: str) -> float:
    """Contrast ratio of two colours by WCAG 2.1."""
    low, high = sorted((luminance(text), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(browser: Browser, report: Path, scheme: str) -> None:
    browser.open(report, scheme=scheme)
    names = ["paper", "panel", "ink", "soft", "tide", "better", "worse", "none", "warn", "warn-back"]
    names += [f"series-{place}" for place in range(8)]
    style = "getComputedStyle(document.documentElement)"
    colours = browser.run(
        f"Object.fromEntries({json.dumps(names)}.map((name) => [name, {style}.getPropertyValue('--' + name).trim()]))"
    )
    for back in ("paper", "panel"):
        for text in ("ink", "soft", "tide"):
            assert contrast(colours[text], colours[back]) >= 4.5, (text, back)
    for text in ("better", "worse"):
        assert contrast(colours[text], colours["panel"]) >= 4.5, text
    assert contrast(colours["warn"], colours["warn-back"]) >= 4.5
    for line in [*names[10:], "none"]:
        assert contrast(colours[line], colours["panel"]) >= 3.0, line
