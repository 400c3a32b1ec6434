/**
 * learn.js: makes the weights of the `learned` player from self-play.
 *
 * Two rounds: games of the hand evaluation give first weights, games with those give the
 * final ones. The model is linear: a man and a king are worth something on each square, in
 * the opening and in the ending, weighed by the pieces left. Everything else about a position
 * is the search's business.
 *
 *     node train/learn.js                      the committed weights (minutes on two cores)
 *     node train/learn.js --games 250 --out /tmp/weights.js      a quick try
 *
 * Everything is kept under --folder: run it again after a stop and it goes on. The same seed
 * gives the same weights on one machine. Standard error shows the progress.
 */
"use strict";
const path = require("node:path");
const { selfPlay } = require("./selfplay.js");
const { tabulate, split, scaleOf } = require("./positions.js");
const { fit } = require("./fit.js");
const { run } = require("./program.js");

const GAMES = 800; // of each round
const NODES = 2000; // of each search in self-play
const RESULT_SHARE = 0.5;
const EPOCHS = 8;
const RATE = 0.004; // men per step
const POINTS = 100; // of a man
const FULL_BOARD = 24;

/** Men and kings by square, opening and ending, and the worth of having the move, all in men. */
class LinearModel {
  constructor() {
    this.parameters = new Float64Array(4 * 32 + 1);
    this.parameters.fill(1, 0, 64); // a first guess: a man, then a king
    this.parameters.fill(1.3, 64, 128);
  }

  /** Where a feature's opening weight is; the ending's stands 32 further. White's are Black's, turned. */
  static place(feature) {
    const kind = feature >> 5, number = (feature & 31) + 1;
    return (kind >> 1) * 64 + (kind & 1 ? 33 - number : number) - 1;
  }

  score(table, i) {
    const w = this.parameters, opening = table.pieces[i] / FULL_BOARD;
    let sum = 0;
    for (let p = table.starts[i]; p < table.starts[i + 1]; p++) {
      const at = LinearModel.place(table.features[p]);
      const worth = opening * w[at] + (1 - opening) * w[at + 32];
      sum += (table.features[p] >> 5) & 1 ? -worth : worth;
    }
    return POINTS * ((table.turn[i] ? -sum : sum) + w[128]);
  }

  learnFrom(table, i, slope, gradients) {
    const opening = table.pieces[i] / FULL_BOARD;
    for (let p = table.starts[i]; p < table.starts[i + 1]; p++) {
      const at = LinearModel.place(table.features[p]);
      const own = ((table.features[p] >> 5) & 1) === table.turn[i] ? slope : -slope;
      gradients[at] += POINTS * opening * own;
      gradients[at + 32] += POINTS * (1 - opening) * own;
    }
    gradients[128] += POINTS * slope;
  }

  /** Integers for evaluate.js, in the scale that makes men worth 100 on average. */
  weights() {
    const squares = (first) => this.parameters.slice(first, first + 32);
    const men = [...squares(0).slice(0, 28), ...squares(32).slice(0, 28)]; // no man stands on the last row
    const scale = POINTS * men.length / men.reduce((sum, worth) => sum + worth, 0);
    const points = (first) => Array.from(squares(first), (worth) => Math.round(scale * worth));
    return {
      men: { opening: points(0), ending: points(32) },
      kings: { opening: points(64), ending: points(96) },
      tempo: Math.round(scale * this.parameters[128]),
    };
  }
}

/** One round: games, then a fit. */
async function round(name, play, folder, report) {
  const blocks = await selfPlay(path.join(folder, name), play, report);
  const { fitted, heldOut } = split(blocks);
  const scale = scaleOf(fitted);
  const [table, rest] = [fitted, heldOut].map((some) => tabulate(some, { scale, resultShare: RESULT_SHARE }));
  const model = new LinearModel();
  const losses = fit(model, table, rest, { epochs: EPOCHS, rate: RATE, scale, seed: play.seed }, report);
  return { weights: model.weights(), losses, positions: table.count + rest.count };
}

async function learn({ seed, games, folder }, report) {
  const first = await round("linear-1", { seed, games, nodes: NODES, evaluator: "hand" }, folder, report);
  const again = { seed: seed + 1, games, nodes: NODES, evaluator: "candidate", weights: first.weights };
  const second = await round("linear-2", again, folder, report);
  const about = {
    program: "train/learn.js", seed, games: 2 * games, positions: first.positions + second.positions,
    date: new Date().toISOString().slice(0, 10), loss: second.losses.at(-1).heldOut.toFixed(5),
  };
  return { weights: { about, ...second.weights }, losses: second.losses };
}

const HELP = `usage: node train/learn.js [--seed 1] [--games ${GAMES}] [--folder data/training] [--out static/js/weights.js]

Makes the learned player's weights: two rounds of --games games each, and a fit after each.

example: node train/learn.js --games 250 --out /tmp/weights.js
`;

module.exports = { LinearModel, learn };

if (require.main === module) {
  const program = { player: "learned", games: GAMES, help: HELP, learn };
  run(process.argv.slice(2), program).then((code) => { process.exitCode = code; });
}
