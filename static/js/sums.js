/**
 * sums.js: what an evaluation is made of, kept up to date move by move.
 *
 * A table of rows has `width` integers for each kind of piece (black man, white man, black king,
 * white king) on each of the 32 squares. The sum of the rows of all pieces on the board is the
 * position's accumulator: a stretch of `width` words in an array. A move only adds and subtracts
 * the rows of what it changed, whatever the integers mean.
 *
 * The first words of the rows that every evaluation begins with are always the same: two Zobrist
 * words (random numbers that are added up, not exclusive-ored: any sum that can be undone will do)
 * and the piece counts, one byte for each kind.
 *
 * What it does not do: say what an accumulator is worth (evaluate.js, network.js).
 */
const Sums = (function (Rules) {
  "use strict";

  const MAX_WIDTH = 64; // words in the widest accumulator
  const HASH_LOW = 0, HASH_HIGH = 1, COUNTS = 2;
  const SHARED_WORDS = 3;
  const BLACK_MAN = 0, WHITE_MAN = 1, BLACK_KING = 2, WHITE_KING = 3; // colour + 2 for a king
  const FULL_BOARD = 24;
  const { board, moves, INDEX_AT, ROW_OF, COL_OF, indexOf } = Rules.fast;

  // ----------------------------------------------------------------- squares

  /** The square (a bit index) that `square` becomes when the board is turned round. */
  function opposite(square) {
    return INDEX_AT[(7 - ROW_OF[square]) * 8 + 7 - COL_OF[square]];
  }

  /** The standard number, 1 to 32, of a square given by its bit index: from Black's right, rank by rank. */
  function numberOf(square) {
    return 4 * (7 - ROW_OF[square]) + 4 - (COL_OF[square] >> 1);
  }

  // -------------------------------------------------------------------- rows

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

  /** The points of men and kings by square, from Black's side; White's are the same with the board turned. */
  function fillSquares(rows, width, word, manPair, kingPair) {
    for (let square = 0; square < 32; square++) {
      rows[rowAt(BLACK_MAN, square, width) + word] = manPair(square);
      rows[rowAt(WHITE_MAN, square, width) + word] = -manPair(opposite(square));
      rows[rowAt(BLACK_KING, square, width) + word] = kingPair(square);
      rows[rowAt(WHITE_KING, square, width) + word] = -kingPair(opposite(square));
    }
  }

  // ------------------------------------------------------------ accumulators

  function addRow(table, row, sign, sums, at) {
    for (let i = 0; i < table.width; i++) sums[at + i] += sign * table.rows[row * table.width + i];
  }

  /** Writes the accumulator of the whole position at `place`: the sum of the rows of its pieces. */
  function accumulate(table, place, sums, at) {
    const black = board[place + board[place + 3]], pieces = board[place] | board[place + 1];
    sums.set(table.base, at);
    for (let square = 0; square < 32; square++) {
      const bit = 1 << square;
      if ((pieces & bit) === 0) continue;
      const kind = (black & bit ? BLACK_MAN : WHITE_MAN) + (board[place + 2] & bit ? 2 : 0);
      addRow(table, kind * 32 + square, 1, sums, at);
    }
  }

  /**
   * Writes at `to` the accumulator after move `m`, from the one at `at`: only the rows of what
   * the move changed are added and subtracted. `before` and `after` are the positions' places.
   */
  function update(table, before, after, m, sums, at, to) {
    const width = table.width, rows = table.rows;
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

  return {
    MAX_WIDTH, SHARED_WORDS, COUNTS, FULL_BOARD, opposite, numberOf, sharedRows, rowAt, fillSquares,
    pair, taper, pieceCount, accumulate, update,
  };
})(typeof Rules !== "undefined" ? Rules : require("./rules.js"));

if (typeof module !== "undefined") module.exports = Sums;
