"""The study assistant in the OpenAI Agents SDK: the same notes, tools, risks and evaluation, another loop.

    python -m pip install -r library/requirements-openai-agents.txt
    python library/openai_agents_study.py                 # the three cases of the study planner's evaluation
    python library/openai_agents_study.py --goal "Publish the AgentOps review plan" --approve publish_report

The model is the one that the environment names; of Ollama, its OpenAI-compatible pages are used. The SDK's import
name is `agents`, as our own package's: two_agents.py keeps the two apart.

What the library does: the loop, the limit on turns, schemas sent and arguments parsed, and approval: a run that
needs a person's yes stops and can be taken up again (`interruptions`, `approve`).
What had to be added by hand: arguments are checked against our table, a disabled tool is not offered, what the
tools gave is kept (`Run`, as in our own loop), and at the end a check says whether the job was done.

Nothing leaves the machine: the SDK sends a trace of each run to its maker unless told not to, so it is told twice.
Not here: handoffs, sessions, streaming.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # started as a program: the project's folder is where the rest is found
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit import OllamaModel, model_from_env, succeeded
from agentkit.errors import AgentkitError
from agentkit.more.lead import INPUTS
from library.two_agents import import_sdk, load_ours

MAX_TURNS = 8
NOT_INSTALLED = "Install it: python -m pip install -r library/requirements-openai-agents.txt"

study = load_ours("study_planner")
study_run = load_ours("study_run")


# --- The model --------------------------------------------------------------------------------------------


def chat_model(sdk: Any) -> tuple[Any, Any]:
    """The SDK's model for what the environment names, and its settings. Raises BadSetting."""
    from openai import AsyncOpenAI

    ours = model_from_env()
    url = f"{ours.url}/v1" if isinstance(ours, OllamaModel) else ours.url
    key = os.environ.get("OPENAI_API_KEY") or "none"  # a server at home asks for no key, the library does
    client = AsyncOpenAI(base_url=url, api_key=key, timeout=ours.timeout)
    seed = {} if ours.seed is None else {"seed": ours.seed}
    settings = sdk.ModelSettings(temperature=ours.temperature, max_tokens=ours.max_tokens, extra_args=seed)
    return sdk.OpenAIChatCompletionsModel(ours.model, client), settings


# --- The agent, and what had to be added ------------------------------------------------------------------


def tools_of(sdk: Any, run: Any) -> list[Any]:
    """The study planner's table as the SDK's tools; what each gives is taken down in `run`."""
    specs = study.TOOL_SPECS
    return [one_tool(sdk, run, name) for name in specs if specs[name].get("risk") != "disabled"]


def one_tool(sdk: Any, run: Any, name: str) -> Any:
    """One tool: its risk decides whether the SDK asks first, `call_tool` checks the arguments and runs it."""
    described = study_run.as_tool(name, study.TOOL_SPECS[name])

    async def invoke(context: Any, arguments: str) -> str:
        if run.status:
            return study_run.to_json({"status": "not_run", "error": f"The run has ended: {run.status}."})
        observation = observe(name, arguments, approved=[name])  # the SDK calls only what may run
        run.take_in(name, observation)
        return study_run.to_json(observation)

    return sdk.FunctionTool(
        name=name,
        description=described.description,
        params_json_schema=described.parameters,
        on_invoke_tool=invoke,
        strict_json_schema=False,  # strict means: no argument is optional
        needs_approval=described.needs_approval,
    )


def observe(name: str, arguments: str, approved: Collection[str]) -> dict[str, Any]:
    """What our own loop would see of this call; arguments that are no JSON object are a validation error."""
    try:
        args = json.loads(arguments or "{}")
    except ValueError:
        args = arguments
    return study.call_tool(name, args, approved)


# --- One run ----------------------------------------------------------------------------------------------


async def run_agent(goal: str, approved: Collection[str] = ()) -> dict[str, Any]:
    """Work on a goal: `{"goal", "status", "final"}`, with the statuses of the study planner.

    Raises ImportError without the SDK, BadSetting, or what the SDK's client raises when a server fails.
    """
    sdk = import_sdk()
    sdk.set_tracing_disabled(True)
    run = study_run.Run(goal, "openai-agents", None)
    model, settings = chat_model(sdk)
    agent = sdk.Agent(
        name="study_planner",
        instructions=study.INSTRUCTIONS,
        model=model,
        model_settings=settings,
        tools=tools_of(sdk, run),
    )
    config = sdk.RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
    task = f"{goal}{INPUTS}{json.dumps({'goal': goal}, ensure_ascii=False)}"
    try:
        result = await sdk.Runner.run(agent, task, max_turns=MAX_TURNS, run_config=config)
        while result.interruptions and may_go_on(run, result.interruptions, approved):
            state = result.to_state()
            for asked in result.interruptions:
                state.approve(asked)
            result = await sdk.Runner.run(agent, state, run_config=config)
    except sdk.MaxTurnsExceeded:
        run.end(run.status or "stopped_max_steps", "The step limit was reached.")
    return outcome(goal, run)


def may_go_on(run: Any, asked: Collection[Any], approved: Collection[str]) -> bool:
    """True when a person approved all that the run waits for; else the run ends, in our own words."""
    for call in asked:
        if call.tool_name not in approved:
            run.take_in(call.tool_name, observe(call.tool_name, call.raw_item.arguments, approved))
            return False
    return True


def outcome(goal: str, run: Any) -> dict[str, Any]:
    """How a run ended. Its message is written by code from what the tools gave; the model's words are not used."""
    if not run.status:
        job = ["search_course", "make_study_plan"] + ["publish_report"] * study.wants_publishing(goal)
        problems = succeeded(*job)("", tool_log_of(run))
        if problems and run.state["evidence"]:
            run.end("planner_error", f"The model gave up: {' '.join(problems)}")
        else:
            run.finish(0, study.summary(run))
    return {"goal": goal, "status": run.status, "final": study.final_of(run)}


def tool_log_of(run: Any) -> list[dict[str, Any]]:
    """What the run knows to have been done, as the log that our checks read."""
    done = {"search_course": run.state["searched"], "make_study_plan": run.state["plan"]}
    done["publish_report"] = run.publication
    return [{"tool": name, "args": {}, "result": {"status": "ok"}} for name, result in done.items() if result]


async def evaluate() -> list[dict[str, Any]]:
    """Run the study planner's own cases: `{"name", "ok", "status"}` for each."""
    results = []
    for case in study.EVAL_CASES:
        status = (await run_agent(case["goal"], study.approved(case.get("approved_tools"))))["status"]
        results.append({"name": case["name"], "ok": status == case["expected_status"], "status": status})
    return results


# --- The program ------------------------------------------------------------------------------------------


def show_run(done: dict[str, Any]) -> int:
    """Print one run for people; 0 when it was completed."""
    print(f"status: {done['status']}\n{done['final']['message']}")
    for task in done["final"]["tasks"]:
        print(f"{task['step']}. {task['task']}")
    print(f"sources: {', '.join(done['final']['sources']) or 'none'}")
    return 0 if done["status"] == "completed" else 1


def show_cases(results: list[dict[str, Any]]) -> int:
    """Print the evaluation for people; 0 when every case ended as it should."""
    passed = sum(result["ok"] for result in results)
    for result in results:
        print(f"{result['name']}: {'PASS' if result['ok'] else 'FAIL'} ({result['status']})")
    print(f"passed: {passed}/{len(results)}")
    return 0 if passed == len(results) else 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="openai_agents_study.py",
        description="The study assistant in the OpenAI Agents SDK: its evaluation, or one goal.",
        epilog='Example: python library/openai_agents_study.py --goal "Prepare a review plan for agent memory"',
    )
    made.add_argument("--goal", help="work on this goal in place of the evaluation")
    made.add_argument("--approve", nargs="+", default=[], metavar="TOOL", help="tools that may run (with --goal)")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    return made


def main(argv: list[str] | None = None) -> int:
    """0: completed, or every case passed; 1: not; 2: wrong use, no library, no model."""
    options = parser().parse_args(argv)
    try:
        from openai import OpenAIError

        done = asyncio.run(run_agent(options.goal, options.approve) if options.goal else evaluate())
    except ImportError as error:
        print(f"{error}. {NOT_INSTALLED}", file=sys.stderr)
        return 2
    except (AgentkitError, OpenAIError) as error:
        print(f"The model could not be used: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(done, indent=2, ensure_ascii=False))
        return 0 if (done["status"] == "completed" if options.goal else all(r["ok"] for r in done)) else 1
    return show_run(done) if options.goal else show_cases(done)


if __name__ == "__main__":
    raise SystemExit(load_ours("program").run_as_program(main))
