/**
 * Each command as work that can be shared: `plan` lists a request's jobs, `perform` does one of them anywhere, and
 * `gather` makes the answer from their results.
 *
 * Jobs and results are plain data, so they can travel to another thread. A job that finds the request wrong (a move
 * that is not legal) gives back {problem}; gather throws the first of these in the order of the jobs, so the
 * complaint is the same however many threads there were.
 */
"use strict";

const Ai = require("../static/js/ai.js");
const { openings } = require("../train/match.js");
const { RequestError } = require("./requests.js");
const { fixtures, playFixture } = require("./tournament.js");
const { mistakesOf, worstFirst } = require("./review.js");
const { chooseIn, positionAfter } = require("./position.js");
const { measure } = require("./measure.js");
const { gamesAsPdn } = require("./export.js");

const COST_OF_A_PLY = 1.6; // about how much longer a search takes with each ply of depth

const COMMANDS = {
  players: {
    gather: () => ({ players: Ai.LEVELS }),
  },
  tournament: {
    what: "games played",
    plan: fixtures,
    cost: ({ black, white }) => COST_OF_A_PLY ** Ai.LEVELS[black].depth + COST_OF_A_PLY ** Ai.LEVELS[white].depth,
    perform: playFixture,
    gather: (_request, games) => ({ games }),
  },
  review: {
    what: "games reviewed",
    plan: ({ games, depth }) => games.map((game) => ({ game, depth })),
    cost: ({ game }) => game.moves.length,
    perform: ({ game, depth }) => mistakesOf(game, depth),
    gather: ({ depth, how_many: howMany }, lists) => {
      const mistakes = worstFirst(lists.flat());
      return { depth, mistakes_found: mistakes.length, mistakes: mistakes.slice(0, howMany) };
    },
  },
  openings: {
    gather: ({ kind, count, seed }) => ({ openings: openings(kind, count, seed) }),
  },
  choose: {
    what: "moves chosen",
    plan: ({ games, player, seed }) => games.map((game) => ({ game, player, seed })),
    cost: () => 1,
    perform: chooseIn,
    gather: (_request, moves) => ({ moves }),
  },
  position: {
    gather: ({ games }) => ({ positions: games.map(positionAfter) }),
  },
  measure: {
    gather: measure,
  },
  pdn: {
    gather: (request) => ({ pdn: gamesAsPdn(request) }),
  },
};

/**
 * @param {any} request  a checked one
 * @returns {{what: string, jobs: {command: string, work: any, cost: number}[]}}
 */
function plan(request) {
  const { what = "", plan: list = () => [], cost } = COMMANDS[request.command];
  return { what, jobs: list(request).map((work) => ({ command: request.command, work, cost: cost(work) })) };
}

/**
 * @param {{command: string, work: any}} job
 * @returns {{value: any} | {problem: string}}
 */
function perform({ command, work }) {
  try {
    return { value: COMMANDS[command].perform(work) };
  } catch (error) {
    if (error instanceof RequestError) return { problem: error.message };
    throw error;
  }
}

/**
 * @param {any} request  a checked one
 * @param {any[]} results  what perform gave for each job, in their order
 * @returns {any}  the answer
 * @throws {RequestError}
 */
function gather(request, results) {
  const wrong = results.find((result) => result.problem !== undefined);
  if (wrong) throw new RequestError(wrong.problem);
  return COMMANDS[request.command].gather(request, results.map((result) => result.value));
}

module.exports = { plan, perform, gather };
