"""The codebase helper's benchmark measures what it says on whatever projects it is given, and judges no seconds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from eval import bench, bench_codebase
from eval.projects import read_questions


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Keep the indexes out of the user's cache directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def projects(tmp_path):
    """Small folders under the names of the real projects."""
    for project in read_questions()["projects"].values():
        folder = tmp_path / project["folder"]
        folder.mkdir()
        (folder / "app.py").write_text("def session_cookie(response):\n    return 'default'\n", encoding="utf-8")
    return tmp_path


def test_it_is_found_by_its_name():
    assert "codebase" in bench.benchmarks()


def test_every_part_is_measured_once_and_nothing_leaks(projects, monkeypatch, capsys):
    monkeypatch.setattr(bench_codebase, "LOG_BYTES", 2_000_000)
    assert bench_codebase.main(["--projects", str(projects), "--quick", "--json"]) == 0
    out, err = capsys.readouterr()
    rows = {row["what"]: row for row in json.loads(out)}
    for name in read_questions()["projects"]:
        assert rows[f"{name}: first search, index made on the way"]["files"] == 1
        assert (
            rows[f"{name}: search, warm"]["searches"] >= 20 and rows[f"{name}: plain scan, no index"]["searches"] == 3
        )
    assert rows["a file swapped for a link, 1 s"]["leaked"] == 0 and rows["a file swapped for a link, 1 s"]["inside"]
    assert len(err.splitlines()) == len(rows)


def test_a_plain_scan_finds_the_line_with_most_words(projects):
    folder = projects / read_questions()["projects"]["flask"]["folder"]
    assert bench_codebase.plain_scan(folder, "Where is the session cookie?")[0] == (2, "app.py", 1)


def test_without_the_projects_it_says_how_to_get_them(tmp_path, capsys):
    assert bench_codebase.main(["--projects", str(tmp_path)]) == 2
    assert "--fetch" in capsys.readouterr().err


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
