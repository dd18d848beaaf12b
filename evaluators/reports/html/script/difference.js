// Where two texts differ, character by character: what is common at both ends first, then the longest common
// subsequence of the middle. A middle that is too long for that, or quite another text, counts as changed as a whole.

const MOST_COMPARED = 4000000;
const MOST_LETTERS = 20000;
const MOST_SHORT = 80;

/** @param {string} text */
function lettersOf(text) {
  if (text.length > MOST_LETTERS) return null;
  if (!Intl.Segmenter) return Array.from(text);
  return Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text), (part) => part.segment);
}

/** The text with an escape in place of each character that cannot be seen, such as U+200B; joiners shape letters, and stay.
 * @param {string} text */
export const withEscapes = (text) =>
  text.replace(/[^\P{Cf}\u200C\u200D]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });

/** The parts of both texts as [[text, changed], …]; null where they are too long to compare.
 * @param {string} one @param {string} other
 * @returns {[string, boolean][][] | null} */
export function difference(one, other) {
  const [ours, theirs] = [lettersOf(one), lettersOf(other)];
  if (!ours || !theirs) return null;
  const shorter = Math.min(ours.length, theirs.length);
  let start = 0;
  while (start < shorter && ours[start] === theirs[start]) start++;
  let end = 0;
  while (end < shorter - start && ours[ours.length - 1 - end] === theirs[theirs.length - 1 - end]) end++;
  const kept = common(ours.slice(start, ours.length - end), theirs.slice(start, theirs.length - end));
  return [ours, theirs].map((letters, side) => {
    const isChanged = (place) => place >= start && place < letters.length - end && !kept[side].has(place - start);
    return joined(letters, isChanged);
  });
}

/** The places of a longest common subsequence in both lists.
 * @param {string[]} ours @param {string[]} theirs */
function common(ours, theirs) {
  /** @type {Set<number>[]} */
  const kept = [new Set(), new Set()];
  if (ours.length * theirs.length > MOST_COMPARED) return kept;
  const width = theirs.length + 1;
  const lengths = new Uint16Array((ours.length + 1) * width);
  for (let i = ours.length - 1; i >= 0; i--) {
    for (let j = theirs.length - 1; j >= 0; j--) {
      const [below, beside] = [lengths[(i + 1) * width + j], lengths[i * width + j + 1]];
      lengths[i * width + j] = ours[i] === theirs[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(below, beside);
    }
  }
  for (let i = 0, j = 0; i < ours.length && j < theirs.length; ) {
    if (ours[i] === theirs[j]) {
      kept[0].add(i++);
      kept[1].add(j++);
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
  return areUnlike(kept[0].size, ours.length + theirs.length) ? [new Set(), new Set()] : kept;
}

/** Long texts that have no more than single letters in common: marks between these would say nothing.
 * @param {number} kept @param {number} both The letters of both texts. */
const areUnlike = (kept, both) => both > MOST_SHORT && kept * 5 < both;

/** Neighbours that are changed, or are not, as one part.
 * @param {string[]} letters @param {(place: number) => boolean} isChanged */
function joined(letters, isChanged) {
  /** @type {[string, boolean][]} */
  const runs = [];
  letters.forEach((letter, place) => {
    const last = runs[runs.length - 1];
    if (last && last[1] === isChanged(place)) last[0] += letter;
    else runs.push([letter, isChanged(place)]);
  });
  return runs;
}
