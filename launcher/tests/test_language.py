"""House style of Java: openings of Javadoc comments, names of types, and identifiers."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent
SOURCES = sorted(path for path in PROJECT.glob("**/src/**/*.java") if "target" not in path.parts)
OPENING = re.compile(r"/\*\*\s*(?:\*\s*)?(?:<p>)?(What|How|Who|Which|Where|Whatever)\b")
BANNED = {"Going", "Surroundings", "Confined", "Wishes", "Told", "Said", "Known", "Beside", "Standing", "Turn", "Watch"}
IDENTIFIER = re.compile(r"\b(one|said|told|known|its|beside|around|going)\b")
# Texts and comments, in which those are words like others.
PROSE = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.DOTALL)


def banned_identifiers(text: str) -> list[str]:
    """Identifiers that say nothing of what they hold."""
    return IDENTIFIER.findall(PROSE.sub("", text))


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


def test_identifiers_say_what_they_hold() -> None:
    found = {str(path.relative_to(PROJECT)): banned_identifiers(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("text", ["int one = 2;", "said(x);", 'String told = "a \\" b";', "char c = '\\'', known;"])
def test_a_banned_identifier_would_be_found(text: str) -> None:
    assert len(banned_identifiers(text)) == 1


def test_texts_and_comments_may_hold_any_word() -> None:
    assert banned_identifiers('// one\n/* told\n known */ x = "said \\" its"; y = """\n going " one\n""";') == []
