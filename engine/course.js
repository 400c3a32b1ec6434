/**
 * A game out of a request, played over; a move that is not legal is the request's fault, and named.
 */
"use strict";

const { replay } = require("../train/play.js");
const { RequestError } = require("./requests.js");

/**
 * @param {{number: number, start: any, moves: string[]}} game
 * @returns {import("../train/play.js").Course}
 * @throws {RequestError}
 */
function courseOf({ number, start, moves }) {
  try {
    return replay(start, moves);
  } catch (error) {
    throw new RequestError(`Game ${number}: ${error.message}`);
  }
}

module.exports = { courseOf };
