"""The README tells the truth: its commands work as they stand there, and so does every program's `--help`.

The command blocks (```bash) are run in order in a copy of the repository, with every question answered `y`. In
place of Ollama stands the fake server, and `ollama` on the path is a program that does nothing. Left out is the
test command itself, which would run this file again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from devtools.fake_ollama import make_app, running

README = ROOT / "README.md"
LEFT_OUT = re.compile(r"^bash (tests/run\.sh|\.ci/run)\b")
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "venv", "node_modules", "__pycache__", ".*_cache", ".hypothesis", "*.jsonl", "report-*.md"
)

needs_bash = pytest.mark.skipif(os.name != "posix", reason="only on POSIX: the blocks are written for bash")


def blocks() -> list[str]:
    """The README's command blocks, without the test command."""
    found = re.findall(r"^```bash\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    kept = ["\n".join(line for line in block.splitlines() if not LEFT_OUT.match(line)) for block in found]
    return [block for block in kept if block.strip()]


def programs() -> list[Path]:
    """Every file of the project that is a program with flags."""
    found = []
    for path in sorted([*ROOT.glob("*.py"), *ROOT.glob("[a-z]*/*.py")]):
        text = path.read_text(encoding="utf-8")
        is_program = re.search(r'^if __name__ == "__main__":', text, re.MULTILINE) is not None
        if path.parent.name not in ("tests", "venv", "library") and "argparse" in text and is_program:
            found.append(path)
    return found


def scripts() -> list[Path]:
    """Every JavaScript file that is a program with flags; the engine's door has none, it reads a request."""
    return [path for path in sorted(ROOT.glob("train/*.js")) if "require.main === module" in path.read_text("utf-8")]


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A copy of the repository and the environment to run its commands in."""
    copy, on_path = tmp_path / "draughts-agents", tmp_path / "bin"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
    on_path.mkdir()
    for name in ("python", "python3"):
        (on_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    (on_path / "ollama").write_text("#!/bin/sh\n", encoding="utf-8")
    for program in on_path.iterdir():
        program.chmod(0o755)
    with running(make_app()) as url:
        path = f"{on_path}{os.pathsep}{os.environ['PATH']}"
        yield copy, {**os.environ, "PATH": path, "OLLAMA_URL": url, "PYTHONDONTWRITEBYTECODE": "1"}


@needs_bash
@pytest.mark.loopback
def test_every_command_block_of_the_readme_works(workplace):
    folder, environment = workplace
    assert blocks(), "the README has no command blocks"
    for block in blocks():
        done = subprocess.run(
            ["bash", "-e", "-u", "-o", "pipefail", "-c", block],
            cwd=folder,
            env=environment,
            input="y\n" * 50,
            capture_output=True,
            encoding="utf-8",
            timeout=900,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{block}\n{done.stderr}"


def test_the_readme_gives_the_two_commands():
    text = README.read_text(encoding="utf-8")
    for command in ("python3 run_team.py --players easy medium --standin", "bash tests/run.sh"):
        assert re.search(rf"^```bash\n(?:.*\n)*?{re.escape(command)}\b", text, re.MULTILINE), command


def test_every_path_that_the_readme_names_is_there():
    text = README.read_text(encoding="utf-8")
    named = {path for path in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in path}
    assert named and [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_line_of_the_readmes_tree_is_there():
    tree = re.search(r"^```text\ndraughts-agents/\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    assert tree is not None
    folder, missing = "", []
    for line in tree[1].splitlines():
        indent, name = re.match(r"( *)(\S+)", line).groups()  # type: ignore[union-attr]
        folder = name if len(indent) == 2 else folder
        path = name if len(indent) == 2 else folder + name
        if not (ROOT / path).exists():
            missing.append(path)
    assert missing == []


def test_the_programs_of_the_main_job_are_found():
    assert {"run_team.py", "show_trace.py"} <= {path.name for path in programs()}


@pytest.mark.parametrize("program", programs(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_help_of_every_program_ends_with_an_example(program, tmp_path):
    in_a_package = program.parent.joinpath("__init__.py").exists() and program.parent.name == "agents"
    command = ["-m", f"agents.{program.stem}"] if in_a_package else [str(program)]
    done = subprocess.run(
        [sys.executable, *command, "--help"],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT) if in_a_package else ""},
    )
    assert (done.returncode, done.stderr) == (0, "")
    last = done.stdout.strip().split("\n\n")[-1]
    assert "xample" in last and program.stem in last, last


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_help_of_every_script_ends_with_an_example(script, tmp_path):
    command = ["node", str(script), "--help"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    last = done.stdout.strip().splitlines()[-1]
    assert "xample" in last and script.name in last, last


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
