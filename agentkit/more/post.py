"""One question to a model server over HTTP: JSON there, a JSON object back, and an error that says what to do.

Role: `post_json`, which both OllamaModel and OpenAIModel stand on: failures as agentkit's own errors, a few more tries
for a server that is busy or just starting, no waiting beyond the timeout. No proxy is used: a model here is a near
server. Not here: what is asked.

    post_json("http://127.0.0.1:11434/api/chat", {"model": "qwen3", "messages": [], "stream": False}, timeout=120)
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from typing import Any

from agentkit.errors import BadReply, BadSetting, ModelError, ModelRefused, ModelTimeout, ModelUnreachable

__all__ = ["post_json"]

PAUSES = (0.3, 0.8, 2.0)  # seconds before each further try of a request that failed in passing
PASSING = (429, 502, 503, 504)  # HTTP codes of a server that is busy or still starting
MOST_BYTES = 64_000_000  # of one answer


def post_json(url: str, payload: Any, timeout: float, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """POST `payload` as JSON and return the answered object.

    A server that is busy or just starting is asked again, a bounded number of times with growing pauses.
    Raises ModelUnreachable, ModelTimeout, ModelRefused (with the server's own words) or BadReply.
    """
    try:
        data = json.dumps(payload, allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"The conversation cannot be sent as JSON: {error}.") from None
    request = (url, data, {"Content-Type": "application/json", **(headers or {})})
    for pause in PAUSES:
        try:
            return _post_once(request, timeout)
        except ModelUnreachable:
            time.sleep(pause)
        except ModelRefused as error:
            if error.status not in PASSING:
                raise
            time.sleep(pause)
    return _post_once(request, timeout)


def _post_once(request: tuple[str, bytes, dict[str, str]], timeout: float) -> dict[str, Any]:
    url = request[0]
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(*request), timeout=timeout) as response:
            body = _read_within(response, timeout)
    except urllib.error.HTTPError as error:
        with error:
            raise ModelRefused(f"{url} said {error.code}: {_own_words(_rest_of(error))}", error.code) from None
    except (OSError, http.client.IncompleteRead) as error:  # URLError is an OSError
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            remedy = "raise AGENT_TIMEOUT or use a smaller model."
            raise ModelTimeout(f"{url} gave no whole answer within {timeout:g} s: {remedy}") from None
        raise ModelUnreachable(f"Nobody answers at {url} ({reason or type(error).__name__}).") from None
    except (ValueError, OverflowError, http.client.InvalidURL) as error:
        raise BadSetting(f"{url} is not an address that can be asked ({error}).") from None
    except http.client.HTTPException as error:
        raise BadReply(f"{url} did not answer as a web server does ({error!r}). Is it the right address?") from None
    return _read_object(url, body)


def _read_within(response: Any, timeout: float) -> bytes:
    """The whole body; a server that sends it drop by drop is not waited for longer than one that sends nothing."""
    deadline = time.monotonic() + timeout
    parts: list[bytes] = []
    size = 0
    while part := response.read1(65536):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise BadReply(f"The server's answer is longer than {MOST_BYTES:,} bytes.")
        if time.monotonic() > deadline:
            raise TimeoutError
    if response.length:  # it announced more
        raise http.client.IncompleteRead(b"".join(parts), response.length)
    return b"".join(parts)


def _rest_of(error: Any) -> bytes:
    """The beginning of what a server wrote with its error code, as far as it comes."""
    try:
        return bytes(error.read(4000))
    except (OSError, http.client.HTTPException):
        return b""


def _read_object(url: str, body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        start = body[:200].decode("utf-8", "replace")
        raise BadReply(f"{url} did not answer with a JSON object but with: {start!r}. Is it the right server?")
    if isinstance(answer.get("error"), (str, dict)):
        raise ModelRefused(f"{url} said: {_own_words(body)}")
    return answer


def _own_words(body: bytes) -> str:
    """The server's error as it put it: Ollama's {"error": text}, OpenAI's {"error": {"message": text}}, or plain."""
    text = body.decode("utf-8", "replace").strip()
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, TypeError, KeyError, RecursionError):
        return text[:300]
