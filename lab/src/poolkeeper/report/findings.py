"""Notes beside the figures: the method, the machine, and what went wrong."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number, time
from poolkeeper.present.text import listed
from poolkeeper.report.experiment import architecture_of, by_variant, cell_of, has_no_pool, is_adaptive
from poolkeeper.report.load_sentence import load_sentence
from poolkeeper.report.measuring.measurement import measure
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.messages import FEW_REPETITIONS, threads_on_average
from poolkeeper.report.paired import slices_sentence
from poolkeeper.report.sharing import shared_out_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.experiment import Experiment
    from poolkeeper.report.summary import VariantSummary

NAMED = 6
"""Variants that the opening names; more are counted."""
SAID_ONE_BY_ONE = 3
"""Runs or variants that a warning names each; more are told in one."""


def warnings(experiment: Experiment, summaries: Sequence[VariantSummary]) -> list[str]:
    """Everything that may make the figures wrong or incomplete, one sentence each, gravest first."""
    messages = [
        f"The run {broken.place} cannot be read and is left out: {broken.problem}." for broken in experiment.broken
    ]
    messages += [
        f"Nothing of a file beside the runs is shown, since it cannot be read: {text}." for text in experiment.unread
    ]
    records = experiment.records
    for run in records:
        if run.status == "failed":
            messages.append(f"The run {run.id} failed: {(run.error or 'it does not say why').rstrip('.')}.")
        elif run.status == "interrupted":
            messages.append(f"The run {run.id} was interrupted{_interrupted(run)}.")
        elif run.status == "running":
            messages.append(f"The run {run.id} was still running, or was killed, when this report was made.")
        elif not run.load:
            messages.append(f"The run {run.id} measured no second of load and is left out.")
    messages += _bottlenecks(records)
    messages += _times(records)
    messages += _errors(summaries)
    messages += _own_words(records)
    return messages


def reach(summaries: Sequence[VariantSummary]) -> list[str]:
    """Reach of the verdicts, for a place where there is no page around the answer."""
    by_blocks = any(found.basis == "blocks" for summary in summaries for found in summary.comparisons.values())
    return [FEW_REPETITIONS] if by_blocks else []


def _interrupted(run: Run) -> str:
    if isinstance(run, Share):
        return "; its verdicts rest on the slices that were finished"
    return f"{_lasted(run)}; no verdict rests on it"


def _lasted(run: Run) -> str:
    return f" after {run.load['end_s'][-1] - run.load['start_s'][0]:.0f} s of load" if run.load else ""


def _bottlenecks(runs: Sequence[Run]) -> list[str]:
    consequence = "the server could perhaps do more than is shown"
    limited = [measured for measured in measure(runs) if measured.limited]
    own, held_up = ([measured.run.id for measured in limited if measured.held_up is it_was] for it_was in (False, True))
    messages = []
    if own:
        messages.append(
            f"In {_which(own, len(runs))} the load generator itself may have been the bottleneck: {consequence}."
        )
    if held_up:
        shares = [
            measured.run.summary.cpu_share or 0.0 for measured in limited if measured.held_up and measured.run.summary
        ]
        used = " to ".join(dict.fromkeys(f"{number(share * 100, 2)}" for share in (min(shares), max(shares))))
        messages.append(
            f"In {_which(held_up, len(runs))} the load generator was held up, though it used {used} % of a processor "
            f"only: other work on the machine, or processors that it shares with the server, can be why; {consequence}."
        )
    return messages


def _times(runs: Sequence[Run]) -> list[str]:
    """Clauses about the part of the load that the figures leave out, and what they hold beyond it."""
    measured = measure(runs)
    messages = []
    if cut := [measurement for measurement in measured if measurement.left_out_s]:
        seconds = max(measured.left_out_s for measured in cut)
        messages.append(
            f"In {_which([measured.run.id for measured in cut], len(runs))} the first {time(seconds)} of the load is "
            "left out of every figure: the load generator changed over from the warm-up in it."
        )
    if late := [measurement for measurement in measured if measurement.worked_off_s]:
        longest = max(measured.worked_off_s for measured in late)
        messages.append(
            f"In {_which([measured.run.id for measured in late], len(runs))} answering what was under way took up "
            f"to {time(longest)} after the last user had left: figures over the whole load hold that, those of phases "
            "do not."
        )
    return messages


def _errors(summaries: Iterable[VariantSummary]) -> list[str]:
    failing = [summary for summary in summaries if summary.errors]
    consequence = "failed requests count neither as throughput nor in response times"
    if len(failing) > SAID_ONE_BY_ONE:
        worst = max(failing, key=lambda entry: entry.errors / entry.requests)
        share = number(worst.errors / worst.requests * 100, 2)
        total = sum(summary.errors for summary in failing)
        return [f"{total:,} requests failed, at most {share} % of a variant's ({_who(worst)}); {consequence}."]
    return [
        f"{_who(summary)}: {summary.errors:,} of {summary.requests:,} requests failed; {consequence}."
        for summary in failing
    ]


def _who(summary: VariantSummary) -> str:
    return f"{summary.name}, {summary.cell}" if summary.cell else summary.name


def _own_words(runs: Sequence[Run]) -> list[str]:
    """Warnings of the runs and notes of their reader, once for texts that differ in quantities only."""
    alike: dict[str, dict[str, list[str]]] = {}
    for run in runs:
        for text in _words_of(run):
            alike.setdefault(_NUMBER.sub("#", text), {}).setdefault(text, []).append(run.id)
    return [
        f"In {_which([run for ids in texts.values() for run in ids], len(runs))}: {_ranged(list(texts))}."
        for texts in alike.values()
    ]


_NUMBER = re.compile(r"((?:(?<=[\s(])[-+])?(?<![\w.,])(?<!\w-)\d+(?:[.,]\d+)*)")
"""A quantity: what follows a letter or stands behind its hyphen belongs to a name, as in `server-1` or `p99`."""


def _ranged(texts: Sequence[str]) -> str:
    """Texts that differ in quantities as one, each from its least to its greatest: "up to 1.5…167 ms"."""
    words = [_NUMBER.split(text) for text in texts]
    sentences = []
    for place, parts in enumerate(zip(*words, strict=True)):
        ends = sorted(set(parts), key=_value) if place % 2 else parts[:1]  # the quantities stand between the words
        sentences.append(ends[0] if len(ends) == 1 else f"{ends[0]}…{ends[-1]}")
    return "".join(sentences)


def _value(text: str) -> float:
    """Value of a number in a text; one with other marks than a decimal point in it has no decimals."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return float(re.sub(r"[.,]", "", text))


def _words_of(run: Run) -> list[str]:
    notes = run.notes if run.status == "complete" else [note for note in run.notes if "is missing" not in note]
    messages = (*run.warnings, *(run.summary.warnings if run.summary else ()), *notes)
    return [text.rstrip(".") for text in messages if text]


def _which(ids: Sequence[str], of: int) -> str:
    """Runs by name, or their number where they are many."""
    if len(ids) == of > 1:
        return f"all {of} runs"
    return listed(ids) if len(ids) <= SAID_ONE_BY_ONE else f"{len(ids)} of {of} runs"


def description(experiment: Experiment) -> list[str]:
    """Method of the measurement, in sentences for a reader who has not seen the project."""
    runs = experiment.runs
    messages = [load_sentence(runs), _variants_sentence(runs), *shared_out_sentences(runs)]
    if sentence := _combinations_sentence(experiment):
        messages.append(sentence)
    return [sentence for sentence in messages if sentence]


def _combinations_sentence(experiment: Experiment) -> str:
    """Of which axes the cells are the combinations, and whether all of these, with all variants, were measured."""
    cells = experiment.cells()
    if len(cells) == 1:
        return ""
    axes: dict[str, dict[str, None]] = {}
    for cell in cells:
        for axis, value in cell:
            axes.setdefault(axis, {})[value] = None
    done = "simulated" if experiment.simulated else "measured"
    combinations = f"of {listed([f'{axis} ({listed(list(values))})' for axis, values in axes.items()])}"
    variants = {run.variant for run in experiment.runs}
    possible = math.prod(map(len, axes.values()))
    whole = all({run.variant for run in members} == variants for members in cells.values())
    if len(cells) == possible and whole:
        return f"Everything was {done} for each combination {combinations}."
    without = "" if whole else ", not each of them with all variants"
    return f"Of the {possible} combinations {combinations} {len(cells)} were {done}{without}."


def _variants_sentence(runs: Sequence[Run]) -> str:
    variants = by_variant(runs)
    adaptive = [name for name, members in variants.items() if any(map(is_adaptive, members))]
    plain = [name for name, members in variants.items() if any(map(has_no_pool, members))]
    fixed = [name for name in variants if name not in adaptive and name not in plain]
    kinds = []
    if plain:
        kinds.append(f"without a pool ({listed(plain)})")
    if fixed:
        kinds.append(f"with a fixed number of threads ({_named(fixed)})")
    if adaptive:
        kinds.append(f"with a pool that a controller resizes while it runs ({_named(adaptive)})")
    repetitions = Counter((run.variant, cell_of(run)) for run in runs)
    most = max(repetitions.values())
    times = "once" if most == 1 else f"{most} times"
    what = "model" if all(run.simulated for run in runs) else "server"
    what = f"The same {what}" if len(set(map(architecture_of, runs)) - {""}) <= 1 else f"Different {what}s"
    if sentence := slices_sentence(runs):
        return f"One server ran {listed(kinds)} in turn{_warmed(runs)}. {sentence}"
    return f"{what} ran {listed(kinds)}, {times}{' each' if len(variants) > 1 else ''}{_warmed(runs)}."


def _warmed(runs: Sequence[Run]) -> str:
    """Sentence about the time before the measured load, if it was alike in all runs."""
    if {run.configuration.get("warm_up_until") for run in runs} == {"steady"}:
        tested = [run.warm_up for run in runs if run.warm_up is not None and run.warm_up.steady is not None]
        ends = (
            dict.fromkeys(f"{end([warm_up.seconds for warm_up in tested]):.0f}" for end in (min, max)) if tested else ()
        )
        span = f" ({' to '.join(ends)} s)" if ends else ""
        shared = ", once for all runs of a server's process" if len(tested) < len(runs) else ""
        doubtful = sum(not warm_up.steady for warm_up in tested)
        ended = f", or in {doubtful} of {len(tested)} its longest time was over" if doubtful else ""
        if tested and doubtful == len(tested):
            return (
                f", after a warm-up{span}{shared} that does not count and ended by its longest time, since throughput "
                f"was not shown to be steady"
            )
        return f", after a warm-up until throughput was steady{ended}{span}{shared}, which does not count"
    warm_ups = {run.configuration.get("warm_up_s") for run in runs}
    warm_up = warm_ups.pop() if len(warm_ups) == 1 else None
    counts = isinstance(warm_up, int | float) and warm_up
    return f", after a warm-up of {warm_up:g} s that does not count" if counts else ""


def _named(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= NAMED else f"{len(names)} variants"


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
    """A chart in words: what each line came to over the whole load, or the ends of many."""

    def value(summary: VariantSummary) -> float:
        spreads = {
            "throughput": summary.throughput,
            "mean": summary.mean,
            "p99": summary.p99,
            "sizes": summary.mean_pool_size,
        }
        return spreads[figure].mean

    def text_of(summary: VariantSummary) -> str:
        if math.isnan(value(summary)):
            return f"{summary.name} not measured"
        if figure in {"mean", "p99"}:
            return f"{summary.name} {time(value(summary))}"
        if figure == "throughput":
            return f"{summary.name} {number(value(summary))} per second"
        return f"{summary.name} {threads_on_average(value(summary))}"

    left_out_s = max((summary.left_out_s for summary in summaries), default=0.0)
    over = f"Over the load after its first {time(left_out_s)}" if left_out_s else "Over the whole load"
    if len(summaries) <= NAMED:
        return f"{over}: {'; '.join(map(text_of, summaries))}."
    ordered = sorted((summary for summary in summaries if not math.isnan(value(summary))), key=value)
    ends = f": from {text_of(ordered[0])} to {text_of(ordered[-1])}" if ordered else " nothing measured"
    return f"{over}, {len(summaries)} variants{ends}."
