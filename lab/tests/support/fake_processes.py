"""Processes of a testbed that only seem to work: `python fake_processes.py database|server|load BEHAVIOUR ...`.

Tests start hundreds of them, and most of the time of each is that of its imports: so each imports what it needs alone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socketserver import BaseServer
    from typing import NoReturn

GOLDEN = Path(__file__).parents[3] / "contract" / "golden" / "v1" / "adaptive"
WELL = "well"
SETUP = {
    "controller": "throughput",
    "settings": {"step": "5", "threshold": "0.1", "lock": "6"},
    "objective": "throughput",
    "bounds": {"minimum": 1, "maximum": 256},
}


def say(**message: object) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def copy(name: str, folder: Path) -> None:
    """Put a file of the golden record into a folder."""
    (folder / name).write_bytes((GOLDEN / name).read_bytes())


def wait_for_the_end() -> None:
    while sys.stdin.buffer.read(1):
        pass


def wait_for_ever() -> NoReturn:
    while True:
        signal.pause()


def database(behaviour: str) -> None:
    if behaviour == "does not start":
        complain("InnoDB: the data folder is in use")
        sys.exit(1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    import subprocess

    command = [sys.executable, "-S", __file__, "daemon"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as daemon:
        assert daemon.stdin
        assert daemon.stdout
        daemon.stdout.readline()
        complain("2026-03-02 9:30:00 0 [Note] mariadbd: ready for connections.")
        try:
            say(event="ready", port=9, jdbcUrl=f"jdbc:fake:{os.getpid()}:{daemon.pid}", pid=os.getpid())
            wait_for_the_end()
        finally:
            daemon.stdin.close()


def downstream(behaviour: str) -> None:
    if behaviour == "does not start":
        complain("poolkeeper: cannot listen on port 80: Permission denied")
        sys.exit(1)
    say(event="ready", adminPort=8, pid=os.getpid(), **({} if behaviour == "has no port" else {"port": 7}))
    if behaviour == "dies once it serves":
        os.kill(os.getpid(), signal.SIGKILL)
    wait_for_the_end()


def daemon() -> None:
    """The database's own process, which is known by its name."""
    import ctypes

    ctypes.CDLL(None).prctl(15, b"mariadbd", 0, 0, 0)  # PR_SET_NAME
    say(event="named")
    wait_for_the_end()


def series() -> None:
    """One server after another, as their arguments are read."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    current: BaseServer | None = None
    for line in sys.stdin:
        if current is not None:
            current.shutdown()
            current = None
        arguments = json.loads(line)
        if not arguments:
            say(event="ended")
        elif arguments[0] == "does not start":
            say(event="failed", error="size of the fixed pool must be within 1..256, but is 999")
        else:
            current = serve(*arguments)


def server(behaviour: str, folder: str, jdbc_url: str, mode: str, downstream: str) -> None:
    if behaviour == "does not start":
        complain("poolkeeper: cannot listen on port 80: Permission denied")
        sys.exit(1)
    if behaviour == "is never ready":
        wait_for_ever()
    if behaviour == "talks nonsense":
        sys.stdout.buffer.write(b"\xff\xfe{not json\n[1, 2]\n" + b"x" * (3 << 20) + b'\n{"event": "other"}\n')
    stubborn = behaviour == "will not end"
    signal.signal(signal.SIGTERM, signal.SIG_IGN if stubborn else lambda *_: os._exit(0))
    serve(behaviour, folder, jdbc_url, mode, downstream)
    wait_for_the_end()
    if stubborn:
        wait_for_ever()


def serve(behaviour: str, folder: str, jdbc_url: str, mode: str, downstream: str) -> BaseServer:
    """Become ready, and answer at the admin port."""
    import threading
    from socketserver import ThreadingTCPServer

    from fake_admin import Admin

    for name in ("windows.csv", "decisions.jsonl"):
        copy(name, Path(folder))
    (Path(folder) / "arguments.json").write_text(json.dumps([jdbc_url, mode, downstream]))
    asked = partial(misbehave, behaviour, jdbc_url)
    admin = ThreadingTCPServer(("127.0.0.1", 0), partial(Admin, asked, Path(folder) / "told.txt"))
    admin.daemon_threads = True
    threading.Thread(target=admin.serve_forever, daemon=True).start()
    say(event="ready", port=1, adminPort=admin.server_address[1], pools={"workers": SETUP}, pid=os.getpid())
    return admin


def misbehave(behaviour: str, jdbc_url: str, under_load: bool) -> None:  # noqa: FBT001 - as Admin calls it
    """Event as soon as the server is asked about a load that runs, or before one."""
    if not under_load:
        if behaviour == "stalls before the load":
            time.sleep(1.2)
        return
    if behaviour == "dies in mid-run":
        complain("java.lang.OutOfMemoryError: Java heap space")
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour.startswith("kills the database"):
        _, _, starter, daemon = jdbc_url.split(":")
        os.kill(int(daemon if behaviour.endswith("daemon") else starter), signal.SIGKILL)


def load(behaviour: str, port: str, description: str, record: str, warm_up: str) -> None:
    phases = json.loads(Path(description).read_text())["clients"]["phases"]
    if behaviour == "fails":
        complain(f"poolkeeper: 127.0.0.1:{port} refuses connections")
        sys.exit(1)
    if behaviour == "is silent":
        wait_for_ever()
    if warm_up != "none":
        warm(warm_up, phases[0]["users"])
    Path(record).mkdir(exist_ok=True)
    _begin(behaviour)
    if behaviour.endswith(("goes on and on", "and goes on")):
        import threading

        threading.Thread(target=_leave_when_told, daemon=True).start()
        while True:
            _second(0, phases[0]["users"])
            time.sleep(0.02)
    while behaviour == "lasts until it is enough" and not (Path(record) / "enough").exists():
        _second(0, phases[0]["users"])
        time.sleep(0.02)
    for index, phase in enumerate(phases):
        _second(index, phase["users"], 50.0 if behaviour == "goes on as it was" else None)
    for name in ("load.csv", "load.json", "latency.hlog"):
        if (behaviour, name) != ("leaves no summary", "load.json"):
            copy(name, Path(record))
    spoil(behaviour, Path(record))


def spoil(behaviour: str, record: Path) -> None:
    """Faults of a record."""
    if behaviour == "gets no answer":
        summary = json.loads((GOLDEN / "load.json").read_text())
        summary |= {"errors": summary["requests"], "errors_by_kind": {"refused": summary["requests"]}}
        (record / "load.json").write_text(json.dumps(summary))
    if behaviour == "writes a broken table":
        with (record / "load.csv").open("a") as table:
            table.write("1,2,three\n")
    if behaviour == "loses its record":
        complain("poolkeeper: warning: record: writing load.csv failed: No space left on device; the load goes on")
        complain("poolkeeper: warning: answers lay unread for up to 2.1 ms")
        complain("poolkeeper: record: writing load.csv failed: No space left on device")
        sys.exit(3)


def warm(how: str, users: int) -> None:
    """Tell of as many seconds as the lab asks to see at once, and wait to be told that it is enough."""
    say(event="warms up")
    if how == "fails":
        complain("poolkeeper: nobody answers")
        sys.exit(1)
    for second in range(100):
        throughput = 50.0 + second % 2 if how == "steady" else 10.0 * second
        say(
            t=second + 1.0, warm_up=True, phase=0, users=users, throughput=throughput, mean_ms=1.0, p99_ms=2.0, errors=0
        )
    sys.stdin.readline()


def _begin(behaviour: str) -> None:
    """Say when the load began: "began 250 and goes on" did so that many seconds ago."""
    if behaviour.startswith("began "):
        say(event="begins", start_ns=time.monotonic_ns() - int(behaviour.split()[1]) * 1_000_000_000)


def _second(phase: int, users: int, throughput: float | None = None) -> None:
    rate = 100.0 * users if throughput is None else throughput
    say(t=1.0, phase=phase, users=users, throughput=rate, mean_ms=10.0, p99_ms=20.0, errors=1, cpu=0.1)


def _leave_when_told() -> None:
    wait_for_the_end()
    os._exit(130)


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    if kind == "database":
        database(*rest)
    elif kind == "downstream":
        downstream(*rest)
    elif kind == "daemon":
        daemon()
    elif kind == "server":
        server(*rest)
    elif kind == "series":
        series()
    else:
        load(*rest)
