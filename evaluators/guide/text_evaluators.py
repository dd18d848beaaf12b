"""The evaluators of a first suite whose expected answers are texts: labels, short and long texts, answers after a mark or reasoning."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluators.guide.cell_values import WHOLE_NUMBER, line_of_values, offer_as_numbers
from evaluators.guide.field_columns import BOOLEAN_WORDS
from evaluators.guide.proposal_counts import MOST_ROWS, accepts_looser, none_right_message, passed_counts
from evaluators.guide.suite_text import SuggestedEvaluators, comment, literal
from evaluators.runs.number_cells import units_of
from evaluators.scoring.fields.inference.proposals import DefaultAnswers
from evaluators.scoring.needs import Role
from evaluators.scoring.values.quoting import quote

FEW_LABELS: Final = 12
EACH: Final = 3
SHORT_TEXT: Final = 60
SEVERAL: Final = 3
_SENTENCE: Final = 4
"""Words of a short text from which on it is a sentence, which can be right in other words."""


def text_of_cell(cell: Any) -> str:
    """The text of a cell; of a cell that is no text, a short form of its JSON."""
    return cell if isinstance(cell, str) else quote(cell, 200)


def notes_on_empty(empty: int, guard: Sequence[str]) -> list[str]:
    """The note on rows without an expected answer, of which there are `empty`; none where a `guard` in the suite skips them."""
    if guard or not empty:
        return []
    rows_have = "1 row has" if empty == 1 else f"{empty:,} rows have"
    return [f"{rows_have} no expected answer and cannot be scored"]


def _number_lines(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The lines of the evaluator that reads whole numbers as numbers, commented out, where more rows are then right; else none."""
    numbers = offer_as_numbers(pairs)
    if numbers is None:
        return []
    reason, compare = numbers
    return ["", *comment(reason), f"# - exact_match: {literal({'name': 'number', 'compare': compare})}"]


def evaluators_of_texts(
    pairs: Sequence[tuple[Any, Any]], guard: list[str], empty: int, columns: Mapping[Role, str], ask: DefaultAnswers
) -> SuggestedEvaluators:
    """Evaluators for expected answers that are texts: labels, short texts or long texts, told apart by how many differ and how long the
    middle one is. Without any answers they count as labels."""
    texts = [text_of_cell(cell) for cell, _ in pairs]
    distinct = list(dict.fromkeys(texts))
    margin = [f"    {line}" for line in guard]
    notes = tuple(notes_on_empty(empty, guard))
    if (mark := final_mark(pairs)) is not None:
        return _evaluator_of_final_answers(pairs, mark, margin, notes, ask)
    words, letters = (sorted(map(size, texts))[len(texts) // 2] if texts else 0 for size in (_word_count, len))
    few = _are_labels(texts)
    if not texts or (few and words < _SENTENCE and letters <= SHORT_TEXT):
        shown = ", ".join(quote(text, 20) for text in distinct[:6]) + (", …" if len(distinct) > 6 else "")
        head = f"The output is the label, to the letter. There are {len(distinct)}: {shown}."
        counted, case = _label_counts(pairs, ask)
        lines = [
            *comment(f"{head}{counted}"),
            "- exact_match:",
            "    name: label",
            *margin,
            *case,
            *_boolean_lines(pairs),
            *_number_lines(pairs),
        ]
        return SuggestedEvaluators(tuple(lines), ("label",), f"labels, {len(distinct)} distinct", notes)
    seen: list[Role] = ["input", "expected"] if "input" in columns else ["expected"]
    judge = judge_lines("Does the output say the same as the expected answer?", seen, margin)
    if letters <= SHORT_TEXT:
        right = passed_counts(pairs, {"right": {"type": "correctness"}, "exact": {"type": "exact_match"}})
        forgiving, strict = (f"right in {right[name]:,} of {len(pairs):,} rows" for name in ("right", "exact"))
        lines = [
            *comment(f"The output is the expected text; capitals and spaces are forgiven; {forgiving}."),
            "- correctness:", "    name: right", *margin, "",
            *comment(f"The expected text, to the letter; {strict}."),
            "- exact_match:", "    name: exact", *margin, *_boolean_lines(pairs), *_number_lines(pairs),
            *_mentioned_lines(pairs, right["right"], columns, margin),
            *(judge if words >= _SENTENCE else ()),
        ]  # fmt: skip
        return SuggestedEvaluators(tuple(lines), ("right",), "short texts", notes, words >= _SENTENCE)
    looked_at = pairs[:MOST_ROWS]
    close = {"type": "similarity", "method": "words", "case_sensitive": False, "pass_at": 0.5}
    right = passed_counts(looked_at, {"close": close, "exact": {"type": "exact_match"}})
    lines = [
        *comment(
            "How many words of the output and of the expected text are the same. It says nothing of what a text means; "
            f"half of the words are there in {right['close']:,} of {len(looked_at):,} rows, and {right['exact']:,} are right to the letter."
        ),
        "- similarity:", "    name: close_to_expected", "    method: words", "    case_sensitive: false", "    pass_at: 0.5",
        *margin, *judge,
    ]  # fmt: skip
    return SuggestedEvaluators(tuple(lines), ("close_to_expected",), "long texts", notes, judged=True)


def _evaluator_of_final_answers(
    pairs: Sequence[tuple[Any, Any]], mark: str, margin: Sequence[str], notes: tuple[str, ...], ask: DefaultAnswers
) -> SuggestedEvaluators:
    """The evaluator that compares what stands after a mark: `####`, as in worked solutions of GSM8K, or the end of a model's reasoning."""
    settings: dict[str, Any] = {"transforms": [{"regex_replace": {"pattern": f"(?s)^.*{mark}\\s*", "with": ""}}]}
    answers, forgiven = [_after_mark(cell, mark) for cell, _ in pairs], ""
    if mark == _FINAL_MARK:
        if all(units_of(answer, ",") is not None for answer in answers):
            settings["compare"] = {"numeric": {"parse": {"thousands": ","}}}
    elif (line := line_of_values(answers, "", ask)) is not None:
        settings["compare"] = line.compare
    elif _are_labels(answers) or all(WHOLE_NUMBER.fullmatch(answer) for answer in answers):
        settings["transforms"].append("strip")
    else:
        settings["compare"], forgiven = "normalized", "; capitals, accents and spaces do not count"
    right = passed_counts(pairs, {"answer": {"type": "exact_match", **settings}})["answer"]
    if not right and len(pairs) >= SEVERAL:
        notes = (
            *notes,
            none_right_message([(answer, output) for answer, (_, output) in zip(answers, pairs, strict=True)]),
        )
    why = f"The answer is what stands after {mark}{forgiven}; right in {right:,} of {len(pairs):,} rows."
    lines = [*comment(why), "- exact_match:", "    name: final_answer", *margin]
    lines += [f"    {key}: {literal(value)}" for key, value in settings.items()]
    what = (
        f"solutions with an answer after {mark}"
        if mark == _FINAL_MARK
        else f"compared with what outputs say after {mark}"
    )
    return SuggestedEvaluators(tuple(lines), ("final_answer",), what, notes)


def final_mark(pairs: Sequence[tuple[Any, Any]]) -> str | None:
    """The mark after which the answer stands: in all expected texts, or in most outputs, as the end of a model's reasoning before a short
    answer; None without one."""
    texts = [text_of_cell(cell) for cell, _ in pairs]
    if texts and all(_FINAL_MARK in text for text in texts):
        return _FINAL_MARK
    mark = end_of_reasoning([output for _, output in pairs])
    return mark if mark and texts and all(mark not in text and len(text) <= SHORT_TEXT for text in texts) else None


def end_of_reasoning(outputs: Sequence[Any]) -> str:
    """The tag that ends a model's reasoning in most outputs, such as `</think>`; "" where there is none."""
    ends = Counter(
        match[0] for output in outputs if isinstance(output, str) and (match := _END_OF_REASONING.search(output))
    )
    mark = max(ends, key=ends.__getitem__, default="")
    return mark if 2 * ends[mark] > len(outputs) else ""


def _are_labels(texts: Sequence[str]) -> bool:
    """Whether texts are labels: there are few different ones, and each comes several times in the mean."""
    distinct = len({*texts})
    return distinct <= FEW_LABELS and distinct * EACH <= len(texts)


def _after_mark(cell: Any, mark: str) -> str:
    """The text of a cell behind the last mark; all of it where there is none."""
    return text_of_cell(cell).rpartition(mark)[2].strip()


_FINAL_MARK: Final = "####"
_END_OF_REASONING: Final = re.compile(r"</(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)>", re.IGNORECASE)


def _mentioned_lines(
    pairs: Sequence[tuple[Any, Any]], right: int, columns: Mapping[Role, str], margin: Sequence[str]
) -> list[str]:
    """The lines of the evaluator that takes an answer inside a sentence, as whole words, commented out, where that makes more than `right`
    rows right; else none."""
    line = {"type": "contains", "substring": {"column": "expected"}, "case_sensitive": False, "whole_words": True}
    more = passed_counts(pairs, {"mentioned": line})["mentioned"] - right
    if more < 1 or "expected" not in columns:
        return []
    text = literal({"column": columns["expected"]})
    lines = [
        "- contains:",
        "    name: mentioned",
        f"    substring: {text}",
        "    case_sensitive: false",
        "    whole_words: true",
        *margin,
    ]
    why = f"{more:,} more would be right if it were enough that the expected text is somewhere in the output:"
    return ["", *comment(why), *(f"# {line}" for line in lines)]


def _boolean_lines(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The lines, commented out, that compare words for true and false as what they say: `yes` is `true`. `pairs` are expected cells and
    outputs. None unless all cells are such words, outputs use words that the expected cells lack, and more rows are right then."""
    sides = [{text_of_cell(cell).strip().casefold() for cell in side} for side in zip(*pairs, strict=True)]
    if not pairs or any(not side <= BOOLEAN_WORDS.keys() for side in sides) or sides[1] <= sides[0]:
        return []
    words = {
        word: sorted(spelling for spelling in sides[0] | sides[1] if BOOLEAN_WORDS[spelling] == word)
        for word in ("true", "false")
    }
    compare = {"boolean": {"words": {word: found or [word] for word, found in words.items()}}}
    exact = {"type": "exact_match"}
    right = passed_counts(pairs, {"label": exact, "truth": {**exact, "compare": compare}})
    more = right["truth"] - right["label"]
    if more < 1:
        return []
    reason = f"{more:,} more would be right if words for true and for false were the same:"
    return [*comment(reason, "    "), f"    # compare: {literal(compare)}"]


def _label_counts(pairs: Sequence[tuple[Any, Any]], ask: DefaultAnswers) -> tuple[str, list[str]]:
    """(sentence, lines): how many labels are right, in words, and the lines that ignore case where some differ in case alone."""
    if not pairs:
        return "", []
    exact = {"type": "exact_match"}
    right = passed_counts(pairs, {"label": exact, "case": {**exact, "forgive": ["case"]}})
    counted = f" Right in {right['label']:,} of {len(pairs):,} rows."
    return counted, case_lines("labels", right["case"] - right["label"], "forgive: [case]", ask)


def case_lines(what: str, more: int, line: str, ask: DefaultAnswers) -> list[str]:
    """The `line` that ignores case, with its reason, where that makes `more` rows right: commented out, unless `ask` accepts it; none where
    it makes no further row right."""
    if more < 1:
        return []
    forgives = "upper and lower case did not count"
    if accepts_looser(ask, what, more, forgives):
        return [*comment(f"{more:,} more are right because case does not count.", "    "), f"    {line}"]
    return [*comment(f"{more:,} more would be right if {forgives}:", "    "), f"    # {line}"]


def _word_count(text: str) -> int:
    return len(text.split())


def judge_lines(rubric: str, seen: Sequence[Role], margin: Sequence[str]) -> list[str]:
    """The lines of an `llm_judge` with a rubric, commented out, below a comment that says why. It sees the columns of some roles; `margin`
    are further lines of its settings, already indented."""
    lines = [
        "- llm_judge:",
        "    name: judged",
        f"    rubric: {literal(rubric)}",
        f"    columns: {literal(seen)}",
        *margin,
    ]
    why = "What a text means is for a model to judge. Uncomment these lines, and those of `judge:` below, which say who is asked:"
    return ["", *comment(why), *(f"# {line}" for line in lines)]
