/**
 * The one door between Python and JavaScript: one JSON request on standard input, one JSON answer on standard output.
 *
 *     echo '{"command": "players"}' | node engine/arena.js
 *
 * The commands are listed in README.md beside this file. Whatever is wrong with a request is answered with
 * {"error": a sentence}; the exit code is 0 whenever an answer was written. The program spreads games over worker
 * threads (ARENA_WORKERS, by default one for each core); `run(request)` does the same work in the calling thread.
 * Both give the same answer. With "progress": true each finished game writes one line to standard error:
 *
 *     progress {"done": 3, "of": 20, "what": "games played"}
 *
 * This file reads, plans, gathers and writes. What a request may say is in requests.js, the work in jobs.js.
 */
"use strict";

const os = require("node:os");
const { checked, RequestError } = require("./requests.js");
const { plan, perform, gather } = require("./jobs.js");
const { spread } = require("./workers.js");

const HELP = `usage: node engine/arena.js < REQUEST

Reads one JSON request from standard input and writes one JSON answer to standard output.
Commands: players, tournament, review, openings, choose, position, measure, pdn
(see engine/README.md).
ARENA_WORKERS=N sets how many threads share the games (default: one for each core).

Example: echo '{"command": "tournament", "players": ["easy", "medium"]}' | node engine/arena.js
`;

const MOST_WORKERS = 256;

/**
 * Answers one request in this thread.
 * @param {unknown} request
 * @returns {any}  the answer, or {error}
 */
function run(request) {
  try {
    const asked = checked(request);
    const { what, jobs } = plan(asked);
    const tell = progressOf(asked, what, jobs.length);
    return gather(asked, jobs.map((job) => {
      const result = perform(job);
      tell();
      return result;
    }));
  } catch (error) {
    return failure(error);
  }
}

/**
 * Answers one request with several threads.
 * @param {unknown} request
 * @param {number} workers
 * @returns {Promise<any>}
 */
async function runSpread(request, workers) {
  try {
    const asked = checked(request);
    const { what, jobs } = plan(asked);
    if (workers === 1 || jobs.length < 2) return run(request);
    return gather(asked, await spread(jobs, workers, progressOf(asked, what, jobs.length)));
  } catch (error) {
    return failure(error);
  }
}

/** A function to be called after each job, which writes the progress line if the request asked for it. */
function progressOf(asked, what, of) {
  let done = 0;
  return () => {
    done += 1;
    if (asked.progress) process.stderr.write(`progress ${JSON.stringify({ done, of, what })}\n`);
  };
}

function failure(error) {
  if (error instanceof RequestError) return { error: error.message };
  return { error: `The engine failed: ${error && error.stack ? error.stack.split("\n").slice(0, 2).join(" ") : error}` };
}

/** How many threads the environment asks for. */
function workersFrom(environment) {
  const text = environment.ARENA_WORKERS;
  if (text === undefined || text === "") return (os.availableParallelism ? os.availableParallelism() : os.cpus().length) || 1;
  const workers = Number(text);
  if (Number.isInteger(workers) && workers >= 1 && workers <= MOST_WORKERS) return workers;
  throw new RequestError(`ARENA_WORKERS must be a whole number from 1 to ${MOST_WORKERS}, not "${text}".`);
}

/** @param {string} text  what came in */
async function answerTo(text) {
  let request;
  try {
    request = JSON.parse(text);
  } catch (error) {
    if (text.trim() === "") return { error: 'There was no request. Send one JSON object, such as {"command": "players"}.' };
    return { error: `The request is not JSON: ${error.message}` };
  }
  try {
    return await runSpread(request, workersFrom(process.env));
  } catch (error) {
    return failure(error);
  }
}

async function main(argv) {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(HELP);
    return;
  }
  process.stdout.on("error", () => process.exit(0)); // whoever asked has gone away
  process.stdin.setEncoding("utf8");
  let text = "";
  for await (const part of process.stdin) text += part;
  process.stdout.write(`${JSON.stringify(await answerTo(text))}\n`);
}

module.exports = { run };

if (require.main === module) main(process.argv.slice(2));
