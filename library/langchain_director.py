"""The draughts director in LangChain: the same tools, the same instructions, the same check, another loop.

    python -m pip install -r library/requirements.txt
    python library/langchain_director.py --players easy medium --seed 7

The model is the one that the environment names, as everywhere here: ChatOllama, or ChatOpenAI when
AGENT_PROVIDER=openai.

What the library does: the loop, one form of message for every provider, schemas from type hints and `Args:`
notes, a limit on steps (RECURSION_LIMIT; a model's reply and the tools it asks for are two of them), and far more
that this job does not need.
What had to be added by hand, all of it in `guarded`: limits on values (a type says "integer", not "1 to 3"),
approval before a tool with lasting effects, the budget of games, and an error told to the model in place of an
exception that ends the run. And `problems_of`: a finished run says nothing about whether its answer is true.

Not here: another try after a failed check, a trace, what a small model needs (calls written as text, a tool that
was forgotten). agentkit's loop has these; here they would be more middleware.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # started as a program: agentkit and agents need no installation
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit import OllamaModel, ask_person, model_from_env
from agentkit.errors import AgentkitError
from agentkit.more.lead import INPUTS
from agentkit.tools import DENIED
from agents import draughts_team, draughts_tools
from agents.program import run_as_program

MAX_GAMES = 20  # that a run may play without a person's yes
RECURSION_LIMIT = 12
TOOLS = (draughts_tools.list_players, draughts_tools.run_tournament, draughts_tools.standings)
STEP_LIMIT = "The step limit was reached."

Approver = Callable[[str, dict[str, Any]], bool]


# --- The model --------------------------------------------------------------------------------------------


def chat_model() -> Any:
    """LangChain's model for what the environment names, with the same decoding options. Raises BadSetting."""
    ours = model_from_env()
    common = {"model": ours.model, "base_url": ours.url, "temperature": ours.temperature, "seed": ours.seed}
    if isinstance(ours, OllamaModel):
        from langchain_ollama import ChatOllama

        limits = {"num_ctx": ours.num_ctx, "num_predict": ours.max_tokens}
        return ChatOllama(**common, **limits, client_kwargs={"timeout": ours.timeout})
    from langchain_openai import ChatOpenAI

    key = os.environ.get("OPENAI_API_KEY") or "none"  # a server at home asks for no key, the library does
    return ChatOpenAI(**common, api_key=key, max_tokens=ours.max_tokens, timeout=ours.timeout)


def model_errors() -> tuple[type[Exception], ...]:
    """What the two adapters raise when their server cannot be reached or refuses."""
    import httpx
    from ollama import ResponseError
    from openai import OpenAIError

    return (OSError, httpx.HTTPError, ResponseError, OpenAIError)


# --- The agent, and what had to be added ------------------------------------------------------------------


def build_director(model: Any, approver: Approver) -> Any:
    """The director as LangChain's agent: our functions, read by the library from their hints and docstrings."""
    from langchain.agents import create_agent
    from langchain_core.tools import StructuredTool

    tools = [StructuredTool.from_function(tool.fn, parse_docstring=True) for tool in TOOLS]
    return create_agent(model, tools, system_prompt=draughts_team.DIRECTOR, middleware=[guarded(approver)])


def guarded(approver: Approver) -> Any:
    """Middleware around every tool call: nothing runs that our limits or the approver refuse, nothing raises."""
    from langchain.agents.middleware import wrap_tool_call
    from langchain_core.messages import ToolMessage

    ours = {tool.name: tool for tool in TOOLS}

    def refusal(call: dict[str, Any]) -> str:
        tool = ours.get(call["name"])
        if tool is None:
            return f"There is no tool called {call['name']}. Tools: {', '.join(ours)}"
        values, _, problems = tool.judge(call["args"])
        if problems:
            return "The arguments were not accepted: " + "; ".join(problems)
        if tool.needs_approval and approver(tool.name, values) is not True:
            return f"{DENIED} {tool.name}, so it was not run."
        call["args"] = values
        return ""

    @wrap_tool_call
    def guard(request: Any, handler: Callable[[Any], Any]) -> Any:
        call = request.tool_call
        error = refusal(call)
        try:
            if not error:
                return handler(request)
        except Exception as problem:
            error = f"{call['name']} failed: {type(problem).__name__}: {problem}"
        content = json.dumps({"error": error}, ensure_ascii=False)
        return ToolMessage(content, name=call["name"], tool_call_id=call["id"], status="error")

    return guard


def within_budget(most: int = MAX_GAMES) -> Approver:
    """An approver that lets a run play `most` games in all and asks nobody."""
    left = most

    def approve(name: str, args: dict[str, Any]) -> bool:
        nonlocal left
        players = len(args["players"])
        games = players * (players - 1) * args.get("pairs", 1)
        if games > left:
            print(f"{name} was not allowed: it asks for {games} games, and {left} are left.", file=sys.stderr)
            return False
        left -= games
        return True

    return approve


# --- A run, and what it is worth --------------------------------------------------------------------------


def run(director: Any, inputs: dict[str, Any], limit: int = RECURSION_LIMIT) -> tuple[list[Any], bool]:
    """(the messages of a whole run, whether the model came to an end before the step limit)."""
    from langgraph.errors import GraphRecursionError

    task = f"{draughts_team.DIRECTOR_TASK}{INPUTS}{json.dumps(inputs)}"
    messages: list[Any] = []
    try:  # streamed state by state, so that a run without an end leaves its messages too
        start = {"messages": [{"role": "user", "content": task}]}
        for state in director.stream(start, {"recursion_limit": limit}, stream_mode="values"):
            messages = state["messages"]
    except GraphRecursionError:
        return messages, False
    return messages, True


def tool_log_of(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """LangChain's messages as the log that our checks read: one entry a result, with the call it answers."""
    calls = {call["id"]: call for message in messages for call in getattr(message, "tool_calls", ())}
    results = [message for message in messages if message.type == "tool"]
    return [
        {"tool": call["name"], "args": call["args"], "result": message.content}
        for message in results
        if (call := calls.get(message.tool_call_id))
    ]


def problems_of(messages: Sequence[Any], finished: bool, inputs: dict[str, Any]) -> list[str]:
    """What the director's own check says about a run; [] when nothing is wrong."""
    if not finished:
        return [STEP_LIMIT]
    check = draughts_team.build_agents(None, inputs=inputs)[0].check
    answer = messages[-1].text
    return check(answer, tool_log_of(messages)) if answer.strip() else ["There was no answer."]


# --- The program ------------------------------------------------------------------------------------------


def report(messages: Sequence[Any], problems: list[str]) -> dict[str, Any]:
    """A run as one JSON document."""
    steps = sum(message.type == "ai" for message in messages)
    log = tool_log_of(messages)
    return {"answer": messages[-1].text, "passed": not problems, "problems": problems, "steps": steps, "tool_log": log}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="langchain_director.py",
        description="The draughts director in LangChain, with our tools and our check.",
        epilog="Example: python library/langchain_director.py --players easy medium --seed 7",
    )
    made.add_argument("--players", nargs="+", default=["easy", "medium"], metavar="NAME", help="2 to 5 players")
    made.add_argument("--pairs", type=int, default=1, help="openings for each two players, 1 to 3 (1)")
    made.add_argument("--seed", type=int, default=1, help="decides all chance, 1 to 1000000 (1)")
    made.add_argument("--ask", action="store_true", help=f"ask before playing; else {MAX_GAMES} games are allowed")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    return made


def main(argv: list[str] | None = None) -> int:
    """Run the director. 0: the check passed; 1: it did not; 2: wrong use, no library, no model."""
    options = parser().parse_args(argv)
    inputs = {"players": options.players, "pairs": options.pairs, "seed": options.seed}
    if problem := draughts_tools.problem_with(**inputs):
        print(problem, file=sys.stderr)
        return 2
    try:
        director = build_director(chat_model(), ask_person if options.ask else within_budget())
        failures = model_errors()
    except ImportError as error:
        print(f"{error}. Install it: python -m pip install -r library/requirements.txt", file=sys.stderr)
        return 2
    except AgentkitError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        messages, finished = run(director, inputs)
    except failures as error:
        print(f"The model could not be used: {error}", file=sys.stderr)
        return 2
    problems = problems_of(messages, finished, inputs)
    outcome = report(messages, problems)
    if options.json:
        print(json.dumps(outcome, indent=2, ensure_ascii=False))
    else:
        print(f"director: {outcome['steps']} steps, {len(outcome['tool_log'])} tool calls\n")
        print(f"{outcome['answer'] or '(no answer)'}\n")
        print(f"Check: {' '.join(problems) or 'passed'}")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
