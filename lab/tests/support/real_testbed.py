"""The Java testbed of this tree, and runs planned for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from poolkeeper.experiment.definition.model import Experiment
from poolkeeper.experiment.planning.plan import PlannedRun, plan

ROOT = Path(__file__).parents[3]

built = pytest.mark.skipif(
    not all((ROOT / "testbed" / module / "target" / "lib").is_dir() for module in ("servers", "load")),
    reason="the Java testbed is not built: mvn -q -DskipTests package",
)


def planned(folder: Path, **changes: object) -> list[PlannedRun]:
    stated: dict[str, object] = {
        "name": "asked",
        "question": "Which?",
        "application": "dbwrite",
        "connections": "pool:7",
        "pools": {
            "fixed": {"size": 4},
            "own": {"controller": "p99-latency", "step": 5, "threshold": 0.025, "bounds": "2..64", "initial": 3},
            "none": {"controller": "plain"},
            "itself": {"controller": "open-liberty"},
        },
        "load": {"users": 5, "for": "10s"},
    }
    return plan(Experiment.model_validate({**stated, **changes}), folder)
