/**
 * Where games begin: random openings that nobody has lost yet, and the three-move ballots as positions.
 */
"use strict";

const Rules = require("../static/js/rules.js");
const Notation = require("../static/js/notation.js");
const Ai = require("../static/js/ai.js");
const { BALLOTS } = require("./ballots.js");

const RANDOM_PLIES = 6;
const CHECK_DEPTH = 8;
/** A side that is behind by more than this after the search (100 is about a man) has been given a bad start. */
const MOST_BEHIND = 60;

/**
 * Six random plies from the start position. An opening that costs a side a man, as a search of eight plies and
 * their exchanges sees it, is thrown away and another is drawn.
 * @param {() => number} rand
 * @returns {import("./play.js").State}
 */
function randomOpening(rand) {
  for (;;) {
    let state = Rules.startPosition();
    for (let ply = 0; ply < RANDOM_PLIES; ply += 1) {
      const legal = Rules.legalMoves(state);
      state = Rules.applyMove(state, legal[Math.floor(rand() * legal.length)]);
    }
    if (isBalanced(state)) return state;
  }
}

function isBalanced(state) {
  return Math.abs(Ai.search(state, { depth: CHECK_DEPTH, evaluator: "hand" }).score) <= MOST_BEHIND;
}

/**
 * The position after the three moves of a ballot, White to move.
 * @param {import("./ballots.js").Ballot} ballot
 * @returns {import("./play.js").State}
 */
function ballotOpening(ballot) {
  let state = Rules.startPosition();
  for (const name of ballot.moves) {
    const [from, to] = name.split(/[-x]/).map((number) => Notation.toName(Number(number)));
    const move = Rules.legalMoves(state).find((each) =>
      Notation.squareName(each.from) === from && Notation.squareName(each.path[each.path.length - 1]) === to);
    if (!move) throw new Error(`Ballot ${ballot.number}: ${name} is not legal.`);
    state = Rules.applyMove(state, move);
  }
  return state;
}

/**
 * `count` different playable ballots, drawn like cards from a shuffled deck.
 * @param {() => number} rand
 * @param {number} count  at most 156
 * @returns {import("./ballots.js").Ballot[]}
 */
function drawBallots(rand, count) {
  const deck = BALLOTS.filter((ballot) => !ballot.barred);
  if (count > deck.length) throw new RangeError(`There are ${deck.length} ballots, ${count} were asked for.`);
  for (let i = 0; i < count; i += 1) {
    const j = i + Math.floor(rand() * (deck.length - i));
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck.slice(0, count);
}

module.exports = { randomOpening, ballotOpening, drawBallots };
