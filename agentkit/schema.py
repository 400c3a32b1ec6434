"""From a function's hints and docstring to the JSON Schema that a model is shown.

Role: `parameters_of(fn)` writes the schema of its arguments, `note_of(fn)` its description. Not here: judging what a
model sends (arguments.py).

Understood hints: str int float bool list dict Any None, list[T], dict[str, T], Optional and unions, Literal, Enum,
TypedDict, dataclasses (the function receives an instance), Annotated[T, "a note"] and Annotated[T, {limits}].
Anything else is refused when the function is decorated, not when a model first calls it. Nothing that is sent holds
a `$ref` (some servers drop it), so a type that contains itself is refused as well.
"""

from __future__ import annotations

import contextlib
import enum
import json
import re
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, Union

from agentkit.errors import SchemaError

__all__ = ["hints_of", "is_class", "is_dataclass", "joined", "note_of", "parameters_of", "schema_of"]

Schema = dict[str, Any]

SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
LIMIT_NAMES = ("minimum", "maximum", "enum", "minItems", "maxItems", "items", "minLength", "maxLength", "pattern")
KEY_MARKS = ("Required", "NotRequired")  # of a TypedDict's keys; typing has them since Python 3.11
MANY_ARGUMENTS = 0x04 | 0x08  # flags of a function's code: it takes *args or **kwargs
NO_RESULT = 0x20 | 0x80 | 0x200  # it is a generator, a coroutine, or both
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
ARGUMENTS_HEADING = re.compile(r"^[ \t]*(Args|Arguments|Parameters):[ \t]*$", re.MULTILINE)
OTHER_HEADING = re.compile(r"^(Returns|Yields|Raises|Examples?|Notes?|See Also):?\s*$")
NOTE = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")


# --- from hints to a schema -----------------------------------------------------------------------------------------


def parameters_of(
    fn: Callable[..., Any], limits: dict[str, Schema] | None = None, hints: dict[str, Any] | None = None
) -> Schema:
    """The JSON Schema object for the arguments of `fn`; raises SchemaError naming what has no schema.

    An argument without a hint is a string; one with a default is optional, and the default is shown. `limits` maps
    argument names to JSON Schema limits, which are merged in and repeated in words in the description. `hints` are
    those of `hints_of(fn)`, when they have been read already.
    """
    name = getattr(fn, "__name__", "tool")
    limits = limits or {}
    arguments, defaults = _arguments_of(fn, name)
    hints, notes = hints_of(fn) if hints is None else hints, _argument_notes(fn.__doc__ or "")
    properties: Schema = {}
    for argument in arguments:
        where = f"{name}({argument})"
        schema = properties[argument] = schema_of(hints.get(argument, str), where)
        if argument in limits:
            _merge_limits(schema, limits[argument], where)
        if argument in defaults:
            _show_default(schema, defaults[argument])
        _describe(schema, notes.get(argument) or schema.get("description", ""))
    if stray := sorted(set(limits) - set(properties)):
        raise SchemaError(f"{name}: limits name arguments that it does not have: {', '.join(stray)}.")
    return {"type": "object", "properties": properties, "required": [n for n in arguments if n not in defaults]}


def _arguments_of(fn: Callable[..., Any], name: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The names of the arguments, and the defaults that there are (inspect tells them too, but is slow to import)."""
    while hasattr(fn, "__wrapped__"):  # made by a decorator that uses functools.wraps
        fn = fn.__wrapped__
    function = getattr(fn, "__func__", fn)  # of a bound method, whose first argument is there already
    code = getattr(function, "__code__", None)
    if code is None:
        raise SchemaError(f"{name} is no plain function: wrap it in one that says which arguments it takes.")
    if code.co_flags & NO_RESULT:
        raise SchemaError(f"{name}: an async or generator function gives no result by itself: use a plain one.")
    if code.co_flags & MANY_ARGUMENTS or code.co_posonlyargcount:
        raise SchemaError(f"{name}: a tool's arguments are passed by name: write them without *, ** or /.")
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    last = function.__defaults__ or ()
    defaults = dict(zip(names[code.co_argcount - len(last) : code.co_argcount], last, strict=True))
    return names[function is not fn :], {**defaults, **(function.__kwdefaults__ or {})}


def hints_of(fn: Callable[..., Any]) -> dict[str, Any]:
    """The type hints of a function or class, postponed ones read; raises SchemaError."""
    hints = getattr(fn, "__annotations__", {})
    if not isinstance(fn, type) and all(map(_is_read, hints.values())):
        return dict(hints)
    try:
        return typing.get_type_hints(fn, include_extras=True)
    except Exception as error:  # a postponed annotation may hold any expression
        name, problem = getattr(fn, "__name__", fn), f"{type(error).__name__}: {error}"
        raise SchemaError(f"{name}: its hints cannot be read ({problem}).") from None


def _is_read(hint: Any) -> bool:
    """True for a hint that holds no text to be read as code."""
    if type(hint) is types.GenericAlias:
        return all(map(_is_read, hint.__args__))
    return hint is None or isinstance(hint, type)


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
    if getattr(origin, "_name", None) in KEY_MARKS:
        return schema_of(arguments[0], where, inside)
    if origin is typing.Annotated:
        return _annotated_schema(arguments, where, inside)
    if origin is Literal:
        return _enum_schema(list(arguments), where)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one, where, inside) for one in arguments]}
    if origin is list:
        return {"type": "array", **({"items": schema_of(arguments[0], where, inside)} if arguments else {})}
    if origin is dict and not arguments:
        return {"type": "object"}
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], where, inside)}
    if is_class(hint) and issubclass(hint, enum.Enum):
        return _enum_schema([member.value for member in hint], where)
    if is_dataclass(hint) or typing.is_typeddict(hint):
        return _fields_schema(hint, where, (*inside, hint))
    raise SchemaError(
        f"{where}: the hint {_type_name(hint)} has no JSON Schema. Use str, int, float, bool, list, dict, Optional, "
        "a union, Literal, an Enum, a TypedDict or a dataclass."
    )


def is_class(hint: Any) -> bool:
    """True for a plain class (before Python 3.11, list[int] passes for one)."""
    return isinstance(hint, type) and typing.get_origin(hint) is None


def is_dataclass(hint: Any) -> bool:
    """True for a dataclass (`dataclasses` itself is imported by who defines one)."""
    return is_class(hint) and hasattr(hint, "__dataclass_fields__")


def _annotated_schema(arguments: tuple[Any, ...], where: str, inside: tuple[Any, ...]) -> Schema:
    schema = schema_of(arguments[0], where, inside)
    for extra in arguments[1:]:
        if isinstance(extra, str):
            schema["description"] = extra
        elif isinstance(extra, dict):
            _merge_limits(schema, extra, where)
    return schema


def _enum_schema(values: list[Any], where: str) -> Schema:
    kinds = {"null" if value is None else SIMPLE.get(type(value)) for value in values}
    if not values or not kinds <= {"string", "integer", "number", "boolean", "null"}:
        raise SchemaError(f"{where}: only text, numbers and truth values can be chosen from, not {values!r}.")
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}


def _fields_schema(hint: Any, where: str, inside: tuple[Any, ...]) -> Schema:
    """The object schema of a dataclass (fields that it initialises) or of a TypedDict."""
    import dataclasses

    hints = hints_of(hint)
    if typing.is_typeddict(hint):
        required = [name for name in hints if _is_required(hint, name, hints[name])]
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


def _is_required(typed_dict: Any, name: str, hint: Any) -> bool:
    """By the key's own mark where it has one: postponed annotations hide it from `__required_keys__`."""
    mark = getattr(typing.get_origin(hint), "_name", None)
    return mark == "Required" if mark in KEY_MARKS else name in typed_dict.__required_keys__


def _merge_limits(schema: Schema, limits: Schema, where: str) -> None:
    if unknown := sorted(set(limits) - set(LIMIT_NAMES) - {"description"}):
        raise SchemaError(f"{where}: unknown limits: {', '.join(unknown)}. Known: {', '.join(LIMIT_NAMES)}.")
    _must_be_limits(limits, where)
    if "anyOf" in schema:  # an optional argument: the limits are for its value, not for null
        for member in schema["anyOf"]:
            if member.get("type") != "null":
                _merge_limits(member, limits, where)
        return
    for key, value in limits.items():
        schema[key] = {**schema.get("items", {}), **value} if key == "items" else value


def _must_be_limits(limits: Schema, where: str) -> None:
    """Refuse limits that could not be sent or would fail only when a model calls: a set, a broken pattern."""
    try:
        json.dumps(limits, allow_nan=False)
        re.compile(limits.get("pattern", ""))
    except (TypeError, ValueError, RecursionError, re.error) as error:
        raise SchemaError(f"{where}: the limits {limits!r} are no JSON Schema: {error}.") from None
    for name, value in limits.items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if name.startswith(("min", "max")) and not number:
            raise SchemaError(f"{where}: the limit {name} is a number, not {value!r}.")


def _describe(schema: Schema, note: str) -> None:
    """Set the description: the note, then the limits as sentences."""
    words = _limits_in_words(schema)
    if words and note and note[-1] not in ".!?":
        note += "."
    if note or words:
        schema["description"] = f"{note} {words}".strip()


def _limits_in_words(schema: Schema) -> str:
    """The limits as a sentence or two: some servers drop `minimum`, `maximum`, `pattern` and `default`."""
    if schema.keys() <= {"type", "description"}:
        return ""
    items = schema.get("items", {})
    each = _limits_in_words(items) if items and "enum" not in items else ""
    parts = [
        *(_limits_in_words(member) for member in schema.get("anyOf", [])),
        f"One of {joined(schema['enum'])}." if "enum" in schema else "",
        f"At least {schema['minimum']}." if "minimum" in schema else "",
        f"At most {schema['maximum']}." if "maximum" in schema else "",
        f"At least {schema['minItems']} items." if "minItems" in schema else "",
        f"At most {schema['maxItems']} items." if "maxItems" in schema else "",
        f"Each one of {joined(items['enum'])}." if "enum" in items else "",
        f"Each item: {each}" if each else "",
        f"At least {schema['minLength']} characters." if "minLength" in schema else "",
        f"At most {schema['maxLength']} characters." if "maxLength" in schema else "",
        f"Matches {schema['pattern']}." if "pattern" in schema else "",
        f"Default: {_encode(schema['default'])}." if "default" in schema else "",
    ]
    return " ".join(filter(None, parts))


def joined(values: list[Any]) -> str:
    """Values as a list in a sentence."""
    return ", ".join(str(value) for value in values)


def _show_default(schema: Schema, default: Any) -> None:
    value = default.value if isinstance(default, enum.Enum) else default
    with contextlib.suppress(TypeError, ValueError, RecursionError):  # a default that is no JSON is not shown
        if type(value) not in (str, int, bool):
            _encode(value)
        schema["default"] = value


def _type_name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")


# --- from a docstring to notes ----------------------------------------------------------------------------------------


def note_of(fn: Callable[..., Any]) -> str:
    """The docstring of `fn` up to its argument section, with white space folded."""
    return " ".join(ARGUMENTS_HEADING.split(fn.__doc__ or "", maxsplit=1)[0].split())


def _argument_notes(docstring: str) -> dict[str, str]:
    """The notes of the `Args:` section: name -> text, continuation lines joined."""
    parts = ARGUMENTS_HEADING.split(docstring.expandtabs(), maxsplit=1)
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
