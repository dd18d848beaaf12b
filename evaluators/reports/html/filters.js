// Which rows are shown, and in which order.

/** The rows that the reader's choices leave, in order; `found` are rows whose documents hold the searched text. */
function chosenRows(found) {
  const asked = askedOf();
  const holds = verdictTests(asked);
  const inCell = cellTest(asked.cell);
  const chosen = [];
  for (let row = 0; row < rows.count; row++) {
    if (asked.variant && groupOf(row).variant !== asked.variant) continue;
    if (inCell && !inCell(row)) continue;
    if (asked.slice && sliceOf(row, asked.slice[0]) !== asked.slice[1]) continue;
    if (holds && !holds(row)) continue;
    if (asked.text && !saysText(row, asked.text) && !(found && found.has(row))) continue;
    chosen.push(row);
  }
  return sorted(chosen);
}

function askedOf() {
  const evaluator = head.names.indexOf(state.evaluator);
  return {
    evaluators: evaluator < 0 ? head.names.map((_, place) => place) : [evaluator],
    variant: head.variants.includes(state.variant) ? state.variant : "",
    slice: askedSlice(),
    cell: cellOfKey(state.cell),
    text: state.q.trim().toLowerCase(),
    result: state.result,
    field: state.field,
    status: state.status === "" ? null : Number(state.status),
  };
}

function askedSlice() {
  const cut = state.slice.indexOf("=");
  const column = head.rows.sliceColumns.indexOf(state.slice.slice(0, cut));
  return cut > 0 && column >= 0 ? [column, state.slice.slice(cut + 1)] : null;
}

/** Whether a row has a verdict of one evaluator that all choices about verdicts hold for; null when there are none. */
function verdictTests(asked) {
  if (!asked.result && !asked.field && asked.status === null) return null;
  const tables = asked.evaluators.map((evaluator) => [evaluator, rows.verdicts[evaluator].map((verdict) => resultHolds(verdict, asked.result) && fieldHolds(verdict, evaluator, asked))]);
  return (row) => {
    const { codes } = groupOf(row);
    const local = rows.local[row];
    return tables.some(([evaluator, table]) => table[codes[evaluator][local]]);
  };
}

function resultHolds(verdict, result) {
  if (!result) return true;
  if (result === "wrong") return !verdict.fine && !LEFT_OUT.includes(verdict.standing);
  if (result === "failed") return verdict.passed === false;
  if (result === "passed") return verdict.passed === true;
  if (result === "none") return verdict.score === null;
  return STANDINGS[verdict.standing] === result;
}

function fieldHolds(verdict, evaluator, { field, status }) {
  if (!field && status === null) return true;
  const listed = head.listed[evaluator];
  const wanted = (code) => (status === null ? WRONG_STATUSES.includes(code) : code === status);
  if (listed.length) return listed.some((path, place) => (!field || path === field) && verdict.statuses && wanted(Number(verdict.statuses[place])));
  return verdict.paths.some(([path, code]) => (!field || path === field) && wanted(code));
}

function saysText(row, text) {
  if (idOf(row).toLowerCase().includes(text) || String(numberOf(row)) === text) return true;
  return head.rows.sliceColumns.some((_, column) => sliceOf(row, column).toLowerCase().includes(text));
}

function sorted(chosen) {
  const descending = state.sort.startsWith("-");
  const by = SORTS[state.sort.replace("-", "")];
  if (!by) return chosen;
  const sign = descending ? -1 : 1;
  return chosen.sort((one, other) => sign * by(one, other) || one - other);
}

const SORTS = {
  row: (one, other) => numberOf(one) - numberOf(other),
  id: (one, other) => IN_ORDER.compare(idOf(one), idOf(other)),
  score: (one, other) => withNothingLast(rows.scores[one]) - withNothingLast(rows.scores[other]),
  wrong: (one, other) => rows.wrongs[one] - rows.wrongs[other],
};
const IN_ORDER = new Intl.Collator(undefined, { numeric: true });
const withNothingLast = (score) => (Number.isNaN(score) ? 2 : score);

/** Looks for a text in the documents of all rows, piece by piece; `told` hears which share is done. Null when called off. */
async function searchDocuments(text, told, calledOff) {
  const found = new Set();
  const spelled = JSON.stringify(text.trim().toLowerCase()).slice(1, -1);
  const { pieces: members } = head.rows;
  for (let piece = 0; piece < members.length; piece++) {
    if (calledOff()) return null;
    const details = await pieceOf(piece);
    details.forEach((detail, place) => {
      if (JSON.stringify(writtenIn(detail), digitsAsText).toLowerCase().includes(spelled)) found.add(members[piece][place]);
    });
    told((piece + 1) / members.length);
  }
  return found;
}

const digitsAsText = (key, value) => (value instanceof Digits ? value.text : value);

/** What a reader sees of a row, without the names that only this file uses. */
function writtenIn(detail) {
  const texts = detail.documents.map((one) => [one.before, valueIn(one.value), one.after, one.message]);
  const reasons = detail.explanations.map((one) => [one.reason, one.fields.map((field) => [field.path, field.reason, valueIn(field.expected), valueIn(field.actual)])]);
  return [texts, reasons, detail.cells];
}

const valueIn = (value) => value && ("cut" in value ? value.cut : value.json);

/** What is shown above the table: every choice, and how many rows are left. */
function filterBar() {
  const bar = el("div", { class: "filters", role: "search", "aria-label": "Rows" });
  const search = el("input", { type: "search", value: state.q, placeholder: "id, row number or slice", autocomplete: "off" });
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => choose({ q: search.value }), 150);
  });
  const deep = el("input", { type: "checkbox", on: { change: () => choose({ deep: deep.checked ? "1" : "" }) } });
  const selects = el("div", { class: "choices" });
  fill(bar, [
    el("div", { class: "search" }, el("label", { class: "choice wide" }, el("span", { text: "Search" }), search),
      head.rows.pieces.length > 0 && el("label", { class: "check" }, deep, "also inside the documents")),
    selects,
  ]);
  listeners.push(() => {
    if (document.activeElement !== search) search.value = state.q;
    deep.checked = state.deep === "1";
    refreshChoices(selects);
  });
  refreshChoices(selects);
  deep.checked = state.deep === "1";
  return bar;
}

/** Makes the choices anew, and gives the focus back to the one that had it. */
function refreshChoices(selects) {
  const place = Array.from(selects.querySelectorAll("select")).indexOf(document.activeElement);
  refill(selects, choices());
  if (place >= 0) selects.querySelectorAll("select")[place].focus();
}

function choices() {
  const names = head.names.map((name) => [name, name]);
  const fields = fieldChoices();
  const cells = cellChoices();
  const statuses = COUNTED_STATUSES.map((status) => [String(status), STATUSES[status].word]);
  return [
    choice("Result", state.result, [["", RESULTS]], (result) => choose({ result })),
    choice("Evaluator", state.evaluator, [["", [["", "all evaluators"], ...names]]], (evaluator) => choose({ evaluator, field: "", cell: "" })),
    fields.length > 0 && choice("Field", fieldKey(), [["", [["", "all fields"]]], ...fields], (key) => choose(fieldOfKey(key))),
    fields.length > 0 && choice("Field is", state.status, [["", [["", state.field ? "not right" : "anything"], ...statuses]]], (status) => choose({ status })),
    cells.length > 0 && choice("Expected → output", state.cell, [["", [["", "all labels"]]], ...cells], (cell) => choose({ cell })),
    ...head.rows.sliceColumns.map((column, place) => sliceChoice(column, place)),
    head.variants.length > 0 && choice("Variant", state.variant, [["", [["", "all variants"], ...head.variants.map((name) => [name, name])]]], (variant) => choose({ variant })),
    FILTER_KEYS.some((key) => state[key]) && button("Clear", () => resetFilters({}), { class: "clear" }),
  ];
}

const fieldKey = () => (state.field ? JSON.stringify([state.evaluator, state.field]) : "");

function fieldOfKey(key) {
  if (!key) return { field: "" };
  const [evaluator, field] = JSON.parse(key);
  return { evaluator, field };
}

/** The fields of each evaluator, or of the chosen one, in the order of the suite. */
function fieldChoices() {
  return head.names.map((name, place) => {
    if (state.evaluator && state.evaluator !== name) return null;
    const own = head.fields.rows.filter((one) => one.evaluator === name).map((one) => one.path);
    const listed = head.listed[place] && head.listed[place].length ? head.listed[place] : [...new Set(own)].sort();
    return listed.length ? [name, listed.map((path) => [JSON.stringify([name, path]), path || "(the whole document)"])] : null;
  }).filter(Boolean);
}

const MOST_SLICE_CHOICES = 1000;

function sliceChoice(column, place) {
  const values = [...head.rows.sliceValues[place]].sort(IN_ORDER.compare).slice(0, MOST_SLICE_CHOICES);
  const own = state.slice.startsWith(`${column}=`) ? state.slice : "";
  return choice(column, own, [["", [["", "all"], ...values.map((value) => [`${column}=${value}`, value || "(empty)"])]]], (slice) => choose({ slice }));
}
