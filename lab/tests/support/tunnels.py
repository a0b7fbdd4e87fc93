"""Results of wind tunnels that nobody flew: every score is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

SECONDS = 12
PLANTS = ("cpu", "wide")
LOADS = ("closed-100", "changes-60", "closed-1")
NOISES = ("none", "8%")
KINDS = {"ours": "controller", "response-curve": "controller", "peer": "policy", "best-fixed": "fixed"}
HEADER = (
    "plant,load,noise,seed,controller,overall,start,steady,worst,threads,threads_steady,reach_start_s,reach_change_s,"
    "resizes,cycle,versus_fixed,completions,response_s"
)


def scores(load: str, **changed: float | str) -> dict[str, float | str]:
    """The scores of one run: all targets met unless changed."""
    found: dict[str, float | str] = {
        "overall": 0.99,
        "start": 0.97,
        "steady": 0.99,
        "worst": 0.95,
        "threads": 1.1,
        "threads_steady": 1.1,
        "reach_start_s": 4.0,
        "reach_change_s": 6.0 if load == "changes-60" else "",
        "resizes": 8,
        "cycle": 0,
        "versus_fixed": 1.2 if load == "changes-60" else 1.0,
        "completions": 1000,
        "response_s": 0.5,
    }
    return found | changed


def write(
    folder: Path,
    score: Callable[[str, str, str, int, str], Mapping[str, float | str]],
    *,
    controllers: tuple[str, ...] = tuple(KINDS),
    seeds: int = 2,
) -> Path:
    """Write the results of all cells, the score of each run as the function says."""
    folder.mkdir(parents=True, exist_ok=True)
    results, curves = [HEADER], ["plant,load,noise,controller,throughput_per_s,size_at_s,size"]
    for plant in PLANTS:
        for load in LOADS:
            for noise in NOISES:
                curves.append(f"{plant},{load},{noise},optimum,100 100 100 100,0,2")
                for controller in controllers:
                    curves.append(f"{plant},{load},{noise},{controller},40 90 100 99,0 2 5,1 3 2")
                    for seed in range(1, seeds + 1):
                        values = score(plant, load, noise, seed, controller).values()
                        results.append(",".join([plant, load, noise, str(seed), controller, *map(str, values)]))
    (folder / "results.csv").write_text("\n".join(results) + "\n", encoding="utf-8")
    (folder / "curves.csv").write_text("\n".join(curves) + "\n", encoding="utf-8")
    (folder / "tunnel.json").write_text(json.dumps(about()), encoding="utf-8")
    return folder


def about() -> dict[str, Any]:
    """Content of tunnel.json."""
    named = [{"name": name, "title": f"the {name}"} for name in LOADS]
    return {
        "version": 1,
        "command": "./poolkeeper tunnel --quick",
        "started": "2026-01-01T00:00:00Z",
        "java": "a JVM",
        "processors": 2,
        "point_s": 3,
        "seconds": SECONDS,
        "largest_size": 256,
        "tolerance": 0.03,
        "took_s": 60.0,
        "controllers": [
            {
                "name": name,
                "kind": kind,
                "source": "a <b>book</b>",
                "signal": "throughput",
                "trigger": "a gain",
                "weakness": "noise",
                "window_s": 1.0,
            }
            for name, kind in KINDS.items()
        ],
        "plants": [
            {
                "name": name,
                "title": f"the {name}",
                "law": "k",
                "opposite": "cpu",
                "best": 2,
                "rates": [min(k, 2) * 50.0 for k in range(1, 257)],
            }
            for name in PLANTS
        ],
        "loads": named,
        "noises": [{"name": name, "title": name} for name in NOISES],
        "courses": [
            {
                "plant": plant,
                "load": load,
                "best_fixed": 2,
                "spread": 6.0 if load == "changes-60" else 1.0,
                "headroom": 1.3 if load == "changes-60" else 1.0,
                "stages": [
                    {"start_s": 0, "end_s": SECONDS, "plant": plant, "best": 2, "enough": 2, "most_per_s": 100.0}
                ],
            }
            for plant in PLANTS
            for load in LOADS
        ],
    }


class Drawn(NamedTuple):
    """A drawn plant: its seed, the kind of its curve, and the circumstances."""

    seed: int
    kind: str
    category: str

    @property
    def plant(self) -> str:
        """The name of the plant."""
        return f"{self.kind}-{self.seed}"


def add_drawn(
    folder: Path,
    draws: Sequence[Drawn],
    score: Callable[[Drawn, str], Mapping[str, float | str]],
    *,
    controllers: tuple[str, ...] = tuple(KINDS),
    alone: bool = False,
) -> Path:
    """Add drawn plants to the results in a folder, or write a folder that holds nothing else."""
    if alone:
        write(folder, lambda _plant, load, *_: scores(load), controllers=())
    seconds = 600
    with (folder / "results.csv").open("a", encoding="utf-8") as results:
        for draw in draws:
            for controller in controllers:
                values = score(draw, controller).values()
                results.write(
                    ",".join([draw.plant, "closed-70", "wander-9%", "1", controller, *map(str, values)]) + "\n"
                )
    with (folder / "curves.csv").open("a", encoding="utf-8") as curves:
        for draw in draws:
            for controller in ("optimum", *controllers):
                curves.write(f"{draw.plant},closed-70,wander-9%,{controller},40 90 100 99,0 2 5,1 3 2\n")
    given = json.loads((folder / "tunnel.json").read_text(encoding="utf-8"))
    given["drawn"] = [
        {
            "plant": draw.plant,
            "load": "closed-70",
            "noise": "wander-9%",
            "seed": draw.seed,
            "kind": draw.kind,
            "category": draw.category,
            "load_title": "70 users",
            "noise_title": "it wanders",
            "best_fixed": 2,
            "spread": 1.0,
            "headroom": 1.0,
            "stages": [
                {"start_s": 0, "end_s": seconds, "plant": draw.plant, "best": 2, "enough": 2, "most_per_s": 100.0}
            ],
            "plants": [given["plants"][0] | {"name": draw.plant, "title": f"a drawn {draw.kind}"}],
        }
        for draw in draws
    ]
    (folder / "tunnel.json").write_text(json.dumps(given), encoding="utf-8")
    return folder
