"""Views of trials around a plan: other sizes, all combinations, and a model against measurements."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from poolkeeper.ntier.allocator.resources import goodput
from poolkeeper.ntier.allocator.validation import GOAL, Outcome, ratio_of
from poolkeeper.ntier.views import CONFIDENCE, line
from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table
from poolkeeper.present.numbers import change

if TYPE_CHECKING:
    from poolkeeper.ntier.allocator.plan import Plan
    from poolkeeper.ntier.allocator.validation import Validation, Variation
    from poolkeeper.ntier.calibration import Deviation
    from poolkeeper.present.table import Cell

_SHOWN = 10
"""Best combinations of a sweep that a table shows."""


@dataclass(frozen=True)
class ValidationView:
    """Goodput with each pool at fractions and multiples of its recommended size."""

    plan: Plan
    validation: Validation

    def table(self) -> Table:
        """A row an allocation; the recommendation first."""
        found, rules = self.validation, self.plan.rules
        rows = [("recommended", 1.0, *_figures(self.plan, found.base), "")]
        rows += [
            (str(each.pool), each.factor, *_figures(self.plan, each), each.outcome.value) for each in found.variations
        ]
        columns = ("pool", "times", *_columns(self.plan, found), "")
        notes = (
            f"the recommendation has {found.of_best:.1%} of the best goodput; the goal is {1 - GOAL:.0%}",
            f"clearly worse or better: by more than the margin of {rules.loss:.0%}, {rules.confidence:.0%} confident",
            _verdict(found),
            _rounds(found),
        )
        return Table(f"Each pool at other sizes, {found.users} users", columns, tuple(rows), notes)

    def to_dict(self) -> dict[str, Any]:
        """Goodput and its ratio to the recommendation's."""
        found = self.validation
        return {
            **_summary(found),
            "variations": [
                {"pool": str(each.pool), "factor": each.factor, **_document(found, each)} for each in found.variations
            ],
        }

    def plot(self) -> Chart:
        """Ratio over the factor, a line for each pool."""
        found = self.validation
        lines = []
        for size in self.plan.sizes:
            members = sorted(
                [found.base, *(each for each in found.variations if each.pool == size.key)],
                key=lambda each: each.factor,
            )
            lines.append(line(str(size.key), [each.factor for each in members], [each.ratio for each in members]))
        return Chart(
            f"Goodput within {found.bound_s:g} s, {found.users} users",
            Axis("times the recommended size", log=True),
            Axis("goodput to the recommendation's"),
            tuple(lines),
            (Mark(1.0, "recommended"),),
        )


@dataclass(frozen=True)
class SweepView:
    """The best combinations of a sweep, and the recommendation."""

    plan: Plan
    sweep: Validation

    def table(self) -> Table:
        """The best combinations, and the recommendation."""
        found, ranked = self.sweep, self._ranked()
        place = ranked.index(found.base) + 1
        shown = list(enumerate(ranked[:_SHOWN], start=1))
        if place > _SHOWN:
            shown.append((place, found.base))
        rows = tuple(
            (at, *_figures(self.plan, each), "recommended" if each is found.base else "") for at, each in shown
        )
        count = len(ranked)
        share = (
            f"the recommendation has {found.of_best:.1%} of the best of {count} combinations, and was found in "
            f"{self.plan.runs} runs, {self.plan.runs / found.runs:.0%} of theirs"
        )
        notes = (share, "the best of many is best by chance as well: its goodput is a little too high", _rounds(found))
        columns = ("place", *_columns(self.plan, found), "which")
        return Table(f"Combinations of all pools, {found.users} users", columns, rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """Goodput of each combination."""
        found = self.sweep
        return {
            **_summary(found),
            "runs": found.runs,
            "best": str(found.best.allocation),
            "combinations": [_document(found, each) for each in self._ranked()],
        }

    def plot(self) -> Chart:
        """Ratios of all combinations in their order."""
        ranked = self._ranked()
        ratios = tuple(each.ratio.value for each in ranked)
        return Chart(
            "Goodput of all combinations",
            Axis("place"),
            Axis(f"within {self.sweep.bound_s:g} s, to the recommendation's"),
            (Series("combinations", tuple(map(float, range(1, len(ranked) + 1))), ratios, Kind.POINTS),),
            (Mark(float(ranked.index(self.sweep.base) + 1), "recommended"),),
        )

    def _ranked(self) -> list[Variation]:
        return sorted((self.sweep.base, *self.sweep.variations), key=lambda each: -each.ratio.value)


def _columns(plan: Plan, found: Validation) -> tuple[str, ...]:
    bounds = (f"within {bound:g} s" for bound in plan.topology.bounds_s)
    return ("pools", *bounds, f"CPU {plan.critical.tier}", f"of the recommendation within {found.bound_s:g} s", "±")


def _figures(plan: Plan, each: Variation) -> tuple[Cell, ...]:
    """Allocation, goodput by bound, mean utilisation of the critical tier, and the ratio with its interval."""
    used = fmean(trial.tier(plan.critical.tier).utilisation for trial in each.trials)
    half = each.ratio.margin(CONFIDENCE)
    return (
        str(each.allocation),
        *(_goodput(each, bound) for bound in plan.topology.bounds_s),
        f"{used:.1%}",
        f"{each.ratio.value:.1%}",
        f"{half:.1%}" if half else "",
    )


def _goodput(each: Variation, bound_s: float) -> float:
    """Mean goodput within a bound over the rounds."""
    return fmean(trial.goodput[bound_s] for trial in each.trials)


def _within(found: Validation, each: Variation) -> dict[str, dict[str, float]]:
    """Goodput and its ratio to the recommendation's by bound, as the decisions rest on one of them."""
    document = {}
    for bound in each.trials[0].goodput:
        levels = [[goodput(trial, bound) for trial in trials] for trials in (each.trials, found.base.trials)]
        ratio = each.ratio if each is found.base else ratio_of(levels[0], levels[1][: len(levels[0])])
        document[f"{bound:g}"] = {
            "goodput_per_s": _goodput(each, bound),
            "ratio": ratio.value,
            "half_width": ratio.margin(CONFIDENCE),
        }
    return document


def _rounds(found: Validation) -> str:
    if found.rounds == 1:
        return f"one trial each; ± is half the width of the {CONFIDENCE:.0%} interval, from the seconds of the trials"
    fewest = min(len(each.trials) for each in (found.base, *found.variations))
    rounds = f"{found.rounds} rounds" if fewest == found.rounds else f"{fewest} to {found.rounds} rounds"
    early = ", and a ratio that decides early lies a little too far from 1" if fewest < found.rounds else ""
    return (
        f"{rounds}, each in an order of its own{early}; a ratio is that of the same round, and ± half the width "
        f"of its {CONFIDENCE:.0%} interval, from the spread of the rounds"
    )


def _verdict(found: Validation) -> str:
    """Whether the recommendation is shown to be near the best."""
    better = sum(each.outcome is Outcome.BETTER for each in found.variations)
    undecided = sum(each.outcome is Outcome.OPEN for each in found.variations)
    if better:
        return f"{better} of {len(found.variations)} other sizes are clearly better: the goal is missed"
    if undecided:
        return f"{undecided} of {len(found.variations)} other sizes are not decided: more rounds could tell"
    return "no other size is clearly better, and none is left undecided: the goal is reached"


def _summary(found: Validation) -> dict[str, Any]:
    return {
        "users": found.users,
        "bound_s": found.bound_s,
        "rounds": found.rounds,
        "goodput_per_s": found.base.goodput,
        "of_best": found.of_best,
        "within": {
            f"{bound:g}": {"goodput_per_s": _goodput(found.base, bound)} for bound in found.base.trials[0].goodput
        },
    }


def _document(found: Validation, each: Variation) -> dict[str, Any]:
    return {
        "allocation": str(each.allocation),
        "goodput_per_s": each.goodput,
        "ratio": each.ratio.value,
        "half_width": each.ratio.margin(CONFIDENCE),
        "clearly_worse": each.worse,
        "outcome": each.outcome.value,
        "within": _within(found, each),
        "trials": len(each.trials),
    }


@dataclass(frozen=True)
class DeviationView:
    """Errors of a model against measured trials."""

    deviations: tuple[Deviation, ...]

    def table(self) -> Table:
        """A row a trial."""
        rows = tuple(
            (
                each.measured.users,
                str(each.measured.allocation),
                each.measured.throughput,
                each.modelled.throughput,
                change(each.throughput),
                each.measured.response_s * 1e3,
                each.modelled.response_s * 1e3,
                change(each.response),
                each.busiest,
                f"{each.utilisation[0]:.1%}",
                f"{each.utilisation[1]:.1%}",
            )
            for each in self.deviations
        )
        columns = (
            *("users", "pools", "measured/s", "model/s", "error", "measured ms", "model ms", "error "),
            *("busiest tier", "measured CPU", "model CPU"),
        )
        notes: tuple[str, ...] = ()
        if (errors := self._errors()) is not None:
            response = f"the mean response time by {errors[1]:.1%}"
            notes = (f"up to saturation the throughput is off by {errors[0]:.1%} in the mean, {response}",)
        return Table("Model against the measurement", columns, rows, notes)

    def _errors(self) -> tuple[float, float] | None:
        """Mean absolute errors of throughput and response time, up to saturation."""
        light = [each for each in self.deviations if not each.saturated]
        if not light:
            return None
        count = len(light)
        return sum(abs(each.throughput) for each in light) / count, sum(abs(each.response) for each in light) / count

    def to_dict(self) -> dict[str, Any]:
        """Errors of each trial, and their means."""
        errors = self._errors()
        return {
            "throughput_error": None if errors is None else errors[0],
            "response_error": None if errors is None else errors[1],
            "trials": [
                {
                    "users": each.measured.users,
                    "allocation": str(each.measured.allocation),
                    "measured_per_s": each.measured.throughput,
                    "model_per_s": each.modelled.throughput,
                    "measured_s": each.measured.response_s,
                    "model_s": each.modelled.response_s,
                    "busiest": each.busiest,
                    "measured_utilisation": each.utilisation[0],
                    "model_utilisation": each.utilisation[1],
                    "saturated": each.saturated,
                }
                for each in self.deviations
            ],
        }

    def plot(self) -> Chart:
        """Throughput over users, measured and modelled, with the pools that most trials had."""
        allocations = [each.measured.allocation for each in self.deviations]
        usual = max(allocations, key=allocations.count)
        chosen = sorted(
            (each for each in self.deviations if each.measured.allocation == usual),
            key=lambda each: each.measured.users,
        )
        x = tuple(float(each.measured.users) for each in chosen)
        return Chart(
            f"Model against the measurement, {usual}",
            Axis("users"),
            Axis("answers", "1/s"),
            (
                Series("measured", x, tuple(each.measured.throughput for each in chosen), Kind.POINTS),
                Series("model", x, tuple(each.modelled.throughput for each in chosen)),
            ),
        )
