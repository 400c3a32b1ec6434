"""Tools: plain functions that a model may ask for, and the box that runs them.

Role: `@tool` reads a function's name, hints and docstring into a `Tool`; a `ToolBox` runs a call by name and **never
raises**: whatever goes wrong (no such tool, wrong arguments, no approval, an exception, a hang, a result that is no
JSON) becomes `{"error": text}`, in words that tell a model what to do next. Only a person's Ctrl-C passes through.
Not here: deciding which tool to call (a model's job) or asking the person (an approver's, see team.py).

    @tool(limits={"b": {"minimum": 1}})
    def add(a: int, b: int = 1) -> dict:
        '''Add two numbers.

        Args:
            a: the first number
            b: the second number
        '''
        return {"sum": a + b}

    ToolBox([add]).run("add", {"a": 1})      # {"sum": 2}
    add(1, 2)                                # a tool is still the function: {"sum": 3}
"""

from __future__ import annotations

import contextvars
import json
import re
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any, NamedTuple, overload

from agentkit.arguments import (
    Arguments,
    build,
    builders_of,
    in_words,
    is_json_object,
    plain,
    plain_types,
    read_strictly,
)
from agentkit.errors import SchemaError
from agentkit.schema import hints_of, note_of, parameters_of

__all__ = ["Tool", "ToolBox", "effect_id", "is_approved", "tool"]

Approver = Callable[[str, dict[str, Any]], bool]

NAMED = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what model servers accept as a name
DENIED = "A person did not approve"  # how the error of a refused call begins
RISKS = ("read_only", "write_limited", "disabled")
ONLY_TEXT = frozenset((str,))
FLAT_TYPES = frozenset((str, int, float, bool, type(None)))
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
_effect: contextvars.ContextVar[str | None] = contextvars.ContextVar("effect", default=None)


def effect_id() -> str | None:
    """Inside a running tool that has `new_id`: the id that the trace already holds for this call's effect, or None."""
    return _effect.get()


class Tool:
    """A function with what a model must know of it. Calling it calls the function, without limits or approval.

    risk     "read_only"; "write_limited" (runs only when an approver says yes); "disabled" (never runs)
    timeout  seconds that a call may take, or None for as long as it likes
    new_id   for a tool with a lasting effect: makes the effect's id, which is in the trace before the tool runs
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        needs_approval: bool = False,
        limits: dict[str, dict[str, Any]] | None = None,
        *,
        risk: str | None = None,
        timeout: float | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        self.fn = fn
        self.name = getattr(fn, "__name__", type(fn).__name__)
        if not NAMED.fullmatch(self.name):
            raise SchemaError(f"{self.name!r} is no name for a tool: use up to 64 letters, digits, _ and -.")
        if risk is None:
            risk = "write_limited" if needs_approval else "read_only"
        if risk not in RISKS or (needs_approval and risk == "read_only"):
            raise SchemaError(f"{self.name}: risk is {', '.join(RISKS)} (with approval: not the first), not {risk!r}.")
        if timeout is not None and not timeout > 0:
            raise SchemaError(f"{self.name}: timeout is a number of seconds above 0, not {timeout!r}.")
        self.description = note_of(fn)
        hints = hints_of(fn)
        self.parameters = parameters_of(fn, limits, hints)
        self.risk = risk
        self.timeout = timeout
        self.new_id = new_id
        self.asks_agent = False  # set by agent_as_tool: what is inside has a trace of its own
        self._builders = builders_of(hints)
        self._plain = plain_types(self.parameters)
        self.__doc__ = fn.__doc__

    @property
    def needs_approval(self) -> bool:
        """True when a person must say yes first."""
        return self.risk == "write_limited"

    def schema(self) -> dict[str, Any]:
        """The description that a model is sent."""
        about = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": about}

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<Tool {self.name}({', '.join(self.parameters['properties'])}), {self.risk}>"

    def judge(self, args: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
        """(the arguments to run with, what was converted, problems) for what a model sent."""
        if self._is_plain(args):
            return args, {}, []
        judged = Arguments(self.parameters, args)
        return judged.values, judged.converted, judged.problems

    def _is_plain(self, args: dict[str, Any]) -> bool:
        """The common case: every argument is there, and is of its own simple type."""
        return len(args) == len(self._plain) and all(map(is_, map(type, args.values()), map(self._plain.get, args)))

    def run(self, values: dict[str, Any]) -> Any:
        """Call the function with judged arguments, as instances where it wants them, within the timeout."""
        if self._builders:
            values = {n: build(v, self._builders[n]) if n in self._builders else v for n, v in values.items()}
        if self.timeout is None:
            return self.fn(**values)
        from agentkit.more.deadline import run_within

        return run_within(self.timeout, self.fn, values)


@overload
def tool(fn: Callable[..., Any]) -> Tool: ...
@overload
def tool(
    *,
    needs_approval: bool = False,
    limits: dict[str, dict[str, Any]] | None = None,
    risk: str | None = None,
    timeout: float | None = None,
    new_id: Callable[[], str] | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Turn a function into a Tool: `@tool`, or `@tool(needs_approval=True, limits=…)`. Raises SchemaError."""
    if fn is not None:
        return Tool(fn, **options)
    return lambda function: Tool(function, **options)


class Outcome(NamedTuple):
    """One call as it went: the arguments it ran with, its result, the result as JSON text, what was converted."""

    args: Any
    result: Any
    text: str
    converted: dict[str, Any]


class ToolBox:
    """The tools of one agent, by name: `.tools`."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self.tools: dict[str, Tool] = {}
        for each in tools:
            one = each if isinstance(each, Tool) else Tool(each)
            if one.name in self.tools:
                raise SchemaError(f"Two tools are called {one.name}: a model could not tell them apart.")
            self.tools[one.name] = one
        self._schemas = [one.schema() for one in self.tools.values()]

    def schemas(self) -> list[dict[str, Any]]:
        """The descriptions that a model is sent."""
        return list(self._schemas)

    def run(self, name: str, args: dict[str, Any], approver: Approver | None = None) -> Any:
        """Run the tool called `name` and return its result, or `{"error": text}`. Never raises."""
        return self.call(name, args, approver).result

    def call(self, name: Any, args: Any, approver: Approver | None = None, effect: str | None = None) -> Outcome:
        """As `run`, and tells the whole story; `effect` is what `effect_id()` gives inside the tool."""
        one = self.tools.get(name) if isinstance(name, str) else None
        if one is None:
            return _error(args, f"There is no tool called {in_words(name)[:80]}. Tools: {', '.join(self.tools)}")
        if not isinstance(args, dict):
            return _error(args, _not_an_object(args))
        values: dict[str, Any] = args
        converted: dict[str, Any] = {}
        try:
            values, converted, problems = one.judge(args)
            if problems:
                return _error(args, "The arguments were not accepted: " + "; ".join(problems))
            if one.risk == "disabled":
                return _error(values, f"{one.name} is disabled, so it was not run.", converted)
            if one.risk == "write_limited" and not is_approved(approver, one.name, values):
                return _error(values, f"{DENIED} {one.name}, so it was not run.", converted)
            if values is not args:  # the function may change its lists; the log must not change with them
                result, text = _as_json(one.name, self._run(one, json.loads(_encode(values)), effect))
            else:
                result, text = _as_json(one.name, self._run(one, values, effect))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit in a tool must not end the program
            message = f"{one.name} failed: {type(error).__name__}: {in_words(error)}"
            return _error(values, message, converted)
        return Outcome(values, result, text, converted)

    @staticmethod
    def _run(one: Tool, values: dict[str, Any], effect: str | None) -> Any:
        if effect is None:
            return one.run(values)
        token = _effect.set(effect)
        try:
            return one.run(values)
        finally:
            _effect.reset(token)


def _error(args: Any, text: str, converted: dict[str, Any] | None = None) -> Outcome:
    result, as_text = _as_json("The tool", {"error": text})
    return Outcome(args if is_json_object(args) else plain(args), result, as_text, converted or {})


def _not_an_object(args: Any) -> str:
    wanted = 'They must be one JSON object such as {"name": value}; send the call again.'
    if isinstance(args, str):
        try:
            kind = type(read_strictly(args)).__name__
        except (ValueError, RecursionError):
            return f"The arguments were not accepted: they are not valid JSON: {in_words(args)[:80]} … {wanted}"
    else:
        kind = type(args).__name__
    return f"The arguments were not accepted: they should be an object, not {kind}. {wanted}"


def is_approved(approver: Approver | None, name: str, args: dict[str, Any]) -> bool:
    """What the approver says to a call: only a plain True is a yes; one that is missing or fails says no."""
    try:
        return approver is not None and approver(name, args) is True
    except KeyboardInterrupt:
        raise
    except BaseException:
        return False


def _as_json(name: str, result: Any) -> tuple[Any, str]:
    """The result as it looks after a journey through JSON, and the JSON text; an error when it can't travel."""
    try:
        text = _encode(result)
    except (TypeError, ValueError, RecursionError) as error:
        return _as_json(name, {"error": f"{name} gave a result that cannot be sent as JSON: {in_words(error)}"})
    if not text.isascii() and LONE_SURROGATE.search(text):  # half a character, from a broken file name
        text = LONE_SURROGATE.sub("\ufffd", text)
    elif type(result) is dict and _is_flat(result):
        return dict(result), text  # a copy: the tool may go on using its own
    return json.loads(text), text


def _is_flat(result: dict[Any, Any]) -> bool:
    """True when JSON would give back the same."""
    return ONLY_TEXT.issuperset(map(type, result)) and FLAT_TYPES.issuperset(map(type, result.values()))
