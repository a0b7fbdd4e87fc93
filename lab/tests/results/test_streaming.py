"""One pass in batches finds what all of it in memory would show, in whatever files and batches it comes."""

from __future__ import annotations

import gzip
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkeeper import results
from poolkeeper.latency.digest import Digest
from poolkeeper.results import Survey
from poolkeeper.results.formats import delimited
from poolkeeper.results.tallies import Counts, Moments, Tails, distinct

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from poolkeeper.results import Results

START = 1_700_000_000_000
LABELS = ("/a", "/b", "with, comma")


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    n = 30_000
    heavy = np.where(rng.random(n) < 0.02, 20 * (rng.pareto(1.5, n) + 1), rng.lognormal(3, 0.6, n))
    return pl.DataFrame(
        {
            "timeStamp": START + np.arange(n) * 7 // 3,
            "elapsed": heavy.astype(np.int64),
            "label": rng.choice(LABELS, n),
            "success": rng.random(n) > 0.01,
            "bytes": rng.integers(1, 1000, n),
            "allThreads": rng.integers(20, 30, n),
        }
    )


@pytest.fixture(scope="module")
def file(rows: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streaming") / "all.jtl"
    rows.write_csv(path)
    return path


def same(survey: Survey, other: Survey) -> None:
    for a, b in ((survey.digest, other.digest), *((survey.groups[name], other.groups[name]) for name in survey.groups)):
        assert a.buckets.tolist() == b.buckets.tolist()
        assert a.counts.tolist() == b.counts.tolist()
        assert a.tail.tolist() == b.tail.tolist()
        assert (a.minimum, a.maximum) == (b.minimum, b.maximum)
        assert (a.mean, a.std) == pytest.approx((b.mean, b.std), rel=1e-12)
    assert survey.groups.keys() == other.groups.keys()
    assert survey.errors == other.errors
    assert (survey.first_start_ns, survey.last_end_ns) == (other.first_start_ns, other.last_end_ns)
    assert survey.series is not None
    assert other.series is not None
    for name in ("start_ns", "count", "errors", "bytes", "users", "mean_ns", "std_ns", "maximum_ns"):
        np.testing.assert_allclose(getattr(survey.series, name), getattr(other.series, name), rtol=1e-12, err_msg=name)
    for q in (0.5, 0.99):
        np.testing.assert_array_equal(survey.series.quantile(q), other.series.quantile(q))


def test_one_pass_finds_what_is_in_memory(rows: pl.DataFrame, file: Path) -> None:
    found = results.read(file)
    survey = found.survey(tail=500)
    values = rows["elapsed"].to_numpy() * 1e6
    same_digest = Digest.of(values, tail=500)
    assert survey.digest.counts.tolist() == same_digest.counts.tolist()
    assert survey.digest.tail.tolist() == same_digest.tail.tolist()
    assert (survey.digest.mean, survey.digest.std) == pytest.approx((values.mean(), values.std(ddof=1)), rel=1e-12)
    for label in LABELS:
        part = rows.filter(pl.col("label") == label)
        digest = survey.groups[label]
        assert (digest.count, survey.errors[label]) == (part.height, int((~part["success"]).sum()))
        assert digest.tail.tolist() == np.sort(part["elapsed"].to_numpy() * 1e6)[::-1][:500].tolist()
    assert survey.duration_s == ((rows["timeStamp"] + rows["elapsed"]).max() - START) / 1000  # type: ignore[operator]
    assert found.values().tolist() == values.tolist()


def test_series_hold_what_ended_in_each_second(rows: pl.DataFrame, file: Path) -> None:
    series = results.read(file).series(every=2)
    ended = ((rows["timeStamp"] + rows["elapsed"]) // 2000).to_numpy()
    values = rows["elapsed"].to_numpy() * 1e6
    assert (series.count.sum(), series.errors.sum()) == (rows.height, int((~rows["success"]).sum()))
    for k in range(len(series)):
        held = ended == series.start_ns[k] // 2_000_000_000
        assert series.count[k] == held.sum()
        if held.any():
            assert series.bytes[k] == rows["bytes"].to_numpy()[held].sum()
            assert series.users[k] == pytest.approx(rows["allThreads"].to_numpy()[held].mean())
            assert series.maximum_ns[k] == values[held].max()
            for q in (0.5, 0.9, 0.99, 1.0):
                wanted = np.quantile(values[held], q, method="inverted_cdf")
                assert abs(series.quantile(q)[k] - wanted) <= series.relative_error * wanted
    numbers, middles, counts = series.cells
    assert np.bincount(numbers, counts, len(series)).tolist() == series.count.tolist()
    assert middles.min() > 0


def parts(rows: pl.DataFrame, folder: Path, count: int) -> list[Path]:
    step = -(-rows.height // count)
    paths = [folder / f"{k}.jtl" for k in range(count)]
    for k, path in enumerate(paths):
        rows[k * step : (k + 1) * step].write_csv(path)
    return paths


def test_many_files_equal_one_and_so_do_their_surveys_merged(rows: pl.DataFrame, file: Path, tmp_path: Path) -> None:
    whole = results.read(file).survey()
    paths = parts(rows, tmp_path, 23)
    same(whole, results.read(paths).survey())
    same(whole, results.read(paths[::-1]).survey())
    surveys = [pickle.loads(pickle.dumps(results.read(path).survey())) for path in paths]  # noqa: S301 - our own
    same(whole, Survey.merged(surveys))


def test_packed_and_reencoded_files_equal_plain_ones(file: Path, tmp_path: Path) -> None:
    whole = results.read(file).survey()
    for name, text in (
        ("a.gz", gzip.compress(file.read_bytes(), 1)),
        ("b", file.read_bytes().decode().encode("utf-16")),
        ("c", file.read_bytes().replace(b"\n", b"\r\n")),
    ):
        (tmp_path / name).write_bytes(text)
        same(whole, results.read(tmp_path / name).survey())


def test_the_size_of_batches_does_not_matter(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = results.read(file).survey()
    monkeypatch.setattr(delimited, "BATCH", 777)
    same(whole, results.read(file).survey())


def test_a_cut_is_the_same_as_rows_that_were_never_there(rows: pl.DataFrame, file: Path, tmp_path: Path) -> None:
    kept = rows.filter((pl.col("label") == "/a") & pl.col("success") & (pl.col("timeStamp") >= START + 5000))
    kept.write_csv(tmp_path / "kept.jtl")
    same(results.read(file).cut(warm_up=5, label="/a", ok=True).survey(), results.read(tmp_path / "kept.jtl").survey())


@pytest.mark.parametrize("failed", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("ok", [True, False])
def test_one_pass_tells_successes_and_failures_apart(
    rows: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failed: float, *, ok: bool
) -> None:
    """No failures, some, and nothing else: the surveys are those of a pass for each, and no second pass is made."""
    path = tmp_path / "some.jtl"
    rows.with_columns(success=pl.int_range(pl.len()) % 100 >= 100 * failed).write_csv(path)
    passes: list[int] = []
    batches = delimited.Delimited.batches

    def counted(self: delimited.Delimited, *given: Any) -> Iterator[pl.DataFrame]:
        passes.append(1)
        return batches(self, *given)

    monkeypatch.setattr(delimited.Delimited, "batches", counted)
    found = results.read(path)
    whole = found.survey()
    only = found.cut(ok=ok).survey()
    assert len(passes) == 1
    alone = results.read(path).cut(ok=ok).survey()
    assert only.digest.count == alone.digest.count
    if alone.digest.count:
        same(only, alone)
    assert only.seen == whole.seen
    names = ["start_ns", "response_ns", "label", "bytes"]
    if not ok and 0 < failed < 1:  # few failures are kept as they are
        kept = found.cut(ok=ok).frame.select(names).collect()
        assert len(passes) == 2
        assert kept.equals(results.read(path).frame.filter(~pl.col("ok")).select(names).collect())
        assert found.cut().frame.select("ok").collect().height == whole.digest.count
        del passes[2:]
    assert found.cut(ok=ok).cut(label="/a").survey().digest.count == alone.groups.get("/a", Digest.empty()).count
    assert len(passes) == 3


def test_the_frame_reads_what_it_is_asked_for(rows: pl.DataFrame, file: Path) -> None:
    found: Results = results.read(file)
    lazy = found.frame.filter(pl.col("label") == "/b").group_by("ok").agg(pl.col("response_ns").sum()).sort("ok")
    wanted = rows.filter(pl.col("label") == "/b").group_by("success").agg(pl.col("elapsed").sum()).sort("success")
    assert lazy.collect()["response_ns"].to_list() == (wanted["elapsed"] * 1_000_000).to_list()
    assert found.frame.select("label").head(3).collect().height == 3


def test_too_many_values_for_memory_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolkeeper.results.results._MOST_VALUES", 1000)
    with pytest.raises(results.FileError.__mro__[1], match="too many for memory; use digest"):
        results.read(file).values()


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    batches=st.integers(1, 5),
    far=st.sampled_from([1, 10**6, 10**9]),
    step=st.sampled_from([1, 1000]),
)
def test_tallies_are_right_however_far_groups_are_apart(seed: int, batches: int, far: int, step: int) -> None:
    rng = np.random.default_rng(seed)
    groups, times = rng.integers(0, 4, 200), rng.integers(0, 50, 200) * step
    counts, moments, tails = Counts(), Moments(1), Tails(7)
    for g, t in zip(np.array_split(groups, batches), np.array_split(times, batches), strict=True):
        counts.add(g * far, t)
        moments.add(g * far, t.astype(float), None, g * far, np.ones(g.size))
        tails.add(g, t.astype(float))
        pairs = distinct(g, t, step)
        assert pairs is not None
        assert sorted(zip(np.repeat(pairs[0], pairs[2]), np.repeat(pairs[1], pairs[2]), strict=True)) == sorted(
            zip(g, t, strict=True)
        )
    keys, found = counts.packed()
    wanted, often = np.unique(np.stack([groups * far, times]), axis=1, return_counts=True)
    assert (keys >> 28).tolist() == wanted[0].tolist()
    assert found.tolist() == often.tolist()
    for row in moments.rows():
        held = times[groups * far == row[0]]
        assert row[1:].tolist() == pytest.approx(
            [held.size, held.mean(), ((held - held.mean()) ** 2).sum(), held.min(), held.max(), held.size], rel=1e-9
        )
        assert tails.kept()[1][int(row[0]) // far].tolist() == np.sort(held)[::-1][:7].tolist()


def test_names_without_end_do_not_take_memory_without_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = results.read(file).survey()
    monkeypatch.setattr("poolkeeper.results.survey.MOST_GROUPS", 2)
    found = results.read(file).survey()
    assert len(found.groups) == 2
    assert found.groups["(others)"].count == 30_000 - next(
        group.count for n, group in found.groups.items() if n[0] != "("
    )
    assert [warning.kind for warning in found.warnings] == ["groups"]
    assert found.digest.counts.tolist() == whole.digest.counts.tolist()


def test_the_tails_of_many_groups_are_shorter_and_still_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolkeeper.results.tallies._MOST_KEPT", 40)
    rng = np.random.default_rng(1)
    groups, values = rng.integers(0, 10, 5000), rng.random(5000)
    tails = Tails(100)
    for g, v in zip(np.split(groups, 10), np.split(values, 10), strict=True):
        tails.add(g, v)
    limit, kept = tails.kept()
    assert limit == 4
    for group, tail in enumerate(kept):
        assert tail.tolist() == np.sort(values[groups == group])[::-1][:4].tolist()


def test_times_between_steps_are_not_rounded() -> None:
    assert distinct(np.zeros(2, np.int64), np.array([1000, 1500]), 1000) is None
