"""The draughts team: a director plays a tournament, an analyst finds its mistakes, a reporter writes it up.

Here are the agents' instructions, tools and checks, and the two ways to put them together: a pipeline, in
which code hands the work on, and a manager, a fourth agent who decides whom to ask. The agents only read;
what is kept of a report is written by `remember`, which a program calls after a person (or, unattended,
every check) approved. Not here: questions to a person, files of reports, exit codes (run_team.py).

    team = build_pipeline(model, approver=ask_person)
    report = team.run({"players": ["easy", "medium"], "pairs": 1, "seed": 1})[-1].answer
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agentkit import (
    Agent,
    Notebook,
    Pipeline,
    Tracer,
    agent_as_tool,
    all_of,
    covers,
    in_the_right_place,
    moves_grounded,
    no_repeats,
    numbers_grounded,
    quotes_grounded,
    succeeded,
    used_a_tool,
)
from agentkit.checks import Check
from agentkit.models import Model
from agentkit.more.lead import useful
from agentkit.more.values import as_object
from agentkit.tools import DENIED, Approver
from agents import draughts_tools
from agents.draughts_tools import find_mistakes, list_players, run_tournament, standings

NOTEBOOK = Notebook(draughts_tools.BASE_DIR / "data" / "notebook.json")
MOST_WORDS = 250
ENGINE_FAILED = "the engine failed: "
FILE_DAMAGED = "a file is damaged: "
FILE_REFUSED = "a file was refused: "
MACHINE = ENGINE_FAILED, FILE_DAMAGED, FILE_REFUSED  # reasons to stop that may be gone when the run is resumed
NOT_APPROVED = "not approved: "

DIRECTOR = """You run draughts tournaments with tools. Do these steps in order:
1. Call list_players once.
2. Call run_tournament once, with the players, pairs and seed of the Inputs.
3. Call standings with the tournament_id that run_tournament returned.
4. Answer in two or three sentences: who played, how many games, and how many points each player has.
Use only names and numbers that the tools returned."""

ANALYST = """You study draughts tournaments with a tool. Do these steps in order:
1. Call find_mistakes with the tournament_id of the Inputs.
2. Answer with one line for each mistake: game, move number, side, player, the move played, the engine's best
   move, and the lost men or the verdict.
Copy every name, number and move exactly as the tool returned it. Give no advice."""

REPORTER = f"""You write short reports on draughts tournaments. Do these steps in order:
1. Call standings with the tournament_id of the Inputs.
2. Call find_mistakes with the same tournament_id.
3. Call recall with the names of the players.
4. Answer with the report, in Markdown and plain British English, under {MOST_WORDS} words:
   - the standings as a table: player, games, wins, draws, losses, points, Elo;
   - the biggest mistakes as a list: game, move number, side, player, move played, engine's best move, lost men
     or verdict;
   - if recall found notes, one sentence that compares this tournament with them.
Copy every name, number and move exactly as the tools returned it. Give no advice and no opinions."""

MANAGER = """You lead three colleagues. Do these steps in order:
1. Call ask_director: the task is to play a tournament; name the players, pairs and seed of the Inputs.
2. Call ask_analyst: the task is to find the mistakes; name the tournament_id that the director returned.
3. Call ask_reporter: the task is to write the report; name the same tournament_id and the players.
4. Answer with the reporter's answer, word for word."""

DIRECTOR_TASK = "Play the tournament of the Inputs and say how it ended."
ANALYST_TASK = "Find the biggest mistakes of this tournament."
REPORTER_TASK = "Write the report on this tournament."
MANAGER_TASK = "Have the tournament of the Inputs played, studied and reported on."

EARLIER = re.compile(
    r"\b(earlier|previous(ly)?|last (time|tournament)|past|former(ly)?|notes?|before|again|compar(ed|ison)|unlike)\b",
    re.IGNORECASE,
)
SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
TOURNAMENT = re.compile(r"\d{8}-\d{6}")

ToolLog = list[dict[str, Any]]
OnEvent = Callable[[dict[str, Any]], None]


# --- Checks -----------------------------------------------------------------------------------------------

GROUNDED = all_of(used_a_tool, numbers_grounded, moves_grounded, in_the_right_place, quotes_grounded)


def short_enough(answer: str, tool_log: ToolLog) -> list[str]:
    """A report has fewer than 250 words; marks that only draw a table do not count as words."""
    words = sum(any(letter.isalnum() for letter in word) for word in answer.split())
    return (
        [] if words < MOST_WORDS else [f"The report has {words} words; it must have fewer than {MOST_WORDS}."]
    )


def compares_with_notes(answer: str, tool_log: ToolLog) -> list[str]:
    """Where notes were recalled, the report compares with one of them."""
    recalled = [as_object(entry["result"]).get("notes") for entry in tool_log if entry["tool"] == "recall"]
    texts = [note["text"] for note in (recalled[-1] if recalled else None) or ()]
    if not texts or any(compares(answer, text) for text in texts):
        return []
    return [f"The report does not compare with the earlier notes. Add a sentence that does; they say: {texts[0]}"]


def compares(report: str, note: str) -> bool:
    """Return whether a report names a note's tournament, or says in a sentence how one of its players did earlier."""
    identity = TOURNAMENT.search(note)
    if identity and identity[0] in report:
        return True
    players = re.findall(r"(\w+) [\d.]+ points", note)
    return any(
        EARLIER.search(sentence) and any(re.search(rf"\b{name}\b", sentence, re.IGNORECASE) for name in players)
        for sentence in SENTENCES.split(report)
    )


def played_as_asked(inputs: dict[str, Any]) -> Check:
    """Return a check that the last tournament had the players, pairs and seed of `inputs`, in any order."""
    wanted = {"players": sorted(inputs["players"]), "pairs": inputs["pairs"], "seed": inputs["seed"]}

    def check(answer: str, tool_log: ToolLog) -> list[str]:
        for entry in reversed(tool_log):
            if entry["tool"] == "run_tournament" and "tournament_id" in as_object(entry["result"]):
                args = {"pairs": 1, "seed": 1, **entry["args"]}
                if {**args, "players": sorted(args["players"])} == wanted:
                    return []
                return [f"The wrong tournament was played. Call run_tournament with {json.dumps(inputs)}."]
        return []

    return check


def colleagues_passed(answer: str, tool_log: ToolLog) -> list[str]:
    """The last answer of every colleague who was asked passed that colleague's own checks."""
    last = {entry["tool"]: as_object(entry["result"]) for entry in tool_log}
    failed = [name for name, result in last.items() if result.get("passed") is False]
    return [f"These answers did not pass their own checks: {', '.join(failed)}. Ask again."] if failed else []


def hopeless(state: dict[str, Any]) -> str | None:
    """A guard: stop when trying again cannot help, because a person said no or the machine lets the run down."""
    for message in state["messages"]:
        if message.get("role") == "tool":
            reason = _reason_to_stop(as_object(message.get("content")))
            if reason:
                return reason
    return None


def _reason_to_stop(result: Mapping[str, Any]) -> str | None:
    error = str(result.get("error", ""))
    refused = re.fullmatch(rf"{DENIED} (\w+), so it was not run\.", error)
    if refused:
        return NOT_APPROVED + refused[1]
    failed = re.match(r"\w+ failed: (\w+): (.*)", error, re.DOTALL)
    if failed and failed[1] in ("EngineError", "DamagedFile"):
        return (ENGINE_FAILED if failed[1] == "EngineError" else FILE_DAMAGED) + failed[2].rstrip(".")
    if failed and failed[2].startswith("[Errno "):  # how Python tells what the system said: the disk is full, …
        return FILE_REFUSED + failed[2]
    problems = " ".join(map(str, result.get("problems") or ()))  # a colleague was stopped
    stopped = re.match(r"The run was stopped: (.*)\.", problems, re.DOTALL)
    told = stopped and stopped[1].startswith((NOT_APPROVED, *MACHINE))
    return stopped[1] if stopped and told else None


def stopped_by_machine(event: dict[str, Any]) -> bool:
    """Say whether an event is of a run that the machine let down: the call that failed, or the stop after it."""
    if event["kind"] == "tool":
        reason = _reason_to_stop(as_object(event["result"]))
    else:
        reason = event["reason"] if event["kind"] == "stopped" else None
    return reason is not None and reason.startswith(MACHINE)


# --- Agents -----------------------------------------------------------------------------------------------


def build_agents(
    model: Model,
    approver: Approver | None = None,
    tracer: Tracer | None = None,
    inputs: dict[str, Any] | None = None,
    on_event: OnEvent | None = None,
) -> tuple[Agent, Agent, Agent]:
    """Return (director, analyst, reporter).

    With `inputs` (players, pairs, seed) the director is also checked for having played just that tournament.
    """
    common = _common(model, approver, tracer, on_event)
    directed = all_of(succeeded("run_tournament", "standings"), GROUNDED, covers("standings.table"))
    if inputs:
        directed = all_of(directed, played_as_asked(inputs))
    studied = all_of(succeeded("find_mistakes"), GROUNDED, covers("biggest_mistakes"))
    complete = covers("standings.table", "biggest_mistakes")
    read = all_of(succeeded("standings", "find_mistakes"), useful("recall"))
    reported = all_of(read, GROUNDED, complete, compares_with_notes, short_enough)
    return (
        Agent("director", DIRECTOR, [list_players, run_tournament, standings], check=directed, **common),
        Agent("analyst", ANALYST, [find_mistakes], check=studied, **common),
        Agent(
            "reporter", REPORTER, [standings, find_mistakes, NOTEBOOK.recall_tool()], check=reported, **common
        ),
    )


def _common(
    model: Model, approver: Approver | None, tracer: Tracer | None, on_event: OnEvent | None
) -> dict[str, Any]:
    """Return what all agents of the team have in common."""
    return {
        "model": model,
        "approver": approver,
        "tracer": tracer,
        "guards": (no_repeats(), hopeless),
        "on_event": on_event,
        "answer_on_last_step": True,
    }


def build_pipeline(
    model: Model,
    approver: Approver | None = None,
    tracer: Tracer | None = None,
    inputs: dict[str, Any] | None = None,
    on_event: OnEvent | None = None,
) -> Pipeline:
    """Return the pipeline director → analyst → reporter; run it with players, pairs and seed."""
    agents = build_agents(model, approver, tracer, inputs, on_event)
    return Pipeline(list(zip(agents, (DIRECTOR_TASK, ANALYST_TASK, REPORTER_TASK), strict=True)))


def build_manager(
    model: Model,
    approver: Approver | None = None,
    tracer: Tracer | None = None,
    inputs: dict[str, Any] | None = None,
    on_event: OnEvent | None = None,
) -> Agent:
    """Return the manager, who asks the three others; run it on MANAGER_TASK with players, pairs and seed."""
    director, analyst, reporter = build_agents(model, approver, tracer, inputs, on_event)
    colleagues = [
        agent_as_tool(director, "Ask the director to play a tournament. Returns its tournament_id."),
        agent_as_tool(analyst, "Ask the analyst to find the biggest mistakes of a tournament."),
        agent_as_tool(reporter, "Ask the reporter to write the report on a tournament."),
    ]
    check = all_of(
        succeeded("ask_director", "ask_analyst", "ask_reporter"), colleagues_passed, GROUNDED, short_enough
    )
    common = _common(model, approver, tracer, on_event)
    return Agent("manager", MANAGER, colleagues, max_steps=6, check=check, **common)


# --- Memory -----------------------------------------------------------------------------------------------


def remember(report_inputs: dict[str, Any], table: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Note the result of a tournament for later reports, once; returns the note.

    `report_inputs` holds `tournament_id` and `players`, `table` the rows of its standings. Only call this
    after a person (or, unattended, every check) approved the report.
    """
    beginning = f"Tournament {report_inputs['tournament_id']} with players "
    for note in NOTEBOOK.notes():
        if note["text"].startswith(beginning):
            return note
    players = list(report_inputs["players"])
    results = "; ".join(f"{row['player']} {row['points']:.1f} points, Elo {row['elo']}" for row in table)
    return NOTEBOOK.add(f"{beginning}{', '.join(players)}: {results}", tags=players)
