/**
 * Players by their settings: `hard`, `hard:depth=8`, `learned:nodes=20000`, `neural:ms=20`.
 *
 * A bare level plays as everywhere (with its depth and its chance). With settings it plays the best move that its
 * evaluator finds within them, without chance. `nodes=20000` alone means `hard:nodes=20000`. `ms` depends on the
 * machine and is for experiments only: the levels of the game are depths.
 */
"use strict";

const Ai = require("../static/js/ai.js");

const SETTINGS = { depth: [1, 60], nodes: [1, 1e9], ms: [1, 600000] };

/** Settings that cannot be read; the message says what they should look like. */
class SettingsError extends Error {}

/**
 * @param {string} text
 * @returns {import("./play.js").Player}
 */
function playerFrom(text) {
  const { level, limits } = parsed(text);
  if (Object.keys(limits).length === 0) {
    return { name: text, choose: (state, rand, history) => Ai.chooseMove(state, level, rand, { history }) };
  }
  const { evaluator } = Ai.LEVELS[level];
  return { name: text, choose: (state, _rand, history) => Ai.search(state, { ...limits, evaluator, history }).move };
}

function parsed(text) {
  const full = text.includes("=") && !text.includes(":") ? `hard:${text}` : text;
  const [level, settings] = full.split(":");
  if (!Object.hasOwn(Ai.LEVELS, level)) {
    throw new SettingsError(`Unknown player "${text}". Players: ${Object.keys(Ai.LEVELS).join(", ")}, ` +
      "with settings if wanted, such as hard:depth=8 or learned:nodes=20000.");
  }
  const limits = {};
  for (const part of settings === undefined ? [] : settings.split(",")) {
    const [key, value] = part.split("=");
    limits[key] = readLimit(text, key, value);
  }
  return { level, limits };
}

function readLimit(text, key, value) {
  if (!Object.hasOwn(SETTINGS, key)) {
    throw new SettingsError(`Unknown setting "${key}" in "${text}". Settings: ${Object.keys(SETTINGS).join(", ")}.`);
  }
  const [least, most] = SETTINGS[key];
  const number = Number(value);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new SettingsError(`${key} in "${text}" must be a whole number from ${least} to ${most}, not "${value}".`);
}

module.exports = { playerFrom, SettingsError };
