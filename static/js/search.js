/**
 * search.js: the best move of a position, by iterative deepening.
 *
 *     Search.search(state, {depth: 9})                     a depth: the same answer on any machine
 *     Search.search(state, {nodes: 20000})                 a budget of positions
 *     Search.search(state, {ms: 20})                       a clock, for experiments only
 *     -> {move, score, depth, nodes, pv}: score for the side to move, pv a list of moves
 *
 *     further options:
 *     evaluator  "hand" (default), "learned" or "neural"
 *     moves      only these root moves (plain moves from legalMoves)
 *     above      only a root move that scores more than this; move is null when there is none
 *     history    the earlier states of the game, oldest first; with it (even empty) a position
 *                that comes back is a draw. Without it only the 80 quiet plies are.
 *     continued  go straight to the depth, with what the last search (of a position of the same
 *                game, with the same evaluator) left behind in table and history
 *
 *     Search.scoreAll(state, depth, evaluator)             every move with its exact score
 *
 * What it does not do: search one move to one depth (alphabeta.js), chance and levels (ai.js).
 *
 * @typedef {import("./rules.js").State} State
 * @typedef {import("./rules.js").Move} Move
 * @typedef {{m: number, move: Move, score: number}} Root a root move, its place among the fast ones, its score
 */
const Search = (function (Rules, AlphaBeta) {
  "use strict";

  const { WIN_SCORE, DECIDED, MAX_DEPTH, scoreRoot, keepRoot, isStopped } = AlphaBeta;
  const { board, POSITION_WORDS, MOVE_WORDS, SPARE, SPARE_MOVES, pack, generate, make, unpackMove } = Rules.fast;

  /** The root moves up to place `end`; only those of `wanted` when it is given. @returns {Root[]} */
  function rootMoves(end, wanted) {
    const roots = [];
    const asText = wanted && wanted.map((move) => JSON.stringify([move.from, move.path]));
    for (let m = 0; m < end; m += MOVE_WORDS) {
      const move = unpackMove(m);
      if (!asText || asText.includes(JSON.stringify([move.from, move.path]))) roots.push({ m, move, score: 0 });
    }
    return roots;
  }

  /** The score of a root move if it is above `floor`; otherwise some score that is not. */
  function scoreAbove(floor, m, depth) {
    const score = scoreRoot(m, depth, floor, floor + 1);
    return score > floor && !isStopped() ? scoreRoot(m, depth, floor) : score;
  }

  /**
   * One iteration over the root moves. The best comes first afterwards, with its exact score;
   * the others keep their order. Cut short, it still counts when a move was finished:
   * the first was the best of the iteration before, and only a better one replaces it.
   */
  function searchRoots(roots, depth, above) {
    let best = null, floor = above;
    for (const root of roots) {
      const score = floor === undefined ? scoreRoot(root.m, depth) : scoreAbove(floor, root.m, depth);
      if (isStopped()) break;
      if (floor !== undefined && score <= floor) continue;
      root.score = floor = score;
      best = root;
      keepRoot(root.m);
    }
    if (best === null) return false;
    roots.splice(roots.indexOf(best), 1);
    roots.unshift(best);
    return true;
  }

  /** The best line as plain moves, by playing its ordinals from the root. */
  function bestLine(state) {
    const pv = [];
    pack(state, SPARE);
    for (const ordinal of AlphaBeta.bestOrdinals()) {
      const m = SPARE_MOVES + ordinal * MOVE_WORDS;
      generate(SPARE, SPARE_MOVES);
      pv.push(unpackMove(m));
      make(SPARE, m, SPARE + POSITION_WORDS);
      board.copyWithin(SPARE, SPARE + POSITION_WORDS, SPARE + 2 * POSITION_WORDS);
    }
    return pv;
  }

  /**
   * The best move within the limits; see the top of this file for the options.
   * A depth of 1 is always finished, whatever the other limits.
   * @param {State} state
   * @param {{depth?: number, nodes?: number, ms?: number, evaluator?: string, history?: State[], moves?: Move[],
   *   above?: number, continued?: boolean}} options
   * @returns {{move: Move | null, score: number, depth: number, nodes: number, pv: Move[]}}
   */
  function search(state, options = {}) {
    const roots = rootMoves(AlphaBeta.begin(state, options), options.moves);
    if (roots.length === 0) return { move: null, score: -WIN_SCORE, depth: 0, nodes: 1, pv: [] };
    const deepest = Math.min(options.depth || MAX_DEPTH - 1, MAX_DEPTH - 1);
    const fallback = options.above === undefined ? roots[0].move : null;
    let found = { move: fallback, score: options.above || 0, depth: 0, nodes: 0, pv: /** @type {Move[]} */ ([]) };
    for (let depth = options.continued ? deepest : 1; depth <= deepest && !isStopped(); depth++) {
      if (!searchRoots(roots, depth, options.above)) break;
      found = { move: roots[0].move, score: roots[0].score, depth, nodes: 0, pv: bestLine(state) };
      if (Math.abs(found.score) >= WIN_SCORE - depth) break; // the end is in sight: deeper finds no other
      AlphaBeta.allowStop();
    }
    return { ...found, nodes: AlphaBeta.nodesSearched() };
  }

  /**
   * Every legal move with its exact score for this depth, best first (equal ones in the order of legalMoves).
   * @param {State} state @param {number} depth @param {string} evaluator
   * @returns {{move: Move, score: number}[]}
   */
  function scoreAll(state, depth, evaluator) {
    const inOrder = rootMoves(AlphaBeta.begin(state, { evaluator }));
    const roots = inOrder.slice();
    for (let shallow = 1; shallow < depth; shallow++) searchRoots(roots, shallow); // fills table and history
    for (const root of roots) root.score = scoreRoot(root.m, depth);
    return inOrder.sort((a, b) => b.score - a.score).map(({ move, score }) => ({ move, score }));
  }

  return { WIN_SCORE, DECIDED, search, scoreAll };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof AlphaBeta !== "undefined" ? AlphaBeta : require("./alphabeta.js"),
);

if (typeof module !== "undefined") module.exports = Search;
