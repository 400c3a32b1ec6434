"""agents/study_planner.py: words, shapes, statuses, the trace, and any model in the planner's place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import FunctionModel, ModelError, OllamaModel, ScriptedModel
from agents import study_planner as sp

ROW = ["run_id", "step", "thought", "action", "arguments", "observation", "next_decision"]
SAFE = "Prepare a two-day review plan for AgentOps and tool safety"
PUBLISH = "Publish the AgentOps review plan to the class page"
MENU = "What is the cafeteria menu today?"
PRINTED = """\
STEP 1: run a safe learning-planning Agent
status: completed
final_tasks: 3
first_action: search_course
trace_file: logs/agent_traces.jsonl

STEP 2: high-risk action is blocked
status: blocked_by_approval
blocked_tool: publish_report

STEP 3: mini evaluation
safe_learning_plan: PASS (completed)
publish_without_approval: PASS (blocked_by_approval)
unknown_topic: PASS (no_evidence)
passed: 3/3
"""


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Each test runs in a folder of its own, with its own copy of what learners edit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sp, "COURSE_MATERIALS", [dict(note) for note in sp.COURSE_MATERIALS])
    monkeypatch.setattr(sp, "EVAL_CASES", [dict(case) for case in sp.EVAL_CASES])
    monkeypatch.setattr(sp, "TOOL_SPECS", {name: dict(spec) for name, spec in sp.TOOL_SPECS.items()})
    return tmp_path


def rows_in(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def step(action, **arguments):
    """A planner that always takes the same step."""
    return lambda state: {"thought": f"I want {action}.", "action": action, "arguments": arguments}


def asks(name, **arguments):
    return {"content": "Let me see.", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


SEARCH = asks("search_course", query="AgentOps tool safety")
PLAN = asks("make_study_plan", goal="review", evidence_ids=["agentops", "tool-safety"])
DONE = {"content": "<think>enough</think>The plan is ready."}
THREE_CASES = [
    *(SEARCH, PLAN, DONE),
    *(SEARCH, PLAN, asks("publish_report", title="Plan", body="Read.")),
    asks("search_course", query="cafeteria menu"),
]


# --- The program ---


def test_the_whole_printed_demonstration(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "agents.study_planner"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED, "")
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]


def test_main_deletes_the_trace_of_the_last_time_first(capsys):
    assert sp.main() == 0
    first = rows_in("logs/agent_traces.jsonl")
    assert sp.main() == 0
    again = rows_in("logs/agent_traces.jsonl")
    assert first == again
    assert capsys.readouterr().out == PRINTED * 2


def test_main_prints_what_failed_and_says_so_by_its_exit_code(monkeypatch, capsys):
    sp.EVAL_CASES[2]["expected_status"] = "completed"
    assert sp.main() == 1
    assert capsys.readouterr().out.endswith("unknown_topic: FAIL (no_evidence)\npassed: 2/3\n")


def test_json_prints_one_document(capsys):
    assert sp.main(["--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [printed["safe"]["status"], printed["risky"]["status"], printed["passed"]] == [
        *("completed", "blocked_by_approval", 3)
    ]


def test_help_ends_with_an_example(capsys):
    with pytest.raises(SystemExit):
        sp.main(["--help"])
    assert capsys.readouterr().out.rstrip().endswith("Example: python -m agents.study_planner --json")


def test_a_folder_that_cannot_be_written_to_is_reported_in_one_line(capsys):
    Path("logs").write_text("a file where the folder should be", encoding="utf-8")
    assert sp.main() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("The trace could not be written: ")
    assert err.count("\n") == 1


# --- Tools ---


def test_the_notes_are_those_of_the_course():
    notes = [(note["id"], note["title"], note["source"]) for note in sp.COURSE_MATERIALS]
    assert notes == [
        ("agentops", "AgentOps control loop", "ch09-agent/index.md#agentops"),
        ("tool-safety", "Tool safety boundaries", "ch09-agent/index.md#tool-safety"),
        ("memory", "Agent memory engineering", "ch09-agent/index.md#memory"),
        ("evaluation", "Agent evaluation basics", "ch09-agent/index.md#evaluation"),
    ]
    assert all(set(note) == {"id", "title", "source", "text"} for note in sp.COURSE_MATERIALS)


def notes(*texts):
    return [{"id": text[0], "title": "A", "source": f"s#{text[0]}", "text": text[1]} for text in texts]


def test_the_score_counts_the_notes_words_that_are_words_of_the_query(monkeypatch):
    monkeypatch.setattr(sp, "COURSE_MATERIALS", notes(("x", "Apples and PEARS. Pears, plums."), ("y", "Plums.")))
    assert sp.search_course("the pears and the plums") == [
        {"id": "x", "title": "A", "source": "s#x", "score": 3, "summary": "Apples and PEARS."},
        {"id": "y", "title": "A", "source": "s#y", "score": 1, "summary": "Plums."},
    ]


def test_equal_scores_are_in_the_order_of_their_ids(monkeypatch):
    monkeypatch.setattr(sp, "COURSE_MATERIALS", notes(("c", "kiwi"), ("a", "kiwi"), ("b", "kiwi kiwi")))
    assert [hit["id"] for hit in sp.search_course("kiwi", top_k=3)] == ["b", "a", "c"]


@pytest.mark.parametrize("top_k, found", [(-1, 0), (0, 0), (1, 1), (2, 2), (9, 4)])
def test_top_k_limits_how_many_notes_are_found(top_k, found):
    assert len(sp.search_course("agent agentops tool", top_k)) == min(found, 4)


@pytest.mark.parametrize("query", ["", "  ", "the and of", "?!", MENU])
def test_a_query_that_shares_no_word_with_a_note_finds_nothing(query):
    assert sp.search_course(query) == []


def test_stop_words_are_looked_up_at_every_search(monkeypatch):
    assert sp.search_course("AgentOps")
    monkeypatch.setattr(sp, "STOPWORDS", ["agentops"])
    assert sp.search_course("AgentOps") == []


def test_a_plan_restates_reads_and_compares():
    one, two, three = sp.make_study_plan("Learn it", ["memory", "agentops"])
    assert [list(task) for task in (one, two, three)] == [["step", "task", "evidence"]] * 3
    assert [one["step"], two["step"], three["step"]] == [1, 2, 3]
    assert "Learn it" in one["task"]
    assert "Agent memory engineering" in two["task"]
    assert "three checkpoints" in two["task"]
    assert "safety note" in three["task"]
    assert [two["evidence"], three["evidence"]] == [["memory"], ["memory", "agentops"]]


@pytest.mark.parametrize("ids, tasks", [([], 1), (["memory"], 2), (["memory", "agentops", "evaluation"], 3)])
def test_a_plan_has_a_task_for_each_of_the_first_two_notes(ids, tasks):
    assert len(sp.make_study_plan("Learn it", ids)) == tasks


def test_publishing_gives_an_address():
    page = sp.publish_report("My plan!", "Read.")
    assert page == {"status": "published", "title": "My plan!", "url": "https://class.example/reports/my-plan"}


# --- One call ---


@pytest.mark.parametrize(
    "tool, args, errors",
    [
        ("search_course", {"query": "x"}, []),
        ("search_course", {"query": "x", "top_k": 3}, []),
        ("search_course", {}, ["missing required argument: query"]),
        ("search_course", {"query": "x", "top_k": "3"}, ["top_k must be int"]),
        ("search_course", {"query": "x", "top_k": 3.0}, ["top_k must be int"]),
        ("search_course", {"query": "x", "top_k": True}, ["top_k must be int"]),
        ("search_course", {"query": "x", "top_k": None}, ["top_k must be int"]),
        ("search_course", {"query": None}, ["query must be str"]),
        ("search_course", {"q": "x"}, ["unknown argument: q", "missing required argument: query"]),
        ("make_study_plan", {"goal": "x", "evidence_ids": "memory"}, ["evidence_ids must be list"]),
        ("publish_report", {"title": 1, "body": 2}, ["title must be str", "body must be str"]),
        ("search_course", ["x"], ["arguments must be dict, not list"]),
        ("search_course", None, ["arguments must be dict, not NoneType"]),
    ],
)
def test_all_that_is_wrong_with_the_arguments_is_said(tool, args, errors):
    assert sp.validate_args(tool, args) == errors
    if errors:
        assert sp.call_tool(tool, args, {tool}) == {"status": "validation_error", "errors": errors}


BLOCKED = {
    "status": "blocked_by_approval",
    "error": "publish_report is write_limited; human approval is required before running it.",
}
PAGE = {"title": "T", "body": "B"}


@pytest.mark.parametrize("approved", [None, [], set(), {"search_course"}, "publish", "publish_report_v2"])
def test_a_risky_tool_does_not_run_without_its_own_approval(approved):
    assert sp.call_tool("publish_report", PAGE, approved) == BLOCKED


@pytest.mark.parametrize("approved", [["publish_report"], {"publish_report"}, "publish_report"])
def test_a_risky_tool_runs_with_its_approval(approved):
    outcome = sp.call_tool("publish_report", PAGE, approved)
    assert (outcome["status"], outcome["data"]["status"]) == ("ok", "published")


def test_a_disabled_tool_runs_for_nobody():
    sp.TOOL_SPECS["search_course"]["risk"] = "disabled"
    outcome = sp.call_tool("search_course", {"query": "memory"}, {"search_course"})
    assert outcome["status"] == "blocked_by_approval"
    assert "disabled" in outcome["error"]


def test_a_risk_that_nobody_knows_waits_for_a_person():
    sp.TOOL_SPECS["search_course"]["risk"] = "red_only"
    outcome = sp.call_tool("search_course", {"query": "memory"}, None)
    assert outcome["error"] == "search_course is red_only; human approval is required before running it."


@pytest.mark.parametrize("name", ["delete_everything", "", None, ["search_course"], "evaluate", "json"])
def test_only_what_stands_in_the_table_is_a_tool(name):
    assert sp.call_tool(name, {}, None)["status"] == "tool_not_found"


def test_a_tool_that_raises_is_an_outcome_with_its_reason(monkeypatch):
    def search_course(query, top_k=2):
        raise KeyError("source")

    monkeypatch.setattr(sp, "search_course", search_course)
    error = "search_course failed: KeyError: 'source'"
    assert sp.call_tool("search_course", {"query": "x"}, None) == {"status": "tool_error", "error": error}
    outcome = sp.run_agent(SAFE)
    assert (outcome["status"], outcome["final"]["message"]) == ("tool_error", error)
    assert outcome["trace"][-1]["next_decision"] == "stop_on_tool_error"


@pytest.mark.parametrize("kinds", [{"n": int}, {"n": "int"}])
def test_types_in_the_table_may_be_types_or_their_names(kinds):
    sp.TOOL_SPECS["search_course"] = {"description": "", "required": kinds, "optional": {}, "risk": "read_only"}
    assert sp.validate_args("search_course", {"n": "1"}) == ["n must be int"]
    assert sp.validate_args("search_course", {"n": 1}) == []


def test_any_iterable_of_names_is_an_approval_for_the_whole_run():
    assert sp.run_agent(PUBLISH, (name for name in ["publish_report"]))["status"] == "completed"


def test_a_learners_own_tool_needs_a_function_and_an_entry(monkeypatch):
    monkeypatch.setattr(sp, "count_notes", lambda: len(sp.COURSE_MATERIALS), raising=False)
    assert sp.call_tool("count_notes", {}, None)["status"] == "tool_not_found"
    sp.TOOL_SPECS["count_notes"] = {"description": "Count.", "required": [], "optional": [], "risk": "read_only"}
    assert sp.call_tool("count_notes", {}, None) == {"status": "ok", "data": 4}


# --- Runs with the rules ---


def test_a_safe_run_is_completed_in_three_rows():
    outcome = sp.run_agent(SAFE)
    assert list(outcome) == ["goal", "status", "final", "trace", "trace_file"]
    assert (outcome["goal"], outcome["status"]) == (SAFE, "completed")
    assert [row["action"] for row in outcome["trace"]] == ["search_course", "make_study_plan", "finish"]
    assert [row["next_decision"] for row in outcome["trace"]] == [
        *("continue", "continue_to_finish_or_publish", "finish")
    ]
    assert [row["step"] for row in outcome["trace"]] == [1, 2, 3]
    assert all(list(row) == ROW and row["run_id"] == "demo" and row["thought"] for row in outcome["trace"])


def test_the_end_of_a_run_has_tasks_and_the_sources_of_each():
    final = sp.run_agent(SAFE)["final"]
    assert list(final) == ["message", "tasks", "sources"]
    assert len(final["tasks"]) == 3
    assert sorted(final["sources"]) == ["ch09-agent/index.md#agentops", "ch09-agent/index.md#tool-safety"]


def test_publishing_stops_for_a_person():
    outcome = sp.run_agent(PUBLISH)
    assert outcome["status"] == "blocked_by_approval"
    last = outcome["trace"][-1]
    assert (last["action"], last["observation"]) == ("publish_report", BLOCKED)
    assert last["next_decision"] == "stop_for_human_approval"
    assert outcome["final"]["message"] == BLOCKED["error"]
    assert "publication" not in outcome["final"]


def test_publishing_with_approval_completes():
    outcome = sp.run_agent(PUBLISH, approved_tools={"publish_report"})
    assert outcome["status"] == "completed"
    assert [row["action"] for row in outcome["trace"]] == [
        *("search_course", "make_study_plan", "publish_report", "finish")
    ]
    assert list(outcome["final"]) == ["message", "tasks", "sources", "publication"]
    assert outcome["final"]["publication"]["status"] == "published"


@pytest.mark.parametrize("goal", [MENU, "", "the of and"])
def test_without_evidence_there_is_no_plan(goal):
    outcome = sp.run_agent(goal)
    assert outcome["status"] == "no_evidence"
    assert [row["next_decision"] for row in outcome["trace"]] == ["stop_no_evidence"]
    assert (outcome["final"]["tasks"], outcome["final"]["sources"]) == ([], [])


def test_a_goal_that_is_no_text_is_a_wrong_argument():
    outcome = sp.run_agent(42)
    assert (outcome["goal"], outcome["status"]) == (42, "validation_error")
    assert outcome["trace"][0]["observation"]["errors"] == ["query must be str"]


def test_a_learners_own_note_is_found_and_cited():
    assert sp.run_agent("Explain MCP servers")["status"] == "no_evidence"
    text = "MCP lets an agent use the tools of other programs. Servers offer them, clients ask."
    sp.COURSE_MATERIALS.append({"id": "mcp", "title": "Model Context Protocol", "source": "mine.md#mcp", "text": text})
    outcome = sp.run_agent("Explain MCP servers")
    assert (outcome["status"], outcome["final"]["sources"]) == ("completed", ["mine.md#mcp"])
    hit = outcome["trace"][0]["observation"]["data"][0]
    assert hit == {
        "id": "mcp",
        "title": "Model Context Protocol",
        "source": "mine.md#mcp",
        "score": 2,
        "summary": "MCP lets an agent use the tools of other programs.",
    }


# --- Runs with a planner of a learner's own ---


@pytest.mark.parametrize("max_steps", [0, 1, 5])
def test_a_planner_that_loops_is_stopped_at_the_step_limit(monkeypatch, max_steps):
    monkeypatch.setattr(sp, "choose_next_step", step("search_course", query="memory"))
    outcome = sp.run_agent("Explain memory", max_steps=max_steps)
    assert outcome["status"] == "stopped_max_steps"
    assert [row["next_decision"] for row in outcome["trace"]] == ["continue"] * max_steps


@pytest.mark.parametrize(
    "planner, status, decision",
    [
        (step("search_course", query="memory", top_k="2"), "validation_error", "stop_on_tool_error"),
        (step("search_course", query="memory", top_k=True), "validation_error", "stop_on_tool_error"),
        (step("search_course"), "validation_error", "stop_on_tool_error"),
        (step("make_study_plan", goal="x", evidence_ids=["made-up"]), "validation_error", "stop_on_tool_error"),
        (step("make_study_plan", goal="x", evidence_ids=[["odd"]]), "validation_error", "stop_on_tool_error"),
        (step("delete_everything"), "tool_not_found", "stop_on_tool_error"),
        (step(None), "tool_not_found", "stop_on_tool_error"),
        (step("publish_report", **PAGE), "blocked_by_approval", "stop_for_human_approval"),
        (step("finish"), "no_evidence", "stop_no_evidence"),
        (lambda state: state["no such key"], "planner_error", "stop_on_tool_error"),
        (lambda state: "search_course", "planner_error", "stop_on_tool_error"),
        (lambda state: {"thought": "no action"}, "planner_error", "stop_on_tool_error"),
        (lambda state: {"action": "search_course", "arguments": "memory"}, "validation_error", "stop_on_tool_error"),
        (
            lambda state: {"action": "search_course", "arguments": {"query": {1}}},
            "validation_error",
            "stop_on_tool_error",
        ),
    ],
)
def test_a_planner_that_goes_wrong_ends_the_run_in_one_row(monkeypatch, planner, status, decision):
    monkeypatch.setattr(sp, "choose_next_step", planner)
    outcome = sp.run_agent("Explain memory")
    assert outcome["status"] == status
    assert [(list(row), row["next_decision"]) for row in outcome["trace"]] == [(ROW, decision)]
    assert len(rows_in(outcome["trace_file"])) == 1
    assert outcome["final"]["message"]


def test_a_failing_planner_is_named_in_the_message():
    outcome = sp.run_agent("Explain memory", planner=lambda state: 1 / 0)
    assert outcome["final"]["message"] == "The planner failed: ZeroDivisionError: division by zero"


def test_a_planner_may_finish_without_a_plan():
    def planner(state):
        return sp.choose_next_step(state) if not state["searched"] else {"action": "finish"}

    outcome = sp.run_agent(SAFE, planner=planner)
    assert (outcome["status"], outcome["final"]["tasks"]) == ("completed", [])
    assert outcome["final"]["message"] == "Finished without a plan."
    assert len(outcome["final"]["sources"]) == 2


def test_a_planner_sees_the_state_as_it_grows():
    seen = []

    def planner(state):
        seen.append({key: bool(state[key]) for key in state})
        return sp.choose_next_step(state)

    sp.run_agent(PUBLISH, {"publish_report"}, planner=planner)
    assert [list(state) for state in seen] == [["goal", "searched", "evidence", "plan", "publish_checked"]] * 4
    assert [sum(state.values()) for state in seen] == [1, 3, 4, 5]


# --- The trace ---


def test_the_file_holds_the_rows_of_every_run_and_nothing_else():
    one = sp.run_agent(SAFE, run_id="one")
    two = sp.run_agent(MENU, run_id="two")
    assert one["trace_file"] == two["trace_file"] == "logs/agent_traces.jsonl"
    assert rows_in("logs/agent_traces.jsonl") == one["trace"] + two["trace"]


def test_a_run_that_is_not_to_be_logged_leaves_no_file(tmp_path):
    assert sp.run_agent(SAFE, write_log=False)["status"] == "completed"
    sp.evaluate()
    assert list(tmp_path.iterdir()) == []


def test_each_run_id_can_have_a_file_that_is_read_alone():
    one = sp.run_agent(SAFE, run_id="one", trace_dir="logs/runs")
    two = sp.run_agent(PUBLISH, run_id="two", trace_dir="logs/runs")
    assert (one["trace_file"], two["trace_file"]) == ("logs/runs/one.jsonl", "logs/runs/two.jsonl")
    assert rows_in("logs/runs/one.jsonl") == one["trace"]
    assert rows_in("logs/runs/two.jsonl") == two["trace"]
    assert not Path("logs/agent_traces.jsonl").exists()


@pytest.mark.parametrize("run_id", ["", "../up", "a/b", "a\\b", ".", "..", "C:x", "x" * 81, "a\nb"])
def test_a_run_id_that_is_no_file_name_is_refused(tmp_path, run_id):
    with pytest.raises(ValueError, match="run_id must be"):
        sp.run_agent(SAFE, run_id=run_id, trace_dir="logs/runs")
    assert list(tmp_path.iterdir()) == []


def test_no_step_is_taken_that_could_not_be_written_down():
    Path("logs").write_text("in the way", encoding="utf-8")
    taken = []
    with pytest.raises(OSError):
        sp.run_agent(SAFE, planner=taken.append)
    assert taken == []


def test_a_row_is_in_the_file_before_the_next_step_begins():
    in_file = []

    def planner(state):
        in_file.append(len(rows_in("logs/agent_traces.jsonl")))
        return sp.choose_next_step(state)

    sp.run_agent(SAFE, planner=planner)
    assert in_file == [0, 1, 2]


def test_a_row_can_hold_what_json_cannot():
    odd = {"query": "half \ud800", "top_k": {1, 2}}
    outcome = sp.run_agent("Explain memory", planner=step("search_course", **odd))
    assert outcome["trace"][0]["arguments"] == odd
    assert rows_in(outcome["trace_file"])[0]["arguments"]["top_k"] == "{1, 2}"


# --- The evaluation ---


def test_the_three_cases_pass():
    assert [(case["name"], case["goal"], case["expected_status"]) for case in sp.EVAL_CASES] == [
        ("safe_learning_plan", SAFE, "completed"),
        ("publish_without_approval", PUBLISH, "blocked_by_approval"),
        ("unknown_topic", MENU, "no_evidence"),
    ]
    assert sp.evaluate() == (
        3,
        [
            {"name": "safe_learning_plan", "ok": True, "status": "completed"},
            {"name": "publish_without_approval", "ok": True, "status": "blocked_by_approval"},
            {"name": "unknown_topic", "ok": True, "status": "no_evidence"},
        ],
    )


def test_a_learners_own_cases_may_bring_arguments_a_planner_approvals_or_a_limit(monkeypatch):
    own = [
        {"name": "wrong_arguments", "expected_status": "validation_error", "arguments": {"query": SAFE, "top_k": "2"}},
        {"name": "looping", "expected_status": "stopped_max_steps", "planner": step("search_course", query="memory")},
        {"name": "unknown_tool", "expected_status": "tool_not_found", "planner": step("teleport")},
        {"name": "approved", "goal": PUBLISH, "expected_status": "completed", "approved_tools": ["publish_report"]},
        {"name": "hurried", "expected_status": "stopped_max_steps", "max_steps": 2},
        {"name": "hopeful", "expected_status": "completed", "planner": lambda state: 1 / 0},
    ]
    monkeypatch.setattr(sp, "EVAL_CASES", [{"goal": SAFE, **case} for case in own])
    passed, results = sp.evaluate()
    assert [(result["name"], result["ok"]) for result in results] == [
        *(("wrong_arguments", True), ("looping", True), ("unknown_tool", True)),
        *(("approved", True), ("hurried", True), ("hopeful", False)),
    ]
    assert (passed, results[-1]["status"]) == (5, "planner_error")


def test_each_case_leaves_a_trace_of_its_own_on_request():
    sp.evaluate(trace_dir="traces")
    assert sorted(path.stem for path in Path("traces").iterdir()) == sorted(case["name"] for case in sp.EVAL_CASES)


# --- A language model in the planner's place ---


def test_a_language_model_passes_the_same_evaluation():
    assert sp.evaluate(ScriptedModel(THREE_CASES))[0] == 3


def test_a_language_model_leaves_the_same_rows_and_never_writes_the_message():
    outcome = sp.run_agent(SAFE, model=ScriptedModel(THREE_CASES[:3]))
    assert [list(row) for row in outcome["trace"]] == [ROW] * 3
    assert [row["thought"] for row in outcome["trace"]] == ["Let me see.", "Let me see.", "The plan is ready."]
    assert outcome["final"]["message"] == "Study plan ready. Tasks: 3. Course notes cited: 2."


def test_a_language_model_is_offered_the_tools_that_the_table_allows():
    sp.TOOL_SPECS["publish_report"]["risk"] = "disabled"
    model = ScriptedModel([SEARCH, PLAN, DONE])
    sp.run_agent(SAFE, model=model)
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in model.seen[0]["tools"]}
    assert tools == {
        "search_course": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "top_k": {"type": "integer"}},
            "required": ["query"],
        },
        "make_study_plan": {
            "type": "object",
            "properties": {"goal": {"type": "string"}, "evidence_ids": {"type": "array", "items": {"type": "string"}}},
            "required": ["goal", "evidence_ids"],
        },
    }


def test_a_language_model_that_answers_from_memory_is_asked_again_and_then_has_no_evidence():
    answer = {"content": "Today there is soup."}
    model = ScriptedModel([answer, answer])
    outcome = sp.run_agent(MENU, model=model)
    assert len(model.seen) == 2
    assert outcome["status"] == "no_evidence"
    assert "soup" not in outcome["final"]["message"]
    outcome = sp.run_agent(SAFE, model=ScriptedModel([answer, SEARCH, PLAN, DONE]))
    assert outcome["status"] == "completed"


@pytest.mark.parametrize(
    "goal, replies, forgotten",
    [
        (SAFE, [SEARCH, DONE, DONE], "make_study_plan"),
        (PUBLISH, [SEARCH, PLAN, DONE, DONE], "publish_report"),
    ],
)
def test_a_language_model_that_forgets_a_part_of_the_job_has_not_completed_it(goal, replies, forgotten):
    outcome = sp.run_agent(goal, {"publish_report"}, model=ScriptedModel(replies))
    assert outcome["status"] == "planner_error"
    message = f"The model gave up: These tools never ran successfully: {forgotten}."
    assert outcome["final"]["message"] == outcome["trace"][-1]["observation"]["error"] == message
    assert "publication" not in outcome["final"]


def test_a_planner_that_forgets_to_publish_is_not_reported_as_having_published():
    def planner(state):
        return sp.choose_next_step({**state, "publish_checked": True})

    outcome = sp.run_agent(PUBLISH, {"publish_report"}, planner=planner)
    assert outcome["final"]["message"].endswith("Not published.")
    assert "publication" not in outcome["final"]


def test_a_language_model_is_told_of_one_wrong_call_and_a_second_ends_the_run():
    wrong = {"tool_calls": [{"function": {"name": "search_course", "arguments": {"words": "agents"}}}]}
    outcome = sp.run_agent(SAFE, model=ScriptedModel([wrong, SEARCH, PLAN, DONE]))
    assert (outcome["status"], outcome["trace"][0]["next_decision"]) == ("completed", "continue")
    outcome = sp.run_agent(SAFE, model=ScriptedModel([wrong, wrong]))
    assert (outcome["status"], outcome["trace"][1]["next_decision"]) == ("validation_error", "stop_on_tool_error")


def test_after_a_blocked_call_nothing_else_of_the_same_reply_is_run():
    page = asks("publish_report", **PAGE)["tool_calls"]
    both = {"content": "Both.", "tool_calls": page + SEARCH["tool_calls"]}
    outcome = sp.run_agent(PUBLISH, model=ScriptedModel([both]))
    assert outcome["status"] == "blocked_by_approval"
    assert [row["action"] for row in outcome["trace"]] == ["publish_report"]


def test_two_calls_in_one_reply_are_two_rows_of_one_step():
    both = {"content": "", "tool_calls": SEARCH["tool_calls"] + PLAN["tool_calls"]}
    outcome = sp.run_agent(SAFE, model=ScriptedModel([both, DONE]))
    assert [(row["step"], row["action"]) for row in outcome["trace"]] == [
        *((1, "search_course"), (1, "make_study_plan"), (2, "finish"))
    ]


def test_a_model_that_cannot_be_asked_is_the_callers_to_see():
    def no_server(messages, tools):
        raise ModelError("nobody there")

    with pytest.raises(ModelError, match="nobody there"):
        sp.run_agent(SAFE, model=FunctionModel(no_server))


@pytest.mark.loopback
def test_a_language_model_behind_a_server_passes_the_same_evaluation():
    pytest.importorskip("flask")
    from devtools.fake_ollama import make_app, running

    with running(make_app(ScriptedModel(THREE_CASES))) as url:
        assert sp.evaluate(OllamaModel(url=url))[0] == 3


@pytest.mark.loopback
def test_the_program_can_be_decided_by_the_model_of_the_environment(monkeypatch, capsys):
    pytest.importorskip("flask")
    from devtools.fake_ollama import make_app, running

    with running(make_app(ScriptedModel(THREE_CASES[:6] + THREE_CASES))) as url:
        monkeypatch.setenv("OLLAMA_URL", url)
        assert sp.main(["--language-model"]) == 0
    assert capsys.readouterr().out == PRINTED


@pytest.mark.loopback
def test_a_model_that_does_not_exist_is_reported_with_its_remedy(monkeypatch, capsys):
    pytest.importorskip("flask")
    from devtools.fake_ollama import make_app, running

    with running(make_app(ScriptedModel([]))) as url:
        monkeypatch.setenv("OLLAMA_URL", url)
        monkeypatch.setenv("AGENT_MODEL", "nobody")
        assert sp.main(["--language-model"]) == 2
    assert "ollama pull nobody" in capsys.readouterr().err


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
