"""show_trace.py: what it prints of traces that were written by hand, so that every figure is known beforehand."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import show_trace
from agents.trace_summary import agent_line, outcome, per_agent, summary


def line(second: int, agent: str, kind: str, **more) -> dict:
    return {"time": f"2026-10-28T14:05:{second:02}.000Z", "agent": agent, "kind": kind, **more}


CALL = {"step": 1, "tool": "add", "args": {"a": 1}}
RUN = [
    line(0, "run_team", "run", format=1, program="run_team", model={"model": "qwen3"}),
    line(0, "director", "task", text="Add."),
    line(2, "director", "reply", step=1, message={}, seconds=2),
    line(2, "director", "call", **CALL),
    line(30, "director", "approval", **CALL, approved=True),
    line(33, "director", "tool", **CALL, result={"sum": 3}),
    line(34, "director", "reply", step=2, message={}, seconds=1),
    line(34, "director", "answer", step=2, text="3", problems=[]),
    line(34, "reporter", "task", text="Report."),
    line(36, "reporter", "reply", step=1, message={}, seconds=2),
    line(36, "reporter", "answer", step=1, text="7", problems=["These numbers did not come from any tool: 7."]),
]


@pytest.fixture
def trace(tmp_path):
    def write(events: list[dict], name: str = "t.jsonl", tail: str = "") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(event) + "\n" for event in events) + tail, encoding="utf-8")
        return path

    return write


# --- What is counted ----------------------------------------------------------------------------------------------


def test_agents_are_counted_in_order_with_their_last_problems():
    # The director's time: 2 s to reply, 3 s for the tool, 1 s to reply; the person's 28 s are not its own.
    assert [agent_line(row) for row in per_agent(RUN)] == [
        "director: 2 steps, 1 tool calls, 6.0s, passed",
        "reporter: 1 steps, 0 tool calls, 2.0s, PROBLEMS: These numbers did not come from any tool: 7.",
    ]


def test_pause_before_a_run_was_resumed_is_nobodys_time():
    resumed = [*RUN[:3], line(50, "run_team", "resumed"), line(51, "director", "reply", step=2)]
    assert per_agent(resumed)[0]["seconds"] == 3


def test_agent_that_asked_a_colleague_is_not_counted_the_colleagues_time():
    events = [line(0, "manager", "task"), line(1, "manager", "reply"), line(1, "manager", "call"),
              line(1, "director", "task"), line(9, "director", "reply"), line(9, "director", "answer"),
              line(9, "manager", "tool"), line(10, "manager", "reply"), line(10, "manager", "answer")]  # fmt: skip
    assert [(row["agent"], row["seconds"]) for row in per_agent(events)] == [("manager", 2), ("director", 8)]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (RUN[:4], "not finished"),
        (RUN, "problems"),
        (RUN[:8], "passed"),
        ([*RUN[:3], line(9, "director", "stopped", step=1, reason="time")], "problems"),
        ([*RUN[:3], line(9, "director", "error", step=1, text="no model")], "failed"),
        ([*RUN, line(40, "run_team", "end", code=1)], "not saved"),
        ([*RUN, line(40, "run_team", "saved", path="x"), line(40, "run_team", "end", code=0)], "saved"),
        ([], "not finished"),
    ],
)
def test_outcome_is_said_in_a_word_or_two(events, expected):
    assert outcome(events) == expected


def test_summary_of_a_run_adds_its_agents_up():
    assert summary(RUN) == {
        "begun": "2026-10-28T14:05:00", "program": "run_team", "model": "qwen3", "agents": 2, "steps": 3,
        "tool_calls": 1, "seconds": 8.0, "outcome": "problems",
    }  # fmt: skip


# --- The program --------------------------------------------------------------------------------------------------


def test_one_trace_is_printed_line_by_line_and_summed_up(trace, capsys):
    assert show_trace.main([str(trace(RUN))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[5] == '14:05:33  director   step 1: add(a=1) -> {"sum": 3}'
    assert lines[-2:] == [agent_line(row) for row in per_agent(RUN)]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--agent", "reporter"], 3),
        (["--kind", "tool"], 1),
        (["--kind", "tool", "--kind", "answer"], 3),
        (["--agent", "director", "--kind", "answer"], 1),
        (["--agent", "director", "--agent", "reporter"], 10),
    ],
)
def test_events_are_chosen_by_agent_and_kind(trace, capsys, options, kept):
    assert show_trace.main([str(trace(RUN)), *options]) == 0
    assert len(capsys.readouterr().out.splitlines()) == kept


def test_choice_that_fits_no_event_names_what_there_is(trace, capsys):
    assert show_trace.main([str(trace(RUN)), "--agent", "analyst"]) == 1
    assert "Agents: run_team, director, reporter. Kinds: run, task" in capsys.readouterr().err


def test_json_is_one_document_with_the_events(trace, capsys):
    path = trace(RUN)
    assert show_trace.main([str(path), "--json", "--kind", "tool"]) == 0
    assert json.loads(capsys.readouterr().out) == {"trace": path.as_posix(), **summary(RUN), "events": [RUN[5]]}


def test_json_of_many_traces_is_one_list(trace, capsys):
    assert show_trace.main([str(trace(RUN)), str(trace(RUN[:4], "u.jsonl")), "--json"]) == 0
    documents = json.loads(capsys.readouterr().out)
    assert [(document["outcome"], len(document["events"])) for document in documents] == [
        ("problems", 11), ("not finished", 4),
    ]  # fmt: skip


def test_many_traces_are_a_table_with_a_row_each(trace, capsys):
    assert show_trace.main([str(trace(RUN)), str(trace(RUN[:4], "u.jsonl"))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines[0].split()) == "trace begun program model agents steps tool calls seconds outcome"
    assert [row.split()[0] for row in lines[1:]] == ["t.jsonl", "u.jsonl"]
    assert lines[2].endswith("not finished")


def test_last_line_that_was_cut_in_half_is_reported_and_passed_over(trace, capsys):
    path = trace(RUN, tail='{"time": "2026-10-28T14:0')
    assert show_trace.main([str(path)]) == 0
    output = capsys.readouterr()
    assert "t.jsonl:12" in output.err
    assert "cut in half" in output.err
    assert len(output.out.splitlines()) == len(RUN) + 3


@pytest.mark.parametrize("content", [None, "", "hello\n", "[1]\n", '{"kind": 3}\n'])
@pytest.mark.parametrize("options", [[], ["--json"], ["--follow"], ["--html", "page.html"]])
def test_file_that_is_no_trace_is_named_in_one_sentence(tmp_path, capsys, content, options):
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert show_trace.main([str(path), *options]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1
    assert "x.jsonl" in output.err


def test_folder_is_no_trace(tmp_path, capsys):
    assert show_trace.main([str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--follow", "--html"])
def test_following_and_pages_take_one_trace(trace, capsys, option):
    arguments = [option] if option == "--follow" else [option, "out.html"]
    assert show_trace.main([str(trace(RUN)), str(trace(RUN, "u.jsonl")), *arguments]) == 2
    assert f"{option} takes one trace, not 2" in capsys.readouterr().err


def test_page_is_written_and_holds_the_answers(trace, tmp_path, capsys):
    out = tmp_path / "pages" / "t.html"
    assert show_trace.main([str(trace(RUN)), "--html", str(out)]) == 0
    assert capsys.readouterr().out == f"Wrote {out.as_posix()}\n"
    page = out.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "director" in page


def test_page_shows_the_whole_trace(trace, tmp_path, capsys):
    out = tmp_path / "t.html"
    assert show_trace.main([str(trace(RUN)), "--html", str(out), "--kind", "tool"]) == 2
    assert "leave --agent and --kind out" in capsys.readouterr().err
    assert not out.exists()


def test_page_never_takes_the_place_of_a_trace(trace, capsys):
    path = trace(RUN)
    before = path.read_bytes()
    assert show_trace.main([str(path), "--html", str(path)]) == 2
    assert "is a trace" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_page_that_cannot_be_written_is_told(trace, tmp_path, capsys):
    assert show_trace.main([str(trace(RUN)), "--html", str(tmp_path)]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_live_run_is_followed_until_it_ends(trace, capsys, monkeypatch):
    monkeypatch.setattr(show_trace, "PAUSE", 0.01)
    path = trace(RUN[:2])

    def write_on():
        rest = "".join(json.dumps(event) + "\n" for event in [*RUN[2:], line(40, "run_team", "end", code=0)])
        for start in range(0, len(rest), 100):  # lines arrive in pieces
            with path.open("a", encoding="utf-8") as file:
                file.write(rest[start : start + 100])
            time.sleep(0.002)

    writer = threading.Thread(target=write_on)
    writer.start()
    assert show_trace.main([str(path), "--follow"]) == 0
    writer.join()
    assert len(capsys.readouterr().out.splitlines()) == len(RUN) + 1


def test_reader_that_goes_away_makes_no_traceback(trace):
    path = trace(RUN * 500)
    command = [sys.executable, str(ROOT / "show_trace.py"), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


def test_help_ends_with_an_example(capsys):
    assert show_trace.main(["--help"]) == 0
    assert capsys.readouterr().out.strip().splitlines()[-1].strip().endswith("--kind tool")


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
