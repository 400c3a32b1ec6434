"""The door ask_codebase.py: flags, exit codes, and what it prints where.

The stand-in model answers, or canned replies do; each test has its own folder and cache directory.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import ask_codebase
from agentkit import ScriptedModel
from agentkit.errors import ModelUnreachable


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Keep each test's index out of the user's cache directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.delenv("MISTAKE_RATE", raising=False)


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src" / "tax.go").write_text("package tax\n\nfunc VatRate() float64 { return 0.19 }\n", encoding="utf-8")
    (root / "README.md").write_text("# Shop\n\nThe VAT rate is in src.\n", encoding="utf-8")
    return root


def search(text="vat rate"):
    return {"tool_calls": [{"function": {"name": "search_files", "arguments": {"text": text}}}]}


@pytest.fixture
def ask(monkeypatch, capsys, project):
    """Run the door with canned replies; (exit code, standard output, standard error)."""

    def run(*argv, replies=None, typed="", folder=True):
        if replies is not None:
            monkeypatch.setattr(ask_codebase, "model_from_env", lambda: ScriptedModel(replies))
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = ask_codebase.main([*argv, *(["--folder", str(project)] if folder else [])])
        out, err = capsys.readouterr()
        return code, out, err

    return run


GOOD = [search(), {"content": "The rate is 0.19 (src/tax.go:3)."}]
INVENTED = [search(), {"content": "See src/vat.go:1."}, {"content": "See src/vat.go:1."}]


def test_an_answer_that_passes_is_printed_with_clickable_sources_and_exit_code_0(ask, project):
    code, out, _ = ask("What is the VAT rate?", replies=GOOD)
    assert code == 0
    assert out == f"The rate is 0.19 (src/tax.go:3).\n\nSources:\n{project.as_posix()}/src/tax.go:3\n"


def test_a_source_in_the_current_folder_is_named_from_there(ask, project, monkeypatch):
    monkeypatch.chdir(project)
    assert ask("What is the VAT rate?", replies=GOOD)[1].endswith("Sources:\nsrc/tax.go:3\n")


def test_show_sources_prints_the_lines_cited(ask):
    out = ask("What is the VAT rate?", "--show-sources", replies=GOOD)[1]
    assert out.endswith("src/tax.go:3\n    3: func VatRate() float64 { return 0.19 }\n")


def test_an_answer_with_problems_is_printed_with_them_and_exit_code_1(ask):
    code, out, _ = ask("What is the VAT rate?", replies=INVENTED)
    assert code == 1 and "Sources" not in out
    assert "PROBLEMS:\n- These files were not returned by any tool: src/vat.go:1." in out


def test_json_is_one_document(ask, project):
    code, out, _ = ask("What is the VAT rate?", "--json", replies=GOOD)
    document = json.loads(out)
    assert code == 0 and document["passed"] is True and document["problems"] == [] and document["steps"] == 2
    assert document["question"] == "What is the VAT rate?" and document["answer"].startswith("The rate is")
    assert document["sources"] == [
        {
            "file": "src/tax.go",
            "first_line": 3,
            "last_line": 3,
            "open": f"{project.as_posix()}/src/tax.go:3",
            "lines": ["3: func VatRate() float64 { return 0.19 }"],
        }
    ]


@pytest.mark.parametrize("argv", [[], ["-"]])
def test_the_question_may_come_from_standard_input(ask, argv):
    code, out, _ = ask(*argv, "--json", replies=GOOD, typed="What is\nthe VAT rate?\n")
    assert code == 0 and json.loads(out)["question"] == "What is\nthe VAT rate?"


def test_progress_is_told_once_for_a_large_folder_and_not_for_a_small_one(ask, project):
    assert ask("What is the VAT rate?", replies=GOOD)[2] == ""
    for number in range(600):
        (project / f"n{number}.txt").write_text("x\n", encoding="utf-8")
    err = ask("What is the VAT rate?", replies=GOOD)[2]
    assert err.startswith("Indexing 60") and err.count("\n") == 1


def test_several_folders_may_be_given(ask, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "note.txt").write_text("the vat rate was 0.16 once\n", encoding="utf-8")
    replies = [search(), {"content": "See shop/src/tax.go:3 and other/note.txt:1."}]
    code, out, _ = ask("What is the VAT rate?", "--folder", str(other), replies=replies)
    assert code == 0 and f"{other.as_posix()}/note.txt:1" in out


def test_chat_answers_one_line_after_another_and_remembers(ask):
    replies = [*GOOD, {"content": "As I said, src/tax.go:3."}]
    code, out, _ = ask("--chat", replies=replies, typed="What is the VAT rate?\n\nWhere was that?\nquit\nnever asked\n")
    assert code == 0 and "The rate is 0.19" in out and "As I said, src/tax.go:3." in out


def test_chat_begins_with_the_question_on_the_command_line(ask):
    assert "The rate is 0.19" in ask("What is the VAT rate?", "--chat", replies=GOOD)[1]


def test_one_bad_answer_of_a_chat_makes_exit_code_1(ask):
    code, out, _ = ask("--chat", replies=[*INVENTED, *GOOD], typed="What?\nWhat is the VAT rate?\n")
    assert code == 1 and "PROBLEMS" in out and "The rate is 0.19" in out


def test_the_stand_in_passes_and_is_loaded_only_when_asked_for(ask):
    code, out, _ = ask("What is the VAT rate?", "--standin")
    assert code == 0 and "src/tax.go:3" in out and "PROBLEMS" not in out


def test_the_stand_in_passes_over_this_project_too(ask):
    assert ask("Where is the loop of the agent?", "--standin", folder=False)[0] == 0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["question", "--folder", "nowhere-at-all"], "There is no folder 'nowhere-at-all'"),
        (["question", "--folder", ""], "There is no folder ''"),
        (["question", "--folder", __file__], "is a file, not a folder"),
        (["question", "--nonsense"], "Unrecognized arguments: --nonsense"),
        (["one", "two"], "Unrecognized arguments: two"),
        (["  "], "The question is empty"),
        (["question", "--chat", "--json"], "not both"),
    ],
)
def test_wrong_use_is_exit_code_2_with_one_sentence(ask, argv, words):
    code, out, err = ask(*argv, replies=GOOD, folder=False)
    assert (code, out) == (2, "") and words in err and "Traceback" not in err


def test_an_empty_standard_input_is_wrong_use(ask):
    code, _, err = ask(replies=GOOD, typed=" \n")
    assert code == 2 and "The question is empty" in err


def test_a_terminal_without_a_question_is_not_waited_for(monkeypatch, capsys):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", terminal)
    assert ask_codebase.main([]) == 2
    assert "There is no question" in capsys.readouterr().err


def test_a_model_that_cannot_be_reached_is_exit_code_2(ask, monkeypatch):
    class Nobody:
        def chat(self, messages, tools):
            raise ModelUnreachable("Nobody listens. Start the server.")

    monkeypatch.setattr(ask_codebase, "model_from_env", Nobody)
    code, out, err = ask("What is the VAT rate?")
    assert (code, out) == (2, "") and "Start the server" in err


def test_a_wrong_mistake_rate_is_exit_code_2(ask, monkeypatch):
    monkeypatch.setenv("MISTAKE_RATE", "often")
    assert ask("What?", "--standin")[0] == 2


def test_ctrl_c_is_exit_code_130(ask, monkeypatch):
    class Interrupted:
        def chat(self, messages, tools):
            raise KeyboardInterrupt

    monkeypatch.setattr(ask_codebase, "model_from_env", Interrupted)
    code, _, err = ask("What is the VAT rate?")
    assert code == 130 and "Traceback" not in err


def test_help_ends_with_an_example(capsys):
    assert ask_codebase.main(["--help"]) == 0
    assert capsys.readouterr().out.rstrip().splitlines()[-1].startswith("Example: python ask_codebase.py")


def test_as_a_program_it_answers_and_survives_a_reader_that_went_away(project):
    command = [sys.executable, "ask_codebase.py", "--standin", "--folder", str(project), "What is the VAT rate?"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0 and "src/tax.go:3" in done.stdout and done.stderr == ""
    reader, writer = os.pipe()
    os.close(reader)
    cut_off = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert "Traceback" not in cut_off.stderr


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
