"""A real nginx before servers whose every answer the test decides."""

from __future__ import annotations

import asyncio
import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from poolkeeper.errors import RunError
from poolkeeper.experiment.balancer.nginx import Nginx, find, version, workers
from poolkeeper.experiment.processes.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkeeper.experiment.balancer.configuration import Method


def _installed() -> bool:
    try:
        find()
    except RunError:
        return False
    return True


nginx_needed = pytest.mark.skipif(not _installed(), reason="no nginx; on Debian: apt-get install nginx-light")


class Waiting:
    """A server that counts its requests, and keeps the answer to its first one back while `hold` is set."""

    def __init__(self) -> None:
        self.requests = 0
        self.asked, self.released = threading.Event(), threading.Event()
        self.hold = False
        waiting = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                waiting.requests += 1
                if waiting.hold and waiting.requests == 1:
                    waiting.asked.set()
                    waiting.released.wait(300)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.port = self.server.server_port

    @contextmanager
    def serving(self) -> Iterator[None]:
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.released.set()
            self.server.shutdown()
            self.server.server_close()


@contextmanager
def rude() -> Iterator[int]:
    """A server that closes its first connection as soon as there is a request, and listens no more. Yields its port."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def once() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                listening.close()

        threading.Thread(target=once, daemon=True).start()
        yield listening.getsockname()[1]


def balanced(
    record: Path, method: Method, servers: list[int], ask: Callable[[Nginx], None], cpus: float | None = 1.0
) -> Nginx:
    """Have `ask` talk to an nginx; all of it has ended when this returns."""

    async def run() -> Nginx:
        async with Guard(asyncio.Event()) as guard:
            nginx = await Nginx.start(
                method, servers, record, guard, users=10, timeout_s=300.0, cpus=cpus, within_s=300.0
            )
            try:
                await asyncio.to_thread(ask, nginx)
            finally:
                assert await nginx.stop(300.0), "it had to be killed"
        return nginx

    before = set(psutil.Process().children())
    nginx = asyncio.run(run())
    assert set(psutil.Process().children()) <= before, "a process was left behind"
    return nginx


def get(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        connection.request("GET", "/prime")
        return connection.getresponse().status
    finally:
        connection.close()


@nginx_needed
@pytest.mark.parametrize(("method", "at_slow", "at_quick"), [("round-robin", 5, 4), ("least-connections", 1, 8)])
def test_of_an_uneven_pair_least_connections_spares_the_slow_one(
    tmp_path: Path, method: Method, at_slow: int, at_quick: int
) -> None:
    slow, quick = Waiting(), Waiting()
    slow.hold = True

    def ask(nginx: Nginx) -> None:
        patient = threading.Thread(target=get, args=(nginx.port,))
        patient.start()
        assert slow.asked.wait(300), "the first request goes to the first server"
        assert [get(nginx.port) for _ in range(8)] == [200] * 8
        slow.released.set()
        patient.join(300)

    with slow.serving(), quick.serving():
        balanced(tmp_path, method, [slow.port, quick.port], ask)
    assert (slow.requests, quick.requests) == (at_slow, at_quick)


@nginx_needed
def test_a_request_that_a_server_drops_is_counted_and_answered_by_another(tmp_path: Path) -> None:
    well = Waiting()

    def ask(nginx: Nginx) -> None:
        assert [get(nginx.port) for _ in range(4)] == [200] * 4

    with rude() as port, well.serving():
        lost = balanced(tmp_path, "round-robin", [port, well.port], ask).lost()
    assert lost.by_server == {port: {"broke off": 1}}
    assert lost.others == ()
    assert well.requests == 4


@nginx_needed
def test_requests_that_no_server_answers_are_counted(tmp_path: Path) -> None:
    def ask(nginx: Nginx) -> None:
        assert [get(nginx.port) for _ in range(3)] == [502] * 3

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and does not listen
        port = closed.getsockname()[1]
        lost = balanced(tmp_path, "round-robin", [port], ask).lost()
    # Where there is one server only, nginx tries it again whatever has become of it.
    assert (lost.by_server, lost.without_server) == ({port: {"refused": 3}}, 0)


@nginx_needed
def test_two_workers_share_what_they_know(tmp_path: Path) -> None:
    pair = Waiting(), Waiting()

    def ask(nginx: Nginx) -> None:
        assert [get(nginx.port) for _ in range(20)] == [200] * 20
        assert nginx.version[0].isdigit()

    with pair[0].serving(), pair[1].serving():
        balanced(tmp_path, "round-robin", [waiting.port for waiting in pair], ask, cpus=1.5)
    assert [waiting.requests for waiting in pair] == [10, 10]


@nginx_needed
def test_what_nginx_does_not_like_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"nginx ended with exit code 1; output: .*invalid port in upstream"):
        balanced(tmp_path, "round-robin", [99999], lambda _: None)


@nginx_needed
@pytest.mark.parametrize("expected", sorted((Path(__file__).parent / "expected").iterdir()), ids=lambda path: path.stem)
def test_nginx_takes_the_configurations_that_tests_compare_with(expected: Path, tmp_path: Path) -> None:
    text = expected.read_text(encoding="utf-8").replace("/own folder", str(tmp_path)).replace("/record", str(tmp_path))
    file = tmp_path / "nginx.conf"
    file.write_text(text, encoding="utf-8")
    tested = subprocess.run([find(), "-t", "-q", "-c", str(file)], capture_output=True, text=True, check=False)
    assert (tested.returncode, tested.stderr) == (0, "")


DRIVER = """
import asyncio, sys
from pathlib import Path
from poolkeeper.experiment.balancer.nginx import Nginx
from poolkeeper.experiment.processes.guard import Guard

async def run():
    async with Guard(asyncio.Event()) as guard:
        record, more = Path(sys.argv[1]), {"users": 1, "timeout_s": 300.0, "cpus": 2.0, "within_s": 300.0}
        nginx = await Nginx.start("round-robin", [9], record, guard, **more)
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(run())
"""


@nginx_needed
def test_a_lab_that_is_killed_leaves_no_worker_behind(tmp_path: Path) -> None:
    own = {**os.environ, "TMPDIR": str(tmp_path)}  # its folder stays behind, as it cannot be removed by the killed
    lab = subprocess.Popen([sys.executable, "-c", DRIVER, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=own)
    with lab:
        try:
            assert lab.stdout
            assert lab.stdout.readline() == "ready\n"
            until = time.monotonic() + 300
            # The first worker answers, maybe before the master has started the second.
            while len(children := psutil.Process(lab.pid).children(recursive=True)) < 3:
                assert time.monotonic() < until, children
                time.sleep(0.01)
            assert len(children) == 3, "a master and two workers"
        finally:
            lab.kill()
        lab.wait(300)
    _, alive = psutil.wait_procs(children, timeout=300)
    assert alive == []


def test_a_machine_without_nginx_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(RunError, match="no nginx: a balancer needs it; on Debian: apt-get install nginx-light"):
        find()


def test_a_program_that_does_not_tell_its_version() -> None:
    assert version("/bin/true") == "unknown"
    assert version("/no/such/program") == "unknown"


def test_a_worker_for_every_processor_that_nginx_may_use() -> None:
    assert (workers(0.3), workers(1.0), workers(1.5)) == (1, 1, 2)
    assert workers(None) == len(os.sched_getaffinity(0))
