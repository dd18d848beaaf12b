// Two values side by side, with what differs marked.

import { difference, withEscapes } from "./difference.js";
import { MOST_CHARS } from "./documents.js";
import { el, plain, seenOnly, unseen } from "./dom.js";
import { spelled } from "./lines.js";
import { number } from "./words.js";

export const nothing = () => el("span.quiet", "nothing is there");

/** A value as JSON, what cannot be seen escaped.
 * @param {unknown} value @param {number} [most] Characters of it. */
export function valueText(value, most = MOST_CHARS) {
  const text = withEscapes(String(spelled(value)));
  return text.length > most ? `${text.slice(0, most)}… (cut: ${number(text.length)} characters)` : text;
}

/** The same on one line, where a table has little room.
 * @param {unknown} value @param {number} most */
export const lineText = (value, most) => valueText(value, most).replace(/\n */g, " ");

/** Both texts as nodes: what should be there and is not, and what is there instead, are marked. A text that is null is not there.
 * @param {string | null} expected @param {string | null} actual @param {boolean} isCompared @param {[string, string]} [marks] */
export function markedPair(expected, actual, isCompared, marks = ["ins", "del"]) {
  const runs = isCompared && expected !== null && actual !== null ? difference(expected, actual) : null;
  const side = (text, part, mark) => (part ? marked(part, mark) : text === null ? nothing() : plain(text, "bdi.value"));
  return [side(expected, runs?.[0], marks[0]), side(actual, runs?.[1], marks[1])];
}

/** A text with what differs marked.
 * @param {[string, boolean][]} runs @param {string} mark */
const marked = (runs, mark) =>
  el(
    "bdi.value",
    runs.map(([text, isChanged]) => el(isChanged ? mark : "span", text)),
  );

/** Two values in a line, `expected → output`, and what a screen reader says in place of the arrow.
 * @param {any[]} sides @param {string} said */
export const arrowed = ([one, other], said) => el("span.arrowed", one, " ", seenOnly("→"), unseen(said), " ", other);
