// One row, opened: each evaluator's verdict, the fields with both values, and the documents side by side.

import { detailOf, fieldsOf, MOST_CHARS, passageRuns, placeOf } from "./documents.js";
import { button, el, plain, refill, seenOnly } from "./dom.js";
import { badge, signOf } from "./marks.js";
import { fieldName } from "./paths.js";
import { withCode } from "./sections.js";
import { choose, state } from "./state.js";
import { isWrong, keyOf, names, rowOfKey, rows, run, variantOf, verdictOf, wrongFields } from "./store.js";
import { tree } from "./tree.js";
import { markedPair, nothing, valueText } from "./values.js";
import { counted, number, rowWords, scoreText, statuses } from "./words.js";

/** @import {Detail, Field, Passage, ShownDocument, Verdict} from "./types.d.ts" */

const MOST_CARDS = 100;
const FEW_FIELDS = 12;
const FEW_CHARS = 2000;
const SIDES = { expected: "Expected", output: "Output", other: "Column" };
const HOW = { fence: "The JSON is inside a code fence.", embedded: "The JSON is inside other text." };

/** @type {any} */
let dialog = null;
let shownKey = "";
/** @type {any} */
let returnTo = null;
/** @type {{next: (key: string, step: number) => string | undefined, focus: () => void, action?: (field: any, evaluator: string) => any}} The row so many places after one in the list, what gives the focus back to it, and what can be done about a field that is not right. */
let listing = { next: () => undefined, focus: () => {} };

/** The dialog, for rows that are listed somewhere.
 * @param {typeof listing} listed */
export function rowDialog(listed) {
  listing = listed;
  dialog = el("dialog.row-dialog", { "aria-labelledby": "row-title", close: leave, keydown: stepByKey });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

function leave() {
  if (state.row) choose({ row: "", as: "" });
  if (returnTo?.isConnected) returnTo.focus();
  else listing.focus();
}

/** The opened row as it is now: what is known of the rows has changed. */
export async function redrawRow() {
  shownKey = "";
  await refreshRow();
}

/** Opens, changes or closes the dialog, as the address says. */
export async function refreshRow() {
  const key = state.row ? `${state.row}\n${state.as}` : "";
  if (key === shownKey) return;
  shownKey = key;
  if (!key && dialog.open) dialog.close();
  const row = key ? rowOfKey(state.row) : -1;
  if (row < 0) return;
  if (!dialog.open) returnTo = document.activeElement === document.body ? null : document.activeElement;
  const detail = await detailOf(row);
  if (shownKey !== key) return;
  const top = dialog.scrollTop;
  const focused = dialog.contains(document.activeElement) && document.activeElement?.getAttribute("data-keep");
  refill(dialog, rowPage(row, detail));
  if (!dialog.open) dialog.showModal();
  const again = focused && dialog.querySelector(`[data-keep="${focused}"]:not([disabled])`);
  (again || dialog.querySelector("h2")).focus({ preventScroll: true });
  dialog.scrollTop = again && focused.startsWith("evaluator") ? top : 0;
}

/** @param {any} event */
function stepByKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select")) return;
  const step = { j: 1, k: -1 }[event.key];
  if (step) stepRow(step);
}

/** @param {number} step */
function stepRow(step) {
  const row = listing.next(state.row, step);
  if (row !== undefined) choose({ row });
}

/** @param {number} row @param {Detail | null} detail */
function rowPage(row, detail) {
  const evaluator = shownEvaluator(row);
  const [variant, id] = [variantOf(row), rows.ids[row]];
  const named = [
    id !== String(rows.numbers[row]) && [" · ", plain(id)],
    variant !== null && el("span.variant", plain(variant)),
  ];
  const step = (text, by, name, key) =>
    button(text, () => stepRow(by), {
      "data-keep": name,
      disabled: listing.next(keyOf(row), by) === undefined,
      title: key,
    });
  return [
    el(
      "header.row-head",
      el("h2", { id: "row-title", tabindex: "-1" }, `Row ${rows.numbers[row]}`, named),
      el(
        "div.row-tools",
        step("Previous", -1, "previous", "k"),
        step("Next", 1, "next", "j"),
        button("Close", () => dialog.close(), { "data-keep": "close" }),
      ),
    ),
    evaluatorTabs(row, evaluator),
    evaluatorPart(row, evaluator, detail),
    detail && otherCells(detail),
  ];
}

/** The evaluator that the reader chose, or the first one with fields that something is wrong for, or the first of all.
 * @param {number} row */
function shownEvaluator(row) {
  const chosen = names.indexOf(state.as || state.evaluator);
  if (chosen >= 0) return chosen;
  const places = names.map((_, place) => place);
  const wrong = places.filter((place) => isWrong(verdictOf(row, place)));
  const telling = wrong.find((place) => wrongFields(row, place).length) ?? wrong[0];
  return telling ?? places.find((place) => run.record.evaluators[place].fields.length) ?? 0;
}

/** @param {number} row @param {number} chosen */
function evaluatorTabs(row, chosen) {
  const tabs = names.map((name, place) => {
    const verdict = verdictOf(row, place);
    const tone = verdict.passed === false ? "wrong" : verdict.score === null ? "none" : "good";
    const properties = { "aria-pressed": String(place === chosen), "data-keep": `evaluator-${place}` };
    const text = [
      el(`span.sign.status-${tone}`, { "aria-hidden": "true" }, signOf(tone)),
      plain(name),
      el("span.quiet", scoreText(verdict.score)),
    ];
    return button(text, () => choose({ as: name }), properties, "button.tab");
  });
  return el("div.tabs", { role: "group", "aria-label": "Evaluator" }, tabs);
}

/** @param {number} row @param {number} evaluator @param {Detail | null} detail */
function evaluatorPart(row, evaluator, detail) {
  const verdict = verdictOf(row, evaluator);
  const said = detail?.evaluators[evaluator];
  const fields = said ? said.fields : fieldsOf(row, evaluator, []);
  const cards = fields.length > 0 && fieldCards(fields, evaluator);
  const documents = detail?.documents.length
    ? documentsPart(said?.documents.length ? said.documents : detail.documents, fields)
    : el("p.tone-note", "The documents of this row are not in this file.");
  // Where the output could not be read, every field is missing for one reason: the output shows it.
  const parts = verdict.status === "unreadable" ? [documents, cards] : [cards, documents];
  const answered = !fields.length && isWrong(verdict) && listing.action?.(wholeAnswer(said), names[evaluator]);
  return el(
    "div.explained",
    verdictLine(verdict, evaluator, said?.reason ?? verdict.issue?.message ?? ""),
    answered,
    parts,
  );
}

/** The whole output of an evaluator without fields, as a field is.
 * @param {any} said */
function wholeAnswer(said) {
  const output = said?.documents.find((one) => one.side === "output" && one.kind !== "absent");
  return output ? { path: "", actual: output.value } : { path: "" };
}

/** @param {Verdict} verdict @param {number} evaluator @param {string} reason */
function verdictLine(verdict, evaluator, reason) {
  const [result, tone] = resultOf(verdict);
  const { where } = run.record.evaluators[evaluator];
  const { sentence } = rowWords.get(verdict.status) ?? { sentence: "" };
  const hint = verdict.issue?.hint?.split("\n")[0];
  return el(
    "div.verdict-line",
    el(
      "p",
      el("strong.figure", scoreText(verdict.score)),
      " ",
      badge(result, tone),
      where && el("span.quiet", " · set in ", plain(where)),
    ),
    sentence && el("p", sentence),
    reason && el("p", plain(reason)),
    hint && el("p.hint", withCode(`hint: ${hint}`)),
  );
}

/** @param {Verdict} verdict */
function resultOf({ score, passed }) {
  if (score === null) return ["no score", "note"];
  return passed === false ? ["does not pass", "bad"] : ["passes", "good"];
}

/** The fields, those that are not right first.
 * @param {Field[]} fields @param {number} evaluator */
function fieldCards(fields, evaluator) {
  const wrong = fields.filter((one) => statuses[one.status].wrong);
  const fine = fields.filter((one) => !statuses[one.status].wrong);
  const list = (some) => {
    const more = some.length > MOST_CARDS && el("li", `and ${number(some.length - MOST_CARDS)} more`);
    return el(
      "ul.fields",
      some.slice(0, MOST_CARDS).map((one) => fieldCard(one, evaluator)),
      more,
    );
  };
  const open = !wrong.length && fine.length < FEW_FIELDS;
  return el(
    "div",
    el("h3", wrong.length ? `${counted(wrong.length, "field")} not right` : "Fields"),
    wrong.length > 0 && list(wrong),
    fine.length > 0 && el("details", { open }, el("summary", fineWords(fine)), list(fine)),
  );
}

/** @param {Field[]} fine */
function fineWords(fine) {
  const right = fine.filter((one) => statuses[one.status].name === "match").length;
  const rest = fine.length - right;
  const said = [right > 0 && `${counted(right, "field")} right`, rest > 0 && `${number(rest)} skipped or not measured`];
  return said.filter(Boolean).join(", ");
}

/** @param {Field} one @param {number} evaluator */
function fieldCard(one, evaluator) {
  const { tone, word, sign, name } = statuses[one.status];
  const place = placeOf(evaluator, one);
  const isRight = name === "match";
  const rule = one.rule && ["rule: ", plain(one.rule), place && [" · ", plain(place)]];
  const reason = one.reason && one.reason !== word && plain(one.reason);
  return el(
    `li.field.field-${tone}`,
    el(
      "div.field-head",
      el(`span.status.status-${tone}`, seenOnly(sign), word),
      " ",
      plain(fieldName(one.path), "bdi.path"),
      one.score !== undefined && one.score > 0 && one.score < 1 && el("span.quiet", ` ${scoreText(one.score)}`),
    ),
    ("expected" in one || "actual" in one) && valuePair(one),
    !isRight && reason && el("p", reason),
    (rule || isRight) && el("p.quiet", isRight && one.reason && [plain(one.reason), rule && " · "], rule),
    !isRight && listing.action?.(one, names[evaluator]),
  );
}

/** Both values. Where both are there and differ, what is wrong in the output is marked, and what should be there instead.
 * @param {Field} one */
function valuePair(one) {
  const [expected, actual] = markedPair(sideText(one, "expected"), sideText(one, "actual"), isMismatch(one));
  const side = (name, value) => el("div", el("dt", name), el("dd", value));
  return el("dl.pair", !one.passages && side("expected", expected), side("output", actual));
}

/** @param {Field} one */
const isMismatch = (one) => statuses[one.status].name === "mismatch";
/** @param {Field} one @param {"expected" | "actual"} side */
const sideText = (one, side) => (side in one ? valueText(one[side]) : null);

/** @param {ShownDocument[]} documents @param {Field[]} fields */
function documentsPart(documents, fields) {
  const known = new Map(fields.map((one) => [one.path, one.status]));
  const passages = fields.flatMap((one) => one.passages ?? []);
  const ordered = Object.keys(SIDES).flatMap((side) => documents.filter((one) => one.side === side));
  return el(
    "div",
    el("h3", "Side by side"),
    el(
      "div.sides",
      ordered.map((one) => documentPart(one, known, passages)),
    ),
  );
}

/** @param {ShownDocument} one @param {Map<string, number>} known @param {Passage[]} passages */
function documentPart(one, known, passages) {
  const own = passages.filter(({ column }) => column === one.column);
  const [side, how] = [SIDES[one.side], HOW[one.how]];
  const label = `${side}: ${one.column}`;
  const content = { tabindex: "0", role: "region", "aria-label": `${label}, content` };
  return el(
    "section.side",
    { "aria-label": label },
    el("h4", side, " ", plain(one.column, "bdi.quiet")),
    one.message && el("p.tone-warning", plain(one.message)),
    how && el("p.tone-note", `${how} What is around it is set aside. ${one.which}`.trim()),
    setAside("before", one.before),
    el("div.document", content, documentBody(one, sideStatuses(one.side, known), own)),
    setAside("after", one.after),
  );
}

/** What is missing is marked where it was expected, what is extra where it stands.
 * @param {string} side @param {Map<string, number>} known */
function sideStatuses(side, known) {
  const elsewhere = side === "expected" ? "hallucination" : "omission";
  return new Map([...known].filter(([, status]) => side !== "other" && statuses[status].name !== elsewhere));
}

/** @param {string} where @param {string} text */
function setAside(where, text) {
  const summary = el("summary", `set aside ${where} it: ${counted(text.length, "character")}`);
  return text && el("details.aside", summary, el("pre", { tabindex: "0" }, plain(text)));
}

/** @param {ShownDocument} one @param {Map<string, number>} known @param {Passage[]} passages */
function documentBody({ kind, value, of }, known, passages) {
  if (kind === "absent") return nothing();
  if (kind === "json") return tree(value, known);
  const text = String(value);
  const shown = text.slice(0, MOST_CHARS);
  const said = `Cut: the first ${number(shown.length)} of ${number(of || text.length)} characters.`;
  return [
    (of > shown.length || text.length > shown.length) && el("p.tone-note", said),
    el("pre", withPassages(shown, passages)),
  ];
}

/** A text with passages marked: those that say a value of the output, and those that only come near one.
 * @param {string} text @param {Passage[]} passages */
const withPassages = (text, passages) =>
  el(
    "bdi",
    passageRuns(text, passages).map(([part, isRight]) => (isRight === null ? part : el(isRight ? "ins" : "del", part))),
  );

/** @param {Detail} detail */
function otherCells({ cells }) {
  const found = Object.entries(cells);
  if (!found.length) return null;
  const open = found.reduce((sum, [, text]) => sum + text.length, 0) < FEW_CHARS;
  const list = found.map(([name, text]) => el("div", el("dt", plain(name)), el("dd", plain(text))));
  return el(
    "details.cells",
    { open },
    el("summary", `${counted(found.length, "other column")} of the row`),
    el("dl", list),
  );
}
