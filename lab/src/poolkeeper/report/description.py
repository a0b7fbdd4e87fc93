"""The method of a measurement in sentences: load, variants, combinations, and shared work and processors."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from poolkeeper.present.text import listed
from poolkeeper.report.experiment import architecture_of, by_variant, cell_of, has_no_pool, is_adaptive
from poolkeeper.report.measuring.monitor_samples import of_kind
from poolkeeper.report.paired import slices_sentence
from poolkeeper.report.sentences import text
from poolkeeper.study.load import load_of, phases_of, requested

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.experiment import Experiment

NAMED = 6
"""Variants that the sentence on them names; more are counted."""


def description(experiment: Experiment) -> list[str]:
    """Method of the measurement, in sentences for a reader who has not seen the project."""
    runs = experiment.runs
    if all(run.exported for run in runs):
        return [text("description.exported")]
    sentences = [_load(runs), _variants(runs), *shared_out_sentences(runs), _combinations(experiment)]
    return [sentence for sentence in sentences if sentence]


def _load(runs: Sequence[Run]) -> str:
    """The load: users or requests, the application, and the levels where they are the same in all runs."""
    loads = {json.dumps(phases_of(run.configuration)): phases_of(run.configuration) for run in runs}
    phases = next(iter(loads.values())) if len(loads) == 1 else []
    lengths = {str(phase.get("seconds")).removesuffix(".0") for phase in phases}
    return text(
        "description.load",
        simulated=all(run.simulated for run in runs),
        kinds=sorted({str(load_of(run.configuration).get("users", "closed")) for run in runs}),
        thinking=any(load_of(run.configuration).get("think_time_ms") for run in runs),
        applications=list(dict.fromkeys(str(name) for run in runs if (name := run.configuration.get("application")))),
        levels=_levels(phases) if phases else "",
        each=f" for {lengths.pop()} s{' each' if len(phases) > 1 else ''}" if len(lengths) == 1 else "",
    )


def _levels(phases: Sequence[Mapping[str, Any]]) -> str:
    if all(isinstance(phase.get("rate_per_s"), int | float) for phase in phases):
        return f"{', then '.join(_sent(phase) for phase in phases)} a second"
    if all(phase.get("requests") for phase in phases) and len({str(phase.get("users")) for phase in phases}) == 1:
        return f"{_level(phases[0], 'users')} users who send {', then '.join(requested(phase) for phase in phases)}"
    users = [_level(phase, "users") for phase in phases]
    return f"{', then '.join(users)} {'user' if users == ['1'] else 'users'}"


def _sent(phase: Mapping[str, Any]) -> str:
    """The rate of a phase, with its requests where it has its own."""
    return " ".join(filter(None, (_level(phase, "rate_per_s"), requested(phase))))


def _level(phase: Mapping[str, Any], name: str) -> str:
    """The level of a phase, or its first and last level."""
    ends = (phase.get(name), phase.get("to"))
    return " to ".join(f"{end:g}" for end in ends if isinstance(end, int | float))


def _variants(runs: Sequence[Run]) -> str:
    variants = by_variant(runs)
    adaptive = [name for name, members in variants.items() if any(map(is_adaptive, members))]
    plain = [name for name, members in variants.items() if any(map(has_no_pool, members))]
    return text(
        "description.variants",
        plain=listed(plain),
        fixed=_named([name for name in variants if name not in adaptive and name not in plain]),
        adaptive=_named(adaptive),
        turns=slices_sentence(runs),
        simulated=all(run.simulated for run in runs),
        architectures=len(set(map(architecture_of, runs)) - {""}),
        variants=len(variants),
        repetitions=max(Counter((run.variant, cell_of(run)) for run in runs).values()),
        warmed=_warmed(runs),
    )


def _named(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= NAMED else f"{len(names)} variants"


def _warmed(runs: Sequence[Run]) -> str:
    """Clause about the time before the measured load, if it was alike in all runs."""
    if {run.configuration.get("warm_up_until") for run in runs} == {"steady"}:
        tested = [run.warm_up for run in runs if run.warm_up is not None and run.warm_up.steady is not None]
        lengths = sorted(warm_up.seconds for warm_up in tested)
        return text(
            "description.warmed_until_steady",
            seconds=list(dict.fromkeys(f"{end:.0f}" for end in (*lengths[:1], *lengths[-1:]))),
            shared=len(tested) < len(runs),
            doubtful=sum(not warm_up.steady for warm_up in tested),
            tested=len(tested),
        )
    warm_ups = {run.configuration.get("warm_up_s") for run in runs}
    warm_up = warm_ups.pop() if len(warm_ups) == 1 else None
    return text("description.warmed_for", seconds=warm_up) if isinstance(warm_up, int | float) and warm_up else ""


def _combinations(experiment: Experiment) -> str:
    """Of which axes the cells are the combinations, and whether all of these, with all variants, were measured."""
    cells = experiment.cells()
    if len(cells) == 1:
        return ""
    axes: dict[str, dict[str, None]] = {}
    for cell in cells:
        for axis, value in cell:
            axes.setdefault(axis, {})[value] = None
    variants = {run.variant for run in experiment.runs}
    return text(
        "description.combinations",
        done="simulated" if experiment.simulated else "measured",
        axes=[f"{axis} ({listed(list(values))})" for axis, values in axes.items()],
        possible=math.prod(map(len, axes.values())),
        cells=len(cells),
        whole=all({run.variant for run in members} == variants for members in cells.values()),
    )


def shared_out_sentences(runs: Sequence[Run]) -> list[str]:
    """Sentences about servers behind a balancer and about CPU quotas; none without either."""
    return [sentence for sentence in (_balancers(runs), _quotas(runs)) if sentence]


def _balancers(runs: Sequence[Run]) -> str:
    balanced = [run for run in runs if run.configuration.get("balancer")]
    if not balanced:
        return ""
    return text(
        "description.balancers",
        names=list(dict.fromkeys(run.variant for run in balanced)),
        numbers=list(map(str, sorted({int(run.configuration["back_ends"]) for run in balanced}))),
        methods=list(dict.fromkeys(str(run.configuration["balancer"]) for run in balanced)),
        killed=any("kill_after_s" in run.configuration for run in balanced),
    )


def _quotas(runs: Sequence[Run]) -> str:
    limited = [run for run in runs if run.quotas]
    # One that was cut off does not say what it used.
    wanted = [run for run in runs if run.configuration.get("quotas") and (run.quotas or run.status == "complete")]
    if not wanted:
        return ""
    if not limited:
        return text("description.no_quotas")
    server, balancer = (_cpus(limited, kind) for kind in ("server", "balancer"))
    without = len(wanted) - len(limited)
    return text("description.quotas", server=server, balancer=balancer, without=without, wanted=len(wanted))


def _cpus(runs: Sequence[Run], kind: str) -> str:
    quotas = [quota for run in runs for name, quota in run.quotas.items() if of_kind(name, kind)]
    return " or ".join(dict.fromkeys(f"{quota.cpus:g}" for quota in quotas))
