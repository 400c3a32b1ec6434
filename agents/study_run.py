"""The study planner on agentkit: its tool table as a ToolBox, its planner as a model, its trace as rows.

Role: the joints between `agents/study_planner.py`, where everything that a learner edits stands, and agentkit's
loop, which drives it. `Run` holds one run: the planner's state, the rows of the trace, and how it ended.
Not here: notes, tools, rules about who may do what. This file decides only what follows from an observation.

A row of the trace is one JSON line with exactly `run_id, step, thought, action, arguments, observation,
next_decision`; it is in the file before the next step begins.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentkit import FunctionModel, ModelError, Tool, ToolBox
from agentkit.models import clean
from agentkit.tools import Outcome

State = dict[str, Any]
Planner = Callable[[State], dict[str, Any]]

NO_EVIDENCE = "No course note supports this goal, so there is no plan."
JSON_TYPES = {int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


class PlannerError(ModelError):
    """A planner raised, or returned something that is no step."""


def to_json(value: Any) -> str:
    """JSON text of anything; what JSON cannot hold is written as its own text."""
    return json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)


# --- the planner as a model ---


def planner_model(planner: Planner, state: State) -> FunctionModel:
    """A model that says what `planner(state)` decides. Its replies raise PlannerError when the planner fails."""

    def reply(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        try:
            return as_message(planner(state))
        except Exception as error:
            raise PlannerError(f"The planner failed: {type(error).__name__}: {error}") from error

    return FunctionModel(reply)


def as_message(step: Any) -> dict[str, Any]:
    """A planner's step as the message of a model: `finish` is an answer, any other action a tool call."""
    if not isinstance(step, dict) or "action" not in step:
        raise TypeError(f"a planner must return {{'thought', 'action', 'arguments'}}, not {step!r}")
    thought = str(step.get("thought") or "").strip()
    if step["action"] == "finish":
        return {"role": "assistant", "content": thought or "Finished."}
    call = {"name": step["action"], "arguments": step.get("arguments", {})}
    return {"role": "assistant", "content": thought, "tool_calls": [{"function": call}]}


# --- the tool table as a ToolBox ---


def types_of(arguments: Any) -> dict[str, Any]:
    """A spec's `required` or `optional` as name -> type; `"int"` is int, a plain list of names asks for no type."""
    if not isinstance(arguments, dict):
        return dict.fromkeys(arguments or (), object)
    types = {kind.__name__: kind for kind in (str, *JSON_TYPES)}
    return {name: types.get(kind, kind) for name, kind in arguments.items()}


def placeholder() -> None:
    """Stands for a function that the table only names."""


def as_tool(name: str, spec: dict[str, Any]) -> Tool:
    """One entry of the table as a model is told of it."""
    required = types_of(spec.get("required"))
    properties = {}
    for argument, kind in {**required, **types_of(spec.get("optional"))}.items():
        properties[argument] = {"type": JSON_TYPES.get(kind, "string")}
        if kind is list:
            properties[argument]["items"] = {"type": "string"}
    one = Tool(placeholder)  # StudyTools.call runs the real one
    one.name, one.description, one.risk = name, spec.get("description", ""), spec.get("risk", "write_limited")
    one.parameters = {"type": "object", "properties": properties, "required": list(required)}
    return one


class StudyTools(ToolBox):
    """The tools of a table, each run by `run_tool(name, args)`; a disabled one is not offered to the model."""

    def __init__(self, specs: dict[str, Any], run_tool: Callable[[Any, Any], dict[str, Any]], run: Run) -> None:
        super().__init__(as_tool(name, spec) for name, spec in specs.items() if spec.get("risk") != "disabled")
        self.run_tool = run_tool
        self.study_run = run

    def call(self, name: Any, args: Any, approver: Any = None, effect: str | None = None) -> Outcome:
        """As in ToolBox; the table's own words take the place of its errors. Nothing runs after the end."""
        if self.study_run.status:
            result = {"status": "not_run", "error": f"The run has ended: {self.study_run.status}."}
        else:
            result = self.run_tool(name, args)
        return Outcome(args, result, to_json(result), {})


# --- one run ---


class Run:
    """What one run has found, written down row by row, and how it ended (`status`, empty while it goes on).

    `patience` is how many calls with wrong arguments, or of no tool, are told to who decides instead of ending the run.
    """

    def __init__(self, goal: Any, run_id: str, trace_file: Path | None, patience: int = 0) -> None:
        self.state: State = {"goal": goal, "searched": False, "evidence": [], "plan": [], "publish_checked": False}
        self.run_id = run_id
        self.trace_file = trace_file
        self.patience = patience
        self.rows: list[dict[str, Any]] = []
        self.thought = self.status = self.message = ""
        self.publication: Any = None
        if trace_file:  # no step is taken that could not be written down
            trace_file.parent.mkdir(parents=True, exist_ok=True)
            trace_file.open("a", encoding="utf-8").close()

    def on_event(self, event: dict[str, Any]) -> None:
        """Make rows of agentkit's events: a reply brings the thought, a tool call the rest."""
        if event["kind"] == "reply":
            content = event["message"].get("content")
            self.thought = clean(content if isinstance(content, str) else "")
        elif event["kind"] == "tool" and not self.status:
            decision = self.take_in(event["tool"], event["result"])
            self.write(event["step"], event["tool"], event["args"], event["result"], decision)

    def guard(self, state: State) -> str | None:
        """For agentkit: the status that ended the run, if one did."""
        return self.status or None

    def take_in(self, action: Any, observation: dict[str, Any]) -> str:
        """Add what a tool gave to the state; the decision that follows from it."""
        status, state = observation["status"], self.state
        if action == "publish_report":
            state["publish_checked"] = True
        if status in ("validation_error", "tool_not_found") and self.patience:
            self.patience -= 1
            return "continue"
        if status != "ok":
            self.end(status, observation.get("error") or "; ".join(observation.get("errors", [])))
            return "stop_for_human_approval" if status == "blocked_by_approval" else "stop_on_tool_error"
        if action == "search_course":
            state["searched"] = True
            state["evidence"] += [hit for hit in observation["data"] if hit not in state["evidence"]]
            if not state["evidence"]:
                self.end("no_evidence", NO_EVIDENCE)
                return "stop_no_evidence"
        elif action == "make_study_plan":
            state["plan"] = observation["data"]
            return "continue_to_finish_or_publish"
        elif action == "publish_report":
            self.publication = observation["data"]
        return "continue"

    def finish(self, step: int, message: str) -> None:
        """The planner says that it is done; with nothing found there is nothing it can have done."""
        found = self.state["evidence"] or self.state["plan"]
        self.end(*(("completed", message) if found else ("no_evidence", NO_EVIDENCE)))
        observation = {"status": "ok" if found else self.status, "data": self.message}
        self.write(step, "finish", {}, observation, "finish" if found else "stop_no_evidence")

    def fail(self, step: int, message: str) -> None:
        """Whoever decides has failed: a planner raised, or a model gave up before the job was done."""
        self.end("planner_error", message)
        self.write(step, "none", {}, {"status": self.status, "error": message}, "stop_on_tool_error")

    def end(self, status: str, message: str) -> None:
        """Nothing more is run after this."""
        self.status, self.message = status, message

    def write(self, step: int, action: Any, arguments: Any, observation: Any, next_decision: str) -> None:
        """Add a row to the trace, and to its file at once, so that it is there even if the program dies."""
        row = {"run_id": self.run_id, "step": step, "thought": self.thought, "action": action}
        row |= {"arguments": arguments, "observation": observation, "next_decision": next_decision}
        self.rows.append(row)
        if self.trace_file:
            with self.trace_file.open("a", encoding="utf-8", errors="replace") as file:
                file.write(to_json(row) + "\n")
