"""Messages about a run behind a balancer: servers that died, and requests that were lost with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poolkeeper.experiment.balancer.backend_group import Death
    from poolkeeper.experiment.balancer.lost_requests import LostRequests

_NS = 1_000_000_000
_UNANSWERED = ("status 502", "status 504")
"""Status codes of a balancer that found no server to answer."""


def tell(
    deaths: Sequence[Death],
    by_server: Mapping[str, Mapping[str, int]],
    lost: LostRequests,
    load_began_ns: int,
    errors_by_kind: Mapping[str, int],
) -> Iterator[str]:
    """Sentences for the warnings of a run."""
    for death in deaths:
        after_s = max(0.0, (death.at_ns - load_began_ns) / _NS)
        how, _, output = death.how.partition("; ")
        meant = ", as planned" if death.meant else ""
        yield f"{death.name} {how} {after_s:.1f} s into the load{meant}{f'; {output}' if output else ''}"
    attempts = 0
    for name, kinds in by_server.items():
        attempts += sum(kinds.values())
        yield f"at {name} " + ", ".join(f"{counted(number, 'request')} {kind}" for kind, number in kinds.items())
    if lost.without_server:
        yield f"for {counted(lost.without_server, 'request')} the balancer had no server left to try"
    if attempts or lost.without_server:
        unanswered = {kind: errors_by_kind[kind] for kind in _UNANSWERED if kind in errors_by_kind}
        reasons = ", ".join(f"{kind}: {number}" for kind, number in unanswered.items())
        yield f"of these users saw {reasons or 'nothing: the balancer had another server answer them'}"
    for other in lost.others:
        yield f"the balancer said: {other}"
