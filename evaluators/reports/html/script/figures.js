// What is counted from rows and from run.json for the charts and the table of rows.

import { isWrong, rows, variants, verdictOf } from "./store.js";
import { counted } from "./words.js";

/** @import {FieldStats, LabelTable} from "./types.d.ts" */

const BINS = 20;

/** The scores of all rows of a variant: a bin for 0, one for 1, and steps of a twentieth between them.
 * @param {number} evaluator @param {string | null} variant */
export function binned(evaluator, variant) {
  const bins = new Array(BINS + 2).fill(0);
  for (let row = 0; row < rows.count; row++) {
    const { score } = verdictOf(row, evaluator);
    if (variants[rows.variant[row]] !== variant || score === null) continue;
    bins[score === 0 ? 0 : score === 1 ? BINS + 1 : 1 + Math.floor(score * BINS)] += 1;
  }
  return bins;
}

/** @param {number[]} bins */
export const binsInWords = (bins) =>
  bins
    .map((size, index) => size && `${counted(size, "row")} ${binWords(index)}`)
    .filter(Boolean)
    .join(", ");

/** @param {number} index */
function binWords(index) {
  if (index === 0) return "at 0";
  return index === BINS + 1 ? "at 1" : `from ${(index - 1) / BINS} to ${index / BINS}`;
}

/** Of each row: its mean score over the evaluators given, without one NaN; how much went wrong; whether anything did. */
export const measured = { scores: new Float64Array(0), wrongs: new Uint32Array(0), isWrong: new Uint8Array(0) };

/** @param {number[]} evaluators */
export function measureRows(evaluators) {
  measured.scores = new Float64Array(rows.count).fill(Number.NaN);
  measured.wrongs = new Uint32Array(rows.count);
  measured.isWrong = new Uint8Array(rows.count);
  for (let row = 0; row < rows.count; row++) {
    let [sum, scored] = [0, 0];
    for (const evaluator of evaluators) {
      const verdict = verdictOf(row, evaluator);
      measured.wrongs[row] += verdict.wrong || (verdict.passed === false ? 1 : 0);
      if (isWrong(verdict)) measured.isWrong[row] = 1;
      if (verdict.score === null) continue;
      sum += verdict.score;
      scored += 1;
    }
    if (scored) measured.scores[row] = sum / scored;
  }
}

/** @param {FieldStats} field */
export const countedIn = (field) => Object.values(field.counts).reduce((sum, size) => sum + size, 0);

/** The lowest first; what has no figure comes last.
 * @template {{mean: number | null}} Kind
 * @param {Kind[]} stats */
export const lowestFirst = (stats) => [...stats].sort((one, other) => (one.mean ?? 2) - (other.mean ?? 2));

/** How often something was given where something was expected.
 * @param {LabelTable} table @param {string} expected @param {string} output */
export const cellOf = (table, expected, output) =>
  table.cells.findIndex((one) => one.expected === expected && one.output === output);
