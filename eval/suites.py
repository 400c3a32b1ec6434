"""How a case is run: one function for each suite, in a folder of its own, with the very agents that the programs use.

Role: `SUITES[name](model, seed, folder) -> Attempt`, the answer and what is needed to judge it; the whole run is in
`folder/trace.jsonl`, also when the model failed half-way. Nothing is asked of a person and nothing outlives `folder`:
tournaments, notes and indexes are kept there, and ids come from the seed, so that no clock gets into a prompt.
Not here: what is asked (cases.py, questions.py), what an answer is worth (scorer.py), which runs there are (jobs.py).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from agentkit import ModelError, Notebook, Tracer
from agentkit.files import claim_stamp, write_json
from agentkit.models import Message
from agentkit.trace import read_trace
from agents import codebase_helper, draughts_run, draughts_team, draughts_tools, study_planner
from agents.codebase import cache
from agents.codebase.workspace import Workspace
from eval import cases, questions

TRACE = "trace.jsonl"
STUDY = "study_planner"

_alone = threading.Lock()  # names of modules are replaced below: in one process, one run at a time


class Attempt(NamedTuple):
    """What came of a case: the answer, what it is judged by (`facts`, as scorer.py reads them), the case's name."""

    answer: str
    facts: dict[str, Any]
    case: str


# --- A place of its own -----------------------------------------------------------------------------------


@contextlib.contextmanager
def replaced(module: ModuleType, **values: Any) -> Iterator[None]:
    """Let names of a module mean something else for a while."""
    before = {name: getattr(module, name) for name in values}
    try:
        for name, value in values.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


@contextlib.contextmanager
def place_of_its_own(folder: Path, seed: int) -> Iterator[None]:
    """Let the agents keep what they make in `folder`, with ids from the seed, and the engine show no progress."""
    stamp = partial(claim_stamp, moment=cases.moment_of(seed))
    with (
        _alone,
        replaced(
            draughts_tools,
            TOURNAMENT_DIR=folder / "tournaments",
            claim_stamp=stamp,
            progress_line=lambda stream: None,
        ),
        replaced(draughts_team, NOTEBOOK=Notebook(folder / "notebook.json")),
        replaced(cache, folder=lambda: folder),
    ):
        yield


def _write_note(seed: int) -> str:
    """Put the note on an earlier tournament into the notebook; returns its text."""
    earlier, table = cases.earlier_tournament(seed)
    draughts_team.remember({"tournament_id": earlier, "players": cases.PLAYERS}, table)
    notes = [{**note, "when": cases.NOTE_WRITTEN} for note in draughts_team.NOTEBOOK.notes()]
    write_json(draughts_team.NOTEBOOK.path, notes)
    return str(notes[0]["text"])


# --- The draughts team ------------------------------------------------------------------------------------


def draughts(manager: bool, model: Any, seed: int, folder: Path) -> Attempt:
    """A tournament with its report, by the pipeline or by the manager; facts: `truth`, `note`."""
    inputs = cases.tournament_inputs(seed)
    with place_of_its_own(folder, seed), contextlib.closing(Tracer(folder / TRACE)) as tracer:
        note = _write_note(seed)
        options = {**inputs, "manager": manager}
        report = draughts_run.work(options, model, lambda *_: True, tracer)
        return Attempt(report, {"truth": _truth(folder) if report else [], "note": note}, f"seed {seed}")


def _truth(folder: Path) -> list[dict[str, Any]]:
    """What the tools say of the tournament, asked by code: a report is complete if it has all of this."""
    tournament = draughts_run.tournament_of(read_trace(folder / TRACE))
    if not tournament:
        return []
    asked = (draughts_tools.standings, draughts_tools.find_mistakes)
    arguments = {"tournament_id": tournament}
    return [{"tool": tool.name, "args": arguments, "result": tool(tournament)} for tool in asked]


# --- The codebase helper ----------------------------------------------------------------------------------


def codebase(model: Any, seed: int, folder: Path) -> Attempt:
    """A question about the small project; facts: `places`, of which one must be cited."""
    question = questions.question_of(seed)
    root = questions.write_project(folder / "project")
    with (
        place_of_its_own(folder, seed),
        contextlib.closing(Tracer(folder / TRACE)) as tracer,
        contextlib.closing(Workspace([root])) as workspace,
    ):
        helper = codebase_helper.helper_with(codebase_helper.tools_of(workspace), model, tracer)
        answer = helper.run(question.text).answer
    return Attempt(answer, {"places": question.places}, question.text)


# --- The study planner ------------------------------------------------------------------------------------


def study(model: Any, seed: int, folder: Path) -> Attempt:
    """A goal for the study planner; facts: `outcome`, as it returns it, and `case`. Without a model its rules decide.

    Its own trace has no replies, so they are written down on the way, in agentkit's form.
    """
    case = cases.study_case(seed)
    with contextlib.closing(Tracer(folder / TRACE)) as tracer:
        tracer.write(agent=STUDY, kind="task", text=case["goal"])
        watched = Watched(model, tracer) if model else None
        approved = case.get("approved_tools")
        try:
            outcome = study_planner.run_agent(case["goal"], approved, case["name"], write_log=False, model=watched)
        except ModelError as error:
            tracer.write(agent=STUDY, kind="error", error=type(error).__name__, text=str(error))
            raise
        for row in outcome["trace"]:
            if model is None:
                tracer.write(agent=STUDY, kind="reply", step=row["step"], message={"content": row["thought"]})
            if row["action"] not in ("finish", "none"):
                done = {"tool": row["action"], "args": row["arguments"], "result": row["observation"]}
                tracer.write(agent=STUDY, kind="tool", step=row["step"], **done)
        tracer.write(agent=STUDY, kind="answer", text=outcome["final"]["message"], problems=[])
    return Attempt(outcome["final"]["message"], {"outcome": outcome, "case": case}, case["name"])


class Watched:
    """A model whose replies, and the answers that were refused, are written to a trace; else it is the model."""

    def __init__(self, model: Any, tracer: Tracer) -> None:
        self._model = model
        self._tracer = tracer
        self._step = 0

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._model, name)
        return partial(self._watch, value) if name == "chat_constrained" else value

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """The model's reply."""
        return self._watch(self._model.chat, messages, tools)

    def _watch(self, ask: Any, messages: list[Message], offered: Any) -> Message:
        users = [message["content"] for message in messages if message["role"] == "user"]
        if len(users) > 1 and messages[-1]["role"] == "user":
            self._tracer.write(agent=STUDY, kind="answer", step=self._step, text="", problems=[users[-1]])
        self._step += 1
        reply: Message = ask(messages, offered)
        self._tracer.write(agent=STUDY, kind="reply", step=self._step, message=reply)
        return reply


SUITES: dict[str, Callable[[Any, int, Path], Attempt]] = {
    "pipeline": partial(draughts, False),
    "manager": partial(draughts, True),
    "codebase": codebase,
    "study": study,
}
AGENTS = {
    "pipeline": ("director", "analyst", "reporter"),
    "manager": ("manager", "director", "analyst", "reporter"),
    "codebase": ("codebase_helper",),
    "study": (STUDY,),
}
