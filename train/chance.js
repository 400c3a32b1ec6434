/**
 * Chance that can be repeated: streams of pseudo-random numbers that depend on a seed and on nothing else.
 *
 * Every game draws from a stream of its own, derived from (seed, pairing, opening, colour), so that the games of a
 * tournament do not depend on the order or the number of processes that play them. Not for secrets.
 */
"use strict";

/**
 * A stream of numbers in [0, 1): a Weyl sequence (the golden ratio in 32 bits) whose terms are scrambled by a
 * two-round multiply-and-shift hash; the constants are those of Chris Wellons' "hash prospector" (public domain).
 * @param {number | string} seed  a number is read as its decimal text
 * @returns {() => number}
 */
function seeded(seed) {
  let state = hashed(String(seed));
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let word = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return ((word ^ (word >>> 15)) >>> 0) / 4294967296;
  };
}

/**
 * The stream that belongs to several things together, such as (seed, "easy", "hard", opening).
 * @param {...(number | string)} parts
 * @returns {() => number}
 */
function stream(...parts) {
  return seeded(JSON.stringify(parts));
}

/** FNV-1a (Fowler, Noll and Vo), 32 bits, over UTF-16 units. */
function hashed(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash;
}

module.exports = { seeded, stream };
