"""`ToolBox.run` never raises and always returns JSON, whatever a model sends and whatever a tool does.

The property test makes at least 20,000 calls: names, arguments and results of any shape. Its judge is json.dumps with
`allow_nan=False`, encoded as UTF-8: what any server and any file takes. The rest are tools that misbehave in ways of
their own.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import ToolBox, tool
from agentkit.errors import SchemaError
from agentkit.tools import Tool, effect_id

GENERATED_CALLS = 20_000
CALLS_IN_EXAMPLE = 10


def is_json(value):
    """True when any server and any UTF-8 file takes `value` as it is."""
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8")
    return True


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: float | None = None


class Hostile:
    """An object that has no words."""

    def __str__(self):
        raise RuntimeError("no words")

    def __repr__(self):
        return "Hostile()"  # the test must be able to name it


class Silent(Exception):
    def __str__(self):
        raise SystemExit("no words")


class OddDict(dict):
    def items(self):
        raise OSError("gone")


# --- generated calls ------------------------------------------------------------------------------------------------

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["3", "3.0", "1e400", "NaN", "{", "[]", "\ud800", "\x00", "red", "add", -(2**63), 10**400]),
)
KEYS = st.sampled_from(["a", "b", "c", "x", "y", "value", "self", "name"]) | st.text(max_size=4)
NESTED = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)
STRANGERS: dict[str, Any] = {"set": {1, 2}, "bytes": b"x", "object": object(), "hostile": Hostile()}
STRANGERS |= {"enum": Colour.RED}
STRANGERS |= {"date": datetime.date.min, "decimal": decimal.Decimal(1), "tuple": (1,)}
STRANGERS |= {"complex": 1j, "function": len, "number without decimals": 10**5000, "class": Point, "instance": Point(1)}
ODD_RESULTS = {"odd dict": OddDict(a=1), **STRANGERS}
FOREIGN = st.sampled_from(sorted(STRANGERS)).map(lambda name: STRANGERS[name])
RESULTS = st.one_of(
    NESTED,
    st.sampled_from(sorted(ODD_RESULTS)).map(lambda name: ODD_RESULTS[name]),
    st.lists(FOREIGN, max_size=2),
    st.dictionaries(KEYS | st.integers(), FOREIGN, max_size=2),
)
FAILURES = {str(n): failure for n, failure in enumerate([ValueError("boom"), SystemExit(3), Silent(), Hostile])}
FAILURES |= {"memory": MemoryError(), "deep": RecursionError(), "exit": GeneratorExit(), "stop": StopIteration(1)}
FAILURES |= {"hostile": AssertionError(Hostile()), "unicode": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")}
current: dict[str, Any] = {}


@tool
def add(a: int, b: int = 1) -> dict:
    """Add."""
    return {"sum": a + b}


@tool(limits={"b": {"minItems": 1, "items": {"minimum": 1}}, "a": {"pattern": "^[a-z]+$", "maxLength": 5}})
def mixed(a: str, b: list[int] | None = None, c: Literal["x", 2] = 2, x: Point | Colour | None = None):
    """Take many types."""
    return [a, b, c, str(x)]


@tool
def nested(value: dict[str, list[Point]], name: Any = None):
    """Take what is nested."""
    return [str(value), name]


@tool
def give(value: Any = None):
    """Give what the test says."""
    return current["result"]


@tool
def fail(value: Any = None):
    """Fail as the test says."""
    raise current["failure"]


@tool(risk="write_limited")
def guarded(a: int = 1):
    """Need approval."""
    return a


TOOLS = [add, mixed, nested, give, fail, guarded]
NAMES = st.sampled_from([one.name for one in TOOLS]) | NESTED | FOREIGN
ARGUMENTS = st.one_of(
    st.dictionaries(KEYS, NESTED | FOREIGN, max_size=4),
    st.fixed_dictionaries({}, optional={"a": SCALARS, "b": NESTED, "c": SCALARS, "x": NESTED, "value": NESTED}),
    NESTED,
    FOREIGN,
    NESTED.map(lambda value: str(value)),
)


def raises(name, args):
    raise current["failure"]


APPROVERS = st.sampled_from([None, lambda n, a: True, lambda n, a: "yes", raises])
CALL = st.tuples(NAMES, ARGUMENTS, RESULTS, st.sampled_from(sorted(FAILURES)), APPROVERS)
box = ToolBox(TOOLS)
made = {"calls": 0}


@given(st.lists(CALL, min_size=CALLS_IN_EXAMPLE, max_size=CALLS_IN_EXAMPLE))
@settings(
    max_examples=GENERATED_CALLS // CALLS_IN_EXAMPLE,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # a failing batch is short enough as it is
)
def test_run_never_raises_and_always_returns_json(batch):
    for name, args, result, failure, approver in batch:
        current.update(result=result, failure=FAILURES[failure])
        made["calls"] += 1
        assert is_json(box.run(name, args, approver))
    outcome = box.call(name, args, approver)
    assert json.loads(outcome.text) == outcome.result
    json.dumps(outcome.args, allow_nan=False)


def test_the_property_was_tried_on_at_least_20_000_generated_calls():
    if made["calls"] == 0:  # this test was chosen alone
        test_run_never_raises_and_always_returns_json()
    assert made["calls"] >= GENERATED_CALLS


# --- results --------------------------------------------------------------------------------------------------------


def result_of(value):
    current["result"] = value
    return box.run("give", {})


def deep(levels):
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]
    return value


NO_JSON = [float("nan"), {"a": [float("inf")]}, {1, 2}, datetime.date(2026, 10, 28), b"\x00", object(), 1j]
NO_JSON += [{(1, 2): 3}, decimal.Decimal("1.5"), Colour.RED, Point(1), 10**5000]


@pytest.mark.parametrize("value", NO_JSON, ids=lambda value: str(type(value).__name__))
def test_a_result_that_is_no_json_is_told_in_words(value):
    assert "cannot be sent as JSON" in result_of(value)["error"]


def test_a_result_3_000_levels_deep_is_an_error_or_arrives_whole():
    result = result_of(deep(3000))
    assert isinstance(result, list) or "cannot be sent as JSON" in result["error"]
    assert "cannot be sent as JSON" in result_of(deep(200_000))["error"]


def test_a_circle_is_an_error():
    circle: list[Any] = []
    circle.append(circle)
    assert "cannot be sent as JSON" in result_of(circle)["error"]


def test_a_result_of_5_mb_arrives_whole():
    assert len(result_of({"text": "x" * 5_000_000})["text"]) == 5_000_000


def test_half_a_character_is_replaced_and_whole_ones_stay():
    assert result_of({"name": "\ud83d", "face": "😀", "é": 1}) == {"name": "\ufffd", "face": "😀", "é": 1}
    assert result_of({"\udcff": [1]}) == {"\ufffd": [1]}


def test_the_result_is_what_json_makes_of_it():
    assert result_of((1, 2)) == [1, 2]
    assert result_of({1: "a", None: "b", 2.5: "c"}) == {"1": "a", "null": "b", "2.5": "c"}


def test_a_tool_that_goes_on_using_its_result_does_not_change_the_log():
    mine = {"n": 1}
    first = result_of(mine)
    mine["n"] = 2
    assert first == {"n": 1}


def test_a_tool_that_changes_its_arguments_does_not_change_the_log():
    @tool
    def sort(names: list, options: dict):
        names.sort()
        options.clear()
        return names

    outcome = ToolBox([sort]).call("sort", {"names": ["b", "a"], "options": {"x": 1}})
    assert outcome.result == ["a", "b"]
    assert outcome.args == {"names": ["b", "a"], "options": {"x": 1}}


# --- failures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_of_a_tool_becomes_words_also_sys_exit(failure):
    current["failure"] = FAILURES[failure]
    assert box.run("fail", {})["error"].startswith("fail failed: ")


def test_endless_recursion_is_a_failure_like_any_other():
    @tool
    def dig(n: int = 0):
        return dig.fn(n + 1)

    assert ToolBox([dig]).run("dig", {})["error"].startswith("dig failed: RecursionError")


def test_a_keyboard_interrupt_passes_through_from_tools_and_approvers():
    def interrupted(*args):
        raise KeyboardInterrupt

    current["failure"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        box.run("fail", {})
    with pytest.raises(KeyboardInterrupt):
        box.run("guarded", {}, interrupted)


# --- timeouts -------------------------------------------------------------------------------------------------------


def test_a_tool_that_hangs_is_left_behind():
    released = threading.Event()

    @tool(timeout=0.05)
    def hang():
        released.wait(60)

    assert "gave no result within 0.05 seconds" in ToolBox([hang]).run("hang", {})["error"]
    released.set()


def test_a_timeout_changes_nothing_for_a_tool_that_is_quick():
    @tool(timeout=60)
    def quick(how: str):
        if how == "raise":
            raise ValueError("boom")
        if how == "exit":
            sys.exit(3)
        return effect_id()

    quick_box = ToolBox([quick])
    assert quick_box.call("quick", {"how": "give"}, effect="id7").result == "id7"
    assert quick_box.run("quick", {"how": "raise"}) == {"error": "quick failed: ValueError: boom"}
    assert quick_box.run("quick", {"how": "exit"}) == {"error": "quick failed: SystemExit: 3"}


def test_the_program_can_end_while_a_tool_hangs(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys, time\nsys.path.insert(0, {str(ROOT)!r})\nfrom agentkit import ToolBox, tool\n"
        "@tool(timeout=0.05)\ndef hang():\n    time.sleep(600)\nprint(ToolBox([hang]).run('hang', {}))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, "no result within" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_timeout_that_allows_nothing_is_refused(timeout):
    with pytest.raises(SchemaError, match="timeout"):
        make(timeout=timeout)


def make(**options):
    def some():
        return None

    return tool(**options)(some)


def test_an_endless_timeout_is_no_timeout():
    assert ToolBox([make(timeout=float("inf"))]).run("some", {}) is None


# --- risk and effects -----------------------------------------------------------------------------------------------


def test_risk_says_whether_a_person_is_asked():
    assert (make().risk, make(needs_approval=True).risk) == ("read_only", "write_limited")
    assert make(risk="write_limited").needs_approval
    assert not make(risk="disabled").needs_approval
    for wrong in ({"risk": "harmless"}, {"risk": "read_only", "needs_approval": True}):
        with pytest.raises(SchemaError, match="risk"):
            make(**wrong)


def test_approval_and_limits_may_be_given_by_position():
    def some(a: int):
        return a

    made = Tool(some, True, {"a": {"minimum": 1}})
    assert made.needs_approval
    assert made.parameters["properties"]["a"]["minimum"] == 1


def test_a_disabled_tool_is_never_run_whoever_approves():
    asked = []
    result = ToolBox([make(risk="disabled")]).run("some", {}, lambda *call: asked.append(call) or True)
    assert ("disabled" in result["error"], asked) == (True, [])


def test_only_true_itself_is_a_yes():
    for answer in ("yes", 1, [True], None, False, "True"):
        assert "did not approve" in box.run("guarded", {}, lambda name, args, answer=answer: answer)["error"]
    assert box.run("guarded", {"a": 2}, lambda name, args: True) == 2


def test_an_effect_has_its_id_only_while_its_tool_runs():
    @tool(new_id=lambda: "unused here")
    def play():
        return effect_id()

    play_box = ToolBox([play])
    assert play_box.call("play", {}, effect="20261028-140501").result == "20261028-140501"
    assert play_box.run("play", {}) is effect_id() is None


def test_a_tool_may_use_another_tool_box():
    @tool
    def outer():
        return ToolBox([add]).run("add", {"a": 1})

    assert ToolBox([outer]).run("outer", {}) == {"sum": 2}


def test_many_threads_may_use_one_tool_box():
    results: list[Any] = []

    @tool
    def wait(n: int):
        time.sleep(0.001)
        return n

    wait_box = ToolBox([wait])
    threads = [threading.Thread(target=lambda n=n: results.append(wait_box.run("wait", {"n": n}))) for n in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(30))


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
