"""The laws that tests/README.md states for this folder hold: no network, nothing left out in CI, pinned tools."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
DOCUMENTATION_ADDRESS = "192.0.2.1"  # RFC 5737: never anybody's

REGISTRIES = [  # put together here, so that this file does not name them
    f"{host}.{end}" for host, end in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"))
]


# ---- no network ------------------------------------------------------------------------------------------


@pytest.mark.loopback
@pytest.mark.parametrize(
    "reach",
    [
        lambda: socket.create_connection((DOCUMENTATION_ADDRESS, 80), timeout=1),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", (DOCUMENTATION_ADDRESS, 9)),
        lambda: socket.getaddrinfo("example.com", 80),
        lambda: socket.gethostbyname("example.com"),
        lambda: socket.socket().bind(("0.0.0.0", 0)),
    ],
    ids=["connect", "sendto", "getaddrinfo", "gethostbyname", "listen to everybody"],
)
def test_no_test_reaches_beyond_this_machine(reach):
    with pytest.raises(pytest.fail.Exception, match="never leave the machine"):
        reach()


def test_loopback_is_closed_to_a_test_that_did_not_ask():
    with pytest.raises(pytest.fail.Exception, match="loopback"):
        socket.create_connection(("127.0.0.1", 9), timeout=1)


@pytest.mark.loopback
def test_loopback_is_open_to_a_test_that_asked():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


# ---- nothing left out in CI ---------------------------------------------------------------------------------

SKIPPING = """
import pytest

def test_skips():
    pytest.skip("{reason}")

@pytest.mark.skipif(True, reason="{reason}")
def test_is_skipped():
    pass
"""


@pytest.mark.parametrize(
    ("reason", "ci", "code"),
    [
        ("Chromium is not installed", "true", 1),
        ("Chromium is not installed", "", 0),
        ("only on Windows", "true", 0),
        ("not as root", "true", 0),
    ],
)
def test_in_ci_a_skip_fails_unless_no_installation_could_help(tmp_path, reason, ci, code):
    shutil.copy(TESTS / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(SKIPPING.format(reason=reason), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, env={**os.environ, "CI": ci}, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code, done.stdout
    assert ("1 failed, 1 error" if code else "2 skipped") in done.stdout


# ---- pinned tools, and none of them named by its address -------------------------------------------------------


@pytest.mark.parametrize("path", [ROOT / "requirements.txt", *sorted(ROOT.glob("*/requirements*.txt"))], ids=str)
def test_every_requirement_is_pinned(path):
    lines = [line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    loose = [line for line in lines if line and not re.match(r"-r \S+$|[\w.\[\]-]+==[\w.]+(\s*;.*)?$", line)]
    assert any(lines) and loose == []


def test_the_lock_file_pins_every_package_and_names_no_address():
    lock = json.loads((TESTS / "package-lock.json").read_text(encoding="utf-8"))
    packages = [value for name, value in lock["packages"].items() if name]
    assert packages and all(package["version"] and package["integrity"] for package in packages)
    assert [package for package in packages if "resolved" in package] == []


def test_no_file_names_a_package_registry():
    skipped = {".git", ".venv", "venv", "node_modules", "__pycache__", "data", "reports"}
    for path in ROOT.rglob("*"):
        if path.is_file() and not skipped & set(path.relative_to(ROOT).parts) and path.suffix not in (".png", ".pyc"):
            text = path.read_text(encoding="utf-8", errors="replace")
            assert [host for host in REGISTRIES if host in text] == [], path


# ---- each file by itself ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(TESTS.glob("test_*.py")), ids=lambda path: path.name)
def test_every_python_test_file_is_a_program_too(path):
    assert re.search(r'^if __name__ == "__main__":$', path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", ["test_agentkit.py", "test_agents.py"])
def test_the_course_files_need_nothing_installed(name):
    tree = ast.parse((TESTS / name).read_text(encoding="utf-8"))
    imported = {
        (alias.name if isinstance(node, ast.Import) else node.module or "").split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    ours = {path.stem for path in [*ROOT.glob("*.py"), *TESTS.glob("*.py")]} | {path.name for path in ROOT.iterdir()}
    assert imported - set(sys.stdlib_module_names) - ours - {"__future__"} == set()


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
