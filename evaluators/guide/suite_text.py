"""A first suite as YAML with comments: what was found in the data, and why each line says what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine
from evaluators.scoring.values.quoting import flow_text, key_text

_WIDTH: Final = 118


class SuggestedEvaluators(Struct, frozen=True):
    """The lines below `evaluators:`, the names to show a gate for, and what to say of the expected column and the rows."""

    lines: tuple[str, ...]
    gated: tuple[str, ...]
    said: str = ""
    notes: tuple[str, ...] = ()
    judged: bool = False
    """A judge is shown, in a comment."""


def suite_text(
    head: str,
    name: str,
    test_set: Mapping[str, Any],
    chosen: ChosenColumns,
    suggested: SuggestedEvaluators,
    slices: Mapping[str, int],
) -> str:
    """The text of a suite. `head` says what it is made from, and how it is run; `slices` are columns, and how many groups of rows each
    makes."""
    lines = [
        *head.splitlines(),
        "#",
        *comment("A line that starts with # is a comment: it is for you, and the program skips it. Change what does not fit. "
                 "`evaluators list comparators` shows how else a field can be compared."),
        "",
        "version: 1",
        f"name: {literal(name)}",
        "",
        *_test_set_lines(test_set, chosen, suggested.said),
        "",
        "evaluators:",
        *(f"  {line}" if line else "" for line in suggested.lines),
        *_measure_lines(chosen.measures),
        *_slice_lines(slices),
        *(_judge_lines() if suggested.judged else ()),
        "",
        *comment("What must hold: below it, the command ends with the exit code 1. Look at a first run, choose the number, and "
                 "uncomment these lines."),
        "# gates:",
        *(f"#   {key_text(gate)}: {{fail_below: 0.9}}" for gate in suggested.gated),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def comment(text: str, margin: str = "") -> list[str]:
    """A text as lines of comment. What would end a line, or hide one, is written as a space."""
    plain = "".join(" " if letter in _HIDDEN or not letter.isprintable() else letter for letter in text)
    lines = wrap(plain, _WIDTH - len(margin), break_long_words=False, break_on_hyphens=False)
    return [f"{margin}# {line}" for line in lines]


_HIDDEN: Final = "\r\n\t\u0085\u2028\u2029\ufeff"


def literal(value: Any) -> str:
    """A value as YAML in one line. A `${` in its texts is escaped, so that it is read as it is and fills in no variable."""
    return flow_text(_escaped(value))


def _escaped(value: Any) -> Any:
    """The value with every `${` in its texts doubled to `$${`, so that reading the suite fills in no variable of the environment."""
    if isinstance(value, Mapping):
        return {key: _escaped(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(inner) for inner in value]
    return value.replace("${", "$${") if isinstance(value, str) else value


def field_lines(lines: Sequence[SuggestedLine], extra: Sequence[str]) -> list[str]:
    """The lines of an evaluator with `fields:`, each field with its reason above it, and commented out below it what would make more values
    right. `extra` are further lines of the evaluator."""
    texts = ["- name: fields", "  type: schema_match", *(f"  {line}" for line in extra), "  fields:"]
    for line in lines:
        texts += comment(line.why, "    ")
        texts.append(f"    {key_text(line.written)}: {literal(line.compare)}")
        if line.instead is not None:
            reason, written = line.instead
            texts += [*comment(reason, "    "), f"    # {written}"]
    return texts


def _test_set_lines(test_set: Mapping[str, Any], chosen: ChosenColumns, said: str) -> list[str]:
    """The lines of `test_set`: the place of the data, and each column with the reason for its role. `said` stands beside the
    expected answers."""
    lines = ["test_set:", *(f"  {key}: {literal(place)}" for key, place in test_set.items())]
    if chosen.columns:
        lines.append("  columns:")
        written = {role: f"    {role}: {literal(column)}" for role, column in chosen.columns.items()}
        width = max(map(len, written.values()))
        for role, text in written.items():
            why = f"{chosen.why[role]}; {said}" if said and role == "expected" else chosen.why[role]
            lines.append(f"{text.ljust(width)}  {comment(why)[0]}")
    return lines


def _measure_lines(columns: Sequence[str]) -> list[str]:
    """The lines of the section `measures:` for these columns, each under a name without dots; none where there are no columns."""
    if not columns:
        return []
    lines = [f"  {key_text(column.replace('.', '_'))}: {literal(f'row.{column}')}" for column in columns]
    return [
        "",
        *comment("Numbers about the call: their mean, median and sum are shown beside the scores."),
        "measures:",
        *lines,
    ]


def _judge_lines() -> list[str]:
    """The lines of the section `judge:`, commented out: a judge is asked only when a person uncomments them."""
    return [
        "",
        *comment("Who is asked, for the llm_judge above. Nothing is sent anywhere until these lines are uncommented:"),
        *(f"# {line}" if line else "#" for line in _JUDGE),
    ]


_JUDGE: Final = (
    "judge:",
    "  openai_compatible:",
    "    base_url: http://127.0.0.1:8000/v1",
    "    model: some-model",
    "    api_key_env: JUDGE_KEY",
)


def _slice_lines(slices: Mapping[str, int]) -> list[str]:
    """The line `slices:`, commented out, for columns with their numbers of groups; no lines where there are none."""
    if not slices:
        return []
    listing = ", ".join(f"{column} ({groups} groups)" for column, groups in slices.items())
    listed = literal([f"row.{column}" for column in slices])
    return [
        "",
        *comment(f"The same metrics for groups of rows, by a column: {listing}. Uncomment to see them:"),
        f"# slices: {listed}",
    ]
