"""Sentences about the sharing of work and processors: servers behind a balancer, and CPU quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkeeper.present.text import listed
from poolkeeper.report.measuring.monitor_samples import of_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.record import Run


def shared_out_sentences(runs: Sequence[Run]) -> list[str]:
    """Sentences for a reader who has not seen the project; none without a balancer and without quotas."""
    return [message for message in (_balancers(runs), _quotas(runs)) if message]


def _balancers(runs: Sequence[Run]) -> str:
    balanced = [run for run in runs if run.configuration.get("balancer")]
    if not balanced:
        return ""
    methods = dict.fromkeys(str(run.configuration["balancer"]) for run in balanced)
    numbers = sorted({int(run.configuration["back_ends"]) for run in balanced})
    names = dict.fromkeys(run.variant for run in balanced)
    killed = any("kill_after_s" in run.configuration for run in balanced)
    return (
        f"In {listed(list(names))} users reached an nginx with {listed(list(map(str, numbers)))} such "
        f"{'server' if numbers == [1] else 'servers'} behind it ({listed(list(methods))}), whose pools and processors "
        f"are counted together{'; where that is stated one of them was killed' if killed else ''}."
    )


def _quotas(runs: Sequence[Run]) -> str:
    limited = [run for run in runs if run.quotas]
    # One that was cut off does not say what it used.
    wanted = [run for run in runs if run.configuration.get("quotas") and (run.quotas or run.status == "complete")]
    if not wanted:
        return ""
    if not limited:
        return "CPU quotas were asked for and could not be set."
    server, balancer = (_cpus(limited, kind) for kind in ("server", "balancer"))
    each = f"each server {server} of a processor" if server else ""
    also = f"nginx {balancer}" if balancer else ""
    without = "" if len(limited) == len(wanted) else f"; {len(wanted) - len(limited)} of {len(wanted)} runs had none"
    return f"A CPU quota allowed {' and '.join(filter(None, (each, also)))}{without}."


def _cpus(runs: Sequence[Run], kind: str) -> str:
    found: dict[str, Any] = {}
    for run in runs:
        for name, quota in run.quotas.items():
            if of_kind(name, kind):
                found[f"{quota.cpus:g}"] = None
    return " or ".join(found)
