/**
 * weightsfile.js: writes static/js/weights.js, whole, one player's weights replaced.
 */
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const FILE = path.join(__dirname, "..", "static", "js", "weights.js");
const PER_LINE = 32;

function listText(numbers) {
  const lines = [];
  for (let i = 0; i < numbers.length; i += PER_LINE) lines.push(numbers.slice(i, i + PER_LINE).join(","));
  return `[${lines.length > 1 ? "\n" : ""}${lines.join(",\n")}]`;
}

function valueText(value) {
  if (Array.isArray(value)) return listText(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{\n${Object.entries(value).map(([key, inner]) => `${key}: ${valueText(inner)},`).join("\n")}\n}`;
}

/** How the weights of a player were made, in one line. */
function aboutLine(player, about) {
  const { program, seed, games, positions, date, loss } = about;
  return ` *   ${player}: ${program}, seed ${seed}, ${games} games, ${positions} positions, ${date}, held-out loss ${loss}`;
}

/** @param {{[player: string]: {about: object}}} weights @returns {string} the file's text */
function weightsText(weights) {
  return `/**
 * weights.js: the numbers behind the learned and the neural player. Written by a program; do not edit.
 *
${Object.entries(weights).map(([player, { about }]) => aboutLine(player, about)).join("\n")}
 *
 * All are integers; evaluate.js says what they mean. Lists of 32 go by the standard square numbers.
 */
const Weights = (function () {
  "use strict";
  return ${valueText(weights)};
})();

if (typeof module !== "undefined") module.exports = Weights;
`;
}

/** Replaces one player's weights in the file. */
function saveWeights(player, weights, file = FILE) {
  const before = fs.existsSync(file) ? require(file) : {};
  const after = { ...before, [player]: weights };
  const ordered = Object.fromEntries(Object.keys(after).sort().map((name) => [name, after[name]]));
  fs.writeFileSync(`${file}.part`, weightsText(ordered));
  fs.renameSync(`${file}.part`, file);
}

module.exports = { saveWeights, FILE };
