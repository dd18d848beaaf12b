// Fields by status: colour says how large a share is, and the count in the cell says the same.

const MOST_FIELDS_AT_FIRST = 25;
const RATIOS = ["precision", "recall", "F1"];

function fieldSection() {
  const { rows: fields, more } = head.fields;
  if (!fields.length) return null;
  const used = COUNTED_STATUSES.filter((status) => [1, 2, 3, 4].includes(status) || fields.some((one) => one.counts[status] > 0));
  const heads = [
    el("th", { scope: "col", text: "field" }), el("th", { scope: "col", class: "number", text: "accuracy" }),
    used.map((status) => el("th", { scope: "col", class: "number", text: STATUSES[status].word })),
    RATIOS.map((name) => el("th", { scope: "col", class: "number wide-only", text: name })),
  ];
  const body = el("tbody");
  const button_ = growing(body, fields, MOST_FIELDS_AT_FIRST, (one) => fieldRow(one, used));
  return titled(
    "Fields",
    el("p", { class: "quiet", text: "The weakest first. A low figure from few rows may be chance, so it comes after a surer one. Choose a count to see its rows." }),
    scrollable("Fields by status", el("table", { class: "heat" }, el("thead", {}, el("tr", {}, heads)), body)),
    button_,
    more > 0 && el("p", { text: `${counted(more, "more path")} counted in the scores, and not listed here.` }),
  );
}

function fieldRow(one, used) {
  const place = head.names.indexOf(one.evaluator);
  const where = place >= 0 && head.fieldPlaces.length ? head.fieldPlaces[place][one.path] : "";
  return el(
    "tr", {},
    el(
      "th", { scope: "row" }, plain(one.path || "(the whole document)", "path"),
      el("div", { class: "quiet" }, plain(one.evaluator), one.variant !== null && [" · ", plain(one.variant)], where && [" · ", plain(where)]),
    ),
    el("td", { class: "number" }, el("strong", { text: one.accuracy_text })),
    used.map((status) => heatCell(one, place, status)),
    RATIOS.map((name) => el("td", { class: "number wide-only", text: (one.metrics.find((pair) => pair[0] === name) || [name, "–"])[1] })),
  );
}

function heatCell(one, place, status) {
  const size = one.counts[status];
  const whole = one.counts.reduce((sum, each) => sum + each, 0);
  const { tone, word } = STATUSES[status];
  const text = [el("span", { text: number(size) }), size > 0 && el("small", { text: percent(size / whole) })];
  const filters = { evaluator: one.evaluator, field: one.path, status: String(status), variant: one.variant || "" };
  const inside = size > 0 && knowsStatus(place, status)
    ? el("button", { type: "button", "aria-label": `${one.path}: ${number(size)} ${word}, show rows`, on: { click: () => showRows(filters) } }, text)
    : text;
  return el("td", { class: `number cell ${size > 0 ? `heat-${tone}` : "heat-empty"}`, vars: size > 0 ? { share: size / whole } : null }, inside);
}

/** Rows can be found by this status: those of listed fields by any, those of open documents by what went wrong. */
function knowsStatus(evaluator, status) {
  if (!head.rows || evaluator < 0) return false;
  return head.listed[evaluator].length > 0 || WRONG_STATUSES.includes(status);
}
