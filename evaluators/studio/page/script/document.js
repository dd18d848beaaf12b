// The suite that is open: its text, the form that the server reads from it, and its steps. Both panes show this one thing.

import { ask, Refusal } from "./api.js";
import { canMove, moved, stepsFrom, textAt, withStep } from "./undo.js";

/** @import {Form, Problem} from "./types.d.ts" */
/** @typedef {{text: string, form: Form | null, problems: Problem[], command: string}} ReadSuite */

const READ_AFTER_MILLISECONDS = 150;
const MOST_TRIES = 5;

/** `base` is the hash of the file that the text was made from, `saved` its text. The form is the last one that could be read.
 * @type {{path: string, base: string, saved: string | null, steps: import("./undo.js").Steps, form: Form | null, problems: Problem[], isRead: boolean, command: string}} */
export const suite = {
  path: "",
  base: "",
  saved: null,
  steps: stepsFrom(""),
  form: null,
  problems: [],
  isRead: false,
  command: "",
};

/** Told when the text changed, and when its form is read.
 * @type {{text: (() => void)[], read: (() => void)[]}} */
export const told = { text: [], read: [] };
const tellAll = (some) => {
  for (const one of some) one();
};

export const textNow = () => textAt(suite.steps);
export const isOpen = () => Boolean(suite.path);
export const isUnsaved = () => isOpen() && textNow() !== suite.saved;

/** @param {string} path @param {string} text @param {string} base Empty where there is no such file yet. */
export function openSuite(path, text, base) {
  Object.assign(suite, {
    path,
    base,
    saved: base ? text : null,
    steps: stepsFrom(text),
    form: null,
    problems: [],
    isRead: false,
  });
  tellAll(told.text);
  return readText();
}

/** The text of the file is now this one.
 * @param {string} text @param {string} hash */
export function markSaved(text, hash) {
  Object.assign(suite, { saved: text, base: hash });
  tellAll(told.text);
}

/** Takes another text, as one step.
 * @param {string} text @param {number} [typedAt] */
export function setText(text, typedAt) {
  if (text === textNow()) return;
  suite.steps = withStep(suite.steps, text, typedAt);
  tellAll(told.text);
  readSoon();
}

/** @param {number} by */
export function move(by) {
  if (!canMove(suite.steps, by)) return;
  suite.steps = moved(suite.steps, by);
  tellAll(told.text);
  readSoon();
}

let readTimer = 0;
function readSoon() {
  clearTimeout(readTimer);
  readTimer = setTimeout(readText, READ_AFTER_MILLISECONDS);
}

/** Reads the text as it is now; an answer about an older one is dropped. */
export async function readText() {
  const text = textNow();
  const { path } = suite;
  const found = await ask("read", { text, path });
  if (text === textNow() && path === suite.path) take(found);
}

/** @param {ReadSuite} found */
function take({ form, problems, command }) {
  Object.assign(suite, { form: form ?? suite.form, isRead: form !== null, problems, command });
  tellAll(told.read);
}

/** The text with an edit of the form, for who wants to try it first.
 * @param {Record<string, unknown>} edit @returns {Promise<ReadSuite>} */
export const edited = (edit) => ask("edit", { text: textNow(), path: suite.path, edit });

/** One edit after the other: each is written into the text that the one before made. Where somebody typed meanwhile, it is written again. */
let last = Promise.resolve();

/** @param {Record<string, unknown>} edit @returns {Promise<void>} */
export function change(edit) {
  const { path } = suite;
  const mine = last.then(() => write(edit, path));
  last = mine.catch(() => {});
  return mine;
}

/** Once every edit that was made is in the text. */
export const settled = () => last;

/** An edit is of the suite that was open when it was made: it is in no other one.
 * @param {Record<string, unknown>} edit @param {string} path */
async function write(edit, path) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (suite.path !== path) return;
    const before = textNow();
    const found = await edited(edit);
    if (suite.path !== path) return;
    if (textNow() !== before) continue;
    suite.steps = withStep(suite.steps, found.text);
    tellAll(told.text);
    take(found);
    return;
  }
  throw new Refusal(409, { code: "busy", message: "The text changes too fast: do this once more." });
}
