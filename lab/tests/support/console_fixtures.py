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
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the console of a server with an adaptive pool."""
    command = java("servers", "ServerMain", "--application", "prime1m")
    with first_line(command, tmp_path_factory.mktemp("server") / "log") as line:
        yield json.loads(line)["console"]


@pytest.fixture(scope="session")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the console of a service with a hundred pools."""
    command = java("benchmarks", "overhead.ConsoleService")
    with first_line(command, tmp_path_factory.mktemp("hundred") / "log") as line:
        yield line
