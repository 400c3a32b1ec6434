"""The report as a file: `reports/report-ID.md`, written whole or not at all.

Not here: writing the words (a model's job, judged by checks) and asking whether it may be saved
(run_team.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentkit.files import write_whole
from agents import draughts_tools


def report_path(folder: Path, tournament_id: str) -> Path:
    """Return where the report on a tournament is kept. Raises ValueError for what is no tournament id."""
    return Path(folder) / f"report-{draughts_tools.path_for(tournament_id).stem}.md"


def save_report(folder: Path, tournament_id: str, report: str, events: list[dict[str, Any]]) -> Path:
    """Write the report and return its path. The same report and events always give the same file."""
    path = report_path(folder, tournament_id)
    write_whole(path, report.strip() + "\n")
    return path
