"""Two packages called `agents` in one program: this project's and the OpenAI Agents SDK's.

Python keeps one module per name in `sys.modules`, and finds it in the first folder of `sys.path` that has it. So
each of the two is imported while the other is out of the way, and the SDK keeps the name: some of its modules
import from `agents` again later, ours never do after they were loaded.

    agents = import_sdk()                        # the SDK
    study = load_ours("study_planner")           # agents/study_planner.py of this project

Not here: a general way to load two packages of one name. It rests on what is said above of these two.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
NAME = "agents"

_ours: dict[str, ModuleType] = {}  # our modules, kept so that each is loaded once


def import_sdk() -> ModuleType:
    """The OpenAI Agents SDK, also when this project's folder is on the path. Raises ImportError without it."""
    taken = _take_out()
    sdk_was_there = NAME in taken and not _is_ours(taken[NAME])
    if sdk_was_there:
        sys.modules.update(taken)
        return taken[NAME]
    _ours.update(taken)
    path = list(sys.path)
    sys.path[:] = [entry for entry in path if Path(entry or ".").resolve() != ROOT]
    try:
        return importlib.import_module(NAME)
    except ModuleNotFoundError:
        raise ImportError("The OpenAI Agents SDK is not installed") from None
    finally:
        sys.path[:] = path


def load_ours(name: str) -> ModuleType:
    """Our module `agents/NAME.py`, whatever holds the name `agents` at the moment."""
    theirs = _take_out()
    sys.modules.update(_ours)
    sys.path.insert(0, str(ROOT))
    try:
        return importlib.import_module(f"{NAME}.{name}")
    finally:
        sys.path.remove(str(ROOT))
        _ours.update(_take_out())
        sys.modules.update(theirs)


def _take_out() -> dict[str, ModuleType]:
    """Take `agents` and all below it out of Python's table of modules."""
    names = [name for name in sys.modules if name == NAME or name.startswith(f"{NAME}.")]
    return {name: sys.modules.pop(name) for name in names}


def _is_ours(package: ModuleType) -> bool:
    return Path(package.__file__ or "").resolve().parent == ROOT / NAME
