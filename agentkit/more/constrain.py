"""Which tool a job still needs: for the one turn in which a model can only call that tool.

A check made by `succeeded("a", "b")` says which tools the job requires (`check.required`). When a model answers
before they ran, and its server can constrain a reply to a JSON Schema (`chat_constrained`), the agent asks once more
in that way instead of hoping: a small model fills in arguments well, and decides badly to call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["missing_tool"]


def missing_tool(required: Iterable[str], tool_log: list[dict[str, Any]]) -> str | None:
    """The first required tool that has not run without an error yet, or None."""
    from agentkit.more.values import failed, result_of

    succeeded = {entry["tool"] for entry in tool_log if not failed(result_of(entry))}
    return next((name for name in required if name not in succeeded), None)
