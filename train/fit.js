/**
 * fit.js: gradient descent (Adam), the same for every model.
 *
 * A model has `parameters` (Float64Array), `score(table, i)` (points for the side to move) and
 * `learnFrom(table, i, slope, gradients)`, which adds the gradient of the position scored last,
 * `slope` being the loss's derivative by its score. The loss is the cross-entropy between the
 * chance that the score means and the table's target.
 *
 * The order of positions depends on the seed and the epoch alone, and a checkpoint is written
 * after each epoch: a fit that was stopped goes on to the same end.
 *
 * Source: Kingma and Ba, "Adam: a method for stochastic optimization" (2015), with its constants.
 */
"use strict";
const fs = require("node:fs");
const { stream } = require("./chance.js");
const { chanceOf } = require("./positions.js");

const BATCH = 512;
const MEAN_DECAY = 0.9, SQUARE_DECAY = 0.999, TINY = 1e-8;
const LAST_RATE = 0.02; // the learning rate falls in a line to this share of the first

function crossEntropy(chance, target) {
  return -(target * Math.log(chance + 1e-12) + (1 - target) * Math.log(1 - chance + 1e-12));
}

/** The mean loss over a table. */
function lossOver(model, table, scale) {
  let sum = 0;
  for (let i = 0; i < table.count; i++) sum += crossEntropy(chanceOf(model.score(table, i), scale), table.target[i]);
  return sum / table.count;
}

function shuffled(count, rand) {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(rand() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** One step of Adam over the gradients, which are set back to 0. */
function step(adam, parameters, gradients, rate) {
  adam.steps++;
  const meanBias = 1 - MEAN_DECAY ** adam.steps, squareBias = 1 - SQUARE_DECAY ** adam.steps;
  for (let k = 0; k < parameters.length; k++) {
    const gradient = gradients[k];
    adam.mean[k] += (1 - MEAN_DECAY) * (gradient - adam.mean[k]);
    adam.square[k] += (1 - SQUARE_DECAY) * (gradient * gradient - adam.square[k]);
    parameters[k] -= rate * (adam.mean[k] / meanBias) / (Math.sqrt(adam.square[k] / squareBias) + TINY);
    gradients[k] = 0;
  }
}

function runEpoch(model, table, adam, gradients, order, rate, scale) {
  for (let start = 0; start < order.length; start += BATCH) {
    const end = Math.min(order.length, start + BATCH);
    for (let at = start; at < end; at++) {
      const i = order[at];
      const slope = (chanceOf(model.score(table, i), scale) - table.target[i]) / scale / (end - start);
      model.learnFrom(table, i, slope, gradients);
    }
    step(adam, model.parameters, gradients, rate);
    if (model.keepInRange) model.keepInRange();
  }
}

// ---------------------------------------------------------------- checkpoints

/** What a checkpoint must agree on to be gone on from. */
function signature(model, table, { epochs, rate, scale, seed }) {
  return JSON.stringify({ epochs, rate, scale, seed, positions: table.count, parameters: model.parameters.length });
}

function saveCheckpoint(file, madeFrom, epoch, model, adam, losses) {
  const state = {
    madeFrom, epoch, steps: adam.steps, losses,
    parameters: [...model.parameters], mean: [...adam.mean], square: [...adam.square],
  };
  fs.writeFileSync(`${file}.part`, JSON.stringify(state));
  fs.renameSync(`${file}.part`, file);
}

/** Continues from `file` when it is there and of the same fit; returns the number of epochs behind it. */
function loadCheckpoint(file, madeFrom, model, adam, losses) {
  if (!file || !fs.existsSync(file)) return 0;
  const state = JSON.parse(fs.readFileSync(file, "utf-8"));
  if (state.madeFrom !== madeFrom) return 0;
  model.parameters.set(state.parameters);
  adam.mean.set(state.mean);
  adam.square.set(state.square);
  adam.steps = state.steps;
  losses.push(...state.losses);
  return state.epoch;
}

/**
 * Fits a model and returns the losses after each epoch: [{fitted, heldOut}].
 * `rate` is the first step's size, in the units of the parameters.
 * @param {{epochs: number, rate: number, scale: number, seed: number, checkpoint?: string}} options
 */
function fit(model, fitted, heldOut, options, report = () => {}) {
  const size = model.parameters.length;
  const adam = { mean: new Float64Array(size), square: new Float64Array(size), steps: 0 };
  const gradients = new Float64Array(size), losses = [];
  const madeFrom = signature(model, fitted, options);
  const done = loadCheckpoint(options.checkpoint, madeFrom, model, adam, losses);
  for (let epoch = done; epoch < options.epochs; epoch++) {
    const rate = options.rate * (LAST_RATE + (1 - LAST_RATE) * (1 - epoch / options.epochs));
    const order = shuffled(fitted.count, stream(options.seed, "epoch", epoch));
    runEpoch(model, fitted, adam, gradients, order, rate, options.scale);
    losses.push({ fitted: lossOver(model, fitted, options.scale), heldOut: lossOver(model, heldOut, options.scale) });
    if (options.checkpoint) saveCheckpoint(options.checkpoint, madeFrom, epoch + 1, model, adam, losses);
    report(`epoch ${epoch + 1} of ${options.epochs}: loss ${losses[epoch].fitted.toFixed(5)}, ` +
      `held out ${losses[epoch].heldOut.toFixed(5)}`);
  }
  return losses;
}

module.exports = { fit };
