"""The downstream server of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import Child

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.processes.guard import Guard
    from poolkeeper.experiment.processes.testbed import Testbed

START_S = 180.0
_STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class Downstream:
    """A downstream server that serves."""

    child: Child
    address: str
    """HOST:PORT."""

    @classmethod
    async def start(cls, testbed: Testbed, run: PlannedRun, log: Path, guard: Guard) -> Downstream:
        """Start a downstream server. Raises RunError with its output if that fails."""
        child = Child.start("downstream", testbed.downstream(run), log)
        try:
            ready = await guard.until(child.ready(), START_S, "the start of the downstream server")
            return cls(child, f"127.0.0.1:{_port(ready)}")
        except BaseException:
            await child.stop(_STOP_S)
            raise

    async def fails(self) -> None:
        """Raise RunError when it ends."""
        await self.child.ended()
        raise RunError(f"downstream {self.child.ending()}")

    async def stop(self) -> None:
        """End it; it has ended when this returns."""
        await self.child.stop(_STOP_S)


def _port(ready: dict[str, Any]) -> int:
    port = ready.get("port")
    if not isinstance(port, int):
        raise RunError(f"downstream: its ready message lacks a port: {ready}")
    return port
