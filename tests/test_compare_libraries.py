"""The comparison of libraries: its statistics, what it counts from outside, its workers, and one whole comparison.

Expected numbers: Newcombe (1998), Statistics in Medicine 17, table I, for Wilson's intervals; the binomial
distribution worked out by hand for McNemar's exact test.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from library_programs import ENVS, Programs, python_of

from agentkit import ScriptedModel
from devtools.fake_ollama import make_app, running
from eval import compare_libraries, compare_workers
from eval.compare_report import markdown, summary
from eval.compare_standin import ReadingStandIn
from eval.compare_workers import LIBRARIES, Library, Worker, WorkerLost
from eval.counting_proxy import counting
from eval.intervals import wilson
from eval.paired import mcnemar, median_ratio
from eval.reasons import kind_of

# ---- statistics -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_the_published_one(passed, n, low, high):
    assert wilson(passed, n) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(0, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_holds_the_share_and_stays_between_0_and_1(counts):
    passed, n = counts
    low, high = wilson(passed, n)
    assert 0 <= low <= high <= 1
    assert n == 0 or low - 1e-12 <= passed / n <= high + 1e-12


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1), (1, 1, 1), (5, 0, 2 / 32), (0, 5, 2 / 32), (10, 2, 2 * (1 + 12 + 66) / 4096)],
)
def test_mcnemars_exact_test_is_twice_the_tail_of_the_binomial(first, second, p):
    assert mcnemar(first, second) == pytest.approx(p)


def test_a_ratio_is_the_median_over_pairs_and_always_the_same():
    ours, theirs = [1.0, 2.0, 4.0], [2.0, 6.0, 4.0]  # ratios 2, 3, 1
    median, low, high = median_ratio(ours, theirs)
    assert median == 2 and 1 <= low <= 2 <= high <= 3
    assert median_ratio(ours, theirs) == (median, low, high)


def test_a_ratio_needs_a_pair():
    with pytest.raises(ValueError, match="at least one pair"):
        median_ratio([0.0], [1.0])


# ---- counting from outside --------------------------------------------------------------------------------


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read())


ASKED = {"model": "qwen3", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.mark.loopback
def test_the_proxy_passes_words_on_unchanged_and_counts_them():
    model = ScriptedModel([{"content": "Good morning."}] * 3)
    with running(make_app(model)) as server, counting(f"{server}/v1") as proxy:
        direct = post(f"{server}/v1/chat/completions", ASKED)
        through = [post(f"{proxy.url}/chat/completions", ASKED) for _ in range(2)]
        counts, again = proxy.take(), proxy.take()
    assert [reply["choices"] for reply in through] == [direct["choices"]] * 2
    assert (counts["steps"], counts["cut"]) == (2, 0)
    assert counts["tokens_in"] == 2 * direct["usage"]["prompt_tokens"]
    assert counts["tokens_out"] == 2 * direct["usage"]["completion_tokens"]
    assert counts["model_seconds"] > 0
    assert again == {"steps": 0, "tokens_in": 0, "tokens_out": 0, "model_seconds": 0.0, "cut": 0}


@pytest.mark.loopback
def test_the_proxy_counts_a_reply_that_the_limit_on_length_cut():
    with running(make_app(ScriptedModel([{"content": "word " * 500}]))) as server, counting(f"{server}/v1") as proxy:
        post(f"{proxy.url}/chat/completions", {**ASKED, "max_tokens": 5})
        assert proxy.take()["cut"] == 1


@pytest.mark.loopback
def test_the_proxy_passes_a_refusal_on_and_refuses_streams_itself():
    with running(make_app()) as server, counting(f"{server}/v1") as proxy:
        refusals = [({**ASKED, "model": "x"}, 404, "not found"), ({**ASKED, "stream": True}, 400, "whole")]
        for body, code, word in refusals:
            with pytest.raises(urllib.error.HTTPError) as refused:
                post(f"{proxy.url}/chat/completions", body)
            assert refused.value.code == code and word in refused.value.read().decode()


@pytest.mark.loopback
def test_the_proxy_says_when_there_is_no_server():
    with counting("http://127.0.0.1:9/v1") as proxy:
        assert proxy.forward("/models", None)[0] == 502


# ---- workers ----------------------------------------------------------------------------------------------

WORKER = """
import json, sys, time
print(json.dumps({"library": "fake", "version": "1.0"}), flush=True)
for line in sys.stdin:
    word = json.loads(line)["word"]
    if word == "die":
        sys.exit(3)
    if word == "hang":
        time.sleep(600)
    print(json.dumps({"said": word}), flush=True)
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    (tmp_path / "fake.py").write_text(WORKER, encoding="utf-8")
    monkeypatch.setattr(compare_workers, "DIRECTORS", tmp_path)
    monkeypatch.setitem(LIBRARIES, "fake", Library("fake.py", None))
    with Worker("fake", Path(sys.executable)) as started:
        yield started


def test_a_worker_answers_one_request_after_the_other(worker):
    assert worker.version == "1.0"
    assert [worker.ask({"word": word}, 60)["said"] for word in ("a", "ä")] == ["a", "ä"]


@pytest.mark.parametrize(("word", "limit", "told"), [("die", 60, "exit code 3"), ("hang", 1, "within 1 s")])
def test_a_worker_that_dies_or_hangs_is_told_and_started_again(worker, word, limit, told):
    with pytest.raises(WorkerLost, match=told):
        worker.ask({"word": word}, limit)
    assert worker.ask({"word": "again"}, 60) == {"said": "again"}


# ---- the stand-in behind it ---------------------------------------------------------------------------------

TOOLS = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}
    for name, parameters in {
        "list_players": {"type": "object", "properties": {}, "required": []},
        "final_answer": {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]},
    }.items()
]
USER = {"role": "user", "content": "New task:\nList the players."}
WRITTEN_CALL = "[{'id': 'a', 'function': {'name': 'list_players', 'arguments': {}}}]"
IN_WORDS = [
    USER,
    {"role": "assistant", "content": f"\nCalling tools:\n{WRITTEN_CALL}"},
    {"role": "user", "content": 'Observation:\n{"count": 2}'},
]


def test_the_stand_in_reads_calls_and_results_that_a_library_wrote_as_text():
    model = ReadingStandIn()
    assert model.chat([USER], TOOLS)["tool_calls"][0]["function"]["name"] == "list_players"
    last = model.chat(IN_WORDS, TOOLS)["tool_calls"][0]["function"]
    assert last["name"] == "final_answer" and "2" in last["arguments"]["answer"]
    assert "tool_calls" not in model.chat(IN_WORDS, TOOLS[:1])


# ---- the report -------------------------------------------------------------------------------------------


def a_run(library: str, seed: int, passed: bool, seconds: float) -> dict[str, Any]:
    problems = [] if passed else ["These numbers did not come from any tool: 7."]
    counts = {"steps": 4, "tokens_in": 100, "tokens_out": 20, "tool_calls": 3, "cut": 0, "error": None, "answer": "x"}
    times = {"seconds": seconds, "model_seconds": 0.5, "tool_seconds": 0.25, "overhead_seconds": seconds - 0.75}
    return {"library": library, "seed": seed, "passed": passed, "problems": problems, **counts, **times}


RUNS = [
    *(a_run("agentkit", seed, True, 1.0) for seed in range(1, 7)),
    *(a_run("langchain", seed, seed == 1, 3.0) for seed in range(1, 7)),
]


def test_libraries_are_compared_over_the_seeds_that_both_did():
    card = summary([*RUNS, a_run("langchain", 99, True, 1.0)])
    assert card["libraries"]["agentkit"]["passed"] == 6
    pair = card["pairs"]["langchain"]
    assert [pair[key] for key in ("n", "both", "only_agentkit", "only_other", "neither")] == [6, 1, 5, 0, 0]
    assert pair["p"] == 0.0625  # five to nothing: 2 / 32
    assert pair["seconds_ratio"] == [3, 3, 3] and pair["tokens_ratio"] == [1, 1, 1]


def test_the_table_says_model_size_limits_and_why_answers_failed():
    facts = {"model": "qwen", "server": "http://127.0.0.1:8080/v1", "temperature": 0, "when": "2026-10-28"}
    limits = {"max_steps": 8, "max_tokens": 2048, "machine": {"cpus": 2}, "versions": {"langchain": "1.5.2"}}
    table = markdown({**facts, **limits, "start_seconds": {"langchain": 4.0}, **summary(RUNS)})
    assert "Model qwen (http://127.0.0.1:8080/v1), temperature 0, 6 seeds" in table
    assert "| agentkit | 6 of 6 | 61% to 100% | 4.0 | 100 / 20 | 1.00 | 250 | 0.0 |" in table
    assert "| langchain | 1 | 5 | 0 | 0 | 0.0625 | 3.00 × (3.00 to 3.00) | 1.00 × (1.00 to 1.00) |" in table
    assert "- langchain: These numbers did not come from any tool (5)." in table


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        ("These tools never ran successfully: standings.", "These tools never ran successfully"),
        ("The wrong tournament was played. Call run_tournament with {}.", "The wrong tournament was played"),
        ("RuntimeError: The step limit was reached.", "RuntimeError: The step limit was reached"),
    ],
)
def test_problems_are_counted_by_kind(problem, kind):
    assert kind_of(problem) == kind


# ---- the whole --------------------------------------------------------------------------------------------


def compare(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "eval" / "compare_libraries.py", "--envs", ENVS, *args]
    return subprocess.run([*map(str, command)], capture_output=True, encoding="utf-8", timeout=600)


@pytest.mark.loopback
def test_all_four_libraries_do_the_job_with_the_stand_in_and_leave_the_machine_alone(tmp_path, monkeypatch, capsys):
    for name in ("langchain", "smolagents", "openai-agents"):
        python_of(name)
    programs = Programs(tmp_path)
    for name in ("PYTHONPATH", "NETWORK_LOG"):  # the workers' connections are watched
        monkeypatch.setitem(compare_workers.QUIET, name, programs.environment()[name])
    out = tmp_path / "card.json"
    arguments = ["--standin", "--runs", "2", "--seed", "3", "--out", str(out), "--envs", str(ENVS)]
    code, printed = compare_libraries.main(arguments), capsys.readouterr()
    assert code == 0, printed.err
    assert programs.left == []
    card = json.loads(out.read_text(encoding="utf-8"))
    assert list(card["libraries"]) == list(LIBRARIES)
    for name, row in card["libraries"].items():
        assert (row["passed"], row["n"]) == (2, 2), (name, row["problems"])
        assert row["steps"] == 4 and row["tool_calls"] == 3 and row["tokens_in"] > 1000
    first, second = card["runs"][:4], card["runs"][4:]
    assert {run["seed"] for run in first} == {3} and {run["seed"] for run in second} == {4}
    assert [run["library"] for run in first] != [run["library"] for run in second]  # they take turns
    assert all(run["overhead_seconds"] > 0 for run in card["runs"])
    assert printed.out == out.with_suffix(".md").read_text(encoding="utf-8") + "\n"


def test_a_comparison_goes_on_where_it_was_and_only_with_the_same_settings(tmp_path):
    out = tmp_path / "card.json"
    ours = ("--standin", "--libraries", "agentkit", "--out", out)
    assert compare(*ours, "--runs", 1).returncode == 0
    first = json.loads(out.read_text(encoding="utf-8"))["runs"]
    assert compare(*ours, "--runs", 2, "--resume").returncode == 0
    runs = json.loads(out.read_text(encoding="utf-8"))["runs"]
    assert [run["seed"] for run in runs] == [1, 2] and runs[:1] == first
    other = compare(*ours, "--runs", 2, "--resume", "--max-steps", 5)
    assert other.returncode == 2 and "was made with max_steps 8" in other.stderr


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--standin", "--envs", "nowhere"), "-m pip install -r library/requirements.txt"),
        (("--runs", "0"), "Seeds are 1 to 1000000"),
        (("--resume",), "--resume needs --out"),
        (("--out", "card.md"), "--out must end in .json"),
        (("--out", ROOT / "tests" / "package.json"), "package.json is there already: add --resume"),
        (("--libraries", "agentkit"), "No model server answers at http://127.0.0.1:9/v1"),
    ],
)
def test_what_cannot_be_compared_is_said_in_words(monkeypatch, args, told):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = compare(*args)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr


@pytest.mark.loopback
def test_a_run_whose_worker_is_lost_has_failed(worker):
    with counting("http://127.0.0.1:9/v1") as proxy:
        run = compare_libraries.run_once(worker, {"word": "die"}, proxy, 60)
    assert run["passed"] is False and "exit code 3" in run["problems"][0] and run["steps"] == 0


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
