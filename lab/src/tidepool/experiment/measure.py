"""One run: its processes, from the first to the last, and its record."""

from __future__ import annotations

import contextlib
import json
import queue
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tidepool.errors import RunError
from tidepool.experiment import machine, programs
from tidepool.experiment.monitor import Monitor
from tidepool.experiment.processes import Child

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tidepool.experiment.plan import Run

_READY_S = 60.0
_ADMIN_S = 2.0
_END_S = 5.0
_OVERTIME_S = 45.0
"""How much longer than its phases a load generator may take: requests under way have 30 s to be answered."""


class Database:
    """A database that is started when the first run needs it, and again if it has died."""

    def __init__(self, log: Path) -> None:
        """Log to `log`."""
        self._log = log
        self._child: Child | None = None
        self._jdbc_url = ""

    @property
    def child(self) -> Child | None:
        """Its process, if it runs."""
        return self._child if self._child is not None and self._child.exit_code() is None else None

    def url(self) -> str:
        """JDBC address of a running database."""
        if self.child is None:
            self.stop()
            self._child = Child("the database", programs.database(), self._log)
            self._jdbc_url = str(self._child.ready(_READY_S)["jdbcUrl"])
        return self._jdbc_url

    def stop(self) -> None:
        """Stop it if it runs."""
        if self._child is not None:
            self._child.stop()
            self._child = None


def needs_database(application: str) -> bool:
    """Whether an application works on a database."""
    return application in {"dbwrite", "dbread"}


class Measurement:
    """Makes one run and writes its record into `folder`."""

    def __init__(self, run: Run, folder: Path, experiment: str, database: Database) -> None:
        """Nothing starts before `make`."""
        self._run = run
        self._folder = folder
        self._database = database
        self._needs_database = needs_database(run.application)
        self._document: dict[str, Any] = {
            "version": 1,
            "id": f"{experiment}/{run.id}",
            "experiment": experiment,
            "variant": run.variant.name,
            "repetition": run.repetition,
            "status": "running",
            "configuration": run.configuration,
        }

    def make(self, listen: Callable[[dict[str, Any]], None]) -> None:
        """Make the run; `listen` hears a dictionary about once a second.

        Raises:
            RunError: if a process failed; the record says so, and keeps what was measured.
            KeyboardInterrupt: as it came; the record says so too.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            self._measure(listen)
        except KeyboardInterrupt:
            self._finish("interrupted", "interrupted by hand")
            raise
        except RunError as error:
            self._finish("failed", str(error))
            raise
        except OSError as error:
            with contextlib.suppress(OSError):  # The disk may be full for this as well.
                self._finish("failed", str(error))
            raise RunError(f"{error.strerror}: {error.filename or self._folder}") from error
        self._finish("complete", None)

    def _measure(self, listen: Callable[[dict[str, Any]], None]) -> None:
        run, folder = self._run, self._folder
        configuration = run.configuration
        listen({"step": "starting"})
        jdbc_url = self._database.url() if self._needs_database else None
        command = programs.server(run, configuration["n"], configuration["connections"], jdbc_url, folder)
        self._document |= {
            "command": command,
            "versions": machine.versions(command[0]),
            "machine": machine.describe(),
        }
        self._mark("start")
        with Child("the server", command, folder / "server.log") as server:
            ready = server.ready(_READY_S)
            target = f"http://127.0.0.1:{ready['port']}"
            admin = f"http://127.0.0.1:{ready['adminPort']}" if "adminPort" in ready else None
            listen({"step": "warming up"})
            self._warm_up(target, server)
            if admin:
                # Warmed up, but with nothing learned: the controller is asked from here on.
                _post(admin, "resize", size=str(run.variant.initial))
                _post(admin, "mode", mode="active")
            self._mark("start")
            self._load(target, admin, server, listen)

    def _load(self, target: str, admin: str | None, server: Child, listen: Callable[[dict[str, Any]], None]) -> None:
        folder = self._folder
        description = folder / "load-description.json"
        description.write_text(json.dumps(self._run.load), encoding="utf-8")
        command = programs.load(target, description, folder)
        with Child("the load generator", command, folder / "load.log") as generator:
            watched = {"server": server.pid, "load": generator.pid}
            if self._needs_database and self._database.child:
                watched["database"] = self._database.child.pid
            with Monitor(watched, folder / "monitor.csv"):
                for line in self._lines(generator, server, self._run.seconds + _OVERTIME_S):
                    listen({"step": "measuring", **line, **_state(admin)})
        if not (folder / "load.json").exists():
            raise RunError(f"the load generator left no summary{generator.said()}")

    def _warm_up(self, target: str, server: Child) -> None:
        warm_up_s = float(self._run.configuration["warm_up_s"])
        if warm_up_s <= 0:
            return
        busiest = max(phase["users"] for phase in self._run.load["phases"])
        description = self._folder / "warm-up.json"
        load = {**self._run.load, "phases": [{"users": busiest, "seconds": warm_up_s}]}
        description.write_text(json.dumps(load), encoding="utf-8")
        command = programs.load(target, description, self._folder / "warm-up")
        with Child("the load generator", command, self._folder / "load.log") as generator:
            for _ in self._lines(generator, server, warm_up_s + _OVERTIME_S):
                pass

    def _lines(self, load: Child, server: Child, timeout_s: float) -> Iterator[dict[str, Any]]:
        """What the load generator says, until it ends; everything it needs must live until then."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                line = load.lines.get(timeout=0.25)
            except queue.Empty:
                pass
            else:
                if line is None:
                    break
                yield line
            self._require_alive(server)
            if time.monotonic() > deadline:
                raise RunError(f"the load generator did not end in time{load.said()}")
        if load.wait(_END_S) != 0:
            raise RunError(f"the load generator failed{load.said()}")
        self._require_alive(server)

    def _require_alive(self, server: Child) -> None:
        if server.exit_code() is not None:
            raise RunError(f"the server died in mid-run with exit code {server.exit_code()}{server.said()}")
        if self._needs_database and self._database.child is None:
            raise RunError("the database died in mid-run")

    def _mark(self, end: str) -> None:
        """Put the present down as the run's start or end, and write the document."""
        self._document[end] = datetime.now(UTC).isoformat()
        self._document[f"{end}_monotonic_ns"] = time.monotonic_ns()
        file = self._folder / "run.json"
        # Renamed into place: a reader never sees half of it.
        half = file.with_suffix(".part")
        half.write_text(json.dumps(self._document, indent=2) + "\n", encoding="utf-8")
        half.rename(file)

    def _finish(self, status: str, error: str | None) -> None:
        self._document["status"] = status
        if error is not None:
            self._document["error"] = error
        self._mark("end")


def _state(admin: str | None) -> dict[str, Any]:
    """What the server tells of its pool; nothing if it has none or is too busy to tell."""
    if admin is None:
        return {}
    try:
        with urllib.request.urlopen(f"{admin}/state", timeout=_ADMIN_S) as answer:  # noqa: S310 - loopback
            told = json.load(answer)
    except (OSError, ValueError):
        return {}
    return {"size": told.get("size"), "decision": (told.get("decision") or {}).get("reason", "")}


def _post(admin: str, action: str, **query: str) -> None:
    request = urllib.request.Request(f"{admin}/{action}?{urllib.parse.urlencode(query)}", method="POST")  # noqa: S310
    try:
        urllib.request.urlopen(request, timeout=_ADMIN_S).close()  # noqa: S310 - loopback
    except urllib.error.HTTPError as error:
        raise RunError(f"the server refused {action} {query}: {error.read().decode(errors='replace')}") from error
    except OSError as error:
        raise RunError(f"the server's admin endpoint did not answer: {error}") from error
