// What the rows that were scored say of a line of the form.

/** @import {Check, Scored, ScoreColumn} from "./types.d.ts" */

/** The column of a field. A suite may spell a path in another way than results do, which its line says.
 * @param {Scored | null} scored @param {Check | undefined} check @param {string} path @returns {ScoreColumn | undefined} */
export function columnOf(scored, check, path) {
  const name = check?.fields?.find((one) => one.path === path)?.name ?? path;
  return scored?.columns.find((one) => one.place === check?.place && one.field === name);
}

/** The figures of an evaluator: one, or one for each variant.
 * @param {Scored | null} scored @param {string} evaluator */
export const figuresOf = (scored, evaluator) => (scored?.figures ?? []).filter((one) => one.evaluator === evaluator);

/** The figure that a gate reads, as far as the rows that were scored have it: the mean score of an evaluator, the share of a field that is right.
 * @param {Scored | null} scored @param {Check[]} checks @param {string} target @returns {number | null} */
export function gatedFigure(scored, checks, target) {
  const dot = target.indexOf(".");
  const name = dot < 0 ? target : target.slice(0, dot);
  if (dot < 0) {
    const found = figuresOf(scored, name);
    return found.length === 1 ? found[0].mean : null;
  }
  const column = columnOf(
    scored,
    checks.find((one) => one.name === name),
    target.slice(dot + 1),
  );
  return column?.of ? (column.right ?? 0) / column.of : null;
}
