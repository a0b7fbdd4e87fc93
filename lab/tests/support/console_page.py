"""Programs with a console, and scripts that look at its page."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from browser import Browser

ROOT = Path(__file__).parents[3]


def java(module: str, main: str, *arguments: str | Path) -> list[str]:
    """The command of a Java program of the testbed; skips the test where it is not built."""
    target = ROOT / "testbed" / module / "target"
    if not (target / "lib").is_dir():
        pytest.skip("the Java testbed is not built: mvn -q -DskipTests package")
    # They end before optimised code pays.
    quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command = ["java", "-Xmx128m", *quick, "-cp", f"{target / 'classes'}:{target / 'lib'}/*"]
    return [*command, f"io.poolkeeper.testbed.{module}.{main}", *map(str, arguments)]


@contextmanager
def first_line(command: list[str], log: Path) -> Iterator[str]:
    """Start a program and wait for its first line; it ends with its input, or is stopped."""
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as program,
    ):
        assert program.stdout is not None
        assert program.stdin is not None
        line = program.stdout.readline().strip()
        assert line, log.read_text()
        try:
            yield line
        finally:
            program.stdin.close()
            program.terminate()


WAIT = """new Promise((done, failed) => {
  const end = Date.now() + 240000;
  const look = () => {
    if (%s) done(true);
    else if (Date.now() > end) failed(document.body.innerText);
    else setTimeout(look, 50);
  };
  look();
})"""
DRAWN = "document.querySelectorAll('.chart svg path').length >= 6"


def show(browser: Browser, address: str, *, until: str = DRAWN, width: int = 1280, scheme: str = "light") -> None:
    """Open an address in a fresh page and wait."""
    browser.open("about:blank")
    browser.open(address, width=width, scheme=scheme)
    wait(browser, until)


def wait(browser: Browser, condition: str) -> None:
    """Wait until a condition of the page holds."""
    assert browser.run(WAIT % condition)


def text(browser: Browser, selector: str) -> str:
    """The text of an element."""
    found: Any = browser.run(f"document.querySelector({selector!r}).textContent")
    return str(found)


def complaints(browser: Browser) -> list[dict[str, Any]]:
    """Errors that the page logged or threw."""
    return [event for event in browser.events if event["method"] in {"Log.entryAdded", "Runtime.exceptionThrown"}]
