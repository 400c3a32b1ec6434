"""`.gitignore` and `.agentignore`: what the folder itself asks to leave out, without running git.

Both are read in every folder and follow git's rules (gitignore(5)): a later pattern wins over an
earlier one, a deeper file over a higher one, `!` takes a file back in, a pattern with a slash counts
from its own folder, one ending in a slash means folders only, and what lies in a folder that is left
out cannot be taken back. `.agentignore` comes after `.gitignore` in the same folder.

NOT read: git's own excludes outside the work tree and in `.git/`, and which files git tracks all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

IGNORE_FILES = (".gitignore", ".agentignore")
"""In the order in which they are read: the later one has the last word."""


_MOST_DOUBLE_STARS = 3


class Rule(NamedTuple):
    """One pattern. `matches` takes a path below the rule's own folder (`whole`) or the last name alone."""

    matches: Callable[[str], re.Match[str] | None]
    whole: bool
    folders_only: bool
    takes_back: bool


class Ignore:
    """The rules in force in one folder: its own, then those of the folders above it."""

    def __init__(self, rules: Sequence[Rule], depth: int, above: Ignore | None = None) -> None:
        self._rules = tuple(reversed(rules))
        self._depth = depth
        self._above = above

    def covers(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether the file or folder at `parts` is left out, its own folder being in."""
        below = "/".join(parts[self._depth :])
        for rule in self._rules:
            if rule.folders_only and not is_folder:
                continue
            if rule.matches(below if rule.whole else parts[-1]):
                return not rule.takes_back
        return self._above is not None and self._above.covers(parts, is_folder)


def inside(text: str, depth: int, above: Ignore | None) -> Ignore | None:
    """The rules in a folder `depth` names below the root whose ignore files hold `text`."""
    rules = read_rules(text)
    return Ignore(rules, depth, above) if rules else above


def read_rules(text: str) -> list[Rule]:
    """The rules of one ignore file. A line that is no valid pattern matches nothing and is left out."""
    rules = [_rule(line.rstrip("\r")) for line in text.split("\n")]
    return [rule for rule in rules if rule is not None]


def _rule(line: str) -> Rule | None:
    if line.startswith("#"):
        return None
    line = re.sub(r"(?<!\\) +$", "", line)
    takes_back = line.startswith("!")
    line = line[1:] if takes_back else line
    folders_only = line.endswith("/")
    line = line.rstrip("/") if folders_only else line
    if not line:
        return None
    whole = "/" in line
    try:
        return Rule(re.compile(_regex(line.lstrip("/")), re.DOTALL).fullmatch, whole, folders_only, takes_back)
    except re.error:
        return None


def _regex(pattern: str) -> str:
    if re.search(r"(?<!\\)(?:\\\\)*\\$", pattern):
        raise re.error("a backslash at the end escapes nothing")
    names = pattern.split("/")
    if names.count("**") > _MOST_DOUBLE_STARS:
        raise re.error("too many ** to match in a bounded time")
    out = []
    for position, name in enumerate(names):
        last = position == len(names) - 1
        if name == "**":
            out.append(".+" if last else "(?:[^/]+/)*")
        else:
            out.append(_name_regex(name, position) + ("" if last else "/"))
    return "".join(out)


def _name_regex(name: str, number: int) -> str:
    """One name of a pattern. What stands between two stars is looked for once and never again.

    The first place where it fits is as good as any later one, so the search need not come back to it
    (the lookahead keeps the regular expression from doing so): a pattern of many stars takes linear time.
    """
    first, *later = _between_stars(name)
    out = [first]
    for position, piece in enumerate(later[:-1]):
        group = f"g{number}_{position}"
        out.append(f"(?=(?P<{group}>[^/]*?{piece}))(?P={group})")
    return "".join(out) + (f"[^/]*{later[-1]}" if later else "")


def _between_stars(name: str) -> list[str]:
    """The regular expressions of the pieces between the stars of `name`."""
    pieces, position = [""], 0
    while position < len(name):
        sign = name[position]
        position += 1
        if sign == "*":
            pieces.append("")
        elif sign == "?":
            pieces[-1] += "[^/]"
        elif sign == "\\":
            pieces[-1] += re.escape(name[position : position + 1])
            position += 1
        elif sign == "[" and (end := _class_end(name, position)):
            pieces[-1] += _class_regex(name[position:end])
            position = end + 1
        else:
            pieces[-1] += re.escape(sign)
    return pieces


def _class_end(name: str, start: int) -> int:
    """Where the `]` that closes a class opened before `start` stands, or 0: a first `]` stands for itself."""
    first = start + 1 if name[start : start + 1] in ("!", "^") else start
    return max(name.find("]", first + 1), 0)


def _class_regex(inner: str) -> str:
    negated = inner[:1] in ("!", "^")
    inner = inner[1:] if negated else inner
    body = re.sub(r"([\[&~|^\\])", r"\\\1", inner)
    return f"(?!/)[{'^' if negated else ''}{body.replace(']', chr(92) + ']')}]"
