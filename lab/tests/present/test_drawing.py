"""Charts and pages in a real browser: everything is drawn, fits, answers the pointer, and asks for nothing."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import pytest
from browser import Browser, chromium

from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table
from poolkeeper.present.page import Page, Section

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(chromium() is None, reason="chromium is not installed: apt-get install chromium")

NAN = math.nan
BARS = Chart(
    "Histogram",
    Axis("response time", "ms", log=True),
    Axis("requests"),
    (Series("measured", (1.0, 10.0, 100.0, 1000.0), (5.0, 50.0, 7.0, NAN), Kind.BARS),),
    (Mark(30.0, "p50"), Mark(300.0, "p95"), Mark(310.0, "p99")),
    ("Bins are logarithmic.",),
)
KINDS = Chart(
    "Kinds",
    Axis("code", names=("404", "500")),
    Axis("requests"),
    (Series("failed", (-0.5, 0.5, 1.5), (29.0, 27.0, NAN), Kind.BARS),),
)
STEPS = Chart(
    "Slower than",
    Axis("response time", "ms", log=True),
    Axis("share", log=True),
    (
        Series("measured", (1.0, 2.0, 2.0, 400.0), (1.0, 0.5, 0.25, 0.0), Kind.STEP),
        Series("model", (1.0, 20.0, 400.0), (1.0, 1e-2, 1e-6)),
    ),
)
POINTS = Chart(
    "Model",
    Axis("users"),
    Axis("throughput", "requests/s"),
    (
        Series("measured", (4.0, 1.0, 4.0), (30.0, 10.0, 32.0), Kind.POINTS, (28.0, 9.0, 29.0), (33.0, 11.0, 35.0)),
        Series(
            "curve",
            (1.0, 2.0, 3.0, 4.0),
            (10.0, 18.0, NAN, 31.0),
            Kind.LINE,
            (9.0, 16.0, NAN, 28.0),
            (11.0, 20.0, NAN, 34.0),
        ),
    ),
)
FORMULAS = ("=1+1", "+cmd|x", "@sum", "-3.5", "+12 %", "a;=5")
TABLE = Table(
    "Figures",
    ("figure", "ms"),
    (("mean </script>", 1.5), ("p99", NAN), *((text, 2.0) for text in FORMULAS)),
    ("Few samples.",),
)
WIDE = Table("By label", tuple("abcdefg"), (("a long name of a label",) * 7,))

DRAWN = """new Promise((done, failed) => {
  const end = Date.now() + 240000;
  const look = () => {
    const drawn = [...document.querySelectorAll(".chart canvas")];
    if (drawn.length && drawn.every((one) => one.width > 0)) setTimeout(() => done(drawn.length));
    else if (Date.now() > end) failed("no chart was drawn");
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
COLOURS = """[...document.querySelectorAll(".chart canvas")].map((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
})"""
FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file: Path = tmp_path_factory.mktemp("page") / "page.html"
    sections = (Section("Times", (TABLE, BARS, STEPS)), Section("Model", (POINTS, WIDE)))
    warnings = ("The last line is broken off.",)
    shown = Page("a.jtl", "analysis", "JMeter CSV", "It is fast.", "poolkeeper analyze a.jtl", sections, warnings)
    file.write_text(shown.render(), encoding="utf-8")
    return file


def complaints(browser: Browser) -> list[Any]:
    kinds = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}
    return [event["params"] for event in browser.events if event["method"] in kinds]


def point_at(browser: Browser, chart: int, x: float) -> str:
    """Point at a fraction of a chart's width and return what it says."""
    left, top, width, height = browser.run(
        f"(() => {{ const over = document.querySelectorAll('.u-over')[{chart}];"
        " over.scrollIntoView({ block: 'center', behavior: 'instant' });"
        " const box = over.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()"
    )
    browser.point(left + width * x, top + height / 2)
    browser.run(FRAME)
    output: str = browser.run(f"document.querySelectorAll('.tip')[{chart}].innerText")
    return output


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_draws_fits_and_asks_for_nothing(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width=width, scheme=scheme)
    assert browser.run(DRAWN) == 3
    assert browser.run("document.documentElement.scrollWidth") <= width
    requested = [
        event["params"]["request"]["url"] for event in browser.events if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in requested if not url.startswith("data:")] == [page.resolve().as_uri()]
    assert complaints(browser) == []
    assert min(browser.run(COLOURS)) > 20, "a blank canvas has a single colour"


def test_the_pointer_reads_bars_steps_lines_and_points(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run(DRAWN)
    assert "response time 10 to 100 ms" in point_at(browser, 0, 0.5)
    assert "50" in point_at(browser, 0, 0.5)
    assert "p50: 30 ms" in point_at(browser, 0, math.log(30) / math.log(1000))
    # Between 2 and 400 ms the measured share stays what it was at 2 ms; a zero has no place on the axis.
    assert "measured\t2 ms\t0.25" in point_at(browser, 1, 0.5).replace("\n", "")
    nearest = point_at(browser, 2, 0.02).replace("\n", "")
    assert "users 1" in nearest
    assert "measured\t10 requests/s (9 to 11)" in nearest


def test_a_press_on_the_legend_hides_a_series(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run(DRAWN)
    chip = "document.querySelectorAll('.chart')[1].querySelectorAll('.legend button')[1]"
    assert "model" in point_at(browser, 1, 0.5)
    browser.run(f"{chip}.click()")
    assert browser.run(f"{chip}.getAttribute('aria-pressed')") == "false"
    assert "model" not in point_at(browser, 1, 0.6)
    assert browser.run("document.querySelectorAll('.chart')[0].querySelector('.legend')") is None, (
        "one series, no legend"
    )


def test_a_logarithmic_axis_is_a_press_away(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run(DRAWN)
    switch = "document.querySelectorAll('.chart')[2].querySelector('.scale-switch')"
    assert browser.run(f"{switch}.getAttribute('aria-pressed')") == "false"
    browser.run(f"{switch}.click()")
    browser.run(FRAME)
    assert browser.run(f"{switch}.getAttribute('aria-pressed')") == "true"
    assert complaints(browser) == []
    assert min(browser.run(COLOURS)) > 20


def test_every_chart_and_table_is_downloaded_with_its_numbers(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run(DRAWN)
    browser.run(
        """(() => { HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); };
          const make = URL.createObjectURL; window.blobs = []; window.saved = [];
          URL.createObjectURL = (blob) => { window.blobs.push(blob); return make(blob); };
          document.querySelectorAll('button.csv').forEach((one) => one.click()); })()"""
    )
    texts = browser.run("Promise.all(window.blobs.map((blob) => blob.text()))")
    files = dict(zip(browser.run("window.saved"), (list(csv.reader(io.StringIO(text))) for text in texts), strict=True))
    assert files["a.jtl-Figures.csv"][:3] == [["figure", "ms"], ["mean </script>", "1.5"], ["p99", ""]]
    safe = ["'=1+1", "'+cmd|x", "'@sum", "-3.5", "+12 %", "a;=5"]
    assert [row[0] for row in files["a.jtl-Figures.csv"][3:]] == safe, "no cell is a formula"
    assert any('"a;=5",2' in text for text in texts), "nor is a part of one where semicolons part cells"
    assert files["a.jtl-Histogram.csv"][2] == ["measured", "10", "50", "", ""]
    assert files["a.jtl-Model.csv"][1] == ["measured", "4", "30", "28", "33"]
    assert len(files) == 5


def test_bars_of_kinds_are_downloaded_with_their_names(browser: Browser, tmp_path: Path) -> None:
    shown = Page("a.jtl", "analysis", "", "", "", (Section("Failures", (KINDS,)),), ())
    (tmp_path / "page.html").write_text(shown.render(), encoding="utf-8")
    browser.open(tmp_path / "page.html")
    browser.run(DRAWN)
    browser.run(
        """(() => { HTMLAnchorElement.prototype.click = () => {}; const make = URL.createObjectURL; window.blobs = [];
          URL.createObjectURL = (blob) => { window.blobs.push(blob); return make(blob); };
          document.querySelector('button.csv').click(); })()"""
    )
    rows = list(csv.reader(io.StringIO(browser.run("window.blobs[0].text()"))))
    assert [row[:3] for row in rows] == [
        ["series", "code", "requests"],
        ["failed", "404", "29"],
        ["failed", "500", "27"],
    ]


def test_a_table_that_is_cut_says_so_until_its_end_is_in_sight(browser: Browser, page: Path) -> None:
    more = "[...document.querySelectorAll('.numbers')].map((one) => one.classList.contains('more'))"
    browser.open(page, width=1280)
    browser.run(DRAWN)
    assert browser.run(more) == [False, False]
    browser.open(page, width=390)
    browser.run(DRAWN)
    browser.run(FRAME)
    assert browser.run(more) == [False, True]
    first = "document.querySelectorAll('.numbers')[1].querySelector('tbody th').getBoundingClientRect().x"
    before = browser.run(first)
    browser.run("document.querySelectorAll('.scroll')[1].scrollLeft = 10000")
    browser.run(FRAME)
    assert browser.run(more) == [False, False]
    assert browser.run(first) == before, "the names of the rows stay"


def test_no_card_stands_beside_a_blank_half(browser: Browser, page: Path) -> None:
    browser.open(page, width=1280)
    browser.run(DRAWN)
    alone = browser.run(
        "[...document.querySelectorAll('.parts')].filter((one) => one.children.length === 1)"
        ".map((one) => one.offsetWidth - one.firstElementChild.offsetWidth)"
    )
    assert alone
    assert set(alone) == {0}


def test_it_prints_in_light_colours_and_comes_back(browser: Browser, page: Path) -> None:
    browser.open(page, scheme="dark")
    browser.run(DRAWN)
    browser.run("addEventListener('beforeprint', () => { window.printed = document.documentElement.dataset.theme; })")
    browser.send("Page.printToPDF", printBackground=True)
    assert browser.run("window.printed") == "light"
    assert browser.run("document.documentElement.dataset.theme ?? 'automatic'") == "automatic"
    assert complaints(browser) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_notebook_shows_the_chart_in_a_frame_of_its_size(browser: Browser, tmp_path: Path, width: int) -> None:
    file = tmp_path / "notebook.html"
    file.write_text(
        '<!doctype html><meta name="viewport" content="width=device-width">' + POINTS._repr_html_(), encoding="utf-8"
    )
    browser.open(file, width=width)
    inside = "document.querySelector('iframe').contentDocument"
    browser.run(DRAWN.replace("document.query", f"{inside}.query"))
    browser.run(FRAME)
    assert browser.run(f"document.querySelector('iframe').offsetHeight - {inside}.documentElement.offsetHeight") == 0
    assert browser.run(f"{inside}.documentElement.scrollWidth - document.querySelector('iframe').offsetWidth") <= 0
    assert complaints(browser) == []


def test_a_finger_reads_values_too(browser: Browser, page: Path) -> None:
    browser.open(page, width=390)
    browser.run(DRAWN)
    left, top, width, height = browser.run(
        "(() => { const over = document.querySelectorAll('.u-over')[2];"
        " over.scrollIntoView({ block: 'center', behavior: 'instant' });"
        " const box = over.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()"
    )
    browser.tap(left + width - 5, top + height / 2)
    browser.run(FRAME)
    assert "users 4" in browser.run("document.querySelectorAll('.tip')[2].innerText")
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.send("Page.getLayoutMetrics")["cssContentSize"]["width"] <= 390, "what is shown of values has room"
