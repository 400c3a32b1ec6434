"""eval/run_eval.py and its modules: what is asked, what a run is worth, what many come to, what two cards tell.

The engine is a quick one whose games are known (fakes.py); models are fixed rules or scripts whose mistakes are known.
Where the work runs is tested in test_executors.py.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fakes

from agentkit import FunctionModel, ScriptedModel
from agentkit.errors import BadReply, ModelRefused, ModelUnreachable
from agents import draughts_team, draughts_tools
from agents.codebase.workspace import Workspace
from devtools.standin import StandInModel
from eval import cases, compare_cards, evaluation, picture, questions, reasons, run_eval, scorecard, scorer
from eval.jobs import Job, run_job
from eval.suites import AGENTS, SUITES, Attempt


@pytest.fixture(autouse=True)
def quick_engine(monkeypatch):
    monkeypatch.delenv("MISTAKE_RATE", raising=False)
    monkeypatch.setattr(draughts_tools, "arena", lambda request, timeout=900: fakes.answer_to(request))


def without_times(card):
    """A scorecard without what may differ between two evaluations of the same seeds."""
    if isinstance(card, dict):
        return {
            key: without_times(value)
            for key, value in card.items()
            if key not in ("when", "trace") and "seconds" not in key
        }
    return [without_times(item) for item in card] if isinstance(card, list) else card


def evaluate(capsys, *arguments: object) -> dict:
    assert run_eval.main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


# ---- one run ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suite", SUITES)
def test_run_of_the_stand_in_passes_first_time_and_reaches_every_agent_of_the_suite(suite):
    record = run_job(Job(suite, "standin", 1, None if suite == "study" else StandInModel(0)))
    assert (record["checked"], record["complete"], record["passed"]) == (True, True, True)
    assert {name: row["outcome"] for name, row in record["agents"].items()} == dict.fromkeys(AGENTS[suite], "first")


def test_run_leaves_the_projects_data_alone_and_no_folder_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = draughts_tools.TOURNAMENT_DIR, draughts_team.NOTEBOOK, draughts_tools.claim_stamp
    for suite in SUITES:
        run_job(Job(suite, "standin", 1, None if suite == "study" else StandInModel(0)))
    assert (draughts_tools.TOURNAMENT_DIR, draughts_team.NOTEBOOK, draughts_tools.claim_stamp) == before
    assert list(tmp_path.iterdir()) == []


def test_prompts_of_a_seed_hold_no_clock():
    def prompts() -> str:
        said = []
        standin = StandInModel(0)
        record = run_job(
            Job("pipeline", "x", 7, FunctionModel(lambda m, t: said.append(json.dumps(m)) or standin.chat(m, t)))
        )
        assert record["passed"]
        return "\n".join(said)

    assert prompts() == prompts()


def test_every_invented_number_is_caught_and_put_right(capsys):
    card = evaluate(capsys, "--standin", "--mistake-rate", 1, "--runs", 3)
    (summary,) = card["summary"]
    assert [summary[key] for key in ("n", "invented", "caught", "repaired", "passed")] == [3, 9, 9, 9, 3]
    assert summary["agents"]["reporter"]["passed_after_retry"] == 3
    assert summary["refused_because"] == {"These numbers did not come from any tool": 9}


@pytest.mark.parametrize(
    ("answers", "counts"),
    [
        ([("a", "makes 2345", ["wrong: 2345."]), ("a", "fine", [])], (1, 1)),
        ([("a", "makes 2345", ["wrong: 2345."]), ("a", "still 2345", ["wrong: 2345."])], (1, 0)),
        ([("a", "makes 2345", ["wrong: 2345."]), ("b", "fine", [])], (1, 0)),  # another agent's answer repairs nothing
        ([("a", "makes 2345", [])], (0, 0)),  # accepted: it slipped through
        ([("a", "makes 2345", ["wrong: 12345."]), ("a", "fine", [])], (0, 0)),  # refused for another number
    ],
)
def test_invention_is_caught_when_its_answer_is_refused_for_it_and_repaired_when_a_later_one_passes(answers, counts):
    events = [{"kind": "answer", "agent": who, "text": text, "problems": told} for who, text, told in answers]
    assert scorer.inventions([2345], events) == {"invented": 1, "caught": counts[0], "repaired": counts[1]}


def test_invention_that_slips_through_is_exit_1(capsys, monkeypatch):
    monkeypatch.setattr(draughts_team, "GROUNDED", lambda answer, tool_log: [])
    assert run_eval.main(["--standin", "--mistake-rate", "1", "--runs", "1"]) == 1
    assert re.search(r"Numbers invented: [1-9], caught: 0, repaired: 0", capsys.readouterr().out)


def fails_with(error: Exception) -> FunctionModel:
    def chat(messages, tools):
        raise error

    return FunctionModel(chat)


@pytest.mark.parametrize("suite", SUITES)
def test_model_that_fails_in_one_run_makes_a_failed_run(suite):
    record = run_job(Job(suite, "x", 1, fails_with(BadReply("The reply was no message."))))
    assert (record["passed"], record["problems"]) == (False, ["The reply was no message."])
    assert record["agents"][AGENTS[suite][0]]["outcome"] == "failed"
    assert '"kind": "error"' in record["trace"]


@pytest.mark.parametrize("error", [ModelUnreachable("Nobody answers."), ModelRefused("No such model.", 404)])
def test_what_would_fail_in_every_run_is_fatal(error):
    assert run_job(Job("pipeline", "x", 1, fails_with(error))) == {"fatal": str(error)}


def test_engine_that_fails_in_a_run_is_not_the_models_fault(monkeypatch):
    def broken(request, timeout=900):
        raise draughts_tools.EngineError("Node was killed.")

    monkeypatch.setattr(draughts_tools, "arena", broken)
    assert run_job(Job("pipeline", "standin", 1, StandInModel(0))) == {"fatal": "Node was killed."}


def test_tokens_are_counted_for_each_agent():
    standin = StandInModel(0)
    model = FunctionModel(lambda m, t: {**standin.chat(m, t), "usage": {"tokens_in": 10, "tokens_out": 2}})
    for suite in ("pipeline", "study"):
        rows = run_job(Job(suite, "x", 1, model))["agents"]
        assert all(
            (row["tokens_in"], row["tokens_out"]) == (10 * row["steps"], 2 * row["steps"]) for row in rows.values()
        )


# ---- the study suite with a model in the planner's place --------------------------------------------------


def test_model_in_the_planners_place_passes_when_it_does_the_job():
    replies = [
        {"tool_calls": [{"function": {"name": "search_course", "arguments": {"query": "AgentOps tool safety"}}}]},
        {"content": "Done."},  # refused: there is no plan yet
        {
            "tool_calls": [
                {"function": {"name": "make_study_plan", "arguments": {"goal": "x", "evidence_ids": ["agentops"]}}}
            ]
        },
        {"content": "Done."},
    ]
    record = run_job(Job("study", "x", 1, ScriptedModel(replies)))
    assert (record["passed"], record["agents"]["study_planner"]["outcome"]) == (True, "retry")
    assert record["agents"]["study_planner"]["steps"] == 4


def test_model_that_ends_in_the_wrong_status_fails_and_is_told_so():
    record = run_job(Job("study", "x", 1, ScriptedModel([{"content": "Done."}] * 5)))
    assert not record["passed"]
    assert record["missing"] == ["The run ended in no_evidence instead of completed."]


def test_the_study_suite_holds_the_planners_own_cases_and_more():
    from agents.study_planner import EVAL_CASES

    assert cases.STUDY_CASES[: len(EVAL_CASES)] == EVAL_CASES and len(cases.STUDY_CASES) > len(EVAL_CASES)
    assert {case["expected_status"] for case in cases.STUDY_CASES} >= {
        "completed",
        "blocked_by_approval",
        "no_evidence",
    }


# ---- completeness -----------------------------------------------------------------------------------------

NOTE = "Tournament 20250301-101500 with players easy, medium: medium 2.0 points, Elo 1231; easy 0.0 points, Elo 1169"
TABLE = [{"player": "easy", "points": 1.0, "elo": 1200}, {"player": "medium", "points": 1.0, "elo": 1200}]
MISTAKES = [
    {"game": 1, "move_number": 14, "player": "easy", "played": "c3-d4", "engine_best_move": "b2-c3", "lost_men": 1.5},
    {"game": 2, "move_number": 9, "player": "easy", "played": "g5-h4", "engine_best_move": "e3-f4", "lost_men": 1.0},
]
TRUTH = [
    {"tool": "standings", "args": {}, "result": {"table": TABLE}},
    {"tool": "find_mistakes", "args": {}, "result": {"biggest_mistakes": MISTAKES}},
]
WHOLE = """| player | points | Elo |
| --- | --- | --- |
| easy | 1.0 | 1200 |
| medium | 1.0 | 1200 |

- Game 1, move 14: easy played c3-d4; b2-c3 was best (1.5 men).
- Game 2, move 9: easy played g5-h4; e3-f4 was best (1.0 men).

In the earlier tournament medium had 2.0 points.
"""


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        ("", ""),
        ("| medium | 1.0 | 1200 |\n", ""),  # still named in the comparison
        ("- Game 2, move 9: easy played g5-h4; e3-f4 was best (1.0 men).\n", "biggest_mistakes"),
        ("In the earlier tournament medium had 2.0 points.\n", "does not compare with the earlier tournament"),
    ],
)
def test_report_is_complete_with_every_player_every_mistake_and_the_note(left_out, words):
    assert left_out in WHOLE
    lacks = scorer.missing_from_report(
        WHOLE.replace(left_out, "") if left_out else WHOLE, {"truth": TRUTH, "note": NOTE}
    )
    assert [words in text for text in lacks] == ([True] if words else [])


def test_report_without_a_player_is_not_complete():
    report = "Game 1: easy c3-d4, best b2-c3. Game 2: easy g5-h4, best e3-f4. See tournament 20250301-101500."
    lacks = scorer.missing_from_report(report, {"truth": TRUTH, "note": NOTE})
    assert len(lacks) == 1 and "player medium" in lacks[0]


def test_empty_report_is_not_complete():
    assert scorer.missing_from_report(" \n", {"truth": TRUTH, "note": NOTE}) == ["There was no report."]


def test_without_a_note_nothing_must_be_compared():
    report = WHOLE.replace("In the earlier tournament medium had 2.0 points.\n", "")
    assert scorer.missing_from_report(report, {"truth": TRUTH, "note": ""}) == []


@pytest.mark.parametrize(
    ("sentence", "compared"),
    [
        ("Tournament 20250301-101500 ended in the same way.", True),
        ("Last time, medium was ahead as well.", True),
        ("A previous note says that easy had no points.", True),
        ("Medium has more points than easy.", False),
        ("There is an earlier tournament.", False),  # nothing of it is said
    ],
)
def test_note_is_compared_by_its_id_or_by_a_player_at_an_earlier_time(sentence, compared):
    assert scorer.compares(sentence, NOTE) is compared


def test_run_whose_checks_pass_but_whose_report_lacks_the_note_does_not_pass(monkeypatch):
    monkeypatch.setattr("agentkit.Notebook.recall_tool", lambda self: draughts_tools.list_players)
    record = run_job(Job("pipeline", "standin", 1, StandInModel(0)))
    assert (record["checked"], record["complete"], record["passed"]) == (True, False, False)
    assert record["missing"] == ["The report does not compare with the earlier tournament of the note."]


def test_note_of_a_seed_is_a_possible_result_of_two_games():
    for seed in range(1, 30):
        identity, table = cases.earlier_tournament(seed)
        assert re.fullmatch(r"2025\d{4}-\d{6}", identity)  # before the evaluation's own tournaments
        assert sum(row["points"] for row in table) == 2 and sum(row["elo"] for row in table) == 2400


# ---- the codebase suite -----------------------------------------------------------------------------------

PORT = {"places": (("README.md", 5),)}


@pytest.mark.parametrize(
    ("answer", "complete"),
    [
        ("It listens on 4317 (README.md:5).", True),
        ("It listens on 4317 (README.md:4-6).", True),
        ("It listens on 4317 (README.md:7).", True),  # two lines on: the reader sees it
        ("It listens on 4317 (README.md:8).", False),
        ("It listens on 4317 (ferry/desk.py:5).", False),
        ("It listens on 4317.", False),
    ],
)
def test_answer_must_cite_a_line_that_holds_it(answer, complete):
    assert (scorer.missing_from_citations(answer, PORT) == []) is complete


def test_question_without_an_answer_must_be_told_so():
    assert scorer.missing_from_citations("Nothing was found on that.", {"places": ()}) == []
    assert scorer.missing_from_citations("It uses Kubernetes (README.md:1).", {"places": ()}) != []


@pytest.mark.parametrize("seed", range(1, len(questions.ASKED) + 1))
def test_known_places_are_lines_of_the_project_that_the_helper_can_show(seed, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    workspace = Workspace([questions.write_project(tmp_path / "project")])
    for file, line in questions.question_of(seed).places:
        (shown,) = workspace.read(file, line, 1)["lines"]
        assert shown.startswith(f"{line}: ") and "«" not in shown
    workspace.close()


def test_place_of_a_question_is_the_line_that_a_reader_would_point_at():
    assert questions.question_of(1).places == (("ferry/fares.py", 3),)
    assert questions.question_of(19).places == (("README.md", 5),)


# ---- the scorecard ----------------------------------------------------------------------------------------


def record(seed: int, passed: bool, suite: str = "pipeline", model: str = "m", **more) -> dict:
    row = {"outcome": "first", "steps": 4, "tool_calls": 3, "seconds": 1.5, "tokens_in": 100, "tokens_out": 10}
    rows = {name: {**row, "problems": []} for name in AGENTS[suite]}
    facts = {
        "suite": suite,
        "model": model,
        "seed": seed,
        "case": "",
        "passed": passed,
        "checked": passed,
        "complete": True,
    }
    counts = {
        "problems": [] if passed else ["These numbers did not come from any tool: 7."],
        "missing": [],
        "refused": [],
    }
    return {
        **facts,
        **counts,
        "agents": rows,
        "invented": 0,
        "caught": 0,
        "repaired": 0,
        "seconds": 4.0,
        "trace": None,
        **more,
    }


def card_of(*runs: dict) -> dict:
    models = {run["model"]: {} for run in runs}
    return scorecard.with_runs(
        scorecard.new_card({"models": models, "standin": False, "mistake_rate": 0.0}), list(runs)
    )


def test_each_agent_is_counted_by_how_its_answer_came_to_pass():
    runs = [record(1, True), record(2, False), record(3, False)]
    runs[1]["agents"]["director"] |= {"outcome": "retry", "steps": 6}
    runs[1]["agents"]["analyst"] |= {"outcome": "failed"}
    del runs[1]["agents"]["reporter"], runs[2]["agents"]["analyst"], runs[2]["agents"]["reporter"]
    agents = card_of(*runs)["summary"][0]["agents"]
    kept = ("passed_first", "passed_after_retry", "failed", "not_reached", "mean_steps")
    assert [[agents[name][key] for key in kept] for name in AGENTS["pipeline"]] == [
        [2, 1, 0, 0, pytest.approx(14 / 3, abs=1e-3)], [1, 0, 1, 1, 4], [1, 0, 0, 2, 4],
    ]  # fmt: skip


def test_share_stands_beside_the_published_interval_and_reasons_are_grouped():
    runs = [record(seed, seed > 1) for seed in range(1, 30)]  # 28 of 29: Newcombe 1998, table I, 1 of 29 mirrored
    summary = card_of(*runs)["summary"][0]
    assert summary["interval"] == [pytest.approx(1 - 0.1718, abs=1e-4), pytest.approx(1 - 0.0061, abs=1e-4)]
    assert summary["failed_because"] == {"These numbers did not come from any tool": 1}


def test_order_in_which_runs_were_done_leaves_no_mark():
    runs = [record(seed, seed % 2 == 0, suite) for seed in (1, 2, 3) for suite in ("study", "pipeline")]
    first, second = card_of(*runs), card_of(*reversed(runs))
    assert [first[key] for key in ("runs", "summary")] == [second[key] for key in ("runs", "summary")]


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        ("These files were not returned by any tool: a.py, b.py.", "These files were not returned by any tool"),
        ("The answer leaves out 2 of 3 in x: game 1; game 2.", "The answer leaves out N of N in x"),
        ("1216 does not belong to easy: for easy the tools say elo 1184.", "A fact stands beside the wrong name"),
        ("The report has 260 words; it must have fewer than 250.", "The report has N words; it must have fewer than N"),
        ("The run ended in no_evidence instead of completed.", "The run ended in no_evidence instead of completed"),
    ],
)
def test_problems_are_grouped_without_their_values(problem, kind):
    assert reasons.kind_of(problem) == kind


def test_picture_is_one_svg_that_says_what_it_shows_also_without_eyes():
    card = card_of(record(1, True, model="a<b&c"), record(2, False, model="a<b&c"))
    root = ElementTree.fromstring(picture.svg(card))
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == "Runs that passed and were complete: pipeline, a<b&c: 1 of 2"
    bars = root.findall(f"{space}rect")
    assert [float(bar.get("width")) for bar in bars] == [picture.BARS / 2]


def test_markdown_names_model_figures_reasons_and_failed_seeds():
    text = scorecard.markdown(card_of(record(1, True), record(2, False, trace="x-traces/pipeline-m-seed-2.jsonl")))
    assert "## pipeline: m" in text and "Passed and complete: 1 of 2 (9.5 to 90.5 %)" in text
    assert "- These numbers did not come from any tool (1)" in text
    assert "Failed seeds: 2 (x-traces/pipeline-m-seed-2.jsonl)." in text


# ---- two scorecards ---------------------------------------------------------------------------------------


def saved(path: Path, *passed: bool, model: str = "m") -> Path:
    scorecard.save(card_of(*(record(seed, good, model=model) for seed, good in enumerate(passed, 1))), path)
    return path


def test_difference_that_is_more_than_chance_is_said_so_and_a_worse_second_is_exit_1(tmp_path, capsys):
    a = saved(tmp_path / "a.json", *[True] * 8)
    b = saved(tmp_path / "b.json", *[False] * 6, True, True, model="n")
    assert run_eval.main(["--compare", str(a), str(b)]) == 1
    told = capsys.readouterr().out
    assert "both passed 2, only a.json 6, only b.json 0, neither 0" in told
    assert "The difference is more than chance (p = 0.0312): a.json passes more often." in told  # 2 / 64
    assert run_eval.main(["--compare", str(b), str(a)]) == 0


def test_difference_within_chance_is_said_so(tmp_path, capsys):
    a = saved(tmp_path / "a.json", *[True] * 8)
    b = saved(tmp_path / "b.json", *[False] * 5, *[True] * 3)
    assert run_eval.main(["--compare", str(a), str(b), "--json"]) == 0
    (compared,) = json.loads(capsys.readouterr().out)["compared"]
    assert compared["p"] == 0.0625  # 2 / 32
    assert compared["verdict"].startswith("The difference is not more than chance (p = 0.0625)")
    assert compared["ratios"]["seconds"] == [1, 1, 1]


def test_runs_are_paired_by_seed_and_those_without_a_partner_left_out():
    first, second = (
        card_of(*(record(seed, True) for seed in (1, 2, 3))),
        card_of(*(record(seed, seed < 3) for seed in (2, 3, 4))),
    )
    (compared,) = compare_cards.compare(first, second)
    assert [compared[key] for key in ("n", "both", "only_first", "left_out")] == [2, 1, 1, 2]


def test_several_models_are_compared_with_those_of_the_same_name():
    runs = [record(1, True, model=name) for name in "ab"]
    assert [one["first"] for one in compare_cards.compare(card_of(*runs), card_of(*runs))] == ["a", "b"]


def test_cards_with_nothing_in_common_and_files_that_are_no_card_are_refused(tmp_path, capsys):
    a = saved(tmp_path / "a.json", True)
    scorecard.save(card_of(record(9, True)), tmp_path / "b.json")
    (tmp_path / "c.json").write_text("[]", encoding="utf-8")
    for other, words in (
        ("b.json", "share no suite and seed"),
        ("c.json", "no scorecard"),
        ("d.json", "There is no file"),
    ):
        assert run_eval.main(["--compare", str(a), str(tmp_path / other)]) == 2
        assert words in capsys.readouterr().err


# ---- the whole --------------------------------------------------------------------------------------------


def test_the_traces_of_runs_that_passed_are_kept_on_request_and_not_told_as_failures(tmp_path, capsys):
    out = tmp_path / "card.json"
    evaluate(capsys, "--standin", "--suite", "study", "--runs", 2, "--keep-traces", "--out", out)
    names = [f"card-traces/study-standin-seed-{seed}.jsonl" for seed in (1, 2)]
    assert [run["trace"] for run in scorecard.read_card(out)["runs"]] == names
    assert all((tmp_path / name).exists() for name in names)
    assert "Failed seeds" not in out.with_suffix(".md").read_text(encoding="utf-8")


def test_out_keeps_the_scorecard_as_json_markdown_and_picture(tmp_path, capsys):
    out = tmp_path / "kept" / "card.json"
    printed = evaluate(capsys, "--standin", "--runs", 2, "--out", out)
    assert json.loads(out.read_text(encoding="utf-8")) == printed
    assert out.with_suffix(".md").read_text(encoding="utf-8") == scorecard.markdown(printed)
    assert ElementTree.parse(out.with_suffix(".svg")).getroot().tag.endswith("svg")


def test_trace_of_a_failure_is_kept_beside_the_scorecard_and_named_in_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(StandInModel, "chat", lambda self, messages, tools: {"content": "I apologise."})
    out = tmp_path / "card.json"
    card = evaluate(capsys, "--standin", "--runs", 2, "--out", out)
    named = [one["trace"] for one in card["summary"][0]["failures"]]
    assert named == ["card-traces/pipeline-standin-seed-1.jsonl", "card-traces/pipeline-standin-seed-2.jsonl"]
    assert "I apologise." in (tmp_path / named[0]).read_text(encoding="utf-8")
    assert card["summary"][0]["agents"]["analyst"]["not_reached"] == 2


def test_interrupted_evaluation_goes_on_to_the_same_scorecard(tmp_path, capsys, monkeypatch):
    whole = evaluate(capsys, "--standin", "--mistake-rate", 0.5, "--runs", 4)
    done, original = [], evaluation.run_job

    def interrupted(job):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(job.seed)
        return original(job)

    command = ["--standin", "--mistake-rate", 0.5, "--runs", 4, "--out", tmp_path / "card.json"]
    monkeypatch.setattr(evaluation, "run_job", interrupted)
    assert run_eval.main([*map(str, command)]) == 130
    assert "go on with the same command and --resume" in capsys.readouterr().err
    assert [run["seed"] for run in scorecard.read_card(tmp_path / "card.json")["runs"]] == [1, 2]
    monkeypatch.setattr(evaluation, "run_job", lambda job: done.append(job.seed) or original(job))
    assert without_times(evaluate(capsys, *command, "--resume")) == without_times(whole)
    assert done == [1, 2, 3, 4]


def test_scorecard_of_other_settings_is_not_gone_on_with(tmp_path, capsys):
    out = ["--out", str(tmp_path / "card.json")]
    assert run_eval.main(["--standin", "--runs", "1", *out]) == 0
    assert run_eval.main(["--standin", "--runs", "2", "--mistake-rate", "0.5", "--resume", *out]) == 2
    assert "was made with mistake_rate 0.0" in capsys.readouterr().err
    assert run_eval.main(["--standin", "--runs", "2", *out]) == 2
    assert "is there already: add --resume" in capsys.readouterr().err


def test_suite_all_runs_every_suite_for_every_seed(capsys):
    card = evaluate(capsys, "--suite", "all", "--standin", "--runs", 2, "--seed", 5)
    assert [(one["suite"], one["n"]) for one in card["summary"]] == [(suite, 2) for suite in SUITES]
    assert {run["seed"] for run in card["runs"]} == {5, 6}


def test_mistake_rate_of_the_environment_counts_unless_one_is_given(capsys, monkeypatch):
    monkeypatch.setenv("MISTAKE_RATE", "1")
    assert evaluate(capsys, "--standin", "--runs", 1)["summary"][0]["invented"] == 3
    assert evaluate(capsys, "--standin", "--runs", 1, "--mistake-rate", 0)["summary"][0]["invented"] == 0


def test_models_are_asked_by_name_each_with_the_seed_of_its_run(monkeypatch):
    options = run_eval._parser().parse_args(["--models", "a", "b", "--runs", "2"])
    options.suites = ["pipeline"]
    jobs = list(evaluation._jobs(options, evaluation._settings(options)))
    assert [(job.name, job.seed, job.model.model, job.model.seed) for job in jobs] == [
        ("a", 1, "a", 1), ("b", 1, "b", 1), ("a", 2, "a", 2), ("b", 2, "b", 2),
    ]  # fmt: skip
    monkeypatch.setenv("AGENT_SEED", "42")
    assert {job.model.seed for job in evaluation._jobs(options, evaluation._settings(options))} == {42}


def test_table_shows_a_row_for_each_agent_and_progress_says_the_time_left(capsys):
    assert run_eval.main(["--standin", "--runs", "1"]) == 0
    output = capsys.readouterr()
    rows = [line.split()[0] for line in output.out.splitlines()]
    assert rows == ["pipeline:", "Passed", "agent", *AGENTS["pipeline"]]
    assert output.err == "1 of 1: pipeline, standin, seed 1: passed (0 s left)\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--standin", "--mistake-rate", "2"], "from 0 to 1, not '2'"),
        (["--standin", "--mistake-rate", "nan"], "from 0 to 1, not 'nan'"),
        (["--runs", "0"], "from 1, not '0'"),
        (["--runs", "x"], "from 1, not 'x'"),
        (["--suite", "chess"], "invalid choice: 'chess'"),
        (["--workers", "0"], "from 1, not '0'"),
        (["--workers", "2", "--dask", "tcp://127.0.0.1:1"], "not allowed with"),
    ],
)
def test_arguments_that_cannot_be_are_refused(capsys, arguments, words):
    with pytest.raises(SystemExit, match="2"):
        run_eval.main(arguments)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mistake-rate", "0.1"], "add --standin"),
        (["--standin", "--suite", "study", "--mistake-rate", "0.1"], "for the suites pipeline, manager, not study"),
        (["--standin", "--models", "a"], "leave one out"),
        (["--models", "a", "a"], "names a model twice"),
        (["--standin", "--resume"], "--resume needs --out"),
        (["--standin", "--out", "card.txt"], "must end in .json, not 'card.txt'"),
        (["--standin", "--runs", "2", "--seed", "1000000"], "Seeds are 1 to 1000000"),
    ],
)
def test_arguments_that_make_no_sense_together_are_exit_2(capsys, arguments, words):
    assert run_eval.main(arguments) == 2
    assert words in capsys.readouterr().err


def test_engine_that_cannot_be_used_is_exit_2(capsys, monkeypatch):
    def missing(request, timeout=900):
        raise draughts_tools.EngineError("Node was not found.")

    monkeypatch.setattr(draughts_tools, "arena", missing)
    assert run_eval.main(["--standin"]) == 2
    assert capsys.readouterr().err == "Node was not found.\n"
    assert run_eval.main(["--standin", "--suite", "study", "--runs", "1"]) == 0  # which needs no engine


def test_model_that_cannot_be_reached_is_exit_2_and_keeps_what_was_done(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(StandInModel, "chat", fails_with(ModelUnreachable("Nobody answers.")).chat)
    assert run_eval.main(["--standin", "--suite", "all", "--runs", "1", "--out", str(tmp_path / "a.json")]) == 2
    assert "Nobody answers." in capsys.readouterr().err


def test_program_runs_as_a_file_from_any_folder_and_its_help_ends_with_an_example(tmp_path):
    command = [sys.executable, str(ROOT / "eval" / "run_eval.py"), "--help"]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=tmp_path, env={**os.environ, "COLUMNS": "200"}
    )
    assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith("Example: python eval/run_eval.py")


def test_attempt_of_a_suite_is_judged_by_that_suites_rules():
    assert set(scorer.MISSING) == set(SUITES) == set(AGENTS)
    attempt = Attempt("", {"truth": [], "note": ""}, "")
    assert scorer.missing_from("pipeline", attempt) == ["There was no report."]


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
