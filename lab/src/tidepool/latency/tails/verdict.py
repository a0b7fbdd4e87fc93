"""What may be said of a tail in words, and what may not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tidepool.present.numbers import number

if TYPE_CHECKING:
    from tidepool.latency.tails.alternatives import Comparison
    from tidepool.latency.tails.goodness import Goodness
    from tidepool.latency.tails.index import TailIndex
    from tidepool.latency.tails.power_law import PowerLaw

LEAST_VALUES = 2000
"""Values below which nothing is claimed: with 1000, up to one mixture of two lognormals in seven passes for heavy."""
LEAST_TAIL = 100
"""Values above xmin below which nothing is claimed."""
RULED_OUT = 0.1
"""p of the bootstrap below which a power law is ruled out, as its authors advise."""

_CUT_OFF = 10


class Tail(StrEnum):
    """What a tail was found to be."""

    HEAVY = "heavy"
    """A power law fits, and nothing lighter that was tried does."""
    OPEN = "open"
    """A power law fits, and so does something lighter: the data cannot tell."""
    NOT_A_POWER_LAW = "not a power law"
    LIGHT = "light"
    """Falls more like an exponential distribution, or faster, than like any power law."""
    UNKNOWN = "unknown"
    """Too few values for any claim, or no bootstrap was asked for that could rule a power law out."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One word, what it means in a sentence or two, and the limits of it."""

    tail: Tail
    text: str
    limits: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All fields."""
        return {"tail": str(self.tail), "text": self.text, "limits": list(self.limits)}


def cut_off(count: int, largest: float, unit: str) -> Verdict | None:
    """No claim where the largest value occurs `count` times, if that is too often for a tail; None if it is not."""
    if count < _CUT_OFF:
        return None
    value = f"{number(largest)}{f' {unit}' if unit else ''}"
    text = (
        f"No claim about the tail: {count:,} values are equal to the largest, {value}: a timeout cuts the tail off "
        "there, or the steps of the values are too coarse."
    )
    return Verdict(Tail.UNKNOWN, text, ())


def judge(
    law: PowerLaw,
    comparisons: tuple[Comparison, ...],
    goodness: Goodness | None,
    *,
    upper: tuple[Comparison, ...] = (),
    steady: TailIndex | None = None,
) -> Verdict:
    """What the power law, its rivals and its p value say together.

    Heavy is claimed only if a power law is not ruled out, at least 100 of 2000 values follow it, the exponential tail
    and both whole distributions are clearly worse, and no tail that contains the power law is clearly better. `upper`
    is what the largest few percent are compared with: where no heavy tail is found, they may still be clearly light.
    `steady` is the index of the Hill plot's stable region: a hint where the power law is ruled out.
    """
    total = law.tail.total
    if total < LEAST_VALUES:
        text = f"No claim about the tail: {total:,} values are too few, at least {LEAST_VALUES:,} are needed."
        return Verdict(Tail.UNKNOWN, text, ())
    against = _against(law, comparisons, goodness)
    tail, text = against or _for(law, comparisons, tested=goodness is not None)
    exponential = [one for one in upper if one.alternative == "exponential tail" == one.better()]
    if exponential and tail not in {Tail.HEAVY, Tail.LIGHT}:
        tail = Tail.LIGHT
        better = number(-exponential[0].ratio)
        text = f"Light tail: by {better} in log-likelihood the largest values are rather exponential than a power law."
    limits = _limits(law)
    if against and steady and steady.count >= LEAST_TAIL and steady.threshold > law.xmin:
        low, high = steady.interval
        unit = f" {law.unit}" if law.unit else ""
        limits += (
            (
                f"the {steady.count:,} values above {number(steady.threshold)}{unit} alone have a steady index of "
                f"{number(steady.index)} ({number(low)} to {number(high)}): a hint, as they were chosen for that"
            ),
        )
    return Verdict(tail, text, limits)


def _against(law: PowerLaw, comparisons: tuple[Comparison, ...], goodness: Goodness | None) -> tuple[Tail, str] | None:
    """What rules a power law out, or None."""
    lighter = [one for one in comparisons if one.better() == one.alternative]
    if lighter:
        best = min(lighter, key=lambda one: one.ratio)
        better = f"follow {_article(best)} better, by {number(-best.ratio)} in log-likelihood"
        if any(one.alternative == "exponential tail" for one in lighter):
            text = (
                f"Light tail: above {_begin(law)} the values {better}; it falls at least as fast as an exponential one."
            )
            return Tail.LIGHT, text
        return Tail.NOT_A_POWER_LAW, f"No power law: above {_begin(law)} the values {better}."
    if goodness is None or goodness.p >= RULED_OUT:
        return None
    text = (
        f"No power law above {_begin(law)}: of samples drawn from one, {100 * goodness.p:.2g} % lie as far from their "
        f"own fit as the {law.count:,} values do."
    )
    return Tail.NOT_A_POWER_LAW, text


def _for(law: PowerLaw, comparisons: tuple[Comparison, ...], *, tested: bool) -> tuple[Tail, str]:
    """What speaks for a power law that nothing rules out."""
    if law.count < LEAST_TAIL:
        return Tail.UNKNOWN, (
            f"No claim about the tail: a power law fits the {law.count} largest values best, which are too few "
            f"(at least {LEAST_TAIL}) to tell it from anything lighter."
        )
    described = f"the {law.count:,} values above {_begin(law)} fit a power law of index {_index(law)}"
    as_well = [_article(one) for one in comparisons if not one.nested and one.better() != "power law"]
    if as_well:
        fit = "fit" if len(as_well) > 1 else "fits"
        return Tail.OPEN, f"Undecided: {described}, but {' and '.join(as_well)} {fit} as well."
    if not tested:
        return Tail.UNKNOWN, f"No claim: {described}, but whether it can have made them was not tested (no replicates)."
    return Tail.HEAVY, f"Heavy tail: {described}, and nothing lighter fits as well; {_moments(law)}."


def _begin(law: PowerLaw) -> str:
    return f"{number(law.xmin)}{f' {law.unit}' if law.unit else ''}"


def _index(law: PowerLaw) -> str:
    return f"{number(law.index)} ± {number(law.error, 2)}"


def _moments(law: PowerLaw) -> str:
    """What the index means for mean and variance, with two standard errors of doubt."""
    low, high = law.index - 2 * law.error, law.index + 2 * law.error
    if high < 1:
        return "if it goes on, mean and variance are infinite: averages grow with the length of the test"
    if low > 2:  # noqa: PLR2004 - the order of the moment
        return "mean and variance are finite"
    if low > 1 and high < 2:  # noqa: PLR2004 - the order of the moment
        return "if it goes on, the mean is finite and the variance infinite: standard deviations mean nothing"
    doubtful = "mean" if low <= 1 else "variance"
    return f"whether the {doubtful} is finite cannot be told from this index"


def _limits(law: PowerLaw) -> tuple[str, ...]:
    unit = f" {law.unit}" if law.unit else ""
    seen = (
        f"seen from {number(law.xmin)} to {number(float(law.tail.values[0]))}{unit} ({law.decades:.1f} decades, "
        f"{100 * law.count / law.tail.total:.2g} % of the values); beyond the largest value nothing is known"
    )
    if law.bounded:
        return seen, "it may begin lower: the values below are only known in bins"
    return (seen,)


def _article(one: Comparison) -> str:
    if one.alternative.startswith("one "):
        return f"{one.alternative} distribution of all values"
    return f"{'an' if one.alternative[0] in 'aeiou' else 'a'} {one.alternative}"
