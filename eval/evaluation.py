"""One evaluation from its settings to its scorecard: which jobs there are, and what is kept while they are done.

Role: `evaluate(options)` hands the jobs out and keeps the scorecard whole after each, so that one that was interrupted
can be gone on with; traces of failures are kept beside it. Not here: reading arguments (run_eval.py), a single run
(jobs.py), counting (scorecard.py), workers (executors.py).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentkit import model_from_env
from agentkit.files import write_whole
from agents import draughts_tools
from agents.program import WrongUse
from agents.progress import progress_line
from devtools.standin import StandInModel
from eval import executors, picture, scorecard
from eval.jobs import Job, key_of, run_job

ENGINE_CHECK_SECONDS = 20
DRAUGHTS = ("pipeline", "manager")  # the suites that need the engine, and where the stand-in invents numbers

Card = dict[str, Any]


# --- The jobs ---------------------------------------------------------------------------------------------


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """What a scorecard must have in common with the one that it goes on with. Raises AgentkitError, ValueError."""
    if options.standin:
        rate = StandInModel(options.mistake_rate).mistake_rate  # the environment's unless given
        return {"standin": True, "mistake_rate": rate, "models": {"standin": {"provider": "standin"}}}
    models = [model_from_env(name) for name in options.models or [None]]
    return {"standin": False, "mistake_rate": 0.0, "models": {model.model: model.describe() for model in models}}


def _jobs(options: argparse.Namespace, settings: dict[str, Any]) -> Iterator[Job]:
    """Every job, seed by seed, so that an evaluation that is interrupted has whole pairs."""
    for seed in range(options.seed, options.seed + options.runs):
        for suite in options.suites:
            for name, described in settings["models"].items():
                yield Job(suite, name, seed, _model(suite, name, seed, settings, described))


def _model(suite: str, name: str, seed: int, settings: dict[str, Any], described: dict[str, Any]) -> Any:
    """A fresh model for one run. A language model decodes with the run's seed, unless AGENT_SEED fixes one."""
    if not settings["standin"]:
        return model_from_env(name, seed=described.get("seed", seed))
    if suite == "study":
        return None  # the planner's own rules are its stand-in
    return StandInModel(settings["mistake_rate"] if suite in DRAUGHTS else 0.0, seed)


# --- The evaluation ---------------------------------------------------------------------------------------


class Keeper:
    """Takes each record as it comes: keeps the scorecard whole after each, and beside it the traces of failures.

    With `all_traces`, those of every run.
    """

    def __init__(self, card: Card, out: Path | None, all_traces: bool = False) -> None:
        self.card = card
        self.out = out
        self.all_traces = all_traces
        self.runs = list(card["runs"])
        self._traces = out.with_suffix("").with_name(f"{out.stem}-traces") if out else None

    def take(self, record: dict[str, Any]) -> None:
        """Add one record, and keep its trace if it is to be kept."""
        text = record["trace"]
        wanted = text and (self.all_traces or not record["passed"])
        record["trace"] = self._kept(record, text) if wanted else None
        self.runs.append(record)
        if self.out:
            self.card = scorecard.with_runs(self.card, self.runs)
            scorecard.save(self.card, self.out)

    def _kept(self, record: dict[str, Any], text: str) -> str:
        if self._traces is None:
            self._traces = Path(tempfile.mkdtemp(prefix="draughts-eval-traces-"))
        model = "".join(letter if letter.isalnum() or letter in "-._" else "-" for letter in record["model"])
        path = self._traces / f"{record['suite']}-{model}-seed-{record['seed']}.jsonl"
        write_whole(path, text)
        return path.relative_to(self.out.parent).as_posix() if self.out else path.as_posix()

    def finish(self) -> Card:
        """The finished card; with --out also as Markdown and as a picture."""
        self.card = scorecard.with_runs(self.card, self.runs)
        if self.out:
            scorecard.save(self.card, self.out)
            write_whole(self.out.with_suffix(".md"), scorecard.markdown(self.card))
            write_whole(self.out.with_suffix(".svg"), picture.svg(self.card))
        return self.card


def evaluate(options: argparse.Namespace) -> Card:
    """The whole evaluation; the finished card. Raises WrongUse, WorkersLost, AgentkitError, OSError."""
    settings = _settings(options)
    keeper = Keeper(_card(options, settings), options.out, options.keep_traces)
    done = {key_of(run) for run in keeper.runs}
    jobs = [job for job in _jobs(options, settings) if (job.suite, job.name, job.seed) not in done]
    if any(job.suite in DRAUGHTS for job in jobs):
        draughts_tools.arena({"command": "players"}, timeout=ENGINE_CHECK_SECONDS)  # a missing engine is told at once
    if jobs:
        with executors.chosen(options) as pool, _progress(len(jobs)) as tell:
            for _, record in executors.as_done(pool, run_job, jobs):
                if "fatal" in record:
                    raise WrongUse(record["fatal"])
                keeper.take(record)
                tell(record)
    return keeper.finish()


def _card(options: argparse.Namespace, settings: dict[str, Any]) -> Card:
    """A new card, or with --resume the one that is there. Raises WrongUse if that one was made with other settings."""
    if not (options.resume and options.out.exists()):
        return scorecard.new_card(settings)
    card = scorecard.read_card(options.out)
    for name, value in settings.items():
        if card["settings"].get(name) != value:
            told = json.dumps(card["settings"].get(name), ensure_ascii=False)
            raise WrongUse(f"{options.out} was made with {name} {told}: go on with the same, or take another --out.")
    return card


@contextlib.contextmanager
def _progress(jobs: int) -> Iterator[Any]:
    """`tell(record)` shows how far it is and the time left: a line written over on a terminal, else a line a run."""
    line, started, done = progress_line(sys.stderr), time.monotonic(), 0

    def tell(record: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        if line:
            line(done, jobs, "runs")
            return
        left = (time.monotonic() - started) / done * (jobs - done)
        word = "passed" if record["passed"] else "failed"
        run = f"{record['suite']}, {record['model']}, seed {record['seed']}"
        print(f"{done} of {jobs}: {run}: {word} ({left:.0f} s left)", file=sys.stderr)

    with line or contextlib.nullcontext():
        yield tell
