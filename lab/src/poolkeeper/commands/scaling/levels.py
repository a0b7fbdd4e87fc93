"""The commands usl and capacity: how a service scales, out of load tests at several levels of load."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.commands.load import ONLY, Load, RequestSelection
from poolkeeper.commands.scaling.measured import MeasuredLevel, place_of, sent_in
from poolkeeper.commands.scaling.measured_tests import MeasuredTest, tests_of
from poolkeeper.commands.scaling.rates import RateLevels
from poolkeeper.commands.steps.base import count_from, skipped_s
from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.present.numbers import amount, percent
from poolkeeper.present.text import counted
from poolkeeper.results.repeats import between
from poolkeeper.scalability.misfit import highest, misfit, standard_error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.commands.progress import Progress
    from poolkeeper.present import Chart, Table
    from poolkeeper.results import Series
    from poolkeeper.results.checks import Seen
    from poolkeeper.scalability import LoadLevel, LoadLevels, Usl
    from poolkeeper.scalability.stretches import LeftOut
    from poolkeeper.spread import Spread

_USERS = ("users", "concurrency", "clients", "threads", "n", "load", "vus")
_RATES = ("tps", "rps", "qps", "requests/s", "1/s")
_RATIOS = ("speedup", "ratio", "relative throughput", "normalised throughput", "normalized throughput")
_THROUGHPUT = ("throughput", "x", "rate", *_RATES, *_RATIOS)
"""Names of a column of throughputs: rates a second, ratios to that of one user, or either."""
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})*|\d+")
_SEPARATORS = ",;\t"
_LARGEST = 1 << 20
"""Bytes of a table of levels: one that is larger is no such table."""
FAILING = 0.01
"""Share of failed requests from which they are named."""
_ENDS = 2
"""Intervals that the ends of a test cut short."""
_LOADS = {"users": "users", "requests": "requests in the system"}
"""Quantities of `--over` as titles, axes and sentences have them."""


@dataclass(frozen=True)
class Levels:
    """Measurements at each level, their source, and the notes on them."""

    measured: tuple[MeasuredLevel, ...]
    about: str
    warnings: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    left_out: tuple[tuple[LeftOut, MeasuredLevel | None], ...] = ()
    """Stretches that are no levels, and the figures of those that were held too short."""
    unit: str = "1/s"
    """Unit of the throughput; none for ratios."""
    dead: tuple[float, ...] = ()
    """Loads (users, or rates where these are the loads) at which no request succeeded."""


@dataclass(frozen=True)
class OtherLaw:
    """The scalability law where the data support a simpler one: its figures, without advice."""

    fit: Usl
    chosen: str

    @property
    def _note(self) -> str:
        return f"for comparison: the data support the simpler law, {self.chosen}, and so do the verdict and the advice"

    def table(self) -> Table:
        """Fitted values with standard errors and intervals."""
        return replace(self.fit.table(), notes=(self._note,))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.fit.to_dict(), "verdict": self._note, "warnings": [], "advice": []}

    def plot(self) -> Chart:
        """The measurements and the law."""
        return replace(self.fit.plot(), notes=(self._note,))


def table_of(file: Path) -> Levels | None:
    """The levels that a small CSV lists in columns such as users and throughput; None for any other file."""
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        text = file.read_text(encoding="utf-8-sig")
        lines = [
            (at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")
        ]
        separator = max(_SEPARATORS, key=lines[0][1].count) if lines else ","
        rows = [(at, row) for at, line in lines if any(row := next(csv.reader([line], delimiter=separator)))]
    except (OSError, UnicodeDecodeError, csv.Error):
        return None
    if not rows:
        return None
    names = [cell.strip().lower() for cell in rows[0][1]]
    found_users, found_rates = ([name for name in usual if name in names] for usual in (_USERS, _THROUGHPUT))
    if not found_users or not found_rates:
        return None
    if len(found_rates) > 1 or names.count(found_rates[0]) > 1:
        raise InputError(f"{file}: names several columns of throughputs ({_listed(names, found_rates)}): leave one")
    users, rate = names.index(found_users[0]), names.index(found_rates[0])
    doubts = _doubts(file, names, rows[1:], (users, rate), separator)
    measured = [_level_of(file, at, row, names, (users, rate), separator) for at, row in rows[1:]]
    if not measured:
        raise DataError(f"{file}: lists no levels of load below its header")
    about = f"{counted(len(measured), 'level')} of load"
    warnings: tuple[str, ...] = ()
    if names[rate] not in (*_RATES, *_RATIOS) and (where := _normal_place(measured)):
        words = f"{file.name}: {names[rate]} is 1 {where}, so that throughputs are taken for ratios, without a unit"
        warnings = (f"{words}; if they are rates, name the column requests/s",)
    unit = "" if warnings or names[rate] in _RATIOS else "1/s"
    return Levels(tuple(measured), about, (*warnings, *doubts), unit=unit)


def _level_of(
    file: Path, line: int, row: list[str], names: Sequence[str], columns: tuple[int, int], separator: str
) -> MeasuredLevel:
    """The level in a row of a table."""
    if len(row) > len(names):
        words = f"has {len(row)} cells, the header has {len(names)}: write numbers without marks between thousands"
        raise InputError(f"{file}: line {line}: {words}, with decimal points")
    try:
        level, answers = (_number(row[column], separator) for column in columns)
    except (ValueError, IndexError):
        shown = " and ".join(names[column] for column in columns)
        raise InputError(f"{file}: line {line}: {shown} are not numbers: {separator.join(row)!r}") from None
    return MeasuredLevel(level, answers)


def _doubts(
    file: Path, names: Sequence[str], rows: Sequence[tuple[int, list[str]]], columns: tuple[int, int], separator: str
) -> tuple[str, ...]:
    """Doubts about another column with a load, and about numbers whose marks may part thousands.

    Raises InputError where whole numbers show that they do.
    """
    users = names[columns[0]]
    others = [name for name in _USERS if name in names and name != users]
    doubts = [f"{file.name}: {users} was taken for the load, and not {', '.join(others)}"] if others else []
    for column in columns if separator != "," else ():
        cells = [row[column].strip() for _, row in rows if column < len(row)]
        marked = [cell for cell in cells if not cell.isdigit()]
        if not marked or not all(map(_THOUSANDS.fullmatch, cells)):
            continue
        words = f"{names[column]}: {marked[0]!r} may have a mark between thousands or a decimal one"
        if len(marked) < len(cells):
            raise InputError(f"{file}: {words}: write thousands without marks")
        doubts.append(f"{file.name}: {words}, and was taken for a fraction")
    return tuple(doubts)


def _listed(names: Sequence[str], wanted: Sequence[str]) -> str:
    return ", ".join(name for name in names if name in wanted)


def _normal_place(measured: Sequence[MeasuredLevel]) -> str:
    """Place at which normalised throughputs are 1; empty for others."""
    alone = [level.throughput for level in measured if level.users == 1]
    if alone and all(value == 1 for value in alone):
        return "with 1 user"
    return "at most" if len(measured) > 1 and max(level.throughput for level in measured) == 1 else ""


def _number(text: str, separator: str) -> float:
    """A cell's number, with a decimal comma where semicolons separate the cells."""
    return float(text.replace(",", ".") if separator == ";" else text)


def gather(
    wanted: RequestSelection,
    users: Sequence[float] | None,
    progress: Progress,
    spread: Spread | None = None,
    *,
    by: str = "users",
    timed: bool = True,
) -> Levels:
    """The levels of load that the files hold: stretches of a test whose users held still, or a file each with `users`.

    `by` rate the levels of files that do not tell their users are those of the requests a second. Unless `timed`,
    files whose times are no ground for one are levels too, if their users are given.

    The workers of `spread`, if there is one, read the files in place of this process.
    Raises DataError where the files do not say how many users there were, and nobody else does.
    """
    if users is None and len(wanted.files) == 1 and (table := table_of(wanted.files[0])) is not None:
        return table
    measured: list[MeasuredLevel] = []
    warnings: list[str] = []
    parts: list[Part] = []
    left_out: list[tuple[LeftOut, MeasuredLevel | None]] = []
    dead: list[float] = []
    seen: list[Sequence[Seen]] = []
    tests = tests_of(wanted, users, progress, spread)
    named = len(tests) > 1
    while tests:
        test = tests.pop(0)  # its requests need not be kept any longer than that
        loaded = test.loaded
        seen.append(loaded.total.survey.seen)
        warnings += [*test.doubts, *_survey_warnings(loaded, named=named)]
        if loaded.failed not in {0, loaded.total.count}:
            loaded.require_answers()
        if (loaded.silent and loaded.failed) or (loaded.failed == loaded.total.count and not _counts(test, by)):
            warnings.append(f"{loaded.name}: left out: no request succeeded")
            dead.append(_dead_load(loaded, by, test.users))
            continue
        if test.users is not None:
            measured.append(_whole(loaded, test.users, timed=timed or by == "rate"))
            if loaded.steps is not None:
                warnings.append(f"{loaded.name}: {loaded.steps.mixed}")
            continue
        _require_times(loaded)
        series = _series(loaded)
        if by == "rate" and np.isnan(series.users).all():
            rates = RateLevels.of(loaded)
            measured += rates.measured(named=named)
            dead += [level.rate for level in rates.dead]
            warnings += [f"{loaded.name}: {words}" if named else words for words in rates.left_out]
            if loaded.steps is not None:
                parts.append(
                    Part("levels" if not named else f"levels of {loaded.name}", "Levels of load", loaded.steps)
                )
            continue
        found = _levels_of(loaded, series)
        dead += [
            other.users if by == "users" else _rate_of_dead(series, other) for other in found.left_out if other.dead
        ]
        measured += [_stretch(loaded, level, named=named) for level in found.levels]
        left_out += [
            (other, None if other.level is None else _stretch(loaded, other.level, named=named))
            for other in found.left_out
        ]
        name = "levels" if not named else f"levels of {loaded.name}"
        parts.append(Part(name, "Levels of load", found))
    if not measured:
        raise DataError(f"{', '.join(file.name for file in wanted.files)}: no request succeeded")
    warnings += [f"{words}: each counts for several levels" for words in between(seen)]
    about = f"{counted(len(measured), 'level')} of load in {', '.join(file.name for file in wanted.files)}"
    fatal = tuple(load for load in dead if not math.isnan(load))
    return Levels(tuple(measured), about, tuple(warnings), tuple(parts), tuple(left_out), dead=fatal)


def _counts(test: MeasuredTest, by: str) -> bool:
    """Whether a test in which all requests failed is a level: of a rate, where failures alone are asked for.

    Users that files tell make no level without a success.
    """
    series = test.loaded.total.survey.series_of_load
    tells_users = series is not None and not np.isnan(series.users).all()
    return by == "rate" and test.loaded.wanted.failures == ONLY and (test.users is not None or not tells_users)


def _levels_of(loaded: Load, series: Series) -> LoadLevels:
    """The levels of users in a file; raises DataError, which names it, where there are none."""
    from poolkeeper.commands.steps.sent import gaps_of
    from poolkeeper.scalability import LoadLevels

    gaps = tuple(gaps_of(loaded).values())
    try:
        found = LoadLevels.of_series(series, loaded.results.format, of_interest=loaded.survey.series, gaps=gaps)
    except DataError as error:
        raise DataError(f"{loaded.name}: {error}") from None
    skipped = skipped_s(loaded)
    return replace(found, notes=(*found.notes, count_from(skipped))) if skipped else found


def _survey_warnings(loaded: Load, *, named: bool) -> list[str]:
    """The warnings about a file, but that of silence, which levels leave out themselves."""
    name = f"{loaded.name}: " if named else ""
    texts = [str(warning) for warning in loaded.total.survey.warnings if warning.kind != "silence"]
    texts += loaded.by_ends
    return [text if text.startswith(name) else f"{name}{text}" for text in texts]


def _require_times(loaded: Load) -> None:
    """Raises DataError, with the first warning by which they are doubted, for times that are no ground for a rate."""
    from poolkeeper.results.checks import CLOCK_KINDS

    if loaded.total.survey.clock_doubted:
        why = next(str(warning) for warning in loaded.total.survey.warnings if warning.kind in CLOCK_KINDS)
        raise DataError(f"{loaded.name}: has no times to count requests by: {why}")


def _series(loaded: Load) -> Series:
    series = loaded.total.series_of_load
    if series is None:
        raise DataError(f"{loaded.name}: {loaded.results.format} results contain no times, so there is no throughput")
    return series


def _whole(loaded: Load, users: float, *, timed: bool) -> MeasuredLevel:
    """A file as one level: the seconds that the ends of the test cut short are left out of the throughput.

    The throughput is NaN where its times are no ground for one; with `timed` such a file raises DataError.
    """
    from poolkeeper.latency import mean

    if timed:
        _require_times(loaded)
    failing = (loaded.failed or 0) / loaded.total.count
    if loaded.total.survey.clock_doubted:
        return MeasuredLevel(users, math.nan, responses=_responses(loaded), failing=failing, place=f"in {loaded.name}")
    series = _series(loaded)
    first = int(loaded.total.survey.first_cut)
    if first and len(series) <= 2:  # noqa: PLR2004 - the two ends
        raise DataError(f"{loaded.name}: lies within {counted(len(series), 'second')}, too short for a throughput")
    whole = slice(first, max(1, len(series) - 1))
    rates = ((series.count - series.errors) / series.every_s)[whole][series.loaded[whole]]
    found = mean(rates)
    answered = float((series.count / series.every_s)[whole][series.loaded[whole]].mean())
    in_system = answered * loaded.total.digest.mean / 1000
    error = standard_error(rates)
    return MeasuredLevel(
        users, found.value, in_system, found, _responses(loaded), failing, f"in {loaded.name}", error, answered
    )


def _dead_load(loaded: Load, by: str, given: float | None) -> float:
    """The load of a file in which no request succeeded, `given` in users; NaN if it is unknown or changed."""
    if by == "users" and given is not None:
        return given
    survey = loaded.total.survey
    if survey.clock_doubted or survey.series_of_load is None:
        return math.nan
    series = survey.series_of_load
    users = series.users[~np.isnan(series.users)]
    if by == "users":
        return float(users[0]) if users.size and users.min() == users.max() else math.nan
    return float(series.throughput[1:-1].mean()) if len(series) > _ENDS else math.nan


def _rate_of_dead(series: Series, stretch: LeftOut) -> float:
    """The requests a second of a stretch of users none of whose requests succeeded."""
    begin, end = (round(at / series.every_s) for at in (stretch.start_s, stretch.end_s))
    return float(series.throughput[begin:end][1:-1].mean()) if end - begin > _ENDS else math.nan


def _stretch(loaded: Load, level: LoadLevel, *, named: bool) -> MeasuredLevel:
    rate, where = level.throughput, place_of(loaded if named else None, level.start_s, level.end_s)
    # The answers to its last requests come after it.
    responses = sent_in(loaded, (level.start_s + level.warm_up_s, level.until_s), level)
    series = _series(loaded)
    seconds = slice(*(round(at / series.every_s) for at in (level.start_s + level.warm_up_s, level.end_s)))
    error = standard_error(((series.count - series.errors) / series.every_s)[seconds][1:-1])
    return MeasuredLevel(
        level.users, rate.value, level.in_system, rate, responses, level.failing, where, error, level.answered
    )


def _responses(loaded: Load) -> Any:
    """Response times of the whole load; None if nothing of it is looked at."""
    if loaded.silent:
        return None
    return loaded.values if loaded.single else loaded.seconds()


def _of_failing(measured: Sequence[MeasuredLevel], concurrency: Sequence[float], load: str) -> tuple[str, ...]:
    """Warning about the level of which most requests failed, if any did: throughputs are those of successes."""
    failing, at = max((level.failing, load_) for level, load_ in zip(measured, concurrency, strict=True))
    if failing < FAILING:
        return ()
    words = f"{percent(failing, 2)} % of the requests failed with {amount(at)} {load}"
    return (f"{words}: the throughput is that of those that succeeded, so that failures limit it too",)


def usl(levels: Levels, title: str, *, over: str, quadratic: bool, given: dict[str, Any]) -> Answer:
    """The Universal Scalability Law of the levels, and whether a simpler law does as well.

    The headline is that of the law which the levels support: a peak that the choice denies is none. With `quadratic`
    also the regression that the law was first published with.
    """
    from poolkeeper.scalability import Usl, choose

    concurrency = [measured.in_system if over == "requests" else measured.users for measured in levels.measured]
    if any(map(math.isnan, concurrency)):
        raise DataError(f"{title}: does not say how many {over} there were at each level")
    throughput = [measured.throughput for measured in levels.measured]
    left_out: dict[str, str] = {}
    try:
        choice = choose(concurrency, throughput, load=_LOADS[over], unit=levels.unit)
    except TooFewError as error:
        left_out["choice of a law"] = str(error)
        law = Usl(load=_LOADS[over], unit=levels.unit).fit(concurrency, throughput)
        parts = [Part("usl", "Scalability", law)]
        verdict, doubts = law.verdict_, law.warnings_
    else:
        law = choice.fits[-1]
        parts = [Part("usl", "Scalability", law)]
        verdict, doubts = choice.headline, choice.chosen.warnings_
        if choice.chosen is not law and not choice.superlinear:
            other = OtherLaw(law, choice.chosen.name)
            parts = [Part("law", "Scalability", choice.chosen), Part("usl", "Scalability", other, brief=False)]
        parts.append(Part("laws", "Which law", choice))
    if quadratic:
        from poolkeeper.scalability import quadratic as regression

        older = regression(concurrency, throughput, load=_LOADS[over], unit=levels.unit)
        parts.append(Part("quadratic", "Quadratic regression", older))
    parts += levels.parts
    errors = np.array([measured.throughput_error for measured in levels.measured])
    fit = law if "choice of a law" in left_out else choice.chosen
    if not (fit.has_plateau_ or fit.is_saturated_) and (missed := misfit(fit, errors)):
        verdict, doubts = f"{highest(fit)} But {missed}.", (missed, *doubts)
    warnings = (*levels.warnings, *_of_failing(levels.measured, concurrency, _LOADS[over]), *doubts)
    given = {**given, "over": over, "fit": "quadratic" if quadratic else "least-squares"}
    return Answer("usl", title, levels.about, verdict, tuple(parts), warnings, given, left_out)
