/**
 * table.js: the transposition table, the search's memory of positions it has met by another way.
 *
 * An entry is four words: the upper key, the score, depth | bound | generation, and the best
 * move's ordinal among the position's moves. Entries of earlier searches are told apart by their
 * generation, so no search depends on another. A newer entry replaces an older one.
 *
 * What it does not do: make keys (sums.js has the Zobrist words), or search.
 */
const Table = (function () {
  "use strict";

  const BITS = 19;
  const ENTRY_WORDS = 4;
  const HIGH = 0, SCORE = 1, FACTS = 2, ORDINAL = 3;
  const EXACT = 1, AT_LEAST = 2, AT_MOST = 3;
  const LAST_GENERATION = 0x7fff;
  const NO_ENTRY = -1;
  const UNKNOWN = 0x7fffffff; // no score
  const entries = new Int32Array(ENTRY_WORDS << BITS);
  let generation = 0;

  /** Forgets everything. */
  function renew() {
    if (generation === LAST_GENERATION) {
      entries.fill(0);
      generation = 0;
    }
    generation++;
  }

  function placeOf(low) {
    return (low & ((1 << BITS) - 1)) * ENTRY_WORDS;
  }

  /** The entry of the position with these two key words, or NO_ENTRY. */
  function find(low, high) {
    const entry = placeOf(low);
    return entries[entry + HIGH] === high && entries[entry + FACTS] >>> 16 === generation ? entry : NO_ENTRY;
  }

  /** The entry's best move, as its place in the order of the generator. */
  function ordinalOf(entry) {
    return entries[entry + ORDINAL];
  }

  /** The entry's score if it is of exactly this depth and settles the window, else UNKNOWN. */
  function scoreOf(entry, depth, alpha, beta) {
    const facts = entries[entry + FACTS], score = entries[entry + SCORE], bound = (facts >>> 8) & 255;
    if ((facts & 255) !== depth) return UNKNOWN;
    if (bound === EXACT || (bound === AT_LEAST ? score >= beta : score <= alpha)) return score;
    return UNKNOWN;
  }

  /** Keeps what a search with the window alpha to beta has found. */
  function store(low, high, depth, score, alpha, beta, ordinal) {
    const entry = placeOf(low), bound = score >= beta ? AT_LEAST : score > alpha ? EXACT : AT_MOST;
    entries[entry + HIGH] = high;
    entries[entry + SCORE] = score;
    entries[entry + FACTS] = depth | (bound << 8) | (generation << 16);
    entries[entry + ORDINAL] = ordinal;
  }

  return { NO_ENTRY, UNKNOWN, renew, find, ordinalOf, scoreOf, store };
})();

if (typeof module !== "undefined") module.exports = Table;
