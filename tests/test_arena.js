/**
 * What engine/arena.js promises, called as a function and as a program. Run: node tests/test_arena.js
 */
"use strict";

const { test } = require("node:test");
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const path = require("node:path");

const ROOT = path.resolve(__dirname, "..");
const ARENA = path.join(ROOT, "engine", "arena.js");
const { run } = require(ARENA);
const Rules = require(path.join(ROOT, "static/js/rules.js"));
const Notation = require(path.join(ROOT, "static/js/notation.js"));
const Ai = require(path.join(ROOT, "static/js/ai.js"));
const Pdn = require(path.join(ROOT, "static/js/pdn.js"));
const { seeded } = require(path.join(ROOT, "train/match.js"));
const { spread } = require(path.join(ROOT, "engine/workers.js"));
const { fixtures, playFixture } = require(path.join(ROOT, "engine/tournament.js"));
const { faultBetween, worstFirst } = require(path.join(ROOT, "engine/review.js"));

/** What the program prints for a text on standard input. */
function ask(input, environment = {}) {
  const done = spawnSync(process.execPath, [ARENA], { input, encoding: "utf8", env: { ...process.env, ...environment } });
  return { code: done.status, out: done.stdout, err: done.stderr, answer: JSON.parse(done.stdout) };
}

/** A game that begins in a position given as FEN. */
function gameFrom(fen, ...moves) {
  return { number: 1, black: "easy", white: "hard", start: Pdn.readFen(fen), moves };
}

function playedOut(game) {
  return game.moves.reduce((state, name) => {
    const move = Notation.findMove(Rules.legalMoves(state), name);
    assert.ok(move, `${name} is legal in game ${game.number}`);
    return Rules.applyMove(state, move);
  }, game.start);
}

const TWO = { command: "tournament", players: ["easy", "medium"], pairs: 2, seed: 5 };

// ---- players

test("players answers with the levels, which have a depth, a random chance and an evaluator", () => {
  const { players } = run({ command: "players" });
  assert.deepEqual(Object.keys(players), ["easy", "medium", "hard", "learned", "neural"]);
  for (const level of Object.values(players)) {
    assert.deepEqual(Object.keys(level).sort(), ["depth", "evaluator", "randomChance"]);
  }
});

// ---- tournaments

test("every pair of players meets in each opening twice with the colours swapped", () => {
  const games = fixtures({ players: ["easy", "medium", "hard"], pairs: 2, seed: 1, openings: "random" });
  assert.deepEqual(games.map((game) => `${game.number} ${game.black} ${game.white} ${game.opening}`), [
    "1 easy medium 1", "2 medium easy 1", "3 easy medium 2", "4 medium easy 2",
    "5 easy hard 1", "6 hard easy 1", "7 easy hard 2", "8 hard easy 2",
    "9 medium hard 1", "10 hard medium 1", "11 medium hard 2", "12 hard medium 2",
  ]);
});

test("both games of an opening begin in one position, and the next opening is another", () => {
  const { games } = run(TWO);
  assert.deepEqual(games.map(({ number, black, white }) => [number, black, white]),
    [[1, "easy", "medium"], [2, "medium", "easy"], [3, "easy", "medium"], [4, "medium", "easy"]]);
  assert.deepEqual(games[0].start, games[1].start);
  assert.deepEqual(games[2].start, games[3].start);
  assert.notDeepEqual(games[0].start, games[2].start);
});

test("a game has legal moves from its start to the end that its winner and reason tell", () => {
  for (const game of run(TWO).games) {
    const end = playedOut(game);
    const result = Rules.result(end);
    if (result) assert.deepEqual([game.winner, game.reason], [result.winner, result.reason]);
    else assert.deepEqual([game.winner, /repetition|200 plies/.test(game.reason)], ["draw", true]);
    assert.ok(game.moves.length <= 200);
  }
});

test("the same seed gives the same games and another seed gives others", () => {
  assert.deepEqual(run(TWO), run(TWO));
  assert.notDeepEqual(run(TWO), run({ ...TWO, seed: 6 }));
});

test("seed and pairs are 1 unless the request says otherwise", () => {
  const request = { command: "tournament", players: ["easy", "medium"] };
  assert.deepEqual(run(request), run({ ...request, pairs: 1, seed: 1 }));
});

test("two players play the same games whoever else takes part", () => {
  const players = ["easy", "learned", "medium"];
  const theirs = fixtures({ ...TWO, players, openings: "random" })
    .filter(({ black, white }) => black !== "learned" && white !== "learned")
    .map((fixture) => playFixture(fixture).moves);
  assert.deepEqual(theirs, run(TWO).games.map(({ moves }) => moves));
});

test("hard, learned and neural play a tournament game against easy to its end by legal moves", () => {
  for (const name of ["hard", "learned", "neural"]) {
    const [fixture] = fixtures({ players: [name, "easy"], pairs: 1, seed: 4, openings: "ballots" });
    const game = playFixture(fixture);
    assert.equal(game.black, name);
    playedOut(game);
  }
});

test("with openings ballots games begin after the three moves of a ballot, White to move", () => {
  const { games } = run({ ...TWO, openings: "ballots" });
  for (const { start } of games) assert.equal(start.turn, "w");
  assert.notDeepEqual(games[0].start, games[2].start);
});

// ---- reviews

test("a move that costs a man is found with the better move, the loss in men and the line that was better", () => {
  // Black's man on g3 goes to f4, where White's on e5 takes it; g1-f2 would have guarded it.
  const game = gameFrom("B:W18,32:B9,1", "g3-f4", "e5xg3");
  const { mistakes, mistakes_found: found, depth } = run({ command: "review", games: [game] });
  assert.deepEqual([depth, found], [4, 1]);
  const [worst] = mistakes;
  assert.deepEqual([worst.game, worst.move_number, worst.side, worst.player, worst.played], [1, 1, "Black", "easy", "g3-f4"]);
  assert.ok(worst.lost_men >= 0.5 && worst.lost_men < 3);
  assert.equal(worst.better_line[0], worst.engine_best_move);
  assert.ok(worst.better_line.length >= 2 && worst.better_line.length <= 6);
});

test("the loss of a reviewed move is the difference of its exact scores", () => {
  const { games } = run(TWO);
  for (const mistake of run({ command: "review", games, depth: 3, how_many: 100 }).mistakes) {
    const game = games[mistake.game - 1];
    const before = playedOut({ ...game, moves: game.moves.slice(0, mistake.move_number - 1) });
    const scores = Ai.scoreMoves(before, 3, "hand");
    const played = scores.find(({ move }) => Notation.moveName(move) === mistake.played).score;
    const best = scores.find(({ move }) => Notation.moveName(move) === mistake.engine_best_move).score;
    assert.equal(best, scores[0].score);
    if (mistake.verdict) assert.ok(best > Ai.DECIDED || played < -Ai.DECIDED);
    else assert.equal(mistake.lost_men, Math.round((best - played) / 10) / 10);
  }
});

test("depth is 4 and how_many 3 unless the request says otherwise", () => {
  const { games } = run(TWO);
  const answer = run({ command: "review", games });
  assert.equal(answer.depth, 4);
  assert.ok(answer.mistakes.length <= 3);
  assert.deepEqual(answer, run({ command: "review", games, depth: 4, how_many: 3 }));
});

test("a position with one legal move is no mistake", () => {
  const game = gameFrom("B:W26,27:B22");
  game.moves = [Notation.moveName(Rules.legalMoves(game.start)[0])];
  assert.equal(run({ command: "review", games: [game] }).mistakes_found, 0);
});

test("no games have no mistakes", () => {
  assert.deepEqual(run({ command: "review", games: [] }), { depth: 4, mistakes_found: 0, mistakes: [] });
});

const WON = Ai.WIN_SCORE - 5;
const FAULTS = [
  [100, 51, null, "less than half a man"],
  [100, 50, { lost_men: 0.5 }, "half a man"],
  [40, -200, { lost_men: 2.4 }, "men lost"],
  [WON, 300, { verdict: "missed a forced win" }, "a forced win let go"],
  [WON, -WON, { verdict: "missed a forced win" }, "a forced win turned into a loss"],
  [0, -WON, { verdict: "walked into a forced loss" }, "a forced loss chosen"],
  [-300, -WON, { verdict: "walked into a forced loss" }, "a forced loss chosen when behind"],
  [WON, WON - 4, null, "a slower win"],
  [-WON + 4, -WON, null, "a faster loss"],
  [WON, 600, null, "won by force or six men ahead: decided either way"],
  [-600, -WON, null, "six men behind or lost by force: decided either way"],
  [700, 510, null, "seven men ahead or five"],
];
for (const [best, played, fault, name] of FAULTS) {
  test(`a best score of ${best} and one of ${played} for the move played: ${name}`, () => {
    assert.deepEqual(faultBetween(best, played), fault);
  });
}

test("mistakes with a verdict come first, then the largest, and ties keep the order played", () => {
  const list = [
    { id: 1, lost_men: 0.7 }, { id: 2, verdict: "walked into a forced loss" }, { id: 3, lost_men: 2 },
    { id: 4, verdict: "missed a forced win" }, { id: 5, lost_men: 0.7 },
  ];
  assert.deepEqual(worstFirst(list).map(({ id }) => id), [2, 4, 3, 1, 5]);
});

// ---- games in progress, and PDN

test("position tells what may be played and where each move leads", () => {
  const { positions } = run({ command: "position", games: [gameFrom("B:WK1,8,17,27,31:B4,13")] });
  assert.equal(positions[0].result, null);
  assert.equal(positions[0].fen, "B:WK1,8,17,27,31:B4,13");
  assert.deepEqual(positions[0].legal.map(({ move, numbers, fen }) => `${move} ${numbers} ${fen}`).sort(), [
    "a1xc3 4x11 W:WK1,17,27,31:B11,13", "h4xf6 13x22 W:WK1,8,27,31:B4,22",
  ]);
});

test("a game may begin in a position given as FEN", () => {
  const { positions } = run({ command: "position", games: [{ start: "W:W18:B15,7", moves: ["e5xc3xe1"] }] });
  assert.deepEqual(positions[0], { fen: "B:WK2:B", result: { winner: "w", reason: "no legal move" }, legal: [] });
});

test("openings gives as many different ballots or random openings as asked, the same for the same seed", () => {
  for (const kind of ["random", "ballots"]) {
    const request = { command: "openings", kind, count: 8, seed: 3 };
    const { openings } = run(request);
    assert.equal(new Set(openings.map(({ name }) => name)).size, 8);
    assert.deepEqual(run(request).openings, openings);
  }
});

test("choose gives the move of a player for each game and null where the game is over", () => {
  const games = [gameFrom("B:W26,27:B22"), gameFrom("B:W16,19:B12")];
  const { moves } = run({ command: "choose", games, player: "hard:depth=3" });
  assert.equal(moves.length, 2);
  assert.ok(Notation.findMove(Rules.legalMoves(games[0].start), moves[0]));
  assert.equal(moves[1], null);
});

test("pdn writes a tournament's games so that they can be read back", () => {
  const { games } = run(TWO);
  const back = Pdn.readGames(run({ command: "pdn", games, event: "Test", date: "2026.10.28" }).pdn);
  assert.deepEqual(back.map(({ moves, winner }) => ({ moves, winner })), games.map(({ moves, winner }) => ({ moves, winner })));
  assert.deepEqual([back[0].tags.Event, back[0].tags.Date, back[0].tags.Round], ["Test", "2026.10.28", "1"]);
});

test("measure counts the published leaves of perft, search nodes and the times of moves", () => {
  const perft = run({ command: "measure", what: "perft", depth: 6 });
  assert.equal(perft.leaves, 36768); // OEIS A133046
  const search = run({ command: "measure", what: "search", depth: 3, count: 4 });
  assert.ok(search.nodes > 0 && search.positions === 4 && search.evaluator === "hand");
  const moves = run({ command: "measure", what: "moves", player: "easy", count: 5 });
  assert.ok(moves.median_ms <= moves.p99_ms && moves.p99_ms <= moves.max_ms);
  for (const measured of [perft, search, moves]) assert.ok(measured.seconds >= 0 && measured.memory_mb > 0);
});

// ---- requests that cannot be answered

const START = Rules.startPosition();
const WRONG = [
  [null, /JSON object/], [[], /JSON object/], ["players", /JSON object/], [7, /JSON object/],
  [{}, /no command/], [{ command: "dance" }, /Unknown command "dance"\. Commands: players/], [{ command: 1 }, /Unknown command 1/],
  [{ command: "toString" }, /Unknown command/],
  [{ command: "players", seed: 1 }, /Unknown key "seed"/], [{ ...TWO, level: 1 }, /Unknown key "level"/],
  [{ ...TWO, players: undefined }, /players must be a list/], [{ ...TWO, players: "easy" }, /players must be a list/],
  [{ ...TWO, players: ["easy", "wizard"] }, /Unknown player "wizard"\. Players: easy/],
  [{ ...TWO, players: ["easy", "__proto__"] }, /Unknown player/], [{ ...TWO, players: ["easy", 3] }, /Unknown player 3/],
  [{ ...TWO, players: ["easy"] }, /2 to 5 different players, not 1/], [{ ...TWO, players: [] }, /not 0/],
  [{ ...TWO, players: ["easy", "easy"] }, /"easy" is named twice/],
  [{ ...TWO, pairs: 0 }, /pairs .* from 1 to 3, not 0/], [{ ...TWO, pairs: 4 }, /not 4/], [{ ...TWO, pairs: 1.5 }, /not 1.5/],
  [{ ...TWO, pairs: "2" }, /not "2"/], [{ ...TWO, pairs: null }, /not null/], [{ ...TWO, pairs: true }, /not true/],
  [{ ...TWO, seed: 0 }, /seed .* from 1 to 1000000, not 0/], [{ ...TWO, seed: "seven" }, /not "seven"/],
  [{ ...TWO, openings: "chess" }, /Openings must be "random" or "ballots"/], [{ ...TWO, progress: 1 }, /progress must be/],
  [{ command: "review" }, /games must be a list/], [{ command: "review", games: {} }, /games must be a list/],
  [{ command: "review", games: [3] }, /Game 1 of the list must be an object/],
  [{ command: "review", games: [], depth: 0 }, /depth .* not 0/], [{ command: "review", games: [], depth: "4" }, /depth/],
  [{ command: "review", games: [], how_many: 0 }, /how_many/],
  [{ command: "review", games: [{ moves: [] }] }, /Game 1: start must be an object/],
  [{ command: "review", games: [{ start: START, moves: "c3-d4" }] }, /moves must be a list/],
  [{ command: "review", games: [{ start: START, moves: [1] }] }, /moves must be a list/],
  [{ command: "review", games: [{ start: START, moves: [], number: "1" }] }, /number/],
  [{ command: "review", games: [{ start: START, moves: [], black: 5 }] }, /black must be a player's name/],
  [{ command: "pdn", games: [{ start: START, moves: [], winner: "easy" }] }, /winner must be/],
  [{ command: "review", games: [{ start: { ...START, turn: "x" }, moves: [] }] }, /turn "b" or "w"/],
  [{ command: "review", games: [{ start: { ...START, quietPlies: -1 }, moves: [] }] }, /quietPlies/],
  [{ command: "review", games: [{ start: { ...START, board: [] }, moves: [] }] }, /8 rows/],
  [{ command: "review", games: [{ start: { ...START, board: ["b"] .concat(START.board.slice(1)) }, moves: [] }] }, /8 cells on rank 8/],
  [{ command: "review", games: [{ start: { ...START, board: ["w......."].concat(START.board.slice(1)) }, moves: [] }] }, /not a dark square/],
  [{ command: "review", games: [{ start: { ...START, board: [".b......"].concat(START.board.slice(1)) }, moves: [] }] }, /uncrowned man on b8/],
  [{ command: "review", games: [{ start: { ...START, board: [".x......"].concat(START.board.slice(1)) }, moves: [] }] }, /"x" on b8/],
  [{ command: "review", games: [{ number: 4, start: START, moves: ["c3-d4", "c3-d4"] }] }, /Game 4: move 2, "c3-d4", is not legal/],
  [{ command: "review", games: [gameFrom("B:W16,19:B12", "c3-d4")] }, /The game was over/],
  [{ command: "choose", games: [], player: "hard:speed=3" }, /Unknown setting "speed"/],
  [{ command: "openings", kind: "ballots", count: 157 }, /count .* from 1 to 156, not 157/],
  [{ command: "measure", what: "luck" }, /what must be "perft", "search", "moves", not "luck"/],
  [{ command: "measure", what: "moves", player: "hard:depth=2" }, /Unknown player "hard:depth=2"/],
  [{ command: "measure", what: "moves", count: 0 }, /count .* not 0/],
  [{ command: "choose", games: [] }, /Unknown player/],
  [{ command: "pdn", games: [], date: "today" }, /date must be text like/],
];
for (const [request, sentence] of WRONG) {
  test(`${JSON.stringify(request).slice(0, 90)} is answered by a sentence`, () => {
    const answer = run(request);
    assert.deepEqual(Object.keys(answer), ["error"]);
    assert.match(answer.error, sentence);
  });
}

/** A copy of a request in which one value, anywhere, has become something else. */
function spoilt(request, rand) {
  const wild = [null, true, -1, 0, 1.5, 1e300, "", "x", [], {}, [[]], "B:W1:B2", "__proto__", ["easy", "easy"], { board: [] }];
  const copy = structuredClone(request);
  let place = copy;
  for (;;) {
    const keys = Object.keys(place);
    const key = keys[Math.floor(rand() * keys.length)];
    if (typeof place[key] !== "object" || place[key] === null || !Object.keys(place[key]).length || rand() < 0.3) {
      place[key] = wild[Math.floor(rand() * wild.length)];
      return copy;
    }
    place = place[key];
  }
}

test("1,500 spoilt requests are each read or refused by a sentence, and none is answered by a fault of the engine", () => {
  const rand = seeded("spoilt");
  const games = [{ number: 1, black: "easy", white: "hard", winner: "b", reason: "?", start: START, moves: ["c3-d4", "b6-a5"] }];
  const requests = [
    { command: "review", games, depth: 1, how_many: 2 }, { command: "pdn", games, event: "e", date: "2026.01.01" },
    { command: "position", games }, { command: "choose", games, player: "hard:depth=1", seed: 2 },
  ];
  let refused = 0;
  for (let i = 0; i < 1500; i += 1) {
    const request = spoilt(requests[i % requests.length], rand);
    const answer = run(request);
    if (answer.error === undefined) continue;
    refused += 1;
    assert.match(answer.error, /^[A-Za-z].*\.$/s, JSON.stringify(request));
    assert.doesNotMatch(answer.error, /The engine failed|undefined|\[object/, JSON.stringify(request));
  }
  assert.ok(refused > 1000 && refused < 1500, `${refused} refused`);
});

// ---- the program

test("the program answers a request on standard input, says nothing else, and agrees with run", () => {
  const { code, out, err, answer } = ask(JSON.stringify(TWO));
  assert.deepEqual([code, err, out.endsWith("}\n")], [0, "", true]);
  assert.deepEqual(answer, JSON.parse(JSON.stringify(run(TWO))));
});

test("any number of workers gives the same games, the same review and the same complaint", () => {
  const { games } = run(TWO);
  const broken = games.map((game) => ({ ...game, moves: [...game.moves, "a1-h8"] }));
  for (const request of [TWO, { command: "review", games, how_many: 10 }, { command: "review", games: broken }]) {
    const answers = ["1", "2", "5"].map((count) => ask(JSON.stringify(request), { ARENA_WORKERS: count }).out);
    assert.equal(answers[1], answers[0]);
    assert.equal(answers[2], answers[0]);
  }
});

test("progress goes to standard error, one line for each game, when the request asks for it", () => {
  for (const workers of ["1", "2"]) {
    const { err } = ask(JSON.stringify({ ...TWO, progress: true }), { ARENA_WORKERS: workers });
    assert.deepEqual(err.trim().split("\n").map((line) => JSON.parse(line.replace(/^progress /, ""))),
      [1, 2, 3, 4].map((done) => ({ done, of: 4, what: "games played" })));
  }
});

test("results come back in the order of the jobs, whatever each of them costs", async () => {
  const games = [gameFrom("B:W16,19:B12"), gameFrom("B:W26,27:B22"), gameFrom("W:W18:B15,7")];
  const jobs = games.map((game, i) => ({ command: "choose", work: { game, player: "easy", seed: 1 }, cost: i }));
  const results = await spread(jobs, 2, () => {});
  // The game is over; one jump; one double jump: no position leaves a choice.
  assert.deepEqual(results.map(({ value }) => value), [null, "f6xd8", "e5xc3xe1"]);
});

test("a fault in a thread becomes a rejection, not a wait without end", async () => {
  await assert.rejects(spread([{ command: "no such command", work: {}, cost: 1 }], 1, () => {}), TypeError);
});

for (const [input, sentence] of [
  ["", /There was no request/], ["  \n", /There was no request/], ["{", /not JSON/], ["players", /not JSON/], ["[]", /JSON object/],
]) {
  test(`the program answers ${JSON.stringify(input)} on standard input with a sentence and exit code 0`, () => {
    const { code, answer } = ask(input);
    assert.equal(code, 0);
    assert.match(answer.error, sentence);
  });
}

test("ARENA_WORKERS that is no number of threads is named", () => {
  for (const count of ["0", "two", "1.5"]) {
    assert.match(ask('{"command": "players"}', { ARENA_WORKERS: count }).answer.error, new RegExp(`not "${count}"`));
  }
});

test("requiring the engine does nothing by itself", () => {
  const done = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(ARENA)})`], { encoding: "utf8", input: "{}" });
  assert.deepEqual([done.status, done.stdout, done.stderr], [0, "", ""]);
});
