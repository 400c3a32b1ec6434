"""Our rules against pydraughts, a library that somebody else wrote: the same legal moves all through random games.

pydraughts is under the GPL, so it is spoken to through pipes and never imported (see `eval/opponents/`). It is
looked for in the environment that runs the tests and in the one that `python eval/against.py pydraughts --install`
makes. Where it is missing the test is skipped with that reason, but not on a build server (CI=true), where it fails.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agents.draughts_tools import arena
from eval import against

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
# Kings, circular captures and crowning, so that random play from them meets what it seldom does from the start.
POSITIONS = [
    START,
    "B:W6,12,15,16,K17,23,24,26,29:BK3,K4,K18,K21,28",
    "B:WK2,8,9,K19,24,K25,26,28,32:B11,K13,21,K29",
    "B:W14,15,16,22,23,24,K29:B1,K18",
    "B:WK1,8,17,27,31:B4,13",
    "W:WK5,K13,K22,K30,26:BK3,K12,K20,K27,7",
]
GAMES_EACH = 6
MOST_PLIES = 60


def pythons():
    """Interpreters that may have pydraughts: this one, and that of its own environment."""
    return [Path(sys.executable), against.python_of(against.environment_of("pydraughts"))]


def has_pydraughts(python: Path) -> bool:
    command = [str(python), "-c", "from draughts.core import game"]
    return python.exists() and subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def pydraughts():
    """A process that answers with pydraughts' legal moves."""
    python = next((each for each in pythons() if has_pydraughts(each)), None)
    if python is None:
        reason = "pydraughts is not installed: python eval/against.py pydraughts --install"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    opponent = against.Opponent.installed("pydraughts", python)
    yield opponent
    opponent.close()


def sorted_paths(paths: list[str]) -> list[str]:
    """Return the squares of each move, in one order, however the two sides write the sign between them."""
    return sorted("x".join(re.split("[-x]", path)) for path in paths)


def test_pydraughts_and_the_engine_know_the_same_legal_moves_all_through_random_games(pydraughts):
    # Both sides of every game are drawn from pydraughts' moves; the engine replays them and names what may follow.
    chance = random.Random(2026)
    live = [{"number": i, "start": fen, "moves": []} for i, fen in enumerate(POSITIONS * GAMES_EACH, start=1)]
    compared = 0
    for _ in range(MOST_PLIES):
        positions = arena({"command": "position", "games": live})["positions"]
        going = []
        for game, position in zip(live, positions, strict=True):
            if position["result"] and position["result"]["winner"] == "draw":
                continue  # the library draws by other rules; moves are compared as long as both go on
            theirs = pydraughts.ask("legal", position["fen"])["legal"]
            ours = {legal["numbers"]: legal["move"] for legal in position["legal"]}
            assert sorted_paths(theirs) == sorted_paths(list(ours)), position["fen"]
            compared += 1
            if ours:
                game["moves"].append(ours[chance.choice(sorted(ours))])
                going.append(game)
        live = going
        if not live:
            break
    assert compared > 1000


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
