import assert from "node:assert/strict";
import { test } from "node:test";

// as much of a browser's elements as a plot needs
class Node {
  constructor(name, space) {
    Object.assign(this, { name, space, properties: {}, children: [] });
  }
  setAttribute(key, value) {
    this.properties[key] = value;
  }
  append(child) {
    this.children.push(child);
  }
}
globalThis.Node = Node;
globalThis.document = {
  createElement: (name) => new Node(name, "html"),
  createElementNS: (space, name) => new Node(name, space),
};

const { barOf, calibration, neutralSection } = await import("../../../../evaluators/reports/html/script/sections.js");

const every = (node, name) =>
  node instanceof Node ? [...(node.name === name ? [node] : []), ...node.children.flatMap((each) => every(each, name))] : [];
const texts = (node) => (node instanceof Node ? node.children.flatMap(texts) : [node]);
const classed = (node, name, kind) => every(node, name).filter((one) => one.properties.class === kind);
const bin = (low, high, right, ci = null) => ({ low, high, right, ci, said: `${low} to ${high}` });

test("the bar of a confidence is as wide as its bin, and as high as the share that is right", () => {
  assert.deepEqual(barOf(bin(0.5, 1, 0.75)), { x: 101, width: 98, y: 50, height: 150 });
  assert.deepEqual(barOf(bin(0.5, 1, 1)), { x: 101, width: 98, y: 0, height: 200 });
});

test("a bin in which nothing is right is seen, and one without rows has no bar", () => {
  assert.deepEqual(barOf(bin(0, 0.5, 0)), { x: 1, width: 98, y: 198, height: 2 });
  const drawn = calibration([bin(0, 0.1, 0), bin(0.9, 1, 1)]);
  assert.deepEqual(classed(drawn, "rect", "bar").map((one) => one.properties.x), [1, 181]);
});

test("each bar says its bin to a pointer, and has the interval of its share over its middle", () => {
  const drawn = calibration([bin(0.4, 0.6, 0.5, [0.25, 0.75]), bin(0.8, 1, 0.9)]);
  const said = every(drawn, "title");
  assert.deepEqual(said.map(texts), [["0.4 to 0.6"], ["0.8 to 1"]]);
  assert.ok(said.every((one) => one.space === "http://www.w3.org/2000/svg"));
  assert.deepEqual(classed(drawn, "line", "interval").map((one) => one.properties), [{ class: "interval", x1: 100, x2: 100, y1: 150, y2: 50 }]);
});

test("one bin alone has the diagonal beside it, and both axes their ends", () => {
  const drawn = calibration([bin(0.9, 1, 1)]);
  const [diagonal] = classed(drawn, "line", "diagonal");
  assert.deepEqual([diagonal.properties.x1, diagonal.properties.y1, diagonal.properties.x2, diagonal.properties.y2], [0, 200, 200, 0]);
  assert.equal(classed(drawn, "rect", "bar").length, 1);
  assert.deepEqual(texts(drawn).slice(0, 3), ["0", "right", "1"]);
  assert.deepEqual(texts(drawn).slice(-4, -1), ["0", "confidence", "1"]);
  assert.equal(every(drawn, "svg")[0].properties["aria-label"], "Share that is right, over the confidence");
});

test("a confidence that no row has is not drawn, and its words are", () => {
  const section = { id: "confidence-0", title: "Confidence: e", blocks: [{ text: "no row has one", tone: "plain" }] };
  const none = neutralSection({ ...section, bins: [] });
  assert.deepEqual([every(none, "svg").length, texts(none).includes("no row has one")], [0, true]);
  assert.equal(every(neutralSection({ ...section, bins: [bin(0, 0.1, 0)] }), "svg").length, 1);
});
