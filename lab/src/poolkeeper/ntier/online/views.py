"""Views of an online comparison: tables and charts for terminal, JSON and page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.ntier.online.comparison import NEAR, SMOOTH_S, to_dict
from poolkeeper.ntier.views import CONFIDENCE
from poolkeeper.present import Axis, Chart, Mark, Series, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.ntier.online.comparison import Comparison, PhaseResult
    from poolkeeper.ntier.online.run import OnlineRun


@dataclass(frozen=True)
class GoodputView:
    """Goodput of all contestants over the whole schedule."""

    comparison: Comparison
    runs: Sequence[OnlineRun]

    def table(self) -> Table:
        """A row a contestant, the best first."""
        found = self.comparison
        bounds = found.schedule.file.topology.bounds_s
        order = sorted(found.whole, key=lambda name: -found.whole[name][bounds[0]].value)
        columns = ["contestant"]
        for bound in bounds:
            columns += [f"within {bound:g} s", "±"]
        rows = []
        for name in order:
            cells: list[str | float] = [name]
            for bound in bounds:
                level = found.whole[name][bound]
                cells += [level.value, level.margin(CONFIDENCE)]
            rows.append(tuple(cells))
        return Table("Goodput over the whole schedule, 1/s", tuple(columns), tuple(rows), (_interval(found),))

    def to_dict(self) -> dict[str, Any]:
        """Goodput by contestant and bound."""
        return {
            "rounds": self.comparison.rounds,
            "contestants": {
                name: {f"{bound:g}": to_dict(level, CONFIDENCE) for bound, level in levels.items()}
                for name, levels in self.comparison.whole.items()
            },
        }

    def plot(self) -> Chart:
        """Goodput of each contestant over time, means of `SMOOTH_S` seconds, first round."""
        bound = self.comparison.schedule.file.topology.bounds_s[0]
        lines = [_line(run.contestant, run.goodput[bound]) for run in self.runs if run.turn == 1]
        return Chart(
            f"Goodput within {bound:g} s, first round",
            Axis("time", "s"),
            Axis("goodput", "1/s"),
            tuple(lines),
            self._marks(),
        )

    def more(self) -> tuple[Chart, ...]:
        """Sizes of both pools over time."""
        first = [run for run in self.runs if run.turn == 1]
        return tuple(
            Chart(
                f"Size of the pool of {kind}, first round",
                Axis("time", "s"),
                Axis(kind, log=True),
                tuple(_line(run.contestant, values(run), smooth=1) for run in first),
                self._marks(),
            )
            for kind, values in _SIZES.items()
        )

    def _marks(self) -> tuple[Mark, ...]:
        schedule = self.comparison.schedule
        return tuple(
            Mark(float(begin), phase.name) for phase, (begin, _) in zip(schedule.phases, schedule.spans(), strict=True)
        )


_SIZES: dict[str, Callable[[OnlineRun], Sequence[float]]] = {
    "threads": lambda run: run.threads,
    "connections": lambda run: run.connections,
}


def _line(name: str, values: Sequence[float], smooth: int = SMOOTH_S) -> Series:
    means = np.convolve(np.asarray(values, dtype=np.float64), np.ones(smooth) / smooth, mode="valid")
    return Series(name, tuple(float(at) for at in range(len(means))), tuple(map(float, means)))


@dataclass(frozen=True)
class PhasesView:
    """All contestants phase by phase, with the time to come to the best static one."""

    comparison: Comparison

    def table(self) -> Table:
        """A row a phase and contestant."""
        found = self.comparison
        bounds = found.schedule.file.topology.bounds_s
        columns = ["phase", "contestant"]
        for bound in bounds:
            columns += [f"within {bound:g} s", "±"]
        columns += ["of the best static", f"to {NEAR:.0%}, s", "threads", "connections"]
        columns += next(iter(found.results.values()))[0].others
        rows = [
            self._row(place, name, results[place])
            for place in range(len(found.schedule.phases))
            for name, results in found.results.items()
        ]
        notes = (
            "best static: "
            + ", ".join(f"{p.name}: {b}" for p, b in zip(found.schedule.phases, found.best, strict=True)),
            f"of the best static: second half of the phase, within {bounds[0]:g} s; so are both sizes",
            f"to {NEAR:.0%}: seconds until {SMOOTH_S} s in a row have {NEAR:.0%} of it; median of the rounds",
            _interval(found),
        )
        return Table("Phases", tuple(columns), tuple(rows), notes)

    def _row(self, place: int, name: str, result: PhaseResult) -> tuple[str | float, ...]:
        cells: list[str | float] = [self.comparison.schedule.phases[place].name, name]
        for level in result.goodput.values():
            cells += [level.value, level.margin(CONFIDENCE)]
        came = "never" if math.isinf(result.arrival_s) else f"{result.arrival_s:g}"
        if 0 < result.arrived < self.comparison.rounds:
            came += f" ({result.arrived} of {self.comparison.rounds})"
        sizes = (result.threads, result.connections, *result.others.values())
        return (*cells, f"{result.share:.1%}", came, *(round(size, 1) for size in sizes))

    def to_dict(self) -> dict[str, Any]:
        """Figures by phase and contestant."""
        found = self.comparison
        return {
            phase.name: {
                "best_static": found.best[place],
                "contestants": {
                    name: {
                        "goodput_per_s": {
                            f"{bound:g}": to_dict(level, CONFIDENCE) for bound, level in results[place].goodput.items()
                        },
                        "of_best_static": results[place].share,
                        "arrival_s": None if math.isinf(results[place].arrival_s) else results[place].arrival_s,
                        "rounds_arrived": results[place].arrived,
                        "threads": results[place].threads,
                        "connections": results[place].connections,
                        "others": results[place].others,
                    }
                    for name, results in found.results.items()
                },
            }
            for place, phase in enumerate(found.schedule.phases)
        }

    def plot(self) -> Chart:
        """Goodput of each contestant to the best static one, phase by phase."""
        found = self.comparison
        x = tuple(map(float, range(len(found.schedule.phases))))
        return Chart(
            "Goodput to the best static contestant, second half of each phase",
            Axis("phase", names=tuple(phase.name for phase in found.schedule.phases)),
            Axis("of the best static"),
            tuple(Series(name, x, tuple(each.share for each in results)) for name, results in found.results.items()),
        )


def _interval(found: Comparison) -> str:
    if found.rounds == 1:
        return "one round has no interval, so a difference may be chance: --resume --rounds 4 adds three more"
    return f"± is half the width of the {CONFIDENCE:.0%} interval, from the spread of {found.rounds} rounds"


def verdict(found: Comparison) -> str:
    """The best contestant and the others' distance from it, in two sentences."""
    bound = found.schedule.file.topology.bounds_s[0]
    ranked = sorted(found.whole, key=lambda name: -found.whole[name][bound].value)
    best = found.whole[ranked[0]][bound]
    text = f"{ranked[0]} has the highest goodput within {bound:g} s over the schedule, {best.value:.4g}/s."
    if found.rounds == 1:
        return f"{text} One round cannot distinguish a difference from chance."
    near = [name for name in ranked[1:] if best.less(found.whole[name][bound]).lower(CONFIDENCE) <= 0]
    if near:
        text += f" These runs do not distinguish it from: {', '.join(near)}."
    return text
