"""The ranking of a wind tunnel as a table on the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidepool.tunnel.summary import Standing
    from tidepool.tunnel.targets import Target


def table(standings: Sequence[Standing]) -> Table:
    """One row a controller, the best first; fractions in percent of the optimum."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    drawn.add_column("")
    drawn.add_column("controller", no_wrap=True)
    for heading in ("of optimum", "1st minute", "settled", "worst", "threads", "95 % after", "resizes/min"):
        drawn.add_column(heading, justify="right", no_wrap=True)
    for place, one in enumerate(standings, start=1):
        drawn.add_row(
            str(place),
            Text(one.controller),
            _percent(one.overall) + ("" if math.isnan(one.error) else f" ± {one.error * one.overall * 100:.1f}"),
            _percent(one.start),
            _percent(one.steady),
            _percent(one.worst["overall"]),
            f"{one.threads:.2f}×",
            "never" if math.isinf(one.reach_s) else f"{one.reach_s:.0f} s",
            f"{one.resizes_per_minute:.1f}",
            style="dim" if one.kind == "fixed" else "",
        )
    return drawn


def verdict(controller: str, judged: Sequence[Target]) -> str:
    """How many targets a controller has reached, and which it missed."""
    missed = [one.what for one in judged if not one.reached]
    said = f"{controller}: {len(judged) - len(missed)} of {len(judged)} targets reached"
    return said + "".join(f"\n  missed: {what}" for what in missed)


def _percent(value: float) -> str:
    return f"{value * 100:.1f} %"
