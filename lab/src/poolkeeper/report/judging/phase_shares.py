"""Shares of each phase's best fixed size, where the phases of a load send different work.

The best fixed size is found in hindsight, among those that ran in the same cell. Only requests of the phase's own kinds
count: what is still answered of the phase before is no achievement of this one. Throughputs are means over repetitions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from poolkeeper.report.experiment import has_no_pool, is_adaptive
from poolkeeper.report.measuring.measurement import during_phase
from poolkeeper.report.summary import by_repetition, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.measuring.measurement import Floats, LoadPhase, Measurement
    from poolkeeper.report.summary import Repetition

NEAR = 0.95
"""Fraction of the best fixed size's throughput that counts as arrived."""
LEAST = 1e-3
"""Share that stands for less, as of a pool that served nothing, in geometric means."""
Kind = Literal["fixed", "adaptive", "no pool"]


@dataclass(frozen=True, slots=True)
class PhaseShare:
    """A variant in a phase: its throughput as a share of the best fixed size's."""

    whole: float
    """Over the whole phase, the change at its beginning included."""
    second_half: float
    arrival_s: float
    """Median of the seconds until two in a row reach 95 % of the best fixed size's second half; infinite for never."""


@dataclass(frozen=True, slots=True)
class VariantShares:
    """A variant over all phases of a cell."""

    name: str
    kind: Kind
    phases: tuple[PhaseShare, ...]
    logarithms: Mapping[Repetition, tuple[float, ...]]
    """Of the throughput in each phase, by repetition."""

    @property
    def mean(self) -> float:
        """Geometric mean of the shares."""
        return geometric_mean(phase.whole for phase in self.phases)

    @property
    def second_half(self) -> float:
        """The same of the second halves."""
        return geometric_mean(phase.second_half for phase in self.phases)

    @property
    def worst(self) -> int:
        """Number of the phase with the smallest share."""
        return min(range(len(self.phases)), key=lambda place: self.phases[place].whole)


@dataclass(frozen=True, slots=True)
class PhaseShares:
    """The variants of a cell, the best first."""

    phases: tuple[LoadPhase, ...]
    best: tuple[str, ...]
    """The best fixed variant of each phase."""
    rates: tuple[float, ...]
    """Its throughput."""
    variants: tuple[VariantShares, ...]
    left_out: int = 0
    """Phases in which no fixed size served any of their own requests."""

    @property
    def best_single(self) -> VariantShares:
        """The fixed size with the largest geometric mean."""
        return max((shares for shares in self.variants if shares.kind == "fixed"), key=lambda entry: entry.mean)

    def of(self, name: str) -> VariantShares | None:
        """A variant by its name, if it ran."""
        return next((shares for shares in self.variants if shares.name == name), None)


def geometric_mean(shares: Iterable[float]) -> float:
    """The geometric mean, in which shares below a thousandth count as that."""
    return math.exp(float(np.mean([math.log(max(LEAST, share)) for share in shares])))


def phase_shares(runs: Mapping[str, Sequence[Run]]) -> PhaseShares | None:
    """The shares of the variants of one cell.

    None unless the phases send requests of their own, a fixed size ran, and all counted runs came through all phases.
    """
    measured = {name: members for name, of_variant in runs.items() if (members := counted(of_variant))}
    every = [member for members in measured.values() for member in members]
    phases = max((measured.phases() for measured in every), key=len, default=[])
    if len(phases) < 2 or not all(phase.requests for phase in phases):  # noqa: PLR2004 - one phase has no change
        return None
    whole = {
        name: members
        for name, members in measured.items()
        if all(len(measured.phases()) == len(phases) for measured in members)
    }
    kinds = {name: _kind(runs[name]) for name in whole}
    fixed = [name for name, kind in kinds.items() if kind == "fixed"]
    if not fixed:
        return None
    rates = {name: _mean_rates(members) for name, members in whole.items()}
    halves = {name: _mean_rates(members, second_half=True) for name, members in whole.items()}
    best = [max(fixed, key=lambda name: rates[name][place]) for place in range(len(phases))]
    best_rates = np.max([rates[name] for name in fixed], axis=0)
    best_halves = np.max([halves[name] for name in fixed], axis=0)
    places = [int(place) for place in np.flatnonzero((best_rates > 0) & (best_halves > 0))]
    if not places:
        return None
    found = [
        VariantShares(
            name,
            kinds[name],
            tuple(
                PhaseShare(
                    float(rates[name][place] / best_rates[place]),
                    float(halves[name][place] / best_halves[place]),
                    float(np.median([_arrival_s(measured, place, NEAR * best_halves[place]) for measured in members])),
                )
                for place in places
            ),
            {key: _logarithms(measured, best_rates, places) for key, measured in by_repetition(members).items()},
        )
        for name, members in whole.items()
    ]
    return PhaseShares(
        tuple(phases[place] for place in places),
        tuple(best[place] for place in places),
        tuple(float(best_rates[place]) for place in places),
        tuple(sorted(found, key=lambda entry: -entry.mean)),
        len(phases) - len(places),
    )


def _kind(runs: Sequence[Run]) -> Kind:
    if any(map(is_adaptive, runs)):
        return "adaptive"
    return "no pool" if any(map(has_no_pool, runs)) else "fixed"


def _mean_rates(runs: Sequence[Measurement], *, second_half: bool = False) -> Floats:
    found: Floats = np.mean([_rates(run, second_half=second_half) for run in runs], axis=0)
    return found


def _rates(measured: Measurement, *, second_half: bool) -> list[float]:
    """Throughput of each phase's own requests, or of those in its second half."""
    rates = []
    for phase in measured.phases():
        start_s = (phase.start_s + phase.end_s) / 2 if second_half else phase.start_s
        _, seconds, completions = during_phase(measured, phase, start_s)
        rates.append(float(completions.sum() / seconds.sum()) if seconds.size else 0.0)
    return rates


def _logarithms(measured: Measurement, best: Floats, places: Sequence[int]) -> tuple[float, ...]:
    rates = _rates(measured, second_half=False)
    return tuple(math.log(max(LEAST * best[place], rates[place])) for place in places)


def _arrival_s(measured: Measurement, place: int, wanted: float) -> float:
    """Seconds from the beginning of a phase until throughput of two seconds in a row is as wanted."""
    phase = measured.phases()[place]
    starts, seconds, completions = during_phase(measured, phase, phase.start_s)
    for row in range(starts.size):
        two = slice(row, row + 2)
        if completions[two].sum() >= wanted * seconds[two].sum():
            return max(0.0, float(starts[row] - phase.start_s))
    return math.inf
