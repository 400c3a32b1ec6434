const Weights = (function () {
  "use strict";
  return {};
})();

if (typeof module !== "undefined") module.exports = Weights;
