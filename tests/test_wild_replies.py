"""What models and tools really send, and what the loop does with it: told to the model in words, never a crash.

`cases/model_replies.json` holds one conversation a case with its right outcome; the property test below sends the loop
generated replies of any shape. The tools are those that the file describes.
"""

from __future__ import annotations

import copy
import datetime
import itertools
import json
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import Agent, FunctionModel, Tracer, no_repeats, tool
from agentkit.trace import read_trace

FILE = json.loads((ROOT / "tests/cases/model_replies.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in FILE["cases"]}
LONG_REPLIES = {  # too long to stand in the file
    "100,000 times [": ["[" * 100_000],
    "one reply with 200 calls": [
        {"content": "", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}] * 200}
    ],
    "one name of 5,000 letters": [
        {"content": "", "tool_calls": [{"function": {"name": "x" * 5000, "arguments": {}}}]},
        {"content": "The answer is 4."},
    ],
}
CIRCLE: list = []
CIRCLE.append(CIRCLE)
ODD_RESULTS = {
    "NaN": float("nan"),
    "date": {"when": datetime.date(2026, 10, 28), "who": {"easy"}},
    "5 MB of text": {"text": "x" * 5_000_000},
    "bytes": b"\x00",
    "object": object(),
    "tuple key": {(1, 2): 3},
    "circle": CIRCLE,
    "surrogate": {"name": "\ud83d"},
}


def make_tools():
    """The tools of the file, and the list of arguments that `add` really ran with."""
    ran = []

    @tool
    def add(a: int, b: int = 1) -> dict:
        """Add two numbers."""
        ran.append([a, b])
        return {"sum": a + b}

    @tool(timeout=0.05)
    def slow(tag: str, secs: float = 0.0) -> str:
        """Wait."""
        time.sleep(secs)
        return f"slow:{tag}"

    @tool
    def weird(kind: str):
        """Do one odd thing."""
        if kind == "exits":
            sys.exit(3)
        if kind.startswith("raises"):
            raise ValueError("boom")
        return ODD_RESULTS[kind]

    return [add, slow, weird], ran


def model_that_says(replies):
    """A model that gives the replies in order and repeats the last; `.seen` holds what it was sent."""
    rest = itertools.chain(replies, itertools.repeat(replies[-1]))
    seen = []

    def reply(messages, tools):
        seen.append(copy.deepcopy(messages))
        return copy.deepcopy(next(rest))

    model = FunctionModel(reply)
    model.seen = seen
    return model


class Played:
    """One case, run with a trace."""

    def __init__(self, case, folder):
        replies = case["replies"]
        self.model = model_that_says(LONG_REPLIES[replies] if isinstance(replies, str) else replies)
        tools, self.ran = make_tools()
        tracer = Tracer(folder / "trace.jsonl")
        agent = Agent("sums", "Add.", tools, self.model, case.get("max_steps", 8), tracer=tracer)
        agent.guards = [no_repeats()] if case.get("guard") == "no_repeats" else []
        self.result = agent.run("What is 2 + 2?")
        tracer.close()
        self.problems: list[str] = []
        self.events = read_trace(tracer.path, self.problems)

    @property
    def last_seen(self):
        return self.model.seen[-1]

    def sent(self):
        return [message["content"] for message in self.last_seen if message["role"] == "tool"]

    def history(self):
        return [call["function"] for message in self.last_seen for call in message.get("tool_calls", [])]


def judge_results(played, expect):
    results = [entry["result"] for entry in played.result.tool_log]
    if "results" in expect:
        assert results == expect["results"]
    if "errors" in expect:
        assert len(results) >= len(expect["errors"])
        for result, words in zip(results, expect["errors"], strict=False):
            assert words in result["error"]
    if "ran" in expect:
        assert played.ran == expect["ran"]
    if "converted" in expect:
        tools = [event for event in played.events if event["kind"] == "tool"]
        assert tools[0]["converted"] == played.result.tool_log[0]["converted"] == expect["converted"]


def judge_conversation(played, expect):
    if "sent" in expect:
        assert played.sent() == expect["sent"]
    for words in expect.get("sent_has", []):
        assert any(words in text for text in played.sent())
    if "history" in expect:
        assert played.history() == expect["history"]
    if "assistant" in expect:
        assert next(m["content"] for m in played.last_seen if m["role"] == "assistant") == expect["assistant"]
    if "longest_sent" in expect:
        assert max(map(len, played.sent())) <= expect["longest_sent"]
    if "longest_in_trace" in expect:
        written = [json.dumps(event["result"]) for event in played.events if event["kind"] == "tool"]
        assert max(map(len, written)) >= expect["longest_in_trace"]
    if "shown_to_nobody" in expect:
        hidden = expect["shown_to_nobody"]
        assert hidden not in played.result.answer
        assert hidden not in json.dumps([m["content"] for seen in played.model.seen for m in seen])


@pytest.mark.parametrize("name", CASES)
def test_each_wild_reply_has_its_right_outcome(name, tmp_path):
    case = CASES[name]
    expect = case["expect"]
    played = Played(case, tmp_path)
    judge_results(played, expect)
    judge_conversation(played, expect)
    for part in ("answer", "problems", "steps", "retries_used", "stopped", "passed"):
        if part in expect:
            assert getattr(played.result, part) == expect[part], part
    assert played.problems == []
    assert sum(event["kind"] == "tool" for event in played.events) == len(played.result.tool_log)


@pytest.mark.parametrize("name", CASES)
def test_whatever_was_said_the_conversation_stays_valid_for_any_server(name, tmp_path):
    played = Played(CASES[name], tmp_path)
    for messages in played.model.seen:
        json.dumps(messages, allow_nan=False).encode("ascii")
        waiting = 0
        for message in messages:
            assert isinstance(message["content"], str)
            for call in message.get("tool_calls", []):
                assert call["function"]["name"] and isinstance(call["function"]["arguments"], dict)
            waiting = len(message["tool_calls"]) if "tool_calls" in message else waiting - (message["role"] == "tool")
            assert waiting >= 0, "a result without a call"


def test_what_models_get_wrong_is_all_in_the_file():
    assert len(CASES) == len(FILE["cases"]) >= 25
    assert all(case["right"] and case["expect"] for case in FILE["cases"])


# --- generated replies ------------------------------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
SCALARS = SCALARS | st.sampled_from(["add", "weird", "</think>", "<think>", "{", "```json", "\ud800", "NaN"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.just("a"), inner, max_size=4),
    max_leaves=8,
)
NAMES = st.sampled_from(["add", "slow", "weird", "", "addd", "self", "tool"]) | VALUES
ARGUMENTS = (
    st.fixed_dictionaries({}, optional={"a": VALUES, "b": VALUES, "kind": st.sampled_from(sorted(ODD_RESULTS)[1:])})
    | VALUES
    | VALUES.map(lambda value: json.dumps(value, default=str))
)
CALLS = st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": NAMES, "arguments": ARGUMENTS})}) | VALUES
WRITTEN = st.tuples(NAMES, ARGUMENTS).map(lambda c: json.dumps({"name": c[0], "arguments": c[1]}, default=str))
REPLIES = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "content": VALUES | WRITTEN | WRITTEN.map("```json\n{}\n```".format),
        "tool_calls": st.lists(CALLS, max_size=4) | VALUES,
        "usage": VALUES | st.fixed_dictionaries({"tokens_in": VALUES, "tokens_out": VALUES, "cut": VALUES}),
        "role": VALUES,
    },
)


@given(st.lists(REPLIES, min_size=1, max_size=5))
@settings(max_examples=1000, suppress_health_check=list(HealthCheck))
def test_the_loop_never_raises_whatever_a_model_replies(tmp_path_factory, replies):
    path = tmp_path_factory.getbasetemp() / "generated.jsonl"
    path.unlink(missing_ok=True)
    tools, _ = make_tools()
    tracer = Tracer(path)
    agent = Agent("sums", "Add.", tools, model_that_says(replies), 6, lambda a, log: [a] if a else [], tracer=tracer)
    result = agent.run("Go.")
    tracer.close()
    assert result.stopped in ("answered", "step limit reached")
    assert result.passed or result.problems
    problems: list[str] = []
    events = read_trace(path, problems)
    assert problems == []
    assert [e["result"] for e in events if e["kind"] == "tool"] == [entry["result"] for entry in result.tool_log]
    json.dumps(result.tool_log, allow_nan=False)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
