/**
 * usage.js: the error of the training programs' wrong use; its message says what to do.
 */
"use strict";

class UsageError extends Error {}

module.exports = { UsageError };
