/**
 * notation.js: what squares and moves are called.
 *
 * A square has a name (c3) and a standard number (11). A move is named by its squares:
 * c3-d4, and for a capture by every square the piece lands on: c3xe5xg7.
 * Squares are [row, col] as in rules.js: row 0 is rank 8, column 0 is file a.
 *
 * What it does not do: decide which moves are legal (rules.js), read or write games (pdn.js).
 *
 * @typedef {[number, number]} Square
 * @typedef {{from: Square, path: Square[], captures: Square[]}} Move
 */
const Notation = (function () {
  "use strict";

  const FILES = "abcdefgh";
  const ODD_RANK_FILES = "geca"; // in the order of the numbers
  const EVEN_RANK_FILES = "hfdb";

  /** [5, 2] -> "c3". @param {Square} square */
  function squareName([row, col]) {
    return FILES[col] + (8 - row);
  }

  /** "c3" -> [5, 2]. @returns {Square} */
  function squareFromName(name) {
    const parts = /^([a-h])([1-8])$/.exec(name);
    if (!parts) throw new Error(`${JSON.stringify(name)} is no square: a file a to h and a rank 1 to 8, such as c3`);
    return [8 - Number(parts[2]), FILES.indexOf(parts[1])];
  }

  /** 11 -> [5, 2]. @param {number} number 1 to 32 @returns {Square} */
  function squareFromNumber(number) {
    if (!Number.isInteger(number) || number < 1 || number > 32) {
      throw new Error(`${number} is no square: squares are numbered 1 to 32`);
    }
    const rank = Math.ceil(number / 4);
    const files = rank % 2 === 1 ? ODD_RANK_FILES : EVEN_RANK_FILES;
    return [8 - rank, FILES.indexOf(files[(number - 1) % 4])];
  }

  /** [5, 2] -> 11. @param {Square} square a dark one */
  function squareNumber([row, col]) {
    const rank = 8 - row;
    const place = (rank % 2 === 1 ? ODD_RANK_FILES : EVEN_RANK_FILES).indexOf(FILES[col]);
    if (place < 0) throw new Error(`${squareName([row, col])} is a light square: only dark squares have numbers`);
    return (rank - 1) * 4 + place + 1;
  }

  /** 11 -> "c3". */
  function toName(number) {
    return squareName(squareFromNumber(number));
  }

  /** "c3" -> 11. */
  function toNumber(name) {
    return squareNumber(squareFromName(name));
  }

  /** c3-d4 or c3xe5xg7. @param {Move} move */
  function moveName(move) {
    const sign = move.captures.length > 0 ? "x" : "-";
    return [move.from, ...move.path].map(squareName).join(sign);
  }

  /** The move of this name among the legal ones, or null. @param {Move[]} legal @param {string} name */
  function findMove(legal, name) {
    return legal.find((move) => moveName(move) === name) || null;
  }

  return { squareName, squareFromName, squareNumber, squareFromNumber, toName, toNumber, moveName, findMove };
})();

if (typeof module !== "undefined") module.exports = Notation;
