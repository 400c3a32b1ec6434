/**
 * A list of jobs shared by several threads.
 *
 * Each thread takes the next job when it has finished its last, the dearest first, so that no long one is left for
 * the end. Every result is put in its job's place, so the list that comes back is the same whoever did what. A job and
 * a result are plain data; jobs.js does the work. The same file is both ends: loaded as a worker thread, it waits for
 * jobs.
 */
"use strict";

const { Worker, isMainThread, parentPort } = require("node:worker_threads");

/**
 * @param {{cost: number}[]} jobs  `cost` is a guess of how long a job takes, in any unit
 * @param {number} count  how many threads; no more than there are jobs are started
 * @param {() => void} onDone  called after each job
 * @returns {Promise<any[]>}  the results in the order of the jobs
 */
async function spread(jobs, count, onDone) {
  const results = new Array(jobs.length);
  const waiting = [...jobs.keys()].sort((a, b) => jobs[b].cost - jobs[a].cost).values();
  const threads = Array.from({ length: Math.min(count, jobs.length) }, () => new Worker(__filename));
  try {
    await Promise.all(threads.map((thread) => keepBusy(thread, jobs, waiting, (index, result) => {
      results[index] = result;
      onDone();
    })));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  return results;
}

/** Hands jobs to one thread until there are none left. */
function keepBusy(thread, jobs, waiting, onResult) {
  return new Promise((resolve, reject) => {
    const next = () => {
      const { value: index, done } = waiting.next();
      if (done) resolve(undefined);
      else thread.postMessage({ index, job: jobs[index] });
    };
    thread.on("message", ({ index, result }) => {
      onResult(index, result);
      next();
    });
    thread.on("error", reject);
    thread.on("exit", (code) => reject(new Error(`a worker thread stopped with exit code ${code}`)));
    next();
  });
}

if (!isMainThread && parentPort) {
  const { perform } = require("./jobs.js");
  parentPort.on("message", ({ index, job }) => {
    parentPort.postMessage({ index, result: perform(job) });
  });
}

module.exports = { spread };
