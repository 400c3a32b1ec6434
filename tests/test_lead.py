"""A small model that is led: agentkit/more/lead.py, and the turns of agentkit/agent.py that use it.

The replies are those of Qwen2.5-Coder 0.5B and 1.5B in kind: a description of the calls that should be made, a call
written as text, a form filled in.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import (
    Agent,
    ReplayModel,
    Result,
    ScriptedModel,
    Tracer,
    all_of,
    covers,
    numbers_grounded,
    succeeded,
    tool,
)
from agentkit.more.journal import Resumed
from agentkit.more.lead import FORM, asked_for, composed, form, missing_tool, only, page, useful
from agentkit.trace import read_trace

TABLE = [{"player": "medium", "points": 2.0}, {"player": "easy", "points": 0.0}]
NOTES = [{"when": "2026-01-01", "text": "easy had 1.5 points"}]
PROSE = "To find the points, you would call `standings`."


@tool
def standings(tournament: str, decimals: int = 1) -> dict[str, Any]:
    """Rank the players.

    Args:
        tournament: the id of the tournament
        decimals: how many decimals the points have
    """
    return {"tournament": tournament, "table": TABLE}


@tool
def recall(query: str) -> dict[str, Any]:
    """Find notes.

    Args:
        query: words to look for, such as names
    """
    return {"notes": NOTES}


@tool
def count() -> dict[str, Any]:
    """Count the games."""
    return {"games": 2}


class Led(ScriptedModel):
    """A scripted model behind a server that can constrain replies; `.asked`: the forms, None for other turns."""

    def __init__(self, replies: list[Any]) -> None:
        super().__init__(replies)
        self.asked: list[Any] = []

    def chat(self, messages, tools):
        self.asked.append(None)
        return super().chat(messages, tools)

    def chat_constrained(self, messages, offered):
        self.asked.append(offered["function"])
        return super().chat(messages, [offered])

    @property
    def forms(self) -> list[str | None]:
        return [asked and asked["name"] for asked in self.asked]


def filled_in(form_name: str, /, **arguments: Any) -> dict[str, Any]:
    """The reply of a constrained turn."""
    return {"content": "", "tool_calls": [{"function": {"name": form_name, "arguments": arguments}}]}


def entry(name: str, result: Any, **args: Any) -> dict[str, Any]:
    return {"tool": name, "args": args, "result": result}


def prompt(model: Led, number: int) -> str:
    """What the model was asked in its n-th turn, as one text."""
    return "\n".join(message["content"] for message in model.seen[number]["messages"])


CHECK = all_of(succeeded("standings"), covers("standings.table"), numbers_grounded)
ASKED = "1. Call standings with the tournament of the Inputs.\n2. Say who has how many points."


# --- a whole run ----------------------------------------------------------------------------------------------------


def test_a_model_that_describes_its_calls_is_led_to_them_and_to_an_answer():
    model = Led([PROSE, filled_in("standings", tournament="7-7"), filled_in(FORM, **{"standings.table": True})])
    result = Agent("sums", ASKED, [standings, count], model, check=CHECK).run("How did it end?", {"tournament": "7-7"})
    assert (result.passed, result.steps, result.retries_used) == (True, 3, 0)
    assert result.tool_log == [entry("standings", {"tournament": "7-7", "table": TABLE}, tournament="7-7")]
    assert result.answer == ("**Standings**\n\n| player | points |\n| --- | --- |\n| medium | 2.0 |\n| easy | 0.0 |")
    assert model.forms == [None, "standings", FORM]


def test_what_was_refused_is_not_shown_again_to_a_led_model():
    model = Led([PROSE, filled_in("standings", tournament="7-7"), filled_in(FORM, **{"standings.table": True})])
    Agent("sums", ASKED, [standings, count], model, check=CHECK).run("How did it end?")
    assert not any("you would call" in prompt(model, number) for number in range(3))


def test_a_model_that_wrote_its_call_as_text_is_led_at_once_where_every_tool_is_required():
    written = json.dumps({"name": "standings", "arguments": {"tournament": "7-7"}})
    model = Led([written, filled_in(FORM, **{"standings.table": True})])
    assert Agent("sums", ASKED, [standings], model, check=CHECK).run("How did it end?").passed
    assert model.forms == [None, FORM]


def test_a_model_that_wrote_its_call_as_text_goes_on_by_itself_where_a_tool_is_left_to_its_choice():
    written = json.dumps({"name": "standings", "arguments": {"tournament": "7-7"}})
    model = Led([written, "medium 2.0, easy 0.0"])
    assert Agent("sums", ASKED, [standings, count], model, check=CHECK).run("How did it end?").passed
    assert model.forms == [None, None]


def test_an_answer_refused_after_all_calls_is_written_anew_from_the_page():
    called = filled_in("standings", tournament="7-7")
    model = Led([called, "I called standings.", filled_in(FORM, **{"standings.table": True})])
    assert Agent("sums", ASKED, [standings, count], model, check=CHECK).run("How did it end?").passed
    assert model.forms == [None, None, FORM]


def test_words_are_asked_for_only_after_an_answer_of_tables_was_refused():
    def politely(answer: str, tool_log: list[dict[str, Any]]) -> list[str]:
        return [] if "Thank you" in answer else ["Say thank you."]

    tables = {"standings.table": True}
    replies = [PROSE, filled_in("standings", tournament="7"), filled_in(FORM, **tables)]
    model = Led([*replies, filled_in(FORM, **tables, words="Thank you.")])
    result = Agent("sums", ASKED, [standings], model, check=all_of(CHECK, politely)).run("How did it end?")
    assert (result.passed, result.retries_used) == (True, 1)
    assert result.answer.endswith("| easy | 0.0 |\n\nThank you.")
    assert [list(asked["parameters"]["properties"]) for asked in model.asked[2:]] == [
        ["standings.table"],
        ["standings.table", "words"],
    ]
    assert "- Say thank you." in prompt(model, 3)


def test_what_a_led_model_invents_is_refused():
    invented = filled_in(FORM, **{"standings.table": True}, words="That makes 4711.")
    model = Led([PROSE, filled_in("standings", tournament="7"), invented, invented])
    result = Agent("sums", ASKED, [standings], model, check=CHECK).run("How did it end?")
    assert result.problems == ["These numbers did not come from any tool: 4711."]


def test_a_form_with_nothing_chosen_is_no_answer():
    nothing = filled_in(FORM, **{"standings.table": False})
    model = Led([PROSE, filled_in("standings", tournament="7"), nothing, nothing])
    assert Agent("sums", ASKED, [standings], model, check=CHECK).run("x").problems == ["There was no answer."]


def test_without_a_table_a_led_model_writes_plain_sentences():
    model = Led(["You would call count.", filled_in("count"), "There were 2 games."])
    result = Agent("sums", "1. Call count.", [count], model, check=all_of(succeeded("count"), numbers_grounded)).run(
        "x"
    )
    assert (result.passed, model.forms) == (True, [None, "count", None])
    assert model.seen[2]["tools"] == []


def test_a_tool_that_fails_twice_is_not_asked_for_a_third_time():
    @tool
    def broken() -> dict[str, Any]:
        """Fail."""
        raise ValueError("no")

    model = Led(["No.", filled_in("broken"), filled_in("broken"), "No.", "No."])
    result = Agent("a", "1. Call broken.", [broken], model, check=succeeded("broken")).run("x")
    assert model.forms == [None, "broken", "broken", None, None]
    assert result.problems == ["These tools never ran successfully: broken."]


def test_on_the_last_step_a_led_model_is_asked_for_an_answer_not_for_a_call():
    model = Led([filled_in("count"), "There were 9.", "There were 2 games."])
    check = all_of(useful("recall"), numbers_grounded)
    result = Agent("a", ASKED, [count, recall], model, max_steps=3, check=check).run("x")
    assert (result.passed, result.answer, model.forms[-1]) == (True, "There were 2 games.", None)


def test_a_person_who_said_no_is_not_asked_again():
    @tool(needs_approval=True)
    def send() -> dict[str, Any]:
        """Send it."""
        return {"sent": True}

    asked: list[str] = []
    model = Led(["Done.", filled_in("send"), "It was not sent.", "It was not sent."])
    agent = Agent("a", "1. Call send.", [send], model, check=succeeded("send"))
    agent.approver = lambda name, args: asked.append(name)
    assert not agent.run("x").passed and asked == ["send"]


def test_a_call_that_a_led_model_wrote_as_text_is_recovered():
    written = '{"name": "standings", "arguments": {"tournament": "7-7"}}'
    model = Led([PROSE, written, filled_in(FORM, **{"standings.table": True})])
    assert Agent("sums", ASKED, [standings], model, check=CHECK).run("x").passed


def test_a_led_run_without_a_form_is_replayed_as_it_was(tmp_path):
    check = all_of(succeeded("count"), numbers_grounded)
    replies = [filled_in("count"), "There were 7.", "There were 8.", "There were 2 games."]
    with contextlib.closing(Tracer(tmp_path / "run.jsonl")) as tracer:
        first = Agent("a", ASKED, [count], Led(replies), check=check, tracer=tracer).run("x")
    again = Agent("a", ASKED, [count], ReplayModel(tmp_path / "run.jsonl"), check=check).run("x")
    assert first.passed and (again.answer, again.steps) == (first.answer, first.steps)


@pytest.mark.parametrize("refusal", [{"error": "no"}, {"status": "validation_error", "errors": ["no"]}])
def test_a_model_whose_required_call_failed_is_led_through_the_job_in_order(refusal):
    @tool
    def plan(ids: list[str]) -> dict[str, Any]:
        """Plan."""
        return {"steps": len(ids)} if ids == ["7-7"] else refusal

    check = all_of(succeeded("standings", "plan"), numbers_grounded)
    calls = [
        filled_in("plan", ids=["invented"]),
        filled_in("standings", tournament="7-7"),
        filled_in("plan", ids=["7-7"]),
    ]
    model = Led([*calls, filled_in(FORM, **{"standings.table": True})])
    assert Agent("a", ASKED, [standings, plan], model, check=check).run("x").passed
    assert model.forms == [None, "standings", "plan", FORM]


def test_a_model_whose_useful_call_failed_goes_on_by_itself():
    @tool
    def look(name: str) -> dict[str, Any]:
        """Look."""
        return {"error": f"There is no {name}."}

    model = Led([filled_in("look", name="x"), {"content": "Nothing was found."}])
    assert Agent("a", ASKED, [look], model, check=all_of(useful("look"))).run("x").passed
    assert model.forms == [None, None] and model.seen[1]["tools"]


@pytest.mark.parametrize("result", [{"errors": 3}, {"errors": ["unused name"]}, {"status": "ok", "errors": ["x"]}])
def test_errors_that_a_tool_was_asked_to_find_are_no_failure(result):
    assert missing_tool(["lint"], [entry("lint", result)]) is None


@pytest.mark.parametrize("check", [None, numbers_grounded, all_of(numbers_grounded)])
def test_a_job_that_names_no_tools_is_never_led(check):
    model = Led(["It is 4711.", "It is 4711."])
    Agent("a", "x", [standings], model, check=check).run("x")
    assert set(model.forms) == {None}


def test_a_model_without_constrained_replies_is_told_what_was_wrong():
    model = ScriptedModel([PROSE, PROSE])
    result = Agent("sums", ASKED, [standings], model, check=CHECK).run("x")
    assert result.retries_used == 1
    assert model.seen[1]["messages"][-1]["content"].startswith("Your answer was not accepted:")


LED = [PROSE, filled_in("standings", tournament="7"), filled_in(FORM, **{"standings.table": True})]


def led_run(tracer: Tracer, replies: list[Any]) -> Result:
    """A run that these replies lead to its end, with its trace closed."""
    with contextlib.closing(tracer):
        return Agent("sums", ASKED, [standings], Led(replies), check=CHECK, tracer=tracer).run("x")


def test_a_led_run_is_replayed_as_it_was(tmp_path):
    path = tmp_path / "trace.jsonl"
    right = led_run(Tracer(path), LED)
    asked = [event.get("required") for event in read_trace(path) if event["kind"] == "reply"]
    assert asked == [None, "standings", FORM]
    replayed = Agent("sums", ASKED, [standings], ReplayModel(path), check=CHECK).run("x")
    assert (replayed.answer, replayed.tool_log, replayed.passed) == (right.answer, right.tool_log, True)


def test_a_led_run_that_was_interrupted_goes_on_where_it_was(tmp_path):
    path = tmp_path / "trace.jsonl"
    right = led_run(Tracer(path), LED)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for cut in range(1, len(lines)):
        again = tmp_path / f"cut-{cut}.jsonl"
        again.write_text("".join(lines[:cut]), encoding="utf-8")
        replied = sum('"kind": "reply"' in line for line in lines[:cut])
        result = led_run(Resumed(again), LED[replied:])
        assert (result.answer, result.tool_log) == (right.answer, right.tool_log)


# --- which tool -----------------------------------------------------------------------------------------------------


def test_the_missing_tool_is_the_first_required_one_that_never_succeeded():
    failed, done = entry("add", {"error": "no"}), entry("add", {"sum": 2})
    assert missing_tool(["add", "look"], []) == "add"
    assert missing_tool(["add", "look"], [failed]) == "add"
    assert missing_tool(["add", "look"], [failed, done]) == "look"
    assert missing_tool(["add"], [done, failed]) is None
    assert missing_tool([], []) is None


def test_a_useful_tool_is_led_to_but_never_missed():
    check = all_of(succeeded("standings"), useful("recall"))
    assert (check.required, check.useful) == (("standings",), ("recall",))
    assert check("x", [entry("standings", {"table": TABLE})]) == []


def test_an_optional_argument_that_nobody_spoke_of_is_not_offered():
    silent = [{"role": "system", "content": "Rank them."}, {"role": "user", "content": "x"}]
    spoken = [{"role": "system", "content": "Rank them with 2 decimals."}, {"role": "user", "content": "x"}]
    assert list(only(standings, silent)["function"]["parameters"]["properties"]) == ["tournament"]
    assert list(only(standings, spoken)["function"]["parameters"]["properties"]) == ["tournament", "decimals"]
    assert list(standings.parameters["properties"]) == ["tournament", "decimals"]


def test_no_argument_can_be_filled_in_for_ever():
    @tool(limits={"names": {"items": {"enum": ["a"]}}, "day": {"pattern": "^[0-9]+$"}, "title": {"maxLength": 40}})
    def publish(title: str, body: str, names: list[str], pages: list[str], day: str, number: int) -> str:
        """Publish."""
        return title + body + day

    offered = only(publish, [{"role": "system", "content": ""}])["function"]["parameters"]["properties"]
    assert {key: about.get("maxLength") for key, about in offered.items()} == {
        "title": 40, "body": 300, "names": None, "pages": None, "day": None, "number": None,
    }  # fmt: skip
    assert (offered["names"]["maxItems"], offered["names"]["items"]["enum"]) == (20, ["a"])
    assert offered["pages"]["items"]["maxLength"] == 300
    assert "maxLength" not in publish.parameters["properties"]["body"]


def test_a_tool_is_asked_for_in_the_words_of_the_instructions_with_what_its_arguments_mean():
    messages = [{"role": "system", "content": "Help.\n1. Call recall with the names.\n2. Answer."}]
    asked = asked_for(messages, recall.schema())
    assert asked[:-1] == messages
    assert asked[-1]["content"] == (
        "The job is not done yet.\n1. Call recall with the names.\n"
        "Now fill in the arguments of recall, as JSON:\n- query: words to look for, such as names"
    )


# --- the page and the form ------------------------------------------------------------------------------------------


def conversation(task: str, *after: dict[str, Any]) -> list[dict[str, Any]]:
    system = {"role": "system", "content": f"You rank players.\n{ASKED}"}
    return [system, {"role": "user", "content": task}, {"role": "assistant", "content": ""}, *after]


def test_the_page_holds_what_is_left_of_the_job_and_what_the_tools_returned():
    log = [entry("standings", {"error": "no"}), entry("standings", {"tournament": "7", "table": TABLE})]
    system, text = (message["content"] for message in page(conversation("How did it end?"), log))
    assert "call no tool" in system
    assert "Call standings" not in text
    assert "2. Say who has how many points." in text
    assert text.index("How did it end?") < text.index("| medium | 2.0 |")
    assert "error" not in text


def test_the_page_leaves_out_inputs_that_the_tools_tell_and_answers_of_earlier_agents():
    inputs = {"language": "German", "tournament": "7", "pairs": 1, "director_answer": "easy won 9 games"}
    log = [entry("standings", {"table": TABLE}, tournament="7")]
    text = page(conversation(f"Report.\n\nInputs: {json.dumps(inputs)}"), log)[1]["content"]
    assert 'Report.\n\nInputs: {"language": "German"}' in text
    assert "won 9 games" not in text


def test_a_page_is_never_longer_than_a_model_can_read():
    log = [entry("standings", {"table": [{"player": f"player {n}", "points": n} for n in range(2_000)]})]
    text = page(conversation("x"), log)[1]["content"]
    assert len(text) < 14_000
    assert "characters were left out here" in text


def test_a_form_asks_of_each_table_and_the_answer_has_those_that_were_chosen():
    log = [entry("standings", {"table": TABLE}), entry("recall", {"notes": NOTES}), entry("count", {"games": 2})]
    asked = form(conversation("x"), log)["function"]["parameters"]
    assert asked["required"] == ["standings.table", "recall.notes"]
    chosen = {"standings.table": False, "recall.notes": True, "made.up": True}
    assert composed(chosen, log) == "**Notes**\n\n- easy had 1.5 points"


def test_a_table_is_the_last_one_that_its_tool_returned():
    log = [entry("standings", {"table": TABLE}), entry("standings", {"table": TABLE[:1]})]
    assert "easy" not in composed({"standings.table": True}, log)


def cited(answer: str, tool_log: list[dict[str, Any]]) -> list[str]:
    """A check that knows what may be cited: the lines that `search` found."""
    return []


cited.sources = (lambda log: [line for call in log for line in call["result"].get("lines", [])],)
FOUND = [entry("search", {"lines": ["a.py:7", "b.py:2", "a.py:7", "a.py:70"], "table": TABLE})]


def test_where_there_is_something_to_cite_a_form_asks_for_words_and_then_for_what_they_are_taken_from():
    asked = form(conversation("How long does it wait?"), FOUND, cited)["function"]["parameters"]["properties"]
    assert list(asked) == ["words", "sources"]
    assert asked["sources"]["items"]["enum"] == ["a.py:7", "b.py:2", "a.py:70"]
    assert "sources: the lines that hold the answer" in page(conversation("x"), FOUND, cited)[1]["content"]


def test_a_check_made_of_others_knows_what_they_know():
    both = all_of(succeeded("search"), useful("read"), cited)
    assert (both.required, both.useful, both.sources) == (("search",), ("read",), cited.sources)


@pytest.mark.parametrize(
    ("filled", "answer"),
    [
        ({"words": "It waits 5 seconds.", "sources": ["a.py:7"]}, "It waits 5 seconds. (a.py:7)"),
        ({"words": "See a.py:7.", "sources": ["a.py:7", "b.py:2"]}, "See a.py:7. (b.py:2)"),
        ({"words": "See a.py:70.", "sources": ["a.py:7"]}, "See a.py:70. (a.py:7)"),
        ({"words": "See data.py:7 and xa.py:7.", "sources": ["a.py:7"]}, "See data.py:7 and xa.py:7. (a.py:7)"),
        ({"words": "Nothing was found.", "sources": []}, "Nothing was found."),
        ({"words": "It waits.", "sources": ["made/up.py:1"]}, "It waits."),
        ({"words": "It waits.", "sources": "a.py:7"}, "It waits."),
        ({"words": "", "sources": ["a.py:7"]}, ""),
        ({"words": None, "sources": ["a.py:7"]}, ""),
    ],
)
def test_the_sources_that_were_chosen_are_copied_behind_the_words(filled, answer):
    assert composed(filled, FOUND, cited) == answer


def test_where_nothing_was_found_to_cite_the_tables_are_asked_for():
    log = [entry("standings", {"table": TABLE})]
    assert list(form(conversation("x"), log, cited)["function"]["parameters"]["properties"]) == ["standings.table"]


def test_no_form_offers_more_sources_than_can_be_chosen_from():
    log = [entry("search", {"lines": [f"a.py:{n}" for n in range(1, 5_000)]})]
    asked = form(conversation("x"), log, cited)["function"]["parameters"]["properties"]
    assert len(asked["sources"]["items"]["enum"]) == 100 and asked["sources"]["maxItems"] == 3


@pytest.mark.parametrize("text", ["It waits (a.py:7).", "", "[]", "7"])
def test_what_is_no_form_is_returned_as_it_is(text):
    assert composed(text, [entry("standings", {"table": TABLE})]) == text


def test_a_form_that_came_as_text_is_read_and_one_that_was_cut_off_is_no_answer():
    assert composed('{"words": "It waits.", "sources": ["a.py:7"]}', FOUND, cited) == "It waits. (a.py:7)"
    assert composed('{"words": "It waits (a.py:7)', FOUND, cited) == ""


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
