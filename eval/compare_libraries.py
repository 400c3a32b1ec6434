"""The director's job in agentkit and in three well-known libraries: same model, tools, check and seeds, in pairs.

    python eval/compare_libraries.py --standin --runs 5
    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 AGENT_MODEL=qwen python eval/compare_libraries.py --out FILE.json

Each library works in an environment and a process of its own (library/directors/). For each seed they take turns,
in an order that changes, so that a machine that slows down slows all. Passed means: the director's own check found
nothing wrong with the answer and with what was done. Steps, tokens and the model's time are counted outside, between
the library and the server (counting_proxy.py); overhead is what is left of a run without the model and the tools.

All have the same limits: steps, length of a reply, and one more try after a failed check. agentkit and smolagents
have such a try of their own; in the runners of the two others it was added by hand.

Not here: making the environments (the message says how, and `bash tests/run.sh` does), a model, the other agents.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # started as a program: the project's folder is where the rest is found
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit import OpenAIModel
from agentkit.errors import AgentkitError
from agentkit.files import read_json, write_json
from agents.program import WrongUse, run_as_program
from eval.compare_report import markdown, summary
from eval.compare_workers import LIBRARIES, Worker, WorkerLost, missing_environment, python_of
from eval.counting_proxy import CountingProxy, counting
from eval.scorecard import check_out

ROOT = Path(__file__).resolve().parents[1]
PLAYERS = ["easy", "medium"]
FIXED = ("model", "server", "max_steps", "max_tokens", "temperature", "retries")  # must not change on --resume

Run = dict[str, Any]


# --- The model's server -----------------------------------------------------------------------------------


@contextlib.contextmanager
def server_of(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """(address ending in /v1, model's name): the environment's server, or the fake one with the stand-in."""
    if not options.standin:
        model = OpenAIModel()
        yield model.url, model.model
        return
    try:
        from devtools.fake_ollama import make_app, running
        from eval.compare_standin import ReadingStandIn
    except ImportError as error:
        raise WrongUse(f"{error}: --standin needs python -m pip install -r requirements.txt.") from None
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each request would hide the progress
    with running(make_app(ReadingStandIn(), names=("standin",))) as url:
        yield f"{url}/v1", "standin"


# --- The runs ---------------------------------------------------------------------------------------------


def run_once(worker: Worker, request: Run, proxy: CountingProxy, limit: float) -> Run:
    """One run of one library: what came of it, with what was counted outside. A lost worker is a failed run."""
    proxy.take()
    started = time.perf_counter()
    try:
        outcome = worker.ask(request, limit)
    except WorkerLost as problem:
        words, seconds = str(problem), time.perf_counter() - started
        outcome = {"answer": "", "problems": [words], "error": words, "tool_calls": 0, "tool_seconds": 0.0}
        outcome["seconds"] = seconds
    counts = proxy.take()
    overhead = outcome["seconds"] - counts["model_seconds"] - outcome["tool_seconds"]
    passed = not outcome["problems"]
    return {"passed": passed, **outcome, **counts, "overhead_seconds": overhead}


def all_runs(
    options: argparse.Namespace, card: Run, workers: dict[str, Worker], proxy: CountingProxy, folder: str
) -> None:
    """Do every run that `card` does not hold yet, and save the card after each seed."""
    done = {(run["library"], run["seed"]) for run in card["runs"]}
    names = list(workers)
    started, made = time.perf_counter(), 0
    for number in range(options.runs):
        seed = options.seed + number
        turn = [*names[number % len(names) :], *names[: number % len(names)]]
        for name in turn:
            if (name, seed) in done:
                continue
            inputs = {"players": PLAYERS, "pairs": 1, "seed": seed}
            limits = {key: card[key] for key in ("max_steps", "max_tokens", "temperature", "retries")}
            asked = {"inputs": inputs, "url": proxy.url, "model": card["model"], "folder": folder, **limits}
            run = run_once(workers[name], {**asked, "timeout": options.limit}, proxy, options.limit)
            card["runs"].append({"library": name, "seed": seed, **run})
            made += 1
            left = len(names) * options.runs - len(card["runs"])
            tell(name, seed, run, left * (time.perf_counter() - started) / made)
        if options.out:
            write_json(options.out, card)


def tell(name: str, seed: int, run: Run, seconds_left: float) -> None:
    """One line about a run, on standard error."""
    word = "passed" if run["passed"] else f"failed: {' '.join(run['problems'])[:90]}"
    counted = f"{run['steps']} steps, {run['seconds']:.1f} s"
    print(f"seed {seed}  {name:<13} {counted}, {word}  ({seconds_left / 60:.0f} min left)", file=sys.stderr)


def new_card(options: argparse.Namespace, model: str, server: str) -> Run:
    """A scorecard without runs, or the one to go on with. Raises WrongUse if that one is of another comparison."""
    max_tokens = OpenAIModel().max_tokens
    card: Run = {
        "what": "the director's job in four libraries",
        "when": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "model": model,
        "server": server,
        "machine": {"cpus": os.cpu_count(), "system": platform.system(), "python": platform.python_version()},
        "max_steps": options.max_steps,
        "max_tokens": max_tokens,
        "temperature": options.temperature,
        "retries": 1,
        "versions": {},
        "start_seconds": {},
        "runs": [],
    }
    if not (options.resume and options.out and options.out.exists()):
        return card
    old = read_json(options.out)
    different = [key for key in FIXED if old.get(key) != card[key]]
    if different:
        told = ", ".join(f"{key} {old.get(key)!r}" for key in different)
        raise WrongUse(f"{options.out} was made with {told}: go on with the same, or leave out --resume.")
    return old


def compare(options: argparse.Namespace) -> Run:
    """The whole comparison; the finished scorecard."""
    pythons = {name: python_of(name, options.envs) for name in options.libraries}
    if problem := missing_environment(pythons):
        raise WrongUse(problem)
    with contextlib.ExitStack() as stack:
        upstream, model = stack.enter_context(server_of(options))
        card = new_card(options, model, "standin" if options.standin else upstream)
        proxy = stack.enter_context(counting(upstream, options.limit))
        if proxy.forward("/models", None)[0] == 502:
            raise WrongUse(f"No model server answers at {upstream}: start it, or set OPENAI_BASE_URL.")
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        workers = {name: stack.enter_context(Worker(name, python)) for name, python in pythons.items()}
        for name, worker in workers.items():
            card["versions"][name] = worker.version
            card["start_seconds"][name] = round(worker.start_seconds, 3)
        all_runs(options, card, workers, proxy, folder)
    card.update(summary(card["runs"]))
    return card


# --- The program ------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="compare_libraries.py",
        description="The director's job in agentkit, LangChain, smolagents and the OpenAI Agents SDK, side by side.",
        epilog="Example: python eval/compare_libraries.py --standin --runs 5 --libraries agentkit langchain",
    )
    add = made.add_argument
    add("--standin", action="store_true", help="a fake server with fixed rules; else OPENAI_BASE_URL, AGENT_MODEL")
    add("--libraries", nargs="+", choices=list(LIBRARIES), default=list(LIBRARIES), metavar="NAME", help="which (all)")
    add("--runs", type=int, default=40, help="seeds (40)")
    add("--seed", type=int, default=1, help="the first seed (1)")
    add("--max-steps", type=int, default=8, help="replies of the model that one try may use (8)")
    add("--temperature", type=float, default=0.0, help="of the model (0)")
    add("--limit", type=float, default=600.0, help="seconds after which a run has failed (600)")
    add("--envs", type=Path, default=ROOT / ".venv", metavar="DIR", help="where the environments are (.venv)")
    add("--out", type=Path, metavar="FILE", help="keep the scorecard there (JSON), and the table beside it (.md)")
    add("--resume", action="store_true", help="go on with the scorecard in --out")
    add("--json", action="store_true", help="print the scorecard, not the table")
    return made


def checked(options: argparse.Namespace) -> argparse.Namespace:
    """The options, if they make sense. Raises WrongUse."""
    if options.runs < 1 or options.seed < 1 or options.seed + options.runs - 1 > 1_000_000:
        raise WrongUse(f"Seeds are 1 to 1000000, so --seed {options.seed} --runs {options.runs} cannot be.")
    if options.max_steps < 1 or options.limit <= 0:
        raise WrongUse(f"--max-steps and --limit must be above 0, not {options.max_steps} and {options.limit:g}.")
    check_out(options.out, options.resume)
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """0: compared; 2: wrong use, an environment is missing, no server."""
    try:
        options = checked(parser().parse_args(argv))
        card = compare(options)
    except (WrongUse, WorkerLost, AgentkitError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    table = markdown(card)
    if options.out:
        write_json(options.out, card)
        options.out.with_suffix(".md").write_text(table, encoding="utf-8")
    print(json.dumps(card, indent=2, ensure_ascii=False) if options.json else table)
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
