"""agents/umbrella.py: its printed words, and rules that follow what the tools say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit.mini import registry, run_agent, tool_results
from agents import umbrella
from agents.program import run_as_program

RAIN = (
    "Your next meeting (Quarterly review) is in Pune with 80% chance of rain (heavy showers): "
    "take an umbrella."
)


def run_with(meeting, forecast=None, **options):
    """Run the mock model with a meeting, and perhaps a forecast, of the test's own."""
    asked = []

    def get_next_meeting():
        return meeting

    def get_weather(city, date):
        asked.append((city, date))
        return forecast or umbrella.get_weather(city, date)

    tools = registry(get_next_meeting, get_weather)
    return run_agent(umbrella.mock_model, tools, umbrella.TASK, on_event=None, **options), asked


def test_the_whole_printed_run():
    done = subprocess.run(
        [sys.executable, "-m", "agents.umbrella"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "TASK: Do I need an umbrella for my next meeting?",
        "  step 1: get_next_meeting({})",
        '      -> {"title": "Quarterly review", "city": "Pune", "start": "2026-09-28 10:00"}',
        '  step 2: get_weather({"city": "Pune", "date": "2026-09-28"})',
        '      -> {"rain_pct": 80, "summary": "heavy showers"}',
        "  step 3: final answer",
        f"ANSWER: {RAIN}",
        "steps: 3 | tool calls: 2 | messages: 7",
    ]


def test_json_prints_the_result_as_one_document(capsys):
    assert umbrella.main(["--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["answer"], result["steps"]) == (RAIN, 3)


def test_help_ends_with_an_example(capsys):
    with pytest.raises(SystemExit) as end:
        umbrella.main(["--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.rstrip().endswith("Example: python -m agents.umbrella --json")


def test_two_steps_are_not_enough():
    tools = registry(umbrella.get_next_meeting, umbrella.get_weather)
    result = run_agent(umbrella.mock_model, tools, umbrella.TASK, max_steps=2, on_event=None)
    assert (result["answer"], result["stopped"]) == (None, "step limit (2) reached")
    assert [result[key] for key in ("steps", "tool_calls", "errors")] == [2, 2, 0]
    assert len(result["messages"]) == 6
    assert tool_results(result["messages"])[1] == {"rain_pct": 80, "summary": "heavy showers"}


def test_another_city_changes_both_the_call_and_the_answer():
    result, asked = run_with({"title": "Retro", "city": "Delhi", "start": "2026-10-01 09:30"})
    assert asked == [("Delhi", "2026-10-01")]
    assert result["answer"] == (
        "Your next meeting (Retro) is in Delhi with 10% chance of rain (clear): no umbrella needed."
    )


def test_a_meeting_online_needs_no_forecast():
    result, asked = run_with({"title": "Stand-up", "city": "Online", "start": "2026-10-01 09:30"})
    assert (result["steps"], asked) == (2, [])
    assert "no umbrella needed" in result["answer"]


@pytest.mark.parametrize(
    "percent, advice", [(49, "no umbrella needed."), (50, "take an umbrella."), (100, "take an umbrella.")]
)
def test_an_umbrella_is_advised_from_fifty_percent(percent, advice):
    meeting = {"title": "Lunch", "city": "Oslo", "start": "2026-10-01 12:00"}
    result, _ = run_with(meeting, {"rain_pct": percent, "summary": "some clouds"})
    assert result["answer"].endswith(f"(some clouds): {advice}")


def test_a_tool_that_fails_ends_in_an_answer_that_says_so():
    def get_next_meeting():
        raise OSError("the calendar is locked")

    result = run_agent(umbrella.mock_model, registry(get_next_meeting), umbrella.TASK, on_event=None)
    assert result["answer"] == "I cannot tell: OSError: the calendar is locked"
    assert result["errors"] == 1


def test_a_closed_pipe_ends_the_program_quietly():
    command = [sys.executable, "-m", "agents.umbrella"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        program.stdout.close()
        assert program.stderr.read() == ""
    assert program.returncode == 1


def test_an_interrupt_ends_a_program_with_130(monkeypatch):
    def main(argv):
        assert argv == ["--json"]
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["umbrella", "--json"])
    assert run_as_program(main) == 130


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
