// The studio: data, the suite in two panes with its rows below, and runs.

import { button, el, plain, refill } from "../../../reports/html/script/dom.js";
import {
  applyTheme,
  choose,
  followAddress,
  isDark,
  listeners,
  readState,
  state,
} from "../../../reports/html/script/state.js";
import { ask, Refusal, takeToken } from "./api.js";
import { dataPage, dataPath, openPath, refreshFiles } from "./data.js";
import { askFor } from "./dialogs.js";
import { isOpen, isUnsaved, markSaved, move, readText, setText, settled, suite, textNow, told } from "./document.js";
import { yamlEditor } from "./editor.js";
import { drawForm, drawMarks, suiteForm } from "./form.js";
import { drawGates } from "./gates.js";
import { live, livePart, openRow, rowView, scoredListeners, scoreNow, tryAdvice } from "./live.js";
import { announce, commandLine, complain, noticeBoard, problemList, tried } from "./notices.js";
import { refreshRuns, runsPage } from "./runs.js";
import { canMove } from "./undo.js";

/** @import {Started} from "./types.d.ts" */

const PAGES = { data: "Data", suite: "Suite", runs: "Runs" };
const LOOK_MILLISECONDS = 3000;
const MOST_PROBLEMS = 5;
const shell = {};
/** The hash of a file that somebody else changed, once it was said. */
let noticed = "";
/** The state of the data at the last look. */
let seen = { data: "", mark: "" };
/** Saves wait for each other: the next one begins from the file that the last one wrote. */
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

/** @param {Started} started */
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

/** Saves the suite, unless its file is no longer the one that it was made from. Whether it is saved. */
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

/** Whether a text may be saved: one that no run could read is told of first. */
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

/** Another program changed the file: nothing is written before somebody says what counts.
 * @param {Record<string, any>} changed */
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

/** Looks whether the suite or its data changed underneath. */
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

/** Rows that somebody changed are scored anew.
 * @param {string} data @param {string} [mark] */
async function lookAtData(data, mark) {
  if (!mark || data !== dataPath()) return;
  const isAnother = data === seen.data && mark !== seen.mark;
  seen = { data, mark };
  if (!isAnother) return;
  await scoreNow();
  complain(`${data} was changed by someone else: its rows are scored anew.`);
}

/** @param {string} path @param {string} base @param {string} [hash] */
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

/** Undo and save work everywhere, but in a field that is being typed into.
 * @param {KeyboardEvent} event */
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
