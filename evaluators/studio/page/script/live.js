// The first rows, scored at every change: a table of rows and fields, what the last change turned, and each row as a report shows it.

import { button, choice, el, plain, refill, seenOnly, unseen } from "../../../reports/html/script/dom.js";
import { source } from "../../../reports/html/script/lines.js";
import { fieldName } from "../../../reports/html/script/paths.js";
import { redrawRow, refreshRow, rowDialog } from "../../../reports/html/script/row.js";
import { choose, state } from "../../../reports/html/script/state.js";
import { openHead, openRows } from "../../../reports/html/script/store.js";
import { counted, learnWords, number, scoreText } from "../../../reports/html/script/words.js";
import { ask, Refusal } from "./api.js";
import { correction } from "./correct.js";
import { edited, setText, suite, textNow, told } from "./document.js";
import { cellGrid } from "./grid.js";
import { announce, commandLine, complain, problemList, showProgress, tried } from "./notices.js";
import { shareOf } from "./settings.js";

/** @import {AdviceLine, Scored, ScoredRow} from "./types.d.ts" */

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

/** What was scored, last of all and last with the text of the suite; the suggestions for it, and a change that is only tried.
 * @type {{scored: Scored | null, kept: Scored | null, advice: AdviceLine[], trial: {text: string, said: string} | null, amount: string, only: string, of: number}} */
export const live = { scored: null, kept: null, advice: [], trial: null, amount: FEW, only: "", of: 0 };
/** @type {(() => void)[]} Told when rows were scored, and when there are suggestions. */
export const scoredListeners = [];

/** The rows in the table by their places in it, as far as they are here.
 * @type {Map<number, ScoredRow>} */
let listed = new Map();
/** @type {Map<string, number>} The places of rows by their keys in addresses. */
let places = new Map();
/** @type {Set<number>} */
let asked = new Set();
const parts = {};
let scoreTimer = 0;
/** Counts what was asked to be scored: the last one is waited for. */
let turn = 0;

export function livePart() {
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

/** The dialog of a row, which a choice in the address opens. */
export const rowView = () =>
  rowDialog({
    next: rowAfter,
    focus: () => parts.grid.focus(),
    action: (field, evaluator) => correction(field, evaluator, () => live.scored?.id ?? "", scoreNow),
  });

/** The name of a row in addresses, as reports have it.
 * @param {ScoredRow} row */
const rowKey = ({ row, variant = "" }) => (variant ? `${row}:${variant}` : String(row));

/** @param {string} key @param {number} step */
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

/** Scores the first rows in place of many: these took too long, or are not waited for. */
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

/** Says how far the rows are, once that takes a while.
 * @param {number} mine */
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

/** Scores the text, or the one that is tried. What was asked before and is not answered is given up by the server.
 * @param {{ask?: boolean, fetch?: boolean}} [more] What somebody agreed to: judges are asked, rows are fetched. */
export async function scoreNow(more = {}) {
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

/** What cannot be scored keeps the last rows in the table, and says that they are the last ones.
 * @param {Refusal} refusal */
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

/** @param {Scored} scored */
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

/** @param {string} id */
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

/** @param {Scored} scored */
function drawSaid(scored) {
  refill(parts.said, `${scored.said.replace(/^of /, "")} scored · ${scored.seconds.toFixed(2)} s`);
  refill(parts.turned, turnedPart(scored));
  refill(parts.asks, askPart(scored));
  refill(parts.problems, scored.problems.length > 0 && problemList(scored.problems));
  refill(parts.command, commandLine(scored.command));
}

/** What the last change turned, in words: values of fields; verdicts of rows where no field turned.
 * @param {Scored["turned"]} turned */
export function turnedInWords(turned) {
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

/** @param {Scored} scored */
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

/** @param {Scored} scored */
function askPart({ asks }) {
  if (!asks?.open) return null;
  return el(
    "div.judges",
    el("p", "Judges are asked only when you say so. Answers that they gave are kept."),
    asks.said.map((one) => el("p.quiet", plain(one))),
    button("Ask them", () => scoreNow({ ask: true })),
  );
}

// what is tried

/** Scores with a suggestion, and leaves the text as it is.
 * @param {AdviceLine} line */
export async function tryAdvice(line) {
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

// the table

async function showRowsAnew() {
  const { scored } = live;
  if (!scored) return;
  [listed, places, asked] = [new Map(), new Map(), new Set()];
  live.of = scored.table.length;
  if (!live.only) takeRows(0, scored.table);
  if (live.only || scored.table.length >= FIRST_ROWS) await fetchPage(0);
  showGrid();
}

/** @param {number} first @param {ScoredRow[]} table */
function takeRows(first, table) {
  table.forEach((row, at) => {
    listed.set(first + at, row);
    places.set(rowKey(row), first + at);
  });
}

/** @param {number} page */
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

/** @param {import("./types.d.ts").ScoreColumn} column */
function columnHead({ evaluator, field = "", rule = "", right = 0, of = 0 }) {
  const name = field ? fieldName(field) : evaluator;
  return el(
    field ? "div.column-head" : "div.column-head.is-evaluator",
    { title: [evaluator, field, rule].filter(Boolean).join(" · ") },
    el("span.column-name", plain(name)),
    el("span.column-share", shareOf(right, of)),
  );
}

/** @param {ScoredRow | undefined} row @param {number} column @param {Scored["columns"]} columns @param {string[]} evaluators @param {Scored["words"]} words */
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

// one row

/** @type {Record<string, string>} */
let lines = {};
source.textOf = (id) => lines[id] ?? "";
let loaded = "";
let rowCommand = "";

/** The chosen row. What was scored too long ago is scored anew, which opens the row once more.
 * @param {string} score */
async function rowOf(score) {
  try {
    return await ask("row", { score, row: Number.parseInt(state.row, 10) });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "no-score" || live.scored?.id !== score) throw error;
    return scoreNow();
  }
}

/** Opens, changes or closes the row, as the address says.
 * @param {boolean} [isAnew] The rows were scored anew. */
export async function openRow(isAnew = false) {
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
