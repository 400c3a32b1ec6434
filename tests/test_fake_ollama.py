"""The fake server answers as Ollama does: same pages, same fields, same words of refusal.

The expected forms come from Ollama's own documentation (docs/api.md) and the texts in its server/routes.go;
the OpenAI ones from the API reference for chat completions. Every test speaks HTTP to a server on a free
port.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import Agent, OllamaModel, ScriptedModel, tool
from agentkit.errors import ModelRefused
from devtools.constrained import fits
from devtools.fake_ollama import make_app, running

pytestmark = pytest.mark.loopback

HELLO = [{"role": "user", "content": "Hello"}]
ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}
CALL = {"content": "", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1, "b": 2}}}]}


def ask(url: str, body: Any = None) -> tuple[int, str]:
    """The status and text of a page; with a body (an object, or text as it is) the request is a POST."""
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data)) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def chat(url: str, **body: Any) -> dict[str, Any]:
    status, text = ask(f"{url}/api/chat", {"model": "qwen3", "messages": HELLO, "stream": False, **body})
    assert status == 200, text
    return json.loads(text)


def serve(*replies: dict[str, Any], **settings: Any) -> Any:
    return running(make_app(ScriptedModel(list(replies)), **settings))


# ---- /api/chat -------------------------------------------------------------------------------------


def test_a_whole_reply_has_every_field_that_ollama_documents():
    with serve({"content": "Good day"}) as url:
        reply = chat(url)
    assert reply["message"] == {"role": "assistant", "content": "Good day"}
    assert (reply["model"], reply["done"], reply["done_reason"]) == ("qwen3", True, "stop")
    counts = ["total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count"]
    assert all(isinstance(reply[name], int) for name in [*counts, "eval_duration"])
    assert reply["created_at"].endswith("Z")


def test_tool_calls_arrive_with_arguments_as_an_object():
    with serve(CALL) as url:
        message = chat(url, tools=[ADD])["message"]
    assert message["tool_calls"] == CALL["tool_calls"]


def test_streaming_is_on_unless_it_is_switched_off():
    with serve({"content": "one two  three"}) as url:
        status, text = ask(f"{url}/api/chat", {"model": "qwen3", "messages": HELLO})
    parts = [json.loads(line) for line in text.splitlines()]
    assert status == 200
    assert "".join(part["message"]["content"] for part in parts) == "one two  three"
    assert [part["done"] for part in parts] == [False] * (len(parts) - 1) + [True]
    assert len(parts) > 2 and parts[-1]["eval_count"] > 0


def test_a_streamed_tool_call_comes_in_one_part_before_the_last():
    with serve(CALL) as url:
        _, text = ask(f"{url}/api/chat", {"model": "qwen3", "messages": HELLO, "tools": [ADD]})
    parts = [json.loads(line) for line in text.splitlines()]
    assert parts[0]["message"]["tool_calls"] == CALL["tool_calls"]
    assert parts[-1]["done"] and "tool_calls" not in parts[-1]["message"]


def test_no_messages_only_loads_the_model():
    with serve() as url:
        reply = chat(url, messages=[])
    assert reply["done_reason"] == "load" and reply["message"]["content"] == ""


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"model": "qwen9"}, 404, 'model "qwen9" not found, try pulling it first'),
        ({"model": ""}, 400, "model is required"),
        ({"model": "no-tools", "tools": [ADD]}, 400, "no-tools:latest does not support tools"),
        ("", 400, "missing request body"),
        ('{"model": ', 400, "unexpected EOF"),
        ("hello", 400, "invalid character 'h' looking for beginning of value"),
        ("[]", 400, "json: cannot unmarshal array into Go value of type api.ChatRequest"),
        (
            {"messages": [{"role": "user", "content": ["a"]}]},
            400,
            "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}]},
            400,
            "json: cannot unmarshal string into Go struct field"
            " ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
        ),
    ],
)
def test_wrong_requests_are_refused_in_ollamas_words(body, status, error):
    if isinstance(body, dict):
        body = {"model": "qwen3", "messages": HELLO, **body}
    with serve({"content": "not reached"}) as url:
        answer = ask(f"{url}/api/chat", body)
    assert (answer[0], json.loads(answer[1])) == (status, {"error": error})


def test_a_model_without_tools_still_chats():
    with serve({"content": "Hello"}) as url:
        assert chat(url, model="no-tools")["message"]["content"] == "Hello"


def test_a_name_without_a_tag_means_latest():
    with serve({"content": "Hello"}) as url:
        assert chat(url, model="qwen3:latest")["model"] == "qwen3:latest"


def test_a_server_that_is_starting_refuses_first_and_answers_then():
    with serve({"content": "Hello"}, failures=[503, 429]) as url:
        asked = {"model": "qwen3", "messages": HELLO, "stream": False}
        statuses = [ask(f"{url}/api/chat", asked)[0] for _ in range(3)]
    assert statuses == [503, 429, 200]


def test_a_failing_model_is_an_error_of_the_server():
    with serve() as url:
        status, text = ask(f"{url}/api/chat", {"model": "qwen3", "messages": HELLO, "stream": False})
    assert status == 500 and json.loads(text)["error"]


# ---- the context window, the limit on a reply, the shape of a reply -----------------------------------


def test_a_long_conversation_loses_its_oldest_messages_without_a_word():
    model = ScriptedModel([{"content": "ok"}])
    long = [{"role": "system", "content": "Be brief."}]
    long += [{"role": "user", "content": f"{number} " + "x" * 400} for number in range(20)]
    with running(make_app(model)) as url:
        reply = chat(url, messages=long, options={"num_ctx": 512})
    seen = model.seen[0]["messages"]
    assert reply["prompt_eval_count"] <= 512
    assert seen[0] == long[0] and seen[-1] == long[-1] and 2 < len(seen) < len(long)
    assert seen[1:] == long[-len(seen) + 1 :]


def test_one_message_longer_than_the_window_keeps_its_end():
    model = ScriptedModel([{"content": "ok"}])
    with running(make_app(model)) as url:
        long = [{"role": "user", "content": "x" * 9000 + " the end"}]
        reply = chat(url, messages=long, options={"num_ctx": 100})
    assert reply["prompt_eval_count"] <= 100
    assert model.seen[0]["messages"][0]["content"].endswith(" the end")


def test_more_messages_need_more_tokens_while_they_fit():
    with serve({"content": "a"}, {"content": "b"}) as url:
        short, longer = (chat(url, messages=HELLO * n)["prompt_eval_count"] for n in (1, 2))
    assert 0 < short < longer


def test_num_predict_cuts_a_reply_and_says_so():
    with serve({"content": "word " * 100}, {"content": "short"}) as url:
        cut = chat(url, options={"num_predict": 10})
        whole = chat(url, options={"num_predict": 100})
    assert (cut["done_reason"], whole["done_reason"]) == ("length", "stop")
    assert len(cut["message"]["content"]) == 40


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


SHAPES = [
    an_object(n={"type": "integer", "minimum": 3}),
    an_object(who={"type": "string", "enum": ["easy", "hard"]}),
    an_object(list={"type": "array", "items": {"type": "string", "minLength": 2}, "minItems": 2}),
    an_object(x={"anyOf": [{"type": "number", "maximum": -2}, {"type": "null"}]}, y={"type": "boolean"}),
    an_object(inner=an_object(flag={"type": "boolean"})),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: next(iter(shape["properties"])))
def test_a_format_makes_any_reply_fit_the_schema(shape):
    with serve({"content": "I would rather talk."}) as url:
        content = chat(url, format=shape)["message"]["content"]
    assert fits(json.loads(content), shape)


def test_a_reply_that_fits_the_format_already_stays_as_it_is():
    with serve({"content": '{"n":   7}'}) as url:
        assert chat(url, format=SHAPES[0])["message"]["content"] == '{"n":   7}'


def test_a_format_is_filled_with_what_the_tools_returned():
    messages = [
        {"role": "user", "content": 'Go on.\n\nInputs: {"how_many": 2}'},
        {"role": "tool", "tool_name": "run_tournament", "content": '{"tournament_id": "20260101-120000"}'},
    ]
    an_id = {"type": "string", "pattern": "^[0-9]{8}-[0-9]{6}$"}
    shape = an_object(tournament_id=an_id, how_many={"type": "integer"})
    with serve({"content": "Let me see."}) as url:
        content = chat(url, messages=messages, format=shape)["message"]["content"]
    assert json.loads(content) == {"tournament_id": "20260101-120000", "how_many": 2}


def test_the_format_json_is_any_object():
    with serve({"content": "Plain words"}) as url:
        assert json.loads(chat(url, format="json")["message"]["content"]) == {"answer": "Plain words"}


# ---- the other pages ----------------------------------------------------------------------------------


def test_tags_names_every_model_and_show_tells_what_it_can():
    with serve() as url:
        tags = json.loads(ask(f"{url}/api/tags")[1])
        names = ("qwen3", "no-tools")
        able, unable = (json.loads(ask(f"{url}/api/show", {"model": name})[1]) for name in names)
        unknown = ask(f"{url}/api/show", {"model": "qwen9"})
    assert [model["name"] for model in tags["models"]] == ["qwen3:latest", "no-tools:latest"]
    assert able["capabilities"] == ["completion", "tools"] and unable["capabilities"] == ["completion"]
    assert unknown[0] == 404 and json.loads(unknown[1]) == {"error": "model 'qwen9' not found"}


def test_the_front_page_the_version_and_an_unknown_page_are_ollamas():
    with serve() as url:
        assert ask(f"{url}/") == (200, "Ollama is running")
        assert json.loads(ask(f"{url}/api/version")[1])["version"]
        assert ask(f"{url}/api/nothing") == (404, "404 not found")


# ---- the OpenAI form ----------------------------------------------------------------------------------


def complete(url: str, **body: Any) -> tuple[int, str]:
    return ask(f"{url}/v1/chat/completions", {"model": "qwen3", "messages": HELLO, **body})


def test_openai_tool_calls_have_an_id_and_arguments_as_json_text():
    with serve(CALL) as url:
        reply = json.loads(complete(url, tools=[ADD])[1])
    choice = reply["choices"][0]
    called = choice["message"]["tool_calls"][0]
    assert (reply["object"], choice["finish_reason"]) == ("chat.completion", "tool_calls")
    assert called["id"] and called["type"] == "function"
    assert json.loads(called["function"]["arguments"]) == {"a": 1, "b": 2}
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0


def test_openai_tool_results_are_passed_on_under_the_tools_name():
    model = ScriptedModel([{"content": "3"}])
    called = {"id": "c7", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
    messages = [
        *HELLO,
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c7", "content": '{"sum": 3}'},
    ]
    with running(make_app(model)) as url:
        reply = json.loads(complete(url, messages=messages)[1])
    assert reply["choices"][0]["message"]["content"] == "3"
    assert model.seen[0]["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": 1, "b": 2}
    assert model.seen[0]["messages"][2]["tool_name"] == "add"


def test_openai_streaming_sends_events_and_ends_with_done():
    with serve({"content": "one two"}) as url:
        _, text = complete(url, stream=True, stream_options={"include_usage": True})
    events = [event.removeprefix("data: ") for event in text.strip().split("\n\n")]
    parts = [json.loads(event) for event in events[:-1]]
    assert events[-1] == "[DONE]"
    assert "".join(part["choices"][0]["delta"].get("content", "") for part in parts[:-1]) == "one two"
    assert parts[-2]["choices"][0]["finish_reason"] == "stop"
    assert parts[-1]["choices"] == [] and parts[-1]["usage"]["total_tokens"] > 0


def test_openai_response_format_holds_the_reply_to_the_schema():
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": SHAPES[0]}}
    with serve({"content": "No."}) as url:
        reply = json.loads(complete(url, response_format=wanted)[1])
    assert fits(json.loads(reply["choices"][0]["message"]["content"]), SHAPES[0])


def test_openai_max_tokens_cuts_a_reply_and_says_so():
    with serve({"content": "word " * 100}) as url:
        reply = json.loads(complete(url, max_tokens=5)[1])
    assert reply["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("model", "status", "kind", "words"),
    [
        ("qwen9", 404, "not_found_error", 'model "qwen9" not found, try pulling it first'),
        ("no-tools", 400, "invalid_request_error", "no-tools:latest does not support tools"),
    ],
)
def test_openai_errors_are_objects_with_a_type(model, status, kind, words):
    with serve({"content": "not reached"}) as url:
        answer = complete(url, model=model, tools=[ADD])
    error = {"message": words, "type": kind, "param": None, "code": None}
    assert (answer[0], json.loads(answer[1])) == (status, {"error": error})


def test_openai_models_are_listed():
    with serve() as url:
        listed = json.loads(ask(f"{url}/v1/models")[1])
    assert [model["id"] for model in listed["data"]] == ["qwen3:latest", "no-tools:latest"]


# ---- with the real client, and with the stand-in --------------------------------------------------------


@tool
def add(a: int, b: int = 1) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


def test_an_agent_works_through_ollama_model_and_the_stand_in():
    with running(make_app()) as url:
        result = Agent("adder", "Add.", [add], OllamaModel("qwen3", url)).run("Add them.", {"a": 2, "b": 3})
    assert result.passed and result.facts()["sum"] == 5 and "5" in result.answer


def test_ollama_model_is_told_the_servers_own_words_and_the_remedy():
    with running(make_app()) as url, pytest.raises(ModelRefused, match="ollama pull qwen9") as caught:
        OllamaModel("qwen9", url).chat(HELLO, [])
    assert caught.value.status == 404


# ---- the program ----------------------------------------------------------------------------------------


PROGRAM = [sys.executable, str(ROOT / "devtools" / "fake_ollama.py")]


def test_the_program_serves_until_it_is_ended():
    flags = ["--port", "0", "--models", "llama3.2"]
    with subprocess.Popen([*PROGRAM, *flags], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            url = line.split(" at ")[1].split()[0]
            assert "llama3.2:latest" in ask(f"{url}/api/tags")[1]
        finally:
            server.terminate()


def test_without_flask_the_program_says_what_to_install():
    without_packages = [PROGRAM[0], "-S", *PROGRAM[1:], "--help"]
    done = subprocess.run(without_packages, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "The fake server needs Flask: python -m pip install -r requirements.txt\n"


def test_a_port_in_use_is_one_sentence_and_exit_2():
    with serve() as url:
        port = url.rpartition(":")[2]
        done = subprocess.run([*PROGRAM, "--port", port], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "Try another --port" in done.stderr and "Traceback" not in done.stderr


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
