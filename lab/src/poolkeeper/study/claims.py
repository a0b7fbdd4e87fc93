"""Claims of an experiment, stated in its file before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from poolkeeper.study.fields import OneOrMany, PositiveNumber
from poolkeeper.study.source import read_source
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

Figure = Literal[
    "throughput",
    "mean",
    "p99",
    "goodput",
    "server-cpu",
    "database-cpu",
    "load-cpu",
    "waits",
    "preemptions",
    "migrations",
    "faults",
    "instructions",
    "cache-misses",
    "allocated",
    "gc-pauses",
    "gc-full",
    "gc-time",
    "idle",
    "io-wait",
]
"""Figures of claims: those of the verdicts, and the counters of `report/measuring/counters.py`."""
ANY = "*"
"""In the name of a variant: any text."""
Ratio = Annotated[PositiveNumber, BeforeValidator(lambda value: float(value) if type(value) is int else value)]
"""Of a figure of one variant to that of another; 1 where they are equal."""


class Claim(BaseModel):
    """A statement about the ratio of a figure between variants.

    It is about each variant of `of` against each of `to`, in every cell whose axes have one of the values that `where`
    gives, and says that the ratio is above `above`, below `below`, or between both. A `*` stands for any text, the same
    one on both sides: `*-adaptive` is compared with `*-4` of its own architecture.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim: Annotated[str, Field(min_length=1)]
    """In words."""
    source: str | None = None
    """Source of the claim."""
    published: str | None = None
    """The figures that they saw, in words."""
    figure: Figure = "throughput"
    of: OneOrMany[str]
    to: OneOrMany[str]
    where: dict[str, OneOrMany[Annotated[str, BeforeValidator(str)]]] = {}
    above: Ratio | None = None
    below: Ratio | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Claim:
        if self.above is None and self.below is None:
            raise ValueError("needs above or below: the ratio that it claims")
        if self.above is not None and self.below is not None and self.above >= self.below:
            raise ValueError(f"claims a ratio above {self.above:g} and below {self.below:g}, which is impossible")
        if both := set(self.of) & set(self.to):
            raise ValueError(f"compares {min(both)} with itself")
        if len({ANY in name for name in (*self.of, *self.to)}) > 1 or any(
            name.count(ANY) > 1 for name in (*self.of, *self.to)
        ):
            raise ValueError(f"needs one {ANY} in each name of `of` and `to`, or none at all")
        return self

    def is_about(self, place: Mapping[str, str]) -> bool:
        """Whether a cell, given by the values of its axes, is among those it speaks of."""
        return all(place.get(axis) in values for axis, values in self.where.items())

    def pairs(self, variants: Collection[str]) -> Iterator[tuple[str, str]]:
        """The variants that it compares, of those that there are."""
        for of in self.of:
            for stem in _stems(of, variants):
                for to in self.to:
                    pair = of.replace(ANY, stem), to.replace(ANY, stem)
                    if all(name in variants for name in pair):
                        yield pair


def _stems(name: str, variants: Iterable[str]) -> list[str]:
    """Texts for the `*` of a name among the variants; one text, whatever it is, for a name without."""
    before, found, after = name.partition(ANY)
    if not found:
        return [""]
    matching = (text for text in variants if text.startswith(before) and text.endswith(after))
    return [text[len(before) : len(text) - len(after)] for text in matching if len(text) > len(before) + len(after)]


def _distinct(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    words = [claim.claim for claim in claims]
    if twice := next((word for word in words if words.count(word) > 1), None):
        raise ValueError(f"say twice: {twice}")
    return claims


Claims = Annotated[tuple[Claim, ...], AfterValidator(_distinct)]


def misspelt(
    claims: Iterable[Claim], variants: Iterable[str], axes: Mapping[str, Iterable[object]]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Places where claims name a variant, an axis or a value that the experiment does not have, each with its fault."""
    names_there = list(variants)
    for number, claim in enumerate(claims):
        for setting, names in (("of", claim.of), ("to", claim.to)):
            for name in names:
                if name not in names_there and not (ANY in name and _stems(name, names_there)):
                    yield ("claims", number, setting), unknown("variant", name, names_there)
        for axis, values in claim.where.items():
            if axis not in axes:
                yield ("claims", number, "where"), unknown("axis", axis, axes)
                continue
            those = [str(value) for value in axes[axis]]
            for value in values:
                if value not in those:
                    yield ("claims", number, "where", axis), unknown(axis, value, those)


def read_claims(path: Path) -> tuple[Claim, ...]:
    """The claims of an experiment's file, whatever else it holds.

    Raises InputError if they cannot be read.
    """
    source = read_source(path)
    try:
        return TypeAdapter(Claims).validate_python(tuple(source.data.get("claims") or ()))
    except ValidationError as error:
        first = error.errors()[0]
        raise source.error(("claims", *first["loc"]), f"claims: {first['msg']}") from None
