"""Control groups with CPU quotas: in folders like the kernel's, and where it allows that in real ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper.experiment.definition.model import Quotas
from poolkeeper.experiment.processes.cpu_quotas import CpuQuotas
from poolkeeper.experiment.processes.quota import Groups, QuotaRefused, Throttling, control_groups

if TYPE_CHECKING:
    from pathlib import Path


def machine(folder: Path, *, version: int, own: str = "/", enabled: str = "cpu memory") -> dict[str, Path]:
    """Files that control_groups looks at on a machine with one hierarchy."""
    mount = folder / "cgroup"
    (mount / own.lstrip("/")).mkdir(parents=True)
    if version == 2:
        (mount / "cgroup.subtree_control").write_text(enabled)
    (folder / "processes").mkdir()
    kind, options, controllers = ("cgroup", "rw,cpu,cpuacct", "cpu,cpuacct") if version == 1 else ("cgroup2", "rw", "")
    (folder / "mounts").write_text(f"proc /proc proc rw 0 0\ngroup {mount} {kind} {options} 0 0\n")
    (folder / "membership").write_text(f"3:{controllers}:{own}\n" if version == 1 else f"0::{own}\n")
    return {name: folder / name for name in ("mounts", "membership", "processes")}


@pytest.fixture
def counters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups in common folders: the kernel makes their files, and with the last process removes them."""
    made = Groups.make

    def with_files(self: Groups, name: str) -> Any:
        group: Any = made(self, name)
        (group.folder / "cpu.stat").write_text(
            "nr_periods 10\nnr_throttled 4\nthrottled_time 500000000\n"
            if self.version == 1
            else "usage_usec 7\nnr_periods 10\nnr_throttled 4\nthrottled_usec 500000\n"
        )
        return group

    monkeypatch.setattr(Groups, "make", with_files)


@pytest.mark.usefixtures("counters")
@pytest.mark.parametrize(
    ("version", "files"),
    [(1, {"cpu.cfs_period_us": "10000", "cpu.cfs_quota_us": "3000"}), (2, {"cpu.max": "3000 10000"})],
)
def test_a_group_is_limited_in_the_words_of_its_version(tmp_path: Path, version: int, files: dict[str, str]) -> None:
    groups = control_groups(**machine(tmp_path, version=version))
    assert (groups.parent, groups.version) == (tmp_path / "cgroup", version)
    group = groups.make("server-1")
    group.limit(0.3, 0.01)
    folder = tmp_path / "cgroup" / f"poolkeeper-{os.getpid()}-server-1"
    assert {name: (folder / name).read_text() for name in files} == files
    assert group.throttling() == Throttling(10, 4, 0.5)


@pytest.mark.usefixtures("counters")
def test_a_command_joins_its_group_before_it_runs(tmp_path: Path) -> None:
    group = control_groups(**machine(tmp_path, version=2)).make("server")
    script = "import os, sys; print(os.getpid(), sys.argv[1:])"
    with subprocess.Popen(
        group.command([sys.executable, "-c", script, "a b", "$c"]), stdout=subprocess.PIPE, text=True
    ) as process:
        output = process.communicate(timeout=300)[0]
    assert output == f"{process.pid} ['a b', '$c']\n"
    joined = tmp_path / "cgroup" / f"poolkeeper-{os.getpid()}-server" / "cgroup.procs"
    assert joined.read_text() == f"{process.pid}\n"


@pytest.mark.usefixtures("counters")
def test_with_version_2_a_group_further_out_is_taken_that_passes_the_controller_on(tmp_path: Path) -> None:
    found = control_groups(**machine(tmp_path, version=2, own="/user.slice/session-1.scope"))
    assert found.parent == tmp_path / "cgroup"


@pytest.mark.usefixtures("counters")
def test_groups_of_labs_that_are_gone_are_removed(tmp_path: Path) -> None:
    seen = machine(tmp_path, version=1)
    (seen["processes"] / "111").mkdir()
    for name in ("poolkeeper-111-server", "poolkeeper-222-server", "another"):
        (tmp_path / "cgroup" / name).mkdir()
    control_groups(**seen)
    left = {folder.name for folder in (tmp_path / "cgroup").iterdir()}
    assert {"poolkeeper-111-server", "another"} <= left
    assert "poolkeeper-222-server" not in left


def test_a_machine_whose_groups_cannot_be_made_refuses(tmp_path: Path) -> None:
    seen = machine(tmp_path, version=1)
    (tmp_path / "cgroup").rmdir()
    (tmp_path / "cgroup").write_text("a file, in which nobody can make a folder, not even root")
    with pytest.raises(QuotaRefused, match=r"cgroup/poolkeeper-\d+-try: Not a directory"):
        control_groups(**seen)


def test_a_machine_without_the_controller_refuses(tmp_path: Path) -> None:
    with pytest.raises(QuotaRefused, match="there is no control group with CPU quotas"):
        control_groups(**machine(tmp_path, version=2, enabled="memory pids"))


@pytest.mark.usefixtures("counters")
def test_limits_begin_with_the_load_and_end_with_the_run(tmp_path: Path) -> None:
    quotas = Quotas.model_validate({"server": 0.5, "period": "20ms", "settle": "3s"})
    quotas_in_use = CpuQuotas(quotas, control_groups(**machine(tmp_path, version=2)))
    assert quotas_in_use.settle_s == 3.0
    assert quotas_in_use.server("server-1")(["java"])[-1] == "java"
    assert quotas_in_use.balancer("balancer")(["nginx"]) == ["nginx"], "no limit is stated for it"
    folder = tmp_path / "cgroup" / f"poolkeeper-{os.getpid()}-server-1"
    assert not (folder / "cpu.max").exists()
    assert quotas_in_use.used() == {}
    quotas_in_use.begin()
    assert (folder / "cpu.max").read_text() == "10000 20000"
    (folder / "cpu.stat").write_text("nr_periods 60\nnr_throttled 24\nthrottled_usec 750000\n")
    assert quotas_in_use.used() == {
        "server-1": {"cpus": 0.5, "period_s": 0.02, "periods": 50, "throttled": 20, "throttled_s": 0.25}
    }
    for file in folder.iterdir():
        file.unlink()
    quotas_in_use.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("quotas", "groups"), [(None, True), (Quotas.model_validate({"server": 0.5, "settle": "3s"}), False)]
)
def test_nothing_is_confined_without_a_wish_or_without_the_right(
    tmp_path: Path, quotas: Quotas | None, *, groups: bool
) -> None:
    quotas_in_use = CpuQuotas(quotas, Groups(tmp_path, 1) if groups else None)
    assert quotas_in_use.settle_s == 0.0
    assert quotas_in_use.server("server")(["java"]) == ["java"]
    quotas_in_use.begin()
    assert quotas_in_use.used() == {}
    assert list(tmp_path.iterdir()) == []


def test_the_kernel_keeps_a_busy_process_to_its_quota() -> None:
    try:
        groups = control_groups()
    except QuotaRefused as error:
        pytest.skip(f"no CPU quotas here: {error}")
    group = groups.make("test")
    try:
        group.limit(0.05, 0.02)
        before, began = group.throttling(), time.monotonic()
        busy = "import time\nwhile time.process_time() < 0.05: pass"
        subprocess.run(group.command([sys.executable, "-S", "-c", busy]), timeout=300, check=True)
        counted = group.throttling().since(before)
        assert time.monotonic() - began > 0.5, "0.05 s of processor time take a second, or longer on a busy machine"
        assert counted.throttled > 0
        assert counted.throttled_s > 0
    finally:
        group.remove()
