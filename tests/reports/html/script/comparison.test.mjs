import assert from "node:assert/strict";
import { test } from "node:test";
import { changeCounts, changedFields, comparedEvaluators, comparedRows } from "../../../../evaluators/reports/html/script/compared.js";

const field = (evaluator, path, change) => ({ evaluator, path, field: path.replace(/\[\d+\]/, "[*]"), change, was: null, now: null });
const row = (number, id, change, verdicts, fields) => ({
  id, number, variant: null, change, base: String(number), new: String(number), verdicts, reasons: {}, fields,
});
const ROWS = [
  row(2, "A10", "fixed", { fixed: ["mail"] }, [field("mail", "date", "unchanged"), field("mail", "name", "fixed")]),
  row(3, "B7", "broken", { broken: ["mail"], fixed: ["text"] }, [field("mail", "items[0]", "broken"), field("mail", "items[1]", "broken"), field("text", "", "fixed")]),
  row(4, "B8", "unchanged", {}, [field("mail", "name", "broken"), field("mail", "date", "fixed")]),
  row(5, "C", "lost", { lost: ["text"] }, []),
];
const left = (choice) =>
  comparedRows(ROWS, { change: "", evaluator: "", field: "", q: "", ...choice }).map(({ row, fields }) => [
    row.number, fields.map((one) => one.path).join(" "),
  ]);

test("broken rows come first, and in a row the fields whose status changed", () => {
  assert.deepEqual(left({}), [[3, "items[0] items[1] "], [5, ""], [2, "name date"], [4, "name date"]]);
});

test("a change is that of the row, and with a field that of the field", () => {
  assert.deepEqual(left({ change: "fixed" }), [[2, "name date"]]);
  assert.deepEqual(left({ change: "fixed", evaluator: "mail", field: "date" }), [[4, "date"]]);
  assert.deepEqual(left({ change: "broken", evaluator: "mail", field: "items[*]" }), [[3, "items[0] items[1]"]]);
  assert.deepEqual(left({ evaluator: "mail", field: "name" }), [[2, "name"], [4, "name"]]);
  assert.deepEqual(left({ change: "nonsense" }), []);
});

test("an evaluator leaves the rows that it says something of, by a field or by its verdict alone", () => {
  assert.deepEqual(left({ evaluator: "text" }), [[3, ""], [5, ""]]);
});

test("a search finds ids and row numbers", () => {
  assert.deepEqual(left({ q: " b " }).map(([number]) => number), [3, 4]);
  assert.deepEqual(left({ q: "5" }).map(([number]) => number), [5]);
});

test("choices say how many rows they have; a row counts once for a field", () => {
  assert.deepEqual(changeCounts(ROWS), [["broken", 1], ["lost", 1], ["fixed", 1], ["unchanged", 1]]);
  assert.deepEqual(changedFields(ROWS), [["mail", [["date", 2], ["name", 2], ["items[*]", 1]]]]);
  assert.deepEqual(comparedEvaluators(ROWS), ["mail", "text"]);
});
