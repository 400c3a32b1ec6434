"""Between a program and a model's server: passes every request on, and counts replies, tokens and seconds.

Whatever library asks, it is counted here, in one way for all of them: from outside. Server and program see each
other's words unchanged. Not here: streaming (a library that streams is refused, since its costs would stay
unknown), keys, anything but loopback in between.

    with counting("http://127.0.0.1:8080/v1") as proxy:
        ...                                  # a program that asks proxy.url + "/chat/completions"
        proxy.take()                         # {"steps", "tokens_in", "tokens_out", "model_seconds", "cut"}
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NO_STREAMS = "This comparison counts whole replies: ask without streaming."
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback needs no other proxy


class CountingProxy:
    """What came through since the last `take()`; `url` is where to ask."""

    def __init__(self, upstream: str, timeout: float) -> None:
        self.upstream = upstream.rstrip("/")
        self.timeout = timeout
        self.url = ""
        self._lock = threading.Lock()
        self._counts = self._nothing()

    @staticmethod
    def _nothing() -> dict[str, Any]:
        return {"steps": 0, "tokens_in": 0, "tokens_out": 0, "model_seconds": 0.0, "cut": 0}

    def take(self) -> dict[str, Any]:
        """The counts so far, which begin again at nothing; a reply that is still awaited is in neither."""
        with self._lock:
            counts, self._counts = self._counts, self._nothing()
            return dict(counts)

    def ask(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Forward a question and count its reply."""
        counts, started = self._counts, time.perf_counter()
        status, reply = self.forward(path, body)
        self._count(counts, reply, time.perf_counter() - started)
        return status, reply

    def _count(self, counts: dict[str, Any], body: bytes, seconds: float) -> None:
        """Add one reply: `usage` as OpenAI's form has it, and whether the limit on length cut it."""
        try:
            reply = json.loads(body)
            usage, choice = reply.get("usage") or {}, (reply.get("choices") or [{}])[0]
        except (ValueError, AttributeError):
            usage, choice = {}, {}
        with self._lock:
            counts["steps"] += 1
            counts["tokens_in"] += usage.get("prompt_tokens") or 0
            counts["tokens_out"] += usage.get("completion_tokens") or 0
            counts["model_seconds"] += seconds
            counts["cut"] += choice.get("finish_reason") == "length"

    def forward(self, path: str, body: bytes | None) -> tuple[int, bytes]:
        """Ask the server; its code and its words, also when it refuses or is not there."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.upstream + path, data=body, headers=headers)
        try:
            with DIRECT.open(request, timeout=self.timeout) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError as error:
            return 502, json.dumps({"error": {"message": f"{self.upstream}: {error}"}}).encode()


def wants_a_stream(body: bytes) -> bool:
    """Whether a question asks for its answer piece by piece."""
    try:
        return bool(json.loads(body).get("stream"))
    except (ValueError, AttributeError):
        return False


def handler_of(proxy: CountingProxy) -> type[BaseHTTPRequestHandler]:
    """The request handler that speaks for `proxy`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(*proxy.forward(self.path, None))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if wants_a_stream(body):
                self._answer(400, json.dumps({"error": {"message": NO_STREAMS}}).encode())
            else:
                self._answer(*proxy.ask(self.path, body))

        def _answer(self, status: int, body: bytes) -> None:
            with contextlib.suppress(ConnectionError):  # who asked was stopped meanwhile
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    return Handler


@contextlib.contextmanager
def counting(upstream: str, timeout: float = 600) -> Iterator[CountingProxy]:
    """Stand on a free port; what is asked of `proxy.url` + PATH is asked of `upstream` + PATH."""
    proxy = CountingProxy(upstream, timeout)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(proxy))
    server.daemon_threads = True
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
