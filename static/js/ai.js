/**
 * ai.js: the five players, and the doors to the search behind them.
 *
 *     Ai.chooseMove(state, "hard", rand)          a legal move, or null when there is none
 *     Ai.chooseMove(state, "hard", rand, {history})   knows the positions of the game so far
 *     Ai.scoreMoves(state, 6)                     every legal move, exactly scored, best first
 *     Ai.search(state, {depth: 9})                one move with score, line and node count
 *     Ai.evaluateWith(state, "learned")           the score of a state, nothing searched
 *
 * Scores are for the side to move; 100 points are about one man; a win in n plies is
 * WIN_SCORE - n, and beyond DECIDED a score is a forced win (below -DECIDED a loss).
 * A level is a depth, never a clock: the same request gives the same game on any machine.
 * All chance comes from the `rand` handed in, a function giving numbers in [0, 1).
 *
 * What it does not do: the rules (rules.js), the search itself (search.js), the worth of a
 * position (evaluate.js).
 *
 * @typedef {import("./rules.js").State} State
 * @typedef {import("./rules.js").Move} Move
 */
const Ai = (function (Rules, Weights, Evaluate, Search) {
  "use strict";

  /** The players, weakest first. randomChance: how often a move is simply drawn by lot. */
  const LEVELS = {
    easy: { depth: 1, randomChance: 0.3, evaluator: "hand" },
    medium: { depth: 4, randomChance: 0, evaluator: "hand" },
    hard: { depth: 10, randomChance: 0, evaluator: "hand" },
    learned: { depth: 10, randomChance: 0, evaluator: "learned" },
    neural: { depth: 10, randomChance: 0, evaluator: "neural" },
  };

  /**
   * The move this player makes.
   * @param {State} state @param {string} level one of LEVELS @param {() => number} rand
   * @param {{history?: State[]}} options history: the states before this one, oldest first;
   *   with it a position that comes back counts as a draw
   * @returns {Move | null}
   */
  function chooseMove(state, level, rand, options = {}) {
    if (!Object.hasOwn(LEVELS, level)) {
      throw new Error(`there is no level ${JSON.stringify(level)}: use one of ${Object.keys(LEVELS).join(", ")}`);
    }
    const { depth, randomChance, evaluator } = LEVELS[level];
    const legal = Rules.legalMoves(state);
    if (legal.length < 2) return legal[0] || null;
    if (randomChance > 0 && rand() < randomChance) return legal[Math.floor(rand() * legal.length)];
    return Search.search(state, { depth, evaluator, history: options.history }).move;
  }

  /**
   * Every legal move with its exact score for this depth, best first.
   * @param {State} state @param {number} depth plies, 1 or more @param {string} evaluator
   * @returns {{move: Move, score: number}[]}
   */
  function scoreMoves(state, depth, evaluator = "hand") {
    if (!Number.isInteger(depth) || depth < 1) throw new Error(`depth is ${depth}: it is a whole number from 1`);
    return Search.scoreAll(state, depth, evaluator);
  }

  /** The score of a state for its side to move, as it stands. @param {State} state */
  function evaluateWith(state, evaluator = "hand") {
    return Evaluate.evaluate(Evaluate.named(evaluator), state);
  }

  return {
    LEVELS, WEIGHTS: Weights, WIN_SCORE: Search.WIN_SCORE, DECIDED: Search.DECIDED,
    chooseMove, scoreMoves, evaluateWith, search: Search.search,
  };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof Weights !== "undefined" ? Weights : require("./weights.js"),
  typeof Evaluate !== "undefined" ? Evaluate : require("./evaluate.js"),
  typeof Search !== "undefined" ? Search : require("./search.js"),
);

if (typeof module !== "undefined") module.exports = Ai;
