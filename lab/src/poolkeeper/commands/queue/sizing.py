"""The smallest size of a model that keeps a bound: threads of a pool, servers without a queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Mark, Series, Table
from poolkeeper.present.numbers import number, time

if TYPE_CHECKING:
    from collections.abc import Callable

_PERCENT = 100
_NEIGHBOURS = 3
"""Sizes that are shown on either side of the smallest one."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A percentile of a time within so many seconds, a share that is refused at most, or both."""

    quantity: str
    """Quantity of the percentile: "response time" or "wait for a thread"."""
    percentile: float = 99.0
    within: float | None = None
    loss: float | None = None

    def text(self, *, plural: bool) -> str:
        """A predicate: "keep p99 of the response time within 300 ms", "refuse no more than 1 %", or both."""
        ending = "" if plural else "s"
        parts = []
        if self.within is not None:
            parts.append(f"keep{ending} p{self.percentile:g} of the {self.quantity} within {time(self.within)}")
        if self.loss is not None:
            parts.append(f"refuse{ending} no more than {number(self.loss * _PERCENT)} %")
        return " and ".join(parts)

    def late(self, found: Any) -> float | None:
        """The percentile of a solved model; None where no time is bounded."""
        if self.within is None:
            return None
        percentile = found.response_percentile if self.quantity == "response time" else found.wait_percentile
        return float(percentile(self.percentile))

    def kept(self, found: Any) -> bool:
        """Whether a solved model keeps the bound; None is one whose queue grows without end."""
        if found is None or (self.loss is not None and found.loss > self.loss):
            return False
        late = self.late(found)
        return late is None or self.within is None or late <= self.within


@dataclass(frozen=True)
class Sizes:
    """Sizes around the smallest one that keeps a bound; `found` is None for a size that is too small for the load."""

    word: str
    """Name of the size: "threads" or "servers"."""
    bound: Bound
    smallest: int
    tried: tuple[tuple[int, Any], ...]

    @property
    def verdict(self) -> str:
        """The smallest size, in a sentence."""
        plural = self.smallest > 1
        return f"{self.name_of(self.smallest)} {self.bound.text(plural=plural)}{'; fewer do not' if plural else ''}."

    def name_of(self, size: int) -> str:
        """A size in words: "8 threads"."""
        return f"{size:,} {self.word if size > 1 else self.word.removesuffix('s')}"

    def table(self) -> Table:
        """One row a size."""
        late = self.bound.within is not None
        columns = [self.word]
        columns += [f"p{self.bound.percentile:g} {self.bound.quantity} [ms]"] if late else []
        columns += ["refused %", "busy %", "bound kept"]
        rows = []
        for size, found in self.tried:
            row: list[float | str | None] = [size]
            if found is None:
                rows.append((*row, *([None] if late else []), None, None, "no: the queue grows without end"))
                continue
            value = self.bound.late(found)
            row += [] if value is None else [value * 1000]
            row += [found.loss * _PERCENT, found.utilisation * _PERCENT, "yes" if self.bound.kept(found) else "no"]
            rows.append(tuple(row))
        return Table("Size for the bound", tuple(columns), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; times in seconds, shares from 0 to 1, None for a size that is too small for the load."""
        bound = {"quantity": self.bound.quantity, "percentile": self.bound.percentile}
        return {
            self.word: self.smallest,
            "bound": bound | {"within": self.bound.within, "loss": self.bound.loss},
            "sizes": [
                {
                    self.word: size,
                    "percentile": None if found is None else self.bound.late(found),
                    "loss": None if found is None else found.loss,
                    "kept": self.bound.kept(found),
                }
                for size, found in self.tried
            ],
        }

    def plot(self) -> Chart:
        """The percentile over the size, or the share that is refused."""
        steady = [(size, found) for size, found in self.tried if found is not None]
        if self.bound.within is None:
            values, axis = [found.loss * _PERCENT for _, found in steady], Axis("refused", "%")
        else:
            values = [(self.bound.late(found) or 0.0) for _, found in steady]
            axis = Axis(f"p{self.bound.percentile:g} {self.bound.quantity}", "s")
        line = Series(self.bound.text(plural=True), tuple(float(size) for size, _ in steady), tuple(values))
        return Chart("Size for the bound", Axis(self.word), axis, (line,), (Mark(self.smallest, "smallest"),))


def smallest(word: str, bound: Bound, solve: Callable[[int], Any], most: int) -> Sizes:
    """The smallest size from 1 to `most` that keeps the bound; larger ones are taken to keep it too.

    `solve` raises InputError for a size whose queue grows without end. Raises InputError if no size keeps the bound.
    """

    def solved(size: int) -> Any:
        try:
            return solve(size)
        except InputError:
            return None

    low, high = 0, 1
    while not bound.kept(solved(high)):
        if high == most:
            solve(most)  # says what else is wrong
            raise InputError(f"no number of {word} up to {most:,} {bound.text(plural=False)}")
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound.kept(solved(middle)) else (middle, high)
    shown = range(max(1, high - _NEIGHBOURS), min(most, high + _NEIGHBOURS) + 1)
    return Sizes(word, bound, high, tuple((size, solved(size)) for size in shown))
