"""How well does a model do the draughts team's job? The pipeline runs once for each of a series of seeds.

Each run is easy against medium with one opening, in a temporary data folder; everything is approved, because nothing
outlives the evaluation. For each agent it is counted how often its answer passed the first time, passed after a retry,
failed, or was never asked for because an earlier agent failed; with means of steps and seconds, and Wilson's 95 %
interval of the share that passed. With a mistake rate, the stand-in model invents numbers, and it is counted how
many the checks caught. Not here: whether a report reads well; that is for people to judge.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit import Notebook, Tracer, model_from_env
from agentkit.agent import Result
from agentkit.errors import AgentkitError
from agentkit.trace import read_trace
from agents import draughts_team, draughts_tools
from agents.progress import progress_line
from devtools.standin import StandInModel
from eval.intervals import wilson

AGENTS = ("director", "analyst", "reporter")
EXAMPLE = "Example: python eval/run_eval.py --standin --mistake-rate 0.3 --runs 20"


# --- Runs -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def data_in(folder: Path) -> Iterator[None]:
    """Let the team keep its tournaments and notes in `folder` for a while."""
    before = draughts_tools.TOURNAMENT_DIR, draughts_team.NOTEBOOK
    draughts_tools.TOURNAMENT_DIR = folder / "tournaments"
    draughts_team.NOTEBOOK = Notebook(folder / "notebook.json")
    try:
        yield
    finally:
        draughts_tools.TOURNAMENT_DIR, draughts_team.NOTEBOOK = before


def run_once(model: Any, seed: int) -> dict[str, Any]:
    """Run the pipeline in a folder of its own; return its results and the problems that the checks told."""
    inputs = {"players": ["easy", "medium"], "pairs": 1, "seed": seed}
    with tempfile.TemporaryDirectory() as folder, data_in(Path(folder)):
        tracer = Tracer(Path(folder) / "trace.jsonl")
        pipeline = draughts_team.build_pipeline(model, approver=lambda *_: True, tracer=tracer, inputs=inputs)
        results = pipeline.run(inputs)
        tracer.close()
        told = [" ".join(event["problems"]) for event in read_trace(tracer.path) if event["kind"] == "answer"]
    return {"results": results, "told": " ".join(told), "invented": list(getattr(model, "invented", ()))}


# --- Scores -----------------------------------------------------------------------------------------------


def score(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the counts of all runs: `{"runs", "agents": {name: {…}}, "invented", "caught"}`."""
    results = {name: [item for run in runs for item in run["results"] if item.agent == name] for name in AGENTS}
    invented = [(number, run["told"]) for run in runs for number in run["invented"]]
    return {
        "runs": len(runs),
        "agents": {name: _score_agent(results[name], len(runs)) for name in AGENTS},
        "invented": len(invented),
        "caught": sum(str(number) in told for number, told in invented),
    }


def _score_agent(results: list[Result], runs: int) -> dict[str, Any]:
    passed = sum(result.passed for result in results)
    first = sum(result.passed and not result.retries_used for result in results)
    low, high = wilson(passed, runs)
    return {
        "passed_first": first,
        "passed_after_retry": passed - first,
        "failed": len(results) - passed,
        "not_reached": runs - len(results),
        "passed_share": {"low": low, "high": high},
        "mean_steps": _mean([result.steps for result in results]),
        "mean_seconds": _mean([result.seconds for result in results]),
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def show(scores: dict[str, Any]) -> str:
    """Return the scores as a table for people."""
    lines = ["agent     first  retry  failed  not reached  passed, 95 %      steps  seconds"]
    for name, row in scores["agents"].items():
        low, high = (100 * row["passed_share"][end] for end in ("low", "high"))
        counts = f"{row['passed_first']:5}  {row['passed_after_retry']:5}  {row['failed']:6}  {row['not_reached']:11}"
        means = f"{row['mean_steps']:5.1f}  {row['mean_seconds']:7.2f}"
        lines.append(f"{name:8}  {counts}  {low:5.1f} to {high:5.1f} %  {means}")
    if scores["invented"]:
        lines.append(f"Numbers invented: {scores['invented']}, caught: {scores['caught']}.")
    return "\n".join(lines)


# --- The program ------------------------------------------------------------------------------------------


def _rate(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise argparse.ArgumentTypeError(f"it must be a number from 0 to 1, not {text!r}")


def _runs(text: str) -> int:
    with contextlib.suppress(ValueError):
        if 1 <= int(text) <= draughts_tools.MOST_SEED:
            return int(text)
    raise argparse.ArgumentTypeError(f"it must be a whole number from 1, not {text!r}")


def main(argv: list[str] | None = None) -> int:
    """Run the evaluation, print the counts and return the exit code."""
    parser = argparse.ArgumentParser(prog="run_eval.py", description="Evaluate the draughts team.", epilog=EXAMPLE)
    parser.add_argument("--standin", action="store_true", help="use fixed rules in place of a language model")
    parser.add_argument("--mistake-rate", type=_rate, help="how often the stand-in invents a number: 0 to 1")
    parser.add_argument("--runs", type=_runs, default=20, help="how many seeds, from 1 on (20)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args(argv)
    if args.mistake_rate is not None and not args.standin:
        parser.error("--mistake-rate is the stand-in's: add --standin")
    try:
        scores = score(_run_all(args))
    except (AgentkitError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(json.dumps(scores, indent=2) if args.json else show(scores))
    return 0


def _run_all(args: argparse.Namespace) -> list[dict[str, Any]]:
    draughts_tools.arena({"command": "players"}, timeout=20)  # a missing engine is told at once
    line = progress_line(sys.stderr)
    runs = []
    for seed in range(1, args.runs + 1):
        model = StandInModel(args.mistake_rate, seed) if args.standin else model_from_env()
        runs.append(run_once(model, seed))
        if line:
            line(seed, args.runs, "runs")
    if line:
        line.close()
    return runs


if __name__ == "__main__":
    raise SystemExit(main())
