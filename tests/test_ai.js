/**
 * The players and the search behind them.
 *
 * The search is held against a plain full-width minimax written here, without alpha-beta,
 * table, ordering or incremental sums: the same depth must give the same score, exactly.
 * Run: node --test tests/test_ai.js
 */
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const Rules = require("../static/js/rules.js");
const Notation = require("../static/js/notation.js");
const Ai = require("../static/js/ai.js");

const EVALUATORS = [...new Set(Object.values(Ai.LEVELS).map((level) => level.evaluator))];

function stream(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    return (seed >>> 8) / 2 ** 24;
  };
}

/** A state some random plies from the start, with the game not over. */
function randomState(seed, plies) {
  const rand = stream(seed);
  let state = Rules.startPosition();
  for (let i = 0; i < plies; i++) {
    const legal = Rules.legalMoves(state);
    const next = Rules.applyMove(state, legal[Math.floor(rand() * legal.length)]);
    if (Rules.result(next)) return state;
    state = next;
  }
  return state;
}

/** A state from a drawing, rank 8 first. */
function drawn(turn, rows, quietPlies = 0) {
  return { board: rows.map((row) => row.split("")), turn, quietPlies };
}

/** The definition that the search must meet. */
function minimax(state, depth, evaluator, ply = 0) {
  const legal = Rules.legalMoves(state);
  if (legal.length === 0) return ply - Ai.WIN_SCORE;
  if (state.quietPlies >= Rules.DRAW_PLIES) return 0;
  const mustPlayOn = legal.length === 1 || legal[0].captures.length > 0;
  if (depth <= 0 && !mustPlayOn) return Ai.evaluateWith(state, evaluator);
  return Math.max(...legal.map((move) => -minimax(Rules.applyMove(state, move), depth - 1, evaluator, ply + 1)));
}

function assertExact(state, depth, evaluator) {
  const scored = Ai.scoreMoves(state, depth, evaluator);
  assert.equal(scored.length, Rules.legalMoves(state).length);
  for (const { move, score } of scored) {
    assert.equal(score, -minimax(Rules.applyMove(state, move), depth - 1, evaluator, 1),
      `${Notation.moveName(move)} at depth ${depth} with ${evaluator} in ${JSON.stringify(state)}`);
  }
  for (let i = 1; i < scored.length; i++) assert.ok(scored[i - 1].score >= scored[i].score);
}

for (const evaluator of EVALUATORS) {
  test(`scoreMoves equals plain minimax for every legal move: ${evaluator}`, () => {
    for (let seed = 1; seed <= 30; seed++) assertExact(randomState(seed, 4 + 3 * seed), 1 + (seed % 4), evaluator);
  });
}

test("scoreMoves is exact where the 80 quiet plies end the game within the depth", () => {
  const rows = ["........", "..W.....", "........", "........", ".....B..", "........", "...B....", "........"];
  for (const quietPlies of [70, 75, 77, 78, 79]) assertExact(drawn("b", rows, quietPlies), 4, "hand");
});

test("the search finds the best score of scoreMoves at the same depth", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const state = randomState(seed, 10 + 2 * seed);
    const { score, move, depth } = Ai.search(state, { depth: 6 });
    const scored = Ai.scoreMoves(state, depth);
    assert.equal(score, scored[0].score);
    assert.ok(scored.some((entry) => entry.score === score && Notation.moveName(entry.move) === Notation.moveName(move)));
  }
});

test("the line of a search is playable and begins with its move", () => {
  for (let seed = 1; seed <= 20; seed++) {
    let state = randomState(seed, 8);
    const { move, pv } = Ai.search(state, { depth: 7 });
    assert.deepEqual(pv[0], move);
    for (const step of pv) {
      const legal = Notation.findMove(Rules.legalMoves(state), Notation.moveName(step));
      assert.deepEqual(legal, step);
      state = Rules.applyMove(state, legal);
    }
  }
});

test("evaluation is the same for both sides with the board turned and the colours swapped", () => {
  const swap = { ".": ".", b: "w", w: "b", B: "W", W: "B" };
  for (const evaluator of EVALUATORS) {
    for (let seed = 1; seed <= 40; seed++) {
      const state = randomState(seed, 3 * seed);
      const board = state.board.map((row) => row.map((cell) => swap[cell]).reverse()).reverse();
      const turned = { board, turn: state.turn === "b" ? "w" : "b", quietPlies: state.quietPlies };
      assert.equal(Ai.evaluateWith(turned, evaluator), Ai.evaluateWith(state, evaluator));
    }
  }
});

test("a man more is worth about 100 points to every evaluator", () => {
  for (const evaluator of EVALUATORS) {
    const state = Rules.startPosition();
    state.board[0][1] = ".";
    const score = Ai.evaluateWith(state, evaluator);
    assert.ok(score > 30 && score < 250, `${evaluator}: ${score}`);
  }
});

const WON = drawn("b", ["........", "..w.....", ".b......", "........", "........", "........", "........", "........"]);

test("a win in one ply scores WIN_SCORE - 1 and is played by every searching player", () => {
  assert.equal(Ai.scoreMoves(WON, 1)[0].score, Ai.WIN_SCORE - 1);
  for (const level of ["medium", "hard", "learned", "neural"]) {
    const next = Rules.applyMove(WON, Ai.chooseMove(WON, level, () => 0.99));
    assert.equal(Rules.result(next).winner, "b");
  }
});

test("a lost side to move scores as lost and has no move to choose", () => {
  const lost = drawn("w", WON.board.map((row) => row.join("").replace("w", ".")));
  assert.equal(Ai.chooseMove(lost, "hard", () => 0), null);
  assert.deepEqual(Ai.scoreMoves(lost, 3), []);
  assert.equal(Ai.search(lost, { depth: 3 }).move, null);
});

test("no player stops in the middle of an exchange", () => {
  // Black can take a man and is taken back twice: counting after the first capture would like it.
  const state = drawn("b", ["........", "....w...", "...w.w..", "........", "...w....", "..b.b...", "........", "b......."]);
  for (const { move, score } of Ai.scoreMoves(state, 1)) {
    assert.equal(score, -minimax(Rules.applyMove(state, move), 0, "hand", 1));
  }
});

test("the same request gives the same moves, whatever was searched before", () => {
  const play = () => {
    let state = Rules.startPosition();
    const names = [];
    for (let i = 0; i < 24 && !Rules.result(state); i++) {
      const move = Ai.chooseMove(state, "medium", () => 0.5);
      names.push(Notation.moveName(move));
      state = Rules.applyMove(state, move);
    }
    return names.join(" ");
  };
  const first = play();
  Ai.search(randomState(3, 20), { depth: 9 });
  assert.equal(play(), first);
});

test("every level chooses a legal move", () => {
  for (const level of Object.keys(Ai.LEVELS)) {
    for (let seed = 1; seed <= 5; seed++) {
      const state = randomState(seed, 9 * seed);
      const move = Ai.chooseMove(state, level, stream(seed));
      assert.ok(Notation.findMove(Rules.legalMoves(state), Notation.moveName(move)));
    }
  }
});

test("all chance comes from rand: a player that draws a lot follows it", () => {
  const state = Rules.startPosition();
  const lots = [0, 0.999];
  const move = Ai.chooseMove(state, "easy", () => lots.shift());
  assert.deepEqual(move, Rules.legalMoves(state).at(-1));
});

test("a position that came before counts as a draw when the history is given", () => {
  // Two kings against one: Black is ahead, and would only draw by going back where it was.
  const rows = [".W......", "........", "........", "........", "...B....", "........", "........", "B......."];
  const start = drawn("b", rows, 10);
  const plain = Ai.search(start, { depth: 1 });
  const next = Rules.applyMove(start, plain.move);
  const history = [next, next, next, next]; // ends with White to move, as one ply before `start`
  const known = Ai.search(start, { depth: 1, history });
  assert.notEqual(Notation.moveName(known.move), Notation.moveName(plain.move));
});

test("a budget of nodes is kept to and still gives a move", () => {
  const state = Rules.startPosition();
  const { nodes, move } = Ai.search(state, { nodes: 5000 });
  assert.ok(move && nodes <= 5000 + 2000, `${nodes} nodes`);
  assert.ok(Ai.search(state, { nodes: 1 }).move);
});

test("a search of chosen root moves stays with them", () => {
  const state = Rules.startPosition();
  for (const only of Rules.legalMoves(state)) {
    const { move, score } = Ai.search(state, { depth: 5, moves: [only] });
    assert.deepEqual(move, only);
    const exact = Ai.scoreMoves(state, 5).find((entry) => Notation.moveName(entry.move) === Notation.moveName(only));
    assert.equal(score, exact.score);
  }
});

test("an unknown level, evaluator or depth is refused in words", () => {
  const state = Rules.startPosition();
  assert.throws(() => Ai.chooseMove(state, "genius", () => 0), /no level "genius": use one of easy, medium/);
  assert.throws(() => Ai.evaluateWith(state, "magic"), /no evaluator "magic": use one of hand/);
  assert.throws(() => Ai.scoreMoves(state, 0), /depth is 0/);
});

test("in a page, the scripts in the order of static/README.md give the same move as under Node", () => {
  const readme = fs.readFileSync(path.join(__dirname, "..", "static", "README.md"), "utf-8");
  const scripts = [...readme.matchAll(/<script src="(js\/\w+\.js)">/g)].map((match) => match[1]);
  const page = vm.createContext({});
  for (const script of scripts) {
    vm.runInContext(fs.readFileSync(path.join(__dirname, "..", "static", script), "utf-8"), page, { filename: script });
  }
  for (const level of ["medium", "neural"]) {
    const name = vm.runInContext(
      `Notation.moveName(Ai.chooseMove(Rules.startPosition(), ${JSON.stringify(level)}, () => 0.5))`, page);
    const state = Rules.startPosition();
    assert.equal(name, Notation.moveName(Ai.chooseMove(state, level, () => 0.5)));
  }
});

test("a search that has its answer and one with every option unused give the same", () => {
  const state = randomState(4, 12);
  const { move, score, depth } = Ai.search(state, { depth: 7 });
  const again = Ai.search(state, { depth: 7, evaluator: "hand", moves: Rules.legalMoves(state) });
  assert.deepEqual([again.move, again.score, again.depth], [move, score, depth]);
});
