/**
 * selfplay.js: games of a player against itself, as positions to learn from.
 *
 * Each game begins with some random plies; then both sides search the same number of nodes.
 * Kept are quiet positions (no capture pending, more than one move) with the score of a search:
 * those of the game, with its result, and beside each one that a random move would have led to,
 * without a result. A search meets mostly positions that good play avoids: the evaluation has
 * to know them too.
 *
 * Games are played in blocks, each from its own seed, on all cores, and each block is a file:
 * a run that was stopped goes on where it was, and gives the same positions as one that was not.
 *
 * A record is six 32-bit integers: Black's pieces, White's pieces, kings (bits as in rules.js),
 * turn (0 Black, 1 White), score for Black in points, result for Black (1, 0, -1, or 2: none).
 *
 * What it does not do: learn (learn.js, neural.js start it and do that).
 */
"use strict";
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");
const Rules = require("../static/js/rules.js");
const Evaluate = require("../static/js/evaluate.js");
const Ai = require("../static/js/ai.js");
const { stream } = require("./chance.js");
const { UsageError } = require("./usage.js");

const RECORD_WORDS = 6;
const NO_RESULT = 2;
const BLOCK_GAMES = 25;
const PLY_LIMIT = 140; // a longer game is taken as a draw
const RANDOM_PLIES = [4, 11]; // a game begins with so many, drawn evenly
const OPENING_LIMIT = 250; // points; a more one-sided opening is drawn again
const SCORE_LIMIT = 2000; // forced wins are kept as this score

/**
 * @typedef {{seed: number, games: number, nodes: number, evaluator: string, weights?: object}} Options
 * evaluator: a name, or "candidate" for the linear `weights` handed over.
 */

function randomStart(rand) {
  for (;;) {
    const plies = RANDOM_PLIES[0] + Math.floor(rand() * (RANDOM_PLIES[1] - RANDOM_PLIES[0] + 1));
    let state = Rules.startPosition();
    for (let i = 0; i < plies && !Rules.result(state); i++) state = Rules.applyMove(state, drawn(Rules.legalMoves(state), rand));
    if (!Rules.result(state) && Math.abs(Ai.search(state, { depth: 5 }).score) <= OPENING_LIMIT) return state;
  }
}

function drawn(list, rand) {
  return list[Math.floor(rand() * list.length)];
}

/** Whether the position may be judged as it stands. */
function isQuiet(state) {
  const legal = Rules.legalMoves(state);
  return legal.length > 1 && legal[0].captures.length === 0;
}

/** The record of a state with the score for its side to move. */
function record(state, score, result) {
  const { board, pack, SPARE } = Rules.fast;
  pack(state, SPARE);
  const turn = board[SPARE + 3];
  const forBlack = Math.max(-SCORE_LIMIT, Math.min(SCORE_LIMIT, turn === 0 ? score : -score));
  return [board[SPARE + turn], board[SPARE + 1 - turn], board[SPARE + 2], turn, forBlack, result];
}

/** The records of one game. */
function playGame(rand, { nodes, evaluator }) {
  let state = randomStart(rand);
  const kept = [], aside = [], history = [];
  let outcome = 0;
  for (let ply = 0; ply < PLY_LIMIT; ply++) {
    const over = Rules.result(state);
    if (over) {
      outcome = { b: 1, w: -1, draw: 0 }[over.winner];
      break;
    }
    const { move, score } = Ai.search(state, { nodes, evaluator, history });
    if (Math.abs(score) > Ai.DECIDED) {
      outcome = (score > 0) === (state.turn === "b") ? 1 : -1;
      break;
    }
    if (isQuiet(state)) kept.push(record(state, score, 0));
    const other = Rules.applyMove(state, drawn(Rules.legalMoves(state), rand));
    if (isQuiet(other)) aside.push(record(other, Ai.search(other, { nodes, evaluator }).score, NO_RESULT));
    history.push(state);
    state = Rules.applyMove(state, move);
  }
  for (const entry of kept) entry[5] = outcome;
  return [...kept, ...aside];
}

/** The records of a block of games, which depend on nothing but the options and the block's number. */
function playBlock(block, options) {
  if (options.weights) Evaluate.evaluators.candidate = Evaluate.makeLearned(options.weights);
  const rand = stream(options.seed, "self-play", block);
  const records = [];
  for (let game = 0; game < BLOCK_GAMES; game++) records.push(...playGame(rand, options));
  return Int32Array.from(records.flat());
}

// ------------------------------------------------------------ blocks on disk

function blockFile(folder, block) {
  return path.join(folder, `block-${String(block).padStart(4, "0")}.bin`);
}

function writeBlock(folder, block, records) {
  const file = blockFile(folder, block);
  fs.writeFileSync(`${file}.part`, Buffer.from(records.buffer, records.byteOffset, records.byteLength));
  fs.renameSync(`${file}.part`, file);
}

function readBlock(folder, block) {
  const bytes = fs.readFileSync(blockFile(folder, block));
  return new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Notes in the folder what its games are made from; refuses a folder of other games. */
function claimFolder(folder, { seed, nodes, evaluator, weights }) {
  const file = path.join(folder, "made-from.json"), text = `${JSON.stringify({ seed, nodes, evaluator, weights })}\n`;
  fs.mkdirSync(folder, { recursive: true });
  if (!fs.existsSync(file)) fs.writeFileSync(file, text, "utf-8");
  if (fs.readFileSync(file, "utf-8") !== text) {
    throw new UsageError(`${folder} holds games of another seed or other players: remove it or choose another --folder.`);
  }
}

// --------------------------------------------------------------- on all cores

/** Lets workers play the missing blocks, each the next one when it is done. */
function playMissing(missing, options, workers, onBlock) {
  const queue = missing.slice();
  return Promise.all(Array.from({ length: Math.min(workers, missing.length) }, () => new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: options });
    const next = () => (queue.length ? worker.postMessage(queue.shift()) : resolve(worker.terminate()));
    worker.on("error", reject);
    worker.on("message", ({ block, records }) => {
      onBlock(block, records);
      next();
    });
    next();
  })));
}

/**
 * Plays until `folder` holds the games asked for; resolves to one Int32Array of records per block.
 * @param {string} folder @param {Options} options @param {(text: string) => void} report
 */
async function selfPlay(folder, options, report = () => {}, workers = os.cpus().length) {
  claimFolder(folder, options);
  const blocks = Array.from({ length: Math.ceil(options.games / BLOCK_GAMES) }, (_, block) => block);
  const missing = blocks.filter((block) => !fs.existsSync(blockFile(folder, block)));
  let done = blocks.length - missing.length;
  await playMissing(missing, options, workers, (block, records) => {
    writeBlock(folder, block, records);
    done++;
    report(`self-play: ${done * BLOCK_GAMES} of ${blocks.length * BLOCK_GAMES} games`);
  });
  return blocks.map((block) => readBlock(folder, block));
}

if (!isMainThread && parentPort) {
  parentPort.on("message", (block) => parentPort.postMessage({ block, records: playBlock(block, workerData) }));
}

module.exports = { RECORD_WORDS, NO_RESULT, BLOCK_GAMES, selfPlay, playBlock };
