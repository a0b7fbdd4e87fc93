"""What a ranking of fits means, in words."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from tidepool.latency.replicates import standard_error
from tidepool.present.numbers import number
from tidepool.present.words import counted

if TYPE_CHECKING:
    from tidepool.latency.fits.ranking import Candidate, Ranking

LEAST_REPLICATES = 100
"""Bootstrap samples below which their p value is no ground for a verdict: its standard error at 0.05 is then 0.02."""
_REJECT = 0.05
_MANY = 20_000
_NEAR = 2.0
"""Differences of AIC below it speak for neither side (Burnham, Anderson 2002, section 2.6)."""


def verdict(ranking: Ranking) -> str:
    """A few sentences: which is best, whether it can be told from the next, whether it describes the data."""
    best = ranking.best
    sentences = [_first(ranking), _off(best)]
    sentences += [_rejected(best, ranking.size)] if best.tested else []
    if bound := best.distribution.at_bound_:
        stand = "stand" if len(bound) > 1 else "stands"
        sentences.append(f"Its {' and '.join(bound)} {stand} at a bound: a simpler family would do.")
    return " ".join(sentences)


def together(ranking: Ranking) -> list[Candidate]:
    """The others that the data do not tell from the best: a small difference of AIC, or none by the test.

    A family that has ended at the bound where it is the best is not another.
    """
    best = ranking.best
    others = [
        one
        for one in ranking.candidates[1:]
        if not (one.distribution.at_bound_ and best.name in one.distribution.family.contains)
    ]
    return [one for one in others if one.aic - ranking.best.aic < _NEAR or one.behind >= _REJECT]


def _first(ranking: Ranking) -> str:
    best = ranking.best
    if len(ranking.candidates) == 1:
        return f"{best.name} was the only distribution fitted."
    alike = together(ranking)
    if not alike:
        return f"{best.name} fits best, and by more than chance."
    names = ", ".join(one.name for one in alike)
    return f"{best.name} fits best, but {ranking.size:,} values cannot tell it from {names}."


def _off(best: Candidate) -> str:
    level, error = best.worst_quantile
    if not isfinite(error):
        return "Its quantiles cannot be compared with the data's, which are nearly all 0."
    side = "above" if error > 0 else "below"
    return f"Of its quantiles p{level * 100:g} is the farthest off: {number(abs(error) * 100, 2)} % {side} the data's."


def _rejected(best: Candidate, size: int) -> str:
    assert best.tested is not None  # noqa: S101 - asked before
    tested = best.tested
    if tested.replicates < LEAST_REPLICATES:
        few = counted(tested.replicates, "replicate")
        are = "is" if tested.replicates == 1 else "are"
        return (
            f"Whether it describes the data is not said: {few} {are} too few for a p value,"
            f" at least {LEAST_REPLICATES} are needed."
        )
    p = min(tested.kolmogorov_smirnov, tested.anderson_darling)
    chance = f"p {p:.2g} ± {standard_error(p, tested.replicates):.1g}"
    if p >= _REJECT:
        return f"The data do not contradict it ({chance}), which is no proof."
    if size >= _MANY:
        return (
            f"It is not the exact distribution ({chance}): with {size:,} values every simple one is rejected,"
            " so judge by how far its quantiles are off."
        )
    return f"It does not describe the data ({chance})."
