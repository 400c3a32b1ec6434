/**
 * Games in progress, for programs that play against the engine from outside: what stands on the board, what may be
 * played, and what a player of ours would do.
 */
"use strict";

const Rules = require("../static/js/rules.js");
const Notation = require("../static/js/notation.js");
const Pdn = require("../static/js/pdn.js");
const { stream } = require("../train/match.js");
const { playerFrom } = require("../train/players.js");
const { courseOf } = require("./course.js");

/**
 * @param {{start: any, moves: string[], number: number}} game
 * @returns {{fen: string, result: null | {winner: string, reason: string}, legal: {move: string, numbers: string, fen: string}[]}}
 *   each legal move by squares and by standard numbers (the whole path), with the position it leads to
 */
function positionAfter(game) {
  const course = courseOf(game);
  const result = course.result();
  const legal = result ? [] : Rules.legalMoves(course.state);
  return {
    fen: Pdn.writeFen(course.state),
    result,
    legal: legal.map((move) => ({
      move: Notation.moveName(move),
      numbers: Pdn.movePath(move),
      fen: Pdn.writeFen(Rules.applyMove(course.state, move)),
    })),
  };
}

/**
 * The move of one of our players, or null where the game is over. Chance comes from (seed, game, ply).
 * @param {{game: {start: any, moves: string[], number: number}, player: string, seed: number}} work
 * @returns {string | null}
 */
function chooseIn({ game, player, seed }) {
  const course = courseOf(game);
  if (course.result()) return null;
  const rand = stream(seed, "choose", game.number, game.moves.length);
  return Notation.moveName(playerFrom(player).choose(course.state, rand, course.history));
}

module.exports = { positionAfter, chooseIn };
