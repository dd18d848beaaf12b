import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAfter, inSight } from "../../../evaluators/studio/page/script/grid.js";
import { columnOf, gatedFigure } from "../../../evaluators/studio/page/script/share.js";
import { settingOf, settingsInWords, textFor } from "../../../evaluators/studio/page/script/settings.js";

test("only the rows in sight and a few beyond are drawn, however many there are", () => {
  assert.deepEqual(inSight(0, 640, 32, 200000), [0, 26]);
  assert.deepEqual(inSight(3200000, 640, 32, 200000), [99994, 100026]);
  assert.deepEqual(inSight(6400000, 640, 32, 200000), [199994, 200000]);
  assert.deepEqual(inSight(0, 640, 32, 3), [0, 3]);
  assert.deepEqual(inSight(900, 640, 32, 0), [0, 0]);
});

test("keys lead from cell to cell and stop at the edges", () => {
  const after = (key, at, isFar = false) => cellAfter(key, isFar, at, 100, 20, 10);
  assert.deepEqual(after("ArrowDown", [4, 2]), [5, 2]);
  assert.deepEqual(after("ArrowUp", [0, 2]), [0, 2]);
  assert.deepEqual(after("ArrowLeft", [4, -1]), [4, -1]);
  assert.deepEqual(after("ArrowRight", [4, 19]), [4, 19]);
  assert.deepEqual(after("PageDown", [95, 0]), [99, 0]);
  assert.deepEqual(after("Home", [95, 7]), [95, -1]);
  assert.deepEqual(after("End", [95, 7], true), [99, 19]);
  assert.equal(after("x", [0, 0]), null);
  assert.equal(after("toString", [0, 0]), null);
  assert.equal(cellAfter("ArrowDown", false, [0, 0], 0, 5, 10), null);
});

const SCORED = {
  columns: [
    { evaluator: "header", place: 0, right: 40, of: 50 },
    { evaluator: "header", place: 0, field: "a.b", right: 48, of: 50 },
    { evaluator: "header", place: 0, field: "items[*].c", right: 0, of: 0 },
  ],
  figures: [{ evaluator: "header", mean: 0.9 }],
};
const CHECK = { place: 0, name: "header", fields: [{ path: "/a/b", name: "a.b" }, { path: "left out", skip: true }, { path: "items[*].c" }] };

test("a field has its column, also where the suite spells its path in another way", () => {
  assert.equal(columnOf(SCORED, CHECK, "items[*].c").of, 0);
  assert.equal(columnOf(SCORED, CHECK, "/a/b").right, 48);
  assert.equal(columnOf(SCORED, { ...CHECK, fields: [{ path: "/a/b" }] }, "/a/b"), undefined);
  assert.equal(columnOf(null, CHECK, "/a/b"), undefined);
});

test("a gate reads the mean of an evaluator, or the share of a field that is right", () => {
  assert.equal(gatedFigure(SCORED, [CHECK], "header"), 0.9);
  assert.equal(gatedFigure(SCORED, [CHECK], "header./a/b"), 0.96);
  assert.equal(gatedFigure(SCORED, [CHECK], "header.items[*].c"), null);
  assert.equal(gatedFigure(SCORED, [CHECK], "nobody"), null);
  const variants = ["a", "b"].map((variant) => ({ evaluator: "header", mean: 0.9, variant }));
  assert.equal(gatedFigure({ ...SCORED, figures: variants }, [CHECK], "header"), null);
});

test("an empty control takes its setting away, 0 is a value", () => {
  assert.equal(settingOf({ name: "x", kind: "number" }, "0"), 0);
  assert.equal(settingOf({ name: "x", kind: "number" }, " "), null);
  assert.equal(settingOf({ name: "x", kind: "text" }, ""), null);
  assert.deepEqual(settingOf({ name: "x", kind: "list" }, "a\n\n b, c\n"), ["a", " b, c"]);
  assert.equal(settingOf({ name: "x", kind: "list" }, "\n"), null);
});

test("values are shown as they are written again", () => {
  for (const [option, value] of [[{ kind: "list" }, ["a", "b c"]], [{ kind: "number" }, 0.5], [{ kind: "text" }, "x"]])
    assert.deepEqual(settingOf(option, textFor(value)), value);
  assert.equal(textFor(null), "");
  assert.equal(settingsInWords({ "tolerance.abs": 0.01, at_least: 0, partial: true, values: ["a", "b"] }), "tolerance abs 0.01, at least 0, partial, values a, b");
});
