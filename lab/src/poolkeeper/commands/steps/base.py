"""Times of a test as its options count them: from the first request of the files, whatever was cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.units import NS

if TYPE_CHECKING:
    from poolkeeper.commands.load import Load


def skipped_s(load: Load) -> float:
    """Seconds from the first request of the files to the first one that is looked at."""
    first_ns, results = load.total.survey.first_start_ns, load.total.results
    if first_ns is not None and results.is_by_name and results.first_sent_ns is not None:
        return (first_ns - results.first_sent_ns) / NS
    given = load.wanted.seconds()
    return max(given.get("warm_up", 0.0), given.get("start", 0.0))


def count_from(skipped: float) -> str:
    """Note of a table whose times do not count as options do."""
    return f"times count from the first request that is looked at: those of --from and --to are {skipped:.3g} s more"


def origin_s(load: Load) -> float:
    """Time at which the series begins, in seconds since the first request of the files; 0 without times."""
    survey = load.total.survey
    if survey.series is None or survey.first_start_ns is None:
        return 0.0
    return skipped_s(load) + (int(survey.series.start_ns[0]) - survey.first_start_ns) / NS
