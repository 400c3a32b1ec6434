"""A program behind two pipes: one JSON request a line on standard input, one JSON answer a line on standard output.

    {"what": "choose", "fen": "B:W21,30:B12,K1", "depth": 4}  ->  {"move": "12-16"}
    {"what": "legal", "fen": "W:W18:B15,7"}                   ->  {"legal": ["18x11x2"]}
    {"what": "perft", "fen": "W:W18:B15,7", "depth": 1}       ->  {"leaves": 1, "seconds": 0.001}
    {"what": "search", "fen": "W:W18:B15,7", "depth": 6}      ->  {"nodes": 9, "seconds": 0.002}

Moves name every square, in standard numbers; not every program knows every request. This file and its neighbours
run in the opponent's own environment and use nothing of this project; `against.py` and `bench_engine.py` are at
the other end of the pipes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

Handler = Callable[[str, int], dict[str, Any]]


def serve(handlers: Mapping[str, Handler]) -> None:
    """Answer requests until the input ends; one that fails is answered by {"error": text}.

    A handler is given the position as FEN and the depth (0 where the request has none).
    """
    for line in sys.stdin:
        try:
            request = json.loads(line)
            answer = handlers[request["what"]](request["fen"], int(request.get("depth", 0)))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


def timed(name: str, work: Callable[[], int]) -> dict[str, Any]:
    """Return what `work` counts, under `name`, and the seconds it took."""
    start = time.perf_counter()
    return {name: work(), "seconds": time.perf_counter() - start}
