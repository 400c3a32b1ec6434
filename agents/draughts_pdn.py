"""Write a tournament's games as PDN, the text form in which draughts players exchange games.

    python -m agents.draughts_pdn 20261028-140501 > games.pdn

Squares are the standard numbers 1 to 32, and `1-0` means that Black won, as in all English draughts. The
engine knows the rules that decide how a capture is written, so it does the writing (`static/js/pdn.js`); this
program only fetches the tournament and names the event. It reads no PDN.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from agentkit.errors import AgentkitError
from agentkit.files import write_whole
from agents.draughts_tools import arena, load
from agents.program import run_as_program

GAME_KEYS = ("number", "black", "white", "start", "winner", "reason", "moves")


def as_pdn(tournament: dict[str, Any]) -> str:
    """Return all games of a tournament as one PDN text. Raises EngineError when the engine cannot do it."""
    tournament_id = str(tournament["tournament_id"])
    games = [{key: game[key] for key in GAME_KEYS if key in game} for game in tournament["games"]]
    request = {"command": "pdn", "games": games, "event": f"Tournament {tournament_id}"}
    day = tournament_id.split("-")[0]
    if len(day) == len("20261028"):
        request["date"] = f"{day[:4]}.{day[4:6]}.{day[6:]}"
    return str(arena(request)["pdn"])


def main(argv: list[str] | None = None) -> int:
    """Run the program and return its exit code: 0 written, 2 no such tournament or no usable engine."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.draughts_pdn",
        description=__doc__.split("\n\n")[0],
        epilog="Example: python -m agents.draughts_pdn 20261028-140501 --output games.pdn",
    )
    parser.add_argument("tournament_id", help="the id that the tournament was saved under")
    parser.add_argument("--output", type=Path, help="a file to write; without it the text is printed")
    options = parser.parse_args(argv)
    if options.output and options.output.suffix.lower() == ".json":  # a slip must not write over a tournament
        print(f"{options.output} would be no JSON: give --output a name such as games.pdn.", file=sys.stderr)
        return 2
    try:
        text = as_pdn(load(options.tournament_id))
        if options.output:
            write_whole(options.output, text)
            text = f"Saved {options.output.as_posix()}\n"
    except (AgentkitError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(text, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
