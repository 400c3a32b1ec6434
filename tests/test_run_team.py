"""run_team.py: what it asks, prints, saves and returns, and what it never does.

The engine is the small one of tests/fakes.py unless a test says otherwise; the model is the stand-in or a script.
"""

from __future__ import annotations

import builtins
import contextlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fakes

import run_team
from agentkit import Notebook, ScriptedModel
from agentkit.errors import ModelRefused, ModelUnreachable
from agentkit.trace import read_trace
from agents import draughts_run, draughts_team, draughts_tools

TWO = ["--players", "easy", "hard", "--standin"]
SETTINGS = '{"players": ["easy", "hard"], "pairs": 1, "seed": 1}'
ALLOW = f"The agent wants to run run_tournament with {SETTINGS}. Allow it? [y/N] "
SAVE = "Save this report and remember its results? [y/N] "


class Desk:
    """The folders of a run and its person, who answers from a list and then says end of input."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch):
        self.folder = folder
        self.answers: list = ["y", "y"]
        self.questions: list[str] = []
        patch.setattr(run_team, "REPORT_DIR", folder / "reports")
        patch.setattr(run_team, "TRACE_DIR", folder / "traces")
        patch.setattr(draughts_tools, "TOURNAMENT_DIR", folder / "tournaments")
        patch.setattr(draughts_team, "NOTEBOOK", Notebook(folder / "notebook.json"))
        patch.setattr(builtins, "input", self.input)

    def input(self, question: str = "") -> str:
        self.questions.append(question)
        answer = self.answers.pop(0) if self.answers else EOFError()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def files(self, kind: str) -> list[Path]:
        """What is in reports, tournaments or traces."""
        return sorted((self.folder / kind).glob("*"))

    def saved(self) -> list[str]:
        """The kinds of things that this run left behind."""
        kinds = [kind for kind in ("reports", "tournaments", "traces") if self.files(kind)]
        return kinds + (["note"] if (self.folder / "notebook.json").exists() else [])


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.delenv("MISTAKE_RATE", raising=False)
    monkeypatch.setattr(draughts_tools, "arena", lambda request, timeout=900: fakes.answer_to(request))
    return Desk(tmp_path, monkeypatch)


# --- A run from beginning to end ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--manager"]], ids=["pipeline", "manager"])
def test_run_asks_twice_and_saves_report_and_note(desk, capsys, options):
    assert run_team.main([*TWO, *options]) == 0
    assert desk.questions == [ALLOW, SAVE]
    assert len(desk.files("tournaments")) == 1
    tournament = draughts_tools.load(desk.files("tournaments")[0].stem)
    (note,) = draughts_team.NOTEBOOK.notes()
    # Black wins every game: one win each. easy, who won first, was the favourite when it lost and so lost more.
    assert note["text"] == (
        f"Tournament {tournament['tournament_id']} with players easy, hard: "
        "hard 1.0 points, Elo 1201; easy 1.0 points, Elo 1199"
    )
    assert note["tags"] == ["easy", "hard"]
    report = (desk.folder / "reports" / f"report-{tournament['tournament_id']}.md").read_text(
        encoding="utf-8"
    )
    assert "| hard | 2 | 1 | 0 | 1 | 1.0 | 1201 |" in report
    assert capsys.readouterr().err == ""


def test_run_prints_a_line_per_agent_the_trace_the_report_and_where_it_is(desk, capsys):
    run_team.main(TWO)
    output = capsys.readouterr().out
    lines = output.splitlines()
    expected = (
        "director: 4 steps, 3 tool calls",
        "analyst: 2 steps, 1 tool calls",
        "reporter: 4 steps, 3 tool calls",
    )
    for shown, words in zip(lines, expected, strict=False):
        assert re.fullmatch(rf"{words}, \d+\.\ds, passed", shown)
    assert lines[3] == f"Trace: {desk.files('traces')[0].as_posix()}"
    assert "| hard | 2 | 1 | 0 | 1 | 1.0 | 1201 |" in lines
    report = next(path for path in desk.files("reports") if path.suffix == ".md")
    assert lines[-1] == f"Saved {report.as_posix()}"


def test_manager_run_prints_a_line_for_each_of_the_four(desk, capsys):
    run_team.main([*TWO, "--manager"])
    names = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()[:4]]
    assert names == ["manager", "director", "analyst", "reporter"]


@pytest.mark.parametrize("options", [[], ["--manager"]], ids=["pipeline", "manager"])
def test_saved_report_ends_with_its_sources_and_every_fact_has_a_receipt(desk, options):
    run_team.main([*TWO, *options])
    receipts, page = sorted(desk.files("reports"))
    assert (receipts.suffix, page.suffix) == (".json", ".md")
    text, _, sources = page.read_text(encoding="utf-8").partition("\n\n## Sources\n\n")
    assert [line.split(":")[0] for line in sources.splitlines()] == [
        "1. standings (call 1)", "2. find_mistakes (call 2)", "3. recall (call 3)",
    ]  # fmt: skip
    document = json.loads(receipts.read_text(encoding="utf-8"))
    assert document["tournament_id"] == page.stem.removeprefix("report-")
    claims = {text[claim["start"] : claim["end"]]: claim for claim in document["claims"]}
    assert all(claim["receipts"] for claim in document["claims"])
    assert {(source["tool"], source["path"], source["value"]) for source in claims["1201"]["receipts"]} == {
        ("standings", "table[0].elo", 1201)
    }
    best = [claim["receipts"][0]["path"] for claim in document["claims"] if claim["text"] == "d4-e5"]
    assert best == [
        f"biggest_mistakes[{row}].{place}" for row in (0, 1) for place in ("engine_best_move", "better_line[0]")
    ]


def test_second_report_mentions_the_note_of_the_first_tournament(desk, capsys):
    run_team.main(TWO)
    first = desk.files("tournaments")[0].stem
    desk.answers = ["y", "y"]
    run_team.main(TWO)
    report = max(path for path in desk.files("reports") if path.suffix == ".md").read_text(encoding="utf-8")
    assert f"Tournament {first} with players easy, hard" in report
    assert len(draughts_team.NOTEBOOK.notes()) == 2


def test_trace_begins_with_the_options_and_holds_the_persons_answers(desk):
    run_team.main([*TWO, "--pairs", "2", "--seed", "5"])
    events = read_trace(desk.files("traces")[0])
    assert events[0]["options"] == {
        **run_team.DEFAULTS,
        "players": ["easy", "hard"],
        "pairs": 2,
        "seed": 5,
        "standin": True,
    }
    own = [(event["kind"], event.get("approved")) for event in events if event["agent"] == "run_team"]
    assert own == [("run", None), ("approval", True), ("saved", None), ("remembered", None), ("end", None)]
    assert [event["approved"] for event in events if event["kind"] == "approval"] == [True, True]


@pytest.mark.parametrize("rate", ["0", "1"])
@pytest.mark.parametrize("options", [[], ["--manager"]], ids=["pipeline", "manager"])
def test_invented_numbers_are_caught_and_never_reach_a_report(desk, monkeypatch, options, rate):
    monkeypatch.setenv("MISTAKE_RATE", rate)
    assert run_team.main([*TWO, *options]) == 0
    events = read_trace(desk.files("traces")[0])
    refused = [event for event in events if event["kind"] == "answer" and event["problems"]]
    assert len(refused) == (0 if rate == "0" else 4 if options else 3)
    report = next(path for path in desk.files("reports") if path.suffix == ".md")
    assert "In all that makes" not in report.read_text(encoding="utf-8")


# --- A person says no ---------------------------------------------------------------------------------------------

NO = ["", "n", "no", "yess", "Y E S", EOFError()]


@pytest.mark.parametrize("answer", NO, ids=repr)
@pytest.mark.parametrize("options", [[], ["--manager"]], ids=["pipeline", "manager"])
def test_tournament_that_was_not_approved_ends_the_run_after_one_question(desk, capsys, answer, options):
    desk.answers = [answer, "y", "y"]
    assert run_team.main([*TWO, *options]) == 1
    assert desk.questions == [ALLOW]
    assert desk.saved() == ["traces"]
    assert "No report was produced." in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("answer", NO, ids=repr)
def test_report_that_was_not_approved_is_neither_saved_nor_remembered(desk, capsys, answer):
    desk.answers = ["y", answer]
    assert run_team.main(TWO) == 1
    assert desk.saved() == ["tournaments", "traces"]
    assert capsys.readouterr().out.splitlines()[-1] == "Not saved."


@pytest.mark.parametrize("answer", ["y", "Y", "yes", " YES "])
def test_only_y_and_yes_are_yes(desk, answer):
    desk.answers = [answer, answer]
    assert run_team.main(TWO) == 0


@pytest.mark.parametrize(
    "answers", [[KeyboardInterrupt()], ["y", KeyboardInterrupt()]], ids=["first", "second"]
)
def test_interrupt_at_a_question_is_130_with_nothing_half_saved(desk, capsys, answers):
    desk.answers = answers
    assert run_team.main(TWO) == 130
    error = capsys.readouterr().err
    assert f"--resume {desk.files('traces')[0].as_posix()}" in error
    assert "Traceback" not in error
    assert "reports" not in desk.saved()
    assert "note" not in desk.saved()
    assert not [
        path for path in desk.files("tournaments") if path.suffix != ".json" and path.suffix != ".claim"
    ]


# --- Unattended ---------------------------------------------------------------------------------------------------


def test_unattended_run_asks_nobody(desk):
    assert run_team.main([*TWO, "--unattended"]) == 0
    assert desk.questions == []
    assert desk.saved() == ["reports", "tournaments", "traces", "note"]


@pytest.mark.parametrize("options", [[], ["--manager"]], ids=["pipeline", "manager"])
def test_unattended_run_over_its_budget_saves_nothing_and_says_why(desk, capsys, options):
    assert run_team.main([*TWO, "--pairs", "3", "--unattended", "--max-games", "5", *options]) == 1
    output = capsys.readouterr()
    assert "6 games" in output.err
    assert "may play 5 (--max-games)" in output.err
    assert "No report was produced." in output.out
    assert desk.saved() == ["traces"]


def test_unattended_run_saves_nothing_when_a_check_failed(desk, capsys, monkeypatch):
    bad = {"role": "assistant", "content": "easy has 77 points."}
    calls = [{"function": {"name": "standings", "arguments": {"tournament_id": "20260101-000000"}}}]
    draughts_tools.save({"tournament_id": "20260101-000000", **fakes.answer_to(
        {"command": "tournament", "players": ["easy", "hard"], "pairs": 1})})  # fmt: skip
    run = {
        "function": {
            "name": "run_tournament",
            "arguments": {"players": ["easy", "hard"], "pairs": 1, "seed": 1},
        }
    }
    model = ScriptedModel([{"tool_calls": [run, *calls]}, bad, bad])
    monkeypatch.setattr(run_team, "_model", lambda standin: described(model))
    assert run_team.main([*TWO, "--unattended"]) == 1
    output = capsys.readouterr().out
    assert "PROBLEMS:" in output
    assert "These numbers did not come from any tool: 77." in output
    assert "reports" not in desk.saved()


def described(model):
    model.describe = lambda: {"model": "script"}
    return model


@pytest.mark.parametrize(
    ("players", "pairs", "games"), [(2, 1, 2), (3, 1, 6), (5, 1, 20), (5, 3, 60), (2, 3, 6)]
)
def test_games_of_a_tournament_are_counted_as_the_engine_plays_them(players, pairs, games):
    names = draughts_tools.PLAYERS[:players]
    assert run_team.games_in({"players": names, "pairs": pairs}) == games
    assert len(fakes.answer_to({"command": "tournament", "players": names, "pairs": pairs})["games"]) == games


def test_budget_is_the_total_of_a_run():
    allow = run_team.budget(8)
    six = {"players": ["easy", "medium", "hard"]}
    two = {"players": ["easy", "hard"], "pairs": 1}
    assert [allow("run_tournament", args) for args in (six, six, two, two)] == [True, False, True, False]


# --- Wrong use ----------------------------------------------------------------------------------------------------

WRONG_USE = {
    "unknown player": (["--players", "easy", "genius"], "no player called 'genius'"),
    "one player": (["--players", "easy"], "2 to 5 different players, not 1"),
    "six players": (["--players", *draughts_tools.PLAYERS, "easy"], "easy is named 2 times"),
    "the same player twice": (["--players", "easy", "easy"], "easy is named 2 times"),
    "no players": (["--players"], "--players: expected at least one argument"),
    "no pairs": (["--pairs", "0"], "Pairs must be a whole number from 1 to 3, not 0"),
    "four pairs": (["--pairs", "4"], "Pairs must be a whole number from 1 to 3, not 4"),
    "pairs as a fraction": (["--pairs", "1.5"], "--pairs: it must be a whole number, not '1.5'"),
    "seed 0": (["--seed", "0"], "seed must be a whole number from 1 to 1000000, not 0"),
    "seed too large": (["--seed", "1000001"], "seed must be a whole number from 1 to 1000000, not 1000001"),
    "seed as text": (["--seed", "abc"], "--seed: it must be a whole number, not 'abc'"),
    "two seeds": (["--seed", "4", "--daily-seed"], "Give --seed or --daily-seed, not both"),
    "no games": (["--max-games", "0"], "--max-games must be a whole number from 1, not 0"),
    "games as text": (["--max-games", "x"], "--max-games: it must be a whole number, not 'x'"),
    "unknown option": (["--fast"], "--fast"),
}


@pytest.mark.parametrize(("arguments", "words"), WRONG_USE.values(), ids=WRONG_USE.keys())
def test_wrong_use_is_one_sentence_and_nothing_is_run_or_saved(desk, capsys, arguments, words):
    desk.answers = [pytest.fail]
    assert run_team.main(["--standin", *arguments]) == 2
    output = capsys.readouterr()
    assert words in output.err
    assert len(output.err.splitlines()) == 1
    assert output.out == ""
    assert (desk.saved(), desk.questions) == ([], [])


def test_mistake_rate_that_is_no_number_is_wrong_use(desk, capsys, monkeypatch):
    monkeypatch.setenv("MISTAKE_RATE", "often")
    assert run_team.main(TWO) == 2
    assert "MISTAKE_RATE" in capsys.readouterr().err
    assert desk.saved() == []


def test_help_ends_with_an_example(capsys):
    assert run_team.main(["--help"]) == 0
    assert capsys.readouterr().out.strip().endswith("--players easy medium --standin")


def test_daily_seed_is_the_local_date(desk):
    before = date.today()
    run_team.main([*TWO, "--daily-seed", "--unattended"])
    seed = draughts_tools.load(desk.files("tournaments")[0].stem)["seed"]
    assert seed in {int(day.strftime("%y%m%d")) for day in (before, date.today())}


# --- The machine lets the run down --------------------------------------------------------------------------------


def engine_that_fails(request, timeout=900):
    if request["command"] == "tournament":
        raise draughts_tools.EngineError("The engine died with code 1: out of memory. Try again.")
    return fakes.answer_to(request)


BROKEN_NODES = {
    "prints rubbish": ("print('hello')", "v20.0.0", "which is no JSON object"),
    "dies": ("sys.exit('no such file')", "v20.0.0", "died with code 1: no such file"),
    "hangs": ("import time; time.sleep(60)", "v20.0.0", "did not answer within 1 s"),
    "is too old": ("print('{}')", "v16.4.0", "Node v16.4.0"),
}


@pytest.mark.parametrize(("body", "version", "words"), BROKEN_NODES.values(), ids=BROKEN_NODES.keys())
def test_engine_is_checked_before_anything_is_asked_or_saved(
    tmp_path, monkeypatch, capsys, body, version, words
):
    desk = Desk(tmp_path, monkeypatch)
    monkeypatch.setattr(run_team, "ENGINE_CHECK_SECONDS", 1)
    monkeypatch.setenv("NODE_BINARY", fakes.fake_node(tmp_path, body, version=version))
    assert run_team.main(TWO) == 2
    output = capsys.readouterr()
    assert words in output.err
    assert len(output.err.splitlines()) == 1
    assert (desk.saved(), desk.questions, output.out) == ([], [], "")


def test_missing_node_is_told_before_anything_is_asked(tmp_path, monkeypatch, capsys):
    desk = Desk(tmp_path, monkeypatch)
    monkeypatch.setenv("NODE_BINARY", "no-such-node")
    assert run_team.main(TWO) == 2
    assert "Install Node 18" in capsys.readouterr().err
    assert (desk.saved(), desk.questions) == ([], [])


@pytest.mark.parametrize("options", [[], ["--manager"]], ids=["pipeline", "manager"])
def test_engine_that_fails_in_the_middle_ends_the_run_with_its_sentence(desk, capsys, monkeypatch, options):
    monkeypatch.setattr(draughts_tools, "arena", engine_that_fails)
    assert run_team.main([*TWO, *options]) == 2
    output = capsys.readouterr()
    trace = desk.files("traces")[0]
    assert output.err.splitlines() == [
        "The engine died with code 1: out of memory. Try again.",
        f"Go on with: python run_team.py --resume {trace.as_posix()}",
    ]
    assert "No report was produced." in output.out
    assert desk.questions == [ALLOW]
    assert desk.saved() == ["traces"]


@pytest.mark.parametrize("options", [[], ["--manager"], ["--unattended"]], ids=["asked", "manager", "unattended"])
@pytest.mark.parametrize("command", ["tournament", "review"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), draughts_tools.EngineError("It died.")])
def test_run_that_the_machine_stopped_goes_on_when_that_is_mended(desk, capsys, monkeypatch, options, command, failure):
    def refused(request, timeout=900):
        if request["command"] == command:
            raise failure
        return fakes.answer_to(request)

    with monkeypatch.context() as while_refused:
        while_refused.setattr(draughts_tools, "arena", refused)
        for _ in range(2):  # also when it is resumed too early
            trace = desk.files("traces")
            assert run_team.main(["--resume", str(trace[0])] if trace else [*TWO, *options]) in (1, 2)
            assert str(failure).rstrip(".") in capsys.readouterr().err
    assert run_team.main(["--resume", str(desk.files("traces")[0])]) == 0
    assert desk.questions == ([] if "--unattended" in options else [ALLOW, SAVE])
    assert desk.saved() == ["reports", "tournaments", "traces", "note"]
    assert len(desk.files("tournaments")) == 1


@pytest.mark.parametrize("content", ["", "{", '{"a": 1}', '[{"text": 3}]'])
def test_damaged_notebook_is_named_and_left_as_it_is(desk, capsys, content):
    path = desk.folder / "notebook.json"
    path.write_text(content, encoding="utf-8")
    assert run_team.main(TWO) == 2
    assert "notebook.json is damaged" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == content
    assert desk.questions == []


def test_tournament_file_that_was_damaged_meanwhile_is_named(desk, capsys, monkeypatch):
    def play_and_damage(request, timeout=900):
        if request["command"] == "review":
            for path in desk.files("tournaments"):
                path.write_text("{", encoding="utf-8")
        return fakes.answer_to(request)

    monkeypatch.setattr(draughts_tools, "arena", play_and_damage)
    assert run_team.main(TWO) == 2
    assert re.search(r"\d{8}-\d{6}\.json is damaged", capsys.readouterr().err)
    assert [path.read_text(encoding="utf-8") for path in desk.files("tournaments")] == ["{"]


MODEL_FAILURES = [
    ModelUnreachable("No model answers at http://127.0.0.1:11434. Start it with `ollama serve`."),
    ModelRefused("model 'x' not found. Fetch it with `ollama pull x`.", 404),
]


@pytest.mark.parametrize("error", MODEL_FAILURES, ids=lambda error: type(error).__name__)
def test_model_that_cannot_be_used_is_exit_2_with_its_remedy(desk, capsys, monkeypatch, error):
    class Broken:
        def describe(self):
            return {}

        def chat(self, messages, tools):
            raise error

    monkeypatch.setattr(run_team, "_model", lambda standin: Broken())
    assert run_team.main(TWO) == 2
    assert capsys.readouterr().err.strip() == str(error)
    assert (desk.saved(), desk.questions) == (["traces"], [])


SERVERS = {
    "unknown model": (404, b'{"error": "model \'x\' not found"}', "ollama pull x"),
    "model without tools": (400, b'{"error": "x does not support tools"}', "does not support tools"),
    "a reply that is not JSON": (200, b"<html>", "JSON"),
    "a reply without a message": (200, b"{}", "message"),
    "a server that hangs": (None, b"", "AGENT_TIMEOUT"),
}


@pytest.mark.loopback
@pytest.mark.parametrize(("status", "body", "words"), SERVERS.values(), ids=SERVERS.keys())
def test_server_that_cannot_serve_is_exit_2_before_any_question(
    desk, capsys, monkeypatch, status, body, words
):
    with server(status, body) as url:
        monkeypatch.setenv("OLLAMA_URL", url)
        monkeypatch.setenv("AGENT_MODEL", "x")
        monkeypatch.setenv("AGENT_TIMEOUT", "0.5" if status is None else "20")
        assert run_team.main(["--players", "easy", "hard"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1
    assert (desk.saved(), desk.questions) == (["traces"], [])


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("url", "words"), [("http://127.0.0.1:9", "ollama serve"), ("127.0.0.1:11434", "http://")]
)
def test_server_that_is_not_there_is_exit_2_before_any_question(desk, capsys, monkeypatch, url, words):
    monkeypatch.setenv("OLLAMA_URL", url)
    assert run_team.main(["--players", "easy", "hard"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1
    assert desk.questions == []


@contextlib.contextmanager
def server(status: int | None, body: bytes):
    """A server on this machine that answers every request alike, or never; gives its address."""
    release = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            if status is None:
                release.wait(60)
                return
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        release.set()
        running.shutdown()


def test_wrong_model_settings_are_exit_2(desk, capsys, monkeypatch):
    monkeypatch.setenv("AGENT_PROVIDER", "parrot")
    assert run_team.main(["--players", "easy", "hard"]) == 2
    assert "AGENT_PROVIDER must be ollama or openai, not 'parrot'" in capsys.readouterr().err
    assert desk.saved() == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="not as root, who may write anywhere")
def test_read_only_report_folder_is_told_and_nothing_is_remembered(desk, capsys):
    folder = desk.folder / "reports"
    folder.mkdir(mode=0o500)
    assert run_team.main(TWO) == 1
    assert "Not saved" in capsys.readouterr().err
    assert "note" not in desk.saved()


@pytest.mark.parametrize("options", [[], ["--unattended"]], ids=["asked", "unattended"])
def test_disk_that_is_full_is_told_and_the_run_can_go_on_later(desk, capsys, monkeypatch, options):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as while_full:
        while_full.setattr(draughts_run, "save_report", full)
        assert run_team.main([*TWO, *options]) == 1
    output = capsys.readouterr()
    assert "No space left on device" in output.err
    assert "| hard | 2 | 1 | 0 | 1 | 1.0 | 1201 |" in output.out
    assert "note" not in desk.saved()
    assert run_team.main(["--resume", str(desk.files("traces")[0])]) == 0
    assert desk.questions == ([] if options else [ALLOW, SAVE])
    assert desk.saved() == ["reports", "tournaments", "traces", "note"]


def test_wrong_tournament_is_told_to_the_model_and_not_reported(desk, capsys, monkeypatch):
    wrong = {"function": {"name": "run_tournament", "arguments": {"players": ["easy", "medium"]}}}
    answer = {"role": "assistant", "content": "Done."}
    model = described(ScriptedModel([{"tool_calls": [wrong]}, answer, answer]))
    monkeypatch.setattr(run_team, "_model", lambda standin: model)
    assert run_team.main([*TWO, "--unattended"]) == 1
    said = model.seen[2]["messages"][-1]["content"]
    assert 'Call run_tournament with {"players": ["easy", "hard"], "pairs": 1, "seed": 1}' in said
    assert "reports" not in desk.saved()


def test_report_on_another_tournament_is_no_report(desk, capsys, monkeypatch):
    games = fakes.answer_to({"command": "tournament", "players": ["easy", "hard"], "pairs": 1})
    old = "20260101-000000"
    draughts_tools.save({"tournament_id": old, **games})
    chat = run_team._model(True).chat

    class Mixed:
        """Works like the stand-in, but its reporter takes the id of an older tournament."""

        def describe(self):
            return {}

        def chat(self, messages, tools):
            reply = chat(messages, tools)
            for call in reply.get("tool_calls", ()):
                if (
                    messages[0]["content"] == draughts_team.REPORTER
                    and "tournament_id" in call["function"]["arguments"]
                ):
                    call["function"]["arguments"]["tournament_id"] = old
            return reply

    monkeypatch.setattr(run_team, "_model", lambda standin: Mixed())
    assert run_team.main([*TWO, "--unattended"]) == 1
    output = capsys.readouterr().out
    assert "The reporter did not read the standings of" in output
    assert "No report was produced." in output
    assert "reports" not in desk.saved()


# --- As a program, with the real engine ---------------------------------------------------------------------------

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node on the path")


@pytest.fixture
def copy(tmp_path):
    """The project's own files, without what runs produced, as a fresh clone has them."""
    for name in ("agentkit", "agents", "devtools", "engine", "static", "train"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
    for name in ("run_team.py", "ratings.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def program(folder: Path, *args: str, **more) -> subprocess.CompletedProcess:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NODE_BINARY", "MISTAKE_RATE")
    }
    command = [sys.executable, "-S", "run_team.py", *args]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, **more
    )


@needs_node
def test_program_runs_without_any_package_and_same_seed_gives_same_games(copy):
    for _ in range(2):
        result = program(copy, "--players", "easy", "medium", "--seed", "7", "--standin", input="y\ny\n")
        assert (result.returncode, result.stderr) == (0, "")
    files = (copy / "data" / "tournaments").glob("*.json")
    first, second = (json.loads(path.read_text(encoding="utf-8"))["games"] for path in files)
    assert first == second
    assert len(list((copy / "reports").glob("report-*.md"))) == 2


@needs_node
def test_end_of_input_is_a_no(copy):
    result = program(copy, "--players", "easy", "medium", "--standin", input="")
    assert (result.returncode, result.stderr) == (1, "")
    assert not list((copy / "data" / "tournaments").glob("*"))


@needs_node
@pytest.mark.parametrize("unattended", [True, False])
def test_reader_that_goes_away_makes_no_traceback(copy, unattended):
    command = [sys.executable, "run_team.py", "--players", "easy", "medium", "--standin"]
    command += ["--unattended"] if unattended else []
    with subprocess.Popen(
        command, cwd=copy, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        run.stdout.close()
        run.stdin.write(b"y\ny\n")
        run.stdin.close()
        assert run.stderr.read() == b""
        assert run.wait(300) == (0 if unattended else 1)
    assert bool(list((copy / "reports").glob("report-*.md"))) is unattended


@needs_node
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only on systems with a device that is always full")
def test_unattended_report_is_saved_though_its_text_cannot_be_printed(copy):
    command = [sys.executable, "run_team.py", "--players", "easy", "medium", "--standin", "--unattended"]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(command, cwd=copy, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    assert result.returncode == 0
    assert result.stderr.startswith("The program could not read or write: [Errno 28]")
    assert result.stderr.count("\n") == 1
    assert len(list((copy / "reports").glob("report-*.md"))) == 1


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
