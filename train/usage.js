/**
 * Wrong use of a program of this room; the message says what was wrong and what to do.
 */
"use strict";

class UsageError extends Error {}

module.exports = { UsageError };
