"""Student's t distribution: the margin of a mean whose standard error was estimated."""

from __future__ import annotations


def quantile(freedom: float, confidence: float) -> float:
    """Standard errors on either side of an estimate in a two-sided interval with these degrees of freedom."""
    # scipy takes a while to import, and not every command needs an interval.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


def margin(error: float, freedom: float, confidence: float) -> float:
    """Half the width of the interval of an estimate with this standard error."""
    return quantile(freedom, confidence) * error
