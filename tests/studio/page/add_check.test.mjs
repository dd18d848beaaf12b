import assert from "node:assert/strict";
import { test } from "node:test";
import { checkGroups } from "../../../evaluators/studio/page/script/add_check.js";

const CHECKS = [
  { name: "length", words: "length", does: "Pass when the number of characters is within limits." },
  { name: "exact_match", words: "exact match", does: "Pass when the output equals the answer.", group: "start here" },
  { name: "similarity", words: "similarity", does: "Score how much the output has in common with the answer." },
];
const names = (text) => checkGroups(CHECKS, text).map(([group, some]) => [group, some.map((one) => one.name)]);

test("checks are found by their name and by what they do, in their groups", () => {
  assert.deepEqual(names(""), [["further", ["length", "similarity"]], ["start here", ["exact_match"]]]);
  assert.deepEqual(names(" ANSWER "), [["start here", ["exact_match"]], ["further", ["similarity"]]]);
  assert.deepEqual(names("characters"), [["further", ["length"]]]);
  assert.deepEqual(names("<script>"), []);
});
