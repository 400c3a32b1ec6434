"""The stand-in model's four rules, and the listing that it answers with."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit.more.listing import listing
from devtools.standin import StandInModel

SYSTEM = {"role": "system", "content": "Do the job."}


def offer(name: str, required: tuple[str, ...] = (), **properties: dict) -> dict:
    """A tool's description as models get it."""
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}


def ask(task: str, inputs: dict | None = None) -> list[dict]:
    words = task + (f"\n\nInputs: {json.dumps(inputs)}" if inputs is not None else "")
    return [SYSTEM, {"role": "user", "content": words}]


def play(model: StandInModel, messages: list[dict], tools: list[dict], results: dict) -> tuple[list, str]:
    """Let the model call its tools until it answers; returns the calls and the answer."""
    calls = []
    while True:
        reply = model.chat(messages, tools)
        messages.append(reply)
        if not reply.get("tool_calls"):
            return calls, reply["content"]
        function = reply["tool_calls"][0]["function"]
        calls.append((function["name"], function["arguments"]))
        content = json.dumps(results[function["name"]])
        messages.append({"role": "tool", "tool_name": function["name"], "content": content})


STRING, INTEGER, ARRAY = {"type": "string"}, {"type": "integer"}, {"type": "array"}


def test_calls_each_offered_tool_once_in_order():
    tools = [offer("second"), offer("first")]
    calls, _ = play(StandInModel(0), ask("Go."), tools, {"first": {}, "second": {}})
    assert calls == [("second", {}), ("first", {})]


def test_tool_that_failed_is_not_called_again():
    calls, _ = play(StandInModel(0), ask("Go."), [offer("once")], {"once": {"error": "no"}})
    assert calls == [("once", {})]


def test_leaves_out_a_tool_whose_required_argument_it_cannot_fill():
    tools = [offer("hard", ("path",), path=STRING), offer("easy")]
    calls, _ = play(StandInModel(0), ask("Go."), tools, {"easy": {"n": 1}})
    assert calls == [("easy", {})]


def test_tool_left_out_at_first_is_called_once_its_argument_is_known():
    tools = [offer("needs", ("id",), id=STRING), offer("gives")]
    calls, _ = play(StandInModel(0), ask("Go."), tools, {"gives": {"id": "7-7"}, "needs": {}})
    assert calls == [("gives", {}), ("needs", {"id": "7-7"})]


def test_inputs_come_before_what_tools_returned():
    tools = [offer("a"), offer("b", ("n",), n=INTEGER)]
    calls, _ = play(StandInModel(0), ask("Go.", {"n": 1}), tools, {"a": {"n": 2}, "b": {}})
    assert calls[1] == ("b", {"n": 1})


def test_optional_arguments_are_filled_when_known_and_left_out_otherwise():
    tools = [offer("a", ("n",), n=INTEGER, seed=INTEGER, pairs=INTEGER)]
    calls, _ = play(StandInModel(0), ask("Go.", {"n": 1, "seed": 5}), tools, {"a": {}})
    assert calls == [("a", {"n": 1, "seed": 5})]


@pytest.mark.parametrize("wrong", ["three", True, [3], None])
def test_value_of_another_type_does_not_fill_an_argument(wrong):
    calls, _ = play(StandInModel(0), ask("Go.", {"n": wrong}), [offer("a", ("n",), n=INTEGER)], {"a": {}})
    assert calls == []


def test_lists_in_the_inputs_fill_list_arguments():
    calls, _ = play(
        StandInModel(0), ask("Go.", {"players": ["x"]}), [offer("a", ("players",), players=ARRAY)], {"a": {}}
    )
    assert calls == [("a", {"players": ["x"]})]


@pytest.mark.parametrize("name", ["task", "query", "question", "text"])
def test_free_text_argument_gets_the_task_and_the_known_values(name):
    tools = [offer("a"), offer("b", (name,), **{name: STRING})]
    calls, _ = play(StandInModel(0), ask("Look it up.", {"n": 1}), tools, {"a": {"id": "7-7", "rows": []}, "b": {}})
    assert calls[1][1][name] == 'Look it up.\n\nInputs: {"n": 1, "id": "7-7"}'


def test_free_text_argument_is_the_bare_question_when_nothing_is_known():
    calls, _ = play(StandInModel(0), ask("Where is it?"), [offer("search", ("text",), text=STRING)], {"search": {}})
    assert calls == [("search", {"text": "Where is it?"})]


def test_free_text_keeps_within_its_limit():
    limited = offer("recall", ("query",), query={**STRING, "maxLength": 10})
    calls, _ = play(StandInModel(0), ask("Look everything up.", {"n": 1}), [limited], {"recall": {}})
    assert calls == [("recall", {"query": "Look every"})]


def test_passes_on_the_last_answer_when_the_last_tool_was_an_agent():
    tools = [offer("ask_a", ("task",), task=STRING), offer("ask_b", ("task",), task=STRING)]
    results = {"ask_a": {"answer": "one", "passed": True}, "ask_b": {"answer": "two", "passed": True}}
    _, answer = play(StandInModel(0), ask("Go."), tools, results)
    assert answer == "two"


def test_words_of_an_agent_and_its_verdict_are_no_values_for_later_tools():
    tools = [offer("ask_a"), offer("b", ("passed",), passed={"type": "boolean"})]
    calls, _ = play(StandInModel(0), ask("Go."), tools, {"ask_a": {"answer": "x", "passed": True}})
    assert [name for name, _ in calls] == ["ask_a"]


def test_answers_without_offered_tools():
    messages = [*ask("Go."), {"role": "tool", "tool_name": "a", "content": '{"n": 3}'}]
    assert "n: 3" in StandInModel(0).chat(messages, [])["content"]


def test_results_without_a_tool_name_belong_to_their_call():
    call = {"id": "c7", "function": {"name": "a", "arguments": {}}}
    messages = [*ask("Go."), {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c7", "content": '{"n": 3}'}]  # fmt: skip
    assert "tool_calls" not in StandInModel(0).chat(messages, [offer("a")])


def test_first_answer_holds_an_invented_number_and_the_second_does_not():
    model, messages = StandInModel(1), ask("Go.")
    _, first = play(model, messages, [offer("a")], {"a": {"n": 3}})
    messages.append({"role": "user", "content": "These numbers did not come from any tool."})
    _, second = play(model, messages, [offer("a")], {"a": {"n": 3}})
    assert str(model.invented[0]) in first
    assert len(model.invented) == 1
    assert str(model.invented[0]) not in second


def test_invented_number_stands_nowhere_in_the_conversation():
    everything = " ".join(str(number) for number in range(2_000, 9_999))
    model = StandInModel(1, seed=1)
    play(model, ask(everything), [], {})
    assert model.invented == [9_999]


def test_mistakes_are_as_frequent_as_their_rate():
    model = StandInModel(0.3, seed=5)
    for _ in range(1000):
        play(model, ask("Go."), [], {})
    assert 240 <= len(model.invented) <= 360  # four standard deviations of a binomial (1000, 0.3) around 300


def test_same_seed_makes_the_same_mistakes():
    runs = [
        [play(model, ask("Go."), [], {})[1] for _ in range(20)]
        for model in (StandInModel(0.5, 3), StandInModel(0.5, 3))
    ]
    assert runs[0] == runs[1]


def test_rate_comes_from_the_environment_unless_given(monkeypatch):
    monkeypatch.setenv("MISTAKE_RATE", "0.25")
    assert StandInModel().mistake_rate == 0.25
    assert StandInModel(0).mistake_rate == 0
    monkeypatch.delenv("MISTAKE_RATE")
    assert StandInModel().mistake_rate == 0


@pytest.mark.parametrize("rate", ["often", "-0.1", "1.1", "nan"])
def test_rate_outside_0_to_1_is_refused_by_name(monkeypatch, rate):
    monkeypatch.setenv("MISTAKE_RATE", rate)
    with pytest.raises(ValueError, match=f"from 0 to 1, not '{rate}'"):
        StandInModel()


def test_messages_are_not_changed():
    messages = ask("Go.", {"n": 1})
    before = json.dumps(messages)
    StandInModel(1).chat(messages, [offer("a")])
    assert json.dumps(messages) == before


def test_listing_gives_records_a_table_with_a_row_each():
    text = listing(
        [
            (
                "standings",
                {"games": 2, "table": [{"player": "easy", "elo": 1184}, {"player": "hard", "elo": 1216}]},
            )
        ]
    )
    assert text.splitlines() == [
        "**Standings**", "", "games: 2", "", "table:", "",
        "| player | elo |", "| --- | --- |", "| easy | 1184 |", "| hard | 1216 |",
    ]  # fmt: skip


def test_listing_gives_places_of_files_without_their_text():
    text = listing([("search_files", {"best_matches": [{"file": "a.py", "line": 3, "text": "secret = 5"}]})])
    assert "- a.py:3" in text.splitlines()
    assert "secret" not in text


def test_listing_gives_notes_by_their_text_and_leaves_explanations_out():
    result = {
        "notes_found": 1,
        "notes": [{"when": "2026", "text": "easy won", "tags": ["easy"]}],
        "elo_note": "K is 32.",
    }
    text = listing([("recall", result)])
    assert text.splitlines() == ["**Recall**", "", "notes found: 1", "", "notes:", "", "- easy won"]


@pytest.mark.parametrize("result", [{"best_matches": []}, {}])
def test_listing_says_plainly_that_nothing_was_found(result):
    assert "othing was found." in listing([("search_files", result)])


def test_listing_shows_an_error_as_it_is():
    assert "error: There is no such file." in listing([("read_file", {"error": "There is no such file."})])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(["file", "text"]), inner),
    max_leaves=12,
)


@given(st.lists(st.tuples(st.text(), JSON), max_size=4))
def test_listing_takes_whatever_tools_return(results):
    assert listing(results).strip()


@given(st.lists(st.tuples(st.text(min_size=1), JSON), max_size=3, unique_by=lambda pair: pair[0]), JSON)
def test_any_run_ends_in_an_answer_after_one_call_of_each_tool(results, inputs):
    calls, answer = play(StandInModel(0), ask("Go.", inputs), [offer(name) for name, _ in results], dict(results))
    assert [name for name, _ in calls] == [name for name, _ in results]
    assert isinstance(answer, str)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
