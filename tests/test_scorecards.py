"""The scorecards of real models that are kept: whole, what the programs make of their runs, and told right.

Source of the figures: eval/scorecards/*.json, written with a real model by `eval/run_eval.py`, and those called
libraries-… by `eval/compare_libraries.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit.files import read_json
from eval import compare_report, picture, scorecard

KEPT = ROOT / "eval" / "scorecards"
COMPARISONS = sorted(KEPT.glob("libraries-*.json"))
CARDS = sorted(set(KEPT.glob("*.json")) - set(COMPARISONS))
PAGES = ["README.md", "eval/scorecards/README.md"]
SEEDS = 20
SEEDS_OF_LIBRARIES = 40


@pytest.fixture(params=CARDS, ids=lambda path: path.stem)
def path(request) -> Path:
    return request.param


@pytest.fixture(params=COMPARISONS, ids=lambda path: path.stem)
def comparison(request) -> Path:
    return request.param


def test_there_are_scorecards():
    assert CARDS and COMPARISONS


def test_a_kept_scorecard_holds_twenty_seeds_of_a_language_model(path):
    card = scorecard.read_card(path)
    assert card["settings"]["standin"] is False
    assert all(group["n"] >= SEEDS for group in card["summary"])


def test_its_summary_table_and_picture_are_what_its_runs_come_to(path):
    card = scorecard.read_card(path)
    assert scorecard.with_runs(card, card["runs"])["summary"] == card["summary"]
    assert path.with_suffix(".md").read_text(encoding="utf-8") == scorecard.markdown(card)
    assert path.with_suffix(".svg").read_text(encoding="utf-8") == picture.svg(card)


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_tell_its_counts(page, path):
    text = (ROOT / page).read_text(encoding="utf-8")
    for group in scorecard.read_card(path)["summary"]:
        told = [line for line in text.splitlines() if f"{path.stem}.json" in line]
        assert any(f"{group['passed']} of {group['n']}" in line for line in told), (page, path.stem)


def test_a_kept_comparison_has_forty_seeds_in_pairs_on_a_language_model(comparison):
    card = read_json(comparison)
    seeds = {name: {run["seed"] for run in card["runs"] if run["library"] == name} for name in card["libraries"]}
    assert card["server"] != "standin"
    assert len(seeds) == 4 and all(len(each) >= SEEDS_OF_LIBRARIES for each in seeds.values())
    assert all(pair["n"] == len(seeds["agentkit"]) for pair in card["pairs"].values())


def test_the_rows_and_the_table_of_a_comparison_are_what_its_runs_come_to(comparison):
    card = read_json(comparison)
    assert compare_report.summary(card["runs"]) == {key: card[key] for key in ("libraries", "pairs")}
    assert comparison.with_suffix(".md").read_text(encoding="utf-8") == compare_report.markdown(card)


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_tell_how_often_each_library_passed(page, comparison):
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, row in read_json(comparison)["libraries"].items():
        told = [line for line in text.splitlines() if line.startswith(f"| {name} ")]
        assert any(f"{row['passed']} of {row['n']}" in line for line in told), (page, name)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
