/**
 * Playing one game out, with the draws that only a game with a history has.
 *
 * A player is `{name, choose(state, rand, history)}`; `history` holds the positions before `state`, oldest first.
 * This file knows when a game is over. It does not know who is good, what an opening is, or how to search.
 */
"use strict";

const Rules = require("../static/js/rules.js");
const Notation = require("../static/js/notation.js");

/** A game that has gone on so long is a draw. */
const MAX_PLIES = 200;

/**
 * @typedef {{board: (string|string[])[], turn: "b"|"w", quietPlies: number}} State
 * @typedef {{name: string, choose: (state: State, rand: () => number, history: State[]) => object}} Player
 * @typedef {{winner: "b"|"w"|"draw", reason: string, moves: string[]}} Game
 */

/** What makes two positions the same one: the pieces and the side to move. */
function positionKey(state) {
  return state.turn + state.board.map((row) => (typeof row === "string" ? row : row.join(""))).join("");
}

/** A game in progress: the position, the moves so far and how often each position has stood. */
class Course {
  /** @param {State} start */
  constructor(start) {
    this.state = start;
    /** @type {State[]} */
    this.history = [];
    /** @type {string[]} */
    this.moves = [];
    this.times = new Map([[positionKey(start), 1]]);
  }

  /** @param {any} move  a legal move */
  play(move) {
    this.moves.push(Notation.moveName(move));
    this.history.push(this.state);
    this.state = Rules.applyMove(this.state, move);
    const key = positionKey(this.state);
    this.times.set(key, (this.times.get(key) || 0) + 1);
  }

  /** @returns {null | {winner: "b"|"w"|"draw", reason: string}} */
  result() {
    const byRules = Rules.result(this.state);
    if (byRules) return byRules;
    if (this.times.get(positionKey(this.state)) >= 3) return { winner: "draw", reason: "third repetition" };
    if (this.moves.length >= MAX_PLIES) return { winner: "draw", reason: `${MAX_PLIES} plies played` };
    return null;
  }
}

/**
 * @param {{b: Player, w: Player}} players
 * @param {State} start
 * @param {{b: () => number, w: () => number}} chance  each side's own stream
 * @returns {Game}
 */
function playGame(players, start, chance) {
  const course = new Course(start);
  for (;;) {
    const result = course.result();
    if (result) return { ...result, moves: course.moves };
    const side = course.state.turn;
    course.play(players[side].choose(course.state, chance[side], course.history));
  }
}

/**
 * The course of a game that was played before.
 * @param {State} start
 * @param {string[]} names
 * @returns {Course}
 * @throws {Error}  names the first move that is not legal, counted from 1
 */
function replay(start, names) {
  const course = new Course(start);
  for (const name of names) {
    const legal = Rules.legalMoves(course.state);
    const move = Notation.findMove(legal, name);
    if (!move) {
      const could = legal.length ? `Legal: ${legal.map(Notation.moveName).join(", ")}.` : "The game was over.";
      throw new Error(`move ${course.moves.length + 1}, ${JSON.stringify(name)}, is not legal there. ${could}`);
    }
    course.play(move);
  }
  return course;
}

module.exports = { Course, playGame, replay, positionKey };
