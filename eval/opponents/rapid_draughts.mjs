/**
 * The npm engine rapid-draughts behind two pipes: its perft and its search, timed. See lines.py for the requests.
 *
 *     node rapid_draughts.mjs FOLDER      FOLDER has node_modules/rapid-draughts
 *
 * Only the start position is known here, which is all that the benchmark asks for. The library counts no nodes; each
 * position of its search is one move made, so the moves are counted, which costs it next to nothing.
 */
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const library = path.join(path.resolve(process.argv[2]), "node_modules/rapid-draughts/dist/english.js");
const { EnglishDraughts, EnglishDraughtsComputerFactory } = await import(pathToFileURL(library).href);

function leaves(engine, depth) {
  if (depth === 0) return 1;
  let total = 0;
  for (const move of engine.moves) {
    const next = engine.clone();
    next.move(move);
    total += leaves(next, depth - 1);
  }
  return total;
}

function perft(depth) {
  return leaves(EnglishDraughts.setup().engine, depth);
}

async function search(depth) {
  const game = EnglishDraughts.setup();
  const kind = Object.getPrototypeOf(game.engine);
  const move = kind.move;
  let nodes = 0;
  kind.move = function counted(...args) {
    nodes += 1;
    return move.apply(this, args);
  };
  await EnglishDraughtsComputerFactory.alphaBeta({ maxDepth: depth })(game);
  kind.move = move;
  return nodes;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { what, depth } = JSON.parse(line);
  const start = performance.now();
  const answer = what === "perft" ? { leaves: perft(depth) } : { nodes: await search(depth) };
  console.log(JSON.stringify({ ...answer, seconds: (performance.now() - start) / 1000 }));
}
