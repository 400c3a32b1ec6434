"""The program that writes a tournament as PDN: what it prints, saves and refuses."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agents import draughts_pdn, draughts_tools

# 11-15 22-18 15x22 25x18 in names of squares.
START = [".w.w.w.w", "w.w.w.w.", ".w.w.w.w", "........", "........", "b.b.b.b.", ".b.b.b.b", "b.b.b.b."]
GAMES = [
    {
        "number": 1, "black": "easy", "white": "hard", "winner": "draw", "reason": "200 plies played",
        "start": {"board": START, "turn": "b", "quietPlies": 0},
        "moves": ["c3-d4", "f6-e5", "d4xf6", "g7xe5"],
    },
    {
        "number": 2, "black": "hard", "white": "easy", "winner": "b", "reason": "no legal move",
        "start": {"board": START, "turn": "b", "quietPlies": 0}, "moves": ["c3-d4"],
    },
]  # fmt: skip
ID = "20261028-140501"


@pytest.fixture(autouse=True)
def tournaments(tmp_path, monkeypatch):
    """A data folder of its own with one tournament."""
    monkeypatch.setattr(draughts_tools, "TOURNAMENT_DIR", tmp_path)
    tournament = {"tournament_id": ID, "players": ["easy", "hard"], "pairs": 1, "seed": 1, "games": GAMES}
    draughts_tools.save(tournament)
    return tmp_path


def test_each_game_is_printed_with_its_players_its_day_its_number_and_its_moves_in_standard_numbers(capsys):
    assert draughts_pdn.main([ID]) == 0
    first, second = re.split(r"\n\n(?=\[Event)", capsys.readouterr().out)
    for tag in (
        f'[Event "Tournament {ID}"]', '[Date "2026.10.28"]', '[Round "1"]', '[Black "easy"]', '[White "hard"]',
    ):  # fmt: skip
        assert tag in first
    assert first.endswith("\n\n1. 11-15 22-18 2. 15x22 25x18 1/2-1/2")
    assert second.endswith("\n\n1. 11-15 1-0\n")


def test_output_never_writes_over_a_tournament(tournaments, capsys):
    path = tournaments / f"{ID}.json"
    before = path.read_bytes()
    assert draughts_pdn.main([ID, "--output", str(path)]) == 2
    assert "a name such as games.pdn" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_with_output_the_text_is_saved_in_a_file(tmp_path, capsys):
    target = tmp_path / "games.pdn"
    assert draughts_pdn.main([ID, "--output", str(target)]) == 0
    assert capsys.readouterr().out == f"Saved {target.as_posix()}\n"
    assert target.read_text(encoding="utf-8").startswith("[Event ")


@pytest.mark.parametrize("wrong", ["20990101-000000", "../notebook", "x"])
def test_an_unknown_tournament_is_named_with_exit_code_2(wrong, capsys):
    assert draughts_pdn.main([wrong]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "no tournament" in printed.err and ID in printed.err


def test_a_damaged_tournament_file_is_named_and_left_as_it_is(tournaments, capsys):
    path = tournaments / f"{ID}.json"
    path.write_text("{", encoding="utf-8")
    assert draughts_pdn.main([ID]) == 2
    assert path.name in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "{"


def test_a_missing_node_is_exit_code_2_with_the_remedy(monkeypatch, capsys):
    monkeypatch.setenv("NODE_BINARY", "no-such-node")
    assert draughts_pdn.main([ID]) == 2
    assert "Install Node" in capsys.readouterr().err


def test_help_ends_with_an_example():
    done = subprocess.run(
        [sys.executable, "-m", "agents.draughts_pdn", "--help"],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stdout.rstrip().endswith("--output games.pdn")


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
