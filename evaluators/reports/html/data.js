// The data of the page: unpacked at the start, the documents of rows when one of them is looked at.

async function unpack(id) {
  const text = document.getElementById(id).textContent;
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text(), exact);
}

/** A number that a script cannot hold keeps its digits. */
class Digits {
  constructor(text) { this.text = text; }
}

function exact(key, value, context) {
  if (typeof value === "number" && !Number.isSafeInteger(value) && Number.isInteger(value) && context) return new Digits(context.source);
  return value;
}

let head = null;
/** One entry per row of the page. Columns, so that 200,000 rows stay small. */
const rows = { count: 0, group: [], local: [], scores: null, wrongs: null };
const pieces = new Map();

async function loadHead() {
  head = await unpack("head");
  if (head.rows) loadRows(head.rows);
}

function loadRows(packed) {
  for (const group of packed.groups) group.size = group.codes.length ? group.codes[0].length : numbersOf(group).length;
  rows.count = packed.groups.reduce((sum, group) => sum + group.size, 0);
  rows.group = new Uint16Array(rows.count);
  rows.local = new Uint32Array(rows.count);
  rows.piece = new Int32Array(rows.count).fill(-1);
  rows.place = new Uint32Array(rows.count);
  let row = 0;
  packed.groups.forEach((group, index) => {
    for (let local = 0; local < group.size; local++, row++) {
      rows.group[row] = index;
      rows.local[row] = local;
    }
  });
  packed.pieces.forEach((members, piece) => members.forEach((member, place) => {
    rows.piece[member] = piece;
    rows.place[member] = place;
  }));
  rows.verdicts = packed.verdicts.map((table) => table.map(readVerdict));
}

const numbersOf = (group) => (Array.isArray(group.numbers) ? group.numbers : { length: group.numbers.count });

function readVerdict([standing, score, passed, statuses, counts, issue, paths]) {
  const wrong = statuses ? count(statuses, (code) => WRONG_STATUSES.includes(Number(code))) : paths.length;
  const fine = standing === 0 && score === 1 && passed !== false;
  return { standing, score, passed, statuses, counts, issue, paths, wrong, fine };
}

const count = (text, holds) => Array.from(text).filter(holds).length;

const groupOf = (row) => head.rows.groups[rows.group[row]];
const verdictOf = (row, evaluator) => rows.verdicts[evaluator][groupOf(row).codes[evaluator][rows.local[row]]];

function numberOf(row) {
  const numbers = groupOf(row).numbers;
  return Array.isArray(numbers) ? numbers[rows.local[row]] : numbers.first + rows.local[row];
}

function idOf(row) {
  const ids = groupOf(row).ids;
  return ids ? ids[rows.local[row]] : String(numberOf(row));
}

const sliceOf = (row, column) => head.rows.sliceValues[column][groupOf(row).slices[column][rows.local[row]]];

/** The name of a row in addresses. */
function keyOf(row) {
  const { variant } = groupOf(row);
  return variant === null ? String(numberOf(row)) : `${numberOf(row)}:${variant}`;
}

function rowOfKey(key) {
  const cut = key.indexOf(":");
  const wanted = Number(cut < 0 ? key : key.slice(0, cut));
  const variant = cut < 0 ? null : key.slice(cut + 1);
  for (let row = 0; row < rows.count; row++) if (numberOf(row) === wanted && groupOf(row).variant === variant) return row;
  return -1;
}

/** The details of a row, or null when the page has none. */
async function detailOf(row) {
  const piece = rows.piece[row];
  return piece < 0 ? null : (await pieceOf(piece))[rows.place[row]];
}

/** The last few pieces stay unpacked. */
function pieceOf(piece) {
  const known = pieces.get(piece);
  if (known) return known;
  const made = unpack(`piece-${piece}`);
  pieces.set(piece, made);
  if (pieces.size > 8) pieces.delete(pieces.keys().next().value);
  return made;
}

/** The mean score of each row over the evaluators given, and how much went wrong; without a score NaN. */
function measureRows(evaluators) {
  const scores = new Float64Array(rows.count);
  const wrongs = new Uint32Array(rows.count);
  const measured = new Uint16Array(rows.count);
  for (const evaluator of evaluators) {
    const table = rows.verdicts[evaluator];
    let row = 0;
    for (const group of head.rows.groups) {
      const codes = group.codes[evaluator];
      for (let local = 0; local < group.size; local++, row++) {
        const verdict = table[codes[local]];
        wrongs[row] += verdict.wrong || (verdict.passed === false ? 1 : 0);
        if (verdict.score === null) continue;
        scores[row] += verdict.score;
        measured[row] += 1;
      }
    }
  }
  for (let row = 0; row < rows.count; row++) scores[row] = measured[row] ? scores[row] / measured[row] : NaN;
  Object.assign(rows, { scores, wrongs });
}
