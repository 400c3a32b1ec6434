"""Help for a small model: it is led from tool to tool, and then fills in a form, of which code makes the answer.

A check made by `succeeded("a", "b")` says which tools the job requires (`check.required`), and `useful("c")` which the
model is led to besides. A small model often answers before they ran, by describing the calls that it would make, or
describes them again when it should write. So when the job names its tools and the server can constrain a reply to a
JSON Schema (`chat_constrained`), the run is led from the moment when a first answer was refused or a required call
failed. A refused answer is taken back; each of these tools that has not run gets a turn in which the model can only
fill in that tool's arguments (`asked_for`, `only`); and then it is shown what the tools returned (`page`) and decides,
in a form (`form`), which of the tables belong into the answer and what is to be said beside them; or, where the check
knows what may be cited (`check.sources`), what to say and which of these say so. Code copies the tables and the sources
(`composed`). The answer is checked like any other.
Not here: deciding that a run is led (agent.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agentkit.models import Message
from agentkit.more.context import shortened
from agentkit.more.listing import listing, records
from agentkit.more.values import failed, never_succeeded, result_of
from agentkit.tools import DENIED, Tool

__all__ = [
    "FORM",
    "INPUTS",
    "asked_for",
    "composed",
    "form",
    "missing_tool",
    "only",
    "page",
    "read_task",
    "turn",
    "useful",
]

INPUTS = "\n\nInputs: "
LONGEST_TEXT = 300  # characters of one text that is filled in
MOST_ITEMS = 20
MOST_SOURCES = 3
MOST_TRIES = 2
MOST_TO_CITE = 100  # sources to choose from
SOURCES = "sources"
LONGEST_PAGE = 12_000  # characters of results; what is longer has its middle left out
WRITER = (
    "You write the answer of a job whose tools have run already. You call no tool. You copy names, numbers and moves "
    "exactly as the tools returned them, and write nothing that does not stand there."
)
FORM = "fill_in_answer"  # what the form is called in a trace
WRITE = "Now write the whole answer, in plain sentences; if the tools returned nothing, say that nothing was found."
FILL_IN = "Now fill in the form of the answer. For each table: true if the answer needs it; then it is copied for you."
CITE = (
    "Now fill in the form of the answer. words: the answer in one sentence, or that nothing was found. "
    "sources: the lines that hold the answer, none if no line does."
)
SAY_MORE = f"{FILL_IN} words: one sentence that puts right what was not accepted, with nothing that the tables say."


def missing_tool(required: Iterable[str], tool_log: list[dict[str, Any]]) -> str | None:
    """The first required tool that has not run without an error yet, or None."""
    return next(iter(never_succeeded(required, tool_log)), None)


def useful(*names: str) -> Callable[[str, list[dict[str, Any]]], list[str]]:
    """A check that is always content: tools that the job can do without, to which a led model is led all the same."""

    def check(answer: str, tool_log: list[dict[str, Any]]) -> list[str]:
        return []

    check.useful = names  # type: ignore[attr-defined]
    return check


def only(tool: Tool, messages: list[Message]) -> dict[str, Any]:
    """What the model is offered to fill in: the tool without those optional arguments that nobody spoke of.

    A small model fills in whatever it is shown, and may fill in for ever: texts and lists are kept short here, whatever
    the tool allows. Spoken of: named in the instructions or the task.
    """
    schema = tool.schema()
    spoken = " ".join(str(message["content"]) for message in messages[:2])
    parameters = schema["function"]["parameters"]
    kept = {
        name: _short(about)
        for name, about in parameters["properties"].items()
        if name in parameters["required"] or re.search(rf"\b{name}\b", spoken)
    }
    return {**schema, "function": {**schema["function"], "parameters": {**parameters, "properties": kept}}}


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that allows no endless text or list."""
    kind = schema.get("type")
    if kind == "string" and not {"enum", "pattern"} & set(schema):
        return {**schema, "maxLength": min(schema.get("maxLength", LONGEST_TEXT), LONGEST_TEXT)}
    if kind == "array":
        items = _short(schema["items"]) if isinstance(schema.get("items"), dict) else {}
        return {**schema, "items": items, "maxItems": min(schema.get("maxItems", MOST_ITEMS), MOST_ITEMS)}
    return schema


def asked_for(messages: list[Message], form: dict[str, Any]) -> list[Message]:
    """The conversation with a last message that asks for the arguments of one tool, as `only` describes it.

    It repeats the step of the instructions that names the tool, and what is noted of each argument: a server uses the
    form as a grammar and does not show it. The message is not kept, so it is not in the way of what comes later.
    """
    name, properties = form["function"]["name"], form["function"]["parameters"]["properties"]
    steps = [line for line in str(messages[0]["content"]).splitlines() if re.search(rf"\b{name}\b", line)]
    notes = [f"- {key}: {about.get('description', about.get('type', 'text'))}" for key, about in properties.items()]
    words = ["The job is not done yet.", *steps[:1], f"Now fill in the arguments of {name}, as JSON:", *notes]
    return [*messages, {"role": "user", "content": "\n".join(words)}]


def turn(
    messages: list[Message],
    tool_log: list[dict[str, Any]],
    check: object,
    names: Iterable[str],
    tools: Mapping[str, Tool],
    forced: dict[str, int],
) -> tuple[list[Message], dict[str, Any] | None]:
    """What a led model is asked next, and the form that it can only fill in, if there is one.

    The arguments of the first tool of `names` that has not run, unless it was asked for twice (`forced` counts) or a
    person said no to it; else the answer.
    """
    name = missing_tool(names, tool_log)
    if name and name in tools and forced.get(name, 0) < MOST_TRIES and not _was_denied(name, tool_log):
        forced[name] = forced.get(name, 0) + 1
        arguments = only(tools[name], messages)
        return asked_for(messages, arguments), arguments
    return page(messages, tool_log, check), form(messages, tool_log, check)


def _was_denied(name: str, tool_log: list[dict[str, Any]]) -> bool:
    results = [result_of(entry) for entry in tool_log if entry["tool"] == name]
    return any(isinstance(result, dict) and str(result.get("error")).startswith(DENIED) for result in results)


def page(messages: list[Message], tool_log: list[dict[str, Any]], check: object = None) -> list[Message]:
    """What a led model writes from: what is left of the job, what the tools returned, why an answer was refused.

    `messages` is the whole conversation: instructions, task, calls and results, and after these perhaps an answer
    that was refused, with what was wrong with it. The answer itself is left out, since a small model would repeat it;
    so are calls that failed, and the lines of the instructions that ask for calls which were made.
    """
    instructions, task = (str(message["content"]) for message in messages[:2])
    good = [entry for entry in tool_log if not failed(result_of(entry))]
    called = re.compile(r"\b(?:" + "|".join(re.escape(entry["tool"]) for entry in good) + r")\b") if good else None
    job = "\n".join(line for line in instructions.splitlines() if not (called and called.search(line)))
    returned = listing([(entry["tool"], result_of(entry)) for entry in good], whole=True)
    parts = [job, _task(task, tool_log), "The tools have been called. They returned:"]
    parts += [shortened(returned, LONGEST_PAGE), _refused(messages)]
    parts.append(_last_words(messages, tool_log, check))
    parts = [part for part in parts if part]
    return [{"role": "system", "content": WRITER}, {"role": "user", "content": "\n\n".join(parts)}]


def _last_words(messages: list[Message], tool_log: list[dict[str, Any]], check: object) -> str:
    """What the page ends with: how the answer is to be given."""
    if _to_cite(check, tool_log):
        return CITE
    if _tables(tool_log):
        return SAY_MORE if _refused(messages) else FILL_IN
    return WRITE


def form(messages: list[Message], tool_log: list[dict[str, Any]], check: object = None) -> dict[str, Any] | None:
    """The form of an answer, described like a tool; None when no tool returned anything to choose from.

    Each table, by tool and field such as "standings.table", is a question to be answered by yes or no. Once an answer
    of tables alone was refused there are also `words` to fill in: what is not asked for is not invented. Where there
    is something to cite, the form has no tables, but `words` and then the `sources` that they are taken from.
    """
    sources = _to_cite(check, tool_log)
    properties: dict[str, Any] = {} if sources else {name: {"type": "boolean"} for name in _tables(tool_log)}
    if not sources and not properties:
        return None
    if sources or _refused(messages):
        properties["words"] = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}
    if sources:
        properties[SOURCES] = {"type": "array", "items": {"type": "string", "enum": sources}, "maxItems": MOST_SOURCES}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    about = {"name": FORM, "description": "Fill in the form of the answer.", "parameters": parameters}
    return {"type": "function", "function": about}


def _refused(messages: list[Message]) -> str:
    """What was wrong with an earlier answer, as it was told, or nothing."""
    return str(messages[-1]["content"]) if len(messages) > 2 and messages[-1]["role"] == "user" else ""


def composed(filled_in: Any, tool_log: list[dict[str, Any]], check: object = None) -> str:
    """The answer that a form makes: the chosen tables, copied from the results, or the words with their sources.

    A server that did not hold the model to the form may return text: a form in it is read, one that was cut off is no
    answer, and anything else is taken as it is.
    """
    if isinstance(filled_in, str) and filled_in.lstrip().startswith("{"):
        try:
            filled_in = json.loads(filled_in)
        except (ValueError, RecursionError):
            return ""
    if not isinstance(filled_in, dict):
        return str(filled_in)
    words = str(filled_in.get("words") or "").strip()
    if to_cite := _to_cite(check, tool_log):
        chosen = filled_in.get(SOURCES)
        named = [source for source in to_cite if isinstance(chosen, list) and source in chosen]
        named = [source for source in named if not re.search(rf"(?<![\w./-]){re.escape(source)}(?!\w)", words)]
        return f"{words} ({', '.join(named)})" if words and named else words
    tables = {name: rows for name, rows in _tables(tool_log).items() if filled_in.get(name) is True}
    parts = [f"**{_title(name)}**\n\n" + "\n".join(records(rows)) for name, rows in tables.items()]
    return "\n\n".join([*parts, words]).strip()


def _to_cite(check: object, tool_log: list[dict[str, Any]]) -> list[str]:
    """What the check says may be cited, such as lines of files that a tool showed."""
    found = [source for sources in getattr(check, "sources", ()) for source in sources(tool_log)]
    return list(dict.fromkeys(found))[:MOST_TO_CITE]


def _tables(tool_log: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The lists of records that tools returned, by tool and field; a later call's replaces an earlier one's."""
    results = [(entry["tool"], result_of(entry)) for entry in tool_log]
    return {
        f"{tool}.{field}": rows
        for tool, result in results
        if isinstance(result, dict) and not failed(result)
        for field, rows in result.items()
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    }


def _title(name: str) -> str:
    """A table's title: its field, or its tool where the field says no more than that it is a table."""
    tool, _, field = name.partition(".")
    return (tool if field in ("table", "rows", "items", "records", "results") else field).replace("_", " ").capitalize()


def read_task(content: str) -> tuple[str, dict[str, Any]]:
    """The words of a task and its inputs, as `Agent.run` put them together; what holds no inputs is all words."""
    task, found, tail = content.rpartition(INPUTS)
    try:
        inputs = json.loads(tail) if found else None
    except ValueError:
        inputs = None
    return (task, inputs) if isinstance(inputs, dict) else (content, {})


def _task(task: str, tool_log: list[dict[str, Any]]) -> str:
    """The task, with only those of its inputs that are texts and that no tool was given or returned.

    What tools returned is on the page in their words; named twice, in another order, a small model mixes it up.
    """
    words, inputs = read_task(task)
    known = {value for entry in tool_log for part in (entry["args"], result_of(entry)) for value in _texts(part)}
    kept = {name: value for name, value in inputs.items() if isinstance(value, str) and value not in known}
    kept = {name: value for name, value in kept.items() if not name.endswith("_answer")}
    return f"{words}{INPUTS}{json.dumps(kept, ensure_ascii=False)}" if kept else words


def _texts(value: Any) -> list[str]:
    return [each for each in value.values() if isinstance(each, str)] if isinstance(value, dict) else []
