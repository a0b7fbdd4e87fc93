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
BEGUN = re.compile(rf"""["'][\s\\]*{OPENING.pattern}""")
"""Any string that begins with one of them. Most files have none, and to parse all of them takes long."""


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Docstrings, and the strings behind attributes and constants that document them."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                yield statement.value


def questions(text: str) -> list[str]:
    """The documentation strings of a module that open with a question word, each with its line."""
    if not BEGUN.search(text):
        return []
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
    assert questions('"""Whether it holds."""\nx = 1\n"""Whereabouts of a value."""\n') == []


BANNED = {"one", "said", "told", "known", "its", "going", "around", "beside", "wishes", "words", "stated", "shown"}
"""Names of files, types, functions and variables that tell nothing of what they hold."""
ALLOWED_LOCALLY = {"words", "stated", "shown"}
"""Those of them that a variable may have, where it holds words, a statement or what is on the screen."""
DEFINED = re.compile(
    r"\b(?:(?:def|class)\s+NAME\b|NAME\s*(?:[,=)\]:+*/|&^%@<>-]|in\b))".replace("NAME", f"_*(?:{'|'.join(BANNED)})_*"),
    re.IGNORECASE,
)
"""Anything that could define one of them. Most files have nothing like it, and to parse all of them takes long."""


def names(text: str) -> Iterator[tuple[int, str, bool]]:
    """The names that a module defines, each with its line and whether it is a variable."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name, False
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id, True
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr, True
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg, True


def banned(text: str) -> list[str]:
    if not DEFINED.search(text):
        return []
    return [
        f"{line}: {name}"
        for line, name, variable in names(text)
        if name.strip("_").lower() in (BANNED - ALLOWED_LOCALLY if variable else BANNED)
    ]


def test_names_say_what_they_hold() -> None:
    found = {file: banned(file.read_text(encoding="utf-8")) for file in FILES}
    assert [str(file.relative_to(LAB)) for file in FILES if file.stem.removeprefix("test_") in BANNED] == []
    assert places(found) == []


@pytest.mark.parametrize(
    "text",
    ["one = 1", "def told(): ...", "class Said: ...", "def f(known): ...", "[one for one in x]", "def _stated(): ..."],
)
def test_a_banned_name_would_be_found(text: str) -> None:
    assert len(banned(text)) == 1
