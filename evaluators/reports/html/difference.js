// Where two texts differ, character by character: what is common at both ends first, then the longest common
// subsequence of the middle. A middle that is too long for that counts as changed as a whole.

const MOST_COMPARED = 4000000;

function lettersOf(text) {
  if (text.length > 20000) return null;
  if (!Intl.Segmenter) return Array.from(text);
  return Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text), (part) => part.segment);
}

/** The parts of both texts as [[text, changed], …]; null where they are too long to compare. */
function difference(one, other) {
  const [ours, theirs] = [lettersOf(one), lettersOf(other)];
  if (!ours || !theirs) return null;
  let start = 0;
  while (start < ours.length && start < theirs.length && ours[start] === theirs[start]) start++;
  let end = 0;
  while (end < ours.length - start && end < theirs.length - start && ours[ours.length - 1 - end] === theirs[theirs.length - 1 - end]) end++;
  const middle = [ours.slice(start, ours.length - end), theirs.slice(start, theirs.length - end)];
  const kept = common(...middle);
  return [ours, theirs].map((letters, side) => joined([
    ...letters.slice(0, start).map((letter) => [letter, false]),
    ...middle[side].map((letter, index) => [letter, !kept[side].has(index)]),
    ...letters.slice(letters.length - end).map((letter) => [letter, false]),
  ]));
}

/** The places of a longest common subsequence in both lists. */
function common(ours, theirs) {
  const kept = [new Set(), new Set()];
  if (ours.length * theirs.length > MOST_COMPARED) return kept;
  const width = theirs.length + 1;
  const lengths = new Uint16Array((ours.length + 1) * width);
  for (let i = ours.length - 1; i >= 0; i--) {
    for (let j = theirs.length - 1; j >= 0; j--) {
      lengths[i * width + j] = ours[i] === theirs[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < ours.length && j < theirs.length;) {
    if (ours[i] === theirs[j]) { kept[0].add(i++); kept[1].add(j++); }
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
  return kept;
}

function joined(parts) {
  const runs = [];
  for (const [letter, changed] of parts) {
    const last = runs[runs.length - 1];
    if (last && last[1] === changed) last[0] += letter;
    else runs.push([letter, changed]);
  }
  return runs;
}

/** A text with what differs marked; `name` is del or ins. */
function marked(runs, name) {
  return el("bdi", { class: "value" }, runs.map(([text, changed]) => el(changed ? name : "span", { text })));
}
