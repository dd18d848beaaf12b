// Two runs compared: the fields with their intervals and verdicts, and below them the rows that changed.

import { comparedSections } from "../../../reports/html/script/comparison.js";
import { button, el, plain, refill } from "../../../reports/html/script/dom.js";
import { inflated, linesOf } from "../../../reports/html/script/lines.js";
import { badge } from "../../../reports/html/script/marks.js";
import { neutralSection } from "../../../reports/html/script/sections.js";
import { learnWords } from "../../../reports/html/script/words.js";
import { ask, reportOf } from "./api.js";
import { commandLine, tried } from "./notices.js";

/** A section without what its command line offers after the first list.
 * @param {any} section */
const withoutMore = (section) => neutralSection({ ...section, blocks: section.blocks.slice(0, 1) });

/** Shows a comparison in a part of the page. `common`: in what both have, whatever else differs.
 * @param {any} part @param {string} base @param {string} after @param {boolean} [common] */
export async function showComparison(part, base, after, common = false) {
  refill(part, el("p.quiet", { role: "status" }, "Comparing…"));
  const found = await tried(() => ask("compare", { base, new: after, common }));
  if (!found) {
    refill(part);
    return;
  }
  const { head, lines, command } = found;
  learnWords(head.words);
  const rows = linesOf(await inflated(lines.compared ?? ""));
  const comparison = head.compared && {
    base: { ...head.compared.base, link: reportOf(base) },
    new: { ...head.compared.new, link: reportOf(after) },
    notes: head.compared.notes,
    rows,
  };
  const now = { change: "", evaluator: "", field: "", q: "" };
  const pick = (changes) => {
    Object.assign(now, changes);
    show();
  };
  const { made, show } = comparedSections(head.sections, comparison, () => now, pick);
  const anew = () => showComparison(part, base, after, true);
  const title = el("h2", { tabindex: "-1" }, plain(head.title));
  const parts = found.refused
    ? [
        head.sections.filter((section) => section.id === "what-differs").map(withoutMore),
        el("p", "So their scores are not held against each other as they are."),
        el("p.actions", button("Compare what both have in common", anew, {}, "button.main")),
      ]
    : [head.sections.filter((section) => !section.title).map(neutralSection), made];
  const ended = found.refused ? badge("the two are not alike", "warning") : badge(head.headline, head.tone);
  refill(part, el("header.comparison-head", title, ended), parts, commandLine(command));
  title.focus();
}
