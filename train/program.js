/**
 * program.js: learn.js and neural.js as programs: flags in, weights file and curve out.
 *
 * Exit code: 0 the weights are written, 2 wrong use or a file that cannot be written.
 */
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");
const { curve } = require("./curve.js");
const { saveWeights, FILE } = require("./weightsfile.js");
const { BLOCK_GAMES } = require("./selfplay.js");
const { HELD_OUT_EVERY } = require("./positions.js");
const { UsageError } = require("./usage.js");

const FOLDER = path.join(__dirname, "..", "data", "training");

const FEWEST_GAMES = BLOCK_GAMES * HELD_OUT_EVERY; // so that a block is held out
const MOST = 1000000;

function wholeNumber(flag, text, least) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= MOST) return number;
  throw new UsageError(`--${flag} must be a whole number from ${least} to ${MOST}, not "${text}".`);
}

function readOptions(argv, games) {
  const text = (value) => ({ type: /** @type {"string"} */ ("string"), default: value });
  const flags = { seed: text("1"), games: text(String(games)), folder: text(FOLDER), out: text(FILE) };
  let values;
  try {
    ({ values } = parseArgs({ args: argv, options: flags }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  return {
    seed: wholeNumber("seed", values.seed, 1), games: wholeNumber("games", values.games, FEWEST_GAMES),
    folder: path.resolve(values.folder), out: path.resolve(values.out),
  };
}

/**
 * Runs a training program to its exit code.
 * @param {string[]} argv
 * @param {{player: string, games: number, help: string, learn: (options: any, report: any) => Promise<any>}} program
 */
async function run(argv, { player, games, help, learn }) {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(help);
    return 0;
  }
  try {
    const options = readOptions(argv, games);
    save(player, options.out, await learn(options, (text) => process.stderr.write(`${text}\n`)));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError) && !error.syscall) throw error; // a file that cannot be read or written is said, too
    process.stderr.write(`${error.message} See --help.\n`);
    return 2;
  }
}

function save(player, file, { weights, losses }) {
  saveWeights(player, weights, file);
  const picture = file === FILE ? path.join(__dirname, `${player}.svg`) : `${file}.svg`;
  fs.writeFileSync(picture, curve(`${player}: loss after each epoch`, losses), "utf-8");
  process.stdout.write(`${JSON.stringify(weights.about)}\n`);
}

module.exports = { run };
