"""Nothing stays behind, however the lab ends: servers, control groups, folders."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from poolkeeper.errors import RunError
from poolkeeper.ntier.tiers import programs, watchdog
from poolkeeper.ntier.tiers.workplace import Workplace

DRIVER = """
import asyncio, json, sys
from pathlib import Path
from poolkeeper.ntier.system import Tier
from poolkeeper.ntier.tiers.servers.server import TierServer
from poolkeeper.ntier.tiers.workplace import Workplace

SERVER = '''
import signal, subprocess, sys, time
if sys.argv[1] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-S", "-c", "import os, time; os.setsid(); time.sleep(600)"])
time.sleep(600)
'''

class Server(TierServer):
    def command(self): return [sys.executable, "-S", "-c", SERVER, sys.argv[3]]
    async def answers(self): return len(self.processes()) == 2
    async def check(self): return ""
    async def change(self, sizes): pass
    async def count(self): pass

async def main(workplace):
    server = Server("web", Tier("web", "httpd", 1, 0.5), {}, workplace, [])
    await server.start()
    server.limit()
    groups = [str(folder) for folder in server._group.folders] if server._group else []
    found = {"processes": server.processes(), "groups": groups, "folder": str(workplace.folder)}
    print(json.dumps(found), flush=True)
    if sys.argv[2] == "stays":
        await asyncio.sleep(600)
    if sys.argv[2] == "fails":
        raise RuntimeError("a fault of the lab")

with Workplace(Path(sys.argv[1])) as workplace:
    asyncio.run(main(workplace))
"""


def lab(folder: Path, how: str, server: str = "obeys") -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A lab in a process of its own with a server and its child, and what it has made."""
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(folder), how, server],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    made = json.loads(process.stdout.readline())
    assert len(made["processes"]) == 2
    assert Path(made["folder"]).exists()
    return process, made


def gone(made: dict[str, Any], within_s: float = 300.0) -> bool:
    until = time.monotonic() + within_s
    paths = [Path(path) for path in (*made["groups"], made["folder"])]
    while any(map(runs, made["processes"])) or any(path.exists() for path in paths):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def runs(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize(
    ("number", "server"), [(signal.SIGKILL, "stubborn"), (signal.SIGTERM, "obeys"), (signal.SIGINT, "obeys")]
)
def test_a_lab_that_is_ended_leaves_no_process_no_group_and_no_folder(
    tmp_path: Path, number: signal.Signals, server: str
) -> None:
    process, made = lab(tmp_path, "stays", server)
    with process:
        process.send_signal(number)
        process.wait(300)
    assert gone(made)


@pytest.mark.parametrize("how", ["ends", "fails"])
def test_all_is_gone_when_a_workplace_was_left(tmp_path: Path, how: str) -> None:
    process, made = lab(tmp_path, how)
    with process:
        process.wait(300)
    assert gone(made, 0.1), "it was waited for"


def test_the_watchdog_lets_the_new_owner_of_a_process_id_live() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"]) as other:
        try:
            watchdog._end({other.pid: (signal.SIGKILL, 1.0)})
            assert other.poll() is None
        finally:
            other.kill()


def test_a_folder_into_which_something_still_writes_is_deleted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database's files are being made while the lab is killed: initdb ends a little later than it should."""
    folder, late, delete = tmp_path / "servers", ["pg_wal", "base"], shutil.rmtree

    def interleaved(path: Path, *, ignore_errors: bool) -> None:
        delete(path, ignore_errors=ignore_errors)
        if late:
            (folder / late.pop()).mkdir(parents=True)

    folder.mkdir()
    monkeypatch.setattr(shutil, "rmtree", interleaved)
    watchdog._delete(folder)
    assert not late
    assert not folder.exists()


def test_logs_stay_and_belong_to_the_lab(tmp_path: Path) -> None:
    with Workplace(tmp_path / "logs") as workplace:
        own = workplace.own_folder("database")
        assert own.stat().st_mode & 0o777 == 0o700
        if workplace.user is not None:
            assert own.stat().st_uid == workplace.user.pw_uid != 0
        folder = workplace.folder
    assert not folder.exists()
    assert (tmp_path / "logs").stat().st_uid == os.geteuid()


def test_a_port_is_that_of_a_server_as_long_as_a_workplace_lasts(tmp_path: Path) -> None:
    with Workplace(tmp_path) as workplace:
        port = workplace.port()
        assert workplace.port() != port
        for _ in range(2):  # as after a restart
            with socket.socket() as server:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(("127.0.0.1", port))
                server.listen()
        with socket.socket() as other, pytest.raises(OSError, match="Address already in use"):
            other.bind(("127.0.0.1", port))


def test_a_command_under_another_user_runs_for_its_starter_alone() -> None:
    """The change of the user clears the death signal: a starter that dies before it is set again would be missed."""
    if (user := programs.ordinary_user()) is None:
        pytest.skip("without root no user is changed")
    command = programs.as_user(user, ["echo", "runs"])
    assert subprocess.run(command, capture_output=True, check=False).stdout == b"runs\n"
    orphan = ["sh", "-c", '"$@"; echo "ended with $?"', "sh", *command]
    assert subprocess.run(orphan, capture_output=True, check=False).stdout == b"ended with 1\n"


def test_a_folder_is_entrusted_to_the_watchdog_before_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lab that is killed in between leaves nothing."""
    entrusted: list[tuple[str, bool]] = []
    tell = Workplace._tell

    def note(self: Workplace, entry: dict[str, Any]) -> None:
        entrusted.append((entry["folder"], Path(entry["folder"]).exists()))
        tell(self, entry)

    monkeypatch.setattr(Workplace, "_tell", note)
    with Workplace(tmp_path, quotas=False) as workplace:
        assert entrusted == [(str(workplace.folder), False)]
        assert workplace.folder.stat().st_mode & 0o777 == 0o711


def test_without_its_watchdog_a_lab_clears_up_by_itself(tmp_path: Path) -> None:
    with Workplace(tmp_path) as workplace:
        group = workplace.group("web")
        workplace.own_folder("web")
        workplace._watchdog.kill()
        workplace._watchdog.wait()
    assert not workplace.folder.exists()
    assert not any(folder.exists() for folder in (group.folders if group is not None else ()))


def test_without_quotas_a_workplace_says_so(tmp_path: Path) -> None:
    with Workplace(tmp_path, quotas=False) as workplace:
        assert workplace.group("web") is None
        assert workplace.no_quotas == "nobody asked for them"


def test_all_missing_programs_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_SYSTEM_FOLDERS", "")
    monkeypatch.setattr(programs, "_POSTGRES", Path("/nowhere"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RunError) as caught:
        programs.check(["httpd", "board", "pgpool", "postgres"])
    assert str(caught.value) == (
        "apache2, pgpool, psql, postgres, initdb are missing; on Debian: apt-get install "
        "apache2 pgpool2 postgresql-client postgresql"
    )
    with pytest.raises(RunError, match="haproxy: is missing; on Debian: apt-get install haproxy"):
        programs.find("haproxy")
