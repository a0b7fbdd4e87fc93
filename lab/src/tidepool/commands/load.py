"""Result files as the analysis takes them: response times in milliseconds, whole or as digests, cut as wanted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tidepool.errors import DataError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

    from tidepool.arrays import Floats
    from tidepool.commands.progress import Progress
    from tidepool.latency.digest import Digest
    from tidepool.results import Results, Survey

MS = 1e-6
"""Milliseconds of a nanosecond."""
WHOLE = 2_000_000
"""Up to so many requests are looked at one by one; of more, digests tell all but the order within a second."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which files, what they are, and which of their requests; None leaves it to the files, or nothing out."""

    files: tuple[Path, ...]
    format: str | None = None
    unit: str | None = None
    column: str | None = None
    warm_up: str | None = None
    cool_down: str | None = None
    label: tuple[str, ...] | None = None
    group: tuple[str, ...] | None = None
    start: str | None = None
    end: str | None = None

    @classmethod
    def of(cls, files: Sequence[Path], **options: Any) -> Wanted:
        """From what the command line gives."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
        }
        return cls(tuple(files), **given)

    def to_dict(self) -> dict[str, Any]:
        """What was given, for JSON."""
        found = {name: value for name, value in asdict(self).items() if value is not None}
        return found | {"files": [str(file) for file in self.files]}

    def seconds(self) -> dict[str, float]:
        """The cuts by time in seconds; raises InputError for what is no time."""
        options = {"warm_up": "--warm-up", "cool_down": "--cool-down", "start": "--from", "end": "--to"}
        return {name: duration(text, option) for name, option in options.items() if (text := getattr(self, name))}


def duration(text: str, option: str) -> float:
    """Seconds of a time that an option gives, such as 500ms; raises InputError, which names the option, for another."""
    from tidepool.experiment.values import parse_duration

    try:
        return parse_duration(text)
    except ValueError as error:
        raise InputError(f"{option}: {error}") from None


@dataclass(frozen=True)
class Load:
    """The requests of a test that were asked for."""

    results: Results
    survey: Survey
    wanted: Wanted

    @property
    def name(self) -> str:
        """The files for a headline."""
        first, *others = (file.name for file in self.wanted.files)
        return f"{first} and {len(others)} more" if others else first

    @property
    def about(self) -> str:
        """What it is, in a few words."""
        cuts = [f"{name.replace('_', '-')} {value}" for name, value in self.wanted.to_dict().items() if name in _CUTS]
        words = [self.results.format, f"{self.count:,} {'request' if self.count == 1 else 'requests'}"]
        return " · ".join([*words, *(["only " + ", ".join(cuts)] if cuts else [])])

    @property
    def count(self) -> int:
        """How many requests there are."""
        return self.survey.digest.count

    @property
    def failed(self) -> int | None:
        """How many of them failed; None where the files do not tell."""
        return sum(self.survey.errors.values()) if self.survey.errors else None

    @cached_property
    def digest(self) -> Digest:
        """Response times in milliseconds."""
        return self.survey.digest.scaled(MS)

    @property
    def whole(self) -> bool:
        """Whether requests are looked at one by one."""
        return self.results.kind == "samples" and self.count <= WHOLE

    @cached_property
    def rows(self) -> dict[str, np.ndarray]:
        """Columns start_ns, response_ns and ok, as far as there are any, in the order in which responses came."""
        import polars as pl

        names = [name for name in ("start_ns", "response_ns", "ok") if name in self.results.columns]
        frame = self.results.frame.select(names).collect()
        if "start_ns" in names:
            frame = frame.sort(pl.col("start_ns") + pl.col("response_ns"), maintain_order=True)
        return {name: frame[name].to_numpy() for name in names}

    @cached_property
    def values(self) -> Floats:
        """Response times in milliseconds, in the order in which responses came."""
        values: Floats = self.rows["response_ns"] * MS
        return values

    @cached_property
    def ordered(self) -> Any:
        """What summaries are made of: the values, or where they are many their digest."""
        from tidepool.latency import in_order

        return in_order(self.values, name="response times") if self.whole else self.digest

    @property
    def for_fits(self) -> Any:
        """What distributions are fitted to: the values, or where they are many counts in bins."""
        return self.values if self.whole else self.digest.binned()

    @property
    def for_tails(self) -> Any:
        """What tails are judged by: the values, or where they are many the largest of them."""
        return self.values if self.whole else self.digest


_CUTS = ("warm_up", "cool_down", "label", "group", "start", "end")


def opened(wanted: Wanted, progress: Progress | None = None) -> Results:
    """The results, cut as wanted; raises InputError for a wrong file, format or cut."""
    from tidepool.results import read

    for file in wanted.files:
        if file.is_dir():
            raise InputError(f"{file}: is a folder; name the result files in it")
        if list(wanted.files).count(file) > 1:
            raise InputError(f"{file}: is given twice")

    def reached(rows: int) -> None:
        if progress is not None:
            progress.step(f"reading, {rows:,} requests")

    results = read(wanted.files, format=wanted.format, unit=wanted.unit, column=wanted.column, progress=reached)
    cuts: dict[str, Any] = dict(wanted.seconds())
    cuts |= {name: value for name in ("label", "group") if (value := getattr(wanted, name))}
    return results.cut(**cuts) if cuts else results


def load(wanted: Wanted, progress: Progress | None = None) -> Load:
    """Read what is wanted; raises InputError for what is wrong in it, and DataError where nothing is left."""
    results = opened(wanted, progress)
    survey = results.survey()
    if not survey.digest.count:
        raise DataError(f"{', '.join(map(str, wanted.files))}: holds no requests")
    return Load(results, survey, wanted)
