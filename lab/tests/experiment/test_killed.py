"""Nothing outlives the lab, however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

SUPPORT = Path(__file__).parents[1] / "support"
DRIVER = """
import sys
from pathlib import Path
from fake_testbed import FakeTestbed
from poolkeeper.experiment.planning.plan import plan
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.run import Patience
from poolkeeper.experiment.session import Session

class View:
    asked = False
    def refresh(self, situation):
        if not self.asked and situation.current and situation.current.seconds:
            self.asked = True
            print("measures", flush=True)
    def ended(self, going, situation): pass
    def say(self, text): print(text, flush=True)
    def close(self): pass

folder = Path(sys.argv[1])
file = folder / "asked.yaml"
file.write_text("{question: q, application: dbwrite, pools: {fixed: {size: 1}}, load: {users: 1, for: 10m}}")
experiment = read_experiment(file)
testbed = FakeTestbed(load_behaviour="goes on and on", server_behaviour=sys.argv[2])
runs, machine = plan(experiment, folder), {"os": "x", "cpus": 1}
session = Session(experiment, folder, runs, testbed, View(), [], machine, {}, patience=Patience(600, 600, 600))
sys.exit(session.run().exit_code)
"""


def start(folder: Path, server: str = "well") -> tuple[subprocess.Popen[str], list[psutil.Process]]:
    """A lab in a process of its own that measures, and everything that it has started."""
    lab = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(folder), server],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
    )
    assert lab.stdout
    assert lab.stdout.readline() == "measures\n"
    children = psutil.Process(lab.pid).children(recursive=True)
    assert len(children) == 4, "database, its daemon, server, load"
    return lab, children


def status(folder: Path) -> object:
    return json.loads((folder / "fixed" / "1" / "run.json").read_text(encoding="utf-8"))["status"]


def test_a_lab_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    lab, children = start(tmp_path)
    with lab:
        lab.kill()
        lab.wait(300)
    _, alive = psutil.wait_procs(children, timeout=300)
    assert alive == []
    assert status(tmp_path) == "running"


def test_a_second_ctrl_c_ends_at_once(tmp_path: Path) -> None:
    lab, children = start(tmp_path, server="will not end")
    with lab:
        lab.send_signal(signal.SIGINT)
        assert lab.stdout
        assert "once more" in lab.stdout.readline()
        lab.send_signal(signal.SIGINT)
        assert lab.wait(300) == 130
    _, alive = psutil.wait_procs(children, timeout=300)
    assert alive == []
