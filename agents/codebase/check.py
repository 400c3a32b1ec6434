"""All that is asked of an answer, as one check: a tool was used, and files, lines and numbers have their source."""

from __future__ import annotations

from collections.abc import Callable

from agentkit import all_of, used_a_tool
from agentkit.checks import Check
from agentkit.more.lead import useful
from agents.codebase.grounding import cites_a_source, files_grounded
from agents.codebase.numbers import numbers_shown
from agents.codebase.shown import ToolLog, places_shown


def check_of(question: Callable[[], str], earlier: ToolLog = ()) -> Check:
    """The check of the answer to what `question()` returns; what the calls of `earlier` showed may be cited too.

    A small model whose first answer is refused is led to search, to read, and to choose its sources.
    """

    def sourced(answer: str, tool_log: ToolLog) -> list[str]:
        log = [*earlier, *tool_log]
        return [
            *used_a_tool(answer, log),
            *files_grounded(answer, log, question()),
            *numbers_shown(answer, log, question()),
            *cites_a_source(answer, log),
        ]

    sourced.sources = (places_shown,)  # type: ignore[attr-defined]
    return all_of(useful("search_files", "read_file"), sourced)
