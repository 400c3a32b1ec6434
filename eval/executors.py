"""Where work runs: here, in processes of this machine, or on a Dask cluster. One choice for every program.

Role: `add_choice` puts `--workers N` and `--dask ADDRESS` on a command line, `chosen` opens what was asked for, and
`as_done` hands out jobs and yields their results as they come. All three are `concurrent.futures.Executor`s, so
nothing else here knows which it is; jobs and results must be picklable, and functions must stand in a module.
Not here: deciding who does what. Processes are the standard library's matter, a cluster is Dask's: it gives the job of
a worker that died to another one.

Dask is optional (`python -m pip install -r eval/requirements-dask.txt`). Its workers need this project on their
PYTHONPATH, in the same version; eval/README.md shows how to start them.

    with chosen(options) as pool:
        for job, result in as_done(pool, function, jobs):
            ...
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple, TypeVar

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

GET_DASK = "--dask needs Dask: python -m pip install -r eval/requirements-dask.txt"
CONNECT_SECONDS = 10
PATIENCE_SECONDS = 10  # for a process to clear up when it is told to end
AHEAD = 2  # jobs handed out for each worker: one to do, one that waits


class WorkersLost(Exception):
    """The workers cannot be had, or died and took their jobs with them; the text says what to do."""


class Pool(NamedTuple):
    """An executor, and how many jobs it should hold at a time."""

    executor: Executor
    at_once: int


# --- The choice -------------------------------------------------------------------------------------------


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Put `--workers` and `--dask`, of which one may be given, on a command line."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--workers", type=positive, default=1, metavar="N", help="processes of this machine (1)")
    either.add_argument("--dask", metavar="ADDRESS", help="a Dask scheduler, such as tcp://10.0.0.5:8786")


def positive(text: str) -> int:
    """A whole number from 1, for a flag of a command line."""
    with contextlib.suppress(ValueError):
        if int(text) >= 1:
            return int(text)
    raise argparse.ArgumentTypeError(f"it must be a whole number from 1, not {text!r}")


def chosen(options: argparse.Namespace) -> contextlib.AbstractContextManager[Pool]:
    """What the command line asked for, to be opened by `with`. Raises WorkersLost if it cannot be had."""
    if options.dask:
        return dask(options.dask)
    return here() if options.workers == 1 else processes(options.workers)


# --- Here -------------------------------------------------------------------------------------------------


class Here(Executor):
    """Does each job at once, in this process."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done already. A person's interrupt passes through."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextlib.contextmanager
def here() -> Iterator[Pool]:
    """No other process."""
    yield Pool(Here(), 1)


# --- Processes of this machine ----------------------------------------------------------------------------


@contextlib.contextmanager
def processes(workers: int) -> Iterator[Pool]:
    """`workers` processes; when the `with` is left by an error, they are ended rather than waited for."""
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(workers, initializer=_end_when_told)
    try:
        yield Pool(executor, AHEAD * workers)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        _end(set(multiprocessing.active_children()) - others)
        raise
    executor.shutdown()


def _end(children: set[Any]) -> None:
    """Terminate processes; one that had the next job in its hands already is told again, at last it is killed."""
    for _ in range(PATIENCE_SECONDS):
        for child in children:
            child.terminate()
        for child in children:
            child.join(1)
        children = {child for child in children if child.is_alive()}
    for child in children:
        child.kill()
        while child.is_alive():  # the pool's own thread may be the one that reaps it, and say so a moment later
            child.join(0.05)


def _end_when_told() -> None:
    """In a worker: end on Ctrl-C or when terminated, without a traceback, but with the job's own clearing up."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: sys.exit(1))


# --- A Dask cluster ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def dask(address: str) -> Iterator[Pool]:
    """The workers of the Dask scheduler at `address`, as many as there are. Raises WorkersLost."""
    try:
        from distributed import Client
    except ImportError:
        raise WorkersLost(GET_DASK) from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        told = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise WorkersLost(f"No Dask scheduler answers at {address} ({told}). Is it running there?") from None
    with client:
        threads = _threads(client, address)
        yield Pool(client.get_executor(pure=False), AHEAD * threads)


def _threads(client: Any, address: str) -> int:
    """How many jobs the workers do at a time. Raises WorkersLost if there are none, or if they lack this project."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        told = f"No worker has joined the Dask scheduler at {address} within {CONNECT_SECONDS} s: start one."
        raise WorkersLost(told) from None
    try:
        client.run(_here_too)
    except Exception as error:  # Dask's own kind for what a worker could not read, with the reason in its text
        if "No module named" not in str(error):
            raise
        told = "A Dask worker cannot import this project: start it with PYTHONPATH set to the project's folder."
        raise WorkersLost(told) from None
    return sum(client.nthreads().values())


def _here_too() -> bool:
    """Runs on a worker that has this project."""
    return True


# --- Handing out ------------------------------------------------------------------------------------------


def as_done(pool: Pool, function: Callable[[Job], Outcome], jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
    """Yield (job, function(job)) for all jobs, in the order in which they are done.

    Only so many are handed out as the workers need, so that little is left over when a person interrupts.
    What a job raises is raised here; WorkersLost if its worker died and nobody could take its place.
    """
    waiting: dict[Future[Outcome], Job] = {}
    for job in jobs:
        waiting[_hand_out(pool, function, job)] = job
        if len(waiting) >= pool.at_once:
            yield from _results(waiting)
    while waiting:
        yield from _results(waiting)


def _hand_out(pool: Pool, function: Callable[[Job], Outcome], job: Job) -> Future[Outcome]:
    try:
        return pool.executor.submit(function, job)
    except RuntimeError as error:  # BrokenProcessPool is one too
        raise WorkersLost(f"The workers take no more jobs: {error}") from None


def _results(waiting: dict[Future[Outcome], Job]) -> Iterator[tuple[Job, Outcome]]:
    """The results of those that are done, waiting for at least one; they are taken out of `waiting`."""
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        yield waiting.pop(future), _result(future)


def _result(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except (BrokenProcessPool, CancelledError) as error:
        raise WorkersLost(f"A worker died ({type(error).__name__}).") from None
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's: several workers died over this one job
            raise WorkersLost(f"Dask gave a job up: {error}") from None
        raise
