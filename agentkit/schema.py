"""From a function's hints to JSON Schema, and from a model's arguments to what the function may be called with.

Role: `parameters_of(fn)` writes the schema that a model sees; `Arguments(parameters)` judges what the model sent,
with every problem named at once, and converts a value only where nothing is lost. Not here: running anything.

Understood hints: str int float bool list dict Any None, list[T], dict[str, T], Optional and unions, Literal, Enum,
TypedDict, dataclasses (the function receives an instance), Annotated[T, "a note"] and Annotated[T, {limits}].
Anything else is refused when the function is decorated, not when a model first calls it. Nothing that is sent holds
a `$ref` (some servers drop it), so a type that contains itself is refused as well.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import inspect
import json
import math
import re
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, Union

from agentkit.errors import SchemaError

__all__ = ["Arguments", "build", "builders_of", "note_of", "parameters_of", "plain_types"]

Schema = dict[str, Any]

SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
LIMIT_NAMES = ("minimum", "maximum", "enum", "minItems", "maxItems", "items", "minLength", "maxLength", "pattern")
JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,299})(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
ARGUMENTS_HEADING = re.compile(r"^[ \t]*(Args|Arguments|Parameters):[ \t]*$", re.MULTILINE)
OTHER_HEADING = re.compile(r"^(Returns|Yields|Raises|Examples?|Notes?|See Also):?\s*$")
NOTE = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")


# --- from hints to a schema -----------------------------------------------------------------------------------------


def parameters_of(fn: Callable[..., Any], limits: dict[str, Schema] | None = None) -> Schema:
    """The JSON Schema object for the arguments of `fn`; raises SchemaError naming what has no schema.

    An argument without a hint is a string; one with a default is optional, and the default is shown. `limits` maps
    argument names to JSON Schema limits, which are merged in and repeated in words in the description.
    """
    name = getattr(fn, "__name__", "tool")
    limits = limits or {}
    hints, notes = _hints(fn, name), _argument_notes(inspect.getdoc(fn) or "")
    properties: Schema = {}
    required = []
    for argument in inspect.signature(fn).parameters.values():
        where = f"{name}({argument.name})"
        if argument.kind not in (argument.POSITIONAL_OR_KEYWORD, argument.KEYWORD_ONLY):
            raise SchemaError(f"{where}: a tool's arguments are passed by name: write it without *, ** or /.")
        schema = schema_of(hints.get(argument.name, str), where)
        _merge_limits(schema, limits.get(argument.name, {}), where)
        if argument.default is argument.empty:
            required.append(argument.name)
        else:
            _show_default(schema, argument.default)
        _describe(schema, notes.get(argument.name) or schema.get("description", ""))
        properties[argument.name] = schema
    if stray := sorted(set(limits) - set(properties)):
        raise SchemaError(f"{name}: limits name arguments that it does not have: {', '.join(stray)}.")
    return {"type": "object", "properties": properties, "required": required}


def _hints(fn: Callable[..., Any], name: str) -> dict[str, Any]:
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        raise SchemaError(f"{name}: an async or generator function gives no result by itself: use a plain one.")
    try:
        return typing.get_type_hints(fn, include_extras=True)
    except Exception as error:  # a postponed annotation may hold any expression
        raise SchemaError(f"{name}: its hints cannot be read ({type(error).__name__}: {error}).") from None


def schema_of(hint: Any, where: str, inside: tuple[Any, ...] = ()) -> Schema:
    """The JSON Schema of one type hint; `inside` are the types that it stands in, to notice one inside itself."""
    if hint in (Any, object):
        return {}
    if hint in (None, type(None)):
        return {"type": "null"}
    if isinstance(hint, type) and hint in SIMPLE:
        return {"type": SIMPLE[hint]}
    if hint in inside:
        raise SchemaError(f"{where}: {_type_name(hint)} contains itself, which has no schema without $ref.")
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated_schema(arguments, where, inside)
    if origin is Literal:
        return _enum_schema(list(arguments), where)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one, where, inside) for one in arguments]}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], where, inside)}
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], where, inside)}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _enum_schema([member.value for member in hint], where)
    if dataclasses.is_dataclass(hint) or typing.is_typeddict(hint):
        return _fields_schema(hint, where, (*inside, hint))
    raise SchemaError(
        f"{where}: the hint {_type_name(hint)} has no JSON Schema. Use str, int, float, bool, list, dict, Optional, "
        "a union, Literal, an Enum, a TypedDict or a dataclass."
    )


def _annotated_schema(arguments: tuple[Any, ...], where: str, inside: tuple[Any, ...]) -> Schema:
    schema = schema_of(arguments[0], where, inside)
    for extra in arguments[1:]:
        if isinstance(extra, str):
            schema["description"] = extra
        elif isinstance(extra, dict):
            _merge_limits(schema, extra, where)
    return schema


def _enum_schema(values: list[Any], where: str) -> Schema:
    kinds = {SIMPLE.get(type(value)) for value in values}
    if not values or not kinds <= {"string", "integer", "number", "boolean"}:
        raise SchemaError(f"{where}: only text, numbers and truth values can be chosen from, not {values!r}.")
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}


def _fields_schema(hint: Any, where: str, inside: tuple[Any, ...]) -> Schema:
    """The object schema of a dataclass (fields that it initialises) or of a TypedDict."""
    hints = _hints(hint, where)
    if typing.is_typeddict(hint):
        required = [name for name in hints if name in hint.__required_keys__]
        fields: dict[str, Any] = dict.fromkeys(hints, dataclasses.MISSING)
    else:
        kept = [field for field in dataclasses.fields(hint) if field.init]
        required = [f.name for f in kept if f.default is f.default_factory is dataclasses.MISSING]
        fields = {field.name: field.default for field in kept}
    properties = {}
    for name, default in fields.items():
        properties[name] = schema_of(hints[name], f"{where}.{name}", inside)
        if default is not dataclasses.MISSING:
            _show_default(properties[name], default)
        _describe(properties[name], properties[name].get("description", ""))
    return {"type": "object", "properties": properties, "required": required}


def _merge_limits(schema: Schema, limits: Schema, where: str) -> None:
    if unknown := sorted(set(limits) - set(LIMIT_NAMES) - {"description"}):
        raise SchemaError(f"{where}: unknown limits: {', '.join(unknown)}. Known: {', '.join(LIMIT_NAMES)}.")
    for key, value in limits.items():
        schema[key] = {**schema.get("items", {}), **value} if key == "items" else value


def _describe(schema: Schema, note: str) -> None:
    """Set the description: the note, then the limits as sentences."""
    words = _limits_in_words(schema)
    if words and note and note[-1] not in ".!?":
        note += "."
    if note or words:
        schema["description"] = f"{note} {words}".strip()


def _limits_in_words(schema: Schema) -> str:
    """The limits as a sentence or two: some servers drop `minimum`, `maximum`, `pattern` and `default`."""
    items = schema.get("items", {})
    parts = [
        f"One of {_join(schema['enum'])}." if "enum" in schema else "",
        f"At least {schema['minimum']}." if "minimum" in schema else "",
        f"At most {schema['maximum']}." if "maximum" in schema else "",
        f"At least {schema['minItems']} items." if "minItems" in schema else "",
        f"At most {schema['maxItems']} items." if "maxItems" in schema else "",
        f"Each one of {_join(items['enum'])}." if "enum" in items else "",
        f"At least {schema['minLength']} characters." if "minLength" in schema else "",
        f"At most {schema['maxLength']} characters." if "maxLength" in schema else "",
        f"Matches {schema['pattern']}." if "pattern" in schema else "",
        f"Default: {json.dumps(schema['default'], ensure_ascii=False)}." if "default" in schema else "",
    ]
    return " ".join(filter(None, parts))


def _join(values: list[Any]) -> str:
    return ", ".join(str(value) for value in values)


def _show_default(schema: Schema, default: Any) -> None:
    value = default.value if isinstance(default, enum.Enum) else default
    with contextlib.suppress(TypeError, ValueError, RecursionError):  # a default that is no JSON is not shown
        json.dumps(value, allow_nan=False)
        schema["default"] = value


def _type_name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")


# --- from a docstring to notes ----------------------------------------------------------------------------------------


def note_of(fn: Callable[..., Any]) -> str:
    """The docstring of `fn` up to its argument section, with white space folded."""
    return " ".join(ARGUMENTS_HEADING.split(inspect.getdoc(fn) or "", maxsplit=1)[0].split())


def _argument_notes(docstring: str) -> dict[str, str]:
    """The notes of the `Args:` section: name -> text, continuation lines joined."""
    parts = ARGUMENTS_HEADING.split(docstring, maxsplit=1)
    notes: dict[str, str] = {}
    name, margin = "", -1
    for line in parts[-1].splitlines() if len(parts) > 1 else []:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if OTHER_HEADING.match(text) and indent <= max(margin - 1, 0):
            break
        margin = indent if margin < 0 and text else margin
        if text and indent <= margin and (match := NOTE.match(text)):
            name = match[1]
            notes[name] = match[2]
        elif text and name:
            notes[name] = f"{notes[name]} {text}".strip()
    return notes


# --- judging and converting arguments ---------------------------------------------------------------------------------


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
            kinds = [str(member.get("type", _join(member.get("enum", [])))) for member in schema["anyOf"]]
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
        if "enum" in schema and not any(value == choice and type(value) is type(choice) for choice in schema["enum"]):
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
    return not schema or schema.get("type") == wanted or any(_allows(one, wanted) for one in schema.get("anyOf", []))


def _same_number(value: Any, wanted: str) -> int | float | None:
    """The number that `value` says exactly (`3.0` -> 3, `"3"` -> 3), or None."""
    if wanted not in ("integer", "number"):
        return None
    if isinstance(value, str) and JSON_NUMBER.fullmatch(value):
        value = json.loads(value)
        if _is_type(value, wanted):
            return typing.cast("int | float", value)
    if wanted == "integer" and isinstance(value, float) and value.is_integer():
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


def builders_of(fn: Callable[..., Any]) -> dict[str, Any]:
    """The hints of those arguments that arrive as something else than JSON (dataclasses, Enums)."""
    hints = typing.get_type_hints(fn, include_extras=False)
    return {name: hint for name, hint in hints.items() if name != "return" and _needs_building(hint)}


def _needs_building(hint: Any) -> bool:
    if isinstance(hint, type) and typing.get_origin(hint) is None:
        return dataclasses.is_dataclass(hint) or issubclass(hint, enum.Enum) or typing.is_typeddict(hint)
    return typing.get_origin(hint) is not Literal and any(_needs_building(one) for one in typing.get_args(hint))


def build(value: Any, hint: Any) -> Any:
    """`value`, judged already, as an instance of `hint` (lists, dicts, unions and fields are gone into)."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return build(value, arguments[0])
    if origin is list:
        return [build(item, arguments[0]) for item in value]
    if origin is dict:
        return {key: build(item, arguments[1]) for key, item in value.items()}
    if origin in (Union, types.UnionType):
        return _build_union(value, arguments)
    if not isinstance(hint, type):
        return value
    if issubclass(hint, enum.Enum):
        return hint(value)
    if dataclasses.is_dataclass(hint):
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
