/**
 * Looking for mistakes in games that were played.
 *
 * Every move that was a choice is compared with the best one at the same depth. It is a mistake when it gives away
 * half a man or more, or turns a forced win into something less, or anything into a forced loss. It is none when the
 * position was decided both ways: won whatever was played, lost whatever was played, or with the same side so many
 * men ahead that nothing was at stake. Repetition is not looked at: a move is judged in its position alone.
 */
"use strict";

const Ai = require("../static/js/ai.js");
const Rules = require("../static/js/rules.js");
const Notation = require("../static/js/notation.js");
const { courseOf } = require("./course.js");

const HALF_A_MAN = 50;
const FIVE_MEN = 500; // a side so far ahead, whatever is played, has won
const LINE_PLIES = 6;
const MISSED_WIN = "missed a forced win";
const WALKED_INTO_LOSS = "walked into a forced loss";

/**
 * @typedef {{game: number, move_number: number, side: "Black"|"White", player: string|null, played: string,
 *   engine_best_move: string, better_line: string[], lost_men?: number, verdict?: string}} Mistake
 *   `move_number` counts both sides' moves after the opening; a mistake has either `lost_men` or a `verdict`
 */

/**
 * Every mistake of one game, in the order played.
 * @param {{number: number, black?: string, white?: string, start: any, moves: string[]}} game
 * @param {number} depth
 * @returns {Mistake[]}
 */
function mistakesOf(game, depth) {
  const states = courseOf(game).history;
  const mistakes = [];
  let continued = false; // a game's first search begins afresh, so that no game's review depends on another's
  states.forEach((state, ply) => {
    if (Rules.result(state) || Rules.legalMoves(state).length < 2) return;
    const fault = judge(state, game.moves[ply], depth, continued);
    continued = true;
    if (fault) mistakes.push({ ...whoseMove(game, state.turn, ply), ...fault });
  });
  return mistakes;
}

function whoseMove(game, turn, ply) {
  const [side, player] = turn === "b" ? ["Black", game.black] : ["White", game.white];
  return { game: game.number, move_number: ply + 1, side, player: player === undefined ? null : player };
}

/**
 * What was wrong with one move, or null. The move played is scored first; then it is only asked whether any other
 * scores half a man more, which most positions answer at a fraction of the cost of finding the best move.
 */
function judge(state, playedName, depth, continued) {
  const legal = Rules.legalMoves(state);
  const played = Notation.findMove(legal, playedName);
  const limits = { depth, evaluator: "hand" };
  const { score } = Ai.search(state, { ...limits, moves: [played], continued });
  const others = legal.filter((move) => move !== played);
  const better = Ai.search(state, { ...limits, moves: others, above: score + HALF_A_MAN - 1, continued: true });
  const fault = better.move && faultBetween(better.score, score);
  if (!fault) return null;
  const line = better.pv.slice(0, LINE_PLIES).map(Notation.moveName);
  return { played: playedName, engine_best_move: line[0], ...fault, better_line: line };
}

/**
 * @param {number} best  score of the best move, from the mover's side
 * @param {number} played
 * @returns {{lost_men: number} | {verdict: string} | null}
 */
function faultBetween(best, played) {
  if (isDecided(best, played)) return null;
  if (isWin(best)) return { verdict: MISSED_WIN };
  if (isWin(-played)) return { verdict: WALKED_INTO_LOSS };
  if (best - played < HALF_A_MAN) return null;
  return { lost_men: Math.round((best - played) / 10) / 10 };
}

function isDecided(best, played) {
  return Math.min(best, played) >= FIVE_MEN || Math.max(best, played) <= -FIVE_MEN;
}

function isWin(score) {
  return score > Ai.DECIDED;
}

/**
 * Mistakes with a verdict first, then the most men lost; ties stay in the order they were played.
 * @param {Mistake[]} mistakes
 */
function worstFirst(mistakes) {
  const size = ({ verdict, lost_men: lost }) => (verdict ? Infinity : lost);
  return [...mistakes].sort((a, b) => (size(a) === size(b) ? 0 : size(b) - size(a)));
}

module.exports = { mistakesOf, worstFirst, faultBetween };
