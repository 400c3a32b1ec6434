"""The house keeps its rooms: arrows go one way, importing does nothing, the course's modules stay an evening.

Every Python file is read with `ast`, every JavaScript file by its `require` lines, and held against the tables
below, which restate the project's plan: doors -> agents -> agentkit -> standard library; eval and library look
in from outside; in JavaScript board page -> ai, notation -> rules. Nothing here is taken from what the files do
today.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

DOORS = ("run_team", "ask_codebase", "show_trace", "app")

# room (folder or file at the top) -> the rooms it may import
ARROWS = {
    "agentkit": {"agentkit"},
    "agents": {"agents", "agentkit", "ratings"},
    "ratings": set(),
    "devtools": {"devtools", "agentkit"},
    "eval": {"eval", "agents", "agentkit", "devtools", "ratings"},
    "web": {"web", "agents", "agentkit"},
    "library": {"library", "agents", "agentkit"},
    **{door: {"agents", "agentkit", "web"} for door in DOORS},
}
# what a door loads only when a flag asks for it, inside a function
ON_REQUEST = {door: {"devtools"} for door in DOORS}
# rooms that may use packages from outside the standard library, and which; None: whatever they pin
PACKAGES = {
    "devtools": {"flask", "werkzeug"},
    "web": {"flask", "markdown_it"},
    "app": {"flask"},
    "eval": None,
    "library": None,
}

# agentkit in the order it is read: a module may import only those before it
READING_ORDER = [
    *("errors", "files", "schema", "arguments"),
    *("models", "tools", "memory", "trace", "checks", "agent", "team"),
]
COURSE = ("models", "tools", "agent", "checks", "memory", "team", "trace", "mini")
COURSE_LINES = 1500

# JavaScript: folder or file -> the folders or files it may require
SCRIPT_ARROWS = {
    "static/js/rules.js": set(),
    "static/js/notation.js": {"static/js/rules.js"},
    "static": {"static"},
    "train": {"train", "static"},
    "engine": {"engine", "train", "static"},
}
NOT_IN_THE_RULES = ("document", "window", "require", "Date", "performance", "setTimeout", "console", "Math.random")

PUBLIC_NAMES = {
    *("Agent", "Result", "Tool", "ToolBox", "tool", "OllamaModel", "ScriptedModel", "Notebook", "Pipeline"),
    *("agent_as_tool", "ask_person", "refuse_all", "Tracer"),
    *("all_of", "used_a_tool", "numbers_grounded", "moves_grounded", "succeeded", "not_empty"),
    # beyond the course
    *("OpenAIModel", "FunctionModel", "ReplayModel", "model_from_env", "ModelError"),
    *("in_the_right_place", "quotes_grounded", "covers"),
    *("max_seconds", "max_tool_calls", "max_tokens", "no_repeats"),
}

SKIPPED_FOLDERS = {".git", ".venv", "venv", "node_modules", "__pycache__", "data", "reports", "logs"}


class Import(NamedTuple):
    name: str  # the module's full dotted name
    line: int
    in_function: bool


def files(*suffixes: str) -> list[Path]:
    """The project's own files with one of the suffixes, in order."""
    found = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = sorted(name for name in inner if name not in SKIPPED_FOLDERS and not name.startswith(".venv"))
        found += [Path(folder, name) for name in sorted(names) if name.endswith(suffixes)]
    return found


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> list[Import]:
    """Every import of a Python file, relative ones made absolute, wherever it stands."""
    package = list(path.relative_to(ROOT).parts[:-1])

    def walk(node: ast.AST, in_function: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, child.lineno, in_function) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = package[: len(package) - child.level + 1] if child.level else []
                module = [*base, *(child.module or "").split(".")]
                for alias in child.names:  # `from agentkit import files` imports agentkit.files
                    whole = ".".join(part for part in [*module, alias.name] if part)
                    yield Import(whole, child.lineno, in_function)
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from walk(child, in_function or inside)

    return list(walk(tree_of(path), False))


PYTHON = [path for path in files(".py") if room_of(path) != "tests"]
SCRIPTS = [path for path in files(".js") if room_of(path) in ("static", "engine", "train")]
AGENTKIT = [path for path in PYTHON if room_of(path) == "agentkit"]
EVERYWHERE = {path: relative(path) for path in [*PYTHON, *SCRIPTS]}


def each(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=relative)


# ---- the arrows between rooms ------------------------------------------------------------------------


def test_every_python_file_stands_in_a_room_of_the_plan():
    assert {room_of(path) for path in PYTHON} <= set(ARROWS)


@each(PYTHON)
def test_a_room_imports_only_what_its_arrows_allow(path):
    room = room_of(path)
    ours = set(ARROWS) | {"tests"}
    wrong = [
        f"line {found.line}: {found.name}"
        for found in imports_of(path)
        if (target := found.name.split(".")[0]) in ours
        and target not in ARROWS[room]
        and not (found.in_function and target in ON_REQUEST.get(room, ()))
    ]
    assert wrong == [], f"{relative(path)} may import only {sorted(ARROWS[room])}"


@each(PYTHON)
def test_packages_from_outside_are_used_only_where_they_are_pinned(path):
    room = room_of(path)
    allowed = PACKAGES.get(room, set())
    if allowed is None:
        return
    known = set(ARROWS) | set(sys.stdlib_module_names) | {"__future__"}
    foreign = {found.name.split(".")[0] for found in imports_of(path)} - known
    assert foreign <= allowed


# ---- inside agentkit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("module", READING_ORDER)
def test_a_module_of_agentkit_imports_only_those_before_it(module):
    at_start = {
        found.name.split(".")[1]
        for found in imports_of(ROOT / "agentkit" / f"{module}.py")
        if found.name.startswith("agentkit.") and not found.in_function
    }
    assert at_start <= set(READING_ORDER[: READING_ORDER.index(module)])


@pytest.mark.parametrize("module", COURSE)
def test_a_course_module_does_not_load_what_goes_beyond_the_course_at_start(module):
    at_start = [f.name for f in imports_of(ROOT / "agentkit" / f"{module}.py") if not f.in_function]
    assert [name for name in at_start if name.startswith("agentkit.more")] == []


def test_mini_stands_alone():
    assert [f.name for f in imports_of(ROOT / "agentkit" / "mini.py") if f.name.startswith("agentkit")] == []


def reading_order(package: str) -> list[str]:
    """The modules that a package's docstring names, in its order: `name.py …` a line, or `title  name name` a line."""
    modules = {path.stem for path in (ROOT / package).glob("*.py")}
    order = []
    for line in (ast.get_docstring(tree_of(ROOT / package / "__init__.py")) or "").splitlines():
        listed = line.split(".py")[0] if ".py" in line else line.partition("  ")[2]
        order += [word for word in listed.split() if word in modules]
    return order


@pytest.mark.parametrize("package", ["agentkit/more", "agents/codebase"])
def test_the_reading_order_of_a_package_names_every_module_once_after_those_that_it_imports(package):
    order, dotted = reading_order(package), package.replace("/", ".") + "."
    assert sorted(order) == sorted(path.stem for path in (ROOT / package).glob("*.py") if path.stem != "__init__")
    for place, module in enumerate(order):
        at_start = [one for one in imports_of(ROOT / package / f"{module}.py") if not one.in_function]
        needed = {one.name.removeprefix(dotted).split(".")[0] for one in at_start if one.name.startswith(dotted)}
        assert needed <= set(order[:place]), module


def test_the_course_modules_stay_an_evenings_reading():
    lines = {name: len((ROOT / "agentkit" / f"{name}.py").read_text("utf-8").splitlines()) for name in COURSE}
    assert sum(lines.values()) <= COURSE_LINES, lines


def test_agentkit_offers_the_names_of_the_contract():
    agentkit = importlib.import_module("agentkit")
    assert set(agentkit.__all__) == PUBLIC_NAMES
    assert [name for name in PUBLIC_NAMES if not hasattr(agentkit, name)] == []


@pytest.mark.parametrize("name", [*READING_ORDER, "mini"])
def test_all_names_what_the_module_defines_and_nothing_else(name):
    module = importlib.import_module(f"agentkit.{name}")
    assert list(module.__all__) and [public for public in module.__all__ if not hasattr(module, public)] == []
    values = {public: getattr(module, public) for public in module.__all__}
    made = {public: value for public, value in values.items() if inspect.isclass(value) or inspect.isfunction(value)}
    assert {value.__module__ for value in made.values()} == {module.__name__}


# ---- importing does nothing ------------------------------------------------------------------------------

WATCHED_IMPORT = """
import os, sys, time
root, module = sys.argv[1], sys.argv[2]
sys.path.insert(0, root)
done = []

THROUGH = ("<frozen ", "os.py", "_collections_abc.py", "pathlib")  # what a request passes on its way

def ours():
    frame = sys._getframe(2)
    while frame and any(part in frame.f_code.co_filename for part in THROUGH):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(root)

def watched(what, original):
    def call(*args, **kwargs):
        if ours():
            done.append(what)
        return original(*args, **kwargs)
    return call

def audit(event, args):
    writes = event == "open" and args[1] not in (None, "r", "rb")
    if writes or event.split(".")[0] in ("socket", "subprocess") or event in (
            "os.mkdir", "os.remove", "os.rename", "os.system"):
        done.append(f"{event} {args[:1]}")

environ = type(os.environ)
environ.__getitem__ = watched("reads the environment", environ.__getitem__)
for name in ("time", "monotonic", "perf_counter", "time_ns"):
    setattr(time, name, watched(f"asks the clock: time.{name}", getattr(time, name)))
sys.addaudithook(audit)
__import__(module)
if done:
    sys.exit("; ".join(sorted(set(done))))
"""


def importable(path: Path) -> bool:
    """Whether a file can be imported with nothing installed, or with what this test run has installed."""
    return room_of(path) != "library" and "opponents" not in path.parts and path.name != "__main__.py"


def module_name(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@each([path for path in PYTHON if importable(path)])
def test_importing_a_module_has_no_effect(path, tmp_path):
    child = [sys.executable, "-B", "-c", WATCHED_IMPORT, str(ROOT), module_name(path)]
    done = subprocess.run(child, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_agentkit_and_the_main_job_import_with_nothing_installed(tmp_path):
    code = "import sys; sys.path.insert(0, sys.argv[1]); from agentkit import *; import run_team, show_trace"
    child = [sys.executable, "-S", "-B", "-c", code, str(ROOT)]
    done = subprocess.run(child, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# ---- Python reaches Node in one function -------------------------------------------------------------------


def functions_that_say(text: str) -> list[str]:
    """`file: function` for each function of the project whose code has this string."""
    found = []
    for path in PYTHON:
        if text not in path.read_text(encoding="utf-8"):
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                constants = [part for part in ast.walk(node) if isinstance(part, ast.Constant)]
                if any(part.value == text for part in constants if part is not docstring_of(node)):
                    found.append(f"{relative(path)}: {node.name}")
    return found


def docstring_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.Constant | None:
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first.value if is_text else None


def test_python_reaches_node_in_exactly_one_function():
    assert functions_that_say("NODE_BINARY") == ["agents/draughts_tools.py: arena"]
    users = [relative(path) for path in PYTHON if any(f.name == "subprocess" for f in imports_of(path))]
    assert [name for name in users if name.startswith(("agentkit/", "agents/"))] == ["agents/engine_process.py"]
    callers = [
        relative(path)
        for path in PYTHON
        if any(f.name.startswith("agents.engine_process.") and "Error" not in f.name for f in imports_of(path))
        or any(f.name == "agents.engine_process" for f in imports_of(path))
    ]
    assert set(callers) <= {"agents/draughts_tools.py"}


# ---- JavaScript ----------------------------------------------------------------------------------------------


def code_of(path: Path) -> str:
    """A script without its comments."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", "", text, flags=re.DOTALL)


def required_by(path: Path) -> list[str]:
    return re.findall(r"""\brequire\(\s*["']([^"']+)["']\s*\)""", code_of(path))


def may_require(path: Path) -> set[str]:
    name = relative(path)
    return SCRIPT_ARROWS.get(name, SCRIPT_ARROWS[room_of(path)])


@each(SCRIPTS)
def test_a_script_requires_only_what_its_arrows_allow(path):
    wrong = []
    for name in required_by(path):
        if not name.startswith("."):
            if not (name.startswith("node:") and room_of(path) != "static"):
                wrong.append(name)
            continue
        target = (path.parent / name).resolve()
        assert target.is_file(), f"{relative(path)} requires {name}, which is not there"
        if not {relative(target), room_of(target)} & may_require(path):
            wrong.append(name)
    assert wrong == [], f"{relative(path)} may require only {sorted(may_require(path))}"


@each([ROOT / "static" / "js" / name for name in ("rules.js", "notation.js", "ai.js")])
def test_the_pure_scripts_know_no_page_no_clock_and_no_unseeded_chance(path):
    code = re.sub(r"^.*\brequire\(.*$", "", code_of(path), flags=re.MULTILINE)  # judged by the arrows above
    assert [word for word in NOT_IN_THE_RULES if re.search(rf"(?<![\w.]){re.escape(word)}\b", code)] == []


@each([path for path in SCRIPTS if relative(path).startswith("static/js/")])
def test_a_browser_script_is_one_name_with_one_closing_export_line(path):
    code = [line for line in code_of(path).splitlines() if line.strip()]
    closing = re.fullmatch(r'if \(typeof module !== "undefined"\) module\.exports = (\w+);', code[-1])
    if closing is None:  # a page's own script: it runs in a browser only
        assert "module" not in code[-1] and required_by(path) == []
        return
    name = closing[1]
    assert any(re.match(rf"(const|var) {name} = \(?", line) for line in code)
    assert len(re.findall(r"\bmodule\.exports\b", "\n".join(code))) == 1
    outside = [line for line in code if re.match(r"(const|let|var|function|class)\b", line)]
    assert [line for line in outside if not re.match(rf"(const|var) ({name}\b|\w+ = typeof|\{{)", line)] == []


# ---- every file -------------------------------------------------------------------------------------------------


@each(PYTHON)
def test_a_module_opens_by_saying_its_role(path):
    assert not tree_of(path).body or ast.get_docstring(tree_of(path)), f"{relative(path)} has no docstring"


@each(files(".py", ".js", ".md", ".sh", ".toml", ".json", ".service", ".timer", ".html", ".css", ".txt"))
def test_no_file_names_a_machines_own_folders(path):
    text = path.read_text(encoding="utf-8")
    here = str(ROOT) if len(ROOT.parts) > 2 and "opt" not in ROOT.parts else None
    assert here is None or here not in text
    # "username" is nobody's: a kept scorecard quotes a model that made up such a folder
    assert re.findall(r"/(?:home|Users)/(?!username/)[a-z][\w-]*/|[A-Z]:\\Users\\|(?<![\w./])/ro{2}t/", text) == []


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
