"""Sentences about a ranking of fits."""

from __future__ import annotations

from math import isfinite, sqrt
from typing import TYPE_CHECKING

from poolkeeper.latency.replicates import standard_error
from poolkeeper.present.numbers import number
from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from poolkeeper.latency.fits.ranking import Candidate, Ranking

LEAST_REPLICATES = 100
"""Bootstrap samples below which their p value is no ground for a verdict: its standard error at 0.05 is then 0.02."""
_REJECT = 0.05
_OFF = 0.1
"""Relative error of a quantile up to `_JUDGED` from which a fit that the data contradict is none."""
_JUDGED = 0.99
_KOLMOGOROV_5 = 1.358
"""Kolmogorov-Smirnov distance times the root of the size at p 0.05 for a known distribution: one fitted to the data is
nearer to them, so that its p is less still."""
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
        candidate
        for candidate in ranking.candidates[1:]
        if not (candidate.distribution.at_bound_ and best.name in candidate.distribution.family.contains)
    ]
    return [
        candidate for candidate in others if candidate.aic - ranking.best.aic < _NEAR or candidate.behind >= _REJECT
    ]


def misfit(candidate: Candidate, size: int) -> bool:
    """Whether the data contradict a fit (p below 0.05), and not in trifles: a quantile up to p99 is a tenth off.

    Without bootstrap p is bounded by that of the Kolmogorov-Smirnov test for a known distribution.
    """
    off = any(abs(error) > _OFF for level, error in candidate.quantile_errors.items() if level <= _JUDGED)
    if candidate.trusted:
        return off and min(candidate.trusted.kolmogorov_smirnov, candidate.trusted.anderson_darling) < _REJECT
    return off and candidate.ks * sqrt(size) > _KOLMOGOROV_5


def _first(ranking: Ranking) -> str:
    best = ranking.best
    bad = misfit(best, ranking.size)
    if len(ranking.candidates) == 1:
        return f"{best.name} was the only distribution fitted{', and it does not fit' if bad else ''}."
    if bad:
        return f"None of the {len(ranking.candidates)} distributions tried fits; the least bad is {best.name}."
    alike = together(ranking)
    if not alike:
        return f"{best.name} fits best, and by more than chance."
    names = ", ".join(candidate.name for candidate in alike)
    return f"{best.name} fits best, but {ranking.size:,} values cannot distinguish it from {names}."


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
