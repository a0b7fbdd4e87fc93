"""The console in a real browser, served by a real server: it draws, fits, and changes the pool."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(chromium() is None, reason="chromium is not installed: apt-get install chromium")

WAIT = """new Promise((done, failed) => {
  const end = Date.now() + 20000;
  const look = () => {
    if (%s) done(true);
    else if (Date.now() > end) failed(document.body.innerText);
    else setTimeout(look, 50);
  };
  look();
})"""
DRAWN = "document.querySelectorAll('.chart svg path').length >= 6"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the console of a server with an adaptive pool."""
    target = Path(__file__).parents[3] / "testbed" / "servers" / "target"
    if not (target / "lib").is_dir():
        pytest.skip("the Java testbed is not built: mvn -q -DskipTests package")
    command = ["java", "-Xmx64m", "-cp", f"{target / 'classes'}:{target / 'lib'}/*"]
    command += ["io.poolkeeper.testbed.servers.ServerMain", "--application", "prime1m"]
    log = (tmp_path_factory.mktemp("server") / "log").open("w")
    with log, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield json.loads(server.stdout.readline())["console"]
        server.stdin.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_draws_and_fits(browser: Browser, address: str, width: int, scheme: str) -> None:
    browser.open("about:blank")
    browser.open(address, width=width, scheme=scheme)
    assert browser.run(WAIT % DRAWN)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelector('#state').textContent") == "live"
    assert "#" not in browser.run("location.href"), "the token does not stay in the address"
    assert not [event for event in browser.events if event["method"] in {"Log.entryAdded", "Runtime.exceptionThrown"}]
    if folder := os.environ.get("POOLKEEPER_SCREENSHOTS"):
        browser.screenshot(Path(folder) / f"console-{width}-{scheme}.png")


def test_a_pool_is_changed_from_the_keyboard(browser: Browser, address: str) -> None:
    browser.open("about:blank")
    browser.open(address)
    browser.run(WAIT % DRAWN)
    browser.run("document.querySelector('[data-mode=frozen]').focus()")
    browser.press("Enter")
    browser.run("document.activeElement.click()")
    assert browser.run(WAIT % "document.querySelector('[data-mode=frozen]').getAttribute('aria-pressed') === 'true'")
    assert browser.run(WAIT % "document.querySelector('#audit').textContent.includes('-> frozen')")


def test_a_size_out_of_bounds_is_refused_with_its_reason(browser: Browser, address: str) -> None:
    browser.open("about:blank")
    browser.open(address)
    browser.run(WAIT % DRAWN)
    browser.run(
        "document.querySelector('#pin').noValidate = true;"
        "document.querySelector('#pin [name=size]').value = 0;"
        "document.querySelector('#pin').requestSubmit()"
    )
    assert browser.run(WAIT % "document.querySelector('#error').textContent.includes('size')")


def test_without_its_token_it_says_what_to_open(browser: Browser, address: str) -> None:
    browser.open("about:blank")
    browser.open(address.split("#", maxsplit=1)[0] + "#wrong-token-wrong-token")
    assert browser.run(WAIT % "document.querySelector('#state').textContent.includes('token is missing or wrong')")
