"""The Java simulator in one process for all tests that play models one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from simulator import series

from poolkeeper.sweep.play import SeriesPlayer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def play() -> Iterator[SeriesPlayer]:
    with SeriesPlayer(tuple(series())) as player:
        yield player
