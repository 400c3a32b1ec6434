"""Settings of models: an argument, else an environment variable, else a default, judged before anything is sent.

Not here: where a server listens by default (models.py and openai.py say so), or a file of settings.
"""

from __future__ import annotations

import math
import os
import re
from typing import Any

from agentkit.errors import BadSetting

__all__ = ["Decoding", "address", "decoding", "setting"]

Decoding = tuple[float, int, int, "float | None", "int | None"]

NUM_CTX = 8192  # tokens of context asked for; Ollama's own default is smaller and cuts without a word
MAX_TOKENS = 2048  # tokens that one reply may have; without a limit a small model may write for ever
MOST = 2**32 - 1  # of any setting


def setting(name: str, given: Any, default: Any, lowest: float | None = None, kind: type | None = None) -> Any:
    """`given`, else the environment variable `name`, else `default`, as a number; raises BadSetting."""
    value = given if given is not None else os.environ.get(name) or default
    if value is None:
        return None
    kind = kind or (float if isinstance(default, float) or default is None else int)
    try:
        number = kind(value)
        sensible = math.isfinite(number) and number == float(value) and abs(number) <= MOST
    except (TypeError, ValueError, OverflowError):
        sensible = False
    if not sensible or (lowest is not None and number < lowest):
        limits = f" of at most {MOST}" if lowest is None else f" from {lowest:g} to {MOST}"
        raise BadSetting(f"{name} must be {'a whole number' if kind is int else 'a number'}{limits}, not {value!r}.")
    return number


def decoding(
    timeout: float | None, num_ctx: int | None, max_tokens: int | None, temperature: float | None, seed: int | None
) -> Decoding:
    """The five settings that every model here has, judged, in this order; raises BadSetting."""
    return (
        setting("AGENT_TIMEOUT", timeout, 120.0, lowest=0.001),
        setting("AGENT_NUM_CTX", num_ctx, NUM_CTX, lowest=1),
        setting("AGENT_MAX_TOKENS", max_tokens, MAX_TOKENS, lowest=1),
        setting("AGENT_TEMPERATURE", temperature, None, lowest=0.0),
        setting("AGENT_SEED", seed, None, kind=int),
    )


def address(name: str, url: str) -> str:
    """`url` without its closing slash; raises BadSetting unless it is the plain address of a server."""
    if "@" in url:  # not shown: it holds a password, and addresses stand in traces
        raise BadSetting(f"{name} holds a user name or a password, which is not supported: give the address alone.")
    if not re.match(r"https?://[^/\s]", url):
        raise BadSetting(f"{name} must be an address such as http://127.0.0.1:11434, not {url!r}.")
    return url.rstrip("/")
