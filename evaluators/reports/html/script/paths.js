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

/** Every index as [*]: `items[0].name` is one of `items[*].name`. A quoted key is a key, whatever is in it.
 * @param {string} path */
export const generalPath = (path) => path.replace(STEPS, (step, index) => (index === undefined ? step : "[*]"));
