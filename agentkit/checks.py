"""Checks: plain functions that read an answer beside what the tools returned, and say what is wrong with it.

Role: a check is `check(answer, tool_log) -> list of problems`; an empty list means that the answer passed. The loop
in agent.py tells the problems to the model, in these words, so that it can try again. A tool log is a list of
`{"tool": name, "args": {...}, "result": object or JSON text}`.
Not here: how facts are read and compared (more/numbers.py says how a number is understood, more/claims.py binds it
to the value that supports it), nor whether a true number stands beside the right name (more/claims_checks.py).

    check = all_of(used_a_tool, succeeded("standings"), numbers_grounded)
    check("easy has 7 points", [])      # ["The answer was written without calling any tool.", ...]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Check", "all_of", "moves_grounded", "not_empty", "numbers_grounded", "succeeded", "used_a_tool"]

ToolLog = list[dict[str, Any]]
Check = Callable[[str, ToolLog], list[str]]


def not_empty(answer: str, tool_log: ToolLog) -> list[str]:
    """There must be an answer."""
    return [] if answer and answer.strip() else ["There was no answer."]


def used_a_tool(answer: str, tool_log: ToolLog) -> list[str]:
    """An answer from memory is not wanted: at least one tool must have been called."""
    return [] if tool_log else ["The answer was written without calling any tool."]


def numbers_grounded(answer: str, tool_log: ToolLog) -> list[str]:
    """Each number of the answer must stand somewhere in the tools' arguments or results."""
    return _grounded(answer, tool_log, moves=False, complaint="These numbers did not come from any tool")


def moves_grounded(answer: str, tool_log: ToolLog) -> list[str]:
    """Each move of the answer, such as `c3-d4` or `c3xe5xg7`, must stand in the tools' arguments or results."""
    return _grounded(answer, tool_log, moves=True, complaint="These moves did not come from any tool")


def succeeded(*names: str) -> Check:
    """Return a check that each named tool ran at least once without an error. The check's `required` is the names."""

    def check(answer: str, tool_log: ToolLog) -> list[str]:
        from agentkit.more.values import never_succeeded

        missing = never_succeeded(names, tool_log)
        return [f"These tools never ran successfully: {', '.join(missing)}."] if missing else []

    check.required = names  # type: ignore[attr-defined]
    return check


def all_of(*checks: Check) -> Check:
    """Return a check that runs all the given ones and tells every problem. Its attributes join theirs, in order."""

    def check(answer: str, tool_log: ToolLog) -> list[str]:
        problems = [problem for part in checks for problem in part(answer, tool_log)]
        return list(dict.fromkeys(problems))

    for names in ("required", "useful", "sources"):  # who is led to what: more/lead.py
        setattr(check, names, tuple(dict.fromkeys(each for part in checks for each in getattr(part, names, ()))))
    return check


def _grounded(answer: str, tool_log: ToolLog, moves: bool, complaint: str) -> list[str]:
    from agentkit.more.claims import claims_of

    claims = [claim for claim in claims_of(answer, tool_log) if (claim.kind == "move") == moves]
    unsupported = dict.fromkeys(claim.text for claim in claims if not claim.support)
    return [f"{complaint}: {', '.join(unsupported)}."] if unsupported else []
