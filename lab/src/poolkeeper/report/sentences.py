"""Longer texts of the report, made of the templates in the folder texts: a file a subject, a macro a text."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from poolkeeper.present.numbers import change, count, number, time
from poolkeeper.present.text import counted, listed
from poolkeeper.report.messages import interval, threads_on_average

if TYPE_CHECKING:
    from jinja2 import Environment

_SPACE = re.compile(r"[ \n]+")


def text(name: str, **facts: Any) -> str:
    """The text of a macro, such as "answer.reached", on one line; it is handed the facts by name."""
    subject, _, macro = name.partition(".")
    found = getattr(_templates().get_template(f"{subject}.txt").module, macro)(**facts)
    return _SPACE.sub(" ", str(found)).strip()


@cache
def _templates() -> Environment:
    """The templates; in them numbers, times and lists are written as everywhere, and NaN is not `measured`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("poolkeeper.report", "texts"),
        autoescape=False,  # noqa: S701 - plain text, which the page escapes
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"number": number, "time": time, "thousands": count, "counted": counted, "listed": listed}
    found.filters |= {"change": change, "interval": interval, "threads_on_average": threads_on_average}
    found.tests |= {"measured": lambda value: not math.isnan(value), "finite": math.isfinite}
    return found
