/**
 * What a match of colour-swapped pairs says: Elo difference, its 95 % interval, and a sequential test.
 *
 * The unit is the pair, not the game: both games of a pair begin in the same position, so their results hang
 * together, and it is the spread between pairs that says how far chance goes. A score s (0 to 1) is an Elo
 * difference of 400 log10(s / (1 - s)) (A. Elo, The Rating of Chessplayers, 1978).
 */
"use strict";

const NORMAL_95 = 1.959964; // 97.5 % of a normal distribution lies below this many standard deviations
const ERROR_RATE = 0.05; // of the sequential test, for either wrong answer

/** @param {number} score  between 0 and 1, both of which give an infinite difference */
function eloOf(score) {
  return 400 * Math.log10(score / (1 - score));
}

/** @param {number} elo */
function scoreOf(elo) {
  return 1 / (1 + 10 ** (-elo / 400));
}

/**
 * Mean and variance of the pairs' scores (each 0, 1/4, 1/2, 3/4 or 1).
 * Each of the five results is counted a fifth more often than it was seen, one imagined pair in all, so that a few
 * pairs that ended alike are not taken for proof that chance has no part in it.
 * @param {number[]} pairScores
 */
function moments(pairScores) {
  const counts = new Array(5).fill(0.2);
  for (const score of pairScores) counts[Math.round(score * 4)] += 1;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mean = counts.reduce((sum, count, i) => sum + count * (i / 4), 0) / total;
  const variance = counts.reduce((sum, count, i) => sum + count * (i / 4 - mean) ** 2, 0) / total;
  return { mean, variance };
}

/**
 * @param {number[]} pairScores  at least one
 * @returns {{elo: number, low: number, high: number}}  infinite where every game was won or lost
 */
function eloWithInterval(pairScores) {
  const score = pairScores.reduce((sum, each) => sum + each, 0) / pairScores.length;
  const { variance } = moments(pairScores);
  const margin = NORMAL_95 * Math.sqrt(variance / pairScores.length);
  return { elo: eloOf(score), low: eloOf(Math.max(0, score - margin)), high: eloOf(Math.min(1, score + margin)) };
}

/**
 * A sequential probability ratio test (A. Wald, 1945) of "the difference is elo1" against "it is elo0", with the
 * log-likelihood ratio of the pairs' mean in its normal approximation (M. Van den Bergh's notes on the generalised
 * test, as computer chess uses it).
 * @param {number[]} pairScores
 * @param {{elo0: number, elo1: number}} test
 * @returns {{llr: number, lower: number, upper: number, verdict: "elo0" | "elo1" | null}}
 */
function sequentialTest(pairScores, { elo0, elo1 }) {
  const { mean, variance } = moments(pairScores);
  const [score0, score1] = [scoreOf(elo0), scoreOf(elo1)];
  const llr = pairScores.length * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance);
  const upper = Math.log((1 - ERROR_RATE) / ERROR_RATE);
  const verdict = llr >= upper ? "elo1" : llr <= -upper ? "elo0" : null;
  return { llr, lower: -upper, upper, verdict };
}

module.exports = { eloOf, scoreOf, eloWithInterval, sequentialTest };
