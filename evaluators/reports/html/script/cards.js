// Each evaluator as a card: its scores with their interval, its rows by how they came out, and the spread of scores.

import { button, el, head_, plain, scrollable, table, titled } from "./dom.js";
import { binned, binsInWords } from "./figures.js";
import { neutralItem } from "./sections.js";
import { showRows } from "./state.js";
import { head, names, run } from "./store.js";
import { counted, intervalText, number, ofPart, scoreText } from "./words.js";

/** @import {EvaluatorStats} from "./types.d.ts" */

/** The colours of rows by how they came out; the parts of the bar in their order. */
const COUNT_TONES = {
  passed: "good",
  failed: "wrong",
  skipped: "none",
  not_measured: "none",
  invalid: "fault",
  unjudged: "fault",
  bugs: "fault",
};

export function evaluatorSection({ id, title }) {
  const remarks = head.legend.filter((item) => item.tone !== "plain");
  const meanings = head.legend.filter((item) => item.tone === "plain");
  const items = (some) => some.map((item) => neutralItem(item));
  return titled(
    id,
    title,
    run.variants.length > 0 && variantTable(),
    el("div.cards", run.evaluators.map(evaluatorCard)),
    remarks.length > 0 && el("ul.items.remarks", items(remarks)),
    meanings.length > 0 && el("details.legend", el("summary", "What the words mean"), el("ul.items", items(meanings))),
  );
}

/** Each evaluator in a line, each variant in a column. */
function variantTable() {
  const lines = [...new Set(run.evaluators.map((one) => one.name))].map((name) => {
    const own = run.variants.map((variant) =>
      run.evaluators.find((one) => one.name === name && one.variant === variant),
    );
    return el("tr", el("th", { scope: "row" }, plain(name)), own.map(variantCell));
  });
  const [label, heads] = ["Mean scores by variant", ["evaluator", ...run.variants].map((name) => head_(plain(name)))];
  return scrollable(label, table("table", heads, el("tbody", lines), el("caption", label)));
}

/** @param {EvaluatorStats | undefined} one */
function variantCell(one) {
  if (!one) return el("td", "–");
  const interval = one.mean_ci && el("span.quiet", intervalText(one.mean_ci));
  return el("td", el("strong", meanText(one)), " ", interval);
}

/** @param {EvaluatorStats} one */
export const meanText = (one) => ofPart(one, scoreText(one.mean));
/** @param {EvaluatorStats} one */
export const passRateText = (one) => ofPart(one, scoreText(one.pass_rate));

/** @param {EvaluatorStats} one */
function evaluatorCard(one) {
  const place = names.indexOf(one.name);
  const where = place < 0 ? "" : run.record.evaluators[place].where;
  const given = head.metrics.filter(([name]) => one[name] !== null);
  const metrics = given.map(([name, word, meaning]) =>
    el("span", { title: meaning }, `${word} ${scoreText(one[name])}`),
  );
  const least = one.minimum_detectable_effect;
  const filters = { evaluator: one.name, result: "failed", variant: one.variant ?? "" };
  const isTold = head.rows && place >= 0;
  const failed = counted(one.failed, "failed row");
  return el(
    "article.card",
    el("h3", plain(one.name), one.variant !== null && plain(one.variant, "bdi.variant")),
    meanLine(one),
    countBar(one),
    one.failed > 0 && head.rows && button(`Show ${failed}`, () => showRows(filters), {}, "button.link"),
    el(
      "details.figures",
      el("summary", "More figures"),
      el("p.quiet", plain(one.type), where && [" · ", plain(where)]),
      el("p", `pass rate ${passRateText(one)} `, el("span.quiet", intervalText(one.pass_rate_ci))),
      metrics.length > 0 &&
        el(
          "p.quiet",
          metrics.flatMap((metric, place) => (place ? [" · ", metric] : [metric])),
        ),
      least !== null && el("p.quiet", `${TELLS_APART} ${scoreText(least)} or more.`),
      isTold && distribution(one, place),
    ),
  );
}

const TELLS_APART = "With this many rows, two runs can be told apart when their mean scores differ by about";

/** @param {EvaluatorStats} one */
function meanLine(one) {
  const interval = one.mean_ci;
  const whisker = interval && el("div.whisker", { vars: { low: interval.low, high: interval.high } });
  return el(
    "div.mean",
    el("div", el("strong.figure", meanText(one)), " mean score"),
    one.mean !== null &&
      el("div.track", { "aria-hidden": "true" }, el("div.fill", { vars: { share: one.mean } }), whisker),
    el(
      "div.beneath.quiet",
      el("span", interval && `95 % CI ${intervalText(interval)}`),
      one.scored > 0 && passedText(one),
    ),
  );
}

/** @param {EvaluatorStats} one */
const passedText = (one) => el("span", `${number(one.passed)} of ${number(one.scored)} passed`);

/** All rows as one bar, and the same in words.
 * @param {EvaluatorStats} one */
function countBar(one) {
  const parts = Object.keys(COUNT_TONES).filter((name) => one[name] > 0);
  const sum = parts.reduce((whole, name) => whole + one[name], 0);
  const said = [...parts, "blocked", "unreadable"].filter((name) => one[name] > 0);
  const bars = parts.map((name) => el(`span.tone-${COUNT_TONES[name]}`, { vars: { share: one[name] / sum } }));
  const chips = said.map((name) => {
    const dot = el(`span.dot.tone-${COUNT_TONES[name] ?? "plain"}`, { "aria-hidden": "true" });
    return el("li", dot, `${number(one[name])} ${name.replace("_", " ")}`);
  });
  return el("div.counts", el("div.stack", { "aria-hidden": "true" }, bars), el("ul.chips", chips));
}

const [WIDTH, HEIGHT] = [240, 56];

/** The scores of all rows as bars.
 * @param {EvaluatorStats} one @param {number} place */
function distribution(one, place) {
  const bins = binned(place, one.variant);
  const most = Math.max(...bins);
  if (!most) return null;
  const step = WIDTH / bins.length;
  const bars = bins.map((size, index) => {
    const height = Math.max(2, (size / most) * HEIGHT);
    const kind = index === bins.length - 1 ? "rect.bar-full" : "rect.bar";
    return size > 0 && el(kind, { x: index * step + 1, width: step - 2, y: HEIGHT - height, height });
  });
  const axis = el("line.axis", { x1: 0, x2: WIDTH, y1: HEIGHT + 0.5, y2: HEIGHT + 0.5 });
  const drawn = { viewBox: `0 0 ${WIDTH} ${HEIGHT + 1}`, preserveAspectRatio: "none", role: "img" };
  const ends = ["0", "scores", "1"].map((text) => el("span", text));
  return el(
    "figure.distribution",
    el("svg", { ...drawn, "aria-label": `Scores: ${binsInWords(bins)}` }, bars, axis),
    el("figcaption", { "aria-hidden": "true" }, ends),
  );
}
