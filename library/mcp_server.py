"""The draughts and codebase tools for any MCP client, over standard input and output, with the official SDK.

    python -m pip install -r library/requirements-mcp.txt
    python library/mcp_server.py --folder . --allow run_tournament

A client starts this program itself; its settings hold the command line above. `Client` in the SDK is one:

    async with Client(stdio_client(StdioServerParameters(command="python", args=["library/mcp_server.py"]))) as client:
        await client.call_tool("list_players", {})

What the library does: the protocol, its versions, requests at the same time, cancelling.
What is ours: each tool's schema goes out with its limits, and every call comes back through the ToolBox, which
checks the values again, since a client need not. A tool's risk is told as MCP's hints and is enforced here: one
that needs approval is refused unless the person who started the server allowed it by name; a disabled one is not
even offered.

Not here: asking the person during a call (MCP's elicitation, which few clients offer), HTTP, more than one folder.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # started as a program: agentkit and agents need no installation
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit import Tool, ToolBox
from agentkit.more.values import failed
from agentkit.tools import DENIED
from agents import draughts_tools
from agents.codebase_helper import make_tools
from agents.program import run_as_program

ROOT = Path(__file__).resolve().parents[1]
NAME = "draughts-agents"
RISK = f"{NAME}/risk"  # where a client that wants to know finds the risk itself
INSTRUCTIONS = (
    "Play and study draughts tournaments, and read one folder of files. "
    "Call list_players first; standings and find_mistakes need the tournament_id of run_tournament."
)
DRAUGHTS_TOOLS = (
    draughts_tools.list_players,
    draughts_tools.run_tournament,
    draughts_tools.standings,
    draughts_tools.find_mistakes,
)


def build_box(folder: Path) -> ToolBox:
    """All tools on offer: four for draughts, three that read `folder`."""
    tools = [*DRAUGHTS_TOOLS, *make_tools(folder)]
    return ToolBox(tool for tool in tools if tool.risk != "disabled")


# --- What a client is told, and what its calls come to ----------------------------------------------------


def described(tool: Tool) -> Any:
    """A tool in MCP's form: the schema as it is, limits included, and the risk as hints."""
    from mcp.types import Tool as Described
    from mcp.types import ToolAnnotations

    reads_only = tool.risk == "read_only"
    hints = ToolAnnotations(
        read_only_hint=reads_only,
        destructive_hint=False,  # a tournament is added, nothing is overwritten
        idempotent_hint=reads_only,
        open_world_hint=False,  # nothing outside this machine is asked
    )
    return Described(
        name=tool.name,
        description=tool.description,
        input_schema=tool.parameters,
        annotations=hints,
        _meta={RISK: tool.risk},
    )


def call(box: ToolBox, allowed: Iterable[str], name: str, args: dict[str, Any]) -> Any:
    """Run one call through the ToolBox and put what came of it into MCP's form; never raises."""
    from mcp.types import CallToolResult, TextContent

    outcome = box.call(name, args, approver=lambda tool, values: tool in allowed)
    result = outcome.result if isinstance(outcome.result, dict) else None  # what MCP takes as structured
    is_error = failed(result)
    text = outcome.text
    if is_error and str(result.get("error")).startswith(DENIED):
        text += f"\nThe person who starts the server can allow it: mcp_server.py --allow {name}"
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, structured_content=result, is_error=is_error)


# --- The server -------------------------------------------------------------------------------------------


def build_server(box: ToolBox, allowed: Iterable[str]) -> Any:
    """The SDK's server with our two answers: which tools there are, and what a call gives."""
    import anyio
    from mcp.server.lowlevel import Server
    from mcp.types import ListToolsResult

    async def list_tools(context: Any, params: Any) -> Any:
        return ListToolsResult(tools=[described(tool) for tool in box.tools.values()])

    async def call_tool(context: Any, params: Any) -> Any:
        args = params.arguments or {}
        return await anyio.to_thread.run_sync(call, box, allowed, params.name, args)  # a tournament takes a while

    return Server(NAME, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


async def serve(server: Any) -> None:
    """Answer on standard input and output until the client goes."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="mcp_server.py",
        description="Serve the draughts and codebase tools to an MCP client over standard input and output.",
        epilog="Example: python library/mcp_server.py --folder . --allow run_tournament",
    )
    made.add_argument("--folder", type=Path, default=ROOT, metavar="DIR", help="the folder to read (this project)")
    made.add_argument("--allow", nargs="+", default=[], metavar="TOOL", help="tools to run without asking anybody")
    return made


def main(argv: list[str] | None = None) -> int:
    """Serve until the client goes: 0. 2: wrong use or no library."""
    options = parser().parse_args(argv)
    if not options.folder.is_dir():
        print(f"--folder must be a folder, and {str(options.folder)!r} is none.", file=sys.stderr)
        return 2
    box = build_box(options.folder)
    unknown = [name for name in options.allow if name not in box.tools]
    if unknown:
        print(f"--allow: there is no tool called {unknown[0]!r}. Tools: {', '.join(box.tools)}.", file=sys.stderr)
        return 2
    try:
        import anyio

        server = build_server(box, frozenset(options.allow))
    except ImportError as error:
        print(f"{error}. Install it: python -m pip install -r library/requirements-mcp.txt", file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # the SDK would wait for one more line first
    print(f"Serving {len(box.tools)} tools over standard input and output. Ctrl-C ends it.", file=sys.stderr)
    anyio.run(serve, server)
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
