"""What an experiment set out to confirm or refute: the verdicts, and what they rest on."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from experiments import STEADY, add_run, limit_load, two_axes
from pydantic import ValidationError

from tidepool.experiment.definition.claims import Claim
from tidepool.report import write_reports
from tidepool.report.experiment import by_variant, cell_name, load_experiments, place_of
from tidepool.report.judging.claims import ClaimedCell, Judged, judge

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


def judged(cells: list[ClaimedCell], **stated: Any) -> Judged:
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


def test_a_star_stands_for_the_same_text_on_both_sides(measured: list[ClaimedCell]) -> None:
    stated = {"where": {"users": 100}, "above": 1.2}
    assert judged(measured, of="*-10", to="*-2", **stated).pairs == judged(measured, **BUSY, above=1.2).pairs
    claim = Claim.model_validate({"claim": "It is so", "of": "*-many", "to": ["*-1", "*-4"], "above": 1})
    variants = ["nio-many", "nio-1", "nio-4", "nio2-many", "nio2-4", "-many", "-1", "other"]
    assert [*claim.pairs(variants)] == [("nio-many", "nio-1"), ("nio-many", "nio-4"), ("nio2-many", "nio2-4")]


def test_a_range_has_two_ends(measured: list[ClaimedCell]) -> None:
    ratio = judged(measured, **BUSY, above=1).ratio
    where = {**BUSY, "where": {"users": 100, "application": "prime1m"}}
    one = judged(measured, **where, above=1).ratio
    assert judged(measured, **where, above=one * 0.8, below=one * 1.25).verdict == "confirmed"
    assert judged(measured, **where, above=one * 1.25, below=one * 1.3).verdict == "refuted"
    assert one != ratio


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


def test_claims_that_cannot_be_read_are_named_on_the_page(tmp_path: Path) -> None:
    folder = two_axes(tmp_path / "axes")
    (folder / "experiment.yaml").write_text("claims: [{claim: It is so, of: a, to: b}]", encoding="utf-8")
    page = write_reports([folder])[0].path.read_text(encoding="utf-8")
    assert "experiment.yaml:1: claims: " in page
    assert "needs above or below" in page


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"of": "a", "to": "b"}, "needs above or below"),
        ({"of": "a", "to": "b", "above": 2, "below": 1}, "claims a ratio above 2 and below 1, which none is"),
        ({"of": ["a", "b"], "to": "b", "above": 1}, "compares b with itself"),
        ({"of": "*-a", "to": "b", "above": 1}, "needs one \\* in each name"),
        ({"of": "*-*", "to": "*-b", "above": 1}, "needs one \\* in each name"),
        ({"of": "a", "to": "b", "above": 0}, "greater than 0"),
        ({"of": [], "to": "b", "above": 1}, "must hold at least one value"),
        ({"of": "a", "to": "b", "above": 1, "figure": "speed"}, "Input should be 'throughput'"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(stated: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Claim.model_validate({"claim": "It is so", **stated})
