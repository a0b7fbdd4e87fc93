"""Templates of the report's longer texts: each is asked for, and each that is asked for is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from poolkeeper import report
from poolkeeper.report.sentences import text

FOLDER = Path(report.__file__).parent
SOURCES = "\n".join(file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py"))
MACROS = {
    f"{file.stem}.{macro}"
    for file in (FOLDER / "texts").glob("*.txt")
    for macro in re.findall(r"{% macro ([a-z]\w*)\(", file.read_text(encoding="utf-8"))
}
ASKED = set(re.findall(r"""text\(\s*f?["'](\w+\.[\w{}.]+)["']""", SOURCES))


def test_texts_that_are_asked_for_are_there() -> None:
    assert {name for name in ASKED if "{" not in name} <= MACROS


def test_no_text_is_left_over() -> None:
    chosen = tuple(name.partition("{")[0] for name in ASKED if "{" in name)
    assert {name for name in MACROS - ASKED if not name.startswith(chosen)} == set()


def test_a_text_is_one_line_without_blanks_before_punctuation() -> None:
    words = text("charts.sizes", phrases=["a 1", "b 2", "c 3"], most=2)
    assert words == "On average over the whole load, 3 variants: from a 1 to c 3."
    assert text("charts.sizes", phrases=["a 1"], most=2) == "On average over the whole load: a 1."


def test_a_fact_that_is_missing_fails() -> None:
    with pytest.raises(UndefinedError, match="most"):
        text("charts.sizes", phrases=["a 1"])
    with pytest.raises(TypeError, match="phrase"):
        text("charts.sizes", phrase=[])
