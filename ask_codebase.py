"""Ask a question about the files of a folder; the answer names its sources as path:line.

This is a door: it reads arguments, prints, and returns an exit code. The helper is agents/codebase_helper.py.
It reads nothing outside the folder, changes nothing in it, and runs nothing from it. The index that makes
searching fast is kept in your cache directory.

    python ask_codebase.py --standin "Where are the rules?"

Exit codes: 0 the answer passed its checks; 1 it has problems, which are printed; 2 wrong use, or the folder or
model is not usable; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from agentkit import Result, model_from_env
from agentkit.errors import AgentkitError
from agents.codebase.conversation import Conversation, Source
from agents.codebase.workspace import Workspace
from agents.codebase_helper import helper_with, tools_of
from agents.program import Parser, WrongUse, run_as_program
from agents.progress import progress_line

HERE = Path(__file__).resolve().parent
EXAMPLE = 'Example: python ask_codebase.py --standin "Where are the rules?"'
PROMPT = "? "
MOST_SHOWN = 20
MANY_FILES = 500


# --- Arguments --------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="ask_codebase.py", description="Ask a question about the files of a folder.", epilog=EXAMPLE)
    add = parser.add_argument
    add("question", nargs="?", help="the question; without one, or with -, it is read from standard input")
    add("--folder", action="append", metavar="DIR", help="the folder to look into (this project); may be given again")
    add("--json", action="store_true", help="print one JSON document")
    add("--show-sources", action="store_true", help="print the lines that the answer cites")
    add("--chat", action="store_true", help="ask on: read further questions, one a line, until the input ends")
    add("--standin", action="store_true", help="use fixed rules in place of a language model")
    return parser


def _options(argv: list[str] | None) -> argparse.Namespace:
    options = _parser().parse_args(argv)
    if options.chat and options.json:
        raise WrongUse("Give --chat or --json, not both: --json prints one document for one question.")
    options.folder = options.folder or [str(HERE)]
    return options


def _questions(options: argparse.Namespace) -> Iterator[str]:
    """The question, then with --chat those that are typed in. WrongUse when there is none at all."""
    given = options.question
    if given in (None, "-") and not options.chat:
        if given is None and sys.stdin.isatty():
            raise WrongUse(f"There is no question. {EXAMPLE}")
        given = sys.stdin.read()
    if given not in (None, "-"):
        if not given.strip():
            raise WrongUse(f"The question is empty. {EXAMPLE}")
        yield given.strip()
    if options.chat:
        yield from _typed()


def _typed() -> Iterator[str]:
    while True:
        if sys.stdin.isatty():
            print(PROMPT, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line or line.strip().lower() in ("exit", "quit"):
            return
        if line.strip():
            yield line.strip()


def _model(standin: bool) -> Any:
    if not standin:
        return model_from_env()
    from devtools.standin import StandInModel  # a tool for demos and tests: loaded only when asked for

    try:
        return StandInModel()
    except ValueError as error:
        raise WrongUse(f"MISTAKE_RATE cannot be used: {error}") from None


# --- What is printed --------------------------------------------------------------------------------------


def _clickable(workspace: Workspace, source: Source) -> str:
    """`path:line` as a terminal or editor opens it from the current folder."""
    return f"{_from_here(workspace.on_disk(source.file))}:{source.first}"


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _lines(workspace: Workspace, source: Source) -> list[str]:
    count = min(source.last - source.first + 1, MOST_SHOWN)
    return list(workspace.read(source.file, source.first, count).get("lines", []))


def _as_text(result: Result, sources: list[Source], workspace: Workspace, show: bool) -> str:
    out = [result.answer or f"No answer: {result.stopped}."]
    if sources:
        out += ["", "Sources:"]
    for source in sources:
        out.append(_clickable(workspace, source))
        if show:
            out += [f"    {line}" for line in _lines(workspace, source)]
    if result.problems:
        out += ["", "PROBLEMS:", *(f"- {problem}" for problem in result.problems)]
    return "\n".join(out)


def _as_json(question: str, result: Result, sources: list[Source], workspace: Workspace) -> str:
    document = {
        "question": question,
        "answer": result.answer,
        "passed": result.passed,
        "problems": result.problems,
        "stopped": result.stopped,
        "steps": result.steps,
        "seconds": round(result.seconds, 3),
        "sources": [
            {
                "file": source.file,
                "first_line": source.first,
                "last_line": source.last,
                "open": _clickable(workspace, source),
                "lines": _lines(workspace, source),
            }
            for source in sources
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _call_printer(stream: Any) -> Callable[[dict[str, Any]], None]:
    """Say on a terminal what the helper does, one line per tool call."""

    def on_event(event: dict[str, Any]) -> None:
        if event.get("kind") == "call" and stream.isatty():
            args = json.dumps(event["args"], ensure_ascii=False)
            print(f"  {event['tool']} {args[:100]}", file=stream)

    return on_event


# --- The run ----------------------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    workspace = _workspace(options.folder)
    try:
        return _answer_all(options, _questions(options), workspace)
    finally:
        workspace.close()


def _workspace(folders: list[str]) -> Workspace:
    try:
        return Workspace(folders, _progress(sys.stderr))
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise WrongUse(str(error)) from None


def _progress(stream: TextIO) -> Callable[[int, int], None]:
    """Say how far an index has come: on a terminal all the time, elsewhere once, and only of a large folder."""
    line = progress_line(stream)
    announced: set[int] = set()

    def progress(done: int, of: int) -> None:
        if line:
            line(done, of, "files indexed")
            if done == of:
                line.close()
        elif of >= MANY_FILES and of not in announced:
            announced.add(of)
            print(f"Indexing {of} files, which is done once …", file=stream, flush=True)

    return progress


def _answer_all(options: argparse.Namespace, questions: Iterator[str], workspace: Workspace) -> int:
    helper = helper_with(tools_of(workspace), _model(options.standin))
    helper.on_event = _call_printer(sys.stderr)
    conversation = Conversation(helper)
    passed = True
    for question in questions:
        result = conversation.ask(question)
        sources = conversation.sources(result.answer)
        passed = passed and result.passed
        if options.json:
            text = _as_json(question, result, sources, workspace)
        else:
            text = _as_text(result, sources, workspace, options.show_sources)
        print(text, flush=True)
    return 0 if passed else 1


def main(argv: list[str] | None = None) -> int:
    """Answer as the arguments say and return the exit code."""
    try:
        return _run(_options(argv))
    except SystemExit as stop:  # --help
        return int(stop.code or 0)
    except (WrongUse, AgentkitError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
