"""The model that the environment names: what every command-line program here uses.

    AGENT_PROVIDER=ollama   (the default)  OLLAMA_URL, AGENT_MODEL
    AGENT_PROVIDER=openai   any OpenAI-compatible server: OPENAI_BASE_URL, OPENAI_API_KEY, AGENT_MODEL
    both                    AGENT_TIMEOUT, AGENT_TEMPERATURE, AGENT_SEED, AGENT_NUM_CTX, AGENT_MAX_TOKENS
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from agentkit.errors import BadSetting
from agentkit.models import OllamaModel

if TYPE_CHECKING:
    from agentkit.more.openai import OpenAIModel

__all__ = ["model_from_env"]


def model_from_env(model: str | None = None, **options: Any) -> OllamaModel | OpenAIModel:
    """The model that the environment asks for; `model` and `options` go before it. Raises BadSetting."""
    provider = os.environ.get("AGENT_PROVIDER") or "ollama"
    if provider == "ollama":
        return OllamaModel(model, **options)
    if provider == "openai":
        from agentkit.more.openai import OpenAIModel

        return OpenAIModel(model, **options)
    raise BadSetting(f"AGENT_PROVIDER must be ollama or openai, not {provider!r}.")
