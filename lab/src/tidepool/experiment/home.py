"""Where the project lies."""

from __future__ import annotations

import os
from pathlib import Path

from tidepool.errors import InputError


def home() -> Path:
    """The root of the project: TIDEPOOL_HOME, or where this package lies in it.

    Raises InputError if neither is the root.
    """
    given = os.environ.get("TIDEPOOL_HOME")
    root = Path(given) if given else Path(__file__).resolve().parents[4]
    if not (root / "contract" / "run.schema.json").exists():
        raise InputError(f"{root}: is not the root of Tidepool; set TIDEPOOL_HOME to the folder that holds contract/")
    return root
