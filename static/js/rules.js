/**
 * rules.js: the rules of English draughts, and nothing else.
 *
 * Outside, a position is a plain object that goes through JSON unchanged:
 *
 *     {board: 8 rows of 8 cells, turn: "b" | "w", quietPlies: number}
 *
 * board[0] is rank 8, column 0 is file a; a cell is "." "b" "w" "B" or "W".
 * quietPlies counts the plies since the last capture or man's move.
 * A move is {from: [row, col], path: [[row, col], ...], captures: [[row, col], ...]}:
 * path holds every square the piece lands on, captures every piece it takes.
 *
 * Inside (`Rules.fast`), the 32 dark squares are the bits of 32-bit integers.
 * Bits are numbered along the diagonals, so that one step in a direction is one
 * rotation of the whole word, the same for every square:
 *
 *     rank 8    . 25  . 19  . 13  .  7      up right    rotate left by 1
 *     rank 7   24  . 18  . 12  .  6  .      up left     rotate left by 7
 *     rank 6    . 17  . 11  .  5  . 31      down left   rotate left by 31 (back by 1)
 *     rank 5   16  . 10  .  4  . 30  .      down right  rotate left by 25 (back by 7)
 *     rank 4    .  9  .  3  . 29  . 23
 *     rank 3    8  .  2  . 28  . 22  .
 *     rank 2    .  1  . 27  . 21  . 15
 *     rank 1    0  . 26  . 20  . 14  .
 *               a  b  c  d  e  f  g  h
 *
 * What it does not do: names and notation (notation.js), choosing a move (ai.js),
 * third repetition (only a played game has a history: train/play.js).
 * No DOM, no file system, no clock, no chance.
 *
 * @typedef {{board: (string|string[])[], turn: "b"|"w", quietPlies: number}} State
 * @typedef {[number, number]} Square
 * @typedef {{from: Square, path: Square[], captures: Square[]}} Move
 */
const Rules = (function () {
  "use strict";

  const DRAW_PLIES = 80;
  const BLACK = 0;
  const WHITE = 1;

  // ---------------------------------------------------------------- squares

  const DIRECTIONS = [[1, 1], [-1, 1], [-1, -1], [1, -1]]; // [files, ranks]
  const ROTATE = Int32Array.of(1, 7, 31, 25);
  const ROW_OF = new Int32Array(32);
  const COL_OF = new Int32Array(32);
  const INDEX_AT = new Int32Array(64).fill(-1); // row * 8 + col -> bit index, -1 on light squares
  const CAN_STEP = new Int32Array(4); // per direction: the squares with a neighbour there
  const CAN_JUMP = new Int32Array(4); // ... and with one behind it
  const CROWN_ROW = new Int32Array(2); // per colour: its far row

  for (let rank = 0; rank < 8; rank++) {
    for (let file = rank % 2; file < 8; file += 2) {
      const index = ((file + rank) / 2 + 7 * ((rank - file) / 2) + 32) % 32;
      ROW_OF[index] = 7 - rank;
      COL_OF[index] = file;
      INDEX_AT[(7 - rank) * 8 + file] = index;
      DIRECTIONS.forEach(([files, ranks], direction) => {
        const inside = (steps) => Math.min(file + steps * files, rank + steps * ranks) >= 0 &&
          Math.max(file + steps * files, rank + steps * ranks) < 8;
        if (inside(1)) CAN_STEP[direction] |= 1 << index;
        if (inside(2)) CAN_JUMP[direction] |= 1 << index;
      });
      if (rank === 7) CROWN_ROW[BLACK] |= 1 << index;
      if (rank === 0) CROWN_ROW[WHITE] |= 1 << index;
    }
  }

  /** The word with every bit moved on by `by` places; engines turn this into one instruction. */
  function rotate(word, by) {
    return (word << by) | (word >>> (32 - by));
  }

  /** The index of the one bit set in `bit`. */
  function indexOf(bit) {
    return 31 - Math.clz32(bit);
  }

  // ------------------------------------- the fast interface: where things stand
  //
  // Positions and moves live in two arrays that everybody shares; functions are told places in them.
  // (Arrays that never change are what engines turn into the fastest code, and no number is boxed.)
  //
  // A position is four words of `board` from `at`:
  //   at + 0 the pieces of the side to move, at + 1 the other side's, at + 2 the kings of both,
  //   at + 3 the turn (0 Black, 1 White).
  // A move is four words of `moves` from `m`:
  //   m + 0 the bit it starts from, m + 1 the bit it ends on, m + 2 the pieces it takes,
  //   m + 3 the directions of its jumps, two bits each, the first lowest.

  const POSITION_WORDS = 4;
  const MOVE_WORDS = 4;
  const MAX_PLY = 512; // a line of play may be so long
  const MAX_MOVES = 4096; // of one position: ways through many pieces may be many; along a line 32 each are plenty
  const board = new Int32Array((MAX_PLY + 4) * POSITION_WORDS);
  const moves = new Int32Array((MAX_PLY * 32 + 2 * MAX_MOVES) * MOVE_WORDS);
  const SPARE = (MAX_PLY + 2) * POSITION_WORDS; // two positions and one list of moves for the plain functions
  const SPARE_MOVES = (MAX_PLY * 32 + MAX_MOVES) * MOVE_WORDS;

  const UP_RIGHT = CAN_STEP[0], UP_LEFT = CAN_STEP[1], DOWN_LEFT = CAN_STEP[2], DOWN_RIGHT = CAN_STEP[3];
  const JUMP_UP_RIGHT = CAN_JUMP[0], JUMP_UP_LEFT = CAN_JUMP[1];
  const JUMP_DOWN_LEFT = CAN_JUMP[2], JUMP_DOWN_RIGHT = CAN_JUMP[3];
  const BLACK_CROWNS = CROWN_ROW[BLACK], WHITE_CROWNS = CROWN_ROW[WHITE];

  // ------------------------------------------------------------- captures

  /**
   * Those of `upward` and `downward` that can jump: one side's pieces by the ways they may go.
   * For each direction: one step, onto an opponent; one more, onto an empty square; then two back.
   */
  function jumpers(upward, downward, opponents, empty) {
    let upRight = 0, upLeft = 0, downLeft = 0, downRight = 0;
    if (upward !== 0) {
      upRight = rotate(rotate(upward & JUMP_UP_RIGHT, 1) & opponents, 1) & empty;
      upLeft = rotate(rotate(upward & JUMP_UP_LEFT, 7) & opponents, 7) & empty;
    }
    if (downward !== 0) {
      downLeft = rotate(rotate(downward & JUMP_DOWN_LEFT, 31) & opponents, 31) & empty;
      downRight = rotate(rotate(downward & JUMP_DOWN_RIGHT, 25) & opponents, 25) & empty;
    }
    if ((upRight | upLeft | downLeft | downRight) === 0) return 0;
    return rotate(upRight, 30) | rotate(upLeft, 18) | rotate(downLeft, 2) | rotate(downRight, 14);
  }

  /** The pieces of the side to move that have a capture, as a word; 0 when there is none. */
  function capturers(at) {
    const own = board[at], opponents = board[at + 1], kings = own & board[at + 2];
    const black = board[at + 3] === BLACK;
    return jumpers(black ? own : kings, black ? kings : own, opponents, ~(own | opponents));
  }

  // What a chain of jumps needs to know.
  const chain = new Int32Array(5);
  const OPPONENTS = 0, EMPTY = 1, FROM = 2, FIRST_DIRECTION = 3, LAST_DIRECTION = 4;

  /** Whether the piece on `square` can jump again, with `taken` already jumped. */
  function jumpsOn(square, taken) {
    const opponents = chain[OPPONENTS] & ~taken;
    let over = 0; // the squares behind neighbours that can be jumped
    if (chain[FIRST_DIRECTION] === 0) {
      over = rotate(rotate(square & JUMP_UP_RIGHT, 1) & opponents, 1);
      over |= rotate(rotate(square & JUMP_UP_LEFT, 7) & opponents, 7);
    }
    if (chain[LAST_DIRECTION] === 3) {
      over |= rotate(rotate(square & JUMP_DOWN_LEFT, 31) & opponents, 31);
      over |= rotate(rotate(square & JUMP_DOWN_RIGHT, 25) & opponents, 25);
    }
    return (over & chain[EMPTY]) !== 0;
  }

  /**
   * Follows every way on from `square` and writes the chains that cannot go further.
   * Pieces taken stay on the board until the end: they block, and are not jumped twice.
   */
  function followJumps(square, taken, route, jumps, end) {
    for (let direction = chain[FIRST_DIRECTION]; direction <= chain[LAST_DIRECTION]; direction++) {
      const by = ROTATE[direction];
      const over = rotate(square & CAN_JUMP[direction], by) & chain[OPPONENTS] & ~taken;
      const landing = rotate(over, by) & chain[EMPTY];
      if (landing === 0) continue;
      const nowTaken = taken | over, nowRoute = route | (direction << (2 * jumps));
      if (jumpsOn(landing, nowTaken)) {
        end = followJumps(landing, nowTaken, nowRoute, jumps + 1, end);
      } else {
        moves[end] = chain[FROM];
        moves[end + 1] = landing;
        moves[end + 2] = nowTaken;
        moves[end + 3] = nowRoute;
        end += MOVE_WORDS;
      }
    }
    return end;
  }

  function writeCaptures(at, pieces, end) {
    const black = board[at + 3] === BLACK;
    chain[OPPONENTS] = board[at + 1];
    while (pieces !== 0) {
      const from = pieces & -pieces;
      pieces ^= from;
      const isKing = (board[at + 2] & from) !== 0;
      chain[EMPTY] = ~(board[at] | board[at + 1]) | from; // a king may cross or end on its own start
      chain[FROM] = from;
      chain[FIRST_DIRECTION] = isKing || black ? 0 : 2;
      chain[LAST_DIRECTION] = isKing || !black ? 3 : 1;
      end = followJumps(from, 0, 0, 0, end);
    }
    return end;
  }

  // ---------------------------------------------------------------- steps

  /** Writes the steps of `pieces` in one direction. */
  function writeSteps(pieces, empty, canStep, by, end) {
    let left = rotate(pieces & canStep, by) & empty;
    while (left !== 0) {
      const to = left & -left;
      left ^= to;
      moves[end] = rotate(to, 32 - by);
      moves[end + 1] = to;
      moves[end + 2] = 0;
      end += MOVE_WORDS;
    }
    return end;
  }

  function writeAllSteps(upward, downward, empty, end) {
    if (upward !== 0) {
      end = writeSteps(upward, empty, UP_RIGHT, 1, end);
      end = writeSteps(upward, empty, UP_LEFT, 7, end);
    }
    if (downward !== 0) {
      end = writeSteps(downward, empty, DOWN_LEFT, 31, end);
      end = writeSteps(downward, empty, DOWN_RIGHT, 25, end);
    }
    return end;
  }

  /** How many steps the side to move has, when it has no capture: 0, 1, or 2 for two and more. */
  function countSteps(at) {
    const own = board[at], kings = own & board[at + 2], empty = ~(own | board[at + 1]);
    const black = board[at + 3] === BLACK;
    const upward = black ? own : kings, downward = black ? kings : own;
    const a = rotate(upward & UP_RIGHT, 1) & empty, b = rotate(upward & UP_LEFT, 7) & empty;
    const c = rotate(downward & DOWN_LEFT, 31) & empty, d = rotate(downward & DOWN_RIGHT, 25) & empty;
    const ways = (a !== 0 ? 1 : 0) + (b !== 0 ? 1 : 0) + (c !== 0 ? 1 : 0) + (d !== 0 ? 1 : 0);
    if (ways !== 1) return ways > 1 ? 2 : 0;
    const all = a | b | c | d;
    return (all & (all - 1)) === 0 ? 1 : 2;
  }

  /**
   * Writes every legal move of the position at `at` from `first` on and returns the place behind the last.
   * The order is always the same for the same position.
   */
  function generate(at, first) {
    const own = board[at], opponents = board[at + 1], kings = own & board[at + 2];
    const empty = ~(own | opponents), black = board[at + 3] === BLACK;
    const upward = black ? own : kings, downward = black ? kings : own;
    const pieces = jumpers(upward, downward, opponents, empty);
    if (pieces !== 0) return writeCaptures(at, pieces, first);
    return writeAllSteps(upward, downward, empty, first);
  }

  // ---------------------------------------------------------------- making

  /** Writes at `to` the position that move `m` makes of the one described; `crowns` is the mover's far row. */
  function play(own, opponents, kings, turn, crowns, m, to) {
    const from = moves[m], landing = moves[m + 1], taken = moves[m + 2];
    const crowned = (kings & from) !== 0 ? landing : landing & crowns;
    board[to] = opponents & ~taken;
    board[to + 1] = (own & ~from) | landing;
    board[to + 2] = (kings & ~(from | taken)) | crowned;
    board[to + 3] = 1 - turn;
  }

  /** Writes at `to` the position after move `m`; the one at `at` stays as it is. */
  function make(at, m, to) {
    const turn = board[at + 3];
    play(board[at], board[at + 1], board[at + 2], turn, turn === BLACK ? BLACK_CROWNS : WHITE_CROWNS, m, to);
  }

  // --------------------------------------------------------------- perft

  function countLeaves(at, first, depth) {
    const end = generate(at, first);
    const own = board[at], opponents = board[at + 1], kings = board[at + 2], turn = board[at + 3];
    const crowns = turn === BLACK ? BLACK_CROWNS : WHITE_CROWNS;
    let leaves = 0;
    if (depth === 1) {
      for (let m = first; m < end; m += MOVE_WORDS) {
        play(own, opponents, kings, turn, crowns, m, at + POSITION_WORDS);
        leaves++;
      }
      return leaves;
    }
    for (let m = first; m < end; m += MOVE_WORDS) {
      play(own, opponents, kings, turn, crowns, m, at + POSITION_WORDS);
      leaves += countLeaves(at + POSITION_WORDS, end, depth - 1);
    }
    return leaves;
  }

  /**
   * The number of move paths of exactly `depth` plies. Every leaf's position is made: no bulk counting.
   * @param {State} state @param {number} depth
   */
  function perft(state, depth) {
    if (depth === 0) return 1;
    pack(state, 0);
    return countLeaves(0, 0, depth);
  }

  // ------------------------------------------ plain states in and out

  const PIECES = { b: [BLACK, 0], B: [BLACK, 1], w: [WHITE, 0], W: [WHITE, 1] };

  function packCell(cell, row, col, turn, at) {
    if (cell === ".") return;
    const piece = PIECES[cell];
    if (!piece) throw new Error(`row ${row}, column ${col} holds ${JSON.stringify(cell)}: a cell is one of . b w B W`);
    const index = INDEX_AT[row * 8 + col];
    if (index < 0) throw new Error(`row ${row}, column ${col} is a light square: no piece can stand there`);
    board[at + (piece[0] === turn ? 0 : 1)] |= 1 << index;
    if (piece[1]) board[at + 2] |= 1 << index;
  }

  /** Writes a plain state at `at`. @param {State} state @param {number} at */
  function pack(state, at) {
    if (state.turn !== "b" && state.turn !== "w") {
      throw new Error(`the turn is ${JSON.stringify(state.turn)}: it is "b" or "w"`);
    }
    if (!state.board || state.board.length !== 8) throw new Error("a board has 8 rows of 8 cells, rank 8 first");
    const turn = state.turn === "b" ? BLACK : WHITE;
    board.fill(0, at, at + POSITION_WORDS);
    board[at + 3] = turn;
    for (let row = 0; row < 8; row++) {
      if (state.board[row].length !== 8) throw new Error(`row ${row} has ${state.board[row].length} cells: a row has 8`);
      for (let col = 0; col < 8; col++) packCell(state.board[row][col], row, col, turn, at);
    }
  }

  /** The plain state of the position at `at`. @returns {State} */
  function unpack(at, quietPlies = 0) {
    const turn = board[at + 3], black = board[at + turn];
    const rows = Array.from({ length: 8 }, () => Array(8).fill("."));
    for (let index = 0; index < 32; index++) {
      const bit = 1 << index;
      if (((board[at] | board[at + 1]) & bit) === 0) continue;
      const man = black & bit ? "b" : "w";
      rows[ROW_OF[index]][COL_OF[index]] = board[at + 2] & bit ? man.toUpperCase() : man;
    }
    return { board: rows, turn: turn === BLACK ? "b" : "w", quietPlies };
  }

  /** @returns {Square} */
  function squareOf(bit) {
    return [ROW_OF[indexOf(bit)], COL_OF[indexOf(bit)]];
  }

  /** The plain move at `m`. @returns {Move} */
  function unpackMove(m) {
    if (moves[m + 2] === 0) return { from: squareOf(moves[m]), path: [squareOf(moves[m + 1])], captures: [] };
    const path = [], captures = [];
    let square = moves[m], route = moves[m + 3];
    for (let taken = moves[m + 2]; taken !== 0; route >>>= 2) {
      const by = ROTATE[route & 3];
      const over = rotate(square, by);
      square = rotate(over, by);
      taken &= ~over;
      captures.push(squareOf(over));
      path.push(squareOf(square));
    }
    return { from: squareOf(moves[m]), path, captures };
  }

  /** Writes a plain move (without its route) at `m`. @param {Move} move @param {number} m */
  function packMove(move, m) {
    const bitAt = ([row, col]) => 1 << INDEX_AT[row * 8 + col];
    moves[m] = bitAt(move.from);
    moves[m + 1] = bitAt(move.path[move.path.length - 1]);
    moves[m + 2] = move.captures.reduce((taken, square) => taken | bitAt(square), 0);
    moves[m + 3] = 0;
  }

  // ------------------------------------------------------- the rules, plainly

  /** The start position, Black to move: a new object each time. @returns {State} */
  function startPosition() {
    const rows = [".w.w.w.w", "w.w.w.w.", ".w.w.w.w", "........", "........", "b.b.b.b.", ".b.b.b.b", "b.b.b.b."];
    return { board: rows.map((row) => row.split("")), turn: "b", quietPlies: 0 };
  }

  /** Every legal move: captures only, when there is one. @param {State} state @returns {Move[]} */
  function legalMoves(state) {
    pack(state, SPARE);
    const end = generate(SPARE, SPARE_MOVES);
    const legal = [];
    for (let m = SPARE_MOVES; m < end; m += MOVE_WORDS) legal.push(unpackMove(m));
    return legal;
  }

  /**
   * The state after one of its legal moves; the state handed in is not changed.
   * @param {State} state @param {Move} move @returns {State}
   */
  function applyMove(state, move) {
    const piece = state.board[move.from[0]][move.from[1]];
    if (piece.toLowerCase() !== state.turn) {
      throw new Error(`row ${move.from[0]}, column ${move.from[1]} holds "${piece}": ` +
        `"${state.turn}" is to move; use a move from legalMoves(state)`);
    }
    pack(state, SPARE);
    packMove(move, SPARE_MOVES);
    make(SPARE, SPARE_MOVES, SPARE + POSITION_WORDS);
    const quiet = move.captures.length === 0 && piece === piece.toUpperCase();
    return unpack(SPARE + POSITION_WORDS, quiet ? (state.quietPlies || 0) + 1 : 0);
  }

  /**
   * null while the game goes on, else who has won and why.
   * @param {State} state @returns {null | {winner: "b"|"w"|"draw", reason: string}}
   */
  function result(state) {
    if (legalMoves(state).length === 0) {
      return { winner: state.turn === "b" ? "w" : "b", reason: "no legal move" };
    }
    if (state.quietPlies >= DRAW_PLIES) {
      return { winner: "draw", reason: `${DRAW_PLIES} plies without a capture or a man's move` };
    }
    return null;
  }

  return {
    DRAW_PLIES, startPosition, legalMoves, applyMove, result,
    fast: {
      board, moves, BLACK, WHITE, POSITION_WORDS, MOVE_WORDS, MAX_PLY, SPARE, SPARE_MOVES, INDEX_AT, ROW_OF, COL_OF,
      pack, unpack, packMove, unpackMove, generate, capturers, countSteps, make, perft, indexOf,
    },
  };
})();

if (typeof module !== "undefined") module.exports = Rules;
