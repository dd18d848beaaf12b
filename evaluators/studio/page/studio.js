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
const KEPT_TOKEN = "evaluators-studio-token";
let token = "";
class Refusal extends Error {
  constructor(status, said) {
    const words = String(said.message ?? `The studio answered with ${status}.`);
    super(status === 500 ? `The studio has a fault: ${words.trim().split("\n").at(-1)}` : words);
    this.status = status;
    this.code = String(said.code ?? "");
    this.said = said;
  }
}
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  token = given.get("token") ?? sessionStorage.getItem(KEPT_TOKEN) ?? "";
  sessionStorage.setItem(KEPT_TOKEN, token);
  given.delete("token");
  const [address] = location.href.split("#");
  history.replaceState(null, "", given.size ? `${address}#${given}` : address);
}
const reportOf = (name) =>
  `runs/${name.split("/").map(encodeURIComponent).join("/")}/report?${new URLSearchParams({ token })}`;
const ask = (name, body = {}) =>
  sent(`api/${name}`, JSON.stringify(body), { "Content-Type": "application/json" });
const upload = (file) =>
  sent(`api/upload?${new URLSearchParams({ name: file.name })}`, file, { "Content-Type": "application/octet-stream" });
async function sent(address, body, headers) {
  let answer;
  try {
    answer = await fetch(address, { method: "POST", body, headers: { ...headers, "X-Studio-Token": token } });
  } catch {
    throw new Refusal(0, {
      code: "gone",
      message: "The studio does not answer: is `evaluators studio` still running?",
    });
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, said);
  return said;
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
function valueIn(written) {
  const text = written.trim();
  if (!text) return { value: "", wrong: "" };
  try {
    JSON.parse(text);
    return { value: text, wrong: "" };
  } catch {
    const like = /^[[{"]/.test(text);
    return {
      value: JSON.stringify(text),
      wrong: like ? "This begins like JSON, and is none: look at its quotes and brackets." : "",
    };
  }
}
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
const MOST_STEPS = 500;
const PAUSE_MILLISECONDS = 800;
const stepsFrom = (text) => ({ texts: [text], place: 0, typedAt: Number.NEGATIVE_INFINITY });
function withStep(steps, text, typedAt = Number.NEGATIVE_INFINITY) {
  if (text === textAt(steps)) return steps;
  const isOneStep = Math.abs(typedAt - steps.typedAt) < PAUSE_MILLISECONDS && steps.place > 0;
  const kept = steps.texts.slice(0, steps.place + (isOneStep ? 0 : 1)).slice(-MOST_STEPS);
  return { texts: [...kept, text], place: kept.length, typedAt };
}
function moved(steps, by) {
  const place = Math.max(0, Math.min(steps.texts.length - 1, steps.place + by));
  return { ...steps, place, typedAt: Number.NEGATIVE_INFINITY };
}
const textAt = (steps) => steps.texts[steps.place];
const canMove = (steps, by) => moved(steps, by).place !== steps.place;
function changedPart(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
function columnOf(scored, check, path) {
  const name = check?.fields?.find((one) => one.path === path)?.name ?? path;
  return scored?.columns.find((one) => one.place === check?.place && one.field === name);
}
const figuresOf = (scored, evaluator) => (scored?.figures ?? []).filter((one) => one.evaluator === evaluator);
function gatedFigure(scored, checks, target) {
  const dot = target.indexOf(".");
  const name = dot < 0 ? target : target.slice(0, dot);
  if (dot < 0) {
    const found = figuresOf(scored, name);
    return found.length === 1 ? found[0].mean : null;
  }
  const column = columnOf(
    scored,
    checks.find((one) => one.name === name),
    target.slice(dot + 1),
  );
  return column?.of ? (column.right ?? 0) / column.of : null;
}
function openDialog(title, make, closed = () => {}) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const heading = el("h2", { id: "dialog-title", tabindex: "-1" }, title);
  const node = el("dialog.small", { "aria-labelledby": heading.id });
  const close = () => node.close();
  fill(node, [el("header.row-head", heading, button("Close", close)), make(close)]);
  node.addEventListener("close", () => {
    node.remove();
    closed();
    if (before?.isConnected) before.focus();
  });
  document.body.append(node);
  node.showModal();
  heading.focus();
}
const askFor = (title, body, answers) =>
  new Promise((answer) => {
    const made = (close) =>
      answers.map((text, place) => {
        const give = () => {
          answer(text);
          close();
        };
        return button(text, give, {}, place ? "button" : "button.main");
      });
    openDialog(
      title,
      (close) => [body, el("p.actions", made(close))],
      () => answer(""),
    );
  });
const LINE = 34;
const HEAD = 58;
const FIRST = 132;
const COLUMN = 118;
const BEYOND = 6;
function inSight(start, room, size, count) {
  const first = Math.max(0, Math.floor(start / size) - BEYOND);
  return [Math.min(first, count), Math.max(0, Math.min(count, Math.ceil((start + room) / size) + BEYOND))];
}
function cellAfter(key, isFar, [row, column], rows, columns, page) {
  const steps = {
    ArrowDown: [row + 1, column],
    ArrowUp: [row - 1, column],
    ArrowRight: [row, column + 1],
    ArrowLeft: [row, column - 1],
    PageDown: [row + page, column],
    PageUp: [row - page, column],
    Home: [isFar ? 0 : row, -1],
    End: [isFar ? rows - 1 : row, columns - 1],
  };
  if (!Object.hasOwn(steps, key) || !rows) return null;
  const [next, beside] = steps[key];
  return [Math.max(0, Math.min(rows - 1, next)), Math.max(-1, Math.min(columns - 1, beside))];
}
function cellGrid(label) {
  let shown = { rows: 0, columns: [], head: String, first: String, cell: String, open: () => {}, seen: () => {} };
  let at = [0, -1];
  let isPressed = false; // a cell that is drawn anew between press and release would never be clicked
  const plane = el("div.plane", { role: "rowgroup" });
  const box = el("div.grid", { role: "grid", "aria-label": label }, plane);
  function draw() {
    if (isPressed) return;
    const isFocused = box.contains(document.activeElement);
    const { rows, columns } = shown;
    const [first, last] = inSight(box.scrollTop, box.clientHeight || innerHeight, LINE, rows);
    const [from, to] = inSight(box.scrollLeft, box.clientWidth || innerWidth, COLUMN, columns.length);
    at = [Math.max(0, Math.min(at[0], rows - 1)), Math.min(at[1], columns.length - 1)];
    shown.seen(first, last);
    const places = Array.from({ length: to - from }, (_, place) => from + place);
    const lines = Array.from({ length: last - first }, (_, place) => line(first + place, places));
    refill(plane, headLine(places), lines);
    plane.style.height = `${HEAD + rows * LINE}px`;
    plane.style.width = `${FIRST + columns.length * COLUMN}px`;
    box.setAttribute("aria-rowcount", String(rows + 1));
    box.setAttribute("aria-colcount", String(columns.length + 1));
    if (isFocused) focusCell();
  }
  const put = (node, column) => {
    if (column >= 0) node.style.left = `${FIRST + column * COLUMN}px`;
    node.setAttribute("aria-colindex", String(column + 2));
    return node;
  };
  function headLine(places) {
    const heads = places.map((column) =>
      put(el("div.grid-cell", { role: "columnheader" }, shown.head(column)), column),
    );
    return el(
      "div.head-line",
      { role: "row", "aria-rowindex": "1" },
      put(el("div.grid-cell.first", { role: "columnheader" }, "row"), -1),
      heads,
    );
  }
  function line(row, places) {
    const active = (column) => ({
      tabindex: row === at[0] && column === at[1] ? "0" : "-1",
      "data-column": String(column),
    });
    const first = put(el("div.grid-cell.first", { role: "rowheader", ...active(-1) }, shown.first(row)), -1);
    const cells = places.map((column) =>
      put(el("div.grid-cell", { role: "gridcell", ...active(column) }, shown.cell(row, column)), column),
    );
    const made = el(
      "div.line",
      { role: "row", "aria-rowindex": String(row + 2), "data-row": String(row) },
      first,
      cells,
    );
    made.style.top = `${HEAD + row * LINE}px`;
    return made;
  }
  function focusCell() {
    plane.querySelector(`[data-row="${at[0]}"] > [data-column="${at[1]}"]`)?.focus({ preventScroll: true });
  }
  function reveal() {
    const [row, column] = at;
    const [top, left] = [row * LINE, column * COLUMN];
    const [high, wide] = [box.clientHeight - HEAD - LINE, box.clientWidth - FIRST - COLUMN];
    if (top < box.scrollTop) box.scrollTop = top;
    if (top > box.scrollTop + high) box.scrollTop = top - high;
    if (column >= 0 && left < box.scrollLeft) box.scrollLeft = left;
    if (column >= 0 && left > box.scrollLeft + wide) box.scrollLeft = left - wide;
  }
  const cellOf = (target) => {
    const cell = target.closest("[data-column]");
    return cell && [Number(cell.parentElement.dataset.row), Number(cell.dataset.column)];
  };
  box.addEventListener("scroll", draw, { passive: true });
  box.addEventListener("focusin", (event) => {
    const cell = cellOf(event.target);
    if (!cell || (cell[0] === at[0] && cell[1] === at[1])) return;
    plane.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    at = cell;
    event.target.setAttribute("tabindex", "0");
  });
  box.addEventListener("pointerdown", (event) => {
    isPressed = cellOf(event.target) !== null;
  });
  const release = () =>
    setTimeout(() => {
      if (!isPressed) return;
      isPressed = false;
      draw();
    });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release);
  box.addEventListener("click", (event) => {
    const cell = cellOf(event.target);
    if (cell) shown.open(...cell);
  });
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || !cellOf(event.target)) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      shown.open(...at);
      return;
    }
    const page = Math.max(1, Math.floor((box.clientHeight - HEAD) / LINE) - 1);
    const next = cellAfter(event.key, event.ctrlKey, at, shown.rows, shown.columns.length, page);
    if (!next) return;
    event.preventDefault();
    go(next);
  });
  new ResizeObserver(draw).observe(box);
  function go(next) {
    at = next;
    reveal();
    draw();
    focusCell();
  }
  return {
    node: box,
    show(next) {
      shown = next;
      draw();
    },
    draw,
    focus: (row = at[0]) => go([row, at[1]]),
  };
}
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
const TEXT_LINE = /^(\s*)((?:-\s+|-$)*)(.*)$/;
const TEXT_KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'[\]{},][^#]*?)\s*:(?:\s+(.*)|)$/;
const IN_ITEM = "[]";
const MOST_DEPTH = 12;
function readLine(text) {
  const [, blanks, dashes, content] = /** @type {RegExpMatchArray} */ (text.match(TEXT_LINE));
  const found = content.match(TEXT_KEY);
  const columns = [...dashes.matchAll(/-/g)].map((dash) => blanks.length + (dash.index ?? 0));
  const value = (found?.[2] ?? "").replace(/(^|\s)#.*$/, "").trim();
  return {
    columns,
    content,
    column: blanks.length + dashes.length,
    key: found ? unquoted(found[1]) : null,
    value: unquoted(value),
    isBlank: !content.trim() && !dashes,
  };
}
const unquoted = (text) => (/^(["']).*\1$/.test(text) ? text.slice(1, -1) : text);
function placeAt(lines, number, column) {
  const here = readLine(lines[number].slice(0, column));
  const isValue = here.key !== null;
  const steps = isValue ? [{ key: String(here.key), beside: {} }] : [];
  let beside = isValue ? steps[0].beside : {};
  const own = beside;
  let limit = here.column;
  let isItem = false;
  const outOf = (columns) => {
    for (const dash of [...columns].reverse()) {
      steps.unshift({ key: IN_ITEM, beside: {} });
      beside = steps[0].beside;
      limit = dash;
      isItem = true;
    }
  };
  for (const line of lines.slice(number + 1).map(readLine)) {
    if (line.isBlank || line.column > limit) continue;
    if (line.column < limit || line.columns.length) break;
    if (line.key !== null) beside[line.key] = line.value;
  }
  outOf(here.columns);
  for (const text of lines.slice(0, number).reverse()) {
    const line = readLine(text);
    if (line.isBlank || line.content.startsWith("#") || line.column > limit) continue;
    if (line.column === limit && !isItem) {
      if (line.key !== null) beside[line.key] = line.value;
      if (line.columns.length) outOf(line.columns);
      continue;
    }
    if (line.columns.includes(limit) || line.key === null || (line.value && !line.value.startsWith("&"))) continue;
    steps.unshift({ key: line.key, beside: {} });
    beside = steps[0].beside;
    limit = line.column;
    isItem = false;
    outOf(line.columns);
  }
  return { steps, isValue, beside: own, word: isValue ? here.value : here.content };
}
function offersAt(schema, place) {
  const mapAt = (at) => (at < place.steps.length ? withKey(place.steps[at]) : place.isValue ? {} : place.beside);
  let found = alternatives(schema, schema, mapAt(0));
  place.steps.forEach((step, at) => {
    const beside = mapAt(at + 1);
    found = found.flatMap((one) => below(one, step.key)).flatMap((one) => alternatives(schema, one, beside));
  });
  const values = found.flatMap(valuesOf);
  const isFirst = place.isValue || place.steps.at(-1)?.key === IN_ITEM;
  const keys = place.isValue ? [] : found.flatMap((one) => keysOf(schema, one));
  const offers = [...keys.filter(({ label }) => !Object.hasOwn(place.beside, label)), ...(isFirst ? values : [])];
  return [...new Map(offers.map((one) => [`${one.kind} ${one.label}`, one])).values()];
}
const withKey = ({ key, beside }) => (key === IN_ITEM ? beside : { ...beside, [key]: "" });
function alternatives(root, schema, beside, depth = 0) {
  if (!schema || typeof schema !== "object" || depth > MOST_DEPTH) return [];
  if (schema.$ref) return alternatives(root, referred(root, schema.$ref), beside, depth + 1);
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (schema.if) branches.push((holds(schema.if, beside) ? schema.then : schema.else) ?? {});
  return [schema, ...branches.flatMap((one) => alternatives(root, one, beside, depth + 1))];
}
const referred = (root, reference) =>
  reference
    .slice(2)
    .split("/")
    .reduce((found, name) => found?.[name], root);
function holds(condition, beside) {
  const { required = [], properties = {}, maxProperties, anyOf, not, type } = condition;
  if (type !== undefined && type !== "object") return false;
  if (!required.every((name) => Object.hasOwn(beside, name))) return false;
  if (maxProperties !== undefined && Object.keys(beside).length > maxProperties) return false;
  if (anyOf && !anyOf.some((one) => holds(one, beside))) return false;
  if (not && holds(not, beside)) return false;
  return Object.entries(properties).every(([name, { pattern, const: only }]) => {
    const value = ownValue(beside, name);
    if (value === undefined) return pattern === undefined && only === undefined;
    return pattern !== undefined ? new RegExp(pattern).test(value) : only === undefined || String(only) === value;
  });
}
function below(schema, step) {
  if (step === IN_ITEM) return schema.items ? [schema.items] : [];
  const own = ownValue(schema.properties ?? {}, step);
  if (own !== undefined) return [own];
  const fitting = Object.entries(schema.patternProperties ?? {}).filter(([pattern]) => new RegExp(pattern).test(step));
  if (fitting.length) return fitting.map(([, one]) => one);
  return typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
}
const keysOf = (root, schema) =>
  Object.entries(schema.properties ?? {}).map(([label, one]) => ({ label, kind: "key", info: describedBy(root, one) }));
function describedBy(root, schema) {
  return String(schema?.description ?? (schema?.$ref ? (referred(root, schema.$ref)?.description ?? "") : ""));
}
function valuesOf(schema) {
  const words = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const switches = schema.type === "boolean" ? [true, false] : [];
  return [...words, ...switches]
    .filter((one) => ["string", "number", "boolean"].includes(typeof one))
    .map((one, at) => ({ label: String(one), kind: "value", info: String(schema.enumDescriptions?.[at] ?? "") }));
}
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
const READ_AFTER_MILLISECONDS = 150;
const MOST_TRIES = 5;
const suite = {
  path: "",
  base: "",
  saved: null,
  steps: stepsFrom(""),
  form: null,
  problems: [],
  isRead: false,
  command: "",
};
const told = { text: [], read: [] };
const tellAll = (some) => {
  for (const one of some) one();
};
const textNow = () => textAt(suite.steps);
const isOpen = () => Boolean(suite.path);
const isUnsaved = () => isOpen() && textNow() !== suite.saved;
function openSuite(path, text, base) {
  Object.assign(suite, {
    path,
    base,
    saved: base ? text : null,
    steps: stepsFrom(text),
    form: null,
    problems: [],
    isRead: false,
  });
  tellAll(told.text);
  return readText();
}
function markSaved(text, hash) {
  Object.assign(suite, { saved: text, base: hash });
  tellAll(told.text);
}
function setText(text, typedAt) {
  if (text === textNow()) return;
  suite.steps = withStep(suite.steps, text, typedAt);
  tellAll(told.text);
  readSoon();
}
function move(by) {
  if (!canMove(suite.steps, by)) return;
  suite.steps = moved(suite.steps, by);
  tellAll(told.text);
  readSoon();
}
let readTimer = 0;
function readSoon() {
  clearTimeout(readTimer);
  readTimer = setTimeout(readText, READ_AFTER_MILLISECONDS);
}
async function readText() {
  const text = textNow();
  const { path } = suite;
  const found = await ask("read", { text, path });
  if (text === textNow() && path === suite.path) take(found);
}
function take({ form, problems, command }) {
  Object.assign(suite, { form: form ?? suite.form, isRead: form !== null, problems, command });
  tellAll(told.read);
}
const edited = (edit) => ask("edit", { text: textNow(), path: suite.path, edit });
let last = Promise.resolve();
function change(edit) {
  const { path } = suite;
  const mine = last.then(() => write(edit, path));
  last = mine.catch(() => {});
  return mine;
}
const settled = () => last;
async function write(edit, path) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (suite.path !== path) return;
    const before = textNow();
    const found = await edited(edit);
    if (suite.path !== path) return;
    if (textNow() !== before) continue;
    suite.steps = withStep(suite.steps, found.text);
    tellAll(told.text);
    take(found);
    return;
  }
  throw new Refusal(409, { code: "busy", message: "The text changes too fast: do this once more." });
}
const SEVERITIES = { bad: "error", warn: "warning", note: "info" };
function yamlEditor(host, schema, did) {
  const { Annotation, EditorState, EditorView, autocompletion, completionKeymap, defaultKeymap, keymap } = CodeMirror;
  const fromElsewhere = Annotation.define();
  const key = (name, act) => ({ key: name, preventDefault: true, run: () => act() || true });
  const own = [key("Mod-z", did.undo), key("Mod-y", did.redo), key("Shift-Mod-z", did.redo), key("Mod-s", did.save)];
  const isTyped = (update) =>
    update.docChanged && !update.transactions.some((one) => one.annotation(fromElsewhere) !== undefined);
  const state = EditorState.create({
    extensions: [
      CodeMirror.lineNumbers(),
      CodeMirror.lintGutter(),
      CodeMirror.drawSelection(),
      CodeMirror.yaml(),
      CodeMirror.indentUnit.of("  "),
      CodeMirror.syntaxHighlighting(colours()),
      autocompletion({ override: [offersOf(schema)], icons: false }),
      keymap.of([...own, ...completionKeymap, ...defaultKeymap]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Suite as YAML", tabindex: "0" }),
      EditorView.updateListener.of((update) => isTyped(update) && did.typed(update.state.doc.toString())),
      look(),
    ],
  });
  const view = new EditorView({ state, root: host.attachShadow({ mode: "open" }) });
  view.root.append(view.dom);
  return {
    setText(text) {
      const before = view.state.doc.toString();
      if (text === before) return;
      view.dispatch({ changes: changedPart(before, text), annotations: fromElsewhere.of(true) });
    },
    setProblems(problems) {
      const found = problems.filter(({ line = 0 }) => line > 0 && line <= view.state.doc.lines);
      view.dispatch(
        CodeMirror.setDiagnostics(
          view.state,
          found.map((one) => diagnostic(view.state.doc, one)),
        ),
      );
    },
    goToLine(line) {
      const found = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      const effects = EditorView.scrollIntoView(found.from, { y: "center" });
      view.dispatch({ selection: { anchor: found.from, head: found.to }, effects });
      view.focus();
    },
  };
}
function diagnostic(text, { line = 1, column = 1, message, hint = "", tone = "bad" }) {
  const found = text.line(line);
  const from = Math.min(found.to, found.from + Math.max(0, column - 1));
  return {
    from,
    to: Math.max(from, found.to),
    severity: SEVERITIES[tone],
    message: hint ? `${message}\n${hint}` : message,
  };
}
const offersOf = (schema) => (context) => {
  const { doc } = context.state;
  const line = doc.lineAt(context.pos);
  const word = context.matchBefore(/[^\s:[\]{},"'#-][^\s:]*/);
  if (!word && !context.explicit) return null;
  const lines = doc.toString().split("\n");
  const offers = offersAt(schema, placeAt(lines, line.number - 1, context.pos - line.from));
  const options = offers.map(({ label, kind, info }) => ({
    label,
    info: info || undefined,
    apply: kind === "key" ? `${label}: ` : label,
    detail: kind === "key" ? "key" : "",
  }));
  return options.length ? { from: word?.from ?? context.pos, options, validFor: /^[^\s:]*$/ } : null;
};
const colours = () => {
  const { HighlightStyle, tags } = CodeMirror;
  return HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
    { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
    { tag: [tags.string, tags.content], color: "var(--text)" },
    { tag: [tags.number, tags.bool, tags.keyword], color: "var(--good)" },
    { tag: [tags.punctuation, tags.separator], color: "var(--quiet)" },
  ]);
};
const look = () =>
  CodeMirror.EditorView.theme({
    "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--surface)", color: "var(--text)" },
    "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
    ".cm-cursor": { borderLeftColor: "var(--text)" },
    ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--quiet)", border: "0" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
      background: "color-mix(in srgb, var(--accent) 25%, var(--surface))",
    },
    ".cm-tooltip": {
      backgroundColor: "var(--raised)",
      color: "var(--text)",
      border: "1px solid var(--edge)",
      borderRadius: "6px",
    },
    ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
    ".cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
    ".cm-completionInfo": { maxWidth: "320px", padding: "6px 10px", whiteSpace: "pre-wrap" },
    ".cm-completionDetail": { color: "inherit", opacity: "0.8" },
    ".cm-diagnostic": { whiteSpace: "pre-wrap" },
    ".cm-diagnostic-error": { borderLeftColor: "var(--wrong)" },
  });
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
function chooseCheck(checks, chosen) {
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
function checkGroups(checks, text) {
  const wanted = text.trim().toLowerCase();
  const groups = new Map();
  for (const one of checks) {
    if (!`${one.name} ${one.words} ${one.does}`.toLowerCase().includes(wanted)) continue;
    const title = one.group ?? "further";
    groups.set(title, [...(groups.get(title) ?? []), one]);
  }
  return [...groups];
}
const PROBLEM_TONES = { bad: "bad", warn: "warning", note: "note" };
const status = el("p.unseen", { role: "status" });
const alarm = el("div.alarm", { role: "alert" });
const noticeBoard = el("div", status, alarm);
function announce(text) {
  status.textContent = text;
}
function complain(text = "") {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  if (text && dialog) dialog.querySelector("header")?.after(alarm);
  else noticeBoard.append(alarm);
  refill(alarm, text && [el("span", plain(text)), button("Dismiss", () => complain())]);
}
addEventListener("close", ({ target }) => target instanceof Element && target.contains(alarm) && complain(), true);
async function tried(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== "superseded") complain(error.message);
    return undefined;
  }
}
function showProgress(part, label, rows, share, stop) {
  const said = `${number(rows)} rows scored`;
  const bar = part.querySelector("progress");
  if (bar) {
    part.querySelector(".run-rows").textContent = said;
    if (share !== null) bar.value = share;
    return;
  }
  const made = el("progress", { "aria-label": label, max: 1, value: share });
  refill(part, el("div.run-end", made, el("span.run-rows", said), button("Stop", stop)));
}
function problemList(problems, go) {
  return el(
    "ul.problems",
    problems.map(({ message, hint = "", line = 0, where = "", tone = "bad" }) =>
      el(
        `li.badge-${PROBLEM_TONES[tone]}`,
        seenOnly(TONE_SIGNS[PROBLEM_TONES[tone]]),
        " ",
        line > 0 && go
          ? [button(`line ${line}`, () => go(line), {}, "button.link"), ": "]
          : where && [plain(where), ": "],
        el("span.said-plainly", withCode(message)),
        hint && el("div.hint", withCode(hint)),
      ),
    ),
  );
}
function commandLine(text) {
  if (!text) return null;
  const copy = button("Copy as command", async () => {
    await navigator.clipboard.writeText(text);
    announce("The command is copied.");
    refill(copy, "Copied");
  });
  return el("p.command", copy, el("code", unseen("Command: "), plain(text)));
}
const GROUPS = ["start here", "further", "compatibility"];
const REST_MILLISECONDS = 300;
function atRest(act) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, REST_MILLISECONDS);
  };
}
const wordsOf = (name) => name.replaceAll(/[_.]/g, " ");
function settingOf({ kind }, text) {
  if (kind === "list") {
    const lines = text.split("\n").filter((line) => line.trim());
    return lines.length ? lines : null;
  }
  if (!text.trim()) return null;
  return kind === "number" ? Number(text) : text;
}
const textFor = (value) =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.join("\n") : String(value);
const settingsInWords = (options) =>
  Object.entries(options)
    .map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(", ") : String(value);
      return value === true ? wordsOf(name) : `${wordsOf(name)} ${text}`;
    })
    .join(", ");
function control(option, value, key, set, disabled = false) {
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
function wordMenu(label, choices, chosen, own, properties) {
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
const onlyInText = (count = 0) =>
  count > 0 &&
  el("span.quiet", count === 1 ? "1 setting is only in the text" : `${count} settings are only in the text`);
function shareOf(right, of) {
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
const correction = (field, evaluator, scored, done) =>
  button("The expected answer is wrong", () => askValue(field, evaluator, scored(), done));
const written = (value) =>
  typeof value === "string" && valueIn(value).value === JSON.stringify(value) ? value : spelled(value);
function askValue(field, evaluator, score, done) {
  const row = Number.parseInt(state.row, 10);
  openDialog(`Correct ${field.path ? fieldName(field.path) : "the expected answer"} in row ${row}`, (close) => {
    const given = "actual" in field ? written(field.actual) : "";
    const value = el("textarea", { rows: "2" });
    value.value = given;
    const reason = el("input", { type: "text", autocomplete: "off", placeholder: "the invoice says so" });
    const keep = async () => {
      const read = valueIn(value.value);
      if (read.wrong) return complain(read.wrong);
      if (!reason.value.trim()) {
        reason.focus();
        return complain("A correction has a reason: say why the expected answer is wrong.");
      }
      const text = textNow();
      const asked = { text, path: suite.path, score, row, evaluator, place: field.path, reason: reason.value.trim() };
      const found = await tried(() => ask("correct", { ...asked, value: read.value }));
      if (!found) return undefined;
      close();
      complain();
      announce(`${found.said}. It is in ${found.path}.`);
      if (textNow() === text) setText(found.text);
      return done();
    };
    return [
      el("p", "Your data stay as they are: the correction is a line in a file beside them, which the suite names."),
      "expected" in field && el("p", "Expected until now: ", el("code", plain(written(field.expected)))),
      el(
        "label.correct-part",
        el("span", "The right value"),
        value,
        field.path && el("span.hint", "The model's answer, to begin with. Empty where nothing should stand there."),
      ),
      el("label.correct-part", el("span", "Why"), reason),
      el("p.actions", button("Keep the correction", keep, {}, "button.main"), button("Cancel", close)),
    ];
  });
}
const ROLES = {
  "": "none of these",
  id: "id: names the row",
  input: "input: what the model was given",
  output: "output: what the model answered",
  expected: "expected: the right answer",
};
const SHOWN_CHARS = 200;
const shown = { data: null, draft: null, roles: {}, answers: {}, command: "" };
const [place, files] = [el("div.data-shown"), el("div.files")];
let goToSuite = () => {};
function dataPage(started, toSuite) {
  goToSuite = toSuite;
  const input = el("input.unseen", { type: "file", id: "file", change: () => takeFile(input.files[0]) });
  const drop = el(
    "div.drop",
    el("p", "Drop a file with rows here: CSV, Excel, JSON lines, JSON, Parquet … or a suite."),
    el("label.button", { for: "file" }, "Choose a file"),
    input,
  );
  for (const event of ["dragover", "dragenter"])
    drop.addEventListener(event, (dragged) => {
      dragged.preventDefault();
      drop.classList.add("is-over");
    });
  drop.addEventListener("dragleave", () => drop.classList.remove("is-over"));
  drop.addEventListener("drop", (dropped) => {
    dropped.preventDefault();
    drop.classList.remove("is-over");
    takeFile(dropped.dataTransfer.files[0]);
  });
  refill(files, fileList(started));
  return [el("div.data-choice", drop, files), place];
}
const dataPath = () => shown.data?.path ?? "";
async function refreshFiles() {
  const found = await tried(() => ask("start"));
  if (found) refill(files, fileList(found));
}
function fileList({ files: found, folder }) {
  const list = (kind, title) => {
    const some = found.filter((one) => one.kind === kind);
    return (
      some.length > 0 && [
        el("h2", title),
        el(
          "ul",
          some.map(({ path }) =>
            el(
              "li",
              button(plain(path), () => openPath(path), {}, "button.link"),
            ),
          ),
        ),
      ]
    );
  };
  return [
    list("suite", "Suites in this folder"),
    list("data", "Data in this folder"),
    !found.length && el("p.quiet", "There is no suite and no data in ", plain(folder), " yet."),
  ];
}
async function takeFile(file) {
  const found = file && (await tried(() => upload(file)));
  if (!found) return;
  await openPath(found.path);
  await refreshFiles();
}
async function openPath(path, stays = false) {
  if (!(await mayLeave())) return;
  refill(place, el("p.quiet", { role: "status" }, "Reading…"));
  const found = await tried(() => ask("open", { path }));
  if (!found) return refill(place);
  Object.assign(shown, { data: found.data, draft: null, roles: {}, answers: {}, command: found.command });
  if (found.suite) {
    await tried(() => openSuite(found.suite.path, found.suite.text, found.suite.hash));
    drawData();
    if (!stays) goToSuite();
  } else takeDraft(found.drafted);
}
async function draft() {
  const { data, roles, answers } = shown;
  if (!data) return;
  const found = await tried(() => ask("draft", { path: data.path, roles, answers }));
  if (found) takeDraft(found);
}
function takeDraft({ data, path, text, command }) {
  Object.assign(shown, { data, draft: { path, text }, command });
  drawData();
}
async function setRole(role, name) {
  if (!shown.draft) {
    await tried(() => change({ edit: "role", role, column: name }));
    const found = await tried(() => ask("open", { path: suite.path }));
    if (found?.data && shown.data) shown.data = { ...found.data, columns: withRole(shown.data.columns, role, name) };
    drawData();
  } else {
    shown.roles = { ...shown.roles, [role]: name };
    await draft();
  }
}
const withRole = (columns, role, name) =>
  columns.map((one) =>
    one.name === name ? { ...one, role, why: "chosen here" } : one.role === role ? { ...one, role: "", why: "" } : one,
  );
function drawData() {
  const { data, draft: made } = shown;
  if (!data) return refill(place, el("p.quiet", "This suite names no data that can be read."));
  const open = data.questions.filter((one) => one.role && !one.chosen);
  const focused = /** @type {any} */ (document.activeElement)?.dataset?.keep;
  refill(
    place,
    el("h2", plain(data.path)),
    data.notes.map((note) => el("p.tone-note", withCode(note))),
    data.questions.map(questionPart),
    columnTable(data),
    made &&
      el(
        "p.actions",
        button("Make the suite", () => makeSuite(made), { disabled: !made.text, "data-keep": "make" }, "button.main"),
        open.length > 0 &&
          el("span.quiet", `${counted(open.length, "question")} above ${open.length === 1 ? "is" : "are"} open.`),
      ),
    firstRows(data),
    commandLine(shown.command),
  );
  if (focused)
    /** @type {any} */ (place.querySelector(`[data-keep="${CSS.escape(focused)}"]`))?.focus({ preventScroll: true });
}
async function makeSuite({ path, text }) {
  if (!(await mayLeave())) return;
  await tried(() => openSuite(path, text, ""));
  announce("The suite is made; it is not saved yet.");
  goToSuite();
}
async function mayLeave() {
  if (!isUnsaved()) return true;
  const said = el("p", plain(suite.path), " has changes that are in no file.");
  return (await askFor("The suite is not saved", said, ["Stay", "Leave them"])) === "Leave them";
}
function questionPart({ text, answers, hints = [], role = "", chosen = "" }) {
  const pick = (answer) => {
    if (role) shown.roles = { ...shown.roles, [role]: answer };
    else shown.answers = { ...shown.answers, [text]: answer };
    draft();
  };
  const lines = answers.map((answer, at) => {
    const radio = el("input", {
      type: "radio",
      name: text,
      change: () => pick(answer),
      "data-keep": `${text} ${answer}`,
    });
    radio.checked = answer === chosen;
    return el("label.answer", radio, " ", plain(answer), hints[at] && el("span.quiet", " ", plain(hints[at])));
  });
  return el(
    `fieldset.question${chosen ? "" : ".is-open"}`,
    { disabled: !shown.draft },
    el("legend", withCode(text)),
    lines,
  );
}
function columnTable({ columns }) {
  const lines = columns.map((column) =>
    el(
      "tr",
      el("th", { scope: "row" }, plain(column.name)),
      el("td", roleMenu(column), column.why && el("div.quiet", plain(column.why))),
      el(
        "td",
        column.samples.map((one) => el("div.sample", plain(one.slice(0, SHOWN_CHARS)))),
      ),
    ),
  );
  return [
    el("h3", counted(columns.length, "column")),
    scrollable(
      "Columns",
      table(
        "table.columns",
        ["column", "role", "first cells"].map((one) => head_(one)),
        el("tbody", lines),
      ),
    ),
  ];
}
function roleMenu({ name, role = "" }) {
  const select = el("select", {
    "aria-label": `Role of ${name}`,
    "data-keep": `role ${name}`,
    change: () => (select.value ? setRole(select.value, name) : setRole(role, "")),
  });
  fill(
    select,
    Object.entries(ROLES).map(([value, text]) => el("option", { value }, text)),
  );
  select.value = role;
  return select;
}
function firstRows({ columns, rows: found }) {
  if (!found.length) return null;
  const lines = found.map((cells) =>
    el(
      "tr",
      cells.map((one) => el("td", el("div.sample", plain(one.slice(0, SHOWN_CHARS))))),
    ),
  );
  return [
    el("h3", `First ${counted(found.length, "row")}`),
    scrollable(
      "First rows",
      table(
        "table.first-rows",
        columns.map((one) => head_(plain(one.name))),
        el("tbody", lines),
      ),
    ),
  ];
}
const LIMITS = {
  fail_below: "fails below",
  warn_below: "warns below",
  fail_above: "fails above",
  warn_above: "warns above",
};
const TONE_OF = { passed: "good", warned: "warning", failed: "bad", undecided: "note" };
const USUAL_LIMIT = 0.9;
let notes = [];
let shownForm = null;
function gatePart(form, scored, edit) {
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
function gateTargets({ checks, gates }) {
  const taken = new Set(gates.map((one) => one.target));
  const all = checks.flatMap(({ name, fields = [] }) => [
    name,
    ...fields.filter((one) => !one.skip).map((one) => `${name}.${one.path}`),
  ]);
  return all.filter((one) => !taken.has(one));
}
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
function drawGates(scored) {
  for (const [gate, note] of notes) refill(note, noteOf(gate, scored));
}
function noteOf({ target, figure = "mean" }, scored) {
  if (!scored) return null;
  const end = scored.gates.find((one) => one.target === target);
  if (end) return [badge(end.status, TONE_OF[end.status] ?? "note"), " ", plain(end.said)];
  const now = figure === "mean" ? gatedFigure(scored, shownForm?.checks ?? [], target) : null;
  return now !== null && el("span.quiet", `${scoreText(now)} ${scored.said}`);
}
const withoutMore = (section) => neutralSection({ ...section, blocks: section.blocks.slice(0, 1) });
async function showComparison(part, base, after, common = false) {
  refill(part, el("p.quiet", { role: "status" }, "Comparing…"));
  const found = await tried(() => ask("compare", { base, new: after, common }));
  if (!found) {
    refill(part);
    return;
  }
  const { head, lines, command } = found;
  learnWords(head.words);
  const rows = linesOf(await inflated(lines.compared ?? ""));
  const comparison = head.compared && {
    base: { ...head.compared.base, link: reportOf(base) },
    new: { ...head.compared.new, link: reportOf(after) },
    notes: head.compared.notes,
    rows,
  };
  const now = { change: "", evaluator: "", field: "", q: "" };
  const pick = (changes) => {
    Object.assign(now, changes);
    show();
  };
  const { made, show } = comparedSections(head.sections, comparison, () => now, pick);
  const anew = () => showComparison(part, base, after, true);
  const title = el("h2", { tabindex: "-1" }, plain(head.title));
  const parts = found.refused
    ? [
        head.sections.filter((section) => section.id === "what-differs").map(withoutMore),
        el("p", "So their scores are not held against each other as they are."),
        el("p.actions", button("Compare what both have in common", anew, {}, "button.main")),
      ]
    : [head.sections.filter((section) => !section.title).map(neutralSection), made];
  const ended = found.refused ? badge("the two are not alike", "warning") : badge(head.headline, head.tone);
  refill(part, el("header.comparison-head", title, ended), parts, commandLine(command));
  title.focus();
}
const SCORE_AFTER_MILLISECONDS = 200;
const ADVICE_AFTER_MILLISECONDS = 500;
const PROGRESS_AFTER_MILLISECONDS = 1000;
const PROGRESS_EVERY_MILLISECONDS = 500;
const FEW = "50";
const SLOW_SECONDS = 3; // scoring that takes longer is no answer to a key
const FIRST_ROWS = 500; // so many come with the scores
const PAGE_ROWS = 200;
const MOST_TURNED = 6;
const AMOUNTS = [
  ["50", "first 50"],
  ["200", "first 200"],
  ["1000", "first 1,000"],
  ["", "all rows"],
];
const tab = crypto.randomUUID();
const live = { scored: null, kept: null, advice: [], trial: null, amount: FEW, only: "", of: 0 };
const scoredListeners = [];
let listed = new Map();
let places = new Map();
let asked = new Set();
const parts = {};
let scoreTimer = 0;
let turn = 0;
function livePart() {
  for (const name of ["trial", "said", "progress", "hint", "turned", "asks", "problems", "command", "choices"])
    parts[name] = el(`div.live-${name}`);
  parts.said.setAttribute("role", "status");
  parts.grid = cellGrid("Rows and what became of each field");
  parts.grid.node.hidden = true;
  drawChoices();
  told.text.push(() => scoreSoon());
  return el(
    "section.live",
    { "aria-labelledby": "live-title" },
    el("div.live-head", el("h2", { id: "live-title" }, "Rows"), parts.choices, parts.said),
    parts.progress,
    parts.hint,
    parts.trial,
    parts.turned,
    parts.asks,
    parts.problems,
    parts.grid.node,
    parts.command,
  );
}
const rowView = () =>
  rowDialog({
    next: rowAfter,
    focus: () => parts.grid.focus(),
    action: (field, evaluator) => correction(field, evaluator, () => live.scored?.id ?? "", scoreNow),
  });
const rowKey = ({ row, variant = "" }) => (variant ? `${row}:${variant}` : String(row));
function rowAfter(key, step) {
  const place = places.get(key);
  const row = place === undefined ? undefined : listed.get(place + step);
  return row && rowKey(row);
}
function drawChoices() {
  const turned = (live.scored?.turned.length ?? 0) > 0;
  const shown = [
    ["", "all"],
    ["wrong", "with something wrong"],
    ...(turned ? [["turned", "turned by the last change"]] : []),
  ];
  const pick = (key, value) => {
    live[key] = value;
    parts.grid.node.scrollTop = 0;
    if (key === "amount") scoreNow();
    else showRowsAnew();
  };
  refill(
    parts.choices,
    choice("Scored", live.amount, [["", /** @type {[string, string][]} */ (AMOUNTS)]], (value) =>
      pick("amount", value),
    ),
    choice("Shown", live.only, [["", /** @type {[string, string][]} */ (shown)]], (value) => pick("only", value)),
  );
}
function scoreSoon() {
  if (live.trial) endTrial();
  clearTimeout(scoreTimer);
  if (!suite.path) return;
  if (live.amount !== FEW && (live.scored?.seconds ?? 0) > SLOW_SECONDS) scoreFew();
  else scoreTimer = setTimeout(() => scoreNow(), SCORE_AFTER_MILLISECONDS);
}
function scoreFew() {
  const amount = live.amount;
  const many = AMOUNTS.find(([one]) => one === amount)?.[1] ?? "";
  live.amount = FEW;
  drawChoices();
  const again = button(`Score ${many}`, () => {
    live.amount = amount;
    drawChoices();
    scoreNow();
  });
  refill(parts.hint, el("p.quiet", `To score ${many} takes a while: changes are scored in the first ${FEW}. `, again));
  scoreTimer = setTimeout(() => scoreNow(), SCORE_AFTER_MILLISECONDS);
}
async function followProgress(mine) {
  const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  await rest(PROGRESS_AFTER_MILLISECONDS);
  while (mine === turn) {
    const found = await ask("score/progress", { tab }).catch(() => null);
    if (mine !== turn) return;
    if (found) showProgress(parts.progress, "Rows scored", found.rows, found.share, scoreFew);
    await rest(PROGRESS_EVERY_MILLISECONDS);
  }
}
async function scoreNow(more = {}) {
  clearTimeout(scoreTimer);
  turn += 1;
  const mine = turn;
  followProgress(mine);
  if (live.amount !== FEW) refill(parts.hint);
  const text = live.trial?.text ?? textNow();
  const rows = live.amount ? Number(live.amount) : null;
  try {
    const found = await ask("score", {
      text,
      path: suite.path,
      tab,
      turn: mine,
      rows,
      before: live.kept?.id ?? "",
      ...more,
    });
    if (mine === turn && text === (live.trial?.text ?? textNow())) await takeScored(found);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "superseded") return;
    if (error.status === 422 || error.status === 400) notScored(error);
    else complain(error.message);
  } finally {
    if (mine === turn) {
      turn += 1;
      refill(parts.progress);
    }
  }
}
function notScored(refusal) {
  refill(
    parts.said,
    el(
      "span.tone-warning",
      live.scored ? "The rows are those of the last suite that could be scored." : "Nothing is scored yet.",
    ),
  );
  refill(
    parts.problems,
    refusal.said.problems?.length ? problemList(refusal.said.problems) : el("p", plain(refusal.message)),
    refusal.code === "rows-elsewhere" && button("Fetch them once", () => scoreNow({ fetch: true })),
  );
}
async function takeScored(scored) {
  live.scored = scored;
  if (!live.trial) live.kept = scored;
  live.advice = [];
  complain();
  if (live.only === "turned" && !scored.turned.length) live.only = "";
  drawChoices();
  drawSaid(scored);
  for (const listener of scoredListeners) listener();
  await showRowsAnew();
  if (state.row) await openRow(true);
  askAdvice(scored.id);
}
async function askAdvice(id) {
  await new Promise((done) => setTimeout(done, ADVICE_AFTER_MILLISECONDS));
  if (live.trial || live.scored?.id !== id) return;
  const found = await ask("advice", { score: id }).catch((error) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
  if (!found || live.scored?.id !== id || live.trial) return;
  live.advice = found.lines;
  for (const listener of scoredListeners) listener();
}
function drawSaid(scored) {
  refill(parts.said, `${scored.said.replace(/^of /, "")} scored · ${scored.seconds.toFixed(2)} s`);
  refill(parts.turned, turnedPart(scored));
  refill(parts.asks, askPart(scored));
  refill(parts.problems, scored.problems.length > 0 && problemList(scored.problems));
  refill(parts.command, commandLine(scored.command));
}
function turnedInWords(turned) {
  const fields = turned.filter((one) => one.field);
  const sum = (key) => (fields.length ? fields : turned).reduce((all, one) => all + one[key], 0);
  const [right, wrong, other] = ["became_right", "became_wrong", "other"].map(sum);
  const said = [
    right > 0 && `${number(right)} became right`,
    wrong > 0 && `${number(wrong)} became wrong`,
    other > 0 && `${number(other)} measured anew or no longer`,
  ];
  return said.filter(Boolean).join(", ");
}
function turnedPart({ turned }) {
  if (!turned.length) return null;
  const rowButton = (as) => (row) => {
    const open = () => choose({ row: String(row), as });
    return [" ", button(String(row), open, { "aria-label": `Open row ${row}` }, "button.link")];
  };
  const kinds = /** @type {const} */ ([
    ["right", "became_right", "✓", "good"],
    ["wrong", "became_wrong", "✕", "wrong"],
  ]);
  const lines = turned.slice(0, MOST_TURNED).map((one) =>
    el(
      "li",
      plain([one.evaluator, one.field && fieldName(one.field)].filter(Boolean).join(" · ")),
      kinds.map(
        ([rows, count, sign, tone]) =>
          one[count] > 0 &&
          el(
            "span.turned-rows",
            el(`span.sign.status-${tone}`, { "aria-hidden": "true" }, sign),
            `${number(one[count])} became ${rows}: rows`,
            one[rows].map(rowButton(one.evaluator)),
            one[count] > one[rows].length && " …",
          ),
      ),
      one.other > 0 && el("span.turned-rows.quiet", `${number(one.other)} measured anew or no longer`),
    ),
  );
  const more = turned.length - lines.length;
  return el(
    "details.turned",
    { open: true },
    el("summary", `${live.trial ? "It would turn" : "The last change"}: ${turnedInWords(turned)}`),
    el("ul", lines, more > 0 && el("li.quiet", `and in ${counted(more, "other column")}`)),
  );
}
function askPart({ asks }) {
  if (!asks?.open) return null;
  return el(
    "div.judges",
    el("p", "Judges are asked only when you say so. Answers that they gave are kept."),
    asks.said.map((one) => el("p.quiet", plain(one))),
    button("Ask them", () => scoreNow({ ask: true })),
  );
}
async function tryAdvice(line) {
  const found = await tried(() => edited(/** @type {Record<string, unknown>} */ (line.edit)));
  if (!found) return;
  live.trial = { text: found.text, said: line.write || line.said };
  const keep = () => {
    const text = live.trial?.text;
    endTrial();
    if (text !== undefined) setText(text);
  };
  const back = () => {
    endTrial();
    if (live.kept) takeScored(live.kept);
  };
  refill(
    parts.trial,
    el(
      "div.trial",
      { role: "group", "aria-label": "Tried" },
      el("p", el("strong", "Only tried: "), el("code", plain(live.trial.said))),
      button("Keep", keep, {}, "button.main"),
      button("Back", back),
    ),
  );
  parts.trial.querySelector("button")?.focus();
  await scoreNow();
}
function endTrial() {
  live.trial = null;
  refill(parts.trial);
}
async function showRowsAnew() {
  const { scored } = live;
  if (!scored) return;
  [listed, places, asked] = [new Map(), new Map(), new Set()];
  live.of = scored.table.length;
  if (!live.only) takeRows(0, scored.table);
  if (live.only || scored.table.length >= FIRST_ROWS) await fetchPage(0);
  showGrid();
}
function takeRows(first, table) {
  table.forEach((row, at) => {
    listed.set(first + at, row);
    places.set(rowKey(row), first + at);
  });
}
async function fetchPage(page) {
  const { scored, only } = live;
  if (!scored || asked.has(page)) return;
  asked.add(page);
  const first = page * PAGE_ROWS;
  const found = await tried(() => ask("rows", { score: scored.id, first, count: PAGE_ROWS, only }));
  if (!found || live.scored !== scored || live.only !== only) return;
  live.of = found.of;
  takeRows(first, found.table);
}
function showGrid() {
  const { scored } = live;
  if (!scored) return;
  const { columns } = scored;
  parts.grid.node.hidden = false;
  const evaluators = [...new Set(columns.map((one) => one.evaluator))];
  const seen = (from, to) => {
    for (let page = Math.floor(from / PAGE_ROWS); page <= Math.floor(Math.max(from, to - 1) / PAGE_ROWS); page++) {
      const first = page * PAGE_ROWS;
      const lacks = [from, to - 1, first].some(
        (place) => place >= first && place < Math.min(first + PAGE_ROWS, live.of) && !listed.has(place),
      );
      if (lacks && !asked.has(page)) fetchPage(page).then(() => parts.grid.draw());
    }
  };
  const first = (place) => {
    const row = listed.get(place);
    if (!row) return "…";
    const named = [row.id !== String(row.row) && row.id, row.variant].filter(Boolean).join(" · ");
    return [el("b", number(row.row)), plain(named, "bdi.quiet")];
  };
  const open = (place, column) => {
    const row = listed.get(place);
    if (row) choose({ row: rowKey(row), as: column < 0 ? "" : columns[column].evaluator });
  };
  const cell = (place, column) => cellMark(listed.get(place), column, columns, evaluators, scored.words);
  parts.grid.show({ rows: live.of, columns, head: (column) => columnHead(columns[column]), first, cell, open, seen });
  announce(`${counted(live.of, "row")} in the table.`);
}
function columnHead({ evaluator, field = "", rule = "", right = 0, of = 0 }) {
  const name = field ? fieldName(field) : evaluator;
  return el(
    field ? "div.column-head" : "div.column-head.is-evaluator",
    { title: [evaluator, field, rule].filter(Boolean).join(" · ") },
    el("span.column-name", plain(name)),
    el("span.column-share", shareOf(right, of)),
  );
}
function cellMark(row, column, columns, evaluators, words) {
  if (!row) return "…";
  const letter = row.statuses?.[column] ?? "";
  const { field, evaluator } = columns[column];
  const [word, sign, tone] = words[letter] ?? ["", "", "none"];
  const score = field ? undefined : row.scores?.[evaluators.indexOf(evaluator)];
  const text = score === undefined ? tone !== "good" && el("span.cell-word", word) : scoreText(score);
  return el(
    `span.mark-cell.tone-${tone}`,
    seenOnly(sign),
    text,
    (tone === "good" || score !== undefined) && unseen(` ${word}`),
  );
}
let lines = {};
source.textOf = (id) => lines[id] ?? "";
let loaded = "";
let rowCommand = "";
async function rowOf(score) {
  try {
    return await ask("row", { score, row: Number.parseInt(state.row, 10) });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "no-score" || live.scored?.id !== score) throw error;
    return scoreNow();
  }
}
async function openRow(isAnew = false) {
  const { scored } = live;
  const wanted = state.row && scored ? `${scored.id} ${state.row}` : "";
  if (wanted && wanted !== loaded && scored) {
    const found = await tried(() => rowOf(scored.id));
    if (!found || !state.row || wanted !== `${live.scored?.id} ${state.row}`) return;
    ({ lines, command: rowCommand } = found);
    openHead(found.head);
    if (found.head.words) learnWords(found.head.words);
    await openRows();
    loaded = wanted;
  }
  await (isAnew && state.row ? redrawRow() : refreshRow());
  const dialog = document.querySelector(".row-dialog");
  if (state.row && dialog && !dialog.querySelector(".command")) dialog.append(commandLine(rowCommand) ?? "");
}
const node = el("div.form");
let around;
let drawn = "";
let drawnLines = new Map();
let nextLines = new Map();
const opened = new Set();
function suiteForm(given) {
  around = given;
  return node;
}
async function edit(what) {
  const before = textNow();
  await tried(() => change(what));
  if (textNow() !== before) return;
  [drawn, drawnLines] = ["", new Map()];
  drawForm();
}
const askCheck = () =>
  chooseCheck(around.started.checks, async (type) => {
    await edit({ edit: "add-check", type });
    announce(`${type} is added.`);
  });
function drawForm() {
  const { form } = suite;
  if (!form) {
    drawn = "";
    refill(node, el("p.quiet", "The text cannot be read yet: see what it says beside it."));
    return;
  }
  const wanted = JSON.stringify(form);
  if (wanted === drawn) return;
  drawn = wanted;
  nextLines = new Map();
  const focused = /** @type {any} */ (node.contains(document.activeElement) ? document.activeElement : null);
  const key = focused?.dataset.keep;
  const isTyped = focused?.matches("input:not([type=checkbox]), textarea") && focused.value !== focused.defaultValue;
  refill(
    node,
    el("h2.unseen", "Checks and fields"),
    form.checks.map(checkCard),
    el("p.actions", button("Add check", askCheck, { "data-keep": "add-check" })),
    gatePart(form, around.scored, edit),
    onlyInText(form.text_only) && el("p", onlyInText(form.text_only)),
  );
  drawnLines = nextLines;
  const again = key && node.querySelector(`[data-keep="${CSS.escape(key)}"]`);
  if (again) {
    if (isTyped) again.value = focused.value;
    again.focus({ preventScroll: true });
  }
  drawMarks();
}
function drawMarks() {
  const scored = around.scored();
  for (const mark of node.querySelectorAll("[data-mark]")) {
    const [place, field] = JSON.parse(String(mark.getAttribute("data-mark")));
    refill(mark, field === null ? checkMark(scored, place) : fieldMark(scored, place, field));
  }
  for (const list of node.querySelectorAll("[data-advice]")) {
    const [place, field] = JSON.parse(String(list.getAttribute("data-advice")));
    refill(
      list,
      around
        .advice()
        .filter((one) => one.place === place && one.field === (fieldIn(place, field) ?? ""))
        .map(adviceItem),
    );
  }
}
const checkAt = (place) => suite.form?.checks.find((one) => one.place === place);
const fieldIn = (place, path) => (path === null ? "" : columnOf(around.scored(), checkAt(place), path)?.field);
function checkMark(scored, place) {
  return figuresOf(scored, checkAt(place)?.name ?? "").map(({ variant = "", mean, scored: count, low, high }) => {
    const interval = low === null || low === undefined ? "" : intervalText({ low, high: high ?? 1 });
    const named = variant && [plain(variant), " "];
    return el(
      "span.figure-of",
      named,
      el("strong", scoreText(mean)),
      ` mean score ${interval} of ${counted(count, "row")}`,
    );
  });
}
function fieldMark(scored, place, path) {
  const found = columnOf(scored, checkAt(place), path);
  return found && shareOf(found.right ?? 0, found.of ?? 0);
}
function adviceItem(line) {
  return el(
    "li.advice",
    el("span", withCode(line.said)),
    line.write && el("code", plain(line.write)),
    line.edit &&
      button("Try", () => around.tryOut(line), { "data-keep": `try ${line.place} ${line.field} ${line.write}` }),
    line.edit &&
      button("Apply", () => edit(/** @type {Record<string, unknown>} */ (line.edit)), {
        "data-keep": `apply ${line.place} ${line.field} ${line.write}`,
      }),
  );
}
function checkCard(check) {
  const { place, name, type, does, line, fields = [], options = {}, editable = true } = check;
  const known = around.started.checks.find((one) => one.name === type);
  const title = button(
    plain(name),
    () => around.go(line),
    { title: "Show it in the text", "data-keep": `check ${place}` },
    "button.link",
  );
  return el(
    "article.check-card",
    el(
      "header",
      el("h3", title, name !== type && el("span.quiet", " ", plain(type))),
      el("span.mark-here", { "data-mark": JSON.stringify([place, null]) }),
      editable && removal(`Remove ${name}`, { edit: "remove-check", place }),
    ),
    el("p.quiet", plain(does), " ", onlyInText(check.text_only)),
    checkComparator(check, editable),
    known && checkSettings(check, known, options, editable),
    el("ul.advices", { "data-advice": JSON.stringify([place, null]) }),
    fields.length > 0 &&
      el(
        "ul.field-lines",
        fields.map((one) => keptLine(one, editable)),
      ),
    check.lists_fields && editable && newField(check),
    !editable && el("p.quiet", "It comes from another file, or is written with an anchor: it is changed in the text."),
  );
}
function checkComparator({ place, name, compare = null, columns = [] }, editable) {
  const said = columns.length > 0 && el("span.quiet", plain(columns.join(" with ")));
  if (compare === null) return said && el("p", said);
  const set = () => edit({ edit: "check", place, options: { compare: menu.value || null } });
  const own = suite.form?.own_comparators ?? [];
  const properties = { "data-keep": `check ${place} compare`, disabled: !editable, change: atRest(() => set()) };
  const usual = { name: "", words: "to the letter, but for its settings", does: "", group: "start here" };
  const choices = [usual, ...around.started.comparators.filter((one) => one.name !== "exact")];
  const menu = wordMenu(`How ${name} is compared`, choices, compare, own, properties);
  return el("p.check-compare", said, menu);
}
const removal = (label, what) => button("Remove", () => edit(what), { "aria-label": label }, "button.quiet-button");
function foldable(key, summary, make) {
  const made = el("details", { open: opened.has(key) }, el("summary", { "data-keep": key }, summary));
  const fillOnce = () => made.childElementCount === 1 && fill(made, [make()]);
  if (made.open) fillOnce();
  made.addEventListener("toggle", () => {
    if (made.open) opened.add(key);
    else opened.delete(key);
    if (made.open) fillOnce();
  });
  return made;
}
function checkSettings({ place }, known, options, editable) {
  const all = known.options ?? [];
  if (!all.length) return null;
  const said = settingsInWords(options);
  const set = (name) => (value) => edit({ edit: "check", place, options: { [name]: value } });
  const made = (option) =>
    control(option, options[option.name], `check-${place}-${option.name}`, set(option.name), !editable);
  const summary = ["Settings", said && [": ", plain(said)]];
  return foldable(`settings ${place}`, summary, () => el("div.settings", all.map(made)));
}
function keptLine(field, isOpen) {
  const key = JSON.stringify([{ ...field, line: field.line > 0 }, isOpen, suite.form?.own_comparators]);
  const made = drawnLines.get(key) ?? fieldLine(field, isOpen);
  nextLines.set(key, made);
  return made;
}
const goToField = (place, path) => around.go(checkAt(place)?.fields?.find((one) => one.path === path)?.line ?? 0);
function fieldLine(field, isOpen) {
  const { evaluator, path, line, compare, options = {}, skip = false, weight = null } = field;
  const editable = isOpen && (field.editable ?? true);
  const key = `field ${evaluator} ${path}`;
  const set = (what) => edit({ edit: "field", evaluator, path, ...what });
  const menu = wordMenu(
    `How ${path} is compared`,
    around.started.comparators,
    compare,
    suite.form?.own_comparators ?? [],
    {
      "data-keep": `${key} compare`,
      disabled: !editable || skip,
      change: atRest(() => set({ compare: menu.value, options: {} })),
    },
  );
  const said = [
    skip && "left out",
    settingsInWords(options),
    field.align && `paired: ${alignmentWords(field.align)}`,
    weight !== null && weight !== 1 && `weight ${weight}`,
    field.required && "required",
  ].filter(Boolean);
  return el(
    "li.field-line",
    button(
      plain(fieldName(path), "bdi.path"),
      () => goToField(evaluator, path),
      { title: "Show it in the text", "data-keep": key, disabled: !line },
      "button.link",
    ),
    menu,
    el("span.mark-here", { "data-mark": JSON.stringify([evaluator, path]) }),
    foldable(`${key} more`, ["Settings", said.length > 0 && [": ", plain(said.join(", "))]], () =>
      fieldSettings(field, set, editable),
    ),
    onlyInText(field.text_only),
    el("ul.advices", { "data-advice": JSON.stringify([evaluator, path]) }),
  );
}
const alignmentWords = (name) => around.started.alignments.find((one) => one.name === name)?.words ?? name;
function fieldSettings(field, set, editable) {
  const { evaluator, path, options = {} } = field;
  const key = (name) => `field-${evaluator}-${path}-${name}`;
  const known = around.started.comparators.find((one) => one.name === field.compare);
  const own = (known?.options ?? []).map((option) =>
    control(
      option,
      options[option.name],
      key(option.name),
      (value) => set({ options: withOption(options, option.name, value) }),
      !editable,
    ),
  );
  const simple = (name, kind, value, meaning, usual) =>
    control({ name, kind, meaning, default: usual }, value, key(name), (given) => set({ [name]: given }), !editable);
  return el(
    "div.settings",
    known && el("p.quiet", plain(known.does)),
    own,
    alignSetting(field, set, editable, key),
    simple("weight", "number", field.weight, "How much it counts in the score of the row.", 1),
    simple("required", "switch", field.required, "A row in which it is wrong does not pass.", false),
    simple("skip", "switch", field.skip, "It is left out of the score.", false),
    editable && removal(`Remove ${path}`, { edit: "remove-field", evaluator, path }),
  );
}
const withOption = (options, name, value) =>
  Object.fromEntries([
    ...Object.entries(options).filter(([one]) => one !== name),
    ...(value === null ? [] : [[name, value]]),
  ]);
function alignSetting(field, set, editable, key) {
  const { align = "", align_key = "" } = field;
  const select = el("select", { "data-keep": key("align"), disabled: !editable });
  const names = around.started.alignments.map(({ name, words }) => el("option", { value: name }, words));
  fill(select, [el("option", { value: "" }, "not a list, or as it is written"), names]);
  select.value = align;
  const keyed = el("input", {
    type: "text",
    value: align_key,
    "data-keep": key("align-key"),
    disabled: !editable,
    autocomplete: "off",
  });
  const write = () => {
    if (select.value === "key_field" && !keyed.value) {
      byKey.hidden = false;
      keyed.focus();
    } else set({ align: select.value || null, ...(select.value === "key_field" ? { align_key: keyed.value } : {}) });
  };
  select.addEventListener("change", write);
  keyed.addEventListener("change", write);
  const byKey = el("label", { hidden: align !== "key_field" }, el("span", "matched by the key"), keyed);
  return el("div.setting", el("label", el("span", "items of a list"), select), byKey);
}
function newField({ place, name }) {
  const input = el("input", {
    type: "text",
    placeholder: "customer.name or items[*].price",
    autocomplete: "off",
    spellcheck: "false",
    "data-keep": `new-field ${place}`,
  });
  const menu = wordMenu("How it is compared", around.started.comparators, "exact", suite.form?.own_comparators ?? [], {
    "data-keep": `new-compare ${place}`,
  });
  const add = async (event) => {
    event.preventDefault();
    const path = input.value.trim();
    if (!path) return input.focus();
    input.value = "";
    await edit({ edit: "field", evaluator: place, path, compare: menu.value });
    announce(`${path} is added.`);
  };
  return el(
    "form.new-field",
    { submit: add },
    el("label", el("span.unseen", `New field of ${name}`), input),
    menu,
    button("Add field", null, { type: "submit" }),
  );
}
const EVERY_MILLISECONDS = 400;
const [WIDTH, HEIGHT] = [120, 28];
const [under, list, compared] = [el("div.run-state"), el("div.run-list"), el("div.run-comparison")];
const chosen = new Set();
let saveSuite = async () => false;
let isUnderWay = false;
function runsPage(givenSave) {
  saveSuite = givenSave;
  return [
    el(
      "p.actions",
      button("Run all rows", start, { "data-keep": "run" }, "button.main"),
      el("span.quiet", "The suite is saved first."),
    ),
    under,
    list,
    compared,
  ];
}
async function start() {
  if (isUnderWay) return;
  if (!suite.path) return complain("Open or make a suite first.");
  if (isUnsaved() && !(await saveSuite())) return;
  const asks = live.scored?.asks;
  if (!asks) return runSuite(false);
  const said = [
    ...asks.said,
    `That is for the rows that were scored here, ${live.scored?.said}: all rows may be more.`,
  ];
  const body = said.map((one) => el("p", plain(one)));
  const answer = await askFor("This suite asks judges", body, ["Run and ask", "Run without asking"]);
  if (answer) await runSuite(answer === "Run and ask");
}
async function runSuite(mayAsk) {
  isUnderWay = true;
  let state = await tried(() => ask("run", { path: suite.path, ask: mayAsk }));
  while (state && !state.done) {
    drawState(state);
    await new Promise((done) => setTimeout(done, EVERY_MILLISECONDS));
    const { id } = state;
    state = await tried(() => ask("run/state", { id }));
  }
  isUnderWay = false;
  if (!state) return;
  drawState(state);
  announce("The run ended.");
  await refreshRuns();
}
function drawState({ id, done, share, rows: scored, said, exit_code: code, ended, name, command }) {
  if (done) {
    const end = el(
      "div.run-end",
      badge(ended, code === 0 ? "good" : "bad"),
      el("pre", { tabindex: "0", "aria-label": "What the command line says" }, plain(said)),
      name && el("p", reportLink(name, "Open its report")),
      commandLine(command),
    );
    return refill(under, end);
  }
  return showProgress(under, "Rows scored", scored, share, () => tried(() => ask("run/stop", { id })));
}
const reportLink = (name, text) => el("a", { href: reportOf(name), target: "_blank", rel: "noopener" }, text);
async function refreshRuns() {
  const found = await tried(() => ask("runs", { path: suite.path }));
  if (found) drawRuns(found);
}
function drawRuns({ runs, trends, command }) {
  for (const name of chosen) if (!runs.some((one) => one.name === name)) chosen.delete(name);
  if (!runs.length)
    return refill(
      list,
      el(
        "p.quiet",
        "There are no runs yet. A run scores all rows and keeps what it found, as a report that you can open and send.",
      ),
    );
  const compare = el("p.actions");
  const names = [...new Set(runs.flatMap((one) => Object.keys(one.means)))];
  const showCompare = () =>
    refill(compare, comparePart(runs.map((one) => one.name).filter((name) => chosen.has(name))));
  const lines = runs.map((one) => {
    const box = el("input", {
      type: "checkbox",
      "aria-label": `Choose ${one.title}`,
      change: () => {
        if (box.checked) chosen.add(one.name);
        else chosen.delete(one.name);
        showCompare();
      },
    });
    box.checked = chosen.has(one.name);
    const means = names.map((name) => el("td.number", scoreText(one.means[name] ?? null)));
    const end = one.passed === null ? "" : badge(one.passed ? "passed" : "failed", one.passed ? "good" : "bad");
    return el(
      "tr",
      el("td", box),
      el(
        "th",
        { scope: "row" },
        reportLink(one.name, one.title),
        el("div.quiet", new Date(one.started).toLocaleString()),
      ),
      el("td", end, " ", !["passed", "failed"].includes(one.said.toLowerCase()) && plain(one.said)),
      el("td.number", number(one.rows)),
      means,
    );
  });
  showCompare();
  const heads = ["", "run", "end"].map((text) => head_(text || el("span.unseen", "choose")));
  const numbers = ["rows", ...names].map((name) => el("th.number", { scope: "col" }, plain(name)));
  refill(
    list,
    el("h2", "Runs"),
    trendPart(trends),
    compare,
    scrollable("Runs", table("table", [...heads, ...numbers], el("tbody", lines))),
    commandLine(command),
  );
}
function comparePart(newestFirst) {
  if (newestFirst.length !== 2) return el("span.quiet", "Choose two runs to compare them.");
  const [after, base] = newestFirst;
  return button("Compare the two", () => showComparison(compared, base, after), {}, "button.main");
}
function trendPart(trends) {
  const some = trends.filter((one) => one.means.length > 1);
  return (
    some.length > 0 &&
    el(
      "ul.trends",
      some.map(({ evaluator, means }) =>
        el(
          "li",
          plain(evaluator),
          " ",
          trendLine(evaluator, means),
          " ",
          el("strong", scoreText(means.at(-1) ?? null)),
        ),
      ),
    )
  );
}
const trendPoints = (means) =>
  means.map((mean, at) => [(at / Math.max(1, means.length - 1)) * WIDTH, HEIGHT - mean * HEIGHT]);
function trendLine(evaluator, means) {
  const points = trendPoints(means);
  const lines = points
    .slice(1)
    .map(([x2, y2], at) => el("line.trend", { x1: points[at][0], y1: points[at][1], x2, y2 }));
  const said = `Mean scores of ${evaluator}, the oldest run first: ${means.map(scoreText).join(", ")}`;
  return el("svg.trend-line", { viewBox: `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`, role: "img", "aria-label": said }, lines);
}
const PAGES = { data: "Data", suite: "Suite", runs: "Runs" };
const LOOK_MILLISECONDS = 3000;
const MOST_PROBLEMS = 5;
const shell = {};
let noticed = "";
let seen = { data: "", mark: "" };
let saving = Promise.resolve(true);
function headBar() {
  const theme = button("", () => {
    choose({ theme: isDark() ? "light" : "dark" });
  });
  const say = () => refill(theme, isDark() ? "Light theme" : "Dark theme");
  listeners.push(applyTheme, say);
  say();
  shell.tabs = Object.entries(PAGES).map(([page, text]) => [page, button(text, () => choose({ page }))]);
  shell.file = el("span.file-name");
  return el(
    "header.studio-bar",
    el("h1.brand", "evaluators studio"),
    el(
      "nav",
      { "aria-label": "Pages" },
      shell.tabs.map(([, tab]) => tab),
    ),
    shell.file,
    theme,
  );
}
function suitePage(started) {
  const host = el("div.yaml");
  const editor = yamlEditor(host, started.schema, {
    typed: (text) => setText(text, performance.now()),
    undo: () => move(-1),
    redo: () => move(1),
    save,
  });
  const go = (line) => editor.goToLine(line);
  const form = suiteForm({ started, go, scored: () => live.scored, advice: () => live.advice, tryOut: tryAdvice });
  const [undo, redo, saver] = [
    button("Undo", () => move(-1)),
    button("Redo", () => move(1)),
    button("Save", save, {}, "button.main"),
  ];
  const [problems, command] = [el("div.pane-problems", { role: "status" }), el("div")];
  told.text.push(() => {
    complain();
    editor.setText(textNow());
    undo.disabled = !canMove(suite.steps, -1);
    redo.disabled = !canMove(suite.steps, 1);
    saver.disabled = !isUnsaved();
    refill(shell.file, suite.path && [plain(suite.path), isUnsaved() ? " · not saved" : " · saved"]);
  });
  told.read.push(() => {
    editor.setProblems(suite.problems);
    refill(problems, suite.problems.length > 0 && problemList(suite.problems, go));
    refill(command, commandLine(suite.command));
    form.classList.toggle("is-old", !suite.isRead);
    drawForm();
  });
  scoredListeners.push(drawMarks, () => drawGates(live.scored));
  return [
    el("div.suite-tools", { role: "group", "aria-label": "Suite" }, undo, redo, saver),
    el(
      "div.panes",
      el("section.pane", { "aria-label": "Suite as a form" }, form),
      el("section.pane", { "aria-label": "Suite as text" }, host, problems),
    ),
    command,
    livePart(),
  ];
}
function save() {
  saving = saving.catch(() => false).then(saveText);
  return saving;
}
async function saveText() {
  await settled();
  if (!isUnsaved()) return true;
  const text = textNow();
  if (!(await mayBeSaved())) return false;
  try {
    const found = await ask("save", { path: suite.path, text, base: suite.base });
    markSaved(text, found.hash);
    announce("Saved.");
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 409) askWhich(error.said);
    else complain(error.message);
    return false;
  }
}
async function mayBeSaved() {
  await tried(readText);
  if (suite.isRead || !suite.problems.length) return true;
  const body = [
    el("p", "It cannot be run as it is:"),
    problemList(suite.problems.slice(0, MOST_PROBLEMS)),
    suite.problems.length > MOST_PROBLEMS && el("p.quiet", `and ${suite.problems.length - MOST_PROBLEMS} more`),
  ];
  return (await askFor("The suite has mistakes", body, ["Save it all the same", "Not yet"])).startsWith("Save");
}
async function askWhich({ message, text, hash }) {
  noticed = hash;
  if (!hash) return askAnew();
  const now = el("pre.other-text", { tabindex: "0", "aria-label": "The file as it is now" }, plain(text));
  const body = [el("p", plain(message)), now, el("p.quiet", "What you take can be undone here.")];
  const answers = ["Take the file", "Save this text over it"];
  const answer = await askFor("The file was changed by someone else", body, answers);
  if (!answer) return;
  if (answer === answers[0]) {
    setText(text);
    markSaved(text, hash);
  } else {
    suite.base = hash;
    await save();
  }
}
async function askAnew() {
  const said = el("p", plain(suite.path), " is no longer there.");
  if (!(await askFor("The file is gone", said, ["Save it again"]))) return;
  suite.base = "";
  await save();
}
async function lookAtFiles() {
  if (document.hidden || !isOpen()) return;
  const { path, base } = suite;
  const data = dataPath();
  const found = await ask("state", { paths: [path, data].filter(Boolean) }).catch(() => null);
  if (!found) return;
  await saving.catch(() => false);
  await lookAtSuite(path, base, found.hashes[path]);
  await lookAtData(data, found.hashes[data]);
}
async function lookAtData(data, mark) {
  if (!mark || data !== dataPath()) return;
  const isAnother = data === seen.data && mark !== seen.mark;
  seen = { data, mark };
  if (!isAnother) return;
  await scoreNow();
  complain(`${data} was changed by someone else: its rows are scored anew.`);
}
async function lookAtSuite(path, base, hash) {
  if (!base || !hash || hash === base || hash === noticed || path !== suite.path || base !== suite.base) return;
  noticed = hash;
  const opened = await tried(() => ask("open", { path }));
  if (opened?.suite)
    askWhich({
      message: `${path} is another file now than the one that was opened here.`,
      text: opened.suite.text,
      hash: opened.suite.hash,
    });
}
function showPage() {
  const page = Object.hasOwn(PAGES, state.page) ? state.page : isOpen() ? "suite" : "data";
  for (const [name, tab] of shell.tabs) {
    if (name === page) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
    shell[name].hidden = name !== page;
  }
  if (page !== shell.shown && page === "runs") refreshRuns();
  if (page !== shell.shown && shell.shown && page === "data") refreshFiles();
  shell.shown = page;
}
function followKeys(event) {
  if (!(event.ctrlKey || event.metaKey) || event.defaultPrevented || !isOpen()) return;
  const isTyping =
    event.target instanceof Element &&
    event.target.matches("input:not([type=checkbox], [type=range], [type=radio]), textarea");
  const key = event.key.toLowerCase();
  if (key !== "s" && isTyping) return;
  const act = { s: save, z: () => move(event.shiftKey ? 1 : -1), y: () => move(1) }[key];
  if (!act) return;
  event.preventDefault();
  act();
}
async function main() {
  const studio = document.getElementById("studio");
  takeToken();
  readState();
  applyTheme();
  const started = await tried(() => ask("start"));
  refill(studio, noticeBoard);
  if (!started) {
    refill(
      studio,
      el(
        "p",
        { role: "alert" },
        "The studio cannot be opened from this address: use the one that `evaluators studio` prints.",
      ),
    );
    return;
  }
  document.title = `${started.folder}: evaluators studio`;
  for (const page of Object.keys(PAGES)) shell[page] = el("div.page", { hidden: true });
  const bar = headBar();
  refill(
    shell.data,
    dataPage(started, () => choose({ page: "suite" })),
  );
  const noSuite = el("p.quiet", "No suite is open: choose a suite or data first.");
  const suiteParts = el("div", { hidden: true }, suitePage(started));
  refill(shell.suite, noSuite, suiteParts);
  told.text.push(() => {
    noSuite.hidden = isOpen();
    suiteParts.hidden = !isOpen();
  });
  refill(shell.runs, runsPage(save));
  refill(
    studio,
    bar,
    el(
      "main",
      noticeBoard,
      Object.keys(PAGES).map((page) => shell[page]),
    ),
    rowView(),
  );
  listeners.push(showPage, () => tried(openRow));
  followAddress();
  showPage();
  addEventListener("keydown", followKeys);
  addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
  setInterval(lookAtFiles, LOOK_MILLISECONDS);
  if (started.opened) await openPath(started.opened, Boolean(state.page));
  studio?.setAttribute("data-ready", "yes");
}
main();
})();
