"""Calls that a model wrote as text: agentkit/more/recover.py.

The forms are those that small models really write (Qwen2.5-Coder's fences and doubled braces, Mistral's and Llama's
tags). A reply is a call only when all of it is calls of tools that were offered.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit.more.recover import calls_from_text

OFFERED = {"add": None, "look": None}
ADD = '{"name": "add", "arguments": {"a": 1}}'
LOOK = '{"name": "look", "parameters": {}}'

CALLS = [
    (ADD, [("add", {"a": 1})]),
    (f"<tool_call>{ADD}</tool_call>", [("add", {"a": 1})]),
    (f"<tool_call>\n{ADD}", [("add", {"a": 1})]),  # never closed
    (f"<tool_call>{ADD}</tool_call>\n<tool_call>{LOOK}</tool_call>", [("add", {"a": 1}), ("look", {})]),
    (f"```json\n{ADD}\n```", [("add", {"a": 1})]),
    (f"```\n{ADD}\n```\n\n```tool_call\n{LOOK}\n```", [("add", {"a": 1}), ("look", {})]),
    (f"```json {ADD}```", [("add", {"a": 1})]),
    (f"````json\n{ADD}\n````", [("add", {"a": 1})]),
    (f"~~~json\n{ADD}\n~~~", [("add", {"a": 1})]),
    (f"<TOOL_CALL>{ADD}</TOOL_CALL>", [("add", {"a": 1})]),
    (f"[{ADD}, {LOOK}]", [("add", {"a": 1}), ("look", {})]),
    (f"{ADD}\n{LOOK}", [("add", {"a": 1}), ("look", {})]),
    (f"{ADD}; {LOOK},", [("add", {"a": 1}), ("look", {})]),
    (f"[TOOL_CALLS] [{ADD}]", [("add", {"a": 1})]),
    (f"<|python_tag|>{LOOK}", [("look", {})]),
    ('{{"name": "add", "arguments": {{"a": 1}}}}', [("add", {"a": 1})]),
    ('{"type": "function", "function": {"name": "add", "arguments": {"a": 1}}}', [("add", {"a": 1})]),
    ('{"id": "c1", "function": "add", "arguments": {"a": 1}}', [("add", {"a": 1})]),
    (f'{{"tool_calls": [{ADD}]}}', [("add", {"a": 1})]),
    ('{"name": "add"}', [("add", {})]),
    ('{"name": "add", "arguments": null}', [("add", {})]),
    ('{"name": "add", "arguments": "{\\"a\\": 1}"}', [("add", {"a": 1})]),
    ('{"name": "add", "arguments": [1]}', [("add", [1])]),  # the ToolBox tells what is wrong with it
    ('{"name": "add", "arguments": {"a": "</tool_call> ```json"}}', [("add", {"a": "</tool_call> ```json"})]),
]

ANSWERS = [
    "",
    "The sum is 2.",
    "{}",
    "[]",
    "[[]]",
    "null",
    "3",
    '{"sum": 2}',
    '{"name": "subtract", "arguments": {}}',
    '{"name": "my-package", "arguments": {}}',
    '{"name": "add", "arguments": {"a": 1}, "why": "because"}',
    '{"name": ["add"]}',
    '{"name": null, "arguments": {}}',
    f"Send this: {ADD}",
    f"{ADD} and read the sum.",
    f"{ADD}\n" + '{"sum": 2}',
    f"To add:\n```json\n{ADD}\n```\nand read the sum.",
    '{"name": "add", "arguments": {"a": 1}',
    "{{",
    "```json\n```",
    "<tool_call></tool_call>",
    "[" * 100_000,
    '{"tool_calls": []}',
    '{"tool_calls": "add"}',
    "{'name': 'add'}",
]


@pytest.mark.parametrize(("text", "calls"), CALLS, ids=[text[:40] for text, _ in CALLS])
def test_a_reply_that_is_calls_and_nothing_else_is_read_as_calls(text, calls):
    assert calls_from_text(text, OFFERED) == calls


@pytest.mark.parametrize("text", ANSWERS, ids=[text[:40] for text in ANSWERS])
def test_everything_else_is_an_answer(text):
    assert calls_from_text(text, OFFERED) == []


def test_nothing_is_a_call_when_no_tool_was_offered():
    assert calls_from_text(ADD, {}) == []


WORDS = st.sampled_from([*"{}[]\",:`", "```json", "<tool_call>", "</tool_call>", ADD, LOOK, "name", "\n", "add", "1"])


@given(st.lists(WORDS, max_size=12).map("".join) | st.text())
def test_any_text_is_read_without_a_failure_and_gives_only_offered_tools(text):
    for name, _ in calls_from_text(text, OFFERED):
        assert name in OFFERED


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists), max_size=4))
def test_arguments_arrive_as_they_were_written(arguments):
    text = json.dumps({"name": "add", "arguments": arguments}, ensure_ascii=False)
    assert calls_from_text(f"<tool_call>{text}</tool_call>", OFFERED) == [("add", arguments)]


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
