// Runs: all rows with their progress, the runs of the folder with a line of trend, and two of them compared.

import { button, el, head_, plain, refill, scrollable, table } from "../../../reports/html/script/dom.js";
import { badge } from "../../../reports/html/script/marks.js";
import { number, scoreText } from "../../../reports/html/script/words.js";
import { ask, reportOf } from "./api.js";
import { showComparison } from "./compare.js";
import { askFor } from "./dialogs.js";
import { isUnsaved, suite } from "./document.js";
import { live } from "./live.js";
import { announce, commandLine, complain, showProgress, tried } from "./notices.js";

/** @import {RunList, RunState} from "./types.d.ts" */

const EVERY_MILLISECONDS = 400;
const [WIDTH, HEIGHT] = [120, 28];
const [under, list, compared] = [el("div.run-state"), el("div.run-list"), el("div.run-comparison")];
/** @type {Set<string>} The names of the runs that are chosen. */
const chosen = new Set();
/** @type {() => Promise<boolean>} */
let saveSuite = async () => false;
let isUnderWay = false;

/** @param {() => Promise<boolean>} givenSave */
export function runsPage(givenSave) {
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

/** @param {boolean} mayAsk */
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

/** @param {RunState} state */
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

/** @param {string} name @param {string} text */
const reportLink = (name, text) => el("a", { href: reportOf(name), target: "_blank", rel: "noopener" }, text);

export async function refreshRuns() {
  const found = await tried(() => ask("runs", { path: suite.path }));
  if (found) drawRuns(found);
}

/** @param {RunList} found */
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

/** Two chosen runs: the older one is the base.
 * @param {string[]} newestFirst */
function comparePart(newestFirst) {
  if (newestFirst.length !== 2) return el("span.quiet", "Choose two runs to compare them.");
  const [after, base] = newestFirst;
  return button("Compare the two", () => showComparison(compared, base, after), {}, "button.main");
}

/** @param {RunList["trends"]} trends */
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

/** The points of a line of trend: the oldest run at the left, a score of 1 at the top.
 * @param {number[]} means */
export const trendPoints = (means) =>
  means.map((mean, at) => [(at / Math.max(1, means.length - 1)) * WIDTH, HEIGHT - mean * HEIGHT]);

/** @param {string} evaluator @param {number[]} means */
function trendLine(evaluator, means) {
  const points = trendPoints(means);
  const lines = points
    .slice(1)
    .map(([x2, y2], at) => el("line.trend", { x1: points[at][0], y1: points[at][1], x2, y2 }));
  const said = `Mean scores of ${evaluator}, the oldest run first: ${means.map(scoreText).join(", ")}`;
  return el("svg.trend-line", { viewBox: `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`, role: "img", "aria-label": said }, lines);
}
