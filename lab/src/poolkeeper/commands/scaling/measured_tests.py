"""The tests that files belong to: those of one run, and those that were measured at the same time, are one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from poolkeeper.commands.load import FiguresAloneError, Load, RequestSelection, load
from poolkeeper.errors import DataError, InputError
from poolkeeper.present.numbers import amount
from poolkeeper.present.text import listed
from poolkeeper.results.formats.request_logs import runs_of
from poolkeeper.results.generators import are_two, at_once
from poolkeeper.results.repeats import between

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.arrays import Floats
    from poolkeeper.commands.progress import Progress
    from poolkeeper.spread import Spread


@dataclass(frozen=True, slots=True)
class MeasuredTest:
    """The requests of a test, out of all its files."""

    loaded: Load
    users: float | None
    """The number that was given for it."""
    doubts: tuple[str, ...] = ()


def tests_of(
    wanted: RequestSelection, users: Sequence[float] | None, progress: Progress, spread: Spread | None
) -> list[MeasuredTest]:
    """The tests in the order of their first files; raises InputError for `users` that do not fit the files.

    Load generators that run at the same time share the load of one test. As a test of each of them, it would have a
    part of its users and of its throughput, several times.
    """
    runs = runs_of(wanted.files)
    numbers = None if users is None else _users_of(wanted.files, runs, users)
    try:
        loads = _loads(wanted, runs, progress, spread)
    except FiguresAloneError as error:
        way = "for usl, write a table of them, with the columns users and throughput and a row for each run"
        raise DataError(f"{error}: {way}; capacity needs the response times of each request") from None
    found = []
    for places in _at_once(loads):
        if len(places) == 1:
            (place,) = places
            found.append(MeasuredTest(loads[place], None if numbers is None else numbers[place]))
            continue
        files = tuple(file for file in wanted.files if any(file in runs[place] for place in places))
        (loaded,) = _loads(replace(wanted, files=files), [files], progress, spread)
        given = None if numbers is None else [numbers[place] for place in places]
        found.append(_joined(loaded, given, [loads[place].name for place in places]))
    return found


def _at_once(loads: Sequence[Load]) -> list[list[int]]:
    """Places of the loads of one test each, without those that hold the same requests, which another warning names."""
    surveys = [loaded.total.survey for loaded in loads]
    again = {
        place
        for first, other in combinations(range(len(loads)), 2)
        if between([surveys[first].seen, surveys[other].seen])
        for place in (first, other)
    }
    courses: list[Floats | None] = [
        survey.series.rows
        if survey.series is not None and place not in again and all(file.clock == "wall" for file in survey.seen)
        else None
        for place, survey in enumerate(surveys)
    ]
    return at_once(courses)


def _joined(loaded: Load, given: Sequence[float] | None, names: Sequence[str]) -> MeasuredTest:
    """The test of several files, whose users add up; if the files tell them, as in an analysis of all of them."""
    series = loaded.total.survey.series
    loads = {} if series is None else series.loads
    of_one = series is not None and any(
        not are_two(first, other, loads, series.threads) for first, other in combinations(loads, 2)
    )
    if not given:
        untold = not loads  # of users a warning about the files says it
        words = f"{listed(names)} were measured at the same time: their requests are those of one test"
        return MeasuredTest(loaded, None, (words,) if untold else ())
    users = max(given) if of_one else sum(given)
    words = f"{listed(names)} were measured at the same time: they are one level, of {amount(users)} users"
    return MeasuredTest(loaded, users, (words,))


def _users_of(files: Sequence[Path], runs: Sequence[tuple[Path, ...]], users: Sequence[float]) -> list[float]:
    """Users of each run, given for each file or for each run; raises InputError for numbers that do not fit."""
    if len(users) == len(runs):
        return list(users)
    if len(users) != len(files):
        each = "file" if len(runs) == len(files) else "run of pgbench, which writes a file for each of its threads"
        raise InputError(f"--users: {len(users)} numbers for {len(files)} files; give one for each {each}")
    by_file = dict(zip(files, users, strict=True))
    for run in runs:
        numbers = {by_file[file] for file in run}
        if len(numbers) > 1:
            words = (
                f"{listed([file.name for file in run])} are of one run of pgbench: give the clients of all its threads"
            )
            raise InputError(f"--users: {words}, and not {listed([f'{number:g}' for number in sorted(numbers)])}")
    return [by_file[run[0]] for run in runs]


def _loads(
    wanted: RequestSelection, runs: Sequence[tuple[Path, ...]], progress: Progress, spread: Spread | None
) -> list[Load]:
    """The load of each run; one of several files may have no failure where these alone are wanted."""
    may_lack = len(wanted.files) > 1
    if spread is None:
        return [load(replace(wanted, files=run), progress, may_lack_failures=may_lack) for run in runs]
    from poolkeeper.commands.shared_load import load_each_with, load_with

    if len(runs) < len(wanted.files):
        return [load_with(replace(wanted, files=run), spread, progress, may_lack_failures=may_lack) for run in runs]
    return load_each_with(wanted, spread, progress, may_lack_failures=may_lack)
