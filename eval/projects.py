"""The real projects that the codebase helper is measured on: source packages of Flask and Django.

They are no part of this repository. `fetch` gets the versions that eval/retrieval_questions.json names with
pip and unpacks them below the user's cache directory; nothing is built, installed or run from them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).resolve().with_name("retrieval_questions.json")


class NoProject(Exception):
    """A project is not there; the text says how to get it."""


def default_place() -> Path:
    """Where the projects are unpacked unless told otherwise."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "draughts-bench"


def read_questions() -> dict[str, Any]:
    """The questions with the projects that they are about."""
    return json.loads(QUESTIONS.read_text(encoding="utf-8"))


def folder_of(project: dict[str, str], place: Path) -> Path:
    """The unpacked folder of a project. Raises NoProject."""
    folder = place / project["folder"]
    if not folder.is_dir():
        raise NoProject(f"{folder} is not there. Get it with: python eval/retrieval.py --fetch")
    return folder


def fetch(place: Path) -> None:
    """Get the source package of each project that is not there yet, and unpack it. Raises NoProject."""
    place.mkdir(parents=True, exist_ok=True)
    for project in read_questions()["projects"].values():
        if not (place / project["folder"]).is_dir():
            _fetch_one(project, place)


def _fetch_one(project: dict[str, str], place: Path) -> None:
    wanted = f"{project['package']}=={project['version']}"
    with tempfile.TemporaryDirectory() as downloads:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        done = subprocess.run([*command, "--dest", downloads, wanted], check=False)
        packages = list(Path(downloads).glob("*.tar.gz"))
        if done.returncode or not packages:
            raise NoProject(f"pip could not get the source package {wanted}.")
        with tarfile.open(packages[0]) as package:
            if hasattr(tarfile, "data_filter"):
                package.extractall(place, filter="data")
            else:  # Python before 3.10.12; these packages are from a registry and pinned
                package.extractall(place)
