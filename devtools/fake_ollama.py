"""A server that answers like Ollama, with the stand-in model, or any other, behind it.

    python devtools/fake_ollama.py                       # http://127.0.0.1:11435
    OLLAMA_URL=http://127.0.0.1:11435 python run_team.py --players easy medium

In a test, with a model of its own on a free port:

    with running(make_app(ScriptedModel([{"content": "Hello"}]))) as url:
        OllamaModel(url=url).chat(messages, [])

What it copies of Ollama: `/api/chat` (whole or streamed), `/api/tags`, `/api/version`, `/api/show`, and the
codes and words of its errors. How a conversation is cut to `num_ctx`, a reply to `num_predict`, or made to
fit `format`, is in fake_backend.py; the OpenAI form (`/v1/chat/completions`, `/v1/models`) in fake_openai.py.

What it does not do: think, load or pull models, read pictures, keep secrets. The durations only share out the
time that really passed.

Sources of the forms: Ollama's docs/api.md, and server/routes.go for the error texts.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # run as a program: the project's folder is where the rest is found
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    if importlib.util.find_spec("flask") is None:
        print("The fake server needs Flask: python -m pip install -r requirements.txt", file=sys.stderr)
        raise SystemExit(2)

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import make_server

from devtools.fake_backend import Answer, Backend, Chatting, Message, Refusal, full_name, words
from devtools.fake_openai import add_openai_pages
from devtools.fake_request import check_messages, read_body

PORT = 11435
VERSION = "0.0.0-fake"


# ---- the pages -------------------------------------------------------------------------------------


def now() -> str:
    """The time as Ollama writes it."""
    return datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")


def last_part(name: str, answer: Answer) -> dict[str, Any]:
    """The object that ends a reply, streamed or not: everything but the message."""
    whole = answer.nanoseconds
    return {
        "model": name,
        "created_at": now(),
        "done": True,
        "done_reason": answer.done_reason,
        "total_duration": whole,
        "load_duration": whole // 10,
        "prompt_eval_count": answer.prompt_tokens,
        "prompt_eval_duration": whole * 3 // 10,
        "eval_count": answer.reply_tokens,
        "eval_duration": whole * 6 // 10,
    }


def streamed(name: str, answer: Answer) -> Iterator[str]:
    """The reply as Ollama streams it: one JSON object a line, the costs in the last."""

    def line(message: Message) -> str:
        return json.dumps({"model": name, "created_at": now(), "message": message, "done": False}) + "\n"

    if answer.message["content"]:
        for piece in words(answer.message["content"]):
            yield line({"role": "assistant", "content": piece})
    if "tool_calls" in answer.message:
        yield line({"role": "assistant", "content": "", "tool_calls": answer.message["tool_calls"]})
    yield json.dumps({**last_part(name, answer), "message": {"role": "assistant", "content": ""}}) + "\n"


def details_of(name: str) -> dict[str, Any]:
    """What Ollama tells of a model's file; nothing here has one."""
    family = full_name(name).split(":")[0]
    return {"format": "gguf", "family": family, "parameter_size": "0", "quantization_level": "F0"}


def add_native_pages(app: Flask, backend: Backend) -> None:
    """Ollama's own pages."""

    @app.get("/")
    def alive() -> str:
        return "Ollama is running"

    @app.get("/api/version")
    def version() -> dict[str, Any]:
        return {"version": VERSION}

    @app.get("/api/tags")
    def tags() -> dict[str, Any]:
        names = backend.all_names()
        facts = {"modified_at": now(), "size": 0, "digest": "0" * 64}
        return {"models": [{"name": n, "model": n, **facts, "details": details_of(n)} for n in names]}

    @app.post("/api/show")
    def show() -> dict[str, Any]:
        body = read_body()
        name = body.get("model") or body.get("name")
        if not isinstance(name, str) or not name:
            raise Refusal(400, "model is required")
        if full_name(name) not in backend.all_names():
            raise Refusal(404, f"model '{name}' not found")
        can = ["completion", "tools"] if backend.can_use_tools(name) else ["completion"]
        return {"details": details_of(name), "capabilities": can, "model_info": {}, "modified_at": now()}

    @app.post("/api/chat")
    def chat() -> Any:
        body = read_body()
        check_messages(body)
        if not body["messages"]:
            backend.check_model(body)
            loaded = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "load"}
            return {"model": body["model"], "created_at": now(), **loaded}
        answer = backend.answer(body)
        if body.get("stream") is False:
            return {"message": answer.message, **last_part(body["model"], answer)}
        return Response(streamed(body["model"], answer), mimetype="application/x-ndjson")


def add_error_pages(app: Flask) -> None:
    """Every error as JSON in the form of the family of pages that was asked."""

    def error_page(status: int, text: str) -> tuple[dict[str, Any], int]:
        if not request.path.startswith("/v1/"):
            return {"error": text}, status
        kind = {400: "invalid_request_error", 404: "not_found_error"}.get(status, "api_error")
        return {"error": {"message": text, "type": kind, "param": None, "code": None}}, status

    @app.errorhandler(Refusal)
    def refused(problem: Refusal) -> Any:
        return error_page(problem.status, str(problem))

    @app.errorhandler(HTTPException)
    def no_such_page(problem: HTTPException) -> Any:
        return Response(f"{problem.code} {(problem.name or '').lower()}", problem.code, mimetype="text/plain")

    @app.errorhandler(Exception)
    def broken(problem: Exception) -> Any:
        app.logger.exception("the model behind the server failed")
        return error_page(500, f"{type(problem).__name__}: {problem}")


def make_app(
    model: Chatting | None = None,
    names: Sequence[str] = ("qwen3",),
    without_tools: Sequence[str] = ("no-tools",),
    failures: Sequence[int] = (),
) -> Flask:
    """The server as a Flask application; `app.config["BACKEND"].seen` holds what it was sent.

    model: plays every name; the stand-in unless told otherwise.
    names, without_tools: the models it claims to have, the latter ones unable to use tools.
    failures: HTTP codes to answer the first chat requests with.
    """
    if model is None:
        from devtools.standin import StandInModel

        model = StandInModel()
    app = Flask("fake_ollama", static_folder=None)
    backend = app.config["BACKEND"] = Backend(model, names, without_tools, list(failures))
    add_native_pages(app, backend)
    add_openai_pages(app, backend)
    add_error_pages(app)
    return app


@contextmanager
def running(app: Flask, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve the application in a thread, on a free port unless one is named; gives its address.

    Raises OSError if the address cannot be listened on.
    """
    socket.create_server((host, port)).close()  # make_server would end the program instead of raising
    server = make_server(host, port, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C (130); 2: the address cannot be listened on."""
    parser = argparse.ArgumentParser(
        prog="fake_ollama.py",
        description="A server that answers like Ollama, with the stand-in model behind it.",
        epilog="Example: python devtools/fake_ollama.py --port 11435 --models qwen3 llama3.2",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=PORT, help=f"the port to listen on ({PORT})")
    parser.add_argument("--models", nargs="+", default=["qwen3"], metavar="NAME", help="its models (qwen3)")
    args = parser.parse_args(argv)
    if not 0 <= args.port <= 65535:
        parser.error(f"--port must be 0 (any free port) to 65535, not {args.port}")
    try:
        with running(make_app(names=args.models), args.host, args.port) as url:
            models = ", ".join(args.models)
            print(f"Answering like Ollama at {url} (models: {models}). Ctrl-C ends it.", flush=True)
            threading.Event().wait()
    except OSError as problem:
        print(f"Could not listen on {args.host}:{args.port}: {problem}. Try another --port.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
