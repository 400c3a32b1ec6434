// The names that earlier <script> tags give to later ones, for the type checker (tsconfig.json).
declare const Rules: typeof import("../static/js/rules.js");
declare const Notation: typeof import("../static/js/notation.js");
declare const Evaluate: typeof import("../static/js/evaluate.js");
declare const Sums: typeof import("../static/js/sums.js");
declare const Network: typeof import("../static/js/network.js");
declare const Table: typeof import("../static/js/table.js");
declare const Order: typeof import("../static/js/order.js");
declare const AlphaBeta: typeof import("../static/js/alphabeta.js");
declare const Search: typeof import("../static/js/search.js");
declare const Ai: typeof import("../static/js/ai.js");
declare const Pdn: typeof import("../static/js/pdn.js");
declare const Weights: typeof import("../static/js/weights.js");
