"""The director in agentkit, as `agents/draughts_team.py` builds it, for eval/compare_libraries.py.

Not here: anything of its own. The check, the other try and the help for a forgotten tool are agentkit's loop.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentkit import OpenAIModel
from library.directors.job import Job, draughts_team, work


def direct(job: Job) -> str:
    """One run of the director."""
    options = {"temperature": job.temperature, "seed": job.seed, "max_tokens": job.max_tokens}
    model = OpenAIModel(job.model, job.url, timeout=job.timeout, **options)
    agent = draughts_team.build_agents(model, inputs=job.inputs)[0]
    agent.toolbox, agent.max_steps, agent.retries = job.box, job.max_steps, job.retries
    return agent.run(draughts_team.DIRECTOR_TASK, job.inputs).answer


if __name__ == "__main__":
    raise SystemExit(work("agentkit", "", direct))
