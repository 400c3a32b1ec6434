"""Facts in an answer: what is found, what it is bound to, and whether it stands beside the right name.

The tables of sentences are written by hand, over one made-up tournament in the shapes of the draughts tools and over
results that have nothing to do with draughts. A true sentence must pass; a sentence with two facts swapped, or with
a fact of another name, must be refused.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import covers, in_the_right_place, moves_grounded, numbers_grounded, quotes_grounded
from agentkit.more.claims import claims_of
from agentkit.more.layout import passages_of
from agentkit.more.numbers import scan
from agentkit.more.receipts import answer_in, receipts_of, sources_section, value_at
from agentkit.more.sources import Index, index_of

ID = "20261028-140501"


def entry(tool, result, **args):
    return {"tool": tool, "args": args, "result": result}


def row(player, games, wins, draws, losses, points, elo):
    keys = ("player", "games", "wins", "draws", "losses", "points", "elo")
    return dict(zip(keys, (player, games, wins, draws, losses, points, elo), strict=True))


def game(number, black, white, winner, moves):
    return {"game": number, "black": black, "white": white, "winner": winner, "moves": moves}


def mistake(number, move, side, player, played, best, **cost):
    found = {"game": number, "move_number": move, "side": side, "player": player}
    return {**found, "played": played, "engine_best_move": best, **cost}


TABLE = [
    row("hard", 4, 3, 1, 0, 3.5, 1246),
    row("medium", 4, 1, 2, 1, 2.0, 1203),
    row("easy", 4, 0, 1, 3, 0.5, 1151),
]
GAMES = [
    game(1, "easy", "medium", "medium", 61),
    game(2, "easy", "hard", "hard", 48),
    game(3, "medium", "easy", "draw", 132),
    game(4, "medium", "hard", "draw", 97),
    game(5, "hard", "easy", "hard", 55),
    game(6, "hard", "medium", "hard", 78),
]
MISTAKES = [
    mistake(2, 14, "Black", "easy", "c3-d4", "e3-f4", verdict="walked into a forced loss"),
    mistake(5, 23, "White", "easy", "f6-e5", "d6xf4", lost_men=3.2),
    mistake(6, 31, "White", "medium", "b6-a5", "h6-g5", lost_men=1.4),
]
PLAYERS = [
    {"name": name, "depth": depth, "random_chance": chance, "evaluation": kind, "built_in": course}
    for name, depth, chance, kind, course in [
        ("easy", 1, 0.3, "hand", "Course 1"),
        ("medium", 4, 0, "hand", "Course 1"),
        ("hard", 9, 0, "hand", "Course 1"),
        ("learned", 9, 0, "learned", "Course 3"),
        ("neural", 9, 0, "neural", "Course 3"),
    ]
]
NOTE = (
    "Tournament 20261020-081400 with players easy, medium, hard: hard 4.0 points, Elo 1260; "
    "medium 1.5 points, Elo 1190; easy 0.5 points, Elo 1150"
)
ELO_NOTE = "Everyone starts at 1200; K is 32, as in Course 4."
STANDINGS = entry(
    "standings",
    {"tournament_id": ID, "games_played": 6, "table": TABLE, "elo_note": ELO_NOTE},
    tournament_id=ID,
)
REVIEW = entry(
    "find_mistakes",
    {
        "tournament_id": ID,
        "review_depth": 10,
        "mistakes_found": 17,
        "biggest_mistakes": MISTAKES,
        "note": "lost_men is how much the move cost against the engine's best move, in men.",
    },
    tournament_id=ID,
)
RECALL = entry("recall", {"notes_found": 1, "notes": [{"when": "2026-10-20T08:15:00+00:00", "text": NOTE}]}, query="x")
PLAYED = entry(
    "run_tournament",
    {"tournament_id": ID, "games_played": 6, "results": GAMES},
    players=["easy", "medium", "hard"],
    pairs=1,
    seed=42,
)
REPORTER = [STANDINGS, REVIEW, RECALL]
DIRECTOR = [entry("list_players", {"players": PLAYERS}), PLAYED, STANDINGS]
ANALYST = [REVIEW]

TRUE = {
    "sentences with two names": (
        REPORTER,
        [
            "Hard won with 3.5 points, followed by medium on 2.0 and easy on 0.5.",
            "With 3.5 points, hard finished first, ahead of easy on 0.5.",
            "Hard finished ahead of easy with 3.5 points to 0.5.",
            "3.5 points for hard and 0.5 for easy.",
            "Hard beat easy twice, scoring 3.5 points and reaching 1246 Elo.",
            "Hard (Elo 1246) finished above easy (Elo 1151).",
            "Medium's score of 2.0 is behind hard's 3.5 but ahead of easy's 0.5.",
            "Their Elo ratings are 1246 for hard, 1203 for medium and 1151 for easy.",
            "Hard, medium and easy have 3.5, 2.0 and 0.5 points.",
            "While easy collected just 0.5 points, hard collected 3.5.",
        ],
    ),
    "a verb that says what the games came to": (
        DIRECTOR,
        [
            "Hard won 3 games and drew 1 game, while easy won 0 games and lost 3 games.",
            "Easy lost 3 of its 4 games. Medium played 4 games and won just 1 game.",
            "Hard winning 3 games and easy winning 0 games made 3.5 points for hard and 0.5 for easy.",
        ],
    ),
    "pronouns": (
        REPORTER,
        [
            "Hard came first. It scored 3.5 points. Easy came last. It scored 0.5 points.",
            "The winner is hard, which won 3, drew 1 and lost 0 of its 4 games. "
            "Its Elo is 1246, while easy stands at 1151.",
            "Hard's Elo is 1246 and easy's is 1151. They scored 3.5 and 0.5 points.",
        ],
    ),
    "words, fractions and marks": (
        REPORTER,
        [
            "Hard finished unbeaten: three wins, one draw and no losses, for 3½ points.",
            "**Hard** leads with **3.5** points and an Elo of `1,246`. *Easy* is last with *0.5*.",
            "Hard's 3.5 points put it 1st; medium's 2.0 put it 2nd.",
            "No player other than hard won more than one game.",
            "Six games were played in all, four by each player.",
        ],
    ),
    "tables": (
        REPORTER,
        [
            "| Player | Points | Elo |\n|---|---|---|\n| hard | 3.5 | 1246 |\n| easy | 0.5 | 1151 |",
            "| # | Name | P | W | D | L | Pts |\n|---|---|---|---|---|---|---|\n"
            "| 1 | hard | 4 | 3 | 1 | 0 | 3.5 |\n| 2 | medium | 4 | 1 | 2 | 1 | 2 |",
            "| | hard | easy |\n|---|---|---|\n| Points | 3.5 | 0.5 |\n| Elo | 1246 | 1151 |",
            "| Player | Record |\n|---|---|\n| hard | 3 wins, 1 draw, 0 losses |\n| easy | 0 wins, 1 draw, 3 losses |",
            "| Player | W-D-L |\n|---|---|\n| hard | 3-1-0 |\n| medium | 1-2-1 |\n| easy | 0-1-3 |",
            "```\nhard    4  3  1  0  3.5  1246\nmedium  4  1  2  1  2.0  1203\n```",
            "player,points,elo\nhard,3.5,1246\nmedium,2.0,1203",
            "Player | Points\n--- | ---\nhard | 3.5\neasy | 0.5",
        ],
    ),
    "lists and headings": (
        REPORTER,
        [
            "1. **hard** — 3.5 points (Elo 1246)\n2. **easy** — 0.5 points (Elo 1151)",
            "### hard\n\n- Points: 3.5\n- Elo: 1246\n\n### easy\n\n- Points: 0.5\n- Elo: 1151",
            "- Hard\n    - 3 wins\n    - 1246 Elo\n- Easy\n    - 0 wins\n    - 1151 Elo",
            "Standings:\nhard: games 4, wins 3, points 3.5\neasy: games 4, wins 0, points 0.5",
        ],
    ),
    "games": (
        DIRECTOR,
        [
            "Game 1 (easy v medium) went to medium after 61 moves; game 2 (easy v hard) to hard after 48.",
            "Easy met hard in games 2 and 5 and lost both, in 48 and 55 moves.",
            "| # | Black | White | Result | Moves |\n|---|---|---|---|---|\n| 1 | easy | medium | medium | 61 |",
            "easy (depth 1, 30 % random), medium (depth 4) and hard (depth 9) played 6 games.",
        ],
    ),
    "mistakes": (
        ANALYST,
        [
            "Easy made two of the three biggest mistakes.",
            "In game 2, move 14, easy (Black) played c3-d4; the engine preferred e3-f4.",
            "Easy's two mistakes were c3-d4 (game 2, move 14) and f6-e5 (game 5, move 23).",
            "Two of the worst were by easy: c3-d4 and f6-e5, in games 2 and 5.",
            "At move 14 of game 2 easy played c3-d4. The best move was e3-f4.",
            "Instead of d6xf4, easy played f6-e5 at move 23 of game 5 and lost 3.2 men.",
            "The engine would have played e3-f4 instead of easy's c3-d4 in game 2.",
            "`c3-d4` by easy in game 2 (move 14). Better: `e3-f4`",
        ],
    ),
    "earlier notes": (
        REPORTER,
        [
            "In the earlier tournament hard had 4.0 points and an Elo of 1260, against 3.5 and 1246 now.",
            "Medium's Elo is 1203, up from 1190 in tournament 20261020-081400.",
            "From a starting rating of 1200, hard climbed to 1246.",
        ],
    ),
}
FALSE = {
    "two facts swapped": (
        REPORTER,
        [
            "Hard won with 0.5 points, followed by medium on 2.0 and easy on 3.5.",
            "With 0.5 points, hard finished first, ahead of easy on 3.5.",
            "Hard finished ahead of easy with 0.5 points to 3.5.",
            "0.5 points for hard and 3.5 for easy.",
            "Hard (Elo 1151) finished above easy (Elo 1246).",
            "Hard, medium and easy have 2.0, 3.5 and 0.5 points.",
            "Hard came first. It scored 0.5 points. Easy came last. It scored 3.5 points.",
            "| Player | Points | Elo |\n|---|---|---|\n| hard | 3.5 | 1151 |\n| easy | 0.5 | 1246 |",
            "| Player | Wins | Losses |\n|---|---|---|\n| hard | 0 | 3 |\n| easy | 0 | 3 |",
            "| | hard | easy |\n|---|---|---|\n| Points | 0.5 | 3.5 |",
            "| Player | Record |\n|---|---|\n| hard | 0 wins, 1 draw, 3 losses |",
            "```\nhard    4  3  1  0  2.0  1246\nmedium  4  1  2  1  3.5  1203\n```",
            "player,points,elo\nhard,2.0,1246\nmedium,3.5,1203",
            "### hard\n\n- Points: 0.5\n\n### easy\n\n- Points: 3.5",
            "- Hard\n    - 1151 Elo\n- Easy\n    - 1246 Elo",
        ],
    ),
    "a fact of another name or field": (
        REPORTER,
        [
            "| Player | Points |\n|---|---|\n| neural | 3.5 |\n| easy | 0.5 |",
            "Hard has three losses.",
            "Hard scored 3.5 wins.",
            "Four mistakes were found.",
            "Hard scored 3.5 % of its games.",
            "Hard's Elo was 1260 and its score 3.5 points.",
        ],
    ),
    "another game": (
        DIRECTOR,
        [
            "Game 1 lasted 48 moves and game 2 lasted 61.",
            "Easy met hard in game 2 and lost in 55 moves.",
            "| Game | Black | White | Winner | Moves |\n|---|---|---|---|---|\n| 1 | easy | medium | easy | 61 |",
            "Easy searches at depth 9.",
        ],
    ),
    "a verb that says what the games came to": (
        DIRECTOR,
        [
            "Hard lost 4 games.",
            "Hard won 3 games, while easy won 0 games and drew 4 games.",
            "Medium and easy each winning 4 games and drawing 0 games.",
        ],
    ),
    "another mistake": (
        ANALYST,
        [
            "In game 2, move 14, easy (Black) played f6-e5; the engine preferred e3-f4.",
            "In game 2, move 23, easy played c3-d4.",
            "Easy's two mistakes were c3-d4 (game 5, move 23) and f6-e5 (game 2, move 14).",
            "At move 14 of game 2 easy played c3-d4. The best move was d6xf4.",
            "Instead of e3-f4, easy played f6-e5 at move 23 of game 5.",
            "`e3-f4` by easy in game 2 (move 14). Better: `c3-d4`",
            "| Game | Move | Player | Played | Best |\n|---|---|---|---|---|\n| 2 | 14 | easy | f6-e5 | e3-f4 |",
        ],
    ),
}

WEATHER = [
    entry("get_weather", {"rain_pct": 80, "summary": "heavy showers"}, city="Pune", date="2026-09-28"),
    entry("get_weather", {"rain_pct": 10, "summary": "clear"}, city="Delhi", date="2026-09-28"),
]
CITIES = [
    entry(
        "cities",
        {
            "cities": [
                {"name": "Leeds", "population": 812000, "area_km2": 551.7},
                {"name": "York", "population": 202800, "area_km2": 272},
                {"name": "Bath", "population": 94092, "area_km2": 28.7},
            ],
            "total": 3,
        },
        country="UK",
    )
]
RATINGS = [entry("ratings", {"ratings": {"ann": 1184, "bob": 1216, "cy": 1300}, "names": ["ann", "bob", "cy"]})]
ACCOUNTS = [entry("orders", {"Smith": {"orders": 3, "total": 120.5}, "Jones": {"orders": 5, "total": 87.25}})]
FILES = [
    entry("sizes", [{"file": "src/app.py", "lines": 120, "kb": 4.2}, {"file": "src/util.py", "lines": 45, "kb": 1.1}])
]
ELSEWHERE_TRUE = [
    (WEATHER, "Pune has an 80% chance of rain (heavy showers) and Delhi 10%."),
    (CITIES, "Leeds has 812,000 people, York 202,800 and Bath 94,092."),
    (CITIES, "Leeds is the largest of the 3 cities at 551.7 km2."),
    (RATINGS, "Cy leads with 1300, ahead of Bob on 1216 and Ann on 1184."),
    (ACCOUNTS, "Smith placed 3 orders worth 120.50 in total; Jones placed 5 worth £87.25."),
    (FILES, "src/app.py has 120 lines (4.2 kB) and src/util.py has 45 (1.1 kB)."),
]
ELSEWHERE_FALSE = [
    (WEATHER, "Pune has a 10% chance of rain and Delhi 80%."),
    (CITIES, "Leeds has 202,800 people, York 812,000 and Bath 94,092."),
    (RATINGS, "ann: 1216, bob: 1184, cy: 1300"),
    (ACCOUNTS, "Smith placed 5 orders worth 87.25; Jones placed 3 worth 120.50."),
    (FILES, "src/app.py has 45 lines and src/util.py has 120."),
]


def cases(table):
    return [
        pytest.param(log, text, id=f"{kind}: {text[:40]!r}") for kind, (log, texts) in table.items() for text in texts
    ]


@pytest.mark.parametrize(("log", "text"), cases(TRUE))
def test_a_true_statement_is_accepted_in_many_wordings(log, text):
    assert numbers_grounded(text, log) + moves_grounded(text, log) + in_the_right_place(text, log) == []


@pytest.mark.parametrize(("log", "text"), cases(FALSE))
def test_a_real_fact_in_the_wrong_place_is_refused(log, text):
    assert numbers_grounded(text, log) == moves_grounded(text, log) == []
    assert in_the_right_place(text, log) != []


@pytest.mark.parametrize(("log", "text"), ELSEWHERE_TRUE)
def test_records_of_any_kind_are_understood(log, text):
    assert numbers_grounded(text, log) + in_the_right_place(text, log) == []


@pytest.mark.parametrize(("log", "text"), ELSEWHERE_FALSE)
def test_swapped_facts_of_records_of_any_kind_are_refused(log, text):
    assert in_the_right_place(text, log) != []


def test_a_problem_names_the_fact_what_the_tools_say_instead_and_where():
    (problem,) = in_the_right_place("Hard has an Elo of 1151.", REPORTER)
    assert problem == (
        "1151 does not belong to hard (standings, table[2].elo): "
        "for hard the tools say elo 1246 (standings, table[0].elo)."
    )


@pytest.mark.parametrize("text", ["- Elo 1246 for hard\n- Elo 1151 for {}", "- Elo 1246 for {}\n- Elo 1151 for easy"])
def test_a_strange_name_where_the_other_items_have_known_ones_is_refused(text):
    assert in_the_right_place(text.format("neural"), REPORTER) == ["No tool returned anything about neural."]


def test_facts_without_a_name_or_without_records_are_left_alone():
    assert in_the_right_place("It is 12 and 7.", [entry("sum", {"a": 12, "b": 7})]) == []
    assert in_the_right_place("", REPORTER) == in_the_right_place("Hard has 1151.", []) == []
    assert in_the_right_place("The review went to depth 10 and everyone starts at 1200.", REPORTER) == []


def test_a_manager_is_checked_against_the_tables_in_its_colleagues_reports():
    answer = "| Player | Points | Elo |\n|---|---|---|\n| hard | 3.5 | 1246 |\n| easy | 0.5 | 1151 |"
    log = [entry("ask_reporter", {"answer": answer, "passed": True, "problems": [], "games_played": 6}, task="report")]
    for text in (answer, "Hard has 3.5 points and easy 0.5.", "- Hard: Elo 1246\n- Easy: Elo 1151"):
        assert numbers_grounded(text, log) + in_the_right_place(text, log) == []
    assert in_the_right_place("Hard has 0.5 points and easy 3.5.", log) != []
    assert in_the_right_place(answer.replace("1246", "x").replace("1151", "1246").replace("x", "1151"), log) != []


# --- claims and their receipts ---


def test_a_claim_knows_where_it_stands_and_every_value_that_supports_it():
    text = "Hard has Elo 1246."
    (claim,) = claims_of(text, REPORTER)
    assert text[claim.start : claim.end] == claim.text == "1246"
    assert [(one.call, one.tool, one.path, one.given) for one in claim.support] == [
        (1, "standings", "table[0].elo", 1246)
    ]


def test_every_path_of_a_receipt_leads_to_its_value():
    text = "\n\n".join(text for log, texts in TRUE.values() if log is REPORTER for text in texts)
    receipts = [receipt for claim in receipts_of(text, REPORTER)["claims"] for receipt in claim["receipts"]]
    assert receipts
    for receipt in receipts:
        found = value_at(REPORTER[receipt["call"] - 1], receipt["path"])
        assert receipt["value"] in (found, len(found) if isinstance(found, list) else found)


def test_a_receipt_is_the_value_of_the_right_record():
    document = receipts_of("Easy has 3 losses; hard has 3 wins.", REPORTER)
    paths = [[receipt["path"] for receipt in claim["receipts"]] for claim in document["claims"]]
    assert paths == [["table[2].losses"], ["table[0].wins"]]


def test_sources_are_numbered_in_the_order_of_the_calls():
    text = "In game 5 easy lost 3.2 men. Easy has Elo 1151."
    assert sources_section(text, REPORTER) == (
        "## Sources\n\n"
        "1. standings (call 1): table[].elo\n"
        "2. find_mistakes (call 2): biggest_mistakes[].game, biggest_mistakes[].lost_men"
    )
    assert sources_section("Nothing to see.", REPORTER) == ""


def test_a_fact_without_a_source_is_told_in_the_receipts():
    document = receipts_of("It is 999.", REPORTER)
    assert document["claims"][0]["source"] is None and document["claims"][0]["receipts"] == []
    assert "No tool gave: 999." in sources_section("It is 999.", REPORTER)


def test_the_last_answer_of_an_agent_is_read_with_the_tool_log_of_its_last_task():
    events = [
        {"kind": "task", "agent": "a", "text": "first"},
        {"kind": "tool", "agent": "a", "tool": "t", "args": {}, "result": {"x": 1}},
        {"kind": "answer", "agent": "a", "text": "1", "problems": []},
        {"kind": "task", "agent": "a", "text": "second"},
        {"kind": "tool", "agent": "b", "tool": "u", "args": {}, "result": {"x": 3}},
        {"kind": "tool", "agent": "a", "tool": "t", "args": {}, "result": {"x": 2}},
        {"kind": "answer", "agent": "a", "text": "2", "problems": []},
    ]
    assert answer_in(events, "a") == ("2", [{"tool": "t", "args": {}, "result": {"x": 2}}])
    assert answer_in(events) == answer_in(events, "a")
    assert answer_in(events, "nobody") == ("", [])


# --- quotations and completeness ---


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("The note says “Everyone starts at 1200; K is 32”.", True),
        ('It says "everyone starts   at 1200".', True),
        ('It says "Everyone starts … as in Course 4".', True),
        ("> Everyone starts at 1200", True),
        ('It says "everyone starts at 1300".', False),
        ('It says "Course 4 … everyone starts".', False),
        ("> Nobody ever said this.", False),
        ('This is a "real mistake".', True),  # two words are a word in inverted commas
        ("Easy's move wasn't hard's best.", True),
    ],
)
def test_a_quotation_must_stand_in_a_result(text, passes):
    assert (quotes_grounded(text, REPORTER) == []) is passes


def test_an_answer_must_mention_every_record_of_the_lists_it_covers():
    check = covers("table", "biggest_mistakes")
    whole = "Hard, medium and easy played. Mistakes: c3-d4, f6-e5 and b6-a5."
    assert check(whole, REPORTER) == []
    (problem,) = check(whole.replace(", medium", ""), REPORTER)
    assert "leaves out 1 of 3 in table: player medium" in problem
    (problem,) = check(whole.replace("f6-e5 and ", ""), REPORTER)
    assert "leaves out 1 of 3 in biggest_mistakes: game 5, move_number 23" in problem
    assert check(whole.replace("f6-e5", "game 5, move 23"), REPORTER) == []


def test_a_tools_name_covers_all_its_lists():
    whole = "Hard, medium and easy played. Mistakes: c3-d4, f6-e5 and b6-a5."
    assert covers("standings", "find_mistakes")(whole, REPORTER) == []
    (problem,) = covers("standings")(whole.replace(", medium", ""), REPORTER)
    assert "leaves out 1 of 3 in standings.table: player medium" in problem
    assert covers("find_mistakes")("None.", [entry("find_mistakes", {"biggest_mistakes": []})]) == []
    assert covers("standings")("hard", [REVIEW]) == ["No tool returned standings, which the answer must cover."]


def test_a_list_that_no_tool_returned_cannot_be_covered():
    assert covers("table")("hard", [REVIEW]) == ["No tool returned table, which the answer must cover."]


def test_an_empty_list_asks_for_nothing_and_the_last_of_several_counts():
    empty = entry("find_mistakes", {"biggest_mistakes": []})
    assert covers("biggest_mistakes")("None.", [REVIEW, empty]) == []
    assert covers("find_mistakes.biggest_mistakes")("None.", [empty, REVIEW]) != []


# --- wild texts and wild results ---

wild = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(st.text())
@settings(max_examples=300, deadline=None)
def test_tokens_stand_where_they_say_and_do_not_overlap(text):
    tokens = scan(text)
    for token in tokens:
        assert text[token.start : token.end] == token.text
    assert all(one.end <= other.start for one, other in pairwise(tokens))


@given(st.text(alphabet="ab1 |-*#.\n>`,;:()x½%−", max_size=80))
@settings(max_examples=300, deadline=None)
def test_passages_are_in_order_and_within_the_answer(text):
    passages = passages_of(text)
    assert all(0 <= one.start <= one.end <= len(text) for one in passages)
    assert [one.start for one in passages] == sorted(one.start for one in passages)


@given(st.lists(st.tuples(wild, wild), max_size=3), st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_no_log_and_no_answer_stops_a_check(calls, answer):
    log = [{"tool": "t", "args": args, "result": result} for args, result in calls]
    for check in (numbers_grounded, moves_grounded, in_the_right_place, quotes_grounded, covers()):
        assert isinstance(check(answer, log), list)
    assert receipts_of(answer, log)["format"] == 1


@given(st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9).map(lambda value: round(value, 3)))
@settings(max_examples=300, deadline=None)
def test_a_number_that_a_tool_gave_is_always_accepted_as_it_is_written(value):
    assert numbers_grounded(f"It is {value}.", [entry("t", {"x": value})]) == []


def test_an_index_is_made_once_for_one_log():
    log = [entry("t", {"x": 1})]
    assert index_of(log) is index_of([entry("t", {"x": 1})])
    assert index_of(log) is not index_of([entry("t", {"x": 2})])
    assert isinstance(index_of([entry("t", object())]), Index)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
