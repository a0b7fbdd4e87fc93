"""Variants side by side: spread over repetitions, verdicts, and why there is none."""

from __future__ import annotations

import json
import math
from html import unescape
from io import StringIO
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from experiments import STEADY, add_run, demo, fail_all, limit_load, two_axes
from rich.console import Console
from synthetic import Phase

from poolkeeper.present.numbers import number
from poolkeeper.present.terminal import draw
from poolkeeper.report import write_reports
from poolkeeper.report.answer import answer
from poolkeeper.report.description import description
from poolkeeper.report.experiment import load_experiments
from poolkeeper.report.findings import figure_words, warnings
from poolkeeper.report.levels import levels
from poolkeeper.report.messages import threads
from poolkeeper.report.overview import heat_maps
from poolkeeper.report.sentences import text
from poolkeeper.report.summary import VariantSummary, variants
from poolkeeper.report.tables import variant_table
from poolkeeper.report.terminal import show

if TYPE_CHECKING:
    from pathlib import Path


def summaries(folder: Path) -> dict[str, VariantSummary]:
    return {summary.name: summary for summary in variants(load_experiments([folder])[0].runs)}


def test_figures_are_those_of_the_load_generator(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", names=("fixed-10", "fixed-100"))
    found = summaries(folder)["fixed-100"]
    wanted = json.loads((folder / "fixed-100/0/load.json").read_text(encoding="utf-8"))
    assert found.throughput.mean == pytest.approx(wanted["throughput"])
    assert found.mean.mean == pytest.approx(wanted["response"]["mean_ns"] / 1e9, rel=1e-3)
    assert found.p999.mean == pytest.approx(wanted["response"]["p999_ns"] / 1e9, rel=2e-3)
    assert (found.requests, found.errors) == (wanted["requests"], wanted["errors"])
    assert found.errors > 0
    assert found.mean_pool_size.mean == 100
    assert not found.adaptive


def test_what_was_not_shown_to_be_steady_is_marked_in_its_cell(tmp_path: Path) -> None:
    folder = tmp_path / "steady"
    until: dict[str, Any] = {"warm_up_until": "steady", "warm_up_s": 60.0}
    for name, steady in (("fixed-2", True), ("fixed-10", False), ("adaptive", None)):
        seen: dict[str, Any] = {
            "seconds": 60.0 if steady is False else 3.0 if steady is None else 31.0,
            "steady": steady,
            "throughput": [],
        }
        add_run(folder, name, phases=STEADY, about={"warm_up": seen}, **until)
    found = summaries(folder)
    assert {name: summary.not_steady for name, summary in found.items()} == {"fixed-2": 0, "fixed-10": 1, "adaptive": 0}
    terminal = StringIO()
    show(load_experiments([folder])[0], Console(width=120, file=terminal))
    drawn = terminal.getvalue()
    assert "fixed-10 (not steady)" in drawn
    assert drawn.count("not steady") == 1
    page = unescape(write_reports([folder])[0].path.read_text(encoding="utf-8"))
    assert "not steady" in page
    assert (
        "once each, after a warm-up until throughput was steady, or in 1 of 2 its longest time was over (31 to 60 s), "
        "once for all runs of a server's process" in page
    )
    assert '"not_steady_runs"' in page


def test_a_warm_up_that_ended_by_its_longest_time_is_not_called_steady(tmp_path: Path) -> None:
    folder = tmp_path / "never"
    seen = {"seconds": 7.0, "steady": False, "throughput": []}
    for name in ("fixed-2", "fixed-10"):
        add_run(folder, name, phases=STEADY, about={"warm_up": seen}, warm_up_until="steady", warm_up_s=7.0)
    output = " ".join(description(load_experiments([folder])[0]))
    assert "until throughput was steady" not in output
    assert "after a warm-up (7 s) that does not count and ended by its longest time, since throughput was" in output


def test_what_older_records_leave_out_is_said_where_the_figures_stand(tmp_path: Path) -> None:
    folder = tmp_path / "older"
    drift = {"change": 0.0, "low": -0.01, "high": 0.01, "seconds": 8, "steady": True}
    for name in ("fixed-2", "fixed-10"):
        add_run(folder, name, phases=STEADY, about={"drift": drift})
    experiment = load_experiments([folder])[0]
    found = variants(experiment.runs)
    assert figure_words("throughput", found).startswith("Over the load after its first 1.00 s: ")
    assert "In all 2 runs the first 1.00 s of the load is left out of every figure" in warnings(experiment, found)[0]


def test_too_little_data_is_not_called_no_difference(tmp_path: Path) -> None:
    folder = tmp_path / "short"
    for users in (1, 2):
        for name in ("fixed-2", "fixed-10"):
            add_run(folder, name, phases=(Phase(users, 1),), cell={"users": str(users)})
    found = variants(load_experiments([folder])[0].runs)
    assert {summary.verdict for summary in found} == {"baseline", "not compared: too short to tell the spread"}
    assert answer(found[:2]).endswith("No verdict is given (not compared: too short to tell the spread).")
    assert "no different beyond noise in 0; of 2 nothing can be told." in answer(found)


@pytest.mark.parametrize(("repetitions", "output"), [(1, "nothing"), (3, "nothing in 1 of 3 runs")])
def test_a_server_that_answered_nothing_is_compared_with_none(tmp_path: Path, repetitions: int, output: str) -> None:
    folder = tmp_path / "silent"
    for repetition, name in product(range(repetitions), ("fixed-2", "fixed-10", "fixed-100")):
        run = add_run(folder, name, repetition=repetition, phases=STEADY)
        if name == "fixed-2" and not repetition:
            fail_all(run)
    found = {summary.name: summary for summary in variants(load_experiments([folder])[0].runs)}
    assert (found["fixed-2"].verdict, found["fixed-2"].comparisons) == (f"not compared: fixed-2 answered {output}", {})
    assert found["fixed-100"].verdict.startswith("throughput ")


def test_nobody_comes_near_the_best_where_all_answered_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "silent"
    for place, name in product(("a", "b"), ("fixed-2", "fixed-10")):
        run = add_run(folder, name, phases=STEADY, cell={"place": place})
        if place == "b":
            fail_all(run)
    output = answer(variants(load_experiments([folder])[0].runs))
    assert "within 5 % of the highest throughput came fixed-10 in 1 and fixed-2 in 0." in output
    assert "Within these runs, of 1 comparison with fixed-10, throughput was higher in 0, lower in 1," in output


def test_a_complete_run_without_a_second_of_load_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    for name in ("fixed-2", "fixed-10"):
        run = add_run(folder, name, phases=STEADY)
    load = run / "load.csv"
    load.write_text(load.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    experiment = load_experiments([folder])[0]
    assert warnings(experiment, variants(experiment.runs)) == [
        "The run fixed-10/0 measured no second of load and is left out."
    ]


def test_figures_that_differ_are_told_from_the_least_to_the_greatest(tmp_path: Path) -> None:
    folder = tmp_path / "doubts"
    for repetition, seen in enumerate(("-5% (-57% to +2%)", "+2% (-63% to +67%)", "+1,057% (-9% to +162%)")):
        add_run(folder, "fixed-2", repetition=repetition, about={"warnings": [f"over 7 s it changed by {seen}"]})
    experiment = load_experiments([folder])[0]
    (output,) = warnings(experiment, variants(experiment.runs))
    assert output == "In all 3 runs: over 7 s it changed by -5…+1,057% (-63…-9% to +2…+162%)."


def test_texts_that_name_others_are_not_told_as_one(tmp_path: Path) -> None:
    folder = tmp_path / "lost"
    lost = ("server-1 50", "server-2 25", "server-2 4,100")
    for repetition, seen in enumerate(lost):
        add_run(folder, "fixed-2", repetition=repetition, about={"warnings": [f"at {seen} requests broke off"]})
    experiment = load_experiments([folder])[0]
    assert warnings(experiment, variants(experiment.runs)) == [
        "In fixed-2/0: at server-1 50 requests broke off.",
        "In fixed-2/1 and fixed-2/2: at server-2 25…4,100 requests broke off.",
    ]


@pytest.mark.parametrize(
    ("texts", "messages"),
    [
        (("p99 was 5 ms", "p99 was 12ms"), ["p99 was 5 ms", "p99 was 12ms"]),
        (("p99 was 5ms", "p90 was 12ms"), ["p99 was 5ms", "p90 was 12ms"]),
        (("io-10: 1.5 late", "io-100: 3 late"), ["io-10: 1.5 late", "io-100: 3 late"]),
        (("pool-1-thread-2 died (3)", "pool-1-thread-2 died (7)"), ["pool-1-thread-2 died (3…7)"]),
        (("fell by -5%", "fell by -12%"), ["fell by -12…-5%"]),
    ],
)
def test_a_number_is_part_of_a_name_where_it_follows_a_letter_or_its_hyphen(
    tmp_path: Path, texts: tuple[str, str], messages: list[str]
) -> None:
    folder = tmp_path / "named"
    for repetition, words in enumerate(texts):
        add_run(folder, "fixed-2", repetition=repetition, about={"warnings": [words]})
    experiment = load_experiments([folder])[0]
    assert [output.split(": ", 1)[1] for output in warnings(experiment, variants(experiment.runs))] == [
        f"{text}." for text in messages
    ]


def test_spread_is_the_range_over_repetitions(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", repetitions=3, names=("fixed-10", "adaptive"))
    found = summaries(folder)["adaptive"]
    each = [
        json.loads((folder / f"adaptive/{number}/load.json").read_text(encoding="utf-8"))["throughput"]
        for number in range(3)
    ]
    assert (found.throughput.low, found.throughput.high) == pytest.approx((min(each), max(each)))
    assert found.throughput.mean == pytest.approx(sum(each) / 3)
    assert found.complete == 3
    assert found.comparisons["throughput"].basis == "repetitions"


def test_verdicts_say_what_differs_from_the_baseline(tmp_path: Path) -> None:
    found = summaries(demo(tmp_path / "demo"))
    assert found["fixed-10"].verdict == "baseline"
    assert found["fixed-10"].comparisons == {}
    assert found["fixed-2"].verdict.startswith("throughput −68 %, mean response time ×3")
    assert found["adaptive"].comparisons["throughput"].basis == "blocks"
    assert "throughput +5" in found["adaptive"].verdict
    assert list(found) == ["fixed-2", "fixed-10", "fixed-100", "adaptive"]


@pytest.mark.parametrize(
    ("limited", "verdict", "headline"),
    [
        (
            "fixed-2",
            "open: load held up",
            "lower in 1, and no different beyond noise in 0; 1 is open (load held up in 1)",
        ),
        ("fixed-10", "throughput −74 %; mean response time and 99th percentile open: load held up", "lower in 2,"),
    ],
)
def test_what_the_load_generator_could_have_done_is_open(
    tmp_path: Path, limited: str, verdict: str, headline: str
) -> None:
    """A slower variant stays slower where the faster could do more still, but not where it could itself."""
    for place, name in product(("a", "b"), ("fixed-2", "fixed-10")):
        run = add_run(tmp_path / "limited", name, phases=STEADY, cell={"place": place})
        if (place, name) == ("a", limited):
            limit_load(run)
    found = variants(load_experiments([tmp_path / "limited"])[0].runs)
    assert found[0].verdict == verdict
    assert found[2].verdict.startswith("throughput −74 %, mean response time ×3")
    assert headline in answer(found)
    effects = variant_table(found[:2]).rows[0].effects
    assert [effect.seen for effect in effects] == [limited == "fixed-10", False, False]
    assert (effects[0].low, effects[1].high) == (0, 100) if limited == "fixed-10" else effects[0].high == 100
    assert effects[0].text.endswith(" %)" if limited == "fixed-10" else "open: load held up")
    page = unescape(write_reports([tmp_path / "limited"])[0].path.read_text(encoding="utf-8"))
    assert text("rule.open", margin=1) in page


@pytest.mark.parametrize(
    ("repetitions", "output"),
    [(2, "throughput and mean response time open: repetitions disagree"), (3, "no difference seen")],
)
def test_two_repetitions_that_contradict_each_other_decide_nothing(
    tmp_path: Path, repetitions: int, output: str
) -> None:
    """Three make the interval themselves."""
    for repetition, other in zip(range(repetitions), ("fixed-2", "fixed-100", "fixed-100"), strict=False):
        add_run(tmp_path / "demo", "fixed-10", repetition=repetition, phases=STEADY)
        add_run(tmp_path / "demo", other, repetition=repetition, phases=STEADY, about={"variant": "changing"})
    found = summaries(tmp_path / "demo")
    assert found["changing"].verdict.endswith(output)
    sentence = answer([*found.values()])
    assert ("the throughput of changing was left open (repetitions disagree)" in sentence) == (repetitions == 2)


def test_the_same_pool_under_another_name_is_no_different(tmp_path: Path) -> None:
    for repetition, seed in enumerate((11, 12, 13)):
        for name in ("fixed-10", "also-10"):
            # Other seeds: the runs differ as two runs of the same pool do.
            number = seed if name == "fixed-10" else seed + 100
            run = add_run(tmp_path / "demo", "fixed-10", repetition=number, phases=STEADY)
            document = json.loads((run / "run.json").read_text(encoding="utf-8"))
            document |= {"variant": name, "repetition": repetition}
            (run / "run.json").write_text(json.dumps(document), encoding="utf-8")
    found = summaries(tmp_path / "demo")["also-10"]
    assert found.verdict == "no difference seen"
    assert "no difference beyond noise" in answer([*summaries(tmp_path / "demo").values()])


@pytest.mark.parametrize(
    ("about", "settings", "verdict"),
    [
        ({}, {"versus": None}, "compared with none"),
        ({}, {"versus": "fixed-7"}, "not compared: fixed-7 was not run"),
        ({"status": "interrupted"}, {}, "not compared: no complete run of adaptive"),
        ({"status": "failed", "error": "the server died"}, {}, "not compared: no complete run of adaptive"),
        ({"repetition": 5}, {}, "not compared: no repetition in common with fixed-10"),
    ],
)
def test_why_there_is_no_verdict(tmp_path: Path, about: dict[str, Any], settings: dict[str, Any], verdict: str) -> None:
    add_run(tmp_path / "demo", "fixed-10", phases=STEADY, **settings)
    add_run(tmp_path / "demo", "adaptive", phases=STEADY, about=about, **settings)
    found = summaries(tmp_path / "demo")
    assert found["adaptive"].verdict == verdict
    assert "No verdict is given" in answer([*found.values()])


def test_a_baseline_that_was_interrupted_gives_no_verdict(tmp_path: Path) -> None:
    add_run(tmp_path / "demo", "fixed-10", phases=STEADY, about={"status": "interrupted"})
    add_run(tmp_path / "demo", "adaptive", phases=STEADY)
    assert summaries(tmp_path / "demo")["adaptive"].verdict == "not compared: no complete run of fixed-10"


def test_runs_of_two_seconds_are_too_short(tmp_path: Path) -> None:
    for name in ("fixed-10", "adaptive"):
        add_run(tmp_path / "demo", name, phases=(Phase(10, 1.0),))
    assert summaries(tmp_path / "demo")["adaptive"].verdict == "not compared: too short to tell the spread"


def test_an_interrupted_run_does_not_count_beside_a_complete_one(tmp_path: Path) -> None:
    add_run(tmp_path / "demo", "fixed-10", phases=STEADY)
    alone = summaries(tmp_path / "demo")["fixed-10"]
    add_run(tmp_path / "demo", "fixed-10", repetition=1, phases=STEADY, about={"status": "interrupted"})
    both = summaries(tmp_path / "demo")["fixed-10"]
    assert (both.throughput, both.complete, both.others) == (alone.throughput, 1, ("interrupted",))


def test_a_server_without_a_pool_has_no_size(tmp_path: Path) -> None:
    plain = add_run(
        tmp_path / "demo", "fixed-10", phases=STEADY, pool={"controller": "plain"}, about={"variant": "plain"}
    )
    for name in ("windows.csv", "decisions.jsonl"):
        (plain / name).unlink()
    found = summaries(tmp_path / "demo")["plain"]
    assert math.isnan(found.mean_pool_size.mean)
    assert found.throughput.mean > 0
    assert not found.adaptive


def test_the_answer_over_one_variant_claims_nothing(tmp_path: Path) -> None:
    add_run(tmp_path / "demo", "fixed-10", phases=STEADY)
    output = answer([*summaries(tmp_path / "demo").values()])
    assert output.startswith("fixed-10 served 3")
    assert output.endswith("nothing to compare it with.")
    assert answer([]) == "No run got as far as measuring a second of load. There is nothing to compare."


def test_the_answer_names_the_adaptive_pool_the_best_fixed_one_and_the_baseline(tmp_path: Path) -> None:
    found = summaries(demo(tmp_path / "demo"))
    output = answer([*found.values()])
    assert output.startswith("The adaptive pool served 386 requests per second with 31 threads on average; ")
    assert "the best fixed pool in hindsight, fixed-100, served 325 with 100 threads" in output
    assert "Against fixed-10, within these runs, the throughput of adaptive was 5" in output
    assert "its 99th percentile no different beyond noise." in output


def test_servers_of_several_architectures_are_not_called_one_server_or_pools(tmp_path: Path) -> None:
    folder = tmp_path / "architectures"
    for name, architecture in (("fixed-2", "blocking"), ("fixed-10", "nio"), ("adaptive", "nio2-actor")):
        add_run(folder, name, phases=STEADY, architecture=architecture)
    experiment = load_experiments([folder])[0]
    output = answer(variants(experiment.runs))
    assert output.startswith("adaptive, the adaptive variant, served ")
    assert "; fixed-10, the best of the others, served " in output
    assert "pool" not in output
    assert "Different servers ran with a fixed number of threads (fixed-2 and fixed-10) and with" in " ".join(
        description(experiment)
    )
    alike = tmp_path / "alike"
    for name in ("fixed-2", "adaptive"):
        add_run(alike, name, phases=STEADY, architecture="nio")
    assert " ".join(description(load_experiments([alike])[0])).count("The same server ran") == 1


def test_the_overview_shows_the_ratio_of_the_verdict(tmp_path: Path) -> None:
    """The ratios of throughput are 0.3 and 1: their geometric mean is not the ratio of the means."""
    for place, (repetition, slow) in product(("a", "b"), enumerate(("fixed-2", "fixed-10"))):
        for name, run in (("fixed-10", "fixed-10"), ("changing", slow)):
            cell, about = {"place": place}, {"id": f"{place}/{name}/{repetition}", "variant": name}
            add_run(tmp_path / name, run, repetition=repetition, phases=STEADY, cell=cell, about=about)
    runs = [run for name in ("fixed-10", "changing") for run in load_experiments([tmp_path / name])[0].runs]
    found = variants(runs)
    cells = [(cell, cell, [summary for summary in found if summary.cell == cell]) for cell in ("a", "b")]
    changing = next(summary for summary in found if summary.name == "changing")
    base = next(summary for summary in found if summary.name == "fixed-10")
    for drawn, figure in zip(heat_maps(cells), ("throughput", "mean", "p99"), strict=True):
        fields = {name: row[0].ratio for name, _, row in drawn.rows}
        assert fields == {"fixed-10": "", "changing": f"×{number(changing.comparisons[figure].change + 1)}"}
    assert changing.comparisons["throughput"].change + 1 < 0.9 * changing.throughput.mean / base.throughput.mean


def test_the_headline_names_adaptive_variants_that_come_last(tmp_path: Path) -> None:
    for place, name in product("ab", ("fixed-2", "fixed-10", "fixed-20", "fixed-50", "fixed-100", "adaptive")):
        add_run(tmp_path / "many", name, phases=(Phase(100, 4.0),), cell={"place": place})
    output = answer(variants(load_experiments([tmp_path / "many"])[0].runs))
    named = output.split("throughput came ")[1].split(". ")[0]
    assert "adaptive in 0" in named
    assert named.count(" in ") == 5


def test_each_cell_has_a_table_on_the_terminal(tmp_path: Path) -> None:
    console = Console(width=80, record=True)
    show(load_experiments([two_axes(tmp_path / "axes")])[0], console)
    lines = console.export_text().splitlines()
    assert [line for line in lines if " · " in line] == [
        "dbwrite · 1 user",
        "dbwrite · 100 users",
        "prime1m · 1 user",
        "prime1m · 100 users",
    ]
    assert sum(line.startswith("fixed-10 ") for line in lines) == 4
    assert not any("…" in line for line in lines)


@pytest.mark.parametrize(
    ("size", "output"),
    [(50.0, "50"), (49.99999, "50"), (36.87, "36.9"), (1.5, "1.50"), (math.nan, "–"), (256.0, "256")],
)
def test_a_pool_size_that_never_changed_is_whole(size: float, output: str) -> None:
    assert threads(size) == output


def test_the_table_on_the_terminal(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo")
    console = Console(width=80, record=True)
    show(load_experiments([folder])[0], console)
    output = console.export_text()
    assert "against fixed-10" in output
    assert "throughput +30 %" in output
    assert max(len(line) for line in output.splitlines()) <= 80


def test_what_limits_the_answer_stands_beside_it(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", names=("fixed-10", "fixed-100"))
    run = folder / "fixed-10/0/run.json"
    disturbed = "other processes used 1.4 of the machine's processors during the run"
    run.write_text(json.dumps(json.loads(run.read_text()) | {"warnings": [disturbed]}), encoding="utf-8")
    (written,) = write_reports([folder])
    answer, *notes, path = written.lines()
    assert answer.startswith("fixed-100 served the most requests")
    failed, *others = notes
    assert failed.startswith("note: fixed-100: 19 of ")
    assert others == [f"note: In fixed-10/0: {disturbed}.", f"note: {text('rule.few_repetitions')}"]
    assert path == f"report: {folder / 'report.html'}"
    thrice = demo(tmp_path / "thrice", names=("fixed-10", "fixed-100"), repetitions=3)
    assert text("rule.few_repetitions") not in write_reports([thrice])[0].caveats


def test_a_narrow_terminal_keeps_every_name_and_figure(tmp_path: Path) -> None:
    (experiment,) = load_experiments([demo(tmp_path / "demo")])
    console = Console(width=40, record=True)
    show(experiment, console)
    by_users = levels(experiment.runs)
    assert by_users
    draw(by_users, console)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    assert max(map(len, lines)) <= 40
    for name in ("fixed-2", "fixed-10", "fixed-100", "adaptive"):
        assert lines.count(name) == 2
    assert sum(line.startswith("  p99 ms ") for line in lines) == 4 + 4 * 2
    assert not any("…" in line for line in lines)
    assert any("against fixed-10" in line for line in lines)


def test_goodput_has_a_column_where_a_bound_is_stated(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    add_run(folder, "fixed-10", goodput_within_s=0.05)
    experiment = load_experiments([folder])[0]
    (summary,) = variants(experiment.runs)
    assert 0 < summary.goodput.mean < summary.throughput.mean
    csv = variant_table([summary]).csv
    assert csv.rows[0][csv.header.index("goodput_per_s")] == pytest.approx(summary.goodput.mean, rel=1e-5)
    assert "Goodput" in [figure.label for figure in variant_table([summary]).rows[0].figures]
    out = StringIO()
    show(experiment, Console(file=out, width=120))
    assert "goodput/s" in out.getvalue()


def test_without_a_bound_there_is_no_column_for_goodput(tmp_path: Path) -> None:
    folder = demo(tmp_path / "demo", names=("fixed-10",))
    experiment = load_experiments([folder])[0]
    assert "Goodput" not in [figure.label for figure in variant_table(variants(experiment.runs)).rows[0].figures]
    out = StringIO()
    show(experiment, Console(file=out, width=120))
    assert "goodput" not in out.getvalue()
