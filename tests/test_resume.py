"""A run that was killed goes on with `run_team.py --resume TRACE`, wherever it was killed, and ends in the same report.

One whole run is watched: before and after each line of its trace, a copy is kept of everything on the disk.
Each copy is what a machine finds that lost its power at that moment. Every one of them is resumed. In the
last tests, processes really are killed.
"""

from __future__ import annotations

import builtins
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fakes

import run_team
from agentkit import Notebook, all_of, numbers_grounded, used_a_tool
from agentkit.trace import Tracer, read_trace
from agents import alone, draughts_run, draughts_team, draughts_tools

KINDS = {
    "pipeline": ([], "0"),
    "pipeline with retries": ([], "1"),
    "manager with retries": (["--manager"], "1"),
}
ARGS = ["--players", "easy", "hard", "--seed", "3", "--standin"]


class Desk:
    """One place where a run works: its folders, what its engine was asked, what its person was asked."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch):
        self.folder = folder
        self.engine: list[str] = []
        self.questions: list[str] = []
        patch.setattr(run_team, "REPORT_DIR", folder / "reports")
        patch.setattr(run_team, "TRACE_DIR", folder / "traces")
        patch.setattr(draughts_tools, "TOURNAMENT_DIR", folder / "tournaments")
        patch.setattr(draughts_team, "NOTEBOOK", Notebook(folder / "notebook.json"))
        patch.setattr(draughts_tools, "arena", self.arena)
        patch.setattr(builtins, "input", self.input)
        patch.setattr(os, "fsync", lambda _: None)  # hundreds of runs: no power is cut here, and what the
        patch.setattr(draughts_team, "GROUNDED", all_of(used_a_tool, numbers_grounded))  # checks see is not asked
        patch.setattr(draughts_team, "covers", lambda *_: used_a_tool)

    def arena(self, request: dict, timeout: float = 900) -> dict:
        self.engine.append(request["command"])
        return fakes.answer_to(request)

    def input(self, question: str) -> str:
        self.questions.append("save" if question.startswith("Save") else "tournament")
        return "y"

    def trace(self) -> Path:
        (path,) = (self.folder / "traces").glob("*.jsonl")
        return path

    def report(self) -> str:
        """The report as saved, with the tournament's id (it is a time) taken out."""
        (path,) = (self.folder / "reports").glob("*.md")
        return path.read_text(encoding="utf-8").replace(path.stem.removeprefix("report-"), "ID")

    def notes(self) -> list[dict]:
        return json.loads((self.folder / "notebook.json").read_text(encoding="utf-8"))


class Moment:
    """The disk just before or just after one line of the trace was written, and what had been asked by then."""

    def __init__(self, folder: Path, desk: Desk, line: int, when: str, kind: str):
        self.folder, self.line, self.when, self.kind = folder, line, when, kind
        self.questions = list(desk.questions)
        self.engine = list(desk.engine)
        shutil.copytree(desk.folder, folder)


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS.keys())
def watched(request, tmp_path_factory):
    """One whole run: its desk and all its moments."""
    options, mistake_rate = request.param
    home, copies = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("moments")
    moments: list[Moment] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTAKE_RATE", mistake_rate)
        desk = Desk(home / "desk", patch)
        write = Tracer.write

        def watch(tracer: Tracer, **event: object) -> None:
            line = len(moments) // 2 + 1
            moments.append(Moment(copies / f"{line}-before", desk, line, "before", event["kind"]))
            write(tracer, **event)
            moments.append(Moment(copies / f"{line}-after", desk, line, "after", event["kind"]))

        with pytest.MonkeyPatch.context() as watching:
            watching.setattr(Tracer, "write", watch)
            assert run_team.main([*ARGS, *options]) == 0
        yield desk, moments


def resumed(folder: Path, tmp_path: Path, patch: pytest.MonkeyPatch) -> tuple[int, Desk]:
    desk = Desk(tmp_path / f"resumed-{folder.name}", patch)
    shutil.copytree(folder, desk.folder)
    return run_team.main(["--resume", str(desk.trace())]), desk


@pytest.fixture(scope="module")
def outcomes(watched, tmp_path_factory):
    """Each moment at which the trace holds at least its header, and what resuming came to."""
    _, moments = watched
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("resumed")
        return [(moment, *resumed(moment.folder, folder, patch)) for moment in moments[1:]]


def test_watched_run_passes_every_kind_of_line(watched):
    kinds = {moment.kind for moment in watched[1]}
    assert kinds == {"run", "task", "reply", "call", "approval", "tool", "answer", "saved", "remembered", "end"}


def test_run_killed_at_any_line_ends_in_the_same_report(watched, outcomes):
    desk, _ = watched
    for moment, code, again in outcomes:
        where = f"{moment.when} line {moment.line} ({moment.kind})"
        assert code == 0, where
        assert again.report() == desk.report(), where
        assert len(again.notes()) == 1, where
        assert len(list((again.folder / "tournaments").glob("*.json"))) == 1, where


def test_run_killed_in_the_middle_of_any_line_ends_in_the_same_report(watched, tmp_path, monkeypatch):
    desk, moments = watched
    lasting = ("call", "approval", "tool", "answer", "saved", "remembered", "end")
    for moment in moments:
        if moment.when == "after" and moment.kind in lasting:
            (trace,) = (moment.folder / "traces").glob("*.jsonl")
            whole = trace.read_bytes()
            last = whole.rstrip(b"\n").rfind(b"\n") + 1
            trace.write_bytes(whole[: (last + len(whole)) // 2])
            code, again = resumed(moment.folder, tmp_path, monkeypatch)
            trace.write_bytes(whole)
            assert (code, again.report()) == (0, desk.report()), f"in line {moment.line} ({moment.kind})"


def test_nothing_that_stands_in_the_trace_is_asked_or_played_again(outcomes):
    for moment, _, again in outcomes:
        if moment.when == "after":
            where = f"after line {moment.line} ({moment.kind})"
            assert sorted(moment.questions + again.questions) == ["save", "tournament"], where
            engine = moment.engine + again.engine
            assert engine.count("tournament") == 1, where
            assert engine.count("review") == 1, where


def test_tournament_that_was_saved_before_its_line_was_written_is_not_played_again(outcomes):
    played = [pair for pair in outcomes if pair[0].when == "before" and "tournament" in pair[0].engine]
    assert played
    for moment, _, again in played:
        assert "tournament" not in again.engine, f"before line {moment.line}"


def test_finished_trace_says_the_same_again_and_does_nothing(watched, tmp_path, monkeypatch):
    desk, moments = watched
    code, again = resumed(moments[-1].folder, tmp_path, monkeypatch)
    assert (code, again.report(), len(again.notes()), again.questions) == (0, desk.report(), 1, [])


def test_trace_tells_the_run_only_once_however_often_it_was_resumed(watched, tmp_path, monkeypatch):
    desk, moments = watched
    middle = moments[len(moments) // 2]
    _, again = resumed(middle.folder, tmp_path, monkeypatch)
    assert run_team.main(["--resume", str(again.trace())]) == 0

    def lines(trace: Path) -> list[tuple]:
        return [(event["agent"], event["kind"], event.get("step")) for event in read_trace(trace)
                if event["kind"] != "resumed"]  # fmt: skip

    assert lines(again.trace()) == lines(desk.trace())


def test_answer_that_was_no_stays_no(tmp_path, monkeypatch):
    desk = Desk(tmp_path / "desk", monkeypatch)
    monkeypatch.setattr(builtins, "input", lambda question: "n" if question.startswith("Save") else "y")
    assert run_team.main(ARGS) == 1
    monkeypatch.setattr(builtins, "input", lambda question: pytest.fail(f"asked again: {question}"))
    assert run_team.main(["--resume", str(desk.trace())]) == 1
    assert not (desk.folder / "reports").exists()


def test_budget_counts_the_games_that_were_allowed_before_the_kill(tmp_path, monkeypatch):
    # The director is made to play a second tournament after the run was resumed: 2 + 2 games are over 3.
    desk = Desk(tmp_path / "desk", monkeypatch)
    assert run_team.main([*ARGS, "--unattended", "--max-games", "3"]) == 0
    events = [event for event in read_trace(desk.trace()) if event["kind"] in ("run", "approval")]
    desk.trace().write_text("".join(json.dumps(event) + "\n" for event in events[:2]), encoding="utf-8")
    spent = sum(map(run_team.games_in, draughts_run.allowed_tournaments(read_trace(desk.trace()))))
    assert spent == 2
    args = {"players": ["easy", "hard"], "pairs": 1}
    assert run_team.budget(3, spent)("run_tournament", args) is False
    assert run_team.budget(4, spent)("run_tournament", args) is True


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        ("", "does not begin with a run of run_team.py"),
        ('{"kind": "ru', "does not begin with a run of run_team.py"),
        ('{"kind": "task", "agent": "x"}\n', "does not begin with a run of run_team.py"),
        ('{"kind": "run", "program": "run_team", "options": {"players": ["x"]}}\n', "does not begin with a run"),
    ],
)
def test_file_that_is_no_trace_of_this_program_is_refused(tmp_path, monkeypatch, capsys, content, words):
    Desk(tmp_path / "desk", monkeypatch)
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert run_team.main(["--resume", str(path)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "x.jsonl" in error
    assert content is None or path.read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("run", {"agent": []}),
        ("reply", {"message": None}),
        ("call", {"agent": {}}),
        ("approval", {"approved": None}),
        ("tool", {"result": None}),
        ("tool", {"tool": 3}),
        ("answer", {"text": 5}),
    ],
)
def test_damaged_line_ends_in_a_sentence_or_a_report_and_never_in_a_traceback(tmp_path, monkeypatch, kind, damage):
    desk = Desk(tmp_path / "desk", monkeypatch)
    assert run_team.main(ARGS) == 0
    lines = desk.trace().read_text(encoding="utf-8").splitlines()
    number = next(number for number, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    lines[number] = json.dumps(json.loads(lines[number]) | damage)
    desk.trace().write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run_team.main(["--resume", str(desk.trace())]) in (0, 1, 2)


@pytest.mark.parametrize("most", [None, "20", 0])
def test_header_with_a_wrong_budget_is_wrong_use(tmp_path, monkeypatch, capsys, most):
    Desk(tmp_path / "desk", monkeypatch)
    path = tmp_path / "x.jsonl"
    header = {"kind": "run", "program": "run_team", "options": {**run_team.DEFAULTS, "max_games": most}}
    path.write_text(json.dumps(header) + "\n", encoding="utf-8")
    assert run_team.main(["--resume", str(path)]) == 2
    assert "--max-games must be a whole number from 1" in capsys.readouterr().err


def test_resume_takes_no_other_option(tmp_path, monkeypatch, capsys):
    Desk(tmp_path / "desk", monkeypatch)
    assert run_team.main(["--resume", "x.jsonl", "--seed", "4"]) == 2
    assert "leave the others out" in capsys.readouterr().err


def test_run_that_is_still_going_on_is_left_alone(tmp_path, monkeypatch, capsys):
    desk = Desk(tmp_path / "desk", monkeypatch)
    tried = []

    def resume_meanwhile(question: str) -> str:
        before = desk.trace().read_bytes()
        tried.append((run_team.main(["--resume", str(desk.trace())]), desk.trace().read_bytes() == before))
        return "y"

    monkeypatch.setattr(builtins, "input", resume_meanwhile)
    assert run_team.main(ARGS) == 0
    assert tried == [(2, True), (2, True)]
    assert "is still going on in another process" in capsys.readouterr().err
    assert run_team.main(["--resume", str(desk.trace())]) == 0  # it has ended, and may be told again


def test_file_system_without_locks_is_no_reason_to_refuse_a_run(tmp_path, monkeypatch):
    def unsupported(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    Desk(tmp_path / "desk", monkeypatch)
    monkeypatch.setattr(alone, "_hold", unsupported)
    assert run_team.main(ARGS) == 0


# --- Processes that are really killed ---------------------------------------------------------------------

PROGRAM = """
import os, signal, sys
from pathlib import Path
root, folder, last_line = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
sys.path[:0] = [root, root + "/tests"]
import fakes, run_team
from agentkit import Notebook, Tracer
from agents import draughts_team, draughts_tools
run_team.REPORT_DIR, run_team.TRACE_DIR = folder / "reports", folder / "traces"
draughts_tools.TOURNAMENT_DIR = folder / "tournaments"
draughts_team.NOTEBOOK = Notebook(folder / "notebook.json")
draughts_tools.arena = lambda request, timeout=900: fakes.answer_to(request)
written, write = 0, Tracer.write
def write_and_die(tracer, **event):
    global written
    write(tracer, **event)
    written += 1
    if written == last_line:
        os.kill(os.getpid(), signal.SIGKILL)
Tracer.write = write_and_die
raise SystemExit(run_team.main(sys.argv[4:]))
"""


def start(folder: Path, last_line: int, *args: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", PROGRAM, str(ROOT), str(folder), str(last_line), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.skipif(os.name == "nt", reason="only on systems with SIGKILL")
def test_process_killed_again_and_again_comes_to_its_end(tmp_path):
    whole = start(tmp_path / "whole", 0, *ARGS, "--unattended")
    assert whole.returncode == 0, whole.stderr
    folder = tmp_path / "killed"
    result = start(folder, 7, *ARGS, "--unattended")
    kills = 0
    while result.returncode == -signal.SIGKILL:
        kills += 1
        (trace,) = (folder / "traces").glob("*.jsonl")
        result = start(folder, 8, "--resume", str(trace))
    assert (result.returncode, result.stderr) == (0, "")
    assert kills >= 4
    reports = [next((tmp_path / name / "reports").glob("*.md")) for name in ("whole", "killed")]
    texts = [re.sub(r"\d{8}-\d{6}", "ID", path.read_text(encoding="utf-8")) for path in reports]
    assert texts[0] == texts[1]
    assert len(json.loads((folder / "notebook.json").read_text(encoding="utf-8"))) == 1


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
