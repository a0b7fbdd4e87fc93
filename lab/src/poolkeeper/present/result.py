"""Base of all results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from poolkeeper.present.chart import Chart
    from poolkeeper.present.table import Table


class Result(Protocol):
    """A small immutable object that holds findings; making one prints nothing."""

    def table(self) -> Table:
        """Result for reading: on a terminal, in a notebook, on a page."""

    def to_dict(self) -> dict[str, Any]:
        """Result for machines: names to numbers, strings, lists and dictionaries that JSON can hold."""

    def plot(self) -> Chart:
        """Result for looking at."""
