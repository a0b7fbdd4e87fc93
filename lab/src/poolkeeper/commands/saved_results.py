"""Results of the commands that record no runs: plan, online, tiers and sweep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from poolkeeper.commands.online import PAGE as ONLINE_PAGE
from poolkeeper.commands.plan import PAGE as PLAN_PAGE
from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_SIMULATION = re.compile(r".+-[0-9a-f]{12}\.json")
"""Name of a file of a sweep."""


def page_of(folder: Path) -> Path | None:
    """The page of results of `plan` or `online`; None for other folders.

    Raises InputError, naming the command that goes on with them or shows them, for results without a page.
    """
    from poolkeeper.ntier.allocator.laboratory import JOURNAL
    from poolkeeper.ntier.online.comparison import HEADER

    if not folder.is_dir():
        return None
    for file, page, command in (
        (JOURNAL, PLAN_PAGE, "plan TOPOLOGY"),
        (HEADER, ONLINE_PAGE, "online FILE"),
    ):
        if (folder / file).is_file():
            if (folder / page).is_file():
                return folder / page
            raise InputError(
                f"{folder}: holds results of '{command.partition(' ')[0]}', which did not come to its end and has no "
                f"page; ./poolkeeper {command} --resume -o {folder} continues"
            )
    if (folder / "servers").is_dir():
        trials = sorted(folder.glob("trial-*/trial.json"))
        figures = f"figures are in {trials[-1]}, " if trials else ""
        raise InputError(
            f"{folder}: holds results of 'tiers', which has no page; {figures}logs and configurations in "
            f"{folder / 'servers'}"
        )
    if any(_SIMULATION.fullmatch(file.name) for file in folder.iterdir()):
        raise InputError(
            f"{folder}: holds results of 'sweep'; ./poolkeeper sweep MODEL... --resume -o {folder} shows them, and "
            "--report PAGE.html writes a page"
        )
    return None
