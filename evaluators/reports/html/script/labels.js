// Label tables: which outputs were given for which expected label. A count leads to its rows.

import { button, el, head_, plain, scrollable, table, titled } from "./dom.js";
import { cellOf } from "./figures.js";
import { cellKey } from "./filters.js";
import { neutralBlock, neutralItem } from "./sections.js";
import { showRows, state } from "./state.js";
import { head, run } from "./store.js";
import { counted, number } from "./words.js";

/** @import {Item, LabelTable, Section} from "./types.d.ts" */

const MOST_CELL_CHOICES = 500;

/** @param {Section} section */
export function labelSection({ id, title, blocks, labels }) {
  const matrix = run.confusion_matrices[labels ?? 0];
  const isKnown = knowsCells(labels ?? 0);
  const isMatrix = ([, ...heads]) => heads.every(([name], place) => name === matrix.columns[place]);
  const made = blocks.map((block) => {
    if (block.columns?.length === matrix.columns.length + 1 && isMatrix(block.columns))
      return confusionTable(matrix, isKnown);
    if (block.items)
      return el(
        "ul.items",
        block.items.map((item) => confusionItem(item, matrix, isKnown)),
      );
    return neutralBlock(block, `${title}, metrics`);
  });
  return titled(id, String(title), made);
}

/** The page knows which rows are behind the cells of a table.
 * @param {number} place */
const knowsCells = (place) => (head.rows?.labelCells ?? []).some((known) => place in known);

/** @param {LabelTable} matrix @param {boolean} isKnown */
function confusionTable(matrix, isKnown) {
  const heads = [head_("expected"), matrix.columns.map((name) => head_(plain(name), "th.number"))];
  const expected = [
    ...new Set([...matrix.labels.map((one) => one.label), ...matrix.cells.map((cell) => cell.expected)]),
  ];
  const lines = expected.map((label) => {
    const whole = matrix.cells.filter((cell) => cell.expected === label).reduce((sum, cell) => sum + cell.count, 0);
    const cells = matrix.columns.map((column) => confusionCell(matrix, label, column, whole, isKnown));
    return el("tr", el("th", { scope: "row" }, plain(label)), cells);
  });
  const name = `${matrix.evaluator}${matrix.variant ? ` (${matrix.variant})` : ""}`;
  return scrollable(
    `Confusion matrix of ${name}: expected, and in the outputs`,
    table("table.heat.labels", heads, el("tbody", lines)),
  );
}

/** @param {LabelTable} matrix @param {string} expected @param {string} output @param {number} whole @param {boolean} isKnown */
function confusionCell(matrix, expected, output, whole, isKnown) {
  const cell = matrix.cells[cellOf(matrix, expected, output)];
  if (!cell) return el("td.number.cell.heat-empty", el("span", "0"));
  const text = el("span", number(cell.count));
  const said = `${expected} expected, ${output} in the output: ${counted(cell.count, "row")}, show them`;
  const inside = isKnown ? button(text, () => showCell(matrix, expected, output), { "aria-label": said }) : text;
  const tone = expected === output ? "good" : "wrong";
  return el(`td.number.cell.heat-${tone}`, { vars: { share: cell.count / whole } }, inside);
}

/** A line about outputs that stand for another label; it begins with the two labels.
 * @param {Item} item @param {LabelTable} matrix @param {boolean} isKnown */
function confusionItem(item, matrix, isKnown) {
  const cell = matrix.cells.find((one) => item.text.startsWith(`${nameOf(one)}: `));
  if (!cell || !isKnown) return neutralItem(item);
  const show = () => showCell(matrix, cell.expected, cell.output);
  return el("li", button(plain(nameOf(cell)), show, {}, "button.link"), plain(item.text.slice(nameOf(cell).length)));
}

/** @param {{expected: string, output: string}} cell */
const nameOf = (cell) => `${cell.expected} → ${cell.output}`;

/** @param {LabelTable} matrix @param {string} expected @param {string} output */
function showCell({ evaluator, variant }, expected, output) {
  showRows({ cell: cellKey(evaluator, expected, output), evaluator, variant: variant ?? "" });
}

/** The cells of label tables, by evaluator; those of several variants are one.
 * @returns {[string, [string, string][]][]} */
export function cellChoices() {
  const known = run.confusion_matrices.filter((_, place) => knowsCells(place));
  const asked = [...new Set(known.map((one) => one.evaluator))].filter(
    (name) => !state.evaluator || state.evaluator === name,
  );
  return asked.map((name) => {
    const cells = run.confusion_matrices.filter((one) => one.evaluator === name).flatMap((one) => one.cells);
    const keys = new Map(cells.map((one) => [cellKey(name, one.expected, one.output), nameOf(one)]));
    return [name, [...keys].slice(0, MOST_CELL_CHOICES)];
  });
}
