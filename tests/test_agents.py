"""What the draughts team promises to the learners of the course: its tools, its checks, its work, its memory.

Standard library only (and Node for the tests that play), so that it runs from the project's folder by

    python tests/test_agents.py

Every model here is a script or the stand-in; tournaments and notes go to a temporary folder. Expected points and
ratings are worked out by hand. The wild cases have files of their own (test_draughts_tools.py, test_run_team.py).
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import Notebook, ScriptedModel, Tracer, refuse_all
from agentkit.trace import read_trace
from agents import draughts_team as team
from agents import draughts_tools as tools
from devtools.standin import StandInModel

ID = "20260101-120000"
INPUTS = {"players": ["easy", "medium"], "pairs": 1, "seed": 1}


def game(number: int, black: str, white: str, winner: str) -> dict:
    return {"number": number, "black": black, "white": white, "winner": winner, "moves": ["c3-d4", "b6-a5"]}


# medium wins twice: 1200 + 16 = 1216, then + 32 * (1 - 0.546) = 1231 (see tests/test_ratings.py)
GAMES = [game(1, "easy", "medium", "w"), game(2, "medium", "easy", "b")]
MISTAKES = [
    {"game": 2, "move_number": 9, "side": "White", "player": "easy", "played": "b6-a5", "engine_best_move": "d6-c5",
     "verdict": "walked into a forced loss"},
    {"game": 1, "move_number": 5, "side": "Black", "player": "easy", "played": "c3-d4", "engine_best_move": "e3-f4",
     "lost_men": 1.4},
]  # fmt: skip
REVIEW = {"depth": 6, "mistakes_found": 2, "mistakes": MISTAKES}

REPORT = """# Tournament 20260101-120000

| Player | Games | Wins | Draws | Losses | Points | Elo |
|---|---|---|---|---|---|---|
| medium | 2 | 2 | 0 | 0 | 2.0 | 1231 |
| easy | 2 | 0 | 0 | 2 | 0.0 | 1169 |

- Game 2, move 9: easy (White) played b6-a5; the engine's best move was d6-c5. It walked into a forced loss.
- Game 1, move 5: easy (Black) played c3-d4; the engine's best move was e3-f4. It lost 1.4 men.
"""


def call(name: str, **arguments) -> dict:
    return {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


class InATemporaryFolder(unittest.TestCase):
    """Keeps tournaments and notes out of the project's data."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for target, name, value in (
            (tools, "TOURNAMENT_DIR", self.folder / "tournaments"),
            (team, "NOTEBOOK", Notebook(self.folder / "notebook.json")),
        ):
            patcher = mock.patch.object(target, name, value)
            patcher.start()
            self.addCleanup(patcher.stop)

    def save_tournament(self) -> None:
        tools.save({"tournament_id": ID, **INPUTS, "games": GAMES, "review": REVIEW})


def without_engine(test):
    """Let a test fail if it reaches Node."""
    return mock.patch.object(tools, "arena", side_effect=AssertionError("the engine was asked"))(test)


class TheTools(InATemporaryFolder):
    def test_there_are_five_players_from_two_courses(self):
        self.assertEqual(tools.PLAYERS, ["easy", "medium", "hard", "learned", "neural"])
        self.assertEqual(set(tools.WHERE_FROM.values()), {"Course 1", "Course 3"})

    def test_a_tool_describes_itself_to_a_model(self):
        schema = tools.run_tournament.schema()["function"]
        self.assertEqual(schema["parameters"]["required"], ["players"])
        self.assertEqual(schema["parameters"]["properties"]["players"]["items"]["enum"], tools.PLAYERS)
        self.assertEqual(schema["parameters"]["properties"]["pairs"]["maximum"], 3)
        self.assertEqual(schema["parameters"]["properties"]["seed"]["maximum"], 1_000_000)

    def test_only_the_tournament_needs_approval(self):
        every = (tools.list_players, tools.run_tournament, tools.standings, tools.find_mistakes)
        needing = [item.name for item in every if item.needs_approval]
        self.assertEqual(needing, ["run_tournament"])

    def test_a_tournament_is_saved_as_one_file_named_by_its_id(self):
        self.save_tournament()
        self.assertEqual(tools.path_for(ID), self.folder / "tournaments" / f"{ID}.json")
        self.assertEqual(json.loads(tools.path_for(ID).read_text(encoding="utf-8")), tools.load(ID))

    def test_an_id_is_never_a_path(self):
        for wrong in ("../secret", "/etc/passwd", f"{ID}/x", "", "a-b"):
            with self.assertRaises(ValueError):
                tools.path_for(wrong)

    def test_an_unknown_id_is_answered_with_the_ids_there_are(self):
        self.save_tournament()
        with self.assertRaisesRegex(ValueError, f"There is no tournament 123. The tournaments are: {ID}."):
            tools.standings("123")

    @without_engine
    def test_standings_count_points_and_elo(self, _):
        self.save_tournament()
        self.assertEqual(tools.standings(ID), {
            "tournament_id": ID,
            "games_played": 2,
            "table": [
                {"player": "medium", "games": 2, "wins": 2, "draws": 0, "losses": 0, "points": 2.0, "elo": 1231},
                {"player": "easy", "games": 2, "wins": 0, "draws": 0, "losses": 2, "points": 0.0, "elo": 1169},
            ],
            "elo_note": "Everyone starts at 1200; K is 32, as in Course 4.",
        })  # fmt: skip

    @without_engine
    def test_mistakes_come_from_the_review_saved_with_the_tournament(self, _):
        self.save_tournament()
        found = tools.find_mistakes(ID, how_many=1)
        self.assertEqual((found["review_depth"], found["mistakes_found"]), (6, 2))
        self.assertEqual(found["biggest_mistakes"], MISTAKES[:1])
        self.assertIn("both sides", found["note"])
        self.assertIn("lost_men", found["note"])


class TheChecks(InATemporaryFolder):
    """What the reporter may write about one tournament."""

    def problems(self, report: str) -> list[str]:
        self.save_tournament()
        log = [
            {"tool": "standings", "args": {"tournament_id": ID}, "result": tools.standings(ID)},
            {"tool": "find_mistakes", "args": {"tournament_id": ID}, "result": tools.find_mistakes(ID)},
            {"tool": "recall", "args": {"query": "easy"}, "result": {"notes_found": 0, "notes": []}},
        ]
        _, _, reporter = team.build_agents(ScriptedModel([]))
        return reporter.check(report, log)

    def test_a_true_report_passes(self):
        self.assertEqual(self.problems(REPORT), [])

    def test_an_invented_number_is_caught(self):
        self.assertIn("1250", str(self.problems(REPORT.replace("1231", "1250"))))

    def test_an_invented_move_is_caught(self):
        self.assertIn("a3-b4", str(self.problems(REPORT.replace("e3-f4", "a3-b4"))))

    def test_two_ratings_that_were_swapped_are_caught(self):
        swapped = REPORT.replace("1231", "x").replace("1169", "1231").replace("x", "1169")
        self.assertTrue(self.problems(swapped))

    def test_a_player_left_out_is_caught(self):
        kept = [line for line in REPORT.splitlines() if not line.startswith("| medium")]
        self.assertIn("medium", str(self.problems("\n".join(kept))))

    def test_a_mistake_left_out_is_caught(self):
        kept = [line for line in REPORT.splitlines() if not line.startswith("- Game 1")]
        self.assertIn("biggest_mistakes", str(self.problems("\n".join(kept))))

    def test_a_report_of_250_words_is_too_long(self):
        self.assertTrue(any("words" in problem for problem in self.problems(REPORT + "word " * 250)))

    def test_an_answer_without_tools_is_caught(self):
        for agent in team.build_agents(ScriptedModel([])):
            self.assertIn("The answer was written without calling any tool.", agent.check("All is well.", []))

    def test_each_job_has_tools_that_must_have_run(self):
        required = [agent.check.required for agent in team.build_agents(ScriptedModel([]))]
        expected = [("run_tournament", "standings"), ("find_mistakes",), ("standings", "find_mistakes")]
        self.assertEqual(required, expected)
        self.assertEqual(team.build_agents(ScriptedModel([]))[2].check.useful, ("recall",))
        manager = team.build_manager(ScriptedModel([]))
        self.assertEqual(manager.check.required, ("ask_director", "ask_analyst", "ask_reporter"))


class TheTeam(InATemporaryFolder):
    def test_each_agent_has_only_the_tools_that_its_job_needs(self):
        offered = {agent.name: list(agent.toolbox.tools) for agent in team.build_agents(ScriptedModel([]))}
        self.assertEqual(offered, {
            "director": ["list_players", "run_tournament", "standings"],
            "analyst": ["find_mistakes"],
            "reporter": ["standings", "find_mistakes", "recall"],
        })  # fmt: skip

    def test_the_manager_has_three_colleagues_and_six_steps(self):
        manager = team.build_manager(ScriptedModel([]))
        self.assertEqual(list(manager.toolbox.tools), ["ask_director", "ask_analyst", "ask_reporter"])
        self.assertEqual(manager.max_steps, 6)

    def test_instructions_are_short_and_numbered(self):
        for text in (team.DIRECTOR, team.ANALYST, team.REPORTER, team.MANAGER):
            self.assertIn("\n1. ", text)
            self.assertLess(len(text.split()), 150)

    def test_no_text_for_a_model_holds_an_id_that_it_could_copy(self):
        agents = [*team.build_agents(ScriptedModel([])), team.build_manager(ScriptedModel([]))]
        for agent in agents:
            words = agent.instructions + json.dumps(agent.toolbox.schemas())
            self.assertIsNone(re.search(r"\d{8}-\d{6}", words))

    @without_engine
    def test_a_person_who_says_no_is_not_asked_again(self, _):
        model = ScriptedModel([call("run_tournament", **INPUTS), call("run_tournament", **INPUTS), "Done."])
        asked = []
        results = team.build_pipeline(model, approver=lambda *question: asked.append(question) or False).run(INPUTS)
        self.assertEqual(len(asked), 1)
        self.assertEqual(len(results), 1)
        self.assertEqual(results[0].stopped, "not approved: run_tournament")

    @without_engine
    def test_a_reporter_with_a_wrong_number_is_told_and_mends_it(self, _):
        self.save_tournament()
        reads = [call("standings", tournament_id=ID), call("find_mistakes", tournament_id=ID)]
        model = ScriptedModel([*reads, REPORT.replace("1231", "1250"), REPORT])
        _, _, reporter = team.build_agents(model)
        result = reporter.run(team.REPORTER_TASK, {"tournament_id": ID})
        self.assertEqual((result.passed, result.answer, result.retries_used), (True, REPORT.strip(), 1))
        self.assertIn("1250", model.seen[-1]["messages"][-1]["content"])

    @without_engine
    def test_the_director_is_told_when_it_played_another_tournament(self, _):
        check = team.played_as_asked(INPUTS)

        def log(**args) -> list[dict]:
            return [{"tool": "run_tournament", "args": args, "result": {"tournament_id": ID}}]

        self.assertEqual(check("", log(players=["medium", "easy"])), [])
        self.assertEqual(check("", log(**INPUTS)), [])
        for wrong in ({"players": ["easy", "hard"]}, {**INPUTS, "seed": 2}, {**INPUTS, "pairs": 2}):
            self.assertIn("The wrong tournament was played", check("", log(**wrong))[0])

    def test_a_report_compares_with_the_notes_that_were_recalled(self):
        note = {"text": f"Tournament {ID} with players easy, medium: medium 2.0 points, Elo 1216; easy 0.0 points"}
        recalled = [{"tool": "recall", "args": {"query": "easy"}, "result": {"notes_found": 1, "notes": [note]}}]
        nothing = [{"tool": "recall", "args": {"query": "easy"}, "result": {"notes_found": 0, "notes": []}}]
        self.assertEqual(team.compares_with_notes("medium won.", []), [])
        self.assertEqual(team.compares_with_notes("medium won.", nothing), [])
        self.assertEqual(team.compares_with_notes("Medium won, as it had before.", recalled), [])
        self.assertEqual(team.compares_with_notes(f"Tournament {ID} ended alike.", recalled), [])
        self.assertIn("does not compare", team.compares_with_notes("medium won.", recalled)[0])


class TheMemory(InATemporaryFolder):
    TABLE = ({"player": "medium", "points": 2.0, "elo": 1216}, {"player": "easy", "points": 0.0, "elo": 1184})

    def test_a_result_is_remembered_in_fixed_words_with_the_players_as_tags(self):
        note = team.remember({"tournament_id": ID, "players": ["easy", "medium"]}, self.TABLE)
        self.assertEqual(note["text"], f"Tournament {ID} with players easy, medium: "
                                       "medium 2.0 points, Elo 1216; easy 0.0 points, Elo 1184")  # fmt: skip
        self.assertEqual(note["tags"], ["easy", "medium"])

    def test_a_tournament_is_remembered_once(self):
        for _ in range(2):
            team.remember({"tournament_id": ID, "players": ["easy", "medium"]}, self.TABLE)
        self.assertEqual(len(team.NOTEBOOK.notes()), 1)

    def test_the_reporter_can_read_notes_and_not_write_them(self):
        team.remember({"tournament_id": ID, "players": ["easy", "medium"]}, self.TABLE)
        _, _, reporter = team.build_agents(ScriptedModel([]))
        found = reporter.toolbox.run("recall", {"query": "easy medium"})
        self.assertEqual(found["notes_found"], 1)
        self.assertEqual(reporter.toolbox.tools["recall"].risk, "read_only")


@unittest.skipUnless(shutil.which("node"), "needs Node on the path")
class WithTheRealEngine(InATemporaryFolder):
    def run_team(self, model, manager: bool):
        tracer = Tracer(self.folder / "trace.jsonl")
        self.addCleanup(tracer.close)
        build = team.build_manager if manager else team.build_pipeline
        return build(model, approver=lambda *_: True, tracer=tracer, inputs=INPUTS)

    def test_the_pipeline_plays_studies_and_reports(self):
        results = self.run_team(StandInModel(0), manager=False).run(INPUTS)
        self.assertEqual([(result.agent, result.problems) for result in results],
                         [("director", []), ("analyst", []), ("reporter", [])])  # fmt: skip
        tournament_id = results[0].facts()["tournament_id"]
        self.assertEqual(len(tools.load(tournament_id)["games"]), 2)
        self.assertIn(tournament_id, results[-1].answer)

    def test_the_manager_passes_the_reporters_report_on(self):
        result = self.run_team(StandInModel(0), manager=True).run(team.MANAGER_TASK, INPUTS)
        self.assertEqual(result.problems, [])
        answers = {event["agent"]: event["text"] for event in read_trace(self.folder / "trace.jsonl")
                   if event["kind"] == "answer"}  # fmt: skip
        self.assertEqual(answers["manager"], answers["reporter"])

    def test_invented_numbers_are_caught_and_mended_by_every_agent(self):
        model = StandInModel(1, seed=1)
        results = self.run_team(model, manager=False).run(INPUTS)
        self.assertEqual([(result.passed, result.retries_used) for result in results], [(True, 1)] * 3)
        self.assertEqual(len(model.invented), 3)

    def test_the_same_seed_gives_the_same_games(self):
        ids = [tools.run_tournament(["easy", "medium"], seed=5)["tournament_id"] for _ in range(2)]
        self.assertNotEqual(*ids)
        self.assertEqual(*(tools.load(each)["games"] for each in ids))

    def test_nothing_is_played_without_a_yes(self):
        results = team.build_pipeline(StandInModel(0), approver=refuse_all).run(INPUTS)
        self.assertFalse(results[-1].passed)
        self.assertFalse(list(Path(tools.TOURNAMENT_DIR).glob("*.json")))


if __name__ == "__main__":
    unittest.main()
