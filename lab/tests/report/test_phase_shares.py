"""Shares of each phase's best fixed size, and the answer made of them."""

from __future__ import annotations

import math
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from experiments import VARYING, add_run
from rich.console import Console
from worked import add_work

from poolkeeper.present.terminal import draw
from poolkeeper.report import write_reports
from poolkeeper.report.experiment import by_variant, load_experiments
from poolkeeper.report.judging.phase_answer import phase_answer
from poolkeeper.report.judging.phase_shares import PhaseShares, phase_shares
from poolkeeper.report.share_tables import share_table, share_tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CALL, WORK = {"call": 1.0}, {"work": 1.0}
MIX = {"call": 0.5, "work": 0.5}


def steady(name: str, rate: int, seconds: int = 10) -> list[dict[str, int]]:
    return [{name: rate}] * seconds


def experiment(folder: Path, *, repetitions: int = 1, gain: Sequence[int] = (0,), cell: str = "") -> None:
    """Two fixed sizes, each the best in one phase, and an adaptive pool that needs four seconds to follow."""
    place = {"draw": cell} if cell else None
    for repetition in range(1, repetitions + 1):
        more = gain[(repetition - 1) % len(gain)]
        add_work(
            folder,
            "fixed-2",
            [steady("call", 100), steady("work", 20)],
            [CALL, WORK],
            repetition=repetition,
            cell=place,
        )
        # What is left of the phase before is answered in its first second, and does not count.
        late = [{"work": 200, "call": 5000}, *steady("work", 200, 9)]
        add_work(folder, "fixed-100", [steady("call", 50), late], [CALL, WORK], repetition=repetition, cell=place)
        slow = [*steady("work", 50, 4), *steady("work", 200 + more, 6)]
        add_work(folder, "adaptive", [steady("call", 90), slow], [CALL, WORK], repetition=repetition, cell=place)


def found(folder: Path) -> PhaseShares:
    shares = phase_shares(by_variant(load_experiments([folder])[0].runs))
    assert shares is not None
    return shares


def test_shares_are_of_the_best_fixed_size_of_each_phase_and_count_its_own_requests(tmp_path: Path) -> None:
    experiment(tmp_path)
    shares = found(tmp_path)
    assert shares.best == ("fixed-2", "fixed-100")
    assert shares.rates == (100, 200)
    assert [phase.requests for phase in shares.phases] == ["call", "work"]
    assert [phase.label for phase in shares.phases] == ["100 users, call", "100 users, work"]
    by_name = {variant.name: variant for variant in shares.variants}
    whole = {name: tuple(round(phase.whole, 6) for phase in shares.phases) for name, shares in by_name.items()}
    assert whole == {"fixed-2": (1, 0.1), "fixed-100": (0.5, 1), "adaptive": (0.9, 0.7)}
    adaptive = by_name["adaptive"]
    assert adaptive.mean == pytest.approx(math.sqrt(0.9 * 0.7))
    assert [phase.second_half for phase in adaptive.phases] == [0.9, 1]
    assert [phase.arrival_s for phase in adaptive.phases] == [math.inf, 4], "two seconds in a row at 95 %"
    assert by_name["fixed-2"].phases[0].arrival_s == 0
    assert adaptive.worst == 1
    assert shares.best_single.name == "fixed-100"
    assert [variant.name for variant in shares.variants] == ["adaptive", "fixed-100", "fixed-2"]
    assert {variant.kind for variant in shares.variants} == {"fixed", "adaptive"}


def test_a_server_without_a_pool_is_no_fixed_size(tmp_path: Path) -> None:
    experiment(tmp_path)
    add_work(
        tmp_path, "fixed-1", [steady("call", 999), steady("work", 999)], [CALL, WORK], pool={"controller": "plain"}
    )
    shares = found(tmp_path)
    assert shares.rates == (100, 200)
    best = shares.variants[0]
    assert (best.name, best.kind) == ("fixed-1", "no pool")
    assert best.phases[0].whole == pytest.approx(9.99)


def test_of_two_kinds_at_once_both_count(tmp_path: Path) -> None:
    both = [{"call": 10, "work": 30}] * 10
    for name in ("fixed-2", "adaptive"):
        add_work(tmp_path, name, [steady("call", 10), both], [CALL, MIX])
    shares = found(tmp_path)
    assert shares.rates == (10, 40)
    assert shares.phases[1].requests == "call + work"


def test_a_pool_that_serves_nothing_counts_as_a_thousandth(tmp_path: Path) -> None:
    add_work(tmp_path, "fixed-2", [steady("call", 10), steady("call", 7)], [CALL, WORK])
    add_work(tmp_path, "fixed-100", [steady("call", 10), steady("work", 10)], [CALL, WORK])
    shares = found(tmp_path)
    nothing = shares.of("fixed-2")
    assert nothing is not None
    assert nothing.phases[1].whole == 0
    assert nothing.mean == pytest.approx(math.sqrt(0.001))


def test_a_phase_that_no_fixed_size_served_is_left_out_and_the_answer_says_so(tmp_path: Path) -> None:
    phases = [steady("call", 10), steady("call", 7), steady("work", 10)]
    for name in ("fixed-2", "adaptive"):
        add_work(tmp_path, name, phases, [CALL, WORK, WORK])
    shares = found(tmp_path)
    assert [phase.requests for phase in shares.phases] == ["call", "work"]
    assert str(phase_answer([shares])).endswith(" Left out: 1 phase in which no fixed size served anything.")


def test_there_are_none_where_phases_send_the_same_or_nothing_is_fixed(tmp_path: Path) -> None:
    add_run(tmp_path / "one", "fixed-2", phases=VARYING)
    add_run(tmp_path / "one", "adaptive", phases=VARYING)
    add_work(tmp_path / "two", "adaptive", [steady("call", 10), steady("work", 7)], [CALL, WORK])
    add_work(tmp_path / "three", "fixed-2", [steady("call", 10)], [CALL])
    for name in ("one", "two", "three"):
        runs = load_experiments([tmp_path / name])[0].runs
        assert phase_shares(by_variant(runs)) is None
        assert share_tables(runs) == []


def test_the_answer_says_by_how_much_the_adaptive_pool_won(tmp_path: Path) -> None:
    experiment(tmp_path)
    output = phase_answer([found(tmp_path)])
    assert output == (
        "The adaptive pool won by 12 % over the best single fixed size, fixed-100: over 2 phases it made 0.79 of each "
        "phase's best fixed size in the geometric mean, fixed-100 0.71 (one run each, so without an interval). "
        "Its worst phase was work with 0.70, 1.00 in the second half."
    )


def test_the_answer_says_that_it_lost_and_who_else_was_there(tmp_path: Path) -> None:
    experiment(tmp_path)
    add_work(tmp_path, "fixed-9", [steady("call", 99), steady("work", 198)], [CALL, WORK])
    plain = {"controller": "plain"}
    add_work(tmp_path, "fixed-1", [steady("call", 80), steady("work", 160)], [CALL, WORK], pool=plain)
    output = str(phase_answer([found(tmp_path)]))
    assert output.startswith("The adaptive pool lost by 20 % to the best single fixed size, fixed-9: over 2 phases")
    assert output.endswith("; the best of the others, fixed-1, made 0.80 over all phases.")


def test_repetitions_give_an_interval_and_may_leave_it_even(tmp_path: Path) -> None:
    experiment(tmp_path / "alike", repetitions=3, gain=(0, 3, 6))
    output = str(phase_answer([found(tmp_path / "alike")]))
    assert output.startswith("The adaptive pool won by ")
    assert "95 % interval 1." in output
    experiment(tmp_path / "apart", repetitions=3, gain=(0, 2000, -190))
    assert str(phase_answer([found(tmp_path / "apart")])).startswith("The adaptive pool came out even (")


def test_the_answer_over_several_loads_is_one(tmp_path: Path) -> None:
    for cell in ("1", "2"):
        experiment(tmp_path, cell=cell)
    (report,) = write_reports([tmp_path])
    assert report.text.startswith(
        "The adaptive pool won by 12 % over the best single fixed size, fixed-100: over 4 phases"
    )
    assert "of 2 loads" in report.text
    tables = share_tables(load_experiments([tmp_path])[0].runs)
    assert [table.title for table in tables] == ["draw 1", "draw 2"]


def test_without_an_adaptive_pool_there_is_no_such_answer(tmp_path: Path) -> None:
    for name in ("fixed-2", "fixed-100"):
        add_work(tmp_path, name, [steady("call", 10), steady("work", 7)], [CALL, WORK])
    assert phase_answer([found(tmp_path)]) is None


def test_the_table_of_the_page_and_its_csv(tmp_path: Path) -> None:
    experiment(tmp_path)
    table = share_table(found(tmp_path), {"adaptive"})
    assert table.phases == ("call (fixed-2: 100/s)", "work (fixed-100: 200/s)", "geometric mean")
    assert table.names == (("adaptive", True), ("fixed-100", False), ("fixed-2", False))
    figures = {label: rows[0] for label, _, rows in table.figures}
    assert figures == {
        "Share": ("0.90", "0.70", "0.79"),
        "Second half": ("0.90", "1.00", "0.95"),
        "95 % after": ("never", "4", ""),
    }
    assert table.csv.rows[1] == ("adaptive", "adaptive", 2, "work", "fixed-100", 200.0, 0.7, 1.0, 4.0)


def test_the_page_and_the_terminal_show_the_shares(tmp_path: Path) -> None:
    experiment(tmp_path)
    (report,) = write_reports([tmp_path])
    assert report.lines()[0].startswith("The adaptive pool won by 12 %")
    page = report.path.read_text(encoding="utf-8")
    assert "Share of each phase&#39;s best fixed size" in page
    assert "work (fixed-100: 200/s)" in page
    (table,) = share_tables(load_experiments([tmp_path])[0].runs)
    terminal = StringIO()
    draw(table, Console(width=120, file=terminal))
    assert "0.90" in terminal.getvalue()
    assert "never" in terminal.getvalue()
