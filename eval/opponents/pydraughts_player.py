"""A player on the rules of pydraughts (GPL; its import name is `draughts`) behind two pipes, see `lines.py`.

pydraughts is a library of rules and has no engine of its own. The search here is the plainest there is (alpha-beta
over material, no exchanges searched out), so this opponent is weak; its worth is that every position of a game was
reached and every move made by rules that somebody else wrote.
"""

from __future__ import annotations

import re
from typing import Any

from draughts import Board
from lines import serve, timed

MAN, KING, LOST = 100, 130, 10_000


def path_of(move) -> str:  # type: ignore[no-untyped-def]
    """Name every square of a move: 11-15, 18x11x2."""
    return ("x" if move.has_captures else "-").join(str(square) for square in move.steps_move)


def material(fen: str) -> int:
    """Count the pieces from the side of the one to move."""
    turn, *sides = fen.split(":")
    totals = {side[0]: MAN * len(re.findall(r"\d+", side)) + (KING - MAN) * side.count("K") for side in sides}
    return totals[turn] - totals["B" if turn == "W" else "W"]


def value(board, depth: int, alpha: int, beta: int) -> int:  # type: ignore[no-untyped-def]
    """Return the score of a position for its side to move, by alpha-beta."""
    moves = board.legal_moves()
    if not moves:
        return -LOST - depth
    if depth == 0:
        return material(board.fen)
    for move in moves:
        board.push(move)
        alpha = max(alpha, -value(board, depth - 1, -beta, -alpha))
        board.pop()
        if alpha >= beta:
            break
    return alpha


def choose(fen: str, depth: int) -> dict[str, Any]:
    """Return the best move at a fixed depth; of equal ones, the first that the library lists."""
    board = Board("english", fen)
    best_move, best = "", -10 * LOST
    for move in board.legal_moves():
        path = path_of(move)
        board.push(move)
        score = -value(board, depth - 1, -10 * LOST, -best)
        board.pop()
        if score > best:
            best_move, best = path, score
    return {"move": best_move}


def legal(fen: str, _depth: int) -> dict[str, Any]:
    """Return the library's legal moves."""
    return {"legal": [path_of(move) for move in Board("english", fen).legal_moves()]}


def leaves(board, depth: int) -> int:  # type: ignore[no-untyped-def]
    """Count the paths of `depth` moves, every leaf made."""
    if depth == 0:
        return 1
    total = 0
    for move in board.legal_moves():
        board.push(move)
        total += leaves(board, depth - 1)
        board.pop()
    return total


def perft(fen: str, depth: int) -> dict[str, Any]:
    """Count leaves and time it."""
    board = Board("english", fen)
    return timed("leaves", lambda: leaves(board, depth))


if __name__ == "__main__":
    serve({"choose": choose, "legal": legal, "perft": perft})
