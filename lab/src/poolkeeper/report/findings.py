"""Notes on the figures: warnings, the machine, and the charts in words."""

from __future__ import annotations

import json
import math
import re
import shlex
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number, time
from poolkeeper.present.text import listed
from poolkeeper.report.measuring.measurement import measure
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.messages import threads_on_average
from poolkeeper.report.sentences import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.experiment import Experiment
    from poolkeeper.report.summary import VariantSummary

NAMED = 6
"""Variants that the words of a chart name; of more the ends."""
SAID_ONE_BY_ONE = 3
"""Runs or variants that a warning names each; more are told in one."""


def warnings(experiment: Experiment, summaries: Sequence[VariantSummary]) -> list[str]:
    """Everything that may make the figures wrong or incomplete, one sentence each, gravest first."""
    messages = [text("warnings.broken", place=broken.place, problem=broken.problem) for broken in experiment.broken]
    messages += [text("warnings.unread", problem=problem) for problem in experiment.unread]
    records = experiment.records
    for run in records:
        if run.exported:
            messages.append(text("warnings.exported", run=run))
        elif run.status == "interrupted":
            seconds = run.load["end_s"][-1] - run.load["start_s"][0] if run.load else None
            messages.append(text("warnings.interrupted", run=run, shared=isinstance(run, Share), seconds=seconds))
        elif run.status in {"failed", "running"}:
            messages.append(text(f"warnings.{run.status}", run=run))
        elif not run.load:
            messages.append(text("warnings.no_load", run=run))
    messages += _bottlenecks(records)
    messages += _times(records)
    messages += _errors(summaries)
    messages += _own_words(records)
    return messages


def reach(summaries: Sequence[VariantSummary]) -> list[str]:
    """Reach of the verdicts, for a place where there is no page around the answer."""
    by_blocks = any(found.basis == "blocks" for summary in summaries for found in summary.comparisons.values())
    return [text("rule.few_repetitions")] if by_blocks else []


def _bottlenecks(runs: Sequence[Run]) -> list[str]:
    limited = [measured for measured in measure(runs) if measured.limited]
    own, held_up = ([measured.run for measured in limited if measured.held_up is it_was] for it_was in (False, True))
    messages = [text("warnings.bottleneck", which=_which([run.id for run in own], len(runs)))] if own else []
    if held_up:
        shares = [run.summary.cpu_share or 0.0 for run in held_up if run.summary]
        used = dict.fromkeys(number(share * 100, 2) for share in (min(shares), max(shares)))
        which = _which([run.id for run in held_up], len(runs))
        messages.append(text("warnings.held_up", which=which, used=list(used)))
    return messages


def _times(runs: Sequence[Run]) -> list[str]:
    """Clauses about the part of the load that the figures leave out, and about additional parts."""
    measured = measure(runs)
    messages = []
    for name, lengths in (
        ("left_out", [(member.run.id, member.left_out_s) for member in measured]),
        ("worked_off", [(member.run.id, member.worked_off_s) for member in measured]),
    ):
        if found := [(run, length) for run, length in lengths if length]:
            which = _which([run for run, _ in found], len(runs))
            messages.append(text(f"warnings.{name}", which=which, seconds=max(length for _, length in found)))
    return messages


def _errors(summaries: Iterable[VariantSummary]) -> list[str]:
    failing = [summary for summary in summaries if summary.errors]
    if len(failing) > SAID_ONE_BY_ONE:
        worst = max(failing, key=lambda entry: entry.errors / entry.requests)
        total, share = sum(summary.errors for summary in failing), worst.errors / worst.requests
        return [text("warnings.many_errors", total=total, share=share, who=_who(worst))]
    return [text("warnings.errors", who=_who(summary), summary=summary) for summary in failing]


def _who(summary: VariantSummary) -> str:
    return f"{summary.name}, {summary.cell}" if summary.cell else summary.name


def _own_words(runs: Sequence[Run]) -> list[str]:
    """Warnings of the runs and notes of their reader, once for texts that differ in quantities only."""
    alike: dict[str, dict[str, list[str]]] = {}
    for run in runs:
        for words in _words_of(run):
            alike.setdefault(_NUMBER.sub("#", words), {}).setdefault(words, []).append(run.id)
    return [
        text(
            "warnings.own",
            which=_which([run for ids in texts.values() for run in ids], len(runs)),
            words=_ranged(list(texts)),
        )
        for texts in alike.values()
    ]


_NUMBER = re.compile(r"((?:(?<=[\s(])[-+])?(?<![\w.,])(?<!\w-)\d+(?:[.,]\d+)*)")
"""A quantity: what follows a letter or stands behind its hyphen belongs to a name, as in `server-1` or `p99`."""


def _ranged(texts: Sequence[str]) -> str:
    """Texts that differ in quantities as one, each from its least to its greatest: "up to 1.5…167 ms"."""
    sentences = []
    for place, parts in enumerate(zip(*map(_NUMBER.split, texts), strict=True)):
        ends = sorted(set(parts), key=_value) if place % 2 else parts[:1]  # the quantities stand between the words
        sentences.append(ends[0] if len(ends) == 1 else f"{ends[0]}…{ends[-1]}")
    return "".join(sentences)


def _value(number: str) -> float:
    """Value of a number in a text; one with other marks than a decimal point in it has no decimals."""
    try:
        return float(number.replace(",", ""))
    except ValueError:
        return float(re.sub(r"[.,]", "", number))


def _words_of(run: Run) -> list[str]:
    notes = run.notes if run.status == "complete" else [note for note in run.notes if "is missing" not in note]
    messages = (*run.warnings, *(run.summary.warnings if run.summary else ()), *notes)
    return [message.rstrip(".") for message in messages if message]


def _which(ids: Sequence[str], of: int) -> str:
    """Runs by name, or their number where they are many."""
    if len(ids) == of > 1:
        return f"all {of} runs"
    return listed(ids) if len(ids) <= SAID_ONE_BY_ONE else f"{len(ids)} of {of} runs"


def environment(experiment: Experiment) -> list[tuple[str, str]]:
    """Machine and versions as (name, value); values that differ between runs are all given."""
    rows: dict[str, dict[str, None]] = {}
    for run in experiment.runs:
        machine = run.machine
        memory = f", {machine.memory_bytes / 2**30:.0f} GiB of memory" if machine.memory_bytes else ""
        model = f" ({machine.cpu_model})" if machine.cpu_model else ""
        if run.simulated:
            rows.setdefault("Time", {})["virtual time of a simulation"] = None
        rows.setdefault("Computed on" if run.simulated else "Machine", {})[
            f"{machine.cpus} processors{model}{memory}"
        ] = None
        rows.setdefault("System", {})[machine.os] = None
        for name, version in run.versions.items():
            rows.setdefault(name, {})[version] = None
    return [(name, "; ".join(values)) for name, values in rows.items()]


def configurations(experiment: Experiment) -> list[tuple[str, list[str], str, str]]:
    """Every run as (run, its warnings, command, configuration as JSON)."""
    return [
        (
            run.id,
            _words_of(run),
            shlex.join(run.command),
            json.dumps(dict(run.configuration), indent=2, ensure_ascii=False, default=str),
        )
        for run in experiment.records
    ]


def figure_words(figure: str, summaries: Sequence[VariantSummary]) -> str:
    """A chart in words: the total of each line over the whole load, or the extremes of many lines."""
    spreads = {"throughput": "throughput", "mean": "mean", "p99": "p99", "sizes": "mean_pool_size"}
    say = {"throughput": lambda value: f"{number(value)} per second", "sizes": threads_on_average}.get(figure, time)
    values = {summary.name: getattr(summary, spreads[figure]).mean for summary in summaries}
    phrases = {name: f"{name} {'not measured' if math.isnan(value) else say(value)}" for name, value in values.items()}
    ordered = sorted((name for name, value in values.items() if not math.isnan(value)), key=values.__getitem__)
    return text(
        "charts.words",
        left_out_s=max((summary.left_out_s for summary in summaries), default=0.0),
        phrases=list(phrases.values()) if len(summaries) <= NAMED else [],
        variants=len(summaries),
        ends=[phrases[ordered[0]], phrases[ordered[-1]]] if ordered else [],
    )
