// The page, from top to bottom.

function verdictHeader() {
  const tone = head.tone;
  const result = head.sections.find((section) => section.title === "Result");
  return el(
    "header", { class: `verdict verdict-${tone}` },
    el("div", { class: "bar" }, el("span", { class: "brand", text: "evaluation report" }), themeButton()),
    el("h1", {}, plain(head.title)),
    head.headline && el("p", { class: "headline" }, el("span", { class: "seal", "aria-hidden": "true", text: TONE_SIGNS[tone] }), plain(head.headline)),
    result && resultLines(result),
    head.sections.filter((section) => !section.title && section.blocks).map(neutralSection),
  );
}

const MOST_CAUSES = 5;

/** The first causes and the exit code, which other reports have at their end. */
function resultLines(result) {
  const [ending, ...rest] = result.blocks;
  return el("div", { class: "result" }, rest.filter((block) => block.items).map(firstCauses), el("p", { class: "quiet" }, plain(ending.text)));
}

function firstCauses(block) {
  const more = block.items.length - MOST_CAUSES;
  return [
    neutralBlock({ items: block.items.slice(0, MOST_CAUSES) }, "Causes"),
    more > 0 && button(`${counted(more, "more cause")}`, () => goTo("section-result"), { class: "link" }),
  ];
}

function themeButton() {
  const made = button("", () => choose({ theme: darkNow() ? "light" : "dark" }), { class: "theme" });
  const name = () => { made.textContent = darkNow() ? "Light theme" : "Dark theme"; };
  listeners.push(name);
  name();
  return made;
}

const DRAWN = { evaluators: evaluatorSection, fields: fieldSection, slices: sliceSection };
const AFTER_ROWS = ["Problems", "Warnings", "Notes", "Result"];

function sections() {
  const before = [];
  const after = [];
  for (const section of head.sections) {
    if (!section.title) continue;
    const made = section.draw ? DRAWN[section.draw]() : "labels" in section ? labelSection(section) : neutralSection(section);
    (AFTER_ROWS.includes(section.title) ? after : before).push(made);
  }
  return [...before, rowSection(), ...after].filter(Boolean);
}

function navigation(made) {
  const links = made.map((section) => button(section.querySelector("h2").textContent, () => goTo(section.id)));
  return links.length > 2 && el("nav", { "aria-label": "Parts of the report" }, links);
}

function neutralPage() {
  return head.sections.filter((section) => section.title).map(neutralSection);
}

/** A part that is jumped to stops below the links, which may take two lines. */
function keepClear() {
  const links = document.querySelector("nav");
  if (links) document.documentElement.style.setProperty("--links", `${links.offsetHeight}px`);
}

async function main() {
  const report = document.getElementById("report");
  readState();
  applyTheme();
  try {
    await loadHead();
  } catch (error) {
    refill(report, el("p", { role: "alert", text: `This report cannot be opened: ${error.message}. It needs a browser from 2024 or later, and the whole file.` }));
    return;
  }
  document.title = [head.title, head.headline].filter(Boolean).join(": ");
  const made = head.evaluators ? sections() : neutralPage();
  refill(report, verdictHeader(), navigation(made), el("main", {}, made), head.rows && rowDialog());
  keepClear();
  if (head.rows && rows.count) {
    listeners.push(refreshRows, refreshRow);
    refreshRows();
    await refreshRow();
  }
  report.dataset.ready = "yes";
}

window.addEventListener("resize", () => { keepClear(); if (view.box) { view.first = -1; drawLines(); } });
main();
