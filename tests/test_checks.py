"""The checks of agentkit/checks.py: what each refuses, in which words, and how numbers and moves are understood.

The cases in cases/answer_checks.json are answers with one tool call each and the verdict that a careful reader gives.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit.checks import (
    all_of,
    moves_grounded,
    not_empty,
    numbers_grounded,
    succeeded,
    used_a_tool,
)

CASES = json.loads((ROOT / "tests/cases/answer_checks.json").read_text(encoding="utf-8"))
CHECKS = {"numbers": numbers_grounded, "moves": moves_grounded}


def log(result, args=None, tool="measure"):
    return [{"tool": tool, "args": args or {}, "result": result}]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['rule']}: {case['answer'][:30]!r}" for case in CASES])
def test_each_answer_gets_the_verdict_of_a_careful_reader(case):
    problems = CHECKS[case["check"]](case["answer"], log(case["result"], case["args"]))
    assert ("fail" if problems else "pass") == case["right"], problems


def test_words_of_the_problems_are_fixed():
    assert used_a_tool("easy won", []) == ["The answer was written without calling any tool."]
    assert not_empty(" \n", []) == not_empty("", []) == not_empty(None, []) == ["There was no answer."]
    assert numbers_grounded("7 and 9, and 7", []) == ["These numbers did not come from any tool: 7, 9."]
    assert moves_grounded("c3-d4 then e3-f4", []) == ["These moves did not come from any tool: c3-d4, e3-f4."]
    assert succeeded("a", "b")("x", log({"error": "no"}, tool="a")) == ["These tools never ran successfully: a, b."]


def test_a_tool_succeeded_if_one_of_its_calls_did():
    calls = log({"error": "no"}, tool="a") + log({"sum": 3}, tool="a")
    assert succeeded("a")("x", calls) == []
    assert succeeded("a")("x", log('{"error": "no"}', tool="a")) != []
    assert succeeded("a")("x", log({"error": None, "sum": 3}, tool="a")) == []


def test_required_tools_of_joined_checks_are_the_union_in_order():
    check = all_of(used_a_tool, succeeded("b", "a"), all_of(succeeded("a", "c")), numbers_grounded)
    assert succeeded("b", "a").required == ("b", "a")
    assert check.required == ("b", "a", "c")
    assert all_of(used_a_tool).required == ()


def test_joined_checks_tell_every_problem():
    check = all_of(used_a_tool, succeeded("standings"), numbers_grounded)
    assert check("easy has 7 points", []) == [
        "The answer was written without calling any tool.",
        "These tools never ran successfully: standings.",
        "These numbers did not come from any tool: 7.",
    ]


def test_a_number_that_only_the_question_holds_is_refused():
    # the checks are not given the question at all: only what tools were told and what they returned
    assert numbers_grounded("You asked for 5 pairs.", log({"ok": True})) != []


def test_a_number_word_in_the_name_of_a_tool_is_that_name():
    assert numbers_grounded("**Two**: 8", log({"sum": 8}, tool="two")) == []
    assert numbers_grounded("Two: 8", log({"sum": 8}, tool="add")) != []


def test_a_log_that_changed_is_read_again():
    calls = log({"rows": [1]})
    assert numbers_grounded("There is 4.", calls) != []
    calls[0]["result"]["rows"].append(4)
    assert numbers_grounded("There is 4.", calls) == []


def test_no_result_of_a_wild_tool_stops_a_check():
    deep: list = []
    for _ in range(3000):
        deep = [deep]
    for result in (None, deep, float("nan"), float("inf"), "{broken", b"7", object(), {1: 2, None: {3}}, "\ud800 7"):
        assert isinstance(numbers_grounded("There are 7 of them.", log(result)), list)
    assert isinstance(numbers_grounded("7", [{"tool": "a"}]), list)


def test_importing_the_checks_loads_nothing_of_what_they_use_later():
    program = "import sys, agentkit.checks; print([m for m in sys.modules if m.startswith('agentkit.more')])"
    done = subprocess.run([sys.executable, "-S", "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
