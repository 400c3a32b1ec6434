"""The engine's benchmark: it measures what it says, leaves out what is not installed, and never judges seconds."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from eval import bench, bench_engine


def test_a_benchmark_is_found_by_the_name_of_its_module():
    assert "engine" in bench.benchmarks()
    assert all((ROOT / "eval" / f"bench_{name}.py").is_file() for name in bench.benchmarks())


def test_the_dispatcher_hands_on_the_arguments_and_the_exit_code(monkeypatch):
    seen = []
    monkeypatch.setattr(bench_engine, "main", lambda argv: seen.append(argv) or 1)
    assert bench.main(["engine", "--quick", "--json"]) == 1
    assert seen == [["--quick", "--json"]]


def test_an_unknown_benchmark_is_exit_code_2():
    with pytest.raises(SystemExit) as stopped:
        bench.main(["luck"])
    assert stopped.value.code == 2


def test_perft_is_measured_with_the_published_count():
    row = bench_engine.perft_row(7)  # OEIS A133046: 179,740 paths of seven plies
    assert (row["count"], row["unit"]) == (179740, "leaves")
    assert " leaves/s (179,740 in" in bench_engine.line_of(row)


def test_search_is_measured_with_each_evaluator():
    rows = list(bench_engine.search_rows(depth=3, count=2))
    assert [row["who"] for row in rows] == ["hard", "learned", "neural"]
    assert all(row["count"] > 0 and "nodes/s" in bench_engine.line_of(row) for row in rows)


def test_the_moves_of_every_player_are_measured_with_their_median_and_99_percent():
    rows = list(bench_engine.move_rows(3))
    assert [row["who"] for row in rows] == bench_engine.PLAYERS
    assert all(row["median_ms"] <= row["p99_ms"] <= row["max_ms"] for row in rows)
    assert "99 % below" in bench_engine.line_of(rows[0])


def test_the_tournament_is_played_by_the_workers_asked_for_and_the_setting_is_put_back(monkeypatch):
    seen = []

    def arena(request):
        seen.append((request["command"], os.environ["ARENA_WORKERS"]))
        return {"games": [{}] * 20, "mistakes_found": 7}

    monkeypatch.setattr(bench_engine, "arena", arena)
    monkeypatch.setenv("ARENA_WORKERS", "9")
    rows = list(bench_engine.tournament_rows(3))
    assert seen == [("tournament", "3"), ("review", "3")]
    assert [row["count"] for row in rows] == [20, 20] and "7 mistakes" in rows[1]["what"]
    assert os.environ["ARENA_WORKERS"] == "9"


def test_engines_that_are_not_installed_are_left_out_with_the_command_that_installs_them(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rows = list(bench_engine.other_rows(quick=True))
    assert {row["who"] for row in rows} == {"rapid-draughts", "py-draughts", "pydraughts"}
    assert all("--install" in bench_engine.line_of(row) for row in rows)


def test_what_others_answer_is_shown_with_their_own_seconds(monkeypatch):
    class Other:
        def ask(self, what, fen, depth):
            return {"leaves": 100, "nodes": 200, "seconds": 0.5}

        def close(self):
            pass

    monkeypatch.setattr(bench_engine, "start_other", lambda name: Other())
    counts = {(row["who"], row["unit"]): row["count"] for row in bench_engine.other_rows(quick=True)}
    assert counts[("rapid-draughts", "leaves")] == 100 and counts[("py-draughts", "nodes")] == 200


def test_json_prints_one_document_and_keeps_the_lines_apart(monkeypatch, capsys):
    row = {"what": "perft 1", "who": "x", "count": 7, "unit": "leaves", "seconds": 1.0}
    monkeypatch.setattr(bench_engine, "measurements", lambda quick, workers: iter([row]))
    assert bench_engine.main(["--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"measurements": [row]}
    assert "perft 1" in printed.err


def test_an_engine_that_cannot_be_used_is_exit_code_2_with_the_remedy(monkeypatch, capsys):
    monkeypatch.setenv("NODE_BINARY", "no-such-node")
    assert bench_engine.main(["--quick"]) == 2
    assert "Install Node" in capsys.readouterr().err


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
