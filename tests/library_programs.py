"""Running the programs of library/ in their own environments, with the network watched; for several test files.

An environment is `.venv/NAME`, as `bash tests/run.sh` makes it; LIBRARY_ENVS names another folder of them. The
programs run in a copy of the project, so that what they save is not mixed with a person's own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENVS = Path(os.environ.get("LIBRARY_ENVS") or ROOT / ".venv")
NEEDED = ("agentkit", "agents", "engine", "library", "static", "train")
SECONDS = 180  # after which a program is taken to hang

# Python runs this in each child before anything else: every look-up and connection away from this machine is
# written down and refused.
WATCH = '''
import os, socket

def is_here(host):
    return not isinstance(host, str) or host in ("", "localhost", "::1") or host.startswith("127.")

def watched(original, host_of):
    def call(*args, **kwargs):
        host = host_of(args)
        if is_here(host):
            return original(*args, **kwargs)
        with open(os.environ["NETWORK_LOG"], "a", encoding="utf-8") as log:
            log.write(f"{host}\\n")
        raise OSError(f"the test refused {host}")
    return call

def peer(args):
    return args[-1][0] if isinstance(args[-1], tuple) else "127.0.0.1"

for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, watched(getattr(socket.socket, name), peer))
socket.getaddrinfo = watched(socket.getaddrinfo, lambda args: args[0])
'''


def python_of(name: str) -> str:
    """The Python of a library's environment. Skips the test, with the reason, where it was not made."""
    for part in ("bin/python", "Scripts/python.exe"):
        if (ENVS / name / part).exists():
            return str(ENVS / name / part)
    pytest.skip(f"the environment of {name} is missing: bash tests/run.sh makes it")


def copy_project(folder: Path) -> Path:
    """A copy of what the programs of library/ need of the project, and nothing that was installed."""
    copy = folder / "project"
    for name in NEEDED:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "ratings.py", copy)
    return copy


class Programs:
    """Starts Python programs in a copy of the project; `left` lists the hosts that they tried to reach."""

    def __init__(self, folder: Path) -> None:
        self.project = copy_project(folder)
        self.elsewhere = folder / "elsewhere"  # the folder in which they run: not the project's
        self.elsewhere.mkdir()
        self._watch = folder / "watch"
        self._watch.mkdir()
        (self._watch / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
        self._log = folder / "network.log"

    @property
    def left(self) -> list[str]:
        return self._log.read_text(encoding="utf-8").split() if self._log.exists() else []

    def environment(self, **settings: str) -> dict[str, str]:
        """This process's environment without a person's settings of the libraries, with the watch and `settings`."""
        theirs = ("PYTHON", "LANGSMITH", "LANGCHAIN", "OTEL", "HF_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(theirs)}
        paths = [str(self._watch), *filter(None, [settings.pop("PYTHONPATH", "")])]
        return {
            **kept,
            "PYTHONPATH": os.pathsep.join(paths),
            "NETWORK_LOG": str(self._log),
            "PYTHONIOENCODING": "utf-8",
            **settings,
        }

    def run(self, python: str, *args: object, text: str = "", cwd: Path | None = None, **settings: str):
        """Run `python ARGS` to its end; `text` is its standard input."""
        return subprocess.run(
            [python, *map(str, args)],
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            cwd=cwd or self.elsewhere,
            env=self.environment(**settings),
        )

    def library(self, python: str, name: str, *args: object, **settings: str):
        """Run `library/NAME.py ARGS` of the copied project."""
        return self.run(python, self.project / "library" / f"{name}.py", *args, **settings)

    def code(self, python: str, code: str, *args: object, **settings: str):
        """Run some lines of Python with the copied project on the path."""
        begin = f"import sys; sys.path.insert(0, {str(self.project)!r})\n"
        return self.run(python, "-c", begin + code, *args, **settings)


THIS_PYTHON = sys.executable
