"""Patterns: what numbers, dates, moves and ids look like, and the words for numbers and units.

Role: tables and regular expressions for numbers.py, which says what a match means. `TOKEN` tries its alternatives in
order: an address, a move, a date, a time of day, a file's place, hexadecimal, scientific, a version, an id, a
fraction, any other number, and last a word, so that the digits inside it are not taken for a number.
"""

from __future__ import annotations

import re

_MONTHS = "january february march april may june july august september october november december"
MONTHS = _MONTHS.split()
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS) + "|sept"
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL, TENS = _SMALL.split(), _TENS.split()
WORDS = {word: number for number, word in enumerate(SMALL)} | {
    word: 10 * number for number, word in enumerate(TENS, start=2)
}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
UNITS = {
    "ms": "ms", "millisecond": "ms", "milliseconds": "ms",
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "min": "min", "mins": "min", "minute": "min", "minutes": "min",
    "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "day": "day", "days": "day", "week": "week", "weeks": "week",
    "bytes": "byte", "byte": "byte", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB",
    "mm": "mm", "cm": "cm", "m": "m", "metre": "m", "metres": "m", "km": "km", "mg": "mg", "kg": "kg",
    "px": "px", "pixels": "px", "°c": "°C", "°f": "°F",
    "%": "%", "percent": "%", "pct": "%", "percentage": "%",
    "£": "£", "$": "$", "€": "€",
}  # fmt: skip
MULTIPLES = {"k": 1_000, "m": 1_000_000, "bn": 1_000_000_000}
STANDARDS = frozenset("utf sha iso rfc base latin windows".split())  # `utf-8` is a name, as UTF-8 is
ORDINALS = ("st", "nd", "rd", "th")
_FRACTIONS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:\u00a0\d{3})+|\d+)(?!\d)(?:\.\d+)?|\.\d+"
SQUARE = r"[a-j]\d{1,2}"
_SIGN = r"(?:->|[-x×:→—])"
_GOES = r"(?:(?:moves|moved|goes|went|jumps|jumped)\ )?(?:in)?to|takes|took|captures|captured"
_HALF = r"\ ?[ap]\.?m\b"
TOKEN = re.compile(
    rf"""
      (?P<url>https?://[^\s<>()\[\]"'`|]+)
    | (?P<move>(?<![\w-]) (?:
          {SQUARE} (?:\ ?[x×]\ ?{SQUARE}){{2,}} | {SQUARE} (?:{_SIGN}{SQUARE})+
        | {SQUARE}\ ?{_SIGN}\ ?{SQUARE}(?![-x×:])
        | (?:from\ )? {SQUARE} (?:\ (?:{_GOES})\ (?:the\ man\ on\ )? {SQUARE})+) (?!\w))
    | (?P<iso>(?<![\w-])\d{{4}}-\d\d-\d\d (?:[t\ ]\d\d:\d\d(?::\d\d)?(?:[.]\d+)?(?:z|[+-]\d\d:?\d\d)?)? (?!\w|-\w))
    | (?P<day>(?<![\w.])\d{{1,2}}(?:st|nd|rd|th)?\ (?:of\ )?(?P<m1>{_MONTH})\b[.]?(?:,?\ (?P<y1>\d{{4}}))?(?!\w))
    | (?P<month>\b(?P<m2>{_MONTH})[.]?\ (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\ (?P<y2>\d{{4}}))?(?![\w.]\d|\w))
    | (?P<monthly>\b(?P<m3>{_MONTH})[.]?\ (?P<y3>\d{{4}})(?![\w.]\d|\w))
    | (?P<slashed>(?<![\w/.])(?:\d{{1,2}}(?P<mark>[/.])\d{{1,2}}(?P=mark)\d{{4}}|\d{{4}}/\d\d?/\d\d?)(?![\w/]|\.\d))
    | (?P<time>(?<![\w:.])(?:(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:{_HALF})?|(?:1[0-2]|[1-9]){_HALF})(?![\w:]))
    | (?P<path>(?<![\w/.])(?:\.{{0,2}}/)?(?:[\w.-]+/)*[\w-]*[^\W\d][\w-]*\.[a-z]\w{{0,9}}(?![\w/])
          (?::(?P<line>\d+)(?:-(?P<last>\d+))?(?!\d))?)
    | (?P<hex>(?<!\w)(?:0x[0-9a-f]+|0o[0-7]+|0b[01]+)\b)
    | (?P<science>(?<![\w.])[-+]?\d+(?:\.\d+)?e[-+]?\d{{1,3}}(?!\w|-\w))
    | (?P<version>(?<![\w.])(?:v\d+(?:\.\d+)+|\d+(?:\.\d+){{2,}})(?![\w.]\d|\w))
    | (?P<id>(?<![\w.-])(?:\d{{5,}}(?:[-_]\d{{2,}})+ | \d+(?:[-_]\d+)*[-_]\d{{5,}}(?:[-_]\d+)*)(?!\w|-\w))
    | (?P<fraction>(?<![\w/.,])\d+/\d+(?![\w/.]\d|[\w/]))
    | (?P<mixed>(?<![\w.])(?:(?P<whole>\d+)\ ?)?(?P<vulgar>[{_FRACTIONS}]))
    | (?P<number>(?<!\w)(?<!\w\.)(?P<sign>(?<![\w)\]%.-])[-+])?(?P<money>[£$€])?(?P<digits>{_DIGITS})
        (?: \ ?(?P<percent>%|per\ ?cent\b|pct\b)
          | (?P<glued>[^\W\d_]+|°[cf])(?![\w]) | (?P<more>\w[\w-]*) | )
        (?:(?<=\d)\ (?P<scale>million|billion|thousand)\b)?)
    | (?P<name>(?<![\w])[^\W\d]\w*(?:-\w+)*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORDY = "|".join([*SMALL, *TENS])
WORDY = re.compile(
    rf"(?<![\w-])(?:(?:{_WORDY})(?:[- ](?:{_WORDY}|hundred|thousand|million|billion|dozen)\b)*"
    rf"|a\ (?:hundred|thousand|million|billion|dozen))(?![\w-])",
    re.IGNORECASE,
)
BEFORE = re.compile(rf"\b(?:(?:{_MONTH})[.]?|from) $", re.IGNORECASE)
LINE_BEFORE = re.compile(r"\blines? (?:\d+ ?(?:[-–]|to|and) ?)?$", re.IGNORECASE)
RANGE = re.compile(r"-| - | to ")
NEXT_WORD = re.compile(r"[ \u00a0-]([^\W\d_]+)\b")
HAS_FACT = re.compile(rf"[\d{_FRACTIONS}]")
