/**
 * What a request to the engine may say: every rule for the JSON that comes in, and the sentence for each breach.
 *
 * `checked(request)` returns a copy with the defaults filled in, or throws a RequestError whose message says what
 * was wrong, with which value, and what is allowed. It plays nothing and judges nothing: whether the moves of a
 * game are legal is found out by the one who plays them over (course.js).
 */
"use strict";

const Ai = require("../static/js/ai.js");
const Pdn = require("../static/js/pdn.js");
const { playerFrom, SettingsError } = require("../train/players.js");

/** A request that cannot be answered; the message is meant for the person who wrote it. */
class RequestError extends Error {}

const LIMITS = Object.freeze({
  players: [2, 5],
  pairs: [1, 3],
  seed: [1, 1000000],
  depth: [1, 20],
  how_many: [1, 100],
  count: [1, 156],
  positions: [1, 10000],
});
const OPENINGS = ["random", "ballots"];
const MEASURES = ["perft", "search", "moves"];

/** The keys of each command besides `command` and `progress`, and how each is read. */
const COMMANDS = {
  players: {},
  tournament: {
    players: readPlayers,
    pairs: wholeNumber("pairs", 1),
    seed: wholeNumber("seed", 1),
    openings: readOpenings,
  },
  review: { games: readGames, depth: wholeNumber("depth", 4), how_many: wholeNumber("how_many", 3) },
  openings: { kind: readOpenings, count: wholeNumber("count", 1), seed: wholeNumber("seed", 1) },
  choose: { games: readGames, player: readPlayer, seed: wholeNumber("seed", 1) },
  position: { games: readGames },
  measure: {
    what: readWhat,
    depth: wholeNumber("depth", 9),
    player: readLevel,
    count: wholeNumber("positions", 20, "count"),
    seed: wholeNumber("seed", 1),
  },
  pdn: { games: readGames, event: readEvent, date: readDate },
};

/**
 * @param {unknown} request  what was read from JSON
 * @returns {any}  a new request with every key of its command
 * @throws {RequestError}
 */
function checked(request) {
  if (!isObject(request)) {
    throw new RequestError(`A request is a JSON object such as {"command": "players"}, not ${shown(request)}.`);
  }
  const keys = COMMANDS[knownCommand(request.command)];
  for (const key of Object.keys(request)) {
    if (key !== "command" && key !== "progress" && !Object.hasOwn(keys, key)) {
      const allowed = ["command", ...Object.keys(keys), "progress"].join(", ");
      throw new RequestError(`Unknown key ${shown(key)} in a ${request.command} request. Keys: ${allowed}.`);
    }
  }
  const answer = { command: request.command, progress: readProgress(request.progress) };
  for (const [key, read] of Object.entries(keys)) answer[key] = read(request[key]);
  return answer;
}

function knownCommand(command) {
  const known = Object.keys(COMMANDS);
  if (typeof command === "string" && known.includes(command)) return command;
  const given = command === undefined ? "The request has no command." : `Unknown command ${shown(command)}.`;
  throw new RequestError(`${given} Commands: ${known.join(", ")}.`);
}

function readProgress(value) {
  if (value === undefined) return false;
  if (typeof value === "boolean") return value;
  throw new RequestError(`progress must be true or false, not ${shown(value)}.`);
}

function wholeNumber(limit, byDefault, name = limit) {
  const [least, most] = LIMITS[limit];
  return (value) => {
    if (value === undefined) return byDefault;
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new RequestError(`${name} must be a whole number from ${least} to ${most}, not ${shown(value)}.`);
  };
}

function readPlayers(players) {
  const [least, most] = LIMITS.players;
  const known = Object.keys(Ai.LEVELS);
  if (!Array.isArray(players)) {
    throw new RequestError(`players must be a list of ${least} to ${most} names, not ${shown(players)}. ` +
      `Players: ${known.join(", ")}.`);
  }
  for (const player of players) {
    if (typeof player !== "string" || !known.includes(player)) {
      throw new RequestError(`Unknown player ${shown(player)}. Players: ${known.join(", ")}.`);
    }
  }
  const twice = players.find((player, i) => players.indexOf(player) !== i);
  if (twice !== undefined) throw new RequestError(`The player ${shown(twice)} is named twice; name each player once.`);
  if (players.length < least || players.length > most) {
    throw new RequestError(`A tournament needs ${least} to ${most} different players, not ${players.length}.`);
  }
  return [...players];
}

function readWhat(value) {
  if (MEASURES.includes(value)) return value;
  throw new RequestError(`what must be ${MEASURES.map(shown).join(", ")}, not ${shown(value)}.`);
}

/** A bare level; hard unless one is named. */
function readLevel(value = "hard") {
  if (typeof value === "string" && Object.hasOwn(Ai.LEVELS, value)) return value;
  throw new RequestError(`Unknown player ${shown(value)}. Players: ${Object.keys(Ai.LEVELS).join(", ")}.`);
}

function readPlayer(player) {
  try {
    playerFrom(typeof player === "string" ? player : "");
  } catch (error) {
    throw error instanceof SettingsError ? new RequestError(error.message) : error;
  }
  return player;
}

function readOpenings(value) {
  if (value === undefined) return "random";
  if (OPENINGS.includes(value)) return value;
  throw new RequestError(`Openings must be ${OPENINGS.map(shown).join(" or ")}, not ${shown(value)}.`);
}

function readEvent(value) {
  if (value === undefined) return "?";
  if (typeof value === "string") return value;
  throw new RequestError(`event must be text, not ${shown(value)}.`);
}

function readDate(value) {
  if (value === undefined) return "????.??.??";
  if (typeof value === "string" && /^[0-9?]{4}\.[0-9?]{2}\.[0-9?]{2}$/.test(value)) return value;
  throw new RequestError(`date must be text like "2026.10.28", not ${shown(value)}.`);
}

function readGames(games) {
  if (!Array.isArray(games)) {
    throw new RequestError(`games must be a list of games, as a tournament's answer has them, not ${shown(games)}.`);
  }
  return games.map(readGame);
}

function readGame(game, i) {
  if (!isObject(game)) throw new RequestError(`Game ${i + 1} of the list must be an object, not ${shown(game)}.`);
  const number = game.number === undefined ? i + 1 : game.number;
  if (!Number.isInteger(number) || number < 1) {
    throw new RequestError(`Game ${i + 1} of the list: number must be a whole number from 1, not ${shown(number)}.`);
  }
  for (const side of ["black", "white"]) {
    if (game[side] !== undefined && typeof game[side] !== "string") {
      throw new RequestError(`Game ${number}: ${side} must be a player's name, not ${shown(game[side])}.`);
    }
  }
  if (![undefined, null, "b", "w", "draw"].includes(game.winner)) {
    throw new RequestError(`Game ${number}: winner must be "b", "w" or "draw", not ${shown(game.winner)}.`);
  }
  if (!Array.isArray(game.moves) || game.moves.some((move) => typeof move !== "string")) {
    throw new RequestError(`Game ${number}: moves must be a list of move names such as "c3-d4", not ${shown(game.moves)}.`);
  }
  return { ...game, number, start: readStart(game.start, number) };
}

/** A position as an object, or as FEN text. */
function readStart(start, number) {
  if (typeof start === "string") {
    try {
      return Pdn.readFen(start);
    } catch (error) {
      throw new RequestError(`Game ${number}: ${error.message}`);
    }
  }
  const problem = problemWithState(start);
  if (problem) throw new RequestError(`Game ${number}: start ${problem}`);
  return { quietPlies: 0, ...start };
}

/**
 * What is wrong with a position read from JSON, or null.
 * @param {any} state
 * @returns {string | null}  the end of a sentence
 */
function problemWithState(state) {
  if (!isObject(state)) return `must be an object with board and turn, or FEN text, not ${shown(state)}.`;
  if (state.turn !== "b" && state.turn !== "w") return `must have turn "b" or "w", not ${shown(state.turn)}.`;
  const quiet = state.quietPlies;
  if (quiet !== undefined && !(Number.isInteger(quiet) && quiet >= 0)) {
    return `must have quietPlies as a whole number from 0, not ${shown(quiet)}.`;
  }
  if (!Array.isArray(state.board) || state.board.length !== 8) return "must have a board of 8 rows.";
  for (let row = 0; row < 8; row += 1) {
    const problem = problemWithRow(state.board[row], row);
    if (problem) return problem;
  }
  return null;
}

function problemWithRow(cells, row) {
  const rank = 8 - row;
  if (!(typeof cells === "string" || Array.isArray(cells)) || cells.length !== 8) {
    return `must have 8 cells on rank ${rank}, not ${shown(cells)}.`;
  }
  for (let column = 0; column < 8; column += 1) {
    const cell = cells[column];
    const square = `${"abcdefgh"[column]}${rank}`;
    if (![".", "b", "w", "B", "W"].includes(cell)) return `has ${shown(cell)} on ${square}; a cell is one of . b w B W.`;
    if (cell !== "." && (row + column) % 2 === 0) return `has a piece on ${square}, which is not a dark square.`;
    if ((cell === "b" && rank === 8) || (cell === "w" && rank === 1)) {
      return `has an uncrowned man on ${square}, its far row.`;
    }
  }
  return null;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as it stood in the request, short enough for a sentence. */
function shown(value) {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

module.exports = { RequestError, checked };
