"""Judging an answer's files and lines against what the tools returned.

Only what was shown counts (shown.py). A name in an error message, in the text of a file or in the question
proves nothing; a name that was asked for may be denied ("no settings.py was found") but not asserted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agents.codebase.denials import is_denied, says_nothing_was_found
from agents.codebase.mentions import Mention, mentions
from agents.codebase.shown import Lines, ToolLog, lines_shown, what_was_shown


def files_grounded(answer: str, tool_log: ToolLog, question: str = "") -> list[str]:
    """Problems with the files and lines in `answer`; none when each was returned by a tool.

    A check for an agent: `tool_log` holds {"tool", "args", "result"} per call. The names in `question`,
    if it is given, may be denied like those in the calls.
    """
    record = what_was_shown(tool_log)
    asked = _names_asked(tool_log, question)
    wrong = [mention for mention in mentions(answer, record) if not _holds(mention, record)]
    wrong = [mention for mention in wrong if not (mention.name in asked and is_denied(mention, answer, wrong))]
    if not wrong:
        return []
    named = list(dict.fromkeys(_as_written(mention) for mention in wrong))
    return [f"These files were not returned by any tool: {', '.join(named)}.", *_what_instead(wrong, record)]


def cites_a_source(answer: str, tool_log: ToolLog) -> list[str]:
    """A problem when `answer` gives no `file:line` and does not plainly say that nothing was found."""
    named = mentions(answer, what_was_shown(tool_log))
    cited = any(mention.spans for mention in named)
    if cited or says_nothing_was_found(answer) or any(is_denied(mention, answer, named) for mention in named):
        return []
    shown = next((f", such as {file}:{line}" for file, line in lines_shown(tool_log)), "")
    return [
        f"The answer cites no source. Write each as path:line with a line that a tool showed{shown}, or say plainly "
        "that nothing was found."
    ]


def _names_asked(tool_log: ToolLog, question: str) -> set[str]:
    texts = [question]
    for entry in tool_log:
        args = entry.get("args")
        values = args.values() if isinstance(args, Mapping) else [args]
        texts += [value for value in values if isinstance(value, str)]
    return {mention.name for text in texts for mention in mentions(text)}


def _holds(mention: Mention, record: Lines) -> bool:
    shown = record.get(mention.name)
    if shown is None:
        return False
    return all(last - first < 10_000 and shown.issuperset(range(first, last + 1)) for first, last in mention.spans)


def _as_written(mention: Mention) -> str:
    spans = ",".join(str(first) if first == last else f"{first}-{last}" for first, last in mention.spans)
    return f"{mention.name}:{spans}" if spans else mention.name


def _what_instead(wrong: Sequence[Mention], record: Lines) -> list[str]:
    advice = []
    for name in dict.fromkeys(mention.name for mention in wrong):
        longer = sorted(path for path in record if path.endswith(f"/{name}"))
        lines = record.get(name)
        if lines:
            advice.append(
                f"Of {name} only these lines were shown: {_ranges(lines)}. Cite one of them, or read the others first."
            )
        elif name in record:
            advice.append(f"No line of {name} was shown. Read it before you cite a line of it.")
        elif len(longer) == 1:
            advice.append(f"Write {name} in full: {longer[0]}.")
        elif longer:
            advice.append(f"Write {name} in full: it may be {' or '.join(longer)}.")
        else:
            advice.append(f"Leave out {name}, or find it with search_files or list_files first.")
    return advice


def _ranges(numbers: Iterable[int]) -> str:
    """`1-3, 7` for 1, 2, 3, 7."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
