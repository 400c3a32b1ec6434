"""The director in LangChain and the study assistant in the OpenAI Agents SDK, over a real connection.

Behind the fake server stand models whose replies are written here, so that what must come of them is known: from
the rules of draughts' tools (limits, approval), from the checks' fixed words, and from the study planner's own
evaluation. Each library is in its own environment; what its programs send away from this machine fails a test.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from library_programs import THIS_PYTHON, Programs, python_of

from agentkit import FunctionModel, ScriptedModel
from devtools.fake_ollama import make_app, running
from library.langchain_director import within_budget

pytestmark = pytest.mark.loopback

PROGRAMS = {
    "langchain_director": "requirements.txt",
    "openai_agents_study": "requirements-openai-agents.txt",
    "mcp_server": "requirements-mcp.txt",
    "otel_export": "requirements-otel.txt",
}


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    started = Programs(tmp_path)
    yield started
    assert started.left == [], "a program tried to leave this machine"


def call(name: str, **arguments: object) -> dict:
    return {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


def of(url: str, provider: str = "ollama") -> dict[str, str]:
    """The settings of a person whose model is behind `url`."""
    settings = {"OLLAMA_URL": url, "OPENAI_BASE_URL": f"{url}/v1", "AGENT_PROVIDER": provider, "AGENT_MODEL": "qwen3"}
    return {**settings, "OPENAI_API_KEY": "sk-of-a-person"}


def results_seen(app) -> list[str]:
    """What the model was told of its calls, from the last request."""
    return [message["content"] for message in app.config["BACKEND"].seen[-1]["messages"] if message["role"] == "tool"]


# ---- every program ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_ends_with_an_example(programs, name):
    done = programs.library(THIS_PYTHON, name, "--help")
    assert done.returncode == 0
    assert "Example: python" in done.stdout
    assert f"library/{name}.py" in done.stdout.split("Example: ")[1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_its_library_a_program_says_what_to_install(programs, name, tmp_path):
    trace = tmp_path / "trace.jsonl"
    event = {"time": "2026-10-28T14:05:01.000Z", "agent": "a", "kind": "task", "text": "x"}
    trace.write_text(json.dumps(event), encoding="utf-8")
    done = programs.library(THIS_PYTHON, name, *([trace] if name == "otel_export" else []))
    assert done.returncode == 2
    assert f"python -m pip install -r library/{PROGRAMS[name]}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "library").glob("requirements*.txt")), ids=lambda path: path.name)
def test_every_requirement_is_pinned_to_one_release(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert lines and all(line.count("==") == 1 for line in lines)


def test_the_watch_sees_a_program_that_leaves_the_machine(tmp_path):
    programs = Programs(tmp_path)  # 192.0.2.1 is reserved for documentation: RFC 5737
    code = "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)"
    assert programs.code(THIS_PYTHON, code).returncode == 1
    assert "192.0.2.1" in programs.left


# ---- LangChain --------------------------------------------------------------------------------------------


@pytest.fixture
def langchain() -> str:
    return python_of("langchain")


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_langchains_director_does_the_job_with_either_adapter(programs, langchain, provider):
    app = make_app()
    with running(app) as url:
        done = programs.library(langchain, "langchain_director", **of(url, provider))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip().splitlines()[-1] == "Check: passed"
    saved = list((programs.project / "data" / "tournaments").glob("*.json"))
    assert len(saved) == 1 and json.loads(saved[0].read_text("utf-8"))["players"] == ["easy", "medium"]
    asked = app.config["BACKEND"].seen
    assert len(asked) == 4 and "options" in asked[0]
    run_tournament = next(t["function"] for t in asked[0]["tools"] if t["function"]["name"] == "run_tournament")
    told = run_tournament["parameters"]["properties"]["pairs"]["description"]
    assert told.startswith("how many openings each two players play")  # read from the docstring by the library


def director(programs: Programs, python: str, replies: list[dict] | FunctionModel, *args: str):
    """(the finished program, the fake server) for a director whose model says `replies`."""
    app = make_app(ScriptedModel(replies) if isinstance(replies, list) else replies)
    with running(app) as url:
        done = programs.library(python, "langchain_director", *args, **of(url))
    return done, app


def test_langchains_director_keeps_our_limits_on_values(programs, langchain):
    replies = [call("run_tournament", players=["easy", "medium"], pairs=9), {"content": "I could not play."}]
    done, app = director(programs, langchain, replies)
    assert done.returncode == 1
    assert "pairs must be at most 3" in results_seen(app)[0]
    assert "Check: These tools never ran successfully: run_tournament, standings." in done.stdout


def test_the_budget_counts_the_games_of_a_whole_run(capsys):
    approve = within_budget(20)
    three, two = {"players": ["easy", "medium", "hard"]}, {"players": ["easy", "medium"], "pairs": 1}
    asked = [{**three, "pairs": 2}, three, three, two, two]  # n * (n - 1) * pairs: 12, 6, 6, 2, 2 games
    assert [approve("run_tournament", args) for args in asked] == [True, True, False, True, False]
    assert "it asks for 6 games, and 2 are left" in capsys.readouterr().err


def test_langchains_director_plays_no_tournament_of_more_than_twenty_games(programs, langchain):
    everyone = ["easy", "medium", "hard", "learned", "neural"]  # five players, two openings: 5 * 4 * 2 games
    replies = [call("run_tournament", players=everyone, pairs=2), {"content": "I could not play."}]
    done, app = director(programs, langchain, replies)
    assert json.loads(results_seen(app)[0]) == {"error": "A person did not approve run_tournament, so it was not run."}
    assert "it asks for 40 games, and 20 are left" in done.stderr
    assert not list((programs.project / "data").glob("tournaments/*.json"))


def test_langchains_director_asks_a_person_on_request_and_end_of_input_is_no(programs, langchain):
    replies = [call("run_tournament", players=["easy", "medium"]), {"content": "I could not play."}]
    done, app = director(programs, langchain, replies, "--ask")
    assert "The agent wants to run run_tournament with" in done.stdout + done.stderr
    assert "A person did not approve run_tournament" in results_seen(app)[0]


def test_langchains_director_tells_the_model_about_a_tool_that_does_not_exist(programs, langchain):
    done, app = director(programs, langchain, [call("play_chess"), {"content": "There is no such tool."}])
    assert "There is no tool called play_chess. Tools: list_players" in results_seen(app)[0]
    assert done.returncode == 1 and "Traceback" not in done.stderr


def test_langchains_director_tells_the_model_when_a_tool_raises(programs, langchain):
    replies = [call("standings", tournament_id="20200101-000000"), {"content": "There is no such tournament."}]
    _, app = director(programs, langchain, replies)
    assert json.loads(results_seen(app)[0])["error"].startswith("standings failed: ValueError: There is no tournament")


def test_langchains_director_is_judged_by_our_check(programs, langchain):
    done, _ = director(programs, langchain, [call("list_players"), {"content": "medium has 7777 points."}])
    last = done.stdout.rstrip().splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("Check: ") and "These numbers did not come from any tool: 7777." in last


def test_langchains_director_stops_a_model_that_calls_for_ever(programs, langchain):
    endless = FunctionModel(lambda messages, tools: call("list_players"))
    done, app = director(programs, langchain, endless)
    assert done.returncode == 1
    assert done.stdout.rstrip().splitlines()[-1] == "Check: The step limit was reached."
    assert len(app.config["BACKEND"].seen) == 6  # twelve steps of the graph: a reply and its tools are two


def test_langchains_director_prints_one_json_document_on_request(programs, langchain):
    with running(make_app()) as url:
        done = programs.library(langchain, "langchain_director", "--json", **of(url))
    outcome = json.loads(done.stdout)
    assert outcome["passed"] and outcome["steps"] == 4
    assert [entry["tool"] for entry in outcome["tool_log"]] == ["list_players", "run_tournament", "standings"]


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_langchains_director_says_when_there_is_no_server(programs, langchain, provider):
    done = programs.library(langchain, "langchain_director", **of("http://127.0.0.1:9", provider))
    assert done.returncode == 2
    assert done.stderr.startswith("The model could not be used: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize("args", [("--players", "easy"), ("--players", "easy", "magnus"), ("--pairs", "9")])
def test_langchains_director_refuses_a_tournament_that_cannot_be(programs, args):
    done = programs.library(THIS_PYTHON, "langchain_director", *args)
    assert done.returncode == 2 and done.stdout == ""


# ---- OpenAI Agents SDK ------------------------------------------------------------------------------------


@pytest.fixture
def openai_agents() -> str:
    return python_of("openai-agents")


def sensible(messages: list[dict], tools: list[dict]) -> dict:
    """A model that does as the study planner's instructions say, and publishes when it is asked to."""
    goal = json.loads(messages[1]["content"].split("Inputs: ")[1])["goal"]
    results = [json.loads(message["content"]) for message in messages if message["role"] == "tool"]
    if not results:
        return call("search_course", query=goal)
    found = results[0].get("data")
    if found and len(results) == 1:
        return call("make_study_plan", goal=goal, evidence_ids=[hit["id"] for hit in found])
    if found and len(results) == 2 and "publish" in goal.lower():
        return call("publish_report", title="A plan", body="1. Read.")
    return {"content": "I am done."}


def study(programs: Programs, python: str, model: FunctionModel | ScriptedModel, *args: str, **settings: str):
    """(the finished program, the fake server) for the study assistant with this model."""
    app = make_app(model)
    with running(app) as url:
        done = programs.library(python, "openai_agents_study", *args, **of(url), **settings)
    return done, app


CASES = """safe_learning_plan: PASS (completed)
publish_without_approval: PASS (blocked_by_approval)
unknown_topic: PASS (no_evidence)
passed: 3/3
"""


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_the_study_assistant_passes_the_planners_own_evaluation(programs, openai_agents, provider):
    with running(make_app(FunctionModel(sensible))) as url:
        done = programs.library(openai_agents, "openai_agents_study", **of(url, provider))
    assert (done.returncode, done.stdout) == (0, CASES)


def test_the_study_assistant_runs_although_our_package_of_the_same_name_is_on_the_path(programs, openai_agents):
    with running(make_app(FunctionModel(sensible))) as url:
        settings = {**of(url), "PYTHONPATH": str(programs.project)}
        done = programs.run(openai_agents, "-m", "library.openai_agents_study", cwd=programs.project, **settings)
    assert (done.returncode, done.stdout) == (0, CASES)


PUBLISH = ("--goal", "Publish the AgentOps review plan to the class page", "--json")


def test_the_study_assistant_publishes_only_what_a_person_approved(programs, openai_agents):
    blocked, _ = study(programs, openai_agents, FunctionModel(sensible), *PUBLISH)
    assert blocked.returncode == 1
    outcome = json.loads(blocked.stdout)
    assert outcome["status"] == "blocked_by_approval" and "publication" not in outcome["final"]
    assert outcome["final"]["message"] == (
        "publish_report is write_limited; human approval is required before running it."
    )
    allowed, _ = study(programs, openai_agents, FunctionModel(sensible), *PUBLISH, "--approve", "publish_report")
    assert allowed.returncode == 0
    assert json.loads(allowed.stdout)["final"]["publication"]["status"] == "published"


def test_the_study_assistant_tells_the_model_about_wrong_arguments(programs, openai_agents):
    replies = [call("search_course", words="AgentOps"), {"content": "I am done."}]
    done, app = study(programs, openai_agents, ScriptedModel(replies), "--goal", "Plan AgentOps", "--json")
    told = json.loads(results_seen(app)[0])
    assert told["errors"] == ["unknown argument: words", "missing required argument: query"]
    assert json.loads(done.stdout)["status"] == "validation_error"


def test_the_study_assistant_survives_a_tool_that_does_not_exist(programs, openai_agents):
    model = ScriptedModel([call("sing"), {"content": "Done."}])
    done, _ = study(programs, openai_agents, model, "--goal", "Plan", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["status"] == "no_evidence"


def test_the_study_assistant_stops_a_model_that_calls_for_ever(programs, openai_agents):
    endless = FunctionModel(lambda messages, tools: call("search_course", query="agentops"))
    done, app = study(programs, openai_agents, endless, "--goal", "Plan AgentOps", "--json")
    assert json.loads(done.stdout)["status"] == "stopped_max_steps"
    assert len(app.config["BACKEND"].seen) == 8


def test_a_model_that_gives_up_does_not_count_as_completed(programs, openai_agents):
    replies = [call("search_course", query="agentops"), {"content": "Here is your plan: read a lot."}]
    done, _ = study(programs, openai_agents, ScriptedModel(replies), "--goal", "Plan AgentOps", "--json")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["status"]) == (1, "planner_error")
    assert "make_study_plan" in outcome["final"]["message"]


def test_the_study_assistant_says_when_there_is_no_server(programs, openai_agents):
    done = programs.library(openai_agents, "openai_agents_study", **of("http://127.0.0.1:9"))
    assert done.returncode == 2
    assert done.stderr.startswith("The model could not be used: ") and "Traceback" not in done.stderr


UNTOLD = """
from library.two_agents import import_sdk
agents = import_sdk()
from openai import AsyncOpenAI
model = agents.OpenAIChatCompletionsModel("qwen3", AsyncOpenAI(base_url=sys.argv[1], api_key="none"))
agents.Runner.run_sync(agents.Agent(name="a", model=model), "Hello")
"""


def test_the_sdk_would_send_its_traces_away_if_it_were_not_told(tmp_path, openai_agents):
    programs = Programs(tmp_path)
    with running(make_app(ScriptedModel([{"content": "Hello."}]))) as url:
        programs.code(openai_agents, UNTOLD, f"{url}/v1", **of(url))
    assert programs.left  # so the empty lists of the tests above mean something


BOTH = """
import json
order = sys.argv[1:]
from library.two_agents import import_sdk, load_ours
if order[0] == "path":
    import agents.draughts_tools
found = {}
for name in order[1:]:
    found[name] = import_sdk() if name == "sdk" else load_ours("draughts_tools")
import agents
assert agents is import_sdk() and agents.Runner and found["sdk"] is agents
assert load_ours("draughts_tools") is found["ours"] and found["ours"].PLAYERS[0] == "easy"
assert load_ours("draughts_team").draughts_tools is found["ours"]
print("both")
"""


ORDERS = [("none", "sdk", "ours"), ("none", "ours", "sdk"), ("path", "sdk", "ours")]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_two_packages_called_agents_live_in_one_program(programs, openai_agents, order):
    done = programs.code(openai_agents, BOTH, *order)
    assert (done.returncode, done.stdout) == (0, "both\n"), done.stderr


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
