"""What one run is worth: did every check pass, is the answer complete, which invented numbers were caught.

Role: `agent_rows` counts what each agent did from the trace, `missing_from` says what an answer lacks although its
checks passed, `inventions` follows each number that the stand-in made up. A run passes only if its checks were content
and nothing is missing. Not here: running (suites.py), adding up many runs (scorecard.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from agentkit import covers
from agents.codebase.denials import says_nothing_was_found
from agents.codebase.mentions import mentions
from agents.draughts_team import compares
from agents.trace_summary import per_agent
from eval.suites import Attempt

NEAR = 2  # lines: a citation of the line above or below shows the reader the right one too

Event = dict[str, Any]


# --- What each agent did ----------------------------------------------------------------------------------


def agent_rows(events: list[Event]) -> dict[str, dict[str, Any]]:
    """Per agent: outcome (`first`: passed the first time, `retry`: after a refused answer, `failed`), and its costs."""
    rows = {}
    for row in per_agent(events):
        mine = [event for event in events if event.get("agent") == row["agent"]]
        refused = any(event["kind"] == "answer" and event.get("problems") for event in mine)
        usages = [event["message"].get("usage") for event in mine if event["kind"] == "reply"]
        passed = "retry" if refused else "first"
        rows[row["agent"]] = {
            "outcome": "failed" if row["problems"] else passed,
            "problems": row["problems"],
            "steps": row["steps"],
            "tool_calls": row["tool_calls"],
            "seconds": round(row["seconds"], 3),
            "tokens_in": _tokens(usages, "tokens_in"),
            "tokens_out": _tokens(usages, "tokens_out"),
        }
    return rows


def _tokens(usages: Iterable[Any], key: str) -> int:
    counts = [usage.get(key) for usage in usages if isinstance(usage, dict)]
    return sum(count for count in counts if isinstance(count, int))


def refusals(events: list[Event]) -> list[str]:
    """The problems of every answer that a check refused, also of those that were put right afterwards."""
    return [str(problem) for event in events if event["kind"] == "answer" for problem in event.get("problems") or ()]


# --- What an answer lacks ---------------------------------------------------------------------------------


def missing_from(suite: str, attempt: Attempt) -> list[str]:
    """What the job asks for and the answer lacks, one sentence each; nothing when it is complete."""
    return MISSING[suite](attempt.answer, attempt.facts)


def missing_from_report(report: str, facts: dict[str, Any]) -> list[str]:
    """Every player's row, every mistake found, and the comparison with the note, judged by what the tools say."""
    if not report.strip():
        return ["There was no report."]
    lacks = covers("standings.table", "biggest_mistakes")(report, facts["truth"])
    if facts["note"] and not compares(report, facts["note"]):
        lacks.append("The report does not compare with the earlier tournament of the note.")
    return lacks


def missing_from_citations(answer: str, facts: dict[str, Any]) -> list[str]:
    """One of the lines that answer the question must be cited; where there is none, the answer must say so."""
    places = facts["places"]
    if not places:
        return [] if says_nothing_was_found(answer) else ["The answer does not say that the project has no answer."]
    for mention in mentions(answer, [file for file, _ in places]):
        for first, last in mention.spans:
            if any(mention.name == file and first - NEAR <= line <= last + NEAR for file, line in places):
                return []
    return ["The answer does not cite the line that holds it."]


def missing_from_plan(answer: str, facts: dict[str, Any]) -> list[str]:
    """The status must be the expected one; a completed plan has tasks with evidence, and sources."""
    outcome, case = facts["outcome"], facts["case"]
    status, final = outcome["status"], outcome["final"]
    if status != case["expected_status"]:
        return [f"The run ended in {status} instead of {case['expected_status']}."]
    if status != "completed":
        return []
    lacks = [] if final["tasks"] and final["sources"] else ["The plan has no task or no source."]
    if case.get("approved_tools") and "publication" not in final:
        lacks.append("The plan was not published although that was asked for and approved.")
    return lacks


MISSING: dict[str, Callable[[str, dict[str, Any]], list[str]]] = {
    "pipeline": missing_from_report,
    "manager": missing_from_report,
    "codebase": missing_from_citations,
    "study": missing_from_plan,
}


# --- Invented numbers -------------------------------------------------------------------------------------


def inventions(numbers: Iterable[int], events: list[Event]) -> dict[str, int]:
    """How many numbers were invented, how many the checks caught, and how many were put right after that.

    Caught: the answer that first held the number was refused, and the problems name it. Put right: a later answer of
    the same agent was accepted and no longer holds it.
    """
    answers = [event for event in events if event["kind"] == "answer"]
    counts = {"invented": 0, "caught": 0, "repaired": 0}
    for number in numbers:
        counts["invented"] += 1
        held = next((at for at, event in enumerate(answers) if _holds(event.get("text"), number)), None)
        if held is None or not _holds(" ".join(answers[held].get("problems") or ()), number):
            continue
        counts["caught"] += 1
        later = [event for event in answers[held + 1 :] if event["agent"] == answers[held]["agent"]]
        counts["repaired"] += any(not event.get("problems") and not _holds(event["text"], number) for event in later)
    return counts


def _holds(text: Any, number: int) -> bool:
    return re.search(rf"(?<!\d){number}(?!\d)", str(text or "")) is not None
