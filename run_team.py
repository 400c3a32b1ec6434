"""Run the draughts team: play a tournament, study it, write a checked report, save it if you agree.

This is a door: it reads arguments, asks the person, prints, and returns an exit code. The agents are in
agents/draughts_team.py, the run and its trace in agents/draughts_run.py, the loop in agentkit. A run that was
killed goes on with `--resume TRACE`: nothing that its trace holds is done or asked twice.

    python run_team.py --players easy medium --standin

Exit codes: 0 saved; 1 no report, not approved or not saved; 2 wrong use, model or engine not usable;
130 interrupted.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import Any

from agentkit import Tracer, ask_person, model_from_env
from agentkit.errors import AgentkitError
from agentkit.tools import Approver
from agents import draughts_run, draughts_team, draughts_tools
from agents.alone import alone_with
from agents.program import Parser, WrongUse, give_up_output, run_as_program
from agents.trace_summary import agent_line, per_agent

REPORT_DIR = draughts_tools.BASE_DIR / "reports"
TRACE_DIR = draughts_tools.BASE_DIR / "data" / "traces"
ENGINE_CHECK_SECONDS = 20
SAVE_QUESTION = "Save this report and remember its results? [y/N] "
DEFAULTS = {
    "players": ["easy", "medium", "hard"],
    "pairs": 1,
    "seed": 1,
    "manager": False,
    "standin": False,
    "unattended": False,
    "max_games": 20,
}
EXAMPLE = "Example: python run_team.py --players easy medium --standin"


# --- Arguments --------------------------------------------------------------------------------------------


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"it must be a whole number, not {text!r}") from None


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="run_team.py", description="Play, study and report on a tournament.", epilog=EXAMPLE
    )
    add = parser.add_argument
    add("--players", nargs="+", metavar="NAME", help="2 to 5 of: " + ", ".join(draughts_tools.PLAYERS))
    add(
        "--pairs",
        type=_whole,
        help="openings for each two players, each played with both colours: 1 to 3 (1)",
    )
    add("--seed", type=_whole, help="decides all chance: 1 to 1000000 (1)")
    add("--daily-seed", action="store_true", default=None, help="take today's date (yymmdd) as the seed")
    add("--manager", action="store_true", default=None, help="let a manager agent lead the three others")
    add("--standin", action="store_true", default=None, help="use fixed rules in place of a language model")
    add("--unattended", action="store_true", default=None, help="ask nobody: save if every check passed")
    add("--max-games", type=_whole, help="the games that an unattended run may play in all (20)")
    add(
        "--resume", type=Path, metavar="TRACE", help="go on with a run that was killed; takes no other option"
    )
    return parser


def read_options(argv: list[str] | None) -> dict[str, Any]:
    """Return all options, checked, with `trace` for the run to be resumed or None. Raises WrongUse."""
    given = {name: value for name, value in vars(_parser().parse_args(argv)).items() if value is not None}
    trace = given.pop("resume", None)
    if trace is not None:
        if given:
            raise WrongUse("--resume takes every option from the trace: leave the others out.")
        return {**_recorded_options(trace), "trace": trace}
    if given.pop("daily_seed", False):
        if "seed" in given:
            raise WrongUse("Give --seed or --daily-seed, not both.")
        given["seed"] = int(date.today().strftime("%y%m%d"))
    return {**_checked({**DEFAULTS, **given}), "trace": None}


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    problem = draughts_tools.problem_with(options["players"], options["pairs"], options["seed"])
    most = options["max_games"]
    if problem is None and (not isinstance(most, int) or most < 1):
        problem = f"--max-games must be a whole number from 1, not {most!r}."
    if problem:
        raise WrongUse(problem)
    return options


def _recorded_options(trace: Path) -> dict[str, Any]:
    """Return the options that the run in a trace was begun with."""
    try:
        options = draughts_run.recorded_options(trace)
    except OSError as error:
        raise WrongUse(f"The trace {trace} cannot be read: {error.strerror}.") from None
    if options is None or set(options) != set(DEFAULTS):
        raise WrongUse(
            f"{trace} does not begin with a run of run_team.py, so there is nothing to go on with."
        )
    return _checked(options)


# --- Who approves -----------------------------------------------------------------------------------------


def games_in(args: dict[str, Any]) -> int:
    """Return how many games the tournament of these arguments has: n players, p pairs: n·(n−1)·p."""
    players = len(args["players"])
    return players * (players - 1) * args.get("pairs", 1)


def budget(max_games: int, spent: int = 0) -> Approver:
    """Return an approver that lets a run play at most `max_games` games in all; `spent` were played before."""

    def approve(tool_name: str, args: dict[str, Any]) -> bool:
        nonlocal spent
        games = games_in(args)
        if spent + games > max_games:
            already = f" after {spent}" if spent else ""
            print(
                f"{tool_name} was not allowed: it asks for {games} games{already}, and an unattended run may "
                f"play {max_games} (--max-games).",
                file=sys.stderr,
            )
            return False
        spent += games
        return True

    return approve


# --- The run ----------------------------------------------------------------------------------------------


def _model(standin: bool):
    if not standin:
        return model_from_env()
    from devtools.standin import StandInModel  # a tool for demos and tests: loaded only when asked for

    try:
        return StandInModel()
    except ValueError as error:
        raise WrongUse(f"MISTAKE_RATE cannot be used: {error}") from None


def _check_machine() -> None:
    """Raise before anything is asked or saved if the engine cannot be used or the notebook is damaged."""
    draughts_tools.arena({"command": "players"}, timeout=ENGINE_CHECK_SECONDS)
    draughts_team.NOTEBOOK.notes()


def _open_trace(trace: Path, options: dict[str, Any], model: Any) -> Tracer:
    """Return the tracer of a new run or of the one to be resumed."""
    if not options["trace"]:
        return draughts_run.begin(trace, {name: options[name] for name in DEFAULTS}, model)
    tracer = draughts_run.resume(trace, model)
    before, now = tracer.header.get("model"), model.describe()
    if before != now:
        print(f"The run was begun with the model {before} and goes on with {now}.", file=sys.stderr)
    return tracer


def _approver(options: dict[str, Any], tracer: Tracer) -> Approver:
    """Return who allows a tournament: the person, or unattended the budget that is left."""
    if not options["unattended"]:
        return ask_person
    allowed = draughts_run.allowed_tournaments(draughts_run.events_of(tracer))
    return budget(options["max_games"], sum(map(games_in, allowed)))


def _tell_who_works(event: dict[str, Any]) -> None:
    """Show on a terminal what is going on: a small model on a slow machine takes minutes for a step."""
    if event["kind"] == "task":
        print(f"{event['agent']} begins.", file=sys.stderr)
    elif event["kind"] == "call":
        print(f"{event['agent']} calls {event['tool']}.", file=sys.stderr)


# --- The end ----------------------------------------------------------------------------------------------


def _ask_to_save() -> bool:
    try:
        return input(SAVE_QUESTION).strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _shown(path: Path) -> str:
    """Return a path as people read it: from the current folder if it is below, with forward slashes."""
    path = Path(path).resolve()
    here = Path.cwd().resolve()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _say(text: str) -> bool:
    """Print, and return False if the output is lost (nobody reads it, its disk is full); what follows is then, too."""
    try:
        print(text, flush=True)
    except OSError as error:
        give_up_output(error)
        return False
    return True


def _run(options: dict[str, Any]) -> int:
    model = _model(options["standin"])
    _check_machine()
    trace = options["trace"] or draughts_run.new_trace(TRACE_DIR)
    with alone_with(trace):
        return _run_with(_open_trace(trace, options, model), options, model)


def _run_with(tracer: Tracer, options: dict[str, Any], model: Any) -> int:
    on_event = _tell_who_works if sys.stderr is not None and sys.stderr.isatty() else None
    try:
        report = draughts_run.work(options, model, _approver(options, tracer), tracer, on_event)
        return draughts_run.end(tracer, _finish(options, tracer, report))
    except KeyboardInterrupt:
        return _ended_early(tracer, "\nInterrupted.", 130)
    except AgentkitError as error:
        begun = any(event["kind"] == "tool" for event in draughts_run.events_of(tracer))
        return _ended_early(tracer, str(error), 2, begun)
    except OSError as error:
        return _ended_early(tracer, f"Not saved: {error}. Free the disk or mend the folder's rights.", 1)


def _ended_early(tracer: Tracer, sentence: str, code: int, begun: bool = True) -> int:
    """Say why a run ended before its end and, if anything was begun, how it goes on; return the exit code."""
    print(sentence, file=sys.stderr)
    if begun:
        print(f"Go on with: python run_team.py --resume {shlex.quote(_shown(tracer.path))}", file=sys.stderr)
    return code


def _finish(options: dict[str, Any], tracer: Tracer, report: str) -> int:
    """Print how the run went and keep the report if it may be kept; an unattended run keeps it first."""
    events = draughts_run.events_of(tracer)
    draughts_run.release_ids(events)
    rows = per_agent(events)
    lines = [*map(agent_line, rows), f"Trace: {_shown(tracer.path)}"]
    tournament_id = draughts_run.tournament_of(events)
    if not report or not tournament_id:
        _say("\n".join([*lines, "No report was produced."]))
        if failure := draughts_run.stopped_by_machine(events):
            raise failure
        return 1
    if draughts_run.reported_on(events) != tournament_id:
        lines.append(f"The reporter did not read the standings of {tournament_id}.")
        _say("\n".join([*lines, "No report was produced."]))
        return 1
    shown = "\n".join([*lines, "", report, ""])
    if not options["unattended"] and not _say(shown):
        return 1
    passed = all(not row["problems"] for row in rows)
    saved = None
    try:
        if draughts_run.may_save(tracer, (lambda: passed) if options["unattended"] else _ask_to_save):
            saved = draughts_run.keep(REPORT_DIR, options, tracer, tournament_id, report)
    finally:
        if options["unattended"]:
            _say(shown)
    _say(f"Saved {_shown(saved)}" if saved else "Not saved.")
    return 0 if saved else 1


def main(argv: list[str] | None = None) -> int:
    """Run the team as the arguments say and return the exit code."""
    try:
        return _run(read_options(argv))
    except SystemExit as stop:  # --help
        return int(stop.code or 0)
    except (WrongUse, AgentkitError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"Nothing was begun: {error}. Free the disk or mend the folder's rights.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
