"""Matches against somebody else's engine, with stand-ins for the opponent: the pipes, the referee, the summary."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from eval import against

# An opponent: it reads requests and answers with what the expression makes of them.
PROGRAM = """\
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({}), flush=True)
"""
START = "B:W21-32:B1-12"


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Install an opponent called "stand-in" whose answers are given as a Python expression."""

    def make(answer: str) -> str:
        (tmp_path / "player.py").write_text(PROGRAM.format(answer), encoding="utf-8")
        monkeypatch.setattr(against, "PROGRAMS", tmp_path)
        monkeypatch.setitem(against.OPPONENTS, "stand-in", ("nothing", "player.py"))
        return "stand-in"

    return make


def match(*moves: str, fen: str = START) -> against.Match:
    """A match of two games, both `moves` on from one position."""
    made = against.Match.of("easy", "stand-in", [{"name": "one", "start": fen}])
    for game in made.games:
        game["moves"].extend(moves)
    return made


def play(made: against.Match, name: str) -> None:
    with against.Opponents(name, 2, Path(sys.executable)) as opponents:
        made.play(opponents, depth=3)


def test_every_opening_is_played_twice_with_the_colours_swapped():
    made = against.Match.of("hard", "other", [{"name": "a", "start": "A"}, {"name": "b", "start": "B"}])
    assert [(game["number"], game["black"], game["start"]) for game in made.games] == [
        (1, "hard", "A"), (2, "other", "A"), (3, "hard", "B"), (4, "other", "B"),
    ]  # fmt: skip


def test_a_game_is_played_to_its_end_by_both_sides_with_the_engine_as_referee(stand_in):
    # Black has one move, which takes White's only man: our player finds it as Black, the stand-in as Black.
    made = match(fen="B:W18:B15")
    play(made, stand_in('{"move": "15x22"}'))
    assert [(game["moves"], game["winner"], game["reason"]) for game in made.games] == [
        (["d4xf6"], "b", "no legal move")
    ] * 2


def test_the_opponent_is_told_the_position_and_the_depth(stand_in, tmp_path):
    name = stand_in('{"move": f"{request[\'what\']} {request[\'fen\']} {request[\'depth\']}"}')
    opponent = against.Opponent.installed(name, Path(sys.executable))
    assert opponent.ask("choose", "B:WK1:BK2", depth=5) == {"move": "choose B:WK1:BK2 5"}
    opponent.close()


def test_a_move_that_is_not_legal_ends_the_match_with_the_position_named(stand_in):
    with pytest.raises(against.OpponentError, match=r"stand-in played 11-20 in B:W21,.*, where that is not legal"):
        play(match(), stand_in('{"move": "11-20"}'))


def test_an_opponent_that_reports_an_error_is_quoted(stand_in):
    with pytest.raises(against.OpponentError, match=r"stand-in failed in the position .*: out of ideas"):
        play(match(), stand_in('{"error": "out of ideas"}'))


def test_an_opponent_that_dies_is_named_with_the_position(stand_in):
    with pytest.raises(against.OpponentError, match="stand-in died in the position B:W21"):
        play(match(), stand_in("sys.exit(3)"))


def test_an_opponent_that_is_not_installed_is_named_with_the_command_that_installs_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert against.main(["pydraughts", "--pairs", "1"]) == 2
    assert "python eval/against.py pydraughts --install" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [["chess"], ["pydraughts", "--depth", "0"], ["pydraughts", "--openings", "x"], ["pydraughts", "--pairs", "two"]],
)
def test_wrong_use_is_exit_code_2(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        against.main(wrong)
    assert stopped.value.code == 2


@pytest.mark.parametrize(("flag", "message"), [("--pairs=0", "count must be"), ("--pairs=157", "count must be")])
def test_what_the_engine_refuses_is_exit_code_2_in_its_words(flag, message, capsys):
    assert against.main(["pydraughts", flag]) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_player_of_ours_is_exit_code_2_in_the_engines_words(stand_in, monkeypatch, capsys):
    monkeypatch.setattr(against, "python_of", lambda _: Path(sys.executable))
    assert against.main([stand_in('{"move": "11-15"}'), "--player", "wizard", "--pairs", "1"]) == 2
    assert 'Unknown player "wizard"' in capsys.readouterr().err


def test_the_summary_counts_for_our_player_and_gives_the_elo_difference_with_its_interval():
    made = against.Match("hard", "other")
    for winner in "wwwwwwbbdd":  # hard is White in all of them
        made.games.append({"black": "other", "white": "hard", "winner": {"d": "draw"}.get(winner, winner)})
    summary = made.summary()
    assert (summary["wins"], summary["draws"], summary["losses"], summary["prior"]) == (6, 2, 2, 0)
    # Davidson: log-strengths differ by log(6 / 2); nu = 2 / sqrt(6 * 2); points by 400 / ln 10 times 2 / (2 + nu).
    nu = 2 / 12**0.5
    assert summary["elo"] == pytest.approx(400 / 2.302585 * 1.098612 * 2 / (2 + nu), abs=0.01)
    assert summary["low"] < 0 < summary["elo"] < summary["high"]
    assert "hard against other: 10 games, 6 wins, 2 draws, 2 losses: 70.0%" in against.report(summary)


def test_a_match_that_was_won_in_every_game_says_what_holds_its_difference():
    made = against.Match("hard", "other", [{"black": "hard", "white": "other", "winner": "b"}] * 4)
    assert "imagined" in against.report(made.summary())


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
