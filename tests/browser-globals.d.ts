// The names that earlier <script> tags give to later ones, for the type checker (tsconfig.json).
declare const Rules: typeof import("../static/js/rules.js");
declare const Notation: typeof import("../static/js/notation.js");
declare const Evaluate: typeof import("../static/js/evaluate.js");
declare const Search: typeof import("../static/js/search.js");
declare const Ai: typeof import("../static/js/ai.js");
declare const Pdn: typeof import("../static/js/pdn.js");
declare const Weights: typeof import("../static/js/weights.js");
