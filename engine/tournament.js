/**
 * The games of a tournament: which ones there are, and how one of them is played.
 *
 * Everybody meets everybody in each opening twice, once with either colour: n players and p pairs make
 * n * (n - 1) * p games. `fixtures` only lists them, so that any number of processes can share the playing;
 * `playFixture` gives the same game wherever and whenever it is called, because its opening and all its chance
 * come from (seed, pairing, opening, colour).
 */
"use strict";

const { ballotOpening, drawBallots } = require("../train/openings.js");
const { playGame, randomOpening, stream } = require("../train/match.js");
const { playerFrom } = require("../train/players.js");

/**
 * @typedef {{number: number, black: string, white: string, opening: number, kind: string, seed: number}} Fixture
 */

/**
 * @param {{players: string[], pairs: number, seed: number, openings: string}} request
 * @returns {Fixture[]}  in the order of their numbers
 */
function fixtures({ players, pairs, seed, openings }) {
  const games = [];
  for (let i = 0; i < players.length; i += 1) {
    for (let j = i + 1; j < players.length; j += 1) {
      for (let opening = 1; opening <= pairs; opening += 1) {
        for (const [black, white] of [[players[i], players[j]], [players[j], players[i]]]) {
          games.push({ number: games.length + 1, black, white, opening, kind: openings, seed });
        }
      }
    }
  }
  return games;
}

/** @param {Fixture} fixture */
function playFixture(fixture) {
  const { number, black, white, opening, seed } = fixture;
  const pairing = [black, white].sort().join(" ");
  const start = openingOf(fixture, pairing);
  const chance = (colour, name) => stream(seed, pairing, opening, colour, name);
  const game = playGame(
    { b: playerFrom(black), w: playerFrom(white) },
    start,
    { b: chance("b", black), w: chance("w", white) },
  );
  return { number, black, white, start, winner: game.winner, reason: game.reason, moves: game.moves };
}

function openingOf({ seed, kind, opening }, pairing) {
  if (kind === "random") return randomOpening(stream(seed, pairing, opening, "opening"));
  return ballotOpening(drawBallots(stream(seed, pairing, "ballots"), opening)[opening - 1]);
}

module.exports = { fixtures, playFixture };
