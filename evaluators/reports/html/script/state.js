// What the reader chose, kept in the fragment of the address: a copied address shows the same rows.

import { goTo } from "./dom.js";

export const FILTER_KEYS = [
  "q",
  "deep",
  "result",
  "evaluator",
  "field",
  "status",
  "slice",
  "variant",
  "cell",
  "mistake",
];
const STATE_KEYS = [...FILTER_KEYS, "change", "sort", "row", "as", "theme", "page"];
/** @type {Record<string, string>} */
export const state = {};
/** @type {(() => void)[]} Told when a choice changes. */
export const listeners = [];

export function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of STATE_KEYS) state[key] = given.get(key) ?? "";
}

/** Changes some of the choices; everything that shows them is told. An opened row is a step that "back" undoes.
 * @param {Record<string, string>} changes */
export function choose(changes) {
  const isOpened = Boolean(changes.row) && !state.row;
  Object.assign(state, changes);
  const kept = new URLSearchParams(STATE_KEYS.filter((key) => state[key]).map((key) => [key, state[key]]));
  const address = kept.size ? `#${kept}` : location.href.split("#")[0];
  if (isOpened) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  tell();
}

function tell() {
  for (const listener of listeners) listener();
}

/** @param {Record<string, string>} changes */
export const resetFilters = (changes) =>
  choose({ ...Object.fromEntries(FILTER_KEYS.map((key) => [key, ""])), ...changes });

/** Filters the rows, and goes to them.
 * @param {Record<string, string>} filters */
export function showRows(filters) {
  resetFilters(filters);
  goTo("section-rows");
}

export const isFiltered = () => FILTER_KEYS.some((key) => state[key]);

export function followAddress() {
  for (const event of ["hashchange", "popstate"]) {
    addEventListener(event, () => {
      readState();
      tell();
    });
  }
}

export function applyTheme() {
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
}

export const isDark = () => (state.theme ? state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
