import assert from "node:assert/strict";
import { test } from "node:test";
import { canMove, changedPart, moved, stepsFrom, textAt, withStep } from "../../../evaluators/studio/page/script/undo.js";

test("what is typed without a pause is one step, a change of the form is its own", () => {
  let steps = stepsFrom("");
  steps = withStep(steps, "a", 1000);
  steps = withStep(steps, "ab", 1500);
  steps = withStep(steps, "abc", 2000);
  steps = withStep(steps, "abc: x");
  steps = withStep(steps, "abc: xy", 9000);
  assert.deepEqual(steps.texts, ["", "abc", "abc: x", "abc: xy"]);
  assert.equal(textAt(moved(moved(steps, -1), -1)), "abc");
});

test("undo goes to the first text and not further, redo to the last", () => {
  const steps = withStep(withStep(stepsFrom("one"), "two"), "three");
  assert.equal(textAt(moved(steps, -7)), "one");
  assert.equal(textAt(moved(moved(steps, -7), 1)), "two");
  assert.ok(canMove(steps, -1) && !canMove(steps, 1));
  assert.ok(!canMove(moved(steps, -2), -1));
});

test("a change after an undo takes the place of what was undone", () => {
  const steps = withStep(moved(withStep(withStep(stepsFrom("one"), "two"), "three"), -1), "four");
  assert.deepEqual(steps.texts, ["one", "two", "four"]);
  assert.ok(!canMove(steps, 1));
});

test("typing after an undo is a step of its own, and the same text is none", () => {
  const typed = withStep(stepsFrom(""), "a", 1000);
  assert.deepEqual(withStep(moved(typed, -1), "b", 1100).texts, ["", "b"]);
  assert.equal(withStep(typed, "a", 9000), typed);
});

test("putting the changed part in makes the other text", () => {
  for (const [before, after] of [["", "a"], ["aa", "a"], ["a", "aa"], ["abc", "axc"], ["abab", "ab"], ["x", "x"], ["a\nb\nc", "a\nc"]]) {
    const { from, to, insert } = changedPart(before, after);
    assert.equal(before.slice(0, from) + insert + before.slice(to), after);
  }
  assert.deepEqual(changedPart("abc", "axc"), { from: 1, to: 2, insert: "x" });
});
