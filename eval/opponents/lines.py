"""A player behind two pipes: one JSON request a line on standard input, one JSON answer a line on standard output.

    {"what": "choose", "fen": "B:W21-32:B1-12", "depth": 4}  ->  {"move": "11-15"}
    {"what": "legal", "fen": "W:W18:B15,7"}                  ->  {"legal": ["18x11x2"]}

Moves name every square, in standard numbers. This file and its neighbours run under the Python of the opponent's
own virtual environment and use nothing of this project; `against.py` is at the other end of the pipes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable


def serve(choose: Callable[[str, int], str], legal: Callable[[str], list[str]]) -> None:
    """Answer requests until the input ends; a request that fails is answered by {"error": text}."""
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if request["what"] == "legal":
                answer: dict[str, object] = {"legal": legal(request["fen"])}
            else:
                answer = {"move": choose(request["fen"], int(request["depth"]))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
