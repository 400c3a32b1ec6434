"""The nightly service can be installed and its very command line works, as an ordinary user.

Systemd itself is not started: `systemd-analyze verify` judges the units in a root of their own, and the command
line of ExecStart is run as the user of the unit, in the unit's folder, with the unit's environment and nothing
else in it. Only `--standin` is added, because there is no language model here.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SERVICE = ROOT / "deploy" / "draughts-agents.service"
TIMER = ROOT / "deploy" / "draughts-agents.timer"
UNITS = Path("/lib/systemd/system")  # systemd's own, which ours refer to

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux: systemd units")


def unit(path: Path) -> dict[str, list[str]]:
    """A unit file's settings: all values of each key, in order (Environment= may be given several times)."""
    settings: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            settings.setdefault(key, []).append(value)
    return settings


def ordinary_user() -> str | None:
    """The unit's user where we are root and can become that user; nobody where we are ordinary already."""
    name = unit(SERVICE)["User"][0]
    known = subprocess.run(["id", name], capture_output=True).returncode == 0
    return name if os.geteuid() == 0 and known else None


@pytest.fixture(scope="module")
def installed() -> Iterator[Path]:
    """A root folder that deploy/install.sh filled, on a path that every user may walk."""
    root = Path(tempfile.mkdtemp(prefix="draughts-agents-"))
    root.chmod(0o755)
    try:
        everyones = Path("/usr/bin/python3")
        python = str(everyones) if everyones.exists() else sys.executable
        environment = {**os.environ, "DESTDIR": str(root), "PYTHON": python}
        command = ["bash", str(ROOT / "deploy" / "install.sh")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        yield root
    finally:
        shutil.rmtree(root)


# ---- what the units say ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "key", "values"),
    [
        (SERVICE, "Type", ["oneshot"]),
        (SERVICE, "User", ["www-data"]),
        (SERVICE, "WorkingDirectory", ["/opt/draughts-agents"]),
        (
            SERVICE,
            "Environment",
            ["OLLAMA_URL=http://127.0.0.1:11434", "AGENT_MODEL=qwen3", "NODE_BINARY=/usr/bin/node"],
        ),
        (
            SERVICE,
            "ExecStart",
            [
                "/opt/draughts-agents/venv/bin/python run_team.py --unattended --daily-seed"
                " --players easy medium hard learned neural --max-games 20"
            ],
        ),
        (TIMER, "OnCalendar", ["*-*-* 02:30:00"]),
        (TIMER, "Persistent", ["true"]),
        (TIMER, "WantedBy", ["timers.target"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_units_say_what_the_contract_fixes(path, key, values):
    assert unit(path)[key] == values


# ---- what systemd says of them --------------------------------------------------------------------------------


@needs_linux
def test_systemd_has_nothing_to_say_of_the_units(installed):
    if shutil.which("systemd-analyze") is None or not UNITS.is_dir():
        pytest.skip("systemd-analyze is not installed")
    shutil.copytree(UNITS, installed / UNITS.relative_to("/"), symlinks=True)
    program = installed / "opt/draughts-agents/venv/bin/python"
    python = os.readlink(program)
    program.unlink()
    program.write_text("#!/bin/sh\n", encoding="utf-8")  # its link leads out of this root
    program.chmod(0o755)
    try:
        command = ["systemd-analyze", "verify", f"--root={installed}", SERVICE.name, TIMER.name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    finally:
        program.unlink()
        program.symlink_to(python)


# ---- the command line, run ----------------------------------------------------------------------------------------


def run_service(root: Path) -> subprocess.CompletedProcess[str]:
    """Run ExecStart with `--standin` added, as the unit would: its user, folder and environment."""
    service = unit(SERVICE)
    environment = dict(setting.split("=", 1) for setting in service["Environment"])
    environment["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # systemd's own
    if not Path(environment["NODE_BINARY"]).exists():
        environment["NODE_BINARY"] = shutil.which("node") or "node"
    program, *arguments = shlex.split(service["ExecStart"][0])
    command = [f"{root}{program}", *arguments, "--standin"]
    if user := ordinary_user():
        command = ["runuser", "-u", user, "--", *command]
    folder = f"{root}{service['WorkingDirectory'][0]}"
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1800
    )


@needs_linux
def test_the_services_command_line_saves_a_report_as_an_ordinary_user(installed):
    done = run_service(installed)
    assert done.returncode == 0, done.stdout + done.stderr
    home = installed / "opt/draughts-agents"
    reports = list((home / "reports").glob("report-*.md"))
    assert len(reports) == 1 and "Saved " in done.stdout and reports[0].name in done.stdout
    assert "Allow it?" not in done.stdout + done.stderr
    if user := ordinary_user():
        assert {reports[0].owner(), (home / "data" / "notebook.json").owner()} == {user}


@needs_linux
def test_installing_again_leaves_data_and_reports_as_they_are(installed):
    kept = installed / "opt/draughts-agents/data/notebook.json"
    before = kept.read_text(encoding="utf-8") if kept.exists() else "[]"
    kept.write_text(before, encoding="utf-8")
    environment = {**os.environ, "DESTDIR": str(installed), "PYTHON": "/usr/bin/python3"}
    subprocess.run(["bash", str(ROOT / "deploy" / "install.sh")], env=environment, check=True, capture_output=True)
    assert kept.read_text(encoding="utf-8") == before


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
