"""The codebase helper: an agent that answers questions about a folder, with `file:line` for what it says.

Its three tools search, read and list below one root (or several) and cannot leave it; its checks judge
each file and line in an answer against what the tools showed. It changes nothing. Finding and fencing
are done in `agents/codebase/`; this file makes tools, checks and an agent of them.

    python ask_codebase.py "Where are the rules of the game?"
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from agentkit import Agent, Tool, Tracer, tool
from agents.codebase.grounding import cites_a_source, files_grounded
from agents.codebase.index import Progress
from agents.codebase.workspace import MOST_LINES, Answer, Workspace

__all__ = ["INSTRUCTIONS", "build_helper", "cites_a_source", "files_grounded", "make_tools"]
