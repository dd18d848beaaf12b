// The verdict at the top, and the sections that reports in other formats have as well.

import { button, el, goTo, head_, plain, scrollable, table, titled } from "./dom.js";
import { badge, TONE_SIGNS } from "./marks.js";
import { applyTheme, choose, isDark, listeners } from "./state.js";
import { head } from "./store.js";
import { counted } from "./words.js";

/** @import {Bin, Block, Item, Section} from "./types.d.ts" */

const MOST_CAUSES = 5;
/** The sections that stand below the rows. */
export const AFTER_ROWS = ["problems", "warnings", "notes", "result"];
const MOST_LINKS = 7;
const ROWS = ["section-rows", "section-changed-rows"];
/** The columns whose cells are words for how something ended. */
const VERDICTS = ["verdict", "finding"];

/** @param {Section} section */
export function neutralSection(section) {
  const blocks = section.blocks.map((block) => neutralBlock(block, `${section.title ?? "Opening"}, table`));
  const plot = section.bins && section.bins.length > 0 && calibration(section.bins);
  if (!section.title) return el("div.opening", blocks);
  if (!section.folded) return titled(section.id, section.title, [plot, ...blocks]);
  const lines = section.blocks.reduce((sum, block) => sum + (block.rows?.length ?? 0), 0);
  return titled(section.id, section.title, el("details", el("summary", `Show ${counted(lines, "line")}`), blocks));
}

const SIDE = 200;

/** The share that is right, over the confidence: on the diagonal the two are the same. The table below has the numbers.
 * @param {Bin[]} bins */
export function calibration(bins) {
  const axis = el("line.axis", { x1: 0, x2: SIDE, y1: SIDE - 0.5, y2: SIDE - 0.5 });
  const diagonal = el("line.diagonal", { x1: 0, x2: SIDE, y1: SIDE, y2: 0 });
  const drawn = {
    viewBox: `0 0 ${SIDE} ${SIDE}`,
    role: "img",
    "aria-label": "Share that is right, over the confidence",
  };
  const bars = bins.map((one) => el("rect.bar", barOf(one), el("title", one.said)));
  const intervals = bins.flatMap((one) => (one.ci ? [el("line.interval", intervalOf(one, one.ci))] : []));
  const ends = (name) => ["0", name, "1"].map((text) => el("span", text));
  return el(
    "figure.calibration",
    el("div.upright.quiet", { "aria-hidden": "true" }, ends("right")),
    el("svg", drawn, bars, axis, diagonal, intervals),
    el("figcaption.quiet", { "aria-hidden": "true" }, ends("confidence")),
    el(
      "p.quiet",
      `bars: share that is right${intervals.length ? ", with its 95 % CI" : ""}; dashes: what the confidence says`,
    ),
  );
}

/** Where the bar of a bin stands: as wide as its confidences, as high as the share that is right. One without any is a thin line: a bin
 * without rows has none.
 * @param {Bin} bin */
export function barOf({ low, high, right }) {
  const height = Math.max(2, right * SIDE);
  return { x: low * SIDE + 1, width: (high - low) * SIDE - 2, y: SIDE - height, height };
}

/** @param {Bin} bin @param {[number, number]} ci */
function intervalOf({ low, high }, [least, most]) {
  const x = ((low + high) / 2) * SIDE;
  return { x1: x, x2: x, y1: (1 - least) * SIDE, y2: (1 - most) * SIDE };
}

/** @param {Block} block @param {string} label */
export function neutralBlock(block, label) {
  if (block.items) return el("ul.items", block.items.map(neutralItem));
  if (block.columns) return neutralTable(block, label);
  return el(`p.tone-${block.tone}`, withCode(block.text ?? ""));
}

/** A text of ours, in which a pair of back-ticks marks what is written in a suite or a terminal.
 * @param {string} text */
export const withCode = (text) =>
  text.split(/`([^`]+)`/).map((part, place) => (place % 2 ? el("code", part) : part && plain(part)));

/** @param {Item} item */
export function neutralItem(item) {
  return el(
    `li.tone-${item.tone}`,
    item.link ? el("a", { href: item.link, rel: "noopener noreferrer" }, plain(item.text)) : withCode(item.text),
    item.quote.length > 0 && el("pre", { tabindex: "0" }, item.quote.join("\n")),
    item.details.map((line) => el("div.hint", withCode(line))),
  );
}

/** @param {Block} block @param {string} label */
function neutralTable({ columns = [], rows = [], tones = [] }, label) {
  const heads = columns.map(([text, isNumber]) => head_(text, isNumber ? "th.number" : "th"));
  const lines = rows.map((cells, place) => {
    const tone = tones[place] ?? "plain";
    const made = cells.map((cell, column) => {
      const [name, isNumber] = columns[column];
      return el(isNumber ? "td.number" : "td", VERDICTS.includes(name) ? badge(cell, tone) : plain(cell));
    });
    return el(`tr.tone-${tone}`, made);
  });
  return scrollable(label, table("table", heads, el("tbody", lines)));
}

export function verdictHeader() {
  const [ending, ...rest] = head.sections.find((section) => section.id === "result")?.blocks ?? [];
  const causes = rest.flatMap((block) => (block.items ? firstCauses(block.items) : []));
  const openings = head.sections.filter((section) => !section.title);
  return el(
    `header.verdict.verdict-${head.tone}`,
    el("div.bar", el("span.brand", "evaluation report"), themeButton()),
    el("h1", plain(head.title)),
    head.headline &&
      el("p.headline", el("span.seal", { "aria-hidden": "true" }, TONE_SIGNS[head.tone]), plain(head.headline)),
    !head.run && causes, // a comparison may fail for one field though nothing differs clearly: the cause stands below the word
    head.verdict?.map((sentence) => el("p.sentence", plain(sentence))),
    el("div.result", head.run && causes, ending && el("p.quiet", withCode(ending.text ?? ""))),
    openings.map(neutralSection),
  );
}

/** The first causes of the exit code, which other reports have at their end, and a way to the others.
 * @param {Item[]} items */
function firstCauses(items) {
  const more = items.length - MOST_CAUSES;
  return [
    neutralBlock({ items: items.slice(0, MOST_CAUSES) }, "Causes"),
    more > 0 && button(counted(more, "more cause"), () => goTo("section-result"), {}, "button.link"),
  ];
}

function themeButton() {
  const made = button("", () => choose({ theme: isDark() ? "light" : "dark" }), {}, "button.theme");
  const show = () => {
    applyTheme();
    made.textContent = isDark() ? "Light theme" : "Dark theme";
  };
  listeners.push(show);
  show();
  return made;
}

/** Links to the parts: of many the first and the rows, and a button that shows the others.
 * @param {any[]} made */
export function navigation(made) {
  const links = made.map((section) => button(section.querySelector("h2").textContent, () => goTo(section.id)));
  const isLater = ({ id }, place) => made.length > MOST_LINKS && place >= MOST_LINKS - 2 && !ROWS.includes(id);
  const later = links.filter((_, place) => isLater(made[place], place));
  for (const link of later) link.hidden = true;
  const more = button(`${later.length} more`, () => {
    for (const link of later) link.hidden = false;
    more.remove();
    keepClear();
    later[0].focus();
  });
  return links.length > 2 && el("nav", { "aria-label": "Parts of the report" }, links, later.length > 0 && more);
}

/** A part that is jumped to stops below the links, which may take two lines. */
export function keepClear() {
  const links = document.querySelector("nav");
  if (links) document.documentElement.style.setProperty("--links", `${links.offsetHeight}px`);
}
