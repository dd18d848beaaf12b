import assert from "node:assert/strict";
import test from "node:test";
import { valueIn } from "../../../evaluators/studio/page/script/typed.js";

test("what is written is JSON, or a text, or nothing", () => {
  assert.deepEqual(valueIn(" 12.5 ").value, "12.5");
  assert.deepEqual(valueIn('"Rome"').value, '"Rome"');
  assert.deepEqual(valueIn("Rome").value, '"Rome"');
  assert.deepEqual(valueIn("null").value, "null");
  assert.deepEqual(valueIn("  ").value, "");
  assert.deepEqual(valueIn("12345678901234567890").value, "12345678901234567890");
  assert.equal(valueIn("Rome").wrong, "");
  assert.match(valueIn('{"a": 1').wrong, /begins like JSON/);
});
