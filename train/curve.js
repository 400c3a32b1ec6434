/**
 * curve.js: the losses of a fit as a picture (SVG), one line for the fitted and one for the held-out positions.
 */
"use strict";

const WIDTH = 640, HEIGHT = 320, LEFT = 70, TOP = 40, RIGHT = 20, BOTTOM = 45;
const LINES = [["fitted", "#7a8aa0"], ["heldOut", "#b3402a"]];
const NAMES = { fitted: "fitted positions", heldOut: "held-out positions" };

/** @param {string} title @param {{fitted: number, heldOut: number}[]} losses @returns {string} an SVG document */
function curve(title, losses) {
  const values = losses.flatMap((loss) => [loss.fitted, loss.heldOut]);
  const low = Math.min(...values), high = Math.max(...values, low + 1e-6);
  const x = (epoch) => LEFT + (WIDTH - LEFT - RIGHT) * (losses.length === 1 ? 0.5 : epoch / (losses.length - 1));
  const y = (loss) => TOP + (HEIGHT - TOP - BOTTOM) * (high - loss) / (high - low);
  const lines = LINES.map(([key, colour]) => {
    const points = losses.map((loss, epoch) => `${x(epoch).toFixed(1)},${y(loss[key]).toFixed(1)}`).join(" ");
    return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points}"/>`;
  });
  const legend = LINES.map(([key, colour], i) =>
    `<text x="${LEFT + 10 + 190 * i}" y="${HEIGHT - 8}" fill="${colour}">${NAMES[key]}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="white"/>
<text x="${LEFT}" y="24" font-size="15">${title}</text>
<text x="8" y="${TOP + 5}">${high.toFixed(4)}</text>
<text x="8" y="${HEIGHT - BOTTOM}">${low.toFixed(4)}</text>
<text x="${LEFT}" y="${HEIGHT - BOTTOM + 20}">epoch 1</text>
<text x="${WIDTH - RIGHT}" y="${HEIGHT - BOTTOM + 20}" text-anchor="end">${losses.length}</text>
<rect x="${LEFT}" y="${TOP}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT - TOP - BOTTOM}" fill="none" stroke="#ccc"/>
${lines.join("\n")}
${legend.join("\n")}
</svg>
`;
}

module.exports = { curve };
