"""Questions about a small project, with the lines that answer them: the cases of the codebase suite.

The project is made up (a ferry's ticket office), so that no model can know it and nothing must be fetched. A line that
answers a question ends in a mark such as `«fare»`, which is taken off before the files are written: so the line's
number follows from the text itself. Questions in a programmer's words, in a visitor's words, and some that the project
does not answer. Not here: asking them (suites.py).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

MARK = re.compile(r"\s*«(\w+)»$")

FILES = {
    "README.md": """\
# Ferry desk

Sells tickets for the island ferry at one counter.

Start it with `python -m ferry.desk`. It listens on port 4317. «port»
Tickets are kept in `tickets.db`; delete that file to begin a new season. «season»
""",
    "ferry/fares.py": '''\
"""What a crossing costs."""

ADULT_PENCE = 640  «adult»
CHILD_PENCE = 310
DOG_PENCE = 150  «dog»
CHILD_UNDER = 14  # years  «child»


def fare(age, bicycle=False):
    """The price of one crossing in pence."""
    price = CHILD_PENCE if age < CHILD_UNDER else ADULT_PENCE
    if bicycle:
        price += 200  «bicycle»
    return price


def group_discount(people):
    """The share taken off for a group."""
    return 0.15 if people >= 10 else 0.0  «group»
''',
    "ferry/timetable.py": '''\
"""When the boat leaves."""

from datetime import time

FIRST = time(6, 40)  «first»
LAST = time(21, 5)  «last»
CROSSING_MINUTES = 35  «crossing»


def is_running(wind_knots):
    """The boat stays in the harbour in a storm."""
    return wind_knots < 38  «storm»
''',
    "ferry/store.py": '''\
"""Where sold tickets are kept."""

import sqlite3

BUSY_TIMEOUT = 2.5  # seconds  «busy»


class SoldOut(Exception):
    """There is no place left on this crossing."""


def sell(connection, crossing, places):
    """Take a place, or raise SoldOut."""
    taken = connection.execute("SELECT COUNT(*) FROM tickets WHERE crossing = ?", (crossing,)).fetchone()[0]
    if taken >= places:
        raise SoldOut(crossing)  «soldout»
    connection.execute("INSERT INTO tickets (crossing) VALUES (?)", (crossing,))  «insert»


def open_store(path):
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT)
    connection.execute("PRAGMA journal_mode = WAL")  «wal»
    return connection
''',
    "ferry/desk.py": '''\
"""The counter: one request, one ticket."""

import logging

from ferry import fares, store, timetable

MOST_PLACES = 180  «capacity»
log = logging.getLogger("ferry.desk")


def refund(ticket, hours_before):
    """What a passenger gets back."""
    if hours_before >= 24:
        return ticket.price
    return ticket.price // 2  «refund»


def close_day(report):
    """Write the day's takings for the harbour office."""
    with open("takings.csv", "a", encoding="utf-8") as file:  «takings»
        file.write(report + "\\n")
    log.info("day closed")  «closed»
''',
    "config/desk.toml": """\
[printer]
device = "/dev/usb/lp0"  «printer»
paper_width_mm = 80

[queue]
max_waiting = 25  «waiting»
""",
}

# (question, marks of the lines of which one must be cited); no mark: the project does not say
ASKED: list[tuple[str, tuple[str, ...]]] = [
    ("What does a crossing cost for an adult?", ("adult",)),
    ("Up to which age does a passenger pay the child fare?", ("child",)),
    ("How much more does it cost to take a bicycle?", ("bicycle",)),
    ("What discount does a group get, and from how many people?", ("group",)),
    ("When does the first boat leave?", ("first",)),
    ("When does the last boat leave?", ("last",)),
    ("How many minutes does the crossing take?", ("crossing",)),
    ("At how many knots of wind does the boat stay in the harbour?", ("storm",)),
    ("How long does the database wait when it is busy?", ("busy",)),
    ("Where is SoldOut raised?", ("soldout",)),
    ("Which line inserts a ticket into the database?", ("insert",)),
    ("Which journal mode does the store use?", ("wal",)),
    ("How many places does the boat have at most?", ("capacity",)),
    ("How much does a passenger get back who cancels less than a day before?", ("refund",)),
    ("Which file are the day's takings written to?", ("takings",)),
    ("What is logged when the day is closed?", ("closed",)),
    ("Which device is the printer on?", ("printer",)),
    ("How many people may be waiting in the queue?", ("waiting",)),
    ("Which port does the desk listen on?", ("port",)),
    ("How do I begin a new season?", ("season",)),
    ("What does it cost to bring a dog?", ("dog",)),
    ("Which OAuth provider do users sign in with?", ()),
    ("Where is the Kubernetes deployment described?", ()),
]


class Question(NamedTuple):
    """A question, and the (file, line) pairs of which an answer must cite one; none: it must say so."""

    text: str
    places: tuple[tuple[str, int], ...]


def question_of(seed: int) -> Question:
    """The question of a seed."""
    text, marks = ASKED[(seed - 1) % len(ASKED)]
    return Question(text, tuple(_place_of(mark) for mark in marks))


def _place_of(mark: str) -> tuple[str, int]:
    for name, text in FILES.items():
        for number, line in enumerate(text.splitlines(), start=1):
            found = MARK.search(line)
            if found and found[1] == mark:
                return name, number
    raise KeyError(mark)


def write_project(folder: Path) -> Path:
    """Write the project into `folder`, without the marks; returns the folder."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [MARK.sub("", line) for line in text.splitlines()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
