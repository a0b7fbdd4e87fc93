"""Experiments of synthetic runs, as `poolkeeper run` leaves them: folders of cells, variants and repetitions."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

from synthetic import Climber, Phase, Service, Simulated, Variant, simulate, write_run

if TYPE_CHECKING:
    from pathlib import Path

VARYING = (Phase(100, 15.0), Phase(1, 15.0), Phase(100, 15.0), Phase(1, 15.0), Phase(100, 15.0))
STEADY = (Phase(100, 12.0),)
NAMES = ("fixed-2", "fixed-10", "fixed-100", "adaptive")


def variant(name: str) -> Variant:
    """`fixed-N`, or `adaptive` from size 1."""
    return Variant(name, 1, Climber()) if name == "adaptive" else Variant(name, int(name.removeprefix("fixed-")))


@cache
def simulated(name: str, phases: tuple[Phase, ...], service: Service, seed: int) -> Simulated:
    """A run of a variant; the same arguments give the same run."""
    return simulate(variant(name), list(phases), service=service, window_s=1.0, seed=seed)


def configuration(name: str, phases: tuple[Phase, ...], **more: Any) -> dict[str, Any]:
    """A configuration by the contract, compared with fixed-10."""
    size = {"controller": "fixed", "size": variant(name).size}
    return {
        "question": "Does a pool that sizes itself keep up with fixed pools while the load changes?",
        "application": "dbwrite",
        "pool": {"controller": "throughput", "initial": 1} if name == "adaptive" else size,
        "load": {"users": "closed", "think_time_ms": 0, "phases": [vars(phase) for phase in phases]},
        "scale": 0.05,
        "warm_up_s": 2.0,
        "cell": {},
        "versus": "fixed-10",
        **more,
    }


def add_run(  # noqa: PLR0913 - the coordinates of a run
    folder: Path,
    name: str,
    *,
    repetition: int = 0,
    phases: tuple[Phase, ...] = VARYING,
    service: Service | None = None,
    cell: dict[str, str] | None = None,
    about: dict[str, Any] | None = None,
    **settings: Any,
) -> Path:
    """Write one run into its place below the experiment's folder."""
    cell = cell or {}
    place = "/".join(["_".join(f"{axis}-{value}" for axis, value in cell.items()), name, str(repetition)]).lstrip("/")
    return write_run(
        folder / place,
        simulated(name, phases, service or Service(), repetition),
        variant=name,
        phases=list(phases),
        experiment=folder.name,
        repetition=repetition,
        configuration=configuration(name, phases, cell=cell, **settings),
        about={"id": place, **(about or {})},
    )


def demo(folder: Path, *, repetitions: int = 1, names: tuple[str, ...] = NAMES) -> Path:
    """The demo: fixed pools and an adaptive one under 100, 1, 100, 1, 100 users."""
    for repetition in range(repetitions):
        for name in names:
            failing = Service(failing=0.0005) if name == "fixed-100" else Service()
            add_run(folder, name, repetition=repetition, service=failing)
    return folder


def two_axes(folder: Path, *, repetitions: int = 1) -> Path:
    """Two applications and two numbers of users."""
    services = {"dbwrite": Service(), "prime1m": Service(0.008, 0.3, 0.002)}
    coordinates = product(range(repetitions), services.items(), (1, 100), ("fixed-2", "fixed-10", "adaptive"))
    for repetition, (application, service), users, name in coordinates:
        add_run(
            folder,
            name,
            repetition=repetition,
            phases=(Phase(users, 12.0),),
            service=service,
            cell={"application": application, "users": str(users)},
            application=application,
        )
    return folder


def limit_load(run: Path) -> None:
    """Mark a run as one in which the load generator was at its limit."""
    file = run / "load.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**found, "bottleneck": True}), encoding="utf-8")


def fail_all(run: Path) -> None:
    """Make every request of a run one that failed."""
    file = run / "load.csv"
    header, *rows = [line.split(",") for line in file.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row[header.index("errors")] = row[header.index("requests")]
    file.write_text("".join(f"{','.join(row)}\n" for row in (header, *rows)), encoding="utf-8")


def state(run: Path, status: str) -> None:
    """Say of a run how it ended."""
    file = run / "run.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**found, "status": status}), encoding="utf-8")


def chained(folder: Path) -> Path:
    """A simulation of two pools: `workers` is sized by a controller, and `store`, whose size is 3 more, follows it."""
    place = add_run(folder, "adaptive", about={"kind": "simulation"})
    windows = (place / "windows.csv").read_text(encoding="utf-8").splitlines()
    size = windows[0].split(",").index("size")

    def second(line: str) -> str:
        cells = line.split(",")
        return ",".join(["store", *cells[1:size], str(int(cells[size]) + 3), *cells[size + 1 :]])

    lines = [line for first in windows[1:] for line in (first, second(first))]
    (place / "windows.csv").write_text("".join(f"{line}\n" for line in [windows[0], *lines]), encoding="utf-8")
    decisions = (place / "decisions.jsonl").read_text(encoding="utf-8").splitlines()
    for line in decisions.copy():
        decision = json.loads(line)
        sizes = {key: decision[key] + 3 for key in ("size_before", "size_after", "size_asked")}
        decisions.append(json.dumps({**decision, **sizes, "pool": "store", "reason": "the workers did"}))
    (place / "decisions.jsonl").write_text("".join(f"{line}\n" for line in decisions), encoding="utf-8")
    return folder
