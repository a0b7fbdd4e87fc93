"""Room on the disk for results: an experiment stops while it can still close its files."""

from __future__ import annotations

import errno
import shutil
from typing import TYPE_CHECKING

from poolkeeper.experiment.processes.guard import DiskFull

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LEAST_FREE_BYTES = 64 << 20
"""Less is not enough for the files of a run."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


def free_bytes(folder: Path) -> int:
    """Free space on the disk of a folder, for this user."""
    return shutil.disk_usage(folder).free


def check_room(folder: Path, free: Callable[[Path], int] = free_bytes) -> None:
    """Raise DiskFull if too little is free."""
    if (left := free(folder)) < LEAST_FREE_BYTES:
        raise DiskFull(f"{folder}: only {left >> 20} MB are free on this disk, {LEAST_FREE_BYTES >> 20} MB are needed")


def is_full(error: OSError) -> bool:
    """Whether a disk without room, or the end of a quota, is behind an error."""
    return error.errno in _FULL
