/**
 * alphabeta.js: one move of one position, to one depth.
 *
 * Principal variation search (alpha-beta with null windows) with a transposition table under
 * Zobrist keys, and quiescence: at depth 0 a position with a capture pending or with a single legal
 * move is played on, never judged. Nothing is pruned on a guess, so the score of a depth is exactly
 * that of plain minimax with the same quiescence.
 *
 * What it does not do: choose depths and root moves (search.js), rate moves (order.js), judge
 * positions (evaluate.js).
 *
 * @typedef {import("./rules.js").State} State
 */
const AlphaBeta = (function (Rules, Sums, Evaluate, Table, Order) {
  "use strict";

  const WIN_SCORE = 10000; // a win in n plies scores WIN_SCORE - n
  const DECIDED = WIN_SCORE - 1000; // beyond it a score is a forced win or loss
  const INFINITE = 2 * WIN_SCORE;
  const MAX_DEPTH = 64;
  const TABLE_DEPTH = 2; // searching less than this costs less than a look into a large table
  const TURN_LOW = 0x3c6ef372, TURN_HIGH = 0x2545f491; // added to the keys when White is to move
  const { board, moves, POSITION_WORDS, MOVE_WORDS, MAX_PLY, SPARE } = Rules.fast;
  const { pack, generate, capturers, countSteps, make } = Rules.fast;
  const { MAX_WIDTH, COUNTS, accumulate, update, pieceCount } = Sums;
  const { rateMoves, nextMove, rewardCutoff } = Order;

  // ------------------------------- the line being searched: one place per ply

  const firstMove = new Int32Array(MAX_PLY + 2); // where the ply's moves begin
  const sums = new Int32Array((MAX_PLY + 1) * MAX_WIDTH);
  const hidden = new Int32Array((MAX_PLY + 1) * MAX_WIDTH); // a network's sums, where they are known
  const hiddenKnown = new Int32Array(MAX_PLY + 1);
  const played = new Int32Array(MAX_PLY + 1); // the move that led there
  const quiet = new Int32Array(MAX_PLY + 1);
  const bestLines = new Int32Array(MAX_DEPTH * MAX_DEPTH); // the best line from each ply, as ordinals
  const lineLength = new Int32Array(MAX_DEPTH + 1);

  let evaluator = Evaluate.named("hand");
  let nodes = 0, nodeLimit = Infinity, timeLimit = Infinity, mayStop = false, stopped = false;
  let watchRepetition = false;
  let pastKeys = []; // two words for each earlier position of the game

  function enter(ply, m) {
    const at = ply * POSITION_WORDS;
    make(at, m, at + POSITION_WORDS);
    update(evaluator, at, at + POSITION_WORDS, m, sums, ply * evaluator.width, (ply + 1) * evaluator.width);
    const isQuiet = moves[m + 2] === 0 && (board[at + 2] & moves[m]) !== 0;
    quiet[ply + 1] = isQuiet ? quiet[ply] + 1 : 0;
    played[ply + 1] = m;
    hiddenKnown[ply + 1] = 0;
  }

  /** The network's sums at `ply`, from those of the ply before, which are found the same way first. */
  function findHidden(ply) {
    if (hiddenKnown[ply] === 1) return;
    findHidden(ply - 1);
    const network = evaluator.network, at = ply * POSITION_WORDS;
    update(network, at - POSITION_WORDS, at, played[ply], hidden, (ply - 1) * network.width, ply * network.width);
    hiddenKnown[ply] = 1;
  }

  /**
   * What the position is worth as it stands. A network is asked only when its correction, which
   * has a bound, can bring the score into the window: outside, the bound says all that matters.
   */
  function staticScore(ply, alpha, beta) {
    const at = ply * evaluator.width, turn = board[ply * POSITION_WORDS + 3];
    const score = evaluator.finish(sums, at, turn);
    if (evaluator.network === null) return score;
    if (score + evaluator.margin <= alpha) return score + evaluator.margin;
    if (score - evaluator.margin >= beta) return score - evaluator.margin;
    findHidden(ply);
    const network = evaluator.network;
    return score + network.finish(hidden, ply * network.width, turn, pieceCount(sums[at + COUNTS]));
  }

  // -------------------------------------------------------------- the table

  /**
   * The quiet plies matter for the score only where the 80th can be reached below;
   * there they are part of the key, elsewhere transpositions may share an entry.
   */
  function quietSalt(ply, depth) {
    return quiet[ply] + depth > Rules.DRAW_PLIES - 20 ? Math.imul(quiet[ply], 0x61c88647) : 0;
  }

  function keyLow(ply, depth) {
    const turn = board[ply * POSITION_WORDS + 3];
    return (sums[ply * evaluator.width] + turn * TURN_LOW) ^ quietSalt(ply, depth);
  }

  function keyHigh(ply) {
    return (sums[ply * evaluator.width + 1] + board[ply * POSITION_WORDS + 3] * TURN_HIGH) | 0;
  }

  /** The table's score of an entry, or UNKNOWN. It counts wins from the position, the search from the root. */
  function tableScore(entry, ply, depth, alpha, beta) {
    const score = Table.scoreOf(entry, depth, countedFrom(alpha, -ply), countedFrom(beta, -ply));
    return score === Table.UNKNOWN ? score : countedFrom(score, ply);
  }

  /** A forced win's or loss's score, with `plies` more between it and where it is counted from. */
  function countedFrom(score, plies) {
    if (score > DECIDED) return score - plies;
    return score < -DECIDED ? score + plies : score;
  }

  function keepInTable(ply, depth, score, alpha, beta, ordinal) {
    Table.store(keyLow(ply, depth), keyHigh(ply), depth,
      countedFrom(score, -ply), countedFrom(alpha, -ply), countedFrom(beta, -ply), ordinal);
  }

  // ------------------------------------------------------------ repetition

  /** Whether the position at `ply` stood on the board before, in this line or in the game's history. */
  function isRepeated(ply) {
    const low = sums[ply * evaluator.width], high = sums[ply * evaluator.width + 1];
    for (let back = 4; back <= quiet[ply]; back += 2) {
      const earlier = ply - back;
      if (earlier >= 0) {
        if (sums[earlier * evaluator.width] === low && sums[earlier * evaluator.width + 1] === high) return true;
      } else {
        const past = pastKeys.length + 2 * earlier;
        if (past < 0) return false;
        if (pastKeys[past] === low && pastKeys[past + 1] === high) return true;
      }
    }
    return false;
  }

  // -------------------------------------------------------------- the search

  function lookAtLimits() {
    if (!mayStop) return;
    if (nodes >= nodeLimit || (timeLimit !== Infinity && performance.now() >= timeLimit)) stopped = true;
  }

  /** Depth 0: captures and single moves are played on; anything else is judged. */
  function quiesce(ply, alpha, beta) {
    nodes++;
    const at = ply * POSITION_WORDS;
    if (ply >= MAX_PLY) return staticScore(ply, alpha, beta);
    if (capturers(at) === 0) {
      const steps = countSteps(at);
      if (steps === 0) return ply - WIN_SCORE;
      if (quiet[ply] >= Rules.DRAW_PLIES) return 0;
      if (steps === 2) return staticScore(ply, alpha, beta);
    }
    const first = firstMove[ply];
    const end = generate(at, first);
    firstMove[ply + 1] = end;
    let best = -INFINITE;
    for (let m = first; m < end; m += MOVE_WORDS) {
      enter(ply, m);
      const score = -quiesce(ply + 1, -beta, -Math.max(alpha, best));
      if (score > best) best = score;
      if (best >= beta) break;
    }
    return best;
  }

  function keepLine(ply, ordinal) {
    if (ply >= MAX_DEPTH) return;
    const length = ply + 1 < MAX_DEPTH ? lineLength[ply + 1] : 0;
    bestLines[ply * MAX_DEPTH] = ordinal;
    for (let i = 0; i < length && i + 1 < MAX_DEPTH; i++) {
      bestLines[ply * MAX_DEPTH + i + 1] = bestLines[(ply + 1) * MAX_DEPTH + i];
    }
    lineLength[ply] = length + 1;
  }

  /** The score of the position at `ply` for its side to move, fail-soft. */
  function negamax(ply, depth, alpha, beta) {
    if (ply < MAX_DEPTH) lineLength[ply] = 0;
    if (watchRepetition && quiet[ply] >= 4 && isRepeated(ply)) return 0;
    if (depth === 0) return quiesce(ply, alpha, beta);
    nodes++;
    if ((nodes & 255) === 0) lookAtLimits();
    if (stopped) return 0;

    let tableOrdinal = -1;
    const entry = depth >= TABLE_DEPTH ? Table.find(keyLow(ply, depth), keyHigh(ply)) : Table.NO_ENTRY;
    if (entry !== Table.NO_ENTRY) {
      const score = beta - alpha > 1 ? Table.UNKNOWN : tableScore(entry, ply, depth, alpha, beta);
      if (score !== Table.UNKNOWN) return score;
      tableOrdinal = Table.ordinalOf(entry);
    }

    const first = firstMove[ply];
    const end = generate(ply * POSITION_WORDS, first);
    if (end === first) return ply - WIN_SCORE;
    if (quiet[ply] >= Rules.DRAW_PLIES) return 0;
    firstMove[ply + 1] = end;
    rateMoves(ply, first, end, tableOrdinal);
    return tryMoves(ply, depth, alpha, beta, first, end);
  }

  /** The best score of the moves from `first` to `end`, the first with the whole window, the others to be refuted. */
  function tryMoves(ply, depth, alpha, beta, first, end) {
    let best = -INFINITE, bestMove = first, floor = alpha;
    for (let left = (end - first) / MOVE_WORDS; left > 0; left--) {
      const m = nextMove(first, end);
      enter(ply, m);
      const score = best === -INFINITE ? -negamax(ply + 1, depth - 1, -beta, -floor) : refute(ply, depth, floor, beta);
      if (stopped) return 0;
      if (score <= best) continue;
      best = score;
      bestMove = m;
      if (score <= floor) continue;
      floor = score;
      if (beta - alpha > 1) keepLine(ply, (m - first) / MOVE_WORDS);
      if (score >= beta) {
        rewardCutoff(ply, m, depth);
        break;
      }
    }
    if (depth >= TABLE_DEPTH) keepInTable(ply, depth, best, alpha, beta, (bestMove - first) / MOVE_WORDS);
    return best;
  }

  /** The score of the move entered: above `floor` or not first, exactly only when it is. */
  function refute(ply, depth, floor, beta) {
    const score = -negamax(ply + 1, depth - 1, -floor - 1, -floor);
    return score > floor && score < beta ? -negamax(ply + 1, depth - 1, -beta, -floor) : score;
  }

  // ---------------------------------------------------------------- the root

  function rememberPast(states) {
    const sum = new Int32Array(MAX_WIDTH);
    pastKeys = [];
    for (const state of states) {
      pack(state, SPARE);
      accumulate(evaluator, SPARE, sum, 0);
      pastKeys.push(sum[0], sum[1]);
    }
  }

  /**
   * Sets a position up; its moves stand from 0 to the place returned. Options as in search.js.
   * @param {State} state
   */
  function begin(state, options) {
    evaluator = Evaluate.named(options.evaluator || "hand");
    nodes = 0;
    stopped = mayStop = false;
    nodeLimit = options.nodes || Infinity;
    timeLimit = options.ms ? performance.now() + options.ms : Infinity;
    watchRepetition = Array.isArray(options.history);
    rememberPast(options.history || []);
    if (!options.continued) {
      Order.renew();
      Table.renew();
    }
    pack(state, 0);
    accumulate(evaluator, 0, sums, 0);
    if (evaluator.network !== null) accumulate(evaluator.network, 0, hidden, 0);
    hiddenKnown[0] = 1;
    quiet[0] = state.quietPlies || 0;
    firstMove[0] = 0;
    firstMove[1] = generate(0, 0);
    return firstMove[1];
  }

  /** The score of root move `m` for the mover: exact inside the window, a bound outside. 0 when stopped. */
  function scoreRoot(m, depth, alpha = -INFINITE, beta = INFINITE) {
    enter(0, m);
    return -negamax(1, depth - 1, -beta, -alpha);
  }

  /** Makes root move `m` with what was found behind it the best line. */
  function keepRoot(m) {
    keepLine(0, m / MOVE_WORDS);
  }

  /** The best line from the root: for each position the move's place in the generator's order. */
  function bestOrdinals() {
    return bestLines.slice(0, lineLength[0]);
  }

  /** From now on the limits count: before, there may be no move to show for them. */
  function allowStop() {
    mayStop = true;
  }

  return {
    WIN_SCORE, DECIDED, MAX_DEPTH, begin, scoreRoot, keepRoot, bestOrdinals, allowStop,
    isStopped: () => stopped, nodesSearched: () => nodes,
  };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof Sums !== "undefined" ? Sums : require("./sums.js"),
  typeof Evaluate !== "undefined" ? Evaluate : require("./evaluate.js"),
  typeof Table !== "undefined" ? Table : require("./table.js"),
  typeof Order !== "undefined" ? Order : require("./order.js"),
);

if (typeof module !== "undefined") module.exports = AlphaBeta;
