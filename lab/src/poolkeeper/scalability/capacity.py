"""Up to which load a percentile, or the mean, of the response time stays within a bound, with what uncertainty.

Each measured level has its figure with an interval, between them it is interpolated (`percentile_curve`). Where the
levels around bear the line of the interpolation, the interval of the capacity holds all loads at which the interpolated
figure, with the intervals of both neighbours combined, cannot be told from the bound. Elsewhere it reaches from the
last level that surely meets the bound to the first that surely misses it. Nothing is extrapolated: where the answer
lies beyond the measured levels, or where there are too few response times to tell, it says that instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import fraction, vector
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.figures.percentiles import name
from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table
from poolkeeper.present.notes import grouped
from poolkeeper.present.numbers import amount, finite, number, or_none
from poolkeeper.present.text import listed
from poolkeeper.scalability.bounds import figure
from poolkeeper.scalability.percentile_curve import Level, Load, PercentileCurve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.ordered.conversion import Values
    from poolkeeper.present import Cell

_MET, _OPEN, MISSED = "met", "open", "missed"
"""Words for a level that surely meets a bound, for one whose interval holds it, and for one that surely misses it."""
_ALIKE_FAILING = 0.25
"""Share of requests by which the failures of two levels may differ for those between to be a line."""
ALIKE = 0.02
"""Share of a rate by which another one may differ that is the same load."""


@dataclass(frozen=True, slots=True)
class Question:
    """Up to which load of this kind the p-th percentile (None: the mean) stays within `bound`, which is in `unit`."""

    bound: float
    p: float | None
    kind: Load
    confidence: float
    unit: str

    def __str__(self) -> str:
        """As a sentence begins: "p99 within 500 ms"."""
        return f"{self.figure} within {self.bound:g} {self.unit}"

    @property
    def figure(self) -> str:
        """Bounded figure: "p99" or "mean"."""
        return "mean" if self.p is None else name(self.p)

    def meets(self, found: Estimate) -> str:
        """Whether the figure of a level meets the bound, in a word."""
        if not found.has_interval:
            return "too few to tell"
        if found.high <= self.bound:
            return _MET
        return MISSED if found.low > self.bound else _OPEN

    def meeting(self, level: Level) -> str:
        """The same at a measured level, with its figure where that is all that decides: "met at 15"."""
        found = level.percentile
        meets = self.meets(found)
        seems = f", where {self.figure} seems to be {number(found.value)} {self.unit}" if meets == _OPEN else ""
        return f"{meets} at {amount(level.load)}{seems}"


@dataclass(frozen=True, eq=False)
class Capacity:
    """The highest load at which the percentile stays within the bound, in the unit of the levels.

    `load.value` is NaN where the answer lies beyond the measured levels or cannot be told; `load.low` is then still a
    load that is surely not too much, 0 if there is none, and `load.high` one that surely is, infinite if there is none.
    `verdict` says it in words. `neighbours` are the measured levels on both sides: by their figures the bound is met at
    the first and missed at the second, though their intervals may hold it (NaN beyond the ends). The second may have
    too few response times for an interval, or no request that succeeded, if none that has enough misses the bound.
    """

    question: Question
    load: Estimate
    verdict: str
    levels: tuple[Level, ...]
    neighbours: tuple[float, float]
    throughput: float
    """Throughput at that load, successes alone, interpolated; NaN if none was given or the load is not known.

    Of a rate also where far more requests fail at the one level than at the other.
    """
    straight: bool
    """Whether the levels around bear a straight line; if not, `load.value` is only the guess of one, and `load.low` and
    `load.high` are measured levels."""
    notes: tuple[str, ...]

    @property
    def has_interval(self) -> bool:
        """Whether the highest load was found between measured levels."""
        return not math.isnan(self.load.value)

    def table(self) -> Table:
        """A row a level, with whether it meets the bound."""
        confidence = f"{100 * self.load.confidence:g} %"
        asked = self.question
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (
                amount(level.load),
                or_none(level.throughput),
                or_none(level.percentile.value),
                level.percentile.low if level.usable else None,
                level.percentile.high if level.usable else None,
                asked.meets(level.percentile),
            )
            for level in self.levels
        )
        columns: tuple[str, ...] = (
            str(asked.kind),
            "throughput" if asked.kind is Load.USERS else "successes/s",
            f"{asked.figure} [{asked.unit}]",
            f"{confidence} from",
            "to",
            "bound",
        )
        if all(math.isnan(level.throughput) or level.succeeds(asked.kind) for level in self.levels):
            columns, rows = (columns[0], *columns[2:]), tuple((row[0], *row[2:]) for row in rows)
        return Table(str(asked), columns, rows, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON; unknown and infinite ones are None."""
        load = self.load.to_dict()
        return {
            "load": {name: finite(entry) for name, entry in load.items()},
            "kind": str(self.question.kind),
            "p": self.question.p,
            "bound": self.question.bound,
            "unit": self.question.unit,
            "verdict": self.verdict,
            "throughput": finite(self.throughput),
            "met_at": finite(self.neighbours[0]),
            "missed_at": finite(self.neighbours[1]),
            "straight": self.straight,
            "levels": [
                {
                    "load": level.load,
                    "throughput": finite(level.throughput),
                    "percentile": level.percentile.to_dict(),
                    "bound": self.question.meets(level.percentile),
                }
                for level in self.levels
            ],
            "notes": list(self.notes),
        }

    def plot(self) -> Chart:
        """The percentile over load with its intervals, and the bound."""
        asked = self.question
        shown = [level for level in self.levels if level.usable]
        x = tuple(level.load for level in shown)
        ends = (self.levels[0].load, self.levels[-1].load)
        measured = Series(
            asked.figure,
            x,
            tuple(level.percentile.value for level in shown),
            Kind.POINTS,
            tuple(level.percentile.low for level in shown),
            tuple(level.percentile.high for level in shown),
        )
        label = "capacity" if self.straight else "guess of a straight line"
        marks = [Mark(self.load.value, label)] if self.has_interval else []
        return Chart(
            f"Capacity: {asked}",
            Axis(str(asked.kind)),
            Axis(asked.figure, asked.unit),
            (measured, Series("bound", ends, (asked.bound, asked.bound))),
            tuple(marks),
            self.notes,
        )


def capacity(  # noqa: PLR0913 - each is a part of the question
    load: ArrayLike,
    response_times: Sequence[Values | Estimate],
    *,
    bound: float,
    p: float | None = 99.0,
    kind: Load = Load.USERS,
    throughput: ArrayLike | None = None,
    users: ArrayLike | None = None,
    dead: Sequence[float] = (),
    confidence: float = 0.95,
    unit: str = "ms",
) -> Capacity:
    """Up to which load the p-th percentile stays within `bound`, from levels of load (n,), each of them above 0, once.

    With a `p` of None it is the mean that stays within it.

    `response_times` holds for each level its response times in the order of time, or a digest of each stretch of equal
    length, or the estimate of the figure with its interval, in the unit of the bound, which `unit` names.
    `throughput` (n,), where given, is interpolated at the answer: successes per second, also beside rates, which are
    those of all requests. `users` (n,) belong to rates of a closed test: past
    its peak more users reach the same rates a second time, more slowly, so that levels of more users than the first one
    with an interval of the highest rates, which differ by 2 % at most, are left out. `dead` are loads at which requests
    did not succeed: the least of them above all levels is surely too much. Raises DataError for lengths that differ, a
    level given twice and bad numbers, InputError for a bound that is not above 0, an unknown percentile, and users
    beside a load that is users.
    """
    fraction(confidence, "confidence")
    if not (math.isfinite(bound) and bound > 0):
        raise InputError(f"bound: {bound:g} is not above 0")
    if users is not None and Load(kind) is Load.USERS:
        raise InputError("users: are the load already; give them beside rates")
    loads = vector(load, "load", positive=True)
    rates = np.full(loads.size, np.nan) if throughput is None else vector(throughput, "throughput")
    if not loads.size == len(response_times) == rates.size:
        raise DataError(f"levels: {loads.size} loads, {len(response_times)} response times, {rates.size} throughputs")
    found = [figure(time, p, confidence) for time in response_times]
    rising = RisingLevels.of(loads, users, np.array([each.has_interval for each in found]))
    if np.unique(loads[rising.kept]).size < np.count_nonzero(rising.kept):
        raise DataError("load: a level is given more than once; put its response times together")

    order = np.argsort(loads)
    levels = tuple(Level(float(loads[k]), found[k], float(rates[k])) for k in order if rising.kept[k])
    return _answer(Question(bound, p, Load(kind), confidence, unit), levels, rising, dead)


@dataclass(frozen=True, eq=False)
class RisingLevels:
    """The levels of a closed test up to its highest rates, where a rate belongs to one number of users."""

    kept: NDArray[np.bool_]
    """Mask of the levels that are kept, (n,)."""
    users: float
    """The least of those at the highest rates that tell; NaN where they are unknown."""
    beyond: str = ""
    """Course of the rate with more users, in words."""
    untold: tuple[float, ...] = ()
    """Fewer users with these rates, of whom there are too few response times."""

    @classmethod
    def of(cls, rates: Floats, users: ArrayLike | None, usable: NDArray[np.bool_]) -> RisingLevels:
        """All levels, where no users are known; raises DataError for another number of users than of rates.

        Of the highest rates the level of the fewest users counts, of those that are `usable`, if any is.
        """
        if users is None:
            return cls(np.ones(rates.size, dtype=np.bool_), math.nan)
        at = vector(users, "users", positive=True)
        if at.size != rates.size:
            raise DataError(f"users: {at.size} for {rates.size} levels")
        # Levels of a saturated test have nearly one rate: which of them is the highest is chance.
        highest = rates >= (1 - ALIKE) * rates.max()
        peak = float(at[highest & usable if (highest & usable).any() else highest].min())
        falls = (rates[at > peak] < (1 - ALIKE) * rates.max()).any()
        untold = highest & (at < peak)
        kept = (at <= peak) & ~untold
        return cls(kept, peak, "falls" if falls else "does not rise", tuple(np.sort(at[untold]).tolist()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on levels that were left out."""
        found = []
        if np.count_nonzero(~self.kept) > len(self.untold):
            why = f"the rate {self.beyond} beyond, and takes the same values a second time"
            found.append(f"levels of more than {Load.USERS.of(self.users)} are left out: {why}")
        if self.untold:
            these = listed([amount(users) for users in self.untold])
            why = "too few response times to tell, and hardly another rate"
            found.append(f"left out: {these} users: {why} than that of {Load.USERS.of(self.users)}, which counts")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class _Ends:
    """Words for the lowest and the highest level that counts, and whether the levels bear a straight line."""

    lowest: str
    highest: str
    straight: bool

    @classmethod
    def of(cls, usable: Sequence[Level], levels: Sequence[Level], *, straight: bool) -> _Ends:
        """The ends of levels in ascending order, of which `usable` have enough response times."""
        level = "level" if len(usable) == len(levels) else "level with enough response times"
        lowest, highest = amount(usable[0].load), amount(usable[-1].load)
        return cls(f"lowest {level}, {lowest}", f"highest {level}, {highest}", straight)


def _answer(asked: Question, levels: tuple[Level, ...], rising: RisingLevels, dead: Sequence[float]) -> Capacity:
    usable = [level for level in levels if level.usable]
    dies = min((load for load in dead if load > levels[-1].load), default=math.inf)
    left_out = grouped(_why_not(asked, level) for level in levels if not level.usable)
    if not usable:
        why = f"{asked.figure} cannot be told at any level: {levels[0].percentile.why}"
        nothing = Estimate(math.nan, 0.0, dies, asked.confidence, why)
        nowhere = (math.nan, math.nan)
        return Capacity(asked, nothing, f"{why}.", levels, nowhere, math.nan, straight=False, notes=left_out)
    curve = PercentileCurve.of(usable, asked.kind)
    found, neighbours, straight = curve.crossing(asked.bound, asked.confidence)
    found = replace(found, high=min(found.high, dies))
    rate = math.nan
    rates = np.array([level.throughput for level in usable])
    between = [level for level in usable if level.load in neighbours]
    if not math.isnan(found.value) and np.isfinite(rates).all() and _fail_alike(asked.kind, between):
        rate = float(np.interp(found.value, curve.loads, rates))
    if math.isnan(found.value):
        words = _beyond(asked, found, neighbours, levels, rising, dies)
    else:
        all_succeed = all(level.succeeds(asked.kind) for level in between)
        words = _between(
            asked,
            found,
            (between[0], between[1]),
            math.nan if all_succeed else rate,
            _Ends.of(usable, levels, straight=straight),
        )
    words += _contradiction(asked, usable)
    if math.isnan(neighbours[1]):
        over = (level.load for level in _untold_above(levels) if level.percentile.value > asked.bound)
        neighbours = neighbours[0], next(over, dies if math.isfinite(dies) else math.nan)
    notes = (*rising.notes, *curve.notes, *left_out)
    return Capacity(asked, found, words, levels, neighbours, rate, straight, notes)


def _fail_alike(kind: Load, levels: Sequence[Level]) -> bool:
    """Whether about as large a share of requests succeeds at levels of a rate, so that a line between says something.

    Where most requests fail from some load between two levels on, nothing tells from which.
    """
    shares = [level.throughput / level.load for level in levels] if kind is Load.RATE else []
    return not shares or max(shares) - min(shares) <= _ALIKE_FAILING


def _contradiction(asked: Question, levels: Sequence[Level]) -> str:
    """Sentence on levels in ascending order that surely meet the bound above one that misses it; empty without any."""
    meets = [asked.meets(level.percentile) for level in levels]
    if MISSED not in meets or _MET not in meets[meets.index(MISSED) :]:
        return ""
    missed, met = levels[meets.index(MISSED)], levels[-1 - meets[::-1].index(_MET)]
    return (
        f" But it is missed at {amount(missed.load)} and met at {asked.kind.of(met.load)}: the levels contradict each"
        " other, as where conditions changed between them, or past the peak of a closed test."
    )


def _why_not(asked: Question, level: Level) -> tuple[str, str]:
    """A level, and why it does not count, and that it seems to miss the bound, if it does."""
    over = ""
    if level.percentile.value > asked.bound:
        over = f"{asked.figure} seems to be {number(level.percentile.value)} {asked.unit}, over the bound, but "
    return f"at {asked.kind.of(level.load)}", f"{over}{level.percentile.why}"


def _untold_above(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """The levels with too few response times above all those with enough."""
    highest = max(level.load for level in levels if level.usable)
    return tuple(level for level in levels if level.load > highest)


def _between(asked: Question, found: Estimate, enclosing: tuple[Level, Level], rate: float, ends: _Ends) -> str:
    """The answer between two measured levels, of a curve that is straight there if `ends` are."""
    sure = f"{100 * found.confidence:g} % sure"
    answers = "" if math.isnan(rate) else _answers(asked.kind, rate)
    below, above = map(asked.meeting, enclosing)
    evidence = f"{below.replace(' at ', ' at the measured level ', 1)}{',' if ',' in below else ''} and {above}"
    from_, to = found.low > 0, math.isfinite(found.high)
    if ends.straight:
        low = number(found.low) if from_ else f"below the {ends.lowest},"
        high = number(found.high) if to else f"beyond the {ends.highest}"
        return (
            f"{asked} holds up to {asked.kind.of(found.value)} ({sure} of {low} to {high}){answers}."
            f" It is {evidence}; between them it is interpolated."
        )
    if from_ and to:
        holds = f"holds up to a load between {amount(found.low)} and {asked.kind.of(found.high)} ({sure})"
    elif from_:
        holds = f"holds up to {asked.kind.of(found.low)} at least ({sure}), and may hold beyond the {ends.highest}"
    elif to:
        holds = (
            f"holds up to a load below {asked.kind.of(found.high)} ({sure}), and may not even hold at the {ends.lowest}"
        )
    else:
        holds = f"may hold beyond the {ends.highest}, or not even at the {ends.lowest}"
    longer = " longer there, and" if any(asked.meets(level.percentile) == _OPEN for level in enclosing) else ""
    return (
        f"{asked} {holds}: {evidence}. The levels do not lie on a straight line, which would guess"
        f" {asked.kind.of(found.value)}{answers}; measure{longer} between them."
    )


def _answers(kind: Load, rate: float) -> str:
    """The successes per second at a load of a kind, as a sentence goes on."""
    return f", {number(rate)} answers/s" if kind is Load.USERS else f", of which {number(rate)}/s succeed"


def _beyond(  # noqa: PLR0913 - parts of the answer
    asked: Question,
    found: Estimate,
    neighbours: tuple[float, float],
    levels: tuple[Level, ...],
    rising: RisingLevels,
    dies: float,
) -> str:
    """The answer below or above all measured levels that have enough response times.

    At a load of `dies`, which is infinite if there is none, requests did not succeed.
    """
    sure = f"{100 * found.confidence:g} % sure"
    all_usable = all(level.usable for level in levels)
    some = "measured level" if all_usable else "level with enough response times"
    expected = MISSED if math.isnan(neighbours[0]) else _MET
    each = all(asked.meets(level.percentile) == expected for level in levels if level.usable)
    together = "" if each else ", taken together,"
    if math.isnan(neighbours[0]):
        below = f"; {sure} that it is below {number(found.high)}" if math.isfinite(found.high) else ""
        least = asked.kind.of(neighbours[1])
        if found.high <= neighbours[1]:
            return f"{asked} is{together} not reached at any {some}: the capacity is below {least}{below}."
        seems = f"{asked} seems to be reached at no {some}: the capacity seems to be below {least}"
        return f"{seems}{below or ', which the interval there leaves open'}; measure longer there, and lower."
    highest = max(level.load for level in levels if level.usable)
    holds, untold = found.low >= highest, _untold_above(levels)
    if holds and not untold and not rising.kept.all() and math.isinf(dies):
        peak = f"{asked.kind.of(highest)} at {Load.USERS.of(rising.users)}; with more users it {rising.beyond}"
        return f"{asked} holds up to the highest rate that was reached, {peak}."
    is_dead = math.isfinite(dies)
    where = "between" if is_dead else "higher"
    next_ = f"measure {where} to find it" if holds else f"measure longer, and {where}"
    if untold:
        first = next((level for level in untold if level.percentile.value > asked.bound), untold[0])
        at = asked.kind.of(first.load)
        seems = f"seems to be {number(first.percentile.value)} {asked.unit}, of too few response times to be sure"
        if first.percentile.value > asked.bound:
            next_ = f"at {at} {asked.figure} {seems}; measure longer there, and between"
        else:
            next_ = f"at {at} there are too few response times to tell; measure longer there"
    if is_dead:
        next_ = f"at {asked.kind.of(dies)} requests did not succeed; {next_}"
    if holds:
        least = f"the capacity is at least {asked.kind.of(highest)} ({sure})"
        return f"{asked} holds{together} at every {some}: {least}; {next_}."
    least = f"at least {number(found.low)}" if found.low > 0 else "not even the lowest level"
    return f"{asked} seems to hold up to the highest {some}, {asked.kind.of(highest)}, but {sure} is {least}; {next_}."
