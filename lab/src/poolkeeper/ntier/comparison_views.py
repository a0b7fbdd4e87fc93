"""Views of what was tried around a plan: other sizes, all combinations, and a model against measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.ntier.allocator.resources import goodput
from poolkeeper.ntier.allocator.validation import GOAL
from poolkeeper.ntier.views import CONFIDENCE, line
from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table
from poolkeeper.present.numbers import change

if TYPE_CHECKING:
    from poolkeeper.ntier.allocator.evidence import Level
    from poolkeeper.ntier.allocator.plan import Plan
    from poolkeeper.ntier.allocator.validation import Sweep, Validation
    from poolkeeper.ntier.calibration import Deviation

_SHOWN = 10
"""Best combinations of a sweep that a table shows."""


@dataclass(frozen=True)
class ValidationView:
    """Goodput with each pool at fractions and multiples of its recommended size."""

    plan: Plan
    validation: Validation

    def table(self) -> Table:
        """A row a trial; the recommendation first."""
        found = self.validation
        rows = [("recommended", 1.0, str(found.base.trial.allocation), *_level(found.base.level), "")]
        rows += [
            (
                str(each.pool),
                each.factor,
                str(each.trial.allocation),
                *_level(each.level),
                f"{each.ratio:.1%}{', clearly worse' if each.worse else ''}",
            )
            for each in found.variations
        ]
        columns = ("pool", "times", "pools", f"within {found.bound_s:g} s", "±", "of the recommendation")
        notes = (
            f"the recommendation has {found.of_best:.1%} of the best goodput; the goal is {1 - GOAL:.0%}",
            f"clearly worse: by more than {self.plan.rules.loss:.0%}, with {self.plan.rules.confidence:.0%} confidence",
        )
        return Table(f"Each pool at other sizes, {found.users} users", columns, tuple(rows), notes)

    def to_dict(self) -> dict[str, Any]:
        """Goodput and its ratio to the recommendation's."""
        found = self.validation
        return {
            "users": found.users,
            "bound_s": found.bound_s,
            "goodput_per_s": found.base.level.value,
            "of_best": found.of_best,
            "variations": [
                {
                    "pool": str(each.pool),
                    "factor": each.factor,
                    "allocation": str(each.trial.allocation),
                    "goodput_per_s": each.level.value,
                    "half_width": each.level.margin(CONFIDENCE),
                    "ratio": each.ratio,
                    "clearly_worse": each.worse,
                }
                for each in found.variations
            ],
        }

    def plot(self) -> Chart:
        """Goodput over the factor, a line for each pool."""
        found = self.validation
        lines = []
        for size in self.plan.sizes:
            members = sorted(
                [found.base, *(each for each in found.variations if each.pool == size.key)],
                key=lambda each: each.factor,
            )
            lines.append(line(str(size.key), [each.factor for each in members], [each.level for each in members]))
        return Chart(
            f"Goodput within {found.bound_s:g} s, {found.users} users",
            Axis("times the recommended size", log=True),
            Axis("goodput", "1/s"),
            tuple(lines),
            (Mark(1.0, "recommended"),),
        )


@dataclass(frozen=True)
class SweepView:
    """The best combinations of a sweep beside the recommendation."""

    plan: Plan
    sweep: Sweep

    def table(self) -> Table:
        """The best combinations, and the recommendation."""
        bound = self.sweep.bound_s
        ranked = sorted(self.sweep.trials, key=lambda trial: -trial.goodput[bound])
        base = self.sweep.base.allocation
        place = next(at for at, trial in enumerate(ranked, start=1) if trial.allocation == base)
        shown = list(enumerate(ranked[:_SHOWN], start=1))
        if place > _SHOWN:
            shown.append((place, self.sweep.base))
        rows = tuple(
            (
                at,
                str(trial.allocation),
                *_level(goodput(trial, bound)),
                "recommended" if trial.allocation == base else "",
            )
            for at, trial in shown
        )
        count = len(self.sweep.trials)
        found = (
            f"the recommendation has {self.sweep.of_best:.1%} of the best of {count} combinations, and was found in "
            f"{self.plan.runs} runs, {self.plan.runs / count:.0%} of theirs"
        )
        notes = (found, "the best of many is best by chance as well: its goodput is a little too high")
        return Table(
            f"Combinations of all pools, {self.sweep.users} users",
            ("place", "pools", f"within {bound:g} s", "±", "which"),
            rows,
            notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """Goodput of each combination."""
        bound = self.sweep.bound_s
        return {
            "users": self.sweep.users,
            "bound_s": bound,
            "runs": len(self.sweep.trials),
            "of_best": self.sweep.of_best,
            "best": str(self.sweep.best.allocation),
            "goodput_per_s": {str(trial.allocation): trial.goodput[bound] for trial in self.sweep.trials},
        }

    def plot(self) -> Chart:
        """Goodput of all combinations in their order."""
        bound = self.sweep.bound_s
        ranked = sorted((trial.goodput[bound] for trial in self.sweep.trials), reverse=True)
        place = sum(value > self.sweep.base.goodput[bound] for value in ranked) + 1
        return Chart(
            "Goodput of all combinations",
            Axis("place"),
            Axis(f"within {bound:g} s", "1/s"),
            (Series("combinations", tuple(map(float, range(1, len(ranked) + 1))), tuple(ranked), Kind.POINTS),),
            (Mark(float(place), "recommended"),),
        )


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
                "saturated" if each.saturated else "",
            )
            for each in self.deviations
        )
        columns = ("users", "pools", "measured/s", "model/s", "error", "measured ms", "model ms", "error ", "")
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


def _level(level: Level) -> tuple[float, float]:
    return level.value, level.margin(CONFIDENCE)
