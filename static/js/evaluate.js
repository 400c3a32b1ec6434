/**
 * evaluate.js: what a quiet position is worth, kept up to date move by move.
 *
 * Every evaluator has the same two halves:
 *
 *   1. a row of `width` integers for each piece on each square. The sum of the rows of all
 *      pieces on the board is the position's accumulator; a move only adds and subtracts
 *      the rows of what it changed, whatever the evaluator.
 *   2. `finish(sums, at)`: the score for Black in points (100 points are about one man),
 *      from the accumulator alone.
 *
 * The first three words of each row are the same for all evaluators: two Zobrist words
 * (random numbers that are added up, not exclusive-ored: any sum that can be undone will do)
 * and the piece counts, one byte each for black men, white men, black kings, white kings.
 *
 * What it does not do: search (search.js), or judge captures: a position with a capture
 * pending must be played out first.
 *
 * @typedef {{name: string, width: number, rows: Int32Array, finish: (sums: Int32Array, at: number) => number}} Evaluator
 */
const Evaluate = (function (Rules) {
  "use strict";

  const SHARED_WORDS = 3;
  const HASH_LOW = 0, HASH_HIGH = 1, COUNTS = 2;
  const BLACK_MAN = 0, WHITE_MAN = 1, BLACK_KING = 2, WHITE_KING = 3; // colour + 2 for a king
  const FULL_BOARD = 24;
  const { board, moves, ROW_OF, COL_OF, SPARE, indexOf } = Rules.fast;

  /** A fixed stream of 32-bit integers (Marsaglia's xorshift): the same keys on every machine. */
  function randomWords(seed) {
    return () => {
      seed ^= seed << 13;
      seed ^= seed >>> 17;
      seed ^= seed << 5;
      return seed;
    };
  }

  /** Rows of `width` words with the shared ones filled in; row r belongs to kind r >> 5 on square r & 31. */
  function sharedRows(width) {
    const rows = new Int32Array(4 * 32 * width);
    const next = randomWords(0x9e3779b9 | 0);
    for (let r = 0; r < 4 * 32; r++) {
      rows[r * width + HASH_LOW] = next();
      rows[r * width + HASH_HIGH] = next();
      rows[r * width + COUNTS] = 1 << (8 * (r >> 5));
    }
    return rows;
  }

  /** The number of pieces in a counts word. */
  function pieceCount(counts) {
    return (counts & 255) + ((counts >>> 8) & 255) + ((counts >>> 16) & 255) + (counts >>> 24);
  }

  // Two scores in one word, opening in the upper half and ending in the lower, so that one
  // addition updates both. The lower half borrows from the upper when it is negative.
  function pair(opening, ending) {
    return (opening << 16) + ending;
  }
  function openingOf(word) {
    return (word + 0x8000) >> 16;
  }
  function endingOf(word) {
    return (word << 16) >> 16;
  }

  /** Opening and ending weighed by the pieces still on the board. */
  function taper(word, pieces) {
    return (openingOf(word) * pieces + endingOf(word) * (FULL_BOARD - pieces)) / FULL_BOARD;
  }

  // ------------------------------------------------------ the hand evaluation

  const MAN = 100, KING_OPENING = 140, KING_ENDING = 130;
  const PAIR = SHARED_WORDS;

  /** A black man's square, seen from Black's side: rank and file from 0. Points set by hand. */
  function manSquare(rank, file) {
    const centre = file >= 2 && file <= 5 && rank >= 2 && rank <= 5 ? 4 : 0;
    const edge = file === 0 || file === 7 ? -3 : 0;
    const guard = rank === 0 && (file === 2 || file === 6) ? 8 : 0; // the bridge: squares 1 and 3
    return pair(MAN + rank + centre + edge + guard, MAN + 3 * rank + centre + edge);
  }

  function kingSquare(rank, file) {
    const fromCentre = Math.max(Math.abs(rank - 3.5), Math.abs(file - 3.5)) - 0.5; // 0 to 3
    return pair(KING_OPENING - 4 * fromCentre, KING_ENDING - 5 * fromCentre);
  }

  /** Ahead by a man or more: the fewer pieces are left, the more it counts. */
  function tradeBonus(counts, pieces) {
    const black = (counts & 255) + ((counts >>> 16) & 255);
    const lead = 2 * black - pieces;
    if (lead === 0) return 0;
    return (lead > 0 ? 1 : -1) * 2 * (FULL_BOARD - pieces);
  }

  function makeHand() {
    const width = SHARED_WORDS + 1;
    const rows = sharedRows(width);
    for (let square = 0; square < 32; square++) {
      const rank = 7 - ROW_OF[square], file = COL_OF[square];
      rows[(BLACK_MAN * 32 + square) * width + PAIR] = manSquare(rank, file);
      rows[(WHITE_MAN * 32 + square) * width + PAIR] = -manSquare(7 - rank, 7 - file);
      rows[(BLACK_KING * 32 + square) * width + PAIR] = kingSquare(rank, file);
      rows[(WHITE_KING * 32 + square) * width + PAIR] = -kingSquare(7 - rank, 7 - file);
    }
    function finish(sums, at) {
      const pieces = pieceCount(sums[at + COUNTS]);
      return (taper(sums[at + PAIR], pieces) + tradeBonus(sums[at + COUNTS], pieces)) | 0;
    }
    return { name: "hand", width, rows, finish };
  }

  // ------------------------------------------------------------ accumulators

  function addRow(evaluator, row, sign, sums, at) {
    for (let i = 0; i < evaluator.width; i++) sums[at + i] += sign * evaluator.rows[row * evaluator.width + i];
  }

  /** Writes the accumulator of the whole position at `place`: the sum of the rows of its pieces. */
  function accumulate(evaluator, place, sums, at) {
    const black = board[place + board[place + 3]], pieces = board[place] | board[place + 1];
    sums.fill(0, at, at + evaluator.width);
    for (let square = 0; square < 32; square++) {
      const bit = 1 << square;
      if ((pieces & bit) === 0) continue;
      const kind = (black & bit ? BLACK_MAN : WHITE_MAN) + (board[place + 2] & bit ? 2 : 0);
      addRow(evaluator, kind * 32 + square, 1, sums, at);
    }
  }

  /**
   * Writes at `to` the accumulator after move `m`, from the one at `at`: only the rows of what
   * the move changed are added and subtracted. `before` and `after` are the positions' places.
   */
  function update(evaluator, before, after, m, sums, at, to) {
    const width = evaluator.width, rows = evaluator.rows;
    const turn = board[before + 3], from = moves[m], landing = moves[m + 1];
    const wasKing = board[before + 2] & from ? 2 : 0, isKing = board[after + 2] & landing ? 2 : 0;
    const left = ((turn + wasKing) * 32 + indexOf(from)) * width;
    const entered = ((turn + isKing) * 32 + indexOf(landing)) * width;
    for (let i = 0; i < width; i++) sums[to + i] = sums[at + i] - rows[left + i] + rows[entered + i];
    let taken = moves[m + 2];
    while (taken !== 0) {
      const bit = taken & -taken;
      taken ^= bit;
      const kind = 1 - turn + (board[before + 2] & bit ? 2 : 0);
      const gone = (kind * 32 + indexOf(bit)) * width;
      for (let i = 0; i < width; i++) sums[to + i] -= rows[gone + i];
    }
  }

  /** The score of a plain state for the side to move, nothing searched. */
  function evaluate(evaluator, state) {
    const sums = new Int32Array(evaluator.width);
    Rules.fast.pack(state, SPARE);
    accumulate(evaluator, SPARE, sums, 0);
    const score = evaluator.finish(sums, 0);
    return state.turn === "b" ? score : -score;
  }

  const evaluators = { hand: makeHand() };

  /** The evaluator of this name. @returns {Evaluator} */
  function named(name) {
    if (!Object.hasOwn(evaluators, name)) {
      throw new Error(`there is no evaluator ${JSON.stringify(name)}: use one of ${Object.keys(evaluators).join(", ")}`);
    }
    return evaluators[name];
  }

  return { named, evaluate, accumulate, update, evaluators };
})(typeof Rules !== "undefined" ? Rules : require("./rules.js"));

if (typeof module !== "undefined") module.exports = Evaluate;
