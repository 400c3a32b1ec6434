"""The errors that agentkit raises on purpose, as one small tree.

    AgentkitError
    ├── ModelError               the model could not be asked, or did not answer as agreed
    │   ├── ModelUnreachable     nobody listens at that address          (also a ConnectionError)
    │   ├── ModelTimeout         no answer within the time allowed       (also a TimeoutError)
    │   ├── ModelRefused         the server said no: `.status`, its own words and the remedy
    │   ├── BadReply             the answer is not JSON, or holds no message
    │   ├── ContextOverflow      the conversation does not fit into the model's context window
    │   └── BadSetting           an AGENT_… variable or argument has an impossible value  (also a ValueError)
    ├── SchemaError              a function cannot become a tool         (also a TypeError)
    └── DamagedFile              a file is not what it should be: `.path`; it is left as it is

Tools never raise through the framework: what goes wrong in one becomes ``{"error": text}`` for the model to read
(see tools.py). What is here is for the person who runs the program: each message says what was wrong, with which
value, and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "AgentkitError",
    "BadReply",
    "BadSetting",
    "ContextOverflow",
    "DamagedFile",
    "ModelError",
    "ModelRefused",
    "ModelTimeout",
    "ModelUnreachable",
    "SchemaError",
]


class AgentkitError(Exception):
    """The root: catch this to catch everything that agentkit raises on purpose."""


class ModelError(AgentkitError):
    """A model could not be asked, or its answer could not be used."""


class ModelUnreachable(ModelError, ConnectionError):
    """No server answered at the address."""


class ModelTimeout(ModelError, TimeoutError):
    """The server did not answer within the time allowed."""


class ModelRefused(ModelError):
    """The server answered with an error; `status` is its HTTP code."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class BadReply(ModelError):
    """The server's answer was not the JSON that was agreed."""


class ContextOverflow(ModelError):
    """The conversation did not fit: the server would have cut its beginning without a word."""


class BadSetting(ModelError, ValueError):
    """A setting of the model (argument or environment variable) has an impossible value."""


class SchemaError(AgentkitError, TypeError):
    """A function cannot become a tool as it is written."""


class DamagedFile(AgentkitError):
    """A file cannot be understood; `path` names it. Nobody writes over it."""

    def __init__(self, path: str | Path, reason: str) -> None:
        from pathlib import Path

        super().__init__(f"{path} is damaged ({reason}). It was left as it is: repair it or move it away.")
        self.path = Path(path)
