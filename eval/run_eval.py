"""How well does a model do the agents' jobs? Each suite runs once for each of a series of seeds; a scorecard counts.

    python eval/run_eval.py --standin --mistake-rate 0.3              # the pipeline, offline
    python eval/run_eval.py --suite all --runs 20 --out eval/scorecards/qwen3.json
    python eval/run_eval.py --compare old.json new.json               # is the difference more than chance?

A run passes if its checks were content and its answer is complete. For each agent it is counted how often it passed the
first time, passed after a retry, failed or was never reached, with means of steps, seconds and tokens; shares have
Wilson's 95 % interval. With a mistake rate the stand-in invents numbers, and it is counted how many were caught and put
right. Everything is approved, because each run has a temporary folder that goes when it ends.

This is the door: arguments, what is printed, exit codes. The cases are in cases.py and questions.py, how they are run
in suites.py, what a run is worth in scorer.py, what many come to in scorecard.py, where they run in executors.py;
evaluation.py joins them.
Not here: whether a report reads well; that is for people to judge.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit.errors import AgentkitError
from agents import draughts_tools
from agents.program import WrongUse, run_as_program
from eval import compare_cards, executors, scorecard
from eval.evaluation import DRAUGHTS, evaluate
from eval.executors import WorkersLost
from eval.suites import SUITES

MOST_SEED = draughts_tools.MOST_SEED
EXAMPLE = "Example: python eval/run_eval.py --standin --mistake-rate 0.3 --runs 20 --workers 2 --out score.json"

Card = dict[str, Any]


# --- What is asked for ------------------------------------------------------------------------------------


def _rate(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise argparse.ArgumentTypeError(f"it must be a number from 0 to 1, not {text!r}")


def _whole(text: str) -> int:
    with contextlib.suppress(ValueError):
        if 1 <= int(text) <= MOST_SEED:
            return int(text)
    raise argparse.ArgumentTypeError(f"it must be a whole number from 1, not {text!r}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run_eval.py", description="Evaluate models on the agents' jobs.", epilog=EXAMPLE
    )
    add = parser.add_argument
    add("--suite", choices=[*SUITES, "all"], default="pipeline", help="which jobs (pipeline)")
    add("--runs", type=_whole, default=20, metavar="N", help="how many seeds, from 1 on (20)")
    add("--seed", type=_whole, default=1, metavar="N", help="the first seed (1)")
    add("--models", nargs="+", metavar="NAME", help="the models, by name (AGENT_MODEL's)")
    add("--standin", action="store_true", help="use fixed rules in place of a language model")
    add(
        "--mistake-rate", type=_rate, metavar="R", help="how often the stand-in invents a number: 0 to 1 (MISTAKE_RATE)"
    )
    executors.add_choice(parser)
    add("--out", type=Path, metavar="FILE", help="keep the scorecard there (.json), with .md and .svg beside it")
    add("--resume", action="store_true", help="go on with the scorecard in --out")
    add("--keep-traces", action="store_true", help="keep the trace of every run, not only of those that failed")
    add("--json", action="store_true", help="print one JSON document")
    add("--compare", nargs=2, type=Path, metavar=("A", "B"), help="compare two scorecards instead; 1 if B is worse")
    return parser


def _checked(options: argparse.Namespace) -> argparse.Namespace:
    """The options, if they make sense together. Raises WrongUse."""
    suites = list(SUITES) if options.suite == "all" else [options.suite]
    if options.seed + options.runs - 1 > MOST_SEED:
        raise WrongUse(f"Seeds are 1 to {MOST_SEED}: --seed {options.seed} --runs {options.runs} go beyond.")
    if options.mistake_rate is not None and not options.standin:
        raise WrongUse("--mistake-rate is the stand-in's: add --standin.")
    if options.mistake_rate and not set(suites) & set(DRAUGHTS):
        raise WrongUse(f"--mistake-rate is for the suites {', '.join(DRAUGHTS)}, not {options.suite}.")
    if options.models and options.standin:
        raise WrongUse("--models names language models and --standin uses none: leave one out.")
    if options.models and len(set(options.models)) < len(options.models):
        raise WrongUse("--models names a model twice.")
    scorecard.check_out(options.out, options.resume)
    options.suites = suites
    return options


# --- What is printed --------------------------------------------------------------------------------------


def show(card: Card) -> str:
    """The card as a table for people."""
    lines = []
    for summary in card["summary"]:
        lines += [f"{summary['suite']}: {summary['model']}", f"  {scorecard.headline(summary)}"]
        lines.append("  agent            first  retry  failed  not reached  passed, 95 %      steps  seconds  tokens")
        lines += [_line(name, row) for name, row in summary["agents"].items()]
        lines += [f"  {scorecard.invented_line(summary)}"] if summary["invented"] else []
        lines += [f"  failed: {kind} ({count})" for kind, count in summary["failed_because"].items()]
        lines += [f"  trace of seed {one['seed']}: {one['trace']}" for one in summary["failures"] if one["trace"]]
    return "\n".join(lines)


def _line(name: str, row: dict[str, Any]) -> str:
    low, high = (100 * end for end in row["interval"])
    counts = f"{row['passed_first']:5}  {row['passed_after_retry']:5}  {row['failed']:6}  {row['not_reached']:11}"
    tokens = row["mean_tokens_in"] + row["mean_tokens_out"]
    means = f"{row['mean_steps']:5.1f}  {row['mean_seconds']:7.2f}  {tokens:6.0f}"
    return f"  {name:15}  {counts}  {low:5.1f} to {high:5.1f} %  {means}"


def _compare(paths: Iterable[Path], as_json: bool) -> int:
    first, second = paths
    compared = compare_cards.compare(scorecard.read_card(first), scorecard.read_card(second))
    names = (first.name, second.name) if first.name != second.name else (first.as_posix(), second.as_posix())
    told = [{**one, "verdict": compare_cards.verdict(one, names)} for one in compared]
    if as_json:
        print(json.dumps({"a": str(first), "b": str(second), "compared": told}, indent=2, ensure_ascii=False))
    else:
        print("\n".join(compare_cards.told(one, names) for one in compared))
    return int(any(map(compare_cards.is_worse, compared)))


# --- The program ------------------------------------------------------------------------------------------


def _slipped_through(card: Card) -> bool:
    return any(summary["repaired"] < summary["invented"] for summary in card["summary"])


def main(argv: list[str] | None = None) -> int:
    """0: measured; 1: an invented number was not caught or not put right, or B is worse; 2: wrong use; 130."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        if options.compare:
            return _compare(options.compare, options.json)
        card = evaluate(_checked(options))
    except FileNotFoundError as error:
        print(f"There is no file {error.filename}.", file=sys.stderr)
        return 2
    except (WrongUse, WorkersLost, AgentkitError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        _say_how_to_go_on(options)
        return 2
    except KeyboardInterrupt:
        _say_how_to_go_on(options)
        return 130
    print(json.dumps(card, indent=2, ensure_ascii=False) if options.json else show(card))
    return int(_slipped_through(card))


def _say_how_to_go_on(options: argparse.Namespace) -> None:
    if options.out and hasattr(options, "suites") and options.out.exists():
        print(f"What was done is in {options.out}: go on with the same command and --resume.", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
