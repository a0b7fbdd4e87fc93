"""Finds run records below a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DEPTH = 4
"""Depth of the search for runs below the given folder: runs/<experiment>/<cell>/<variant>/<run> is the deepest."""


def find_runs(folder: Path) -> list[Path]:
    """Folders with a run.json: `folder` itself, or those at most four levels below it, sorted by name.

    A folder below it that cannot be read holds no run for us.
    """
    return sorted(_walk(folder, _DEPTH))


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        if (folder / "run.json").exists():
            yield folder
            return
        children = [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    except OSError:
        return
    if depth > 0:
        for child in children:
            yield from _walk(child, depth - 1)
