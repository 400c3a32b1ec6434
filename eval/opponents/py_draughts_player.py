"""The engine of py-draughts (GPL; its import name is `draughts`) behind two pipes, see `lines.py`.

py-draughts plays its American variant with optional captures and calls a game drawn after 40 quiet plies. English
draughts forces captures and allows 80, so the board is given these two rules; the search, the evaluation and the
moves themselves are the library's own.
"""

from __future__ import annotations

from typing import Any

from draughts.boards.american import Board
from draughts.engines.simple import SimpleEngine
from lines import serve, timed
from loguru import logger

QUIET_PLIES = 80


class EnglishBoard(Board):
    """The library's American board, made to force captures and to wait 80 plies for a draw."""

    @property
    def legal_moves(self):  # type: ignore[no-untyped-def]
        moves = super().legal_moves
        return [move for move in moves if move.captured_list] or moves

    @property
    def is_draw(self) -> bool:
        return bool(self.halfmove_clock >= QUIET_PLIES or self.is_threefold_repetition)


def path_of(move) -> str:  # type: ignore[no-untyped-def]
    """Name every square of a move: 11-15, 18x11x2."""
    return ("x" if move.captured_list else "-").join(str(square + 1) for square in move.square_list)


def choose(fen: str, depth: int) -> dict[str, Any]:
    """Return the engine's move at a fixed depth; each search is a fresh one, so a position has one answer."""
    return {"move": path_of(SimpleEngine(depth_limit=depth).get_best_move(EnglishBoard.from_fen(fen)))}


def legal(fen: str, _depth: int) -> dict[str, Any]:
    """Return the library's legal moves, captures forced."""
    return {"legal": [path_of(move) for move in EnglishBoard.from_fen(fen).legal_moves]}


def leaves(board: EnglishBoard, depth: int) -> int:
    """Count the paths of `depth` moves, every leaf made."""
    if depth == 0:
        return 1
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += leaves(board, depth - 1)
        board.pop()
    return total


def perft(fen: str, depth: int) -> dict[str, Any]:
    """Count leaves and time it."""
    board = EnglishBoard.from_fen(fen)
    return timed("leaves", lambda: leaves(board, depth))


def search(fen: str, depth: int) -> dict[str, Any]:
    """Count the nodes of one search by the library's engine and time it."""
    board, engine = EnglishBoard.from_fen(fen), SimpleEngine(depth_limit=depth)

    def nodes() -> int:
        engine.get_best_move(board)
        return int(engine.nodes)

    return timed("nodes", nodes)


if __name__ == "__main__":
    logger.remove()  # it reports every search on standard error
    serve({"choose": choose, "legal": legal, "perft": perft, "search": search})
