// Label tables: which outputs were given for which expected label. A count leads to its rows.

const EXPECTED_HEAD = "expected";

function labelSection(section) {
  const place = section.labels;
  const table = head.labels[place];
  const blocks = section.blocks.map((block) => {
    if (block.columns && block.columns[0][0] === EXPECTED_HEAD) return confusionTable(table, place);
    if (block.items) return el("ul", { class: "items" }, block.items.map((item) => confusionItem(item, table, place)));
    return neutralBlock(block, `${section.title}, figures`);
  });
  return titled(section.title, blocks);
}

/** The page knows which rows are behind the cells of a table. */
const knowsCells = (place) => head.rows !== null && head.rows.groups.some((group) => place in group.labelCells);

function confusionTable(table, place) {
  const heads = [el("th", { scope: "col", text: EXPECTED_HEAD }), table.columns.map((name) => el("th", { scope: "col", class: "number" }, plain(name)))];
  const expected = [...new Set([...table.labels, ...table.cells.map((cell) => cell[0])])];
  const lines = expected.map((label) => confusionLine(label, table, place));
  return scrollable(`Confusion matrix of ${table.evaluator}${table.variant ? ` (${table.variant})` : ""}: expected, and in the outputs`, el("table", { class: "heat labels" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, lines)));
}

function confusionLine(label, table, place) {
  const own = table.cells.filter((cell) => cell[0] === label);
  const whole = own.reduce((sum, cell) => sum + cell[2], 0);
  const cells = table.columns.map((column) => confusionCell(own.find((cell) => cell[1] === column), whole, table, place));
  return el("tr", {}, el("th", { scope: "row" }, plain(label)), cells);
}

function confusionCell(cell, whole, table, place) {
  if (!cell) return el("td", { class: "number cell heat-empty" }, el("span", { text: "0" }));
  const [expected, output, size] = cell;
  const said = `${expected} expected, ${output} in the output: ${counted(size, "row")}`;
  const text = el("span", { text: number(size) });
  const inside = knowsCells(place) ? el("button", { type: "button", "aria-label": `${said}, show them`, on: { click: () => showCell(table, expected, output) } }, text) : text;
  return el("td", { class: `number cell ${expected === output ? "heat-good" : "heat-wrong"}`, vars: { share: size / whole } }, inside);
}

/** A line about outputs that stand for another label; it begins with the two labels. */
function confusionItem(item, table, place) {
  const cell = table.cells.find(([expected, output]) => item.text.startsWith(`${expected} → ${output}: `));
  if (!cell || !knowsCells(place)) return neutralItem(item);
  const [expected, output] = cell;
  const name = `${expected} → ${output}`;
  return el("li", {}, el("button", { type: "button", class: "link", on: { click: () => showCell(table, expected, output) } }, plain(name)), plain(item.text.slice(name.length)));
}

const cellKey = (evaluator, expected, output) => JSON.stringify([evaluator, expected, output]);

function showCell(table, expected, output) {
  showRows({ cell: cellKey(table.evaluator, expected, output), evaluator: table.evaluator, variant: table.variant || "" });
}

function cellOfKey(key) {
  try {
    const found = JSON.parse(key);
    return Array.isArray(found) && found.length === 3 ? found : null;
  } catch {
    return null;
  }
}

/** Whether a row is in the chosen cell of a label table; null when none is chosen. */
function cellTest(chosen) {
  if (!chosen) return null;
  const [evaluator, expected, output] = chosen;
  const wanted = head.rows.groups.map((group) => {
    const place = head.labels.findIndex((one) => one.evaluator === evaluator && one.variant === group.variant);
    const cells = place < 0 ? undefined : group.labelCells[place];
    return cells && [cells, head.labels[place].cells.findIndex((one) => one[0] === expected && one[1] === output)];
  });
  return (row) => {
    const known = wanted[rows.group[row]];
    return Boolean(known) && known[1] >= 0 && known[0][rows.local[row]] === known[1];
  };
}

/** The rows that the chosen cell counts: a long run keeps the cells of some rows only, and then fewer can be shown. */
function cellSize(chosen, variant) {
  const [evaluator, expected, output] = chosen;
  const tables = head.labels.filter((one) => one.evaluator === evaluator && (!variant || one.variant === variant));
  return tables.flatMap((one) => one.cells).filter((one) => one[0] === expected && one[1] === output).reduce((sum, one) => sum + one[2], 0);
}

const MOST_CELL_CHOICES = 500;

/** The cells of label tables, by evaluator; those of several variants are one. */
function cellChoices() {
  const names = [...new Set(head.labels.filter((_, place) => knowsCells(place)).map((one) => one.evaluator))];
  return names.filter((name) => !state.evaluator || state.evaluator === name).map((name) => {
    const cells = head.labels.filter((one) => one.evaluator === name).flatMap((one) => one.cells);
    const keys = new Map(cells.map(([expected, output]) => [cellKey(name, expected, output), `${expected} → ${output}`]));
    return [name, [...keys].slice(0, MOST_CELL_CHOICES)];
  });
}
