"""A conversation that fits into the model's window: old results are shortened first, the task never."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import Agent, ScriptedModel, tool
from agentkit.errors import ContextOverflow
from agentkit.more.context import KEPT, fitted, read_less_than_before

WINDOW = 4096


@tool
def read(part: int) -> dict:
    """Read."""
    return {"part": part, "text": "x" * 6000}


def conversation(*lengths: int) -> list[dict[str, str]]:
    start = [{"role": "system", "content": "s" * 500}, {"role": "user", "content": "t" * 500}]
    turns = []
    for number, length in enumerate(lengths):
        turns += [{"role": "assistant", "content": f"turn {number}"}]
        turns += [{"role": "tool", "tool_name": "read", "content": str(number) * length}]
    return [*start, *turns]


def size(messages: list[dict[str, str]]) -> int:
    return sum(len(message["content"]) for message in messages)


def test_what_fits_stays_as_it_is():
    messages = conversation(100, 100)
    assert fitted(messages, [], WINDOW, 1000) == messages


def test_the_oldest_results_are_shortened_first_with_a_notice_and_only_as_many_as_needed():
    messages = conversation(3800, 3800, 3800)
    sent = fitted(messages, [], WINDOW, 1000)
    assert [len(m["content"]) < 3800 for m in sent if m["role"] == "tool"] == [True, False, False]
    shortened = sent[3]["content"]
    assert shortened.startswith("0" * KEPT)
    assert "3,500 characters of this earlier result were left out" in shortened


def test_instructions_task_and_the_models_own_words_are_never_cut_and_the_log_is_not_touched():
    messages = conversation(*[3000] * 20)
    before = copy.deepcopy(messages)
    sent = fitted(messages, [], WINDOW, 1000)
    assert messages == before
    for old, new in zip(messages, sent, strict=True):
        assert new == old or old["role"] == "tool"
        assert {**new, "content": ""} == {**old, "content": ""}


def test_tools_and_the_reply_need_room_too():
    messages = conversation(4000, 4000)
    assert fitted(messages, [], WINDOW, 1000) == messages
    assert fitted(messages, [read.schema()] * 30, WINDOW, 1000) != messages
    assert fitted(messages, [], WINDOW, 2000) != messages


def test_a_task_that_certainly_does_not_fit_is_an_error_that_says_so():
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "t" * 100_000}]
    with pytest.raises(ContextOverflow, match=r"100,001 characters.*4096 tokens"):
        fitted(messages, [], WINDOW, 1000)


@given(st.lists(st.integers(0, 5000), max_size=12), st.integers(500, 20_000), st.integers(0, 5000))
def test_it_never_grows_a_conversation_and_either_fits_or_has_nothing_left_to_cut(lengths, window, reply):
    messages = conversation(*lengths)
    try:
        sent = fitted(messages, [], window, reply)
    except ContextOverflow:
        return
    assert size(sent) <= size(messages)
    fits = size(sent) <= (window - min(reply, window // 2)) * 3
    assert fits or all(len(m["content"]) <= 2 * KEPT for m in sent if m["role"] == "tool")


def test_an_agent_sends_no_more_than_its_models_window_takes_and_keeps_everything_in_its_log():
    model = ScriptedModel([{"content": "", "tool_calls": [reading(n)]} for n in range(6)] + ["Read."])
    model.num_ctx, model.max_tokens = WINDOW, 1000
    result = Agent("a", "Read.", [read], model, max_steps=9).run("Read all.")
    assert result.passed
    sizes = [size(asked["messages"]) for asked in model.seen]
    assert max(sizes) <= (WINDOW - 1000) * 3
    assert all(len(entry["result"]["text"]) == 6000 for entry in result.tool_log)
    assert [m["content"] for m in model.seen[-1]["messages"][:2]] == ["Read.", "Read all."]
    newest = json.loads(model.seen[-1]["messages"][-1]["content"])
    assert newest["part"] == 5


def reading(part: int) -> dict[str, object]:
    return {"function": {"name": "read", "arguments": {"part": part}}}


def test_a_model_that_does_not_tell_its_window_gets_everything():
    model = ScriptedModel([{"content": "", "tool_calls": [reading(n)]} for n in range(3)] + ["Read."])
    Agent("a", "Read.", [read], model).run("Read all.")
    assert size(model.seen[-1]["messages"]) > 18_000


def test_a_result_longer_than_a_model_is_shown_keeps_its_beginning_and_end_and_says_what_is_missing():
    @tool
    def list_all() -> str:
        """List."""
        return "<begin>" + "x" * 100_000 + "<end>"

    model = ScriptedModel([{"content": "", "tool_calls": [{"function": {"name": "list_all", "arguments": {}}}]}, "ok"])
    result = Agent("a", "x", [list_all], model).run("x")
    shown = model.seen[-1]["messages"][-1]["content"]
    assert shown.startswith('"<begin>')
    assert shown.endswith('<end>"')
    assert "88,014 of 100,014 characters were left out" in shown
    assert len(result.tool_log[0]["result"]) == 100_012


def test_fewer_tokens_count_only_for_the_same_conversation_grown_longer():
    first, second, third = ({"role": "user", "content": text} for text in "abc")
    known: dict[int, int] = {}
    assert not read_less_than_before(known, [first], {}, 50)
    assert not read_less_than_before(known, [first, second], {}, 70)
    assert read_less_than_before(known, [first, second, third], {}, 60)
    assert not read_less_than_before(known, [second, first], {}, 10)
    assert not read_less_than_before(known, [first, third], {"tools": []}, 10)


def test_what_is_remembered_of_prompts_stays_small():
    known: dict[int, int] = {}
    for number in range(5000):
        read_less_than_before(known, [{"role": "user", "content": str(number)}], {}, 10)
    assert len(known) <= 1001


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
