"""Mistakes put into true answers, one kind at a time, as models make them.

Role: each kind is a function from an example and a source of chance to a spoiled answer, or None where the answer
has nothing of that kind to spoil. Numbers and moves are found here by patterns of their own, not by those of the
checks, so that a number which the checks overlook can be spoiled too. A spoiled answer is false by construction: the
new number differs from the old one in value, two swapped ones differ, another move stands nowhere in the log.
Not here: the true answers (true_answers.py), counting who noticed (mutate.py).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from agentkit.more.values import as_object
from eval.true_answers import MOVES, NUMBER_WORDS, PLAYERS, Example

NUMBER = re.compile(r"(?<![\w.,-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?½?(?![\w-]|\.\d|,\d)")
MOVE = re.compile(r"\b[a-h]\d(?:[-x][a-h]\d)+\b")
NUMBERING = re.compile(r"^(?:\d+\. |\| \d+ (?=\| [*_`]*[A-Za-z]))", re.MULTILINE)
COUNT_WORD = re.compile(rf"\b({'|'.join(NUMBER_WORDS[1:])})\b", re.IGNORECASE)
NAME = re.compile(rf"\b({'|'.join(PLAYERS)})\b", re.IGNORECASE)
SENTENCE = re.compile(r"\n+|(?<=[.;:])\s+")
UNITS = {
    "points": ["wins", "games", "%"],
    "men": ["%", "seconds"],
    "moves": ["seconds", "minutes", "games"],
    "games": ["moves", "points", "minutes"],
    "wins": ["losses", "points"],
    "losses": ["wins", "points"],
}

Mutation = Callable[[Example, random.Random], "str | None"]


class Piece(NamedTuple):
    """A stretch of an answer that may be spoiled."""

    start: int
    end: int
    text: str


def replaced(answer: str, changes: list[tuple[Piece, str]]) -> str:
    """Return the answer with some pieces replaced."""
    for piece, text in sorted(changes, key=lambda change: -change[0].start):
        answer = answer[: piece.start] + text + answer[piece.end :]
    return answer


def numbers_in(answer: str) -> list[Piece]:
    """Return the numbers of an answer that state something: no numbering of lists and rows, no parts of ids."""
    numbering = [found.span() for found in NUMBERING.finditer(answer)]
    ranked = re.search(r"^\| # \|", answer, re.MULTILINE) is not None
    pieces = [Piece(*found.span(), found.group()) for found in NUMBER.finditer(answer)]
    return [
        piece
        for piece in pieces
        if not any(
            start <= piece.start < end and (ranked or not answer[start:end].startswith("|")) for start, end in numbering
        )
    ]


def value_of(text: str) -> float:
    """Return the value of a number as it is written in an answer."""
    return float(text.replace(",", "").replace("½", ".5"))


def _pick(pieces: list[Piece], rand: random.Random) -> Piece | None:
    return rand.choice(pieces) if pieces else None


def digit(example: Example, rand: random.Random) -> str | None:
    """One digit of a number is another one, and the number stands nowhere in the log."""
    piece = _pick(numbers_in(example.answer), rand)
    if piece is None:
        return None
    said = {value_of(one.text) for one in numbers_in(json.dumps(example.tool_log).replace('"', " "))}
    for _ in range(20):
        at = rand.choice([i for i, char in enumerate(piece.text) if char.isdigit()])
        text = piece.text[:at] + rand.choice("123456789") + piece.text[at + 1 :]
        if value_of(text) not in said and value_of(text) != value_of(piece.text):
            return replaced(example.answer, [(piece, text)])
    return None


def digit_anywhere(example: Example, rand: random.Random) -> str | None:
    """One digit of a number is another one, whether or not that number stands somewhere else in the log."""
    piece = _pick(numbers_in(example.answer), rand)
    if piece is None:
        return None
    at = rand.choice([i for i, char in enumerate(piece.text) if char.isdigit()])
    text = piece.text[:at] + rand.choice("0123456789") + piece.text[at + 1 :]
    return replaced(example.answer, [(piece, text)]) if value_of(text) != value_of(piece.text) else None


def swapped_in_table(example: Example, rand: random.Random) -> str | None:
    """Two numbers or moves of one column of a table change places."""
    cells = _cells(example.answer)
    columns: dict[tuple[int, int], list[Piece]] = {}
    ranked = re.search(r"^\| # \|", example.answer, re.MULTILINE) is not None
    for table, column, piece in cells:
        if ranked and column == 0:
            continue  # ranks only number the rows
        if NUMBER.fullmatch(piece.text) or MOVE.fullmatch(piece.text):
            columns.setdefault((table, column), []).append(piece)
    pairs = [
        (one, other)
        for pieces in columns.values()
        for i, one in enumerate(pieces)
        for other in pieces[i + 1 :]
        if _differ(one.text, other.text)
    ]
    return _swap(example.answer, pairs, rand)


def swapped_between_rows_or_sentences(example: Example, rand: random.Random) -> str | None:
    """Two numbers of different sentences, items or rows change places: of one kind, each told of another name."""
    answer = example.answer
    pieces = [*numbers_in(answer), *(Piece(*found.span(), found.group()) for found in MOVE.finditer(answer))]
    bounds = [0, *(found.end() for found in SENTENCE.finditer(answer)), len(answer)]
    where = {piece: max(bound for bound in bounds if bound <= piece.start) for piece in pieces}
    pairs = [
        (one, other)
        for i, one in enumerate(pieces)
        for other in pieces[i + 1 :]
        if where[one] != where[other] and _shape(one.text) == _shape(other.text) and _differ(one.text, other.text)
    ]
    return _swap(answer, pairs, rand)


def _shape(text: str) -> str:
    return re.sub(r"\d", "9", re.sub(r"[a-h]\d", "s", text.replace(",", "")))


def _differ(one: str, other: str) -> bool:
    if "-" in one + other or "x" in one + other:
        return one != other and ("x" in one + other or "-" in one) == ("x" in other + one or "-" in other)
    return value_of(one) != value_of(other)


def _swap(answer: str, pairs: list[tuple[Piece, Piece]], rand: random.Random) -> str | None:
    if not pairs:
        return None
    one, other = rand.choice(pairs)
    return replaced(answer, [(one, other.text), (other, one.text)])


def _cells(answer: str) -> list[tuple[int, int, Piece]]:
    """Return (table, column, piece) for the cells of the tables' rows below their heads."""
    found, at, table, row = [], 0, 0, 0
    for line in answer.splitlines(keepends=True):
        row = row + 1 if line.startswith("|") else 0
        table += row == 1
        if row > 2:
            for column, cell in enumerate(re.finditer(r"\|([^|\n]+)(?=\|)", line)):
                text = cell[1].strip(" *_`")
                start = at + cell.start(1) + cell[1].index(text) if text else at
                found.append((table, column, Piece(start, start + len(text), text)))
        at += len(line)
    return found


def renamed(example: Example, rand: random.Random) -> str | None:
    """The name of a row or of an item's record is another player's, whose row would be another."""
    lines = list(re.finditer(r"^(?:\||[-*]|\d+\.) .*$", example.answer, re.MULTILINE))
    pieces = []
    for line in lines:
        names = list(NAME.finditer(line.group()))
        if len(names) == 1 and NUMBER.search(line.group()):
            name = names[0]
            pieces.append(Piece(line.start() + name.start(), line.start() + name.end(), name.group()))
    piece = _pick(pieces, rand)
    if piece is None:
        return None
    rows = {row["player"]: row for row in _table(example)}
    old = piece.text.casefold()
    others = [name for name in PLAYERS if name != old and not _same_row(rows.get(name), rows.get(old))]
    if not others:
        return None
    new = rand.choice(others)
    return replaced(example.answer, [(piece, new.capitalize() if piece.text[0].isupper() else new)])


def _table(example: Example) -> list[dict[str, Any]]:
    return _records(example, "standings", "table")


def _same_row(one: dict[str, object] | None, other: dict[str, object] | None) -> bool:
    return bool(one and other) and all(one[key] == other[key] for key in one if key != "player")  # type: ignore[index]


def sign(example: Example, rand: random.Random) -> str | None:
    """A number that is not 0 gets a minus sign."""
    piece = _pick([piece for piece in numbers_in(example.answer) if value_of(piece.text) != 0], rand)
    return replaced(example.answer, [(piece, rand.choice("-−") + piece.text)]) if piece else None


def unit(example: Example, rand: random.Random) -> str | None:
    """What a number counts is something else: points become wins, moves become seconds."""
    pattern = re.compile(rf"(?<=\d )({'|'.join(UNITS)})\b")
    piece = _pick([Piece(*found.span(), found.group()) for found in pattern.finditer(example.answer)], rand)
    if piece is None:
        return None
    text = rand.choice(UNITS[piece.text])
    spoiled = replaced(example.answer, [(piece, text)])
    number = example.answer[: piece.start].split()[-1].strip("(*_`")
    return None if _is_true(example, number, text, spoiled) else spoiled


def _is_true(example: Example, number: str, text: str, spoiled: str) -> bool:
    """Return whether "2 wins" in place of "2 points" may happen to be true of somebody in the log."""
    try:
        value = value_of(number)
    except ValueError:
        return True
    counted = [row.get(text) for row in _table(example)]
    counted += [entry["result"].get("games_played") for entry in example.tool_log if text == "games"]
    counted += [
        game["moves"] for entry in example.tool_log for game in entry["result"].get("results", ()) if text == "moves"
    ]
    return value in counted


def magnitude(example: Example, rand: random.Random) -> str | None:
    """A number is ten times as large, or a tenth."""
    piece = _pick([piece for piece in numbers_in(example.answer) if value_of(piece.text) not in (0, 0.5)], rand)
    if piece is None:
        return None
    value = value_of(piece.text)
    text = f"{value * 10:g}" if rand.random() < 0.5 else f"{value / 10:g}"
    return replaced(example.answer, [(piece, text)])


def other_move(example: Example, rand: random.Random) -> str | None:
    """A move is another one that could be played on a board and stands nowhere in the log."""
    piece = _pick([Piece(*found.span(), found.group()) for found in MOVE.finditer(example.answer)], rand)
    said = json.dumps(example.tool_log)
    new = rand.choice(MOVES)
    return replaced(example.answer, [(piece, new)]) if piece and new not in said else None


def _records(example: Example, tool: str, field: str) -> list[dict[str, Any]]:
    """The records that a tool returned; a call of a real run may have failed."""
    results = [as_object(entry["result"]) for entry in example.tool_log if entry["tool"] == tool]
    return next((result[field] for result in results if field in result), [])


def move_of_another_mistake(example: Example, rand: random.Random) -> str | None:
    """A move is one of another record of the log."""
    piece = _pick([Piece(*found.span(), found.group()) for found in MOVE.finditer(example.answer)], rand)
    mistakes = _records(example, "find_mistakes", "biggest_mistakes")
    if piece is None:
        return None
    others = [
        one[field]
        for one in mistakes
        for field in ("played", "engine_best_move")
        if piece.text not in (one["played"], one["engine_best_move"])
    ]
    others = [move for move in others if move != piece.text]
    return replaced(example.answer, [(piece, rand.choice(others))]) if others else None


def count_in_words(example: Example, rand: random.Random) -> str | None:
    """A number in words is another one."""
    pieces = [Piece(*found.span(), found.group()) for found in COUNT_WORD.finditer(example.answer)]
    piece = _pick([piece for piece in pieces if piece.text.casefold() != "one"], rand)
    if piece is None:
        return None
    new = rand.choice([word for word in NUMBER_WORDS[2:] if word != piece.text.casefold()])
    return replaced(example.answer, [(piece, new.capitalize() if piece.text[0].isupper() else new)])


INVENTED: dict[str, Mutation] = {
    "a digit changed": digit,
    "sign": sign,
    "order of magnitude": magnitude,
    "a plausible other move": other_move,
}
MISPLACED: dict[str, Mutation] = {
    "two swapped in a table": swapped_in_table,
    "two swapped between rows or sentences": swapped_between_rows_or_sentences,
}
OTHERS: dict[str, Mutation] = {
    "a digit changed to a number of the log": digit_anywhere,
    "a row's or item's name changed": renamed,
    "unit": unit,
    "a move of another mistake": move_of_another_mistake,
    "a count in words": count_in_words,
}
