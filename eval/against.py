"""Play one of our players against an engine that somebody else wrote.

    python eval/against.py py-draughts --install
    python eval/against.py py-draughts --player hard --depth 6 --pairs 20 --openings ballots

Both opponents install as `draughts` and are under the GPL. So each lives in a virtual environment of its own
(`--install` makes it, in the cache folder), is spoken to through pipes, and is never imported here; its side of
the pipes is in `opponents/`. Every opening is played twice, with the colours swapped. The engine here is the
referee: a move of the opponent's that it does not know ends the match with the position named.

It prints wins, draws and losses, and the Elo difference with its 95 % interval. All games are played side by side,
one move in each at a time, so that moves can be shared among processors. Not for clocks: levels are depths.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit.errors import AgentkitError
from agentkit.files import write_json
from agents.draughts_tools import arena
from agents.program import run_as_program
from eval import elo

OPPONENTS = {  # name -> what is installed, and the program that speaks for it
    "py-draughts": ("py-draughts==1.10.1", "py_draughts_player.py"),
    "pydraughts": ("pydraughts==0.6.7", "pydraughts_player.py"),
}
Record = dict[str, Any]  # a game or a position, as the engine writes them
PROGRAMS = Path(__file__).resolve().parent / "opponents"


class OpponentError(AgentkitError):
    """The opponent cannot be started, died, or made a move that is not legal; the text says what to do."""


# --- The opponent -----------------------------------------------------------------------------------------


def environment_of(name: str) -> Path:
    """Return the folder of an opponent's virtual environment, whether it exists or not."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "draughts-agents" / "opponents" / name


def python_of(environment: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(name: str) -> None:
    """Make the opponent's virtual environment and install the pinned release. Raises OpponentError."""
    environment = environment_of(name)
    environment.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for command in (
        [sys.executable, "-m", "venv", str(environment)],
        [str(python_of(environment)), "-m", "pip", "install", "--quiet", OPPONENTS[name][0]],
    ):
        try:
            subprocess.run(command, check=True, stdout=sys.stderr)
        except (OSError, subprocess.CalledProcessError) as error:
            raise OpponentError(f"{name} could not be installed in {environment.as_posix()}: {error}") from error


class Opponent:
    """One process of the opponent. `ask` sends a request and waits for its answer; `close` ends the process."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    @classmethod
    def installed(cls, name: str, python: Path | None = None) -> Opponent:
        """Start one of OPPONENTS, under `python` instead of its own environment's if given. Raises OpponentError."""
        python = python or python_of(environment_of(name))
        if not python.exists():
            raise OpponentError(f"{name} is not installed. Run: python eval/against.py {name} --install")
        return cls(name, [str(python), str(PROGRAMS / OPPONENTS[name][1])])

    def ask(self, what: str, fen: str, **more: Any) -> Record:
        """Return the answer to a request of `opponents/lines.py`. Raises OpponentError."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(json.dumps({"what": what, "fen": fen, **more}) + "\n")
            self.process.stdin.flush()
            answer: Record = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            raise OpponentError(f"{self.name} died in the position {fen}; its last words are above.") from None
        if "error" in answer:
            raise OpponentError(f"{self.name} failed in the position {fen}: {answer['error']}")
        return answer

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin and self.process.stdout
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Opponents:
    """Several processes of one opponent that answer for each other; a context manager."""

    def __init__(self, name: str, count: int, python: Path | None = None) -> None:
        self.free: Queue[Opponent] = Queue()
        self.all = [Opponent.installed(name, python) for _ in range(count)]
        for opponent in self.all:
            self.free.put(opponent)
        self.pool = ThreadPoolExecutor(count)

    def __enter__(self) -> Opponents:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)
        for opponent in self.all:
            opponent.close()

    def choose(self, fens: list[str], depth: int) -> Iterator[str]:
        """Return the opponent's move in each position, in their order."""

        def one(fen: str) -> str:
            opponent = self.free.get()
            try:
                return str(opponent.ask("choose", fen, depth=depth)["move"])
            finally:
                self.free.put(opponent)

        return self.pool.map(one, fens)


# --- The match --------------------------------------------------------------------------------------------


@dataclass
class Match:
    """The games of a match, in the shape that the engine's requests have."""

    player: str
    opponent: str
    games: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, player: str, opponent: str, openings: list[dict[str, Any]]) -> Match:
        """Set up every opening twice, with the colours swapped."""
        games: list[Record] = []
        for opening in openings:
            for black, white in ((player, opponent), (opponent, player)):
                games.append({"number": len(games) + 1, "black": black, "white": white,
                              "start": opening["start"], "moves": []})  # fmt: skip
        return cls(player, opponent, games)

    def play(self, opponents: Opponents, depth: int) -> None:
        """Play all games to their ends, one move in each at a time."""
        live = self.games
        while live:
            positions = arena({"command": "position", "games": live})["positions"]
            going = []
            for game, position in zip(live, positions, strict=True):
                if position["result"]:
                    game.update(position["result"])
                    self._tell(game)
                else:
                    going.append((game, position))
            self._move_ours([game for game, position in going if self._is_ours(game, position)])
            self._move_theirs([pair for pair in going if not self._is_ours(*pair)], opponents, depth)
            live = [game for game, _ in going]

    def _is_ours(self, game: dict[str, Any], position: dict[str, Any]) -> bool:
        return bool(game["black" if position["fen"][0] == "B" else "white"] == self.player)

    def _move_ours(self, games: list[dict[str, Any]]) -> None:
        if games:
            moves = arena({"command": "choose", "games": games, "player": self.player})["moves"]
            for game, move in zip(games, moves, strict=True):
                game["moves"].append(move)

    def _move_theirs(self, pairs: list[tuple[Record, Record]], opponents: Opponents, depth: int) -> None:
        paths = opponents.choose([position["fen"] for _, position in pairs], depth)
        for (game, position), path in zip(pairs, paths, strict=True):
            names = [legal["move"] for legal in position["legal"] if legal["numbers"] == path]
            if not names:
                raise OpponentError(f"{self.opponent} played {path} in {position['fen']}, where that is not legal.")
            game["moves"].append(names[0])

    def _tell(self, game: dict[str, Any]) -> None:
        done = sum("winner" in each for each in self.games)
        winner = {"b": game["black"], "w": game["white"]}.get(game["winner"], "nobody")
        print(f"{done} of {len(self.games)} games: won by {winner}, {game['reason']}", file=sys.stderr)

    def summary(self) -> dict[str, Any]:
        """Return wins, draws, losses, and the Elo difference with the ends of its 95 % interval."""
        rated = elo.rate(self.games)
        ours = next(row for row in rated["ratings"] if row["player"] == self.player)
        # Two ratings lie equally far on both sides of their mean, so the difference is twice one's distance.
        rating, low, high = (2 * (ours[key] - elo.AVERAGE) for key in ("rating", "low", "high"))
        return {
            "player": self.player, "opponent": self.opponent, "games": len(self.games), "wins": ours["wins"],
            "draws": ours["draws"], "losses": ours["losses"], "score": ours["score"],
            "elo": rating, "low": low, "high": high, "prior": rated["prior"],
        }  # fmt: skip


def report(summary: dict[str, Any]) -> str:
    """Return the summary for people."""
    bound = f" (held by {summary['prior']:g} imagined wins and losses of each)" if summary["prior"] else ""
    return (
        f"{summary['player']} against {summary['opponent']}: {summary['games']} games, {summary['wins']} wins, "
        f"{summary['draws']} draws, {summary['losses']} losses: {summary['score']:.1%}\n"
        f"Elo {summary['elo']:+.0f}, 95 % interval [{summary['low']:+.0f}, {summary['high']:+.0f}]{bound}"
    )


# --- The program ------------------------------------------------------------------------------------------


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python eval/against.py",
        description="Play one of our players against an engine that somebody else wrote, every opening twice.",
        epilog="Example: python eval/against.py py-draughts --player hard --depth 6 --pairs 20 --openings ballots",
    )
    parser.add_argument("opponent", choices=OPPONENTS)
    parser.add_argument("--install", action="store_true", help="only make the opponent's virtual environment")
    parser.add_argument("--player", default="hard", help="ours, settings allowed: hard:depth=8 (hard)")
    parser.add_argument("--depth", type=int, default=4, help="how many plies the opponent looks ahead (4)")
    parser.add_argument("--pairs", type=int, default=10, help="how many openings, 1 to 156 (10)")
    parser.add_argument("--openings", choices=["random", "ballots"], default="ballots", help="(ballots)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the openings (1)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes of the opponent")
    parser.add_argument("--save", type=Path, help="a file for the games, as JSON")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the program and return its exit code: 0 played, 2 wrong use or an opponent that is not usable."""
    parser = _arguments()
    options = parser.parse_args(argv)
    if options.depth < 1 or options.workers < 1:
        parser.error("--depth and --workers are at least 1")
    try:
        if options.install:
            install(options.opponent)
            return 0
        request = {"command": "openings", "kind": options.openings, "count": options.pairs, "seed": options.seed}
        match = Match.of(options.player, f"{options.opponent}:depth={options.depth}", arena(request)["openings"])
        with Opponents(options.opponent, options.workers) as opponents:
            match.play(opponents, options.depth)
    except AgentkitError as error:
        print(error, file=sys.stderr)
        return 2
    if options.save:
        write_json(options.save, {"players": [match.player, match.opponent], "games": match.games})
    print(json.dumps(match.summary()) if options.json else report(match.summary()))
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
