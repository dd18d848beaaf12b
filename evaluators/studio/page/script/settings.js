// Settings as controls: one for each kind of option that the server describes.

import { el, fill, seenOnly, unseen } from "../../../reports/html/script/dom.js";
import { withCode } from "../../../reports/html/script/sections.js";

/** @import {Choice, Option} from "./types.d.ts" */

const GROUPS = ["start here", "further", "compatibility"];

const REST_MILLISECONDS = 300;

/** Does something once a control came to rest: letters typed into a menu and steps of a slider are one change.
 * @param {() => void} act */
export function atRest(act) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, REST_MILLISECONDS);
  };
}

/** The name of a setting as words: `tolerance.abs` is "tolerance abs".
 * @param {string} name */
export const wordsOf = (name) => name.replaceAll(/[_.]/g, " ");

/** What a text of a control says: nothing for an empty one, so that the setting is taken away.
 * @param {Option} option @param {string} text @returns {unknown} */
export function settingOf({ kind }, text) {
  if (kind === "list") {
    const lines = text.split("\n").filter((line) => line.trim());
    return lines.length ? lines : null;
  }
  if (!text.trim()) return null;
  return kind === "number" ? Number(text) : text;
}

/** The text of a control for a value.
 * @param {unknown} value */
export const textFor = (value) =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.join("\n") : String(value);

/** The settings that are not as they would be without a word, in a line: "tolerance abs 0.01, at least 0.9".
 * @param {Record<string, unknown>} options @returns {string} */
export const settingsInWords = (options) =>
  Object.entries(options)
    .map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(", ") : String(value);
      return value === true ? wordsOf(name) : `${wordsOf(name)} ${text}`;
    })
    .join(", ");

/** A control for a setting. `key` names it on the page, `set` is told of its new value, null to take it away.
 * @param {Option} option @param {unknown} value @param {string} key @param {(value: unknown) => void} set @param {boolean} [disabled] */
export function control(option, value, key, set, disabled = false) {
  const { name, kind, meaning = "", default: usual } = option;
  const hint = `${key}-hint`;
  const described = { "data-keep": key, disabled, "aria-describedby": meaning ? hint : null };
  const placeholder = usual === undefined || usual === null ? "" : textFor(usual);
  const said = meaning && el("span.hint", { id: hint }, withCode(meaning));
  if (kind === "switch") {
    const box = el("input", { type: "checkbox", ...described, change: () => set(box.checked) });
    box.checked = value === undefined || value === null ? usual === true : value === true;
    return el("div.setting", el("label.switch", box, " ", wordsOf(name)), said);
  }
  const changed = () => set(settingOf(option, input.value));
  const input = inputOf(option, { ...described, placeholder, change: kind === "choice" ? atRest(changed) : changed });
  if (kind === "choice") input.value = textFor(value);
  else input.defaultValue = textFor(value);
  return el("div.setting", el("label", el("span", wordsOf(name)), input), said);
}

/** @param {Option} option @param {Record<string, any>} properties */
function inputOf({ kind, choices = [], low, high, default: usual }, properties) {
  if (kind === "choice") {
    const without = usual === undefined || usual === null ? "" : `${usual} (as usual)`;
    const rest = choices.filter((one) => one !== usual);
    const { placeholder, ...others } = properties;
    return el(
      "select",
      others,
      el("option", { value: "" }, without),
      rest.map((one) => el("option", { value: one }, one)),
    );
  }
  if (kind === "list") return el("textarea", { rows: 3, ...properties, placeholder: "one in each line" });
  if (kind === "number") return el("input", { type: "number", step: "any", min: low, max: high, ...properties });
  return el("input", { type: "text", autocomplete: "off", spellcheck: "false", ...properties });
}

/** A menu of choices in plain words, in their groups, the suite's own ones first.
 * @param {string} label @param {Choice[]} choices @param {string} chosen @param {string[]} own @param {Record<string, any>} properties */
export function wordMenu(label, choices, chosen, own, properties) {
  const option = (value, text) => el("option", { value }, text);
  const inGroup = (group) =>
    choices
      .filter((one) => (one.group ?? "further") === group)
      .map(({ name, words }) => option(name, words === name || !name ? words : `${words} (${name})`));
  const select = el("select", { "aria-label": label, ...properties });
  const isKnown = choices.some(({ name }) => name === chosen) || own.includes(chosen);
  if (!isKnown) fill(select, [option(chosen, chosen || "only in the text")]);
  if (own.length)
    fill(select, [
      el(
        "optgroup",
        { label: "of this suite" },
        own.map((name) => option(name, name)),
      ),
    ]);
  for (const group of GROUPS)
    if (inGroup(group).length) fill(select, [el("optgroup", { label: group }, inGroup(group))]);
  select.value = chosen;
  return select;
}

/** @param {number} [count] */
export const onlyInText = (count = 0) =>
  count > 0 &&
  el("span.quiet", count === 1 ? "1 setting is only in the text" : `${count} settings are only in the text`);

/** How many are right, as a bar and in words.
 * @param {number} right @param {number} of */
export function shareOf(right, of) {
  if (!of) return el("span.quiet", "not measured");
  const sign = right === of ? "✓" : "✕";
  return el(
    `span.share.share-${right === of ? "good" : "wrong"}`,
    seenOnly(sign),
    el("span.mini", { "aria-hidden": "true", vars: { share: right / of } }),
    `${right} of ${of}`,
    unseen(" right"),
  );
}
