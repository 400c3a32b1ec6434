"""A stand-in for a language model: fixed rules that use whatever tools are offered, for demos and tests.

It knows no job and understands no sentence. Its rules:

1. It calls each offered tool once, in the order offered, and leaves out one whose required arguments it
   cannot fill.
2. It fills arguments by name: from the task's `Inputs`, then from the simple values that earlier tools
   returned. A text argument called task, query, question or text gets the task and all those values, as far
   as its limit allows.
3. When no tool is left it answers: it lists what the tools returned, or passes on the last answer if the last
   tool was an agent.
4. With a mistake rate, its first answer sometimes holds a number that no tool reported, which a check must
   catch and the next answer leaves out.

The rates are measured in `eval/run_eval.py`; nothing here stands for how a real model behaves.

    from devtools.standin import StandInModel
    agent.model = StandInModel(mistake_rate=0.3, seed=1)
"""

from __future__ import annotations

import json
import os
import random
import re
from typing import Any

from agentkit.more.lead import INPUTS, read_task
from agentkit.more.listing import listing

FREE_TEXT = ("task", "query", "question", "text")
NOT_FACTS = ("error", "answer", "passed")
SIMPLE = (str, int, float, bool)
PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}

Message = dict[str, Any]


class StandInModel:
    """Anything with `chat(messages, tools)` can be an agent's model; this one follows the rules above.

    `mistake_rate` (0 to 1; the environment's MISTAKE_RATE unless given, else 0) is how often a first answer
    holds an invented number. `seed` makes that chance repeatable. `invented` lists the numbers that were
    made up so far.
    """

    def __init__(self, mistake_rate: float | None = None, seed: int | None = None) -> None:
        self.mistake_rate = _rate(os.environ.get("MISTAKE_RATE") or 0 if mistake_rate is None else mistake_rate)
        self.rand = random.Random(seed)
        self.invented: list[int] = []

    def describe(self) -> dict[str, Any]:
        """What a trace should know of this model."""
        return {"provider": "standin", "model": "standin", "mistake_rate": self.mistake_rate}

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """Return the next message: a call of the first tool that is left and can be called, or an answer."""
        task, inputs = _read_task(messages)
        done = _results(messages)
        values = _facts(done)
        called = {name for name, _ in done}
        for offered in (item["function"] for item in tools):
            arguments = _fill(offered, task, inputs, values)
            if offered["name"] not in called and arguments is not None:
                call = {"function": {"name": offered["name"], "arguments": arguments}}
                return {"role": "assistant", "content": "", "tool_calls": [call]}
        return {"role": "assistant", "content": self._answer(messages, done)}

    def _answer(self, messages: list[Message], done: list[tuple[str, Any]]) -> str:
        text = _passed_on(done) or listing(done)
        if _has_answered(messages) or self.rand.random() >= self.mistake_rate:
            return text
        number = self._invent(json.dumps(messages))
        self.invented.append(number)
        return f"{text}\n\nIn all that makes {number}."

    def _invent(self, said: str) -> int:
        """Return a number that stands nowhere in the conversation."""
        while True:
            number = self.rand.randint(2_000, 9_999)
            if str(number) not in said:
                return number


def known_values(messages: list[Message]) -> dict[str, Any]:
    """Return, by name, what rule 2 fills arguments from: inputs, tools' simple values, the whole task."""
    task, inputs = _read_task(messages)
    values = _facts(_results(messages))
    return {**dict.fromkeys(FREE_TEXT, _whole_task(task, inputs, values)), **values, **inputs}


def _rate(value: Any) -> float:
    try:
        rate = float(value)
    except (TypeError, ValueError):
        rate = -1.0
    if not 0 <= rate <= 1:
        raise ValueError(f"The mistake rate must be a number from 0 to 1, not {value!r}.")
    return rate


def _read_task(messages: list[Message]) -> tuple[str, dict[str, Any]]:
    """Return the task's words and its inputs, from the first message of the user."""
    content = next((str(item.get("content") or "") for item in messages if item.get("role") == "user"), "")
    return read_task(content)


def _results(messages: list[Message]) -> list[tuple[str, Any]]:
    """Return (tool, result) for each tool message, in order; a result that is no JSON stays text.

    A message that does not name its tool (some libraries send only a call id) belongs to the earliest call
    of the assistant that still waits for its result.
    """
    waiting: list[tuple[Any, str]] = []
    results = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            waiting.append((call.get("id"), call["function"]["name"]))
        if message.get("role") == "tool":
            name = message.get("tool_name") or message.get("name") or _waiting_name(waiting, message)
            results.append((name, _from_json(message.get("content"))))
    return results


def _waiting_name(waiting: list[tuple[Any, str]], message: Message) -> str:
    wanted = message.get("tool_call_id")
    at = next((i for i, (call_id, _) in enumerate(waiting) if wanted is not None and call_id == wanted), 0)
    return waiting.pop(at)[1] if waiting else ""


def _from_json(content: Any) -> Any:
    try:
        return json.loads(content) if isinstance(content, str) else content
    except ValueError:
        return content


def _simple(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if isinstance(value, SIMPLE)}


def _facts(done: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the simple values that tools returned; a later one replaces an earlier one of its name."""
    facts: dict[str, Any] = {}
    for _, result in done:
        if isinstance(result, dict) and "error" not in result:
            facts.update({key: value for key, value in _simple(result).items() if key not in NOT_FACTS})
    return facts


def _fill(offered: dict[str, Any], task: str, inputs: dict[str, Any], values: dict[str, Any]) -> dict[str, Any] | None:
    """Return arguments for a tool, or None if a required one cannot be filled."""
    schema = offered.get("parameters") or {}
    arguments = {}
    for name, wanted in (schema.get("properties") or {}).items():
        if name in inputs and _fits(inputs[name], wanted):
            arguments[name] = inputs[name]
        elif name in FREE_TEXT and wanted.get("type") == "string":
            arguments[name] = _whole_task(task, inputs, values)[: wanted.get("maxLength")]
        elif name in values and _fits(values[name], wanted):
            arguments[name] = values[name]
    missing = set(schema.get("required") or ()) - set(arguments)
    return None if missing else arguments


def _fits(value: Any, wanted: dict[str, Any]) -> bool:
    kinds = PYTHON_TYPES.get(str(wanted.get("type")), (object,))
    if isinstance(value, bool) and bool not in kinds and object not in kinds:
        return False
    limited = wanted.get("pattern")
    return isinstance(value, kinds) and not (limited and not re.search(limited, str(value)))


def _whole_task(task: str, inputs: dict[str, Any], values: dict[str, Any]) -> str:
    known = {**inputs, **{key: value for key, value in values.items() if key not in inputs}}
    return task + (INPUTS + json.dumps(known, ensure_ascii=False) if known else "")


def _passed_on(done: list[tuple[str, Any]]) -> str:
    """Return the last result's answer if the last tool was an agent, else nothing."""
    result = done[-1][1] if done else None
    if not isinstance(result, dict) or "passed" not in result:
        return ""
    answer = result.get("answer")
    return answer if isinstance(answer, str) else ""


def _has_answered(messages: list[Message]) -> bool:
    return any(item.get("role") == "assistant" and not item.get("tool_calls") for item in messages)
