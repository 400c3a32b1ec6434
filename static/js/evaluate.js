/**
 * evaluate.js: what a quiet position is worth, kept up to date move by move.
 *
 * Every evaluator has the same two halves:
 *
 *   1. a row of `width` integers for each piece on each square. The sum of the rows of all
 *      pieces on the board is the position's accumulator; a move only adds and subtracts
 *      the rows of what it changed, whatever the evaluator.
 *   2. `finish(sums, at, turn)`: the score for the side to move in points (100 points are
 *      about one man), from the accumulator alone.
 *
 *   hand     squares and material, set by hand
 *   learned  the same form, its integers learned from games (train/learn.js)
 *   neural   such squares, corrected by a small network with sums of its own (train/neural.js)
 *
 * The first three words of each row are the same for all evaluators: two Zobrist words
 * (random numbers that are added up, not exclusive-ored: any sum that can be undone will do)
 * and the piece counts, one byte each for black men, white men, black kings, white kings.
 *
 * What it does not do: search (search.js), or judge captures: a position with a capture
 * pending must be played out first.
 *
 * @typedef {{width: number, base: Int32Array, rows: Int32Array,
 *   finish: (sums: Int32Array, at: number, turn: number) => number, margin: number, network: object | null}} Evaluator
 * rows: `width` words for each kind of piece (black man, white man, black king, white king) on each of 32 squares;
 * base: the accumulator of an empty board; network: a correction of at most `margin` points, or null.
 */
const Evaluate = (function (Rules, Weights) {
  "use strict";

  const MAX_WIDTH = 64; // words in the widest accumulator
  const SHARED_WORDS = 3;
  const HASH_LOW = 0, HASH_HIGH = 1, COUNTS = 2;
  const BLACK = Rules.fast.BLACK;
  const BLACK_MAN = 0, WHITE_MAN = 1, BLACK_KING = 2, WHITE_KING = 3; // colour + 2 for a king
  const FULL_BOARD = 24;
  const { board, moves, INDEX_AT, ROW_OF, COL_OF, SPARE, indexOf } = Rules.fast;

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

  /** Where the row of a kind of piece on a square (its bit index) begins. */
  function rowAt(kind, square, width) {
    return (kind * 32 + square) * width;
  }

  /** The square that `square` becomes when the board is turned round. */
  function opposite(square) {
    return INDEX_AT[(7 - ROW_OF[square]) * 8 + 7 - COL_OF[square]];
  }

  /** The points of men and kings by square, from Black's side; White's are the same with the board turned. */
  function fillSquares(rows, width, word, manPair, kingPair) {
    for (let square = 0; square < 32; square++) {
      rows[rowAt(BLACK_MAN, square, width) + word] = manPair(square);
      rows[rowAt(WHITE_MAN, square, width) + word] = -manPair(opposite(square));
      rows[rowAt(BLACK_KING, square, width) + word] = kingPair(square);
      rows[rowAt(WHITE_KING, square, width) + word] = -kingPair(opposite(square));
    }
  }

  // ------------------------------------------------------ the hand evaluation

  const MAN = 100, KING_OPENING = 140, KING_ENDING = 130;
  const PAIR = SHARED_WORDS;

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
    const width = SHARED_WORDS + 1;
    const rows = sharedRows(width);
    fillSquares(rows, width, PAIR, handMan, handKing);
    function finish(sums, at, turn) {
      const pieces = pieceCount(sums[at + COUNTS]);
      const score = (taper(sums[at + PAIR], pieces) + tradeBonus(sums[at + COUNTS], pieces)) | 0;
      return turn === BLACK ? score : -score;
    }
    return { width, base: new Int32Array(width), rows, finish, margin: 0, network: null };
  }

  // --------------------------------------------------- the learned evaluation

  /** Pairs by bit index from two lists by square number. */
  function pairsOf(opening, ending) {
    return (square) => {
      const number = numberOf(square);
      return pair(opening[number - 1], ending[number - 1]);
    };
  }

  /** The standard number, 1 to 32, of a square given by its bit index: from Black's right, rank by rank. */
  function numberOf(square) {
    return 4 * (7 - ROW_OF[square]) + 4 - (COL_OF[square] >> 1);
  }

  /** @param {{men: {opening: number[], ending: number[]}, kings: {opening: number[], ending: number[]}, tempo: number}} weights */
  function makeLearned(weights) {
    const width = SHARED_WORDS + 1;
    const rows = sharedRows(width);
    fillSquares(rows, width, PAIR,
      pairsOf(weights.men.opening, weights.men.ending), pairsOf(weights.kings.opening, weights.kings.ending));
    const tempo = weights.tempo;
    function finish(sums, at, turn) {
      const score = taper(sums[at + PAIR], pieceCount(sums[at + COUNTS])) | 0;
      return (turn === BLACK ? score : -score) + tempo;
    }
    return { width, base: new Int32Array(width), rows, finish, margin: 0, network: null };
  }

  // ---------------------------------------------------- the neural evaluation
  //
  // Squares as above, and a network that corrects them by at most `margin` points. Every piece on
  // its square is an input. The hidden layer is computed twice, from Black's side and from White's
  // (the board turned, the colours swapped), with the same weights; the output weighs the mover's
  // half and the other's, with weights chosen by the number of pieces left. Because the correction
  // is bounded, the search asks for it only where it could matter (search.js).
  //
  // Hidden sums are two to a word, as in `pair`; the upper one is read without the lower one's
  // borrow, so it may be one unit of 256 too low, and always is in the same position.

  const UNIT = 256; // the hidden layer's 1.0: the activation is cut off there
  const OUTPUT_UNIT = 64; // the output weights' 1 point

  /** 0 below 0, UNIT above UNIT, without a branch. */
  function clipped(value) {
    const positive = value & ~(value >> 31);
    const over = positive - UNIT;
    return positive - (over & ~(over >> 31));
  }

  /** Which output weights: `buckets` of them over 1 to 24 pieces. */
  function bucketOf(pieces, buckets) {
    return Math.min(buckets - 1, ((pieces - 1) * buckets / FULL_BOARD) | 0);
  }

  /** The hidden rows: of each kind on each square Black's half, then White's, two weights to a word. */
  function hiddenRows(hidden, input) {
    const rows = new Int32Array(4 * 32 * hidden);
    for (let kind = 0; kind < 4; kind++) {
      for (let square = 0; square < 32; square++) {
        const seenByBlack = (kind * 32 + numberOf(square) - 1) * hidden;
        const seenByWhite = ((kind ^ 1) * 32 + numberOf(opposite(square)) - 1) * hidden;
        const at = rowAt(kind, square, hidden);
        for (let i = 0; i < hidden; i += 2) {
          rows[at + i / 2] = pair(input[seenByBlack + i + 1], input[seenByBlack + i]);
          rows[at + (hidden + i) / 2] = pair(input[seenByWhite + i + 1], input[seenByWhite + i]);
        }
      }
    }
    return rows;
  }

  function makeNetwork({ hidden, buckets, margin, input, bias, output, outputBias }) {
    const half = hidden / 2, base = new Int32Array(hidden);
    const weights = Int32Array.from(output), constants = Int32Array.from(outputBias);
    for (let i = 0; i < hidden; i += 2) base[i / 2] = base[half + i / 2] = pair(bias[i + 1], bias[i]);

    function halfOf(sums, from, at) {
      let out = 0;
      for (let i = 0; i < half; i++) {
        const word = sums[from + i];
        out += clipped((word << 16) >> 16) * weights[at + 2 * i] + clipped(word >> 16) * weights[at + 2 * i + 1];
      }
      return out;
    }
    /** What the mover's score is to be corrected by, in points. */
    function finish(sums, at, turn, pieces) {
      const bucket = bucketOf(pieces, buckets);
      const own = at + (turn === BLACK ? 0 : half), other = at + (turn === BLACK ? half : 0);
      const out = halfOf(sums, own, bucket * 2 * hidden) + halfOf(sums, other, (bucket * 2 + 1) * hidden);
      const points = (out / (UNIT * OUTPUT_UNIT) + constants[bucket]) | 0;
      return Math.max(-margin, Math.min(margin, points));
    }
    return { width: hidden, base, rows: hiddenRows(hidden, input), finish };
  }

  function makeNeural(weights) {
    return { ...makeLearned(weights), margin: weights.margin, network: makeNetwork(weights) };
  }

  // ------------------------------------------------------------ accumulators

  function addRow(evaluator, row, sign, sums, at) {
    for (let i = 0; i < evaluator.width; i++) sums[at + i] += sign * evaluator.rows[row * evaluator.width + i];
  }

  /** Writes the accumulator of the whole position at `place`: the sum of the rows of its pieces. */
  function accumulate(evaluator, place, sums, at) {
    const black = board[place + board[place + 3]], pieces = board[place] | board[place + 1];
    sums.set(evaluator.base, at);
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

  return {
    named, evaluate, accumulate, update, pieceCount, numberOf, bucketOf, makeLearned, makeNeural,
    evaluators, MAX_WIDTH, COUNTS, UNIT, OUTPUT_UNIT,
  };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof Weights !== "undefined" ? Weights : require("./weights.js"),
);

if (typeof module !== "undefined") module.exports = Evaluate;
