/**
 * Fair matches: two players, every opening twice with the colours swapped.
 *
 * As a module it gathers what other rooms need: `seeded` and `stream` (chance.js), `randomOpening` (openings.js),
 * `playGame` (play.js) and `fairMatch`. As a program it measures one player against another:
 *
 *     node train/match.js hard medium --openings ballots --pairs 50
 *
 * Standard output has the result (one JSON document with --json), standard error the progress. It is one thread; for
 * two processors start it twice, with --part 1/2 and --part 2/2, and rate the saved games with eval/elo.py.
 */
"use strict";

const fs = require("node:fs");
const Pdn = require("../static/js/pdn.js");
const { seeded, stream } = require("./chance.js");
const { randomOpening, ballotOpening, drawBallots } = require("./openings.js");
const { playGame } = require("./play.js");
const { playerFrom, SettingsError } = require("./players.js");
const { eloWithInterval, sequentialTest } = require("./statistics.js");
const { UsageError } = require("./usage.js");

const MOST_PAIRS = { random: 100000, ballots: 156 };

const HELP = `usage: node train/match.js A B [--openings random|ballots] [--pairs N] [--seed N] [--sprt ELO0,ELO1]
                           [--part I/N] [--pdn FILE] [--json]

Plays A against B, every opening twice with the colours swapped.

A, B           easy, medium, hard, learned, neural, or one of them with settings: hard:depth=8,
               learned:nodes=20000, neural:ms=20
--openings     random: six random plies that lose nothing (default); ballots: the three-move deck of 156
--pairs N      how many openings (20)
--seed N       chooses the openings and all chance (1)
--sprt A,B     stop as soon as it is clear (5 % error) whether A is ELO1 stronger or only ELO0
--part I/N     only every N-th of the openings, beginning with the I-th
--pdn FILE     the games, for eval/elo.py or any program that reads PDN
--json         one JSON document on standard output

Exit code: 0 played, 1 the sequential test chose ELO0, 2 wrong use.
Example: node train/match.js learned:nodes=20000 hard:nodes=20000 --openings ballots --pairs 156 --sprt 0,30
`;

/**
 * `count` openings, each from its own stream of chance.
 * @param {"random" | "ballots"} kind
 * @param {number} count
 * @param {number | string} seed
 * @returns {{name: string, start: import("./play.js").State}[]}
 */
function openings(kind, count, seed) {
  if (kind === "ballots") {
    return drawBallots(stream(seed, "ballots"), count)
      .map((ballot) => ({ name: `ballot ${ballot.number}`, start: ballotOpening(ballot) }));
  }
  return Array.from({ length: count }, (_, i) => (
    { name: `random ${i + 1}`, start: randomOpening(stream(seed, "opening", i + 1)) }));
}

/**
 * One game with the chance that belongs to (seed, players, opening, colour).
 * @param {import("./play.js").Player} black
 * @param {import("./play.js").Player} white
 * @param {{name: string, start: import("./play.js").State}} opening
 * @param {number | string} seed
 */
function gameOf(black, white, opening, seed) {
  const chance = (side) => stream(seed, black.name, white.name, opening.name, side);
  const game = playGame({ b: black, w: white }, opening.start, { b: chance("b"), w: chance("w") });
  return { black: black.name, white: white.name, opening: opening.name, start: opening.start, ...game };
}

/**
 * @param {import("./play.js").Player} a
 * @param {import("./play.js").Player} b
 * @param {{name: string, start: import("./play.js").State}[]} starts
 * @param {number | string} seed
 * @param {(games: any[], pairScores: number[]) => boolean} [onPair]  hears of every pair; true ends the match
 * @returns {{games: any[], pairScores: number[]}}  scores of `a`, 0 to 1 for each pair
 */
function fairMatch(a, b, starts, seed, onPair = () => false) {
  const games = [];
  const pairScores = [];
  for (const opening of starts) {
    const first = gameOf(a, b, opening, seed);
    const second = gameOf(b, a, opening, seed);
    games.push(first, second);
    pairScores.push((pointsOf(first, "b") + pointsOf(second, "w")) / 2);
    if (onPair(games, pairScores)) break;
  }
  return { games, pairScores };
}

function pointsOf(game, side) {
  return game.winner === "draw" ? 0.5 : Number(game.winner === side);
}

// ---- the program

function readArguments(argv) {
  const options = { players: [], openings: "random", pairs: 20, seed: 1, sprt: null, part: [1, 1], pdn: null, json: false };
  for (let i = 0; i < argv.length; i += 1) {
    const flag = argv[i];
    if (flag === "--json") options.json = true;
    else if (!flag.startsWith("--")) options.players.push(flag);
    else if (argv[i + 1] === undefined) throw new UsageError(`${flag} needs a value.`);
    else readOption(options, flag, argv[i += 1]);
  }
  if (options.players.length !== 2) throw new UsageError(`A match has two players, not ${options.players.length}.`);
  const most = MOST_PAIRS[options.openings];
  if (options.pairs > most) throw new UsageError(`There are ${most} ${options.openings} openings, not ${options.pairs}.`);
  return options;
}

function readOption(options, flag, value) {
  if (flag === "--pairs") options.pairs = wholeNumber(flag, value);
  else if (flag === "--seed") options.seed = wholeNumber(flag, value);
  else if (flag === "--sprt") options.sprt = readTest(value);
  else if (flag === "--part") options.part = readPart(value);
  else if (flag === "--pdn") options.pdn = value;
  else if (flag === "--openings" && Object.hasOwn(MOST_PAIRS, value)) options.openings = value;
  else if (flag === "--openings") throw new UsageError(`--openings is random or ballots, not "${value}".`);
  else throw new UsageError(`Unknown flag ${flag}.`);
}

function wholeNumber(flag, value) {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new UsageError(`${flag} must be a whole number from 1, not "${value}".`);
}

function readPart(value) {
  const [part, of] = value.split("/").map(Number);
  if (/^\d+\/\d+$/.test(value) && part >= 1 && part <= of) return [part, of];
  throw new UsageError(`--part is such as 1/2, the first of two parts; not "${value}".`);
}

function readTest(value) {
  const [elo0, elo1, ...more] = value.split(",").map(Number);
  if (more.length === 0 && elo0 < elo1) return { elo0, elo1 };
  throw new UsageError(`--sprt needs two Elo differences, the smaller first, such as 0,30; not "${value}".`);
}

function summary(options, { games, pairScores }) {
  const points = games.map((game, i) => pointsOf(game, i % 2 === 0 ? "b" : "w"));
  const count = (wanted) => points.filter((each) => each === wanted).length;
  return {
    players: options.players, openings: options.openings, pairs: pairScores.length, seed: options.seed,
    games: games.length, wins: count(1), draws: count(0.5), losses: count(0),
    score: pairScores.reduce((sum, each) => sum + each, 0) / pairScores.length,
    ...eloWithInterval(pairScores),
    sprt: options.sprt && { ...options.sprt, ...sequentialTest(pairScores, options.sprt) },
  };
}

function asPdn(games) {
  return games.map((game, i) => {
    const tags = { Event: `Match, ${game.opening}`, Round: String(i + 1), Termination: game.reason };
    return Pdn.writeGame({ ...game, tags });
  }).join("\n");
}

function signed(elo) {
  if (!Number.isFinite(elo)) return elo > 0 ? "+∞" : "-∞";
  return (elo >= 0 ? "+" : "") + elo.toFixed(0);
}

function report(result) {
  const lines = [
    `${result.players.join(" against ")}: ${result.pairs} ${result.openings} openings, each twice, seed ${result.seed}`,
    `${result.wins} wins, ${result.draws} draws, ${result.losses} losses: ${(100 * result.score).toFixed(1)} %`,
    `Elo ${signed(result.elo)}, 95 % interval [${signed(result.low)}, ${signed(result.high)}]`,
  ];
  if (result.sprt) {
    const { elo0, elo1, llr, lower, upper, verdict } = result.sprt;
    const outcome = verdict ? `accepted: ${signed(verdict === "elo1" ? elo1 : elo0)}` : "not decided";
    lines.push(`SPRT ${signed(elo0)} against ${signed(elo1)}: ` +
      `log-likelihood ratio ${llr.toFixed(2)} in [${lower.toFixed(2)}, ${upper.toFixed(2)}], ${outcome}`);
  }
  return lines.join("\n");
}

/** @param {string[]} argv @returns {number} the exit code */
function main(argv) {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(HELP);
    return 0;
  }
  const options = readArguments(argv);
  const [a, b] = options.players.map(playerFrom);
  const [part, of] = options.part;
  const starts = openings(options.openings, options.pairs, options.seed).filter((_, i) => i % of === part - 1);
  if (starts.length === 0) throw new UsageError(`Of ${options.pairs} openings, part ${part}/${of} has none.`);
  const match = fairMatch(a, b, starts, options.seed, (games, pairScores) => {
    const score = pairScores.reduce((sum, each) => sum + each, 0);
    process.stderr.write(`pair ${pairScores.length} of ${starts.length}: ${a.name} ${2 * score} of ${games.length}\n`);
    return options.sprt !== null && sequentialTest(pairScores, options.sprt).verdict !== null;
  });
  const result = summary(options, match);
  if (options.pdn !== null) fs.writeFileSync(options.pdn, asPdn(match.games), "utf8");
  process.stdout.write(`${options.json ? JSON.stringify(result) : report(result)}\n`);
  return result.sprt && result.sprt.verdict === "elo0" ? 1 : 0;
}

module.exports = { seeded, stream, randomOpening, openings, playGame, fairMatch };

if (require.main === module) {
  process.stdout.on("error", () => process.exit(1)); // nobody reads on
  try {
    process.exitCode = main(process.argv.slice(2));
  } catch (error) {
    const isTheirs = error instanceof UsageError || error instanceof SettingsError || error.syscall !== undefined;
    if (!isTheirs) throw error;
    process.stderr.write(`${error.message} See node train/match.js --help.\n`);
    process.exitCode = 2;
  }
}
