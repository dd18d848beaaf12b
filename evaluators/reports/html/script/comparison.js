// Two runs side by side, row by row: what is expected, what the base gave and what the new run gives. The view keeps nothing of its
// own beside the number of rows in sight: whoever shows it gives it the choice, and is told of another one.

import { changeCounts, changedFields, comparedEvaluators, comparedRows } from "./compared.js";
import { button, choice, el, fill, plain, refill, titled } from "./dom.js";
import { badge, treeMark } from "./marks.js";
import { fieldName } from "./paths.js";
import { AFTER_ROWS, neutralSection, withCode } from "./sections.js";
import { lineText, markedPair, nothing, valueText } from "./values.js";
import { counted, number, statuses, statusNumber } from "./words.js";

/** @import {ChangedField, ChangedRow, Comparison, ComparisonChoice, Section} from "./types.d.ts" */

const ROWS_AT_ONCE = 50;
const MOST_VALUE_LETTERS = 2000;
const LONGEST_LINE = 120;
const TONES = { broken: "bad", lost: "warning", fixed: "good", gained: "note", settled: "note" };
/** What may have become of a field. */
const OF_FIELDS = ["broken", "lost", "fixed", "unchanged"];
const OTHER_VALUES = "other values, same verdict";

/** The sections of a page of two runs under their titles, with the changed rows before how it ended; and what shows another choice of these.
 * @param {Section[]} sections @param {Comparison | null} comparison @param {() => ComparisonChoice} chosen
 * @param {(changes: Partial<ComparisonChoice>) => void} choose */
export function comparedSections(sections, comparison, chosen, choose) {
  const wanted = sections.filter((section) => section.title);
  const made = wanted.map(neutralSection);
  if (!comparison) return { made, show: () => {} };
  const { node, show } = comparisonView(comparison, chosen, choose);
  const end = wanted.findIndex(({ id }) => AFTER_ROWS.includes(id));
  made.splice(end < 0 ? made.length : end, 0, titled("changed-rows", "Changed rows", node));
  return { made, show };
}

/** The view of a comparison, and what shows another choice in it.
 * @param {Comparison} comparison @param {() => ComparisonChoice} chosen
 * @param {(changes: Partial<ComparisonChoice>) => void} choose */
function comparisonView(comparison, chosen, choose) {
  const search = el("input", { type: "search", placeholder: "id or row number", autocomplete: "off" });
  search.addEventListener("input", () => choose({ q: search.value }));
  const selects = el("div.choices");
  const labelled = el("label.choice", el("span", "Search"), search);
  const found = el("p.found", { role: "status" });
  const list = el("div.compared-rows");
  const several = comparedEvaluators(comparison.rows).length > 1;
  let last = "";
  const show = () => {
    const now = chosen();
    if (last === JSON.stringify(now)) return;
    last = JSON.stringify(now);
    if (document.activeElement !== search) search.value = now.q;
    refreshSelects(selects, comparison.rows, now, choose);
    const left = comparedRows(comparison.rows, now);
    const all = counted(comparison.rows.length, "changed row");
    found.textContent = left.length === comparison.rows.length ? all : `${number(left.length)} of ${all}`;
    refill(list);
    showNext(list, left, { ...comparison, several });
  };
  show();
  const bar = el("div.filters.comparison-filters", { role: "search", "aria-label": "Changed rows" }, selects, labelled);
  const notes = comparison.notes.map((note) => el("p.tone-note", withCode(note)));
  return { node: el("div.comparison", notes, bar, found, list), show };
}

/** Makes the choices anew, and gives the focus back to the one that had it.
 * @param {any} selects @param {ChangedRow[]} rows @param {ComparisonChoice} now
 * @param {(changes: Partial<ComparisonChoice>) => void} choose */
function refreshSelects(selects, rows, now, choose) {
  const place = [...selects.querySelectorAll("select")].indexOf(document.activeElement);
  refill(selects, selectsOf(rows, now, choose));
  if (place >= 0) selects.querySelectorAll("select")[place].focus();
}

/** @param {ChangedRow[]} rows @param {ComparisonChoice} now @param {(changes: Partial<ComparisonChoice>) => void} choose */
function selectsOf(rows, now, choose) {
  const names = comparedEvaluators(rows);
  /** @type {[string, string][]} */
  const changes = now.field
    ? OF_FIELDS.map((one) => [one, changeWord(one)])
    : changeCounts(rows).map(([one, size]) => [one, `${changeWord(one)} (${number(size)})`]);
  /** @type {[string, [string, string][]][]} */
  const fields = changedFields(rows).map(([evaluator, own]) => [
    evaluator,
    own.map(([field, size]) => [JSON.stringify([evaluator, field]), `${fieldName(field)} (${number(size)})`]),
  ]);
  const key = now.field ? JSON.stringify([now.evaluator, now.field]) : "";
  const ofField = (picked) => {
    const [evaluator, field] = picked ? JSON.parse(picked) : ["", ""];
    choose({ evaluator, field });
  };
  const isFiltered = now.change || now.evaluator || now.field || now.q;
  return [
    choice("Change", now.change, [["", [["", "any change"], ...changes]]], (change) => choose({ change })),
    names.length > 1 &&
      choice(
        "Evaluator",
        now.evaluator,
        [["", [["", "all evaluators"], ...names.map((one) => /** @type {[string, string]} */ ([one, one]))]]],
        (evaluator) => choose({ evaluator, field: "" }),
      ),
    fields.length > 0 && choice("Field", key, [["", [["", "all fields"]]], ...fields], ofField),
    isFiltered && button("Clear", () => choose({ change: "", evaluator: "", field: "", q: "" }), {}, "button.clear"),
  ];
}

/** @param {string} change */
const changeWord = (change) => (change === "unchanged" ? OTHER_VALUES : change);

/** The next rows, and a button for those after them.
 * @param {any} list @param {{row: ChangedRow, fields: ChangedField[]}[]} left @param {Comparison} comparison */
function showNext(list, left, comparison) {
  if (!left.length) fill(list, [el("p.quiet", "No row fits these choices.")]);
  fill(
    list,
    left.slice(0, ROWS_AT_ONCE).map(({ row, fields }) => rowCard(row, fields, comparison)),
  );
  const rest = left.slice(ROWS_AT_ONCE);
  if (!rest.length) return;
  const more = button(
    `Show ${number(Math.min(rest.length, ROWS_AT_ONCE))} more of ${number(rest.length)}`,
    () => {
      more.remove();
      const shown = list.children.length;
      showNext(list, rest, comparison);
      list.children[shown].querySelector("h3").focus();
    },
    {},
    "button.more",
  );
  fill(list, [more]);
}

/** @param {ChangedRow} row @param {ChangedField[]} fields @param {Comparison} comparison */
function rowCard(row, fields, comparison) {
  const name = row.id && row.id !== String(row.number) ? [" · ", plain(row.id)] : null;
  const verdicts = Object.entries(row.verdicts).map(([change, names]) => `${change}: ${names.join(", ")}`);
  const why = fields.length ? [] : Object.entries(row.reasons).map(([evaluator, reason]) => `${evaluator}: ${reason}`);
  return el(
    "article.compared",
    el(
      "header.compared-head",
      el(
        "h3",
        { tabindex: "-1" },
        `Row ${row.number}`,
        name,
        row.variant !== null && plain(row.variant, "bdi.variant"),
      ),
      row.change === "unchanged" ? el("span.quiet", OTHER_VALUES) : badge(row.change, TONES[row.change]),
      comparison.several && el("span.quiet", plain(verdicts.join("; "))),
      el(
        "span.leads",
        rowLink("base", comparison.base.link, row.base),
        rowLink("new run", comparison.new.link, row.new),
      ),
    ),
    why.map((text) => el("p.quiet", plain(text))),
    fields.length > 0 && valueTable(fields, comparison.several === true, `Row ${row.number}, values`),
  );
}

/** @param {string} side @param {string} page @param {string | null} key */
function rowLink(side, page, key) {
  if (key === null) return el("span.quiet", `not in the ${side}`);
  const there = { href: `${page}#row=${encodeURIComponent(key)}`, target: "_blank", rel: "noopener" };
  return page && el("a", there, `row in the ${side}`);
}

/** The values of some fields, each with its evaluator where there are several.
 * @param {ChangedField[]} fields @param {boolean} several @param {string} label */
function valueTable(fields, several, label) {
  const heads = ["field", "expected", "base", "new run"].map((head) => el("th", { scope: "col" }, head));
  return el(
    "table.values",
    { "aria-label": label },
    el("thead", el("tr", heads)),
    el(
      "tbody",
      fields.map((one) =>
        el(
          `tr.is-${one.change}`,
          el(
            "th",
            { scope: "row" },
            plain(one.path ? fieldName(one.path) : "output", "bdi.path"),
            several && [" ", plain(one.evaluator, "bdi.quiet")],
          ),
          valueCells(one),
        ),
      ),
    ),
  );
}

/** What is expected, and what both runs have. A value that is wrong is marked where it differs from the expected one; where none is wrong,
 * or nobody knows what is expected, both are marked where they differ from one another.
 * @param {ChangedField} one */
function valueCells(one) {
  const text = (side) => (side in one ? shortValue(one[side]) : null);
  const [expected, base, now] = ["expected", "base", "new"].map(text);
  const isKnown = expected !== null;
  const wrong = one.now === "mismatch" ? now : one.was === "mismatch" ? base : null;
  const wanted = isKnown ? markedPair(expected, wrong, true)[0] : el("span.quiet", "–");
  const isMarked = isKnown && wrong !== null;
  const [before, after] = isMarked
    ? [sideOf(expected, base, one.was), sideOf(expected, now, one.now)]
    : markedPair(base, now, true, ["mark", "mark"]);
  return [
    cell("expected", wanted),
    cell("base", mark(one.was), base === null ? missing(one.was, one.now) : before),
    cell(
      "new run",
      mark(one.now),
      now === null ? missing(one.now, one.was) : after,
      one.why && el("div.quiet", plain(one.why)),
    ),
  ];
}

/** A value on one line, where it is short.
 * @param {unknown} value */
function shortValue(value) {
  const line = lineText(value, MOST_VALUE_LETTERS);
  return line.length <= LONGEST_LINE ? line : valueText(value, MOST_VALUE_LETTERS);
}

/** @param {string} head @param {...any} children */
const cell = (head, ...children) => el("td", { "data-head": head }, children);

/** @param {string} expected @param {string | null} text @param {string | null} status */
const sideOf = (expected, text, status) => markedPair(expected, text, status === "mismatch")[1];

/** @param {string | null} status */
const mark = (status) => status !== null && treeMark(statusNumber(status));

/** In place of a value: that there is none, or how the field ended where the run kept none.
 * @param {string | null} status @param {string | null} other */
function missing(status, other) {
  if (status === "omission" || other === "hallucination") return nothing();
  return el("span.quiet", status === null ? "not measured" : statuses[statusNumber(status)].word);
}
