"""eval/executors.py: the same work gives the same results here, in processes and on a Dask cluster, also when one dies.

The Dask tests start a real scheduler and real workers on loopback, from an environment of their own (`.venv/dask`, made
by `bash tests/run.sh`; LIBRARY_ENVS names another folder of environments). Games are played by the real engine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fakes
import library_programs

from agents import draughts_tools
from devtools.standin import StandInModel
from eval import executors, mutate
from eval.executors import WorkersLost, as_done
from eval.jobs import Job, run_job

RUN_EVAL = ROOT / "eval" / "run_eval.py"
MUTATE = ROOT / "eval" / "mutate.py"
PATIENCE = 240  # seconds after which a program is taken to hang; no test is judged by it


def twice(number: int) -> int:
    return 2 * number


def fail(number: int) -> int:
    raise ValueError(f"{number} is no good")


def die(number: int) -> int:
    os._exit(3)


def wait_long(number: int) -> int:
    time.sleep(600)
    return number


def options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    executors.add_choice(parser)
    return parser.parse_args(arguments)


# ---- here and in processes --------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", ["1", "2"])
def test_every_job_is_done_once_whoever_does_it(workers):
    with executors.chosen(options("--workers", workers)) as pool:
        assert sorted(as_done(pool, twice, range(20))) == [(number, 2 * number) for number in range(20)]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_a_job_raises_is_raised_to_who_asked(workers):
    with (
        pytest.raises(ValueError, match="1 is no good"),
        executors.chosen(options("--workers", workers)) as pool,
    ):
        list(as_done(pool, fail, [1]))


def test_one_worker_is_this_process():
    with executors.chosen(options()) as pool:
        assert list(as_done(pool, lambda _: os.getpid(), [0])) == [(0, os.getpid())]


def test_only_as_many_jobs_are_handed_out_as_the_workers_need():
    handed = []

    def jobs():
        for number in range(10):
            handed.append(number)
            yield number

    with executors.here() as pool:
        results = as_done(pool._replace(at_once=3), twice, jobs())
        next(results)
        assert handed == [0, 1, 2]


def test_worker_that_dies_is_told():
    with pytest.raises(WorkersLost, match="worker died"), executors.processes(2) as pool:
        list(as_done(pool, die, [1]))


def test_processes_are_ended_and_not_waited_for_when_the_work_is_interrupted():
    before = set(multiprocessing.active_children())
    with contextlib.suppress(KeyboardInterrupt), executors.processes(2) as pool:
        for number in range(2):
            pool.executor.submit(wait_long, number)
        raise KeyboardInterrupt
    assert set(multiprocessing.active_children()) <= before


def test_runs_in_threads_of_one_worker_keep_their_data_apart(monkeypatch):
    monkeypatch.setattr(draughts_tools, "arena", lambda request, timeout=900: fakes.answer_to(request))
    jobs = [Job("pipeline", "standin", seed, StandInModel(0.5, seed)) for seed in range(1, 9)]
    alone = [without_times(run_job(job)) for job in jobs]
    jobs = [Job("pipeline", "standin", seed, StandInModel(0.5, seed)) for seed in range(1, 9)]
    with ThreadPoolExecutor(4) as threads:
        assert [without_times(record) for record in threads.map(run_job, jobs)] == alone


# ---- the programs -----------------------------------------------------------------------------------------


def without_times(card):
    """A scorecard without what may differ between two evaluations of the same seeds."""
    if isinstance(card, dict):
        kept = {key: value for key, value in card.items() if key not in ("when", "trace", "machine")}
        return {key: without_times(value) for key, value in kept.items() if "seconds" not in key}
    return [without_times(item) for item in card] if isinstance(card, list) else card


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "ARENA_WORKERS": "1"}


def run(python: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [python, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(), timeout=PATIENCE)


EVALUATION = ("--standin", "--mistake-rate", "0.5", "--runs", "6", "--json")
MUTATION = ("--answers", "24", "--json")


@pytest.fixture(scope="module")
def one_process() -> dict:
    done = run(sys.executable, RUN_EVAL, *EVALUATION)
    assert done.returncode == 0, done.stderr
    card = json.loads(done.stdout)
    assert card["summary"][0]["invented"] == card["summary"][0]["repaired"] > 0
    return card


def test_two_processes_give_the_scorecard_of_one(one_process):
    done = run(sys.executable, RUN_EVAL, *EVALUATION, "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert without_times(json.loads(done.stdout)) == without_times(one_process)


def test_mutations_are_judged_alike_by_one_process_and_two():
    counts = [json.loads(run(sys.executable, MUTATE, *MUTATION, "--workers", workers).stdout) for workers in "12"]
    assert counts[0] == counts[1]


# ---- Dask -------------------------------------------------------------------------------------------------


def test_without_dask_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(WorkersLost, match=r"pip install -r eval/requirements-dask\.txt"),
        executors.chosen(options("--dask", "tcp://127.0.0.1:1")),
    ):
        pass


class Cluster:
    """A scheduler and its workers, as processes of this machine; `address` is where it listens."""

    def __init__(self, folder: Path) -> None:
        self.python = library_programs.python_of("dask")
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self._all: list[subprocess.Popen[bytes]] = []
        note = folder / "scheduler.json"
        self._start("scheduler", "--port", "0", "--scheduler-file", str(note))
        self.address = self._address_in(note)

    def add_worker(self, **settings: str) -> None:
        one = self._start("worker", self.address, "--no-nanny", "--nthreads", "1", "--death-timeout", "60", **settings)
        self.workers.append(one)

    def _start(self, what: str, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
        command = [
            self.python,
            "-m",
            f"distributed.cli.dask_{what}",
            *arguments,
            "--host",
            "127.0.0.1",
            "--no-dashboard",
        ]
        log = open(self.folder / f"{what}-{len(self._all)}.log", "wb")
        with log:
            process = subprocess.Popen(
                command, cwd=self.folder, env={**environment(), **settings}, stdout=log, stderr=log
            )
        self._all.append(process)
        return process

    def _address_in(self, note: Path) -> str:
        for _ in range(PATIENCE * 10):
            with contextlib.suppress(OSError, ValueError):
                return json.loads(note.read_text(encoding="utf-8"))["address"]
            time.sleep(0.1)
        raise AssertionError("the scheduler did not start")

    def stop(self) -> None:
        for process in self._all:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.stop()


@pytest.mark.loopback
def test_cluster_that_loses_a_worker_in_the_middle_gives_the_scorecard_of_one_process(cluster, tmp_path, one_process):
    cluster.add_worker()
    cluster.add_worker()
    out = tmp_path / "card.json"
    seen = []

    def kill_one() -> None:
        while not (out.exists() and (done := len(json.loads(out.read_text(encoding="utf-8"))["runs"])) >= 1):
            if program_ended.wait(0.05):
                return
        cluster.workers[0].kill()
        seen.append(done)

    program_ended = threading.Event()
    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        done = run(cluster.python, RUN_EVAL, *EVALUATION, "--dask", cluster.address, "--out", out)
    finally:
        program_ended.set()
        killer.join()
    assert done.returncode == 0, done.stderr
    assert seen and seen[0] < 6, "the worker must be killed while runs are left"
    assert without_times(json.loads(done.stdout)) == without_times(one_process)


@pytest.mark.loopback
def test_mutations_are_judged_alike_on_a_cluster(cluster):
    cluster.add_worker()
    done = run(cluster.python, MUTATE, *MUTATION, "--dask", cluster.address)
    assert done.stdout, done.stderr
    assert json.loads(done.stdout) == json.loads(run(sys.executable, MUTATE, *MUTATION).stdout)


@pytest.mark.loopback
def test_worker_without_this_project_is_told_what_it_lacks(cluster):
    cluster.add_worker(PYTHONPATH="")
    done = run(cluster.python, RUN_EVAL, *EVALUATION, "--dask", cluster.address)
    assert done.returncode == 2
    assert "cannot import this project" in done.stderr and "PYTHONPATH" in done.stderr
    assert "Traceback" not in done.stderr


def test_address_where_no_scheduler_answers_is_told():
    python = library_programs.python_of("dask")
    done = run(python, RUN_EVAL, *EVALUATION, "--dask", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert "No Dask scheduler answers at tcp://127.0.0.1:1" in done.stderr and "Traceback" not in done.stderr


def test_counts_of_mutations_do_not_depend_on_how_they_are_cut_into_jobs(monkeypatch):
    args = mutate._parser().parse_args(["--answers", "40"])
    whole = mutate.run(args)
    monkeypatch.setattr(mutate, "BATCH", 7)
    assert mutate.run(args) == whole


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
