"""Addresses of the processes that a server works with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backends:
    """Addresses of a database and of a downstream server; None for one that no application needs."""

    jdbc_url: str | None = None
    downstream: str | None = None
    """HOST:PORT."""
