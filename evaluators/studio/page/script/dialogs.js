// Dialogs: opened at once, and gone once they are closed.

import { button, el, fill } from "../../../reports/html/script/dom.js";

/** A dialog under a title. What is made of it is told how to close it; closed, it gives the focus back.
 * @param {string} title @param {(close: () => void) => any} make @param {() => void} [closed] */
export function openDialog(title, make, closed = () => {}) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const heading = el("h2", { id: "dialog-title", tabindex: "-1" }, title);
  const node = el("dialog.small", { "aria-labelledby": heading.id });
  const close = () => node.close();
  fill(node, [el("header.row-head", heading, button("Close", close)), make(close)]);
  node.addEventListener("close", () => {
    node.remove();
    closed();
    if (before?.isConnected) before.focus();
  });
  document.body.append(node);
  node.showModal();
  heading.focus();
}

/** Asks for one of some answers, the first of which is the usual one; empty where none is given.
 * @param {string} title @param {any} body @param {string[]} answers @returns {Promise<string>} */
export const askFor = (title, body, answers) =>
  new Promise((answer) => {
    const made = (close) =>
      answers.map((text, place) => {
        const give = () => {
          answer(text);
          close();
        };
        return button(text, give, {}, place ? "button" : "button.main");
      });
    openDialog(
      title,
      (close) => [body, el("p.actions", made(close))],
      () => answer(""),
    );
  });
