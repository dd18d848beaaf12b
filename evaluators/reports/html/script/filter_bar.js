// What is shown above the table of rows: every choice that leaves some of them.

import { button, choice, el, fill, refill } from "./dom.js";
import { IN_ORDER } from "./filters.js";
import { cellChoices } from "./labels.js";
import { mistakeName } from "./mistakes.js";
import { fieldName } from "./paths.js";
import { choose, isFiltered, listeners, resetFilters, state } from "./state.js";
import { head, names, rows, run, sliceName, unlisted } from "./store.js";
import { COUNTED, rowWords, statuses, statusNumber } from "./words.js";

const MOST_SLICE_CHOICES = 1000;
const PAUSE = 150; // milliseconds without a key
/** @type {[string, string][]} */
const RESULTS = [
  ["", "any result"],
  ["wrong", "something wrong"],
  ["failed", "failed"],
  ["passed", "passed"],
  ["none", "without a score"],
];

export function filterBar() {
  const search = el("input", { type: "search", placeholder: "id, row number or slice", autocomplete: "off" });
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => choose({ q: search.value }), PAUSE);
  });
  const deep = el("input", { type: "checkbox", change: () => choose({ deep: deep.checked ? "1" : "" }) });
  const selects = el("div.choices");
  const show = () => {
    if (document.activeElement !== search) search.value = state.q;
    deep.checked = state.deep === "1";
    refreshChoices(selects);
  };
  listeners.push(show);
  show();
  const inside = (head.rows?.pieces.length ?? 0) > 0 && el("label.check", deep, "also inside the documents");
  const labelled = el("label.choice.wide", el("span", "Search"), search);
  return el("div.filters", { role: "search", "aria-label": "Rows" }, el("div.search", labelled, inside), selects);
}

/** Makes the choices anew, and gives the focus back to the one that had it.
 * @param {any} selects */
function refreshChoices(selects) {
  const place = [...selects.querySelectorAll("select")].indexOf(document.activeElement);
  refill(selects);
  fill(selects, choices());
  if (place >= 0) selects.querySelectorAll("select")[place].focus();
}

function choices() {
  const fields = fieldChoices();
  const cells = cellChoices();
  const mistakes = head.mistakes.flatMap((one, place) =>
    !state.evaluator || state.evaluator === one.evaluator
      ? [/** @type {[string, string]} */ ([String(place), mistakeName(one)])]
      : [],
  );
  const results = [...RESULTS, ...[...rowWords.values()].slice(1).map((one) => pair(one.word))];
  const states = COUNTED.map(statusNumber).map(
    (status) => /** @type {[string, string]} */ ([String(status), statuses[status].word]),
  );
  /** @type {(label: string, key: string, any: string, options: [string, string][], grouped?: [string, [string, string][]][]) => any} */
  const simple = (label, key, any, options, grouped = []) =>
    choice(label, state[key], [["", [["", any], ...options]], ...grouped], (value) => choose({ [key]: value }));
  const changeEvaluator = (evaluator) => choose({ evaluator, field: "", cell: "", mistake: "" });
  return [
    choice("Result", state.result, [["", results]], (result) => choose({ result })),
    choice("Evaluator", state.evaluator, [["", [["", "all evaluators"], ...names.map(pair)]]], changeEvaluator),
    fields.length > 0 &&
      choice("Field", fieldKey(), [["", [["", "all fields"]]], ...fields], (key) => choose(fieldOfKey(key))),
    fields.length > 0 && simple("Field is", "status", state.field ? "not right" : "anything", states),
    mistakes.length > 0 && simple("Mistake", "mistake", "any", mistakes),
    cells.length > 0 && simple("Expected → output", "cell", "all labels", [], cells),
    run.record.slices.map((column, place) => sliceChoice(sliceName(column), place)),
    run.variants.length > 0 && simple("Variant", "variant", "all variants", run.variants.map(pair)),
    isFiltered() && button("Clear", () => resetFilters({}), {}, "button.clear"),
  ];
}

/** @param {string} name @returns {[string, string]} */
const pair = (name) => [name, name];

const fieldKey = () => (state.field ? JSON.stringify([state.evaluator, state.field]) : "");

/** @param {string} key @returns {Record<string, string>} */
function fieldOfKey(key) {
  if (!key) return { field: "" };
  const [evaluator, field] = JSON.parse(key);
  return { evaluator, field };
}

/** The fields of each evaluator, or of the chosen one, in the order of the suite.
 * @returns {[string, [string, string][]][]} */
function fieldChoices() {
  const asked = run.record.evaluators.filter((one) => !state.evaluator || state.evaluator === one.name);
  const known = new Set(head.weakest.map(([place, field]) => run.evaluators[place].fields[field]));
  return asked.flatMap((one) => {
    const own = run.evaluators.filter((stats) => stats.name === one.name).flatMap((stats) => stats.fields);
    const open = new Set(own.filter((field) => known.has(field)).map((field) => field.path));
    const listed = one.fields.length ? [...one.fields, ...unlisted[names.indexOf(one.name)]] : [...open].sort();
    const options = listed.map(
      (path) => /** @type {[string, string]} */ ([JSON.stringify([one.name, path]), fieldName(path)]),
    );
    return options.length ? [/** @type {[string, [string, string][]]} */ ([one.name, options])] : [];
  });
}

/** @param {string} column @param {number} place */
function sliceChoice(column, place) {
  const values = [...rows.sliceValues[place]].sort(IN_ORDER.compare).slice(0, MOST_SLICE_CHOICES);
  const own = state.slice.startsWith(`${column}=`) ? state.slice : "";
  const options = values.map((value) => /** @type {[string, string]} */ ([`${column}=${value}`, value || "(empty)"]));
  return choice(column, own, [["", [["", "all"], ...options]]], (slice) => choose({ slice }));
}
