// The tables of fields and of slices. Of fields, colour says how large a share is, and the count in the cell says the same.

import { meanText, passRateText } from "./cards.js";
import { button, el, growing, head_, plain, scrollable, table, titled } from "./dom.js";
import { countedIn, lowestFirst } from "./figures.js";
import { ownValue } from "./lines.js";
import { mistakeLine, mistakesOf } from "./mistakes.js";
import { fieldName } from "./paths.js";
import { showRows } from "./state.js";
import { head, names, run, sliceName } from "./store.js";
import { COUNTED, counted, intervalText, number, scoreText, statuses, statusNumber } from "./words.js";

/** @import {EvaluatorStats, FieldStats} from "./types.d.ts" */

const MOST_FIELDS_AT_FIRST = 10;
const MOST_MISTAKES_OF_A_FIELD = 3;
const MOST_SLICES_AT_FIRST = 12;
const ALWAYS_COUNTED = ["match", "mismatch", "omission", "hallucination"];
const FIELD_RATIOS = [
  ["precision", "precision"],
  ["recall", "recall"],
  ["F1", "f1"],
];

export function fieldSection({ id }) {
  const fields = head.weakest.map(([place, field]) => ({
    stats: run.evaluators[place],
    field: run.evaluators[place].fields[field],
  }));
  if (!fields.length) return null;
  const used = COUNTED.filter(
    (name) => ALWAYS_COUNTED.includes(name) || fields.some(({ field }) => field.counts[name] > 0),
  );
  const heads = [
    head_("field"),
    head_("accuracy", "th.number"),
    used.map((name) => head_(statuses[statusNumber(name)].word, "th.number")),
    FIELD_RATIOS.map(([name]) => head_(name, "th.number.wide-only")),
  ];
  const body = el("tbody");
  const columns = 2 + used.length + FIELD_RATIOS.length;
  const more = growing(body, fields, MOST_FIELDS_AT_FIRST, ({ stats, field }) => [
    fieldRow(stats, field, used),
    mistakeRow(stats, field, columns),
  ]);
  return titled(
    id,
    "Fields",
    el("p.quiet", FIELDS_INTRODUCED),
    scrollable("Fields by status", table("table.heat", heads, body)),
    more,
    head.moreFields > 0 &&
      el("p", `${counted(head.moreFields, "more path")} counted in the scores, and not listed here.`),
  );
}

const FIELDS_INTRODUCED =
  "The weakest first. A low metric from few rows may be chance, so it comes after a surer one. Choose a count to see its rows.";

/** @param {EvaluatorStats} stats @param {FieldStats} field @param {string[]} used */
function fieldRow(stats, field, used) {
  const place = names.indexOf(stats.name);
  const where = place < 0 ? "" : ownValue(run.record.evaluators[place].field_places, field.path);
  const named = [stats.name, stats.variant, where].filter(Boolean).map((text, at) => [at > 0 && " · ", plain(text)]);
  return el(
    "tr",
    el("th", { scope: "row" }, plain(fieldName(field.path), "bdi.path"), el("div.quiet", named)),
    el("td.number", el("strong", scoreText(field.accuracy))),
    used.map((name) => heatCell(stats, field, place, name)),
    FIELD_RATIOS.map(([, key]) => el("td.number.wide-only", scoreText(field[key]))),
  );
}

/** The most frequent mistakes of a field, below its line.
 * @param {EvaluatorStats} stats @param {FieldStats} field @param {number} columns */
function mistakeRow(stats, field, columns) {
  const own = mistakesOf(stats.name, stats.variant, field.path).slice(0, MOST_MISTAKES_OF_A_FIELD);
  if (!own.length) return null;
  return el(
    "tr.mistakes",
    el(
      "td",
      { colspan: columns },
      el(
        "ul",
        own.map((one) => mistakeLine(one, false)),
      ),
    ),
  );
}

/** @param {EvaluatorStats} stats @param {FieldStats} field @param {number} place @param {string} name */
function heatCell(stats, field, place, name) {
  const size = field.counts[name];
  if (!size) return el("td.number.cell.heat-empty", el("span", "0"));
  const status = statusNumber(name);
  const { tone, word } = statuses[status];
  const share = size / countedIn(field);
  const text = el("span", number(size));
  const filters = { evaluator: stats.name, field: field.path, status: String(status), variant: stats.variant ?? "" };
  const label = { "aria-label": `${fieldName(field.path)}: ${number(size)} ${word}, show rows` };
  const isKnown = knowsStatus(place, field.path, status);
  return el(
    `td.number.cell.heat-${tone}`,
    { vars: { share } },
    isKnown ? button(text, () => showRows(filters), label) : text,
  );
}

/** Rows can be found by this status: those of listed fields by any, those of other fields by what went wrong.
 * @param {number} evaluator @param {string} path @param {number} status */
function knowsStatus(evaluator, path, status) {
  if (!head.rows || evaluator < 0) return false;
  return run.record.evaluators[evaluator].fields.includes(path) || statuses[status].wrong;
}

export function sliceSection({ id, title }) {
  if (!run.slices.length) return null;
  const hasVariants = run.variants.length > 0;
  const texts = ["slice", "evaluator", ...(hasVariants ? ["variant"] : [])];
  const numbers = ["mean score", "pass rate", "95 % CI", "scored"];
  const heads = [texts.map((text) => head_(text)), numbers.map((text) => head_(text, "th.number"))];
  const body = el("tbody");
  const more = growing(body, lowestFirst(run.slices), MOST_SLICES_AT_FIRST, (one) => sliceRow(one, hasVariants));
  return titled(
    id,
    title,
    el("p.quiet", "The lowest mean first. Choose a slice to see its rows."),
    scrollable(`${title}, table`, table("table", heads, body)),
    more,
    head.moreSlices > 0 && el("p", `${counted(head.moreSlices, "more slice")} in run.json.`),
  );
}

/** @param {EvaluatorStats} one @param {boolean} hasVariants */
function sliceRow(one, hasVariants) {
  const [column, value] = one.slice ?? ["", ""];
  const name = plain(`${sliceName(column)} = ${value}`);
  const filters = { slice: `${sliceName(column)}=${value}`, evaluator: one.name, variant: one.variant ?? "" };
  const isKnown = head.rows && run.record.slices.map(sliceName).includes(sliceName(column));
  const bar = one.mean !== null && el("span.mini", { "aria-hidden": "true", vars: { share: one.mean } });
  return el(
    "tr",
    el("td", isKnown ? button(name, () => showRows(filters), {}, "button.link") : name),
    el("td", plain(one.name)),
    hasVariants && el("td", plain(one.variant ?? "")),
    el("td.number", el("span.share", bar, meanText(one))),
    el("td.number", passRateText(one)),
    el("td.number", intervalText(one.pass_rate_ci)),
    el("td.number", `${number(one.scored)} of ${number(one.rows)}`),
  );
}
