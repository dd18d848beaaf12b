// Places in documents, spelled as reports spell them.

const NEEDS_QUOTES = /[\s.[\]"'\\/]|^\$|^[0-9]+$|^\*?$/;
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const STEPS = /\[(?:(\d+)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\]]*)\]/g;

/** A place one step further in.
 * @param {string} path @param {string | number} step */
export function within(path, step) {
  if (typeof step === "number") return `${path}[${step}]`;
  if (NEEDS_QUOTES.test(step) || NOT_PRINTABLE.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path ? `${path}.${step}` : step;
}

const QUOTED_KEY = /\["([^"\\]*)"\]/g;
const LONE_SPACE = /(?<=[^\s,;:]) (?=\S)/g;

/** A path with keys of several words as they are: `order number` for `["order number"]`.
 * @param {string} path */
export const forPeople = (path) =>
  path.replace(QUOTED_KEY, (step, key, at) => {
    const isPlain = !NEEDS_QUOTES.test(key.replace(LONE_SPACE, "")) && !NOT_PRINTABLE.test(key);
    return isPlain ? `${at ? "." : ""}${key}` : step;
  });

/** A field as people call it.
 * @param {string} path */
export const fieldName = (path) => forPeople(path) || "(the whole document)";

/** Every index as [*]: `items[0].name` is one of `items[*].name`. A quoted key is a key, whatever is in it.
 * @param {string} path */
export const generalPath = (path) => path.replace(STEPS, (step, index) => (index === undefined ? step : "[*]"));
