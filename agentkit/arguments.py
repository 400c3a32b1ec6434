"""What a model sent, judged against a schema: every problem named at once, nothing converted that would lose anything.

Role: `Arguments(parameters, sent)` gives the values to call a function with, what was converted, and the problems in
words that a model can act on; `build` makes instances of dataclasses and Enums of them. `plain` and `is_json_object`
say what can travel as JSON. Not here: the schema itself (schema.py), running anything (tools.py).

    judged = Arguments(add.parameters, {"a": "3", "c": 1})
    judged.values, judged.converted, judged.problems       # {"a": 3}, {"a": {"from": "3", "to": 3}}, [unknown …]
"""

from __future__ import annotations

import enum
import json
import math
import re
import types
import typing
from typing import Any, Literal, Union

from agentkit.schema import SIMPLE, Schema, is_class, is_dataclass, joined, schema_of

__all__ = ["Arguments", "build", "builders_of", "in_words", "is_json_object", "plain", "plain_types", "read_strictly"]

JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,299})(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
EXACT = 2**53  # up to here a float stands for one whole number only
LARGEST_INTEGER = 14_000  # bits; Python writes no longer ones as decimals
DEEPEST = 50  # levels of a value that `plain` goes down
_encode = json.JSONEncoder(allow_nan=False, check_circular=False).encode  # a circle is a RecursionError


class Arguments:
    """Judges one call's arguments against `parameters`: `problems` in words, `converted` {name: {from, to}}.

    `values` holds what to call with (JSON values; see `build` for dataclasses and Enums).
    """

    __slots__ = ("converted", "problems", "values")

    def __init__(self, parameters: Schema, sent: dict[str, Any]) -> None:
        self.problems: list[str] = []
        self.converted: dict[str, Any] = {}
        properties, self.values = parameters["properties"], {}
        required = parameters["required"]
        for name in required:
            if name not in sent:
                self.problems.append(f"missing argument: {name}")
        for name, value in sent.items():
            schema = properties.get(name)
            if schema is None:
                self.problems.append(f"unknown argument: {name}")
            elif value is None and name not in required and not _allows(schema, "null"):
                self.converted[name] = {"from": None, "to": schema.get("default")}  # left out: the default holds
            else:
                self.values[name] = self._judge(value, schema, name)

    def _judge(self, value: Any, schema: Schema, where: str) -> Any:
        """The value to use: the same one, or one that says exactly the same in the right type."""
        if "anyOf" in schema:
            return self._judge_union(value, schema, where)
        wanted = schema.get("type")
        if wanted is not None and not _is_type(value, wanted):
            number = _same_number(value, wanted)
            if number is None:
                self.problems.append(f"{where} should be of type {wanted}, not {_kind(value)}")
                return value
            self.converted[where] = {"from": value, "to": number}
            value = number
        self._judge_limits(value, schema, where)
        if isinstance(value, list) and "items" in schema:
            return [self._judge(item, schema["items"], f"{where}[{i}]") for i, item in enumerate(value)]
        if isinstance(value, dict) and wanted == "object":
            return self._judge_object(value, schema, where)
        return value

    def _judge_union(self, value: Any, schema: Schema, where: str) -> Any:
        """The first member that takes the value as it is, else the first that takes it converted."""
        trials = []
        for member in schema["anyOf"]:
            trial = Arguments({"properties": {where: member}, "required": []}, {where: value})
            if not trial.problems and not trial.converted:
                return trial.values[where]
            trials.append(trial)
        for trial in trials:
            if not trial.problems:
                self.converted.update(trial.converted)
                return trial.values.get(where)
        near = [t for t, m in zip(trials, schema["anyOf"], strict=True) if _is_type(value, m.get("type", ""))]
        if near:  # the type was right: its own problems say more
            self.problems.extend(near[0].problems)
        else:
            kinds = [str(member.get("type", joined(member.get("enum", [])))) for member in schema["anyOf"]]
            self.problems.append(f"{where} should be of type {' or '.join(kinds)}, not {_kind(value)}")
        return value

    def _judge_object(self, value: dict[str, Any], schema: Schema, where: str) -> Any:
        if "properties" in schema:
            inner = Arguments(schema, value)
            self.problems += [f"{where}: {problem}" for problem in inner.problems]
            self.converted.update({f"{where}.{name}": change for name, change in inner.converted.items()})
            return inner.values
        if "additionalProperties" in schema:
            member = schema["additionalProperties"]
            return {key: self._judge(item, member, f"{where}.{key}") for key, item in value.items()}
        return value

    def _judge_limits(self, value: Any, schema: Schema, where: str) -> None:
        if "enum" in schema and not any(_same(value, choice) for choice in schema["enum"]):
            self.problems.append(f"{where} must be one of {schema['enum']}")
        if isinstance(value, (int, float)):
            if "minimum" in schema and value < schema["minimum"]:
                self.problems.append(f"{where} must be at least {schema['minimum']}")
            if "maximum" in schema and value > schema["maximum"]:
                self.problems.append(f"{where} must be at most {schema['maximum']}")
        elif isinstance(value, list):
            if len(value) < schema.get("minItems", 0):
                self.problems.append(f"{where} needs at least {schema['minItems']} items")
            if len(value) > schema.get("maxItems", math.inf):
                self.problems.append(f"{where} may have at most {schema['maxItems']} items")
        elif isinstance(value, str):
            if len(value) < schema.get("minLength", 0):
                self.problems.append(f"{where} needs at least {schema['minLength']} characters")
            if len(value) > schema.get("maxLength", math.inf):
                self.problems.append(f"{where} may have at most {schema['maxLength']} characters")
            elif "pattern" in schema and not _matches(schema["pattern"], value):
                self.problems.append(f"{where} must match {schema['pattern']}")


def plain_types(parameters: Schema) -> dict[str, type | None]:
    """For each argument the Python type whose values need no further look, or None where there is more to judge."""
    plain = {"string": str, "integer": int, "boolean": bool}
    return {
        name: plain.get(schema.get("type", "")) if set(schema) <= {"type", "description", "default"} else None
        for name, schema in parameters["properties"].items()
    }


def _same(value: Any, choice: Any) -> bool:
    """Equal as JSON: 1 and 1.0 are, 1 and true are not."""
    return (value == choice) is True and (type(value) is bool) == (type(choice) is bool)


def _matches(pattern: str, text: str) -> bool:
    """JSON Schema's `pattern`: found anywhere, ASCII classes, and a final `$` is the very end (Python's is not)."""
    if pattern.endswith("$") and not pattern.endswith("\\$"):
        pattern = pattern[:-1] + r"\Z"
    return re.search(pattern, text, re.ASCII) is not None


def _is_type(value: Any, wanted: str) -> bool:
    kind = type(value)
    if wanted == "integer":
        return kind is int
    if wanted == "number":
        return kind is int or (kind is float and math.isfinite(value))
    if wanted == "null":
        return value is None
    return SIMPLE.get(kind) == wanted


def _allows(schema: Schema, wanted: str) -> bool:
    if "anyOf" in schema:
        return any(_allows(one, wanted) for one in schema["anyOf"])
    if "enum" in schema:
        return wanted == "null" and None in schema["enum"]
    return bool(schema.get("type", wanted) == wanted)


def _same_number(value: Any, wanted: str) -> int | float | None:
    """The number that `value` says exactly (`3.0` -> 3, `"3"` -> 3), or None."""
    if wanted not in ("integer", "number"):
        return None
    if isinstance(value, str) and JSON_NUMBER.fullmatch(value):
        value = json.loads(value)
        if _is_type(value, wanted):
            return typing.cast("int | float", value)
    if wanted == "integer" and isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
        return int(value)
    return None


def _kind(value: Any) -> str:
    """What a model sent, in a word that it knows."""
    if value is None:
        return "null"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return type(value).__name__


# --- instances --------------------------------------------------------------------------------------------------------


def builders_of(hints: dict[str, Any]) -> dict[str, Any]:
    """The hints of those arguments that arrive as something else than JSON (dataclasses, Enums)."""
    return {name: hint for name, hint in hints.items() if name != "return" and _needs_building(hint)}


def _needs_building(hint: Any) -> bool:
    if type(hint) is type and hint in SIMPLE:
        return False
    if is_class(hint):
        return is_dataclass(hint) or issubclass(hint, enum.Enum) or typing.is_typeddict(hint)
    return typing.get_origin(hint) is not Literal and any(_needs_building(one) for one in typing.get_args(hint))


def build(value: Any, hint: Any) -> Any:
    """`value`, judged already, as an instance of `hint` (lists, dicts, unions and fields are gone into)."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return build(value, arguments[0])
    if origin is list and arguments:
        return [build(item, arguments[0]) for item in value]
    if origin is dict and arguments:
        return {key: build(item, arguments[1]) for key, item in value.items()}
    if origin in (Union, types.UnionType):
        return _build_union(value, arguments)
    if not is_class(hint):
        return value
    if issubclass(hint, enum.Enum):
        return hint(value)
    if is_dataclass(hint):
        return hint(**_build_fields(value, hint))
    return _build_fields(value, hint) if typing.is_typeddict(hint) else value


def _build_fields(value: dict[str, Any], hint: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(hint)
    return {name: build(item, hints[name]) for name, item in value.items()}


def _build_union(value: Any, members: tuple[Any, ...]) -> Any:
    """An instance of the first member whose schema takes the value."""
    for member in members:
        trial = Arguments({"properties": {"value": schema_of(member, "value")}, "required": []}, {"value": value})
        if not trial.problems and not trial.converted:
            return build(value, member)
    return value


# --- what can travel as JSON ------------------------------------------------------------------------------------------


def is_json_object(value: Any) -> bool:
    """True for a dict that any server can be sent."""
    if not isinstance(value, dict):
        return False
    for each in value.values():
        if type(each) is not str and (type(each) is not int or not -EXACT <= each <= EXACT):
            break
    else:  # the common case: nothing in it that could go wrong
        return True
    try:
        _encode(value)
    except Exception:  # a class of its own may fail in any way
        return False
    return True


def read_strictly(text: str) -> Any:
    """`json.loads` without NaN and Infinity, which Python reads and nobody else does. Raises ValueError."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def plain(value: Any, depth: int = 0) -> Any:
    """`value` as JSON can hold it: what it cannot, or what lies too deep, becomes text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < LARGEST_INTEGER else in_words(value)
    if type(value) in (dict, list, tuple) and depth > DEEPEST:
        return "…"
    if type(value) is dict:
        return {in_words(name): plain(each, depth + 1) for name, each in value.items()}
    if type(value) in (list, tuple):
        return [plain(each, depth + 1) for each in value]
    return value if isinstance(value, float) and math.isfinite(value) else in_words(value)


def in_words(value: Any) -> str:
    """`str(value)`, whatever its class does."""
    try:
        return str(value)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return f"<{type(value).__name__}>"
