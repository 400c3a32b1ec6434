"""The report as files: `reports/report-ID.md`, which ends with its sources, and `report-ID.json`, its receipts.

Each file is written whole or not at all, the page last: where there is a page, its receipts are there too. The
receipts bind every number and move of the report to the tool call and the field that it came from.
Not here: writing the words (a model's job, judged by checks) and asking whether they may be saved (run_team.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentkit.files import write_json, write_whole
from agentkit.more.receipts import answer_in, receipts_of, sources_section
from agents import draughts_tools

Event = dict[str, Any]


def report_path(folder: Path, tournament_id: str) -> Path:
    """Return where the report on a tournament is kept. Raises ValueError for what is no tournament id."""
    return Path(folder) / f"report-{draughts_tools.path_for(tournament_id).stem}.md"


def save_report(folder: Path, tournament_id: str, report: str, events: list[Event]) -> Path:
    """Write the report and its receipts; return the page's path. The same events always give the same files.

    `events` are those of the run's trace. Raises OSError when the disk does not take a file.
    """
    path = report_path(folder, tournament_id)
    text, tool_log = report.strip(), _tool_log(events)
    write_json(path.with_suffix(".json"), {"tournament_id": tournament_id, **receipts_of(text, tool_log)})
    write_whole(path, f"{text}\n\n{sources_section(text, tool_log)}".rstrip() + "\n")
    return path


def _tool_log(events: list[Event]) -> list[dict[str, Any]]:
    """Return the tool calls that a report stands on: the reporter's.

    A manager words the report itself, from all that its colleagues found: then their calls follow the reporter's.
    """
    tool_log = answer_in(events, "reporter")[1]
    if any(event["agent"] == "manager" for event in events):
        for colleague in ("director", "analyst"):
            tool_log += answer_in(events, colleague)[1]
    return tool_log
