// What is shown of a row that is opened: its documents as evaluators read them, the other cells, and each field.

import { ownValue, parsed, spelled } from "./lines.js";
import { generalPath } from "./paths.js";
import { head, linesOfRow, names, run, verdictOf, wrongIn } from "./store.js";
import { numberOfLetter, statuses, statusNumber } from "./words.js";

/** @import {Detail, Field, Found, OutcomeLine, Passage, Reading, RowLines, ShownDocument} from "./types.d.ts" */

/** Characters of a document or of a value that are shown. */
export const MOST_CHARS = 100000;

/** The details of a row; null where the page has none.
 * @param {number} row @returns {Promise<Detail | null>} */
export async function detailOf(row) {
  const lines = await linesOfRow(row);
  return lines && detailFrom(row, lines);
}

/** @param {number} row @param {RowLines} lines @returns {Detail} */
export function detailFrom(row, lines) {
  const documents = documentsOf(lines);
  const shown = [...new Set(documents.values())];
  const read = new Set(shown.map((one) => one.column));
  const others = Object.entries(lines.cells).filter(([name]) => !read.has(name));
  const texts = others.map(([name, cell]) => [name, cell === null ? "" : textOf(cell)]).filter(([, text]) => text);
  const evaluators = run.record.evaluators.map((one, place) => {
    const own = lines.outcomes.filter((line) => line.evaluator === one.name);
    const numbers = readingsOf(one.readings).filter((reading) => documents.has(keyOfReading(reading)));
    return {
      reason: reasonOf(row, place, own, lines),
      fields: fieldsOf(row, place, own),
      documents: [
        ...new Set(numbers.map((reading) => /** @type {ShownDocument} */ (documents.get(keyOfReading(reading))))),
      ],
    };
  });
  return { documents: shown, cells: Object.fromEntries(texts), evaluators };
}

/** @param {unknown} cell */
const textOf = (cell) => {
  const text = typeof cell === "string" ? cell : spelled(cell);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
};

const keyOfReading = (/** @type {Reading} */ reading) => JSON.stringify(reading);

/** A column that is read as a document is not read as a text beside that.
 * @param {Reading[]} readings */
function readingsOf(readings) {
  const asJSON = new Set(readings.filter((one) => one.how !== "text").map((one) => one.column));
  return readings.filter((one) => one.how !== "text" || !asJSON.has(one.column));
}

/** Every way in which evaluators read columns, in the order in which a run folder has them. */
export const allReadings = () => [
  ...new Map(run.record.evaluators.flatMap((one) => one.readings).map((one) => [keyOfReading(one), one])).values(),
];

/** The documents of a row by their readings; what is the same for two readings is one document.
 * @param {RowLines} lines */
function documentsOf(lines) {
  const wanted = new Set(run.record.evaluators.flatMap((one) => readingsOf(one.readings)).map(keyOfReading));
  /** @type {Map<string, ShownDocument>} */
  const found = new Map();
  /** @type {Map<string, ShownDocument>} */
  const distinct = new Map();
  allReadings().forEach((reading, place) => {
    const { side, column } = reading;
    if (!wanted.has(keyOfReading(reading)) || !Object.hasOwn(lines.cells, column)) return;
    const note = lines.read?.documents?.[place];
    const same = JSON.stringify([side, column, reading.how === "text", note]);
    const made =
      distinct.get(same) ?? documentOf(reading, lines.cells[column], note, ownValue(lines.read?.cut ?? {}, column));
    distinct.set(same, made);
    found.set(keyOfReading(reading), made);
  });
  return found;
}

/** A cell as an evaluator read it. `length` is that of a cell which the page has the beginning of.
 * @param {Reading} reading @param {unknown} cell @param {Found} [note] @param {number} [length]
 * @returns {ShownDocument} */
export function documentOf({ side, column, how }, cell, note = {}, length) {
  const { start = 0, message = "", which = "" } = note;
  const whole = typeof cell === "string" ? cell : "";
  const end = note.end ?? whole.length;
  const made = { side, column, how: note.how ?? "whole", message, which, of: length ?? 0 };
  const [before, after] = [whole.slice(0, start).trim(), whole.slice(end).trim()];
  const shown = (kind, value) => ({ ...made, kind, value, before: cutText(before), after: cutText(after) });
  if (message) return shown(whole.trim() ? "unreadable" : "absent", whole);
  if (how === "text" && cell === null) return shown("absent", null);
  if (how === "text" && typeof cell === "string") return shown(length ? "cut" : "text", whole);
  const text = typeof cell === "string" ? whole.slice(start, end) : spelled(cell);
  if (length || text.length > MOST_CHARS)
    return { ...shown("cut", text.slice(0, MOST_CHARS)), of: length ?? text.length };
  return typeof cell === "string" ? shown(...parsedOrText(text)) : shown("json", cell);
}

/** @param {string} text */
const cutText = (text) => (text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text);

/** @param {string} text @returns {["json" | "text", unknown]} */
function parsedOrText(text) {
  try {
    return ["json", parsed(text)];
  } catch {
    return ["text", text];
  }
}

/** @param {number} row @param {number} evaluator @param {OutcomeLine[]} own @param {RowLines} lines */
function reasonOf(row, evaluator, own, lines) {
  const { issue } = verdictOf(row, evaluator);
  const whole = own.find((line) => line.path === undefined && line.reason);
  return issue?.message ?? ownValue(lines.read?.reasons ?? {}, names[evaluator]) ?? whole?.reason ?? "";
}

/** What became of each field. Listed fields have their status alone where nothing else was kept.
 * @param {number} row @param {number} evaluator @param {OutcomeLine[]} own
 * @returns {Field[]} */
export function fieldsOf(row, evaluator, own) {
  const { fields, by_schema: bySchema } = run.record.evaluators[evaluator];
  const { letters } = verdictOf(row, evaluator);
  const kept = own.filter((line) => line.path !== undefined).map(fieldOf);
  if (letters && fields.length && !(bySchema && kept.length)) return listedFields(evaluator, letters, kept);
  if (kept.length) return kept;
  return (wrongIn[evaluator].get(row) ?? []).map(([path, status]) => ({ path, status }));
}

/** @param {number} evaluator @param {string} letters @param {Field[]} kept */
function listedFields(evaluator, letters, kept) {
  const known = new Map(kept.map((one) => [one.path, one]));
  const rules = head.rows?.rules[evaluator] ?? {};
  return run.record.evaluators[evaluator].fields.map(
    (path, place) => known.get(path) ?? { path, status: numberOfLetter(letters[place]), rule: ownValue(rules, path) },
  );
}

/** @param {OutcomeLine} line @returns {Field} */
function fieldOf({ path = "", status = "", score, field, reason, comparator, ...values }) {
  const found = { path, status: statusNumber(status), score, field, reason, rule: comparator };
  const { column = "", passages } = values.details ?? {};
  if (passages)
    found.passages = passages.map(([start, end, word]) => ({ column, start, end, isRight: word === "match" }));
  const isPlain = statuses[found.status].name === "match" && spelled(values.expected) === spelled(values.actual);
  if (!isPlain && "expected" in values) found.expected = values.expected;
  if (!isPlain && "actual" in values) found.actual = values.actual;
  return found;
}

/** A text in parts: what is no passage (null), a passage that says a value (true), and one that only comes near (false). Places count
 * characters, not halves of them.
 * @param {string} text @param {Passage[]} passages @returns {[string, boolean | null][]} */
export function passageRuns(text, passages) {
  if (!passages.length) return [[text, null]];
  const characters = [...text];
  /** @type {(boolean | null)[]} */
  const marks = characters.map(() => null);
  const rightLast = [...passages].sort((one, other) => Number(one.isRight) - Number(other.isRight));
  for (const { start, end, isRight } of rightLast) marks.fill(isRight, start, end);
  const cuts = characters.flatMap((_, at) => (at && marks[at] === marks[at - 1] ? [] : [at]));
  return cuts.map((from, place) => [characters.slice(from, cuts[place + 1]).join(""), marks[from] ?? null]);
}

/** Where the suite sets a field; where it sets the evaluator for a field of an open document.
 * @param {number} evaluator @param {Field} field */
export function placeOf(evaluator, field) {
  const { field_places: places, where } = run.record.evaluators[evaluator];
  return ownValue(places, field.field ?? generalPath(field.path)) ?? ownValue(places, field.path) ?? where;
}
