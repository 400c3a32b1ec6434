"""Do the checks work? Mistakes are put into true answers, and it is counted how many are caught.

True answers come from three places: wordings put together over invented tournaments and folders (true_answers.py,
true_code_answers.py), the stand-in's listing of the same results, and accepted answers in trace files of real runs
(`--traces`). Into each, mistakes of known kinds are put, one at a time (mutations.py). Reported per kind: how many of
the spoiled answers were refused, and how many of the true ones, each with Wilson's 95 % interval.

    python eval/mutate.py                        # the whole proof: 4,000 spoiled and 1,000 true answers
    python eval/mutate.py --answers 200 --show 3 # a quick look, with what was missed

Not here: whether the checks help a model (run_eval.py), and anything that no check of ours looks at (what that is
stands in agentkit/more/claims_checks.py).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit import all_of, in_the_right_place, moves_grounded, numbers_grounded, quotes_grounded, used_a_tool
from agentkit.more.listing import listing
from agentkit.more.receipts import answer_in
from agentkit.trace import read_trace
from agents.codebase.check import check_of
from agents.program import run_as_program
from eval import executors, mutations, true_answers, true_code_answers
from eval.intervals import wilson
from eval.true_answers import Example

EXAMPLE = "Example: python eval/mutate.py --answers 200 --seed 7 --show 3"
REPORT_CHECK = all_of(used_a_tool, numbers_grounded, moves_grounded, in_the_right_place, quotes_grounded)
GROUPS = {
    "invented": {**mutations.INVENTED, **true_code_answers.INVENTED},
    "misplaced": {**mutations.MISPLACED, **true_code_answers.MISPLACED},
    "other": mutations.OTHERS,
}
OF_CODE = {**true_code_answers.INVENTED, **true_code_answers.MISPLACED}
BATCH = 50  # answers that a worker gets at a time
SHARES = {"invented": 2.0, "misplaced": 1.0, "other": 1.0}  # spoiled answers for each true one


class Verdict(NamedTuple):
    """One answer and what the checks said of it; `kind` is the mistake put in, or where the true answer came from."""

    group: str
    kind: str
    answer: str
    refused: bool
    problems: tuple[str, ...]


class Job(NamedTuple):
    """An answer to be judged, in one piece for another process."""

    group: str
    kind: str
    example: Example


def judge(job: Job) -> Verdict:
    """Return what the checks say of an answer."""
    example = job.example
    check = check_of(lambda: example.question) if example.kind == "codebase" else REPORT_CHECK
    problems = check(example.answer, example.tool_log)
    return Verdict(job.group, job.kind, example.answer, bool(problems), tuple(problems))


def judge_batch(batch: tuple[int, list[Job]]) -> tuple[int, list[Verdict]]:
    """Judge several answers at once; the number says where they stand among all."""
    number, jobs = batch
    return number, [judge(job) for job in jobs]


# --- the answers ---


def true_ones(count: int, seed: int, traces: Iterable[Path] = ()) -> list[Example]:
    """Return true answers: three quarters in our wordings, the rest the stand-in's and about files, and real ones."""
    few = max(1, count // 8)
    worded = true_answers.examples(count - 2 * few, seed)
    listed = [
        Example("standin", listing([(entry["tool"], entry["result"]) for entry in one.tool_log]), one.tool_log)
        for one in true_answers.examples(few, seed + 1)
    ]
    return [*worded, *listed, *true_code_answers.examples(few, seed + 2), *_from_traces(traces)]


def _from_traces(traces: Iterable[Path]) -> Iterator[Example]:
    """Yield the answers that real runs ended with, where their own checks accepted them."""
    for path in traces:
        events = read_trace(path)
        for agent in dict.fromkeys(str(event.get("agent", "")) for event in events if event["kind"] == "answer"):
            last = [event for event in events if event["kind"] == "answer" and event.get("agent") == agent][-1]
            answer, tool_log = answer_in(events, agent)
            if answer and tool_log and not last.get("problems"):
                is_code = any(entry["tool"] in ("search_files", "read_file") for entry in tool_log)
                asked = [event["text"] for event in events if event["kind"] == "task" and event.get("agent") == agent]
                yield Example("codebase" if is_code else f"trace: {agent}", answer, tool_log, "\n".join(asked[-1:]))


def spoiled(examples: list[Example], seed: int, shares: dict[str, float] = SHARES) -> list[Job]:
    """Return the examples with mistakes put in, every kind of a group in turn, `shares` per true answer."""
    rand = random.Random(seed)
    jobs = []
    for group, kinds in GROUPS.items():
        wanted = round(len(examples) * shares[group])
        jobs += list(_spoil_each(group, kinds, examples, wanted, rand))
    return jobs


def _spoil_each(
    group: str, kinds: dict[str, Callable[..., Any]], examples: list[Example], wanted: int, rand: random.Random
) -> Iterator[Job]:
    """Yield `wanted` jobs of a group, as evenly over its kinds as the answers allow."""
    made = tries = 0
    for kind in cycle(kinds):
        if made == wanted or tries > 60 * wanted:
            return
        tries += 1
        example = rand.choice(examples)
        if (example.kind == "codebase") != (kind in OF_CODE):
            continue
        answer = kinds[kind](example, rand)
        if answer is not None and answer != example.answer:
            made += 1
            yield Job(group, kind, example._replace(answer=answer))


# --- counting ---


def tally(verdicts: list[Verdict]) -> dict[str, Any]:
    """Return, per group and kind, how many were refused of how many, with the interval."""
    counted: dict[str, Any] = {}
    for group in ("true", *GROUPS):
        of_group = [verdict for verdict in verdicts if verdict.group == group]
        kinds = dict.fromkeys(verdict.kind for verdict in of_group)
        counted[group] = {
            "all": _share(of_group),
            "kinds": {kind: _share([v for v in of_group if v.kind == kind]) for kind in kinds},
        }
    return counted


def _share(verdicts: list[Verdict]) -> dict[str, Any]:
    refused, of = sum(verdict.refused for verdict in verdicts), len(verdicts)
    low, high = wilson(refused, of) if of else (0.0, 1.0)
    return {"refused": refused, "of": of, "interval": [round(low, 4), round(high, 4)]}


def _row(name: str, share: dict[str, Any]) -> str:
    percent = 100 * share["refused"] / share["of"] if share["of"] else 0.0
    low, high = (100 * end for end in share["interval"])
    return f"{name:<46} {share['refused']:>5} of {share['of']:<5} {percent:6.2f} %  [{low:.2f}, {high:.2f}]"


def _table(counted: dict[str, Any]) -> str:
    titles = {
        "true": "true answers refused",
        "invented": "invented, caught",
        "misplaced": "real but in the wrong place, caught",
        "other": "other mistakes, caught",
    }
    lines = []
    for group, shares in counted.items():
        lines += [_row(titles[group].upper(), shares["all"])]
        lines += [_row(f"  {kind}", share) for kind, share in shares["kinds"].items()]
    return "\n".join(lines)


# --- the program ---


def run(args: argparse.Namespace) -> list[Verdict]:
    """Return the verdicts on all true and spoiled answers."""
    examples = true_ones(args.answers, args.seed, args.traces)
    jobs = [Job("true", example.kind, example) for example in examples] + spoiled(examples, args.seed)
    print(f"Judging {len(jobs)} answers …", file=sys.stderr)
    batches = [(number, jobs[number : number + BATCH]) for number in range(0, len(jobs), BATCH)]
    with executors.chosen(args) as pool:
        judged = dict(result for _, result in executors.as_done(pool, judge_batch, batches))
    return [verdict for number, _ in batches for verdict in judged[number]]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutate.py", description=(__doc__ or "").split("\n\n")[0], epilog=EXAMPLE)
    parser.add_argument("--answers", type=executors.positive, default=1000, help="true answers to make (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same answers and mistakes (1)")
    parser.add_argument("--traces", type=Path, nargs="+", default=[], help="trace files with answers of real runs")
    executors.add_choice(parser)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N answers of each kind judged wrongly")
    parser.add_argument("--json", action="store_true", help="print the counts as one JSON document")
    return parser


def _show_wrong(verdicts: list[Verdict], most: int) -> None:
    shown: dict[str, int] = {}
    for verdict in verdicts:
        if verdict.refused != (verdict.group == "true"):
            continue
        shown[verdict.kind] = shown.get(verdict.kind, 0) + 1
        if shown[verdict.kind] <= most:
            why = "refused: " + " ".join(verdict.problems) if verdict.refused else "not caught"
            print(f"\n--- {verdict.kind}: {why}\n{verdict.answer}")


def main(argv: list[str] | None = None) -> int:
    """Run the proof and print its counts; 1 if a true answer was refused or a mistake missed, of any kind."""
    args = _parser().parse_args(argv)
    try:
        verdicts = run(args)
    except executors.WorkersLost as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    counted = tally(verdicts)
    if args.json:
        print(json.dumps({"seed": args.seed, "answers": args.answers, "counts": counted}, indent=2))
    else:
        print(_table(counted))
        _show_wrong(verdicts, args.show)
    return int(any(verdict.refused == (verdict.group == "true") for verdict in verdicts))


if __name__ == "__main__":
    from eval.mutate import main as program  # workers know its functions by this module's name

    raise SystemExit(run_as_program(program))
