"""Runs with several servers: fake ones behind a real nginx, and where the testbed is built real ones under load."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from fake_testbed import SETUP, FakeTestbed
from jsonschema import Draft202012Validator

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.balancer.backend_group import BackendGroup, pool_name
from poolkeeper.experiment.balancer.nginx import find
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.planning.plan import plan
from poolkeeper.experiment.processes.backends import Backends
from poolkeeper.experiment.processes.cpu_quotas import CpuQuotas
from poolkeeper.experiment.processes.guard import Guard
from poolkeeper.experiment.processes.testbed import JavaTestbed
from poolkeeper.experiment.recording.merge import merge_pools
from poolkeeper.experiment.run import Patience
from poolkeeper.experiment.session import Outcome, Session
from poolkeeper.record import read_run
from poolkeeper.report.experiment import load_experiments
from poolkeeper.report.findings import warnings
from poolkeeper.report.summary import variants

if TYPE_CHECKING:
    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.processes.testbed import Testbed
    from poolkeeper.experiment.progress import RunProgress, Situation

pytestmark = pytest.mark.usefixtures("idle_machine")

ROOT = Path(__file__).parents[4]
SHORT = Patience(start=300.0, silence=300.0, stop=300.0)
EXPERIMENT = """
question: Does it spread?
application: prime
n: 11
pools:
  direct: {size: 4}
  spread: {size: 4, balancer: least-connections, back_ends: [1, 3]}
versus: direct
load: {users: 3, for: 1s}
"""


def _missing() -> str | None:
    try:
        find()
    except RunError as error:
        return str(error)
    return None


nginx_needed = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))
built = pytest.mark.skipif(
    not all((ROOT / "testbed" / module / "target" / "lib").is_dir() for module in ("servers", "load")),
    reason="the Java testbed is not built: mvn -q -DskipTests package",
)


class Spectator:
    """A view of which nothing is seen."""

    def refresh(self, situation: Situation) -> None:
        pass

    def ended(self, progress: RunProgress, situation: Situation) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


@dataclass
class KillsServer2(Spectator):
    """A view that kills the second server as soon as the load runs, and then lets a load end that waits for that."""

    victim: psutil.Process | None = None

    def refresh(self, situation: Situation) -> None:
        progress = situation.current
        if progress is None or not progress.seconds:
            return
        if self.victim is None:
            ours = psutil.Process().children(recursive=True)
            self.victim = next(
                process for process in ours if str(progress.run.folder / "server-2") in process.cmdline()
            )
            self.victim.kill()
        elif not self.victim.is_running():
            (progress.run.folder / "enough").touch()


def planned(folder: Path, text: str = EXPERIMENT) -> tuple[Any, list[PlannedRun]]:
    file = folder / "asked.yaml"
    file.write_text(text, encoding="utf-8")
    experiment = read_experiment(file)
    return experiment, plan(experiment, folder / "runs")


def run(folder: Path, testbed: Testbed, text: str = EXPERIMENT, **more: Any) -> Outcome:
    experiment, runs = planned(folder, text)
    before = set(psutil.Process().children())
    outcome = Session(
        **{
            "experiment": experiment,
            "folder": folder,
            "runs": runs,
            "testbed": testbed,
            "view": Spectator(),
            "command": ["poolkeeper", "run", "asked.yaml"],
            "machine": {"os": "Linux", "cpus": 4},
            "versions": {"poolkeeper": "0"},
            "patience": SHORT,
            **more,
        }
    ).run()
    assert set(psutil.Process().children()) <= before, "a process was left behind"
    return outcome


def document(folder: Path, run: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "runs" / run / "run.json").read_text(encoding="utf-8"))
    schema = json.loads((ROOT / "contract" / "run.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(found)
    return found


@nginx_needed
def test_a_record_holds_the_pools_of_all_servers_apart(tmp_path: Path) -> None:
    outcome = run(tmp_path, FakeTestbed())
    assert [(progress.run.variant.name, progress.status) for progress in outcome.ended] == [
        ("direct", "complete"),
        ("spread-1", "complete"),
        ("spread-3", "complete"),
    ]
    found = document(tmp_path, "spread-3/1")
    assert found["pools"] == {f"server-{number}/workers": SETUP for number in (1, 2, 3)}
    assert found["configuration"]["balancer"] == "least-connections"
    assert found["configuration"]["back_ends"] == 3
    assert found["versions"]["nginx"][0].isdigit()
    assert found["warnings"] == []
    alone, together = (read_run(tmp_path / "runs" / name / "1") for name in ("direct", "spread-3"))
    assert alone.windows
    assert together.windows
    assert len(together.windows) == 3 * len(alone.windows)
    assert set(together.windows.labels["pool"]) == {f"server-{number}/workers" for number in (1, 2, 3)}
    assert len(together.decisions) == 3 * len(alone.decisions)
    folder = tmp_path / "runs" / "spread-3" / "1"
    assert not [path for path in folder.iterdir() if path.is_dir()]
    assert "least_conn;" in (folder / "nginx.conf").read_text(encoding="utf-8")
    assert {"server-1.log", "server-3.log", "nginx-error.log"} <= {path.name for path in folder.iterdir()}


def test_a_record_keeps_what_else_a_server_wrote_and_no_line_that_it_did_not_finish(tmp_path: Path) -> None:
    for server, rows in (("server-1", "a,1\na,2\n"), ("server-2", "b,1\nb,")):
        (tmp_path / server).mkdir()
        (tmp_path / server / "windows.csv").write_text(f"pool,size\n{rows}", encoding="utf-8")
        (tmp_path / server / "gc.log").write_text(server, encoding="utf-8")
    merge_pools(tmp_path, ["server-1", "server-2", "server-3"], pool_name)
    windows = (tmp_path / "windows.csv").read_text(encoding="utf-8").splitlines()
    assert windows == ["pool,size", "server-1/a,1", "server-1/a,2", "server-2/b,1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["server-1-gc.log", "server-2-gc.log", "windows.csv"]


@nginx_needed
def test_pools_of_all_servers_count_together(tmp_path: Path) -> None:
    run(tmp_path, FakeTestbed())
    (experiment,) = load_experiments([tmp_path / "runs"])
    sizes = {summary.name: summary.mean_pool_size.mean for summary in variants(experiment.runs)}
    assert sizes["spread-1"] == pytest.approx(sizes["direct"])
    assert sizes["spread-3"] == pytest.approx(3 * sizes["direct"])


@nginx_needed
def test_one_server_that_does_not_start_is_named(tmp_path: Path) -> None:
    outcome = run(tmp_path, FakeTestbed(server_by_variant={"spread-3/server-2": "does not start"}))
    direct, progress, three = outcome.ended
    assert (direct.status, progress.status, three.status) == ("complete", "complete", "failed")
    assert three.error is not None
    assert three.error.startswith("server-2 ended with exit code 1; last output: cannot listen on port 80")


@nginx_needed
def test_it_serves_as_long_as_one_server_lives(tmp_path: Path) -> None:
    _, runs = planned(tmp_path)
    two = next(planned_run for planned_run in runs if planned_run.variant.name == "spread-3")
    two.folder.mkdir(parents=True)
    assert two.balancer is not None
    group = BackendGroup(FakeTestbed(), two, two.balancer)

    async def scenario() -> str:
        async with Guard(asyncio.Event()) as guard:
            try:
                await group.start(Backends(), guard, CpuQuotas(None, None), 300.0)
                assert len(group.admins) == 3
                failing = asyncio.create_task(group.fails())
                for number, name in enumerate(("server-2", "server-1"), start=1):
                    group.processes[name].signal(signal.SIGKILL)
                    async with asyncio.timeout(300):
                        await group.processes[name].ended()
                        while len(group.deaths) < number:  # noqa: ASYNC110 - the task that notes it runs next
                            await asyncio.sleep(0)
                    assert not failing.done()
                assert len(group.admins) == 1
                group.processes["server-3"].signal(signal.SIGKILL)
                async with asyncio.timeout(300):
                    with pytest.raises(RunError) as raised:
                        await failing
            finally:
                await group.end(300.0, pytest.fail)
        return str(raised.value)

    assert asyncio.run(scenario()) == (
        "none of 3 servers behind the balancer is left: server-2 was killed by SIGKILL; "
        "server-1 was killed by SIGKILL; server-3 was killed by SIGKILL"
    )
    assert not any(death.meant for death in group.deaths)


@nginx_needed
def test_a_server_is_killed_so_long_after_the_load_began_however_late_that_was_heard(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("back_ends: [1, 3]", "back_ends: 2, kill_after: 1000s")
    _, runs = planned(tmp_path, text)
    two = next(planned_run for planned_run in runs if planned_run.variant.name == "spread")
    two.folder.mkdir(parents=True)
    assert two.balancer is not None
    group = BackendGroup(FakeTestbed(), two, two.balancer)

    async def scenario() -> float:
        async with Guard(asyncio.Event()) as guard:
            began: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            killing = asyncio.create_task(group.kill_as_planned(began))
            failing = None
            try:
                await group.start(Backends(), guard, CpuQuotas(None, None), 300.0)
                failing = asyncio.create_task(group.fails())
                began_ns = time.monotonic_ns() - 999_700_000_000
                began.set_result(began_ns)
                async with asyncio.timeout(300):
                    await group.processes["server-2"].ended()
                    while not group.deaths:  # noqa: ASYNC110 - the task that notes it runs next
                        await asyncio.sleep(0)
                assert group.deaths[0].meant
                return (group.deaths[0].at_ns - began_ns) / 1e9
            finally:
                killing.cancel()
                if failing is not None:
                    failing.cancel()
                await group.end(300.0, pytest.fail)

    assert 1000.0 <= asyncio.run(scenario()) < 1300.0


@nginx_needed
def test_a_run_without_quotas_says_so(tmp_path: Path) -> None:
    wanted = EXPERIMENT + "quotas: {server: 0.5}\n"
    run(tmp_path, FakeTestbed(), wanted, no_quotas="/sys/fs/cgroup: Permission denied")
    for name in ("direct", "spread-3"):
        found = document(tmp_path, f"{name}/1")
        assert found["warnings"] == ["runs without CPU quotas: /sys/fs/cgroup: Permission denied"]
        assert "quotas" not in found
    (experiment,) = load_experiments([tmp_path / "runs"])
    output = "In all 3 runs: runs without CPU quotas: /sys/fs/cgroup: Permission denied."
    assert output in warnings(experiment, variants(experiment.runs))


@nginx_needed
def test_a_run_goes_on_without_a_server_that_dies_but_counts_as_failed(tmp_path: Path) -> None:
    testbed = FakeTestbed(load_behaviour="lasts until it is enough")
    text = EXPERIMENT.replace("direct: {size: 4}", "").replace("versus: direct", "").replace("[1, 3]", "3")
    (progress,) = run(tmp_path, testbed, text, view=KillsServer2()).ended
    assert progress.status == "failed"
    assert progress.error == "server-2 died in mid-run: measured with the others alone from then on"
    output = document(tmp_path, "spread/1")["warnings"]
    assert any(text.startswith("server-2 was killed by SIGKILL ") for text in output)
    record = read_run(progress.run.folder)
    assert record.load
    assert record.windows
    assert len(set(record.windows.labels["pool"])) == 3, "what it had recorded until then is kept"


@nginx_needed
@built
@pytest.mark.usefixtures("quick_java")
def test_requests_lost_with_a_killed_server_are_counted(tmp_path: Path) -> None:
    text = """
    question: What is lost with a server?
    application: call400
    pools:
      fixed: {size: 4, balancer: least-connections, back_ends: 2, kill_after: 500ms}
    window: 100ms
    load: {users: 50, for: 20s}
    warm_up: 1s
    """
    (progress,) = run(tmp_path, JavaTestbed(ROOT), text).ended
    assert (progress.status, progress.error) == ("complete", None)
    found = document(tmp_path, "fixed/1")
    messages = found["warnings"]
    killed = re.match(r"server-2 was killed by SIGKILL (\d+\.\d) s into the load, as planned", messages[0])
    assert killed
    # Half of the users wait for each server; what they have under way at the one that is killed breaks off.
    assert set(found["lost"]) == {"server-2"}
    assert 1 <= found["lost"]["server-2"]["broke off"] <= 50
    record = read_run(progress.run.folder)
    assert record.summary
    assert (record.summary.errors, record.summary.errors_by_kind) == (0, {}), "the other server answered them"
    assert "of these users saw nothing: the balancer had another server answer them" in messages
    assert record.load
    later = record.load["start_s"] > record.load["start_s"][0] + float(killed[1])
    assert record.load["requests"][later].sum() > 0, "it goes on"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("balancer: least-connections", "balancer: least-conections"), "pools.spread.balancer: unknown value"),
        (("balancer: least-connections, ", ""), "has a setting back_ends, which needs a balancer: round-robin or"),
        ((", back_ends: [1, 3]", ""), "has the balancer least-connections, which needs a number of back_ends"),
        (("back_ends: [1, 3]", "back_ends: 65"), "pools.spread.back_ends must be at most 64, but is 65"),
        (
            ("direct: {size: 4}", "direct: {size: 4, kill_after: 1s}"),
            "has a setting kill_after, which needs a balancer",
        ),
        (("versus", "quotas: {sever: 1.0}\nversus"), "unknown setting 'sever'; did you mean 'server'?"),
        (("versus", "quotas: {server: 0.05}\nversus"), "must allow 1 ms in each period of 1 ms or more, but allow 0.5"),
        (("versus", "quotas: {server: 0.5, period: 2s}\nversus"), "quotas.period must be at most 1"),
        (
            ("versus", "server: per-application\nversus"),
            "server must be per-run with a balancer",
        ),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(InputError) as raised:
        planned(tmp_path, EXPERIMENT.replace(*change))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
