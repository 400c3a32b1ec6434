"""What the runs of an evaluation come to: the scorecard, its JSON form and its Markdown form.

Role: a card is `{"what", "format", "when", "machine", "settings", "runs", "summary"}`: one record a run (jobs.py) and,
per suite and model, counts with Wilson's 95 % interval, means, why answers failed, what was invented. The order in
which runs were done leaves no mark in it. Not here: running, the picture (picture.py), comparing two cards
(compare_cards.py).
"""

from __future__ import annotations

import os
import platform
import statistics
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from agentkit.errors import DamagedFile
from agentkit.files import read_json, write_json
from agents.program import WrongUse
from eval.intervals import wilson
from eval.jobs import key_of
from eval.reasons import grouped
from eval.suites import AGENTS, SUITES

WHAT = "evaluation of the agents"
FORMAT = 1
MOST_REASONS = 6  # kinds of problem that the table names for one suite and model
INVENTED = ("invented", "caught", "repaired")

Card = dict[str, Any]
Record = dict[str, Any]


# --- The card ---------------------------------------------------------------------------------------------


def new_card(settings: dict[str, Any]) -> Card:
    """A card without runs. `settings`: models (name -> description), standin, mistake_rate."""
    machine = {"cpus": os.cpu_count(), "system": platform.system(), "python": platform.python_version()}
    when = datetime.now(timezone.utc).isoformat(timespec="seconds")
    card = {"what": WHAT, "format": FORMAT, "when": when, "machine": machine, "settings": settings}
    return {**card, "runs": [], "summary": []}


def check_out(out: Path | None, resume: bool) -> None:
    """Raise WrongUse if `--out` is no JSON file or would overwrite one, or `--resume` has none to go on with."""
    if resume and not out:
        raise WrongUse("--resume needs --out, the scorecard to go on with.")
    if out and out.suffix != ".json":
        raise WrongUse(f"--out must end in .json, not {out.name!r}.")
    if out and out.exists() and not resume:
        raise WrongUse(f"{out} is there already: add --resume to go on with it, or take another name.")


def read_card(path: Path) -> Card:
    """The card in a file. Raises FileNotFoundError, or DamagedFile when it is no scorecard of run_eval.py."""
    card = read_json(path)
    if not isinstance(card, dict) or card.get("what") != WHAT or not isinstance(card.get("runs"), list):
        raise DamagedFile(path, "no scorecard of run_eval.py")
    if card.get("format") != FORMAT:
        raise DamagedFile(path, f"a scorecard of format {card.get('format')}; this program reads format {FORMAT}")
    return card


def with_runs(card: Card, runs: list[Record]) -> Card:
    """The card with these runs, in the order of suites, models and seeds, and with their summary."""
    suites, models = list(SUITES), list(card["settings"]["models"])
    runs = sorted(runs, key=lambda run: (suites.index(run["suite"]), models.index(run["model"]), run["seed"]))
    groups: dict[tuple[str, str], list[Record]] = {}
    for run in runs:
        groups.setdefault(key_of(run)[:2], []).append(run)
    return {**card, "runs": runs, "summary": [summary_of(group) for group in groups.values()]}


def save(card: Card, path: Path) -> None:
    """Write the card, whole or not at all."""
    write_json(path, card)


# --- Counting ---------------------------------------------------------------------------------------------


def summary_of(runs: list[Record]) -> dict[str, Any]:
    """The counts of one suite and model."""
    n, passed = len(runs), sum(run["passed"] for run in runs)
    suite = runs[0]["suite"]
    return {
        "suite": suite,
        "model": runs[0]["model"],
        "n": n,
        "passed": passed,
        "interval": _rounded(wilson(passed, n)),
        "checked": sum(run["checked"] for run in runs),
        "complete": sum(run["complete"] for run in runs),
        "mean_seconds": _mean([run["seconds"] for run in runs]),
        "mean_tokens": _mean([tokens_of(run) for run in runs]),
        "agents": {name: agent_summary(name, runs) for name in AGENTS[suite]},
        "failed_because": grouped(text for run in runs if not run["passed"] for text in why_failed(run)),
        "refused_because": grouped(text for run in runs for text in run["refused"]),
        **{key: sum(run[key] for run in runs) for key in INVENTED},
        "failures": [{"seed": run["seed"], "trace": run["trace"]} for run in runs if not run["passed"]],
    }


def why_failed(run: Record) -> list[str]:
    """The problems of a run that did not pass, each once; what is missing counts too."""
    return list(dict.fromkeys([*run["problems"], *run["missing"]])) or ["An agent was not reached"]


def tokens_of(run: Record) -> int:
    """The tokens of a run, read and written; 0 when the model does not tell."""
    return sum(row["tokens_in"] + row["tokens_out"] for row in run["agents"].values())


def steps_of(run: Record) -> int:
    """The model's replies in a run."""
    return sum(row["steps"] for row in run["agents"].values())


def agent_summary(name: str, runs: list[Record]) -> dict[str, Any]:
    """One agent over all runs of a suite and model; means are over the runs that reached it."""
    rows = [run["agents"][name] for run in runs if name in run["agents"]]
    outcomes = [row["outcome"] for row in rows]
    passed = outcomes.count("first") + outcomes.count("retry")
    return {
        "passed_first": outcomes.count("first"),
        "passed_after_retry": outcomes.count("retry"),
        "failed": outcomes.count("failed"),
        "not_reached": len(runs) - len(rows),
        "interval": _rounded(wilson(passed, len(runs))),
        "mean_steps": _mean([row["steps"] for row in rows]),
        "mean_seconds": _mean([row["seconds"] for row in rows]),
        "mean_tokens_in": _mean([row["tokens_in"] for row in rows]),
        "mean_tokens_out": _mean([row["tokens_out"] for row in rows]),
    }


def _mean(values: list[float]) -> float:
    return round(statistics.fmean(values), 3) if values else 0.0


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 6) for end in interval]


# --- For people -------------------------------------------------------------------------------------------


def markdown(card: Card) -> str:
    """The card as Markdown, also readable as it stands."""
    settings = card["settings"]
    lines = ["# Scorecard", "", f"{card['when']}, {card['machine']['cpus']} CPUs, Python {card['machine']['python']}."]
    if settings["standin"]:
        lines += ["", f"Model: the stand-in (fixed rules), mistake rate {settings['mistake_rate']:g}."]
    for summary in card["summary"]:
        lines += ["", *_section(summary)]
    return "\n".join(lines) + "\n"


def _section(summary: dict[str, Any]) -> list[str]:
    lines = [f"## {summary['suite']}: {summary['model']}", "", headline(summary), ""]
    lines += ["| agent | first time | after a retry | failed | not reached | passed, 95 % | steps | seconds | tokens |"]
    lines += ["| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    lines += [_agent_line(name, row) for name, row in summary["agents"].items()]
    if summary["invented"]:
        lines += ["", invented_line(summary)]
    lines += _reasons("Runs failed because", summary["failed_because"])
    lines += _reasons("Answers were refused, also those put right, because", summary["refused_because"])
    if summary["failures"]:
        traces = [
            f"{one['seed']} ({one['trace']})" if one["trace"] else f"{one['seed']}" for one in summary["failures"]
        ]
        lines += ["", f"Failed seeds: {', '.join(traces)}."]
    return lines


def headline(summary: dict[str, Any]) -> str:
    """The main figure of a suite and model, in a sentence or two."""
    low, high = (100 * end for end in summary["interval"])
    costs = f"{summary['mean_seconds']:.2f} s and {summary['mean_tokens']:.0f} tokens a run"
    return (
        f"Passed and complete: {summary['passed']} of {summary['n']} ({low:.1f} to {high:.1f} %). "
        f"Every check content: {summary['checked']}; complete: {summary['complete']}; {costs}."
    )


def invented_line(summary: dict[str, Any]) -> str:
    """What became of the numbers that the stand-in invented."""
    return "Numbers invented: {invented}, caught: {caught}, repaired: {repaired}.".format(**summary)


def _agent_line(name: str, row: dict[str, Any]) -> str:
    low, high = (100 * end for end in row["interval"])
    counts = [str(row[key]) for key in ("passed_first", "passed_after_retry", "failed", "not_reached")]
    tokens = f"{row['mean_tokens_in']:.0f} in, {row['mean_tokens_out']:.0f} out"
    means = [f"{row['mean_steps']:.1f}", f"{row['mean_seconds']:.2f}", tokens]
    return f"| {' | '.join([name, *counts, f'{low:.1f} to {high:.1f} %', *means])} |"


def _reasons(title: str, kinds: dict[str, int]) -> list[str]:
    if not kinds:
        return []
    named = [f"- {kind} ({count})" for kind, count in list(kinds.items())[:MOST_REASONS]]
    more = len(kinds) - len(named)
    return ["", f"{title}:", "", *named, *([f"- and {more} more kinds"] if more else [])]
