"""Folder of the project."""

from __future__ import annotations

import os
from pathlib import Path

from poolkeeper.errors import InputError


def home() -> Path:
    """The root of the project: POOLKEEPER_HOME, or where this package lies in it.

    Raises InputError if neither is the root.
    """
    given = os.environ.get("POOLKEEPER_HOME")
    root = Path(given) if given else Path(__file__).resolve().parents[4]
    if not (root / "contract" / "run.schema.json").exists():
        where = f"POOLKEEPER_HOME {given}" if given else "the lab, installed alone,"
        raise InputError(
            f"{where} is not the project, whose servers, loads and simulator this needs: "
            "get its repository and use the ./poolkeeper in it, or set POOLKEEPER_HOME to it"
        )
    return root
