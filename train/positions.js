/**
 * positions.js: records of self-play as tables that a model can be fitted to.
 *
 * A feature is a kind of piece on a square: kind * 32 + number - 1, kinds as in sums.js
 * (black man, white man, black king, white king), squares by their standard numbers, so that
 * the same board turned round with the colours swapped is number 33 - n and the other kind.
 *
 * What it does not do: play (selfplay.js), fit (fit.js).
 */
"use strict";
const Sums = require("../static/js/sums.js");
const { RECORD_WORDS, NO_RESULT } = require("./selfplay.js");

const FEATURES = 4 * 32;
const NUMBER_OF = Array.from({ length: 32 }, (_, index) => Sums.numberOf(index));
const HELD_OUT_EVERY = 10; // one block of games in so many is kept out of the fit

/** A score in points as a chance to win; `scale` points are odds of e to 1. */
function chanceOf(points, scale) {
  return 1 / (1 + Math.exp(-points / scale));
}

/** The same feature seen from the other side. */
function turned(feature) {
  const kind = feature >> 5, number = (feature & 31) + 1;
  return (kind ^ 1) * 32 + (33 - number) - 1;
}

function piecesOf(black, white, kings, features, at) {
  for (let index = 0; index < 32; index++) {
    const bit = 1 << index;
    if (((black | white) & bit) === 0) continue;
    const kind = (black & bit ? 0 : 1) + (kings & bit ? 2 : 0);
    features[at++] = kind * 32 + NUMBER_OF[index] - 1;
  }
  return at;
}

/**
 * Blocks of records as one table. `target` is the mover's chance: the search's score and the game's
 * result mixed, `resultShare` of the latter; positions beside the game have the score alone.
 * @param {Int32Array[]} blocks @param {{scale: number, resultShare: number}} options
 */
function tabulate(blocks, { scale, resultShare }) {
  const count = blocks.reduce((sum, block) => sum + block.length / RECORD_WORDS, 0);
  const table = {
    count, starts: new Int32Array(count + 1), features: new Uint8Array(count * 24),
    turn: new Uint8Array(count), pieces: new Uint8Array(count), target: new Float32Array(count),
  };
  let i = 0;
  for (const block of blocks) {
    for (let at = 0; at < block.length; at += RECORD_WORDS, i++) {
      const [black, white, kings, turn, score, result] = block.subarray(at, at + RECORD_WORDS);
      table.starts[i + 1] = piecesOf(black, white, kings, table.features, table.starts[i]);
      table.pieces[i] = table.starts[i + 1] - table.starts[i];
      table.turn[i] = turn;
      const share = result === NO_RESULT ? 0 : resultShare;
      const forBlack = share * (result + 1) / 2 + (1 - share) * chanceOf(score, scale);
      table.target[i] = turn === 0 ? forBlack : 1 - forBlack;
    }
  }
  return table;
}

/** The scale, in points, at which the search's scores tell the results of their games best. */
function scaleOf(blocks) {
  const lossAt = (scale) => {
    let loss = 0;
    for (const block of blocks) {
      for (let at = 0; at < block.length; at += RECORD_WORDS) {
        if (block[at + 5] === NO_RESULT) continue;
        const chance = chanceOf(block[at + 4], scale), result = (block[at + 5] + 1) / 2;
        loss -= result * Math.log(chance + 1e-12) + (1 - result) * Math.log(1 - chance + 1e-12);
      }
    }
    return loss;
  };
  const scales = Array.from({ length: 26 }, (_, i) => 50 + 10 * i);
  const losses = scales.map(lossAt);
  return scales[losses.indexOf(Math.min(...losses))];
}

/** Whole blocks of games apart: positions of one game never stand on both sides. */
function split(blocks) {
  const isHeldOut = (_, i) => i % HELD_OUT_EVERY === HELD_OUT_EVERY - 1;
  return { fitted: blocks.filter((b, i) => !isHeldOut(b, i)), heldOut: blocks.filter(isHeldOut) };
}

module.exports = { FEATURES, HELD_OUT_EVERY, turned, tabulate, scaleOf, split, chanceOf };
