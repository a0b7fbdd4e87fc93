"""Two runs of which one or both have no speed, because no request has a response time: failures alone are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.latency.comparison.shares import FailedShares, Failures, failed_shares
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import percent

if TYPE_CHECKING:
    from poolkeeper.latency.ordered.dependence import Dependence

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class FailureComparison:
    """Shares of requests that failed in two runs, in percent."""

    failed: tuple[int | None, int | None]
    """Failed requests of each run; None where the files do not tell."""
    requests: tuple[int, int]
    shares: FailedShares | None
    """Their shares, with the difference; None unless both are known."""

    @property
    def verdict(self) -> str:
        """The run that failed, and what the other did."""
        if self.failed == self.requests:
            first, second = self.requests
            others = f"all {second:,}" if second > 1 else "the only one"
            return f"{_all(first)} of the first run and {others} of the second failed: neither has a speed."
        if not any(failed == count for failed, count in zip(self.failed, self.requests, strict=True)):
            return self._of_some
        lost = int(self.failed[1] == self.requests[1])
        run, other = ("first", "second")[lost], ("first", "second")[1 - lost]
        count = self.failed[1 - lost]
        share = "does not show which requests failed" if count is None else f"{self._percent(1 - lost)} % failed"
        others = f"the {other} run {share}" if count is None else f"of the {other} run {share}"
        return f"{_all(self.requests[lost])} of the {run} run failed, so that it has no speed; {others}."

    @property
    def _of_some(self) -> str:
        """The verdict where some requests of both runs failed, none of them with a response time."""
        shares = f"{self._percent(1)} % against {self._percent(0)} %"
        if self.shares is not None and self.shares.undecided:
            return self.shares.undecided
        if self.shares is None or not self.shares.difference.seen:
            return f"No difference seen in failures: {shares}."
        return f"The second run fails {'more' if self.shares.difference.value > 0 else 'less'} often: {shares}."

    def _percent(self, run: int) -> str:
        failed = self.failed[run]
        return "–" if failed is None else percent(failed / self.requests[run], 2)

    def table(self) -> Table:
        """A row a run."""
        rows = tuple(
            (name, self.requests[run], self.failed[run], self._percent(run))
            for run, name in enumerate(("first", "second"))
        )
        return Table("Failures", ("run", "requests", "failed", "failed [%]"), rows)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "verdict": self.verdict,
            "failed": list(self.failed),
            "requests": list(self.requests),
            "failed_percent": None if self.shares is None else self.shares.difference.to_dict(),
        }

    def plot(self) -> Chart:
        """The shares as two bars."""
        shares = tuple(
            float("nan") if failed is None else 100 * failed / count
            for failed, count in zip(self.failed, self.requests, strict=True)
        )
        bars = Series("failed", (-0.5, 0.5, 1.5), (*shares, float("nan")), Kind.BARS)
        return Chart("Failures", Axis("run", names=("first", "second")), Axis("failed", "%"), (bars,))


def _all(requests: int) -> str:
    return f"All {requests:,} requests" if requests > 1 else "The only request"


def compare_failures(
    failed: tuple[int | None, int | None],
    requests: tuple[int, int],
    bursts: tuple[Dependence | None, Dependence | None] = (None, None),
) -> FailureComparison:
    """Compare how many requests of two runs failed, where not both have response times that are looked at.

    `bursts` says how far failures depend on each other, where that is known.
    """
    first, second = failed
    found = None
    if first is not None and second is not None:
        runs = Failures(first, requests[0], bursts[0]), Failures(second, requests[1], bursts[1])
        found = failed_shares(runs, _CONFIDENCE, _CONFIDENCE)
    return FailureComparison(failed, requests, found)
