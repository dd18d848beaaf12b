import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { difference, withEscapes } from "../../../../evaluators/reports/html/script/difference.js";
import { Digits, linesOf, ownValue, parsed, plainLinesOf, source, spelled, unpack } from "../../../../evaluators/reports/html/script/lines.js";
import { forPeople, generalPath, within } from "../../../../evaluators/reports/html/script/paths.js";

const marks = (one, other) => difference(one, other).map((runs) => runs.map(([text, isChanged]) => (isChanged ? `[${text}]` : text)).join(""));

test("what differs is marked on both sides, and what is common is not", () => {
  assert.deepEqual(marks("294.27", "249.27"), ["2[9]4.27", "24[9].27"]);
  assert.deepEqual(marks("same", "same"), ["same", "same"]);
  assert.deepEqual(marks("", "new"), ["", "[new]"]);
  assert.deepEqual(marks("aa", "aaa"), ["aa", "aa[a]"]);
  assert.deepEqual(marks("Müller", "Muller"), ["M[ü]ller", "M[u]ller"]);
});

test("a character of several code points is one", () => {
  assert.deepEqual(marks("a👩‍👩‍👧", "a👩‍👩‍👦"), ["a[👩‍👩‍👧]", "a[👩‍👩‍👦]"]);
});

test("texts that are too long are not compared, and a long middle is changed as a whole", () => {
  assert.equal(difference("x".repeat(20001), "y"), null);
  const [ours] = difference(`a${"x".repeat(3000)}b`, `a${"y".repeat(3000)}b`);
  assert.deepEqual(ours.map(([text, isChanged]) => [text.length, isChanged]), [[1, false], [3000, true], [1, false]]);
});

test("of texts that share no more than single letters everything is marked", () => {
  const [text, other] = ["I am sorry, the scan is too blurred.", `{ "number": "CB-4431", "items": [${"1, 2, 3, ".repeat(12)}4] }`];
  assert.deepEqual(marks(text, other), [`[${text}]`, `[${other}]`]);
  assert.deepEqual(marks(`${text} Sorry.`, text), [`${text}[ Sorry.]`, text]);
});

test("people see a key of several words as it is, and any other key that needs quotes in them", () => {
  const cases = [
    ['["order number"]', "order number"], ['a["order number"].b', "a.order number.b"], ["items[*].name", "items[*].name"],
    ['["a.b"]', '["a.b"]'], ['["a, b"]', '["a, b"]'], ['["a  b"]', '["a  b"]'], ['["0"]', '["0"]'], ['["\\u200b x"]', '["\\u200b x"]'],
  ];
  for (const [path, said] of cases) assert.equal(forPeople(path), said);
});

test("lines are unpacked, one value each", async () => {
  source.textOf = (id) => (id === "there" ? deflateSync('{"a":"é"}\n{"a":2}\n').toString("base64") : "");
  assert.deepEqual(linesOf(await unpack("there")), [{ a: "é" }, { a: 2 }]);
  assert.deepEqual(linesOf(await unpack("not there")), []);
  assert.deepEqual(plainLinesOf('{"a":1}\n{"a":2}\n'), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(plainLinesOf(""), []);
});

test("a number that a script cannot hold keeps its digits where the engine tells them", () => {
  const value = parsed('{"big": 12345678901234567890, "small": 1.5}');
  assert.equal(value.small, 1.5);
  if (value.big instanceof Digits) assert.equal(spelled(value.big), "12345678901234567890");
  assert.equal(spelled(new Digits("12345678901234567890")), "12345678901234567890");
  assert.equal(spelled("x"), '"x"');
});

test("what objects have by nature is no value of theirs", () => {
  assert.equal(ownValue({}, "constructor"), undefined);
  assert.equal(ownValue({ a: 1 }, "a"), 1);
});

test("a path is spelled as reports spell it", () => {
  const cases = [
    ["", "a", "a"], ["a", "b", "a.b"], ["a", 0, "a[0]"], ["a", "b c", 'a["b c"]'], ["", "0", '["0"]'], ["a", "*", 'a["*"]'], ["a", "", 'a[""]'],
    ["", "\u200b", '["\u200b"]'],
  ];
  for (const [path, step, whole] of cases) assert.equal(within(path, step), whole);
});

test("an index is any index, and a quoted key is a key", () => {
  const cases = [
    ["a.b", "a.b"], ["a[0].b[12]", "a[*].b[*]"], ["[3]", "[*]"], ['["x[0]"][1]', '["x[0]"][*]'], ["", ""], ['a["b', 'a["b'], ["a[*].b", "a[*].b"],
    [String.raw`["a\"[0]"][1]`, String.raw`["a\"[0]"][*]`],
  ];
  for (const [path, general] of cases) assert.equal(generalPath(path), general);
});

test("characters that cannot be seen are escapes, and joiners stay", () => {
  assert.equal(withEscapes("andr\u200boid\ufeff \u{1F468}\u200D\u{1F469}"), "andr\\u200boid\\ufeff \u{1F468}\u200D\u{1F469}");
});
