"""Stand-ins that several test files use: an engine whose games are known, and programs that pretend to be Node."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ENGINE = '''
import itertools

RANKS = [".w.w.w.w", "w.w.w.w.", ".w.w.w.w", "........", "........", "b.b.b.b.", ".b.b.b.b", "b.b.b.b."]
START = {"board": RANKS, "turn": "b", "quietPlies": 0}
LEVEL = {"depth": 1, "randomChance": 0, "evaluator": "hand"}
MISTAKE = {"move_number": 3, "side": "Black", "played": "b2-c3", "engine_best_move": "d4-e5",
           "lost_men": 1.5, "better_line": ["d4-e5"]}


def answer_to(request):
    """A quick engine: Black wins every game after three plies, and the third ply was a mistake."""
    if request["command"] == "players":
        return {"players": {name: LEVEL for name in ("easy", "medium", "hard", "learned", "neural")}}
    if request["command"] == "tournament":
        meetings = [pair for pair in itertools.permutations(request["players"], 2) for _ in range(request["pairs"])]
        return {"games": [game(number, *pair) for number, pair in enumerate(meetings, start=1)]}
    found = [{"game": each["number"], "player": each["black"], **MISTAKE} for each in request["games"]]
    return {"depth": request["depth"], "mistakes_found": len(found), "mistakes": found[: request["how_many"]]}


def game(number, black, white):
    return {"number": number, "black": black, "white": white, "start": START, "winner": "b",
            "reason": "no moves", "moves": ["c3-d4", "b6-a5", "b2-c3"]}
'''

_engine: dict = {}
exec(ENGINE, _engine)
answer_to = _engine["answer_to"]


def fake_node(folder: Path, body: str | None = None, version: str = "v20.0.0") -> str:
    """Write a program that answers `--version` with `version` and else runs `body` (Python); return its path.

    Without a body it is the quick engine.
    """
    program = folder / "fake_node.py"
    if body is None:
        body = ENGINE + "\nimport json\nprint(json.dumps(answer_to(json.loads(sys.stdin.read()))))\n"
    answer = f"import sys\nif '--version' in sys.argv:\n    print({version!r})\n    sys.exit(0)\n"
    program.write_text(f"#!{sys.executable}\n{answer}{body}", encoding="utf-8")
    program.chmod(0o755)
    if os.name != "nt":
        return str(program)
    launcher = folder / "fake_node.cmd"
    launcher.write_text(f'@"{sys.executable}" "{program}" %*\r\n', encoding="utf-8")
    return str(launcher)
