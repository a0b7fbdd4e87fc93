"""A real Chromium, and programs with a console to look at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from browser import Browser, chromium
from console_page import first_line, java

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def started_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def browser(started_browser: Browser) -> Iterator[Browser]:
    """One for all tests; no page is left open in it, which would go on drawing while others are tested."""
    yield started_browser
    started_browser.open("about:blank")


# Servers with a console work all the time, so that they end with the tests that look at them.


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the console of a server with an adaptive pool."""
    command = java("servers", "ServerMain", "--application", "prime1m")
    with first_line(command, tmp_path_factory.mktemp("server") / "log") as line:
        yield json.loads(line)["console"]


@pytest.fixture(scope="module")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the console of a service with a hundred pools."""
    command = java("benchmarks", "overhead.ConsoleService")
    with first_line(command, tmp_path_factory.mktemp("hundred") / "log") as line:
        yield line
