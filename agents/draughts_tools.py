"""The tools of the draughts team: play a tournament, rank its players, find its mistakes.

Every fact comes from the JavaScript engine or is computed here from its games; no model has a say in one.
`arena()` is the only place where Python reaches Node. A tournament is one file, `data/tournaments/ID.json`,
written whole; its id is digits and a hyphen, so that no text of a model can become a path. The tools decide
nothing about permission: `run_tournament` is marked as needing a person's approval, and the ToolBox asks.

    from agents import draughts_tools
    draughts_tools.standings(tournament_id)
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from pathlib import Path
from typing import Any

import ratings
from agentkit import tool
from agentkit.errors import DamagedFile
from agentkit.files import claim_stamp, locked, read_json, write_json
from agentkit.tools import effect_id
from agents import engine_process
from agents.engine_process import EngineError, EngineRefused
from agents.progress import progress_line

__all__ = [
    "ARENA_JS", "BASE_DIR", "PLAYERS", "TOURNAMENT_DIR", "WHERE_FROM", "EngineError", "EngineRefused",
    "arena", "find_mistakes", "list_players", "load", "path_for", "problem_with", "release",
    "run_tournament", "save", "standings",
]  # fmt: skip

BASE_DIR = Path(__file__).resolve().parents[1]
ARENA_JS = BASE_DIR / "engine" / "arena.js"
TOURNAMENT_DIR = BASE_DIR / "data" / "tournaments"

WHERE_FROM = {
    "easy": "Course 1",
    "medium": "Course 1",
    "hard": "Course 1",
    "learned": "Course 3",
    "neural": "Course 3",
}
PLAYERS = list(WHERE_FROM)
MOST_PLAYERS, MOST_PAIRS, MOST_SEED = 5, 3, 1_000_000
REVIEW_DEPTH = 10  # plies; as deep as a review of twenty games may go in a few seconds
MOST_MISTAKES = 10  # how many of the biggest are kept with a tournament

ID = re.compile(r"[0-9]+-[0-9]+", re.ASCII)
ID_LIMIT = {"pattern": "^[0-9]{8}-[0-9]{6}$"}
ELO_NOTE = f"Everyone starts at {ratings.START}; K is {ratings.K}, as in Course 4."
MISTAKE_KEYS = (
    "game", "move_number", "side", "player", "played", "engine_best_move", "lost_men", "verdict", "better_line",
)  # fmt: skip
ANSWERS = {  # what the engine's answer to each command must hold
    "players": ("players", dict), "tournament": ("games", list), "review": ("mistakes", list), "pdn": ("pdn", str),
}  # fmt: skip
WINNERS = ("b", "w", "draw")
MISTAKES_NOTE = (
    "move_number counts the moves of both sides after the opening. "
    "lost_men is how much the move cost against the engine's best move, in men. "
    "better_line is how the game could have gone on with the engine's best move, both sides' moves."
)


# --- The engine -------------------------------------------------------------------------------------------


def arena(request: dict[str, Any], timeout: float = 900) -> dict[str, Any]:
    """Send one request to the engine and return its answer.

    `timeout` is in seconds. The program in the environment's NODE_BINARY (default `node`) runs `ARENA_JS`.
    On a terminal, standard error shows how far the engine is. Raises EngineError (no usable Node or engine)
    or its child EngineRefused (the request was wrong); either text says what to do.
    """
    binary = os.environ.get("NODE_BINARY") or "node"
    line = progress_line(sys.stderr)
    if line is None:
        return _whole(engine_process.ask(binary, Path(ARENA_JS), request, timeout), request)
    with line:
        request = {**request, "progress": True}
        return _whole(engine_process.ask(binary, Path(ARENA_JS), request, timeout, line), request)


def _whole(answer: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Return the engine's answer if it holds what was asked for; raise EngineError if it does not."""
    key, kind = ANSWERS.get(request.get("command"), (None, object))
    if not isinstance(answer.get(key), kind):
        raise EngineError(f"The engine answered without its {key}. {engine_process.GET_PROJECT}")
    return answer


# --- Tournament files -------------------------------------------------------------------------------------


def path_for(tournament_id: str) -> Path:
    """Return where a tournament is kept. Raises ValueError unless the id is digits, a hyphen and digits."""
    if not isinstance(tournament_id, str) or not ID.fullmatch(tournament_id):
        raise ValueError(f"{tournament_id!r} is no tournament id: an id is digits, one hyphen and digits.")
    return Path(TOURNAMENT_DIR) / f"{tournament_id}.json"


def load(tournament_id: str) -> dict[str, Any]:
    """Read a tournament. Raises ValueError (naming those there are) or DamagedFile."""
    try:
        path = path_for(tournament_id)
        tournament = read_json(path)
    except (ValueError, FileNotFoundError):
        shown = " ".join(str(tournament_id).split())
        raise ValueError(f"There is no tournament {shown}. {_those_there_are()}") from None
    if not _is_tournament(tournament):
        raise DamagedFile(path, "a tournament is an object with its tournament_id and a list of whole games")
    return tournament


def _is_tournament(value: Any) -> bool:
    """Say whether a file's content is a whole tournament, so that nobody stumbles over a missing part."""
    if not isinstance(value, dict) or not isinstance(value.get("tournament_id"), str):
        return False
    review = value.get("review", {"depth": 1, "mistakes_found": 0, "mistakes": []})
    reviewed = isinstance(review, dict) and {"depth", "mistakes_found"} <= set(review)
    lists = value.get("games"), review.get("mistakes") if reviewed else None
    if not all(isinstance(listed, list) and all(isinstance(one, dict) for one in listed) for listed in lists):
        return False
    return all(map(_is_game, value["games"]))


def _is_game(game: dict[str, Any]) -> bool:
    names = [game.get("black"), game.get("white"), game.get("winner")]
    moves = game.get("moves")
    if not isinstance(moves, list) or not all(isinstance(text, str) for text in [*names, *moves]):
        return False
    return game["winner"] in WINNERS and isinstance(game.get("number", 1), int)


def save(tournament: dict[str, Any]) -> Path:
    """Write a tournament to its file, whole or not at all, and return the path."""
    path = path_for(tournament["tournament_id"])
    write_json(path, tournament)
    return path


def _those_there_are() -> str:
    """Name the newest tournaments, for a model or a person who mistyped an id."""
    folder = Path(TOURNAMENT_DIR)
    ids = sorted(path.stem for path in folder.glob("*.json") if ID.fullmatch(path.stem))
    if not ids:
        return "No tournament has been played yet."
    return f"The tournaments are: {', '.join(ids[-5:])}" + (" (the newest 5)." if len(ids) > 5 else ".")


# --- What may be asked for --------------------------------------------------------------------------------


def problem_with(players: Any, pairs: Any, seed: Any) -> str | None:
    """Say in one sentence what is wrong with a tournament's settings; None if they can be played."""
    if not isinstance(players, (list, tuple)) or not all(isinstance(name, str) for name in players):
        return f"Players must be a list of names, not {players!r}. Players: {', '.join(PLAYERS)}."
    unknown = [name for name in players if name not in PLAYERS]
    if unknown:
        return f"There is no player called {unknown[0]!r}. Players: {', '.join(PLAYERS)}."
    twice = [name for name in players if players.count(name) > 1]
    if twice:
        return f"The player {twice[0]} is named {players.count(twice[0])} times; name each player once."
    if not 2 <= len(players) <= MOST_PLAYERS:
        return f"A tournament needs 2 to {MOST_PLAYERS} different players, not {len(players)}."
    return _not_within("Pairs", pairs, MOST_PAIRS) or _not_within("The seed", seed, MOST_SEED)


def _not_within(name: str, value: Any, most: int) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
        return None
    return f"{name} must be a whole number from 1 to {most}, not {value!r}."


# --- Tools ------------------------------------------------------------------------------------------------


@tool
def list_players() -> dict[str, Any]:
    """List the players that can take part in a tournament, and how each one plays.

    Returns each player's name, search depth in plies, share of random moves (0 to 1), evaluation and the
    course that built it.
    """
    levels = arena({"command": "players"})["players"]
    return {"players": [_player(name, level) for name, level in levels.items()]}


def _player(name: str, level: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "depth": level["depth"],
        "random_chance": level["randomChance"],
        "evaluation": level["evaluator"],
        "built_in": WHERE_FROM.get(name, "unknown"),
    }


def _new_tournament_id() -> str:
    """Reserve an id that no other call, thread or process has or will get."""
    return claim_stamp(TOURNAMENT_DIR, ".claim", taken=lambda stamp: path_for(stamp).exists())


def release(tournament_id: str) -> None:
    """Give a reserved id back: its tournament has been saved by now, or will never be played."""
    with contextlib.suppress(OSError):
        path_for(tournament_id).with_suffix(".claim").unlink(missing_ok=True)


@tool(
    needs_approval=True,
    limits={
        "players": {"minItems": 2, "maxItems": MOST_PLAYERS, "items": {"enum": PLAYERS}},
        "pairs": {"minimum": 1, "maximum": MOST_PAIRS},
        "seed": {"minimum": 1, "maximum": MOST_SEED},
    },
    new_id=_new_tournament_id,
)
def run_tournament(players: list[str], pairs: int = 1, seed: int = 1) -> dict[str, Any]:
    """Play a tournament in which everyone meets everyone, and save its games.

    Each pair of players plays every opening twice, with colours swapped. The same players, pairs and seed
    always give the same games.

    Args:
        players: 2 to 5 different names from list_players.
        pairs: how many openings each two players play, 1 to 3.
        seed: a whole number from 1 to 1000000 that decides all chance.
    """
    problem = problem_with(players, pairs, seed)
    if problem:
        raise ValueError(problem)
    request = {"players": list(players), "pairs": pairs, "seed": seed}
    tournament_id = effect_id() or _new_tournament_id()
    try:
        tournament = _already_played(tournament_id, request)
        if tournament is None:
            games = arena({"command": "tournament", **request})["games"]
            tournament = {"tournament_id": tournament_id, **request, "games": games}
            save(tournament)
    finally:
        release(tournament_id)
    return _played(tournament)


def _already_played(tournament_id: str, request: dict[str, Any]) -> dict[str, Any] | None:
    """Return the saved tournament if a run that was killed had got as far as saving it."""
    if not path_for(tournament_id).exists():
        return None
    tournament = load(tournament_id)
    if {key: tournament.get(key) for key in request} != request:
        raise ValueError(f"Tournament {tournament_id} was played with other settings, so it cannot be continued.")
    return tournament


def _played(tournament: dict[str, Any]) -> dict[str, Any]:
    return {
        "tournament_id": tournament["tournament_id"],
        "games_played": len(tournament["games"]),
        "results": [_result(game) for game in tournament["games"]],
    }


def _result(game: dict[str, Any]) -> dict[str, Any]:
    return {
        "game": game["number"],
        "black": game["black"],
        "white": game["white"],
        "winner": {"b": game["black"], "w": game["white"]}.get(game["winner"], "draw"),
        "moves": len(game["moves"]),
    }


@tool(limits={"tournament_id": ID_LIMIT})
def standings(tournament_id: str) -> dict[str, Any]:
    """Rank the players of a tournament: games, wins, draws, losses, points and Elo, best first.

    A win is 1 point and a draw is half a point.

    Args:
        tournament_id: the id that run_tournament returned.
    """
    games = load(tournament_id)["games"]
    table = [_row(player, row) for player, row in ratings.compute(games).items()]
    table.sort(key=lambda row: (-row["points"], -row["elo"], row["player"]))
    return {
        "tournament_id": tournament_id,
        "games_played": len(games),
        "table": table,
        "elo_note": ELO_NOTE,
    }


def _row(player: str, row: dict[str, Any]) -> dict[str, Any]:
    counts = {key: row[key] for key in ("games", "wins", "draws", "losses", "points")}
    return {"player": player, **counts, "elo": round(row["rating"])}


@tool(limits={"tournament_id": ID_LIMIT, "how_many": {"minimum": 1, "maximum": MOST_MISTAKES}})
def find_mistakes(tournament_id: str, how_many: int = 3) -> dict[str, Any]:
    """Find the moves of a tournament that cost the most, judged by the engine, the biggest first.

    Args:
        tournament_id: the id that run_tournament returned.
        how_many: how many of the biggest mistakes to return, 1 to 10.
    """
    problem = _not_within("how_many", how_many, MOST_MISTAKES)
    if problem:
        raise ValueError(problem)
    review = _review_of(tournament_id)
    return {
        "tournament_id": tournament_id,
        "review_depth": review["depth"],
        "mistakes_found": review["mistakes_found"],
        "biggest_mistakes": [_mistake(found) for found in review["mistakes"][:how_many]],
        "note": MISTAKES_NOTE,
    }


def _mistake(found: dict[str, Any]) -> dict[str, Any]:
    """Return what a report needs of a mistake; the file keeps the rest of the review."""
    return {key: found[key] for key in MISTAKE_KEYS if key in found}


def _review_of(tournament_id: str) -> dict[str, Any]:
    """Return the review saved with a tournament, making and saving it the first time.

    The engine works outside the lock; if two processes review at once, the review that was saved first
    stands.
    """
    tournament = load(tournament_id)
    if "review" in tournament:
        return tournament["review"]
    request = {
        "command": "review",
        "games": tournament["games"],
        "depth": REVIEW_DEPTH,
        "how_many": MOST_MISTAKES,
    }
    review = arena(request)
    with locked(TOURNAMENT_DIR):
        tournament = load(tournament_id)
        if "review" not in tournament:
            save({**tournament, "review": review})
            return review
        return tournament["review"]
