"""Elo as Arpad Elo defined it: expected values are worked out by hand from the formula, or come from the
published table of expected scores (FIDE Handbook B.02, table 8.1b, which rounds to two decimals).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import ratings


def game(black: str, white: str, winner: str) -> dict:
    return {"black": black, "white": white, "winner": winner}


GAMES = st.lists(
    st.tuples(st.permutations(["a", "b", "c", "d"]), st.sampled_from(["b", "w", "draw"])).map(
        lambda pick: game(pick[0][0], pick[0][1], pick[1])
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("difference", "expected"), [(0, 0.50), (100, 0.64), (200, 0.76), (400, 0.91), (-200, 0.24)]
)
def test_expected_score_agrees_with_the_published_table(difference, expected):
    assert ratings.expected_score(1200 + difference, 1200) == pytest.approx(expected, abs=0.006)


def test_first_win_between_equals_moves_each_player_by_half_of_k():
    table = ratings.compute([game("medium", "easy", "b")])
    assert (table["medium"]["rating"], table["easy"]["rating"]) == (1216, 1184)


def test_second_win_moves_less_than_the_first():
    # Expected score of 1216 against 1184: 1 / (1 + 10^(-32/400)) = 0.54592; 32 * (1 - 0.54592) = 14.53.
    table = ratings.compute([game("medium", "easy", "b"), game("easy", "medium", "w")])
    assert table["medium"]["rating"] == pytest.approx(1230.53, abs=0.005)


def test_draw_between_equals_moves_nobody():
    table = ratings.compute([game("a", "b", "draw")])
    assert [row["rating"] for row in table.values()] == [1200, 1200]


def test_points_count_one_for_a_win_and_a_half_for_a_draw():
    row = ratings.compute([game("a", "b", "b"), game("b", "a", "draw"), game("a", "b", "w")])["a"]
    assert {key: row[key] for key in ("games", "wins", "draws", "losses", "points")} == {
        "games": 3, "wins": 1, "draws": 1, "losses": 1, "points": 1.5,
    }  # fmt: skip


def test_order_of_games_matters():
    games = [game("a", "b", "b"), game("b", "c", "b"), game("a", "b", "w")]
    assert ratings.compute(games)["a"]["rating"] != ratings.compute(games[::-1])["a"]["rating"]


def test_generator_is_read_once_and_is_enough():
    games = [game("a", "b", "b"), game("b", "a", "draw")]
    assert ratings.compute(item for item in games) == ratings.compute(games)


def test_no_games_give_no_players():
    assert ratings.compute([]) == {}


@given(GAMES)
def test_rating_points_are_neither_made_nor_lost(games):
    table = ratings.compute(games)
    assert sum(row["rating"] for row in table.values()) == pytest.approx(1200 * len(table))


@given(GAMES)
def test_swapping_colours_and_winner_changes_no_rating(games):
    other = {"b": "w", "w": "b", "draw": "draw"}
    swapped = [game(item["white"], item["black"], other[item["winner"]]) for item in games]
    before, after = ratings.compute(games), ratings.compute(swapped)
    assert {name: row["rating"] for name, row in before.items()} == pytest.approx(
        {name: row["rating"] for name, row in after.items()}
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (game("a", "b", "black"), "winner 'black'"),
        (game("a", 2, "b"), "the player 2: a player's name is text"),
        (game("a", "a", "b"), "'a' on both sides"),
        ({"black": "a", "winner": "b"}, "has no white"),
    ],
)
def test_game_that_cannot_be_rated_is_named(wrong, words):
    with pytest.raises(ValueError, match=f"Game 2.*{words}"):
        ratings.compute([game("a", "b", "b"), wrong])


def test_program_prints_the_table_best_first(tmp_path, capsys):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"games": [game("easy", "medium", "w")]}), encoding="utf-8")
    assert ratings.main([str(path)]) == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["medium", "1216"], ["easy", "1184"]]


def test_program_prints_one_json_document(tmp_path, capsys):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([game("easy", "medium", "w")]), encoding="utf-8")
    assert ratings.main([str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["medium"]["wins"] == 1


@pytest.mark.parametrize("content", ["{", '{"games": 3}', "[1]", '[{"black": "a"}]'])
def test_program_names_a_file_that_holds_no_games(tmp_path, capsys, content):
    path = tmp_path / "broken.json"
    path.write_text(content, encoding="utf-8")
    assert ratings.main([str(path)]) == 2
    assert capsys.readouterr().err.strip()


def test_reader_that_goes_away_makes_no_traceback(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([game("easy", "medium", "w")]), encoding="utf-8")
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, str(ROOT / "ratings.py"), str(path)]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only on systems with a device that is always full")
def test_output_that_cannot_be_written_is_told_in_one_sentence(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([game("easy", "medium", "w")]), encoding="utf-8")
    with open("/dev/full", "wb") as full:
        command = [sys.executable, str(ROOT / "ratings.py"), str(path)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"The ratings could not be written: ") and done.stderr.count(b"\n") == 1


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
