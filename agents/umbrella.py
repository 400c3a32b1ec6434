"""Do I need an umbrella for my next meeting? The smallest useful agent, on `agentkit.mini`, offline.

Role: two tools with made-up data and a model made of rules, to watch the loop at work. No language model,
no calendar and no weather service are asked; put your own in by replacing one function.

    python -m agents.umbrella
"""

import argparse
import json
from typing import Any

from agentkit.mini import Message, answer, call, registry, run_agent, tool, tool_results
from agents.program import run_as_program

TASK = "Do I need an umbrella for my next meeting?"
UMBRELLA_FROM = 50  # percent chance of rain from which an umbrella is advised


@tool
def get_next_meeting() -> dict[str, str]:
    """Look up the next meeting: its title, city and start (YYYY-MM-DD HH:MM)."""
    return {"title": "Quarterly review", "city": "Pune", "start": "2026-09-28 10:00"}


@tool
def get_weather(city: str, date: str) -> dict[str, Any]:
    """Look up the forecast for a city on a date (YYYY-MM-DD): chance of rain in percent, and in words."""
    if city == "Pune":
        return {"rain_pct": 80, "summary": "heavy showers"}
    return {"rain_pct": 10, "summary": "clear"}


def mock_model(messages: list[Message], schemas: list[Any]) -> Message:
    """A model made of rules: it decides from what the tools have returned so far, like any model."""
    results = tool_results(messages)
    if not results:
        return call("get_next_meeting", "c1")
    latest = results[-1]
    if "error" in latest:
        return answer(f"I cannot tell: {latest['error']}")
    meeting = results[0]
    if meeting["city"] == "Online":
        return answer(f"Your next meeting ({meeting['title']}) is online: no umbrella needed.")
    if len(results) == 1:
        return call("get_weather", "c2", city=meeting["city"], date=meeting["start"][:10])
    advice = "take an umbrella" if latest["rain_pct"] >= UMBRELLA_FROM else "no umbrella needed"
    return answer(
        f"Your next meeting ({meeting['title']}) is in {meeting['city']} with {latest['rain_pct']}% "
        f"chance of rain ({latest['summary']}): {advice}."
    )


def main(argv: list[str] | None = None) -> int:
    """Run the agent and print its steps, its answer and what it took. 0 answered, 1 stopped without one."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.umbrella", description=TASK, epilog="Example: python -m agents.umbrella --json"
    )
    parser.add_argument("--json", action="store_true", help="print the whole result as one JSON document")
    options = parser.parse_args(argv or [])
    tools = registry(get_next_meeting, get_weather)
    if options.json:
        result = run_agent(mock_model, tools, TASK, on_event=None)
        print(json.dumps(result, indent=2))
    else:
        print(f"TASK: {TASK}")
        result = run_agent(mock_model, tools, TASK)
        print(f"ANSWER: {result['answer'] or result['stopped']}")
        counts = f"steps: {result['steps']} | tool calls: {result['tool_calls']}"
        print(f"{counts} | messages: {len(result['messages'])}")
    return 0 if result["answer"] else 1


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
