"""House style of Java: openings of Javadoc comments, and names of types."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent
SOURCES = sorted(path for path in PROJECT.glob("**/src/**/*.java") if "target" not in path.parts)
OPENING = re.compile(r"/\*\*\s*(?:\*\s*)?(?:<p>)?(What|How|Who|Which|Where|Whatever)\b")
BANNED = {"Going", "Surroundings", "Confined", "Wishes", "Told", "Said", "Known", "Beside", "Standing", "Turn", "Watch"}


def questions(text: str) -> list[int]:
    """Lines of the Javadoc comments that open with a question word."""
    return [text.count("\n", 0, match.start()) + 1 for match in OPENING.finditer(text)]


def test_there_are_sources() -> None:
    assert len(SOURCES) > 100


def test_javadoc_opens_with_a_noun_phrase_or_a_verb() -> None:
    found = [
        f"{path.relative_to(PROJECT)}:{line}"
        for path in SOURCES
        for line in questions(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    ["/** What it is. */", "/**\n * How it works.\n */", "  /**\n   * Where it ends.\n   */", "/** Who asks. */"],
)
def test_a_question_word_would_be_found(text: str) -> None:
    assert len(questions(text)) == 1


def test_other_words_pass() -> None:
    assert questions("/** Whether it holds. */ /** Returns what was asked for. */ // How") == []


def test_types_have_names_of_nouns() -> None:
    assert [str(path.relative_to(PROJECT)) for path in SOURCES if path.stem in BANNED] == []
