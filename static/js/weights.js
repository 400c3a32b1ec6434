/**
 * weights.js: the numbers behind the learned and the neural player. Written by a program; do not edit.
 *
 *   learned: train/learn.js, seed 1, 1600 games, 266353 positions, 2026-11-30, held-out loss 0.55997
 *
 * All are integers; evaluate.js says what they mean. Lists of 32 go by the standard square numbers.
 */
const Weights = (function () {
  "use strict";
  return {
learned: {
about: {
program: "train/learn.js",
seed: 1,
games: 1600,
positions: 266353,
date: "2026-11-30",
loss: "0.55997",
},
men: {
opening: [146,149,136,130,116,116,118,116,105,115,105,99,98,94,98,82,83,72,69,82,117,95,57,68,123,101,100,79,95,95,95,95],
ending: [97,89,94,57,80,88,93,84,83,80,98,103,102,94,97,102,99,108,113,110,85,109,128,113,97,112,117,99,95,95,95,95],
},
kings: {
opening: [136,106,109,120,103,117,83,102,105,116,115,103,100,106,125,119,116,119,131,123,100,135,134,142,128,134,125,117,117,125,126,146],
ending: [119,123,107,135,126,118,124,117,117,116,114,108,107,116,112,108,111,113,111,96,114,103,111,108,99,103,115,111,99,103,107,106],
},
tempo: 3,
},
};
})();

if (typeof module !== "undefined") module.exports = Weights;
