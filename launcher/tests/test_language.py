"""House style: openings of comments in all languages but the lab's own Python, and names in Java."""

import re

import pytest
from conftest import PROJECT

from sources import sources

FILES = list(sources(PROJECT))
SOURCES = [path for path in FILES if path.suffix == ".java" and "src" in path.parts]
QUESTION = r"(What|How|Who|Which|Where|Whatever)\b"
OPENING = re.compile(rf"/\*\*\s*(?:\*\s*)?(?:<p>)?{QUESTION}")


def first_line(marker: str) -> str:
    """Pattern of a line comment that opens with a question word and does not go on from the line above."""
    return rf"(?:\A|^(?![ \t]*{marker})[^\n]*\n)[ \t]*{marker}+[ \t]*{QUESTION}"


JAVASCRIPT = re.compile(rf"/\*\*?\s*(?:\*\s*)?{QUESTION}|{first_line('//')}", re.MULTILINE)
DOCSTRING = re.compile(rf'^[ \t]*"""\s*{QUESTION}', re.MULTILINE)
SHELL = re.compile(first_line("#"), re.MULTILINE)
LANGUAGES = {
    r"(console|lab|node)/.*\.[cm]?[jt]s": JAVASCRIPT,
    r"(launcher|testbed|examples|experiments|node)/.*\.py": DOCSTRING,
    r"poolkeeper|\.ci/run|(launcher|testbed|examples|lab)/.*(\.sh|/run|/start)": SHELL,
}
"""Patterns of comments that open with a question word, by the paths of the files they are looked for in."""
SCRIPTS = [
    (path, opening)
    for path in FILES
    for paths, opening in LANGUAGES.items()
    if re.fullmatch(paths, path.relative_to(PROJECT).as_posix())
]
BANNED = {"Going", "Surroundings", "Confined", "Wishes", "Told", "Said", "Known", "Beside", "Standing", "Turn", "Watch"}
IDENTIFIER = re.compile(r"\b(one|said|told|known|its|beside|around|going)\b")
# Texts and comments, in which those are words like others.
PROSE = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.DOTALL)


def banned_identifiers(text: str) -> list[str]:
    """Identifiers that say nothing of what they hold."""
    return IDENTIFIER.findall(PROSE.sub("", text))


BROWSER = [
    path
    for path in FILES
    if re.fullmatch(r"(console/src/main|lab/src|node/src)/.*\.[cm]?[jt]s", path.relative_to(PROJECT).as_posix())
]
TEMPLATE = re.compile(r"`(?:\\.|[^`\\])*`", re.DOTALL)
VALUES = re.compile(r"\$\{([^}]*)\}")


def banned_in_javascript(text: str) -> list[str]:
    """The same in JavaScript and TypeScript, where texts have values in them."""
    code = TEMPLATE.sub(lambda found: " ".join(VALUES.findall(found[0])), PROSE.sub("", text))
    return IDENTIFIER.findall(code)


def questions(text: str, opening: re.Pattern[str] = OPENING) -> list[int]:
    """Lines of the comments that open with a question word."""
    return [text.count("\n", 0, match.start(match.lastindex or 0)) + 1 for match in opening.finditer(text)]


def test_there_are_sources() -> None:
    assert len(SOURCES) > 100
    assert {path.suffix for path, _ in SCRIPTS} == {"", ".cts", ".js", ".py", ".sh", ".ts"}


def test_javadoc_opens_with_a_noun_phrase_or_a_verb() -> None:
    found = [
        f"{path.relative_to(PROJECT)}:{line}"
        for path in SOURCES
        for line in questions(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_other_comments_do_so_too() -> None:
    found = [
        f"{path.relative_to(PROJECT)}:{line}"
        for path, opening in SCRIPTS
        for line in questions(path.read_text(encoding="utf-8"), opening)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("opening", "text"),
    [
        (JAVASCRIPT, "let x;\n// What it is."),
        (JAVASCRIPT, "// How it works.\n// Whatever."),
        (JAVASCRIPT, "  /**\n   * Where it ends.\n   */"),
        (JAVASCRIPT, "f(/* Who asks. */)"),
        (DOCSTRING, 'def f():\n    """Which of them."""'),
        (DOCSTRING, '"""\nWhat it is."""'),
        (SHELL, "#!/bin/bash\n\n# What it is."),
    ],
)
def test_it_would_be_found_in_other_languages(opening: re.Pattern[str], text: str) -> None:
    assert len(questions(text, opening)) == 1


def test_lines_below_the_first_may_begin_with_any_word() -> None:
    assert questions("// It ends\n// Where it should.\n/** Whether. */\nx = 'What';", JAVASCRIPT) == []
    assert questions('x = """What"""\ny = 1', DOCSTRING) == []
    assert questions("# It ends\n# Where it should.\nWhat=1", SHELL) == []


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


def test_names_in_javascript_do_so_too() -> None:
    assert len(BROWSER) > 30
    found = {str(path.relative_to(PROJECT)): banned_in_javascript(path.read_text(encoding="utf-8")) for path in BROWSER}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("text", ["let one = 2;", "`known: ${told(x)}`", "list.map((said) => `its`)"])
def test_a_banned_identifier_of_javascript_would_be_found(text: str) -> None:
    assert len(banned_in_javascript(text)) == 1


@pytest.mark.parametrize("text", ["int one = 2;", "said(x);", 'String told = "a \\" b";', "char c = '\\'', known;"])
def test_a_banned_identifier_would_be_found(text: str) -> None:
    assert len(banned_identifiers(text)) == 1


DESCRIPTION = re.compile(r'description\s*=\s*\{?((?:\s*"(?:\\.|[^"\\])*"\s*[,+]?)+)')
SINGLE_PERCENT = re.compile(r"(?<!%)(?:%%)*%(?![%n])")
"""Percent sign that picocli takes for the start of a format, so that its help begins with a warning."""


def test_percent_signs_of_help_texts_are_doubled() -> None:
    texts = [(path, text) for path in SOURCES for text in DESCRIPTION.findall(path.read_text(encoding="utf-8"))]
    assert len(texts) > 100
    assert [str(path.relative_to(PROJECT)) for path, text in texts if SINGLE_PERCENT.search(text)] == []


@pytest.mark.parametrize("text", ["3 % of", "%% and %d", "%%%"])
def test_a_single_percent_sign_would_be_found(text: str) -> None:
    assert SINGLE_PERCENT.search(text)


def test_doubled_percent_signs_and_ends_of_lines_are_right() -> None:
    assert SINGLE_PERCENT.search("3 %% of%n 4 %%") is None


def test_texts_and_comments_may_hold_any_word() -> None:
    assert banned_identifiers('// one\n/* told\n known */ x = "said \\" its"; y = """\n going " one\n""";') == []
