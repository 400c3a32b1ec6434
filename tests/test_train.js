/**
 * The programs that make the players' weights: self-play, positions, the fit, the file.
 *
 * Gradients are held against differences of scores, integers against the floating-point model,
 * a stopped and resumed run against one that was not.
 * Run: node --test tests/test_train.js
 */
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { spawnSync } = require("node:child_process");
const Rules = require("../static/js/rules.js");
const Evaluate = require("../static/js/evaluate.js");
const Weights = require("../static/js/weights.js");
const { stream } = require("../train/chance.js");
const { selfPlay, playBlock, RECORD_WORDS, NO_RESULT, BLOCK_GAMES } = require("../train/selfplay.js");
const { tabulate, turned, split, scaleOf, chanceOf, FEATURES } = require("../train/positions.js");
const { fit } = require("../train/fit.js");
const { curve } = require("../train/curve.js");
const { saveWeights, FILE } = require("../train/weightsfile.js");
const { LinearModel } = require("../train/learn.js");
const { NetworkModel } = require("../train/neural.js");

const PLAY = { seed: 7, games: 2 * BLOCK_GAMES, nodes: 30, evaluator: "hand" };
const BLOCKS = [playBlock(0, PLAY), playBlock(1, PLAY)];
const TABLE = tabulate(BLOCKS, { scale: 100, resultShare: 0.5 });

function folder(t) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "train-"));
  t.after(() => fs.rmSync(made, { recursive: true }));
  return made;
}

/** The plain state of a record. */
function stateOf(record) {
  const [black, white, kings, turn] = record;
  const { board, unpack, SPARE } = Rules.fast;
  board.set([turn ? white : black, turn ? black : white, kings, turn], SPARE);
  return unpack(SPARE);
}

function records(blocks) {
  return blocks.flatMap((block) => Array.from({ length: block.length / RECORD_WORDS },
    (_, i) => block.subarray(i * RECORD_WORDS, (i + 1) * RECORD_WORDS)));
}

test("self-play gives the same positions for the same seed and others for another", () => {
  assert.deepEqual(playBlock(1, PLAY), BLOCKS[1]);
  assert.notDeepEqual(playBlock(1, { ...PLAY, seed: 8 }), BLOCKS[1]);
});

test("self-play on two workers, stopped and resumed, gives the same files as one", async (t) => {
  const place = folder(t);
  const whole = await selfPlay(place, PLAY, () => {}, 2);
  assert.deepEqual(whole, BLOCKS);
  fs.unlinkSync(path.join(place, "block-0001.bin"));
  fs.writeFileSync(path.join(place, "block-0001.bin.part"), "half a block");
  assert.deepEqual(await selfPlay(place, PLAY, () => {}, 1), BLOCKS);
});

test("a folder with games of another seed is refused in words and left as it is", async (t) => {
  const place = folder(t);
  const options = { ...PLAY, games: BLOCK_GAMES };
  await selfPlay(place, options, () => {}, 1);
  await assert.rejects(selfPlay(place, { ...options, seed: 8 }, () => {}, 1), /games of another seed/);
  assert.deepEqual(await selfPlay(place, options, () => {}, 1), [BLOCKS[0]]);
});

test("every kept position is quiet: no capture pending, more than one move", () => {
  for (const record of records(BLOCKS)) {
    const legal = Rules.legalMoves(stateOf(record));
    assert.ok(legal.length > 1 && legal[0].captures.length === 0);
  }
});

test("positions of a game have its result, positions beside it have none", () => {
  const results = new Set(records(BLOCKS).map((record) => record[5]));
  for (const result of results) assert.ok([-1, 0, 1, NO_RESULT].includes(result));
  assert.ok(results.has(NO_RESULT) && results.size >= 3);
});

test("turning a feature twice gives it back, and turns square 1 of Black into square 32 of White", () => {
  for (let feature = 0; feature < FEATURES; feature++) assert.equal(turned(turned(feature)), feature);
  assert.equal(turned(0), 32 + 31);
});

test("a table's target is the mover's chance, from the score and the result", () => {
  const record = (turn, score, result) => Int32Array.of(1, 2, 0, turn, score, result);
  const target = (...args) => tabulate([record(...args)], { scale: 100, resultShare: 0.5 }).target[0];
  const close = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-6, `${actual}, not ${expected}`);
  close(target(0, 0, 1), 0.75);
  close(target(1, 0, 1), 0.25);
  close(target(0, 100, NO_RESULT), chanceOf(100, 100));
  close(target(1, 100, NO_RESULT), 1 - chanceOf(100, 100));
});

test("the scale is the one whose chances the results were drawn from", () => {
  const rand = stream(5);
  const words = [];
  for (let i = 0; i < 20000; i++) {
    const score = Math.round(400 * (rand() - 0.5));
    words.push(1, 2, 0, 0, score, rand() < chanceOf(score, 120) ? 1 : -1);
  }
  assert.ok(Math.abs(scaleOf([Int32Array.from(words)]) - 120) <= 10);
});

test("one block in ten is held out, none is on both sides", () => {
  const blocks = Array.from({ length: 40 }, (_, i) => Int32Array.of(i));
  const { fitted, heldOut } = split(blocks);
  assert.equal(heldOut.length, 4);
  assert.deepEqual([...fitted, ...heldOut].map((block) => block[0]).sort((a, b) => a - b), blocks.map((_, i) => i));
});

const MODELS = {
  linear: () => new LinearModel(),
  network: () => new NetworkModel(Weights.learned, stream(3), 4),
};

for (const [name, make] of Object.entries(MODELS)) {
  test(`the gradient equals the difference of scores: ${name}`, () => {
    const model = make(), rand = stream(11), size = model.parameters.length;
    for (let i = 0; i < TABLE.count; i += 1 + Math.floor(TABLE.count / 25)) {
      const gradients = new Float64Array(size);
      model.score(TABLE, i);
      model.learnFrom(TABLE, i, 1, gradients);
      for (let tries = 0; tries < 40; tries++) {
        const k = Math.floor(rand() * size), width = 1e-6, before = model.parameters[k];
        model.parameters[k] = before + width;
        const above = model.score(TABLE, i);
        model.parameters[k] = before - width;
        const below = model.score(TABLE, i);
        model.parameters[k] = before;
        assert.ok(Math.abs((above - below) / (2 * width) - gradients[k]) < 1e-3, `parameter ${k} at position ${i}`);
      }
    }
  });
}

test("a fit lowers the loss, and a stopped and resumed one ends where the whole one does", (t) => {
  const checkpoint = path.join(folder(t), "checkpoint.json");
  const options = { epochs: 4, rate: 0.01, scale: 100, seed: 2 };
  const whole = new LinearModel();
  const losses = fit(whole, TABLE, TABLE, options);
  assert.ok(losses[3].fitted < losses[0].fitted);
  const epochs = [];
  assert.throws(() => fit(new LinearModel(), TABLE, TABLE, { ...options, checkpoint }, (text) => {
    epochs.push(text);
    if (epochs.length === 2) throw new Error("stopped");
  }), /stopped/);
  const resumed = new LinearModel();
  assert.deepEqual(fit(resumed, TABLE, TABLE, { ...options, checkpoint }), losses);
  assert.deepEqual(resumed.parameters, whole.parameters);
  const other = new LinearModel();
  fit(other, TABLE, TABLE, { ...options, seed: 3, checkpoint });
  assert.notDeepEqual(other.parameters, whole.parameters, "a checkpoint of another fit is not gone on from");
});

for (const program of ["learn.js", "neural.js"]) {
  const start = (...args) => spawnSync(process.execPath, [path.join(__dirname, "..", "train", program), ...args], { encoding: "utf-8" });
  test(`${program} answers wrong use with a sentence and exit code 2`, () => {
    for (const args of [["--games", "ten"], ["--games", "3"], ["--seed", "0"], ["--colour", "red"]]) {
      const { status, stdout, stderr } = start(...args);
      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      assert.match(stderr, /--|-c/);
      assert.doesNotMatch(stderr, /at .*\.js:/);
    }
  });
  test(`${program} --help ends with an example`, () => {
    const { status, stdout } = start("--help");
    assert.equal(status, 0);
    assert.match(stdout.trimEnd().split("\n").at(-1), /^example: node train/);
  });
}

test("the integers of the network play as the model it was fitted as", () => {
  const model = new NetworkModel(Weights.learned, stream(9), 8);
  const evaluator = Evaluate.makeNeural(model.weights());
  records(BLOCKS).forEach((record, i) => {
    if (i % 10) return;
    const exact = model.score(TABLE, i), rounded = Evaluate.evaluate(evaluator, stateOf(record));
    assert.ok(Math.abs(exact - rounded) < 10, `${exact} and ${rounded} at position ${i}`);
  });
});

test("the integers of the linear model are the model in the scale where men are worth 100 on average", () => {
  const model = new LinearModel();
  model.parameters.forEach((worth, k) => { model.parameters[k] = worth * (0.8 + 0.002 * k); });
  const evaluator = Evaluate.makeLearned(model.weights());
  const men = [...model.parameters.slice(0, 28), ...model.parameters.slice(32, 60)];
  const scale = 56 / men.reduce((sum, worth) => sum + worth, 0);
  records(BLOCKS).forEach((record, i) => {
    if (i % 10) return;
    const exact = scale * model.score(TABLE, i), rounded = Evaluate.evaluate(evaluator, stateOf(record));
    assert.ok(Math.abs(exact - rounded) < 10, `${exact} and ${rounded} at position ${i}`);
  });
});

test("weights are saved with how they were made, other players' weights stay", (t) => {
  const file = path.join(folder(t), "weights.js");
  const about = { program: "train/x.js", seed: 1, games: 2, positions: 3, date: "2026-01-02", loss: "0.5" };
  saveWeights("learned", { about, tempo: 7 }, file);
  saveWeights("neural", { about, input: Array.from({ length: 70 }, (_, i) => i) }, file);
  delete require.cache[file];
  const read = require(file);
  assert.equal(read.learned.tempo, 7);
  assert.equal(read.neural.input.length, 70);
  assert.match(fs.readFileSync(file, "utf-8"), /learned: train\/x\.js, seed 1, 2 games, 3 positions, 2026-01-02, held-out loss 0\.5/);
});

test("the committed weights are integers, at most 100 kB, and say how they were made", () => {
  const text = fs.readFileSync(FILE, "utf-8");
  assert.ok(Buffer.byteLength(text) <= 100000, `${Buffer.byteLength(text)} bytes`);
  for (const player of ["learned", "neural"]) {
    assert.match(text, new RegExp(`${player}: train/\\w+\\.js, seed \\d+, \\d+ games, \\d+ positions, \\d{4}-\\d\\d-\\d\\d`));
    const numbers = (value) => (typeof value === "object" ? Object.values(value).flatMap(numbers) : [value]);
    const { about, ...weights } = Weights[player];
    assert.ok(about.program && numbers(weights).every(Number.isInteger));
  }
});

test("the input weights of the network leave room in 16 bits for 24 pieces", () => {
  const { hidden, input, bias } = Weights.neural;
  for (let h = 0; h < hidden; h++) {
    const largest = Math.max(...Array.from({ length: FEATURES }, (_, feature) => Math.abs(input[feature * hidden + h])));
    assert.ok(24 * largest + Math.abs(bias[h]) < 2 ** 15);
  }
});

test("a curve is one SVG document with a line for each kind of loss", () => {
  const text = curve("title", [{ fitted: 0.6, heldOut: 0.61 }, { fitted: 0.5, heldOut: 0.55 }]);
  assert.match(text, /^<svg [^>]*>/);
  assert.equal(text.match(/<polyline/g).length, 2);
  assert.ok(text.trimEnd().endsWith("</svg>"));
});
