/**
 * Positions and games as text (PDN and FEN). Run: node tests/test_pdn.js
 */
"use strict";

const { test } = require("node:test");
const assert = require("node:assert/strict");
const path = require("node:path");

const ROOT = path.resolve(__dirname, "..");
const Pdn = require(path.join(ROOT, "static/js/pdn.js"));
const Rules = require(path.join(ROOT, "static/js/rules.js"));
const Notation = require(path.join(ROOT, "static/js/notation.js"));
const { seeded } = require(path.join(ROOT, "train/match.js"));

const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

/** The position after the moves of a game. */
function endOf({ start, moves }) {
  return Pdn.writeFen(moves.reduce((state, name) => Rules.applyMove(state, Notation.findMove(Rules.legalMoves(state), name)), start));
}

function oneGame(text) {
  const games = Pdn.readGames(text);
  assert.equal(games.length, 1);
  return games[0];
}

// ---- positions

test("the start position is written with White on 21 to 32 and Black on 1 to 12", () => {
  assert.equal(Pdn.writeFen(Rules.startPosition()), START);
});

test("squares are numbered as draughts players number them: 1 is g1, 4 a1, 5 h2, 12 a3, 15 d4, 21 h6, 29 h8, 32 b8", () => {
  const names = { 1: "g1", 4: "a1", 5: "h2", 12: "a3", 15: "d4", 21: "h6", 29: "h8", 32: "b8" };
  for (const [number, name] of Object.entries(names)) {
    const { board } = Pdn.readFen(`B:WK${number}:B`);
    assert.equal(board[8 - Number(name[1])]["abcdefgh".indexOf(name[0])], "W", name);
  }
});

const READ_ALIKE = [
  ["B:W21-32:B1-12", START, "ranges"],
  ["B:W21-32:B1-12.", START, "a final dot"],
  [" B : W21-32 : B1 - 12 . \n", START, "blanks"],
  ["B:B1-12:W21-32", START, "Black's side first"],
  ["W:W:BK5", "W:W:BK5", "an empty side"],
  ["W:WK05,07:B", "W:WK5,7:B", "leading zeros"],
  ["B:WK1-K3:B", "B:WK1,K2,K3:B", "a range of kings"],
  ["B:W24,18,K10:BK22,12", "B:WK10,18,24:B12,K22", "any order of squares"],
];
for (const [text, written, what] of READ_ALIKE) {
  test(`a position is read with ${what} and written in one way`, () => {
    assert.equal(Pdn.writeFen(Pdn.readFen(text)), written);
  });
}

for (const [text, why] of [
  ["", /begins with B or W/], ["X:W1:B2", /begins with B or W/], ["B", /pieces of both sides/], ["B:W21", /pieces of both sides/],
  ["B:W21:W22", /pieces of both sides/], ["B:W33:B1", /"33" is no square/], ["B:W0:B1", /"0" is no square/],
  ["B:Wx:B1", /"x" is no square/], ["B:W9-5:B1", /"9-5" is no square or range/], ["B:W9:B9", /square 9 is named twice/],
  ["B:W4:B12", /square 4 is on that side's far row/], ["B:W21:B30", /square 30 is on that side's far row/],
]) {
  test(`the position ${JSON.stringify(text)} is refused with the reason`, () => {
    assert.throws(() => Pdn.readFen(text), (error) => error instanceof Pdn.PdnError && why.test(error.message));
  });
}

// ---- moves

test("11-15 is c3-d4", () => {
  assert.equal(Notation.moveName(Pdn.readMove(Rules.startPosition(), "11-15")), "c3-d4");
});

// The positions are known ones for these rules; the moves follow from the rules as stated beside each.
const MOVES = [
  ["W:W18:B15,7", ["18x2"], "a double jump by its two ends"],
  ["B:W26,27:B22", ["22x31"], "a single jump"],
  ["B:W9,10,17,18:B6", ["6x13x22", "6x15x22"], "the whole path where two captures share their ends"],
  ["B:WK1,8,17,27,31:B4,13", ["13x22", "4x11"], "captures of different pieces by their ends"],
  ["B:W27:BK15,1", ["1-5", "1-6", "15-10", "15-11", "15-18", "15-19"], "steps"],
];
for (const [fen, written, what] of MOVES) {
  test(`moves are written as ${what}`, () => {
    const state = Pdn.readFen(fen);
    const legal = Rules.legalMoves(state);
    assert.deepEqual(legal.map((move) => Pdn.writeMove(move, legal)).sort(), written);
    for (const move of legal) assert.deepEqual(Pdn.readMove(state, Pdn.writeMove(move, legal)), move);
  });
}

test("a capture is read by its ends, its whole path, a part of it, or with a hyphen", () => {
  const state = Pdn.readFen("W:W18:B15,7");
  for (const text of ["18x2", "18x11x2", "18-2", "18-11-2", "18:2"]) {
    assert.equal(Notation.moveName(Pdn.readMove(state, text)), "e5xc3xe1", text);
  }
});

test("a capture that may be either of two that take different pieces is not guessed", () => {
  const state = Pdn.readFen("B:W9,10,17,18:B6");
  assert.throws(() => Pdn.readMove(state, "6x22"), /6x22 may be any of 6x13x22, 6x15x22|6x22 may be any of 6x15x22, 6x13x22/);
  assert.equal(Notation.moveName(Pdn.readMove(state, "6x15x22")), Notation.moveName(Pdn.readMove(state, "6-15-22")));
});

test("a king that comes round to its own square can be written and read both ways round", () => {
  const state = Pdn.readFen("B:W14,15,16,22,23,24,K29:B1,K18");
  const legal = Rules.legalMoves(state);
  const written = legal.map((move) => Pdn.writeMove(move, legal));
  assert.equal(new Set(written).size, legal.length);
  for (const text of written) assert.ok(legal.length === 6 && Pdn.readMove(state, text), text);
});

// ---- reading games

const GAME = `[Event "A game"]
[Black "One, A."]
[White "Two \\"B\\""]
[Result "1-0"]

1. 11-15 {a comment (with brackets) 9-14} 22-18 $1 2. 15x22! 25x18 ; the rest of the line 1-5
% a line for programs
( 2... 26x17 {or so} (2... 25x18 3. 8-11) ) 3. 8-11 1-0
`;

test("tags, moves and result are read past comments, nested variations, codes and marks", () => {
  const { tags, moves, winner } = oneGame(GAME);
  assert.deepEqual(moves, ["c3-d4", "f6-e5", "d4xf6", "g7xe5", "b2-c3"]);
  assert.deepEqual([tags.Black, tags.White, winner], ["One, A.", 'Two "B"', "b"]);
});

test("1-0 means that Black won, 0-1 White, * nobody yet", () => {
  for (const [score, winner] of [["1-0", "b"], ["0-1", "w"], ["1/2-1/2", "draw"], ["*", null]]) {
    assert.equal(oneGame(`1. 11-15 ${score}`).winner, winner, score);
    assert.equal(oneGame(`[Result "${score}"]\n1. 11-15`).winner, winner, `tag ${score}`);
  }
});

test("the score behind the moves goes before the tag", () => {
  assert.equal(oneGame('[Result "1-0"]\n1. 11-15 0-1').winner, "w");
});

test("games follow one another with or without a score or a blank line between them", () => {
  const games = Pdn.readGames('[Event "a"]\n1. 11-15\n[Event "b"]\n1. 9-13 *\n1. 10-14 22-18 1-0 [Event "d"] *');
  assert.deepEqual(games.map(({ tags, moves }) => [tags.Event, moves.length]), [["a", 1], ["b", 1], [undefined, 2], ["d", 0]]);
});

test("a game may begin in a position of its own, with White to move", () => {
  const game = oneGame('[SetUp "1"]\n[FEN "W:W18:B7,15"]\n1... 18x11x2 0-1');
  assert.deepEqual([game.start.turn, game.moves, game.winner], ["w", ["e5xc3xe1"], "w"]);
});

test("moves may follow their numbers without a blank, and a byte order mark and \\r\\n are read past", () => {
  assert.equal(oneGame("\uFEFF[Event \"x\"]\r\n\r\n1.11-15 22-18\r\n2.15x22 25x18 *\r\n").moves.length, 4);
});

for (const [text, why] of [
  ["1. 11-16 22-17 2. 11-15 *", /game 1: move 3: 11-15 is not legal; legal moves: /],
  ["1. 11-15 * 1. 11-22 *", /game 2: move 1: 11-22 is not legal/],
  ["[Event 5]", /line 1: "\[Event 5\]" is no part of a game/], ["1. 11-15\n{ no end", /line 2: "\{ no end" is no part/],
  ["1. 11-15 (1. 9-13", /a \) is missing/], ["1. 11-15 ) *", /line 1: a \) that closes nothing/],
  ["1. e4 e5", /"e4 e5" is no part of a game/], ['[FEN "B:W40:B1"]\n*', /game 1: The position "B:W40:B1" cannot be read/],
  ['[GameType "20"]\n1. 32-28 *', /GameType is 20; only 21/],
]) {
  test(`${JSON.stringify(text)} is refused with the place and the reason`, () => {
    assert.throws(() => Pdn.readGames(text), (error) => error instanceof Pdn.PdnError && why.test(error.message));
  });
}

test("2,000 spoilt texts are each read, or refused by an error that says why", () => {
  const rand = seeded("spoilt");
  const marks = "[](){}\";$%0123456789-x.* \n\\?!K:";
  const pick = (from) => Math.floor(rand() * from.length);
  let refused = 0;
  for (let i = 0; i < 2000; i += 1) {
    const at = pick(GAME);
    const text = GAME.slice(0, at) + marks[pick(marks)] + GAME.slice(at + Math.floor(rand() * 2));
    try {
      Pdn.readGames(text);
    } catch (error) {
      assert.ok(error instanceof Pdn.PdnError && error.message.length > 10, text);
      refused += 1;
    }
  }
  assert.ok(refused > 500 && refused < 2000, `${refused} refused`);
});

test("no text is no games", () => {
  assert.deepEqual(Pdn.readGames(" \n"), []);
});

// ---- writing games

test("a game is written with the seven tags, the game type, numbered moves and its score, in lines of 80", () => {
  const text = Pdn.writeGame({ black: "easy", white: 'the "hard" one', moves: ["c3-d4", "f6-e5", "d4xf6", "g7xe5"], winner: "draw" });
  assert.equal(text, `[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[Black "easy"]
[White "the \\"hard\\" one"]
[Result "1/2-1/2"]
[GameType "21,B,8,8,N1,0"]

1. 11-15 22-18 2. 15x22 25x18 1/2-1/2
`);
});

test("a game from another position has SetUp and FEN and begins with 1... when White moves first", () => {
  const text = Pdn.writeGame({ start: Pdn.readFen("W:W18:B7,15"), moves: ["e5xc3xe1"], winner: "w" });
  assert.match(text, /\[SetUp "1"\]\n\[FEN "W:W18:B7,15"\]\n\n1\.\.\. 18x2 0-1\n$/);
});

test("a move that is not legal cannot be written", () => {
  assert.throws(() => Pdn.writeGame({ moves: ["c3-d4", "c3-d4"] }), /move 2: c3-d4 is not legal/);
});

/** A game of random legal moves, from the start or from a position some plies on. */
function randomGame(rand) {
  let state = Rules.startPosition();
  for (let ply = Math.floor(rand() * 20); ply > 0; ply -= 1) state = randomMove(state, rand).state || state;
  const game = { start: { ...state, quietPlies: 0 }, moves: [], winner: "draw" };
  state = game.start;
  while (!Rules.result(state) && game.moves.length < 200) {
    const played = randomMove(state, rand);
    game.moves.push(played.name);
    state = played.state;
  }
  const result = Rules.result(state);
  return { ...game, winner: result ? result.winner : "draw" };
}

function randomMove(state, rand) {
  const legal = Rules.legalMoves(state);
  const move = legal[Math.floor(rand() * legal.length)];
  return { name: Notation.moveName(move), state: Rules.applyMove(state, move) };
}

test("150 random games written and read back have the same starts, moves, results and final positions", () => {
  const rand = seeded("pdn");
  const games = Array.from({ length: 150 }, () => randomGame(rand));
  const text = games.map((game) => Pdn.writeGame(game)).join("\n");
  assert.ok(text.split("\n").every((line) => line.length <= 80 || line.startsWith("[FEN")));
  const back = Pdn.readGames(text);
  assert.deepEqual(back.map(({ winner }) => winner), games.map(({ winner }) => winner));
  back.forEach((game, i) => {
    assert.equal(endOf(game), endOf(games[i]));
    assert.deepEqual(game.moves, games[i].moves);
  });
});
