/**
 * neural.js: makes the weights of the `neural` player from self-play of the `learned` one.
 *
 * The network: each piece on its square is an input; a hidden layer is computed from each side's
 * view with the same weights (an efficiently updatable network, after Yu Nasu's for shogi, 2018);
 * the output weighs both halves, with weights of its own for each number of pieces left, and is
 * cut off at MARGIN. It corrects the squares' points of the learned player, which learn on: the
 * fit starts at that player's strength.
 *
 *     node train/neural.js                     the committed weights
 *     node train/neural.js --games 250 --out /tmp/weights.js     a quick try
 *
 * Everything is kept under --folder: run it again after a stop and it goes on. The same seed and
 * the same learned weights give the same network on one machine.
 */
"use strict";
const path = require("node:path");
const Network = require("../static/js/network.js");
const Weights = require("../static/js/weights.js");
const { stream } = require("./chance.js");
const { selfPlay } = require("./selfplay.js");
const { FEATURES, turned, tabulate, split } = require("./positions.js");
const { fit } = require("./fit.js");
const { run } = require("./program.js");

const HIDDEN = 16; // for each side's view
const MARGIN = 0.6; // men: the network corrects the squares by no more
const BUCKETS = 4; // sets of output weights, by the number of pieces
const GAMES = 3000;
const NODES = 1200; // of each search in self-play
const RESULT_SHARE = 0.25;
const SCALE = 120; // points that mean odds of e to 1
const EPOCHS = 12;
const RATE = 0.004; // men per step
const POINTS = 100; // of a man
const FULL_BOARD = 24;
const INPUT_LIMIT = 1.98; // so that 24 of them, times Network.UNIT, fit into 16 bits

const TURNED = Uint8Array.from({ length: FEATURES }, (_, feature) => turned(feature));

class NetworkModel {
  /** @param {object} learned the linear weights to start from @param {() => number} rand */
  constructor(learned, rand, hidden = HIDDEN) {
    this.hidden = hidden;
    this.inputAt = 4 * 32;
    this.biasAt = this.inputAt + FEATURES * hidden;
    this.outputAt = this.biasAt + hidden;
    this.constantAt = this.outputAt + BUCKETS * 2 * hidden;
    this.tempoAt = this.constantAt + BUCKETS;
    this.parameters = new Float64Array(this.tempoAt + 1);
    const squares = [learned.men.opening, learned.men.ending, learned.kings.opening, learned.kings.ending].flat();
    this.parameters.set(squares.map((points) => points / POINTS));
    const w = this.parameters;
    for (let k = this.inputAt; k < this.biasAt; k++) w[k] = 0.4 * (rand() - 0.5);
    for (let k = this.biasAt; k < this.outputAt; k++) w[k] = 0.3;
    for (let k = this.outputAt; k < this.constantAt; k++) w[k] = 0.1 * (rand() - 0.5);
    w[this.tempoAt] = learned.tempo / POINTS;
    this.own = new Float64Array(hidden); // the hidden sums of the position scored last
    this.other = new Float64Array(hidden);
  }

  squaresScore(table, i) {
    const w = this.parameters, opening = table.pieces[i] / FULL_BOARD;
    let sum = 0;
    for (let p = table.starts[i]; p < table.starts[i + 1]; p++) {
      const feature = table.features[p], white = (feature >> 5) & 1;
      const at = (feature >> 6) * 64 + ((white ? TURNED[feature] : feature) & 31);
      const worth = opening * w[at] + (1 - opening) * w[at + 32];
      sum += white === table.turn[i] ? worth : -worth;
    }
    return sum;
  }

  fillHidden(table, i) {
    const { own, other, hidden, inputAt, biasAt } = this, w = this.parameters;
    for (let h = 0; h < hidden; h++) own[h] = other[h] = w[biasAt + h];
    for (let p = table.starts[i]; p < table.starts[i + 1]; p++) {
      const feature = table.features[p], turnedOne = TURNED[feature];
      const seen = inputAt + (table.turn[i] ? turnedOne : feature) * hidden;
      const seenByOther = inputAt + (table.turn[i] ? feature : turnedOne) * hidden;
      for (let h = 0; h < hidden; h++) {
        own[h] += w[seen + h];
        other[h] += w[seenByOther + h];
      }
    }
  }

  score(table, i) {
    const { own, other, hidden, outputAt, constantAt, tempoAt } = this, w = this.parameters;
    const bucket = Network.bucketOf(table.pieces[i], BUCKETS), out = outputAt + bucket * 2 * hidden;
    this.fillHidden(table, i);
    let correction = w[constantAt + bucket];
    for (let h = 0; h < hidden; h++) {
      correction += w[out + h] * Math.min(1, Math.max(0, own[h])) +
        w[out + hidden + h] * Math.min(1, Math.max(0, other[h]));
    }
    this.correction = correction;
    return POINTS * (this.squaresScore(table, i) + w[tempoAt] + Math.max(-MARGIN, Math.min(MARGIN, correction)));
  }

  learnSquares(table, i, slope, gradients) {
    const opening = table.pieces[i] / FULL_BOARD;
    for (let p = table.starts[i]; p < table.starts[i + 1]; p++) {
      const feature = table.features[p], white = (feature >> 5) & 1;
      const at = (feature >> 6) * 64 + ((white ? TURNED[feature] : feature) & 31);
      const signed = white === table.turn[i] ? slope : -slope;
      gradients[at] += opening * signed;
      gradients[at + 32] += (1 - opening) * signed;
    }
  }

  /** Output weights' gradients; turns the hidden sums into their own slopes. */
  learnOutput(bucket, slope, gradients) {
    const { own, other, hidden, outputAt, biasAt } = this, w = this.parameters;
    const out = outputAt + bucket * 2 * hidden;
    for (let h = 0; h < hidden; h++) {
      const x = own[h], y = other[h];
      gradients[out + h] += slope * Math.min(1, Math.max(0, x));
      gradients[out + hidden + h] += slope * Math.min(1, Math.max(0, y));
      own[h] = x > 0 && x < 1 ? slope * w[out + h] : 0;
      other[h] = y > 0 && y < 1 ? slope * w[out + hidden + h] : 0;
      gradients[biasAt + h] += own[h] + other[h];
    }
  }

  learnFrom(table, i, pointSlope, gradients) {
    const { own, other, hidden, inputAt } = this;
    const slope = POINTS * pointSlope, bucket = Network.bucketOf(table.pieces[i], BUCKETS);
    this.learnSquares(table, i, slope, gradients);
    gradients[this.tempoAt] += slope;
    if (Math.abs(this.correction) > MARGIN) return; // cut off: it changes nothing
    gradients[this.constantAt + bucket] += slope;
    this.learnOutput(bucket, slope, gradients);
    for (let p = table.starts[i]; p < table.starts[i + 1]; p++) {
      const feature = table.features[p], turnedOne = TURNED[feature];
      const seen = inputAt + (table.turn[i] ? turnedOne : feature) * hidden;
      const seenByOther = inputAt + (table.turn[i] ? feature : turnedOne) * hidden;
      for (let h = 0; h < hidden; h++) {
        gradients[seen + h] += own[h];
        gradients[seenByOther + h] += other[h];
      }
    }
  }

  /** After each step: the input weights must fit their 16 bits. */
  keepInRange() {
    const w = this.parameters;
    for (let k = this.inputAt; k < this.biasAt; k++) w[k] = Math.min(INPUT_LIMIT, Math.max(-INPUT_LIMIT, w[k]));
  }

  /** Integers for network.js and evaluate.js. */
  weights() {
    const rounded = (from, to, unit) => Array.from(this.parameters.slice(from, to), (value) => Math.round(unit * value));
    const squares = (first) => rounded(first, first + 32, POINTS);
    return {
      hidden: this.hidden, buckets: BUCKETS, margin: Math.round(POINTS * MARGIN),
      men: { opening: squares(0), ending: squares(32) },
      kings: { opening: squares(64), ending: squares(96) },
      input: rounded(this.inputAt, this.biasAt, Network.UNIT),
      bias: rounded(this.biasAt, this.outputAt, Network.UNIT),
      output: rounded(this.outputAt, this.constantAt, POINTS * Network.OUTPUT_UNIT),
      outputBias: rounded(this.constantAt, this.tempoAt, POINTS),
      tempo: Math.round(POINTS * this.parameters[this.tempoAt]),
    };
  }
}

async function learn({ seed, games, folder, epochs = EPOCHS }, report) {
  const play = { seed, games, nodes: NODES, evaluator: "candidate", weights: Weights.learned };
  const blocks = await selfPlay(path.join(folder, "neural"), play, report);
  const { fitted, heldOut } = split(blocks);
  const [table, rest] = [fitted, heldOut].map((some) => tabulate(some, { scale: SCALE, resultShare: RESULT_SHARE }));
  const model = new NetworkModel(Weights.learned, stream(seed, "first weights"));
  const checkpoint = path.join(folder, "neural-checkpoint.json");
  const losses = fit(model, table, rest, { epochs, rate: RATE, scale: SCALE, seed, checkpoint }, report);
  const about = {
    program: "train/neural.js", seed, games, positions: table.count + rest.count,
    date: new Date().toISOString().slice(0, 10), loss: losses.at(-1).heldOut.toFixed(5),
  };
  return { weights: { about, ...model.weights() }, losses };
}

const HELP = `usage: node train/neural.js [--seed 1] [--games ${GAMES}] [--folder data/training] [--out static/js/weights.js]

Makes the neural player's weights: --games games of the learned player, and a fit.

example: node train/neural.js --games 250 --out /tmp/weights.js
`;

module.exports = { NetworkModel, learn };

if (require.main === module) {
  const program = { player: "neural", games: GAMES, help: HELP, learn };
  run(process.argv.slice(2), program).then((code) => { process.exitCode = code; });
}
