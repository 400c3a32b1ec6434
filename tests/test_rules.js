/**
 * The rules of English draughts and the names of moves.
 *
 * Perft figures from the start: OEIS A133046 and aartbik.com. With those of the other positions
 * pydraughts agrees, a move generator that somebody else wrote.
 * Run: node --test tests/test_rules.js
 */
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const Rules = require("../static/js/rules.js");
const Notation = require("../static/js/notation.js");

const START_PERFT = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680];

/** A state from position text such as "B:W18,K10:B12"; a small reader of the tests' own. */
function position(text) {
  const [turn, ...sides] = text.split(":");
  const board = Array.from({ length: 8 }, () => Array(8).fill("."));
  for (const side of sides) {
    for (const entry of side.slice(1).split(",").filter(Boolean)) {
      const king = entry.startsWith("K");
      const [row, col] = Notation.squareFromNumber(Number(king ? entry.slice(1) : entry));
      const man = side[0].toLowerCase();
      board[row][col] = king ? man.toUpperCase() : man;
    }
  }
  return { board, turn: turn.toLowerCase(), quietPlies: 0 };
}

const POSITIONS = [
  ["circular capture, choice", "B:W6,12,15,16,K17,23,24,26,29:BK3,K4,K18,K21,28",
    [3, 29, 68, 343, 1749, 8846, 52953, 274704]],
  ["crowning ends the turn, shorter capture allowed", "B:WK2,8,9,K19,24,K25,26,28,32:B11,K13,21,K29",
    [3, 25, 55, 275, 1169, 7475, 43011, 290770]],
  ["a king crosses its own start", "B:W14,15,16,22,23,24,K29:B1,K18",
    [6, 20, 108, 784, 2411, 15564, 63757, 457645]],
];

/** A capture by numbers, as the notes write them: 18x9, or every landing when it is longer. */
function numbered(move) {
  const sign = move.captures.length ? "x" : "-";
  return [move.from, ...move.path].map(Notation.squareNumber).join(sign);
}

const MOVES = [
  ["no move left", "B:W16,19:B12", []],
  ["a man crowned by a capture stops jumping", "B:W26,27:B22", ["22x31"]],
  ["a double jump ends on the far row", "W:W18:B15,7", ["18x11x2"]],
  ["a single king must capture", "W:WK29:BK25", ["29x22"]],
  ["kings do not fly", "B:W27:BK15,1", ["1-5", "1-6", "15-10", "15-11", "15-18", "15-19"]],
  ["two paths between the same ends are two moves", "B:W9,10,17,18:B6", ["6x13x22", "6x15x22"]],
  ["captures are forced for men beside kings", "B:WK1,8,17,27,31:B4,13", ["13x22", "4x11"]],
  ["a king may cross and end on its own start", "B:W14,15,16,22,23,24,K29:B1,K18",
    ["18x9", "18x25", "18x11x20x27x18x9", "18x11x20x27x18x25", "18x27x20x11x18x9", "18x27x20x11x18x25"]],
];

/** The same position seen from the other side: board turned round, colours swapped. */
function turned(state) {
  const swap = { ".": ".", b: "w", w: "b", B: "W", W: "B" };
  const board = state.board.map((row) => Array.from(row, (cell) => swap[cell]).reverse()).reverse();
  return { board, turn: state.turn === "b" ? "w" : "b", quietPlies: state.quietPlies };
}

/** A reproducible stream of numbers in [0, 1), for the random games below. */
function stream(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    return (seed >>> 8) / 2 ** 24;
  };
}

/** Every state of a random game. */
function randomGame(seed) {
  const rand = stream(seed);
  const states = [Rules.startPosition()];
  while (states.length < 300 && !Rules.result(states.at(-1))) {
    const legal = Rules.legalMoves(states.at(-1));
    states.push(Rules.applyMove(states.at(-1), legal[Math.floor(rand() * legal.length)]));
  }
  return states;
}

test("perft from the start equals the published figures to depth 9", () => {
  START_PERFT.forEach((leaves, i) => assert.equal(Rules.fast.perft(Rules.startPosition(), i + 1), leaves));
});

for (const [name, text, figures] of POSITIONS) {
  test(`perft: ${name}`, () => {
    figures.forEach((leaves, i) => assert.equal(Rules.fast.perft(position(text), i + 1), leaves, `depth ${i + 1}`));
  });
  test(`perft is the same with the board turned and the colours swapped: ${name}`, () => {
    figures.slice(0, 6).forEach((leaves, i) => {
      assert.equal(Rules.fast.perft(turned(position(text)), i + 1), leaves, `depth ${i + 1}`);
    });
  });
}

for (const [name, text, expected] of MOVES) {
  test(`legal moves: ${name}`, () => {
    assert.deepEqual(Rules.legalMoves(position(text)).map(numbered).sort(), [...expected].sort());
  });
}

test("counting with the plain functions gives the same perft as the fast ones", () => {
  const count = (state, depth) => depth === 0 ? 1 :
    Rules.legalMoves(state).reduce((sum, move) => sum + count(Rules.applyMove(state, move), depth - 1), 0);
  assert.equal(count(Rules.startPosition(), 5), START_PERFT[4]);
  for (const [, text, figures] of POSITIONS) assert.equal(count(position(text), 4), figures[3]);
});

test("a side to move without a move has lost", () => {
  assert.deepEqual(Rules.result(position("B:W16,19:B12")), { winner: "w", reason: "no legal move" });
  assert.equal(Rules.result(position("W:W:B12")).winner, "b");
  assert.equal(Rules.result(Rules.startPosition()), null);
});

test("80 plies without a capture or a man's move are a draw, 79 are not", () => {
  const state = position("B:WK29:BK4,K1");
  assert.equal(Rules.result({ ...state, quietPlies: 79 }), null);
  const drawn = Rules.result({ ...state, quietPlies: 80 });
  assert.equal(drawn.winner, "draw");
  assert.match(drawn.reason, /80 plies/);
});

test("a side without a move has lost even when the 80th quiet ply was played", () => {
  assert.equal(Rules.result({ ...position("B:W16,19:B12"), quietPlies: 80 }).winner, "w");
});

test("quiet plies count king moves and start again at a man's move or a capture", () => {
  const play = (text, name, quietPlies) => {
    const state = { ...position(text), quietPlies };
    const move = Notation.findMove(Rules.legalMoves(state), name);
    return Rules.applyMove(state, move).quietPlies;
  };
  assert.equal(play("B:WK29:BK4,1", "a1-b2", 7), 8);
  assert.equal(play("B:WK29:BK4,1", "g1-h2", 7), 0);
  assert.equal(play("W:WK29:BK25", "h8xf6", 7), 0);
});

test("making a move leaves the state it was made from unchanged", () => {
  for (const state of randomGame(5)) {
    const before = JSON.stringify(state);
    for (const move of Rules.legalMoves(state)) Rules.applyMove(state, move);
    assert.equal(JSON.stringify(state), before);
  }
});

test("a state read back from JSON, its rows as text or arrays, has the same moves", () => {
  for (const state of randomGame(11)) {
    const moves = Rules.legalMoves(state);
    const read = JSON.parse(JSON.stringify(state));
    assert.deepEqual(Rules.legalMoves(read), moves);
    assert.deepEqual(Rules.legalMoves({ ...read, board: read.board.map((row) => row.join("")) }), moves);
  }
});

test("turning the board round and swapping colours mirrors every legal move of random games", () => {
  const mirrored = (move) => [move.from, ...move.path].map((square) => 33 - Notation.squareNumber(square)).join(" ");
  const plain = (move) => [move.from, ...move.path].map(Notation.squareNumber).join(" ");
  for (let seed = 1; seed <= 20; seed++) {
    for (const state of randomGame(seed)) {
      assert.deepEqual(Rules.legalMoves(turned(state)).map(mirrored).sort(), Rules.legalMoves(state).map(plain).sort());
    }
  }
});

test("pieces never appear from nothing in random games", () => {
  const count = (state, letters) => state.board.flat().filter((cell) => letters.includes(cell)).length;
  for (let seed = 1; seed <= 20; seed++) {
    const states = randomGame(seed);
    for (let i = 1; i < states.length; i++) {
      assert.ok(count(states[i], "bB") <= count(states[i - 1], "bB"));
      assert.ok(count(states[i], "wW") <= count(states[i - 1], "wW"));
    }
  }
});

const BAD_STATES = [
  ["an unknown cell", (state) => { state.board[0][1] = "x"; }, /row 0, column 1 holds "x"/],
  ["a piece on a light square", (state) => { state.board[0][0] = "b"; }, /light square/],
  ["a missing row", (state) => { state.board.pop(); }, /8 rows/],
  ["a short row", (state) => { state.board[3].pop(); }, /row 3 has 7 cells/],
  ["an unknown turn", (state) => { state.turn = "black"; }, /the turn is "black"/],
];
for (const [name, spoil, message] of BAD_STATES) {
  test(`a state with ${name} is refused in words`, () => {
    const state = Rules.startPosition();
    spoil(state);
    assert.throws(() => Rules.legalMoves(state), message);
  });
}

test("a move of the other side's piece is refused in words", () => {
  assert.throws(() => Rules.applyMove(Rules.startPosition(), { from: [2, 1], path: [[3, 0]], captures: [] }),
    /"b" is to move/);
});

const NUMBERS = { g1: 1, a1: 4, h2: 5, a3: 12, d4: 15, h6: 21, h8: 29, b8: 32, c3: 11 };
test("squares are numbered from g1 to b8 as in the standard notation", () => {
  for (const [name, number] of Object.entries(NUMBERS)) {
    assert.equal(Notation.toNumber(name), number);
    assert.equal(Notation.toName(number), name);
  }
  for (let number = 1; number <= 32; number++) assert.equal(Notation.toNumber(Notation.toName(number)), number);
});

test("11-15 is c3-d4, and it is legal at the start", () => {
  const move = Notation.findMove(Rules.legalMoves(Rules.startPosition()), "c3-d4");
  assert.equal(numbered(move), "11-15");
});

test("a capture is named by every square it lands on", () => {
  const names = Rules.legalMoves(position("B:W14,22:B10")).map(Notation.moveName);
  assert.deepEqual(names, ["e3xg5xe7"]);
});

test("a name that is no legal move is not found", () => {
  assert.equal(Notation.findMove(Rules.legalMoves(Rules.startPosition()), "c3-c4"), null);
});

test("a name or number that is no dark square is refused in words", () => {
  assert.throws(() => Notation.squareFromName("i9"), /"i9" is no square/);
  assert.throws(() => Notation.squareFromNumber(33), /1 to 32/);
  assert.throws(() => Notation.toNumber("a2"), /light square/);
});
