// A page of a small run, as Python embeds it: lines packed with zlib, spelled in base64.

import { deflateSync } from "node:zlib";
import { source } from "../../../../evaluators/reports/html/script/lines.js";
import { openHead, openRows } from "../../../../evaluators/reports/html/script/store.js";
import { learnWords } from "../../../../evaluators/reports/html/script/words.js";

const WORDS = {
  statuses: [
    ["not_measured", ".", "not measured", false],
    ["match", "=", "right", false],
    ["mismatch", "x", "wrong", true],
    ["omission", "-", "missing", true],
    ["hallucination", "+", "extra", true],
    ["skipped", "s", "skipped", false],
    ["error", "!", "error", true],
    ["not_judged", "?", "not judged", true],
  ].map(([name, letter, word, wrong]) => ({ name, letter, word, wrong, sign: "·", tone: "none" })),
  rows: {
    scored: { word: "scored", sentence: "" },
    unreadable: { word: "unreadable", sentence: "It could not be read." },
    not_measured: { word: "not measured", sentence: "" },
    invalid: { word: "invalid", sentence: "" },
  },
};

const LISTED = { name: "header", fields: ["number", "total"], by_schema: false, where: "s.yaml:1", field_places: { total: "s.yaml:4" } };
const OPEN = { name: "diff", fields: [], by_schema: false, where: "s.yaml:9", field_places: {} };
const READINGS = [
  { column: "expected", side: "expected", how: "expected" },
  { column: "output", side: "output", how: "output" },
];

export const CODES = [
  { evaluator: "header", code: 0, status: "scored", score: [1, 1], passed: true, fields: "==" },
  { evaluator: "header", code: 1, status: "scored", score: [1, 2], passed: false, fields: "=x" },
  { evaluator: "header", code: 2, status: "unreadable", score: [0, 1], passed: false, fields: "--" },
  { evaluator: "header", code: 3, status: "invalid", issue: { message: "not JSON", hint: "mend it" } },
  { evaluator: "header", code: 4, status: "not_measured" },
  { evaluator: "diff", code: 0, status: "scored", score: [3, 3], passed: true, counts: [3, 0, 0, 0] },
  { evaluator: "diff", code: 1, status: "scored", score: [0, 3], passed: false, counts: [0, 2, 1, 0] },
];
export const ROWS = [
  { row: 2, id: "a10", slices: ["north"], codes: [0, 0] },
  { row: 3, id: "a9", slices: ["south"], codes: [1, 1] },
  { row: 4, id: "b1", slices: ["north"], codes: [2, 1] },
  { row: 6, id: "b2", slices: ["south"], codes: [3, 0] },
  { row: 7, id: "b3", slices: ["north"], codes: [4, 0] },
];
export const OUTCOMES = [
  { row: 3, evaluator: "header", path: "total", status: "mismatch", reason: "11 differs from 10", comparator: "numeric", expected: 10, actual: 11 },
  { row: 3, evaluator: "diff", reason: "0 of 3 values right" },
  { row: 3, evaluator: "diff", path: "items[0].sku", status: "mismatch", expected: "x", actual: "y" },
  { row: 3, evaluator: "diff", path: "items[4].sku", status: "mismatch", expected: "x", actual: "z" },
  { row: 3, evaluator: "diff", path: "gone", status: "omission", expected: null },
];
const CELLS = [
  { row: 3, cells: { id: "a9", expected: '{"total": 10}', output: 'So: {"total": 11} Enough.', empty: "" } },
];
const READ = [{ row: 3, documents: { 1: { start: 4, end: 17, how: "embedded", which: "Number 1." } }, reasons: { header: "1 of 2 fields right" } }];
const LABELS = {
  evaluator: "header",
  variant: null,
  columns: ["a", "b"],
  labels: [{ label: "a" }],
  cells: [
    { expected: "a", output: "a", count: 3 },
    { expected: "a", output: "b", count: 2 },
  ],
};

const BESIDE = { row: 3, evaluator: "header", path: "iban", status: "hallucination", actual: "DE1" };
const FIGURES = [
  { name: "header", fields: [{ path: "total", counts: { mismatch: 1 } }, { path: "iban", counts: { hallucination: 1 } }] },
];

const MISTAKES = [
  { evaluator: "header", variant: null, field: "total", said: "11 for 10", count: "1 of 1", rows: [3], forgiven: "" },
  { evaluator: "header", variant: "old", field: "", said: "not JSON", count: "2", rows: [3, 4], forgiven: "" },
];

const run = (variants, hasSchema) => ({
  variants,
  evaluators: hasSchema ? FIGURES : [],
  slices: [],
  confusion_matrices: [LABELS],
  record: { evaluators: [{ ...LISTED, by_schema: hasSchema }, OPEN].map((one) => ({ ...one, readings: READINGS })), slices: ["row.shop"] },
});

const packed = (lines) => deflateSync(lines.map((line) => `${JSON.stringify(line)}\n`).join("")).toString("base64");

/** Opens the page, with its rows once for each variant. With a schema, an output has a field beside those of the first evaluator. */
export async function openPage(variants = [], hasSchema = false) {
  const count = ROWS.length;
  const rows = {
    pieces: [[1], [0, 2]],
    labelCells: (variants.length ? variants : [null]).map(() => ({ 0: [0, 1, 0, -1, 1] })),
    rules: [{ number: "exact" }, {}],
    packed: "",
  };
  const elements = { "outcomes-0": packed(hasSchema ? [...OUTCOMES, BESIDE] : OUTCOMES), "cells-0": packed(CELLS), "read-0": packed(READ) };
  (variants.length ? variants : [null]).forEach((_, place) => {
    elements[`codes-${place}`] = packed(CODES);
    elements[`rows-${place}`] = packed(ROWS);
  });
  source.textOf = (id) => elements[id] ?? "";
  learnWords(WORDS);
  openHead({ title: "x", sections: [], words: WORDS, run: run(variants, hasSchema), mistakes: MISTAKES, rows });
  await openRows();
  return count;
}
