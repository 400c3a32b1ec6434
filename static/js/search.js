/**
 * search.js: looking ahead.
 *
 * Iterative deepening, principal variation search (alpha-beta with null windows), a
 * transposition table under Zobrist keys, killer and history ordering, and quiescence:
 * at depth 0 a position with a capture pending or with a single legal move is played on,
 * never judged. Nothing is pruned on a guess, so the score of a depth is exactly that of
 * plain minimax with the same quiescence.
 *
 *     Search.search(state, {depth: 9})                     a depth: the same answer on any machine
 *     Search.search(state, {nodes: 20000})                 a budget of positions
 *     Search.search(state, {ms: 20})                       a clock, for experiments only
 *     further options: evaluator: "hand" | "learned" | "neural",
 *     moves: only these root moves (plain moves from legalMoves),
 *     above: only a root move that scores more than this; move is null when there is none,
 *     continued: go straight to the depth, with what the last search (of a position of the same
 *     game, with the same evaluator) left behind in table and history,
 *     history: the earlier states of the game, oldest first; with it (even empty) a position
 *     that comes back is a draw. Without it only the 80 quiet plies are.
 *     -> {move, score, depth, nodes, pv}: score for the side to move, pv a list of moves.
 *
 * What it does not do: chance and levels (ai.js), the worth of a position (evaluate.js).
 *
 * @typedef {import("./rules.js").State} State
 * @typedef {import("./rules.js").Move} Move
 */
const Search = (function (Rules, Evaluate) {
  "use strict";

  const WIN_SCORE = 10000; // a win in n plies scores WIN_SCORE - n
  const DECIDED = WIN_SCORE - 1000; // beyond it a score is a forced win or loss
  const INFINITE = 2 * WIN_SCORE;
  const MAX_DEPTH = 64;
  const { board, moves, POSITION_WORDS, MOVE_WORDS, MAX_PLY, SPARE, SPARE_MOVES } = Rules.fast;
  const { generate, capturers, countSteps, make, indexOf } = Rules.fast;

  // ------------------------------------------------- what one search works on

  const order = new Int32Array(moves.length / MOVE_WORDS);
  const firstMove = new Int32Array(MAX_PLY + 2); // per ply: where its moves begin
  const sums = new Int32Array((MAX_PLY + 1) * Evaluate.MAX_WIDTH);
  const hidden = new Int32Array((MAX_PLY + 1) * Evaluate.MAX_WIDTH); // a network's sums, where they are known
  const hiddenKnown = new Int32Array(MAX_PLY + 1);
  const played = new Int32Array(MAX_PLY + 1); // per ply: the move that led there
  const quiet = new Int32Array(MAX_PLY + 1);
  const killers = new Int32Array(2 * (MAX_PLY + 1));
  const history = new Int32Array(2 * 32 * 32);
  const line = new Int32Array(MAX_DEPTH * MAX_DEPTH); // the best line from each ply, as ordinals
  const lineLength = new Int32Array(MAX_DEPTH + 1);

  let evaluator = Evaluate.named("hand");
  let nodes = 0, nodeLimit = Infinity, timeLimit = Infinity, iteration = 0, stopped = false;
  let watchRepetition = false;
  let pastKeys = []; // two words for each earlier position of the game

  // ------------------------------------------------------ transposition table
  //
  // An entry is four words: the upper key, the score, depth | bound | generation, the move's ordinal.
  // Entries of earlier searches are told apart by their generation, so no search depends on another.

  const TABLE_BITS = 19;
  const TABLE_DEPTH = 3; // searching less than this costs less than a look into a large table
  const ENTRY_WORDS = 4;
  const EXACT = 1, AT_LEAST = 2, AT_MOST = 3;
  const TURN_LOW = 0x3c6ef372, TURN_HIGH = 0x2545f491; // added to the key when White is to move
  const LAST_GENERATION = 0x7fff;
  let table = new Int32Array(0);
  let generation = 0;

  function freshTable() {
    if (table.length === 0) table = new Int32Array(ENTRY_WORDS << TABLE_BITS);
    if (generation === LAST_GENERATION) {
      table.fill(0);
      generation = 0;
    }
    generation++;
  }

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

  function entryAt(low) {
    return (low & ((1 << TABLE_BITS) - 1)) * ENTRY_WORDS;
  }

  /** Wins are counted from the root in the search and from the position in the table. */
  function scoreToTable(score, ply) {
    if (score > DECIDED) return score + ply;
    return score < -DECIDED ? score - ply : score;
  }

  function scoreFromTable(score, ply) {
    if (score > DECIDED) return score - ply;
    return score < -DECIDED ? score + ply : score;
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

  function enter(ply, m) {
    const at = ply * POSITION_WORDS;
    make(at, m, at + POSITION_WORDS);
    Evaluate.update(evaluator, at, at + POSITION_WORDS, m, sums, ply * evaluator.width, (ply + 1) * evaluator.width);
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
    Evaluate.update(network, at - POSITION_WORDS, at, played[ply], hidden, (ply - 1) * network.width, ply * network.width);
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
    return score + network.finish(hidden, ply * network.width, turn, Evaluate.pieceCount(sums[at + Evaluate.COUNTS]));
  }

  /** The first iteration is always finished: without it there is no move. */
  function lookAtLimits() {
    if (iteration === 1) return;
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

  function countBits(word) {
    let bits = 0;
    for (; word !== 0; word &= word - 1) bits++;
    return bits;
  }

  /** One number for a move's two ends, 0 to 1023. */
  function ends(m) {
    return indexOf(moves[m]) * 32 + indexOf(moves[m + 1]);
  }

  function rateMoves(ply, first, end, tableOrdinal) {
    const turn = board[ply * POSITION_WORDS + 3];
    for (let m = first; m < end; m += MOVE_WORDS) {
      const slot = m / MOVE_WORDS;
      if ((m - first) / MOVE_WORDS === tableOrdinal) {
        order[slot] = 1 << 30;
      } else if (moves[m + 2] !== 0) {
        order[slot] = (1 << 29) + countBits(moves[m + 2]);
      } else {
        const move = ends(m);
        if (move === killers[2 * ply]) order[slot] = (1 << 28) + 1;
        else if (move === killers[2 * ply + 1]) order[slot] = 1 << 28;
        else order[slot] = history[turn * 1024 + move];
      }
    }
  }

  /** The best rated move not yet tried; it is marked as tried. */
  function nextMove(first, end) {
    let best = first / MOVE_WORDS;
    for (let slot = best + 1; slot < end / MOVE_WORDS; slot++) {
      if (order[slot] > order[best]) best = slot;
    }
    order[best] = -1;
    return best * MOVE_WORDS;
  }

  function rewardCutoff(ply, m, depth) {
    if (moves[m + 2] !== 0) return;
    const move = ends(m), slot = board[ply * POSITION_WORDS + 3] * 1024 + move;
    if (killers[2 * ply] !== move) {
      killers[2 * ply + 1] = killers[2 * ply];
      killers[2 * ply] = move;
    }
    history[slot] += depth * depth;
    if (history[slot] > 1 << 24) for (let i = 0; i < history.length; i++) history[i] >>= 1;
  }

  function keepLine(ply, ordinal) {
    if (ply >= MAX_DEPTH) return;
    const length = ply + 1 < MAX_DEPTH ? lineLength[ply + 1] : 0;
    line[ply * MAX_DEPTH] = ordinal;
    for (let i = 0; i < length && i + 1 < MAX_DEPTH; i++) {
      line[ply * MAX_DEPTH + i + 1] = line[(ply + 1) * MAX_DEPTH + i];
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

    const isPrincipal = beta - alpha > 1, usesTable = depth >= TABLE_DEPTH;
    const entry = usesTable ? entryAt(keyLow(ply, depth)) : 0, high = usesTable ? keyHigh(ply) : 0;
    let tableOrdinal = -1;
    if (usesTable && table[entry] === high && (table[entry + 2] >>> 16) === generation) {
      tableOrdinal = table[entry + 3];
      if (!isPrincipal && (table[entry + 2] & 255) === depth) {
        const score = scoreFromTable(table[entry + 1], ply), bound = (table[entry + 2] >>> 8) & 255;
        if (bound === EXACT || (bound === AT_LEAST ? score >= beta : score <= alpha)) return score;
      }
    }

    const at = ply * POSITION_WORDS, first = firstMove[ply];
    const end = generate(at, first);
    if (end === first) return ply - WIN_SCORE;
    if (quiet[ply] >= Rules.DRAW_PLIES) return 0;
    firstMove[ply + 1] = end;
    rateMoves(ply, first, end, tableOrdinal);

    let best = -INFINITE, bestMove = first, floor = alpha;
    for (let left = (end - first) / MOVE_WORDS; left > 0; left--) {
      const m = nextMove(first, end);
      enter(ply, m);
      let score;
      if (best === -INFINITE) {
        score = -negamax(ply + 1, depth - 1, -beta, -floor);
      } else {
        score = -negamax(ply + 1, depth - 1, -floor - 1, -floor);
        if (score > floor && score < beta) score = -negamax(ply + 1, depth - 1, -beta, -floor);
      }
      if (stopped) return 0;
      if (score <= best) continue;
      best = score;
      bestMove = m;
      if (score <= floor) continue;
      floor = score;
      if (isPrincipal) keepLine(ply, (m - first) / MOVE_WORDS);
      if (score >= beta) {
        rewardCutoff(ply, m, depth);
        break;
      }
    }
    if (usesTable) {
      table[entry] = high;
      table[entry + 1] = scoreToTable(best, ply);
      table[entry + 2] = depth | ((best >= beta ? AT_LEAST : best > alpha ? EXACT : AT_MOST) << 8) | (generation << 16);
      table[entry + 3] = (bestMove - first) / MOVE_WORDS;
    }
    return best;
  }

  // ---------------------------------------------------------------- the root

  function rememberPast(states) {
    const sum = new Int32Array(Evaluate.MAX_WIDTH);
    pastKeys = [];
    for (const state of states) {
      Rules.fast.pack(state, SPARE);
      Evaluate.accumulate(evaluator, SPARE, sum, 0);
      pastKeys.push(sum[0], sum[1]);
    }
  }

  function setUp(state, options) {
    evaluator = Evaluate.named(options.evaluator || "hand");
    nodes = 0;
    stopped = false;
    nodeLimit = options.nodes || Infinity;
    timeLimit = options.ms ? performance.now() + options.ms : Infinity;
    watchRepetition = Array.isArray(options.history);
    rememberPast(options.history || []);
    if (!options.continued) {
      killers.fill(-1);
      history.fill(0);
      freshTable();
    }
    Rules.fast.pack(state, 0);
    Evaluate.accumulate(evaluator, 0, sums, 0);
    if (evaluator.network !== null) Evaluate.accumulate(evaluator.network, 0, hidden, 0);
    hiddenKnown[0] = 1;
    quiet[0] = state.quietPlies || 0;
    firstMove[0] = 0;
    firstMove[1] = generate(0, 0);
  }

  /** The root moves to search, as {m, score}; only those of `wanted` when it is given. */
  function rootMoves(wanted) {
    const roots = [];
    const asText = wanted && wanted.map((move) => JSON.stringify([move.from, move.path]));
    for (let m = 0; m < firstMove[1]; m += MOVE_WORDS) {
      const move = Rules.fast.unpackMove(m);
      if (!asText || asText.includes(JSON.stringify([move.from, move.path]))) roots.push({ m, move, score: 0 });
    }
    return roots;
  }

  /**
   * One iteration over the root moves. The best comes first afterwards, with its exact score;
   * the others keep their order. Cut short, it still counts when a move was finished:
   * the first was the best of the iteration before, and only a better one replaces it.
   */
  function searchRoots(roots, depth, above) {
    let best = above === undefined ? null : { score: above };
    for (const root of roots) {
      enter(0, root.m);
      let score;
      if (best === null) {
        score = -negamax(1, depth - 1, -INFINITE, INFINITE);
      } else {
        score = -negamax(1, depth - 1, -best.score - 1, -best.score);
        if (score > best.score && !stopped) score = -negamax(1, depth - 1, -INFINITE, -best.score);
      }
      if (stopped) break;
      if (best !== null && score <= best.score) continue;
      root.score = score;
      best = root;
      keepLine(0, root.m / MOVE_WORDS);
    }
    if (!roots.includes(best)) return false;
    roots.splice(roots.indexOf(best), 1);
    roots.unshift(best);
    return true;
  }

  /** The best line as plain moves, by playing its ordinals from the root. */
  function bestLine(state) {
    const pv = [];
    Rules.fast.pack(state, SPARE);
    for (let i = 0; i < lineLength[0]; i++) {
      const m = SPARE_MOVES + line[i] * MOVE_WORDS;
      generate(SPARE, SPARE_MOVES);
      pv.push(Rules.fast.unpackMove(m));
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
    setUp(state, options);
    const roots = rootMoves(options.moves);
    if (roots.length === 0) return { move: null, score: -WIN_SCORE, depth: 0, nodes: 1, pv: [] };
    const deepest = Math.min(options.depth || MAX_DEPTH - 1, MAX_DEPTH - 1);
    const fallback = options.above === undefined ? roots[0].move : null;
    let found = { move: fallback, score: options.above || 0, depth: 0, nodes, pv: /** @type {Move[]} */ ([]) };
    for (iteration = options.continued ? deepest : 1; iteration <= deepest && !stopped; iteration++) {
      if (!searchRoots(roots, iteration, options.above)) break;
      found = { move: roots[0].move, score: roots[0].score, depth: iteration, nodes, pv: bestLine(state) };
      if (Math.abs(found.score) >= WIN_SCORE - iteration) break; // the end is in sight: deeper finds no other
    }
    found.nodes = nodes;
    return found;
  }

  /**
   * Every legal move with its exact score for this depth, best first (equal ones in the order of legalMoves).
   * @param {State} state @param {number} depth @param {string} evaluatorName
   * @returns {{move: Move, score: number}[]}
   */
  function scoreAll(state, depth, evaluatorName) {
    setUp(state, { evaluator: evaluatorName });
    const inOrder = rootMoves();
    const roots = inOrder.slice();
    for (iteration = 1; iteration < depth; iteration++) searchRoots(roots, iteration); // fills table and history
    for (const root of roots) {
      enter(0, root.m);
      root.score = -negamax(1, depth - 1, -INFINITE, INFINITE);
    }
    return inOrder.sort((a, b) => b.score - a.score).map(({ move, score }) => ({ move, score }));
  }

  return { WIN_SCORE, DECIDED, search, scoreAll };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof Evaluate !== "undefined" ? Evaluate : require("./evaluate.js"),
);

if (typeof module !== "undefined") module.exports = Search;
