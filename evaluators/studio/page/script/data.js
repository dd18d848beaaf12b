// The data: a file is chosen or dropped, its columns are shown with what they were taken for, and what is open is asked.

import { button, el, fill, head_, plain, refill, scrollable, table } from "../../../reports/html/script/dom.js";
import { withCode } from "../../../reports/html/script/sections.js";
import { counted } from "../../../reports/html/script/words.js";
import { ask, upload } from "./api.js";
import { askFor } from "./dialogs.js";
import { change, isUnsaved, openSuite, suite } from "./document.js";
import { announce, commandLine, tried } from "./notices.js";

/** @import {Column, Data, Question, Started} from "./types.d.ts" */

const ROLES = {
  "": "none of these",
  id: "id: names the row",
  input: "input: what the model was given",
  output: "output: what the model answered",
  expected: "expected: the right answer",
};
const SHOWN_CHARS = 200;

/** What is open. Without a suite of its own, data has a draft of one.
 * @type {{data: Data | null, draft: {path: string, text: string} | null, roles: Record<string, string>, answers: Record<string, string>, command: string}} */
const shown = { data: null, draft: null, roles: {}, answers: {}, command: "" };
const [place, files] = [el("div.data-shown"), el("div.files")];
/** @type {() => void} */
let goToSuite = () => {};

/** @param {Started} started @param {() => void} toSuite */
export function dataPage(started, toSuite) {
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

/** The file with the rows that are shown; empty without one. */
export const dataPath = () => shown.data?.path ?? "";

/** Lists the files of the folder as it is now. */
export async function refreshFiles() {
  const found = await tried(() => ask("start"));
  if (found) refill(files, fileList(found));
}

/** @param {Started} started */
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

/** @param {File | undefined} file */
async function takeFile(file) {
  const found = file && (await tried(() => upload(file)));
  if (!found) return;
  await openPath(found.path);
  await refreshFiles();
}

/** Opens a suite or data, as the command line would.
 * @param {string} path @param {boolean} [stays] The page that is shown stays. */
export async function openPath(path, stays = false) {
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

/** @param {any} made */
function takeDraft({ data, path, text, command }) {
  Object.assign(shown, { data, draft: { path, text }, command });
  drawData();
}

/** @param {string} role @param {string} name */
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

/** Columns of which one plays a role now, and no other does.
 * @param {Column[]} columns @param {string} role @param {string} name @returns {Column[]} */
export const withRole = (columns, role, name) =>
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

/** @param {{path: string, text: string}} made */
async function makeSuite({ path, text }) {
  if (!(await mayLeave())) return;
  await tried(() => openSuite(path, text, ""));
  announce("The suite is made; it is not saved yet.");
  goToSuite();
}

/** Whether the suite that is open may go: nothing that is not saved is lost without a word. */
async function mayLeave() {
  if (!isUnsaved()) return true;
  const said = el("p", plain(suite.path), " has changes that are in no file.");
  return (await askFor("The suite is not saved", said, ["Stay", "Leave them"])) === "Leave them";
}

/** @param {Question} question */
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

/** @param {Data} data */
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

/** @param {Column} column */
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

/** @param {Data} data */
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
