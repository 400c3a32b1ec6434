"""The director in smolagents' `ToolCallingAgent`, for eval/compare_libraries.py.

The library checks answers itself (`final_answer_checks`): a check that raises is told to the model, which may go
on until the step limit. It gets the director's own check, and as many tries as its steps allow.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from smolagents import LogLevel, OpenAIModel, Tool, ToolCallingAgent

from library.directors.job import INSTRUCTIONS, Job, work


class OurTool(Tool):
    """One of our tools; the library wants optional arguments marked as nullable."""

    skip_forward_signature_validation = True
    output_type = "string"

    def __init__(self, job: Job, name: str) -> None:
        ours = job.box.tools[name]
        required = ours.parameters["required"]
        properties = ours.parameters["properties"]
        self.name, self.description, self.job = name, ours.description, job
        self.inputs = {
            key: {"description": key, **schema, **({} if key in required else {"nullable": True})}
            for key, schema in properties.items()
        }
        super().__init__()

    def forward(self, **args: Any) -> str:
        given = {key: value for key, value in args.items() if value is not None}
        return str(self.job.box.call(self.name, given).text)


def direct(job: Job) -> str:
    """One run of the director."""

    def accepted(answer: Any, memory: Any, agent: Any) -> bool:
        problems = job.problems(str(answer))
        if problems:
            raise ValueError(" ".join(problems))
        return True

    options = {"temperature": job.temperature, "seed": job.seed, "max_tokens": job.max_tokens}
    client = {"timeout": job.timeout}
    agent = ToolCallingAgent(
        tools=[OurTool(job, name) for name in job.box.tools],
        model=OpenAIModel(job.model, job.url, "none", client_kwargs=client, **options),
        instructions=INSTRUCTIONS,
        max_steps=job.max_steps,
        final_answer_checks=[accepted] if job.retries else [],
        verbosity_level=LogLevel.OFF,
        return_full_result=True,
    )
    result = agent.run(job.task)
    if result.state != "success":
        raise RuntimeError("The step limit was reached.")
    return str(result.output)


if __name__ == "__main__":
    raise SystemExit(work("smolagents", version("smolagents"), direct))
