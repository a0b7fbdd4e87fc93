"""The ranking of a wind tunnel as a table on the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.text import Text

from poolkeeper.present.terminal import bare_table
from poolkeeper.tunnel.drawn import CATEGORIES
from poolkeeper.tunnel.page import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from poolkeeper.tunnel.drawn import DrawnRow, Part
    from poolkeeper.tunnel.summary import Standing
    from poolkeeper.tunnel.targets import Target


def table(standings: Sequence[Standing]) -> Table:
    """One row a controller, the best first; fractions in percent of the optimum."""
    drawn = bare_table()
    drawn.add_column("")
    drawn.add_column("controller", no_wrap=True)
    for heading in ("of optimum", "1st minute", "settled", "worst", "threads", "95 % after", "resizes/min"):
        drawn.add_column(heading, justify="right", no_wrap=True)
    for place, standing in enumerate(standings, start=1):
        drawn.add_row(
            str(place),
            Text(standing.controller),
            percent(standing.overall)
            + ("" if math.isnan(standing.error) else f" ± {standing.error * standing.overall * 100:.1f}"),
            percent(standing.start),
            percent(standing.steady),
            percent(standing.worst["overall"]),
            f"{standing.threads:.2f}×",
            "never" if math.isinf(standing.reach_s) else f"{standing.reach_s:.0f} s",
            f"{standing.resizes_per_minute:.1f}",
            style="dim" if standing.kind == "fixed" else "",
        )
    return drawn


def drawn_table(rows: Sequence[DrawnRow]) -> Table:
    """One row a controller: the plants of the tunnel and the drawn ones, means in percent of the optimum."""
    with_drawn = any(row.planned.count for row in rows)
    drawn = bare_table()
    drawn.add_column("controller", no_wrap=True)
    headings = ("plants of the tunnel", "5th") if with_drawn else ()
    for heading in (*headings, "drawn, steady", "5th", "worst", "drawn, all", "5th", "worst", "threads"):
        drawn.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        cells = [_figure(row.planned.mean), _figure(row.planned.low)] if with_drawn else []
        for part in (row.steady, row.all):
            cells += [_figure(part.mean), _figure(part.low), _figure(part.worst)]
        cells.append(f"{row.threads:.2f}×")
        drawn.add_row(Text(row.controller), *cells, style="dim" if row.kind == "fixed" else "")
    return drawn


def kinds_table(rows: Sequence[DrawnRow]) -> Table:
    """One row a kind of drawn plant: mean and worst of some controllers."""
    drawn = bare_table()
    drawn.add_column("drawn plants: mean (worst)", no_wrap=True)
    drawn.add_column("draws", justify="right")
    for row in rows:
        drawn.add_column(row.controller, justify="right", no_wrap=True)
    for name in rows[0].groups:
        parts = [row.groups.get(name) for row in rows]
        count = max(part.count for part in parts if part is not None)
        drawn.add_row(CATEGORIES.get(name, name), str(count), *(_mean_and_worst(part) for part in parts))
    return drawn


def _mean_and_worst(part: Part | None) -> str:
    return "–" if part is None else f"{_figure(part.mean)} ({_figure(part.worst)})"


def _figure(value: float) -> str:
    return "–" if math.isnan(value) else f"{value * 100:.1f}"


def verdict(controller: str, judged: Sequence[Target]) -> str:
    """Number of targets that a controller has reached, and the ones that it missed."""
    missed = [target.what for target in judged if not target.reached]
    message = f"{controller}: {len(judged) - len(missed)} of {len(judged)} targets reached"
    return message + "".join(f"\n  missed: {what}" for what in missed)
