/**
 * The three-move openings ("ballots") of English draughts: 174, of which 156 are played.
 *
 * Under the three-move restriction the first three moves of a game are drawn by lot, because strong players
 * drew nearly every game that they began freely. The 156 are the official deck of the American Checker Federation
 * (usacheckers.com, "The 156-Opening Three-Move Deck"); the 18 marked with a star are barred, because they cost
 * one side a man or the game. Moves are in standard numbers (1 = g1 ... 32 = b8), in the order of those numbers.
 *
 * This file holds facts and reads its own table; it knows no rules. Turning a ballot into a position is
 * the work of openings.js, and a test plays all 174.
 */
"use strict";

// "Black's first move, White's reply: Black's second moves", a star after those that are barred.
const TABLE = `
9-13 21-17: 5-9 6-9 10-14*
9-13 22-17: 13x22
9-13 22-18: 6-9 10-14 10-15 11-15 11-16 12-16
9-13 23-18: 5-9 6-9 10-14* 10-15 11-15 11-16 12-16
9-13 23-19: 5-9 6-9 10-14 10-15 11-16
9-13 24-19: 5-9 6-9 10-14 10-15* 11-15 11-16
9-13 24-20: 5-9 6-9 10-14 10-15 11-15 11-16 12-16*
9-14 22-17: 5-9 6-9 11-15 11-16
9-14 22-18: 5-9 10-15 11-15 11-16 12-16* 14-17*
9-14 23-18: 14x23
9-14 23-19: 5-9 10-15* 11-16 14-18
9-14 24-19: 5-9 10-15* 11-15 11-16
9-14 24-20: 5-9 10-15 11-15 11-16
10-14 22-17: 7-10 9-13 11-15 11-16 14-18
10-14 22-18: 6-10 7-10 11-15 11-16 12-16
10-14 23-18: 14x23
10-14 23-19: 6-10 7-10 11-15 11-16 14-18
10-14 24-19: 6-10 7-10 11-15* 11-16 14-18
10-14 24-20: 6-10 7-10 11-15 11-16 14-18
10-15 21-17: 6-10 7-10 9-13 9-14* 11-16 15-18
10-15 22-17: 6-10 7-10 9-13 9-14* 11-16 15-19
10-15 22-18: 15x22
10-15 23-18: 6-10 7-10 9-14 11-16 12-16
10-15 23-19: 6-10 7-10 11-16
10-15 24-19: 15x24
10-15 24-20: 6-10 7-10 11-16* 15-19
11-15 21-17: 8-11 9-13 9-14 10-14* 15-19
11-15 22-17: 8-11 9-13 15-18 15-19
11-15 22-18: 15x22
11-15 23-18: 8-11 9-14 10-14 12-16 15-19
11-15 23-19: 8-11 9-13 9-14
11-15 24-19: 15x24
11-15 24-20: 8-11 12-16 15-18
11-16 21-17: 7-11 8-11 9-13 9-14 10-14* 16-20
11-16 22-17: 7-11 8-11 9-13 16-20
11-16 22-18: 7-11 8-11 10-15* 16-19 16-20
11-16 23-18: 7-11 8-11 9-14 10-14 16-20
11-16 23-19: 16x23
11-16 24-19: 7-11 8-11 10-15* 16-20
11-16 24-20: 7-11 16-19
12-16 21-17: 9-13 9-14 16-19 16-20
12-16 22-17: 16-19 16-20
12-16 22-18: 16-19 16-20
12-16 23-18: 9-14* 16-19 16-20
12-16 23-19: 16x23*
12-16 24-19: 16-20
12-16 24-20: 8-12 10-15
`;

/**
 * @typedef {number: number, moves: string[], barred: boolean} Ballot
 *   `number` counts from 1 in the table's order; `moves` are three moves in standard numbers ("11-15", "13x22").
 */

/** @returns {Ballot[]} */
function readTable() {
  /** @type {Ballot[]} */
  const ballots = [];
  for (const line of TABLE.trim().split("\n")) {
    const [start, seconds] = line.split(": ");
    for (const second of seconds.split(" ")) {
      const barred = second.endsWith("*");
      const moves = [...start.split(" "), barred ? second.slice(0, -1) : second];
      ballots.push({ number: ballots.length + 1, moves, barred });
    }
  }
  return ballots;
}

/** All 174 ballots. */
const BALLOTS = readTable();

module.exports = { BALLOTS };
