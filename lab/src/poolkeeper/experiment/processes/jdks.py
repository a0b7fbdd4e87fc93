"""The JDKs of a machine: the one that runs the testbed, and others that an experiment asks for."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path

from poolkeeper.errors import RunError

PLACES = ("/usr/lib/jvm", "/opt/java", "~/.sdkman/candidates/java")
"""Folders below which distributions and tools put JDKs, one folder each."""


def standard_java() -> str:
    """The Java of JAVA_HOME, or else of PATH; raises RunError if there is none."""
    given = os.environ.get("JAVA_HOME")
    if given and (java := Path(given) / "bin" / "java").exists():
        return str(java)
    found = shutil.which("java")
    if found is None:
        raise RunError("no Java: neither JAVA_HOME nor PATH leads to one; JDK 17 or later is needed")
    return found


@cache
def find_java(wanted: str, places: tuple[str, ...] = PLACES) -> str | None:
    """The Java of a JDK, given by its folder or by its feature version such as 25; None if there is none.

    A JDK tells its version in the file `release` [1].

    [1] JEP 223, and the java command's man page: release file, JAVA_VERSION.
    """
    folders = [Path(wanted)]
    if wanted.isdecimal():
        folders = [
            path for place in places for path in sorted(Path(place).expanduser().glob("*")) if _feature(path) == wanted
        ]
    commands = [folder / "bin" / "java" for folder in folders]
    return next((str(java) for java in commands if os.access(java, os.X_OK)), None)


def _feature(folder: Path) -> str:
    with suppress(OSError):
        found = re.search(r'^JAVA_VERSION="(\d+)', (folder / "release").read_text(encoding="utf-8"), re.MULTILINE)
        if found is not None:
            return found[1]
    return ""
