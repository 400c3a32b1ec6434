"""A time limit for one call of a tool: `@tool(timeout=SECONDS)`.

What it can't do: stop the function. Its thread goes on in the background, as a daemon, so that the program can end;
the agent is told and goes on without it.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["run_within"]


def run_within(seconds: float, fn: Callable[..., Any], values: dict[str, Any]) -> Any:
    """`fn(**values)`; what it raises is raised here. Raises TimeoutError when there is no result in time."""
    outcome: list[Any] = []
    context = contextvars.copy_context()  # effect_id() works inside

    def work() -> None:
        try:
            outcome.append((context.run(lambda: fn(**values)), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(min(seconds, threading.TIMEOUT_MAX))
    if not outcome:
        raise TimeoutError(f"it gave no result within {seconds:g} seconds")
    value, error = outcome[0]
    if error is not None:
        raise error
    return value
