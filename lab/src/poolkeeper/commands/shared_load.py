"""Loading on a cluster: each worker reads one file, and their results are merged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from poolkeeper.commands.load import (
    Load,
    RequestSelection,
    apart,
    columns_in_order,
    opened,
    refuse_nothing,
    with_requests,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from poolkeeper.commands.progress import Progress
    from poolkeeper.results import Results, Survey
    from poolkeeper.results.sending_times import SendingTimes, Window
    from poolkeeper.spread import Spread


@dataclass(frozen=True, slots=True)
class Piece:
    """One file, with the times of all files' cuts; None leaves nothing out."""

    wanted: RequestSelection
    window: Window | None = None
    ok: bool | None = None
    """True for those that succeeded, False for those that failed."""
    answered: bool = False
    """Whether failed requests that nobody answered are left out."""

    def results(self) -> Results | None:
        """The requests that are left of the file; None where there is none."""
        found = self._in_time()
        if found is None or not (self.answered or self.ok is not None) or "ok" not in found.columns:
            return found
        return found.cut(ok=self.ok, answered=self.answered)

    def _in_time(self) -> Results | None:
        found = opened(self.wanted)
        if self.window is None:
            return found
        sent = found.sending_times()
        if sent is None or self.window.high_ns <= sent.first_ns or self.window.low_ns > sent.last_ns:
            return None
        return found.between(self.window, sent.ended)


def sent_between(piece: Piece) -> SendingTimes | None:
    """When the first and the last request of a file was sent, from which cuts count whatever their label or group."""
    return opened(replace(piece.wanted, label=None, group=None)).sending_times()


def surveyed(piece: Piece) -> Survey | None:
    """Surveys a file in one pass; None where nothing of it is left."""
    results = piece.results()
    return None if results is None else results.survey()


def rows_of(piece: Piece) -> dict[str, np.ndarray]:
    """The columns of a file that the analysis of single requests needs."""
    from poolkeeper.commands.load import columns

    results = piece.results()
    return {} if results is None else columns(results)


@dataclass(frozen=True, slots=True)
class RequestQuestion:
    """A question about the requests of a file."""

    question: Callable[[pl.LazyFrame], pl.DataFrame]

    def __call__(self, piece: Piece) -> pl.DataFrame | None:
        """The answer; None where nothing is left of the file."""
        results = piece.results()
        return None if results is None else self.question(results.frame)


@dataclass(frozen=True)
class SharedLoad(Load):
    """A load whose requests are read by the workers of a cluster.

    `results` say what the files are, not which requests are left: only workers cut, by their `pieces`.
    """

    spread: Spread
    pieces: tuple[Piece, ...]

    @cached_property
    def rows(self) -> dict[str, np.ndarray]:
        """See Load."""
        found = [entry for entry in in_order(self.spread, rows_of, self.pieces) if entry]
        names = [name for name in found[0] if all(name in entry for entry in found)]
        return columns_in_order({name: np.concatenate([entry[name] for entry in found]) for name in names})

    def only(self, *, ok: bool | None = None) -> SharedLoad:
        """See Load."""
        return self._of(tuple(replace(piece, ok=ok, answered=not ok) for piece in self.pieces), whole=self)

    def of_label(self, label: str) -> Load:
        """See Load."""
        pieces = self.pieces if self.whole is None else cast("SharedLoad", self.whole).pieces
        labelled = (replace(piece, wanted=replace(piece.wanted, label=(label,))) for piece in pieces)
        return apart(replace(self._of(tuple(labelled)), wanted=replace(self.wanted, label=(label,))))

    def _of(self, pieces: tuple[Piece, ...], whole: SharedLoad | None = None) -> SharedLoad:
        """The requests of other pieces."""
        from poolkeeper.results import Survey

        surveys = [survey for survey in in_order(self.spread, surveyed, pieces) if survey is not None]
        return SharedLoad(self.results, Survey.merged(surveys), self.wanted, self.spread, pieces, whole=whole)

    def asked(self, question: Callable[[pl.LazyFrame], pl.DataFrame]) -> list[pl.DataFrame]:
        """See Load."""
        return [entry for entry in in_order(self.spread, RequestQuestion(question), self.pieces) if entry is not None]

    def asked_of_failures(self, question: Callable[[pl.LazyFrame], pl.DataFrame]) -> list[pl.DataFrame]:
        """See Load; the question leaves out what did not fail."""
        return self.asked(question)


def in_order(spread: Spread, work: Any, pieces: tuple[Piece, ...], progress: Progress | None = None) -> list[Any]:
    """Results of the workers, in the order of the files."""
    found: dict[int, Any] = {}
    for place, entry in spread.each(work, pieces):
        found[place] = entry
        if progress is not None:
            progress.reached(len(found), len(pieces))
    return [found[place] for place in range(len(pieces))]


def load_with(wanted: RequestSelection, spread: Spread, progress: Progress, *, may_lack_failures: bool = False) -> Load:
    """Does as `load` does with the workers of a cluster, which must see the files under the same paths."""
    from poolkeeper.results import Survey
    from poolkeeper.results.formats.request_logs import THREADS
    from poolkeeper.results.sending_times import SendingTimes

    wanted = replace(wanted, files=tuple(file.absolute() for file in wanted.files))
    whole = replace(wanted, warm_up=None, cool_down=None, start=None, end=None)
    results = with_requests(opened(whole), wanted)
    pieces = tuple(Piece(whole.only(file)) for file in wanted.files)
    cuts = wanted.seconds()
    if cuts:
        progress.step("looking for the first and the last request")
        found = in_order(spread, sent_between, pieces, progress)
        times = SendingTimes.joined(entry for entry in found if entry is not None)
        if times is None:
            refuse_nothing(wanted)
        window = times.window(cuts)
        pieces = tuple(replace(piece, window=window) for piece in pieces)
    progress.step("reading")
    surveys = [entry for entry in in_order(spread, surveyed, pieces, progress) if entry is not None]
    if not any(survey.digest.count for survey in surveys):
        refuse_nothing(wanted, Survey.merged(surveys).warnings if surveys else ())
    survey = Survey.merged(surveys)
    # A worker sees one file, and takes those of other threads for missing; here they all are.
    threads = [finding for finding in results.parts[0].noticed if finding.kind == THREADS]
    survey = replace(survey, noted=(*threads, *(finding for finding in survey.noted if finding.kind != THREADS)))
    return apart(SharedLoad(results, survey, wanted, spread, pieces), may_lack_failures=may_lack_failures)


def load_each_with(
    wanted: RequestSelection, spread: Spread, progress: Progress, *, may_lack_failures: bool = False
) -> list[Load]:
    """Each file as a load of its own with its own cuts, all of them read by a cluster at the same time."""
    each = [replace(wanted.only(file), files=(file.absolute(),)) for file in wanted.files]
    uncut = [replace(wanted, warm_up=None, cool_down=None, start=None, end=None) for wanted in each]
    results = [with_requests(opened(wanted), wanted) for wanted in uncut]
    pieces = tuple(Piece(wanted) for wanted in each)
    progress.step("reading")
    surveys = in_order(spread, surveyed, pieces, progress)
    for selection, survey in zip(each, surveys, strict=True):
        if not survey.digest.count:
            refuse_nothing(selection, survey.warnings)
    return [
        apart(SharedLoad(result, survey, piece.wanted, spread, (piece,)), may_lack_failures=may_lack_failures)
        for result, survey, piece in zip(results, surveys, pieces, strict=True)
    ]
