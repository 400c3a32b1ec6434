"""The director in the OpenAI Agents SDK, for eval/compare_libraries.py.

A guardrail of this library ends the run, so the other try is added here: the problems go back as one more message.
The program for people is library/openai_agents_study.py. Nothing leaves the machine: tracing is switched off.
"""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from openai import AsyncOpenAI

from library.directors.job import INSTRUCTIONS, Job, work
from library.two_agents import import_sdk

sdk = import_sdk()
sdk.set_tracing_disabled(True)


def tool_of(job: Job, name: str) -> Any:
    """One of our tools with its own JSON Schema."""
    ours = job.box.tools[name]

    async def call(context: Any, arguments: str) -> str:
        return job.box.run_json(name, arguments)

    return sdk.FunctionTool(name, ours.description, ours.parameters, call, strict_json_schema=False)


async def run(job: Job) -> str:
    """A run, and others while the check finds problems and tries are left."""
    client = AsyncOpenAI(base_url=job.url, api_key="none", timeout=job.timeout)
    options = {"temperature": job.temperature, "max_tokens": job.max_tokens}
    settings = sdk.ModelSettings(**options, extra_args={"seed": job.seed})
    agent = sdk.Agent(
        name="director",
        instructions=INSTRUCTIONS,
        tools=[tool_of(job, name) for name in job.box.tools],
        model=sdk.OpenAIChatCompletionsModel(job.model, client),
        model_settings=settings,
    )
    config = sdk.RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
    messages: list[Any] = [{"role": "user", "content": job.task}]
    for tried in range(job.retries + 1):
        result = await sdk.Runner.run(agent, messages, max_turns=job.max_steps, run_config=config)
        answer = str(result.final_output or "")
        problems = job.problems(answer)
        if not problems or tried == job.retries:
            break
        messages = [*result.to_input_list(), {"role": "user", "content": job.correction(problems)}]
    await client.close()
    return answer


def direct(job: Job) -> str:
    """One run of the director."""
    return asyncio.run(run(job))


if __name__ == "__main__":
    raise SystemExit(work("openai-agents", version("openai-agents"), direct))
