"""The proof by mutation: what it makes is as it says, always the same for a seed, and its counts are right."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import Tracer
from eval import check_cost, mutate, mutations, true_answers, true_code_answers
from eval.true_answers import Example

KINDS = {**mutations.INVENTED, **mutations.MISPLACED, **mutations.OTHERS}
TABLE = [
    {"player": "hard", "games": 2, "wins": 2, "draws": 0, "losses": 0, "points": 2.0, "elo": 1231},
    {"player": "easy", "games": 2, "wins": 0, "draws": 0, "losses": 2, "points": 0.0, "elo": 1169},
]
LOG = [{"tool": "standings", "args": {}, "result": {"table": TABLE}}]
ANSWER = Example(
    "reporter", "| Player | Elo |\n|---|---|\n| hard | 1231 |\n| easy | 1169 |\n\nBoth played 2 games.", LOG
)


def test_a_seed_always_gives_the_same_answers_and_the_same_mistakes():
    assert mutate.true_ones(40, 3) == mutate.true_ones(40, 3) != mutate.true_ones(40, 4)
    examples = mutate.true_ones(40, 3)
    assert mutate.spoiled(examples, 5) == mutate.spoiled(examples, 5) != mutate.spoiled(examples, 6)


def test_true_answers_come_in_many_wordings():
    answers = [example.answer for example in true_answers.examples(200, 1)]
    assert len(set(answers)) > 190
    for sign in ("| ", "- ", "1. ", "**", "`", "½", ",2", "### ", "respectively", "It scored"):
        assert any(sign in answer for answer in answers), sign


def test_standings_of_the_invented_tournaments_add_up():
    rand = random.Random(9)
    for _ in range(30):
        facts = true_answers.tournament(rand)
        assert sum(row["points"] for row in facts["table"]) == len(facts["results"])
        assert sum(row["games"] for row in facts["table"]) == 2 * len(facts["results"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_spoiled_answer_is_another_text(kind):
    rand = random.Random(1)
    made = [KINDS[kind](example, rand) for example in true_answers.examples(60, 2)]
    pairs = [(one, other) for one, other in zip(made, true_answers.examples(60, 2), strict=True) if one is not None]
    assert len(pairs) >= 5
    assert all(one != other.answer for one, other in pairs)


def test_a_swap_keeps_every_number_and_moves_two():
    for seed in range(20):
        spoiled = mutations.swapped_in_table(ANSWER, random.Random(seed))
        assert spoiled == ANSWER.answer.replace("1231", "x").replace("1169", "1231").replace("x", "1169")


def test_a_changed_digit_is_a_number_that_no_tool_gave():
    for seed in range(50):
        spoiled = mutations.digit(ANSWER, random.Random(seed))
        if spoiled is not None:
            new = set(spoiled.split()) - set(ANSWER.answer.split())
            assert len(new) == 1
            assert float(new.pop()) not in [value for row in TABLE for value in row.values()]


def test_a_neighbouring_file_was_returned_by_no_tool_and_a_line_beyond_was_not_shown():
    rand = random.Random(4)
    for example in true_code_answers.examples(40, 1):
        spoiled = true_code_answers.neighbouring_file(example, rand)
        if spoiled is not None:
            files = {found["file"] for found in true_code_answers.CITATION.finditer(spoiled)}
            assert any(file not in str(example.tool_log) for file in files)
        assert true_code_answers.line_beyond(example, rand) != example.answer


def test_values_are_put_beside_other_lines_and_changed_into_ones_that_no_line_has():
    rand = random.Random(3)
    with_values = [one for one in true_code_answers.examples(60, 3) if true_code_answers.VALUE.search(one.answer)]
    assert len(with_values) > 10
    for example in with_values:
        changed = true_code_answers.value_of_nobody(example, rand) or example.answer
        stated = true_code_answers.VALUE.search(changed)[0]
        assert changed == example.answer or stated not in str(example.tool_log)
        moved = true_code_answers.value_elsewhere(example, rand) or example.answer
        assert true_code_answers.VALUE.search(moved)[0] in example.answer


def test_an_answer_about_files_without_a_citation_is_left_as_it_is():
    example = Example("codebase", "Nothing was found.", LOG)
    kinds = {**true_code_answers.INVENTED, **true_code_answers.MISPLACED}
    assert [kind(example, random.Random(1)) for kind in kinds.values()] == [None] * 4


def test_an_answer_of_a_real_run_is_judged_with_its_question():
    found = {"lines_found": 1, "best_matches": [{"file": "a.py", "line": 7, "text": "x = wait()"}]}
    log = [{"tool": "search_files", "args": {}, "result": found}]
    example = Example("codebase", "For 33 seconds it waits (a.py:7).", log)
    assert mutate.judge(mutate.Job("true", "codebase", example)).refused
    asked = example._replace(question="What takes 33 seconds?")
    assert not mutate.judge(mutate.Job("true", "codebase", asked)).refused


def test_counts_and_intervals_are_those_of_the_verdicts():
    verdicts = [mutate.Verdict("invented", "sign", "x", refused, ()) for refused in [True] * 8 + [False] * 2]
    counted = mutate.tally(verdicts)
    # Wilson's interval of 8 of 10: 0.490 to 0.943 (Newcombe, Statistics in Medicine 17, 1998)
    assert counted["invented"]["kinds"]["sign"] == {"refused": 8, "of": 10, "interval": [0.4902, 0.9433]}
    assert counted["true"]["all"]["of"] == 0


def test_accepted_answers_of_real_runs_are_read_from_their_traces(tmp_path):
    tracer = Tracer(tmp_path / "run.jsonl")
    for agent, problems in (("reporter", []), ("analyst", ["no"])):
        tracer.write(agent=agent, kind="task", text="x")
        tracer.write(agent=agent, kind="tool", step=1, **LOG[0])
        tracer.write(agent=agent, kind="answer", step=2, text=ANSWER.answer, problems=problems)
    tracer.close()
    examples = mutate.true_ones(8, 1, [tracer.path])
    assert examples[-1] == Example("trace: reporter", ANSWER.answer, LOG, "x")
    assert not any(example.kind == "trace: analyst" for example in examples)


def test_a_call_of_a_real_run_that_failed_is_no_source_of_mistakes():
    failed = [{"tool": tool, "args": {}, "result": {"error": "no"}} for tool in ("standings", "find_mistakes")]
    example = Example("trace: reporter", "In game 2 easy played c3-d4.", [*failed, *LOG])
    rand = random.Random(1)
    for kind in ("a move of another mistake", "a row's or item's name changed"):
        mutate.GROUPS["other"][kind](example, rand)


def test_the_program_counts_refused_and_missed_and_says_so(capsys):
    code = mutate.main(["--answers", "24", "--seed", "2", "--json"])
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert counts["true"]["all"]["refused"] == 0
    assert counts["invented"]["all"]["of"] == 48 and counts["misplaced"]["all"]["of"] == 24
    missed = sum(share["all"]["of"] - share["all"]["refused"] for name, share in counts.items() if name != "true")
    assert code == int(missed > 0)


def test_one_process_and_two_give_the_same_counts(capsys):
    outputs = []
    for workers in ("1", "2"):
        mutate.main(["--answers", "16", "--seed", "5", "--workers", workers])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_wrong_use_is_told_in_a_sentence(capsys):
    assert mutate.main(["--answers", "8", "--traces", "no-such-file.jsonl"]) == 2
    assert "no-such-file.jsonl" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        mutate.main(["--answers", "0"])
    assert stop.value.code == 2


def test_the_cost_is_that_of_a_true_report_on_twenty_games(capsys):
    report = check_cost.long_report()
    assert 230 <= len(report.answer.split()) <= 270
    assert len(report.tool_log[1]["result"]["results"]) == 20
    assert mutate.REPORT_CHECK(report.answer, report.tool_log) == []
    assert check_cost.main(["--runs", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["new_log_ms"] > 0


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
