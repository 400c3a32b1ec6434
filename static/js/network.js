/**
 * network.js: a small neural network over the pieces on their squares.
 *
 * Every piece on its square is an input. The hidden layer is computed twice, from Black's side and
 * from White's (the board turned, the colours swapped), with the same weights; the output weighs
 * the mover's half and the other's, with weights chosen by the number of pieces left, and is cut
 * off at `margin` points. The hidden layer's sums are an accumulator like any other (sums.js): an
 * efficiently updatable network, after Yu Nasu's for shogi (2018).
 *
 * Sums are two to a word, as in `pair`; the upper one is read without the lower one's borrow, so
 * it may be one unit of 256 too low, and always is in the same position.
 *
 * What it does not do: learn its weights (train/neural.js).
 */
const Network = (function (Rules, Sums) {
  "use strict";

  const BLACK = Rules.fast.BLACK;
  const { FULL_BOARD, opposite, numberOf, rowAt, pair } = Sums;

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

  /** @param {{hidden: number, buckets: number, margin: number, input: number[], bias: number[], output: number[],
   *   outputBias: number[]}} weights input: for each kind, square number and hidden unit; output: for each bucket
   *   the mover's half, then the other's */
  function make({ hidden, buckets, margin, input, bias, output, outputBias }) {
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

  return { UNIT, OUTPUT_UNIT, bucketOf, make };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof Sums !== "undefined" ? Sums : require("./sums.js"),
);

if (typeof module !== "undefined") module.exports = Network;
