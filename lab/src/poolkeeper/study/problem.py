"""Messages about mistakes in a file of settings: one line with file, line, setting and the nearest valid name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkeeper.suggestion import unknown
from poolkeeper.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from poolkeeper.errors import InputError
    from poolkeeper.study.source import Place, Source

_LIMITS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "above"),
    "less_than": ("lt", "below"),
    "less_than_equal": ("le", "at most"),
}
_KEY = "[key]"
"""Mark behind a key where the key itself is wrong."""
_TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text",
    "dict_type": "a mapping of settings",
    "model_type": "a mapping of settings",
    "tuple_type": "a list",
}
_EMPTY = {"string_too_short": "not be empty", "too_short": "hold at least one value"}
"""Mistakes of which only the form exists that forbids what is empty."""


def first_problem(
    source: Source,
    error: ValidationError,
    names_beside: Callable[[Source, Place], Sequence[str]],
    base: Place = (),
) -> InputError:
    """The first misspelt name in the file, or else the first mistake, which it may have caused.

    `names_beside` returns the settings that may stand in place of the one at a place; places of the error are below
    `base`.
    """
    found = [((*base, *entry["loc"]), entry) for entry in error.errors(include_url=False)]
    place, first = min(found, key=lambda pair: (pair[1]["type"] != "extra_forbidden", source.line(pair[0])))
    if place and place[-1] == _KEY:
        place = place[:-2]
    if place and isinstance(place[-1], int) and place not in source.lines:
        place = place[:-1]  # one value, taken as a list of one
    return source.error(place, _message(source, place, first, names_beside))


def _message(
    source: Source, place: Place, error: ErrorDetails, names_beside: Callable[[Source, Place], Sequence[str]]
) -> str:
    kind, value = error["type"], error["input"]
    name = spoken(place)
    if kind == "extra_forbidden":
        return unknown("setting", str(place[-1]), names_beside(source, place))
    if kind == "missing":
        parent = spoken(place[:-1])
        return f"{f'{parent}: ' if parent else ''}the setting '{place[-1]}' is missing"
    if kind in _LIMITS or kind in _TYPES or kind in _EMPTY:
        return f"{name} must {_rule(error)}, but is {_text_of(value)}"
    if kind == "literal_error":
        choices = [word.strip("' ") for word in str(error["ctx"]["expected"]).replace(" or ", ",").split(",")]
        return f"{name}: {unknown('value', str(value), choices)}"
    if kind == "value_error":
        return f"{name} {error['ctx']['error']}".strip().replace(f"{name} unknown", f"{name}: unknown")
    return f"{name}: {error['msg'][0].lower()}{error['msg'][1:]}, but is {_text_of(value)}"


def _rule(error: ErrorDetails) -> str:
    if (limit := _LIMITS.get(error["type"])) is not None:
        key, words = limit
        return f"be {words} {error['ctx'][key]:g}{'s' if _is_duration(error['input']) else ''}"
    return _EMPTY.get(error["type"]) or f"be {_TYPES[error['type']]}"


def _is_duration(value: Any) -> bool:
    """Whether a value was stated as a time, whose limits are in seconds."""
    try:
        parse_duration(value)
    except (ValueError, TypeError, AttributeError):
        return False
    return isinstance(value, str)


def spoken(place: Place) -> str:
    """The place as a person names it: 'load.phases 2 duration'; list items count from 1."""
    words: list[str] = []
    for part in place:
        words.append(f"[{part + 1}]" if isinstance(part, int) else part if not words else f".{part}")
    return "".join(words)


def _text_of(value: Any) -> str:
    return "nothing" if value is None else repr(value)
