// The suite as lines: one for each check and field, with its comparator in plain words. Whatever is changed here is written into the text.

import { button, el, fill, plain, refill } from "../../../reports/html/script/dom.js";
import { fieldName } from "../../../reports/html/script/paths.js";
import { withCode } from "../../../reports/html/script/sections.js";
import { counted, intervalText, scoreText } from "../../../reports/html/script/words.js";
import { chooseCheck } from "./add_check.js";
import { change, suite, textNow } from "./document.js";
import { gatePart } from "./gates.js";
import { announce, tried } from "./notices.js";
import { atRest, control, onlyInText, settingsInWords, shareOf, wordMenu } from "./settings.js";
import { columnOf, figuresOf } from "./share.js";

/** @import {AdviceLine, Check, Choice, FieldLine, Scored, Started} from "./types.d.ts" */
/** @typedef {{started: Started, go: (line: number) => void, scored: () => Scored | null, advice: () => AdviceLine[], tryOut: (line: AdviceLine) => void}} Around */

const node = el("div.form");
/** @type {Around} */
let around;
let drawn = "";
/** The lines of fields as they are drawn, by what they show: of hundreds one changes.
 * @type {Map<string, any>} */
let drawnLines = new Map();
/** @type {Map<string, any>} */
let nextLines = new Map();
/** @type {Set<string>} The parts that somebody opened. */
const opened = new Set();

/** @param {Around} given */
export function suiteForm(given) {
  around = given;
  return node;
}

/** Writes an edit into the text. One that is refused leaves no trace in its control.
 * @param {Record<string, unknown>} what */
async function edit(what) {
  const before = textNow();
  await tried(() => change(what));
  if (textNow() !== before) return;
  [drawn, drawnLines] = ["", new Map()];
  drawForm();
}

const askCheck = () =>
  chooseCheck(around.started.checks, async (type) => {
    await edit({ edit: "add-check", type });
    announce(`${type} is added.`);
  });

/** Draws the form where it changed, and keeps the focus and what is being typed. */
export function drawForm() {
  const { form } = suite;
  if (!form) {
    drawn = "";
    refill(node, el("p.quiet", "The text cannot be read yet: see what it says beside it."));
    return;
  }
  const wanted = JSON.stringify(form);
  if (wanted === drawn) return;
  drawn = wanted;
  nextLines = new Map();
  const focused = /** @type {any} */ (node.contains(document.activeElement) ? document.activeElement : null);
  const key = focused?.dataset.keep;
  const isTyped = focused?.matches("input:not([type=checkbox]), textarea") && focused.value !== focused.defaultValue;
  refill(
    node,
    el("h2.unseen", "Checks and fields"),
    form.checks.map(checkCard),
    el("p.actions", button("Add check", askCheck, { "data-keep": "add-check" })),
    gatePart(form, around.scored, edit),
    onlyInText(form.text_only) && el("p", onlyInText(form.text_only)),
  );
  drawnLines = nextLines;
  const again = key && node.querySelector(`[data-keep="${CSS.escape(key)}"]`);
  if (again) {
    if (isTyped) again.value = focused.value;
    again.focus({ preventScroll: true });
  }
  drawMarks();
}

/** Puts what the rows came to beside each line: no line is made anew for it. */
export function drawMarks() {
  const scored = around.scored();
  for (const mark of node.querySelectorAll("[data-mark]")) {
    const [place, field] = JSON.parse(String(mark.getAttribute("data-mark")));
    refill(mark, field === null ? checkMark(scored, place) : fieldMark(scored, place, field));
  }
  for (const list of node.querySelectorAll("[data-advice]")) {
    const [place, field] = JSON.parse(String(list.getAttribute("data-advice")));
    refill(
      list,
      around
        .advice()
        .filter((one) => one.place === place && one.field === (fieldIn(place, field) ?? ""))
        .map(adviceItem),
    );
  }
}

const checkAt = (place) => suite.form?.checks.find((one) => one.place === place);
/** The name that results have for a field of the form. */
const fieldIn = (place, path) => (path === null ? "" : columnOf(around.scored(), checkAt(place), path)?.field);

function checkMark(scored, place) {
  return figuresOf(scored, checkAt(place)?.name ?? "").map(({ variant = "", mean, scored: count, low, high }) => {
    const interval = low === null || low === undefined ? "" : intervalText({ low, high: high ?? 1 });
    const named = variant && [plain(variant), " "];
    return el(
      "span.figure-of",
      named,
      el("strong", scoreText(mean)),
      ` mean score ${interval} of ${counted(count, "row")}`,
    );
  });
}

function fieldMark(scored, place, path) {
  const found = columnOf(scored, checkAt(place), path);
  return found && shareOf(found.right ?? 0, found.of ?? 0);
}

/** @param {AdviceLine} line */
function adviceItem(line) {
  return el(
    "li.advice",
    el("span", withCode(line.said)),
    line.write && el("code", plain(line.write)),
    line.edit &&
      button("Try", () => around.tryOut(line), { "data-keep": `try ${line.place} ${line.field} ${line.write}` }),
    line.edit &&
      button("Apply", () => edit(/** @type {Record<string, unknown>} */ (line.edit)), {
        "data-keep": `apply ${line.place} ${line.field} ${line.write}`,
      }),
  );
}

/** @param {Check} check */
function checkCard(check) {
  const { place, name, type, does, line, fields = [], options = {}, editable = true } = check;
  const known = around.started.checks.find((one) => one.name === type);
  const title = button(
    plain(name),
    () => around.go(line),
    { title: "Show it in the text", "data-keep": `check ${place}` },
    "button.link",
  );
  return el(
    "article.check-card",
    el(
      "header",
      el("h3", title, name !== type && el("span.quiet", " ", plain(type))),
      el("span.mark-here", { "data-mark": JSON.stringify([place, null]) }),
      editable && removal(`Remove ${name}`, { edit: "remove-check", place }),
    ),
    el("p.quiet", plain(does), " ", onlyInText(check.text_only)),
    checkComparator(check, editable),
    known && checkSettings(check, known, options, editable),
    el("ul.advices", { "data-advice": JSON.stringify([place, null]) }),
    fields.length > 0 &&
      el(
        "ul.field-lines",
        fields.map((one) => keptLine(one, editable)),
      ),
    check.lists_fields && editable && newField(check),
    !editable && el("p.quiet", "It comes from another file, or is written with an anchor: it is changed in the text."),
  );
}

/** What compares the cells of an evaluator, with their columns.
 * @param {Check} check @param {boolean} editable */
function checkComparator({ place, name, compare = null, columns = [] }, editable) {
  const said = columns.length > 0 && el("span.quiet", plain(columns.join(" with ")));
  if (compare === null) return said && el("p", said);
  const set = () => edit({ edit: "check", place, options: { compare: menu.value || null } });
  const own = suite.form?.own_comparators ?? [];
  const properties = { "data-keep": `check ${place} compare`, disabled: !editable, change: atRest(() => set()) };
  const usual = { name: "", words: "to the letter, but for its settings", does: "", group: "start here" };
  const choices = [usual, ...around.started.comparators.filter((one) => one.name !== "exact")];
  const menu = wordMenu(`How ${name} is compared`, choices, compare, own, properties);
  return el("p.check-compare", said, menu);
}

const removal = (label, what) => button("Remove", () => edit(what), { "aria-label": label }, "button.quiet-button");

/** What is inside is only made once it is opened: of hundreds of fields few are.
 * @param {string} key @param {any} summary @param {() => any} make */
function foldable(key, summary, make) {
  const made = el("details", { open: opened.has(key) }, el("summary", { "data-keep": key }, summary));
  const fillOnce = () => made.childElementCount === 1 && fill(made, [make()]);
  if (made.open) fillOnce();
  made.addEventListener("toggle", () => {
    if (made.open) opened.add(key);
    else opened.delete(key);
    if (made.open) fillOnce();
  });
  return made;
}

/** @param {Check} check @param {Choice} known @param {Record<string, unknown>} options @param {boolean} editable */
function checkSettings({ place }, known, options, editable) {
  const all = known.options ?? [];
  if (!all.length) return null;
  const said = settingsInWords(options);
  const set = (name) => (value) => edit({ edit: "check", place, options: { [name]: value } });
  const made = (option) =>
    control(option, options[option.name], `check-${place}-${option.name}`, set(option.name), !editable);
  const summary = ["Settings", said && [": ", plain(said)]];
  return foldable(`settings ${place}`, summary, () => el("div.settings", all.map(made)));
}

/** A line that shows the same as before is the same one; where it stands in the text may change.
 * @param {FieldLine} field @param {boolean} isOpen */
function keptLine(field, isOpen) {
  const key = JSON.stringify([{ ...field, line: field.line > 0 }, isOpen, suite.form?.own_comparators]);
  const made = drawnLines.get(key) ?? fieldLine(field, isOpen);
  nextLines.set(key, made);
  return made;
}

/** @param {number} place @param {string} path */
const goToField = (place, path) => around.go(checkAt(place)?.fields?.find((one) => one.path === path)?.line ?? 0);

/** @param {FieldLine} field @param {boolean} isOpen */
function fieldLine(field, isOpen) {
  const { evaluator, path, line, compare, options = {}, skip = false, weight = null } = field;
  const editable = isOpen && (field.editable ?? true);
  const key = `field ${evaluator} ${path}`;
  const set = (what) => edit({ edit: "field", evaluator, path, ...what });
  const menu = wordMenu(
    `How ${path} is compared`,
    around.started.comparators,
    compare,
    suite.form?.own_comparators ?? [],
    {
      "data-keep": `${key} compare`,
      disabled: !editable || skip,
      change: atRest(() => set({ compare: menu.value, options: {} })),
    },
  );
  const said = [
    skip && "left out",
    settingsInWords(options),
    field.align && `paired: ${alignmentWords(field.align)}`,
    weight !== null && weight !== 1 && `weight ${weight}`,
    field.required && "required",
  ].filter(Boolean);
  return el(
    "li.field-line",
    button(
      plain(fieldName(path), "bdi.path"),
      () => goToField(evaluator, path),
      { title: "Show it in the text", "data-keep": key, disabled: !line },
      "button.link",
    ),
    menu,
    el("span.mark-here", { "data-mark": JSON.stringify([evaluator, path]) }),
    foldable(`${key} more`, ["Settings", said.length > 0 && [": ", plain(said.join(", "))]], () =>
      fieldSettings(field, set, editable),
    ),
    onlyInText(field.text_only),
    el("ul.advices", { "data-advice": JSON.stringify([evaluator, path]) }),
  );
}

const alignmentWords = (name) => around.started.alignments.find((one) => one.name === name)?.words ?? name;

/** @param {FieldLine} field @param {(what: Record<string, unknown>) => void} set @param {boolean} editable */
function fieldSettings(field, set, editable) {
  const { evaluator, path, options = {} } = field;
  const key = (name) => `field-${evaluator}-${path}-${name}`;
  const known = around.started.comparators.find((one) => one.name === field.compare);
  const own = (known?.options ?? []).map((option) =>
    control(
      option,
      options[option.name],
      key(option.name),
      (value) => set({ options: withOption(options, option.name, value) }),
      !editable,
    ),
  );
  const simple = (name, kind, value, meaning, usual) =>
    control({ name, kind, meaning, default: usual }, value, key(name), (given) => set({ [name]: given }), !editable);
  return el(
    "div.settings",
    known && el("p.quiet", plain(known.does)),
    own,
    alignSetting(field, set, editable, key),
    simple("weight", "number", field.weight, "How much it counts in the score of the row.", 1),
    simple("required", "switch", field.required, "A row in which it is wrong does not pass.", false),
    simple("skip", "switch", field.skip, "It is left out of the score.", false),
    editable && removal(`Remove ${path}`, { edit: "remove-field", evaluator, path }),
  );
}

/** The settings with one of them changed; null takes it away.
 * @param {Record<string, unknown>} options @param {string} name @param {unknown} value */
export const withOption = (options, name, value) =>
  Object.fromEntries([
    ...Object.entries(options).filter(([one]) => one !== name),
    ...(value === null ? [] : [[name, value]]),
  ]);

/** @param {FieldLine} field @param {(what: Record<string, unknown>) => void} set @param {boolean} editable @param {(name: string) => string} key */
function alignSetting(field, set, editable, key) {
  const { align = "", align_key = "" } = field;
  const select = el("select", { "data-keep": key("align"), disabled: !editable });
  const names = around.started.alignments.map(({ name, words }) => el("option", { value: name }, words));
  fill(select, [el("option", { value: "" }, "not a list, or as it is written"), names]);
  select.value = align;
  const keyed = el("input", {
    type: "text",
    value: align_key,
    "data-keep": key("align-key"),
    disabled: !editable,
    autocomplete: "off",
  });
  const write = () => {
    if (select.value === "key_field" && !keyed.value) {
      byKey.hidden = false;
      keyed.focus();
    } else set({ align: select.value || null, ...(select.value === "key_field" ? { align_key: keyed.value } : {}) });
  };
  select.addEventListener("change", write);
  keyed.addEventListener("change", write);
  const byKey = el("label", { hidden: align !== "key_field" }, el("span", "matched by the key"), keyed);
  return el("div.setting", el("label", el("span", "items of a list"), select), byKey);
}

/** @param {Check} check */
function newField({ place, name }) {
  const input = el("input", {
    type: "text",
    placeholder: "customer.name or items[*].price",
    autocomplete: "off",
    spellcheck: "false",
    "data-keep": `new-field ${place}`,
  });
  const menu = wordMenu("How it is compared", around.started.comparators, "exact", suite.form?.own_comparators ?? [], {
    "data-keep": `new-compare ${place}`,
  });
  const add = async (event) => {
    event.preventDefault();
    const path = input.value.trim();
    if (!path) return input.focus();
    input.value = "";
    await edit({ edit: "field", evaluator: place, path, compare: menu.value });
    announce(`${path} is added.`);
  };
  return el(
    "form.new-field",
    { submit: add },
    el("label", el("span.unseen", `New field of ${name}`), input),
    menu,
    button("Add field", null, { type: "submit" }),
  );
}
