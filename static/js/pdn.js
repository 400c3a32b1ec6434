/**
 * pdn.js: positions (FEN) and games (PDN) of English draughts as text, read and written.
 *
 *     Pdn.readFen("B:W18,24,K10:B12,K22")  ->  a state as rules.js has it
 *     Pdn.readGames(text)                  ->  [{tags, start, moves: ["c3-d4", ...], winner}]
 *     Pdn.writeGame({black, white, start, moves, winner})  ->  PDN text
 *
 * Black moves first in English draughts, so the score "1-0" means that Black won. Squares are the standard numbers
 * 1 to 32. Written captures name their two ends, and the whole path only where two captures share them; read ones may
 * name any of the squares between. Comments, variations and $-codes are read past.
 *
 * What it does not do: other kinds of draughts, or keeping what it reads past. A FEN has no count of quiet plies, so a
 * position that was read has none.
 *
 * @typedef {{board: (string|string[])[], turn: "b"|"w", quietPlies: number}} State
 * @typedef {{tags: Object<string, string>, start: State, moves: string[], winner: "b"|"w"|"draw"|null}} Game
 */
const Pdn = (function (Rules, Notation) {
  "use strict";

  /** Text that cannot be read; the message says where and why. */
  class PdnError extends Error {}

  const GAME_TYPE = "21,B,8,8,N1,0"; // English draughts: Black begins, 8 by 8, numbers from Black's side
  const SCORES = { b: "1-0", w: "0-1", draw: "1/2-1/2" };
  const WINNERS = { "1-0": "b", "0-1": "w", "1/2-1/2": "draw", "*": null };
  const LINE_LENGTH = 80;

  // ---------------------------------------------------------------- positions

  /**
   * @param {string} text  such as "B:W21-32:B1-12."
   * @returns {State}
   */
  function readFen(text) {
    const [turn, ...sides] = text.replace(/\s+/g, "").replace(/\.$/, "").split(":");
    if (turn !== "B" && turn !== "W") throw fenError(text, "it begins with B or W, the side to move");
    const colours = sides.map((side) => side[0]).sort().join("");
    if (colours !== "BW") throw fenError(text, "after the side to move come the pieces of both sides, as in :W18,K10:B12");
    const board = Array.from({ length: 8 }, () => Array(8).fill("."));
    for (const side of sides) {
      for (const entry of side.slice(1).split(",").filter((each) => each !== "")) {
        for (const number of squaresOf(entry, text)) place(board, side[0], entry[0] === "K", number, text);
      }
    }
    return { board, turn: turn === "B" ? "b" : "w", quietPlies: 0 };
  }

  /** "K10" -> [10], "21-24" -> [21, 22, 23, 24]. */
  function squaresOf(entry, text) {
    const parts = /^K?(\d{1,2})(?:-K?(\d{1,2}))?$/.exec(entry);
    const first = parts ? Number(parts[1]) : 0;
    const last = parts && parts[2] !== undefined ? Number(parts[2]) : first;
    if (first < 1 || last > 32 || first > last) throw fenError(text, `"${entry}" is no square or range from 1 to 32`);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  }

  function place(board, colour, isKing, number, text) {
    const [row, col] = Notation.squareFromNumber(number);
    if (board[row][col] !== ".") throw fenError(text, `square ${number} is named twice`);
    if (!isKing && row === (colour === "B" ? 0 : 7)) {
      throw fenError(text, `square ${number} is on that side's far row, where a man would have been crowned`);
    }
    board[row][col] = isKing ? colour : colour.toLowerCase();
  }

  function fenError(text, why) {
    return new PdnError(`The position "${text}" cannot be read: ${why}.`);
  }

  /** @param {State} state @returns {string} */
  function writeFen(state) {
    const lists = { W: [], B: [] };
    for (let number = 1; number <= 32; number++) {
      const [row, col] = Notation.squareFromNumber(number);
      const cell = state.board[row][col];
      if (cell !== ".") lists[cell.toUpperCase()].push((cell === "B" || cell === "W" ? "K" : "") + number);
    }
    return `${state.turn.toUpperCase()}:W${lists.W.join(",")}:B${lists.B.join(",")}`;
  }

  // -------------------------------------------------------------------- moves

  /** The squares of a move by number: [11, 15], [1, 10, 19]. */
  function numbersOf(move) {
    return [move.from, ...move.path].map(Notation.squareNumber);
  }

  /** A move in numbers with every square: "11-15", "1x10x19". */
  function movePath(move) {
    return numbersOf(move).join(move.captures.length ? "x" : "-");
  }

  /** A legal move in numbers; a capture by its ends, or its whole path where another legal one has the same ends. */
  function writeMove(move, legal) {
    const squares = numbersOf(move);
    const ends = (each) => `${each[0]}x${each[each.length - 1]}`;
    const sharing = legal.filter((other) => ends(numbersOf(other)) === ends(squares));
    return move.captures.length === 0 || sharing.length > 1 ? movePath(move) : ends(squares);
  }

  /**
   * The legal move that a text such as "11-15", "22x15" or "1x10x19" means: the one with exactly these squares,
   * else the one that has these ends and passes the squares between.
   * @throws {PdnError}  when there is none, or more than one that lead to different positions
   */
  function readMove(state, text) {
    const legal = Rules.legalMoves(state);
    const squares = text.split(/[-x:]/).map(Number);
    const exact = legal.filter((move) => numbersOf(move).join() === squares.join());
    const meant = exact.length ? exact : legal.filter((move) => passesThrough(numbersOf(move), squares));
    const after = new Set(meant.map((move) => writeFen(Rules.applyMove(state, move))));
    if (after.size === 1) return meant[0];
    const names = (after.size ? meant : legal).map(movePath);
    const could = names.length ? names.join(", ") : "none, the game is over";
    throw new PdnError(after.size ? `${text} may be any of ${could}` : `${text} is not legal; legal moves: ${could}`);
  }

  /** Whether a path has the given ends, and between them the given squares in that order. */
  function passesThrough(path, squares) {
    const same = path[0] === squares[0] && path[path.length - 1] === squares[squares.length - 1];
    let at = 0;
    for (const square of path) if (square === squares[at]) at++;
    return same && at === squares.length;
  }

  // ------------------------------------------------------------ reading games

  const TOKEN = new RegExp([
    /(?<space>\s+|(?<=^|\n)%[^\n]*|\{[^}]*\}|;[^\n]*|\$\d+)/,
    /\[\s*(?<tag>\w+)\s+"(?<value>(?:[^"\\]|\\.)*)"\s*\]/,
    /(?<open>\()/,
    /(?<close>\))/,
    /(?<score>1\/2-1\/2|1-0(?!\d)|0-1(?!\d)|\*)/,
    /(?<number>\d+\s*\.+)/,
    /(?<move>\d{1,2}(?:[-x:]\d{1,2})+)[!?*]*/,
  ].map((part) => part.source).join("|"), "y");

  /** Calls `onToken` with the named groups of each token, variations left out. */
  function tokens(text, onToken) {
    let depth = 0;
    TOKEN.lastIndex = 0;
    for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
      const found = TOKEN.exec(text);
      if (!found) throw new PdnError(`line ${lineAt(text, at)}: ${JSON.stringify(text.slice(at, at + 20))} is no part of a game`);
      const groups = /** @type {Record<string, string | undefined>} */ (found.groups);
      if (groups.open) depth++;
      else if (groups.close) depth--;
      else if (depth === 0) onToken(groups);
      if (depth < 0) throw new PdnError(`line ${lineAt(text, at)}: a ) that closes nothing`);
    }
    if (depth > 0) throw new PdnError("the text ends inside a variation: a ) is missing");
  }

  function lineAt(text, at) {
    return text.slice(0, at).split("\n").length;
  }

  /** The games as they stand: tags, the moves' texts and the score, nothing checked. */
  function splitGames(text) {
    const games = [];
    let game = null;
    const current = () => (game = game || { tags: {}, moves: [], score: null });
    const finish = () => {
      if (game) games.push(game);
      game = null;
    };
    tokens(text.replace(/^\uFEFF/, ""), ({ tag, value, move, score }) => {
      if (tag && game && game.moves.length) finish();
      if (tag) current().tags[tag] = value.replace(/\\(.)/g, "$1");
      if (move) current().moves.push(move);
      if (score) {
        current().score = score;
        finish();
      }
    });
    finish();
    return games;
  }

  /**
   * Every game of a PDN text, played over.
   * @param {string} text
   * @returns {Game[]}
   * @throws {PdnError}  names the game and the move
   */
  function readGames(text) {
    return splitGames(text).map((game, i) => {
      try {
        return readGame(game);
      } catch (error) {
        if (!(error instanceof PdnError)) throw error;
        throw new PdnError(`game ${i + 1}: ${error.message}`);
      }
    });
  }

  function readGame({ tags, moves, score }) {
    if (tags.GameType && !/^21\b/.test(tags.GameType)) {
      throw new PdnError(`its GameType is ${tags.GameType}; only 21, English draughts, is read`);
    }
    const start = tags.FEN ? readFen(tags.FEN) : Rules.startPosition();
    const names = [];
    let state = start;
    for (const text of moves) {
      const move = readNext(state, text, names.length + 1);
      names.push(Notation.moveName(move));
      state = Rules.applyMove(state, move);
    }
    const winner = WINNERS[score && score !== "*" ? score : tags.Result];
    return { tags, start, moves: names, winner: winner === undefined ? null : winner };
  }

  function readNext(state, text, ply) {
    try {
      return readMove(state, text);
    } catch (error) {
      throw error instanceof PdnError ? new PdnError(`move ${ply}: ${error.message}`) : error;
    }
  }

  // ------------------------------------------------------------ writing games

  /**
   * One game as PDN text, ending in a line break.
   * @param {{black?: string, white?: string, start?: State, moves: string[], winner?: "b"|"w"|"draw"|null,
   *   tags?: Object<string, string>}} game  `tags` are added to the usual ones or replace them
   * @returns {string}
   */
  function writeGame({ black = "?", white = "?", start = Rules.startPosition(), moves, winner = null, tags = {} }) {
    const score = winner ? SCORES[winner] : "*";
    const usual = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", Black: black, White: white, Result: score };
    const fen = writeFen(start);
    const setUp = fen === writeFen(Rules.startPosition()) ? {} : { SetUp: "1", FEN: fen };
    const lines = Object.entries({ ...usual, GameType: GAME_TYPE, ...setUp, ...tags })
      .map(([name, value]) => `[${name} "${String(value).replace(/[\\"]/g, "\\$&").replace(/\s+/g, " ")}"]`);
    return `${lines.join("\n")}\n\n${wrapped([...moveTexts(start, moves), score])}\n`;
  }

  /** ["1.", "11-15", "24-20", "2.", ...]; "1..." where White begins. */
  function moveTexts(start, names) {
    const words = [];
    let state = start;
    let number = 1;
    names.forEach((name, ply) => {
      const legal = Rules.legalMoves(state);
      const move = Notation.findMove(legal, name);
      if (!move) throw new PdnError(`move ${ply + 1}: ${name} is not legal`);
      if (state.turn === "b") words.push(`${number}.`);
      else if (ply === 0) words.push("1...");
      words.push(writeMove(move, legal));
      if (state.turn === "w") number++;
      state = Rules.applyMove(state, move);
    });
    return words;
  }

  function wrapped(words) {
    const lines = [""];
    for (const word of words) {
      const line = lines[lines.length - 1];
      if (line && line.length + 1 + word.length > LINE_LENGTH) lines.push(word);
      else lines[lines.length - 1] = line ? `${line} ${word}` : word;
    }
    return lines.join("\n");
  }

  return { PdnError, readFen, writeFen, readMove, writeMove, movePath, readGames, writeGame };
})(
  typeof Rules !== "undefined" ? Rules : require("./rules.js"),
  typeof Notation !== "undefined" ? Notation : require("./notation.js"),
);

if (typeof module !== "undefined") module.exports = Pdn;
