// Gates as sliders: the least that a metric may be. What they come to is only said once all rows are scored.

import { button, el, fill, plain, refill } from "../../../reports/html/script/dom.js";
import { badge } from "../../../reports/html/script/marks.js";
import { scoreText } from "../../../reports/html/script/words.js";
import { atRest, onlyInText } from "./settings.js";
import { gatedFigure } from "./share.js";

/** @import {Form, GateLine, Scored} from "./types.d.ts" */

const LIMITS = {
  fail_below: "fails below",
  warn_below: "warns below",
  fail_above: "fails above",
  warn_above: "warns above",
};
const TONE_OF = { passed: "good", warned: "warning", failed: "bad", undecided: "note" };
const USUAL_LIMIT = 0.9;

/** @type {[GateLine, any][]} */
let notes = [];
/** @type {Form | null} */
let shownForm = null;

/** @param {Form} form @param {() => Scored | null} scored @param {(what: Record<string, unknown>) => void} edit */
export function gatePart(form, scored, edit) {
  notes = [];
  shownForm = form;
  const lines = form.gates.map((gate) => gateLine(gate, edit));
  const targets = gateTargets(form);
  const select = el("select", { "aria-label": "Metric of the new gate", "data-keep": "new-gate" });
  fill(
    select,
    targets.map((one) => el("option", { value: one }, one)),
  );
  const add = () => edit({ edit: "gate", target: select.value, limit: "fail_below", value: USUAL_LIMIT });
  drawGates(scored());
  return el(
    "section.gates",
    { "aria-label": "Gates" },
    el("h3", "Gates"),
    el("p.quiet", "A run fails where a metric is below its gate."),
    lines.length > 0 && el("ul.gate-lines", lines),
    targets.length > 0 && el("p.actions", select, button("Add gate", add, { "data-keep": "add-gate" })),
  );
}

/** What may have a gate and has none: evaluators and their fields.
 * @param {Form} form @returns {string[]} */
export function gateTargets({ checks, gates }) {
  const taken = new Set(gates.map((one) => one.target));
  const all = checks.flatMap(({ name, fields = [] }) => [
    name,
    ...fields.filter((one) => !one.skip).map((one) => `${name}.${one.path}`),
  ]);
  return all.filter((one) => !taken.has(one));
}

/** @param {GateLine} gate @param {(what: Record<string, unknown>) => void} edit */
function gateLine(gate, edit) {
  const { target, figure = "mean", editable = true } = gate;
  const note = el("span.gate-note");
  notes.push([gate, note]);
  const limits = Object.keys(LIMITS).filter((name) => gate[name] !== null && gate[name] !== undefined);
  const remove = () => {
    for (const limit of limits) edit({ edit: "gate", target, limit, value: null });
  };
  return el(
    "li.gate-line",
    el("span", plain(target), figure !== "mean" && el("span.quiet", ` ${figure}`)),
    limits.map((limit) => slider(target, limit, gate[limit], editable, edit)),
    note,
    onlyInText(gate.text_only),
    editable && button("Remove", remove, { "aria-label": `Remove the gate of ${target}` }, "button.quiet-button"),
  );
}

/** A slider and a number, which are one thing. Several steps without a pause are one change. */
function slider(target, limit, value, editable, edit) {
  const common = { min: 0, step: 0.005, value, disabled: !editable };
  const words = LIMITS[limit];
  const write = (text) => text !== "" && edit({ edit: "gate", target, limit, value: Number(text) });
  const number = el("input", {
    type: "number",
    ...common,
    step: "any",
    "aria-label": `${target} ${words}, as a number`,
    "data-keep": `gate ${target} ${limit} number`,
    change: () => write(number.value),
  });
  const range = el("input", {
    type: "range",
    ...common,
    max: Math.max(1, value),
    "aria-label": `${target} ${words}`,
    "data-keep": `gate ${target} ${limit}`,
  });
  range.addEventListener(
    "change",
    atRest(() => write(range.value)),
  );
  range.addEventListener("input", () => {
    number.value = range.value;
  });
  return el("span.slider", el("span.quiet", words), range, number);
}

/** @param {Scored | null} scored */
export function drawGates(scored) {
  for (const [gate, note] of notes) refill(note, noteOf(gate, scored));
}

/** @param {GateLine} gate @param {Scored | null} scored */
function noteOf({ target, figure = "mean" }, scored) {
  if (!scored) return null;
  const end = scored.gates.find((one) => one.target === target);
  if (end) return [badge(end.status, TONE_OF[end.status] ?? "note"), " ", plain(end.said)];
  const now = figure === "mean" ? gatedFigure(scored, shownForm?.checks ?? [], target) : null;
  return now !== null && el("span.quiet", `${scoreText(now)} ${scored.said}`);
}
