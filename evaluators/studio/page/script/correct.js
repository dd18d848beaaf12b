// A wrong expected answer: its right value and a reason, noted beside the test set, which stays as it is.

import { button, el, plain } from "../../../reports/html/script/dom.js";
import { spelled } from "../../../reports/html/script/lines.js";
import { fieldName } from "../../../reports/html/script/paths.js";
import { state } from "../../../reports/html/script/state.js";
import { ask } from "./api.js";
import { openDialog } from "./dialogs.js";
import { setText, suite, textNow } from "./document.js";
import { announce, complain, tried } from "./notices.js";
import { valueIn } from "./typed.js";

/** What is beside a field of the opened row that is not right. `scored` is what the row belongs to, `done` is called once the correction is kept.
 * @param {any} field @param {string} evaluator @param {() => string} scored @param {() => void} done */
export const correction = (field, evaluator, scored, done) =>
  button("The expected answer is wrong", () => askValue(field, evaluator, scored(), done));

/** A value as somebody would write it: texts without quotes, where they are read as texts again.
 * @param {unknown} value */
const written = (value) =>
  typeof value === "string" && valueIn(value).value === JSON.stringify(value) ? value : spelled(value);

/** @param {any} field @param {string} evaluator @param {string} score @param {() => void} done */
function askValue(field, evaluator, score, done) {
  const row = Number.parseInt(state.row, 10);
  openDialog(`Correct ${field.path ? fieldName(field.path) : "the expected answer"} in row ${row}`, (close) => {
    const given = "actual" in field ? written(field.actual) : "";
    const value = el("textarea", { rows: "2" });
    value.value = given;
    const reason = el("input", { type: "text", autocomplete: "off", placeholder: "the invoice says so" });
    const keep = async () => {
      const read = valueIn(value.value);
      if (read.wrong) return complain(read.wrong);
      if (!reason.value.trim()) {
        reason.focus();
        return complain("A correction has a reason: say why the expected answer is wrong.");
      }
      const text = textNow();
      const asked = { text, path: suite.path, score, row, evaluator, place: field.path, reason: reason.value.trim() };
      const found = await tried(() => ask("correct", { ...asked, value: read.value }));
      if (!found) return undefined;
      close();
      complain();
      announce(`${found.said}. It is in ${found.path}.`);
      if (textNow() === text) setText(found.text);
      return done();
    };
    return [
      el("p", "Your data stay as they are: the correction is a line in a file beside them, which the suite names."),
      "expected" in field && el("p", "Expected until now: ", el("code", plain(written(field.expected)))),
      el(
        "label.correct-part",
        el("span", "The right value"),
        value,
        field.path && el("span.hint", "The model's answer, to begin with. Empty where nothing should stand there."),
      ),
      el("label.correct-part", el("span", "Why"), reason),
      el("p.actions", button("Keep the correction", keep, {}, "button.main"), button("Cancel", close)),
    ];
  });
}
