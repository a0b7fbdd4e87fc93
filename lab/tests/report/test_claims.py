"""Claims of an experiment: the verdicts, and their evidence."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from experiments import STEADY, add_run, fail_all, limit_load, state, two_axes
from pydantic import ValidationError

from poolkeeper.report import write_reports
from poolkeeper.report.experiment import by_variant, cell_name, load_experiments, place_of
from poolkeeper.report.judging.claim_comparison import ClaimedCell
from poolkeeper.report.judging.claims import ClaimVerdict, judge
from poolkeeper.report.sentences import text
from poolkeeper.report.summary import counted, pairs_of
from poolkeeper.study.claims import Claim

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> list[ClaimedCell]:
    return cells_of(two_axes(tmp_path_factory.mktemp("runs") / "axes", repetitions=3))


def cells_of(folder: Path) -> list[ClaimedCell]:
    cells = load_experiments([folder])[0].cells()
    return [
        ClaimedCell(f"cell-{at}", cell_name(cell), place_of(runs[0]), by_variant(runs))
        for at, (cell, runs) in enumerate(cells.items())
    ]


def judged(cells: list[ClaimedCell], **stated: Any) -> ClaimVerdict:
    (found,) = judge([Claim.model_validate({"claim": "It is so", **stated})], cells)
    return found


BUSY = {"of": "fixed-10", "to": "fixed-2", "where": {"users": 100}}


def test_a_claim_is_confirmed_where_all_intervals_lie_in_its_range(measured: list[ClaimedCell]) -> None:
    found = judged(measured, **BUSY, above=1.2)
    assert found.verdict == "confirmed"
    assert [pair.finding for pair in found.pairs] == ["holds", "holds"]
    ratios = [1 + pair.ratio.change for pair in found.pairs]
    assert found.ratio == pytest.approx(math.sqrt(ratios[0] * ratios[1]))
    assert found.low < found.ratio < found.high
    assert "a geometric mean over 2 combinations; of 2 comparisons the claim holds in 2" in found.reason
    assert found.caveats == ()


def test_it_is_refuted_where_they_lie_outside(measured: list[ClaimedCell]) -> None:
    found = judged(measured, **BUSY, below=1.1)
    assert found.verdict == "refuted"
    assert [pair.finding for pair in found.pairs] == ["contradicted", "contradicted"]
    assert judged(measured, **BUSY, figure="mean", above=1).verdict == "refuted", "ten workers answer sooner"


def test_it_is_undecided_where_intervals_reach_over_its_ends(measured: list[ClaimedCell]) -> None:
    alone = {"of": "fixed-10", "to": "fixed-2", "where": {"users": 1}}
    ratio = judged(measured, **alone, above=0.5).ratio
    found = judged(measured, **alone, above=ratio)
    assert found.verdict == "undecided"
    assert "is open in" in found.reason


def test_an_interval_that_holds_the_bound_does_not_refute_whatever_half_of_the_comparisons_say(tmp_path: Path) -> None:
    """Of two cells one contradicts by far and one holds by far: on the whole nothing is known."""
    folder = tmp_path / "halves"
    for repetition, (cell, theirs) in product(range(3), (("a", "fixed-2"), ("b", "fixed-100"))):
        for name in ("fixed-10", theirs):
            add_run(folder, name, phases=STEADY, cell={"place": cell}, repetition=repetition)
    found = judged(cells_of(folder), of="fixed-10", to=["fixed-2", "fixed-100"], above=1.5)
    assert [pair.finding for pair in found.pairs] == ["holds", "contradicted"]
    assert found.verdict == "undecided"


@pytest.mark.parametrize(("repetitions", "verdict"), [(2, "undecided"), (3, "confirmed")])
def test_two_repetitions_decide_nothing(tmp_path: Path, repetitions: int, verdict: str) -> None:
    folder = tmp_path / "few"
    for repetition, name in product(range(repetitions), ("fixed-2", "fixed-10")):
        add_run(folder, name, phases=STEADY, repetition=repetition)
    found = judged(cells_of(folder), of="fixed-10", to="fixed-2", above=1.2)
    assert [pair.finding for pair in found.pairs] == ["holds"]
    assert found.verdict == verdict
    few = "it was measured 2 times, fewer than the 3 repetitions from which a verdict is given"
    assert (few in found.reason) == (repetitions == 2)
    within = "how steady the difference was within its runs"
    assert any(within in caveat for caveat in found.caveats) == (repetitions == 2)


def limited(folder: Path, *names: str) -> list[ClaimedCell]:
    """Three repetitions, in one of which the load generator was at its limit with these variants."""
    for repetition, name in product(range(3), ("fixed-2", "fixed-10")):
        run = add_run(folder, name, phases=STEADY, repetition=repetition)
        if repetition == 1 and name in names:
            limit_load(run)
    return cells_of(folder)


def test_what_the_load_generator_could_not_ask_for_counts_neither_for_nor_against(tmp_path: Path) -> None:
    faster = {"of": "fixed-10", "to": "fixed-2"}
    ours = limited(tmp_path / "ours", "fixed-10")
    found = judged(ours, **faster, above=1.2)
    assert (found.verdict, found.pairs[0].finding, found.high) == ("confirmed", "holds", math.inf)
    assert "(at least " in found.reason
    assert "In the comparison the load generator may have been the limit" in found.caveats[0]
    assert found.pairs[0].interval.startswith("at least ")
    assert found.pairs[0].doubt == "the load generator may have been the limit with fixed-10"
    refuted = judged(limited(tmp_path / "none"), **faster, below=20, above=10)
    assert refuted.verdict == "refuted"
    assert judged(ours, **faster, above=10, below=20).verdict == "undecided", "ten workers could perhaps do so much"
    assert judged(ours, **faster, below=1.2).verdict == "refuted", "at least so much is too much"

    theirs = limited(tmp_path / "theirs", "fixed-2")
    found = judged(theirs, **faster, above=1.2)
    assert (found.verdict, found.pairs[0].finding, found.low) == ("undecided", "open", 0.0)
    assert "(at most " in found.reason

    both = limited(tmp_path / "both", "fixed-2", "fixed-10")
    found = judged(both, **faster, above=1.2)
    assert (found.verdict, found.pairs[0].finding, found.pairs[0].interval) == ("undecided", "not counted", "")
    assert "in every comparison" in found.reason
    assert "1 of them counts for nothing" in found.caveats[0]
    assert judged(ours, **faster, figure="mean", above=1).pairs[0].finding == "not counted"


FASTER: dict[str, Any] = {"of": "fixed-10", "to": "fixed-2", "above": 1.2}


def two_places(folder: Path, *names: str) -> dict[tuple[int, str, str], Path]:
    """Three repetitions of these variants in two cells: the runs by repetition, cell and variant."""
    return {
        place: add_run(folder, place[2], phases=STEADY, cell={"place": place[1]}, repetition=place[0])
        for place in product(range(3), ("a", "b"), names)
    }


@pytest.mark.parametrize("repetitions", [1, 3])
@pytest.mark.parametrize("name", ["fixed-2", "fixed-10"])
def test_a_server_that_answered_nothing_is_not_passed_over(tmp_path: Path, name: str, repetitions: int) -> None:
    runs = two_places(tmp_path / "silent", "fixed-2", "fixed-10")
    for repetition in range(repetitions):
        fail_all(runs[repetition, "b", name])
    found = judged(cells_of(tmp_path / "silent"), **FASTER)
    assert (found.verdict, found.pairs[1].without) == ("undecided", repetitions)
    assert f"{repetitions} repetition" in found.reason
    assert "without a ratio, since the figure of one of the two is 0 or was not measured" in found.reason
    assert "has no such figure, or 0" in found.pairs[1].doubt


def test_runs_that_broke_off_count_for_nothing_and_are_counted(tmp_path: Path) -> None:
    runs = two_places(tmp_path / "failed", "fixed-2", "fixed-10")
    for repetition in range(3):
        state(runs[repetition, "b", "fixed-10"], "failed")
    found = judged(cells_of(tmp_path / "failed"), **FASTER)
    assert (found.verdict, [pair.finding for pair in found.pairs]) == ("confirmed", ["holds", "not counted"])
    assert found.reason.endswith("; 3 repetitions left out, since one of the two did not run to its end")
    assert found.pairs[1].doubt == "in 3 repetitions one of the two did not run to its end"
    for repetition in range(3):
        state(runs[repetition, "a", "fixed-2"], "interrupted")
    found = judged(cells_of(tmp_path / "failed"), **FASTER)
    assert (found.verdict, found.reason) == ("undecided", "no two of its runs that belong together ran to their end")
    for name, repetition in product(("fixed-2", "fixed-10"), range(3)):
        state(runs[repetition, "b", name], "complete")
        limit_load(runs[repetition, "b", name])
    output = judged(cells_of(tmp_path / "failed"), **FASTER).reason
    assert output.startswith("in 1, the load generator may have been the limit; in 1, no two of its runs that belong")


@pytest.mark.parametrize("name", ["fixed-2", "fixed-10"])
def test_one_run_has_no_interval_whatever_limited_it(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "one"
    for literal in ("fixed-2", "fixed-10"):
        run = add_run(folder, literal, phases=STEADY)
        if literal == name:
            limit_load(run)
    found = judged(cells_of(folder), **FASTER)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert "times that of fixed-2; it was measured once" in found.reason


def test_a_pair_that_was_repeated_more_often_does_not_weigh_more(tmp_path: Path) -> None:
    """With one repetition of three left beside fixed-100 the mean leant towards fixed-2: 2.97 (0.93 to 9.5)."""
    folder = tmp_path / "unequal"
    runs = two_places(folder, "fixed-2", "fixed-10", "fixed-100")
    claim = {"of": "fixed-10", "to": ["fixed-2", "fixed-100"], "above": 1.2}
    whole = judged(cells_of(folder), **claim)
    for repetition, place in product((1, 2), ("a", "b")):
        state(runs[repetition, place, "fixed-100"], "failed")
    found = judged(cells_of(folder), **claim)
    assert found.ratio == pytest.approx(whole.ratio, rel=0.05)
    for place in ("a", "b"):
        state(runs[0, place, "fixed-2"], "failed")
    found = judged(cells_of(folder), **claim)
    assert found.ratio == pytest.approx(whole.ratio, rel=0.05), "no repetition has both pairs"
    assert "it was measured 2 times" in found.reason


def test_sessions_that_are_shown_together_do_not_share_a_baseline(tmp_path: Path) -> None:
    """Two folders of one experiment hold the same repetitions: each run is in one pair alone."""
    for session, name in product(("one", "two"), ("fixed-2", "fixed-10")):
        add_run(tmp_path / session, name, phases=STEADY, about={"experiment": "the same"})
    (experiment,) = load_experiments([tmp_path / "one", tmp_path / "two"])
    runs = by_variant(experiment.runs)
    pairs = pairs_of(counted(runs["fixed-10"]), counted(runs["fixed-2"]))
    assert [*pairs] == [(0, 0), (0, 1)]
    assert len({measurement.run.folder for pair in pairs.values() for measurement in pair}) == 4


def test_a_star_stands_for_the_same_text_on_both_sides(measured: list[ClaimedCell]) -> None:
    stated = {"where": {"users": 100}, "above": 1.2}
    assert judged(measured, of="*-10", to="*-2", **stated).pairs == judged(measured, **BUSY, above=1.2).pairs
    claim = Claim.model_validate({"claim": "It is so", "of": "*-many", "to": ["*-1", "*-4"], "above": 1})
    variants = ["nio-many", "nio-1", "nio-4", "nio2-many", "nio2-4", "-many", "-1", "other"]
    assert [*claim.pairs(variants)] == [("nio-many", "nio-1"), ("nio-many", "nio-4"), ("nio2-many", "nio2-4")]


def test_a_range_has_two_ends(measured: list[ClaimedCell]) -> None:
    ratio = judged(measured, **BUSY, above=1).ratio
    where = {**BUSY, "where": {"users": 100, "application": "prime1m"}}
    value = judged(measured, **where, above=1).ratio
    assert judged(measured, **where, above=value * 0.8, below=value * 1.25).verdict == "confirmed"
    assert judged(measured, **where, above=value * 1.25, below=value * 1.3).verdict == "refuted"
    assert value != ratio


def test_what_was_not_run_decides_nothing(measured: list[ClaimedCell]) -> None:
    found = judged(measured, of="nio", to="fixed-2", above=1)
    assert (found.verdict, found.pairs) == ("undecided", ())
    assert "not run beside each other" in found.reason


def test_one_contradiction_keeps_a_claim_from_being_confirmed(tmp_path: Path) -> None:
    """The mean of a large and a small ratio lies above one, yet the claim does not hold everywhere."""
    folder = tmp_path / "mixed"
    for cell, ours, theirs in (
        ("a", "fixed-10", "fixed-2"),
        ("b", "fixed-10", "fixed-100"),
        ("c", "fixed-10", "fixed-2"),
    ):
        add_run(folder, ours, phases=STEADY, cell={"place": cell})
        add_run(folder, theirs, phases=STEADY, cell={"place": cell})
    found = judged(cells_of(folder), of="fixed-10", to=["fixed-2", "fixed-100"], above=1)
    kinds = [pair.finding for pair in found.pairs]
    assert kinds.count("contradicted") == 1
    assert kinds.count("holds") == 2
    assert found.verdict == "undecided"


def test_the_page_shows_claims_and_what_was_published(tmp_path: Path) -> None:
    folder = two_axes(tmp_path / "axes", repetitions=2)
    claim = "{claim: Ten <do> more, source: A paper, of: fixed-10, to: fixed-2, where: {users: 100}, above: 1.2}"
    (folder / "experiment.yaml").write_text(f"claims: [{claim}]", encoding="utf-8")
    (folder / "published.csv").write_text(
        "# facts\napplication,users,variant,throughput_per_s\n"
        "dbwrite,100,fixed-10,100\ndbwrite,100,fixed-2,50\nunseen-application,100,fixed-10,7\n",
        encoding="utf-8",
    )
    page = write_reports([folder])[0].path.read_text(encoding="utf-8")
    assert "Ten &lt;do&gt; more" in page
    assert '<span class="stamp">confirmed</span>' in page
    assert "server CPU" in page
    assert "0.50 · 0.26" in page
    assert "unseen-application" not in page


def test_published_means_stand_beside_those_measured(tmp_path: Path) -> None:
    folder = tmp_path / "means"
    for name in ("fixed-2", "fixed-10"):
        add_run(folder, name, phases=STEADY)
    (folder / "published.csv").write_text("variant,mean_ms\nfixed-2,80\nfixed-10,20\n", encoding="utf-8")
    page = write_reports([folder])[0].path.read_text(encoding="utf-8")
    assert "Beside what was published" in page
    assert "4.0 · 3.8" in page
    assert text("warnings.nothing_published") not in page


def test_a_file_beside_the_runs_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    folder = two_axes(tmp_path / "axes")
    claim = "{claim: Ten do more, of: fixed-10, to: fixed-2, where: {users: 100}, above: 1.2}"
    (folder / "experiment.yaml").write_text(f"claims: [{claim}]", encoding="utf-8")
    file = folder / "published.csv"
    file.write_text("variant,mean_ms\nfixed-2,fast\n", encoding="utf-8")
    report = write_reports([folder])[0]
    cannot = "Nothing of a file beside the runs is shown, since it cannot be read:"
    assert f"note: {cannot} {file}:2: mean_ms must be a number above 0, but is 'fast'." in report.lines()
    assert report.claims[0].startswith("undecided: Ten do more (")


def test_claims_that_cannot_be_read_are_named_on_the_page(tmp_path: Path) -> None:
    folder = two_axes(tmp_path / "axes")
    (folder / "experiment.yaml").write_text("claims: [{claim: It is so, of: a, to: b}]", encoding="utf-8")
    page = write_reports([folder])[0].path.read_text(encoding="utf-8")
    assert "experiment.yaml:1: claims: " in page
    assert "needs above or below" in page


@pytest.mark.parametrize(
    ("stated", "output"),
    [
        ({"of": "a", "to": "b"}, "needs above or below"),
        ({"of": "a", "to": "b", "above": 2, "below": 1}, "claims a ratio above 2 and below 1, which is impossible"),
        ({"of": ["a", "b"], "to": "b", "above": 1}, "compares b with itself"),
        ({"of": "*-a", "to": "b", "above": 1}, "needs one \\* in each name"),
        ({"of": "*-*", "to": "*-b", "above": 1}, "needs one \\* in each name"),
        ({"of": "a", "to": "b", "above": 0}, "greater than 0"),
        ({"of": [], "to": "b", "above": 1}, "must hold at least one value"),
        ({"of": "a", "to": "b", "above": 1, "figure": "speed"}, "Input should be 'throughput'"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(stated: dict[str, Any], output: str) -> None:
    with pytest.raises(ValidationError, match=output):
        Claim.model_validate({"claim": "It is so", **stated})
