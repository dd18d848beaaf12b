import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { offersAt, placeAt } from "../../../evaluators/studio/page/script/completion.js";

const schema = JSON.parse(readFileSync(new URL("../../../docs/suite.schema.json", import.meta.url), "utf8"));

/** What is offered where `▮` stands in a text. */
function offered(text) {
  const lines = text.split("\n");
  const number = lines.findIndex((line) => line.includes("▮"));
  const column = lines[number].indexOf("▮");
  lines[number] = lines[number].replace("▮", "");
  return offersAt(schema, placeAt(lines, number, column));
}
const labels = (text) => offered(text).map((one) => one.label);
const steps = (text) => {
  const lines = text.split("\n");
  const number = lines.findIndex((line) => line.includes("▮"));
  const found = placeAt(lines.map((line) => line.replace("▮", "")), number, lines[number].indexOf("▮"));
  return found.steps.map((step) => step.key).join(" ");
};

test("keys of the suite are offered at the top, those that are written are not", () => {
  const found = labels("name: x\n▮\ntest_set:\n  file: a.csv\n");
  assert.ok(found.includes("evaluators") && found.includes("gates"));
  assert.ok(!found.includes("name") && !found.includes("test_set"));
});

test("an item of the evaluators is a word, a word with settings, or a type", () => {
  const found = labels("evaluators:\n  - ▮");
  assert.ok(found.includes("exact_match") && found.includes("schema_match"));
  assert.deepEqual(labels("evaluators:\n- ▮"), found);
});

test("the settings are those of the type that is written above or below", () => {
  for (const text of ["evaluators:\n  - type: length\n    ▮", "evaluators:\n  - ▮\n    type: length", "evaluators:\n  - length:\n      ▮"]) {
    const found = labels(text);
    assert.ok(found.includes("max"), text);
    assert.ok(!found.includes("fields"), text);
  }
});

test("a field offers comparators, and those their settings", () => {
  const start = "evaluators:\n  - type: schema_match\n    # the rules\n    fields:\n      a.b: exact\n      total: ";
  assert.ok(labels(`${start}▮`).includes("numeric"));
  assert.ok(labels(`${start}num▮`).includes("numeric"));
  assert.ok(labels(`${start}\n        ▮`).includes("date"));
  assert.ok(labels(`${start}\n        compare: ▮`).includes("fuzzy"));
  assert.ok(labels(`${start}\n        numeric:\n          ▮`).includes("tolerance"));
  assert.ok(labels(`${start}\n        compare: exact\n        ▮`).includes("weight"));
});

test("switches and closed sets offer their words", () => {
  assert.deepEqual(labels("test_set:\n  unreadable_output: ▮"), ["fail", "skip"]);
  const found = labels("evaluators:\n  - type: schema_match\n    fields:\n      a:\n        compare: exact\n        required: ▮");
  assert.deepEqual(found, ["true", "false"]);
});

test("each key says what it is for", () => {
  assert.ok(offered("▮").every((one) => one.info || one.label));
  assert.match(offered("▮").find((one) => one.label === "evaluators").info, /What scores each row/);
});

test("the way to a place passes items, quoted keys and lists at the column of their key", () => {
  assert.equal(steps('a:\n- b:\n    "c d": 1\n    "e: f":\n      - - g: ▮'), "a [] b e: f [] [] g");
  assert.equal(steps("a:\n  b: 1\nc:\n  d:\n    x: 1\n  ▮"), "c");
  assert.equal(steps("a:\n  b: 1\n▮"), "");
  assert.equal(steps("a:\n  - x: 1\n    y: 2\n  - z:\n      ▮"), "a [] z");
});

test("a text of any kind is no reason to fail", () => {
  for (const text of ["{▮", "  - ▮", ": ▮", "a: [1, ▮", "__proto__:\n  ▮", "constructor: ▮", "<script>: ▮"]) offered(text);
});
