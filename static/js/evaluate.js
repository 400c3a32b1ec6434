/**
 * evaluate.js: what a quiet position is worth, for each of the three evaluations.
 *
 *   hand     material and squares, set by hand
 *   learned  the same form, its integers learned from games (train/learn.js)
 *   neural   such squares, corrected by a small network (network.js, train/neural.js)
 *
 * An evaluator is a table of rows (sums.js) and `finish(sums, at, turn)`: the score for the side to
 * move in points (100 points are about one man), from the accumulator alone. Its `network`, when it
 * has one, corrects that by at most `margin` points, from sums of its own; because the correction is
 * bounded, the search asks for it only where it could matter (alphabeta.js).
 *
 * What it does not do: search, or judge captures: a position with a capture pending must be played
 * out first.
 *
 * @typedef {{width: number, base: Int32Array, rows: Int32Array,
 *   finish: (sums: Int32Array, at: number, turn: number) => number, margin: number, network: any}} Evaluator
 */
const Evaluate = (function (Rules, Weights, Sums, Network) {
  "use strict";

  const { BLACK, board, ROW_OF, COL_OF, SPARE } = Rules.fast;
  const { SHARED_WORDS, COUNTS, FULL_BOARD, MAX_WIDTH } = Sums;
  const { sharedRows, fillSquares, numberOf, pair, taper, pieceCount, accumulate } = Sums;

  const PAIR = SHARED_WORDS; // the word with the squares' points, opening and ending
  const WIDTH = SHARED_WORDS + 1;

  // ------------------------------------------------------ the hand evaluation

  const MAN = 100, KING_OPENING = 140, KING_ENDING = 130;

  /** A black man's square: points set by hand. */
  function handMan(square) {
    const rank = 7 - ROW_OF[square], file = COL_OF[square]; // from 0
    const centre = file >= 2 && file <= 5 && rank >= 2 && rank <= 5 ? 4 : 0;
    const edge = file === 0 || file === 7 ? -3 : 0;
    const guard = rank === 0 && (file === 2 || file === 6) ? 8 : 0; // the bridge: squares 1 and 3
    return pair(MAN + rank + centre + edge + guard, MAN + 3 * rank + centre + edge);
  }

  function handKing(square) {
    const fromCentre = Math.max(Math.abs(ROW_OF[square] - 3.5), Math.abs(COL_OF[square] - 3.5)) - 0.5; // 0 to 3
    return pair(KING_OPENING - 4 * fromCentre, KING_ENDING - 5 * fromCentre);
  }

  /** Ahead by a man or more: the fewer pieces are left, the more it counts. */
  function tradeBonus(counts, pieces) {
    const lead = 2 * ((counts & 255) + ((counts >>> 16) & 255)) - pieces;
    if (lead === 0) return 0;
    return (lead > 0 ? 1 : -1) * 2 * (FULL_BOARD - pieces);
  }

  function makeHand() {
    const rows = sharedRows(WIDTH);
    fillSquares(rows, WIDTH, PAIR, handMan, handKing);
    function finish(sums, at, turn) {
      const pieces = pieceCount(sums[at + COUNTS]);
      const score = (taper(sums[at + PAIR], pieces) + tradeBonus(sums[at + COUNTS], pieces)) | 0;
      return turn === BLACK ? score : -score;
    }
    return { width: WIDTH, base: new Int32Array(WIDTH), rows, finish, margin: 0, network: null };
  }

  // --------------------------------------- the learned and the neural evaluation

  /** Pairs by bit index from two lists by square number. */
  function pairsOf(opening, ending) {
    return (square) => {
      const number = numberOf(square);
      return pair(opening[number - 1], ending[number - 1]);
    };
  }

  /**
   * @param {{men: {opening: number[], ending: number[]}, kings: {opening: number[], ending: number[]},
   *   tempo: number}} weights points by square number, seen from Black's side; tempo: of having the move
   */
  function makeLearned(weights) {
    const rows = sharedRows(WIDTH);
    fillSquares(rows, WIDTH, PAIR,
      pairsOf(weights.men.opening, weights.men.ending), pairsOf(weights.kings.opening, weights.kings.ending));
    const tempo = weights.tempo;
    function finish(sums, at, turn) {
      const score = taper(sums[at + PAIR], pieceCount(sums[at + COUNTS])) | 0;
      return (turn === BLACK ? score : -score) + tempo;
    }
    return { width: WIDTH, base: new Int32Array(WIDTH), rows, finish, margin: 0, network: null };
  }

  function makeNeural(weights) {
    return { ...makeLearned(weights), margin: weights.margin, network: Network.make(weights) };
  }

  /** The score of a plain state for the side to move, nothing searched. */
  function evaluate(evaluator, state) {
    const sums = new Int32Array(MAX_WIDTH);
    Rules.fast.pack(state, SPARE);
    const turn = board[SPARE + 3];
    accumulate(evaluator, SPARE, sums, 0);
    const score = evaluator.finish(sums, 0, turn), pieces = pieceCount(sums[COUNTS]);
    if (evaluator.network === null) return score;
    accumulate(evaluator.network, SPARE, sums, 0);
    return score + evaluator.network.finish(sums, 0, turn, pieces);
  }

  const evaluators = { hand: makeHand() };
  if (Weights.learned) evaluators.learned = makeLearned(Weights.learned);
  if (Weights.neural) evaluators.neural = makeNeural(Weights.neural);

  /** The evaluator of this name. @returns {Evaluator} */
  function named(name) {
    if (!Object.hasOwn(evaluators, name)) {
      throw new Error(`there is no evaluator ${JSON.stringify(name)}: use one of ${Object.keys(evaluators).join(", ")}`);
    }
    return evaluators[name];
  }

  return { named, evaluate, makeLearned, makeNeural, evaluators };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof Weights !== "undefined" ? Weights : require("./weights.js"),
  typeof Sums !== "undefined" ? Sums : require("./sums.js"),
  typeof Network !== "undefined" ? Network : require("./network.js"),
);

if (typeof module !== "undefined") module.exports = Evaluate;
