"""Types of fields that several models of an experiment's file use."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, SerializerFunctionWrapHandler, WrapSerializer

T = TypeVar("T")


def as_tuple(value: Any) -> Any:
    """Returns a list as a tuple, anything else as a tuple of one value."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise ValueError("must hold at least one value")
    for index, value in enumerate(values):
        if value in values[:index]:
            raise ValueError(f"holds {value} twice")
    return values


def _as_written(values: tuple[Any, ...], written: SerializerFunctionWrapHandler) -> Any:
    """A tuple of one value as that value, any other as a list."""
    found = written(values)
    return found[0] if len(found) == 1 else found


OneOrMany = Annotated[
    tuple[T, ...],
    BeforeValidator(as_tuple),
    AfterValidator(_distinct),
    WrapSerializer(_as_written, when_used="json"),
]
"""One value, or a list of different ones: an axis of the experiment."""
NoDoubles = AfterValidator(_distinct)
"""Validator of a list whose values must differ."""
PositiveNumber = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]
