"""CPU quotas of processes: control groups of the kernel, version 1 or 2.

A process of a group gets at most `cpus` × `period` of CPU time in each period, on whatever processors; then it stands
still until the next one begins. The kernel counts how often that happened.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHORTEST_US = 1000
"""The least that the kernel takes for a quota in a period, and for a period."""
LONGEST_PERIOD_S = 1.0
QUOTAS_HOW = "run as root, or with control groups of version 2 under: systemd-run --user --scope ./poolkeeper run"
_PREFIX = "poolkeeper"
_JOIN = 'echo $$ > "$0" && exec "$@"'
"""The shell joins the group and becomes the command, with the same process id: a virtual machine that asks how many
processors there are when it starts is in it already."""
_PATIENCE_S = 10
_US = 1_000_000


class QuotaRefused(RunError):  # noqa: N818 - says what it is
    """Quotas are not permitted here; the message has the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class Throttling:
    """Counts of the kernel: periods in which a group ran, periods in which it was stopped, and for how long."""

    periods: int
    throttled: int
    throttled_s: float

    def since(self, before: Throttling) -> Throttling:
        """Counts since an earlier reading."""
        return Throttling(
            self.periods - before.periods,
            self.throttled - before.throttled,
            round(self.throttled_s - before.throttled_s, 6),
        )


@dataclass(frozen=True, slots=True)
class Group:
    """A control group for one process and its children, in a hierarchy of version 1 or 2."""

    folder: Path
    version: int
    accounting: Path | None = None
    """Version 1 only: its folder in the hierarchy that counts CPU time, where that is another one."""

    @property
    def folders(self) -> list[Path]:
        """All folders that it consists of."""
        return [self.folder] if self.accounting is None else [self.folder, self.accounting]

    def command(self, command: Sequence[str]) -> list[str]:
        """The command as it runs in the group."""
        joined = list(command)
        for folder in self.folders:
            joined = ["sh", "-c", _JOIN, str(folder / "cgroup.procs"), *joined]
        return joined

    def limit(self, cpus: float, period_s: float) -> None:
        """Allow so many processors from now on. Raises QuotaRefused."""
        quota_us, period_us = round(cpus * period_s * _US), round(period_s * _US)
        if self.version == 1:
            self._write("cpu.cfs_period_us", str(period_us))
            self._write("cpu.cfs_quota_us", str(quota_us))
        else:
            self._write("cpu.max", f"{quota_us} {period_us}")

    def throttling(self) -> Throttling:
        """Counts since the group was made."""
        lines = (self.folder / "cpu.stat").read_text().splitlines()
        found = {name: int(value) for name, value in map(str.split, lines)}
        throttled_s = found["throttled_time"] / 1e9 if self.version == 1 else found["throttled_usec"] / 1e6
        return Throttling(found["nr_periods"], found["nr_throttled"], throttled_s)

    def unlimit(self) -> None:
        """Allow as many processors as there are. Raises QuotaRefused."""
        if self.version == 1:
            self._write("cpu.cfs_quota_us", "-1")
        else:
            self._write("cpu.max", "max")

    def cpu_s(self) -> float:
        """CPU time of its processes since it was made, in seconds; those that have ended count too.

        Raises OSError where the kernel does not count.
        """
        if self.version == 1:
            return int(((self.accounting or self.folder) / "cpuacct.usage").read_text()) / 1e9
        found = dict(map(str.split, (self.folder / "cpu.stat").read_text().splitlines()))
        return int(found["usage_usec"]) / 1e6

    def processes(self) -> list[int]:
        """Ids of its processes."""
        return [int(line) for line in _lines(self.folder / "cgroup.procs") if line.isdecimal()]

    def remove(self) -> None:
        """Remove the group, whose processes have ended."""
        for folder in self.folders:
            with suppress(OSError):  # the next lab removes what is left
                folder.rmdir()

    def _write(self, name: str, value: str) -> None:
        try:
            (self.folder / name).write_text(value)
        except OSError as error:
            raise _refused(f"{self.folder / name}: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class Groups:
    """Makes groups below `parent`, which belongs to a hierarchy of this `version`."""

    parent: Path
    version: int
    accounting: Path | None = None
    """Version 1 only: the folder of groups in the hierarchy that counts CPU time, where that is another one."""

    def make(self, name: str) -> Group:
        """A new group without a limit. Raises QuotaRefused."""
        name = f"{_PREFIX}-{os.getpid()}-{name}"
        group = Group(self.parent / name, self.version, self.accounting / name if self.accounting else None)
        for folder in group.folders:
            try:
                folder.mkdir()
            except OSError as error:
                group.remove()
                raise _refused(f"{folder}: {error.strerror}") from None
        return group


def control_groups(
    mounts: Path = Path("/proc/self/mounts"),
    membership: Path = Path("/proc/self/cgroup"),
    processes: Path = Path("/proc"),
) -> Groups:
    """Finds a place for groups with CPU quotas, by making one and having a process join it.

    Groups that a lab which is gone has left there are removed. Raises QuotaRefused, with what the kernel said.
    """
    problems: list[str] = []
    for groups in _candidates(mounts, membership):
        try:
            _try(groups)
        except QuotaRefused as error:
            problems.append(str(error))
        else:
            _tidy(groups, processes)
            return groups
    raise _refused(problems[0] if problems else "there is no control group with CPU quotas")


def _refused(why: str) -> QuotaRefused:
    return QuotaRefused(why.removesuffix("."))


def _candidates(mounts: Path, membership: Path) -> Iterator[Groups]:
    """Folders that could hold groups: that of this process, and with version 2 those around it, the nearest first."""
    own = {controllers: path for _, controllers, path in (line.split(":", 2) for line in _lines(membership) if line)}
    mounted = [line.split() for line in _lines(mounts)]
    for _, folder, kind, options, *_ in mounted:
        if kind == "cgroup" and "cpu" in options.split(","):
            counting = [
                found for _, found, other, names, *_ in mounted if other == kind and "cpuacct" in names.split(",")
            ]
            accounting = _own(counting[0], own, "cpuacct") if counting and folder not in counting else None
            yield Groups(_own(folder, own, "cpu"), version=1, accounting=accounting)
        elif kind == "cgroup2":
            # A group that holds processes cannot have limited ones below it, so it is one further out.
            here = _inside(Path(folder), own.get("", "/"))
            for parent in [here, *here.parents]:
                if parent.is_relative_to(folder) and "cpu" in _text(parent / "cgroup.subtree_control").split():
                    yield Groups(parent, version=2)


def _own(mount: str, own: dict[str, str], controller: str) -> Path:
    """Folder of this process in a hierarchy of version 1."""
    path = next((path for names, path in own.items() if controller in names.split(",")), "/")
    return _inside(Path(mount), path)


def _inside(mount: Path, path: str) -> Path:
    """A path of a hierarchy where it is mounted; of a container, which does not see the outer part, the mount."""
    folder = mount / path.lstrip("/")
    return folder if folder.is_dir() else mount


def _try(groups: Groups) -> None:
    group = groups.make("try")
    try:
        group.limit(1.0, 0.1)
        joined = subprocess.run(
            group.command(["true"]), capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
        if joined.returncode != 0:
            raise _refused(f"{groups.parent}: no process can join a group: {joined.stderr.strip()}")
        group.throttling()
    except (OSError, KeyError, ValueError, subprocess.TimeoutExpired) as error:
        raise _refused(f"{groups.parent}: {error}") from None
    finally:
        group.remove()


def _tidy(groups: Groups, processes: Path) -> None:
    for parent in (groups.parent, groups.accounting):
        for folder in parent.glob(f"{_PREFIX}-*-*") if parent is not None else ():
            owner = folder.name.split("-")[1]
            if owner.isdecimal() and not (processes / owner).exists():
                Group(folder, groups.version).remove()


def _lines(file: Path) -> list[str]:
    return _text(file).splitlines()


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
