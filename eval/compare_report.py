"""What the runs of compare_libraries.py come to: a row for each library, each compared with agentkit in pairs.

Not here: running anything. Shares have Wilson's 95 % interval; whether one library passes more often than the other
is McNemar's exact test over the seeds that both did; times and tokens are medians of ratios over the same seeds.
"""

from __future__ import annotations

import statistics
from typing import Any

from eval.intervals import wilson
from eval.paired import rounded_ratio, split
from eval.reasons import grouped

OURS = "agentkit"
TIMES = ("seconds", "model_seconds", "tool_seconds", "overhead_seconds")
MEANS = ("steps", "tokens_in", "tokens_out", "tool_calls", *TIMES)
NAMED = {"only_first": "only_agentkit", "only_second": "only_other"}
MOST_PROBLEMS = 5  # kinds of problem that the table names for one library

Run = dict[str, Any]


def summary(runs: list[Run]) -> dict[str, Any]:
    """`{"libraries": {name: row}, "pairs": {name: comparison with agentkit}}`."""
    names = list(dict.fromkeys(run["library"] for run in runs))
    by_name = {name: [run for run in runs if run["library"] == name] for name in names}
    pairs = {name: pair(by_name[OURS], by_name[name]) for name in names if name != OURS and OURS in by_name}
    return {"libraries": {name: row(by_name[name]) for name in names}, "pairs": pairs}


def row(runs: list[Run]) -> dict[str, Any]:
    """One library: how many passed, the means of what was counted, and why answers failed."""
    passed = sum(run["passed"] for run in runs)
    means = {key: round(statistics.fmean(run[key] for run in runs), 4) for key in MEANS}
    return {
        "n": len(runs),
        "passed": passed,
        "interval": [round(end, 4) for end in wilson(passed, len(runs))],
        **means,
        "median_seconds": round(statistics.median(run["seconds"] for run in runs), 4),
        "cut_replies": sum(run["cut"] for run in runs),
        "problems": grouped(problem for run in runs for problem in run["problems"]),
    }


def pair(ours: list[Run], theirs: list[Run]) -> dict[str, Any]:
    """agentkit and another library over the seeds that both did; a ratio above 1 means that ours needs less."""
    mine = {run["seed"]: run for run in ours}
    both = [(mine[run["seed"]], run) for run in theirs if run["seed"] in mine]
    counts = split([(a["passed"], b["passed"]) for a, b in both])
    outcome = {NAMED.get(key, key): count for key, count in counts.items()}
    for key, value in (("seconds", seconds), ("tokens", tokens)):
        outcome[f"{key}_ratio"] = rounded_ratio([value(a) for a, _ in both], [value(b) for _, b in both])
    return outcome


def seconds(run: Run) -> float:
    """How long a run took, in all."""
    return float(run["seconds"])


def tokens(run: Run) -> float:
    """The tokens of a run, read and written."""
    return float(run["tokens_in"] + run["tokens_out"])


# --- The table --------------------------------------------------------------------------------------------


def markdown(card: dict[str, Any]) -> str:
    """The scorecard for people."""
    n = max((row["n"] for row in card["libraries"].values()), default=0)
    limits = f"{card['max_steps']} steps, {card['max_tokens']} tokens a reply, one more try after a failed check"
    lines = [
        "# The director's job in four libraries",
        "",
        f"Model {card['model']} ({card['server']}), temperature {card['temperature']:g}, {n} seeds, {card['when']}; "
        f"{card['machine']['cpus']} CPUs. Limits for all: {limits}.",
        "",
        "| library | passed | 95 % interval | steps | tokens in / out | seconds (median) | overhead, ms | start, s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(library_line(name, row, card) for name, row in card["libraries"].items()),
        "",
        "Steps, tokens and overhead are means of a run; overhead is the time without model and tools.",
    ]
    if card["pairs"]:
        lines += ["", "| against agentkit | both | only agentkit | only the other | neither | p | time | tokens |"]
        lines += ["| --- | --- | --- | --- | --- | --- | --- | --- |"]
        lines += [pair_line(name, pair) for name, pair in card["pairs"].items()]
        lines += ["", "p: McNemar's exact test. Time and tokens: median ratio to agentkit's, with its 95 % interval."]
    lines += problem_lines(card["libraries"])
    return "\n".join(lines) + "\n"


def library_line(name: str, row: dict[str, Any], card: dict[str, Any]) -> str:
    """One library as a line of the first table."""
    low, high = row["interval"]
    cells = [
        f"{name} {card['versions'].get(name, '')}".strip(),
        f"{row['passed']} of {row['n']}",
        f"{low:.0%} to {high:.0%}",
        f"{row['steps']:.1f}",
        f"{row['tokens_in']:.0f} / {row['tokens_out']:.0f}",
        f"{row['median_seconds']:.2f}",
        f"{row['overhead_seconds'] * 1000:.0f}",
        f"{card['start_seconds'].get(name, 0):.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def pair_line(name: str, pair: dict[str, Any]) -> str:
    """One library beside agentkit as a line of the second table."""
    counts = [str(pair[key]) for key in ("both", "only_agentkit", "only_other", "neither")]
    ratios = [ratio_text(pair[f"{key}_ratio"]) for key in ("seconds", "tokens")]
    return f"| {' | '.join([name, *counts, format(pair['p'], '.3g'), *ratios])} |"


def ratio_text(ratio: list[float] | None) -> str:
    """A ratio with the ends of its interval."""
    return "unknown" if ratio is None else f"{ratio[0]:.2f} × ({ratio[1]:.2f} to {ratio[2]:.2f})"


def problem_lines(libraries: dict[str, Any]) -> list[str]:
    """Why answers failed, the most frequent kinds first."""
    failing = {name: row["problems"] for name, row in libraries.items() if row["problems"]}
    lines = ["", "Why answers failed:", ""] if failing else []
    for name, problems in failing.items():
        kinds = list(problems.items())[:MOST_PROBLEMS]
        lines.append(f"- {name}: " + "; ".join(f"{kind} ({count})" for kind, count in kinds) + ".")
    return lines
