// The evaluators that can be added, by what they are for.

import { button, el, refill } from "../../../reports/html/script/dom.js";
import { withCode } from "../../../reports/html/script/sections.js";
import { openDialog } from "./dialogs.js";

/** @import {Choice} from "./types.d.ts" */

/** Lists the evaluators, and is told of the one that is chosen.
 * @param {Choice[]} checks @param {(type: string) => void} chosen */
export function chooseCheck(checks, chosen) {
  openDialog("Add check", (close) => {
    const list = el("div.check-menu");
    const search = el("input", { type: "search", placeholder: "number, JSON, length …", autocomplete: "off" });
    const line = ({ name, does }) => {
      const add = () => {
        close();
        chosen(name);
      };
      return el("li", button([el("span", withCode(does)), el("code", name)], add));
    };
    const group = ([title, some]) => [el("h3", title), el("ul", some.map(line))];
    const draw = () => refill(list, checkGroups(checks, search.value).map(group));
    search.addEventListener("input", draw);
    draw();
    return [el("label.choice.check-search", el("span", "Search"), search), list];
  });
}

/** The checks whose words hold a text, by group.
 * @param {Choice[]} checks @param {string} text @returns {[string, Choice[]][]} */
export function checkGroups(checks, text) {
  const wanted = text.trim().toLowerCase();
  /** @type {Map<string, Choice[]>} */
  const groups = new Map();
  for (const one of checks) {
    if (!`${one.name} ${one.words} ${one.does}`.toLowerCase().includes(wanted)) continue;
    const title = one.group ?? "further";
    groups.set(title, [...(groups.get(title) ?? []), one]);
  }
  return [...groups];
}
