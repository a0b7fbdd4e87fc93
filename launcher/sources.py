"""Finds the files that people wrote, and none that a build or a run writes beside them."""

import os
from collections.abc import Iterator
from pathlib import Path

WRITTEN = {".git", ".poolkeeper", "build", "dist", "node_modules", "runs", "target", "vendor"}
"""Names of the folders that tools write, delete while others look, or bring from elsewhere."""


def sources(project: Path) -> Iterator[Path]:
    """Yield the files of a project in order; a build may run beside it."""
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(set(folders) - WRITTEN)
        yield from (Path(folder, name) for name in sorted(files))
