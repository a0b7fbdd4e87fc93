from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from poolkeeper.experiment.definition.model import Experiment
from poolkeeper.experiment.planning.plan import plan
from poolkeeper.experiment.progress import RunProgress, Second, Situation
from poolkeeper.experiment.views import view_for
from poolkeeper.experiment.views.chart import area, resample, spark
from poolkeeper.experiment.views.live import LiveView
from poolkeeper.experiment.views.load_text import milliseconds, rate
from poolkeeper.experiment.views.plain import PlainView

POSITIVE = st.floats(0, 1e6)
LONG = "increase kept: throughput 142/s against 37/s before, needed at least 10 % more; and more words than fit in here"


WORK = {"application": ["prime1m", "dbread"], "requests": ["prime1m", "dbread"]}


def situation(*, ended: int = 1, work: dict[str, list[str]] | None = None) -> Situation:
    requests = [{"requests": name} for name in work["requests"]] if work else [{}, {}]
    stated = {
        "name": "asked",
        "question": "Which is best?",
        "application": work["application"] if work else "prime1m",
        "pools": {"fixed": {"size": list(range(1, ended + 2))}, "own": {"controller": "throughput"}},
        "load": {"phases": [{"users": 100, "for": "10s", **requests[0]}, {"users": 1, "for": "10s", **requests[1]}]},
    }
    runs = plan(Experiment.model_validate(stated), Path("runs"))
    found = Situation("asked", "Which is best?", len(runs), "runs", runs[ended + 1 :])
    for number, run in enumerate(runs[: ended + 1], start=1):
        progress = RunProgress(run, number)
        for second in range(10 if number == ended + 1 else 20):
            progress.size = 1 + second
            progress.add(Second(second // 10, 100 if second < 10 else 1, 50.0 * second, 12.3, None, 0))
        if number <= ended:
            progress.status = "complete"
            found.ended.append(progress)
        else:
            progress.decision, progress.step, progress.errors = LONG, "measures", 3
            progress.console = "http://127.0.0.1:40317/#JKqnySnon1zvoKzU6_MVKcOp"
            found.current = progress
    return found


def drawn(width: int, height: int, shown: Situation) -> list[str]:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, height=height, color_system=None)
    view = LiveView(console)
    try:
        with console.capture() as capture:
            console.print(view.draw(shown))
    finally:
        view.close()
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_the_live_view_fits_its_terminal(width: int) -> None:
    assert max(map(len, drawn(width, 40, situation()))) <= width


@pytest.mark.parametrize(("height", "ended"), [(24, 1), (24, 40), (40, 40)])
def test_the_live_view_leaves_old_runs_out_rather_than_its_end(height: int, ended: int) -> None:
    assert len(drawn(100, height, situation(ended=ended))) < height


def test_the_live_view_shows_phase_figures_size_decision_and_what_was_before() -> None:
    text = "\n".join(drawn(120, 40, situation()))
    for shown in (
        "run 2 of 3",
        "fixed-2",
        "100 users",
        "1 user",
        "450/s",
        "pool 10",
        "last decision: increase kept",
        "3 errors",
        "console  http://127.0.0.1:40317/#JKqnySnon1zvoKzU6_MVKcOp",
    ):
        assert shown in text
    assert "fixed-1" in text.split("last decision")[1], "the run that has ended stands below"
    assert "█" in text


def test_before_the_first_second_there_is_nothing_to_draw_and_nothing_breaks() -> None:
    shown = situation()
    assert shown.current
    shown.current.seconds.clear()
    shown.current.sizes.clear()
    shown.current.step = "starts the server"
    assert any("starts the server" in line for line in drawn(100, 40, shown))
    shown.current, shown.activity = None, "stops the database"
    assert any("stops the database" in line for line in drawn(100, 40, shown))


def test_plain_lines_tell_every_step_once_and_figures_every_few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("poolkeeper.experiment.views.plain.time.monotonic", lambda: now[0])
    shown = situation()
    progress = shown.current
    assert progress
    console = Console(file=io.StringIO(), width=40)
    view = PlainView(console)
    progress.step = "starts the server"
    view.refresh(shown)
    view.refresh(shown)
    progress.step = "measures"
    for now[0] in (101.0, 103.0, 107.0):
        view.refresh(shown)
    progress.status, progress.error = "failed", "server was killed by SIGKILL"
    view.ended(progress, shown)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[0] == "[2/3] fixed-2: starts the server"
    assert lines[1].startswith(
        "[2/3] fixed-2: phase 1 of 2, 100 users, 450/s, mean 12.3 ms, p99 –, pool 10, 3 errors, "
    )
    assert lines[1].endswith(" left")
    assert lines[2][:40] == lines[1][:40]
    assert lines[3] == "[2/3] fixed-2: failed: server was killed by SIGKILL"
    assert len(lines) == 4


def test_phases_of_different_work_are_called_by_what_they_send() -> None:
    shown = situation(work=WORK)
    console = Console(file=io.StringIO(), width=200)
    PlainView(console).refresh(shown)
    assert isinstance(console.file, io.StringIO)
    assert "phase 1 of 2, prime1m, 100 users" in console.file.getvalue()
    axis = next(line for line in drawn(80, 30, shown) if "└prime1m" in line)
    assert "└dbread" in axis


def test_a_terminal_gets_the_live_view_and_a_log_or_ci_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Console(file=io.StringIO(), force_terminal=True)
    live = view_for(terminal)
    live.close()
    assert isinstance(live, LiveView)
    assert isinstance(view_for(Console(file=io.StringIO())), PlainView)
    monkeypatch.setenv("CI", "true")
    assert isinstance(view_for(terminal), PlainView)


@given(st.lists(POSITIVE, max_size=50), st.integers(1, 8), st.floats(0, 1e6))
def test_charts_are_as_large_as_asked(values: list[float], height: int, top: float) -> None:
    lines = area(values, height, top)
    assert [len(line) for line in lines] == [len(values)] * height


@given(st.lists(st.floats(1, 100), min_size=1, max_size=20), st.integers(1, 8))
def test_higher_values_have_higher_columns(values: list[float], height: int) -> None:
    ordered = sorted(values)
    lines = area(ordered, height, 100.0)
    columns = [sum(" ▁▂▃▄▅▆▇█".index(line[place]) for line in lines) for place in range(len(ordered))]
    assert columns == sorted(columns)
    assert all(abs(column - value / 100 * 8 * height) <= 1 for column, value in zip(columns, ordered, strict=True))


@given(st.lists(POSITIVE, min_size=1, max_size=200), st.integers(1, 150), st.integers(1, 300))
def test_a_series_takes_its_part_of_the_columns(values: list[float], columns: int, total: int) -> None:
    found = resample(values, columns, total)
    assert 1 <= len(found) <= columns
    assert min(values) * 0.999 <= min(found)
    assert max(found) <= max(values) * 1.001
    if len(values) >= total:
        assert len(found) == columns


def test_a_spark_is_one_line() -> None:
    assert spark([1, 8, 4], 3, 8) == "▁█▄"
    assert spark([], 3, 8) == ""


@pytest.mark.parametrize(
    ("value", "output"),
    [(None, "–"), (0.123, "0.12 ms"), (12.34, "12.3 ms"), (1234.5, "1,234 ms"), (12345.0, "12.3 s")],
)
def test_response_times_have_about_three_digits(value: float | None, output: str) -> None:
    assert milliseconds(value) == output


def test_rates() -> None:
    assert (rate(0), rate(1.25), rate(1234.5)) == ("0/s", "1.2/s", "1,234/s")
