"""The same small job in other frameworks, as programs that bench_framework.py runs where they are installed.

For each: the import a program begins with, one run of n steps with a model that asks for the tool `add` and then
answers (no network, no telemetry), and the schema of the five-argument function `search`. `most_steps` is how many
steps are worth waiting for. The schema of smolagents is made of the function alone: a tool of it needs a source file.
The programs find `add`, `replies`, `search`, `measure` and `repeat` already there.
"""

from __future__ import annotations

from typing import Any

__all__ = ["PEERS"]

LANGCHAIN_STEP = """
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

class Fake(BaseChatModel):
    model: object
    @property
    def _llm_type(self):
        return "fake"
    def bind_tools(self, tools, **options):
        return self
    def _generate(self, messages, stop=None, run_manager=None, **options):
        reply = self.model(messages, [])
        calls = [{"name": c["function"]["name"], "args": c["function"]["arguments"], "id": str(len(messages))}
                 for c in reply.get("tool_calls", [])]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=reply["content"], tool_calls=calls))])

def make(n):
    agent = create_agent(Fake(model=replies(n)), [tool(add)])
    task = {"messages": [{"role": "user", "content": "What is 1 + 2?"}]}
    return lambda: agent.invoke(task, {"recursion_limit": 3 * n + 5})
measure(make, int(sys.argv[2]))
"""
LANGCHAIN_SCHEMA = """
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
repeat(lambda: convert_to_openai_tool(tool(search)), 30)
"""

SMOLAGENTS_STEP = """
from smolagents import ToolCallingAgent, tool
from smolagents.models import (ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole, Model)
from smolagents.monitoring import LogLevel

class Fake(Model):
    def __init__(self, model):
        super().__init__(model_id="fake")
        self.reply = model
    def generate(self, messages, **options):
        reply = self.reply(messages, [])
        name, arguments = "final_answer", {"answer": reply["content"]}
        for call in reply.get("tool_calls", []):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id=str(len(messages)), type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])

import linecache
SOURCE = "def add(a: int, b: int = 1) -> dict:\\n    '''Add two numbers.\\n\\n    Args:\\n        a: the first\\n" \\
    "        b: the second\\n    '''\\n    return {'sum': a + b}\\n"
linecache.cache["<add>"] = (len(SOURCE), None, SOURCE.splitlines(True), "<add>")  # it reads a tool's source
exec(compile(SOURCE, "<add>", "exec"))

def make(n):
    agent = ToolCallingAgent([tool(add)], Fake(replies(n)), max_steps=n + 1, verbosity_level=LogLevel.OFF)
    return lambda: agent.run("What is 1 + 2?")
measure(make, int(sys.argv[2]))
"""
SMOLAGENTS_SCHEMA = """
from smolagents._function_type_hints_utils import get_json_schema
search.__annotations__["return"] = dict
search.__doc__ += "\\n    Returns:\\n        the files\\n"
repeat(lambda: get_json_schema(search), 100)
"""

PYDANTIC_STEP = """
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import UsageLimits

def make(n):
    model = replies(n)
    def reply(messages, info):
        said = model(messages, [])
        calls = [ToolCallPart(c["function"]["name"], c["function"]["arguments"]) for c in said.get("tool_calls", [])]
        return ModelResponse(parts=calls or [TextPart(said["content"])])
    agent = Agent(FunctionModel(reply), tools=[add])
    return lambda: agent.run_sync("What is 1 + 2?", usage_limits=UsageLimits(request_limit=n + 1))
measure(make, int(sys.argv[2]))
"""
PYDANTIC_SCHEMA = """
from pydantic_ai import Tool
repeat(lambda: Tool(search).tool_def, 100)
"""

OPENAI_STEP = """
import os
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

class Fake(Model):
    def __init__(self, model):
        self.reply = model
    async def get_response(self, *arguments, **options):
        said = self.reply([], [])
        output = [ResponseFunctionToolCall(name="add", call_id=str(id(call)), type="function_call",
                                           arguments=json.dumps(call["function"]["arguments"]))
                  for call in said.get("tool_calls", [])]
        if not output:
            text = ResponseOutputText(text=said["content"], type="output_text", annotations=[])
            about = {"id": "m", "role": "assistant", "status": "completed", "type": "message"}
            output = [ResponseOutputMessage(content=[text], **about)]
        return ModelResponse(output=output, usage=Usage(), response_id=None)
    def stream_response(self, *arguments, **options):
        raise NotImplementedError

def make(n):
    agent = Agent("sums", instructions="Add.", tools=[function_tool(add)], model=Fake(replies(n)))
    return lambda: Runner.run_sync(agent, "What is 1 + 2?", max_turns=n + 1)
measure(make, int(sys.argv[2]))
"""
OPENAI_SCHEMA = """
from agents.function_schema import function_schema
repeat(lambda: function_schema(search), 30)
"""

PEERS: dict[str, dict[str, Any]] = {
    "langchain": {
        "import": "from langchain.agents import create_agent\nfrom langchain_core.tools import tool",
        "step": LANGCHAIN_STEP,
        "schema": LANGCHAIN_SCHEMA,
        "most_steps": 100,
    },
    "smolagents": {
        "import": "from smolagents import ToolCallingAgent, tool",
        "step": SMOLAGENTS_STEP,
        "schema": SMOLAGENTS_SCHEMA,
        "most_steps": 100,
    },
    "pydantic-ai": {
        "import": "from pydantic_ai import Agent, Tool",
        "step": PYDANTIC_STEP,
        "schema": PYDANTIC_SCHEMA,
        "most_steps": 100,
    },
    "openai-agents": {
        "import": "from agents import Agent, function_tool",
        "step": OPENAI_STEP,
        "schema": OPENAI_SCHEMA,
        "most_steps": 100,
    },
}
