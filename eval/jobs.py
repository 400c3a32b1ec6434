"""One run as a job for any worker: what it is given, and the record that it gives back.

Role: `run_job(Job) -> record`, a dictionary of JSON values in which nothing but seconds depends on who ran it.
A model that failed in this one run makes a failed run; what would fail in every run (no server, no such model, no
engine) is told as `fatal`. Not here: handing out jobs (executors.py), adding up records (scorecard.py).
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from agentkit.errors import AgentkitError, ModelError, ModelRefused, ModelUnreachable
from agentkit.trace import read_trace
from agents.draughts_run import stopped_by_machine
from eval.scorer import agent_rows, inventions, missing_from, refusals
from eval.suites import AGENTS, SUITES, TRACE, Attempt

HOPELESS = (401, 402, 403, 404)  # answers of a server that no other run would change


class Job(NamedTuple):
    """One case of a suite for one model; `model` is the model itself (it travels to the worker), or None for rules."""

    suite: str
    name: str
    seed: int
    model: Any


def key_of(record: Any) -> tuple[str, str, int]:
    """What tells one record from another: suite, model, seed."""
    return record["suite"], record["model"], record["seed"]


def run_job(job: Job) -> dict[str, Any]:
    """Run a case in a temporary folder; its record, with the text of its `trace`, or `{"fatal": text}`."""
    with tempfile.TemporaryDirectory(prefix="draughts-eval-") as name:
        folder = Path(name)
        started = time.perf_counter()
        try:
            attempt = SUITES[job.suite](job.model, job.seed, folder)
        except AgentkitError as error:
            if _is_fatal(error):
                return {"fatal": str(error)}
            attempt = None
        seconds = time.perf_counter() - started
        trace = folder / TRACE
        events = read_trace(trace) if trace.exists() else []
        if engine := str(stopped_by_machine(events) or ""):
            return {"fatal": engine}
        text = trace.read_text(encoding="utf-8", errors="replace") if trace.exists() else ""
        return {**record(job, attempt, events), "seconds": round(seconds, 3), "trace": text}


def _is_fatal(error: AgentkitError) -> bool:
    if isinstance(error, ModelRefused):
        return error.status in HOPELESS
    return isinstance(error, ModelUnreachable) or not isinstance(error, ModelError)


def record(job: Job, attempt: Attempt | None, events: list[dict[str, Any]]) -> dict[str, Any]:
    """What a run came to. `checked`: every check was content; `passed`: and the answer is complete.

    No attempt means that the model failed; its words are in the trace.
    """
    rows = agent_rows(events)
    reached = all(name in rows for name in AGENTS[job.suite])
    missing = missing_from(job.suite, attempt) if attempt else []
    problems = [problem for row in rows.values() for problem in row["problems"]]
    if job.suite == "study" and attempt:  # its agent is judged by how it ended, not by answers of its own
        problems = list(missing)
        rows = {name: _judged(row, missing) for name, row in rows.items()}
    checked = attempt is not None and reached and not problems
    return {
        "suite": job.suite,
        "model": job.name,
        "seed": job.seed,
        "case": attempt.case if attempt else f"seed {job.seed}",
        "passed": checked and not missing,
        "checked": checked,
        "complete": attempt is not None and not missing,
        "problems": problems,
        "missing": missing,
        "refused": refusals(events),
        "agents": rows,
        **inventions(getattr(job.model, "invented", ()), events),
    }


def _judged(row: dict[str, Any], missing: list[str]) -> dict[str, Any]:
    passed = "retry" if row["outcome"] == "retry" else "first"
    return {**row, "problems": missing, "outcome": "failed" if missing else passed}
