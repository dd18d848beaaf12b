// The rows of the page: columns of numbers, so that 200,000 rows stay small, and the lines of a row when it is looked at.

import { linesOf, plainLinesOf, unpack } from "./lines.js";
import { generalPath } from "./paths.js";
import { numberOfLetter, statuses, statusNumber } from "./words.js";

/** @import {CodeLine, Head, OutcomeLine, RecordedEvaluator, RowIndex, RowLine, RowLines, Run, Verdict} from "./types.d.ts" */

/** @type {Head} What the page says beside the lines. */
export let head;
/** @type {Run} */
export let run;
/** @type {string[]} The names of evaluators. */
export let names = [];
/** @type {(string | null)[]} The variants; null alone where there are none. */
export let variants = [null];

export const rows = {
  count: 0,
  /** @type {number[]} */ numbers: [],
  /** @type {string[]} */ ids: [],
  /** @type {number[]} Each row's place among the variants. */ variant: [],
  /** @type {Uint32Array[]} By evaluator: each row's place among the verdicts. */ codes: [],
  /** @type {Verdict[][]} By evaluator. */ verdicts: [],
  /** @type {string[][]} By slice: its values. */ sliceValues: [],
  /** @type {Uint32Array[]} By slice: each row's place among the values. */ slices: [],
  piece: new Int32Array(0),
};
/** @type {Map<number, [string, number][]>[]} By evaluator: the fields of rows that are not right, as far as their lines are unpacked. */
export const wrongIn = [];
/** @type {string[][]} By evaluator: the fields with something wrong that its codes do not list, as an output has them beside a schema. */
export const unlisted = [];

/** @param {Head} given */
export function openHead(given) {
  head = given;
  if (!given.run) return;
  run = given.run;
  names = run.record.evaluators.map((one) => one.name);
  variants = run.variants.length ? run.variants : [null];
}

/** Reads the tables of codes and of rows of each variant. */
export async function openRows() {
  if (!head.rows) return;
  const tables = await Promise.all(variants.map(async (_, place) => readTable(place)));
  Object.assign(rows, { numbers: [], ids: [], variant: [], verdicts: names.map(() => []) });
  rows.count = tables.reduce((sum, [, lines]) => sum + lines.length, 0);
  rows.codes = names.map(() => new Uint32Array(rows.count));
  rows.slices = run.record.slices.map(() => new Uint32Array(rows.count));
  const known = run.record.slices.map(() => /** @type {Map<string, number>} */ (new Map()));
  for (const [variant, [codes, lines]] of tables.entries()) addRows(codes, lines, variant, known);
  rows.sliceValues = known.map((values) => [...values.keys()]);
  wrongIn.splice(0, wrongIn.length, ...names.map(() => new Map()));
  unlisted.splice(0, unlisted.length, ...run.record.evaluators.map(unlistedFields));
  pieces.clear();
  indexed = 0;
  indexPieces(head.rows);
}

/** @param {RecordedEvaluator} evaluator */
function unlistedFields({ name, fields }) {
  const own = run.evaluators.filter((stats) => stats.name === name).flatMap((stats) => stats.fields);
  const isWrong = ({ counts }) => statuses.some((status) => status.wrong && counts[status.name] > 0);
  return [...new Set(own.filter(isWrong).map((field) => field.path))].filter((path) => !fields.includes(path)).sort();
}

/** @param {number} place @returns {Promise<[CodeLine[], RowLine[]]>} */
async function readTable(place) {
  const [codes, lines] = await Promise.all([unpack(`codes-${place}`), unpack(`rows-${place}`)]);
  return [plainLinesOf(codes), plainLinesOf(lines)];
}

/** @param {CodeLine[]} codes @param {RowLine[]} lines @param {number} variant @param {Map<string, number>[]} known */
function addRows(codes, lines, variant, known) {
  const first = rows.verdicts.map((table) => table.length);
  for (const line of codes) rows.verdicts[names.indexOf(line.evaluator)].push(readVerdict(line));
  for (const line of lines) {
    const row = rows.numbers.length;
    rows.numbers.push(line.row);
    rows.ids.push(line.id);
    rows.variant.push(variant);
    line.codes.forEach((code, evaluator) => {
      rows.codes[evaluator][row] = first[evaluator] + code;
    });
    known.forEach((values, column) => {
      const value = line.slices?.[column] ?? "";
      if (!values.has(value)) values.set(value, values.size);
      rows.slices[column][row] = values.get(value) ?? 0;
    });
  }
}

/** @param {RowIndex} index */
function indexPieces(index) {
  rows.piece = new Int32Array(rows.count).fill(-1);
  index.pieces.forEach((members, piece) => {
    for (const row of members) rows.piece[row] = piece;
  });
}

/** @param {CodeLine} line @returns {Verdict} */
export function readVerdict(line) {
  const { status, passed = null, fields = "", counts = null, issue = null } = line;
  const score = line.score ? line.score[0] / line.score[1] : null;
  const wrongLetters = Array.from(fields).filter((letter) => statuses[numberOfLetter(letter)].wrong).length;
  const wrong = fields ? wrongLetters : (counts ?? []).slice(1).reduce((sum, size) => sum + size, 0);
  const fine = status === "scored" && score === 1 && passed !== false;
  const leftOut = status === "skipped" || status === "not_measured";
  return { status, score, passed, letters: fields, counts, issue, wrong, fine, leftOut };
}

/** @param {number} row @param {number} evaluator */
export const verdictOf = (row, evaluator) => rows.verdicts[evaluator][rows.codes[evaluator][row]];
/** @param {number} row */
export const variantOf = (row) => variants[rows.variant[row]];
/** @param {number} row @param {number} column */
export const sliceOf = (row, column) => rows.sliceValues[column][rows.slices[column][row]];
/** @param {string} column */
export const sliceName = (column) => column.replace(/^row\./, "");

/** Whether a verdict is one that people look for first.
 * @param {Verdict} verdict */
export const isWrong = (verdict) => !verdict.fine && !verdict.leftOut;

/** The name of a row in addresses.
 * @param {number} row */
export function keyOf(row) {
  const variant = variantOf(row);
  return variant === null ? String(rows.numbers[row]) : `${rows.numbers[row]}:${variant}`;
}

/** @param {string} key */
export function rowOfKey(key) {
  const cut = key.indexOf(":");
  const wanted = Number(cut < 0 ? key : key.slice(0, cut));
  const variant = cut < 0 ? null : key.slice(cut + 1);
  return rows.numbers.findIndex((found, row) => found === wanted && variantOf(row) === variant);
}

const KEPT_PIECES = 8;
/** The pieces whose outcomes are read, from the first one on. */
let indexed = 0;
/** @type {Map<number, Promise<Map<number, RowLines>>>} The last few of them. */
const pieces = new Map();

/** What was kept of a row; null where the page has nothing.
 * @param {number} row */
export async function linesOfRow(row) {
  const piece = rows.piece[row];
  if (piece < 0) return null;
  return (await pieceOf(piece)).get(rows.numbers[row]) ?? null;
}

/** The lines of each row of a piece, by its number.
 * @param {number} piece */
export function pieceOf(piece) {
  const known = pieces.get(piece) ?? readPiece(piece);
  pieces.delete(piece);
  pieces.set(piece, known);
  const [oldest] = pieces.keys();
  if (pieces.size > KEPT_PIECES) pieces.delete(oldest);
  return known;
}

/** @param {number} piece */
async function readPiece(piece) {
  const [cells, read] = await Promise.all([unpack(`cells-${piece}`), unpack(`read-${piece}`)]);
  const outcomes = await readOutcomes(piece);
  /** @type {Map<number, RowLines>} */
  const found = new Map();
  const linesFor = (row) => {
    if (!found.has(row)) found.set(row, { outcomes: [], cells: {}, read: undefined });
    return /** @type {RowLines} */ (found.get(row));
  };
  for (const line of outcomes) linesFor(line.row).outcomes.push(line);
  for (const line of linesOf(cells)) linesFor(line.row).cells = line.cells;
  for (const line of linesOf(read)) linesFor(line.row).read = line;
  return found;
}

/** @param {number} piece @returns {Promise<OutcomeLine[]>} */
async function readOutcomes(piece) {
  const lines = linesOf(await unpack(`outcomes-${piece}`));
  noteWrong(head.rows?.pieces[piece] ?? [], lines);
  return lines;
}

/** Notes the fields that are not right and that codes do not list.
 * @param {number[]} members @param {OutcomeLine[]} lines */
function noteWrong(members, lines) {
  const rowOf = new Map(members.map((row) => [rows.numbers[row], row]));
  for (const line of lines) {
    const evaluator = names.indexOf(line.evaluator);
    const row = rowOf.get(line.row);
    if (line.path === undefined || row === undefined) continue;
    const status = statusNumber(String(line.status));
    if (!statuses[status].wrong) continue;
    const { fields, by_schema: bySchema } = run.record.evaluators[evaluator];
    const path = line.field ?? generalPath(line.path);
    if (fields.length && (!bySchema || fields.includes(path))) continue;
    const noted = wrongIn[evaluator].get(row) ?? [];
    if (!noted.some(([known, as]) => known === path && as === status)) noted.push([path, status]);
    wrongIn[evaluator].set(row, noted);
  }
}

/** Reads the outcomes of all pieces, once: the fields of open documents can then be asked for. */
export async function indexOutcomes() {
  const all = head.rows?.pieces.length ?? 0;
  for (; indexed < all; indexed++) await readOutcomes(indexed);
}

/** Whether there are so few rows that all outcomes are read at the start. */
export const isSmall = () => (head.rows?.pieces.length ?? 0) <= KEPT_PIECES;
/** Whether the outcomes of all rows are read. */
export const isIndexed = () => indexed >= (head.rows?.pieces.length ?? 0);

/** The fields of a row that are not right, as far as they are known.
 * @param {number} row @param {number} evaluator @returns {[string, number][]} */
export function wrongFields(row, evaluator) {
  const { letters } = verdictOf(row, evaluator);
  const { fields } = run.record.evaluators[evaluator];
  const noted = wrongIn[evaluator].get(row) ?? [];
  if (!fields.length) return noted;
  const found = Array.from(
    letters,
    (letter, place) => /** @type {[string, number]} */ ([fields[place], numberOfLetter(letter)]),
  );
  return [...found.filter(([, status]) => statuses[status].wrong), ...noted];
}
