"""Selection of runs: the parts that the file states, and those that a person chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.choices import NO_HANDLERS
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poolkeeper.experiment.definition.model import Parts
    from poolkeeper.experiment.planning.plan import PlannedRun


def in_parts(runs: Sequence[PlannedRun], parts: Parts | None) -> list[PlannedRun]:
    """The runs that belong to one part at least; without parts, all.

    Raises InputError for a part that names an axis or value that the experiment does not have, or that holds no run.
    """
    if parts is None:
        return list(runs)
    chosen: set[str] = set()
    for number, part in enumerate(parts, start=1):
        conditions = {axis: [str(value) for value in values] for axis, values in part.items()}
        found = list(runs)
        for axis, wanted in conditions.items():
            _check(runs, axis, wanted, f"parts[{number}]")
            found = [run for run in found if _places(run)[axis] in wanted]
        if not found:
            raise InputError(f"parts[{number}]: no run belongs to it")
        chosen |= {run.id for run in found}
    return [run for run in runs if run.id in chosen]


def select(runs: Sequence[PlannedRun], only: Sequence[str]) -> list[PlannedRun]:
    """The runs that `--only` chooses: each condition is AXIS=VALUE[,VALUE...], and all of them must hold.

    Several conditions may stand in one, after commas. Raises InputError for a condition that is none, or that names an
    axis or value that the experiment does not have.
    """
    chosen = list(runs)
    for axis, wanted in _conditions(only):
        _check(runs, axis, wanted, f"--only {axis}={','.join(wanted)}")
        chosen = [run for run in chosen if _places(run)[axis] in wanted]
    if not chosen:
        raise InputError(f"--only {' --only '.join(only)}: no run is left")
    return chosen


def _conditions(only: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    for given in only:
        found: list[tuple[str, list[str]]] = []
        for word in given.split(","):
            axis, equals, value = word.partition("=")
            if equals and value:
                found.append((axis, [value]))
            elif not equals and word and found:
                found[-1][1].append(word)
            else:
                raise InputError(f"--only {given}: must be AXIS=VALUE, such as variant=fixed-10")
        yield from found


def _check(runs: Sequence[PlannedRun], axis: str, wanted: Sequence[str], where: str) -> None:
    """Raise InputError unless axis and values are among those of the runs."""
    places = [_places(run) for run in runs]
    axes = list(dict.fromkeys(name for place in places for name in place))
    if axis not in axes:
        raise InputError(f"{where}: {unknown('axis', axis, axes)}")
    values = list(dict.fromkeys(place[axis] for place in places))
    for value in wanted:
        if value not in values:
            raise InputError(f"{where}: {unknown(axis, value, values)}")


def _places(run: PlannedRun) -> dict[str, str]:
    variant = run.variant
    server = {"architecture": variant.architecture, "handlers": variant.handlers or NO_HANDLERS}
    return {
        "variant": variant.name,
        **({name: word for name, word in server.items() if word} if variant.architecture else {}),
        "application": run.application,
        **{axis: str(value) for axis, value in run.cell.items()},
        "repetition": str(run.repetition),
    }
