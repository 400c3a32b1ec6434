"""One run of the draughts team as its trace tells it: begun or resumed, worked through, its report kept.

The program's own steps are in the trace too, as events of the agent "run_team": `approval` (may the report be
saved), `saved`, `remembered`, `end` (the exit code) and `resumed`. A run that was killed goes through its trace again
and does only what is not in it; saving and remembering are such that doing them twice changes nothing.
Not here: arguments, questions to a person, what is printed (run_team.py); the team itself (draughts_team.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from agentkit import Tracer
from agentkit.errors import AgentkitError
from agentkit.files import claim_stamp
from agentkit.models import Model
from agentkit.more.journal import Resumed, is_whole
from agentkit.tools import Approver
from agentkit.trace import read_trace
from agents import draughts_team, draughts_tools
from agents.draughts_report import report_path, save_report

ME = "run_team"

Event = dict[str, Any]
Options = dict[str, Any]


# --- The trace --------------------------------------------------------------------------------------------


def new_trace(folder: Path) -> Path:
    """Return the path of a new trace in `folder`, an empty file."""
    return Path(folder) / f"{claim_stamp(folder, '.jsonl')}.jsonl"


def begin(trace: Path, options: Options, model: Any) -> Tracer:
    """Return the tracer of a new run in `trace`, its header with all `options` written."""
    tracer = Tracer(trace)
    tracer.begin(agent=ME, program=ME, model=model.describe(), options=options, inputs=inputs_of(options))
    return tracer


def resume(trace: Path, model: Any) -> Resumed:
    """Return the tracer that goes on with the run in `trace`; what the machine refused then is tried again."""
    tracer = Resumed(trace, forget=draughts_team.stopped_by_machine)
    # written past the journal's memory: every time that a run is resumed is told
    Tracer.write(tracer, agent=ME, kind="resumed", model=model.describe())
    return tracer


def recorded_options(trace: Path) -> Options | None:
    """Return the options in the header of a trace, or None if it is not the trace of such a run."""
    header = next(iter(read_trace(trace)), {"kind": ""})
    options = header.get("options") if header["kind"] == "run" else None
    return options if header.get("program") == ME and isinstance(options, dict) else None


def events_of(tracer: Tracer) -> list[Event]:
    """Return the events of a run so far; damaged ones are left out."""
    return [event for event in read_trace(tracer.path) if is_whole(event)]


def inputs_of(options: Options) -> dict[str, Any]:
    """Return what the agents are told of the options."""
    return {name: options[name] for name in ("players", "pairs", "seed")}


# --- The work ---------------------------------------------------------------------------------------------


def work(
    options: Options,
    model: Model,
    approver: Approver,
    tracer: Tracer,
    on_event: Callable[[Event], None] | None = None,
) -> str:
    """Let the team work and return its report, or nothing if it did not come that far. Raises ModelError."""
    inputs = inputs_of(options)
    team = model, approver, tracer, inputs, on_event
    if options["manager"]:
        return draughts_team.build_manager(*team).run(draughts_team.MANAGER_TASK, inputs).answer
    pipeline = draughts_team.build_pipeline(*team)
    results = pipeline.run(inputs)
    return results[-1].answer if len(results) == len(pipeline.steps) else ""


def allowed_tournaments(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the arguments of the tournaments that were approved so far."""
    approvals = [
        event for event in events if event["kind"] == "approval" and event["tool"] == "run_tournament"
    ]
    return [event["args"] for event in approvals if event["approved"]]


def tournament_of(events: Iterable[Event]) -> str:
    """Return the id of the tournament that was played last, or nothing."""
    ids = [event["result"]["tournament_id"] for event in _succeeded(events, "run_tournament")]
    return ids[-1] if ids else ""


def reported_on(events: Iterable[Event]) -> str:
    """Return the id of the tournament whose standings the reporter read last, or nothing."""
    read = [event for event in _succeeded(events, "standings") if event["agent"] == "reporter"]
    return read[-1]["result"]["tournament_id"] if read else ""


def _succeeded(events: Iterable[Event], tool: str) -> list[Event]:
    calls = [event for event in events if event["kind"] == "tool" and event["tool"] == tool]
    return [
        event for event in calls if isinstance(event["result"], dict) and "tournament_id" in event["result"]
    ]


def stopped_by_machine(events: Iterable[Event]) -> AgentkitError | OSError | None:
    """Return the failure of the engine or of a file that ended the run, as an error with its sentence."""
    stops = [event for event in events if event["kind"] in ("stopped", "resumed")]
    if not stops or not draughts_team.stopped_by_machine(stops[-1]):
        return None
    reason = str(stops[-1]["reason"])
    if reason.startswith(draughts_team.FILE_REFUSED):
        return OSError(reason.removeprefix(draughts_team.FILE_REFUSED))
    return AgentkitError(reason.partition(": ")[2] + ".")


# --- The end ----------------------------------------------------------------------------------------------


def release_ids(events: Iterable[Event]) -> None:
    """Give back the ids of tournaments that were asked for and never played."""
    for event in events:
        if event["kind"] == "call" and "id" in event:
            draughts_tools.release(event["id"])


def may_save(tracer: Tracer, decide: Callable[[], bool]) -> bool:
    """Return whether the report may be saved: as the trace says, else as `decide()` says now."""
    recorded = tracer.recall(ME, "approval")
    approved = recorded["approved"] is True if recorded else decide()
    tracer.write(agent=ME, kind="approval", tool="save_report", args={}, approved=approved)
    tracer.sync()
    return approved


def keep(folder: Path, options: Options, tracer: Tracer, tournament_id: str, report: str) -> Path:
    """Save the report, remember the result, say so in the trace; return the report's path. Raises OSError."""
    path = report_path(folder, tournament_id)
    if not (tracer.recall(ME, "saved") and path.exists()):
        save_report(folder, tournament_id, report, events_of(tracer))
    tracer.write(agent=ME, kind="saved", path=f"{path.parent.name}/{path.name}")
    table = draughts_tools.standings(tournament_id)["table"]
    note = draughts_team.remember({**inputs_of(options), "tournament_id": tournament_id}, table)
    tracer.write(agent=ME, kind="remembered", text=note["text"])
    tracer.sync()
    return path


def end(tracer: Tracer, code: int) -> int:
    """Say in the trace that the run is over, and return its exit code."""
    tracer.write(agent=ME, kind="end", code=code)
    tracer.close()
    return code
