"""Verdict on a tail in words, and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from poolkeeper.present.numbers import number
from poolkeeper.present.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.latency.tails.alternatives import Comparison
    from poolkeeper.latency.tails.goodness import Goodness
    from poolkeeper.latency.tails.index import TailIndex
    from poolkeeper.latency.tails.power_law import PowerLaw

LEAST_VALUES = 2000
"""Values below which nothing is claimed: with 1000, up to one mixture of two lognormals in seven passes for heavy."""
LEAST_TAIL = 100
"""Values above xmin below which nothing is claimed."""
DOUBTED = 0.1
"""p of the bootstrap below which a power law is not claimed, as its authors advise; every tenth true one has less."""
LEAST_APART = 500
"""Values above xmin below which even a distribution that the body contradicts stands against a power law: a body beside
a Weibull tail of 150 values passes for heavy in one sample of six otherwise."""
LEAST_REPLICATES = 20
"""Bootstrap samples below which p says nothing: with fewer than ten it cannot even be below 0.1."""
DENIED = 0.01
"""p of the bootstrap below which a power law is denied."""
BETTER = 0.001
"""p below which a tail that contains the power law denies it: a gain of 4.8 in log-likelihood. Less stringent than it
looks, as xmin was chosen from the same values."""

_CUT_OFF = 10


class Tail(StrEnum):
    """Kinds of tails."""

    HEAVY = "heavy"
    """A power law fits, and nothing lighter that was tried does."""
    OPEN = "open"
    """The data cannot tell: a power law fits, and so does something lighter, or it is in doubt but not denied."""
    NOT_A_POWER_LAW = "not a power law"
    LIGHT = "light"
    """Falls more like an exponential distribution, or faster, than like any power law."""
    UNKNOWN = "unknown"
    """Too few values for any claim, or too few bootstrap samples were asked for to rule a power law out."""


@dataclass(frozen=True)
class Verdict:
    """One word, its meaning in a sentence or two, and its limits."""

    tail: Tail
    text: str
    limits: tuple[str, ...]
    untested: bool = False
    """Whether nothing but the test of the power law, for which no replicates were asked, is missing to a claim."""

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


def judge(  # noqa: PLR0913 - findings by name
    law: PowerLaw,
    comparisons: tuple[Comparison, ...],
    goodness: Goodness | None,
    *,
    upper: tuple[Comparison, ...] = (),
    steady: TailIndex | None = None,
    part: Callable[[PowerLaw, int], PowerLaw | None] | None = None,
) -> Verdict:
    """Verdict of the power law, its rivals and its p value together.

    Heavy is claimed only if a power law is not ruled out, at least 100 of 2000 values follow it, the exponential tail
    and all distributions with a body are clearly worse or contradicted by the body, and no tail that contains the power
    law is better (p 0.05). A power law is denied only where a tail that contains it is clearly better (p 0.001) or the
    bootstrap has p below 0.01; in between it is not shown. `upper`
    is what the largest few percent are compared with: where no heavy tail is found, they may still be clearly light.
    `steady` is the index of the Hill plot's stable region: a hint where the power law is ruled out or in doubt.
    `part` finds a part further up that may be a power law, which keeps the whole from being denied one.
    """
    total = law.tail.total
    if total < LEAST_VALUES:
        text = f"No claim about the tail: {total:,} values are too few, at least {LEAST_VALUES:,} are needed."
        return Verdict(Tail.UNKNOWN, text, ())
    against = _against(law, comparisons, goodness) or _doubt(law, comparisons, goodness)
    tail, text = against or _for(law, comparisons, goodness)
    above = part(law, LEAST_TAIL) if part is not None and tail is Tail.NOT_A_POWER_LAW else None
    if above is not None:
        tail = Tail.OPEN
        text = (
            f"Undecided: all {law.count:,} values above {_begin(law)} together are no power law, but the"
            f" {above.count:,} above {_begin(above)} alone may be one, of index {_index(above)}."
        )
    untested = tail is Tail.UNKNOWN and goodness is None and law.count >= LEAST_TAIL
    exponential = [
        comparison for comparison in upper if comparison.alternative == "exponential tail" == comparison.better()
    ]
    if exponential and tail not in {Tail.HEAVY, Tail.LIGHT}:
        tail, untested = Tail.LIGHT, False
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
    return Verdict(tail, text, limits, untested)


def _against(law: PowerLaw, comparisons: tuple[Comparison, ...], goodness: Goodness | None) -> tuple[Tail, str] | None:
    """Evidence that rules a power law out, or None."""
    lighter = [comparison for comparison in comparisons if _denies(comparison)]
    if lighter:
        best = min(lighter, key=lambda entry: entry.ratio)
        better = f"follow {_article(best)} better, by {number(-best.ratio)} in log-likelihood"
        if any(comparison.alternative == "exponential tail" for comparison in lighter):
            text = (
                f"Light tail: above {_begin(law)} the values {better}; it falls at least as fast as an exponential one."
            )
            return Tail.LIGHT, text
        return Tail.NOT_A_POWER_LAW, f"No power law: above {_begin(law)} the values {better}."
    if goodness is None or goodness.p >= DENIED:
        return None
    return Tail.NOT_A_POWER_LAW, f"No power law above {_begin(law)}: {_as_far(law, goodness)}."


def _denies(comparison: Comparison) -> bool:
    if comparison.contradicted:
        return False
    return comparison.better(BETTER if comparison.nested else 0.05) == comparison.alternative


def _doubt(law: PowerLaw, comparisons: tuple[Comparison, ...], goodness: Goodness | None) -> tuple[Tail, str] | None:
    """Doubt that neither rules a power law out nor lets it be claimed, or None."""
    if law.count < LEAST_TAIL:
        return None
    begin = f"Not shown: the {law.count:,} values above {_begin(law)} may follow a power law or not"
    nested = [
        comparison for comparison in comparisons if comparison.nested and comparison.better() == comparison.alternative
    ]
    if nested:
        best = min(nested, key=lambda entry: entry.p)
        gain = f"{_article(best)} fits them better by {number(-best.ratio)} in log-likelihood"
        return Tail.OPEN, f"{begin}; {gain}, but only p below {BETTER:g} denies one (p {best.p:.2g})."
    if goodness is not None and goodness.p < DOUBTED:
        return Tail.OPEN, f"{begin}; {_as_far(law, goodness)}."
    return None


def _as_far(law: PowerLaw, goodness: Goodness) -> str:
    return (
        f"of samples drawn from one, {number(100 * goodness.p, 2)} % (± {100 * goodness.error:.1g}) lie as far from"
        f" their own fit as the {law.count:,} values do"
    )


def _for(law: PowerLaw, comparisons: tuple[Comparison, ...], goodness: Goodness | None) -> tuple[Tail, str]:
    """Evidence for a power law that nothing rules out."""
    if law.count < LEAST_TAIL:
        return Tail.UNKNOWN, (
            f"No claim about the tail: a power law fits the {law.count} largest values best, which are too few "
            f"(at least {LEAST_TAIL}) to tell it from anything lighter."
        )
    described = f"the {law.count:,} values above {_begin(law)} fit a power law of index {_index(law)}"
    as_well = [_article(comparison) for comparison in comparisons if _rivals(comparison, law.count)]
    if as_well:
        fit = "fit" if len(as_well) > 1 else "fits"
        return Tail.OPEN, f"Undecided: {described}, but {listed(as_well)} {fit} these values as well."
    if goodness is None or goodness.replicates < LEAST_REPLICATES:
        least = f" ({LEAST_REPLICATES} replicates are the least)" if goodness else ""
        untested = f"whether it can have made them was not tested{least}"
        return Tail.UNKNOWN, f"No claim: {described}, but {untested}."
    return Tail.HEAVY, f"Heavy tail: {described}, and nothing lighter fits as well; {_moments(law)}."


def _rivals(comparison: Comparison, count: int) -> bool:
    dismissed = comparison.contradicted and count >= LEAST_APART
    return not comparison.nested and not dismissed and comparison.better() != "power law"


def _begin(law: PowerLaw) -> str:
    return f"{number(law.xmin)}{f' {law.unit}' if law.unit else ''}"


def _index(law: PowerLaw) -> str:
    return f"{number(law.index)} ± {number(law.error, 2)}"


def _moments(law: PowerLaw) -> str:
    """Meaning of the index for mean and variance, with two standard errors of doubt."""
    low, high = law.index - 2 * law.error, law.index + 2 * law.error
    if high < 1:
        return "if it goes on, mean and variance are infinite: averages grow with the length of the test"
    if low > 2:  # noqa: PLR2004 - the order of the moment
        return "mean and variance are finite"
    if low > 1 and high < 2:  # noqa: PLR2004 - the order of the moment
        return "if it goes on, the mean is finite and the variance infinite: standard deviations mean nothing"
    doubtful = "mean" if low <= 1 else "variance"
    return f"whether the {doubtful} is finite cannot be decided by this index"


def _limits(law: PowerLaw) -> tuple[str, ...]:
    unit = f" {law.unit}" if law.unit else ""
    seen = (
        f"seen from {number(law.xmin)} to {number(float(law.tail.values[0]))}{unit} ({law.decades:.1f} decades, "
        f"{number(100 * law.count / law.tail.total, 2)} % of the values); beyond the largest value nothing is known"
    )
    if law.bounded:
        return seen, "it may begin lower: the values below are only known in bins"
    return (seen,)


def _article(comparison: Comparison) -> str:
    if comparison.alternative.startswith("one "):
        end = f"the upper end of {comparison.alternative} distribution"
        return f"{end} (whose body is not that of the data)" if comparison.contradicted else end
    if comparison.alternative.startswith("two "):
        return f"the upper end of {comparison.alternative}"
    return f"{'an' if comparison.alternative[0] in 'aeiou' else 'a'} {comparison.alternative}"
