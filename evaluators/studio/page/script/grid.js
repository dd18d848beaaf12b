// A table of any size: only the cells in sight exist. One cell can have the focus; arrow keys go from cell to cell.

import { el, refill } from "../../../reports/html/script/dom.js";

const LINE = 34;
const HEAD = 58;
const FIRST = 132;
const COLUMN = 118;
const BEYOND = 6;

/** @typedef {{rows: number, columns: any[], head: (column: number) => any, first: (row: number) => any, cell: (row: number, column: number) => any, open: (row: number, column: number) => void, seen: (from: number, to: number) => void}} Shown */

/** Which of many things of one size are in sight, and some beyond.
 * @param {number} start Pixels out of sight before. @param {number} room Pixels in sight. @param {number} size @param {number} count
 * @returns {[number, number]} */
export function inSight(start, room, size, count) {
  const first = Math.max(0, Math.floor(start / size) - BEYOND);
  return [Math.min(first, count), Math.max(0, Math.min(count, Math.ceil((start + room) / size) + BEYOND))];
}

/** The cell that a key leads to. Rows and columns count from 0; the first column, -1, names the row.
 * @param {string} key @param {boolean} isFar @param {[number, number]} at @param {number} rows @param {number} columns @param {number} page
 * @returns {[number, number] | null} */
export function cellAfter(key, isFar, [row, column], rows, columns, page) {
  const steps = {
    ArrowDown: [row + 1, column],
    ArrowUp: [row - 1, column],
    ArrowRight: [row, column + 1],
    ArrowLeft: [row, column - 1],
    PageDown: [row + page, column],
    PageUp: [row - page, column],
    Home: [isFar ? 0 : row, -1],
    End: [isFar ? rows - 1 : row, columns - 1],
  };
  if (!Object.hasOwn(steps, key) || !rows) return null;
  const [next, beside] = steps[key];
  return [Math.max(0, Math.min(rows - 1, next)), Math.max(-1, Math.min(columns - 1, beside))];
}

/** The table, what shows other cells in it, and what gives a cell the focus.
 * @param {string} label */
export function cellGrid(label) {
  /** @type {Shown} */
  let shown = { rows: 0, columns: [], head: String, first: String, cell: String, open: () => {}, seen: () => {} };
  /** @type {[number, number]} */
  let at = [0, -1];
  let isPressed = false; // a cell that is drawn anew between press and release would never be clicked
  const plane = el("div.plane", { role: "rowgroup" });
  const box = el("div.grid", { role: "grid", "aria-label": label }, plane);

  function draw() {
    if (isPressed) return;
    const isFocused = box.contains(document.activeElement);
    const { rows, columns } = shown;
    const [first, last] = inSight(box.scrollTop, box.clientHeight || innerHeight, LINE, rows);
    const [from, to] = inSight(box.scrollLeft, box.clientWidth || innerWidth, COLUMN, columns.length);
    at = [Math.max(0, Math.min(at[0], rows - 1)), Math.min(at[1], columns.length - 1)];
    shown.seen(first, last);
    const places = Array.from({ length: to - from }, (_, place) => from + place);
    const lines = Array.from({ length: last - first }, (_, place) => line(first + place, places));
    refill(plane, headLine(places), lines);
    plane.style.height = `${HEAD + rows * LINE}px`;
    plane.style.width = `${FIRST + columns.length * COLUMN}px`;
    box.setAttribute("aria-rowcount", String(rows + 1));
    box.setAttribute("aria-colcount", String(columns.length + 1));
    if (isFocused) focusCell();
  }

  const put = (node, column) => {
    if (column >= 0) node.style.left = `${FIRST + column * COLUMN}px`;
    node.setAttribute("aria-colindex", String(column + 2));
    return node;
  };

  function headLine(places) {
    const heads = places.map((column) =>
      put(el("div.grid-cell", { role: "columnheader" }, shown.head(column)), column),
    );
    return el(
      "div.head-line",
      { role: "row", "aria-rowindex": "1" },
      put(el("div.grid-cell.first", { role: "columnheader" }, "row"), -1),
      heads,
    );
  }

  function line(row, places) {
    const active = (column) => ({
      tabindex: row === at[0] && column === at[1] ? "0" : "-1",
      "data-column": String(column),
    });
    const first = put(el("div.grid-cell.first", { role: "rowheader", ...active(-1) }, shown.first(row)), -1);
    const cells = places.map((column) =>
      put(el("div.grid-cell", { role: "gridcell", ...active(column) }, shown.cell(row, column)), column),
    );
    const made = el(
      "div.line",
      { role: "row", "aria-rowindex": String(row + 2), "data-row": String(row) },
      first,
      cells,
    );
    made.style.top = `${HEAD + row * LINE}px`;
    return made;
  }

  function focusCell() {
    plane.querySelector(`[data-row="${at[0]}"] > [data-column="${at[1]}"]`)?.focus({ preventScroll: true });
  }

  function reveal() {
    const [row, column] = at;
    const [top, left] = [row * LINE, column * COLUMN];
    const [high, wide] = [box.clientHeight - HEAD - LINE, box.clientWidth - FIRST - COLUMN];
    if (top < box.scrollTop) box.scrollTop = top;
    if (top > box.scrollTop + high) box.scrollTop = top - high;
    if (column >= 0 && left < box.scrollLeft) box.scrollLeft = left;
    if (column >= 0 && left > box.scrollLeft + wide) box.scrollLeft = left - wide;
  }

  /** @param {any} target @returns {[number, number] | null} */
  const cellOf = (target) => {
    const cell = target.closest("[data-column]");
    return cell && [Number(cell.parentElement.dataset.row), Number(cell.dataset.column)];
  };

  box.addEventListener("scroll", draw, { passive: true });
  box.addEventListener("focusin", (event) => {
    const cell = cellOf(event.target);
    if (!cell || (cell[0] === at[0] && cell[1] === at[1])) return;
    plane.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    at = cell;
    event.target.setAttribute("tabindex", "0");
  });
  box.addEventListener("pointerdown", (event) => {
    isPressed = cellOf(event.target) !== null;
  });
  const release = () =>
    setTimeout(() => {
      if (!isPressed) return;
      isPressed = false;
      draw();
    });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release);
  box.addEventListener("click", (event) => {
    const cell = cellOf(event.target);
    if (cell) shown.open(...cell);
  });
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || !cellOf(event.target)) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      shown.open(...at);
      return;
    }
    const page = Math.max(1, Math.floor((box.clientHeight - HEAD) / LINE) - 1);
    const next = cellAfter(event.key, event.ctrlKey, at, shown.rows, shown.columns.length, page);
    if (!next) return;
    event.preventDefault();
    go(next);
  });
  new ResizeObserver(draw).observe(box);

  /** @param {[number, number]} next */
  function go(next) {
    at = next;
    reveal();
    draw();
    focusCell();
  }

  return {
    node: box,
    /** @param {Shown} next */
    show(next) {
      shown = next;
      draw();
    },
    draw,
    /** @param {number} row */
    focus: (row = at[0]) => go([row, at[1]]),
  };
}
