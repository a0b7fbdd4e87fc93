"""House style of docstrings and names: plain English, standard terms."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

LAB = Path(__file__).parent.parent
FILES = sorted(file for folder in ("src", "tests", "benchmarks") for file in (LAB / folder).rglob("*.py"))
OPENING = re.compile(r"(What|How|Who|Which|Where|Whatever)\b")
"""First words that neither a noun phrase nor a verb has."""


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Docstrings, and the strings behind attributes and constants that document them."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                yield statement.value


def questions(text: str) -> list[str]:
    """The documentation strings of a module that open with a question word, each with its line."""
    return [
        f"{string.lineno}: {string.value.strip().splitlines()[0]}"
        for string in strings(ast.parse(text))
        if isinstance(string.value, str) and OPENING.match(string.value.strip())
    ]


def places(found: dict[Path, list[str]]) -> list[str]:
    return [f"{file.relative_to(LAB)}:{line}" for file, lines in found.items() for line in lines]


def test_docs_open_with_a_noun_phrase_or_a_verb() -> None:
    assert places({file: questions(file.read_text(encoding="utf-8")) for file in FILES}) == []


@pytest.mark.parametrize(
    "text",
    [
        '"""What a module holds."""',
        'def count() -> int:\n    """How many there are."""',
        'class Cut:\n    """\n    Which requests are meant.\n    """',
        'LIMIT = 3\n"""Where it ends."""',
    ],
)
def test_a_question_word_would_be_found(text: str) -> None:
    assert len(questions(text)) == 1


def test_other_words_pass() -> None:
    assert questions('"""Whether it holds."""\nx = 1\n"""Whereabouts of a value."""\n"What?"\n') == ["4: What?"]
