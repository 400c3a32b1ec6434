/**
 * How fast the engine is here and now: perft, search, and the moves of a player.
 *
 * The only file of this room that looks at a clock; nothing that is played depends on it. Positions come from games
 * between two medium players out of random openings, so that they are neither all openings nor all endings.
 */
"use strict";

const Ai = require("../static/js/ai.js");
const Rules = require("../static/js/rules.js");
const { playGame, randomOpening, stream } = require("../train/match.js");
const { playerFrom } = require("../train/players.js");
const { replay } = require("../train/play.js");

/**
 * @param {{what: string, depth: number, player: string, count: number, seed: number}} work
 * @returns {object}  the measurement, with `seconds` and `memory_mb` (this process's largest so far)
 */
function measure(work) {
  const answer = MEASURES[work.what](work);
  return { what: work.what, ...answer, memory_mb: Math.round(process.resourceUsage().maxRSS / 1024) };
}

const MEASURES = {
  /** Leaves from the start position, every one of them made. */
  perft({ depth }) {
    Rules.fast.perft(Rules.startPosition(), Math.max(1, depth - 2)); // let the compiler see it first
    const { value: leaves, seconds } = timed(() => Rules.fast.perft(Rules.startPosition(), depth));
    return { depth, leaves, seconds };
  },

  /** Search nodes to one depth with a player's evaluator. */
  search({ depth, player, count, seed }) {
    const { evaluator } = Ai.LEVELS[player];
    const states = positions(count + 1, seed).map(({ state }) => state);
    Ai.search(states.pop(), { depth, evaluator });
    let nodes = 0;
    const { seconds } = timed(() => {
      for (const state of states) nodes += Ai.search(state, { depth, evaluator }).nodes;
    });
    return { player, evaluator, depth, positions: count, nodes, seconds };
  },

  /** Milliseconds for each move of a player, with the game's history as in a game. */
  moves({ player, count, seed }) {
    const chooser = playerFrom(player);
    const rand = stream(seed, "moves");
    const found = positions(count, seed);
    chooser.choose(found[0].state, rand, found[0].history);
    const times = found.map(({ state, history }) => timed(() => chooser.choose(state, rand, history)).seconds * 1000);
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
    const seconds = times.reduce((sum, each) => sum + each, 0) / 1000;
    return { player, positions: count, seconds, median_ms: at(0.5), p99_ms: at(0.99), max_ms: at(1) };
  },
};

function timed(work) {
  const start = performance.now();
  const value = work();
  return { value, seconds: (performance.now() - start) / 1000 };
}

/** `count` positions with a choice of moves, every third of its game, with the states before them. */
function positions(count, seed) {
  const medium = playerFrom("medium");
  const found = [];
  for (let game = 1; found.length < count; game += 1) {
    const rand = stream(seed, "positions", game);
    const start = randomOpening(rand);
    const { history } = replay(start, playGame({ b: medium, w: medium }, start, { b: rand, w: rand }).moves);
    history.forEach((state, ply) => {
      if (ply % 3 === 0 && Rules.legalMoves(state).length > 1) found.push({ state, history: history.slice(0, ply) });
    });
  }
  return found.slice(0, count);
}

module.exports = { measure };
