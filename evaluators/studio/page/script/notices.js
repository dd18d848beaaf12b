// What the page says to whoever uses it: what went wrong, problems of a suite, and the command line that does the same.

import { button, el, plain, refill, seenOnly, unseen } from "../../../reports/html/script/dom.js";
import { TONE_SIGNS } from "../../../reports/html/script/marks.js";
import { withCode } from "../../../reports/html/script/sections.js";
import { number } from "../../../reports/html/script/words.js";
import { Refusal } from "./api.js";

/** @import {Problem} from "./types.d.ts" */

const PROBLEM_TONES = { bad: "bad", warn: "warning", note: "note" };
const status = el("p.unseen", { role: "status" });
const alarm = el("div.alarm", { role: "alert" });
export const noticeBoard = el("div", status, alarm);

/** Said to screen readers alone.
 * @param {string} text */
export function announce(text) {
  status.textContent = text;
}

/** What went wrong, where it is seen: in the dialog that is open, or at the top of the page.
 * @param {string} [text] Nothing takes the last one away. */
export function complain(text = "") {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  if (text && dialog) dialog.querySelector("header")?.after(alarm);
  else noticeBoard.append(alarm);
  refill(alarm, text && [el("span", plain(text)), button("Dismiss", () => complain())]);
}

addEventListener("close", ({ target }) => target instanceof Element && target.contains(alarm) && complain(), true);

/** Does something that asks the server, and says what went wrong.
 * @template Kind
 * @param {() => Promise<Kind>} act @returns {Promise<Kind | undefined>} */
export async function tried(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== "superseded") complain(error.message);
    return undefined;
  }
}

/** How far something is that goes over rows, with a button that stops it. A bar that is there already goes on.
 * @param {any} part @param {string} label @param {number} rows @param {number | null} share @param {() => void} stop */
export function showProgress(part, label, rows, share, stop) {
  const said = `${number(rows)} rows scored`;
  const bar = part.querySelector("progress");
  if (bar) {
    part.querySelector(".run-rows").textContent = said;
    if (share !== null) bar.value = share;
    return;
  }
  const made = el("progress", { "aria-label": label, max: 1, value: share });
  refill(part, el("div.run-end", made, el("span.run-rows", said), button("Stop", stop)));
}

/** @param {Problem[]} problems @param {(line: number) => void} [go] */
export function problemList(problems, go) {
  return el(
    "ul.problems",
    problems.map(({ message, hint = "", line = 0, where = "", tone = "bad" }) =>
      el(
        `li.badge-${PROBLEM_TONES[tone]}`,
        seenOnly(TONE_SIGNS[PROBLEM_TONES[tone]]),
        " ",
        line > 0 && go
          ? [button(`line ${line}`, () => go(line), {}, "button.link"), ": "]
          : where && [plain(where), ": "],
        el("span.said-plainly", withCode(message)),
        hint && el("div.hint", withCode(hint)),
      ),
    ),
  );
}

/** The command line that does the same, to be copied.
 * @param {string} text */
export function commandLine(text) {
  if (!text) return null;
  const copy = button("Copy as command", async () => {
    await navigator.clipboard.writeText(text);
    announce("The command is copied.");
    refill(copy, "Copied");
  });
  return el("p.command", copy, el("code", unseen("Command: "), plain(text)));
}
