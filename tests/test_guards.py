"""The ready-made guards of agentkit/more/guards.py: a run is stopped for time, calls, tokens or repeated calls."""

from __future__ import annotations

import itertools
import json
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import (
    Agent,
    FunctionModel,
    ScriptedModel,
    max_seconds,
    max_tokens,
    max_tool_calls,
    no_repeats,
    tool,
)
from agentkit import mini as mini_loop
from agentkit.more import guards as guards_module


@tool
def look(n: int = 1) -> dict:
    """Look."""
    return {"seen": n}


def call(n: int = 1, usage=None):
    reply = {"content": "", "tool_calls": [{"function": {"name": "look", "arguments": {"n": n}}}]}
    return {**reply, "usage": usage} if usage else reply


def run(replies, *guards, max_steps=50):
    """A run of an agent whose last reply repeats."""
    replies = list(replies)
    rest = itertools.chain(replies, itertools.repeat(replies[-1]))
    agent = Agent("a", "Look.", [look], FunctionModel(lambda m, t: json.loads(json.dumps(next(rest)))), max_steps)
    agent.guards = guards
    return agent.run("Look.")


def test_without_a_guard_a_model_that_calls_for_ever_ends_at_the_step_limit():
    assert run([call()], max_steps=8).stopped == "step limit reached"


def test_max_tool_calls_counts_every_call():
    result = run([call(n) for n in range(9)], max_tool_calls(4))
    assert (result.stopped, len(result.tool_log)) == ("tool call limit (4) reached", 4)


def test_max_tool_calls_holds_within_one_reply_too():
    many = call()
    many["tool_calls"] *= 1000
    result = run([many], max_tool_calls(4))
    assert (result.stopped, len(result.tool_log), result.steps) == ("tool call limit (4) reached", 4, 1)


def test_max_tokens_counts_what_was_read_and_written():
    result = run([call(usage={"tokens_in": 30, "tokens_out": 10})], max_tokens(100))
    assert (result.stopped, result.tokens_in + result.tokens_out) == ("token limit (100) reached", 120)


def test_max_tokens_does_nothing_for_a_server_that_does_not_count():
    assert run([call()], max_tokens(1), max_steps=3).stopped == "step limit reached"


def test_max_seconds_stops_a_run_by_its_own_clock(monkeypatch):
    assert run([call()], max_seconds(0)).stopped == "time limit (0 s) reached"
    assert run([call()], max_seconds(3600), max_steps=3).stopped == "step limit reached"
    guard = max_seconds(60)
    assert guard({"seconds": 59.9}) is None
    assert guard({"seconds": 60.0}) == "time limit (60 s) reached"


def test_max_seconds_counts_from_its_making_for_a_loop_that_does_not(monkeypatch):
    clock = iter([100.0, 159.0, 161.0])
    monkeypatch.setattr(guards_module.time, "perf_counter", lambda: next(clock))
    guard = max_seconds(60)
    state = {"messages": [], "steps": 0, "tool_calls": 0, "errors": 0}
    assert guard(state) is None
    assert guard(state) == "time limit (60 s) reached"


def test_no_repeats_corrects_first_and_then_stops():
    result = run([call()], no_repeats())
    assert result.stopped == "the same call was made 4 times: look"
    assert len(result.tool_log) == 4
    assert result.problems == ["The run was stopped: the same call was made 4 times: look."]


def test_the_correction_stands_in_place_of_the_result_and_the_model_may_recover():
    model = ScriptedModel([call(), call(), call(), "Seen 1."])
    result = Agent("a", "Look.", [look], model, guards=[no_repeats()]).run("Look.")
    assert (result.answer, result.passed) == ("Seen 1.", True)
    told = json.loads(model.seen[-1]["messages"][-1]["content"])
    assert "Do not send it again" in told["error"]
    assert [entry["result"] for entry in result.tool_log] == [{"seen": 1}] * 3, "the log keeps what really happened"


def test_different_arguments_are_different_calls_and_their_order_does_not_matter():
    assert run([call(n) for n in range(9)], no_repeats(), max_steps=8).stopped == "step limit reached"
    same = [{"a": 1, "b": 2}, {"b": 2, "a": 1}] * 2
    replies = [{"content": "", "tool_calls": [{"function": {"name": "look", "arguments": a}}]} for a in same]
    assert run(replies, no_repeats(2)).stopped == "the same call was made 3 times: look"


def test_guards_are_asked_in_order_and_the_first_reason_counts():
    asked = []

    def first(state):
        asked.append(state["steps"])

    assert run([call()], first, max_tool_calls(2), max_tool_calls(1)).stopped == "tool call limit (1) reached"
    assert asked == [0, 1]


@pytest.mark.parametrize("nothing", ["", None, False, 0])
def test_a_guard_that_has_no_reason_lets_the_run_go_on(nothing):
    assert run([{"content": "ok"}], lambda state: nothing).passed


def test_a_reason_is_text_whatever_a_guard_returns():
    assert run([call()], lambda state: ["too", "much"]).stopped == "['too', 'much']"


def test_one_guard_serves_many_runs_at_once():
    guard, results = no_repeats(), []
    threads = [threading.Thread(target=lambda: results.append(run([call()], guard))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {len(result.tool_log) for result in results} == {4}


@pytest.mark.parametrize("message", [{}, {"tool_calls": None}, {"tool_calls": [{"name": "look", "arguments": "{"}]}])
def test_no_repeats_reads_any_message(message):
    state = {"messages": [message] * 9, "steps": 9, "tool_calls": 9, "errors": 0}
    assert no_repeats()(state) in (None, "the same call was made 9 times: look")


def test_the_same_guards_work_in_the_loop_of_mini():
    def look_again(messages, schemas):
        return mini_loop.call("look", "c1", n=1)

    @mini_loop.tool
    def look(n: int):
        """Look."""
        return n

    for guard, reason in [
        (max_tool_calls(2), "tool call limit (2) reached"),
        (no_repeats(), "the same call was made 4 times: look"),
        (max_seconds(0), "time limit (0 s) reached"),
    ]:
        tools = mini_loop.registry(look)
        result = mini_loop.run_agent(look_again, tools, "Look.", max_steps=20, guards=[guard], on_event=None)
        assert (result["answer"], result["stopped"]) == (None, reason)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
