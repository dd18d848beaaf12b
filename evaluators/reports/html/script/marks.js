// The signs of statuses: with a colour, a sign and a word, for those who see colours and those who do not.

import { el, plain, seenOnly, unseen } from "./dom.js";
import { forPeople } from "./paths.js";
import { statuses } from "./words.js";

export const TONE_SIGNS = { good: "✓", bad: "✕", warning: "!", note: "i", plain: "" };
const MARKS = { good: "✓", wrong: "✕", none: "○" };

/** @param {string} word @param {string} tone */
export const badge = (word, tone) =>
  el(`span.badge.badge-${tone}`, seenOnly(TONE_SIGNS[tone]), plain(word.toLowerCase()));

/** A field with its status.
 * @param {string} path @param {number} status */
export function statusMark(path, status) {
  const { sign, word, tone } = statuses[status];
  return el(`span.status.status-${tone}`, seenOnly(sign), plain(forPeople(path) || "whole"), unseen(` ${word}`));
}

/** A place of a document with its status.
 * @param {number} status */
export function treeMark(status) {
  const { sign, word, tone } = statuses[status];
  return el(`span.sign.status-${tone}`, { title: word }, seenOnly(sign), unseen(`${word}: `));
}

/** How a row, or one evaluator of it, came out: `good`, `wrong` or `none`.
 * @param {string} tone */
export const signOf = (tone) => MARKS[tone];
