"""A sweep from its plan to its results: plays the missing models and keeps each result at once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import PoolkeeperError, RunError
from poolkeeper.experiment.planning.earlier_runs import locked
from poolkeeper.sweep.table import Sweep
from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from poolkeeper.spread import Spread
    from poolkeeper.sweep.plan import PlannedSimulation
    from poolkeeper.sweep.play import Player


@dataclass(frozen=True, slots=True)
class SweepResult:
    """Results of a sweep, and the reasons why others are missing."""

    sweep: Sweep
    failed: tuple[str, ...]
    kept: int


def play_all(
    planned: Sequence[PlannedSimulation],
    player: Player,
    folder: Path,
    spread: Spread,
    reached: Callable[[int, int], None],
) -> SweepResult:
    """Play every model that the folder has no result of, and return those of all.

    One that fails does not stop the others. Raises RunError if the folder cannot be written.
    """
    with locked(folder):
        found = {
            place: result
            for place, simulation in enumerate(planned)
            if (result := _kept(folder, simulation)) is not None
        }
        missing = [place for place in range(len(planned)) if place not in found]
        kept = len(found)
        failed: list[str] = []
        reached(kept, len(planned))
        for at, outcome in spread.each(_Tolerant(player), [planned[place] for place in missing]):
            place = missing[at]
            if isinstance(outcome, dict):
                _keep(folder, planned[place], outcome)
                found[place] = outcome
            else:
                failed.append(outcome)
            reached(len(found) + len(failed), len(planned))
    rows = tuple((planned[place].model, planned[place].settings, found[place]) for place in sorted(found))
    return SweepResult(Sweep(rows), tuple(failed), kept)


@dataclass(frozen=True, slots=True)
class _Tolerant:
    """Gives the words of an error in place of raising it."""

    player: Player

    def __call__(self, planned: PlannedSimulation) -> dict[str, Any] | str:
        try:
            return self.player(planned)
        except PoolkeeperError as error:
            return str(error)


def _kept(folder: Path, planned: PlannedSimulation) -> dict[str, Any] | None:
    """The result of an earlier start; None where there is none, or half of one."""
    try:
        kept: dict[str, Any] = json.loads((folder / f"{planned.key}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept.get("result")


def _keep(folder: Path, planned: PlannedSimulation, result: dict[str, Any]) -> None:
    written = folder / f"{planned.key}.json"
    text = json.dumps({"model": planned.model, "settings": planned.settings, "text": planned.text, "result": result})
    try:
        write_whole(written, text)
    except OSError as error:
        raise RunError(f"{written}: cannot be written: {error.strerror}") from None
