import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { detailOf, documentOf, fieldsOf, passageRuns, placeOf } from "../../../../evaluators/reports/html/script/documents.js";
import { binned, binsInWords, measureRows, measured } from "../../../../evaluators/reports/html/script/figures.js";
import { cellKey, cellSize, choiceOf, chosenRows, needsOutcomes, searchDocuments } from "../../../../evaluators/reports/html/script/filters.js";
import { indexOutcomes, keyOf, readVerdict, rowOfKey, rows, verdictOf, wrongFields } from "../../../../evaluators/reports/html/script/store.js";
import { CODES, openPage } from "./page.mjs";

const NOTHING = { q: "", result: "", evaluator: "", field: "", status: "", slice: "", variant: "", cell: "", mistake: "" };
const chosen = (state, sort = "row", found = null) => {
  const choice = choiceOf({ ...NOTHING, ...state });
  measureRows(choice.evaluators);
  return chosenRows(choice, sort, found).map((row) => rows.ids[row]);
};

beforeEach(() => openPage());

test("a code is what a run folder says of it", () => {
  const verdict = readVerdict(CODES[1]);
  assert.deepEqual([verdict.score, verdict.passed, verdict.wrong, verdict.fine], [0.5, false, 1, false]);
  assert.equal(readVerdict(CODES[0]).fine, true);
  assert.equal(readVerdict(CODES[6]).wrong, 3);
  assert.deepEqual([readVerdict(CODES[3]).score, readVerdict(CODES[3]).issue.message], [null, "not JSON"]);
  assert.equal(readVerdict(CODES[4]).leftOut, true);
  assert.equal(readVerdict({ status: "scored", score: [2, 2], passed: false }).fine, false);
});

test("rows have their numbers, ids, slices and verdicts", () => {
  assert.equal(rows.count, 5);
  assert.deepEqual(rows.numbers, [2, 3, 4, 6, 7]);
  assert.equal(verdictOf(2, 0).status, "unreadable");
  assert.deepEqual([keyOf(3), rowOfKey("6"), rowOfKey("5")], ["6", 3, -1]);
});

test("each variant has codes of its own", async () => {
  await openPage(["old", "new: it"]);
  assert.equal(rows.count, 10);
  assert.equal(verdictOf(6, 0), rows.verdicts[0][6]);
  assert.equal(keyOf(6), "3:new: it");
  assert.equal(rowOfKey("3:new: it"), 6);
  assert.deepEqual(chosen({ variant: "old" }).length, 5);
});

test("zeros count in the mean of a row, and who gave no score is left out", () => {
  measureRows([0, 1]);
  assert.deepEqual([...measured.scores], [1, 0.25, 0, 1, 1]);
  measureRows([0]);
  assert.deepEqual([...measured.scores], [1, 0.5, 0, Number.NaN, Number.NaN]);
  assert.deepEqual([...measured.wrongs], [0, 1, 2, 0, 0]);
  assert.deepEqual([...measured.isWrong], [0, 1, 1, 1, 0]);
});

test("scores are counted in bins, those of 0 and 1 apart", () => {
  const bins = binned(0, null);
  assert.deepEqual([bins[0], bins[11], bins[21], bins.reduce((sum, size) => sum + size)], [1, 1, 1, 3]);
  assert.equal(binsInWords(bins), "1 row at 0, 1 row from 0.5 to 0.55, 1 row at 1");
  assert.equal(binned(0, "other").some(Boolean), false);
});

test("each result has its rows", () => {
  const results = {
    "": ["a10", "a9", "b1", "b2", "b3"],
    wrong: ["a9", "b1", "b2"],
    failed: ["a9", "b1"],
    passed: ["a10"],
    none: ["b2", "b3"],
    unreadable: ["b1"],
    "not measured": ["b3"],
    nonsense: [],
  };
  for (const [result, ids] of Object.entries(results)) assert.deepEqual(chosen({ result, evaluator: "header" }), ids, result);
});

test("rows with something wrong come first where no order is chosen", () => {
  assert.deepEqual(chosen({}, ""), ["a9", "b1", "b2", "a10", "b3"]);
  assert.deepEqual(chosen({ evaluator: "diff" }, ""), ["a9", "b1", "a10", "b2", "b3"]);
});

test("rows are sorted both ways; what has no score comes last", () => {
  assert.deepEqual(chosen({}, "id"), ["a9", "a10", "b1", "b2", "b3"]);
  assert.deepEqual(chosen({}, "-row"), ["b3", "b2", "b1", "a9", "a10"]);
  assert.deepEqual(chosen({ evaluator: "header" }, "score"), ["b1", "a9", "a10", "b2", "b3"]);
  assert.deepEqual(chosen({ evaluator: "header" }, "-wrong"), ["b1", "a9", "a10", "b2", "b3"]);
});

test("a search finds ids, numbers and slices", () => {
  assert.deepEqual(chosen({ q: " A1 " }), ["a10"]);
  assert.deepEqual(chosen({ q: "6" }), ["b2"]);
  assert.deepEqual(chosen({ q: "south" }), ["a9", "b2"]);
  assert.deepEqual(chosen({ q: "zzz" }, "row", new Set([2])), ["b1"]);
  assert.deepEqual(chosen({ slice: "shop=north" }), ["a10", "b1", "b3"]);
});

test("fields of a list are found by their letters, those of open documents by their outcomes", async () => {
  assert.deepEqual(chosen({ evaluator: "header", field: "total" }), ["a9", "b1"]);
  assert.deepEqual(chosen({ evaluator: "header", field: "total", status: "2" }), ["a9"]);
  assert.deepEqual(chosen({ evaluator: "header", field: "number", status: "1" }), ["a10", "a9"]);
  const open = { evaluator: "diff", field: "items[*].sku" };
  assert.equal(needsOutcomes(choiceOf({ ...NOTHING, ...open })), true);
  assert.equal(needsOutcomes(choiceOf({ ...NOTHING, evaluator: "header", field: "total" })), false);
  await indexOutcomes();
  assert.deepEqual(chosen(open), ["a9"]);
  assert.deepEqual(chosen({ evaluator: "diff", status: "3" }), ["a9"]);
  assert.deepEqual(wrongFields(1, 1), [["items[*].sku", 2], ["gone", 3]]);
  assert.deepEqual(wrongFields(1, 0), [["total", 2]]);
});

test("a field that an output has beside the schema is found, once the lines of rows are read", async () => {
  await openPage([], true);
  const beside = { evaluator: "header", field: "iban" };
  assert.equal(needsOutcomes(choiceOf({ ...NOTHING, ...beside })), true);
  assert.equal(needsOutcomes(choiceOf({ ...NOTHING, evaluator: "header", status: "4" })), true);
  assert.equal(needsOutcomes(choiceOf({ ...NOTHING, evaluator: "header", field: "total" })), false);
  await indexOutcomes();
  assert.deepEqual(chosen(beside), ["a9"]);
  assert.deepEqual(chosen({ ...beside, status: "4" }), ["a9"]);
  assert.deepEqual(chosen({ ...beside, status: "2" }), []);
  assert.deepEqual(chosen({ evaluator: "header", status: "4" }), ["a9"]);
  assert.deepEqual(wrongFields(1, 0), [["total", 2], ["iban", 4]]);
});

test("a cell of a label table has its rows, and says how many it counts", () => {
  const cell = cellKey("header", "a", "b");
  assert.deepEqual(chosen({ cell }), ["a9", "b3"]);
  assert.equal(cellSize(choiceOf({ ...NOTHING, cell })), 2);
  assert.deepEqual(chosen({ cell: cellKey("header", "a", "c") }), []);
  assert.equal(chosen({ cell: "no JSON" }).length, 5);
});

test("a mistake has its rows, those of its variant alone", async () => {
  assert.deepEqual(chosen({ mistake: "0" }), ["a9"]);
  assert.deepEqual(chosen({ mistake: "0", result: "passed" }), []);
  assert.equal(chosen({ mistake: "7" }).length, 5);
  await openPage(["old", "new"]);
  assert.deepEqual(chosen({ mistake: "1" }), ["a9", "b1"]);
  assert.deepEqual(chosen({ mistake: "0" }), []);
});

test("a row that is opened has its documents, its fields and its reasons", async () => {
  const { documents, evaluators, cells } = await detailOf(1);
  assert.deepEqual(documents.map((one) => [one.side, one.value]), [["expected", { total: 10 }], ["output", { total: 11 }]]);
  assert.deepEqual([documents[1].before, documents[1].after, documents[1].how, documents[1].which], ["So:", "Enough.", "embedded", "Number 1."]);
  assert.deepEqual(cells, { id: "a9" });
  const [header, diff] = evaluators;
  assert.equal(header.reason, "1 of 2 fields right");
  assert.deepEqual(header.fields[0], { path: "number", status: 1, rule: "exact" });
  assert.deepEqual([header.fields[1].expected, header.fields[1].actual, header.fields[1].rule], [10, 11, "numeric"]);
  assert.equal(diff.reason, "0 of 3 values right");
  assert.deepEqual("actual" in diff.fields[2], false, "what is not there is not null");
  assert.equal(diff.fields[2].expected, null);
  assert.deepEqual([placeOf(0, header.fields[1]), placeOf(1, diff.fields[0])], ["s.yaml:4", "s.yaml:9"]);
  assert.equal(await detailOf(3), null);
});

test("a cell is shown as it was read", () => {
  const output = { column: "output", side: "output", how: "output" };
  const text = { ...output, how: "text" };
  const kinds = (reading, cell, note, length) => {
    const { kind, value } = documentOf(reading, cell, note, length);
    return [kind, value];
  };
  assert.deepEqual(kinds(output, ' {"a": [1]} '), ["json", { a: [1] }]);
  assert.deepEqual(kinds(output, { a: 1 }), ["json", { a: 1 }]);
  assert.deepEqual(kinds(output, "nothing", { message: "no JSON" }), ["unreadable", "nothing"]);
  assert.deepEqual(kinds(output, "  ", { message: "empty" })[0], "absent");
  assert.deepEqual(kinds(text, '{"a": 1}'), ["text", '{"a": 1}']);
  assert.deepEqual(kinds(text, null), ["absent", null]);
  assert.deepEqual(kinds(text, "abc", undefined, 9), ["cut", "abc"]);
  const long = documentOf(output, JSON.stringify("x".repeat(100000)));
  assert.deepEqual([long.kind, long.value.length, long.of], ["cut", 100000, 100002]);
});

test("a search inside documents finds what a reader sees", async () => {
  const tell = () => {};
  const found = async (text) => [...(await searchDocuments(text, tell, () => false))];
  assert.deepEqual(await found("11 DIFFERS"), [1]);
  assert.deepEqual(await found("enough"), [1]);
  assert.deepEqual(await found("mismatch"), []);
  assert.equal(await searchDocuments("x", tell, () => true), null);
});

test("a value that was looked for in a text has its passages, which are marked there", () => {
  const details = { column: "mail", passages: [[2, 5, "match"], [4, 6, "mismatch"], [7, 8, "mismatch"]] };
  const [field] = fieldsOf(0, 1, [{ row: 2, evaluator: "diff", path: "a", status: "mismatch", actual: 1, details }]);
  assert.deepEqual(field.passages[0], { column: "mail", start: 2, end: 5, isRight: true });
  const runs = [["😀 ", null], ["one", true], [",", false], [" ", null], ["x", false], ["!", null]];
  assert.deepEqual(passageRuns("😀 one, x!", field.passages), runs);
  assert.deepEqual(passageRuns("one", []), [["one", null]]);
  const both = [{ start: 0, end: 4, isRight: false }, { start: 3, end: 5, isRight: true }];
  assert.deepEqual(passageRuns("ab cd", both), [["ab ", false], ["cd", true]]);
});
