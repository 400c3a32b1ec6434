"""The engine of py-draughts (GPL; its import name is `draughts`) behind two pipes, see `lines.py`.

py-draughts plays its American variant with optional captures and calls a game drawn after 40 quiet plies. English
draughts forces captures and allows 80, so the board is given these two rules; the search, the evaluation and the
moves themselves are the library's own.
"""

from __future__ import annotations

from draughts.boards.american import Board
from draughts.engines.simple import SimpleEngine
from lines import serve
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


def choose(fen: str, depth: int) -> str:
    """Return the engine's move at a fixed depth; each search is a fresh one, so a position has one answer."""
    return path_of(SimpleEngine(depth_limit=depth).get_best_move(EnglishBoard.from_fen(fen)))


def legal(fen: str) -> list[str]:
    """Return the library's legal moves, captures forced."""
    return [path_of(move) for move in EnglishBoard.from_fen(fen).legal_moves]


if __name__ == "__main__":
    logger.remove()  # it reports every search on standard error
    serve(choose, legal)
