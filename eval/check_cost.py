"""What the checks cost: milliseconds for a report of about 250 words against a tournament of 20 games.

Measured are all checks of a report together, once with a log that they see for the first time (an agent's first
answer) and once with one that they know (each retry), in processor time, as medians over many runs. A plain loop of
the same length is timed in the same run, so that two machines, or a busy one, can be compared.

    python eval/check_cost.py

Not here: whether the checks are right (mutate.py).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit.more import claims, records, sources
from agents.program import run_as_program
from eval import true_answers
from eval.executors import positive
from eval.mutate import REPORT_CHECK
from eval.true_answers import Example

EXAMPLE = "Example: python eval/check_cost.py --runs 200"


def long_report() -> Example:
    """Return a report of 230 to 270 words on 20 games of five players, with all that the three agents' tools gave."""
    rand = random.Random(5)
    while True:
        facts = true_answers.tournament(rand)
        parts = [rand.choice(true_answers.TITLES), *true_answers.STANDINGS[:1], true_answers.OPENINGS[2]]
        parts += [rand.choice(true_answers.STANDINGS), true_answers.MISTAKES[0], *true_answers.COMPARISONS]
        answer = "\n\n".join(part(facts, rand) for part in parts)
        if len(facts["results"]) == 20 and facts["notes"] and 230 <= len(answer.split()) <= 270:
            logs = true_answers.logs(facts)
            return Example("report", answer, [*logs["director"], *logs["analyst"], logs["reporter"][-1]])


def forget() -> None:
    """Let the checks see the log and the answer as if for the first time."""
    sources._last = records._last = claims._last = None


def median_ms(work: Callable[[], object], runs: int, before: Callable[[], None] = lambda: None) -> float:
    """Return the median processor time of `work` in milliseconds; `before` is not timed."""
    times = []
    for _ in range(runs):
        before()
        begun = time.process_time()
        work()
        times.append(1000 * (time.process_time() - begun))
    return statistics.median(times)


def measure(runs: int) -> dict[str, float]:
    """Return the medians in milliseconds."""
    report = long_report()

    def check() -> object:
        return REPORT_CHECK(report.answer, report.tool_log)

    def forget_answer() -> None:
        claims._last = None

    return {
        "words": len(report.answer.split()),
        "new_log_ms": round(median_ms(check, runs, forget), 2),
        "known_log_ms": round(median_ms(check, runs, forget_answer), 2),
        "plain_loop_ms": round(median_ms(lambda: sum(range(10_000)), runs), 3),
    }


def main(argv: list[str] | None = None) -> int:
    """Print what the checks cost."""
    summary = (__doc__ or "").split("\n\n")[0]
    parser = argparse.ArgumentParser(prog="check_cost.py", description=summary, epilog=EXAMPLE)
    parser.add_argument("--runs", type=positive, default=100, help="how often each is timed (default 100)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args(argv)
    found = measure(args.runs)
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        print(f"a report of {found['words']} words: {found['new_log_ms']} ms with a new log, ", end="")
        print(f"{found['known_log_ms']} ms with a known one (a plain loop to 10,000: {found['plain_loop_ms']} ms)")
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
