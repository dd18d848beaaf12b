// The page, from top to bottom.

import { evaluatorSection } from "./cards.js";
import { comparedSections } from "./comparison.js";
import { el, refill } from "./dom.js";
import { labelSection } from "./labels.js";
import { linesOf, parsed, unpack } from "./lines.js";
import { mistakeSection } from "./mistakes.js";
import { refreshRow, rowDialog } from "./row.js";
import { AFTER_ROWS, keepClear, navigation, neutralSection, verdictHeader } from "./sections.js";
import { applyTheme, choose, followAddress, listeners, readState, state } from "./state.js";
import { head, indexOutcomes, isSmall, keyOf, openHead, openRows, rowOfKey, rows } from "./store.js";
import { focusLine, followPrinter, redraw, refreshRows, rowSection, view } from "./table.js";
import { fieldSection, sliceSection } from "./tables.js";
import { learnWords } from "./words.js";

/** The sections of a run that are drawn in a way of their own, by their ids. */
const DRAWN = { fields: fieldSection, mistakes: mistakeSection, evaluators: evaluatorSection, slices: sliceSection };
/** Those that come first, in the order of a reader's questions: which field is worst and why, how good it is, whether that is enough. */
const FIRST = ["fields", "mistakes", "evaluators", "gates"];

function runSections() {
  const rank = ({ id }) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
  const wanted = head.sections.filter((section) => section.title).sort((one, other) => rank(one) - rank(other));
  const made = wanted.map((section) => {
    if (section.id in DRAWN) return DRAWN[section.id](section);
    return section.labels === undefined ? neutralSection(section) : labelSection(section);
  });
  const isAfter = (_, place) => AFTER_ROWS.includes(wanted[place].id);
  const before = made.filter((_, place) => !isAfter(_, place));
  return [...before, rowSection(), ...made.filter(isAfter)].filter(Boolean);
}

/** The sections of any other page. */
async function otherSections() {
  const comparison = head.compared ? { ...head.compared, rows: linesOf(await unpack("compared")) } : null;
  const chosen = () => ({ change: state.change, evaluator: state.evaluator, field: state.field, q: state.q });
  const { made, show } = comparedSections(head.sections, comparison, chosen, choose);
  listeners.push(show);
  return made;
}

/** The rows of the table, for the one that is opened. */
const listed = {
  next: (key, step) => {
    const place = view.rows.indexOf(rowOfKey(key));
    const row = place < 0 ? undefined : view.rows[place + step];
    return row === undefined ? undefined : keyOf(row);
  },
  focus: () => focusLine(view.focus),
};

async function openReport() {
  openHead(parsed(await unpack("head")));
  if (head.words) learnWords(head.words);
  if (!head.run) return;
  await openRows();
  if (isSmall()) await indexOutcomes();
}

async function main() {
  const report = document.getElementById("report");
  readState();
  applyTheme();
  try {
    await openReport();
  } catch (error) {
    const said = `This report cannot be opened: ${error instanceof Error ? error.message : error}. It needs a browser from 2024 or later, and the whole file.`;
    refill(report, el("p", { role: "alert" }, said));
    return;
  }
  document.title = [head.title, head.headline].filter(Boolean).join(": ");
  const made = head.run ? runSections() : await otherSections();
  refill(report, verdictHeader(), navigation(made), el("main", made), head.rows && rowDialog(listed));
  keepClear();
  followAddress();
  followPrinter();
  addEventListener("resize", () => {
    keepClear();
    redraw();
  });
  if (rows.count) {
    listeners.push(refreshRows, refreshRow);
    await refreshRows();
    await refreshRow();
  }
  report?.setAttribute("data-ready", "yes");
}

main();
