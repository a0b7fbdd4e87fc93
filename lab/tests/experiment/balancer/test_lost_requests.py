"""Counting in nginx's error log. The lines are those of nginx 1.22."""

from __future__ import annotations

from poolkeeper.experiment.balancer.backend_group import Death
from poolkeeper.experiment.balancer.incident_messages import tell
from poolkeeper.experiment.balancer.lost_requests import LostRequests

REQUEST = 'client: 127.0.0.1, server: , request: "GET /prime HTTP/1.1"'
AT = "2026/11/21 15:33:38"


def line(text: str, port: int | str, level: str = "error") -> str:
    where = f"127.0.0.1:{port}" if isinstance(port, int) else port
    return f'{AT} [{level}] 42#42: *7 {text}, {REQUEST}, upstream: "http://{where}/prime", host: "127.0.0.1:8080"\n'


LINES = [
    line("recv() failed (104: Connection reset by peer) while reading response header from upstream", 9001),
    line("upstream prematurely closed connection while reading response header from upstream", 9001),
    line("upstream server temporarily disabled while reading response header from upstream", 9001, "warn"),
    line("connect() failed (111: Connection refused) while connecting to upstream", 9001),
    line("upstream timed out (110: Connection timed out) while reading response header from upstream", 9002),
    line("no live upstreams while connecting to upstream", "back_ends"),
    "\n",
    f"{AT} [alert] 42#42: 1064 worker_connections are not enough\n",
    f"{AT} [alert] 42#42: *9 1064 worker_connections are not enough, client: 127.0.0.1, server: 127.0.0.1:80\n",
    "nginx: something that is not in nginx's form\n",
]


def test_attempts_are_counted_by_server_and_by_what_became_of_them() -> None:
    lost = LostRequests.read(LINES)
    assert lost.by_server == {9001: {"broke off": 2, "refused": 1}, 9002: {"timed out": 1}}
    assert lost.without_server == 1


def test_other_complaints_are_told_once_each() -> None:
    assert LostRequests.read(LINES).others == (
        "1064 worker_connections are not enough",
        "nginx: something that is not in nginx's form",
    )


def test_what_is_lost_is_named_with_its_server() -> None:
    lost = LostRequests.read(LINES[:6])
    sentences = list(tell([], {"server-1": lost.by_server[9001]}, lost, 0, {"status 502": 2, "closed": 1}))
    assert sentences == [
        "at server-1 2 requests broke off, 1 request refused",
        "for 1 request the balancer had no server left to try",
        "of these users saw status 502: 2",
    ]


def test_a_death_is_told_with_its_time_and_what_was_said_last() -> None:
    deaths = [
        Death("server-1", "ended with exit code 3; last output: out of memory", 3_250_000_000, meant=False),
        Death("server-2", "was killed by SIGKILL", 4_000_000_000, meant=True),
    ]
    assert list(tell(deaths, {}, LostRequests.read([]), 1_000_000_000, {})) == [
        "server-1 ended with exit code 3 2.2 s into the load; last output: out of memory",
        "server-2 was killed by SIGKILL 3.0 s into the load, as planned",
    ]


def test_a_balancer_that_loses_nothing_says_nothing() -> None:
    assert list(tell([], {}, LostRequests.read([]), 0, {"closed": 3})) == []
