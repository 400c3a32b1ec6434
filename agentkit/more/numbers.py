"""Numbers, dates, moves and ids in a text, as a reader means them.

Role: `scan(text)` finds every token of a text that states a fact a tool could have given, with its position and what
it means: `1,000` is 1000, `50%` is a share, `−3` is negative, `12.50` is 12.5, `2nd` is 2, `1e6`, `0x1F`, `½`, `5ms`
(5, in milliseconds), `three`, a date, a time of day, a version (`2.3.9`, one token), an id (`20261028-140501`, one
token), a move between squares (`c3-d4`, `c3xe5xg7`, `from c3 to d4`).
`agrees(claim, source)` says whether a stated number is what a tool reported, also when it was rounded.
Not here: where the text comes from, and whether anything supports it (sources.py, claims.py).

Decisions, where a reader could mean two things:
- A word counts as a number from "two" on; "one" only before the name of something counted (see claims.py), because
  it is mostly a pronoun. Ordinal words ("second") are not read.
- A number inside a word (`UTF-8`, `Player2`) belongs to that word, unless it is as long as an id (four digits).
- A number inside a file's path belongs to the path; the line in `app.py:12` is a number that says a place.
- `1/2` may be a half or two numbers; `3–5` is two numbers; `2:1` is a score and `14:05` a time of day.
- `03/04/2026` is the third of April, as in Britain; only where that is no day is the month read first.
- `1.4 million` is rounded as shown: 1,432,000 may be called so. `5M` is five million, `5m` five metres.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from agentkit.more.patterns import (
    BEFORE,
    HAS_FACT,
    LINE_BEFORE,
    MONTHS,
    MULTIPLES,
    NEXT_WORD,
    ORDINALS,
    RANGE,
    SCALES,
    SQUARE,
    STANDARDS,
    TOKEN,
    UNITS,
    WORDS,
    WORDY,
)

__all__ = ["Token", "agrees", "fold", "scan"]


class Token(NamedTuple):
    """One stated fact. `kind`: number, move, date, time, id (versions and addresses too), or part (of a word)."""

    kind: str
    start: int
    end: int
    text: str  # as it stands in the text
    value: Decimal | None = None  # of a number
    key: str = ""  # of anything else: what it must equal (a date "2025-03-14", a move "c3-d4")
    decimals: int = 0  # shown after the point; below 0 for "1.4 million", which says so many of its zeros
    unit: str = ""
    word: bool = False  # written in words
    place: bool = False  # the line in "app.py:12"
    ordinal: bool = False  # "2nd"


def _dash_table() -> dict[int, str]:
    dashes = {ord(char): "-" for char in "‐‑‒–−﹣－"}
    return dashes | {ord("\u2009"): "\u00a0", ord("\u202f"): "\u00a0", ord("＋"): "+"}


DASHES = _dash_table()
SAME_DASHES = re.compile("[^\x00-\x7f]")


def fold(text: str) -> str:
    """Return the text with one kind of dash, of hard blank and of digits, every character at its old position."""
    if text.isascii():
        return text
    folded = text.translate(DASHES)
    return SAME_DASHES.sub(lambda found: _plain_digit(found.group()), folded)


def _plain_digit(char: str) -> str:
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)


def scan(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text in the order they stand; those within another one are not counted twice."""
    return _scan_short(text) if len(text) < 100 else _scan(text)


def _scan(text: str) -> tuple[Token, ...]:
    plain = fold(text)
    tokens = _with_digits(plain, text)
    words = [_word_token(found, text) for found in WORDY.finditer(plain)]
    if not words:
        return tuple(tokens)
    taken = [(token.start, token.end) for token in tokens]
    free = [word for word in words if not any(start < word.end and word.start < end for start, end in taken)]
    return tuple(sorted(tokens + free, key=lambda token: token.start))


_scan_short = lru_cache(maxsize=2048)(_scan)  # names and notes come again and again


def _with_digits(plain: str, text: str) -> list[Token]:
    """Read the text around each digit, and skip the rest: most of a text has none."""
    tokens: list[Token] = []
    at = 0
    while digit := HAS_FACT.search(plain, at):
        found = TOKEN.search(plain, _word_start(plain, at, digit.start()))
        if not found:
            at = digit.end()
            continue
        if HAS_FACT.search(found.group()):
            tokens += _read(found, text)
        at = found.end()
    return _with_shared_percent(tokens, plain)


def _with_shared_percent(tokens: list[Token], plain: str) -> list[Token]:
    """In `90–95%` both are per cent."""
    for i in range(len(tokens) - 1):
        first, second = tokens[i], tokens[i + 1]
        bare = first.value is not None and not first.unit
        if bare and second.unit == "%" and RANGE.fullmatch(plain[first.end : second.start]):
            tokens[i] = first._replace(unit="%")
    return tokens


def _word_start(plain: str, low: int, at: int) -> int:
    """Return where reading begins: the blank before the digit, or the month or the `from` before that."""
    blank = max(plain.rfind(" ", low, at), plain.rfind("\n", low, at))
    start = max(low, blank + 1)
    before = BEFORE.search(plain, max(low, start - 12), start)
    return before.start() if before else start


def _read(found: re.Match[str], text: str) -> list[Token]:
    """Return the tokens of one match: mostly one, two for `1/2` and `22x31`, none for a product's name."""
    kind = found.lastgroup or ""
    start, end = found.span()
    shown = text[start:end]
    plain = found.group().casefold()
    if kind == "number":
        return _number(found, text)
    if kind == "name":
        return _name(plain, start, end, shown)
    if kind == "move":
        return [Token("move", start, end, shown, key=_move(plain))]
    if kind in ("iso", "day", "month", "monthly", "slashed"):
        return _date(found, kind, shown)
    if kind == "time":
        return [Token("time", start, end, shown, key=_clock(plain))]
    if kind == "path":
        return [
            Token("number", *found.span(part), found.group(part), Decimal(found.group(part)), place=True)
            for part in ("line", "last")
            if found.group(part)
        ]
    if kind == "hex":
        return [Token("number", start, end, shown, Decimal(int(plain, 0)))]
    if kind == "science":
        return [Token("number", start, end, shown, Decimal(plain))]
    if kind == "fraction":
        return _fraction(plain, start, end, shown)
    if kind == "mixed":
        part = Decimal(str(round(unicodedata.numeric(found.group("vulgar")), 6)))
        decimals = 2 if part * 100 % 25 == 0 else 6
        return [Token("number", start, end, shown, Decimal(found.group("whole") or 0) + part, decimals=decimals)]
    if kind == "url":
        return [Token("id", start, end, shown, key=plain.rstrip(".,;:!?*_"))] if HAS_FACT.search(plain) else []
    return [Token("id", start, end, shown, key=plain.removeprefix("v") if kind == "version" else plain)]


def _number(found: re.Match[str], text: str) -> list[Token]:
    start, end = found.span()
    digits = found.group("digits").replace(",", "").replace("\u00a0", "")
    value = Decimal(digits)
    decimals = len(digits.partition(".")[2])
    more, shown = found.group("more"), found.group("glued") or ""
    glued = shown.casefold()
    if more:
        pair = re.fullmatch(r"x(\d+)", more, re.IGNORECASE)
        if not pair:
            return [Token("id", start, end, text[start:end], key=found.group().casefold())]
        middle = found.start("more")
        return [
            Token("number", start, middle, text[start:middle], value, decimals=decimals),
            Token("number", middle + 1, end, text[middle + 1 : end], Decimal(pair[1])),
        ]
    scale = (found.group("scale") or "").casefold()
    if scale or glued in ("k", "bn") or shown == "M" or (glued == "m" and found.group("money")):
        times = MULTIPLES.get(glued, 1) * SCALES.get(scale, 1)
        value *= times
        decimals -= len(str(times)) - 1
    if found.group("sign") == "-":
        value = -value
    unit = "%" if found.group("percent") else found.group("money") or UNITS.get(glued) or _unit_after(text, end)
    if shown == "M":
        unit = _unit_after(text, end)
    place = LINE_BEFORE.search(text, max(0, start - 24), start) is not None
    ordinal = glued in ORDINALS
    return [Token("number", start, end, text[start:end], value, "", decimals, unit, place=place, ordinal=ordinal)]


def _unit_after(text: str, end: int) -> str:
    word = NEXT_WORD.match(text, end)
    return UNITS.get(word[1].casefold(), "") if word else ""


def _name(plain: str, start: int, end: int, shown: str) -> list[Token]:
    """Read a word with digits in it: `depth-10` holds the number 10, `a2b4-1234` is an id, `UTF-8` is only a word."""
    labelled = re.fullmatch(r"([^\W\d_]{3,})-(\d+)", plain)
    if labelled and labelled[1] in STANDARDS:
        return [Token("part", start, end, shown, key=plain)]
    if labelled and not shown[:3].isupper():
        at = start + labelled.start(2)
        return [Token("number", at, end, labelled[2], Decimal(labelled[2]))]
    if re.search(r"\d{4}", plain):
        return [Token("id", start, end, shown, key=plain)]
    return [Token("part", start, end, shown, key=plain)]


def _move(plain: str) -> str:
    """Return a move as tools write it: squares with `-`, or with `x` for captures; words leave the kind open (`?`)."""
    squares = re.findall(SQUARE, plain)
    if re.search(r" (?:in)?to ", plain):
        return "?".join(squares)
    captures = any(sign in plain for sign in ("x", "×", ":", "takes", "took", "captures", "captured"))
    return ("x" if captures else "-").join(squares)


def _date(found: re.Match[str], kind: str, shown: str) -> list[Token]:
    start, end = found.span()
    plain = found.group().casefold()
    if kind == "iso":
        date = Token("date", start, start + 10, shown[:10], key=plain[:10])
        clock = re.match(r"\d\d:\d\d(?::\d\d)?", plain[11:])
        if not clock:
            return [date]
        return [date, Token("time", start + 11, end, shown[11:], key=_clock(clock.group()))]
    if kind == "slashed":
        return [Token("date", start, end, shown, key=_slashed(plain))]
    if kind == "monthly":
        return [Token("date", start, end, shown, key=f"{found.group('y3')}-{_month_number(found.group('m3')):02d}")]
    name, year = (found.group("m1"), found.group("y1")) if kind == "day" else (found.group("m2"), found.group("y2"))
    number = int(re.search(r"\d{1,2}", plain).group())  # type: ignore[union-attr]
    return [Token("date", start, end, shown, key=f"{year or ''}-{_month_number(name):02d}-{number:02d}")]


def _slashed(plain: str) -> str:
    """Return the day of `28/09/2026`, `28.09.2026`, `09/28/2026` or `2026/09/28`; the day stands before the month."""
    day, month, year = map(int, re.split("[/.]", plain))
    if day > 31:
        day, year = year, day
    elif month > 12:
        day, month = month, day
    return f"{year:04d}-{month:02d}-{day:02d}"


def _month_number(name: str) -> int:
    return next(i for i, month in enumerate(MONTHS, start=1) if month.startswith(name.casefold()[:3]))


def _clock(plain: str) -> str:
    """Return a time of day as clocks with 24 hours show it."""
    clock = plain.rstrip(" apm.")
    hours, _, rest = clock.partition(":")
    hour = int(hours) if clock == plain else int(hours) % 12 + 12 * ("p" in plain)
    return f"{hour:02d}:{rest or '00'}"


def _fraction(plain: str, start: int, end: int, shown: str) -> list[Token]:
    top, _, bottom = plain.partition("/")
    middle = start + len(top)
    return [
        Token("number", start, middle, shown[: len(top)], Decimal(top), key=plain),
        Token("number", middle + 1, end, shown[len(top) + 1 :], Decimal(bottom), key=plain),
    ]


def _word_token(found: re.Match[str], text: str) -> Token:
    start, end = found.span()
    value = Decimal(0)
    for word in re.split(r"[- ]", found.group().casefold()):
        if word in SCALES:
            value = (value or Decimal(1)) * SCALES[word]
        else:
            value += Decimal(WORDS.get(word, 0))
    return Token("number", start, end, text[start:end], value, unit=_unit_after(text, end), word=True)


def agrees(claim: Token, value: Decimal, unit: str = "") -> bool:
    """Return whether a stated number is the reported `value` (in `unit`, if known), as it is or rounded as shown.

    Half up and half to even are both right. A small value is rounded to a whole number only where that loses less
    than a half and leaves something: 12.48 may be "12", 1216.5 "1217", but 1.5 is not "2" and 0.4 is not "0".
    """
    stated = claim.value
    if stated is None:
        return False
    if claim.unit == "%" and unit != "%":
        a_share = abs(value) <= 10 and _rounds_to(value * 100, stated, claim.decimals)
        return a_share or (not unit and stated == value)
    if unit and claim.unit and unit != claim.unit:
        return False
    if unit == "%" and not claim.unit and stated * 100 == value:
        return True
    return stated == value or _rounds_to(value, stated, claim.decimals)


def _rounds_to(value: Decimal, stated: Decimal, decimals: int) -> bool:
    if value == stated:
        return True
    error, half = abs(value - stated), Decimal(5).scaleb(-decimals - 1)
    if decimals > 0:
        return error <= half
    return (error < half and abs(value) >= 2 * half) or (error == half and abs(value) >= 20 * half)
