// Which rows of a comparison are shown, and which of their fields. Nothing here draws.

/** @import {ChangedField, ChangedRow, ComparisonChoice} from "./types.d.ts" */

/** What may have become of a row, the weightiest first. */
export const CHANGES = ["broken", "lost", "fixed", "gained", "settled", "unchanged"];

/** The rows that a choice leaves, the weightiest changes first, each with the fields that it leaves. With a field, the change is that of the field.
 * @param {ChangedRow[]} rows @param {ComparisonChoice} choice @returns {{row: ChangedRow, fields: ChangedField[]}[]} */
export function comparedRows(rows, choice) {
  const text = choice.q.trim().toLowerCase();
  const left = rows.flatMap((row) => {
    if (text && !row.id.toLowerCase().includes(text) && String(row.number) !== text) return [];
    const own = row.fields.filter((one) => isChosen(one, choice));
    const isLeft = choice.field
      ? own.length > 0
      : (!choice.change || row.change === choice.change) && (!choice.evaluator || concerns(row, choice.evaluator));
    return isLeft ? [{ row, fields: own.sort((one, other) => weight(one) - weight(other)) }] : [];
  });
  return left.sort((one, other) => weight(one.row) - weight(other.row));
}

/** @param {ChangedField} one @param {ComparisonChoice} choice */
function isChosen(one, { change, evaluator, field }) {
  if (evaluator && one.evaluator !== evaluator) return false;
  return !field || (one.field === field && (!change || one.change === change));
}

/** @param {{change: string}} one */
const weight = ({ change }) => CHANGES.indexOf(change);

/** @param {ChangedRow} row @param {string} evaluator */
const concerns = (row, evaluator) =>
  row.fields.some((one) => one.evaluator === evaluator) ||
  Object.values(row.verdicts).some((names) => names.includes(evaluator));

/** How many rows changed in each way.
 * @param {ChangedRow[]} rows @returns {[string, number][]} */
export const changeCounts = (rows) =>
  CHANGES.map(
    (change) => /** @type {[string, number]} */ ([change, rows.filter((row) => row.change === change).length]),
  ).filter(([, size]) => size > 0);

/** The fields of each evaluator with the number of rows in which they changed, the most often changed first.
 * @param {ChangedRow[]} rows @returns {[string, [string, number][]][]} */
export function changedFields(rows) {
  /** @type {Map<string, Map<string, number>>} */
  const found = new Map();
  for (const { fields } of rows)
    for (const key of new Set(
      fields.filter((one) => one.field).map((one) => JSON.stringify([one.evaluator, one.field])),
    )) {
      const [evaluator, field] = JSON.parse(key);
      const own = found.get(evaluator) ?? new Map();
      own.set(field, (own.get(field) ?? 0) + 1);
      found.set(evaluator, own);
    }
  return [...found].map(([evaluator, own]) => [evaluator, [...own].sort(([, one], [, other]) => other - one)]);
}

/** The evaluators that say something of some row.
 * @param {ChangedRow[]} rows @returns {string[]} */
export const comparedEvaluators = (rows) => [
  ...new Set(rows.flatMap((row) => [...row.fields.map((one) => one.evaluator), ...Object.values(row.verdicts).flat()])),
];
