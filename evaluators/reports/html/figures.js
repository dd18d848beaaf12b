// The figures of the run: the verdict, each evaluator with its scores, the slices, and the sections of other reports.

const TONE_SIGNS = { good: "✓", bad: "✕", warning: "!", note: "i", plain: "" };

const takenIds = new Set();

/** A name for a section that no other has. */
function idFor(title) {
  const name = `section-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
  let id = name;
  for (let place = 2; takenIds.has(id); place++) id = `${name}-${place}`;
  takenIds.add(id);
  return id;
}

function titled(title, ...children) {
  const id = idFor(title);
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title`, tabindex: "-1", text: title }), children);
}

/** Its sentences are ours, and back-ticks in them mark what is written in a suite. */
const WITH_CODE = "Near misses";

/** A section that reports in other formats have as well. */
function neutralSection(section) {
  const write = section.title === WITH_CODE ? withCode : plain;
  const blocks = section.blocks.map((block) => neutralBlock(block, `${section.title || "Opening"}, table`, write));
  return section.title ? titled(section.title, blocks) : el("div", { class: "opening" }, blocks);
}

function neutralBlock(block, label, write = plain) {
  if (block.items) return el("ul", { class: "items" }, block.items.map((item) => neutralItem(item, write)));
  if (block.columns) return neutralTable(block, label);
  return el("p", { class: `tone-${block.tone}` }, plain(block.text));
}

/** A text in which what is between back-ticks is set as code. */
function withCode(text) {
  return text.split("`").map((part, place) => (place % 2 ? el("code", { text: part }) : plain(part)));
}

function neutralItem(item, write = plain) {
  return el(
    "li", { class: `tone-${item.tone}` },
    item.link ? el("a", { href: item.link, rel: "noopener noreferrer" }, plain(item.text)) : write(item.text),
    item.quote.length > 0 && el("pre", { tabindex: "0", text: item.quote.join("\n") }),
    item.details.map((line) => el("div", { class: "hint" }, plain(line))),
  );
}

function neutralTable(table, label) {
  const heads = table.columns.map(([head, right]) => el("th", { scope: "col", class: right && "number", text: head }));
  const lines = table.rows.map((cells, index) => neutralRow(cells, table, table.tones[index] || "plain"));
  return scrollable(label, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, lines)));
}

function neutralRow(cells, table, tone) {
  const made = cells.map((cell, index) => {
    const word = ["verdict", "finding"].includes(table.columns[index][0]);
    return el("td", { class: table.columns[index][1] ? "number" : null }, word ? badge(cell, tone) : plain(cell));
  });
  return el("tr", { class: `tone-${tone}` }, made);
}

function badge(word, tone) {
  return el("span", { class: `badge badge-${tone}` }, el("span", { "aria-hidden": "true", text: TONE_SIGNS[tone] }), plain(word.toLowerCase()));
}

function evaluatorSection() {
  const cards = head.evaluators.map(evaluatorCard);
  const remarks = head.legend.filter((item) => item.tone !== "plain");
  const words = head.legend.filter((item) => item.tone === "plain");
  return titled(
    "Evaluators",
    head.variants.length > 0 && variantTable(),
    el("div", { class: "cards" }, cards),
    remarks.length > 0 && el("ul", { class: "items remarks" }, remarks.map((item) => neutralItem(item))),
    words.length > 0 && el("details", { class: "legend" }, el("summary", { text: "What the words mean" }), el("ul", { class: "items" }, words.map((item) => neutralItem(item)))),
  );
}

/** Each evaluator in a line, each variant in a column. */
function variantTable() {
  const heads = ["evaluator", ...head.variants].map((name) => el("th", { scope: "col" }, plain(name)));
  const names = [...new Set(head.evaluators.map((one) => one.name))];
  const lines = names.map((name) => el(
    "tr", {}, el("th", { scope: "row" }, plain(name)),
    head.variants.map((variant) => variantCell(head.evaluators.find((one) => one.name === name && one.variant === variant))),
  ));
  return scrollable("Mean scores by variant", el("table", {}, el("caption", { text: "Mean scores by variant" }), el("thead", {}, el("tr", {}, heads)), el("tbody", {}, lines)));
}

function variantCell(one) {
  if (!one) return el("td", { text: "–" });
  const interval = one.mean_ci && `[${one.mean_ci.map(scoreText).join(", ")}]`;
  return el("td", {}, el("strong", { text: one.mean_text }), " ", interval && el("span", { class: "quiet", text: interval }));
}

function evaluatorCard(one) {
  const place = head.names.indexOf(one.name);
  return el(
    "article", { class: "card" },
    el("h3", {}, plain(one.name), one.variant !== null && el("span", { class: "variant" }, plain(one.variant))),
    el("p", { class: "quiet" }, plain(one.type), one.where && [" · ", plain(one.where)]),
    meanLine(one),
    el("p", {}, `pass rate ${one.pass_rate} `, one.pass_rate_ci && el("span", { class: "quiet", text: one.pass_rate_ci })),
    countBar(one),
    one.metrics.length > 0 && el("p", { class: "quiet", text: one.metrics.map((pair) => pair.join(" ")).join(" · ") }),
    one.minimum_detectable_effect && el("p", { class: "quiet", text: `With this many rows, two runs can be told apart when their mean scores differ by about ${one.minimum_detectable_effect} or more.` }),
    distribution(one, place),
    one.counts.failed > 0 && head.rows && button(
      `Show ${counted(one.counts.failed, "failed row")}`, () => showRows({ evaluator: one.name, result: "failed", variant: one.variant || "" }), { class: "link" },
    ),
  );
}

function meanLine(one) {
  const interval = one.mean_ci;
  const said = interval ? `95 % CI ${interval.map(scoreText).join(" to ")}` : "";
  return el(
    "div", { class: "mean" },
    el("div", {}, el("strong", { class: "figure", text: one.mean_text }), " mean score"),
    one.mean !== null && el(
      "div", { class: "track", "aria-hidden": "true" },
      el("div", { class: "fill", vars: { share: one.mean } }),
      interval && el("div", { class: "whisker", vars: { low: interval[0], high: interval[1] } }),
    ),
    said && el("div", { class: "quiet", text: said }),
  );
}

const COUNT_TONES = { passed: "good", failed: "wrong", skipped: "none", not_measured: "none", invalid: "fault", unjudged: "fault", bugs: "fault" };

/** All rows as one bar, and the same in words. */
function countBar(one) {
  const parts = Object.entries(COUNT_TONES).filter(([name]) => one.counts[name] > 0);
  const sum = parts.reduce((whole, [name]) => whole + one.counts[name], 0);
  const words = ["scored", ...parts.map(([name]) => name), "blocked", "unreadable"].filter((name) => one.counts[name] > 0);
  return el(
    "div", { class: "counts" },
    el("div", { class: "stack", "aria-hidden": "true" }, parts.map(([name, tone]) => el("span", { class: `tone-${tone}`, vars: { share: one.counts[name] / sum } }))),
    el("ul", { class: "chips" }, words.map((name) => el(
      "li", {}, el("span", { class: `dot tone-${COUNT_TONES[name] || "plain"}`, "aria-hidden": "true" }), `${number(one.counts[name])} ${name.replace("_", " ")}`,
    ))),
  );
}

const BINS = 20;

/** The scores of all rows as bars: one for 0, one for 1, and steps of a twentieth between them. */
function distribution(one, place) {
  if (!head.rows || place < 0) return null;
  const bins = binned(place, one.variant);
  const most = Math.max(...bins);
  if (!most) return null;
  const [width, height] = [240, 56];
  const step = width / bins.length;
  const bars = bins.map((size, index) => size > 0 && svg("rect", {
    x: index * step + 1, width: step - 2, y: height - Math.max(2, (size / most) * height), height: Math.max(2, (size / most) * height),
    class: index === bins.length - 1 ? "bar-full" : "bar",
  }));
  const said = bins.map((size, index) => size && `${counted(size, "row")} ${binWords(index)}`).filter(Boolean).join(", ");
  return el(
    "figure", { class: "distribution" },
    svg("svg", { viewBox: `0 0 ${width} ${height + 1}`, preserveAspectRatio: "none", role: "img", "aria-label": `Scores: ${said}` }, bars, svg("line", { x1: 0, x2: width, y1: height + 0.5, y2: height + 0.5, class: "axis" })),
    el("figcaption", { "aria-hidden": "true" }, el("span", { text: "0" }), el("span", { text: "scores" }), el("span", { text: "1" })),
  );
}

function binned(evaluator, variant) {
  const bins = new Array(BINS + 2).fill(0);
  for (const group of head.rows.groups) {
    if (group.variant !== variant) continue;
    for (const code of group.codes[evaluator]) {
      const { score } = rows.verdicts[evaluator][code];
      if (score === null) continue;
      bins[score === 0 ? 0 : score === 1 ? BINS + 1 : 1 + Math.floor(score * BINS)] += 1;
    }
  }
  return bins;
}

function binWords(index) {
  if (index === 0) return "at 0";
  return index === BINS + 1 ? "at 1" : `from ${(index - 1) / BINS} to ${index / BINS}`;
}

function sliceSection() {
  if (!head.slices.length) return null;
  const many = head.variants.length > 0;
  const heads = ["slice", "evaluator", ...(many ? ["variant"] : []), "mean score", "pass rate", "95 % CI", "scored"];
  const body = el("tbody");
  const order = [...head.slices].sort((one, other) => (one.mean === null ? 2 : one.mean) - (other.mean === null ? 2 : other.mean));
  const shown = growing(body, order, 12, (slice) => sliceRow(slice, many));
  return titled(
    "Slices",
    el("p", { class: "quiet", text: "The lowest mean first. Choose a slice to see its rows." }),
    scrollable("Slices, table", el("table", {}, el("thead", {}, el("tr", {}, heads.map((text, index) => el("th", { scope: "col", class: index > (many ? 2 : 1) && "number", text })))), body)),
    shown,
    head.moreSlices > 0 && el("p", { text: `${counted(head.moreSlices, "more slice")} in run.json.` }),
  );
}

function sliceRow(slice, many) {
  const name = `${slice.column} = ${slice.value}`;
  const known = head.rows && head.rows.sliceColumns.includes(slice.column);
  const show = () => showRows({ slice: `${slice.column}=${slice.value}`, evaluator: slice.evaluator, variant: slice.variant || "" });
  return el(
    "tr", {},
    el("td", {}, known ? el("button", { type: "button", class: "link", on: { click: show } }, plain(name)) : plain(name)),
    el("td", {}, plain(slice.evaluator)), many && el("td", {}, plain(slice.variant || "")),
    el("td", { class: "number" }, shareCell(slice.mean, slice.mean_text)),
    el("td", { class: "number", text: slice.pass_rate }), el("td", { class: "number", text: slice.pass_rate_ci }),
    el("td", { class: "number", text: `${number(slice.scored)} of ${number(slice.rows)}` }),
  );
}

function shareCell(share, text) {
  return el("span", { class: "share" }, share !== null && el("span", { class: "mini", "aria-hidden": "true", vars: { share } }), text);
}

/** Fills a table body with the first lines, and makes the button that shows all of them. */
function growing(body, items, most, make) {
  fill(body, items.slice(0, most).map(make));
  if (items.length <= most) return null;
  const more = button(`Show all ${number(items.length)}`, () => {
    fill(body, items.slice(most).map(make));
    more.remove();
    body.rows[most].querySelector("button, td").focus();
  }, { class: "more" });
  return more;
}
