"""agentkit.mini: the loop, the printer, and calls that are wrong in every way."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import max_tool_calls, mini, no_repeats
from agentkit.mini import answer, call, execute, print_event, registry, run_agent, tool, tool_results

MINI = ROOT / "agentkit" / "mini.py"


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def scripted(*replies):
    """A model that says these replies in order, and remembers what it was shown."""
    left = list(replies)

    def model(messages, schemas):
        model.seen.append((messages, schemas))
        return left.pop(0)

    model.seen = []
    return model


def run(*replies, **options):
    options.setdefault("on_event", None)
    return run_agent(scripted(*replies), registry(add), "Add them.", **options)


# --- The loop ---


def test_a_call_is_run_and_its_result_given_back_before_the_answer():
    result = run(call("add", a=1, b=2), answer("It is 3."))
    assert result == {
        "answer": "It is 3.",
        "stopped": None,
        "steps": 2,
        "tool_calls": 1,
        "errors": 0,
        "messages": [
            {"role": "system", "content": "You are a helpful agent. Use tools when needed."},
            {"role": "user", "content": "Add them."},
            call("add", a=1, b=2),
            {"role": "tool", "tool_call_id": "c1", "content": "3"},
            answer("It is 3."),
        ],
    }


def test_the_result_names_its_parts_in_the_documented_order():
    assert list(run(answer("x"))) == ["answer", "stopped", "messages", "steps", "tool_calls", "errors"]


def test_the_step_limit_ends_a_run_without_an_answer():
    result = run(*[call("add", a=1)] * 9)
    assert (result["answer"], result["stopped"]) == (None, "step limit (8) reached")
    assert (result["steps"], result["tool_calls"], len(result["messages"])) == (8, 8, 18)


def test_no_steps_allowed_means_that_the_model_is_not_asked():
    result = run(max_steps=0)
    assert (result["stopped"], result["steps"], len(result["messages"])) == ("step limit (0) reached", 0, 2)


@pytest.mark.parametrize(
    "reply", [answer(""), {"role": "assistant", "content": None}, {"content": None, "tool_calls": None}]
)
def test_an_empty_answer_is_accepted_and_not_retried(reply):
    result = run(reply)
    assert (result["answer"], result["stopped"], result["steps"]) == ("", None, 1)


def test_two_calls_in_one_reply_run_in_the_order_asked_as_one_step():
    both = {
        "role": "assistant",
        "content": "",
        "tool_calls": [*call("add", "first", a=1)["tool_calls"], *call("add", "second", a=10)["tool_calls"]],
    }
    result = run(both, answer("done"))
    assert (result["steps"], result["tool_calls"]) == (2, 2)
    assert [(m["tool_call_id"], m["content"]) for m in result["messages"][3:5]] == [
        ("first", "2"),
        ("second", "11"),
    ]


def test_a_failed_call_is_told_to_the_model_and_counted():
    result = run(call("sub", a=1), call("add", a=1), answer("2"))
    assert (result["answer"], result["errors"], result["tool_calls"]) == ("2", 1, 2)
    assert tool_results(result["messages"]) == [{"error": "unknown tool 'sub'; available: ['add']"}, 2]


def test_a_value_with_an_error_key_of_its_own_is_no_error():
    def margin():
        return {"error": 0.5}

    result = run_agent(scripted(call("margin"), answer("x")), registry(margin), "?", on_event=None)
    assert result["errors"] == 0
    assert tool_results(result["messages"]) == [{"error": 0.5}]


def test_the_model_sees_each_schema_untouched_and_a_snapshot_of_the_messages():
    def odd():
        return 1

    odd.schema = {"anything": "goes"}
    model = scripted(call("odd"), answer("x"))
    run_agent(model, {"odd": odd}, "?", on_event=None)
    assert [len(messages) for messages, _ in model.seen] == [2, 4]
    assert model.seen[0][1][0] is odd.schema


def test_what_the_model_raises_passes_through():
    def broken(messages, schemas):
        raise ConnectionError("no server")

    with pytest.raises(ConnectionError, match="no server"):
        run_agent(broken, {}, "?", on_event=None)


# --- Guards ---


def test_the_first_guard_with_a_reason_ends_the_run_before_the_next_step():
    seen = []

    def watch(state):
        seen.append({key: state[key] for key in ("steps", "tool_calls", "errors")})
        assert set(state) == {"messages", "steps", "tool_calls", "errors"}

    def enough(state):
        return "one call is enough" if state["tool_calls"] >= 1 else None

    result = run(call("sub"), answer("never said"), guards=[watch, enough])
    assert (result["answer"], result["stopped"], result["steps"]) == (None, "one call is enough", 1)
    assert seen == [{"steps": 0, "tool_calls": 0, "errors": 0}, {"steps": 1, "tool_calls": 1, "errors": 1}]


def test_guards_may_come_from_a_generator_and_are_asked_at_every_step():
    guards = (guard for guard in [lambda state: "late" if state["steps"] == 2 else None])
    assert run(*[call("add", a=1)] * 3, guards=guards)["stopped"] == "late"


def test_the_ready_made_guards_of_agentkit_work_here_too():
    calls = [call("add", a=1)] * 5
    assert run(*calls, guards=[max_tool_calls(2)])["stopped"] == "tool call limit (2) reached"
    repeated = run(*calls, guards=[no_repeats(3)])
    assert repeated["stopped"] == "the same call was made 4 times: add"
    assert "Do not send it again" in tool_results(repeated["messages"])[2]["error"]


# --- Events and the printer ---


def test_each_event_has_its_kind_and_its_details():
    events = []
    run(call("add", a=1), answer("2"), on_event=events.append)
    run(call("sub"), max_steps=1, on_event=events.append)
    assert events == [
        {"kind": "tool_call", "step": 1, "id": "c1", "name": "add", "arguments": '{"a": 1}'},
        {"kind": "tool_result", "step": 1, "id": "c1", "content": "2", "is_error": False},
        {"kind": "final", "step": 2, "content": "2"},
        {"kind": "tool_call", "step": 1, "id": "c1", "name": "sub", "arguments": "{}"},
        {
            "kind": "tool_result",
            "step": 1,
            "id": "c1",
            "is_error": True,
            "content": "{\"error\": \"unknown tool 'sub'; available: ['add']\"}",
        },
        {"kind": "stopped", "step": 1, "reason": "step limit (1) reached"},
    ]


def test_the_printer_writes_one_line_for_each_event(capsys):
    run(call("add", a=1), answer("2"), on_event=print_event)
    run(max_steps=0, on_event=print_event)
    assert capsys.readouterr().out == (
        '  step 1: add({"a": 1})\n      -> 2\n  step 2: final answer\n  stopped: step limit (0) reached\n'
    )


@pytest.mark.parametrize("length, shown", [(99, "x" * 99), (100, "x" * 100), (101, "x" * 100 + "...")])
def test_the_printer_shows_100_characters_of_a_result(capsys, length, shown):
    print_event({"kind": "tool_result", "step": 1, "id": "c", "content": "x" * length, "is_error": False})
    assert capsys.readouterr().out == f"      -> {shown}\n"


def test_the_printer_is_the_default(capsys):
    run_agent(scripted(answer("x")), {}, "?")
    assert capsys.readouterr().out == "  step 1: final answer\n"


# --- One call, wrong in every way ---


def boom(kind: str = "value"):
    """Fail in the way asked for."""
    if kind == "exit":
        sys.exit(3)
    if kind == "type":
        raise TypeError("inside the tool")
    raise ValueError("no such luck")


def give(what: str):
    """Return something odd."""
    return {"nan": float("nan"), "set": {1}, "bytes": b"x", "half": "\ud800", "none": None}[what]


TOOLS = registry(add, boom, give)
NAMES = "available: ['add', 'boom', 'give']"


@pytest.mark.parametrize(
    "name, arguments, outcome",
    [
        ("add", '{"a": 1, "b": 2}', {"result": 3}),
        ("add", {"a": 1}, {"result": 2}),
        ("addd", '{"a": 1}', {"error": f"unknown tool 'addd'; {NAMES}"}),
        ("", "{}", {"error": f"unknown tool ''; {NAMES}"}),
        (None, "{}", {"error": f"unknown tool None; {NAMES}"}),
        (["add"], "{}", {"error": f"unknown tool ['add']; {NAMES}"}),
        ("add", "", {"error": "bad arguments: missing a required argument: 'a'"}),
        ("add", None, {"error": "bad arguments: missing a required argument: 'a'"}),
        ("add", "[1, 2]", {"error": "bad arguments: they must be a JSON object, not list"}),
        ("add", '{"a": 1, "c": 2}', {"error": "bad arguments: got an unexpected keyword argument 'c'"}),
        ("boom", "{}", {"error": "ValueError: no such luck"}),
        ("boom", '{"kind": "type"}', {"error": "TypeError: inside the tool"}),
        ("boom", '{"kind": "exit"}', {"error": "SystemExit: 3"}),
        ("give", '{"what": "missing"}', {"error": "KeyError: 'missing'"}),
        ("give", '{"what": "none"}', {"result": None}),
    ],
)
def test_one_call_gives_a_result_or_says_what_was_wrong(name, arguments, outcome):
    assert execute(TOOLS, {"id": "c1", "name": name, "arguments": arguments}) == outcome


@pytest.mark.parametrize("arguments", ['{"a": 1, "b"', "a=1", "[" * 100_000, 7])
def test_arguments_that_are_no_json_are_to_be_sent_again(arguments):
    error = execute(TOOLS, {"id": "c1", "name": "add", "arguments": arguments})["error"]
    assert error.startswith("arguments were not valid JSON (")
    assert error.endswith("); resend the call")


@pytest.mark.parametrize(
    "what, error", [("nan", "ValueError: "), ("set", "TypeError: "), ("bytes", "TypeError: ")]
)
def test_a_result_that_json_cannot_hold_is_an_error_of_the_tool(what, error):
    assert execute(TOOLS, call("give", what=what)["tool_calls"][0])["error"].startswith(error)


def test_half_a_character_in_a_result_reaches_the_model_as_a_question_mark():
    result = run_agent(scripted(call("give", what="half"), answer("x")), TOOLS, "?", on_event=None)
    assert result["messages"][3]["content"] == '"?"'


def test_a_persons_interrupt_passes_through_a_tool():
    def wait():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(registry(wait), call("wait")["tool_calls"][0])


def test_an_error_that_cannot_even_be_shown_is_named():
    class Sullen(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    def sulk():
        raise Sullen

    assert execute(registry(sulk), call("sulk")["tool_calls"][0]) == {"error": "Sullen"}


def test_a_call_without_any_of_its_parts_is_an_unknown_tool():
    assert execute(TOOLS, {}) == {"error": f"unknown tool None; {NAMES}"}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["add", "boom", "give"]) | anything
arguments_texts = (
    st.text()
    | anything
    | anything.map(json.dumps)
    | st.fixed_dictionaries(
        {}, optional={"a": anything, "b": anything, "kind": anything, "what": anything}
    ).map(json.dumps)
)


@settings(max_examples=1000, deadline=None)
@given(st.fixed_dictionaries({}, optional={"id": anything, "name": names, "arguments": arguments_texts}))
def test_no_call_whatsoever_makes_execute_raise(request):
    outcome = execute(TOOLS, request)
    assert list(outcome) in (["result"], ["error"])
    json.loads(mini.to_json(outcome))


# --- Helpers ---


def test_a_decorated_function_still_works_and_has_a_schema():
    assert add(2, 3) == 5
    assert add.schema == {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Add two numbers.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a"],
            },
        },
    }


def test_a_schema_reads_each_hint_and_takes_the_rest_as_text():
    @tool
    def many(a: float, b: bool, c: list[int], d: dict, e, f: "str | None" = None):
        pass

    parameters = many.schema["function"]["parameters"]
    assert [each["type"] for each in parameters["properties"].values()] == [
        "number",
        "boolean",
        "array",
        "object",
        "string",
        "string",
    ]
    assert parameters["required"] == ["a", "b", "c", "d", "e"]


def test_a_call_may_have_arguments_called_tool_name_and_call_id():
    request = call("add", "c9", tool_name="x", call_id="y")["tool_calls"][0]
    assert request == {"id": "c9", "name": "add", "arguments": '{"tool_name": "x", "call_id": "y"}'}


def test_registry_keeps_a_schema_that_is_there_and_makes_one_that_is_missing():
    def plain(city: str):
        """Look."""

    def own():
        """Look."""

    own.schema = {"name": "own"}
    tools = registry(plain, own)
    assert tools["plain"].schema["function"]["parameters"]["properties"] == {"city": {"type": "string"}}
    assert tools["own"].schema == {"name": "own"}


def test_the_file_stands_alone(tmp_path):
    """Copied to an empty folder it runs, with nothing of agentkit to be found."""
    shutil.copy(MINI, tmp_path / "mini.py")
    program = (
        "from mini import *\nprint(run_agent(lambda *_: answer('alone'), {}, '?', on_event=None)['answer'])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.')\n{program}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("alone\n", "")


def test_the_file_can_be_read_at_one_sitting():
    assert len(MINI.read_text(encoding="utf-8").splitlines()) <= 160


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
