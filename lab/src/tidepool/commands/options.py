"""Options that several words share. typer reads them at run time, and does not know the form `X | None`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON in place of text; docs/analysis.md says what is in it.")]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Also write a self-contained HTML page with all charts."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Spread the work over a Dask cluster: tcp://HOST:PORT, or local for processes on this machine.",
    ),
]
Seed = Annotated[
    int, typer.Option(metavar="N", min=0, help="Of the random numbers: the same seed gives the same answer.")
]
Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="Result files of one test; what wrote them is found out.")
]
Format = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="The format, in place of what the files look like.")
]
Unit = Annotated[str | None, typer.Option(metavar="UNIT", help="Of plain columns: ns, us, ms, s or min.")]
Column = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of plain columns: which one holds the response time.")
]
WarmUp = Annotated[str | None, typer.Option(metavar="TIME", help="Leave out what was sent in the first 30s, say.")]
CoolDown = Annotated[str | None, typer.Option(metavar="TIME", help="Leave out what was sent in the last 10s, say.")]
Label = Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only requests of this label; may be repeated.")]
Group = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only requests of this thread group; may be repeated.")
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="TIME", help="Only what was sent from then on, since the first request: 5m."),
]
To = Annotated[
    str | None, typer.Option("--to", metavar="TIME", help="Only what was sent before then, since the first request.")
]
Percentiles = Annotated[
    list[float] | None,
    typer.Option("--percentile", metavar="P", help="In place of the usual ones; may be repeated: 99.5"),
]
