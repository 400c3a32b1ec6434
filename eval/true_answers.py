"""True answers to be spoiled: made-up tournaments in the shapes of the real tools, reported in many wordings.

Role: `examples(count, seed)` makes tool logs as the director, the analyst and the reporter have them (players, games,
standings computed by ratings.py, mistakes, notes of an earlier tournament) and a true answer for each, put together
from wordings that differ as much as people's and models' do: tables with all or a few columns, in any order, ranks,
bold names, bullets, numbered lists, one long sentence, sentences that begin with pronouns, British thousands,
percentages, words for numbers. The games are invented, because what is tested is the checks and not the engine: no
game is played here.
Not here: mistakes put in (mutations.py), counting who noticed (mutate.py).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import ratings

PLAYERS = ["easy", "medium", "hard", "learned", "neural"]
STRENGTH = {"easy": 0, "medium": 200, "hard": 350, "learned": 400, "neural": 450}
DEPTHS = {"easy": 2, "medium": 4, "hard": 6, "learned": 6, "neural": 5}
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS = _WORDS.split()
ELO_NOTE = "Everyone starts at 1200; K is 32, as in Course 4."
MISTAKES_NOTE = (
    "move_number counts the moves of both sides after the opening. "
    "lost_men is how much the move cost against the engine's best move, in men."
)

Log = list[dict[str, Any]]
Writer = Callable[[dict[str, Any], random.Random], str]


class Example(NamedTuple):
    """An answer with the tool log that it must be judged against; `kind` says who would write it."""

    kind: str
    answer: str
    tool_log: Log
    question: str = ""


def examples(count: int, seed: int) -> list[Example]:
    """Return `count` true answers; the same seed gives the same ones."""
    rand = random.Random(seed)
    return [_example(rand) for _ in range(count)]


def _example(rand: random.Random) -> Example:
    facts = tournament(rand)
    kind = rand.choice(["director", "analyst", "reporter", "reporter", "reporter"])
    log = logs(facts)[kind]
    parts = {
        "director": [rand.choice(OPENINGS), rand.choice(STANDINGS)],
        "analyst": [rand.choice(MISTAKES)],
        "reporter": [rand.choice(TITLES), rand.choice(STANDINGS), rand.choice(MISTAKES), rand.choice(COMPARISONS)],
    }[kind]
    written = [part(facts, rand) for part in parts]
    return Example(kind, "\n\n".join(text for text in written if text), log)


# --- a tournament ---


def tournament(rand: random.Random) -> dict[str, Any]:
    """Return the facts of an invented tournament, as the tools would tell them."""
    players = rand.sample(PLAYERS, rand.randint(2, 5))
    pairs = rand.randint(1, 3 if len(players) < 4 else 1)
    games = _games(players, pairs, rand)
    mistakes = _mistakes(games, rand)
    return {
        "id": f"2026{rand.randint(1, 12):02d}{rand.randint(1, 28):02d}-{rand.randint(0, 235959):06d}",
        "players": players,
        "pairs": pairs,
        "seed": rand.randint(1, 1_000_000),
        "results": games,
        "table": _table(games),
        "depth": rand.choice([4, 6, 8, 10]),
        "found": len(mistakes) + rand.randint(0, 40),
        "mistakes": mistakes,
        "notes": _notes(players, rand),
    }


def _games(players: list[str], pairs: int, rand: random.Random) -> list[dict[str, Any]]:
    games = []
    for _ in range(pairs):
        for black in players:
            for white in players:
                if black != white:
                    games.append(_game(len(games) + 1, black, white, rand))
    return games


def _game(number: int, black: str, white: str, rand: random.Random) -> dict[str, Any]:
    chance = ratings.expected_score(STRENGTH[black], STRENGTH[white])
    winner = "draw" if rand.random() < 0.3 else black if rand.random() < chance else white
    return {"game": number, "black": black, "white": white, "winner": winner, "moves": rand.randint(24, 140)}


def _table(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sides = {"draw": "draw"}
    rated = ratings.compute(
        {**game, "winner": sides.get(game["winner"], "b" if game["winner"] == game["black"] else "w")} for game in games
    )
    table = [
        {
            "player": player,
            **{key: row[key] for key in ("games", "wins", "draws", "losses", "points")},
            "elo": round(row["rating"]),
        }
        for player, row in rated.items()
    ]
    return sorted(table, key=lambda row: (-row["points"], -row["elo"], row["player"]))


def _mistakes(games: list[dict[str, Any]], rand: random.Random) -> list[dict[str, Any]]:
    found = []
    for _ in range(rand.choice([2, 3, 3, 3, 4])):
        game = rand.choice(games)
        side = rand.choice(["Black", "White"])
        played, best = rand.sample(MOVES, 2)
        cost = {"verdict": rand.choice(VERDICTS)} if rand.random() < 0.3 else {"lost_men": rand.randint(5, 45) / 10}
        found.append(
            {
                "game": game["game"],
                "move_number": rand.randint(1, game["moves"]),
                "side": side,
                "player": game[side.lower()],
                "played": played,
                "engine_best_move": best,
                **cost,
            }
        )
    return found


def _moves() -> list[str]:
    """Return moves between dark squares: quiet ones, captures and double captures."""
    files = "abcdefgh"
    quiet, single, double = [], [], []
    for column in range(8):
        for rank in range(1, 9):
            if (column + rank) % 2 == 1:  # a1 is dark
                here = f"{files[column]}{rank}"
                for step in (-1, 1):
                    if 0 <= column + step < 8 and rank < 8:
                        quiet.append(f"{here}-{files[column + step]}{rank + 1}")
                    if 0 <= column + 2 * step < 8 and rank < 7:
                        single.append(f"{here}x{files[column + 2 * step]}{rank + 2}")
                        if rank < 5:
                            double.append(f"{single[-1]}x{here[0]}{rank + 4}")
    return quiet + single + double


MOVES = _moves()
VERDICTS = ["missed a forced win", "walked into a forced loss"]


def _notes(players: list[str], rand: random.Random) -> list[dict[str, Any]]:
    notes = []
    for day in range(rand.randint(0, 2)):
        rows = [(player, rand.randint(0, 8) / 2, rand.randint(1100, 1320)) for player in players]
        said = "; ".join(f"{player} {points:.1f} points, Elo {elo}" for player, points, elo in rows)
        ident = f"202601{10 + day}-0{rand.randint(1, 9)}3015"
        text = f"Tournament {ident} with players {', '.join(players)}: {said}"
        notes.append({"when": f"2026-01-{10 + day}T09:30:15+00:00", "text": text, "tags": players, "rows": rows})
    return notes


def logs(facts: dict[str, Any]) -> dict[str, Log]:
    """Return the tool log of each agent of the team."""
    ident = {"tournament_id": facts["id"]}
    players = [
        {"name": name, "depth": DEPTHS[name], "random_chance": 0.3 if name == "easy" else 0.0}
        | {"evaluation": name if name in ("learned", "neural") else "hand"}
        | {"built_in": "Course 3" if name in ("learned", "neural") else "Course 1"}
        for name in PLAYERS
    ]
    played = {**ident, "games_played": len(facts["results"])}
    standings = _entry("standings", ident, {**played, "table": facts["table"], "elo_note": ELO_NOTE})
    mistakes = _entry(
        "find_mistakes",
        {**ident, "how_many": len(facts["mistakes"])},
        {
            **ident,
            "review_depth": facts["depth"],
            "mistakes_found": facts["found"],
            "biggest_mistakes": facts["mistakes"],
            "note": MISTAKES_NOTE,
        },
    )
    notes = [{key: note[key] for key in ("when", "text", "tags")} for note in facts["notes"]]
    settings = {key: facts[key] for key in ("players", "pairs", "seed")}
    return {
        "director": [
            _entry("list_players", {}, {"players": players}),
            _entry("run_tournament", settings, {**played, "results": facts["results"]}),
            standings,
        ],
        "analyst": [mistakes],
        "reporter": [
            standings,
            mistakes,
            _entry("recall", {"query": " ".join(facts["players"])}, {"notes_found": len(notes), "notes": notes}),
        ],
    }


def _entry(tool: str, args: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"tool": tool, "args": args, "result": result}


# --- small wordings ---


def _points(value: float, rand: random.Random) -> str:
    if value == int(value) and rand.random() < 0.4:
        return str(int(value))
    if value != int(value) and value > 1 and rand.random() < 0.2:
        return f"{int(value)}½"
    return f"{value:.1f}"


def _elo(value: int, rand: random.Random) -> str:
    return f"{value:,}" if rand.random() < 0.2 else str(value)


def _name(name: str, rand: random.Random, style: str) -> str:
    return {
        "plain": name,
        "bold": f"**{name}**",
        "capital": name.capitalize(),
        "italic": f"*{name}*",
        "code": f"`{name}`",
    }[style]


def _style(rand: random.Random) -> str:
    return rand.choice(["plain", "plain", "bold", "capital", "italic", "code"])


def _count(number: int, noun: str, rand: random.Random, plural: str = "") -> str:
    word = NUMBER_WORDS[number] if number < len(NUMBER_WORDS) and rand.random() < 0.5 else str(number)
    return f"{word} {noun if number == 1 else plural or noun + 's'}"


def _cost(mistake: dict[str, Any], rand: random.Random) -> str:
    if "verdict" in mistake:
        return mistake["verdict"]
    lost = mistake["lost_men"]
    shown = f"{lost:.1f}" if rand.random() < 0.7 else str(lost)
    return rand.choice([f"losing {shown} men", f"lost {shown} men", f"cost {shown} men", f"lost men: {shown}"])


def _upper(text: str) -> str:
    at = next((i for i, letter in enumerate(text) if letter.isalpha()), 0)
    return text[:at] + text[at].upper() + text[at + 1 :]


# --- openings and titles ---


def _opening_plain(facts: dict[str, Any], rand: random.Random) -> str:
    names = facts["players"]
    listed = ", ".join(names[:-1]) + " and " + names[-1]
    games = len(facts["results"])
    return rand.choice(
        [
            f"{_upper(listed)} played {_count(games, 'game', rand)} in tournament {facts['id']}.",
            f"Tournament {facts['id']} had {_count(games, 'game', rand)} between {listed}.",
            f"I ran a tournament of {games} games with {listed} (seed {facts['seed']}, "
            f"{_count(facts['pairs'], 'pair', rand)}).",
            f"The tournament is over: {_count(len(names), 'player', rand)}, {_count(games, 'game', rand)}, id "
            f"{facts['id']}.",
        ]
    )


def _opening_games(facts: dict[str, Any], rand: random.Random) -> str:
    lines = []
    for game in facts["results"][:6]:
        outcome = "was drawn" if game["winner"] == "draw" else f"was won by {game['winner']}"
        lines.append(
            rand.choice(
                [
                    f"- Game {game['game']}: {game['black']} (Black) against {game['white']} (White) "
                    f"{outcome} after {game['moves']} moves.",
                    f"- Game {game['game']} between {game['black']} and {game['white']} {outcome} in "
                    f"{game['moves']} moves.",
                ]
            )
        )
    return f"Tournament {facts['id']}:\n\n" + "\n".join(lines)


def _opening_table(facts: dict[str, Any], rand: random.Random) -> str:
    head = "| Game | Black | White | Winner | Moves |\n|---|---|---|---|---|\n"
    return head + "\n".join(
        f"| {game['game']} | {game['black']} | {game['white']} | {game['winner']} | {game['moves']} |"
        for game in facts["results"][:8]
    )


def _opening_bests(facts: dict[str, Any], rand: random.Random) -> str:
    longest = max(facts["results"], key=lambda game: game["moves"])
    ended = "it ended in a draw" if longest["winner"] == "draw" else f"{longest['winner']} won it"
    return (
        f"All {_count(len(facts['results']), 'game', rand)} were played. The longest was game {longest['game']}, "
        f"in which {longest['black']} met {longest['white']}; {ended} after {longest['moves']} moves."
    )


OPENINGS: list[Writer] = [_opening_plain, _opening_plain, _opening_games, _opening_table, _opening_bests]

TITLES: list[Writer] = [
    lambda facts, rand: f"# Report on tournament {facts['id']}",
    lambda facts, rand: (
        f"## Tournament {facts['id']}\n\n{_count(len(facts['players']), 'player', rand).capitalize()} played "
        f"{len(facts['results'])} games."
    ),
    lambda facts, rand: f"**Tournament report** ({facts['id']})",
    lambda facts, rand: "",
    lambda facts, rand: f"This report covers {_count(len(facts['results']), 'game', rand)}. {ELO_NOTE.split(';')[0]}.",
]


# --- standings ---

COLUMNS = {
    "games": ["Games", "G", "Games played", "games"],
    "wins": ["Wins", "W", "Won", "wins"],
    "draws": ["Draws", "D", "Drawn", "draws"],
    "losses": ["Losses", "L", "Lost", "losses"],
    "points": ["Points", "Pts", "Score (points)", "points"],
    "elo": ["Elo", "Elo rating", "ELO", "elo"],
}


def _standings_table(facts: dict[str, Any], rand: random.Random) -> str:
    fields = list(COLUMNS)
    if rand.random() < 0.4:
        fields = sorted(rand.sample(fields, rand.randint(2, 5)), key=fields.index)
    if rand.random() < 0.2:
        rand.shuffle(fields)
    which, ranked, style = rand.randrange(4), rand.random() < 0.3, _style(rand)
    head = (["#"] if ranked else []) + ["Player", *(COLUMNS[field][which] for field in fields)]
    lines = ["| " + " | ".join(head) + " |", "|" + rand.choice([" --- |", "---|", ":--|", "---:|"]) * len(head)]
    for rank, row in enumerate(facts["table"], start=1):
        cells = ([str(rank)] if ranked else []) + [_name(row["player"], rand, style)]
        for field in fields:
            shown = {"points": _points, "elo": _elo}.get(field)
            cells.append(shown(row[field], rand) if shown else str(row[field]))
        lines.append("| " + " | ".join(cells) + " |")
    title = rand.choice(["", "", "### Standings\n\n", "**Standings**\n\n", "Standings:\n\n"])
    return title + "\n".join(lines)


def _standings_transposed(facts: dict[str, Any], rand: random.Random) -> str:
    rows = facts["table"]
    lines = ["| | " + " | ".join(row["player"] for row in rows) + " |", "|---|" + "---|" * len(rows)]
    for field in rand.sample(list(COLUMNS), 4):
        lines.append(f"| {COLUMNS[field][0]} | " + " | ".join(str(row[field]) for row in rows) + " |")
    return "\n".join(lines)


def _standings_bullets(facts: dict[str, Any], rand: random.Random) -> str:
    form, style, numbered = rand.randrange(7), _style(rand), rand.random() < 0.3
    lines = []
    for rank, row in enumerate(facts["table"], start=1):
        name, points, elo = _name(row["player"], rand, style), _points(row["points"], rand), _elo(row["elo"], rand)
        wins, draws, losses = row["wins"], row["draws"], row["losses"]
        text = [
            f"{name}: {points} points, Elo {elo}",
            f"{name} scored {points} points from {row['games']} games and has an Elo of {elo}.",
            f"{name} – {_count(wins, 'win', rand)}, {_count(draws, 'draw', rand)}, "
            f"{_count(losses, 'loss', rand, 'losses')}; {points} points; Elo {elo}",
            f"{name}: won {wins}, drew {draws}, lost {losses} ({points} points, Elo {elo})",
            f"{name} ({points} points): Elo {elo}, {wins} wins from {row['games']} games.",
            f"{name}: Elo {elo}. It won {wins} of its {row['games']} games and scored {points} points.",
            f"{points} points for {name}, whose Elo is {elo}",
        ][form]
        lines.append(f"{rank}. {text}" if numbered else f"{rand.choice('-*')} {text}")
    return "\n".join(lines)


def _standings_nested(facts: dict[str, Any], rand: random.Random) -> str:
    heading = rand.choice(["### {}", "- {}", "**{}**", "- **{}**:"])
    blocks = []
    for row in facts["table"]:
        inner = [f"Points: {_points(row['points'], rand)}", f"Elo: {row['elo']}", f"Wins: {row['wins']}"]
        dash = "  - " if heading.startswith("-") else "- "
        gap = "\n" if heading.startswith("-") else "\n\n"
        blocks.append(heading.format(row["player"]) + gap + "\n".join(dash + line for line in inner))
    return ("\n" if heading.startswith("-") else "\n\n").join(blocks)


def _standings_prose(facts: dict[str, Any], rand: random.Random) -> str:
    table, style = facts["table"], _style(rand)
    first, last = table[0], table[-1]
    name = {row["player"]: _name(row["player"], rand, style) for row in table}
    top, bottom = name[first["player"]], name[last["player"]]
    p1, p2 = f"{first['points']:.1f}", f"{last['points']:.1f}"
    e1, e2 = _elo(first["elo"], rand), _elo(last["elo"], rand)
    chain = ", ".join(f"{name[row['player']]} has {row['points']:.1f} points (Elo {row['elo']})" for row in table)
    scores = "; ".join(f"{name[row['player']]} {row['points']:.1f} points, Elo {row['elo']}" for row in table)
    forms = [
        f"{_upper(top)} finished first with {p1} points and an Elo of {e1}; {bottom} came last with {p2} "
        f"points (Elo {e2}).",
        f"{_upper(top)} finished ahead of {bottom} with {p1} points to {p2}.",
        f"With {p1} points, {top} finished first, ahead of {bottom} on {p2}.",
        f"{_upper(top)} came first. It scored {p1} points and now has an Elo of {e1}. {_upper(bottom)} came "
        f"last. It scored {p2} points.",
        f"{_upper(chain)}.",
        f"The final scores were: {scores}.",
        f"{p1} points for {top} and {p2} for {bottom}.",
        f"The winner is {top}, which won {first['wins']}, drew {first['draws']} and lost {first['losses']} of "
        f"its {first['games']} games. Its Elo is {e1}, while {bottom} stands at {e2}.",
        f"{_upper(top)} ({p1} points, Elo {e1}) finished above {bottom} ({p2} points, Elo {e2}).",
        f"{_upper(top)} and {bottom} scored {p1} and {p2} points respectively.",
        f"In first place is {top} with {_count(first['wins'], 'win', rand)} and "
        f"{_count(first['draws'], 'draw', rand)}; "
        f"in last place is {bottom} with {_count(last['losses'], 'loss', rand, 'losses')}.",
        f"{_upper(top)}'s Elo is {e1} and {bottom}'s is {e2}. They scored {p1} and {p2} points.",
        f"The Elo of {top} is now {e1}, that of {bottom} {e2}, after {_count(first['games'], 'game', rand)} each.",
        f"{_upper(bottom)} took {p2} points, but {top} took {p1} and so won the tournament; {top} now has {e1} Elo.",
        f"{_upper(top)} topped the table: {p1} points from {first['games']} games, Elo {e1}.",
    ]
    return rand.choice(forms)


def _standings_lines(facts: dict[str, Any], rand: random.Random) -> str:
    return "Standings:\n" + "\n".join(
        f"{row['player']}: games {row['games']}, wins {row['wins']}, draws {row['draws']}, losses {row['losses']}, "
        f"points {row['points']}, elo {row['elo']}"
        for row in facts["table"]
    )


STANDINGS: list[Writer] = [
    *[_standings_table] * 3,
    _standings_transposed,
    *[_standings_bullets] * 2,
    _standings_nested,
    *[_standings_prose] * 3,
    _standings_lines,
]


# --- mistakes ---


def _mistakes_lead(facts: dict[str, Any], rand: random.Random) -> str:
    shown, found = len(facts["mistakes"]), facts["found"]
    return rand.choice(
        [
            "",
            f"{_upper(_count(found, 'mistake', rand))} {'was' if found == 1 else 'were'} found at depth "
            f"{facts['depth']}.",
            f"The review at depth {facts['depth']} found {_count(found, 'mistake', rand)}; the "
            f"{_count(shown, 'biggest mistake', rand)}:",
            f"The {shown} biggest mistakes:",
            "### Biggest mistakes",
            f"The engine found {found} mistakes. The biggest are:",
        ]
    )


def _mistakes_bullets(facts: dict[str, Any], rand: random.Random) -> str:
    form, numbered, lines = rand.randrange(9), rand.random() < 0.4, []
    for rank, one in enumerate(facts["mistakes"], start=1):
        game, number, side, player = one["game"], one["move_number"], one["side"], one["player"]
        played, best, cost = one["played"], one["engine_best_move"], _cost(one, rand)
        text = [
            f"Game {game}, move {number}, {player} ({side}) played {played}; the engine's best move was "
            f"{best} ({cost}).",
            f"In game {game}, {player} played {played} at move {number}, {cost}; {best} was better.",
            f"Game {game}, move {number}: {side} ({player}) played {played}, best was {best}, {cost}",
            f"**{player}** (game {game}, move {number}): {played} instead of {best}, {cost}.",
            f"{side}, {player}, chose {played} on move {number} of game {game} where {best} was best: {cost}.",
            f"Move {number} of game {game}: {player}'s {played} ({cost}). The engine preferred {best}.",
            f"`{played}` by {player} in game {game} (move {number}), {cost}. Better: `{best}`",
            f"Game {game} – move {number} – {side} – {player} – played {played} – best {best} – {cost}",
            f"Instead of {best}, {player} played {played} in game {game} at move {number}, {cost}.",
        ][form]
        lines.append(f"{rank}. {text}" if numbered else f"- {text}")
    lead = _mistakes_lead(facts, rand)
    return (lead + "\n\n" if lead else "") + "\n".join(lines)


def _mistakes_table(facts: dict[str, Any], rand: random.Random) -> str:
    columns = {
        "game": ["Game", "game", "Game"],
        "move_number": ["Move", "Move number", "Move no."],
        "side": ["Side", "side", "Colour"],
        "player": ["Player", "player", "Player"],
        "played": ["Played", "Move played", "played"],
        "engine_best_move": ["Best move", "Engine's best move", "engine best move"],
        "cost": ["Lost men or verdict", "Cost", "Lost"],
    }
    which = rand.randrange(3)
    fields = list(columns)
    if rand.random() < 0.4:
        fields.remove(rand.choice(["side", "cost", "player"]))
    lines = ["| " + " | ".join(columns[field][which] for field in fields) + " |", "|" + "---|" * len(fields)]
    for one in facts["mistakes"]:
        shown = {**one, "cost": one.get("verdict", one.get("lost_men"))}
        lines.append("| " + " | ".join(str(shown[field]) for field in fields) + " |")
    lead = _mistakes_lead(facts, rand)
    return (lead + "\n\n" if lead else "") + "\n".join(lines)


def _mistakes_prose(facts: dict[str, Any], rand: random.Random) -> str:
    one, other = facts["mistakes"][:2]
    return rand.choice(
        [
            f"The biggest mistake was {one['played']} by {one['player']} at move {one['move_number']} of game "
            f"{one['game']}: "
            f"the engine preferred {one['engine_best_move']}, {_cost(one, rand)}. The next was "
            f"{other['player']}'s {other['played']} "
            f"in game {other['game']} (move {other['move_number']}), where {other['engine_best_move']} was best.",
            f"{_upper(one['player'])} erred in game {one['game']}: at move {one['move_number']} it played "
            f"{one['played']} "
            f"instead of {one['engine_best_move']}. In game {other['game']}, {other['player']} played "
            f"{other['played']} "
            f"at move {other['move_number']} instead of {other['engine_best_move']}.",
            f"These moves stand out: {one['played']} ({one['player']}, game {one['game']}, move "
            f"{one['move_number']}) and "
            f"{other['played']} ({other['player']}, game {other['game']}, move {other['move_number']}).",
            f"In game {one['game']}, playing {one['side']}, {one['player']} chose {one['played']} at move "
            f"{one['move_number']}. "
            f"The best move was {one['engine_best_move']}. In game {other['game']}, playing {other['side']}, "
            f"{other['player']} chose {other['played']} at move {other['move_number']}. The best move was "
            f"{other['engine_best_move']}.",
        ]
    )


MISTAKES: list[Writer] = [*[_mistakes_bullets] * 3, *[_mistakes_table] * 2, *[_mistakes_prose] * 2]


# --- comparisons with earlier notes ---


def _comparison(facts: dict[str, Any], rand: random.Random) -> str:
    if not facts["notes"]:
        return rand.choice(["", "There are no earlier notes.", "No earlier notes were found."])
    note = rand.choice(facts["notes"])
    now = {row["player"]: row for row in facts["table"]}
    player, points, elo = rand.choice(note["rows"])
    ident = note["text"].split()[1]
    return rand.choice(
        [
            f"In the earlier tournament {ident}, {player} had {points:.1f} points and an Elo of {elo}; now it "
            f"has {now[player]['points']:.1f} points and {now[player]['elo']}.",
            f"Compared with tournament {ident}, where {player}'s Elo was {elo}, it is now {now[player]['elo']}.",
            f"Earlier, {player} scored {points:.1f} points (Elo {elo}).",
            f"{_upper(player)}'s Elo went from {elo} in tournament {ident} to {now[player]['elo']} in this one.",
            f"{_upper(_count(len(facts['notes']), 'note', rand))} of earlier tournaments "
            f"{'was' if len(facts['notes']) == 1 else 'were'} found; in the one of {note['when'][:10]} "
            f"{player} had {points:.1f} points.",
        ]
    )


COMPARISONS: list[Writer] = [_comparison]
