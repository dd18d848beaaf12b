"use strict";
(() => {
const SVG = "http://www.w3.org/2000/svg";
const IN_SVG = ["svg", "rect", "line", "title"];
function el(kind, ...parts) {
  const [name, ...classes] = kind.split(".");
  const node = IN_SVG.includes(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  const properties = isProperties(parts[0]) ? parts.shift() : {};
  for (const [key, value] of Object.entries(properties)) set(node, key, value);
  fill(node, parts);
  return node;
}
const isProperties = (part) =>
  part !== null && typeof part === "object" && !Array.isArray(part) && !(part instanceof Node);
function set(node, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (typeof value === "function") node.addEventListener(key, value);
  else if (key === "vars")
    for (const [name, share] of Object.entries(value)) node.style.setProperty(`--${name}`, share);
  else node.setAttribute(key, value === true ? "" : value);
}
function fill(node, children) {
  for (const child of children.flat(Number.POSITIVE_INFINITY)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : String(child));
  }
}
function refill(node, ...children) {
  node.textContent = "";
  fill(node, children);
}
const plain = (text, kind = "bdi") => el(kind, String(text));
const unseen = (text) => el("span.unseen", text);
const seenOnly = (text) => el("span", { "aria-hidden": "true" }, text);
function choice(label, value, groups, changed) {
  const select = el("select", { change: () => changed(select.value) });
  for (const [group, options] of groups) {
    const made = options.map(([key, text]) => el("option", { value: key }, text));
    fill(select, group ? [el("optgroup", { label: group }, made)] : made);
  }
  select.value = value;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return el("label.choice", el("span", label), select);
}
const button = (text, act, properties = {}, kind = "button") =>
  el(kind, { type: "button", click: act, ...properties }, text);
const scrollable = (label, ...children) =>
  framed(el("div.scroll", { role: "region", "aria-label": label, tabindex: "0" }, children));
function framed(box) {
  const frame = el("div.frame", box, el("div.more-aside", { "aria-hidden": "true" }, "scrolls sideways →"));
  const show = () => {
    const beyond = box.scrollWidth - box.clientWidth;
    frame.classList.toggle("has-left", box.scrollLeft > 1);
    frame.classList.toggle("has-right", box.scrollLeft < beyond - 1);
    frame.classList.toggle("is-wide", beyond > 1);
  };
  box.addEventListener("scroll", show, { passive: true });
  new ResizeObserver(show).observe(box);
  return frame;
}
const table = (kind, heads, body, caption) => el(kind, caption, el("thead", el("tr", heads)), body);
const head_ = (text, kind = "th") => el(kind, { scope: "col" }, text);
function titled(id, title, ...children) {
  const heading = el("h2", { id: `section-${id}-title`, tabindex: "-1" }, title);
  return el("section", { id: `section-${id}`, "aria-labelledby": heading.id }, heading, children);
}
function goTo(id) {
  const section = document.getElementById(id);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  section?.scrollIntoView({ behavior: isStill ? "auto" : "smooth" });
  section?.querySelector("h2")?.focus({ preventScroll: true });
}
function growing(body, items, most, make) {
  fill(body, items.slice(0, most).map(make));
  if (items.length <= most) return null;
  const more = button(
    `Show all ${items.length.toLocaleString("en-US")}`,
    () => {
      const shown = body.rows.length;
      fill(body, items.slice(most).map(make));
      more.remove();
      body.rows[shown].querySelector("button, td").focus();
    },
    {},
    "button.more",
  );
  return more;
}
const COUNTED = [
  "match",
  "mismatch",
  "omission",
  "hallucination",
  "error",
  "not_judged",
  "skipped",
  "not_measured",
];
const statuses = [];
const rowWords = new Map();
function learnWords(words) {
  statuses.splice(0, statuses.length, ...words.statuses);
  rowWords.clear();
  for (const [name, said] of Object.entries(words.rows)) rowWords.set(name, said);
}
const statusNumber = (name) => statuses.findIndex((one) => one.name === name);
const numberOfLetter = (letter) => statuses.findIndex((one) => one.letter === letter);
const number = (count) => count.toLocaleString("en-US");
const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
const UNDEFINED = "–";
function fixed(value, decimals) {
  const text = value.toFixed(decimals);
  const isHalf = /^50*$/.test(value.toFixed(decimals + 25).slice(-25));
  return isHalf && Number(text.slice(-1)) % 2 ? (Number(text) - 10 ** -decimals).toFixed(decimals) : text;
}
function rounded(value, decimals) {
  const text = fixed(value, decimals);
  const step = 10 ** -decimals;
  if (value < 1 && Number(text) === 1) return (1 - step).toFixed(decimals);
  return value > 0 && Number(text) === 0 ? step.toFixed(decimals) : text;
}
const scoreText = (value) => (value === null || Number.isNaN(value) ? UNDEFINED : rounded(value, 4));
const intervalText = (found) => (found ? `[${scoreText(found.low)}, ${scoreText(found.high)}]` : "");
function ofPart(stats, figure) {
  const lost = stats.invalid + stats.unjudged + stats.bugs;
  return stats.scored && 20 * lost > stats.scored + lost ? `${figure} (${counted(stats.scored, "row")})` : figure;
}
const CHANGES = ["broken", "lost", "fixed", "gained", "settled", "unchanged"];
function comparedRows(rows, choice) {
  const text = choice.q.trim().toLowerCase();
  const left = rows.flatMap((row) => {
    if (text && !row.id.toLowerCase().includes(text) && String(row.number) !== text) return [];
    const own = row.fields.filter((one) => isChosen(one, choice));
    const isLeft = choice.field
      ? own.length > 0
      : (!choice.change || row.change === choice.change) && (!choice.evaluator || concerns(row, choice.evaluator));
    return isLeft ? [{ row, fields: own.sort((one, other) => weight(one) - weight(other)) }] : [];
  });
  return left.sort((one, other) => weight(one.row) - weight(other.row));
}
function isChosen(one, { change, evaluator, field }) {
  if (evaluator && one.evaluator !== evaluator) return false;
  return !field || (one.field === field && (!change || one.change === change));
}
const weight = ({ change }) => CHANGES.indexOf(change);
const concerns = (row, evaluator) =>
  row.fields.some((one) => one.evaluator === evaluator) ||
  Object.values(row.verdicts).some((names) => names.includes(evaluator));
const changeCounts = (rows) =>
  CHANGES.map(
    (change) => /** @type {[string, number]} */ ([change, rows.filter((row) => row.change === change).length]),
  ).filter(([, size]) => size > 0);
function changedFields(rows) {
  const found = new Map();
  for (const { fields } of rows)
    for (const key of new Set(
      fields.filter((one) => one.field).map((one) => JSON.stringify([one.evaluator, one.field])),
    )) {
      const [evaluator, field] = JSON.parse(key);
      const own = found.get(evaluator) ?? new Map();
      own.set(field, (own.get(field) ?? 0) + 1);
      found.set(evaluator, own);
    }
  return [...found].map(([evaluator, own]) => [evaluator, [...own].sort(([, one], [, other]) => other - one)]);
}
const comparedEvaluators = (rows) => [
  ...new Set(rows.flatMap((row) => [...row.fields.map((one) => one.evaluator), ...Object.values(row.verdicts).flat()])),
];
const NEEDS_QUOTES = /[\s.[\]"'\\/]|^\$|^[0-9]+$|^\*?$/;
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const STEPS = /\[(?:(\d+)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\]]*)\]/g;
function within(path, step) {
  if (typeof step === "number") return `${path}[${step}]`;
  if (NEEDS_QUOTES.test(step) || NOT_PRINTABLE.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path ? `${path}.${step}` : step;
}
const QUOTED_KEY = /\["([^"\\]*)"\]/g;
const LONE_SPACE = /(?<=[^\s,;:]) (?=\S)/g;
const forPeople = (path) =>
  path.replace(QUOTED_KEY, (step, key, at) => {
    const isPlain = !NEEDS_QUOTES.test(key.replace(LONE_SPACE, "")) && !NOT_PRINTABLE.test(key);
    return isPlain ? `${at ? "." : ""}${key}` : step;
  });
const fieldName = (path) => forPeople(path) || "(the whole document)";
const generalPath = (path) => path.replace(STEPS, (step, index) => (index === undefined ? step : "[*]"));
const MOST_COMPARED = 4000000;
const MOST_LETTERS = 20000;
const MOST_SHORT = 80;
function lettersOf(text) {
  if (text.length > MOST_LETTERS) return null;
  if (!Intl.Segmenter) return Array.from(text);
  return Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text), (part) => part.segment);
}
const withEscapes = (text) =>
  text.replace(/[^\P{Cf}\u200C\u200D]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
function difference(one, other) {
  const [ours, theirs] = [lettersOf(one), lettersOf(other)];
  if (!ours || !theirs) return null;
  const shorter = Math.min(ours.length, theirs.length);
  let start = 0;
  while (start < shorter && ours[start] === theirs[start]) start++;
  let end = 0;
  while (end < shorter - start && ours[ours.length - 1 - end] === theirs[theirs.length - 1 - end]) end++;
  const kept = common(ours.slice(start, ours.length - end), theirs.slice(start, theirs.length - end));
  return [ours, theirs].map((letters, side) => {
    const isChanged = (place) => place >= start && place < letters.length - end && !kept[side].has(place - start);
    return joined(letters, isChanged);
  });
}
function common(ours, theirs) {
  const kept = [new Set(), new Set()];
  if (ours.length * theirs.length > MOST_COMPARED) return kept;
  const width = theirs.length + 1;
  const lengths = new Uint16Array((ours.length + 1) * width);
  for (let i = ours.length - 1; i >= 0; i--) {
    for (let j = theirs.length - 1; j >= 0; j--) {
      const [below, beside] = [lengths[(i + 1) * width + j], lengths[i * width + j + 1]];
      lengths[i * width + j] = ours[i] === theirs[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(below, beside);
    }
  }
  for (let i = 0, j = 0; i < ours.length && j < theirs.length; ) {
    if (ours[i] === theirs[j]) {
      kept[0].add(i++);
      kept[1].add(j++);
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
  return areUnlike(kept[0].size, ours.length + theirs.length) ? [new Set(), new Set()] : kept;
}
const areUnlike = (kept, both) => both > MOST_SHORT && kept * 5 < both;
function joined(letters, isChanged) {
  const runs = [];
  letters.forEach((letter, place) => {
    const last = runs[runs.length - 1];
    if (last && last[1] === isChanged(place)) last[0] += letter;
    else runs.push([letter, isChanged(place)]);
  });
  return runs;
}
const source = {
  textOf: (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? "",
  read: async (/** @type {string} */ id) => inflated(source.textOf(id)),
};
const unpack = (id) => source.read(id);
async function inflated(text) {
  if (!text) return "";
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}
class Digits {
  constructor(text) {
    this.text = text;
  }
}
const isBeyond = (value) => typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
const exact = (_key, value, context) => (context && isBeyond(value) ? new Digits(context.source) : value);
const withDigits = (_key, value) => (value instanceof Digits ? asWritten(value.text) : value);
const asWritten = (text) => /** @type {any} */ (JSON).rawJSON?.(text) ?? text;
const parsed = (text) => JSON.parse(text, exact);
const linesOf = (text) => (text ? text.trimEnd().split("\n").map(parsed) : []);
const plainLinesOf = (text) => JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`);
function spelled(value) {
  if (value instanceof Digits) return value.text;
  return JSON.stringify(value, withDigits, value !== null && typeof value === "object" ? 1 : undefined);
}
const ownValue = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
const FILTER_KEYS = [
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
const state = {};
const listeners = [];
function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of STATE_KEYS) state[key] = given.get(key) ?? "";
}
function choose(changes) {
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
const resetFilters = (changes) =>
  choose({ ...Object.fromEntries(FILTER_KEYS.map((key) => [key, ""])), ...changes });
function showRows(filters) {
  resetFilters(filters);
  goTo("section-rows");
}
const isFiltered = () => FILTER_KEYS.some((key) => state[key]);
function followAddress() {
  for (const event of ["hashchange", "popstate"]) {
    addEventListener(event, () => {
      readState();
      tell();
    });
  }
}
function applyTheme() {
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
}
const isDark = () => (state.theme ? state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
const TONE_SIGNS = { good: "✓", bad: "✕", warning: "!", note: "i", plain: "" };
const MARKS = { good: "✓", wrong: "✕", none: "○" };
const badge = (word, tone) =>
  el(`span.badge.badge-${tone}`, seenOnly(TONE_SIGNS[tone]), plain(word.toLowerCase()));
function statusMark(path, status) {
  const { sign, word, tone } = statuses[status];
  return el(`span.status.status-${tone}`, seenOnly(sign), plain(forPeople(path) || "whole"), unseen(` ${word}`));
}
function treeMark(status) {
  const { sign, word, tone } = statuses[status];
  return el(`span.sign.status-${tone}`, { title: word }, seenOnly(sign), unseen(`${word}: `));
}
const signOf = (tone) => MARKS[tone];
let head;
let run;
let names = [];
let variants = [null];
const rows = {
  count: 0,
  /** @type {number[]} */ numbers: [],
  /** @type {string[]} */ ids: [],
  /** @type {number[]} Each row's place among the variants. */ variant: [],
  /** @type {Uint32Array[]} By evaluator: each row's place among the verdicts. */ codes: [],
  /** @type {Verdict[][]} By evaluator. */ verdicts: [],
  /** @type {string[][]} By slice: its values. */ sliceValues: [],
  /** @type {Uint32Array[]} By slice: each row's place among the values. */ slices: [],
  piece: new Int32Array(0),
};
const wrongIn = [];
const unlisted = [];
function openHead(given) {
  head = given;
  if (!given.run) return;
  run = given.run;
  names = run.record.evaluators.map((one) => one.name);
  variants = run.variants.length ? run.variants : [null];
}
async function openRows() {
  if (!head.rows) return;
  const tables = await Promise.all(variants.map(async (_, place) => readTable(place)));
  Object.assign(rows, { numbers: [], ids: [], variant: [], verdicts: names.map(() => []) });
  rows.count = tables.reduce((sum, [, lines]) => sum + lines.length, 0);
  rows.codes = names.map(() => new Uint32Array(rows.count));
  rows.slices = run.record.slices.map(() => new Uint32Array(rows.count));
  const known = run.record.slices.map(() => /** @type {Map<string, number>} */ (new Map()));
  for (const [variant, [codes, lines]] of tables.entries()) addRows(codes, lines, variant, known);
  rows.sliceValues = known.map((values) => [...values.keys()]);
  wrongIn.splice(0, wrongIn.length, ...names.map(() => new Map()));
  unlisted.splice(0, unlisted.length, ...run.record.evaluators.map(unlistedFields));
  pieces.clear();
  indexed = 0;
  indexPieces(head.rows);
}
function unlistedFields({ name, fields }) {
  const own = run.evaluators.filter((stats) => stats.name === name).flatMap((stats) => stats.fields);
  const isWrong = ({ counts }) => statuses.some((status) => status.wrong && counts[status.name] > 0);
  return [...new Set(own.filter(isWrong).map((field) => field.path))].filter((path) => !fields.includes(path)).sort();
}
async function readTable(place) {
  const [codes, lines] = await Promise.all([unpack(`codes-${place}`), unpack(`rows-${place}`)]);
  return [plainLinesOf(codes), plainLinesOf(lines)];
}
function addRows(codes, lines, variant, known) {
  const first = rows.verdicts.map((table) => table.length);
  for (const line of codes) rows.verdicts[names.indexOf(line.evaluator)].push(readVerdict(line));
  for (const line of lines) {
    const row = rows.numbers.length;
    rows.numbers.push(line.row);
    rows.ids.push(line.id);
    rows.variant.push(variant);
    line.codes.forEach((code, evaluator) => {
      rows.codes[evaluator][row] = first[evaluator] + code;
    });
    known.forEach((values, column) => {
      const value = line.slices?.[column] ?? "";
      if (!values.has(value)) values.set(value, values.size);
      rows.slices[column][row] = values.get(value) ?? 0;
    });
  }
}
function indexPieces(index) {
  rows.piece = new Int32Array(rows.count).fill(-1);
  index.pieces.forEach((members, piece) => {
    for (const row of members) rows.piece[row] = piece;
  });
}
function readVerdict(line) {
  const { status, passed = null, fields = "", counts = null, issue = null } = line;
  const score = line.score ? line.score[0] / line.score[1] : null;
  const wrongLetters = Array.from(fields).filter((letter) => statuses[numberOfLetter(letter)].wrong).length;
  const wrong = fields ? wrongLetters : (counts ?? []).slice(1).reduce((sum, size) => sum + size, 0);
  const fine = status === "scored" && score === 1 && passed !== false;
  const leftOut = status === "skipped" || status === "not_measured";
  return { status, score, passed, letters: fields, counts, issue, wrong, fine, leftOut };
}
const verdictOf = (row, evaluator) => rows.verdicts[evaluator][rows.codes[evaluator][row]];
const variantOf = (row) => variants[rows.variant[row]];
const sliceOf = (row, column) => rows.sliceValues[column][rows.slices[column][row]];
const sliceName = (column) => column.replace(/^row\./, "");
const isWrong = (verdict) => !verdict.fine && !verdict.leftOut;
function keyOf(row) {
  const variant = variantOf(row);
  return variant === null ? String(rows.numbers[row]) : `${rows.numbers[row]}:${variant}`;
}
function rowOfKey(key) {
  const cut = key.indexOf(":");
  const wanted = Number(cut < 0 ? key : key.slice(0, cut));
  const variant = cut < 0 ? null : key.slice(cut + 1);
  return rows.numbers.findIndex((found, row) => found === wanted && variantOf(row) === variant);
}
const KEPT_PIECES = 8;
let indexed = 0;
const pieces = new Map();
async function linesOfRow(row) {
  const piece = rows.piece[row];
  if (piece < 0) return null;
  return (await pieceOf(piece)).get(rows.numbers[row]) ?? null;
}
function pieceOf(piece) {
  const known = pieces.get(piece) ?? readPiece(piece);
  pieces.delete(piece);
  pieces.set(piece, known);
  const [oldest] = pieces.keys();
  if (pieces.size > KEPT_PIECES) pieces.delete(oldest);
  return known;
}
async function readPiece(piece) {
  const [cells, read] = await Promise.all([unpack(`cells-${piece}`), unpack(`read-${piece}`)]);
  const outcomes = await readOutcomes(piece);
  const found = new Map();
  const linesFor = (row) => {
    if (!found.has(row)) found.set(row, { outcomes: [], cells: {}, read: undefined });
    return /** @type {RowLines} */ (found.get(row));
  };
  for (const line of outcomes) linesFor(line.row).outcomes.push(line);
  for (const line of linesOf(cells)) linesFor(line.row).cells = line.cells;
  for (const line of linesOf(read)) linesFor(line.row).read = line;
  return found;
}
async function readOutcomes(piece) {
  const lines = linesOf(await unpack(`outcomes-${piece}`));
  noteWrong(head.rows?.pieces[piece] ?? [], lines);
  return lines;
}
function noteWrong(members, lines) {
  const rowOf = new Map(members.map((row) => [rows.numbers[row], row]));
  for (const line of lines) {
    const evaluator = names.indexOf(line.evaluator);
    const row = rowOf.get(line.row);
    if (line.path === undefined || row === undefined) continue;
    const status = statusNumber(String(line.status));
    if (!statuses[status].wrong) continue;
    const { fields, by_schema: bySchema } = run.record.evaluators[evaluator];
    const path = line.field ?? generalPath(line.path);
    if (fields.length && (!bySchema || fields.includes(path))) continue;
    const noted = wrongIn[evaluator].get(row) ?? [];
    if (!noted.some(([known, as]) => known === path && as === status)) noted.push([path, status]);
    wrongIn[evaluator].set(row, noted);
  }
}
async function indexOutcomes() {
  const all = head.rows?.pieces.length ?? 0;
  for (; indexed < all; indexed++) await readOutcomes(indexed);
}
const isSmall = () => (head.rows?.pieces.length ?? 0) <= KEPT_PIECES;
const isIndexed = () => indexed >= (head.rows?.pieces.length ?? 0);
function wrongFields(row, evaluator) {
  const { letters } = verdictOf(row, evaluator);
  const { fields } = run.record.evaluators[evaluator];
  const noted = wrongIn[evaluator].get(row) ?? [];
  if (!fields.length) return noted;
  const found = Array.from(
    letters,
    (letter, place) => /** @type {[string, number]} */ ([fields[place], numberOfLetter(letter)]),
  );
  return [...found.filter(([, status]) => statuses[status].wrong), ...noted];
}
const OPEN_ITEMS = 200;
const OPEN_DEPTH = 6;
const tree = (value, known) => el("div.tree", treeNode(null, value, "", known, 0));
function statusAt(path, known) {
  const own = known.get(path);
  if (own !== undefined) return own;
  const general = known.get(generalPath(path));
  return general !== undefined && isRight(general) ? general : undefined;
}
const isRight = (status) => statuses[status].name === "match";
function wrongBelow(path, value, known) {
  if (!Array.isArray(value)) return [];
  const start = `${generalPath(path)}[*]`;
  const own = [...known].filter(([field]) => field.startsWith(start) && !field.slice(start.length).includes("[*]"));
  const wrong = own.filter(([, status]) => statuses[status].wrong);
  return wrong.map(([field, status]) => [" ", statusMark(field.slice(start.length - 3), status)]);
}
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
function entriesOf(value) {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return value !== null && typeof value === "object" && !(value instanceof Digits) ? Object.entries(value) : null;
}
function scalar(value, entries) {
  if (entries) return el("span.quiet", Array.isArray(value) ? "[]" : "{}");
  return plain(spelled(value), `bdi.value.value-${value === null ? "null" : typeof value}`);
}
const MOST_CHARS = 100000;
async function detailOf(row) {
  const lines = await linesOfRow(row);
  return lines && detailFrom(row, lines);
}
function detailFrom(row, lines) {
  const documents = documentsOf(lines);
  const shown = [...new Set(documents.values())];
  const read = new Set(shown.map((one) => one.column));
  const others = Object.entries(lines.cells).filter(([name]) => !read.has(name));
  const texts = others.map(([name, cell]) => [name, cell === null ? "" : textOf(cell)]).filter(([, text]) => text);
  const evaluators = run.record.evaluators.map((one, place) => {
    const own = lines.outcomes.filter((line) => line.evaluator === one.name);
    const numbers = readingsOf(one.readings).filter((reading) => documents.has(keyOfReading(reading)));
    return {
      reason: reasonOf(row, place, own, lines),
      fields: fieldsOf(row, place, own),
      documents: [
        ...new Set(numbers.map((reading) => /** @type {ShownDocument} */ (documents.get(keyOfReading(reading))))),
      ],
    };
  });
  return { documents: shown, cells: Object.fromEntries(texts), evaluators };
}
const textOf = (cell) => {
  const text = typeof cell === "string" ? cell : spelled(cell);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
};
const keyOfReading = (/** @type {Reading} */ reading) => JSON.stringify(reading);
function readingsOf(readings) {
  const asJSON = new Set(readings.filter((one) => one.how !== "text").map((one) => one.column));
  return readings.filter((one) => one.how !== "text" || !asJSON.has(one.column));
}
const allReadings = () => [
  ...new Map(run.record.evaluators.flatMap((one) => one.readings).map((one) => [keyOfReading(one), one])).values(),
];
function documentsOf(lines) {
  const wanted = new Set(run.record.evaluators.flatMap((one) => readingsOf(one.readings)).map(keyOfReading));
  const found = new Map();
  const distinct = new Map();
  allReadings().forEach((reading, place) => {
    const { side, column } = reading;
    if (!wanted.has(keyOfReading(reading)) || !Object.hasOwn(lines.cells, column)) return;
    const note = lines.read?.documents?.[place];
    const same = JSON.stringify([side, column, reading.how === "text", note]);
    const made =
      distinct.get(same) ?? documentOf(reading, lines.cells[column], note, ownValue(lines.read?.cut ?? {}, column));
    distinct.set(same, made);
    found.set(keyOfReading(reading), made);
  });
  return found;
}
function documentOf({ side, column, how }, cell, note = {}, length) {
  const { start = 0, message = "", which = "" } = note;
  const whole = typeof cell === "string" ? cell : "";
  const end = note.end ?? whole.length;
  const made = { side, column, how: note.how ?? "whole", message, which, of: length ?? 0 };
  const [before, after] = [whole.slice(0, start).trim(), whole.slice(end).trim()];
  const shown = (kind, value) => ({ ...made, kind, value, before: cutText(before), after: cutText(after) });
  if (message) return shown(whole.trim() ? "unreadable" : "absent", whole);
  if (how === "text" && cell === null) return shown("absent", null);
  if (how === "text" && typeof cell === "string") return shown(length ? "cut" : "text", whole);
  const text = typeof cell === "string" ? whole.slice(start, end) : spelled(cell);
  if (length || text.length > MOST_CHARS)
    return { ...shown("cut", text.slice(0, MOST_CHARS)), of: length ?? text.length };
  return typeof cell === "string" ? shown(...parsedOrText(text)) : shown("json", cell);
}
const cutText = (text) => (text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text);
function parsedOrText(text) {
  try {
    return ["json", parsed(text)];
  } catch {
    return ["text", text];
  }
}
function reasonOf(row, evaluator, own, lines) {
  const { issue } = verdictOf(row, evaluator);
  const whole = own.find((line) => line.path === undefined && line.reason);
  return issue?.message ?? ownValue(lines.read?.reasons ?? {}, names[evaluator]) ?? whole?.reason ?? "";
}
function fieldsOf(row, evaluator, own) {
  const { fields, by_schema: bySchema } = run.record.evaluators[evaluator];
  const { letters } = verdictOf(row, evaluator);
  const kept = own.filter((line) => line.path !== undefined).map(fieldOf);
  if (letters && fields.length && !(bySchema && kept.length)) return listedFields(evaluator, letters, kept);
  if (kept.length) return kept;
  return (wrongIn[evaluator].get(row) ?? []).map(([path, status]) => ({ path, status }));
}
function listedFields(evaluator, letters, kept) {
  const known = new Map(kept.map((one) => [one.path, one]));
  const rules = head.rows?.rules[evaluator] ?? {};
  return run.record.evaluators[evaluator].fields.map(
    (path, place) => known.get(path) ?? { path, status: numberOfLetter(letters[place]), rule: ownValue(rules, path) },
  );
}
function fieldOf({ path = "", status = "", score, field, reason, comparator, ...values }) {
  const found = { path, status: statusNumber(status), score, field, reason, rule: comparator };
  const { column = "", passages } = values.details ?? {};
  if (passages)
    found.passages = passages.map(([start, end, word]) => ({ column, start, end, isRight: word === "match" }));
  const isPlain = statuses[found.status].name === "match" && spelled(values.expected) === spelled(values.actual);
  if (!isPlain && "expected" in values) found.expected = values.expected;
  if (!isPlain && "actual" in values) found.actual = values.actual;
  return found;
}
function passageRuns(text, passages) {
  if (!passages.length) return [[text, null]];
  const characters = [...text];
  const marks = characters.map(() => null);
  const rightLast = [...passages].sort((one, other) => Number(one.isRight) - Number(other.isRight));
  for (const { start, end, isRight } of rightLast) marks.fill(isRight, start, end);
  const cuts = characters.flatMap((_, at) => (at && marks[at] === marks[at - 1] ? [] : [at]));
  return cuts.map((from, place) => [characters.slice(from, cuts[place + 1]).join(""), marks[from] ?? null]);
}
function placeOf(evaluator, field) {
  const { field_places: places, where } = run.record.evaluators[evaluator];
  return ownValue(places, field.field ?? generalPath(field.path)) ?? ownValue(places, field.path) ?? where;
}
const BINS = 20;
function binned(evaluator, variant) {
  const bins = new Array(BINS + 2).fill(0);
  for (let row = 0; row < rows.count; row++) {
    const { score } = verdictOf(row, evaluator);
    if (variants[rows.variant[row]] !== variant || score === null) continue;
    bins[score === 0 ? 0 : score === 1 ? BINS + 1 : 1 + Math.floor(score * BINS)] += 1;
  }
  return bins;
}
const binsInWords = (bins) =>
  bins
    .map((size, index) => size && `${counted(size, "row")} ${binWords(index)}`)
    .filter(Boolean)
    .join(", ");
function binWords(index) {
  if (index === 0) return "at 0";
  return index === BINS + 1 ? "at 1" : `from ${(index - 1) / BINS} to ${index / BINS}`;
}
const measured = { scores: new Float64Array(0), wrongs: new Uint32Array(0), isWrong: new Uint8Array(0) };
function measureRows(evaluators) {
  measured.scores = new Float64Array(rows.count).fill(Number.NaN);
  measured.wrongs = new Uint32Array(rows.count);
  measured.isWrong = new Uint8Array(rows.count);
  for (let row = 0; row < rows.count; row++) {
    let [sum, scored] = [0, 0];
    for (const evaluator of evaluators) {
      const verdict = verdictOf(row, evaluator);
      measured.wrongs[row] += verdict.wrong || (verdict.passed === false ? 1 : 0);
      if (isWrong(verdict)) measured.isWrong[row] = 1;
      if (verdict.score === null) continue;
      sum += verdict.score;
      scored += 1;
    }
    if (scored) measured.scores[row] = sum / scored;
  }
}
const countedIn = (field) => Object.values(field.counts).reduce((sum, size) => sum + size, 0);
const lowestFirst = (stats) => [...stats].sort((one, other) => (one.mean ?? 2) - (other.mean ?? 2));
const cellOf = (table, expected, output) =>
  table.cells.findIndex((one) => one.expected === expected && one.output === output);
const MOST_CAUSES = 5;
const AFTER_ROWS = ["problems", "warnings", "notes", "result"];
const MOST_LINKS = 7;
const ROWS = ["section-rows", "section-changed-rows"];
const VERDICTS = ["verdict", "finding"];
function neutralSection(section) {
  const blocks = section.blocks.map((block) => neutralBlock(block, `${section.title ?? "Opening"}, table`));
  const plot = section.bins && section.bins.length > 0 && calibration(section.bins);
  if (!section.title) return el("div.opening", blocks);
  if (!section.folded) return titled(section.id, section.title, [plot, ...blocks]);
  const lines = section.blocks.reduce((sum, block) => sum + (block.rows?.length ?? 0), 0);
  return titled(section.id, section.title, el("details", el("summary", `Show ${counted(lines, "line")}`), blocks));
}
const SIDE = 200;
function calibration(bins) {
  const axis = el("line.axis", { x1: 0, x2: SIDE, y1: SIDE - 0.5, y2: SIDE - 0.5 });
  const diagonal = el("line.diagonal", { x1: 0, x2: SIDE, y1: SIDE, y2: 0 });
  const drawn = {
    viewBox: `0 0 ${SIDE} ${SIDE}`,
    role: "img",
    "aria-label": "Share that is right, over the confidence",
  };
  const bars = bins.map((one) => el("rect.bar", barOf(one), el("title", one.said)));
  const intervals = bins.flatMap((one) => (one.ci ? [el("line.interval", intervalOf(one, one.ci))] : []));
  const ends = (name) => ["0", name, "1"].map((text) => el("span", text));
  return el(
    "figure.calibration",
    el("div.upright.quiet", { "aria-hidden": "true" }, ends("right")),
    el("svg", drawn, bars, axis, diagonal, intervals),
    el("figcaption.quiet", { "aria-hidden": "true" }, ends("confidence")),
    el(
      "p.quiet",
      `bars: share that is right${intervals.length ? ", with its 95 % CI" : ""}; dashes: what the confidence says`,
    ),
  );
}
function barOf({ low, high, right }) {
  const height = Math.max(2, right * SIDE);
  return { x: low * SIDE + 1, width: (high - low) * SIDE - 2, y: SIDE - height, height };
}
function intervalOf({ low, high }, [least, most]) {
  const x = ((low + high) / 2) * SIDE;
  return { x1: x, x2: x, y1: (1 - least) * SIDE, y2: (1 - most) * SIDE };
}
function neutralBlock(block, label) {
  if (block.items) return el("ul.items", block.items.map(neutralItem));
  if (block.columns) return neutralTable(block, label);
  return el(`p.tone-${block.tone}`, withCode(block.text ?? ""));
}
const withCode = (text) =>
  text.split(/`([^`]+)`/).map((part, place) => (place % 2 ? el("code", part) : part && plain(part)));
function neutralItem(item) {
  return el(
    `li.tone-${item.tone}`,
    item.link ? el("a", { href: item.link, rel: "noopener noreferrer" }, plain(item.text)) : withCode(item.text),
    item.quote.length > 0 && el("pre", { tabindex: "0" }, item.quote.join("\n")),
    item.details.map((line) => el("div.hint", withCode(line))),
  );
}
function neutralTable({ columns = [], rows = [], tones = [] }, label) {
  const heads = columns.map(([text, isNumber]) => head_(text, isNumber ? "th.number" : "th"));
  const lines = rows.map((cells, place) => {
    const tone = tones[place] ?? "plain";
    const made = cells.map((cell, column) => {
      const [name, isNumber] = columns[column];
      return el(isNumber ? "td.number" : "td", VERDICTS.includes(name) ? badge(cell, tone) : plain(cell));
    });
    return el(`tr.tone-${tone}`, made);
  });
  return scrollable(label, table("table", heads, el("tbody", lines)));
}
function verdictHeader() {
  const [ending, ...rest] = head.sections.find((section) => section.id === "result")?.blocks ?? [];
  const causes = rest.flatMap((block) => (block.items ? firstCauses(block.items) : []));
  const openings = head.sections.filter((section) => !section.title);
  return el(
    `header.verdict.verdict-${head.tone}`,
    el("div.bar", el("span.brand", "evaluation report"), themeButton()),
    el("h1", plain(head.title)),
    head.headline &&
      el("p.headline", el("span.seal", { "aria-hidden": "true" }, TONE_SIGNS[head.tone]), plain(head.headline)),
    !head.run && causes, // a comparison may fail for one field though nothing differs clearly: the cause stands below the word
    head.verdict?.map((sentence) => el("p.sentence", plain(sentence))),
    el("div.result", head.run && causes, ending && el("p.quiet", withCode(ending.text ?? ""))),
    openings.map(neutralSection),
  );
}
function firstCauses(items) {
  const more = items.length - MOST_CAUSES;
  return [
    neutralBlock({ items: items.slice(0, MOST_CAUSES) }, "Causes"),
    more > 0 && button(counted(more, "more cause"), () => goTo("section-result"), {}, "button.link"),
  ];
}
function themeButton() {
  const made = button("", () => choose({ theme: isDark() ? "light" : "dark" }), {}, "button.theme");
  const show = () => {
    applyTheme();
    made.textContent = isDark() ? "Light theme" : "Dark theme";
  };
  listeners.push(show);
  show();
  return made;
}
function navigation(made) {
  const links = made.map((section) => button(section.querySelector("h2").textContent, () => goTo(section.id)));
  const isLater = ({ id }, place) => made.length > MOST_LINKS && place >= MOST_LINKS - 2 && !ROWS.includes(id);
  const later = links.filter((_, place) => isLater(made[place], place));
  for (const link of later) link.hidden = true;
  const more = button(`${later.length} more`, () => {
    for (const link of later) link.hidden = false;
    more.remove();
    keepClear();
    later[0].focus();
  });
  return links.length > 2 && el("nav", { "aria-label": "Parts of the report" }, links, later.length > 0 && more);
}
function keepClear() {
  const links = document.querySelector("nav");
  if (links) document.documentElement.style.setProperty("--links", `${links.offsetHeight}px`);
}
const nothing = () => el("span.quiet", "nothing is there");
function valueText(value, most = MOST_CHARS) {
  const text = withEscapes(String(spelled(value)));
  return text.length > most ? `${text.slice(0, most)}… (cut: ${number(text.length)} characters)` : text;
}
const lineText = (value, most) => valueText(value, most).replace(/\n */g, " ");
function markedPair(expected, actual, isCompared, marks = ["ins", "del"]) {
  const runs = isCompared && expected !== null && actual !== null ? difference(expected, actual) : null;
  const side = (text, part, mark) => (part ? marked(part, mark) : text === null ? nothing() : plain(text, "bdi.value"));
  return [side(expected, runs?.[0], marks[0]), side(actual, runs?.[1], marks[1])];
}
const marked = (runs, mark) =>
  el(
    "bdi.value",
    runs.map(([text, isChanged]) => el(isChanged ? mark : "span", text)),
  );
const arrowed = ([one, other], said) => el("span.arrowed", one, " ", seenOnly("→"), unseen(said), " ", other);
function choiceOf(state) {
  const evaluator = names.indexOf(state.evaluator);
  return {
    evaluators: evaluator < 0 ? names.map((_, place) => place) : [evaluator],
    variant: run.variants.includes(state.variant) ? state.variant : "",
    slice: sliceOfKey(state.slice),
    cell: cellOfKey(state.cell),
    mistake: head.mistakes[Number(state.mistake || "-1")],
    text: state.q.trim().toLowerCase(),
    result: state.result,
    field: state.field,
    status: state.status === "" ? null : Number(state.status),
  };
}
function sliceOfKey(key) {
  const columns = run.record.slices.map(sliceName);
  const column = columns.findIndex((name) => key.startsWith(`${name}=`));
  return column < 0 ? null : [column, key.slice(columns[column].length + 1)];
}
const cellKey = (evaluator, expected, output) => JSON.stringify([evaluator, expected, output]);
function cellOfKey(key) {
  try {
    const found = JSON.parse(key);
    return Array.isArray(found) && found.length === 3 ? /** @type {[string, string, string]} */ (found) : null;
  } catch {
    return null;
  }
}
function chosenRows(choice, sort, found) {
  const isInCell = cellTest(choice.cell);
  const hasVerdict = verdictTest(choice);
  const { variant, slice, text, mistake } = choice;
  const mistaken = mistake && new Set(mistake.rows);
  const chosen = [];
  for (let row = 0; row < rows.count; row++) {
    if (variant && variantOf(row) !== variant) continue;
    if (slice && sliceOf(row, slice[0]) !== slice[1]) continue;
    if (!isInCell(row) || !hasVerdict(row)) continue;
    if (mistaken && !(mistaken.has(rows.numbers[row]) && variantOf(row) === mistake.variant)) continue;
    if (text && !saysText(row, text) && !found?.has(row)) continue;
    chosen.push(row);
  }
  return chosen.sort(orderOf(sort));
}
const always = () => true;
function verdictTest({ evaluators, result, field, status }) {
  if (!result && !field && status === null) return always;
  const fits = evaluators.map((evaluator) => rows.verdicts[evaluator].map((verdict) => resultHolds(verdict, result)));
  const asksField = field !== "" || status !== null;
  return (row) =>
    evaluators.some(
      (evaluator, place) =>
        fits[place][rows.codes[evaluator][row]] && (!asksField || fieldHolds(row, evaluator, field, status)),
    );
}
function resultHolds(verdict, result) {
  if (!result) return true;
  if (result === "wrong") return !verdict.fine && !verdict.leftOut;
  if (result === "failed") return verdict.passed === false;
  if (result === "passed") return verdict.passed === true;
  if (result === "none") return verdict.score === null;
  return rowWords.get(verdict.status)?.word === result;
}
function fieldHolds(row, evaluator, field, status) {
  const { letters } = verdictOf(row, evaluator);
  const { fields } = run.record.evaluators[evaluator];
  if (!fields.length || status === null || statuses[status].wrong) {
    const wrong = wrongFields(row, evaluator);
    return wrong.some(([path, as]) => (!field || path === field) && (status === null || as === status));
  }
  return fields.some((path, place) => (!field || path === field) && letters[place] === statuses[status].letter);
}
const needsOutcomes = ({ evaluators, field, status }) =>
  (field !== "" || status !== null) &&
  evaluators.some((evaluator) => {
    const isOpen = !run.record.evaluators[evaluator].fields.length;
    return isOpen || (field ? unlisted[evaluator].includes(field) : unlisted[evaluator].length > 0);
  });
function saysText(row, text) {
  if (rows.ids[row].toLowerCase().includes(text) || String(rows.numbers[row]) === text) return true;
  return rows.slices.some((_, column) => sliceOf(row, column).toLowerCase().includes(text));
}
function cellTest(cell) {
  if (!cell) return always;
  const [evaluator, expected, output] = cell;
  const wanted = (head.rows?.labelCells ?? []).map((known, variant) => {
    const tables = run.confusion_matrices;
    const table = tables.findIndex(
      (one) => one.evaluator === evaluator && (one.variant ?? "") === (run.variants[variant] ?? ""),
    );
    const place = table < 0 ? -1 : cellOf(tables[table], expected, output);
    return { cells: known[table] ?? [], place, first: rows.variant.indexOf(variant) };
  });
  return (row) => {
    const { cells, place, first } = wanted[rows.variant[row]];
    return place >= 0 && cells[row - first] === place;
  };
}
function cellSize({ cell, variant }) {
  if (!cell) return 0;
  const [evaluator, expected, output] = cell;
  const tables = run.confusion_matrices.filter(
    (one) => one.evaluator === evaluator && (!variant || one.variant === variant),
  );
  return tables.reduce((sum, table) => sum + (table.cells[cellOf(table, expected, output)]?.count ?? 0), 0);
}
const IN_ORDER = new Intl.Collator(undefined, { numeric: true });
const withNothingLast = (/** @type {number} */ score) => (Number.isNaN(score) ? 2 : score);
const ORDERS = {
  row: (one, other) => rows.numbers[one] - rows.numbers[other],
  id: (one, other) => IN_ORDER.compare(rows.ids[one], rows.ids[other]),
  score: (one, other) => withNothingLast(measured.scores[one]) - withNothingLast(measured.scores[other]),
  wrong: (one, other) => measured.wrongs[one] - measured.wrongs[other],
};
function orderOf(sort) {
  const by = ORDERS[sort.replace("-", "")];
  if (!by) return (one, other) => measured.isWrong[other] - measured.isWrong[one] || one - other;
  const sign = sort.startsWith("-") ? -1 : 1;
  return (one, other) => sign * by(one, other) || one - other;
}
async function searchDocuments(text, tell, isCalledOff) {
  const found = new Set();
  const wanted = JSON.stringify(text.trim().toLowerCase()).slice(1, -1);
  const pieces = head.rows?.pieces ?? [];
  for (let piece = 0; piece < pieces.length; piece++) {
    for (const row of pieces[piece]) {
      if (isCalledOff()) return null;
      const detail = await detailOf(row);
      if (detail && writtenIn(detail).toLowerCase().includes(wanted)) found.add(row);
    }
    tell((piece + 1) / pieces.length);
  }
  return found;
}
function writtenIn(detail) {
  const documents = detail.documents.map((one) => [one.before, one.value, one.after, one.message]);
  const fields = detail.evaluators.flatMap((one) => one.fields);
  const said = fields.map((one) => [one.path, one.reason, one.expected, one.actual]);
  return String(spelled([documents, detail.evaluators.map((one) => one.reason), said, detail.cells]));
}
const COUNT_TONES = {
  passed: "good",
  failed: "wrong",
  skipped: "none",
  not_measured: "none",
  invalid: "fault",
  unjudged: "fault",
  bugs: "fault",
};
function evaluatorSection({ id, title }) {
  const remarks = head.legend.filter((item) => item.tone !== "plain");
  const meanings = head.legend.filter((item) => item.tone === "plain");
  const items = (some) => some.map((item) => neutralItem(item));
  return titled(
    id,
    title,
    run.variants.length > 0 && variantTable(),
    el("div.cards", run.evaluators.map(evaluatorCard)),
    remarks.length > 0 && el("ul.items.remarks", items(remarks)),
    meanings.length > 0 && el("details.legend", el("summary", "What the words mean"), el("ul.items", items(meanings))),
  );
}
function variantTable() {
  const lines = [...new Set(run.evaluators.map((one) => one.name))].map((name) => {
    const own = run.variants.map((variant) =>
      run.evaluators.find((one) => one.name === name && one.variant === variant),
    );
    return el("tr", el("th", { scope: "row" }, plain(name)), own.map(variantCell));
  });
  const [label, heads] = ["Mean scores by variant", ["evaluator", ...run.variants].map((name) => head_(plain(name)))];
  return scrollable(label, table("table", heads, el("tbody", lines), el("caption", label)));
}
function variantCell(one) {
  if (!one) return el("td", "–");
  const interval = one.mean_ci && el("span.quiet", intervalText(one.mean_ci));
  return el("td", el("strong", meanText(one)), " ", interval);
}
const meanText = (one) => ofPart(one, scoreText(one.mean));
const passRateText = (one) => ofPart(one, scoreText(one.pass_rate));
function evaluatorCard(one) {
  const place = names.indexOf(one.name);
  const where = place < 0 ? "" : run.record.evaluators[place].where;
  const given = head.metrics.filter(([name]) => one[name] !== null);
  const metrics = given.map(([name, word, meaning]) =>
    el("span", { title: meaning }, `${word} ${scoreText(one[name])}`),
  );
  const least = one.minimum_detectable_effect;
  const filters = { evaluator: one.name, result: "failed", variant: one.variant ?? "" };
  const isTold = head.rows && place >= 0;
  const failed = counted(one.failed, "failed row");
  return el(
    "article.card",
    el("h3", plain(one.name), one.variant !== null && plain(one.variant, "bdi.variant")),
    meanLine(one),
    countBar(one),
    one.failed > 0 && head.rows && button(`Show ${failed}`, () => showRows(filters), {}, "button.link"),
    el(
      "details.figures",
      el("summary", "More figures"),
      el("p.quiet", plain(one.type), where && [" · ", plain(where)]),
      el("p", `pass rate ${passRateText(one)} `, el("span.quiet", intervalText(one.pass_rate_ci))),
      metrics.length > 0 &&
        el(
          "p.quiet",
          metrics.flatMap((metric, place) => (place ? [" · ", metric] : [metric])),
        ),
      least !== null && el("p.quiet", `${TELLS_APART} ${scoreText(least)} or more.`),
      isTold && distribution(one, place),
    ),
  );
}
const TELLS_APART = "With this many rows, two runs can be told apart when their mean scores differ by about";
function meanLine(one) {
  const interval = one.mean_ci;
  const whisker = interval && el("div.whisker", { vars: { low: interval.low, high: interval.high } });
  return el(
    "div.mean",
    el("div", el("strong.figure", meanText(one)), " mean score"),
    one.mean !== null &&
      el("div.track", { "aria-hidden": "true" }, el("div.fill", { vars: { share: one.mean } }), whisker),
    el(
      "div.beneath.quiet",
      el("span", interval && `95 % CI ${intervalText(interval)}`),
      one.scored > 0 && passedText(one),
    ),
  );
}
const passedText = (one) => el("span", `${number(one.passed)} of ${number(one.scored)} passed`);
function countBar(one) {
  const parts = Object.keys(COUNT_TONES).filter((name) => one[name] > 0);
  const sum = parts.reduce((whole, name) => whole + one[name], 0);
  const said = [...parts, "blocked", "unreadable"].filter((name) => one[name] > 0);
  const bars = parts.map((name) => el(`span.tone-${COUNT_TONES[name]}`, { vars: { share: one[name] / sum } }));
  const chips = said.map((name) => {
    const dot = el(`span.dot.tone-${COUNT_TONES[name] ?? "plain"}`, { "aria-hidden": "true" });
    return el("li", dot, `${number(one[name])} ${name.replace("_", " ")}`);
  });
  return el("div.counts", el("div.stack", { "aria-hidden": "true" }, bars), el("ul.chips", chips));
}
const [WIDTH, HEIGHT] = [240, 56];
function distribution(one, place) {
  const bins = binned(place, one.variant);
  const most = Math.max(...bins);
  if (!most) return null;
  const step = WIDTH / bins.length;
  const bars = bins.map((size, index) => {
    const height = Math.max(2, (size / most) * HEIGHT);
    const kind = index === bins.length - 1 ? "rect.bar-full" : "rect.bar";
    return size > 0 && el(kind, { x: index * step + 1, width: step - 2, y: HEIGHT - height, height });
  });
  const axis = el("line.axis", { x1: 0, x2: WIDTH, y1: HEIGHT + 0.5, y2: HEIGHT + 0.5 });
  const drawn = { viewBox: `0 0 ${WIDTH} ${HEIGHT + 1}`, preserveAspectRatio: "none", role: "img" };
  const ends = ["0", "scores", "1"].map((text) => el("span", text));
  return el(
    "figure.distribution",
    el("svg", { ...drawn, "aria-label": `Scores: ${binsInWords(bins)}` }, bars, axis),
    el("figcaption", { "aria-hidden": "true" }, ends),
  );
}
const NAMED_ROWS = 3;
const mistakeOfKey = (key) => (key === "" ? undefined : head.mistakes[Number(key)]);
const mistakesOf = (evaluator, variant, field) =>
  head.mistakes.filter((one) => one.evaluator === evaluator && one.variant === variant && one.field === field);
function mistakeSection({ id, title }) {
  const shown = new Set(head.weakest.flatMap(([place, field]) => ownMistakes(place, field)));
  const others = head.mistakes.filter((one) => !shown.has(one));
  const heading = shown.size ? String(title).replace("Most", "Other") : String(title);
  return others.length
    ? titled(
        id,
        heading,
        el(
          "ul.items",
          others.map((one) => mistakeLine(one, true)),
        ),
      )
    : null;
}
function ownMistakes(place, field) {
  const { name, variant, fields } = run.evaluators[place];
  return mistakesOf(name, variant, fields[field].path);
}
function mistakeLine(one, isNamed) {
  const { evaluator, variant, field, said, count, rows, forgiven } = one;
  const filters = { evaluator, variant: variant ?? "", mistake: String(head.mistakes.indexOf(one)) };
  const show = button(plain(said), () => showRows(filters), {}, "button.link");
  const about = [variant, evaluator, field && fieldName(field)].filter(Boolean).join(" · ");
  return el(
    "li.mistake",
    el("b", count),
    " ",
    isNamed && [plain(about), ": "],
    head.rows ? show : plain(said),
    el("span.quiet", ` · ${rowsText(rows)}`),
    forgiven && el("span.quiet", " · forgiven by ", withCode(`\`${forgiven}\``)),
  );
}
function rowsText(rows) {
  const named = rows.slice(0, NAMED_ROWS).join(", ");
  return rows.length > NAMED_ROWS
    ? `${counted(rows.length, "row")}: ${named} …`
    : `row${rows.length === 1 ? "" : "s"} ${named}`;
}
const mistakeName = ({ field, said, count }) =>
  `${field ? `${fieldName(field)}: ` : ""}${said.slice(0, LONGEST)} (${count})`;
const LONGEST = 60;
const ROWS_AT_ONCE = 50;
const MOST_VALUE_LETTERS = 2000;
const LONGEST_LINE = 120;
const TONES = { broken: "bad", lost: "warning", fixed: "good", gained: "note", settled: "note" };
const OF_FIELDS = ["broken", "lost", "fixed", "unchanged"];
const OTHER_VALUES = "other values, same verdict";
function comparedSections(sections, comparison, chosen, choose) {
  const wanted = sections.filter((section) => section.title);
  const made = wanted.map(neutralSection);
  if (!comparison) return { made, show: () => {} };
  const { node, show } = comparisonView(comparison, chosen, choose);
  const end = wanted.findIndex(({ id }) => AFTER_ROWS.includes(id));
  made.splice(end < 0 ? made.length : end, 0, titled("changed-rows", "Changed rows", node));
  return { made, show };
}
function comparisonView(comparison, chosen, choose) {
  const search = el("input", { type: "search", placeholder: "id or row number", autocomplete: "off" });
  search.addEventListener("input", () => choose({ q: search.value }));
  const selects = el("div.choices");
  const labelled = el("label.choice", el("span", "Search"), search);
  const found = el("p.found", { role: "status" });
  const list = el("div.compared-rows");
  const several = comparedEvaluators(comparison.rows).length > 1;
  let last = "";
  const show = () => {
    const now = chosen();
    if (last === JSON.stringify(now)) return;
    last = JSON.stringify(now);
    if (document.activeElement !== search) search.value = now.q;
    refreshSelects(selects, comparison.rows, now, choose);
    const left = comparedRows(comparison.rows, now);
    const all = counted(comparison.rows.length, "changed row");
    found.textContent = left.length === comparison.rows.length ? all : `${number(left.length)} of ${all}`;
    refill(list);
    showNext(list, left, { ...comparison, several });
  };
  show();
  const bar = el("div.filters.comparison-filters", { role: "search", "aria-label": "Changed rows" }, selects, labelled);
  const notes = comparison.notes.map((note) => el("p.tone-note", withCode(note)));
  return { node: el("div.comparison", notes, bar, found, list), show };
}
function refreshSelects(selects, rows, now, choose) {
  const place = [...selects.querySelectorAll("select")].indexOf(document.activeElement);
  refill(selects, selectsOf(rows, now, choose));
  if (place >= 0) selects.querySelectorAll("select")[place].focus();
}
function selectsOf(rows, now, choose) {
  const names = comparedEvaluators(rows);
  const changes = now.field
    ? OF_FIELDS.map((one) => [one, changeWord(one)])
    : changeCounts(rows).map(([one, size]) => [one, `${changeWord(one)} (${number(size)})`]);
  const fields = changedFields(rows).map(([evaluator, own]) => [
    evaluator,
    own.map(([field, size]) => [JSON.stringify([evaluator, field]), `${fieldName(field)} (${number(size)})`]),
  ]);
  const key = now.field ? JSON.stringify([now.evaluator, now.field]) : "";
  const ofField = (picked) => {
    const [evaluator, field] = picked ? JSON.parse(picked) : ["", ""];
    choose({ evaluator, field });
  };
  const isFiltered = now.change || now.evaluator || now.field || now.q;
  return [
    choice("Change", now.change, [["", [["", "any change"], ...changes]]], (change) => choose({ change })),
    names.length > 1 &&
      choice(
        "Evaluator",
        now.evaluator,
        [["", [["", "all evaluators"], ...names.map((one) => /** @type {[string, string]} */ ([one, one]))]]],
        (evaluator) => choose({ evaluator, field: "" }),
      ),
    fields.length > 0 && choice("Field", key, [["", [["", "all fields"]]], ...fields], ofField),
    isFiltered && button("Clear", () => choose({ change: "", evaluator: "", field: "", q: "" }), {}, "button.clear"),
  ];
}
const changeWord = (change) => (change === "unchanged" ? OTHER_VALUES : change);
function showNext(list, left, comparison) {
  if (!left.length) fill(list, [el("p.quiet", "No row fits these choices.")]);
  fill(
    list,
    left.slice(0, ROWS_AT_ONCE).map(({ row, fields }) => rowCard(row, fields, comparison)),
  );
  const rest = left.slice(ROWS_AT_ONCE);
  if (!rest.length) return;
  const more = button(
    `Show ${number(Math.min(rest.length, ROWS_AT_ONCE))} more of ${number(rest.length)}`,
    () => {
      more.remove();
      const shown = list.children.length;
      showNext(list, rest, comparison);
      list.children[shown].querySelector("h3").focus();
    },
    {},
    "button.more",
  );
  fill(list, [more]);
}
function rowCard(row, fields, comparison) {
  const name = row.id && row.id !== String(row.number) ? [" · ", plain(row.id)] : null;
  const verdicts = Object.entries(row.verdicts).map(([change, names]) => `${change}: ${names.join(", ")}`);
  const why = fields.length ? [] : Object.entries(row.reasons).map(([evaluator, reason]) => `${evaluator}: ${reason}`);
  return el(
    "article.compared",
    el(
      "header.compared-head",
      el(
        "h3",
        { tabindex: "-1" },
        `Row ${row.number}`,
        name,
        row.variant !== null && plain(row.variant, "bdi.variant"),
      ),
      row.change === "unchanged" ? el("span.quiet", OTHER_VALUES) : badge(row.change, TONES[row.change]),
      comparison.several && el("span.quiet", plain(verdicts.join("; "))),
      el(
        "span.leads",
        rowLink("base", comparison.base.link, row.base),
        rowLink("new run", comparison.new.link, row.new),
      ),
    ),
    why.map((text) => el("p.quiet", plain(text))),
    fields.length > 0 && valueTable(fields, comparison.several === true, `Row ${row.number}, values`),
  );
}
function rowLink(side, page, key) {
  if (key === null) return el("span.quiet", `not in the ${side}`);
  const there = { href: `${page}#row=${encodeURIComponent(key)}`, target: "_blank", rel: "noopener" };
  return page && el("a", there, `row in the ${side}`);
}
function valueTable(fields, several, label) {
  const heads = ["field", "expected", "base", "new run"].map((head) => el("th", { scope: "col" }, head));
  return el(
    "table.values",
    { "aria-label": label },
    el("thead", el("tr", heads)),
    el(
      "tbody",
      fields.map((one) =>
        el(
          `tr.is-${one.change}`,
          el(
            "th",
            { scope: "row" },
            plain(one.path ? fieldName(one.path) : "output", "bdi.path"),
            several && [" ", plain(one.evaluator, "bdi.quiet")],
          ),
          valueCells(one),
        ),
      ),
    ),
  );
}
function valueCells(one) {
  const text = (side) => (side in one ? shortValue(one[side]) : null);
  const [expected, base, now] = ["expected", "base", "new"].map(text);
  const isKnown = expected !== null;
  const wrong = one.now === "mismatch" ? now : one.was === "mismatch" ? base : null;
  const wanted = isKnown ? markedPair(expected, wrong, true)[0] : el("span.quiet", "–");
  const isMarked = isKnown && wrong !== null;
  const [before, after] = isMarked
    ? [sideOf(expected, base, one.was), sideOf(expected, now, one.now)]
    : markedPair(base, now, true, ["mark", "mark"]);
  return [
    cell("expected", wanted),
    cell("base", mark(one.was), base === null ? missing(one.was, one.now) : before),
    cell(
      "new run",
      mark(one.now),
      now === null ? missing(one.now, one.was) : after,
      one.why && el("div.quiet", plain(one.why)),
    ),
  ];
}
function shortValue(value) {
  const line = lineText(value, MOST_VALUE_LETTERS);
  return line.length <= LONGEST_LINE ? line : valueText(value, MOST_VALUE_LETTERS);
}
const cell = (head, ...children) => el("td", { "data-head": head }, children);
const sideOf = (expected, text, status) => markedPair(expected, text, status === "mismatch")[1];
const mark = (status) => status !== null && treeMark(statusNumber(status));
function missing(status, other) {
  if (status === "omission" || other === "hallucination") return nothing();
  return el("span.quiet", status === null ? "not measured" : statuses[statusNumber(status)].word);
}
const MOST_CARDS = 100;
const FEW_FIELDS = 12;
const FEW_CHARS = 2000;
const SIDES = { expected: "Expected", output: "Output", other: "Column" };
const HOW = { fence: "The JSON is inside a code fence.", embedded: "The JSON is inside other text." };
let dialog = null;
let shownKey = "";
let returnTo = null;
let listing = { next: () => undefined, focus: () => {} };
function rowDialog(listed) {
  listing = listed;
  dialog = el("dialog.row-dialog", { "aria-labelledby": "row-title", close: leave, keydown: stepByKey });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}
function leave() {
  if (state.row) choose({ row: "", as: "" });
  if (returnTo?.isConnected) returnTo.focus();
  else listing.focus();
}
async function redrawRow() {
  shownKey = "";
  await refreshRow();
}
async function refreshRow() {
  const key = state.row ? `${state.row}\n${state.as}` : "";
  if (key === shownKey) return;
  shownKey = key;
  if (!key && dialog.open) dialog.close();
  const row = key ? rowOfKey(state.row) : -1;
  if (row < 0) return;
  if (!dialog.open) returnTo = document.activeElement === document.body ? null : document.activeElement;
  const detail = await detailOf(row);
  if (shownKey !== key) return;
  const top = dialog.scrollTop;
  const focused = dialog.contains(document.activeElement) && document.activeElement?.getAttribute("data-keep");
  refill(dialog, rowPage(row, detail));
  if (!dialog.open) dialog.showModal();
  const again = focused && dialog.querySelector(`[data-keep="${focused}"]:not([disabled])`);
  (again || dialog.querySelector("h2")).focus({ preventScroll: true });
  dialog.scrollTop = again && focused.startsWith("evaluator") ? top : 0;
}
function stepByKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select")) return;
  const step = { j: 1, k: -1 }[event.key];
  if (step) stepRow(step);
}
function stepRow(step) {
  const row = listing.next(state.row, step);
  if (row !== undefined) choose({ row });
}
function rowPage(row, detail) {
  const evaluator = shownEvaluator(row);
  const [variant, id] = [variantOf(row), rows.ids[row]];
  const named = [
    id !== String(rows.numbers[row]) && [" · ", plain(id)],
    variant !== null && el("span.variant", plain(variant)),
  ];
  const step = (text, by, name, key) =>
    button(text, () => stepRow(by), {
      "data-keep": name,
      disabled: listing.next(keyOf(row), by) === undefined,
      title: key,
    });
  return [
    el(
      "header.row-head",
      el("h2", { id: "row-title", tabindex: "-1" }, `Row ${rows.numbers[row]}`, named),
      el(
        "div.row-tools",
        step("Previous", -1, "previous", "k"),
        step("Next", 1, "next", "j"),
        button("Close", () => dialog.close(), { "data-keep": "close" }),
      ),
    ),
    evaluatorTabs(row, evaluator),
    evaluatorPart(row, evaluator, detail),
    detail && otherCells(detail),
  ];
}
function shownEvaluator(row) {
  const chosen = names.indexOf(state.as || state.evaluator);
  if (chosen >= 0) return chosen;
  const places = names.map((_, place) => place);
  const wrong = places.filter((place) => isWrong(verdictOf(row, place)));
  const telling = wrong.find((place) => wrongFields(row, place).length) ?? wrong[0];
  return telling ?? places.find((place) => run.record.evaluators[place].fields.length) ?? 0;
}
function evaluatorTabs(row, chosen) {
  const tabs = names.map((name, place) => {
    const verdict = verdictOf(row, place);
    const tone = verdict.passed === false ? "wrong" : verdict.score === null ? "none" : "good";
    const properties = { "aria-pressed": String(place === chosen), "data-keep": `evaluator-${place}` };
    const text = [
      el(`span.sign.status-${tone}`, { "aria-hidden": "true" }, signOf(tone)),
      plain(name),
      el("span.quiet", scoreText(verdict.score)),
    ];
    return button(text, () => choose({ as: name }), properties, "button.tab");
  });
  return el("div.tabs", { role: "group", "aria-label": "Evaluator" }, tabs);
}
function evaluatorPart(row, evaluator, detail) {
  const verdict = verdictOf(row, evaluator);
  const said = detail?.evaluators[evaluator];
  const fields = said ? said.fields : fieldsOf(row, evaluator, []);
  const cards = fields.length > 0 && fieldCards(fields, evaluator);
  const documents = detail?.documents.length
    ? documentsPart(said?.documents.length ? said.documents : detail.documents, fields)
    : el("p.tone-note", "The documents of this row are not in this file.");
  const parts = verdict.status === "unreadable" ? [documents, cards] : [cards, documents];
  const answered = !fields.length && isWrong(verdict) && listing.action?.(wholeAnswer(said), names[evaluator]);
  return el(
    "div.explained",
    verdictLine(verdict, evaluator, said?.reason ?? verdict.issue?.message ?? ""),
    answered,
    parts,
  );
}
function wholeAnswer(said) {
  const output = said?.documents.find((one) => one.side === "output" && one.kind !== "absent");
  return output ? { path: "", actual: output.value } : { path: "" };
}
function verdictLine(verdict, evaluator, reason) {
  const [result, tone] = resultOf(verdict);
  const { where } = run.record.evaluators[evaluator];
  const { sentence } = rowWords.get(verdict.status) ?? { sentence: "" };
  const hint = verdict.issue?.hint?.split("\n")[0];
  return el(
    "div.verdict-line",
    el(
      "p",
      el("strong.figure", scoreText(verdict.score)),
      " ",
      badge(result, tone),
      where && el("span.quiet", " · set in ", plain(where)),
    ),
    sentence && el("p", sentence),
    reason && el("p", plain(reason)),
    hint && el("p.hint", withCode(`hint: ${hint}`)),
  );
}
function resultOf({ score, passed }) {
  if (score === null) return ["no score", "note"];
  return passed === false ? ["does not pass", "bad"] : ["passes", "good"];
}
function fieldCards(fields, evaluator) {
  const wrong = fields.filter((one) => statuses[one.status].wrong);
  const fine = fields.filter((one) => !statuses[one.status].wrong);
  const list = (some) => {
    const more = some.length > MOST_CARDS && el("li", `and ${number(some.length - MOST_CARDS)} more`);
    return el(
      "ul.fields",
      some.slice(0, MOST_CARDS).map((one) => fieldCard(one, evaluator)),
      more,
    );
  };
  const open = !wrong.length && fine.length < FEW_FIELDS;
  return el(
    "div",
    el("h3", wrong.length ? `${counted(wrong.length, "field")} not right` : "Fields"),
    wrong.length > 0 && list(wrong),
    fine.length > 0 && el("details", { open }, el("summary", fineWords(fine)), list(fine)),
  );
}
function fineWords(fine) {
  const right = fine.filter((one) => statuses[one.status].name === "match").length;
  const rest = fine.length - right;
  const said = [right > 0 && `${counted(right, "field")} right`, rest > 0 && `${number(rest)} skipped or not measured`];
  return said.filter(Boolean).join(", ");
}
function fieldCard(one, evaluator) {
  const { tone, word, sign, name } = statuses[one.status];
  const place = placeOf(evaluator, one);
  const isRight = name === "match";
  const rule = one.rule && ["rule: ", plain(one.rule), place && [" · ", plain(place)]];
  const reason = one.reason && one.reason !== word && plain(one.reason);
  return el(
    `li.field.field-${tone}`,
    el(
      "div.field-head",
      el(`span.status.status-${tone}`, seenOnly(sign), word),
      " ",
      plain(fieldName(one.path), "bdi.path"),
      one.score !== undefined && one.score > 0 && one.score < 1 && el("span.quiet", ` ${scoreText(one.score)}`),
    ),
    ("expected" in one || "actual" in one) && valuePair(one),
    !isRight && reason && el("p", reason),
    (rule || isRight) && el("p.quiet", isRight && one.reason && [plain(one.reason), rule && " · "], rule),
    !isRight && listing.action?.(one, names[evaluator]),
  );
}
function valuePair(one) {
  const [expected, actual] = markedPair(sideText(one, "expected"), sideText(one, "actual"), isMismatch(one));
  const side = (name, value) => el("div", el("dt", name), el("dd", value));
  return el("dl.pair", !one.passages && side("expected", expected), side("output", actual));
}
const isMismatch = (one) => statuses[one.status].name === "mismatch";
const sideText = (one, side) => (side in one ? valueText(one[side]) : null);
function documentsPart(documents, fields) {
  const known = new Map(fields.map((one) => [one.path, one.status]));
  const passages = fields.flatMap((one) => one.passages ?? []);
  const ordered = Object.keys(SIDES).flatMap((side) => documents.filter((one) => one.side === side));
  return el(
    "div",
    el("h3", "Side by side"),
    el(
      "div.sides",
      ordered.map((one) => documentPart(one, known, passages)),
    ),
  );
}
function documentPart(one, known, passages) {
  const own = passages.filter(({ column }) => column === one.column);
  const [side, how] = [SIDES[one.side], HOW[one.how]];
  const label = `${side}: ${one.column}`;
  const content = { tabindex: "0", role: "region", "aria-label": `${label}, content` };
  return el(
    "section.side",
    { "aria-label": label },
    el("h4", side, " ", plain(one.column, "bdi.quiet")),
    one.message && el("p.tone-warning", plain(one.message)),
    how && el("p.tone-note", `${how} What is around it is set aside. ${one.which}`.trim()),
    setAside("before", one.before),
    el("div.document", content, documentBody(one, sideStatuses(one.side, known), own)),
    setAside("after", one.after),
  );
}
function sideStatuses(side, known) {
  const elsewhere = side === "expected" ? "hallucination" : "omission";
  return new Map([...known].filter(([, status]) => side !== "other" && statuses[status].name !== elsewhere));
}
function setAside(where, text) {
  const summary = el("summary", `set aside ${where} it: ${counted(text.length, "character")}`);
  return text && el("details.aside", summary, el("pre", { tabindex: "0" }, plain(text)));
}
function documentBody({ kind, value, of }, known, passages) {
  if (kind === "absent") return nothing();
  if (kind === "json") return tree(value, known);
  const text = String(value);
  const shown = text.slice(0, MOST_CHARS);
  const said = `Cut: the first ${number(shown.length)} of ${number(of || text.length)} characters.`;
  return [
    (of > shown.length || text.length > shown.length) && el("p.tone-note", said),
    el("pre", withPassages(shown, passages)),
  ];
}
const withPassages = (text, passages) =>
  el(
    "bdi",
    passageRuns(text, passages).map(([part, isRight]) => (isRight === null ? part : el(isRight ? "ins" : "del", part))),
  );
function otherCells({ cells }) {
  const found = Object.entries(cells);
  if (!found.length) return null;
  const open = found.reduce((sum, [, text]) => sum + text.length, 0) < FEW_CHARS;
  const list = found.map(([name, text]) => el("div", el("dt", plain(name)), el("dd", plain(text))));
  return el(
    "details.cells",
    { open },
    el("summary", `${counted(found.length, "other column")} of the row`),
    el("dl", list),
  );
}
const MOST_CELL_CHOICES = 500;
function labelSection({ id, title, blocks, labels }) {
  const matrix = run.confusion_matrices[labels ?? 0];
  const isKnown = knowsCells(labels ?? 0);
  const isMatrix = ([, ...heads]) => heads.every(([name], place) => name === matrix.columns[place]);
  const made = blocks.map((block) => {
    if (block.columns?.length === matrix.columns.length + 1 && isMatrix(block.columns))
      return confusionTable(matrix, isKnown);
    if (block.items)
      return el(
        "ul.items",
        block.items.map((item) => confusionItem(item, matrix, isKnown)),
      );
    return neutralBlock(block, `${title}, metrics`);
  });
  return titled(id, String(title), made);
}
const knowsCells = (place) => (head.rows?.labelCells ?? []).some((known) => place in known);
function confusionTable(matrix, isKnown) {
  const heads = [head_("expected"), matrix.columns.map((name) => head_(plain(name), "th.number"))];
  const expected = [
    ...new Set([...matrix.labels.map((one) => one.label), ...matrix.cells.map((cell) => cell.expected)]),
  ];
  const lines = expected.map((label) => {
    const whole = matrix.cells.filter((cell) => cell.expected === label).reduce((sum, cell) => sum + cell.count, 0);
    const cells = matrix.columns.map((column) => confusionCell(matrix, label, column, whole, isKnown));
    return el("tr", el("th", { scope: "row" }, plain(label)), cells);
  });
  const name = `${matrix.evaluator}${matrix.variant ? ` (${matrix.variant})` : ""}`;
  return scrollable(
    `Confusion matrix of ${name}: expected, and in the outputs`,
    table("table.heat.labels", heads, el("tbody", lines)),
  );
}
function confusionCell(matrix, expected, output, whole, isKnown) {
  const cell = matrix.cells[cellOf(matrix, expected, output)];
  if (!cell) return el("td.number.cell.heat-empty", el("span", "0"));
  const text = el("span", number(cell.count));
  const said = `${expected} expected, ${output} in the output: ${counted(cell.count, "row")}, show them`;
  const inside = isKnown ? button(text, () => showCell(matrix, expected, output), { "aria-label": said }) : text;
  const tone = expected === output ? "good" : "wrong";
  return el(`td.number.cell.heat-${tone}`, { vars: { share: cell.count / whole } }, inside);
}
function confusionItem(item, matrix, isKnown) {
  const cell = matrix.cells.find((one) => item.text.startsWith(`${nameOf(one)}: `));
  if (!cell || !isKnown) return neutralItem(item);
  const show = () => showCell(matrix, cell.expected, cell.output);
  return el("li", button(plain(nameOf(cell)), show, {}, "button.link"), plain(item.text.slice(nameOf(cell).length)));
}
const nameOf = (cell) => `${cell.expected} → ${cell.output}`;
function showCell({ evaluator, variant }, expected, output) {
  showRows({ cell: cellKey(evaluator, expected, output), evaluator, variant: variant ?? "" });
}
function cellChoices() {
  const known = run.confusion_matrices.filter((_, place) => knowsCells(place));
  const asked = [...new Set(known.map((one) => one.evaluator))].filter(
    (name) => !state.evaluator || state.evaluator === name,
  );
  return asked.map((name) => {
    const cells = run.confusion_matrices.filter((one) => one.evaluator === name).flatMap((one) => one.cells);
    const keys = new Map(cells.map((one) => [cellKey(name, one.expected, one.output), nameOf(one)]));
    return [name, [...keys].slice(0, MOST_CELL_CHOICES)];
  });
}
const MOST_FIELDS_AT_FIRST = 10;
const MOST_MISTAKES_OF_A_FIELD = 3;
const MOST_SLICES_AT_FIRST = 12;
const ALWAYS_COUNTED = ["match", "mismatch", "omission", "hallucination"];
const FIELD_RATIOS = [
  ["precision", "precision"],
  ["recall", "recall"],
  ["F1", "f1"],
];
function fieldSection({ id }) {
  const fields = head.weakest.map(([place, field]) => ({
    stats: run.evaluators[place],
    field: run.evaluators[place].fields[field],
  }));
  if (!fields.length) return null;
  const used = COUNTED.filter(
    (name) => ALWAYS_COUNTED.includes(name) || fields.some(({ field }) => field.counts[name] > 0),
  );
  const heads = [
    head_("field"),
    head_("accuracy", "th.number"),
    used.map((name) => head_(statuses[statusNumber(name)].word, "th.number")),
    FIELD_RATIOS.map(([name]) => head_(name, "th.number.wide-only")),
  ];
  const body = el("tbody");
  const columns = 2 + used.length + FIELD_RATIOS.length;
  const more = growing(body, fields, MOST_FIELDS_AT_FIRST, ({ stats, field }) => [
    fieldRow(stats, field, used),
    mistakeRow(stats, field, columns),
  ]);
  return titled(
    id,
    "Fields",
    el("p.quiet", FIELDS_INTRODUCED),
    scrollable("Fields by status", table("table.heat", heads, body)),
    more,
    head.moreFields > 0 &&
      el("p", `${counted(head.moreFields, "more path")} counted in the scores, and not listed here.`),
  );
}
const FIELDS_INTRODUCED =
  "The weakest first. A low metric from few rows may be chance, so it comes after a surer one. Choose a count to see its rows.";
function fieldRow(stats, field, used) {
  const place = names.indexOf(stats.name);
  const where = place < 0 ? "" : ownValue(run.record.evaluators[place].field_places, field.path);
  const named = [stats.name, stats.variant, where].filter(Boolean).map((text, at) => [at > 0 && " · ", plain(text)]);
  return el(
    "tr",
    el("th", { scope: "row" }, plain(fieldName(field.path), "bdi.path"), el("div.quiet", named)),
    el("td.number", el("strong", scoreText(field.accuracy))),
    used.map((name) => heatCell(stats, field, place, name)),
    FIELD_RATIOS.map(([, key]) => el("td.number.wide-only", scoreText(field[key]))),
  );
}
function mistakeRow(stats, field, columns) {
  const own = mistakesOf(stats.name, stats.variant, field.path).slice(0, MOST_MISTAKES_OF_A_FIELD);
  if (!own.length) return null;
  return el(
    "tr.mistakes",
    el(
      "td",
      { colspan: columns },
      el(
        "ul",
        own.map((one) => mistakeLine(one, false)),
      ),
    ),
  );
}
function heatCell(stats, field, place, name) {
  const size = field.counts[name];
  if (!size) return el("td.number.cell.heat-empty", el("span", "0"));
  const status = statusNumber(name);
  const { tone, word } = statuses[status];
  const share = size / countedIn(field);
  const text = el("span", number(size));
  const filters = { evaluator: stats.name, field: field.path, status: String(status), variant: stats.variant ?? "" };
  const label = { "aria-label": `${fieldName(field.path)}: ${number(size)} ${word}, show rows` };
  const isKnown = knowsStatus(place, field.path, status);
  return el(
    `td.number.cell.heat-${tone}`,
    { vars: { share } },
    isKnown ? button(text, () => showRows(filters), label) : text,
  );
}
function knowsStatus(evaluator, path, status) {
  if (!head.rows || evaluator < 0) return false;
  return run.record.evaluators[evaluator].fields.includes(path) || statuses[status].wrong;
}
function sliceSection({ id, title }) {
  if (!run.slices.length) return null;
  const hasVariants = run.variants.length > 0;
  const texts = ["slice", "evaluator", ...(hasVariants ? ["variant"] : [])];
  const numbers = ["mean score", "pass rate", "95 % CI", "scored"];
  const heads = [texts.map((text) => head_(text)), numbers.map((text) => head_(text, "th.number"))];
  const body = el("tbody");
  const more = growing(body, lowestFirst(run.slices), MOST_SLICES_AT_FIRST, (one) => sliceRow(one, hasVariants));
  return titled(
    id,
    title,
    el("p.quiet", "The lowest mean first. Choose a slice to see its rows."),
    scrollable(`${title}, table`, table("table", heads, body)),
    more,
    head.moreSlices > 0 && el("p", `${counted(head.moreSlices, "more slice")} in run.json.`),
  );
}
function sliceRow(one, hasVariants) {
  const [column, value] = one.slice ?? ["", ""];
  const name = plain(`${sliceName(column)} = ${value}`);
  const filters = { slice: `${sliceName(column)}=${value}`, evaluator: one.name, variant: one.variant ?? "" };
  const isKnown = head.rows && run.record.slices.map(sliceName).includes(sliceName(column));
  const bar = one.mean !== null && el("span.mini", { "aria-hidden": "true", vars: { share: one.mean } });
  return el(
    "tr",
    el("td", isKnown ? button(name, () => showRows(filters), {}, "button.link") : name),
    el("td", plain(one.name)),
    hasVariants && el("td", plain(one.variant ?? "")),
    el("td.number", el("span.share", bar, meanText(one))),
    el("td.number", passRateText(one)),
    el("td.number", intervalText(one.pass_rate_ci)),
    el("td.number", `${number(one.scored)} of ${number(one.rows)}`),
  );
}
const MOST_SLICE_CHOICES = 1000;
const PAUSE = 150; // milliseconds without a key
const RESULTS = [
  ["", "any result"],
  ["wrong", "something wrong"],
  ["failed", "failed"],
  ["passed", "passed"],
  ["none", "without a score"],
];
function filterBar() {
  const search = el("input", { type: "search", placeholder: "id, row number or slice", autocomplete: "off" });
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => choose({ q: search.value }), PAUSE);
  });
  const deep = el("input", { type: "checkbox", change: () => choose({ deep: deep.checked ? "1" : "" }) });
  const selects = el("div.choices");
  const show = () => {
    if (document.activeElement !== search) search.value = state.q;
    deep.checked = state.deep === "1";
    refreshChoices(selects);
  };
  listeners.push(show);
  show();
  const inside = (head.rows?.pieces.length ?? 0) > 0 && el("label.check", deep, "also inside the documents");
  const labelled = el("label.choice.wide", el("span", "Search"), search);
  return el("div.filters", { role: "search", "aria-label": "Rows" }, el("div.search", labelled, inside), selects);
}
function refreshChoices(selects) {
  const place = [...selects.querySelectorAll("select")].indexOf(document.activeElement);
  refill(selects);
  fill(selects, choices());
  if (place >= 0) selects.querySelectorAll("select")[place].focus();
}
function choices() {
  const fields = fieldChoices();
  const cells = cellChoices();
  const mistakes = head.mistakes.flatMap((one, place) =>
    !state.evaluator || state.evaluator === one.evaluator
      ? [/** @type {[string, string]} */ ([String(place), mistakeName(one)])]
      : [],
  );
  const results = [...RESULTS, ...[...rowWords.values()].slice(1).map((one) => pair(one.word))];
  const states = COUNTED.map(statusNumber).map(
    (status) => /** @type {[string, string]} */ ([String(status), statuses[status].word]),
  );
  const simple = (label, key, any, options, grouped = []) =>
    choice(label, state[key], [["", [["", any], ...options]], ...grouped], (value) => choose({ [key]: value }));
  const changeEvaluator = (evaluator) => choose({ evaluator, field: "", cell: "", mistake: "" });
  return [
    choice("Result", state.result, [["", results]], (result) => choose({ result })),
    choice("Evaluator", state.evaluator, [["", [["", "all evaluators"], ...names.map(pair)]]], changeEvaluator),
    fields.length > 0 &&
      choice("Field", fieldKey(), [["", [["", "all fields"]]], ...fields], (key) => choose(fieldOfKey(key))),
    fields.length > 0 && simple("Field is", "status", state.field ? "not right" : "anything", states),
    mistakes.length > 0 && simple("Mistake", "mistake", "any", mistakes),
    cells.length > 0 && simple("Expected → output", "cell", "all labels", [], cells),
    run.record.slices.map((column, place) => sliceChoice(sliceName(column), place)),
    run.variants.length > 0 && simple("Variant", "variant", "all variants", run.variants.map(pair)),
    isFiltered() && button("Clear", () => resetFilters({}), {}, "button.clear"),
  ];
}
const pair = (name) => [name, name];
const fieldKey = () => (state.field ? JSON.stringify([state.evaluator, state.field]) : "");
function fieldOfKey(key) {
  if (!key) return { field: "" };
  const [evaluator, field] = JSON.parse(key);
  return { evaluator, field };
}
function fieldChoices() {
  const asked = run.record.evaluators.filter((one) => !state.evaluator || state.evaluator === one.name);
  const known = new Set(head.weakest.map(([place, field]) => run.evaluators[place].fields[field]));
  return asked.flatMap((one) => {
    const own = run.evaluators.filter((stats) => stats.name === one.name).flatMap((stats) => stats.fields);
    const open = new Set(own.filter((field) => known.has(field)).map((field) => field.path));
    const listed = one.fields.length ? [...one.fields, ...unlisted[names.indexOf(one.name)]] : [...open].sort();
    const options = listed.map(
      (path) => /** @type {[string, string]} */ ([JSON.stringify([one.name, path]), fieldName(path)]),
    );
    return options.length ? [/** @type {[string, [string, string][]]} */ ([one.name, options])] : [];
  });
}
function sliceChoice(column, place) {
  const values = [...rows.sliceValues[place]].sort(IN_ORDER.compare).slice(0, MOST_SLICE_CHOICES);
  const own = state.slice.startsWith(`${column}=`) ? state.slice : "";
  const options = values.map((value) => /** @type {[string, string]} */ ([`${column}=${value}`, value || "(empty)"]));
  return choice(column, own, [["", [["", "all"], ...options]]], (slice) => choose({ slice }));
}
const LINES_BEYOND = 12;
const MOST_PRINTED = 200;
const MOST_HEIGHT = 0.7;
const MOST_NAMED = 4;
const LONGEST_TEXT = 300;
const MOST_VALUES = 3;
const MOST_VALUE_CHARS = 120;
const SORTED_COLUMNS = [
  ["row", "Row"],
  ["id", "Id"],
  ["score", "Score"],
  ["wrong", "What went wrong"],
];
const view = { rows: [], body: null, box: null, first: -1, last: -1, heads: [], focus: -1 };
function rowSection() {
  if (!head.rows) return null;
  if (!rows.count) return titled("rows", "Rows", el("p", "There are no rows."));
  for (const name of ["status", "meaning", "order"]) view[name] = el("p.found.quiet");
  view.status = el("p.found", { role: "status" });
  view.body = el("tbody");
  for (const name of ["top", "bottom"])
    view[name] = el("tr.filler", { "aria-hidden": "true" }, el("td", { colspan: columnCount() }));
  const lines = el("table.lines", { "aria-rowcount": rows.count + 1 }, el("thead", headLine()), view.body);
  const named = { role: "region", "aria-label": "Rows of the test set", tabindex: "0" };
  view.box = el("div.rows", { ...named, scroll: drawLines, keydown: moveByKey }, lines);
  const said = head.rows.packed && el("p.tone-note", withCode(head.rows.packed));
  return titled("rows", "Rows", said, filterBar(), view.status, view.meaning, view.order, framed(view.box));
}
const textEvaluators = () =>
  run.record.evaluators.flatMap(({ fields, readings }, place) => {
    const sides = readings.filter((one) => one.how === "text").map((one) => one.side);
    return !fields.length && sides.includes("expected") && sides.includes("output") ? [place] : [];
  });
const columnCount = () => 4 + (run.variants.length ? 1 : 0) + (textEvaluators().length ? 2 : 0);
function headLine() {
  const sorted = SORTED_COLUMNS.map(([key, text]) => [
    key,
    el(
      `th.column-${key}`,
      { scope: "col" },
      button(text, () => sortBy(key)),
    ),
  ]);
  view.heads = sorted;
  const made = sorted.map(([, node]) => node);
  if (run.variants.length) made.splice(2, 0, el("th.column-variant", { scope: "col" }, "Variant"));
  const texts = textEvaluators().length ? ["Expected", "Output"] : [];
  return el(
    "tr",
    { "aria-rowindex": "1" },
    made,
    texts.map((text) => el("th.column-text", { scope: "col" }, text)),
  );
}
function sortBy(key) {
  const order = key === "wrong" ? ["-wrong", "wrong", ""] : [key, `-${key}`, ""];
  choose({ sort: order[(order.indexOf(state.sort) + 1) % order.length] });
}
let measuredFor = null;
let searched = { text: "", found: null };
let lastAsked = "";
async function refreshRows() {
  const asked = JSON.stringify([...FILTER_KEYS, "sort"].map((key) => state[key]));
  if (asked === lastAsked) return;
  lastAsked = asked;
  const isCalledOff = () => lastAsked !== asked;
  const wanted = choiceOf(state);
  if (measuredFor !== state.evaluator) {
    measuredFor = state.evaluator;
    measureRows(wanted.evaluators);
  }
  for (const [key, node] of view.heads) {
    const isOwn = state.sort.replace("-", "") === key;
    node.setAttribute("aria-sort", !isOwn ? "none" : state.sort.startsWith("-") ? "descending" : "ascending");
  }
  if (needsOutcomes(wanted) && !isIndexed()) {
    view.status.textContent = "Reading what became of fields…";
    await indexOutcomes();
    if (isCalledOff()) return;
  }
  const text = state.deep ? state.q.trim() : "";
  showChosen(text && searched.text === text ? searched.found : null);
  if (text && searched.text !== text) await searchInside(text, isCalledOff);
}
async function searchInside(text, isCalledOff) {
  const tell = (share) => {
    view.status.textContent = `Searching the documents: ${Math.round(100 * share)} %`;
  };
  const found = await searchDocuments(text, tell, isCalledOff);
  if (!found || isCalledOff()) return;
  searched = { text, found };
  showChosen(found);
}
function showChosen(found) {
  view.rows = chosenRows(choiceOf(state), state.sort, found);
  view.first = view.last = view.focus = -1;
  view.box.scrollTop = 0;
  const isAll = view.rows.length === rows.count;
  view.status.textContent = isAll
    ? counted(rows.count, "row")
    : `${number(view.rows.length)} of ${counted(rows.count, "row")}`;
  const asked = askedField() !== null;
  view.box.classList.toggle("asks-field", asked);
  const values = asked ? "Values: expected → output." : "";
  view.meaning.textContent = [scoreMeaning(), values, cellsLeftOut()].filter(Boolean).join(" ");
  const wrong = view.rows.filter((row) => measured.isWrong[row]).length;
  const isMixed = !state.sort && wrong > 0 && wrong < view.rows.length;
  view.order.textContent = isMixed
    ? `The ${counted(wrong, "row")} with something wrong come first.`.replace(
        "1 row with something wrong come",
        "row with something wrong comes",
      )
    : "";
  drawLines();
}
function scoreMeaning() {
  const { evaluators } = choiceOf(state);
  if (evaluators.length === 1) return `Score: the row's score by ${names[evaluators[0]]}.`;
  const many = number(evaluators.length);
  return `Score: the mean of the row's scores over the ${many} evaluators; one without a score is left out.`;
}
function cellsLeftOut() {
  const size = cellSize(choiceOf(state));
  const isAlone = FILTER_KEYS.every((key) => !state[key] || ["cell", "evaluator", "variant"].includes(key));
  const said = `${number(size)} rows are counted there; the texts of the others were not kept.`;
  return isAlone && size > view.rows.length ? said : "";
}
const lineHeight = () => Number.parseFloat(getComputedStyle(view.box).getPropertyValue("--line")) || 44;
function drawLines() {
  const height = lineHeight();
  const first = Math.max(0, Math.floor(view.box.scrollTop / height) - LINES_BEYOND);
  const room = Math.max(view.box.clientHeight, innerHeight * MOST_HEIGHT); // an empty box is as low as its head
  const last = Math.min(view.rows.length, Math.ceil((view.box.scrollTop + room) / height) + LINES_BEYOND);
  if (first !== view.first || last !== view.last) drawBetween(first, last, height);
}
function drawBetween(first, last, height) {
  const isFocused = view.body.contains(document.activeElement);
  Object.assign(view, { first, last });
  view.top.firstChild.style.height = `${first * height}px`;
  view.bottom.firstChild.style.height = `${(view.rows.length - last) * height}px`;
  const lines = view.rows.slice(first, last).map((row, place) => line(row, first + place));
  const none = el("tr", el("td.nothing", { colspan: columnCount() }, "No row fits these choices."));
  refill(view.body, first > 0 && view.top, lines.length ? lines : none, last < view.rows.length && view.bottom);
  if (isFocused) focusLine(view.focus);
}
function line(row, place) {
  const label = { "aria-label": `Open row ${rows.numbers[row]}`, "data-place": place };
  const opener = button(String(rows.numbers[row]), null, label);
  opener.addEventListener("focus", () => {
    view.focus = place;
  });
  const wrong = el("td.column-wrong", wrongWords(row, null));
  const texts = textEvaluators().length ? ["expected", "output"].map(() => el("td.column-text")) : [];
  const made = el(
    "tr",
    { "aria-rowindex": place + 2, click: () => choose({ row: keyOf(row) }) },
    el("td.column-row", opener),
    el("td.column-id", plain(rows.ids[row])),
    run.variants.length > 0 && el("td.column-variant", plain(variantOf(row) ?? "")),
    el("td.column-score", scoreMark(row)),
    wrong,
    texts,
  );
  if (texts.length || askedField() !== null || tellsMore(row))
    detailOf(row).then((detail) => detail && showMore(row, detail, wrong, texts));
  return made;
}
const tellsMore = (row) =>
  choiceOf(state).evaluators.some((place) => {
    const isPartly = unlisted[place].length > 0 && !isIndexed();
    return !verdictOf(row, place).fine && (isPartly || !wrongFields(row, place).length);
  });
function showMore(row, detail, wrong, texts) {
  const words = wrongWords(row, detail);
  refill(wrong, Array.isArray(words) ? el("div.two-lines", words) : words);
  const compared = textEvaluators();
  const evaluator = choiceOf(state).evaluators.find((place) => compared.includes(place));
  const documents = evaluator === undefined ? [] : detail.evaluators[evaluator].documents;
  texts.forEach((cell, place) => {
    const side = ["expected", "output"][place];
    const found = documents.find((one) => one.side === side);
    refill(cell, found && shortText(found));
  });
}
function shortText({ kind, value }) {
  const text = kind === "absent" ? "" : kind === "json" ? String(spelled(value)) : String(value).slice(0, MOST_CHARS);
  if (!text.trim()) return el("span.quiet", "nothing is there");
  return el("span.two-lines", { title: text.length > LONGEST_TEXT ? null : text }, plain(text.slice(0, LONGEST_TEXT)));
}
function scoreMark(row) {
  const score = measured.scores[row];
  const verdicts = choiceOf(state).evaluators.map((place) => verdictOf(row, place));
  const hasFailed = verdicts.some((verdict) => verdict.passed === false);
  const isOpen = Number.isNaN(score) || verdicts.every((verdict) => verdict.passed === null && !verdict.fine);
  const [tone, word] = hasFailed ? ["wrong", "failed"] : isOpen ? ["none", "no verdict"] : ["good", "passed"];
  return el(`span.mark.mark-${tone}`, seenOnly(signOf(tone)), unseen(word), el("span", scoreText(score)));
}
function wrongWords(row, detail) {
  const said = [];
  for (const place of choiceOf(state).evaluators) {
    const field = askedField();
    const values = field === null ? [] : valueWords(field, detail?.evaluators[place].fields ?? []);
    const words = values.length ? values : verdictWords(row, place, detail?.evaluators[place].reason ?? "");
    if (words.length) said.push(el("span.said", names.length > 1 && [el("b", plain(names[place])), " "], words));
    if (said.length >= MOST_NAMED) break;
  }
  return said.length ? said : el("span.quiet", "nothing");
}
function askedField() {
  const { field, mistake } = choiceOf(state);
  return field || mistake?.field || null;
}
function valueWords(field, fields) {
  const { status } = choiceOf(state);
  const isAsked = (one) => (status === null ? statuses[one.status].wrong : one.status === status);
  const own = fields.filter((one) => [one.path, one.field, generalPath(one.path)].includes(field) && isAsked(one));
  const more = own.length - MOST_VALUES;
  return [
    ...own.slice(0, MOST_VALUES).flatMap((one) => [statusMark(one.path, one.status), " ", valuesOf(one), " "]),
    ...(more > 0 ? [`and ${number(more)} more`] : []),
  ];
}
function valuesOf(one) {
  if (!("expected" in one || "actual" in one)) return null;
  const text = (side) => (side in one ? lineText(one[side], MOST_VALUE_CHARS) : null);
  return arrowed(
    markedPair(text("expected"), text("actual"), statuses[one.status].name === "mismatch"),
    "expected, and",
  );
}
function verdictWords(row, evaluator, reason) {
  const verdict = verdictOf(row, evaluator);
  if (verdict.fine || (verdict.leftOut && !verdict.issue)) return [];
  if (verdict.status !== "scored") return [el("span", rowWords.get(verdict.status)?.word ?? verdict.status)];
  const wrong = wrongFields(row, evaluator);
  const named = wrong.slice(0, MOST_NAMED).map(([path, status]) => statusMark(path, status));
  if (wrong.length > MOST_NAMED) named.push(`and ${number(wrong.length - MOST_NAMED)} more`);
  if (!named.length && reason) named.push(plain(reason));
  const otherwise = verdict.counts ? countWords(verdict.counts) : scoreText(verdict.score);
  if (!named.length) named.push(el("span.quiet", otherwise));
  return named.flatMap((one) => [one, " "]);
}
function countWords(counts) {
  const said = counts.map((size, place) => place > 0 && size > 0 && `${number(size)} ${statuses[place + 1].word}`);
  return said.filter(Boolean).join(", ") || "did not pass";
}
function moveByKey(event) {
  const page = Math.max(1, Math.floor(view.box.clientHeight / lineHeight()) - 1);
  const all = view.rows.length;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -all, End: all };
  if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (!event.target.closest("tbody") && event.target !== view.box) return;
  event.preventDefault();
  const from = event.target === view.box && view.focus < 0 ? -1 : view.focus;
  focusLine(Math.max(0, Math.min(all - 1, from + steps[event.key])));
}
function focusLine(place) {
  if (place < 0 || place >= view.rows.length) return;
  const height = lineHeight();
  const room = view.box.clientHeight - 2 * height;
  view.focus = place;
  if (place * height < view.box.scrollTop) view.box.scrollTop = place * height;
  if (place * height > view.box.scrollTop + room) view.box.scrollTop = place * height - room;
  drawLines();
  view.body.querySelector(`[data-place="${place}"]`)?.focus({ preventScroll: true });
}
function redraw() {
  if (!view.box) return;
  view.first = -1;
  drawLines();
}
function followPrinter() {
  addEventListener("beforeprint", () => {
    if (!view.box) return;
    drawBetween(0, Math.min(view.rows.length, MOST_PRINTED), 0);
    if (view.rows.length > MOST_PRINTED) view.status.textContent += `; the first ${MOST_PRINTED} are printed`;
  });
  addEventListener("afterprint", () => {
    if (view.box) view.status.textContent = view.status.textContent.split(";")[0];
    redraw();
  });
}
const DRAWN = { fields: fieldSection, mistakes: mistakeSection, evaluators: evaluatorSection, slices: sliceSection };
const FIRST = ["fields", "mistakes", "evaluators", "gates"];
function runSections() {
  const rank = ({ id }) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
  const wanted = head.sections.filter((section) => section.title).sort((one, other) => rank(one) - rank(other));
  const made = wanted.map((section) => {
    if (section.id in DRAWN) return DRAWN[section.id](section);
    return section.labels === undefined ? neutralSection(section) : labelSection(section);
  });
  const isAfter = (_, place) => AFTER_ROWS.includes(wanted[place].id);
  const before = made.filter((_, place) => !isAfter(_, place));
  return [...before, rowSection(), ...made.filter(isAfter)].filter(Boolean);
}
async function otherSections() {
  const comparison = head.compared ? { ...head.compared, rows: linesOf(await unpack("compared")) } : null;
  const chosen = () => ({ change: state.change, evaluator: state.evaluator, field: state.field, q: state.q });
  const { made, show } = comparedSections(head.sections, comparison, chosen, choose);
  listeners.push(show);
  return made;
}
const listed = {
  next: (key, step) => {
    const place = view.rows.indexOf(rowOfKey(key));
    const row = place < 0 ? undefined : view.rows[place + step];
    return row === undefined ? undefined : keyOf(row);
  },
  focus: () => focusLine(view.focus),
};
async function openReport() {
  openHead(parsed(await unpack("head")));
  if (head.words) learnWords(head.words);
  if (!head.run) return;
  await openRows();
  if (isSmall()) await indexOutcomes();
}
async function main() {
  const report = document.getElementById("report");
  readState();
  applyTheme();
  try {
    await openReport();
  } catch (error) {
    const said = `This report cannot be opened: ${error instanceof Error ? error.message : error}. It needs a browser from 2024 or later, and the whole file.`;
    refill(report, el("p", { role: "alert" }, said));
    return;
  }
  document.title = [head.title, head.headline].filter(Boolean).join(": ");
  const made = head.run ? runSections() : await otherSections();
  refill(report, verdictHeader(), navigation(made), el("main", made), head.rows && rowDialog(listed));
  keepClear();
  followAddress();
  followPrinter();
  addEventListener("resize", () => {
    keepClear();
    redraw();
  });
  if (rows.count) {
    listeners.push(refreshRows, refreshRow);
    await refreshRows();
    await refreshRow();
  }
  report?.setAttribute("data-ready", "yes");
}
main();
})();
