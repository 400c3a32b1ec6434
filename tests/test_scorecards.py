"""The scorecards of real models that are kept: whole, what the program makes of their runs, and told right.

Source of the figures: eval/scorecards/*.json, each written by `eval/run_eval.py` with a real model.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from eval import picture, scorecard

CARDS = sorted((ROOT / "eval" / "scorecards").glob("*.json"))
SEEDS = 20


@pytest.fixture(params=CARDS, ids=lambda path: path.stem)
def path(request) -> Path:
    return request.param


def test_there_are_scorecards():
    assert CARDS


def test_a_kept_scorecard_holds_twenty_seeds_of_a_language_model(path):
    card = scorecard.read_card(path)
    assert card["settings"]["standin"] is False
    assert all(group["n"] >= SEEDS for group in card["summary"])


def test_its_summary_table_and_picture_are_what_its_runs_come_to(path):
    card = scorecard.read_card(path)
    assert scorecard.with_runs(card, card["runs"])["summary"] == card["summary"]
    assert path.with_suffix(".md").read_text(encoding="utf-8") == scorecard.markdown(card)
    assert path.with_suffix(".svg").read_text(encoding="utf-8") == picture.svg(card)


@pytest.mark.parametrize("page", ["README.md", "eval/scorecards/README.md"])
def test_the_pages_tell_its_counts(page, path):
    text = (ROOT / page).read_text(encoding="utf-8")
    for group in scorecard.read_card(path)["summary"]:
        told = [line for line in text.splitlines() if f"{path.stem}.json" in line]
        assert any(f"{group['passed']} of {group['n']}" in line for line in told), (page, path.stem)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
