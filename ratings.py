"""Elo ratings from games, in the order they were played.

The method is Arpad Elo's (*The Rating of Chessplayers, Past and Present*, 1978): a player's expected score
against another is 1 / (1 + 10^(difference / 400)), and after each game the rating moves by K times the
difference between the score and that expectation. Ratings depend on the order of the games, and after a
handful of games they say little. This module estimates no uncertainty and does not know how games are played.

As a module: `compute(games)`. As a program: `python ratings.py data/tournaments/*.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

START = 1200
K = 32
SCORE_OF_BLACK = {"b": 1.0, "draw": 0.5, "w": 0.0}


def expected_score(rating: float, opponent: float) -> float:
    """Return the score (0 to 1) that Elo's formula expects of `rating` in one game against `opponent`."""
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


def compute(games: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Rate every player of `games`, read once, in order.

    Each game is a mapping with `black` and `white` (two different names) and `winner` ("b", "w" or "draw");
    other keys are ignored. Returns `{player: {"rating", "games", "wins", "draws", "losses", "points"}}` in
    the order in which players first appear. `rating` is an unrounded float, `points` counts 1 for a win and
    ½ for a draw. Raises ValueError for a game that cannot be rated.
    """
    table: dict[str, dict[str, Any]] = {}
    for number, game in enumerate(games, start=1):
        black, white, score = _read_game(number, game)
        first, second = _row(table, black), _row(table, white)
        change = K * (score - expected_score(first["rating"], second["rating"]))
        first["rating"] += change
        second["rating"] -= change
        _count(first, score)
        _count(second, 1 - score)
    return table


def _read_game(number: int, game: Mapping[str, Any]) -> tuple[str, str, float]:
    missing = [key for key in ("black", "white", "winner") if key not in game]
    if missing:
        raise ValueError(f"Game {number} has no {', '.join(missing)}: a game needs black, white and winner.")
    if game["winner"] not in list(SCORE_OF_BLACK):
        raise ValueError(f'Game {number} has the winner {game["winner"]!r}: it must be "b", "w" or "draw".')
    for player in (game["black"], game["white"]):
        if not isinstance(player, str):
            raise ValueError(f"Game {number} has the player {player!r}: a player's name is text.")
    if game["black"] == game["white"]:
        raise ValueError(f"Game {number} has {game['black']!r} on both sides: a player cannot play itself.")
    return game["black"], game["white"], SCORE_OF_BLACK[game["winner"]]


def _row(table: dict[str, dict[str, Any]], player: str) -> dict[str, Any]:
    fresh = {"rating": float(START), "games": 0, "wins": 0, "draws": 0, "losses": 0, "points": 0.0}
    return table.setdefault(player, fresh)


def _count(row: dict[str, Any], score: float) -> None:
    row["games"] += 1
    row["points"] += score
    row[{1.0: "wins", 0.5: "draws", 0.0: "losses"}[score]] += 1


def _games_of(path: Path) -> list[dict[str, Any]]:
    """Return the games of a tournament file, or of a file that is just a list of games."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a tournament: {error}") from error
    games = content.get("games") if isinstance(content, dict) else content
    if not isinstance(games, list) or not all(isinstance(game, dict) for game in games):
        raise ValueError(f"{path} holds no list of games: give a file of data/tournaments.")
    return games


def _show(table: dict[str, dict[str, Any]]) -> str:
    width = max([len("player"), *map(len, table)])
    lines = [f"{'player':{width}}  rating  games  points"]
    for name, row in sorted(table.items(), key=lambda item: (-item[1]["rating"], item[0])):
        lines.append(f"{name:{width}}  {row['rating']:6.0f}  {row['games']:5}  {row['points']:6.1f}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Print the ratings of the tournaments in the named files, taken together in the order given.

    Returns 0; 1 when the output is lost; 2 for a file that holds no games that can be rated.
    """
    parser = argparse.ArgumentParser(
        description="Elo ratings of the games in tournament files.",
        epilog="Example: python ratings.py data/tournaments/*.json",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args(argv)
    try:
        table = compute(game for path in args.files for game in _games_of(path))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return _print(json.dumps(table, indent=2) if args.json else _show(table))


def _print(text: str) -> int:
    """Print, and return the exit code: 1 when nobody takes the output (its reader went away, its disk is full)."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes what is left when it ends
        if not isinstance(error, BrokenPipeError):
            print(f"The ratings could not be written: {error}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
