"""Agents together, and the person who approves.

Role: a `Pipeline` runs agents one after the other and hands on what their tools found; `agent_as_tool` lets one
agent ask another. `ask_person` and `refuse_all` are approvers: they decide whether a risky tool may run.
Not here: the loop (agent.py).

    Pipeline([(director, "Play a tournament."), (reporter, "Report on it.")]).run({"players": ["easy", "medium"]})
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agentkit.agent import Agent, Result
from agentkit.tools import Tool

__all__ = ["Pipeline", "agent_as_tool", "ask_person", "refuse_all"]


class Pipeline:
    """Agents in order: `steps` are (agent, task). A failed check stops the rest, unless `stop_on_failure` is off."""

    def __init__(self, steps: Sequence[tuple[Agent, str]], stop_on_failure: bool = True) -> None:
        self.steps = list(steps)
        self.stop_on_failure = stop_on_failure

    def run(self, inputs: dict[str, Any] | None = None) -> list[Result]:
        """Run the agents and return their results, as far as they came.

        Each gets `inputs`, the facts that the tools of earlier agents returned, and each earlier answer as
        NAME_answer.
        """
        known = dict(inputs or {})
        results = []
        for agent, task in self.steps:
            result = agent.run(task, known)
            results.append(result)
            if self.stop_on_failure and not result.passed:
                break
            known |= {**result.facts(), f"{agent.name}_answer": result.answer}
        return results


def agent_as_tool(agent: Agent, description: str) -> Tool:
    """A tool `ask_NAME(task)` that runs `agent` and returns `{"answer", "passed", "problems", …facts}`."""

    def ask(task: str) -> dict[str, Any]:
        result = agent.run(task)
        report = {"answer": result.answer, "passed": result.passed, "problems": result.problems}
        return {**result.facts(), **report}

    ask.__name__ = f"ask_{agent.name}"
    ask.__doc__ = f"{description}\n\nArgs:\n    task: what to do, with every name, number and id that is needed"
    tool = Tool(ask)
    tool.asks_agent = True
    return tool


def ask_person(tool_name: str, args: dict[str, Any]) -> bool:
    """Ask at the keyboard whether a tool may run; only y or yes is a yes, the end of input is a no."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in json.dumps(args, ensure_ascii=False))
    try:
        answer = input(f"The agent wants to run {tool_name} with {shown}. Allow it? [y/N] ")
    except EOFError:
        print()  # what follows does not belong to the question's line
        return False
    return answer.strip().lower() in ("y", "yes")


def refuse_all(tool_name: str, args: dict[str, Any]) -> bool:
    """The approver that never approves."""
    return False
