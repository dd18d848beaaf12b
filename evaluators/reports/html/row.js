// One row, opened: each evaluator's verdict, the fields with both values, and the documents side by side.

let dialog = null;
let shownKey = "";
let returnTo = null;

function rowDialog() {
  dialog = el("dialog", { class: "row-dialog", "aria-labelledby": "row-title" });
  dialog.addEventListener("close", () => {
    if (state.row) choose({ row: "", as: "" });
    if (returnTo && returnTo.isConnected) returnTo.focus();
    else focusLine(view.focus);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", stepByKey);
  return dialog;
}

/** Opens, changes or closes the dialog, as the address says. */
async function refreshRow() {
  if (!dialog) return;
  const key = state.row ? `${state.row}\n${state.as}` : "";
  if (key === shownKey) return;
  shownKey = key;
  if (!key) {
    if (dialog.open) dialog.close();
    return;
  }
  const row = rowOfKey(state.row);
  if (row < 0) return;
  if (!dialog.open) returnTo = document.activeElement === document.body ? null : document.activeElement;
  const detail = await detailOf(row);
  if (shownKey !== key) return;
  const top = dialog.scrollTop;
  const focused = dialog.contains(document.activeElement) && document.activeElement.dataset.keep;
  refill(dialog, rowPage(row, detail));
  if (!dialog.open) dialog.showModal();
  const again = focused && dialog.querySelector(`[data-keep="${focused}"]:not([disabled])`);
  if (again) again.focus({ preventScroll: true });
  else dialog.querySelector("h2").focus({ preventScroll: true });
  dialog.scrollTop = again && again.dataset.keep.startsWith("evaluator") ? top : 0;
}

function stepByKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select")) return;
  const step = { j: 1, k: -1 }[event.key];
  if (step) stepRow(step);
}

function stepRow(step) {
  const next = neighbour(rowOfKey(state.row), step);
  if (next !== null) choose({ row: keyOf(next) });
}

/** The row before or after, among those in the table. */
function neighbour(row, step) {
  const place = view.rows.indexOf(row);
  const next = place < 0 ? -1 : place + step;
  return next >= 0 && next < view.rows.length ? view.rows[next] : null;
}

function rowPage(row, detail) {
  const evaluator = shownEvaluator(row);
  const { variant } = groupOf(row);
  const id = idOf(row);
  return [
    el(
      "header", { class: "row-head" },
      el("h2", { id: "row-title", tabindex: "-1" }, `Row ${numberOf(row)}`, id !== String(numberOf(row)) && [" · ", plain(id)], variant !== null && el("span", { class: "variant" }, plain(variant))),
      el(
        "div", { class: "row-tools" },
        button("Previous", () => stepRow(-1), { "data-keep": "previous", disabled: neighbour(row, -1) === null, title: "k" }),
        button("Next", () => stepRow(1), { "data-keep": "next", disabled: neighbour(row, 1) === null, title: "j" }),
        button("Close", () => dialog.close(), { "data-keep": "close" }),
      ),
    ),
    evaluatorTabs(row, evaluator),
    evaluatorPart(row, evaluator, detail),
    detail && otherCells(detail),
  ];
}

/** The evaluator that the reader chose, or the first one with fields that something is wrong for, or the first of all. */
function shownEvaluator(row) {
  const chosen = head.names.indexOf(state.as || state.evaluator);
  if (chosen >= 0) return chosen;
  const places = head.names.map((_, place) => place);
  const wrong = places.filter((place) => !verdictOf(row, place).fine && !LEFT_OUT.includes(verdictOf(row, place).standing));
  const telling = wrong.find((place) => wrongFields(verdictOf(row, place), place).length);
  return telling !== undefined ? telling : wrong.length ? wrong[0] : places.find((place) => head.listed[place].length) || 0;
}

function evaluatorTabs(row, chosen) {
  const tabs = head.names.map((name, place) => {
    const verdict = verdictOf(row, place);
    const tone = verdict.passed === false ? "wrong" : verdict.score === null ? "none" : "good";
    return el(
      "button", { type: "button", class: "tab", "aria-pressed": String(place === chosen), "data-keep": `evaluator-${place}`, on: { click: () => choose({ as: name }) } },
      el("span", { class: `sign status-${tone}`, "aria-hidden": "true", text: { wrong: "✕", none: "○", good: "✓" }[tone] }), plain(name), el("span", { class: "quiet", text: scoreText(verdict.score) }),
    );
  });
  return el("div", { class: "tabs", role: "group", "aria-label": "Evaluator" }, tabs);
}

function evaluatorPart(row, evaluator, detail) {
  const verdict = verdictOf(row, evaluator);
  const said = detail && detail.explanations.find((one) => one.evaluator === evaluator);
  const fields = fieldsOf(verdict, evaluator, said);
  const cards = fields.length > 0 && fieldCards(fields, evaluator, said);
  const documents = detail && detail.documents.length ? documentsPart(detail, said, fields) : el("p", { class: "tone-note", text: head.rows.note || "The documents of this row are not in this file." });
  // Where the output could not be read, every field is missing for one reason: the output shows it.
  const parts = verdict.standing === UNREADABLE ? [documents, cards] : [cards, documents];
  return el("div", { class: "explained" }, verdictLine(verdict, evaluator, said), parts);
}

function verdictLine(verdict, evaluator, said) {
  const scored = verdict.standing <= LAST_SCORED && verdict.score !== null;
  const result = !scored ? "no score" : verdict.passed === false ? "does not pass" : "passes";
  const reason = (said && said.reason) || verdict.issue;
  const place = head.places[evaluator];
  return el(
    "div", { class: "verdict-line" },
    el("p", {}, el("strong", { class: "figure", text: scoreText(verdict.score) }), " ", badge(result, !scored ? "note" : verdict.passed === false ? "bad" : "good"), place && el("span", { class: "quiet" }, " · set in ", plain(place))),
    verdict.standing > 0 && el("p", { text: STANDING_SENTENCES[verdict.standing] }),
    reason && el("p", {}, plain(reason)),
    said && said.hint && el("p", { class: "hint" }, plain(`hint: ${said.hint.split("\n")[0]}`)),
  );
}

/** What became of each field. Where no reasons were kept, listed fields have their status alone. */
function fieldsOf(verdict, evaluator, said) {
  if (said && said.fields.length) return said.fields;
  if (!verdict.statuses) return verdict.paths.map(([path, status]) => ({ path, status }));
  return head.listed[evaluator].map((path, place) => ({ path, status: Number(verdict.statuses[place]), rule: head.rules.length ? head.rules[evaluator][path] : "" }));
}

const MOST_CARDS = 100;

function fieldCards(fields, evaluator, said) {
  const wrong = fields.filter((one) => WRONG_STATUSES.includes(one.status));
  const fine = fields.filter((one) => !WRONG_STATUSES.includes(one.status));
  const list = (some) => el("ul", { class: "fields" }, some.slice(0, MOST_CARDS).map((one) => fieldCard(one, evaluator)), some.length > MOST_CARDS && el("li", { text: `and ${number(some.length - MOST_CARDS)} more` }));
  return el(
    "div", {},
    el("h3", { text: wrong.length ? counted(wrong.length, "field") + " not right" : "Fields" }),
    wrong.length > 0 && list(wrong),
    fine.length > 0 && el("details", { open: !wrong.length && fine.length < 12 }, el("summary", { text: fineWords(fine) }), list(fine)),
    said && said.more > 0 && el("p", { class: "quiet", text: `${counted(said.more, "more result")} left out.` }),
  );
}

function fineWords(fine) {
  const right = fine.filter((one) => one.status === MATCH).length;
  const rest = fine.length - right;
  return [right > 0 && `${counted(right, "field")} right`, rest > 0 && `${number(rest)} skipped or not measured`].filter(Boolean).join(", ");
}

function fieldCard(one, evaluator) {
  const places = head.fieldPlaces[evaluator] || {};
  const place = places[one.field || generalPath(one.path)] || places[one.path] || head.places[evaluator];
  const { tone, word, sign } = STATUSES[one.status];
  return el(
    "li", { class: `field field-${tone}` },
    el("div", { class: "field-head" }, el("span", { class: `status status-${tone}` }, el("span", { "aria-hidden": "true", text: sign }), word), " ", plain(one.path || "(the whole document)", "path"), one.score !== undefined && el("span", { class: "quiet", text: ` ${scoreText(one.score)}` })),
    ("expected" in one || "actual" in one) && valuePair(one),
    tone !== "good" && one.reason && one.reason !== word && el("p", {}, plain(one.reason)),
    (one.rule || tone === "good") && el("p", { class: "quiet" }, tone === "good" && one.reason && [plain(one.reason), one.rule && " · "], one.rule && ["rule: ", plain(one.rule), place && [" · ", plain(place)]]),
  );
}

/** Both values, with the characters that differ marked where both are text or numbers. */
function valuePair(one) {
  const [expected, actual] = [valueText(one.expected), valueText(one.actual)];
  const runs = one.status === 2 && expected !== null && actual !== null ? difference(expected, actual) : null;
  return el(
    "dl", { class: "pair" },
    el("div", {}, el("dt", { text: "expected" }), el("dd", {}, runs ? marked(runs[0], "del") : shownValue(expected))),
    el("div", {}, el("dt", { text: "output" }), el("dd", {}, runs ? marked(runs[1], "ins") : shownValue(actual))),
  );
}

function valueText(value) {
  if (!value) return null;
  return "cut" in value ? `${value.cut}… (cut: ${number(value.of)} characters)` : spelled(value.json);
}

const shownValue = (text) => (text === null ? el("span", { class: "quiet", text: "nothing is there" }) : plain(text, "value"));

/** The documents that the evaluator read; those of the whole row where it read none itself. */
function documentsPart(detail, said, fields) {
  const own = said && said.documents.length ? said.documents.map((place) => detail.documents[place]) : detail.documents;
  const statuses = new Map(fields.map((one) => [one.path, one.status]));
  const sides = ["expected", "output", "other"].map((side) => own.filter((one) => one.side === side));
  const shown = sides.flat();
  if (!shown.length) return null;
  return el("div", {}, el("h3", { text: "Side by side" }), el("div", { class: "sides" }, shown.map((one) => documentPart(one, statuses))));
}

const SIDE_WORDS = { expected: "Expected", output: "Output", other: "Column" };

function documentPart(one, statuses) {
  const label = `${SIDE_WORDS[one.side]}: ${one.column}`;
  return el(
    "section", { class: "side", "aria-label": label },
    el("h4", {}, SIDE_WORDS[one.side], " ", el("span", { class: "quiet" }, plain(one.column))),
    one.message && el("p", { class: "tone-warning" }, plain(one.message)),
    FOUND[one.how] && el("p", { class: "tone-note", text: `${FOUND[one.how]} What is around it is set aside. ${one.which}`.trim() }),
    setAside("before", one.before),
    el("div", { class: "document", tabindex: "0", role: "region", "aria-label": `${label}, content` }, documentBody(one, sideStatuses(one.side, statuses))),
    setAside("after", one.after),
  );
}

/** What is missing is marked where it was expected, what is extra where it stands. */
function sideStatuses(side, statuses) {
  const hidden = side === "expected" ? 4 : 3;
  return side === "other" ? new Map() : new Map([...statuses].filter(([, status]) => status !== hidden));
}

function setAside(where, text) {
  return text && el("details", { class: "aside" }, el("summary", { text: `set aside ${where} it: ${counted(text.length, "character")}` }), el("pre", { tabindex: "0" }, plain(text)));
}

function documentBody(one, statuses) {
  if (one.kind === "absent") return el("p", { class: "quiet", text: "nothing is there" });
  if ("cut" in one.value) return [el("p", { class: "tone-note", text: `Cut: the first ${number(one.value.cut.length)} of ${number(one.value.of)} characters.` }), el("pre", {}, plain(one.value.cut))];
  if (one.kind === "json") return tree(one.value.json, statuses);
  return el("pre", {}, plain(String(one.value.json)));
}

function otherCells(detail) {
  const cells = Object.entries(detail.cells);
  if (!cells.length) return null;
  const open = cells.reduce((sum, [, text]) => sum + text.length, 0) < 2000;
  return el("details", { class: "cells", open }, el("summary", { text: `${counted(cells.length, "other column")} of the row` }), el("dl", {}, cells.map(([name, text]) => el("div", {}, el("dt", {}, plain(name)), el("dd", {}, plain(text))))));
}
