"""Maximum-likelihood ratings: published worked examples, closed forms for two players, intervals, the program.

The expected numbers come from outside: R. R. Davidson's pudding data (Journal of the American Statistical
Association 65, 1970, example 2) with the estimates and standard errors that the R package PlackettLuce's overview
prints for it; the same document's example of a player who only lost; A. Agresti's baseball table (Categorical
Data Analysis, 2nd edition, tables 10.10 and 10.11); and formulas worked out beside the tests.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path
from statistics import NormalDist

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from eval import davidson, elo

# first, second, first preferred, second preferred, no preference
PUDDING = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip
PUDDING_COUNTS = {(str(i), str(j)): [float(won), float(drawn), float(lost)] for i, j, won, lost, drawn in PUDDING}


def difference_error(fitted: davidson.Fit, i: int, j: int) -> float:
    c = fitted.covariance
    return math.sqrt(c[i][i] + c[j][j] - 2 * c[i][j])


def games(wins: int, draws: int, losses: int, a: str = "a", b: str = "b") -> list[dict[str, str]]:
    """Games between a and b with a's results, colours taken in turn."""
    winners = [a] * wins + ["draw"] * draws + [b] * losses
    played = []
    for i, winner in enumerate(winners):
        black, white = (a, b) if i % 2 else (b, a)
        played.append({"black": black, "white": white, "winner": {black: "b", white: "w"}.get(winner, "draw")})
    return played


# --- Published examples -----------------------------------------------------------------------------------


def test_davidsons_pudding_example_has_the_worths_and_the_tie_parameter_that_were_published():
    fitted = davidson.fit(PUDDING_COUNTS)
    worths = [math.exp(strength) for strength in fitted.strengths]
    published = [0.1388, 0.1730, 0.1617, 0.1654, 0.1587, 0.2024]
    assert [worth / sum(worths) for worth in worths] == pytest.approx(published, abs=6e-5)
    assert math.exp(fitted.log_nu) == pytest.approx(0.7468, abs=6e-5)


def test_davidsons_pudding_example_has_the_standard_errors_that_were_published():
    fitted = davidson.fit(PUDDING_COUNTS)
    published = [0.1872, 0.1935, 0.1882, 0.1927, 0.1924]  # of the differences from the first brand
    assert [difference_error(fitted, i, 0) for i in range(1, 6)] == pytest.approx(published, abs=6e-5)
    assert math.sqrt(fitted.covariance[6][6]) == pytest.approx(0.0825, abs=6e-5)


def test_without_draws_the_fit_is_bradley_and_terrys_as_published_for_three_players():
    counts = {("A", "B"): [1.0, 0.0, 1.0], ("B", "C"): [1.0, 0.0, 0.0], ("A", "C"): [0.0, 0.0, 1.0]}
    fitted = davidson.fit(counts)
    assert [each - fitted.strengths[0] for each in fitted.strengths] == pytest.approx([0, 0.8392, 0.4196], abs=6e-5)
    assert [difference_error(fitted, i, 0) for i in (1, 2)] == pytest.approx([1.3596, 1.5973], abs=6e-5)
    assert fitted.log_nu is None


def test_with_half_an_imagined_win_and_loss_a_player_who_only_lost_has_the_strength_that_was_published():
    counts = {
        ("A", "B"): [1.0, 0.0, 1.0], ("B", "C"): [1.0, 0.0, 0.0],
        ("A", "C"): [0.0, 0.0, 1.0], ("A", "D"): [1.0, 0.0, 0.0],
    }  # fmt: skip
    fitted = davidson.fit(counts, prior=0.5)
    published = [0, 0.5184185, 0.1354707, -1.1537565]
    assert [each - fitted.strengths[0] for each in fitted.strengths] == pytest.approx(published, abs=1e-6)


# Wins of the row's team over the column's, home and away games together.
BASEBALL = {
    "Milwaukee": {"Detroit": 7, "Toronto": 9, "New York": 7, "Boston": 7, "Cleveland": 9, "Baltimore": 11},
    "Detroit": {"Milwaukee": 6, "Toronto": 7, "New York": 5, "Boston": 11, "Cleveland": 9, "Baltimore": 9},
    "Toronto": {"Milwaukee": 4, "Detroit": 6, "New York": 7, "Boston": 7, "Cleveland": 8, "Baltimore": 12},
    "New York": {"Milwaukee": 6, "Detroit": 8, "Toronto": 6, "Boston": 6, "Cleveland": 7, "Baltimore": 10},
    "Boston": {"Milwaukee": 6, "Detroit": 2, "Toronto": 6, "New York": 7, "Cleveland": 7, "Baltimore": 12},
    "Cleveland": {"Milwaukee": 4, "Detroit": 4, "Toronto": 5, "New York": 6, "Boston": 6, "Baltimore": 6},
    "Baltimore": {"Milwaukee": 2, "Detroit": 4, "Toronto": 1, "New York": 3, "Boston": 1, "Cleveland": 7},
}


def test_agrestis_baseball_table_has_the_published_strengths():
    counts = {}
    for first, wins in BASEBALL.items():
        for second, won in wins.items():
            if first < second:
                counts[(first, second)] = [float(won), 0.0, float(BASEBALL[second][first])]
    fitted = davidson.fit(counts)
    base = fitted.strengths[fitted.players.index("Baltimore")]
    found = {player: round(each - base, 2) for player, each in zip(fitted.players, fitted.strengths, strict=True)}
    assert found == {
        "Milwaukee": 1.58, "Detroit": 1.44, "Toronto": 1.29, "New York": 1.25, "Boston": 1.11, "Cleveland": 0.68,
        "Baltimore": 0.0,
    }  # fmt: skip


# --- Closed forms for two players -------------------------------------------------------------------------


@pytest.mark.parametrize(("wins", "draws", "losses"), [(7, 0, 3), (20, 160, 10), (1, 1, 1), (50, 3, 49)])
def test_two_players_lie_apart_by_the_logarithm_of_wins_over_losses_whatever_was_drawn(wins, draws, losses):
    # Setting the derivatives to zero: P(win) / P(loss) = exp(a - b), with each chance its observed share.
    fitted = davidson.fit(davidson.count(games(wins, draws, losses)))
    assert fitted.strengths[0] - fitted.strengths[1] == pytest.approx(math.log(wins / losses))
    if draws:  # and nu = P(draw) / sqrt(P(win) P(loss))
        assert math.exp(fitted.log_nu) == pytest.approx(draws / math.sqrt(wins * losses))


@pytest.mark.parametrize(("wins", "draws", "losses"), [(7, 0, 3), (20, 160, 10), (50, 3, 49)])
def test_the_likelihood_of_superiority_of_two_players_needs_only_wins_and_losses(wins, draws, losses):
    # The delta method for a log-ratio of multinomial counts: its variance is 1 / wins + 1 / losses.
    fitted = davidson.fit(davidson.count(games(wins, draws, losses)))
    expected = NormalDist().cdf(math.log(wins / losses) / math.sqrt(1 / wins + 1 / losses))
    assert elo.superiority(fitted, "a", "b") == pytest.approx(expected)
    assert elo.superiority(fitted, "b", "a") == pytest.approx(1 - expected)


def test_without_draws_points_are_elos_own():
    ratings = {row["player"]: row["rating"] for row in elo.rate(games(75, 0, 25))["ratings"]}
    assert ratings["a"] - ratings["b"] == pytest.approx(400 * math.log10(3))


def test_with_many_draws_points_still_tell_the_expected_score():
    # 20 wins, 160 draws, 10 losses score 100 of 190; on Elo's curve that is 18.3 points.
    ratings = {row["player"]: row["rating"] for row in elo.rate(games(20, 160, 10))["ratings"]}
    assert ratings["a"] - ratings["b"] == pytest.approx(400 * math.log10(100 / 90), abs=0.3)


# --- Properties -------------------------------------------------------------------------------------------


def test_ratings_have_the_mean_1200_and_the_strongest_comes_first():
    rows = elo.rate([*games(5, 2, 3), *games(4, 3, 2, "b", "c"), *games(3, 1, 2, "c", "a")])["ratings"]
    assert sum(row["rating"] for row in rows) / 3 == pytest.approx(1200)
    assert [row["rating"] for row in rows] == sorted((row["rating"] for row in rows), reverse=True)
    assert sum(row["games"] for row in rows) == 2 * 25


def test_ratings_do_not_depend_on_the_order_of_the_games():
    played = [*games(5, 2, 3), *games(4, 3, 2, "b", "c"), *games(3, 1, 2, "c", "a")]
    shuffled = random.Random(1).sample(played, len(played))
    assert elo.rate(shuffled) == elo.rate(played)


def test_four_times_the_games_halve_the_interval():
    rows = [elo.rate(games(6 * n, 4 * n, 2 * n))["ratings"][0] for n in (1, 4)]
    widths = [row["high"] - row["low"] for row in rows]
    assert widths[0] / widths[1] == pytest.approx(2)


def test_the_95_percent_interval_holds_the_truth_about_95_times_in_100():
    # Three players with known log-strengths and nu; 200 tournaments of 60 games a pair, drawn by the model itself.
    rng, truth, nu = random.Random(5), {"a": 0.4, "b": 0.0, "c": -0.4}, 1.5
    scale = 400 / math.log(10) * 2 / (2 + nu)
    held = 0
    for _ in range(200):
        played = []
        for first, second in (("a", "b"), ("b", "c"), ("a", "c")):
            x, y = math.exp(truth[first]), math.exp(truth[second])
            outcomes = rng.choices(["b", "draw", "w"], [x, nu * math.sqrt(x * y), y], k=60)
            played += [{"black": first, "white": second, "winner": winner} for winner in outcomes]
        for row in elo.rate(played)["ratings"]:
            held += row["low"] <= 1200 + scale * truth[row["player"]] <= row["high"]
    assert 0.92 <= held / 600 <= 0.98


# --- Games without a maximum ------------------------------------------------------------------------------


@pytest.mark.parametrize("played", [games(5, 0, 0), games(3, 4, 0), games(0, 6, 0)])
def test_ratings_without_bound_are_refused_or_held_by_a_weak_prior_that_is_named(played):
    with pytest.raises(davidson.NoMaximum, match="--prior"):
        elo.rate(played, prior=0)
    rated = elo.rate(played)
    assert rated["prior"] == elo.WEAK_PRIOR
    assert all(math.isfinite(row[key]) for row in rated["ratings"] for key in ("rating", "low", "high"))
    assert "imagined" in elo.report(rated)


def test_players_who_never_met_directly_or_otherwise_are_compared_only_with_a_prior():
    played = [*games(2, 1, 1), *games(2, 1, 1, "c", "d")]
    with pytest.raises(davidson.NoMaximum):
        elo.rate(played, prior=0)
    assert len(elo.rate(played)["ratings"]) == 4


@pytest.mark.parametrize(
    ("played", "message"),
    [
        ([], "at least two players"),
        ([{"black": "a", "white": "a", "winner": "b"}], "Game 1 needs two different players"),
        ([{"black": "a", "winner": "b"}], "Game 1 needs two different players, not 'a' and None"),
        ([*games(1, 0, 0), {"black": "a", "white": "b", "winner": "a"}], "Game 2 has the winner 'a'"),
    ],
)
def test_games_that_cannot_be_rated_are_named(played, message):
    with pytest.raises(ValueError, match=message):
        elo.rate(played)


# --- The program ------------------------------------------------------------------------------------------


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "eval" / "elo.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_the_program_rates_tournaments_lists_and_pdn_together(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps({"games": games(3, 1, 2)}), encoding="utf-8")
    (tmp_path / "list.json").write_text(json.dumps(games(1, 1, 1)), encoding="utf-8")
    (tmp_path / "g.pdn").write_text(
        '[Event "x"]\n[Black "a"]\n[White "b"]\n[Result "1-0"]\n1. 11-15 1-0\n\n'
        '[Event "y"]\n[White "a"]\n[Black "b"]\n[Result "0-1"]\n\n'
        '[Event "z"]\n[Black "a"]\n[White "b"]\n[Result "*"]\n',
        encoding="utf-8",
    )
    done = run(tmp_path / "t.json", tmp_path / "list.json", tmp_path / "g.pdn", "--json")
    assert done.returncode == 0
    (first, second) = json.loads(done.stdout)["ratings"]
    assert (first["player"], first["wins"], first["draws"], first["losses"]) == ("a", 6, 2, 3)
    assert second["games"] == 11


def test_the_table_shows_rating_interval_score_draws_and_superiority(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(games(6, 2, 2)), encoding="utf-8")
    lines = run(tmp_path / "t.json").stdout.splitlines()
    assert lines[0].split()[:4] == ["player", "rating", "95", "%"]
    assert lines[1].startswith("a ") and "70.0%" in lines[1] and "20.0%" in lines[1]
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "cannot be read"), ("3", "no list of games"), ("[]", "two players"), (None, "cannot be read")],
)
def test_a_file_that_cannot_be_rated_is_exit_code_2_and_named(tmp_path, content, message):
    path = tmp_path / "t.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = run(path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("wrong", ["-1", "nan", "inf", "some"])
def test_a_prior_that_is_no_number_from_0_is_refused(tmp_path, wrong):
    assert run("x.json", f"--prior={wrong}").returncode == 2


def test_help_ends_with_an_example():
    assert run("--help").stdout.rstrip().splitlines()[-1].startswith("Example:")


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
