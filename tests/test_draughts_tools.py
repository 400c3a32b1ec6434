"""The draughts tools: what is asked of the engine, what is kept, and every way in which Node can fail.

Most tests use a small fake engine (tests/fakes.py) whose games are known, so that points and ratings can be
worked out by hand; the last ones play with the real one and are skipped where there is no Node.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from fakes import fake_node

from agentkit import ToolBox
from agentkit.errors import DamagedFile
from agents import draughts_tools as tools
from agents import engine_process
from agents.progress import ProgressLine, progress_line

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node on the path")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Keep every tournament of a test in its own folder, played by the fake engine."""
    monkeypatch.setattr(tools, "TOURNAMENT_DIR", tmp_path / "tournaments")
    monkeypatch.setenv("NODE_BINARY", fake_node(tmp_path))
    return tmp_path


def broken_node(folder: Path, body: str, **more: str) -> dict:
    os.environ["NODE_BINARY"] = fake_node(folder, body, **more)
    return {"command": "players"}


# --- The engine's failures --------------------------------------------------------------------------------

FAILURES = {
    "prints rubbish": ("print('hello')", "The engine printed 'hello', which is no JSON object"),
    "prints a list": ("print('[1]')", "no JSON object"),
    "prints nothing": ("", "The engine printed nothing"),
    "dies": (
        "sys.exit('first\\nno such file: rules.js')",
        "The engine died with code 1: no such file: rules.js",
    ),
    "dies with a stack": (
        "sys.exit('rules.js:1\\nTypeError: no board\\n    at run (rules.js:1)\\n\\nNode.js v20.0.0')",
        "The engine died with code 1: TypeError: no board.",
    ),
    "dies silently": ("import os; os._exit(3)", "The engine died with code 3: it said nothing"),
}


@pytest.mark.parametrize(("body", "words"), FAILURES.values(), ids=FAILURES.keys())
def test_engine_that_fails_is_reported_with_a_remedy(folder, body, words):
    request = broken_node(folder, body)
    with pytest.raises(tools.EngineError, match=re.escape(words)) as caught:
        tools.arena(request)
    assert "fresh copy of the project" in str(caught.value)


def test_missing_node_is_named_with_a_remedy(monkeypatch):
    monkeypatch.setenv("NODE_BINARY", "no-such-node")
    with pytest.raises(tools.EngineError, match=r"'no-such-node'.*Install Node 18"):
        tools.arena({"command": "players"})


def test_node_that_cannot_be_started_is_named_with_a_remedy(folder, monkeypatch):
    (folder / "plain.txt").write_text("no program", encoding="utf-8")
    monkeypatch.setenv("NODE_BINARY", str(folder / "plain.txt"))
    with pytest.raises(tools.EngineError, match=r"plain\.txt.*Install Node 18"):
        tools.arena({"command": "players"})


@pytest.mark.parametrize(
    ("version", "old"), [("v16.20.2", True), ("v8.0.0", True), ("v18.0.0", False), ("v22.1.0", False)]
)
def test_node_before_18_is_too_old_and_its_version_is_named(folder, monkeypatch, version, old):
    monkeypatch.setenv("NODE_BINARY", fake_node(folder, version=version))
    if old:
        with pytest.raises(tools.EngineError, match=rf"Node {re.escape(version)}.*too old.*Install Node 18"):
            tools.arena({"command": "players"})
    else:
        assert set(tools.arena({"command": "players"})["players"]) == set(tools.PLAYERS)


def test_missing_engine_is_named(folder, monkeypatch):
    monkeypatch.setattr(tools, "ARENA_JS", folder / "nowhere.js")
    with pytest.raises(tools.EngineError, match=r"nowhere\.js is missing"):
        tools.arena({"command": "players"})


def test_engine_that_says_no_is_told_apart_from_one_that_is_broken(folder):
    request = broken_node(folder, """print('{"error": "Unknown command."}'); sys.exit(1)""")
    with pytest.raises(tools.EngineRefused, match=r"^Unknown command\.$"):
        tools.arena(request)


WITH_A_CHILD = """
import os, subprocess, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({pids!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
time.sleep(60)
"""


def test_hanging_engine_is_killed_with_its_children(folder):
    request = broken_node(folder, WITH_A_CHILD.format(pids=str(folder / "pids")))
    with pytest.raises(tools.EngineError, match=r"did not answer within 1\.5 s and was stopped"):
        tools.arena(request, timeout=1.5)
    pids = [int(pid) for pid in (folder / "pids").read_text(encoding="utf-8").split()]
    assert len(pids) == 2
    assert not [pid for pid in pids if still_runs(pid)]


def still_runs(pid: int) -> bool:
    """Say whether a process is there and no zombie; it has a moment to go."""
    for _ in range(50):
        listed = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        if listed.stdout.strip()[:1] in ("", "Z"):
            return False
        time.sleep(0.05)
    return True


def test_node_that_hangs_at_its_version_is_stopped(folder, monkeypatch):
    program = folder / "fake_node.py"
    program.write_text(f"#!{sys.executable}\nimport time; time.sleep(60)", encoding="utf-8")
    monkeypatch.setattr(engine_process, "VERSION_TIMEOUT", 0.5)
    with pytest.raises(tools.EngineError, match="--version"):
        tools.arena({"command": "players"})


def test_large_requests_and_answers_pass_whole(folder):
    request = broken_node(folder, "import json; print(json.dumps({'players': json.loads(sys.stdin.read())}))")
    request["text"] = "x" * 3_000_000
    assert tools.arena(request) == {"players": request}


@pytest.mark.parametrize("answer", ["{}", '{"players": 5}', '{"players": []}'])
def test_answer_without_what_was_asked_for_is_a_broken_engine(folder, answer):
    request = broken_node(folder, f"print({answer!r})")
    with pytest.raises(tools.EngineError, match=r"^The engine answered without its players\. Compare it"):
        tools.arena(request)


def test_environment_is_read_when_the_engine_is_asked(folder, monkeypatch):
    monkeypatch.setenv("NODE_BINARY", "no-such-node")
    monkeypatch.setenv("NODE_BINARY", fake_node(folder))
    assert tools.arena({"command": "players"})


# --- Progress ---------------------------------------------------------------------------------------------


class Terminal:
    """Just enough of a terminal to write on."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_progress_reaches_a_terminal_and_the_line_is_wiped(folder, monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = 'progress {"done": 3, "of": 20, "what": "games played"}'
    request = broken_node(
        folder, f"print({line!r}, 'progress rubbish', sep='\\n', file=sys.stderr); print('{{\"players\": {{}}}}')"
    )
    assert tools.arena(request) == {"players": {}}
    assert "3 of 20 games played" in terminal.text
    assert terminal.text.endswith(" \r")
    assert capsys.readouterr().out == ""


def test_without_a_terminal_no_progress_is_asked_for(folder, capsys):
    request = broken_node(folder, "import json; print(json.dumps({'players': json.loads(sys.stdin.read())}))")
    assert tools.arena(request) == {"players": request}
    assert capsys.readouterr().err == ""


def test_progress_line_tells_the_time_left_from_the_time_passed():
    now = [100.0]
    line = ProgressLine(Terminal(), clock=lambda: now[0])
    now[0] = 110.0
    line(5, 20, "games played")
    assert "5 of 20 games played, about 30 s left" in line.stream.text  # 10 s for 5 games: 15 games take 30 s


def test_no_progress_line_for_a_stream_that_is_no_terminal(folder):
    with (folder / "log").open("w", encoding="utf-8") as stream:
        assert progress_line(stream) is None
    assert progress_line(None) is None


# --- Tournament files -------------------------------------------------------------------------------------

WRONG_IDS = [
    "",
    "..",
    "../x",
    "20261028-140501/..",
    "20261028-140501\n",
    "a-1",
    "1-2-3",
    "-",
    "١٢-٣٤",
    "C:1-2",
    "1",
]


@pytest.mark.parametrize("wrong", WRONG_IDS)
def test_id_is_digits_and_a_hyphen_and_never_a_path(wrong):
    with pytest.raises(ValueError, match="no tournament id"):
        tools.path_for(wrong)


@given(st.text() | st.from_regex(r"[0-9]+-[0-9]+\s?", fullmatch=True))
def test_any_text_is_an_id_within_the_folder_or_refused(text):
    try:
        path = tools.path_for(text)
    except ValueError:
        assert not re.fullmatch("[0-9]+-[0-9]+", text)
    else:
        assert path.parent == Path(tools.TOURNAMENT_DIR)
        assert path.name == f"{text}.json"


@pytest.mark.parametrize("wrong", WRONG_IDS)
def test_wrong_id_is_answered_with_the_tournaments_there_are(wrong):
    made = tools.run_tournament(["easy", "hard"])["tournament_id"]
    with pytest.raises(ValueError, match=f"There is no tournament.*The tournaments are: {made}\\."):
        tools.load(wrong)


def test_unknown_id_before_any_tournament_says_so():
    with pytest.raises(ValueError, match=r"There is no tournament 123\. No tournament has been played yet\."):
        tools.standings("123")


ONE = '{"tournament_id": "20260101-000000", "games": [%s]}'


DAMAGED = ["", "{", "[]", '{"games": 3}', '{"games": []}', ONE % "{}", ONE % '{"black": 1, "white": "easy"}']


@pytest.mark.parametrize("content", DAMAGED)
def test_damaged_tournament_is_named_and_left_as_it_is(content):
    path = tools.path_for("20260101-000000")
    path.parent.mkdir()
    path.write_text(content, encoding="utf-8")
    for read in (tools.standings, tools.find_mistakes):
        with pytest.raises(DamagedFile, match=r"20260101-000000\.json"):
            read("20260101-000000")
    assert path.read_text(encoding="utf-8") == content


def test_saved_tournament_is_one_json_file_with_the_fixed_keys():
    played = tools.run_tournament(["easy", "hard"], pairs=2, seed=9)
    content = json.loads(tools.path_for(played["tournament_id"]).read_text(encoding="utf-8"))
    assert list(content) == ["tournament_id", "players", "pairs", "seed", "games"]
    assert (content["players"], content["pairs"], content["seed"]) == (["easy", "hard"], 2, 9)
    assert content == tools.load(played["tournament_id"])


def test_ids_look_like_a_time_and_are_unique_within_a_second():
    with ThreadPoolExecutor(8) as pool:
        made = [
            item["tournament_id"]
            for item in pool.map(lambda _: tools.run_tournament(["easy", "hard"]), range(16))
        ]
    assert all(re.fullmatch(r"\d{8}-\d{6}", item) for item in made)
    assert len(set(made)) == 16


def play_some(setting: tuple[str, str]) -> list[str]:
    tools.TOURNAMENT_DIR, os.environ["NODE_BINARY"] = Path(setting[0]), setting[1]
    return [tools.run_tournament(["easy", "hard"])["tournament_id"] for _ in range(3)]


def test_ids_are_unique_between_processes_and_no_tournament_is_lost(folder):
    setting = (str(folder / "tournaments"), os.environ["NODE_BINARY"])
    with ProcessPoolExecutor(8) as pool:
        made = [item for part in pool.map(play_some, [setting] * 8) for item in part]
    assert sorted(made) == sorted(path.stem for path in (folder / "tournaments").glob("*.json"))
    assert len(set(made)) == 24


def test_nothing_but_the_tournament_is_left_behind():
    made = tools.run_tournament(["easy", "hard"])["tournament_id"]
    assert [path.name for path in Path(tools.TOURNAMENT_DIR).iterdir()] == [f"{made}.json"]


def test_failed_tournament_leaves_nothing_behind(folder):
    broken_node(folder, "print('hello')")
    with pytest.raises(tools.EngineError):
        tools.run_tournament(["easy", "hard"])
    assert list(Path(tools.TOURNAMENT_DIR).iterdir()) == []


def test_tournament_that_a_killed_run_had_saved_is_not_played_again(folder):
    box, args = ToolBox([tools.run_tournament]), {"players": ["easy", "hard"], "pairs": 1, "seed": 3}
    first = box.call("run_tournament", args, lambda *_: True, effect="20260101-000000").result
    broken_node(folder, "sys.exit('asked again')")
    assert box.call("run_tournament", args, lambda *_: True, effect="20260101-000000").result == first


def test_id_that_holds_another_tournament_is_not_taken_for_the_own_one():
    box, args = ToolBox([tools.run_tournament]), {"players": ["easy", "hard"], "seed": 3}
    box.call("run_tournament", args, lambda *_: True, effect="20260101-000000")
    again = box.call("run_tournament", {**args, "seed": 4}, lambda *_: True, effect="20260101-000000").result
    assert "other settings" in again["error"]


# --- The tools --------------------------------------------------------------------------------------------

BAD_SETTINGS = [
    (["easy", "genius"], 1, 1, "no player called 'genius'.*easy, medium, hard, learned, neural"),
    (["easy"], 1, 1, "2 to 5 different players, not 1"),
    ([], 1, 1, "2 to 5 different players, not 0"),
    (["easy", "easy"], 1, 1, "easy is named 2 times"),
    ("easy", 1, 1, "list of names"),
    ([1, 2], 1, 1, "list of names"),
    (["easy", "hard"], 0, 1, "Pairs must be a whole number from 1 to 3, not 0"),
    (["easy", "hard"], 4, 1, "Pairs must be a whole number from 1 to 3, not 4"),
    (["easy", "hard"], True, 1, "Pairs must be"),
    (["easy", "hard"], 1, 0, "seed must be a whole number from 1 to 1000000, not 0"),
    (["easy", "hard"], 1, 1_000_001, "seed must be"),
    (["easy", "hard"], 1, "7", "seed must be"),
]


@pytest.mark.parametrize(("players", "pairs", "seed", "words"), BAD_SETTINGS)
def test_settings_that_cannot_be_played_are_refused_in_one_sentence(players, pairs, seed, words):
    with pytest.raises(ValueError, match=words):
        tools.run_tournament(players, pairs, seed)
    assert not Path(tools.TOURNAMENT_DIR).exists()


def test_model_that_asks_for_unplayable_settings_is_told_before_anyone_approves():
    asked = []
    box = ToolBox([tools.run_tournament])
    result = box.run(
        "run_tournament", {"players": ["easy"], "pairs": 9}, lambda *call: asked.append(call) or True
    )
    assert "players needs at least 2 items" in result["error"]
    assert "pairs must be at most 3" in result["error"]
    assert asked == []


def test_tournament_is_never_played_without_approval():
    result = ToolBox([tools.run_tournament]).run(
        "run_tournament", {"players": ["easy", "hard"]}, lambda *_: False
    )
    assert result == {"error": "A person did not approve run_tournament, so it was not run."}


def test_results_name_the_winner_and_count_the_moves():
    assert tools.run_tournament(["easy", "hard"])["results"] == [
        {"game": 1, "black": "easy", "white": "hard", "winner": "easy", "moves": 3},
        {"game": 2, "black": "hard", "white": "easy", "winner": "hard", "moves": 3},
    ]


def test_standings_go_by_points_then_elo_then_name():
    def game(black, white, winner):
        return {"black": black, "white": white, "winner": winner, "moves": []}

    games = [game("a", "b", "b"), game("b", "a", "b"), game("d", "c", "draw")]
    tools.save({"tournament_id": "20260101-000000", "games": games})
    table = tools.standings("20260101-000000")["table"]
    # b lost first and then won as the weaker one, which counts for more. c and d stand at 1200 with ½.
    assert [(row["player"], row["points"], row["elo"]) for row in table] == [
        ("b", 1.0, 1201), ("a", 1.0, 1199), ("c", 0.5, 1200), ("d", 0.5, 1200),
    ]  # fmt: skip


def test_standings_have_the_fixed_keys_and_say_how_elo_is_made():
    made = tools.run_tournament(["easy", "hard"])["tournament_id"]
    result = tools.standings(made)
    assert list(result) == ["tournament_id", "games_played", "table", "elo_note"]
    assert list(result["table"][0]) == ["player", "games", "wins", "draws", "losses", "points", "elo"]
    assert result["elo_note"] == "Everyone starts at 1200; K is 32, as in Course 4."


def test_mistakes_have_the_fixed_keys():
    made = tools.run_tournament(["easy", "medium", "hard"])["tournament_id"]
    result = tools.find_mistakes(made)
    assert list(result) == ["tournament_id", "review_depth", "mistakes_found", "biggest_mistakes", "note"]
    assert result["biggest_mistakes"][0] == {
        "game": 1, "move_number": 3, "side": "Black", "player": "easy",
        "played": "b2-c3", "engine_best_move": "d4-e5", "lost_men": 1.5, "better_line": ["d4-e5"],
    }  # fmt: skip
    assert len(result["biggest_mistakes"]) == 3


def test_review_is_made_once_and_saved_with_its_tournament(folder):
    made = tools.run_tournament(["easy", "medium", "hard"], pairs=2)["tournament_id"]  # 12 games, 12 mistakes
    first = tools.find_mistakes(made, how_many=10)
    broken_node(folder, "sys.exit('asked again')")
    again = tools.find_mistakes(made, how_many=2)
    assert again["biggest_mistakes"] == first["biggest_mistakes"][:2]
    assert len(tools.load(made)["review"]["mistakes"]) == 10


def test_review_that_another_process_saved_first_stands(monkeypatch):
    made = tools.run_tournament(["easy", "hard"])["tournament_id"]
    real_arena, other = tools.arena, {"depth": 9, "mistakes_found": 0, "mistakes": []}

    def slow_arena(request):
        answer = real_arena(request)
        tools.save({**tools.load(made), "review": other})
        return answer

    monkeypatch.setattr(tools, "arena", slow_arena)
    assert tools.find_mistakes(made)["review_depth"] == 9


@pytest.mark.parametrize("how_many", [0, 11, "3", True])
def test_number_of_mistakes_is_one_to_ten(how_many):
    with pytest.raises(ValueError, match=r"how_many must be a whole number from 1 to 10"):
        tools.find_mistakes("20260101-000000", how_many)


def test_no_error_message_shows_an_id_that_a_model_could_copy():
    schemas = json.dumps(ToolBox([tools.standings, tools.find_mistakes, tools.run_tournament]).schemas())
    error = ToolBox([tools.standings]).run("standings", {"tournament_id": "today"})["error"]
    assert not re.search(r"\d{8}-\d{6}", schemas + error)


# --- With the real engine ---------------------------------------------------------------------------------


@needs_node
def test_players_of_the_engine_are_the_five_of_the_courses(monkeypatch):
    monkeypatch.delenv("NODE_BINARY")
    players = tools.list_players()["players"]
    assert [player["name"] for player in players] == tools.PLAYERS
    assert list(players[0]) == ["name", "depth", "random_chance", "evaluation", "built_in"]
    assert [player["built_in"] for player in players] == ["Course 1"] * 3 + ["Course 3"] * 2


@needs_node
def test_games_of_a_tournament_are_counted_on_a_terminal(monkeypatch):
    monkeypatch.delenv("NODE_BINARY")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    tools.run_tournament(["easy", "medium"])
    assert "1 of 2 games played, about " in terminal.text
    assert "2 of 2 games played" in terminal.text


@needs_node
def test_same_seed_gives_the_same_games_however_many_workers_play(monkeypatch):
    monkeypatch.delenv("NODE_BINARY")
    games = []
    for workers in ("1", "2"):
        monkeypatch.setenv("ARENA_WORKERS", workers)
        games.append(tools.load(tools.run_tournament(["easy", "medium"], seed=7)["tournament_id"])["games"])
    assert games[0] == games[1]


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
