"""eval/run_eval.py: what it counts, with a quick engine and models whose mistakes are known."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fakes

from agentkit.agent import Result
from agents import draughts_team, draughts_tools
from devtools.standin import StandInModel
from eval import run_eval


@pytest.fixture(autouse=True)
def quick_engine(monkeypatch):
    monkeypatch.delenv("MISTAKE_RATE", raising=False)
    monkeypatch.setattr(draughts_tools, "arena", lambda request, timeout=900: fakes.answer_to(request))


def result(agent: str, passed: bool, retries: int = 0, steps: int = 2, seconds: float = 1.0) -> Result:
    made = Result(agent)
    made.stopped, made.problems = "answered", [] if passed else ["wrong"]
    made.retries_used, made.steps, made.seconds = retries, steps, seconds
    return made


def test_each_agent_is_counted_by_how_its_answer_came_to_pass():
    runs = [
        {"results": [result("director", True, steps=4), result("analyst", False)], "told": "", "invented": []},
        {"results": [result("director", True, 1, steps=6)], "told": "wrong: 2345.", "invented": [2345, 6789]},
    ]
    scores = run_eval.score(runs)
    kept = ("passed_first", "passed_after_retry", "failed", "not_reached", "mean_steps")
    assert [[scores["agents"][name][key] for key in kept] for name in run_eval.AGENTS] == [
        [1, 1, 0, 0, 5], [0, 0, 1, 1, 2], [0, 0, 0, 2, 0],
    ]  # fmt: skip
    assert (scores["invented"], scores["caught"]) == (2, 1)


def test_run_without_mistakes_passes_first_time_and_leaves_the_projects_data_alone():
    before = draughts_tools.TOURNAMENT_DIR, draughts_team.NOTEBOOK
    run = run_eval.run_once(StandInModel(0), seed=1)
    assert [(item.agent, item.passed, item.retries_used) for item in run["results"]] == [
        ("director", True, 0), ("analyst", True, 0), ("reporter", True, 0),
    ]  # fmt: skip
    assert before == (draughts_tools.TOURNAMENT_DIR, draughts_team.NOTEBOOK)


def test_every_invented_number_is_caught(capsys):
    assert run_eval.main(["--standin", "--mistake-rate", "1", "--runs", "3", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert (scores["runs"], scores["invented"], scores["caught"]) == (3, 9, 9)
    assert scores["agents"]["reporter"]["passed_after_retry"] == 3


def test_table_shows_a_row_for_each_agent(capsys):
    assert run_eval.main(["--standin", "--runs", "1"]) == 0
    output = capsys.readouterr().out
    assert [line.split()[0] for line in output.splitlines()] == ["agent", *run_eval.AGENTS]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mistake-rate", "0.1"], "add --standin"),
        (["--standin", "--mistake-rate", "2"], "from 0 to 1, not '2'"),
        (["--standin", "--mistake-rate", "nan"], "from 0 to 1, not 'nan'"),
        (["--runs", "0"], "from 1, not '0'"),
        (["--runs", "x"], "from 1, not 'x'"),
    ],
)
def test_wrong_arguments_are_refused(capsys, arguments, words):
    with pytest.raises(SystemExit, match="2"):
        run_eval.main(arguments)
    assert words in capsys.readouterr().err


def test_engine_that_cannot_be_used_is_exit_2(capsys, monkeypatch):
    def missing(request, timeout=900):
        raise draughts_tools.EngineError("Node was not found.")

    monkeypatch.setattr(draughts_tools, "arena", missing)
    assert run_eval.main(["--standin"]) == 2
    assert capsys.readouterr().err == "Node was not found.\n"


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
