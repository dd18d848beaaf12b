// Which rows are shown, and in which order.

import { detailOf } from "./documents.js";
import { cellOf, measured } from "./figures.js";
import { spelled } from "./lines.js";
import { head, names, rows, run, sliceName, sliceOf, unlisted, variantOf, verdictOf, wrongFields } from "./store.js";
import { rowWords, statuses } from "./words.js";

/** @import {Choice, Detail, Verdict} from "./types.d.ts" */

/** What the address says, as far as the run knows it.
 * @param {Record<string, string>} state @returns {Choice} */
export function choiceOf(state) {
  const evaluator = names.indexOf(state.evaluator);
  return {
    evaluators: evaluator < 0 ? names.map((_, place) => place) : [evaluator],
    variant: run.variants.includes(state.variant) ? state.variant : "",
    slice: sliceOfKey(state.slice),
    cell: cellOfKey(state.cell),
    mistake: head.mistakes[Number(state.mistake || "-1")],
    text: state.q.trim().toLowerCase(),
    result: state.result,
    field: state.field,
    status: state.status === "" ? null : Number(state.status),
  };
}

/** @param {string} key @returns {[number, string] | null} */
function sliceOfKey(key) {
  const columns = run.record.slices.map(sliceName);
  const column = columns.findIndex((name) => key.startsWith(`${name}=`));
  return column < 0 ? null : [column, key.slice(columns[column].length + 1)];
}

/** @param {string} evaluator @param {string} expected @param {string} output */
export const cellKey = (evaluator, expected, output) => JSON.stringify([evaluator, expected, output]);

/** @param {string} key @returns {[string, string, string] | null} */
export function cellOfKey(key) {
  try {
    const found = JSON.parse(key);
    return Array.isArray(found) && found.length === 3 ? /** @type {[string, string, string]} */ (found) : null;
  } catch {
    return null;
  }
}

/** The rows that are left, in order; `found` are rows whose documents hold the searched text.
 * @param {Choice} choice @param {string} sort @param {Set<number> | null} found */
export function chosenRows(choice, sort, found) {
  const isInCell = cellTest(choice.cell);
  const hasVerdict = verdictTest(choice);
  const { variant, slice, text, mistake } = choice;
  const mistaken = mistake && new Set(mistake.rows);
  const chosen = [];
  for (let row = 0; row < rows.count; row++) {
    if (variant && variantOf(row) !== variant) continue;
    if (slice && sliceOf(row, slice[0]) !== slice[1]) continue;
    if (!isInCell(row) || !hasVerdict(row)) continue;
    if (mistaken && !(mistaken.has(rows.numbers[row]) && variantOf(row) === mistake.variant)) continue;
    if (text && !saysText(row, text) && !found?.has(row)) continue;
    chosen.push(row);
  }
  return chosen.sort(orderOf(sort));
}

const always = () => true;

/** Whether a row has a verdict of one evaluator that all choices about verdicts hold for.
 * @param {Choice} choice @returns {(row: number) => boolean} */
function verdictTest({ evaluators, result, field, status }) {
  if (!result && !field && status === null) return always;
  const fits = evaluators.map((evaluator) => rows.verdicts[evaluator].map((verdict) => resultHolds(verdict, result)));
  const asksField = field !== "" || status !== null;
  return (row) =>
    evaluators.some(
      (evaluator, place) =>
        fits[place][rows.codes[evaluator][row]] && (!asksField || fieldHolds(row, evaluator, field, status)),
    );
}

/** @param {Verdict} verdict @param {string} result */
export function resultHolds(verdict, result) {
  if (!result) return true;
  if (result === "wrong") return !verdict.fine && !verdict.leftOut;
  if (result === "failed") return verdict.passed === false;
  if (result === "passed") return verdict.passed === true;
  if (result === "none") return verdict.score === null;
  return rowWords.get(verdict.status)?.word === result;
}

/** @param {number} row @param {number} evaluator @param {string} field @param {number | null} status */
function fieldHolds(row, evaluator, field, status) {
  const { letters } = verdictOf(row, evaluator);
  const { fields } = run.record.evaluators[evaluator];
  if (!fields.length || status === null || statuses[status].wrong) {
    const wrong = wrongFields(row, evaluator);
    return wrong.some(([path, as]) => (!field || path === field) && (status === null || as === status));
  }
  return fields.some((path, place) => (!field || path === field) && letters[place] === statuses[status].letter);
}

/** Whether the choice is about fields that only the lines of rows tell: those of open documents, or beside a schema.
 * @param {Choice} choice */
export const needsOutcomes = ({ evaluators, field, status }) =>
  (field !== "" || status !== null) &&
  evaluators.some((evaluator) => {
    const isOpen = !run.record.evaluators[evaluator].fields.length;
    return isOpen || (field ? unlisted[evaluator].includes(field) : unlisted[evaluator].length > 0);
  });

/** @param {number} row @param {string} text */
function saysText(row, text) {
  if (rows.ids[row].toLowerCase().includes(text) || String(rows.numbers[row]) === text) return true;
  return rows.slices.some((_, column) => sliceOf(row, column).toLowerCase().includes(text));
}

/** Whether a row is in the chosen cell of a label table.
 * @param {[string, string, string] | null} cell @returns {(row: number) => boolean} */
function cellTest(cell) {
  if (!cell) return always;
  const [evaluator, expected, output] = cell;
  const wanted = (head.rows?.labelCells ?? []).map((known, variant) => {
    const tables = run.confusion_matrices;
    const table = tables.findIndex(
      (one) => one.evaluator === evaluator && (one.variant ?? "") === (run.variants[variant] ?? ""),
    );
    const place = table < 0 ? -1 : cellOf(tables[table], expected, output);
    return { cells: known[table] ?? [], place, first: rows.variant.indexOf(variant) };
  });
  return (row) => {
    const { cells, place, first } = wanted[rows.variant[row]];
    return place >= 0 && cells[row - first] === place;
  };
}

/** How many rows a chosen cell counts: a long run keeps the cells of some rows only, and then fewer can be shown.
 * @param {Choice} choice */
export function cellSize({ cell, variant }) {
  if (!cell) return 0;
  const [evaluator, expected, output] = cell;
  const tables = run.confusion_matrices.filter(
    (one) => one.evaluator === evaluator && (!variant || one.variant === variant),
  );
  return tables.reduce((sum, table) => sum + (table.cells[cellOf(table, expected, output)]?.count ?? 0), 0);
}

export const IN_ORDER = new Intl.Collator(undefined, { numeric: true });
const withNothingLast = (/** @type {number} */ score) => (Number.isNaN(score) ? 2 : score);

/** @type {Record<string, (one: number, other: number) => number>} */
const ORDERS = {
  row: (one, other) => rows.numbers[one] - rows.numbers[other],
  id: (one, other) => IN_ORDER.compare(rows.ids[one], rows.ids[other]),
  score: (one, other) => withNothingLast(measured.scores[one]) - withNothingLast(measured.scores[other]),
  wrong: (one, other) => measured.wrongs[one] - measured.wrongs[other],
};

/** By a column, upwards or (`-`) downwards; else rows in which something is wrong come first.
 * @param {string} sort @returns {(one: number, other: number) => number} */
function orderOf(sort) {
  const by = ORDERS[sort.replace("-", "")];
  if (!by) return (one, other) => measured.isWrong[other] - measured.isWrong[one] || one - other;
  const sign = sort.startsWith("-") ? -1 : 1;
  return (one, other) => sign * by(one, other) || one - other;
}

/** Looks for a text in the documents of all rows. `tell` hears which share is done. Null when called off.
 * @param {string} text @param {(share: number) => void} tell @param {() => boolean} isCalledOff */
export async function searchDocuments(text, tell, isCalledOff) {
  /** @type {Set<number>} */
  const found = new Set();
  const wanted = JSON.stringify(text.trim().toLowerCase()).slice(1, -1);
  const pieces = head.rows?.pieces ?? [];
  for (let piece = 0; piece < pieces.length; piece++) {
    for (const row of pieces[piece]) {
      if (isCalledOff()) return null;
      const detail = await detailOf(row);
      if (detail && writtenIn(detail).toLowerCase().includes(wanted)) found.add(row);
    }
    tell((piece + 1) / pieces.length);
  }
  return found;
}

/** What a reader sees of a row, without the names that only the page uses.
 * @param {Detail} detail */
function writtenIn(detail) {
  const documents = detail.documents.map((one) => [one.before, one.value, one.after, one.message]);
  const fields = detail.evaluators.flatMap((one) => one.fields);
  const said = fields.map((one) => [one.path, one.reason, one.expected, one.actual]);
  return String(spelled([documents, detail.evaluators.map((one) => one.reason), said, detail.cells]));
}
