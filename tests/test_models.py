"""OllamaModel and OpenAIModel against real servers on this machine's loopback.

The fake Ollama server (devtools/fake_ollama.py, which copies Ollama's own words and codes) plays the ordinary part;
tiny servers made here misbehave in one way each: what they send are raw bytes, so that nothing is too odd to be sent.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import (
    Agent,
    FunctionModel,
    ModelError,
    OllamaModel,
    OpenAIModel,
    ScriptedModel,
    Tracer,
    model_from_env,
    succeeded,
    tool,
)
from agentkit.errors import (
    BadReply,
    BadSetting,
    ContextOverflow,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
)
from agentkit.more import post
from devtools.fake_ollama import make_app, running

REAL_PAUSES = post.PAUSES
pytestmark = pytest.mark.loopback
HELLO = [{"role": "user", "content": "Hello"}]
GOOD = {"message": {"role": "assistant", "content": "Hi."}, "done": True, "done_reason": "stop"}
KINDS = {"ollama": OllamaModel, "openai": OpenAIModel}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    """The pauses between tries are for real servers; here they would only cost time."""
    monkeypatch.setattr(post, "PAUSES", (0.01, 0.02, 0.03))


@tool
def add(a: int, b: int = 1) -> dict:
    """Add two numbers."""
    return {"sum": a + b}


def openai_body(body: dict[str, Any]) -> dict[str, Any]:
    """An answer of Ollama's form in OpenAI's."""
    reason = body.get("done_reason", "stop")
    counts = {"prompt_tokens": body.get("prompt_eval_count"), "completion_tokens": body.get("eval_count")}
    return {"choices": [{"message": body.get("message"), "finish_reason": reason}], "usage": counts}


@contextmanager
def server(*answers: Any) -> Iterator[Any]:
    """A server that gives `answers` in order and repeats the last. An answer is (status, body) or a function that
    writes to the handler itself. `.requests` holds what it was sent."""
    rest = list(answers)
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append({"path": self.path, "headers": dict(self.headers), "body": json.loads(body)})
            answer = rest.pop(0) if len(rest) > 1 else rest[0]
            if callable(answer):
                return answer(self)
            status, content = answer
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            return None

        def log_message(self, *args: Any) -> None:
            pass

        def handle(self) -> None:
            with suppress(OSError):  # the client has gone
                super().handle()

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield type("Server", (), {"url": f"http://127.0.0.1:{httpd.server_port}", "requests": requests})
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


# --- what is sent and what comes back -------------------------------------------------------------------------------


def test_ollama_is_sent_the_documented_request():
    with server((200, GOOD)) as there:
        model = OllamaModel("qwen3", there.url, temperature=0, seed=7, num_ctx=4096, max_tokens=99)
        reply = model.chat(HELLO, [add.schema()])
    (request,) = there.requests
    assert request["path"] == "/api/chat"
    assert request["body"] == {
        "model": "qwen3",
        "messages": HELLO,
        "tools": [add.schema()],
        "stream": False,
        "options": {"num_ctx": 4096, "num_predict": 99, "temperature": 0, "seed": 7},
    }
    assert reply["content"] == "Hi."


def test_num_ctx_and_a_limit_on_the_reply_are_always_sent():
    with server((200, GOOD)) as there:
        OllamaModel(url=there.url).chat(HELLO, [])
    assert there.requests[0]["body"]["options"] == {"num_ctx": 8192, "num_predict": 2048}


def test_openai_is_sent_the_documented_request_with_ids_and_arguments_as_text():
    calls = [{"function": {"name": "add", "arguments": {"a": 1}}}, {"function": {"name": "add", "arguments": {}}}]
    conversation = [
        *HELLO,
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_name": "add", "content": "2"},
        {"role": "tool", "tool_name": "add", "content": "no"},
    ]
    with server((200, openai_body(GOOD))) as there:
        OpenAIModel("m", f"{there.url}/v1/", "key", seed=7).chat(conversation, [add.schema()])
        OpenAIModel("m", f"{there.url}/v1").chat(HELLO, [])
    first, second = there.requests
    assert first["path"] == "/v1/chat/completions"
    assert first["headers"]["Authorization"] == "Bearer key"
    sent = first["body"]["messages"]
    ids = [call["id"] for call in sent[1]["tool_calls"]]
    assert len(set(ids)) == 2
    assert [message["tool_call_id"] for message in sent[2:]] == ids
    assert sent[1]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 1}'}
    assert (first["body"]["max_tokens"], first["body"]["seed"]) == (2048, 7)
    assert "tools" not in second["body"]  # an empty list is refused by some servers
    assert "Authorization" not in second["headers"]


@pytest.mark.parametrize("kind", KINDS)
def test_calls_and_counts_of_tokens_come_back_in_one_form(kind):
    sent = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "add", "arguments": '{"a":1}'}}]}
    body = {"message": sent, "prompt_eval_count": 11, "eval_count": 5}
    with server((200, body if kind == "ollama" else openai_body(body))) as there:
        reply = KINDS[kind]("m", there.url).chat(HELLO, [add.schema()])
    assert reply["tool_calls"] == [{"function": {"name": "add", "arguments": {"a": 1}}}]
    assert reply["usage"] == {"tokens_in": 11, "tokens_out": 5, "cut": False}


def test_an_agent_works_through_the_fake_server_by_both_doors():
    for kind, path in (("ollama", ""), ("openai", "/v1")):
        call = {"content": "", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 2}}}]}
        with running(make_app(ScriptedModel([call, {"content": "The sum is 3."}]))) as url:
            result = Agent("sums", "Add.", [add], KINDS[kind]("qwen3", url + path)).run("2 + 1?")
        assert (result.answer, result.tool_log[0]["result"]) == ("The sum is 3.", {"sum": 3})
        assert result.tokens_in > 0


# --- a server that says no ------------------------------------------------------------------------------------------


def test_an_unknown_model_is_told_with_the_line_that_fetches_it():
    with running(make_app()) as url, pytest.raises(ModelRefused) as caught:
        OllamaModel("llama9", url).chat(HELLO, [])
    assert caught.value.status == 404
    assert "not found" in str(caught.value)
    assert "ollama pull llama9" in str(caught.value)


def test_a_model_without_tools_is_told_with_the_remedy():
    with running(make_app()) as url, pytest.raises(ModelRefused) as caught:
        OllamaModel("no-tools", url).chat(HELLO, [add.schema()])
    assert caught.value.status == 400
    assert "does not support tools" in str(caught.value)
    assert "AGENT_MODEL" in str(caught.value)


REFUSALS = [
    (401, {"error": {"message": "Invalid key"}}, "Invalid key"),
    (404, b"<html>nothing here</html>", "nothing here"),
    (500, {"error": "llama runner process has terminated"}, "llama runner process has terminated"),
    (400, b"", ""),
    (418, b"\xff\xfe", ""),
    (200, {"error": "unexpected end of the model"}, "unexpected end of the model"),
    (400, {"error": {"message": {"deep": 1}}}, "deep"),
    (400, {"error": None}, "None"),
    (400, [1], "[1]"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("status", "body", "words"), REFUSALS, ids=[str(refusal[:2])[:40] for refusal in REFUSALS])
def test_a_refusal_carries_the_servers_own_words(kind, status, body, words):
    with server((status, body)) as there, pytest.raises(ModelRefused) as caught:
        KINDS[kind]("m", there.url).chat(HELLO, [])
    assert words in str(caught.value)
    assert caught.value.status == (0 if status == 200 else status)
    assert len(there.requests) == 1, "asking again would not help"


def test_openai_refusals_name_the_setting_to_look_at():
    for status, setting in [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "OPENAI_BASE_URL")]:
        with server((status, {"error": {"message": "no"}})) as there, pytest.raises(ModelRefused, match=setting):
            OpenAIModel("m", there.url).chat(HELLO, [])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_is_busy_is_asked_again_a_bounded_number_of_times(kind, status):
    good = GOOD if kind == "ollama" else openai_body(GOOD)
    with server((status, b"busy"), (status, b"busy"), (200, good)) as there:
        assert KINDS[kind]("m", there.url).chat(HELLO, [])["content"] == "Hi."
    assert len(there.requests) == 3
    with server((status, b"busy")) as there, pytest.raises(ModelRefused, match="busy"):
        KINDS[kind]("m", there.url).chat(HELLO, [])
    assert len(there.requests) == 4


def test_the_pauses_between_tries_grow_and_are_bounded():
    assert list(REAL_PAUSES) == sorted(REAL_PAUSES)
    assert 0 < sum(REAL_PAUSES) < 10


# --- a server that is not there -------------------------------------------------------------------------------------


def test_a_refused_connection_is_unreachable_and_says_how_to_start_the_server():
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(ModelUnreachable) as caught:
        OllamaModel(url=url).chat(HELLO, [])
    assert isinstance(caught.value, ConnectionError)
    assert url in str(caught.value)
    assert "ollama serve" in str(caught.value)
    with pytest.raises(ModelUnreachable, match="OPENAI_BASE_URL"):
        OpenAIModel(url=url).chat(HELLO, [])


def test_a_server_that_starts_late_is_waited_for(monkeypatch):
    monkeypatch.setattr(post, "PAUSES", (0.2, 0.4, 5.0))
    port = free_port()

    def serve():
        time.sleep(0.3)
        with socket.create_server(("127.0.0.1", port)) as listener:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                body = json.dumps(GOOD).encode()
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    thread = threading.Thread(target=serve)
    thread.start()
    assert OllamaModel(url=f"http://127.0.0.1:{port}").chat(HELLO, [])["content"] == "Hi."
    thread.join()


def silent(handler: Any) -> None:
    time.sleep(5)


def dripping(handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def breaks_off(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"message"')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def hangs_up(handler: Any) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def stuck_refusal(handler: Any) -> None:
    handler.send_response(500)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.flush()
    time.sleep(5)


def no_http(handler: Any) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("behaviour", [silent, dripping], ids=lambda behaviour: behaviour.__name__)
def test_a_server_that_takes_too_long_is_a_timeout_also_drop_by_drop(kind, behaviour):
    with server(behaviour) as there, pytest.raises(ModelTimeout) as caught:
        KINDS[kind]("m", there.url, timeout=0.3).chat(HELLO, [])
    assert isinstance(caught.value, TimeoutError)
    assert "0.3 s" in str(caught.value)
    assert "AGENT_TIMEOUT" in str(caught.value)
    assert len(there.requests) == 1, "a slow server is not asked again"


def test_a_refusal_that_never_ends_is_still_a_refusal():
    with server(stuck_refusal) as there, pytest.raises(ModelRefused) as caught:
        OllamaModel(url=there.url, timeout=0.3).chat(HELLO, [])
    assert caught.value.status == 500


@pytest.mark.parametrize("behaviour", [breaks_off, hangs_up], ids=lambda behaviour: behaviour.__name__)
def test_a_connection_that_breaks_is_tried_again_and_then_told(behaviour):
    with server(behaviour) as there, pytest.raises(ModelUnreachable):
        OllamaModel(url=there.url).chat(HELLO, [])
    assert len(there.requests) == 4
    with server(behaviour, (200, GOOD)) as there:
        assert OllamaModel(url=there.url).chat(HELLO, [])["content"] == "Hi."


def test_something_that_is_no_web_server_is_a_bad_reply():
    with server(no_http) as there, pytest.raises(BadReply, match="right address"):
        OllamaModel(url=there.url).chat(HELLO, [])


# --- replies that are none ------------------------------------------------------------------------------------------

BAD_BODIES = [b"", b"not json", b"[1]", b"null", b'"text"', b"\xff\xfe", b"{}", b'{"message": "text"}', b"[" * 100_000]
BAD_BODIES += [b'{"message": null}', b'{"choices": []}', b'{"choices": [{"message": 3}]}', b'{"choices": "abc"}']


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: repr(body[:20]))
def test_an_answer_without_a_message_is_a_bad_reply(kind, body):
    with server((200, body)) as there, pytest.raises(BadReply) as caught:
        KINDS[kind]("m", there.url).chat(HELLO, [])
    assert there.url in str(caught.value)
    assert len(str(caught.value)) < 600


ODD_MESSAGES = [
    {"content": None},
    {"content": ["a"], "tool_calls": "x"},
    {"content": 3, "tool_calls": {}},
    {"tool_calls": [None, {"function": 3}]},
    {"content": "x", "thinking": "hm", "reasoning_content": "hm"},
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("message", ODD_MESSAGES, ids=str)
@pytest.mark.parametrize("count", [None, "many", [1]], ids=str)
def test_an_odd_message_never_breaks_the_loop(kind, message, count):
    body = {"message": message, "prompt_eval_count": count, "eval_count": count}
    body = body if kind == "ollama" else {**openai_body(body), "usage": count}
    with server((200, body)) as there:
        result = Agent("a", "x", [add], KINDS[kind]("m", there.url), 3).run("x")
    assert result.stopped in ("answered", "step limit reached")
    assert result.tokens_in == 0


def test_a_reply_of_5_mb_arrives_and_one_without_an_end_does_not(monkeypatch):
    with server((200, {"message": {"content": "x" * 5_000_000}})) as there:
        assert len(OllamaModel(url=there.url).chat(HELLO, [])["content"]) == 5_000_000
    monkeypatch.setattr(post, "MOST_BYTES", 1_000_000)
    with server((200, {"message": {"content": "x" * 2_000_000}})) as there, pytest.raises(BadReply, match="1,000,000"):
        OllamaModel(url=there.url).chat(HELLO, [])


# --- the context window ---------------------------------------------------------------------------------------------


def test_a_reply_cut_at_its_limit_is_marked_and_fails_the_check():
    cut = {**GOOD, "done_reason": "length", "prompt_eval_count": 9, "eval_count": 2048}
    for kind in KINDS:
        with server((200, cut if kind == "ollama" else openai_body(cut))) as there:
            model = KINDS[kind]("m", there.url)
            assert model.chat(HELLO, [])["usage"]["cut"] is True
            result = Agent("a", "x", [], model).run("x")
        assert result.problems == ["The reply was cut off at the limit on its length: write less."]


def test_a_reply_shorter_than_its_limit_that_ended_for_length_means_a_full_window():
    full = {**GOOD, "done_reason": "length", "prompt_eval_count": 8100, "eval_count": 92}
    for kind in KINDS:
        with server((200, full if kind == "ollama" else openai_body(full))) as there, pytest.raises(ContextOverflow):
            KINDS[kind]("m", there.url).chat(HELLO, [])


def counting(*counts: int) -> list[Any]:
    return [(200, {**GOOD, "prompt_eval_count": count, "eval_count": 1}) for count in counts]


LONGER = [*HELLO, {"role": "assistant", "content": "Hi."}, {"role": "user", "content": "And now?"}]
OTHER = [{"role": "user", "content": "Another conversation, with more words but in the end fewer tokens"}]


def test_fewer_tokens_read_of_a_longer_conversation_mean_that_its_beginning_was_cut():
    with server(*counting(100, 60)) as there:
        model = OllamaModel(url=there.url)
        model.chat(HELLO, [])
        with pytest.raises(ContextOverflow, match="AGENT_NUM_CTX"):
            model.chat(LONGER, [])


def test_fewer_tokens_are_no_alarm_for_another_conversation_other_tools_or_the_same_once_more():
    with server(*counting(100, 100, 60, 50, 40, 120)) as there:
        model = OllamaModel(url=there.url)
        model.chat(HELLO, [])
        model.chat(HELLO, [])
        model.chat(OTHER, [])
        model.chat(OTHER, [add.schema()])
        model.chat([{"role": "system", "content": "s"}, *LONGER], [])
        model.chat(LONGER, [])


def test_two_runs_of_one_task_may_go_different_ways():
    with server(*counting(50, 400, 50, 300)) as there:
        model = OllamaModel(url=there.url)
        for word in ("many " * 100, "few " * 200):
            model.chat(HELLO, [])
            model.chat([*HELLO, {"role": "user", "content": word}], [])


def test_the_silent_cut_of_the_fake_server_is_noticed():
    call = {"content": "", "tool_calls": [{"function": {"name": "read", "arguments": {}}}]}

    @tool
    def read() -> dict:
        """Read."""
        return {"text": "word " * 400}

    with running(make_app(FunctionModel(lambda messages, tools: call))) as url:
        model = OllamaModel("qwen3", url, num_ctx=1200)
        with pytest.raises(ContextOverflow):
            for turns in range(1, 9):
                result = {"role": "tool", "tool_name": "read", "content": "word " * 400}
                model.chat([*HELLO, *[{"role": "assistant", **call}, result] * turns], [read.schema()])


def test_an_openai_server_that_says_the_window_is_full_is_an_overflow():
    words = "the request exceeds the available context size. try increasing the context size"
    with server((400, {"error": {"message": words}})) as there, pytest.raises(ContextOverflow, match="larger window"):
        OpenAIModel("m", there.url).chat(HELLO, [])


# --- the constrained turn -------------------------------------------------------------------------------------------


def test_ollama_is_constrained_by_format_and_the_reply_becomes_a_call():
    body = {"message": {"content": '<think>ok</think>{"a": 1}'}}
    with server((200, body)) as there:
        reply = OllamaModel("m", there.url).chat_constrained(HELLO, add.schema())
    assert there.requests[0]["body"]["format"] == add.parameters
    assert "tools" not in there.requests[0]["body"]
    assert (reply["content"], reply["tool_calls"]) == ("", [{"function": {"name": "add", "arguments": {"a": 1}}}])


def test_openai_is_constrained_by_response_format():
    with server((200, openai_body({"message": {"content": '{"a": 1}'}}))) as there:
        reply = OpenAIModel("m", there.url).chat_constrained(HELLO, add.schema())
    asked = there.requests[0]["body"]["response_format"]
    assert (asked["type"], asked["json_schema"]["schema"]) == ("json_schema", add.parameters)
    assert reply["tool_calls"] == [{"function": {"name": "add", "arguments": {"a": 1}}}]


def test_a_server_that_cannot_be_constrained_is_asked_in_the_ordinary_way():
    call = {"message": {"tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}]}}
    with server((400, {"error": "invalid format"}), (200, call)) as there:
        reply = OllamaModel("m", there.url).chat_constrained(HELLO, add.schema())
    assert reply["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert there.requests[1]["body"]["tools"] == [add.schema()]
    with server((400, {"error": "unknown field"}), (200, openai_body(call))) as there:
        OpenAIModel("m", there.url).chat_constrained(HELLO, add.schema())
    assert there.requests[1]["body"]["tool_choice"] == {"type": "function", "function": {"name": "add"}}


def test_a_required_tool_that_was_forgotten_is_called_in_one_constrained_turn():
    replies = ["I would add them.", '{"a": 2}', "The sum is 3."]
    bodies = [(200, {"message": {"content": text}}) for text in replies]
    with server(*bodies) as there:
        agent = Agent("sums", "Add.", [add], OllamaModel("m", there.url), check=succeeded("add"))
        result = agent.run("2 + 1?")
    assert (result.answer, result.passed, result.retries_used) == ("The sum is 3.", True, 0)
    assert ["format" in request["body"] for request in there.requests] == [False, True, False]


@pytest.mark.parametrize("text", ["", "no json", '{"a": "x"}', "[1]", '{"a": 1'])
def test_a_constrained_turn_that_fails_is_bounded(text):
    bodies = [(200, {"message": {"content": "No."}}), (200, {"message": {"content": text}})]
    with server(*bodies) as there:
        result = Agent("a", "x", [add], OllamaModel("m", there.url), 8, succeeded("add")).run("x")
    assert result.passed is False
    assert len(there.requests) <= 8


# --- settings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["127.0.0.1:11434", "localhost", "ftp://x", "http://", "http:///x", "file:///etc"])
def test_an_address_that_is_none_is_named(url):
    for kind, name in (("ollama", "OLLAMA_URL"), ("openai", "OPENAI_BASE_URL")):
        with pytest.raises(BadSetting, match=name) as caught:
            KINDS[kind]("m", url)
        assert repr(url) in str(caught.value)


@pytest.mark.parametrize("place", ["127.0.0.1:99999", "127.0.0.1:abc", "[::1", "127.0.0.1:1 2"])
def test_an_address_that_cannot_be_asked_is_a_model_error(place):
    with pytest.raises(ModelError):
        OllamaModel(url=f"http://{place}").chat(HELLO, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AGENT_TIMEOUT", "abc"), ("AGENT_TIMEOUT", "0"), ("AGENT_TIMEOUT", "nan"), ("AGENT_TIMEOUT", "inf"),
        ("AGENT_TIMEOUT", "1e30"), ("AGENT_NUM_CTX", "1.5"), ("AGENT_NUM_CTX", "0"), ("AGENT_MAX_TOKENS", "-1"),
        ("AGENT_TEMPERATURE", "hot"), ("AGENT_TEMPERATURE", "-0.1"), ("AGENT_SEED", "x"), ("AGENT_PROVIDER", "cloud"),
    ],
)  # fmt: skip
def test_an_impossible_setting_is_named_with_its_value(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(BadSetting) as caught:
        model_from_env()
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("name", "value", "limits"),
    [
        ("AGENT_TIMEOUT", "1e30", "a number from 0.001 to 4294967295"),
        ("AGENT_NUM_CTX", "0", "a whole number from 1 to 4294967295"),
        ("AGENT_SEED", "9" * 30, "a whole number of at most 4294967295"),
    ],
)
def test_setting_beyond_its_limits_is_told_them(monkeypatch, name, value, limits):
    monkeypatch.setenv(name, value)
    with pytest.raises(ModelError, match=f"{name} must be {limits}, not '{value}'"):
        OllamaModel()


def test_empty_settings_are_no_settings(monkeypatch):
    for name in ("AGENT_MODEL", "OLLAMA_URL", "AGENT_TIMEOUT", "AGENT_SEED", "AGENT_PROVIDER"):
        monkeypatch.setenv(name, "")
    model = model_from_env()
    assert (model.model, model.url, model.timeout, model.seed) == ("qwen3", "http://127.0.0.1:11434", 120.0, None)


def test_the_environment_chooses_the_server_and_the_decoding(monkeypatch):
    settings = {"PROVIDER": "openai", "MODEL": "m", "TEMPERATURE": "0", "SEED": "7", "NUM_CTX": "99", "MAX_TOKENS": "9"}
    for name, value in settings.items():
        monkeypatch.setenv(f"AGENT_{name}", value)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/")
    model = model_from_env()
    assert isinstance(model, OpenAIModel)
    chosen = (model.model, model.url, model.temperature, model.seed, model.num_ctx, model.max_tokens)
    assert chosen == ("m", "http://127.0.0.1:9/v1", 0.0, 7, 99, 9)
    assert model_from_env("other", seed=1).seed == 1


def test_no_proxy_of_the_environment_is_used(monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    with server((200, GOOD)) as there:
        assert OllamaModel(url=there.url).chat(HELLO, [])["content"] == "Hi."


# --- secrets --------------------------------------------------------------------------------------------------------

SECRET = "sk-very-secret"


def test_a_key_stands_in_no_trace_and_no_message(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with server((401, {"error": {"message": "wrong key"}})) as there:
        model = OpenAIModel("m", there.url)
        with pytest.raises(ModelRefused) as caught:
            Agent("a", "x", [], model, tracer=Tracer(tmp_path / "t.jsonl")).run("x")
    assert there.requests[0]["headers"]["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in str(caught.value)
    assert SECRET not in (tmp_path / "t.jsonl").read_text("utf-8")
    assert SECRET not in json.dumps(model.describe())


@pytest.mark.parametrize("key", [f"{SECRET}\nX: y", f"{SECRET}\u2019", f"{SECRET}\x00"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key):
    with pytest.raises(BadSetting) as caught:
        OpenAIModel("m", "http://127.0.0.1:1", key)
    assert "OPENAI_API_KEY" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_key_read_from_a_file_may_end_in_a_new_line():
    with server((200, openai_body(GOOD))) as there:
        OpenAIModel("m", there.url, f"{SECRET}\n").chat(HELLO, [])
    assert there.requests[0]["headers"]["Authorization"] == f"Bearer {SECRET}"


def test_an_address_with_a_password_is_refused_without_showing_it():
    for kind in KINDS.values():
        with pytest.raises(BadSetting) as caught:
            kind("m", f"http://me:{SECRET}@127.0.0.1:1")
        assert SECRET not in str(caught.value)


def test_half_a_character_in_a_task_can_be_sent():
    with server((200, GOOD)) as there:
        assert Agent("a", "x", [], OllamaModel("m", there.url)).run("half \ud83d").answer == "Hi."


def test_one_model_works_in_several_threads():
    with server((200, GOOD)) as there:
        model = OllamaModel("m", there.url)
        answers: list[str] = []
        threads = [threading.Thread(target=lambda: answers.append(model.chat(HELLO, [])["content"])) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == ["Hi."] * 8


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
