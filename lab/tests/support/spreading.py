"""Work for the workers of a cluster, in a module that they can import."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def die_once(item: tuple[Path, int]) -> int:
    """Kills its own worker the first time that it is asked for 3."""
    folder, number = item
    if number == 3 and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def refuse(number: int) -> int:
    if number == 2:
        raise InputError("two is wrong")
    return number
