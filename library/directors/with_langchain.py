"""The director in LangChain's `create_agent`, for eval/compare_libraries.py.

The library has no check of answers, so the other try is added here: the problems go back as one more message.
The program for people is library/langchain_director.py.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI

from library.directors.job import INSTRUCTIONS, Job, work


def tool_of(job: Job, name: str) -> StructuredTool:
    """One of our tools with its own JSON Schema."""
    ours = job.box.tools[name]

    def call(**args: Any) -> str:
        return str(job.box.call(name, args).text)

    return StructuredTool(name=name, description=ours.description, args_schema=ours.parameters, func=call)


def direct(job: Job) -> str:
    """A run, and others while the check finds problems and tries are left."""
    options = {"temperature": job.temperature, "seed": job.seed, "max_tokens": job.max_tokens}
    model = ChatOpenAI(model=job.model, base_url=job.url, api_key="none", timeout=job.timeout, **options)
    agent = create_agent(model, [tool_of(job, name) for name in job.box.tools], system_prompt=INSTRUCTIONS)
    messages: list[Any] = [{"role": "user", "content": job.task}]
    for tried in range(job.retries + 1):
        messages = agent.invoke({"messages": messages}, {"recursion_limit": 2 * job.max_steps + 1})["messages"]
        answer = messages[-1].text
        problems = job.problems(answer)
        if not problems or tried == job.retries:
            break
        messages.append({"role": "user", "content": job.correction(problems)})
    return str(answer)


if __name__ == "__main__":
    raise SystemExit(work("langchain", version("langchain"), direct))
