"""From a function's hints to a schema (schema.py), and from what a model sent to arguments (arguments.py).

The right schemas are those of JSON Schema 2020-12 for the type in question; what a hint accepts is told by tables of
values, not by our own judge.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import re
import sys
import typing
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import Tool, ToolBox, tool
from agentkit.errors import SchemaError


class Side(enum.Enum):
    BLACK = "b"
    WHITE = "w"


class Level(enum.IntEnum):
    EASY = 1
    HARD = 3


@dataclasses.dataclass
class Square:
    file: Annotated[str, "a to h"]
    rank: int = 1


@dataclasses.dataclass
class Move:
    start: Square
    path: list[Square] = dataclasses.field(default_factory=list)
    side: Side = Side.BLACK
    note: str | None = None
    key: int = dataclasses.field(default=0, init=False)


class Filter(TypedDict, total=False):
    player: typing.Required[str] if hasattr(typing, "Required") else str
    side: Side


@dataclasses.dataclass
class Tree:
    children: list[Tree]


@dataclasses.dataclass
class Ping:
    pong: Optional[Pong]  # noqa: UP045


@dataclasses.dataclass
class Pong:
    ping: Ping


def name_of(thing: Any) -> str:
    """What a test is called after: the same in every process, so no addresses in memory."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", str(thing))


def schema_for(hint: Any, **options: Any) -> dict[str, Any]:
    """The schema of one argument with this hint."""

    def show(value):
        return value

    show.__annotations__ = {"value": hint}
    return Tool(show, **options).parameters["properties"]["value"]


def outcome(hint: Any, value: Any, **options: Any) -> Any:
    """What a function with this hint receives when a model sends `value`, or the error."""
    received: list[Any] = []

    def show(value):
        received.append(value)

    show.__annotations__ = {"value": hint}
    result = ToolBox([Tool(show, **options)]).run("show", {"value": value})
    return received[0] if received else result["error"]


NULL = {"type": "null"}
SCHEMAS = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (list, {"type": "array"}),
    (dict, {"type": "object"}),
    (typing.List, {"type": "array"}),  # noqa: UP006
    (typing.Dict, {"type": "object"}),  # noqa: UP006
    (None, NULL),
    (Any, {}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (list[list[str]], {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
    (typing.List[int], {"type": "array", "items": {"type": "integer"}}),  # noqa: UP006
    (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
    (int | None, {"anyOf": [{"type": "integer"}, NULL]}),
    (Optional[str], {"anyOf": [{"type": "string"}, NULL]}),  # noqa: UP045
    (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
    (Literal["fast", "slow"], {"type": "string", "enum": ["fast", "slow"], "description": "One of fast, slow."}),
    (Literal[1, "all"], {"enum": [1, "all"], "description": "One of 1, all."}),
    (Side, {"type": "string", "enum": ["b", "w"], "description": "One of b, w."}),
    (Level, {"type": "integer", "enum": [1, 3], "description": "One of 1, 3."}),
    (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
    (Annotated[int, {"minimum": 1}], {"type": "integer", "minimum": 1, "description": "At least 1."}),
    (Annotated[int, object()], {"type": "integer"}),
]


@pytest.mark.parametrize(("hint", "schema"), SCHEMAS, ids=[name_of(hint) for hint, _ in SCHEMAS])
def test_each_hint_has_its_schema(hint, schema):
    assert schema_for(hint) == schema


def test_a_dataclass_is_an_object_with_the_fields_that_it_initialises():
    schema = schema_for(Move)
    assert list(schema["properties"]) == ["start", "path", "side", "note"]
    assert schema["required"] == ["start"]
    square = schema["properties"]["start"]
    assert (square["required"], square["properties"]["rank"]["default"]) == (["file"], 1)
    assert square["properties"]["file"]["description"] == "a to h"
    assert schema["properties"]["path"]["items"]["properties"].keys() == {"file", "rank"}
    assert schema["properties"]["side"]["default"] == "b"
    assert "$ref" not in json.dumps(schema)


def test_a_typed_dict_is_an_object_too():
    schema = schema_for(Filter)
    assert (schema["type"], set(schema["properties"])) == ("object", {"player", "side"})
    assert schema["required"] == (["player"] if hasattr(typing, "Required") else [])


@pytest.mark.parametrize("hint", [Tree, Ping, list[Tree], dict[str, Ping]], ids=str)
def test_a_type_that_contains_itself_is_refused_because_no_ref_is_sent(hint):
    with pytest.raises(SchemaError, match=r"show\(value\).* contains itself"):
        schema_for(hint)


REFUSED = [bytes, complex, set, tuple, object(), set[int], tuple[int, str], dict[int, str], typing.Callable]
REFUSED += [type, range, "no such name", typing.TypeVar("T"), list[bytes], Optional[bytes], Literal[b"x"]]  # noqa: UP045


@pytest.mark.parametrize("hint", REFUSED, ids=name_of)
def test_a_hint_without_a_schema_is_refused_at_decoration_and_named(hint):
    with pytest.raises(SchemaError) as caught:
        schema_for(hint)
    assert "show" in str(caught.value)


def test_an_empty_enum_and_one_of_objects_are_refused():
    for hint in (enum.Enum("Nothing", []), enum.Enum("Things", {"A": object()})):
        with pytest.raises(SchemaError, match="can be chosen from"):
            schema_for(hint)


def takes_positions(a, /):
    pass


def takes_many(*many):
    pass


def takes_any(**more):
    pass


async def waits(a: int):
    pass


def gives_many(a: int):
    yield a


def wrong_hint(a: nowhere):  # noqa: F821
    pass


class Callable:  # which arguments it takes is not for us to guess: wrap it in a function
    def __call__(self, a: int):
        return a


NO_TOOLS = [takes_positions, takes_many, takes_any, waits, gives_many, wrong_hint, lambda a: a]
NO_TOOLS += [functools.partial(print, end=""), functools.partial(takes_any), Callable(), 3, min]


@pytest.mark.parametrize("thing", NO_TOOLS, ids=name_of)
def test_what_cannot_be_a_tool_is_refused_when_it_is_decorated(thing):
    with pytest.raises(SchemaError):
        tool(thing)


def test_a_bound_method_can_be_a_tool():
    class Counter:
        def count(self, n: int) -> int:
            """Count."""
            return n

    assert ToolBox([tool(Counter().count)]).run("count", {"n": 2}) == 2


def test_an_argument_may_have_any_name_even_self():
    def odd(self: int, cls: int, args: int, fn: int, name: int, callable: int):
        return [self, cls, args, fn, name, callable]

    for options in ({}, {"timeout": 5}):
        one = Tool(odd, **options)
        sent = dict(zip(one.parameters["properties"], range(6), strict=True))
        assert ToolBox([one]).run("odd", sent) == list(range(6))
        assert one(**sent) == list(range(6))


# --- limits ----------------------------------------------------------------------------------------------------


def test_limits_are_merged_and_repeated_in_the_description_because_some_servers_drop_them():
    def show(size: int = 2, names: list[str] = (), code: str = "x"):
        """Show.

        Args:
            size: how large
        """

    limits = {
        "size": {"minimum": 1, "maximum": 9},
        "names": {"minItems": 1, "maxItems": 3, "items": {"enum": ["a", "b"]}},
        "code": {"minLength": 1, "maxLength": 4, "pattern": "^[a-z]+$"},
    }
    properties = Tool(show, limits=limits).parameters["properties"]
    assert properties["size"]["description"] == "how large. At least 1. At most 9. Default: 2."
    assert properties["size"]["minimum"] == 1
    assert properties["names"]["description"].startswith("At least 1 items. At most 3 items. Each one of a, b.")
    assert properties["names"]["items"] == {"type": "string", "enum": ["a", "b"]}
    for words in ("At least 1 characters.", "At most 4 characters.", "Matches ^[a-z]+$.", 'Default: "x".'):
        assert words in properties["code"]["description"]


def test_limits_on_an_optional_argument_hold_for_its_value_and_not_for_null():
    limits = {"value": {"minimum": 1}}
    assert schema_for(Optional[int], limits=limits)["description"] == "At least 1."  # noqa: UP045
    assert outcome(int | None, 0, limits=limits) == "The arguments were not accepted: value must be at least 1"
    assert outcome(int | None, 1, limits=limits) == 1
    assert outcome(int | None, None, limits=limits) is None
    assert outcome(str | None, None, limits={"value": {"enum": ["a"]}}) is None
    assert "must be one of" in outcome(str | None, "b", limits={"value": {"enum": ["a"]}})


def test_limits_on_items_are_told_and_enforced():
    limits = {"value": {"items": {"minimum": 1}}}
    assert schema_for(list[int], limits=limits)["description"] == "Each item: At least 1."
    assert outcome(list[int], [1, 0, -1], limits=limits) == (
        "The arguments were not accepted: value[1] must be at least 1; value[2] must be at least 1"
    )


WRONG_LIMITS = [{"minimun": 1}, {"enum": {1, 2}}, {"pattern": "("}, {"minimum": "1"}, {"maxLength": True}]
WRONG_LIMITS += [{"maximum": float("nan")}]


@pytest.mark.parametrize("limits", WRONG_LIMITS, ids=str)
def test_limits_that_could_only_fail_later_are_refused_at_once(limits):
    with pytest.raises(SchemaError):
        schema_for(str, limits={"value": limits})


def test_limits_for_an_argument_that_is_not_there_are_refused():
    with pytest.raises(SchemaError, match="vlaue"):
        schema_for(int, limits={"vlaue": {"minimum": 1}})


PATTERNS = [("^[0-9-]+$", "20261028-140501", True), ("^[0-9-]+$", "2026\n", False), ("^[0-9]+$", "٣", False)]
PATTERNS += [("b", "abc", True), (r"^\d+$", "٣", False), ("^(a|b)$", "a", True), (r"^a\$", "a$b", True)]


@pytest.mark.parametrize(("pattern", "text", "matches"), PATTERNS)
def test_a_pattern_is_found_anywhere_and_a_dollar_is_the_very_end(pattern, text, matches):
    received = outcome(str, text, limits={"value": {"pattern": pattern}})
    assert (received == text) is matches


def test_a_choice_of_numbers_compares_values_and_truth_is_no_number():
    limits = {"value": {"enum": [1, 2]}}
    assert outcome(float, 1.0, limits=limits) == 1.0
    assert outcome(int, "2", limits=limits) == 2
    assert "must be one of [1, 2]" in outcome(float, 3, limits=limits)
    assert "must be one of" in outcome(Any, True, limits=limits)


# --- values ----------------------------------------------------------------------------------------------------

ACCEPTED = [
    (int, 3, 3), (int, "3", 3), (int, 3.0, 3), (int, "1e2", 100), (int, 2**80, 2**80),
    (float, 3, 3), (float, "2.5", 2.5), (float, "1e-3", 0.001),
    (bool, True, True), (str, "", ""),
    (int | None, None, None), (int | str, "3", "3"), (int | str, 3, 3), (int | None, "3", 3),
    (list[int], ["1", 2.0], [1, 2]), (list, [None, {}], [None, {}]), (dict[str, int], {"a": "1"}, {"a": 1}),
    (Literal["a", None], None, None), (Any, None, None), (Any, [1], [1]),
    (Side, "w", Side.WHITE), (Level, 3, Level.HARD), (Level, "3", Level.HARD), (list[Side], ["b"], [Side.BLACK]),
    (Side | None, None, None), (Side | None, "b", Side.BLACK),
    (Square, {"file": "a"}, Square("a")), (Square, {"file": "a", "rank": None}, Square("a")),
    (Square | None, {"file": "a", "rank": "2"}, Square("a", 2)),
    (Move, {"start": {"file": "a"}, "path": [{"file": "b", "rank": 2}], "side": "w", "note": None},
     Move(Square("a"), [Square("b", 2)], Side.WHITE)),
    (dict[str, Square], {"x": {"file": "a"}}, {"x": Square("a")}),
    (Filter, {"player": "easy", "side": "w"}, {"player": "easy", "side": Side.WHITE}),
    (Annotated[Square, "where"], {"file": "a"}, Square("a")),
]  # fmt: skip


@pytest.mark.parametrize(("hint", "sent", "received"), ACCEPTED, ids=[f"{h} {s}" for h, s, _ in ACCEPTED])
def test_a_good_value_arrives_in_the_type_of_its_hint(hint, sent, received):
    got = outcome(hint, sent)
    assert got == received
    assert type(got) is type(received)


REFUSED_VALUES = [
    (int, 3.5), (int, True), (int, "3 "), (int, "0x10"), (int, 1e300), (int, "1e300"), (int, "1e23"), (int, None),
    (int, "9" * 5000), (int, float("inf")), (float, "1e999"), (float, float("nan")), (float, False), (float, "٣"),
    (bool, 1), (bool, "true"), (str, 3), (str, None), (list, "[1]"), (list, {}), (dict, []), (dict, "{}"),
    (int | str, 3.5), (int | None, "x"), (list[int], [1, "x"]), (dict[str, int], {"a": []}),
    (Literal["a"], "b"), (Literal[1], True), (Side, "BLACK"), (Side, 1),
    (Square, {}), (Square, {"file": "a", "colour": 1}), (Square, "a1"), (Move, {"start": {"file": 1}}),
    (Square | int, {"rank": 1}), (Filter, {"player": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("hint", "sent"), REFUSED_VALUES, ids=[f"{h} {str(s)[:20]}" for h, s in REFUSED_VALUES])
def test_a_value_that_would_lose_something_is_refused_in_words(hint, sent):
    assert str(outcome(hint, sent)).startswith("The arguments were not accepted: value")


def test_nested_problems_are_all_named_with_their_place():
    sent = {"start": {"rank": "x"}, "path": [{"file": "a"}, {"file": 2, "z": 1}], "side": "x"}
    assert outcome(Move, sent) == (
        "The arguments were not accepted: value: start: missing argument: file; "
        "value: start: rank should be of type integer, not str; "
        "value: path[1]: file should be of type string, not int; value: path[1]: unknown argument: z; "
        "value: side must be one of ['b', 'w']"
    )


def test_a_dataclass_that_refuses_its_own_values_is_a_failure_of_the_tool():
    @dataclasses.dataclass
    class Even:
        n: int

        def __post_init__(self):
            if self.n % 2:
                raise ValueError("odd")

    def show(value):
        return "ok"

    show.__annotations__ = {"value": Even}
    assert ToolBox([Tool(show)]).run("show", {"value": {"n": 1}}) == {"error": "show failed: ValueError: odd"}


def test_a_default_that_is_no_json_is_not_shown_and_still_holds():
    def show(value: int = object, side: Side = Side.WHITE):  # type: ignore[assignment]
        return [value is object, side is Side.WHITE]

    one = Tool(show)
    assert "default" not in one.parameters["properties"]["value"]
    assert one.parameters["properties"]["side"]["default"] == "w"
    assert ToolBox([one]).run("show", {}) == ToolBox([one]).run("show", {"value": None}) == [True, True]


# --- docstrings ----------------------------------------------------------------------------------------------------

NOTES = [
    ("Args:\n    a: one\n    b: two", {"a": "one", "b": "two"}),
    ("Args:\n    a (int): one\n    b (list[str], optional): two", {"a": "one", "b": "two"}),
    ("Args:\n    a: one\n        and more\n    b: two:\n      x: y", {"a": "one and more", "b": "two: x: y"}),
    ("Args:\n    a: one\n\n    b: two\n\nReturns:\n    c: three", {"a": "one", "b": "two"}),
    ("Arguments:\n  a: one\n  b:\n    two", {"a": "one", "b": "two"}),
    ("Parameters:\n\ta: one\n\tb: two", {"a": "one", "b": "two"}),
    ("Args:\n    **a**: no\n    a: one\nRaises:\n    b: no", {"a": "one"}),
    ("Args:", {}),
    ("", {}),
    ("Args:\n\n\n", {}),
    ("Args:\n    one line that is no note\n    a: one", {"a": "one"}),
]


@pytest.mark.parametrize(("docstring", "notes"), NOTES, ids=[text[:30] for text, _ in NOTES])
def test_notes_of_arguments_are_found_in_docstrings_of_any_form(docstring, notes):
    def show(a, b):
        pass

    show.__doc__ = f"Show.\n\n{docstring}"
    one = Tool(show)
    found = {name: schema["description"] for name, schema in one.parameters["properties"].items() if len(schema) > 1}
    assert found == notes
    assert one.description == "Show."


def test_a_function_without_a_docstring_has_an_empty_description():
    def show():
        pass

    assert Tool(show).description == ""


def test_what_is_sent_is_json_for_every_hint():
    for hint, _ in SCHEMAS:
        json.dumps(schema_for(hint), allow_nan=False)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
