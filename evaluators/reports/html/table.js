// The table of rows. Only the lines in view exist, between two fillers that keep the scroll bar right.

const LINES_BEYOND = 12;
const MOST_PRINTED = 200;
/** The share of the window that the table takes at most, as the style says. */
const MOST_HEIGHT = 0.7;

const view = { rows: [], body: null, box: null, top: null, bottom: null, status: null, meaning: null, first: -1, last: -1, heads: [], focus: -1 };

function rowSection() {
  if (!head.rows) return null;
  if (!rows.count) return titled("Rows", el("p", { text: "There are no rows." }));
  const said = [head.rows.note, head.rows.packed].filter(Boolean);
  view.status = el("p", { role: "status", class: "found" });
  view.meaning = el("p", { class: "found quiet" });
  view.body = el("tbody");
  view.top = filler();
  view.bottom = filler();
  view.box = el("div", { class: "rows", role: "region", "aria-label": "Rows of the test set", tabindex: "0", on: { scroll: drawLines } }, el(
    "table", { class: "lines", "aria-rowcount": String(rows.count + 1) }, el("thead", {}, headLine()), view.body,
  ));
  view.box.addEventListener("keydown", moveByKey);
  return titled("Rows", said.map((text) => el("p", { class: "tone-note" }, plain(text))), filterBar(), view.status, view.meaning, view.box);
}

const filler = () => el("tr", { class: "filler", "aria-hidden": "true" }, el("td", { colspan: String(columnCount()) }));

/** Both texts stand in the table where an evaluator compares them as a whole. */
const showsTexts = () => head.texts.length > 0;
const columnCount = () => 4 + (head.variants.length > 0 ? 1 : 0) + (showsTexts() ? 2 : 0);

function headLine() {
  const columns = [["row", "Row"], ["id", "Id"], ["score", "Score"], ["wrong", "What went wrong"]];
  view.heads = columns.map(([key, text]) => [key, el("th", { scope: "col", class: `column-${key}` }, button(text, () => sortBy(key)))]);
  const made = view.heads.map(([, node]) => node);
  if (showsTexts()) made.push(...["Expected", "Output"].map((text) => el("th", { scope: "col", class: "column-text", text })));
  if (head.variants.length) made.splice(2, 0, el("th", { scope: "col", class: "column-variant", text: "Variant" }));
  return el("tr", { "aria-rowindex": "1" }, made);
}

/** The first choice of a column sorts upwards (what went wrong: most first), the second the other way, the third not at all. */
function sortBy(key) {
  const order = key === "wrong" ? ["-wrong", "wrong", ""] : [key, `-${key}`, ""];
  choose({ sort: order[(order.indexOf(state.sort) + 1) % order.length] });
}

let measuredFor = null;
let searched = { text: "", found: null };
let lastAsked = "";

/** Follows the reader's choices. */
function refreshRows() {
  const asked = JSON.stringify([...FILTER_KEYS, "sort"].map((key) => state[key]));
  if (asked === lastAsked) return;
  lastAsked = asked;
  if (measuredFor !== state.evaluator) {
    measuredFor = state.evaluator;
    measureRows(askedOf().evaluators);
  }
  for (const [key, node] of view.heads) {
    const sort = state.sort.replace("-", "") === key ? (state.sort.startsWith("-") ? "descending" : "ascending") : "none";
    node.setAttribute("aria-sort", sort);
  }
  const text = state.deep ? state.q.trim() : "";
  showChosen(text && searched.text === text ? searched.found : null);
  if (text && searched.text !== text) searchInside(text);
}

async function searchInside(text) {
  const started = lastAsked;
  const calledOff = () => lastAsked !== started;
  const found = await searchDocuments(text, (share) => { view.status.textContent = `Searching the documents: ${Math.round(100 * share)} %`; }, calledOff);
  if (!found || calledOff()) return;
  searched = { text, found };
  showChosen(found);
}

function showChosen(found) {
  view.rows = chosenRows(found);
  view.first = view.last = view.focus = -1;
  view.box.scrollTop = 0;
  const all = view.rows.length === rows.count;
  view.status.textContent = all ? counted(rows.count, "row") : `${number(view.rows.length)} of ${counted(rows.count, "row")}`;
  view.meaning.textContent = [scoreMeaning(), cellsLeftOut()].filter(Boolean).join(" ");
  drawLines();
}

/** What the score of a row is, which has one from each evaluator. */
function scoreMeaning() {
  const { evaluators } = askedOf();
  if (evaluators.length === 1) return `Score: the row's score by ${head.names[evaluators[0]]}.`;
  return `Score: the mean of the row's scores over the ${number(evaluators.length)} evaluators; one without a score is left out.`;
}

function cellsLeftOut() {
  const { cell, variant } = askedOf();
  const size = cell ? cellSize(cell, variant) : 0;
  const alone = FILTER_KEYS.every((key) => !state[key] || ["cell", "evaluator", "variant"].includes(key));
  return alone && size > view.rows.length ? `${number(size)} rows are counted there; the texts of the others were not kept.` : "";
}

const lineHeight = () => parseFloat(getComputedStyle(view.box).getPropertyValue("--line")) || 44;

/** Makes the lines that are in view, and those close to it. */
function drawLines() {
  const height = lineHeight();
  const first = Math.max(0, Math.floor(view.box.scrollTop / height) - LINES_BEYOND);
  const room = Math.max(view.box.clientHeight, innerHeight * MOST_HEIGHT); // an empty box is as low as its head
  const last = Math.min(view.rows.length, Math.ceil((view.box.scrollTop + room) / height) + LINES_BEYOND);
  if (first === view.first && last === view.last) return;
  drawBetween(first, last, height);
}

function drawBetween(first, last, height) {
  const focused = document.activeElement && view.body.contains(document.activeElement);
  Object.assign(view, { first, last });
  view.top.firstChild.style.height = `${first * height}px`;
  view.bottom.firstChild.style.height = `${(view.rows.length - last) * height}px`;
  const lines = [];
  for (let place = first; place < last; place++) lines.push(line(place));
  if (!lines.length) lines.push(el("tr", {}, el("td", { colspan: String(columnCount()), class: "nothing", text: "No row fits these choices." })));
  refill(view.body, first > 0 && view.top, lines, last < view.rows.length && view.bottom);
  if (focused) focusLine(view.focus);
}

function line(place) {
  const row = view.rows[place];
  const open = () => choose({ row: keyOf(row) });
  const opener = button(String(numberOf(row)), null, { "aria-label": `Open row ${numberOf(row)}`, "data-place": String(place) });
  opener.addEventListener("focus", () => { view.focus = place; });
  const wrong = el("td", { class: "column-wrong" }, wrongWords(row));
  const texts = showsTexts() ? ["expected", "output"].map(() => el("td", { class: "column-text" })) : [];
  const made = el(
    "tr", { "aria-rowindex": String(place + 2), on: { click: open } },
    el("td", { class: "column-row" }, opener),
    el("td", { class: "column-id" }, plain(idOf(row))),
    head.variants.length > 0 && el("td", { class: "column-variant" }, plain(groupOf(row).variant || "")),
    el("td", { class: "column-score" }, scoreMark(row)),
    wrong, texts,
  );
  if (texts.length || tellsMore(row)) detailOf(row).then((detail) => tell(row, detail, wrong, texts));
  return made;
}

/** An evaluator without fields gives its reason, which is in the details of the row. */
const tellsMore = (row) => askedOf().evaluators.some((place) => !verdictOf(row, place).fine && !wrongFields(verdictOf(row, place), place).length);

/** Puts into a line what is only known once the details of its row are unpacked. */
function tell(row, detail, wrong, texts) {
  if (!detail) return;
  const words = wrongWords(row, detail);
  refill(wrong, Array.isArray(words) ? el("div", { class: "two-lines" }, words) : words);
  if (!texts.length) return;
  const evaluator = askedOf().evaluators.find((place) => head.texts.includes(place));
  const said = evaluator === undefined ? null : detail.explanations.find((one) => one.evaluator === evaluator);
  ["expected", "output"].forEach((side, place) => {
    const found = said && said.documents.map((each) => detail.documents[each]).find((one) => one.side === side);
    refill(texts[place], found ? shortText(found) : "");
  });
}

const LONGEST_TEXT = 300;

function shortText(found) {
  const value = found.kind === "absent" ? "" : found.kind === "text" && "json" in found.value ? String(found.value.json) : valueText(found.value);
  if (value === null || !value.trim()) return el("span", { class: "quiet", text: "nothing is there" });
  return el("span", { class: "two-lines", title: value.length > LONGEST_TEXT ? null : value }, plain(value.slice(0, LONGEST_TEXT)));
}

function scoreMark(row) {
  const score = rows.scores[row];
  const failed = askedOf().evaluators.some((evaluator) => verdictOf(row, evaluator).passed === false);
  const tone = Number.isNaN(score) ? "none" : failed ? "wrong" : "good";
  const sign = { none: "○", wrong: "✕", good: "✓" }[tone];
  const word = { none: "no score", wrong: "failed", good: "passed" }[tone];
  return el("span", { class: `mark mark-${tone}` }, el("span", { "aria-hidden": "true", text: sign }), el("span", { class: "unseen", text: word }), el("span", { text: scoreText(score) }));
}

const MOST_NAMED = 4;

/** The fields of a row that went wrong, by evaluator, as far as a line has room. */
function wrongWords(row, detail) {
  const said = [];
  const many = head.names.length > 1;
  for (const evaluator of askedOf().evaluators) {
    const told = detail && detail.explanations.find((one) => one.evaluator === evaluator);
    const words = verdictWords(verdictOf(row, evaluator), evaluator, told);
    if (words.length) said.push(el("span", { class: "said" }, many && [el("b", {}, plain(head.names[evaluator])), " "], words));
    if (said.length >= MOST_NAMED) break;
  }
  return said.length ? said : el("span", { class: "quiet", text: "nothing" });
}

function verdictWords(verdict, evaluator, told) {
  if (verdict.fine || (LEFT_OUT.includes(verdict.standing) && !verdict.issue)) return [];
  if (verdict.standing > 0) return [el("span", { text: STANDINGS[verdict.standing] })];
  const wrong = wrongFields(verdict, evaluator);
  const named = wrong.slice(0, MOST_NAMED).map(([path, status]) => statusMark(path, status));
  if (wrong.length > MOST_NAMED) named.push(`and ${wrong.length - MOST_NAMED} more`);
  if (!named.length && told && told.reason) named.push(plain(told.reason));
  if (!named.length) named.push(el("span", { class: "quiet", text: verdict.counts ? countWords(verdict.counts) : scoreText(verdict.score) }));
  return named.flatMap((one) => [one, " "]);
}

function wrongFields(verdict, evaluator) {
  if (!verdict.statuses) return verdict.paths;
  return head.listed[evaluator].map((path, place) => [path, Number(verdict.statuses[place])]).filter(([, status]) => WRONG_STATUSES.includes(status));
}

function countWords(counts) {
  return counts.map((size, index) => index > 0 && size > 0 && `${number(size)} ${STATUSES[index + 1].word}`).filter(Boolean).join(", ") || "did not pass";
}

function statusMark(path, status) {
  const { sign, word, tone } = STATUSES[status];
  return el("span", { class: `status status-${tone}` }, el("span", { "aria-hidden": "true", text: sign }), plain(path || "whole"), el("span", { class: "unseen", text: ` ${word}` }));
}

/** Arrow keys go from row to row. */
function moveByKey(event) {
  const page = Math.max(1, Math.floor(view.box.clientHeight / lineHeight()) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -view.rows.length, End: view.rows.length };
  if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (!event.target.closest("tbody") && event.target !== view.box) return;
  event.preventDefault();
  const from = event.target === view.box && view.focus < 0 ? -1 : view.focus;
  focusLine(Math.max(0, Math.min(view.rows.length - 1, from + steps[event.key])));
}

function focusLine(place) {
  if (place < 0 || place >= view.rows.length) return;
  const height = lineHeight();
  const room = view.box.clientHeight - 2 * height;
  view.focus = place;
  if (place * height < view.box.scrollTop) view.box.scrollTop = place * height;
  if (place * height > view.box.scrollTop + room) view.box.scrollTop = place * height - room;
  drawLines();
  const opener = view.body.querySelector(`[data-place="${place}"]`);
  if (opener) opener.focus({ preventScroll: true });
}

/** Filters the rows, and goes to them. */
function showRows(filters) {
  resetFilters(filters);
  goTo("section-rows");
}

function goTo(id) {
  const section = document.getElementById(id);
  section.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  section.querySelector("h2").focus({ preventScroll: true });
}

window.addEventListener("beforeprint", () => {
  if (!view.box) return;
  drawBetween(0, Math.min(view.rows.length, MOST_PRINTED), 0);
  if (view.rows.length > MOST_PRINTED) view.status.textContent += `; the first ${MOST_PRINTED} are printed`;
});
window.addEventListener("afterprint", () => {
  if (!view.box) return;
  view.status.textContent = view.status.textContent.split(";")[0];
  view.first = -1;
  drawLines();
});
