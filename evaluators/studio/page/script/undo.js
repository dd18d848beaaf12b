// One stack of texts for both panes. What is typed without a pause is one step.

const MOST_STEPS = 500;
const PAUSE_MILLISECONDS = 800;

/** @typedef {{texts: string[], place: number, typedAt: number}} Steps */

/** @param {string} text @returns {Steps} */
export const stepsFrom = (text) => ({ texts: [text], place: 0, typedAt: Number.NEGATIVE_INFINITY });

/** The steps with one more text; what was undone before is gone. `typedAt`, in milliseconds, is only given for what is typed.
 * @param {Steps} steps @param {string} text @param {number} [typedAt] @returns {Steps} */
export function withStep(steps, text, typedAt = Number.NEGATIVE_INFINITY) {
  if (text === textAt(steps)) return steps;
  const isOneStep = Math.abs(typedAt - steps.typedAt) < PAUSE_MILLISECONDS && steps.place > 0;
  const kept = steps.texts.slice(0, steps.place + (isOneStep ? 0 : 1)).slice(-MOST_STEPS);
  return { texts: [...kept, text], place: kept.length, typedAt };
}

/** The steps so many further back (-1) or forth (1); the same where there are none.
 * @param {Steps} steps @param {number} by @returns {Steps} */
export function moved(steps, by) {
  const place = Math.max(0, Math.min(steps.texts.length - 1, steps.place + by));
  return { ...steps, place, typedAt: Number.NEGATIVE_INFINITY };
}

/** @param {Steps} steps */
export const textAt = (steps) => steps.texts[steps.place];

/** @param {Steps} steps @param {number} by */
export const canMove = (steps, by) => moved(steps, by).place !== steps.place;

/** The one part in which two texts differ: from where to where in the first, and what stands there in the other.
 * @param {string} before @param {string} after */
export function changedPart(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
