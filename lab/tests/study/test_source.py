from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkeeper.errors import InputError
from poolkeeper.study.source import read_source, read_tree

if TYPE_CHECKING:
    from pathlib import Path


def bomb(levels: int) -> str:
    """Aliases of aliases: each line stands for ten times as many values as the line before."""
    lines = ["question: Who stops this?", "level0: &level0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    aliases = [", ".join([f"*level{level}"] * 10) for level in range(levels - 1)]
    return "\n".join([*lines, *(f"level{level}: &level{level} [{line}]" for level, line in enumerate(aliases, 1))])


def test_an_alias_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    file = tmp_path / "bomb.yaml"
    file.write_text(bomb(12), encoding="utf-8")
    with pytest.raises(InputError, match=r"bomb\.yaml:2: has more than 100,000 values, counting what its aliases"):
        read_source(file)


def test_few_aliases_are_values_like_others(tmp_path: Path) -> None:
    file = tmp_path / "few.yaml"
    file.write_text(bomb(3), encoding="utf-8")
    assert read_source(file).data["level2"] == [[[1] * 10] * 10] * 10


@pytest.mark.parametrize(
    "text",
    ["question: " + "[" * 20_000, "question: " + "{a: " * 20_000, "\n".join(" " * n + "a:" for n in range(2_000))],
    ids=["brackets", "braces", "indented"],
)
def test_a_document_that_is_nested_too_deeply_gets_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "deep.yaml"
    file.write_text(text, encoding="utf-8")
    for read in (read_source, read_tree):
        with pytest.raises(InputError, match=r"deep\.yaml:\d+: is nested more than 50 levels deep"):
            read(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question: x\nrun: !!python/object:os.system x", "2: 'x' has no value that YAML knows"),
        ("question: x\nrun: 2026-13-45", "2: '2026-13-45' has no value that YAML knows"),
        ("run: {seed: 1,\n  seed: 2}", "2: 'seed' stands here for the second time, first on line 1"),
        ("run: &run [*run]", "1: this alias stands for what it is part of"),
    ],
)
def test_what_no_reader_takes_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(text, encoding="utf-8")
    for read in (read_source, read_tree):
        with pytest.raises(InputError) as caught:
            read(file)
        assert str(caught.value) == f"{file}:{message}"


def test_plain_values_keep_the_types_of_their_keys(tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    file.write_text("rates: {1: 100/s, 8: 400/s}", encoding="utf-8")
    assert read_tree(file) == {"rates": {1: "100/s", 8: "400/s"}}
    file.write_text("rates: {[1]: 100/s}", encoding="utf-8")
    with pytest.raises(InputError, match=r"model\.yaml:1: is not YAML: found unhashable key"):
        read_tree(file)
