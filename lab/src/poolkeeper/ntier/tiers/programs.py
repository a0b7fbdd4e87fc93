"""Programs of servers on this machine, and the Debian packages that bring them."""

from __future__ import annotations

import os
import pwd
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SYSTEM_FOLDERS = "/usr/sbin:/usr/local/sbin:/usr/local/bin"
"""Folders of packages that are not on everybody's path."""
_POSTGRES = Path("/usr/lib/postgresql")
_PACKAGES = {
    "apache2": "apache2",
    "nginx": "nginx-light",
    "haproxy": "haproxy",
    "pgpool": "pgpool2",
    "pgbouncer": "pgbouncer",
    "postgres": "postgresql",
    "initdb": "postgresql",
    "psql": "postgresql-client",
}
NEEDED: dict[str, tuple[str, ...]] = {
    "httpd": ("apache2",),
    "nginx": ("nginx",),
    "haproxy": ("haproxy",),
    "board": (),
    "pgpool": ("pgpool", "psql"),
    "pgbouncer": ("pgbouncer", "psql"),
    "postgres": ("postgres", "initdb", "psql"),
}
"""Programs that a kind of server needs."""
_USERS = ("postgres", "nobody")
_IF_STARTED_BY = 'test "$PPID" = "$0" && exec "$@"'
"""The shell becomes the command, unless its starter has died before the death signal was set anew."""


def find(program: str) -> str:
    """Path of a program. Raises RunError, naming the Debian package that brings it, if it is not here."""
    places = [os.environ.get("PATH", ""), _SYSTEM_FOLDERS]
    if _PACKAGES[program].startswith("postgresql"):
        places = [*(str(folder / "bin") for folder in _versions(_POSTGRES)), *places]
    for place in places:
        if found := shutil.which(program, path=place):
            return found
    raise RunError(f"{program}: is missing; on Debian: apt-get install {_PACKAGES[program]}")


def check(servers: Iterable[str]) -> None:
    """Raise RunError, naming all Debian packages that are missing, if a program of these servers is not here."""
    missing: dict[str, str] = {}
    for server in servers:
        for program in NEEDED[server]:
            try:
                find(program)
            except RunError:
                missing[program] = _PACKAGES[program]
    if missing:
        packages = " ".join(dict.fromkeys(missing.values()))
        verb = "is" if len(missing) == 1 else "are"
        raise RunError(f"{', '.join(missing)} {verb} missing; on Debian: apt-get install {packages}")


def _versions(folder: Path) -> list[Path]:
    """Folders of PostgreSQL's versions, the newest first."""
    return sorted(folder.glob("[0-9]*"), key=lambda path: -int(re.sub(r"\D.*", "", path.name)))


def ordinary_user() -> pwd.struct_passwd | None:
    """The user as whom servers run that refuse to run as root; None if this process is not root's."""
    if os.geteuid() != 0:
        return None
    for name in _USERS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RunError(f"no user {' or '.join(_USERS)}: PostgreSQL refuses to run as root")


def as_user(user: pwd.struct_passwd | None, command: Sequence[str]) -> list[str]:
    """The command as this process starts it under a user; unchanged if there is none.

    A change of the user clears the signal that a process gets with its parent's end, so setpriv sets it again. If this
    process has died before, no signal comes any more, and the command does not run.
    """
    if user is None:
        return list(command)
    change = ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups", "--pdeathsig=INT")
    return [*change, "sh", "-c", _IF_STARTED_BY, str(os.getpid()), *command]
