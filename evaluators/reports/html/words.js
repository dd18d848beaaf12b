// Words and figures, as the other reports spell them.

/** By number of the status. `tone` colours, `sign` and `word` say the same to those who do not see colours. */
const STATUSES = [
  { word: "not measured", sign: "·", tone: "none" },
  { word: "right", sign: "✓", tone: "good" },
  { word: "wrong", sign: "✕", tone: "wrong" },
  { word: "missing", sign: "−", tone: "missing" },
  { word: "extra", sign: "+", tone: "extra" },
  { word: "skipped", sign: "○", tone: "none" },
  { word: "error", sign: "!", tone: "wrong" },
  { word: "not judged", sign: "?", tone: "fault" },
];
const MATCH = 1;
const WRONG_STATUSES = [2, 3, 4, 6, 7];
/** The order of the columns of the heat-map. */
const COUNTED_STATUSES = [1, 2, 3, 4, 6, 7, 5, 0];

const STANDINGS = ["scored", "unreadable", "blocked", "skipped", "not measured", "invalid", "unjudged", "bug"];
const UNREADABLE = 1;
const LAST_SCORED = 2;
/** Skipped and not measured: nothing is wrong with such a row. */
const LEFT_OUT = [3, 4];
const STANDING_SENTENCES = [
  "",
  "The output could not be read, so the row scores 0.",
  "An evaluator that this one needs did not pass, so the row scores 0.",
  "The suite leaves this row out.",
  "There is nothing to measure in this row.",
  "The test set is at fault, so there is no score.",
  "Something outside kept the row from being judged.",
  "A fault in the program kept the row from being scored.",
];
const RESULTS = [
  ["", "any result"],
  ["wrong", "something wrong"],
  ["failed", "failed"],
  ["passed", "passed"],
  ["none", "without a score"],
  ...STANDINGS.slice(1).map((word) => [word, word]),
];
const FOUND = { whole: "", fence: "The JSON is inside a code fence.", embedded: "The JSON is inside other text." };

const number = (count) => count.toLocaleString("en-US");
const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A score with four decimals that never claims more than the figure does. */
function scoreText(value) {
  if (value === null || Number.isNaN(value)) return "–";
  const text = value.toFixed(4);
  if (value < 1 && text === "1.0000") return "0.9999";
  return value > 0 && text === "0.0000" ? "0.0001" : text;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
