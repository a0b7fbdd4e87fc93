"""Interface for doing many tasks, here or on a cluster."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from poolkeeper.errors import InputError, PoolkeeperError, RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LOCAL = "local"
"""Address of a cluster of processes on this machine that lasts as long as the command."""
_CONNECT = "10s"
_ANSWER = "4s"
"""Time that a scheduler may take to answer the first time."""
_RETRIES = 5
"""Attempts at a piece whose worker has died; a piece that kills that many workers is given up."""

Item = TypeVar("Item")
Found = TypeVar("Found")


class Spread(Protocol):
    """Has a function applied to many items, in any order."""

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """The index and the result of each item, as they become ready.

        An error that a person can mend is raised as it was; the others go on no further.
        """


@dataclass(frozen=True, slots=True)
class _Answer(Generic[Found]):
    """Answer of a worker: a result, or an error in words, since not every error can be sent."""

    found: Found | None = None
    error: str | None = None
    exit_code: int = 0

    def unwrap(self) -> Any:
        if self.error is None:
            return self.found
        raise (InputError if self.exit_code == InputError.exit_code else RunError)(self.error)


@dataclass(frozen=True, slots=True)
class _Guarded:
    """Work whose errors can be sent."""

    work: Callable[[Any], Any]

    def __call__(self, item: Any) -> _Answer[Any]:
        try:
            return _Answer(self.work(item))
        except PoolkeeperError as error:
            return _Answer(error=str(error), exit_code=error.exit_code)


@dataclass(frozen=True, slots=True)
class _Threads:
    pool: ThreadPoolExecutor

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        places = {self.pool.submit(work, item): place for place, item in enumerate(items)}
        for future in as_completed(places):
            yield places[future], future.result()


@dataclass(frozen=True, slots=True)
class _Cluster:
    client: Any

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        from distributed import KilledWorker, as_completed

        futures = self.client.map(_Guarded(work), list(items), pure=False)
        places = {future.key: place for place, future in enumerate(futures)}
        try:
            for future in as_completed(futures):  # type: ignore[no-untyped-call]
                place = places[future.key]
                try:
                    answer = future.result()
                except KilledWorker:
                    raise RunError(f"{items[place]}: {_RETRIES} workers of the cluster died of it") from None
                yield place, answer.unwrap()
        finally:
            self.client.cancel(futures)


@contextmanager
def on_threads(jobs: int) -> Iterator[Spread]:
    """This machine's threads, `jobs` at a time: for work that starts processes or releases the interpreter's lock."""
    if jobs < 1:
        raise InputError(f"--jobs must be at least 1, but is {jobs}")
    pool = ThreadPoolExecutor(jobs)
    try:
        yield _Threads(pool)
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def on_cluster(address: str, jobs: int | None = None) -> Iterator[Spread]:
    """A Dask cluster: that at `address`, such as tcp://10.0.0.5:8786, or `local` processes that end with the block.

    Its workers need this package and must see the same files under the same paths. Raises InputError if nobody
    answers there, for an address that is none, and for `jobs` with a cluster that is not local.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InputError("--cluster: Dask is not installed; pip install 'poolkeeper[cluster]' adds it") from error

    settings = {
        "distributed.scheduler.allowed-failures": _RETRIES,
        "distributed.comm.timeouts.connect": _CONNECT,
        "distributed.worker.daemon": True,
    }
    with dask.config.set(settings):
        if address == LOCAL:
            with _without_interruption():
                made = LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=jobs or _processors(),
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs="CRITICAL",
                )
            with made as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
                yield _Cluster(client)
            return
        if jobs is not None:
            raise InputError("--jobs: how many run at a time is up to the cluster; give it to --cluster local alone")
        try:
            client = Client(address, timeout=_ANSWER)  # type: ignore[no-untyped-call]
        except (OSError, TimeoutError) as error:
            raise InputError(f"--cluster {address}: no scheduler answers there") from error
        except (ValueError, TypeError, ImportError) as error:
            hint = f"such as tcp://127.0.0.1:8786, or {LOCAL}"
            raise InputError(f"--cluster {address}: is not an address, {hint}") from error
        with client:
            yield _Cluster(client)


@contextmanager
def _without_interruption() -> Iterator[None]:
    """Defers Ctrl-C until the end of the block; processes started in it ignore Ctrl-C and end with this one."""
    import signal
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which lets Ctrl-C through again where it is started later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _processors() -> int:
    import os

    return len(os.sched_getaffinity(0))
