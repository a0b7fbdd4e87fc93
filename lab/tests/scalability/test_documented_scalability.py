"""Blocks of docs/scalability.md show the real output of their commands."""

from __future__ import annotations

from pathlib import Path

from documented import run

PAGE = Path(__file__).resolve().parents[3] / "docs" / "scalability.md"


def test_the_page_shows_what_its_blocks_do() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("```text") > 5
    assert run(page) == page
