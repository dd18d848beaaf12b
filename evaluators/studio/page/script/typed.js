// Values as people write them.

/** The JSON of a value: a text that is none is meant as text, and an empty one as nothing at all.
 * @param {string} written @returns {{value: string, wrong: string}} */
export function valueIn(written) {
  const text = written.trim();
  if (!text) return { value: "", wrong: "" };
  try {
    JSON.parse(text);
    return { value: text, wrong: "" };
  } catch {
    const like = /^[[{"]/.test(text);
    return {
      value: JSON.stringify(text),
      wrong: like ? "This begins like JSON, and is none: look at its quotes and brackets." : "",
    };
  }
}
