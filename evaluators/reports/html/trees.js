// A document as a tree, each place with what became of it.

const OPEN_ITEMS = 200;
const OPEN_DEPTH = 6;
const NEEDS_QUOTES = /[\s.[\]"'\\/]|^\$|^[0-9]+$|^\*?$/;

/** A place one step further in, spelled as reports spell paths. */
function within(path, step) {
  if (typeof step === "number") return `${path}[${step}]`;
  if (NEEDS_QUOTES.test(step) || !isPrintable(step)) return `${path}[${JSON.stringify(step)}]`;
  return path ? `${path}.${step}` : step;
}

const isPrintable = (text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);

/** What became of a place. A field of a list that is right is right in every item; where it is wrong, the list says so. */
function statusAt(path, statuses) {
  const own = statuses.get(path);
  return own !== undefined ? own : statuses.get(generalPath(path)) === MATCH ? MATCH : undefined;
}

/** The fields of a list's items that are not right in all of them. */
function wrongBelow(path, value, statuses) {
  if (!Array.isArray(value)) return [];
  const start = `${generalPath(path)}[*]`;
  const wrong = [...statuses].filter(([field, status]) => WRONG_STATUSES.includes(status) && field.startsWith(start) && !field.slice(start.length).includes("[*]"));
  return wrong.flatMap(([field, status]) => [" ", statusMark(field.slice(start.length - 3), status)]);
}

/** Every index as [*]. */
const generalPath = (path) => path.replace(/\[\d+\]/g, "[*]");

function tree(value, statuses) {
  return el("div", { class: "tree" }, treeNode(null, value, "", statuses, 0));
}

function treeNode(key, value, path, statuses, depth) {
  const status = statusAt(path, statuses);
  const label = key === null ? null : el("span", { class: typeof key === "number" ? "index" : "key" }, plain(String(key)), ":");
  const mark = status === undefined ? null : treeMark(status);
  const entries = entriesOf(value);
  if (!entries || !entries.length) return el("div", { class: leafClass(status) }, mark, label, " ", scalar(value, entries));
  const inside = el("div", { class: "children" });
  const made = el("details", { class: leafClass(status) }, el("summary", {}, mark, label, " ", el("span", { class: "quiet", text: sizeWords(value, entries) }), wrongBelow(path, value, statuses)), inside);
  const grow = () => {
    if (!inside.firstChild) fillChildren(inside, entries, path, statuses, depth);
  };
  made.addEventListener("toggle", () => made.open && grow());
  if (depth < OPEN_DEPTH) {
    grow();
    made.open = true;
  }
  return made;
}

function fillChildren(inside, entries, path, statuses, depth) {
  fill(inside, entries.slice(0, OPEN_ITEMS).map(([key, item]) => treeNode(key, item, within(path, key), statuses, depth + 1)));
  if (entries.length <= OPEN_ITEMS) return;
  const rest = entries.slice(OPEN_ITEMS);
  const more = button(`${number(rest.length)} more`, () => {
    more.remove();
    fillChildren(inside, rest, path, statuses, depth);
  }, { class: "more" });
  fill(inside, [more]);
}

function entriesOf(value) {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return value !== null && typeof value === "object" && !(value instanceof Digits) ? Object.entries(value) : null;
}

function sizeWords(value, entries) {
  return Array.isArray(value) ? `list of ${number(entries.length)}` : counted(entries.length, "key");
}

function scalar(value, entries) {
  if (entries) return el("span", { class: "quiet", text: Array.isArray(value) ? "[]" : "{}" });
  return plain(spelled(value), `value value-${value === null ? "null" : typeof value}`);
}

/** A value as JSON, with the digits that it was written with. */
function spelled(value) {
  if (value instanceof Digits) return value.text;
  if (value !== null && typeof value === "object") return JSON.stringify(value, (key, inner) => (inner instanceof Digits ? `${inner.text}` : inner), 1);
  return JSON.stringify(value);
}

const leafClass = (status) => (status === undefined || status === MATCH ? "node" : `node node-${STATUSES[status].tone}`);

function treeMark(status) {
  const { sign, word, tone } = STATUSES[status];
  return el("span", { class: `sign status-${tone}`, title: word }, el("span", { "aria-hidden": "true", text: sign }), el("span", { class: "unseen", text: `${word}: ` }));
}
