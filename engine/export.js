/**
 * Games as PDN text, the form in which draughts players exchange them.
 */
"use strict";

const Pdn = require("../static/js/pdn.js");
const { courseOf } = require("./course.js");

/**
 * @param {{games: any[], event: string, date: string}} request
 * @returns {string}  the games one after the other, a blank line between them
 */
function gamesAsPdn({ games, event, date }) {
  return games.map((game) => {
    courseOf(game);
    const tags = { Event: event, Date: date, Round: String(game.number) };
    if (game.reason) tags.Termination = game.reason;
    return Pdn.writeGame({ ...game, tags });
  }).join("\n");
}

module.exports = { gamesAsPdn };
