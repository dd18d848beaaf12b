// Words and numbers, as the other reports spell them. The words of statuses come with the page.

/** @import {EvaluatorStats, Head, Interval, Status} from "./types.d.ts" */

/** The statuses in the order of the columns of the heat-map. */
export const COUNTED = [
  "match",
  "mismatch",
  "omission",
  "hallucination",
  "error",
  "not_judged",
  "skipped",
  "not_measured",
];

/** @type {Status[]} By number: that of its letter in the codes of a run folder. */
export const statuses = [];
/** @type {Map<string, {word: string, sentence: string}>} What a row may be, by its name in a run folder. */
export const rowWords = new Map();

/** @param {NonNullable<Head["words"]>} words */
export function learnWords(words) {
  statuses.splice(0, statuses.length, ...words.statuses);
  rowWords.clear();
  for (const [name, said] of Object.entries(words.rows)) rowWords.set(name, said);
}

/** @param {string} name */
export const statusNumber = (name) => statuses.findIndex((one) => one.name === name);
/** @param {string} letter */
export const numberOfLetter = (letter) => statuses.findIndex((one) => one.letter === letter);

/** @param {number} count */
export const number = (count) => count.toLocaleString("en-US");
/** @param {number} count @param {string} noun */
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

const UNDEFINED = "–";

/** With so many decimals, halves to the even digit.
 * @param {number} value @param {number} decimals */
function fixed(value, decimals) {
  const text = value.toFixed(decimals);
  const isHalf = /^50*$/.test(value.toFixed(decimals + 25).slice(-25));
  return isHalf && Number(text.slice(-1)) % 2 ? (Number(text) - 10 ** -decimals).toFixed(decimals) : text;
}

/** The same, never rounded to 0 or 1 where that is not reached.
 * @param {number} value @param {number} decimals */
function rounded(value, decimals) {
  const text = fixed(value, decimals);
  const step = 10 ** -decimals;
  if (value < 1 && Number(text) === 1) return (1 - step).toFixed(decimals);
  return value > 0 && Number(text) === 0 ? step.toFixed(decimals) : text;
}

/** A score or a rate with four decimals.
 * @param {number | null} value */
export const scoreText = (value) => (value === null || Number.isNaN(value) ? UNDEFINED : rounded(value, 4));

/** An interval of a score or a rate; empty where there is none.
 * @param {Interval | null} found */
export const intervalText = (found) => (found ? `[${scoreText(found.low)}, ${scoreText(found.high)}]` : "");

/** A figure over rows, with their number where more than a twentieth of the rows were kept out.
 * @param {EvaluatorStats} stats @param {string} figure */
export function ofPart(stats, figure) {
  const lost = stats.invalid + stats.unjudged + stats.bugs;
  return stats.scored && 20 * lost > stats.scored + lost ? `${figure} (${counted(stats.scored, "row")})` : figure;
}
