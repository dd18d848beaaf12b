// A document as a tree, each place with what became of it.

import { button, el, fill, plain } from "./dom.js";
import { Digits, spelled } from "./lines.js";
import { statusMark, treeMark } from "./marks.js";
import { generalPath, within } from "./paths.js";
import { counted, number, statuses } from "./words.js";

const OPEN_ITEMS = 200;
const OPEN_DEPTH = 6;

/** @typedef {Map<string, number>} Statuses The status of each field, by its path. */
/** @typedef {string | number} Step */

/** @param {unknown} value @param {Statuses} known */
export const tree = (value, known) => el("div.tree", treeNode(null, value, "", known, 0));

/** What became of a place. A field of a list that is right is right in every item; where it is wrong, the list says so.
 * @param {string} path @param {Statuses} known */
export function statusAt(path, known) {
  const own = known.get(path);
  if (own !== undefined) return own;
  const general = known.get(generalPath(path));
  return general !== undefined && isRight(general) ? general : undefined;
}

/** @param {number} status */
const isRight = (status) => statuses[status].name === "match";

/** The fields of a list's items that are not right in all of them.
 * @param {string} path @param {unknown} value @param {Statuses} known */
function wrongBelow(path, value, known) {
  if (!Array.isArray(value)) return [];
  const start = `${generalPath(path)}[*]`;
  const own = [...known].filter(([field]) => field.startsWith(start) && !field.slice(start.length).includes("[*]"));
  const wrong = own.filter(([, status]) => statuses[status].wrong);
  return wrong.map(([field, status]) => [" ", statusMark(field.slice(start.length - 3), status)]);
}

/** @param {Step | null} key @param {unknown} value @param {string} path @param {Statuses} known @param {number} depth */
function treeNode(key, value, path, known, depth) {
  const status = statusAt(path, known);
  const label = key === null ? null : el(typeof key === "number" ? "span.index" : "span.key", plain(key), ":");
  const mark = status === undefined ? null : treeMark(status);
  const kind = status === undefined || isRight(status) ? ".node" : `.node.node-${statuses[status].tone}`;
  const entries = entriesOf(value);
  if (!entries?.length) return el(`div${kind}`, mark, label, " ", scalar(value, entries));
  const inside = el("div.children");
  const size = el(
    "span.quiet",
    Array.isArray(value) ? `list of ${number(entries.length)}` : counted(entries.length, "key"),
  );
  const made = el(`details${kind}`, el("summary", mark, label, " ", size, wrongBelow(path, value, known)), inside);
  const grow = () => inside.firstChild || fillChildren(inside, entries, path, known, depth);
  made.addEventListener("toggle", () => made.open && grow());
  if (depth < OPEN_DEPTH) {
    grow();
    made.open = true;
  }
  return made;
}

/** @param {any} inside @param {[Step, unknown][]} entries @param {string} path @param {Statuses} known @param {number} depth */
function fillChildren(inside, entries, path, known, depth) {
  const first = entries.slice(0, OPEN_ITEMS);
  fill(
    inside,
    first.map(([key, item]) => treeNode(key, item, within(path, key), known, depth + 1)),
  );
  const rest = entries.slice(OPEN_ITEMS);
  if (!rest.length) return;
  const showRest = () => {
    more.remove();
    fillChildren(inside, rest, path, known, depth);
  };
  const more = button(`${number(rest.length)} more`, showRest, {}, "button.more");
  fill(inside, [more]);
}

/** @param {unknown} value @returns {[Step, unknown][] | null} */
function entriesOf(value) {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return value !== null && typeof value === "object" && !(value instanceof Digits) ? Object.entries(value) : null;
}

/** @param {unknown} value @param {[Step, unknown][] | null} entries */
function scalar(value, entries) {
  if (entries) return el("span.quiet", Array.isArray(value) ? "[]" : "{}");
  return plain(spelled(value), `bdi.value.value-${value === null ? "null" : typeof value}`);
}
