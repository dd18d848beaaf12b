import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, intervalText, ofPart, scoreText } from "../../../../evaluators/reports/html/script/words.js";

const stats = (kept) => ({ scored: 19, invalid: 0, unjudged: 0, bugs: 0, ...kept });

test("a score has four decimals, halves go to the even digit, and it never claims more than it is", () => {
  const cases = [
    [0, "0.0000"], [1, "1.0000"], [2 / 3, "0.6667"], [1 / 32, "0.0312"], [3 / 32, "0.0938"],
    [0.99999, "0.9999"], [0.00001, "0.0001"], [null, "–"], [Number.NaN, "–"],
  ];
  for (const [value, text] of cases) assert.equal(scoreText(value), text);
});

test("an interval says both ends, and nothing where there is none", () => {
  assert.equal(intervalText({ low: 0.881, high: 0.99999 }), "[0.8810, 0.9999]");
  assert.equal(intervalText(null), "");
});

test("a figure says its rows where more than a twentieth was kept out", () => {
  assert.equal(ofPart(stats({ invalid: 1 }), "0.5"), "0.5");
  assert.equal(ofPart(stats({ invalid: 1, unjudged: 1 }), "0.5"), "0.5 (19 rows)");
  assert.equal(ofPart(stats({ scored: 0, bugs: 3 }), "–"), "–");
});

test("one is one, and thousands have commas", () => {
  assert.deepEqual([counted(1, "row"), counted(1234, "row")], ["1 row", "1,234 rows"]);
});
