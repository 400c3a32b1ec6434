"""What is asked in each suite of run_eval.py: the cases, one for each seed. Data, and nothing that runs.

    pipeline, manager   the tournament easy against medium with the seed, and one note about an earlier tournament,
                        which the report must compare with
    codebase            a question about a small project, with the lines that answer it (questions.py)
    study               a goal for the study planner, with the status that it must end in

With more seeds than cases, the cases come round again; a model that decodes with chance decodes by the seed.
Not here: how a case is run (suites.py), or what an answer is worth (scorer.py).
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from typing import Any

import ratings
from agents.study_planner import EVAL_CASES

PLAYERS = ["easy", "medium"]
NOTE_WRITTEN = "2026-01-01T00:00:00+00:00"
FIRST_DAY = datetime(2026, 1, 1, tzinfo=timezone.utc)
YEAR = 365 * 24 * 3600  # seconds

Case = dict[str, Any]

# The planner's own three cases, and more of each kind: it must also publish when it may, and find nothing twice.
STUDY_CASES: list[Case] = [
    *EVAL_CASES,
    {"name": "memory_plan", "goal": "Plan one evening on agent memory", "expected_status": "completed"},
    {"name": "evaluation_plan", "goal": "Help me review how agents are evaluated", "expected_status": "completed"},
    {
        "name": "approved_publication",
        "goal": "Publish a review plan on tool safety to the class page",
        "approved_tools": ["publish_report"],
        "expected_status": "completed",
    },
    {
        "name": "publish_evaluation_unapproved",
        "goal": "Make an evaluation plan and publish it",
        "expected_status": "blocked_by_approval",
    },
    {"name": "baking", "goal": "How do I bake sourdough bread?", "expected_status": "no_evidence"},
]


def tournament_inputs(seed: int) -> dict[str, Any]:
    """What the draughts team is asked for."""
    return {"players": list(PLAYERS), "pairs": 1, "seed": seed}


def moment_of(seed: int) -> datetime:
    """The time in the id of a seed's tournament: not the clock's, so that a seed always gives the same prompts."""
    return FIRST_DAY + timedelta(seconds=random.Random(seed).randrange(YEAR))


def earlier_tournament(seed: int) -> tuple[str, list[dict[str, Any]]]:
    """(id, standings) of an invented earlier tournament of the same players, for the note that a report finds."""
    rand = random.Random(-seed)
    moment = FIRST_DAY - timedelta(seconds=1 + rand.randrange(YEAR))
    games = [
        {"black": black, "white": white, "winner": rand.choice(("b", "w", "draw"))}
        for black, white in (PLAYERS, PLAYERS[::-1])
    ]
    table = [
        {"player": player, "points": row["points"], "elo": round(row["rating"])}
        for player, row in ratings.compute(games).items()
    ]
    return moment.strftime("%Y%m%d-%H%M%S"), sorted(table, key=lambda row: (-row["points"], row["player"]))


def study_case(seed: int) -> Case:
    """The study planner's case of a seed."""
    return STUDY_CASES[(seed - 1) % len(STUDY_CASES)]
