// Values as people write them.

/** A value of JSON; a text that is none is meant as text, and an empty one as nothing at all.
 * @param {string} written @returns {{value: {value?: unknown}, wrong: string}} */
export function valueIn(written) {
  const text = written.trim();
  if (!text) return { value: {}, wrong: "" };
  try {
    return { value: { value: JSON.parse(text) }, wrong: "" };
  } catch {
    const like = /^[[{"]/.test(text);
    return {
      value: { value: text },
      wrong: like ? "This begins like JSON, and is none: look at its quotes and brackets." : "",
    };
  }
}
