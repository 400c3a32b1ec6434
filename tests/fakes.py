"""Stand-ins that several test files use: programs that pretend to be Node, in every way that can go wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

RANKS = [".w.w.w.w", "w.w.w.w.", ".w.w.w.w", "........", "........", "b.b.b.b.", ".b.b.b.b", "b.b.b.b."]
START = {"board": RANKS, "turn": "b", "quietPlies": 0}

ENGINE = f"""
import itertools, json, sys
request = json.loads(sys.stdin.read())
LEVEL = {{"depth": 1, "randomChance": 0, "evaluator": "hand"}}
if request["command"] == "players":
    answer = {{"players": {{name: LEVEL for name in ("easy", "medium", "hard", "learned", "neural")}}}}
elif request["command"] == "tournament":
    games = []
    for black, white in itertools.permutations(request["players"], 2):
        for _ in range(request["pairs"]):
            games.append({{"number": len(games) + 1, "black": black, "white": white, "start": {START!r},
                          "winner": "b", "reason": "no moves", "moves": ["c3-d4", "b6-a5", "b2-c3"]}})
    answer = {{"games": games}}
else:
    mistake = {{"game": 1, "move_number": 3, "side": "Black", "player": request["games"][0]["black"],
               "played": "b2-c3", "engine_best_move": "d4-e5", "lost_men": 1.5, "better_line": ["d4-e5"]}}
    answer = {{"depth": request["depth"], "mistakes_found": 12,
              "mistakes": [dict(mistake, game=n + 1) for n in range(request["how_many"])]}}
print(json.dumps(answer))
"""


def fake_node(folder: Path, body: str = ENGINE, version: str = "v20.0.0") -> str:
    """Write a program that answers `--version` with `version` and else runs `body` (Python); return its path.

    Without a body of its own it is a quick engine: Black wins every game after three plies.
    """
    program = folder / "fake_node.py"
    answer = f"import sys\nif '--version' in sys.argv:\n    print({version!r})\n    sys.exit(0)\n"
    program.write_text(f"#!{sys.executable}\n{answer}{body}", encoding="utf-8")
    program.chmod(0o755)
    if os.name != "nt":
        return str(program)
    launcher = folder / "fake_node.cmd"
    launcher.write_text(f'@"{sys.executable}" "{program}" %*\r\n', encoding="utf-8")
    return str(launcher)
