"""The MCP server, asked by the official SDK's own client over standard input and output.

What a client must be told is taken from the tools themselves (schema, risk) and from MCP's own definition of the
hints; what a call gives, from the same tool called in this process, or from the ToolBox's fixed words.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from library_programs import THIS_PYTHON, Programs, python_of

from agentkit import tool
from agents import draughts_tools
from agents.codebase_helper import make_tools
from library import mcp_server

OURS = {each.name: each for each in [*mcp_server.DRAUGHTS_TOOLS, *make_tools(ROOT)]}

# The official client: starts the server named on its command line, sends the calls that it reads, prints all it got.
CLIENT = """
import asyncio, json
from mcp import Client, StdioServerParameters, stdio_client

async def ask(server, calls):
    program = StdioServerParameters(command=sys.executable, args=server, env=dict(os.environ))
    async with Client(stdio_client(program)) as client:
        tools = [tool.model_dump() for tool in (await client.list_tools()).tools]
        results = []
        for name, args in calls:
            for key, value in args.items():
                if value == "$id":
                    args[key] = results[0]["structured_content"]["tournament_id"]
            results.append((await client.call_tool(name, args)).model_dump())
        return {"tools": tools, "results": results}

print(json.dumps(asyncio.run(ask(sys.argv[1:], json.loads(sys.stdin.read())))))
"""


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    started = Programs(tmp_path)
    yield started
    assert started.left == [], "a program tried to leave this machine"


def ask(programs: Programs, calls: list[tuple[str, dict[str, Any]]], *args: object) -> dict[str, Any]:
    """What the official client was told and given by `library/mcp_server.py ARGS`."""
    server = [programs.project / "library" / "mcp_server.py", *args]
    done = programs.run(python_of("mcp"), "-c", "import os, sys" + CLIENT, *server, text=json.dumps(calls))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def error_of(result: dict[str, Any]) -> str:
    assert result["is_error"] is True
    return result["structured_content"]["error"]


def test_a_client_is_told_each_tool_with_its_schema_limits_and_risk(programs):
    told = {each["name"]: each for each in ask(programs, [])["tools"]}
    assert list(told) == list(OURS)
    for name, ours in OURS.items():
        assert told[name]["input_schema"] == ours.parameters
        assert told[name]["description"] == ours.description
        assert told[name]["annotations"]["read_only_hint"] is (ours.risk == "read_only")
        assert told[name]["meta"] == {"draughts-agents/risk": ours.risk}
    assert told["run_tournament"]["input_schema"]["properties"]["pairs"]["maximum"] == 3
    assert [name for name in told if not told[name]["annotations"]["read_only_hint"]] == ["run_tournament"]


def test_a_call_gives_what_the_tool_gives(programs):
    result = ask(programs, [("list_players", {})])["results"][0]
    assert result["is_error"] is False
    assert result["structured_content"] == draughts_tools.list_players()
    assert json.loads(result["content"][0]["text"]) == result["structured_content"]


TOURNAMENT = ("run_tournament", {"players": ["easy", "medium"], "seed": 5})


def test_a_tool_that_needs_approval_is_refused_and_the_client_told_who_can_allow_it(programs):
    result = ask(programs, [TOURNAMENT])["results"][0]
    assert error_of(result) == "A person did not approve run_tournament, so it was not run."
    assert "--allow run_tournament" in result["content"][0]["text"]
    assert not (programs.project / "data" / "tournaments").exists()


def test_a_tool_that_was_allowed_by_name_runs_and_others_can_use_what_it_made(programs):
    calls = [TOURNAMENT, ("standings", {"tournament_id": "$id"})]
    played, ranked = ask(programs, calls, "--allow", "run_tournament")["results"]
    assert played["structured_content"]["games_played"] == 2
    assert sum(row["points"] for row in ranked["structured_content"]["table"]) == 2  # one point a game


def test_values_are_checked_here_whatever_a_client_sends(programs):
    calls = [
        ("run_tournament", {"players": ["easy"], "pairs": 9}),
        ("standings", {"tournament_id": "../../etc/passwd"}),
        ("standings", {}),
        ("play_chess", {}),
    ]
    results = ask(programs, calls, "--allow", "run_tournament")["results"]
    assert error_of(results[0]) == (
        "The arguments were not accepted: players needs at least 2 items; pairs must be at most 3"
    )
    assert error_of(results[1]).startswith("The arguments were not accepted: ")
    assert error_of(results[2]) == "The arguments were not accepted: missing argument: tournament_id"
    assert error_of(results[3]).startswith("There is no tool called play_chess. Tools: list_players, ")
    assert "--allow" not in results[0]["content"][0]["text"]


def test_only_the_folder_that_was_named_can_be_read(programs, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("The cat sat on the mat.\n", encoding="utf-8")
    (tmp_path / "private.txt").write_text("secret\n", encoding="utf-8")
    calls = [("read_file", {"path": "notes.txt"}), ("read_file", {"path": "../private.txt"})]
    inside, outside = ask(programs, calls, "--folder", folder)["results"]
    assert inside["structured_content"]["lines"] == ["1: The cat sat on the mat."]
    assert outside["is_error"] is True and "secret" not in json.dumps(outside)


def test_the_server_ends_when_its_client_goes(programs):
    done = programs.library(python_of("mcp"), "mcp_server")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("args", [("--allow", "play_chess"), ("--folder", "nowhere"), ("--port", "1")])
def test_wrong_use_is_told_before_anything_is_served(programs, args):
    done = programs.library(THIS_PYTHON, "mcp_server", *args)
    assert done.returncode == 2 and args[-1] in done.stderr and "Traceback" not in done.stderr


def test_a_disabled_tool_is_not_offered(monkeypatch):
    @tool(risk="disabled")
    def forget_everything() -> dict:
        """Delete all tournaments."""
        return {}

    monkeypatch.setattr(mcp_server, "DRAUGHTS_TOOLS", (*mcp_server.DRAUGHTS_TOOLS, forget_everything))
    assert list(mcp_server.build_box(ROOT).tools) == list(OURS)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
