"""A whole agent in one file, to read alone: ask a model, run the tools it asks for, stop at an answer.

It does not check arguments against a schema, check answers, retry, keep a trace or talk to a server: the rest
of agentkit does, and nothing of it is imported here. `python -m agents.umbrella` shows this file at work.

    @tool
    def add(a: int, b: int):
        "Add two numbers."
        return a + b

    result = run_agent(model, registry(add), "What is 2 + 3?")

A model is any callable `model(messages, schemas)` that returns one message,
`{"role": "assistant", "content": str, "tool_calls": [{"id", "name", "arguments": JSON text}]}`.
"""

import inspect
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, get_origin, get_type_hints

__all__ = ["answer", "call", "execute", "print_event", "registry", "run_agent", "tool", "tool_results"]

Message = dict[str, Any]
JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def print_event(event: dict[str, Any]) -> None:
    """Print one event of a run as a line for people; this is what `run_agent` does unless told otherwise."""
    if event["kind"] == "tool_call":
        print(f"  step {event['step']}: {event['name']}({event['arguments']})")
    elif event["kind"] == "tool_result":
        print("      -> " + event["content"][:100] + "..." * (len(event["content"]) > 100))
    elif event["kind"] == "final":
        print(f"  step {event['step']}: final answer")
    elif event["kind"] == "stopped":
        print(f"  stopped: {event['reason']}")


def run_agent(
    model: Callable[[list[Message], list[Any]], Message],
    tools: dict[str, Any],
    task: str,
    system: str = "You are a helpful agent. Use tools when needed.",
    max_steps: int = 8,
    guards: Iterable[Callable[[dict[str, Any]], str | None]] = (),
    on_event: Callable[[dict[str, Any]], object] | None = print_event,
) -> dict[str, Any]:
    """Run one task; one reply of the model is one step. `tools` maps names to functions with a `.schema`.

    Before every step each guard sees `{"messages", "steps", "tool_calls", "errors"}`; a reason ends the run. Events
    are dicts with a `kind`: `tool_call` (step, id, name, arguments), `tool_result` (step, id, content, is_error),
    `final` (step, content), `stopped` (step, reason); None keeps silent. In the result either `answer` is text, or it
    is None and `stopped` says why. What the model itself raises passes through.
    """
    messages: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": task}]
    state: dict[str, Any] = {"messages": messages, "steps": 0, "tool_calls": 0, "errors": 0}
    schemas, guards = [fn.schema for fn in tools.values()], tuple(guards)

    def emit(kind: str, **details: Any) -> None:
        if on_event:
            on_event({"kind": kind, "step": state["steps"], **details})

    while True:
        reason = next(filter(None, (guard(state) for guard in guards)), None)
        if not reason and state["steps"] >= max_steps:
            reason = f"step limit ({max_steps}) reached"
        if reason:
            emit("stopped", reason=reason)
            return {"answer": None, "stopped": reason, **state}

        reply = model(list(messages), schemas)
        messages.append(reply)
        state["steps"] += 1
        if not reply.get("tool_calls"):
            text = reply.get("content") or ""
            emit("final", content=text)
            return {"answer": text, "stopped": None, **state}

        for request in reply["tool_calls"]:
            call_id = request.get("id")
            emit("tool_call", id=call_id, name=request.get("name"), arguments=request.get("arguments"))
            outcome = execute(tools, request)
            is_error = "error" in outcome
            content = to_json(outcome if is_error else outcome["result"])
            messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
            state["tool_calls"] += 1
            state["errors"] += is_error
            emit("tool_result", id=call_id, content=content, is_error=is_error)


def execute(tools: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    """Run one call: `{"result": value}` or `{"error": text}`. Whatever happens, only Ctrl-C passes."""
    name, arguments = call.get("name"), call.get("arguments") or "{}"
    if not isinstance(name, str) or name not in tools:
        return {"error": f"unknown tool {name!r}; available: {list(tools)}"}
    try:
        values = arguments if isinstance(arguments, dict) else json.loads(arguments)
    except (ValueError, TypeError, RecursionError) as error:
        return {"error": f"arguments were not valid JSON ({error}); resend the call"}
    if not isinstance(values, dict):
        return {"error": f"bad arguments: they must be a JSON object, not {type(values).__name__}"}
    try:
        inspect.signature(tools[name]).bind(**values)
    except (TypeError, ValueError) as error:
        return {"error": f"bad arguments: {error}"}
    try:
        value = tools[name](**values)
        to_json(value)  # a value that cannot be sent to the model is an error of the tool
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a tool may even call sys.exit, or raise what cannot be shown
        with suppress(Exception):
            return {"error": f"{type(error).__name__}: {error}"}
        return {"error": type(error).__name__}
    return {"result": value}


def to_json(value: Any) -> str:
    """JSON text that any server takes: NaN and what JSON cannot hold raise, half a character becomes `?`."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode()


def tool(fn: Any) -> Any:
    """Decorator: give a function `.schema`, read from its name, docstring and type hints."""
    hints, properties, required = get_type_hints(fn), {}, []
    for name, parameter in inspect.signature(fn).parameters.items():
        hint = hints.get(name, str)
        properties[name] = {"type": JSON_TYPES.get(get_origin(hint) or hint, "string")}
        if parameter.default is parameter.empty:
            required.append(name)
    about = {"name": fn.__name__, "description": inspect.getdoc(fn) or ""}
    parameters = {"type": "object", "properties": properties, "required": required}
    fn.schema = {"type": "function", "function": {**about, "parameters": parameters}}
    return fn


def registry(*fns: Any) -> dict[str, Any]:
    """The `tools` of `run_agent`: name -> function. A function without a `.schema` gets one."""
    return {fn.__name__: fn if hasattr(fn, "schema") else tool(fn) for fn in fns}


def call(tool_name: str, call_id: str = "c1", /, **arguments: Any) -> Message:
    """The message of a model that asks for one tool: what a scripted model returns."""
    request = {"id": call_id, "name": tool_name, "arguments": to_json(arguments)}
    return {**answer(""), "tool_calls": [request]}


def answer(text: str) -> Message:
    """The message of a model that answers, which ends the run."""
    return {"role": "assistant", "content": text, "tool_calls": []}


def tool_results(messages: list[Message]) -> list[Any]:
    """What the tools returned so far, oldest first, read back from the tool messages."""
    return [json.loads(message["content"]) for message in messages if message["role"] == "tool"]
