// What is embedded in the page, unpacked: lines of the run folder, packed with zlib and spelled in base64.

/** Where the texts stand: packed in elements of the page, by their ids. A page that has them elsewhere reads them in another way. */
export const source = {
  textOf: (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? "",
  read: async (/** @type {string} */ id) => inflated(source.textOf(id)),
};

/** The text by its id; empty where there is none.
 * @param {string} id */
export const unpack = (id) => source.read(id);

/** The text that is packed with zlib and spelled in base64.
 * @param {string} text */
export async function inflated(text) {
  if (!text) return "";
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/** A number that a script cannot hold keeps its digits. */
export class Digits {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

const isBeyond = (value) => typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
const exact = (_key, value, context) => (context && isBeyond(value) ? new Digits(context.source) : value);
const withDigits = (_key, value) => (value instanceof Digits ? asWritten(value.text) : value);
/** A number with all its digits, where a browser can write one; its text elsewhere.
 * @param {string} text */
const asWritten = (text) => /** @type {any} */ (JSON).rawJSON?.(text) ?? text;

/** @param {string} text */
export const parsed = (text) => JSON.parse(text, exact);

/** The lines of a file of JSON lines.
 * @param {string} text
 * @returns {any[]} */
export const linesOf = (text) => (text ? text.trimEnd().split("\n").map(parsed) : []);

/** The same at once, for lines that hold no numbers of a user's.
 * @param {string} text
 * @returns {any[]} */
export const plainLinesOf = (text) => JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`);

/** A value as JSON, with the digits that it was written with.
 * @param {unknown} value */
export function spelled(value) {
  if (value instanceof Digits) return value.text;
  return JSON.stringify(value, withDigits, value !== null && typeof value === "object" ? 1 : undefined);
}

/** A value by its key; what objects have by nature is none.
 * @template Kind
 * @param {Record<string, Kind>} object @param {string} key
 * @returns {Kind | undefined} */
export const ownValue = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
