"""Names that an experiment may use for parts of the testbed and the library."""

from __future__ import annotations

APPLICATIONS = (
    *("prime1m", "prime10m", "prime", "dbwrite", "dbread"),
    *("io-10", "io-1024", "cpu-11", "cpu-541", "cpu-27059", "cpu-66601", "cpu-1303031"),
    *("memory-10", "memory-1000", "db"),
    *("call", "call20", "call400", "report", "hot-rows", "cpu", "lock"),
)
"""Names that io.poolkeeper.testbed.applications.Applications serves."""
WITH_DATABASE = frozenset({"dbwrite", "dbread", "db", "hot-rows"})
WITH_DOWNSTREAM = frozenset({"call", "call20", "call400"})
"""Those that call a downstream server."""
OUT_OF_MEMORY = frozenset({"report"})
"""Those whose requests may run out of memory, which the server outlives."""

ARCHITECTURES = (
    *("blocking", "blocking-disruptor", "blocking-actor"),
    *("nio", "nio-disruptor", "nio-actor"),
    *("nio2", "nio2-disruptor", "nio2-actor"),
    *("seda-queue", "seda-disruptor", "seda-actor"),
    *("netty", "netty-queue", "plain-netty", "virtual", "virtual-limiter"),
)
"""Names of io.poolkeeper.testbed.servers.architectures.Architecture: docs/architectures.md."""
WITHOUT_HANDLERS = frozenset({"nio", "nio2", "netty", "plain-netty", "virtual"})
"""Those whose readers process."""
NO_HANDLERS = "none"
"""Placeholder for the number of handlers in parts, in --only and in tables."""
ADAPTIVE = "adaptive"
"""Handlers whose number the library finds, with its own choice of a controller."""
ADAPTIVE_CONTROLLER = "response-curve"
COLLECTORS = {"g1": "-XX:+UseG1GC", "parallel": "-XX:+UseParallelGC", "serial": "-XX:+UseSerialGC"}
"""Garbage collectors by name, each with the option that chooses it."""

FIXED = "fixed"
PLAIN = "plain"
"""A server without a pool."""
OPEN_LIBERTY = "open-liberty"
"""A server on the executor of Open Liberty, which sizes itself."""
NETFLIX = ("netflix-vegas", "netflix-gradient2", "netflix-windowed-gradient2", "netflix-aimd")
"""Limits of Netflix concurrency-limits as published: as a pool that they size, or in front of a server."""
ADMISSIONS = ("none", "adaptive", "fixed:N", *NETFLIX, "failsafe-style")
"""Limits in front of a server: what its option --admission takes."""
STEADY = "steady"
"""A warm-up that ends when throughput is steady."""
STEPPING = ("throughput", "mean-latency", "p99-latency")
"""Controllers that take step, threshold and lock."""
