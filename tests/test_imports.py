"""agentkit is as light as a script: what `from agentkit import Agent, tool` loads, and what it leaves for later.

No test here measures time (eval/bench.py framework does): a module that was not imported costs nothing on any machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ["urllib", "http", "socket", "ssl", "sqlite3", "asyncio", "inspect", "dataclasses", "ast", "pathlib"]
HEAVY += ["tempfile", "subprocess", "threading", "logging", "unittest", "decimal", "email", "datetime", "random"]
HEAVY += ["copy", "platform"]


def loaded_after(code: str) -> set[str]:
    """The modules in a new interpreter, without its site, after `code`."""
    program = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{code}\nprint(*sys.modules)"
    command = [sys.executable, "-S", "-E", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("code", ["import agentkit", "from agentkit import Agent, tool"])
def test_the_framework_loads_nothing_heavy(code):
    bare = loaded_after("import typing, json")
    assert sorted(set(HEAVY) & (loaded_after(code) - bare)) == []


def test_making_a_tool_and_running_an_agent_loads_nothing_heavy_either():
    code = (
        "from agentkit import Agent, FunctionModel, tool\n"
        "@tool\ndef add(a: int, b: int = 1) -> dict:\n    'Add.'\n    return {'sum': a + b}\n"
        "call = {'tool_calls': [{'function': {'name': 'add', 'arguments': {'a': 1}}}]}\n"
        "model = FunctionModel(lambda m, t: call if len(m) == 2 else {'content': 'The sum is 2.'})\n"
        "assert Agent('sums', 'Add.', [add], model).run('1 + 1?').passed"
    )
    assert sorted(set(HEAVY) & (loaded_after(code) - loaded_after("import typing, json"))) == []


def test_what_goes_beyond_the_course_is_loaded_only_when_it_is_asked_for():
    beyond = {name for name in loaded_after("from agentkit import Agent, tool") if name.startswith("agentkit.more")}
    assert beyond == set()
    assert "agentkit.more.guards" in loaded_after("from agentkit import no_repeats")


def test_an_unknown_name_is_an_attribute_error():
    asked = "try:\n    agentkit.nothing\nexcept AttributeError as error:\n    assert 'nothing' in str(error)"
    loaded_after(f"import agentkit\n{asked}")


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
