"""Run records on the page of the console, in a real browser."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from browser import Browser, chromium
from console_page import ROOT, complaints, first_line, java, show, text, wait

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(chromium() is None, reason="chromium is not installed: apt-get install chromium")
GOLDEN = ROOT / "contract" / "golden" / "v1"
SHOWN = "document.querySelector('#clock').textContent !== ''"


def console(record: Path) -> list[str]:
    return java("replay", "ConsoleMain", record)


# Records do not change, so that tests share what shows them.


@pytest.fixture(scope="module")
def adaptive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the console of the golden record."""
    with first_line(console(GOLDEN / "adaptive"), tmp_path_factory.mktemp("adaptive") / "log") as line:
        yield line


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the console of all golden records."""
    with first_line(console(GOLDEN), tmp_path_factory.mktemp("golden") / "log") as line:
        yield line


def seek(browser: Browser, millis: int) -> None:
    browser.run(f"""(() => {{ const cursor = document.querySelector('#cursor');
      cursor.step = 1; cursor.value = {millis}; cursor.dispatchEvent(new Event('input')); }})()""")


def test_a_record_is_scrubbed_through(browser: Browser, adaptive: str) -> None:
    """The second window of the golden record ends 4.5 s after the start; its decision kept 5 workers."""
    show(browser, adaptive, until=SHOWN)
    assert text(browser, "h1") == "Record adaptive"
    seek(browser, 4500)
    assert text(browser, "#now").startswith("At 0:05: size 5, 5 busy, 15 waiting, 142 tasks/s, response time 160 ms")
    assert text(browser, "#verdict") == (
        "Decision in force: 5 kept: increase kept: throughput 142/s against 37/s before, needed at least 10 % more"
    )
    assert text(browser, "#decisions [aria-current]").endswith("1 → 5: increase by 4: try whether throughput grows")
    assert "no learned curve" in text(browser, "#curve")
    assert not browser.run("document.querySelector('#changes').checkVisibility()"), "a record cannot be changed"
    assert not complaints(browser)


def test_a_record_plays_and_is_steered_from_the_keyboard(browser: Browser, adaptive: str) -> None:
    show(browser, adaptive, until=SHOWN)
    end = browser.run("Number(document.querySelector('#cursor').max)")
    browser.run("document.querySelector('#cursor').focus()")
    browser.send("Input.dispatchKeyEvent", type="keyDown", key="Home", code="Home", windowsVirtualKeyCode=36)
    wait(browser, "document.querySelector('#cursor').value === document.querySelector('#cursor').min")
    browser.send(
        "Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39
    )
    wait(browser, "Number(document.querySelector('#cursor').value) > Number(document.querySelector('#cursor').min)")
    browser.run("document.querySelector('#speed').value = '60'; document.querySelector('#play').click()")
    wait(
        browser,
        f"Number(document.querySelector('#cursor').value) === {end}",
    )
    browser.run("document.querySelector('#previous').click()")
    assert browser.run("Number(document.querySelector('#cursor').value)") < end


@pytest.mark.parametrize("width", [1280, 390])
def test_all_runs_of_a_folder_are_listed(browser: Browser, golden: str, width: int) -> None:
    show(browser, golden, until=SHOWN, width=width)
    names = browser.run("[...document.querySelectorAll('#pools tbody button')].map((button) => button.textContent)")
    assert "adaptive / workers" in names
    assert "cut-off / workers" in names
    for name in names:
        browser.run(f"[...document.querySelectorAll('#pools button')].find((b) => b.textContent === {name!r}).click()")
        wait(browser, f"document.querySelector('#name').textContent === {name!r}")
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert not complaints(browser)


def test_decisions_alone_are_enough(browser: Browser, tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "adaptive" / "decisions.jsonl", tmp_path)
    with first_line(console(tmp_path), tmp_path / "log") as address:
        show(browser, address, until=SHOWN)
        assert "the record holds no windows" in text(browser, "#now")
        assert browser.run("document.querySelectorAll('#sizes path').length") == 1


def test_coordinated_pools_show_how_threads_use_connections(browser: Browser, tmp_path: Path) -> None:
    """40 threads with 2 uses of 9 ms in each request of 90 ms use 8 connections."""
    use = {"visits": 2.0, "residence": 9e6, "service": 90e6, "needed": 8.0}
    pools: tuple[tuple[str, str, int, dict[str, float]], ...] = (
        ("web", "coordinated-threads", 40, {}),
        ("database", "coordinated-connections", 18, use),
    )
    with (tmp_path / "decisions.jsonl").open("w") as file:
        for at in (0, 10):
            for pool, controller, size, numbers in pools:
                decision = {
                    "pool": pool,
                    "controller": controller,
                    "at_ns": at * 1_000_000_000 + 1,
                    "mode": "active",
                    "action": "resized",
                    "size_before": size - 1,
                    "size_after": size,
                    "size_asked": size,
                    "reason": "test",
                    "numbers": numbers if at else {},
                }
                file.write(json.dumps(decision) + "\n")
    with first_line(console(tmp_path), tmp_path / "log") as address:
        show(browser, address, until=SHOWN)
        assert text(browser, "#chain-links li:first-child") == "web 40 threads"
        assert text(browser, "#chain-links li:last-child") == "database 18 connections"
        assert text(browser, "#chain-use") == (
            "A request uses a connection 2 times, 9 ms each, and takes 90 ms in its thread without waits for one. "
            "So 40 threads at work use 8 connections. The size of database follows that of web."
        )
        seek(browser, 5000)
        assert "not measured at this moment" in text(browser, "#chain-use")
        assert not complaints(browser)


def test_the_learned_curve_ends_at_the_bounds(browser: Browser, tmp_path: Path) -> None:
    """The controller shows sizes of its own grid; the pool may have 2 to 9."""
    bounds = {"minimum": 2, "maximum": 9}
    setup = {"controller": "response-curve", "settings": {}, "objective": "throughput", "bounds": bounds}
    (tmp_path / "run.json").write_text(json.dumps({"version": 1, "id": "bounds", "pools": {"orders": setup}}))
    curve = {f"curve.{size}.mean": 10.0 * size for size in (1, 4, 8, 10, 16)}
    decision = {
        "pool": "orders",
        "controller": "response-curve",
        "at_ns": 1_000_000_000,
        "mode": "active",
        "action": "resized",
        "size_before": 4,
        "size_after": 8,
        "size_asked": 8,
        "reason": "test",
        "numbers": curve,
    }
    (tmp_path / "decisions.jsonl").write_text(json.dumps(decision) + "\n")
    with first_line(console(tmp_path), tmp_path / "log") as address:
        show(browser, address, until="document.querySelectorAll('#curve path').length > 0")
        sizes = browser.run("[...document.querySelectorAll('#curve text:not(.second)')].map((t) => t.textContent)")
        labels = [size for size in sizes if size in {"1", "2", "4", "8", "9", "10", "16"}]
        assert labels[:2] == ["2", "4"]
        assert labels[-1] in {"8", "9"}
        assert not complaints(browser)


def test_a_week_of_decisions_is_shown_in_bounded_size(browser: Browser, tmp_path: Path) -> None:
    """Of 60,480 decisions, one every ten seconds, it holds the last 2,000 changes, and says what it leaves out."""
    with (tmp_path / "decisions.jsonl").open("w") as file:
        for i in range(60_480):
            size = 4 + i % 2
            decision = {
                "pool": "week",
                "controller": "response-curve",
                "at_ns": i * 10_000_000_000,
                "mode": "active",
                "action": "resized",
                "size_before": size,
                "size_after": 9 - size,
                "size_asked": 9 - size,
                "reason": f"number {i}",
                "numbers": {"curve.4.mean": 40.0, "curve.4.sd": 1.0, "curve.5.mean": 50.0, "curve.5.sd": 2.0},
            }
            file.write(json.dumps(decision) + "\n")
    with first_line(console(tmp_path), tmp_path / "log") as address:
        show(browser, address, until=SHOWN)
        assert browser.run("document.querySelectorAll('#decisions li').length") == 2000
        assert text(browser, "#omitted") == "The first 58,480 are left out."
        assert text(browser, "#clock") == "167:59:50 of 167:59:50"
        size = browser.run("""fetch('api/pool?name=week', {headers: {Authorization: `Bearer ${sessionStorage.token}`}})
          .then((response) => response.text()).then((body) => body.length)""")
        assert size < 2_000_000


def test_ctrl_c_ends_the_command_and_leaves_nothing(tmp_path: Path) -> None:
    """It writes nothing either: the record and its folder may be read only."""
    record = tmp_path / "record"
    shutil.copytree(GOLDEN / "adaptive", record)
    record.chmod(0o555)
    before = sorted(path.name for path in record.iterdir())
    errors = tmp_path / "log"
    with (
        errors.open("w") as log,
        subprocess.Popen(console(record), stdout=subprocess.PIPE, stderr=log, text=True) as program,
    ):
        assert program.stdout is not None
        assert program.stdout.readline().startswith("http://127.0.0.1:")
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=300) == 130
    assert sorted(path.name for path in record.iterdir()) == before
    assert "Exception" not in errors.read_text()
