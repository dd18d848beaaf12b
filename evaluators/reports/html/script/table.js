// The table of rows. Only the lines in view exist, between two fillers that keep the scroll bar right.

import { detailOf, MOST_CHARS } from "./documents.js";
import { button, el, framed, plain, refill, seenOnly, titled, unseen } from "./dom.js";
import { measured, measureRows } from "./figures.js";
import { filterBar } from "./filter_bar.js";
import { cellSize, choiceOf, chosenRows, needsOutcomes, searchDocuments } from "./filters.js";
import { spelled } from "./lines.js";
import { signOf, statusMark } from "./marks.js";
import { generalPath } from "./paths.js";
import { withCode } from "./sections.js";
import { choose, FILTER_KEYS, state } from "./state.js";
import {
  head,
  indexOutcomes,
  isIndexed,
  keyOf,
  names,
  rows,
  run,
  unlisted,
  variantOf,
  verdictOf,
  wrongFields,
} from "./store.js";
import { arrowed, lineText, markedPair } from "./values.js";
import { counted, number, rowWords, scoreText, statuses } from "./words.js";

/** @import {Detail, Field, ShownDocument} from "./types.d.ts" */

const LINES_BEYOND = 12;
const MOST_PRINTED = 200;
/** The share of the window that the table takes at most, as the style says. */
const MOST_HEIGHT = 0.7;
const MOST_NAMED = 4;
const LONGEST_TEXT = 300;
const MOST_VALUES = 3;
const MOST_VALUE_CHARS = 120;
const SORTED_COLUMNS = [
  ["row", "Row"],
  ["id", "Id"],
  ["score", "Score"],
  ["wrong", "What went wrong"],
];

/** What is in view.
 * @type {Record<string, any>} */
export const view = { rows: [], body: null, box: null, first: -1, last: -1, heads: [], focus: -1 };

export function rowSection() {
  if (!head.rows) return null;
  if (!rows.count) return titled("rows", "Rows", el("p", "There are no rows."));
  for (const name of ["status", "meaning", "order"]) view[name] = el("p.found.quiet");
  view.status = el("p.found", { role: "status" });
  view.body = el("tbody");
  for (const name of ["top", "bottom"])
    view[name] = el("tr.filler", { "aria-hidden": "true" }, el("td", { colspan: columnCount() }));
  const lines = el("table.lines", { "aria-rowcount": rows.count + 1 }, el("thead", headLine()), view.body);
  const named = { role: "region", "aria-label": "Rows of the test set", tabindex: "0" };
  view.box = el("div.rows", { ...named, scroll: drawLines, keydown: moveByKey }, lines);
  const said = head.rows.packed && el("p.tone-note", withCode(head.rows.packed));
  return titled("rows", "Rows", said, filterBar(), view.status, view.meaning, view.order, framed(view.box));
}

/** The evaluators that compare the text of the output as a whole: then both texts stand in the table. */
const textEvaluators = () =>
  run.record.evaluators.flatMap(({ fields, readings }, place) => {
    const sides = readings.filter((one) => one.how === "text").map((one) => one.side);
    return !fields.length && sides.includes("expected") && sides.includes("output") ? [place] : [];
  });
const columnCount = () => 4 + (run.variants.length ? 1 : 0) + (textEvaluators().length ? 2 : 0);

function headLine() {
  const sorted = SORTED_COLUMNS.map(([key, text]) => [
    key,
    el(
      `th.column-${key}`,
      { scope: "col" },
      button(text, () => sortBy(key)),
    ),
  ]);
  view.heads = sorted;
  const made = sorted.map(([, node]) => node);
  if (run.variants.length) made.splice(2, 0, el("th.column-variant", { scope: "col" }, "Variant"));
  const texts = textEvaluators().length ? ["Expected", "Output"] : [];
  return el(
    "tr",
    { "aria-rowindex": "1" },
    made,
    texts.map((text) => el("th.column-text", { scope: "col" }, text)),
  );
}

/** The first choice of a column sorts upwards (what went wrong: most first), the second the other way, the third not at all.
 * @param {string} key */
function sortBy(key) {
  const order = key === "wrong" ? ["-wrong", "wrong", ""] : [key, `-${key}`, ""];
  choose({ sort: order[(order.indexOf(state.sort) + 1) % order.length] });
}

/** @type {string | null} */
let measuredFor = null;
/** @type {{text: string, found: Set<number> | null}} */
let searched = { text: "", found: null };
let lastAsked = "";

/** Follows the reader's choices. */
export async function refreshRows() {
  const asked = JSON.stringify([...FILTER_KEYS, "sort"].map((key) => state[key]));
  if (asked === lastAsked) return;
  lastAsked = asked;
  const isCalledOff = () => lastAsked !== asked;
  const wanted = choiceOf(state);
  if (measuredFor !== state.evaluator) {
    measuredFor = state.evaluator;
    measureRows(wanted.evaluators);
  }
  for (const [key, node] of view.heads) {
    const isOwn = state.sort.replace("-", "") === key;
    node.setAttribute("aria-sort", !isOwn ? "none" : state.sort.startsWith("-") ? "descending" : "ascending");
  }
  if (needsOutcomes(wanted) && !isIndexed()) {
    view.status.textContent = "Reading what became of fields…";
    await indexOutcomes();
    if (isCalledOff()) return;
  }
  const text = state.deep ? state.q.trim() : "";
  showChosen(text && searched.text === text ? searched.found : null);
  if (text && searched.text !== text) await searchInside(text, isCalledOff);
}

/** @param {string} text @param {() => boolean} isCalledOff */
async function searchInside(text, isCalledOff) {
  const tell = (share) => {
    view.status.textContent = `Searching the documents: ${Math.round(100 * share)} %`;
  };
  const found = await searchDocuments(text, tell, isCalledOff);
  if (!found || isCalledOff()) return;
  searched = { text, found };
  showChosen(found);
}

/** @param {Set<number> | null} found */
function showChosen(found) {
  view.rows = chosenRows(choiceOf(state), state.sort, found);
  view.first = view.last = view.focus = -1;
  view.box.scrollTop = 0;
  const isAll = view.rows.length === rows.count;
  view.status.textContent = isAll
    ? counted(rows.count, "row")
    : `${number(view.rows.length)} of ${counted(rows.count, "row")}`;
  const asked = askedField() !== null;
  view.box.classList.toggle("asks-field", asked);
  const values = asked ? "Values: expected → output." : "";
  view.meaning.textContent = [scoreMeaning(), values, cellsLeftOut()].filter(Boolean).join(" ");
  const wrong = view.rows.filter((row) => measured.isWrong[row]).length;
  const isMixed = !state.sort && wrong > 0 && wrong < view.rows.length;
  view.order.textContent = isMixed
    ? `The ${counted(wrong, "row")} with something wrong come first.`.replace(
        "1 row with something wrong come",
        "row with something wrong comes",
      )
    : "";
  drawLines();
}

/** What the score of a row is, which has one from each evaluator. */
function scoreMeaning() {
  const { evaluators } = choiceOf(state);
  if (evaluators.length === 1) return `Score: the row's score by ${names[evaluators[0]]}.`;
  const many = number(evaluators.length);
  return `Score: the mean of the row's scores over the ${many} evaluators; one without a score is left out.`;
}

function cellsLeftOut() {
  const size = cellSize(choiceOf(state));
  const isAlone = FILTER_KEYS.every((key) => !state[key] || ["cell", "evaluator", "variant"].includes(key));
  const said = `${number(size)} rows are counted there; the texts of the others were not kept.`;
  return isAlone && size > view.rows.length ? said : "";
}

const lineHeight = () => Number.parseFloat(getComputedStyle(view.box).getPropertyValue("--line")) || 44;

/** Makes the lines that are in view, and those close to it. */
function drawLines() {
  const height = lineHeight();
  const first = Math.max(0, Math.floor(view.box.scrollTop / height) - LINES_BEYOND);
  const room = Math.max(view.box.clientHeight, innerHeight * MOST_HEIGHT); // an empty box is as low as its head
  const last = Math.min(view.rows.length, Math.ceil((view.box.scrollTop + room) / height) + LINES_BEYOND);
  if (first !== view.first || last !== view.last) drawBetween(first, last, height);
}

/** @param {number} first @param {number} last @param {number} height */
function drawBetween(first, last, height) {
  const isFocused = view.body.contains(document.activeElement);
  Object.assign(view, { first, last });
  view.top.firstChild.style.height = `${first * height}px`;
  view.bottom.firstChild.style.height = `${(view.rows.length - last) * height}px`;
  const lines = view.rows.slice(first, last).map((row, place) => line(row, first + place));
  const none = el("tr", el("td.nothing", { colspan: columnCount() }, "No row fits these choices."));
  refill(view.body, first > 0 && view.top, lines.length ? lines : none, last < view.rows.length && view.bottom);
  if (isFocused) focusLine(view.focus);
}

/** @param {number} row @param {number} place */
function line(row, place) {
  const label = { "aria-label": `Open row ${rows.numbers[row]}`, "data-place": place };
  const opener = button(String(rows.numbers[row]), null, label);
  opener.addEventListener("focus", () => {
    view.focus = place;
  });
  const wrong = el("td.column-wrong", wrongWords(row, null));
  const texts = textEvaluators().length ? ["expected", "output"].map(() => el("td.column-text")) : [];
  const made = el(
    "tr",
    { "aria-rowindex": place + 2, click: () => choose({ row: keyOf(row) }) },
    el("td.column-row", opener),
    el("td.column-id", plain(rows.ids[row])),
    run.variants.length > 0 && el("td.column-variant", plain(variantOf(row) ?? "")),
    el("td.column-score", scoreMark(row)),
    wrong,
    texts,
  );
  if (texts.length || askedField() !== null || tellsMore(row))
    detailOf(row).then((detail) => detail && showMore(row, detail, wrong, texts));
  return made;
}

/** An evaluator without listed fields gives its reason, or the fields, in the lines of the row; so it does with fields beside them.
 * @param {number} row */
const tellsMore = (row) =>
  choiceOf(state).evaluators.some((place) => {
    const isPartly = unlisted[place].length > 0 && !isIndexed();
    return !verdictOf(row, place).fine && (isPartly || !wrongFields(row, place).length);
  });

/** Puts into a line what is only known once the lines of its row are unpacked.
 * @param {number} row @param {Detail} detail @param {any} wrong @param {any[]} texts */
function showMore(row, detail, wrong, texts) {
  const words = wrongWords(row, detail);
  refill(wrong, Array.isArray(words) ? el("div.two-lines", words) : words);
  const compared = textEvaluators();
  const evaluator = choiceOf(state).evaluators.find((place) => compared.includes(place));
  const documents = evaluator === undefined ? [] : detail.evaluators[evaluator].documents;
  texts.forEach((cell, place) => {
    const side = ["expected", "output"][place];
    const found = documents.find((one) => one.side === side);
    refill(cell, found && shortText(found));
  });
}

/** @param {ShownDocument} found */
function shortText({ kind, value }) {
  const text = kind === "absent" ? "" : kind === "json" ? String(spelled(value)) : String(value).slice(0, MOST_CHARS);
  if (!text.trim()) return el("span.quiet", "nothing is there");
  return el("span.two-lines", { title: text.length > LONGEST_TEXT ? null : text }, plain(text.slice(0, LONGEST_TEXT)));
}

/** @param {number} row */
function scoreMark(row) {
  const score = measured.scores[row];
  const verdicts = choiceOf(state).evaluators.map((place) => verdictOf(row, place));
  const hasFailed = verdicts.some((verdict) => verdict.passed === false);
  const isOpen = Number.isNaN(score) || verdicts.every((verdict) => verdict.passed === null && !verdict.fine);
  const [tone, word] = hasFailed ? ["wrong", "failed"] : isOpen ? ["none", "no verdict"] : ["good", "passed"];
  return el(`span.mark.mark-${tone}`, seenOnly(signOf(tone)), unseen(word), el("span", scoreText(score)));
}

/** The fields of a row that went wrong, by evaluator, as far as a line has room.
 * @param {number} row @param {Detail | null} detail */
function wrongWords(row, detail) {
  const said = [];
  for (const place of choiceOf(state).evaluators) {
    const field = askedField();
    const values = field === null ? [] : valueWords(field, detail?.evaluators[place].fields ?? []);
    const words = values.length ? values : verdictWords(row, place, detail?.evaluators[place].reason ?? "");
    if (words.length) said.push(el("span.said", names.length > 1 && [el("b", plain(names[place])), " "], words));
    if (said.length >= MOST_NAMED) break;
  }
  return said.length ? said : el("span.quiet", "nothing");
}

/** The field that the reader asked for, by its name or by a mistake; null where there is none. */
function askedField() {
  const { field, mistake } = choiceOf(state);
  return field || mistake?.field || null;
}

/** The field that was asked for with both of its values, `expected → output`; of several values, the first ones.
 * @param {string} field @param {Field[]} fields */
function valueWords(field, fields) {
  const { status } = choiceOf(state);
  const isAsked = (one) => (status === null ? statuses[one.status].wrong : one.status === status);
  const own = fields.filter((one) => [one.path, one.field, generalPath(one.path)].includes(field) && isAsked(one));
  const more = own.length - MOST_VALUES;
  return [
    ...own.slice(0, MOST_VALUES).flatMap((one) => [statusMark(one.path, one.status), " ", valuesOf(one), " "]),
    ...(more > 0 ? [`and ${number(more)} more`] : []),
  ];
}

/** @param {Field} one */
function valuesOf(one) {
  if (!("expected" in one || "actual" in one)) return null;
  const text = (side) => (side in one ? lineText(one[side], MOST_VALUE_CHARS) : null);
  return arrowed(
    markedPair(text("expected"), text("actual"), statuses[one.status].name === "mismatch"),
    "expected, and",
  );
}

/** @param {number} row @param {number} evaluator @param {string} reason */
function verdictWords(row, evaluator, reason) {
  const verdict = verdictOf(row, evaluator);
  if (verdict.fine || (verdict.leftOut && !verdict.issue)) return [];
  if (verdict.status !== "scored") return [el("span", rowWords.get(verdict.status)?.word ?? verdict.status)];
  const wrong = wrongFields(row, evaluator);
  const named = wrong.slice(0, MOST_NAMED).map(([path, status]) => statusMark(path, status));
  if (wrong.length > MOST_NAMED) named.push(`and ${number(wrong.length - MOST_NAMED)} more`);
  if (!named.length && reason) named.push(plain(reason));
  const otherwise = verdict.counts ? countWords(verdict.counts) : scoreText(verdict.score);
  if (!named.length) named.push(el("span.quiet", otherwise));
  return named.flatMap((one) => [one, " "]);
}

/** @param {number[]} counts Right, wrong, missing and extra. */
function countWords(counts) {
  const said = counts.map((size, place) => place > 0 && size > 0 && `${number(size)} ${statuses[place + 1].word}`);
  return said.filter(Boolean).join(", ") || "did not pass";
}

/** Arrow keys go from row to row.
 * @param {any} event */
function moveByKey(event) {
  const page = Math.max(1, Math.floor(view.box.clientHeight / lineHeight()) - 1);
  const all = view.rows.length;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -all, End: all };
  if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (!event.target.closest("tbody") && event.target !== view.box) return;
  event.preventDefault();
  const from = event.target === view.box && view.focus < 0 ? -1 : view.focus;
  focusLine(Math.max(0, Math.min(all - 1, from + steps[event.key])));
}

/** @param {number} place */
export function focusLine(place) {
  if (place < 0 || place >= view.rows.length) return;
  const height = lineHeight();
  const room = view.box.clientHeight - 2 * height;
  view.focus = place;
  if (place * height < view.box.scrollTop) view.box.scrollTop = place * height;
  if (place * height > view.box.scrollTop + room) view.box.scrollTop = place * height - room;
  drawLines();
  view.body.querySelector(`[data-place="${place}"]`)?.focus({ preventScroll: true });
}

export function redraw() {
  if (!view.box) return;
  view.first = -1;
  drawLines();
}

/** Paper has no scroll bar: it gets the first rows. */
export function followPrinter() {
  addEventListener("beforeprint", () => {
    if (!view.box) return;
    drawBetween(0, Math.min(view.rows.length, MOST_PRINTED), 0);
    if (view.rows.length > MOST_PRINTED) view.status.textContent += `; the first ${MOST_PRINTED} are printed`;
  });
  addEventListener("afterprint", () => {
    if (view.box) view.status.textContent = view.status.textContent.split(";")[0];
    redraw();
  });
}
