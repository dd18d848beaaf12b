// The most frequent mistakes: those of a field stand below it, the others in a section of their own. Each leads to its rows.

import { button, el, plain, titled } from "./dom.js";
import { fieldName } from "./paths.js";
import { withCode } from "./sections.js";
import { showRows } from "./state.js";
import { head, run } from "./store.js";
import { counted } from "./words.js";

/** @import {Mistake, Section} from "./types.d.ts" */

const NAMED_ROWS = 3;

/** The mistake of an address; undefined where it names none.
 * @param {string} key @returns {Mistake | undefined} */
export const mistakeOfKey = (key) => (key === "" ? undefined : head.mistakes[Number(key)]);

/** @param {string} evaluator @param {string | null} variant @param {string} field */
export const mistakesOf = (evaluator, variant, field) =>
  head.mistakes.filter((one) => one.evaluator === evaluator && one.variant === variant && one.field === field);

/** The mistakes of no field that the table of fields lists.
 * @param {Section} section */
export function mistakeSection({ id, title }) {
  const shown = new Set(head.weakest.flatMap(([place, field]) => ownMistakes(place, field)));
  const others = head.mistakes.filter((one) => !shown.has(one));
  const heading = shown.size ? String(title).replace("Most", "Other") : String(title);
  return others.length
    ? titled(
        id,
        heading,
        el(
          "ul.items",
          others.map((one) => mistakeLine(one, true)),
        ),
      )
    : null;
}

/** @param {number} place @param {number} field */
function ownMistakes(place, field) {
  const { name, variant, fields } = run.evaluators[place];
  return mistakesOf(name, variant, fields[field].path);
}

/** @param {Mistake} one @param {boolean} isNamed It says what it is about. */
export function mistakeLine(one, isNamed) {
  const { evaluator, variant, field, said, count, rows, forgiven } = one;
  const filters = { evaluator, variant: variant ?? "", mistake: String(head.mistakes.indexOf(one)) };
  const show = button(plain(said), () => showRows(filters), {}, "button.link");
  const about = [variant, evaluator, field && fieldName(field)].filter(Boolean).join(" · ");
  return el(
    "li.mistake",
    el("b", count),
    " ",
    isNamed && [plain(about), ": "],
    head.rows ? show : plain(said),
    el("span.quiet", ` · ${rowsText(rows)}`),
    forgiven && el("span.quiet", " · forgiven by ", withCode(`\`${forgiven}\``)),
  );
}

/** @param {number[]} rows */
function rowsText(rows) {
  const named = rows.slice(0, NAMED_ROWS).join(", ");
  return rows.length > NAMED_ROWS
    ? `${counted(rows.length, "row")}: ${named} …`
    : `row${rows.length === 1 ? "" : "s"} ${named}`;
}

/** A mistake in a choice.
 * @param {Mistake} one */
export const mistakeName = ({ field, said, count }) =>
  `${field ? `${fieldName(field)}: ` : ""}${said.slice(0, LONGEST)} (${count})`;
const LONGEST = 60;
