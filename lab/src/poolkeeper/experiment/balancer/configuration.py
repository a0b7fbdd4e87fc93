"""The configuration of an nginx that spreads requests over servers on the loopback interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Method = Literal["round-robin", "least-connections"]

READY_PATH = "/poolkeeper-balancer-ready"
"""Answered by nginx itself, so that asking for it is no request to a server."""

_DIRECTIVES: dict[Method, str | None] = {"round-robin": None, "least-connections": "least_conn;"}
_SPARE_CONNECTIONS = 64
"""For the listening sockets, the error log, the channel to the master process, and whoever asks whether it is ready."""
_KEPT_S = 30
"""An idle connection to a server is closed by nginx after this time: before the server does, whose limit is 60 s."""
_MANY_REQUESTS = 1_000_000_000
"""Never reached: users keep their connection, as they do without a balancer. nginx's own limit is 1,000."""
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@dataclass(frozen=True, slots=True)
class Balancing:
    """Configuration of nginx: its own port, those of the servers, and the most connections at once."""

    method: Method
    port: int
    servers: Sequence[int]
    users: int
    workers: int
    timeout_s: float
    """Longest silence of a server in mid-request; as long as users wait."""


def configuration(balancing: Balancing, error_log: Path, temporary: Path) -> str:
    """The text of an nginx.conf whose files all lie at `error_log` and below `temporary`.

    Connections to servers are kept, which nginx does not do by itself: without that each request would open one. A
    server that fails once is left alone for ten seconds, and a request that it did not answer goes to another, both as
    nginx does by itself.
    """
    directive = _DIRECTIVES[balancing.method]
    # All users may fall to the same worker, each of them to every server in turn; twice that, because connections that
    # are being closed count, as those of users who leave when others come.
    kept = balancing.users * len(balancing.servers)
    connections = 2 * (balancing.users + kept) + _SPARE_CONNECTIONS
    upstream = [
        "zone back_ends 256k;",  # the workers' common view of who is busy and who has failed
        *([directive] if directive else []),
        *(f"server 127.0.0.1:{port};" for port in balancing.servers),
        f"keepalive {kept};",
        f"keepalive_requests {_MANY_REQUESTS};",
        f"keepalive_timeout {_KEPT_S}s;",
    ]
    location = [
        "proxy_pass http://back_ends;",
        "proxy_http_version 1.1;",
        'proxy_set_header Connection "";',
        f"proxy_read_timeout {round(balancing.timeout_s * 1000)}ms;",
        f"proxy_send_timeout {round(balancing.timeout_s * 1000)}ms;",
    ]
    server = [
        f"listen 127.0.0.1:{balancing.port} reuseport;",
        *_block(f"location = {READY_PATH}", ["return 204;"]),
        *_block("location /", location),
    ]
    http = [
        "access_log off;",
        f"keepalive_requests {_MANY_REQUESTS};",
        *(f'{kind}_temp_path "{temporary / kind}";' for kind in _TEMPORARY),
        *_block("upstream back_ends", upstream),
        *_block("server", server),
    ]
    lines = [
        "daemon off;",
        f"worker_processes {balancing.workers};",
        f"worker_rlimit_nofile {connections + _SPARE_CONNECTIONS};",
        f'pid "{temporary / "nginx.pid"}";',
        f'error_log "{error_log}" warn;',
        *_block("events", [f"worker_connections {connections};"]),
        *_block("http", http),
    ]
    return "\n".join(lines) + "\n"


def _block(name: str, lines: Sequence[str]) -> list[str]:
    return [f"{name} {{", *(f"    {line}" for line in lines), "}"]
