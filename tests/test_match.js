/**
 * Fair matches: chance that repeats, openings, games played out, players' settings, and what a match says.
 * Run: node tests/test_match.js
 */
"use strict";

const { test } = require("node:test");
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const ROOT = path.resolve(__dirname, "..");
const MATCH = path.join(ROOT, "train/match.js");
const { seeded, stream, randomOpening, openings, playGame, fairMatch } = require(MATCH);
const { BALLOTS } = require(path.join(ROOT, "train/ballots.js"));
const { ballotOpening, drawBallots } = require(path.join(ROOT, "train/openings.js"));
const { Course, replay, positionKey } = require(path.join(ROOT, "train/play.js"));
const { playerFrom } = require(path.join(ROOT, "train/players.js"));
const { eloOf, scoreOf, eloWithInterval, sequentialTest } = require(path.join(ROOT, "train/statistics.js"));
const Rules = require(path.join(ROOT, "static/js/rules.js"));
const Notation = require(path.join(ROOT, "static/js/notation.js"));
const Ai = require(path.join(ROOT, "static/js/ai.js"));
const Pdn = require(path.join(ROOT, "static/js/pdn.js"));

function take(rand, count) {
  return Array.from({ length: count }, () => rand());
}

function near(actual, expected, tolerance) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not within ${tolerance} of ${expected}`);
}

// ---- chance

test("a seed gives the same numbers again and another seed other ones", () => {
  assert.deepEqual(take(seeded(1), 5), take(seeded(1), 5));
  assert.notDeepEqual(take(seeded(1), 5), take(seeded(2), 5));
  assert.deepEqual(take(seeded("1"), 5), take(seeded(1), 5));
});

test("the parts of a stream are kept apart", () => {
  assert.notDeepEqual(take(stream(1, "ab", "c"), 3), take(stream(1, "a", "bc"), 3));
  assert.notDeepEqual(take(stream(1, 2), 3), take(stream(2, 1), 3));
});

test("numbers lie in [0, 1) and fill ten bins evenly, by chi-square below its 99.9 % point for 9 degrees", () => {
  const numbers = take(seeded(42), 100000);
  assert.ok(numbers.every((number) => number >= 0 && number < 1));
  const bins = new Array(10).fill(0);
  for (const number of numbers) bins[Math.floor(number * 10)] += 1;
  assert.ok(bins.reduce((sum, count) => sum + (count - 10000) ** 2 / 10000, 0) < 27.88);
});

test("the first numbers of neighbouring seeds are not alike", () => {
  const firsts = Array.from({ length: 1000 }, (_, seed) => seeded(seed)());
  near(firsts.reduce((sum, each) => sum + each, 0) / 1000, 0.5, 0.04);
  assert.equal(new Set(firsts).size, 1000);
});

// ---- openings

test("there are 174 ballots, 18 barred and 156 in the American Checker Federation's deck", () => {
  assert.equal(BALLOTS.length, 174);
  assert.equal(BALLOTS.filter(({ barred }) => barred).length, 18);
  assert.deepEqual(BALLOTS.map(({ number }) => number), Array.from({ length: 174 }, (_, i) => i + 1));
});

test("the moves of every ballot are legal and no two ballots are the same", () => {
  assert.equal(new Set(BALLOTS.map(({ moves }) => moves.join(" "))).size, 174);
  for (const ballot of BALLOTS) assert.equal(ballotOpening(ballot).turn, "w");
});

test("the ballot 11-15 22-18 15x22 leaves White a man down and to recapture", () => {
  const ballot = BALLOTS.find(({ moves }) => moves.join(" ") === "11-15 22-18 15x22");
  assert.equal(Pdn.writeFen(ballotOpening(ballot)),
    "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22");
});

test("drawn ballots are different ones of the deck, never barred, the same for the same chance", () => {
  const drawn = drawBallots(seeded(3), 156);
  assert.equal(new Set(drawn.map(({ number }) => number)).size, 156);
  assert.ok(drawn.every(({ barred }) => !barred));
  assert.deepEqual(drawBallots(seeded(3), 10), drawn.slice(0, 10));
  assert.throws(() => drawBallots(seeded(3), 157), /156 ballots/);
});

test("a random opening is a position six plies on with Black to move, the same for the same chance", () => {
  const opening = randomOpening(seeded(7));
  assert.equal(opening.turn, "b");
  assert.deepEqual(randomOpening(seeded(7)), opening);
});

test("a random opening leaves no side a man down, as a search three plies deeper than its own check sees it", () => {
  for (let seed = 1; seed <= 25; seed += 1) {
    const { score } = Ai.search(randomOpening(seeded(seed)), { depth: 11 });
    assert.ok(Math.abs(score) < 100, `seed ${seed}: ${score}`);
  }
});

test("random openings differ", () => {
  const keys = openings("random", 30, 1).map(({ start }) => positionKey(start));
  assert.ok(new Set(keys).size >= 28);
});

// ---- games played out

/** A player that moves a king to and fro as its list says. */
function scripted(...names) {
  return { name: "scripted", choose: (state) => Notation.findMove(Rules.legalMoves(state), names[0] && names.push(names[0]) && names.shift()) };
}

test("the third time a position stands with the same side to move is a draw", () => {
  const start = Pdn.readFen("B:WK32:BK1");
  const game = playGame({ b: scripted("g1-f2", "f2-g1"), w: scripted("b8-a7", "a7-b8") }, start, {});
  assert.deepEqual([game.winner, game.reason, game.moves.length], ["draw", "third repetition", 8]);
});

test("a position counts as the same only with the same side to move", () => {
  const state = Pdn.readFen("B:WK32:BK1");
  assert.notEqual(positionKey(state), positionKey({ ...state, turn: "w" }));
  assert.equal(positionKey(state), positionKey({ ...state, board: state.board.map((row) => row.join("")), quietPlies: 9 }));
});

test("a game of 200 plies is a draw for that reason", () => {
  const course = new Course(Pdn.readFen("B:WK32:BK1"));
  assert.equal(course.result(), null);
  course.moves.push(...new Array(200).fill("?"));
  assert.deepEqual(course.result(), { winner: "draw", reason: "200 plies played" });
});

test("80 quiet plies are a draw before anything else is looked at", () => {
  const course = new Course({ ...Pdn.readFen("B:WK32:BK1"), quietPlies: 80 });
  assert.equal(course.result().winner, "draw");
  assert.match(course.result().reason, /80 plies/);
});

test("a side without a move has lost, also when the position was there twice before", () => {
  const course = new Course(Pdn.readFen("B:W16,19:B12"));
  assert.equal(course.result().winner, "w");
});

test("a game that is played over names the first move that is not legal", () => {
  assert.throws(() => replay(Rules.startPosition(), ["c3-d4", "c3-d4"]), /move 2, "c3-d4", is not legal there\. Legal: /);
});

// ---- players' settings

test("settings choose depth, nodes or time, and nodes alone belong to hard", () => {
  const state = randomOpening(seeded(1));
  for (const text of ["medium", "hard:depth=2", "nodes=500", "learned:nodes=500", "neural:depth=3,nodes=900", "ms=5"]) {
    const player = playerFrom(text);
    assert.equal(player.name, text);
    const move = player.choose(state, seeded(1), []);
    assert.ok(Notation.findMove(Rules.legalMoves(state), Notation.moveName(move)), text);
  }
});

for (const [text, sentence] of [
  ["wizard", /Unknown player "wizard"/], ["", /Unknown player/], ["hard:speed=3", /Unknown setting "speed"/],
  ["hard:depth=0", /depth .* from 1 to 60, not "0"/], ["hard:depth=x", /not "x"/], ["hard:depth", /not "undefined"/],
  ["hard:", /Unknown setting ""/],
]) {
  test(`the player "${text}" is refused with a sentence`, () => assert.throws(() => playerFrom(text), sentence));
}

// ---- matches

test("a fair match plays every opening twice with the colours swapped and scores it for the first player", () => {
  const match = fairMatch(playerFrom("medium"), playerFrom("hard:depth=1"), openings("random", 3, 1), 1);
  assert.equal(match.games.length, 6);
  match.games.forEach((game, i) => assert.equal(game.black, i % 2 ? "hard:depth=1" : "medium"));
  for (let i = 0; i < 6; i += 2) assert.deepEqual(match.games[i].start, match.games[i + 1].start);
  assert.equal(match.pairScores.length, 3);
});

test("a match against itself without chance is even in every pair", () => {
  const twin = () => playerFrom("hard:depth=2");
  assert.deepEqual(fairMatch(twin(), twin(), openings("ballots", 3, 1), 1).pairScores, [0.5, 0.5, 0.5]);
});

test("the match ends when the listener says so", () => {
  const seen = [];
  const match = fairMatch(playerFrom("easy"), playerFrom("easy"), openings("ballots", 5, 1), 1, (games) => seen.push(games.length) === 2);
  assert.deepEqual([match.games.length, seen.length], [4, 2]);
});

// ---- what a match says

test("Elo differences and scores follow the logistic curve of Elo's book", () => {
  near(eloOf(0.75), 190.85, 0.01); // 400 log10(3)
  near(eloOf(0.5), 0, 1e-9);
  near(scoreOf(200), 0.7597, 0.0001); // FIDE's table gives 0.76 for 200
  near(eloOf(scoreOf(123)), 123, 1e-9);
});

test("the interval of pairs scored 1, 1/2, 1/2, 1/2 and 0 a hundred times is that of their mean", () => {
  const pairs = [].concat(...Array.from({ length: 100 }, () => [1, 0.5, 0.5, 0.5, 0]));
  const { elo, low, high } = eloWithInterval(pairs);
  near(elo, 0, 1e-9);
  // variance of one pair 0.1, standard error sqrt(0.1 / 500), times 1.96: a score of 0.5 +- 0.0277
  near(high, 400 * Math.log10(0.52772 / 0.47228), 0.05);
  near(low, -high, 1e-6);
});

test("a match won in every game has no upper end", () => {
  const { elo, low, high } = eloWithInterval([1, 1, 1, 1]);
  assert.deepEqual([elo, high], [Infinity, Infinity]);
  assert.ok(low > 0 && Number.isFinite(low));
});

test("one pair, however it ended, decides nothing", () => {
  for (const score of [0, 0.25, 0.5, 0.75, 1]) {
    assert.equal(sequentialTest([score], { elo0: 0, elo1: 100 }).verdict, null);
  }
});

test("the sequential test decides at log(19) for 5 % errors, and waits when little was played", () => {
  near(sequentialTest([0.5], { elo0: 0, elo1: 30 }).upper, Math.log(19), 1e-12);
  assert.equal(sequentialTest([0.5, 0.75], { elo0: 0, elo1: 30 }).verdict, null);
});

test("the sequential test accepts the stronger claim for a stronger player and the weaker for an equal one", () => {
  const repeated = (scores) => [].concat(...Array.from({ length: 200 }, () => scores));
  assert.equal(sequentialTest(repeated([0.75, 0.5, 0.5, 0.75]), { elo0: 0, elo1: 30 }).verdict, "elo1");
  assert.equal(sequentialTest(repeated([0.5, 0.25, 0.75, 0.5]), { elo0: 0, elo1: 30 }).verdict, "elo0");
});

test("the sequential test errs about as often as it says, over 400 simulated matches of equal players", () => {
  const rand = seeded("sequential");
  let wrong = 0;
  for (let match = 0; match < 400; match += 1) {
    const pairs = [];
    let verdict = null;
    while (verdict === null && pairs.length < 3000) {
      pairs.push([0.25, 0.5, 0.5, 0.75][Math.floor(rand() * 4)]);
      ({ verdict } = sequentialTest(pairs, { elo0: 0, elo1: 30 }));
    }
    if (verdict === "elo1") wrong += 1;
  }
  assert.ok(wrong <= 36, `${wrong} of 400`); // 20 expected; 36 is beyond 99.9 % of a binomial with 5 %
});

// ---- the program

function program(...args) {
  const done = spawnSync(process.execPath, [MATCH, ...args], { encoding: "utf8" });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

test("the program plays a match and prints wins, draws, losses and the Elo difference with its interval", () => {
  const { code, out, err } = program("medium", "easy", "--pairs", "2", "--openings", "ballots");
  assert.equal(code, 0);
  assert.match(out, /^medium against easy: 2 ballots openings, each twice, seed 1\n\d wins, \d draws, \d losses: /);
  assert.match(out, /Elo .*, 95 % interval \[/);
  assert.match(err, /pair 2 of 2/);
});

test("with --json the program prints one document whose games add up", () => {
  const result = JSON.parse(program("medium", "easy", "--pairs", "2", "--json", "--sprt", "0,30").out);
  assert.equal(result.wins + result.draws + result.losses, result.games);
  assert.equal(result.sprt.elo1, 30);
});

test("the parts of a match are its openings shared out", () => {
  const played = (part) => program("medium", "easy", "--pairs", "3", "--openings", "ballots", "--part", part, "--json");
  assert.deepEqual(["1/2", "2/2", "1/1"].map((part) => JSON.parse(played(part).out).games), [4, 2, 6]);
});

test("with --pdn the games are saved with their openings and ends", () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "match-")), "games.pdn");
  assert.equal(program("medium", "easy", "--pairs", "2", "--openings", "ballots", "--pdn", file).code, 0);
  const games = Pdn.readGames(fs.readFileSync(file, "utf8"));
  assert.deepEqual(games.map(({ tags }) => tags.Black), ["medium", "easy", "medium", "easy"]);
  assert.match(games[0].tags.Event, /^Match, ballot \d+$/);
  fs.rmSync(path.dirname(file), { recursive: true });
});

for (const [args, sentence] of [
  [["easy", "hard:depth=1", "--pairs", "1", "--pdn", "/no/such/folder/games.pdn"], /no such file/],
  [[], /two players, not 0/], [["easy"], /two players, not 1/], [["easy", "wizard"], /Unknown player "wizard"/],
  [["easy", "hard", "--pairs", "0"], /--pairs must be a whole number from 1, not "0"/], [["easy", "hard", "--pairs"], /--pairs needs a value/],
  [["easy", "hard", "--openings", "chess"], /random or ballots, not "chess"/], [["easy", "hard", "--speed", "3"], /Unknown flag --speed/],
  [["easy", "hard", "--openings", "ballots", "--pairs", "157"], /156 ballots openings, not 157/],
  [["easy", "hard", "--part", "3/2"], /--part is such as 1\/2/], [["easy", "hard", "--part", "half"], /not "half"/],
  [["easy", "hard", "--pairs", "1", "--part", "2/2"], /part 2\/2 has none/],
  [["easy", "hard", "--sprt", "30,0"], /--sprt needs two Elo differences/],
]) {
  test(`wrong use is exit code 2 and a sentence: ${args.join(" ") || "(nothing)"}`, () => {
    const { code, out, err } = program(...args);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, sentence);
  });
}

test("--help ends with an example and exits with 0", () => {
  const { code, out } = program("--help");
  assert.equal(code, 0);
  assert.match(out, /Example: node train\/match\.js .*\n$/);
});
