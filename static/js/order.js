/**
 * order.js: which moves to try first. The better the order, the more alpha-beta cuts off.
 *
 * First the table's move, then captures by what they take, then the two moves that last caused a
 * cutoff at this ply (killers), then by how often and how deep a move has caused one (history).
 *
 * What it does not do: decide anything; with any order the search finds the same score.
 */
const Order = (function (Rules) {
  "use strict";

  const { board, moves, POSITION_WORDS, MOVE_WORDS, MAX_PLY, indexOf } = Rules.fast;
  const FROM_TABLE = 1 << 30, CAPTURE = 1 << 29, KILLER = 1 << 28;
  const HISTORY_LIMIT = 1 << 24;
  const TRIED = -1;
  const ratings = new Int32Array(moves.length / MOVE_WORDS);
  const killers = new Int32Array(2 * (MAX_PLY + 1));
  const history = new Int32Array(2 * 32 * 32); // per colour and pair of squares

  /** Forgets everything. */
  function renew() {
    killers.fill(-1);
    history.fill(0);
  }

  function countBits(word) {
    let bits = 0;
    for (; word !== 0; word &= word - 1) bits++;
    return bits;
  }

  /** One number for a move's two ends, 0 to 1023. */
  function ends(m) {
    return indexOf(moves[m]) * 32 + indexOf(moves[m + 1]);
  }

  /** Rates the moves from `first` to `end`; `tableOrdinal` is the place of the table's move among them, or -1. */
  function rateMoves(ply, first, end, tableOrdinal) {
    const turn = board[ply * POSITION_WORDS + 3];
    for (let m = first; m < end; m += MOVE_WORDS) {
      const slot = m / MOVE_WORDS;
      if ((m - first) / MOVE_WORDS === tableOrdinal) {
        ratings[slot] = FROM_TABLE;
      } else if (moves[m + 2] !== 0) {
        ratings[slot] = CAPTURE + countBits(moves[m + 2]);
      } else {
        const move = ends(m);
        if (move === killers[2 * ply]) ratings[slot] = KILLER + 1;
        else if (move === killers[2 * ply + 1]) ratings[slot] = KILLER;
        else ratings[slot] = history[turn * 1024 + move];
      }
    }
  }

  /** The best rated move not yet tried; it is marked as tried. */
  function nextMove(first, end) {
    let best = first / MOVE_WORDS;
    for (let slot = best + 1; slot < end / MOVE_WORDS; slot++) {
      if (ratings[slot] > ratings[best]) best = slot;
    }
    ratings[best] = TRIED;
    return best * MOVE_WORDS;
  }

  /** Remembers that move `m` made trying the others needless. */
  function rewardCutoff(ply, m, depth) {
    if (moves[m + 2] !== 0) return;
    const move = ends(m), slot = board[ply * POSITION_WORDS + 3] * 1024 + move;
    if (killers[2 * ply] !== move) {
      killers[2 * ply + 1] = killers[2 * ply];
      killers[2 * ply] = move;
    }
    history[slot] += depth * depth;
    if (history[slot] > HISTORY_LIMIT) for (let i = 0; i < history.length; i++) history[i] >>= 1;
  }

  return { renew, rateMoves, nextMove, rewardCutoff };
})(typeof Rules !== "undefined" ? Rules : require("./rules.js"));

if (typeof module !== "undefined") module.exports = Order;
