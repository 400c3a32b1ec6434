"""How often a search finds the place that answers a question, over real projects.

    python eval/retrieval.py --fetch                 # get the projects once (needs pip and the network)
    python eval/retrieval.py                         # measure
    python eval/retrieval.py --sets published --verbose

A question is given to `search_files` as it is. Measured are

    file      the right file is among the (at most ten) files of the ten lines
    window    a line is shown that is within 20 lines of the right ones, in the right file
    line      a line is shown that is one of the right ones
    mrr       mean of 1/rank of the right file, 0 where it is not shown

Shares come with Wilson's 95 % interval, the mean with a bootstrap one (2,000 samples, seed 1). The
questions of the set `held_out` are only counted, never listed: they were written before the ranking and
are not to be looked at while it is changed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.codebase.workspace import Workspace
from agents.program import run_as_program
from eval.intervals import bootstrap, wilson
from eval.projects import NoProject, default_place, fetch, folder_of, read_questions

SETS = ("published", "tuning", "held_out")
WINDOW = 20
EXAMPLE = "Example: python eval/retrieval.py --sets published tuning --json"


class Outcome(NamedTuple):
    """How one question went: the rank of the right file (0: not shown), and what the lines hit."""

    id: str
    rank: int
    line: bool
    window: bool


def judge(question: dict[str, Any], matches: Sequence[dict[str, Any]]) -> Outcome:
    """The outcome for a question of the file and the `best_matches` of a search for it."""
    places = [question, *question["also"]]
    right = {place["file"] for place in places}
    files = list(dict.fromkeys(match["file"] for match in matches))
    rank = next((rank for rank, file in enumerate(files, 1) if file in right), 0)
    return Outcome(question["id"], rank, _hit(places, matches, 0), _hit(places, matches, WINDOW))


def _hit(places: Sequence[dict[str, Any]], matches: Sequence[dict[str, Any]], within: int) -> bool:
    return any(
        match["file"] == place["file"] and place["line_from"] - within <= match["line"] <= place["line_to"] + within
        for match in matches
        for place in places
    )


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Counts with intervals for a set of outcomes."""
    count = len(outcomes)
    out: dict[str, Any] = {"questions": count}
    for name, hits in (
        ("file", sum(outcome.rank > 0 for outcome in outcomes)),
        ("window", sum(outcome.window for outcome in outcomes)),
        ("line", sum(outcome.line for outcome in outcomes)),
    ):
        out[name] = {"hits": hits, "interval": [round(bound, 3) for bound in wilson(hits, count)]}
    ranks = [1 / outcome.rank if outcome.rank else 0.0 for outcome in outcomes]
    out["mrr"] = {"mean": round(fmean(ranks), 3), "interval": [round(bound, 3) for bound in bootstrap(ranks)]}
    return out


def measure(sets: Sequence[str], place: Path) -> dict[str, list[Outcome]]:
    """The outcomes of the questions of each set. Raises NoProject."""
    document = read_questions()
    searches = {name: Workspace([folder_of(project, place)]) for name, project in document["projects"].items()}
    outcomes: dict[str, list[Outcome]] = {name: [] for name in sets}
    for question in document["questions"]:
        if question["set"] in outcomes:
            found = searches[question["repo"]].search(question["question"])
            outcomes[question["set"]].append(judge(question, found["best_matches"]))
    for workspace in searches.values():
        workspace.close()
    return outcomes


def _row(name: str, result: dict[str, Any]) -> str:
    def share(key: str) -> str:
        low, high = result[key]["interval"]
        return f"{result[key]['hits']}/{result['questions']} ({low:.0%} to {high:.0%})"

    low, high = result["mrr"]["interval"]
    return (
        f"{name:<10} file {share('file'):<20} window {share('window'):<20} line {share('line'):<20} "
        f"mrr {result['mrr']['mean']:.2f} ({low:.2f} to {high:.2f})"
    )


def _losses(outcomes: Sequence[Outcome]) -> str:
    return " ".join(outcome.id if not outcome.rank else f"({outcome.id})" for outcome in outcomes if not outcome.window)


def _parser() -> argparse.ArgumentParser:
    about = "Measure what search_files finds."
    parser = argparse.ArgumentParser(prog="retrieval.py", description=about, epilog=EXAMPLE)
    add = parser.add_argument
    add("--projects", type=Path, default=None, metavar="DIR", help="where the projects are (the cache directory)")
    add("--fetch", action="store_true", help="get the projects that are missing, with pip, and stop")
    add("--sets", nargs="+", choices=SETS, default=list(SETS), help="the questions to ask (all)")
    add("--verbose", action="store_true", help="name the questions lost (not those held out): no file, or (no line)")
    add("--json", action="store_true", help="print one JSON document")
    return parser


def run(argv: Sequence[str] | None = None) -> int:
    """Measure as the arguments say, print, and return the exit code."""
    options = _parser().parse_args(argv)
    place = options.projects or default_place()
    if options.fetch:
        fetch(place)
        return 0
    outcomes = measure(options.sets, place)
    results = {name: summary(found) for name, found in outcomes.items()}
    results["all"] = summary([outcome for found in outcomes.values() for outcome in found])
    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    for name, result in results.items():
        print(_row(name, result))
        if options.verbose and name in outcomes and name != "held_out":
            print(f"           lost: {_losses(outcomes[name])}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0 measured, 2 wrong use or no project."""
    try:
        return run(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    except NoProject as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
