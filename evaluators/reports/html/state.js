// What the reader chose, kept in the fragment of the address: a copied address shows the same rows.

const STATE_KEYS = ["q", "deep", "result", "evaluator", "field", "status", "slice", "variant", "cell", "sort", "row", "as", "theme"];
const FILTER_KEYS = ["q", "deep", "result", "evaluator", "field", "status", "slice", "variant", "cell"];
const state = {};
const listeners = [];

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of STATE_KEYS) state[key] = given.get(key) || "";
}

/** Changes some of the choices; everything that shows them is told. An opened row is a step that "back" undoes. */
function choose(changes) {
  const opened = changes.row && !state.row;
  Object.assign(state, changes);
  const kept = new URLSearchParams();
  for (const key of STATE_KEYS) if (state[key]) kept.set(key, state[key]);
  const address = String(kept) ? `#${kept}` : location.href.split("#")[0];
  if (opened) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  told();
}

function told() {
  for (const listener of listeners) listener();
}

function resetFilters(changes) {
  const empty = Object.fromEntries(FILTER_KEYS.map((key) => [key, ""]));
  choose({ ...empty, ...changes });
}

window.addEventListener("hashchange", () => { readState(); told(); });
window.addEventListener("popstate", () => { readState(); told(); });

function applyTheme() {
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
}

function darkNow() {
  return state.theme ? state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
listeners.push(applyTheme);
