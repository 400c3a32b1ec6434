"""The director's job as a worker process: requests come in and outcomes go out, one JSON object a line.

eval/compare_libraries.py starts one worker for each library, in that library's own environment. Everything that
must be the same for all of them is here: the task, the tools (through one ToolBox, which checks and counts), the
check, and the words in which problems are told for another try. A worker's own file holds only the library's loop.

    {"inputs": {"players", "pairs", "seed"}, "url", "model", "folder", "temperature", "max_tokens", "max_steps",
     "timeout", "retries"}          ->      {"answer", "problems", "tool_calls", "seconds", "tool_seconds", "error"}

Before the first request a worker says {"library", "version"}. Not here: counting what the model
did. The program that asks does that between the worker and the model's server, in the same way for all.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentkit import ToolBox
from agentkit.more.lead import INPUTS
from library.two_agents import load_ours

draughts_team = load_ours("draughts_team")
draughts_tools = load_ours("draughts_tools")

TOOLS = (draughts_tools.list_players, draughts_tools.run_tournament, draughts_tools.standings)
INSTRUCTIONS = draughts_team.DIRECTOR


class CountingBox(ToolBox):
    """The director's tools. Each call is allowed, timed and noted in the form that our checks read."""

    def __init__(self) -> None:
        super().__init__(TOOLS)
        self.log: list[dict[str, Any]] = []
        self.seconds = 0.0

    def call(self, name: Any, args: Any, approver: Any = None, effect: str | None = None) -> Any:
        started = time.perf_counter()
        outcome = super().call(name, args, lambda *_: True, effect)
        self.seconds += time.perf_counter() - started
        self.log.append({"tool": name, "args": outcome.args, "result": outcome.result})
        return outcome

    def run_json(self, name: str, arguments: str) -> str:
        """Run a call whose arguments are JSON text; the result as JSON text."""
        try:
            args = json.loads(arguments or "{}")
        except ValueError:
            args = arguments  # the box says what is wrong with it
        return str(self.call(name, args).text)


@dataclass
class Job:
    """One request: what to do, with which model, and where to note what was done."""

    inputs: dict[str, Any]
    url: str
    model: str
    max_steps: int
    max_tokens: int
    temperature: float
    timeout: float
    retries: int
    box: CountingBox = field(default_factory=CountingBox)

    @property
    def seed(self) -> int:
        """The seed of the model's own chance: the tournament's."""
        return int(self.inputs["seed"])

    @property
    def task(self) -> str:
        """The task as every library is told it."""
        return f"{draughts_team.DIRECTOR_TASK}{INPUTS}{json.dumps(self.inputs)}"

    def problems(self, answer: str) -> list[str]:
        """What the director's check says about an answer and what was done for it."""
        if not answer.strip():
            return ["There was no answer."]
        check = draughts_team.build_agents(None, inputs=self.inputs)[0].check
        return list(check(answer, self.box.log))

    def correction(self, problems: list[str]) -> str:
        """The words for another try, where a library has none of its own."""
        return "Your answer was not accepted: " + " ".join(problems) + " Put that right, and answer again."


Director = Callable[[Job], str]  # does the job and returns the answer; raises what its library raises


def carry_out(direct: Director, request: dict[str, Any]) -> dict[str, Any]:
    """One request from beginning to end. A library that raises has failed, and its words are kept."""
    draughts_tools.TOURNAMENT_DIR = Path(request.pop("folder"))
    job = Job(**request)
    started = time.perf_counter()
    answer, error = "", None
    try:
        answer = str(direct(job) or "")
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
    seconds = time.perf_counter() - started
    problems = [error] if error else job.problems(answer)
    counts = {"tool_calls": len(job.box.log), "seconds": seconds, "tool_seconds": job.box.seconds}
    return {"answer": answer, "problems": problems, "error": error, **counts}


def work(library: str, version: str, direct: Director) -> int:
    """Answer requests until there are no more. Whatever a library prints goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr

    def say(what: dict[str, Any]) -> None:
        out.write(json.dumps(what, ensure_ascii=True) + "\n")
        out.flush()

    say({"library": library, "version": version})
    for line in sys.stdin:
        say(carry_out(direct, json.loads(line)))
    return 0
