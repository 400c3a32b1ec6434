"""agentkit: a small agent framework to read in an evening. Standard library only.

Its idea: a model decides, code does, a person approves, and every fact in an answer has a receipt.

Read in this order: errors, files, schema, arguments (what everything stands on); models, tools, memory, trace;
checks; agent; team. `mini` is the loop once more, alone in one file. `agentkit/more/` holds what goes beyond the
course and is loaded only when it is asked for.

    from agentkit import Agent, OllamaModel, tool, used_a_tool

    agent = Agent("sums", "Add with the tool.", [add], OllamaModel(), check=used_a_tool)
    print(agent.run("What is 2 + 3?").answer)

Importing this package has no effects and reads no settings.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentkit.agent import Agent, Result
    from agentkit.checks import all_of, moves_grounded, not_empty, numbers_grounded, succeeded, used_a_tool
    from agentkit.errors import ModelError
    from agentkit.memory import Notebook
    from agentkit.models import OllamaModel, ScriptedModel
    from agentkit.more.claims_checks import covers, in_the_right_place, quotes_grounded
    from agentkit.more.environment import model_from_env
    from agentkit.more.functions import FunctionModel
    from agentkit.more.guards import max_seconds, max_tokens, max_tool_calls, no_repeats
    from agentkit.more.journal import ReplayModel
    from agentkit.more.openai import OpenAIModel
    from agentkit.team import Pipeline, agent_as_tool, ask_person, refuse_all
    from agentkit.tools import Tool, ToolBox, tool
    from agentkit.trace import Tracer

# Where each public name lives: a module is loaded when one of its names is first used.
HOMES = {
    "agent": ["Agent", "Result"],
    "tools": ["Tool", "ToolBox", "tool"],
    "models": ["OllamaModel", "ScriptedModel"],
    "memory": ["Notebook"],
    "team": ["Pipeline", "agent_as_tool", "ask_person", "refuse_all"],
    "trace": ["Tracer"],
    "checks": ["all_of", "used_a_tool", "numbers_grounded", "moves_grounded", "succeeded", "not_empty"],
    # beyond the course
    "errors": ["ModelError"],
    "more.openai": ["OpenAIModel"],
    "more.functions": ["FunctionModel"],
    "more.journal": ["ReplayModel"],
    "more.environment": ["model_from_env"],
    "more.claims_checks": ["in_the_right_place", "quotes_grounded", "covers"],
    "more.guards": ["max_seconds", "max_tool_calls", "max_tokens", "no_repeats"],
}
MODULE_OF = {name: module for module, names in HOMES.items() for name in names}

__all__ = [
    "Agent",
    "FunctionModel",
    "ModelError",
    "Notebook",
    "OllamaModel",
    "OpenAIModel",
    "Pipeline",
    "ReplayModel",
    "Result",
    "ScriptedModel",
    "Tool",
    "ToolBox",
    "Tracer",
    "agent_as_tool",
    "all_of",
    "ask_person",
    "covers",
    "in_the_right_place",
    "max_seconds",
    "max_tokens",
    "max_tool_calls",
    "model_from_env",
    "moves_grounded",
    "no_repeats",
    "not_empty",
    "numbers_grounded",
    "quotes_grounded",
    "refuse_all",
    "succeeded",
    "tool",
    "used_a_tool",
]


def __getattr__(name: str) -> Any:
    if name not in MODULE_OF:
        raise AttributeError(f"module 'agentkit' has no attribute {name!r}")
    value = getattr(import_module(f"agentkit.{MODULE_OF[name]}"), name)
    globals()[name] = value  # found at once the next time
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
