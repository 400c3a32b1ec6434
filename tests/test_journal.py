"""The trace is a journal: a run is replayed from it without a model, and a killed run goes on from it.

The central test kills a run at every line of its trace, and in the middle of every line: it cuts the file there, as a
power cut would, and resumes. Whatever was cut, the Result is that of the uninterrupted run, each call has exactly one
`tool` line, and nothing that was done before the cut is done or asked again. One test kills a real process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import (
    Agent,
    FunctionModel,
    ModelError,
    Pipeline,
    ReplayModel,
    ScriptedModel,
    Tracer,
    agent_as_tool,
    max_tool_calls,
    no_repeats,
    numbers_grounded,
    succeeded,
    tool,
)
from agentkit.errors import DamagedFile, ModelUnreachable
from agentkit.more.journal import Replay, Resumed
from agentkit.tools import effect_id
from agentkit.trace import read_trace


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"content": "", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


class World:
    """What lasts outside a run: finished games on the disk, questions put to a person, replies paid for."""

    def __init__(self, refused: bool = False) -> None:
        self.games: dict[str, int] = {}  # id -> its seed
        self.asked: list[str] = []
        self.replies: Counter[str] = Counter()
        self.looks = 0
        self.ids = 0
        self.refused = refused

    def tools(self) -> list[Any]:
        @tool
        def look(n: int = 1) -> dict:
            """Look."""
            self.looks += 1
            return {"seen": n * 10}

        @tool(needs_approval=True, new_id=self.new_id)
        def play(seed: int) -> dict:
            """Play; finds its own finished game."""
            game = effect_id()
            assert game, "a lasting effect needs its id"
            if game not in self.games:
                self.games[game] = seed
            return {"game": game, "seed": seed}

        return [look, play]

    def new_id(self) -> str:
        self.ids += 1
        return f"game-{self.ids}"

    def approve(self, name: str, args: dict[str, Any]) -> bool:
        self.asked.append(name)
        return not self.refused

    def model(self, name: str, *replies: Any) -> FunctionModel:
        """A model whose reply depends only on the conversation: the n-th reply to the n-th turn."""

        def reply(messages: list[Any], tools: list[Any]) -> Any:
            self.replies[name] += 1
            return replies[sum(message["role"] == "assistant" for message in messages)]

        return FunctionModel(reply)


def build_alone(world: World, tracer: Tracer) -> Any:
    model = world.model("alone", call("look", n="2"), call("play", seed=7), {"content": "9"}, {"content": "Seed 7."})
    agent = Agent("alone", "Work.", world.tools(), model, check=numbers_grounded, approver=world.approve, tracer=tracer)
    return lambda: [agent.run("Play.", {"seed": 7})]


def build_wild(world: World, tracer: Tracer) -> Any:
    several = {
        "content": "<think>hm</think>",
        "tool_calls": [
            {"function": {"name": "look", "arguments": {"n": 1}}},
            {"function": {"name": "nothing", "arguments": {}}},
            {"function": {"name": "look", "arguments": "{cut"}},
            {"function": {"name": "play", "arguments": {"seed": 1}}},
            {"function": {"name": "play", "arguments": {"seed": 2}}},
        ],
        "usage": {"tokens_in": 5, "tokens_out": 3, "cut": False},
    }
    model = world.model("wild", several, {"content": ""}, call("play", seed=3), {"content": "Done."})
    agent = Agent("wild", "Work.", world.tools(), model, approver=world.approve, tracer=tracer)
    return lambda: [agent.run("Play.")]


def build_stopped(world: World, tracer: Tracer) -> Any:
    model = world.model("stopped", *[call("look", n=1)] * 9)
    agent = Agent("stopped", "Work.", world.tools(), model, 3, tracer=tracer)
    model = world.model("guarded", *[call("look", n=1)] * 9)
    guarded = Agent("guarded", "Work.", world.tools(), model, tracer=tracer, guards=[max_tool_calls(2), no_repeats(2)])
    return lambda: [agent.run("Look."), guarded.run("Look.")]


def build_pipeline(world: World, tracer: Tracer) -> Any:
    first = world.model("first", call("play", seed=7), {"content": "Played."})
    second = world.model("second", call("look", n=3), {"content": "Seen 30."})
    options = {"approver": world.approve, "tracer": tracer, "check": numbers_grounded}
    agents = [Agent("first", "Play.", world.tools(), first, **options)]
    agents += [Agent("second", "Look.", world.tools(), second, **options)]
    return lambda: Pipeline([(agent, "Work.") for agent in agents]).run({"seed": 7})


def build_manager(world: World, tracer: Tracer) -> Any:
    options = {"approver": world.approve, "tracer": tracer}
    inner_model = world.model("player", call("play", seed=7), call("look", n=1), {"content": "Played."})
    inner = Agent("player", "Play.", world.tools(), inner_model, **options)
    ask = call("ask_player", task="Play.")
    outer_model = world.model("manager", ask, call("look", n=2), ask, {"content": "Done."})
    outer = Agent("manager", "Manage.", [agent_as_tool(inner, "Plays."), *world.tools()], outer_model, **options)
    return lambda: [outer.run("Have it played twice.")]


TEAMS = {
    "one agent with read-only, lasting and refused work": build_alone,
    "wild replies": build_wild,
    "stopped runs": build_stopped,
    "a pipeline": build_pipeline,
    "a manager with agents as tools": build_manager,
}


def essence(results: list[Any]) -> list[dict[str, Any]]:
    """Results without the time that they took."""
    return [{name: value for name, value in vars(result).items() if name != "seconds"} for result in results]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def cuts(data: bytes) -> list[int]:
    """Every line's start, middle, and the place just before its end."""
    places, position = [0], 0
    for line in data.splitlines(keepends=True):
        places += [position + len(line) // 2, position + len(line) - 1, position + len(line)]
        position += len(line)
    return sorted(set(places))


@pytest.mark.parametrize("refused", [False, True], ids=["approved", "refused"])
@pytest.mark.parametrize("team", TEAMS)
def test_a_run_killed_anywhere_ends_as_if_it_had_not_been(tmp_path, team, refused):
    build = TEAMS[team]
    whole = tmp_path / "whole.jsonl"
    whole_world = World(refused)
    tracer = Tracer(whole)
    right = essence(build(whole_world, tracer)())
    tracer.close()
    data = whole.read_bytes()
    whole_lines = lines_of(whole)
    for place in cuts(data):
        path = tmp_path / f"cut-{place}.jsonl"
        path.write_bytes(data[:place])
        done = read_trace(path, [])
        world = World(refused)
        begun = [e["id"] for e in done if e["kind"] == "call" and e.get("id")]
        world.ids = len(begun)
        world.games = {} if refused else dict.fromkeys(begun, 1)  # finished, then the power went
        tracer = Resumed(path)
        assert essence(build(world, tracer)()) == right, place
        tracer.close()
        lines = lines_of(path)
        assert Counter(e["kind"] for e in lines) == Counter(e["kind"] for e in whole_lines), place
        assert [strip(e) for e in lines] == [strip(e) for e in whole_lines], place
        told = Counter(e["agent"] for e in done if e["kind"] == "reply")
        assert world.replies + told == whole_world.replies, "a reply that was recorded is not paid for again"
        assert len(world.asked) + sum(e["kind"] == "approval" for e in done) == len(whole_world.asked), place
        assert set(world.games) == set(whole_world.games)
        path.unlink()


def strip(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in ("time", "seconds", "versions")}


@pytest.mark.parametrize("team", TEAMS)
def test_a_run_killed_twice_ends_right_too(tmp_path, team):
    build = TEAMS[team]
    whole = tmp_path / "whole.jsonl"
    tracer = Tracer(whole)
    right = essence(build(World(), tracer)())
    tracer.close()
    size = whole.stat().st_size
    path = tmp_path / "cut.jsonl"
    path.write_bytes(whole.read_bytes()[: size // 3])
    for share in (0.6, 0.8, 1.0):
        world = World()
        world.ids = 100  # new effects get new names
        tracer = Resumed(path)
        results = essence(build(world, tracer)())
        tracer.close()
        if share < 1:
            path.write_bytes(path.read_bytes()[: int(size * share)])
    assert [result["answer"] for result in results] == [result["answer"] for result in right]
    assert len([e for e in lines_of(path) if e["kind"] == "tool"]) == sum(
        e["kind"] == "tool" for e in lines_of(whole)
    )


@pytest.mark.parametrize("team", TEAMS)
def test_a_whole_run_is_replayed_without_model_tools_or_questions(tmp_path, team):
    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    right = essence(TEAMS[team](World(), tracer)())
    tracer.close()
    before = path.read_bytes()
    world = World()
    assert essence(TEAMS[team](world, Replay(path))()) == right
    assert (world.replies, world.asked, world.games, world.looks) == (Counter(), [], {}, 0)
    assert path.read_bytes() == before


def test_the_replay_model_says_again_what_was_said(tmp_path):
    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    world = World()
    right = essence(build_alone(world, tracer)())
    tracer.close()
    again = World()
    agent = Agent("alone", "Work.", again.tools(), ReplayModel(path), check=numbers_grounded, approver=again.approve)
    agent.tracer = Tracer(tmp_path / "again.jsonl")
    assert essence([agent.run("Play.", {"seed": 7})]) == right


def test_the_replay_model_can_play_one_agent_of_several(tmp_path):
    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    build_pipeline(World(), tracer)()
    tracer.close()
    assert ReplayModel(path, "second").chat([], [])["tool_calls"][0]["function"]["name"] == "look"
    model = ReplayModel(path)
    for _ in range(4):
        model.chat([], [])
    with pytest.raises(ModelError, match="no further reply"):
        model.chat([], [])


def test_a_replayed_reply_can_be_changed_without_changing_the_next_replay(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"kind": "reply", "message": {"content": "a"}}\n{"kind": "reply"}\n', encoding="utf-8")
    model = ReplayModel(path)
    assert model.chat([], []) == {"content": "a"}
    with pytest.raises(ModelError):
        model.chat([], [])


def test_a_constrained_turn_is_replayed_as_one(tmp_path):
    class Constrained(ScriptedModel):
        def chat_constrained(self, messages, offered):
            return self.chat(messages, [offered])

    def build(model, tracer):
        tools = World().tools()
        return Agent("sums", "Look.", tools, model, check=succeeded("look"), tracer=tracer)

    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    right = build(Constrained(["No.", call("look", n=1), "Seen."]), tracer).run("Look.")
    tracer.close()
    assert (right.passed, [e.get("required") for e in lines_of(path) if e["kind"] == "reply"]) == (
        True,
        [None, "look", ""],
    )
    assert essence([build(ReplayModel(path), None).run("Look.")]) == essence([right])


def test_half_a_character_is_replayed_as_it_was_said(tmp_path):
    def build(tracer, model=None):
        return Agent("a", "Look \udc80.", World().tools(), model, tracer=tracer)

    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    odd = {"content": "", "tool_calls": [{"function": {"name": "lo\ud83dok", "arguments": {"n": "\udfff"}}}]}
    right = build(tracer, ScriptedModel([odd, "Seen \ud83d."])).run("Look \ud800.")
    tracer.close()
    path.read_bytes().decode("utf-8")
    assert right.answer == "Seen \ufffd."
    assert essence([build(Replay(path)).run("Look \ud800.")]) == essence([right])


def test_a_stop_by_the_clock_is_replayed_whatever_the_clock_says_then(tmp_path):
    late = [True]

    def by_the_clock(state):
        return "too late" if late[0] and state["steps"] == 2 else None

    def build(tracer, model=None):
        return Agent("a", "Look.", World().tools(), model, tracer=tracer, guards=[by_the_clock])

    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    right = build(tracer, ScriptedModel([call("look", n=1)] * 9)).run("Look.")
    tracer.close()
    late[0] = False
    assert right.stopped == "too late"
    assert essence([build(Replay(path)).run("Look.")]) == essence([right])


def test_a_model_that_failed_is_asked_again_by_the_resumed_run(tmp_path):
    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    agent = Agent("a", "Look.", World().tools(), ScriptedModel([call("look", n=1)]), tracer=tracer)
    with pytest.raises(ModelError):
        agent.run("Look.")
    agent.tracer, agent.model = Resumed(path), ScriptedModel(["Seen 10."])
    result = agent.run("Look.")
    assert (result.answer, len(result.tool_log), result.steps) == ("Seen 10.", 1, 2)


def test_a_last_line_cut_in_half_is_told(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"kind": "task", "agent": "a"}\n{"kind": "rep', encoding="utf-8")
    resumed = Resumed(path)
    assert "cut in half" in resumed.problems[0]
    assert path.read_text("utf-8") == '{"kind": "task", "agent": "a"}\n'


def test_a_last_line_that_lacks_only_its_end_is_kept(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"kind": "task", "agent": "a"}', encoding="utf-8")
    resumed = Resumed(path)
    resumed.write(agent="a", kind="task")
    resumed.write(agent="a", kind="answer")
    resumed.close()
    assert [event["kind"] for event in lines_of(path)] == ["task", "answer"]


def test_a_trace_of_another_format_is_refused(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"kind": "run", "format": 99}\n', encoding="utf-8")
    for wrong in (Replay, Resumed):
        with pytest.raises(DamagedFile, match="99"):
            wrong(path)


def test_a_trace_that_is_not_there_is_no_trace(tmp_path):
    for wrong in (Replay, Resumed, ReplayModel):
        with pytest.raises(FileNotFoundError):
            wrong(tmp_path / "none.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("junk", ["", "\n\n", "[1]\n", '{"kind": 7}\n', "rubbish\n{}\n"])
def test_junk_in_a_trace_is_passed_over(tmp_path, junk):
    path = tmp_path / "trace.jsonl"
    path.write_text(junk, encoding="utf-8")
    world = World()
    assert build_alone(world, Resumed(path))()[0].answer == "Seed 7."


def test_a_lasting_effect_has_its_id_in_the_trace_before_it_begins(tmp_path):
    path = tmp_path / "trace.jsonl"
    seen = []

    @tool(new_id=lambda: "game-1")
    def play():
        seen.extend(read_trace(path))
        return {"game": effect_id()}

    Agent("a", "Play.", [play], ScriptedModel([call("play"), "ok"]), tracer=Tracer(path)).run("Play.")
    assert (seen[-1]["kind"], seen[-1]["id"]) == ("call", "game-1")


def test_an_id_is_made_only_for_a_call_that_can_run_and_a_failure_to_make_one_is_told():
    made = []

    @tool(new_id=lambda: made.append(1) or "id")
    def play(seed: int):
        return {}

    @tool(new_id=lambda: 1 / 0)
    def store():
        raise AssertionError("ran without an id")

    replies = [call("play", seed="x"), call("play"), call("store"), call("play", seed=1), "ok"]
    seen = []
    agent = Agent("a", "Play.", [play, store], ScriptedModel(replies), on_event=seen.append)
    results = [entry["result"] for entry in agent.run("Play.").tool_log]
    assert made == [1]
    assert results[2] == {"error": "store failed: ZeroDivisionError: division by zero"}
    assert [event.get("id") for event in seen if event["kind"] == "call"] == [None, None, None, "id"]


def test_a_tracer_of_one_run_begins_with_one_header(tmp_path):
    path = tmp_path / "trace.jsonl"
    tracer = Tracer(path)
    build_pipeline(World(), tracer)()
    tracer.close()
    lines = lines_of(path)
    assert [e["kind"] for e in lines].count("run") == 1
    assert (lines[0]["kind"], lines[0]["format"]) == ("run", 1)
    assert "python" in lines[0]["versions"]


PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from agentkit import Agent, ScriptedModel, Tracer, tool
from agentkit.more.journal import Resumed
from agentkit.tools import effect_id
folder, kill_at = Path(sys.argv[2]), int(sys.argv[3])
path = folder / "trace.jsonl"

class Killed(Resumed if path.exists() else Tracer):
    written = 0
    def write(self, **event):
        super().write(**event)
        Killed.written += 1
        if Killed.written == kill_at:
            os._exit(9)

@tool(new_id=lambda: f"game-{len(list(folder.glob('game-*')))}")
def play(seed: int):
    (folder / effect_id()).touch()
    return {"seed": seed}

call = {"content": "", "tool_calls": [{"function": {"name": "play", "arguments": {"seed": 7}}}]}
class Model:
    def chat(self, messages, tools):
        with open(folder / "replies", "a") as file:
            file.write("x")
        return call if sum(m["role"] == "tool" for m in messages) < 2 else {"content": "done"}

print(Agent("a", "Play.", [play], Model(), tracer=Killed(path)).run("Play.").answer)
"""


@pytest.mark.parametrize("kill_at", range(1, 11))
def test_a_real_process_killed_at_any_line_resumes(tmp_path, kill_at):
    command = [sys.executable, "-c", PROGRAM, str(ROOT), str(tmp_path)]
    first = subprocess.run([*command, str(kill_at)], capture_output=True, text=True, timeout=60)
    assert first.returncode == 9, first.stderr
    second = subprocess.run([*command, "0"], capture_output=True, text=True, timeout=60)
    assert (second.returncode, second.stdout) == (0, "done\n"), second.stderr
    kinds = Counter(event["kind"] for event in lines_of(tmp_path / "trace.jsonl"))
    assert kinds == {"run": 1, "task": 1, "reply": 3, "call": 2, "tool": 2, "answer": 1}
    assert sorted(path.name for path in tmp_path.glob("game-*")) == ["game-0", "game-1"]


def test_an_unreachable_model_is_named_in_the_trace(tmp_path):
    def gone(messages, tools):
        raise ModelUnreachable("nobody there")

    path = tmp_path / "trace.jsonl"
    with pytest.raises(ConnectionError):
        Agent("a", "x", [], FunctionModel(gone), tracer=Tracer(path)).run("x")
    last = lines_of(path)[-1]
    assert (last["kind"], last["error"], last["text"]) == ("error", "ModelUnreachable", "nobody there")
    assert os.path.getsize(path) > 0


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
