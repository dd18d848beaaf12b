"""A first suite as YAML with comments: what was found in the data, and why each line says what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from msgspec import Struct, field

from evaluators.fields.inference.suggested_lines import SuggestedLine
from evaluators.needs import Role
from evaluators.values.quoting import flow, key_text

_WIDTH: Final = 118


class Slice(Struct, frozen=True):
    """A column that parts the rows into a few groups."""

    column: str
    groups: int


class Draft(Struct, frozen=True):
    """The content of a first suite."""

    name: str
    file: str
    """The file of the suite, for the command in its head."""
    place: str
    """The name of the data."""
    rows: str
    """How many rows were looked at, in words."""
    test_set: Mapping[str, Any]
    """`file`, `expected`, `output`: where the data is."""
    columns: Mapping[Role, str] = field(default_factory=dict)
    why: Mapping[Role, str] = field(default_factory=dict)
    evaluators: Sequence[str] = ()
    """The lines below `evaluators:`, without their margin."""
    gated: Sequence[str] = ()
    """The evaluators that a gate is shown for."""
    slices: Sequence[Slice] = ()
    measures: Sequence[str] = ()
    """Columns of numbers about the call."""
    judged: bool = False
    """A judge is shown among the evaluators, in a comment."""


def suite_text(draft: Draft) -> str:
    """The whole file."""
    lines = [
        *comment(f"A first suite for {draft.place}, made from what is in {draft.rows}."),
        f"# Run it:  evaluators run {draft.file}",
        "#",
        *comment("A line that starts with # is a comment: it is for you, and the program skips it. Change what does not fit. "
                 "`evaluators list comparators` shows how else a field can be compared."),
        "",
        "version: 1",
        f"name: {literal(draft.name)}",
        "",
        *_test_set(draft),
        "",
        "evaluators:",
        *(f"  {line}" if line else "" for line in draft.evaluators),
        *_measures(draft.measures),
        *_slices(draft.slices),
        *(_judge() if draft.judged else ()),
        "",
        *comment("What must hold: below it, the command ends with the exit code 1. Look at a first run, choose the number, and "
                 "uncomment these lines."),
        "# gates:",
        *(f"#   {key_text(name)}: {{fail_below: 0.9}}" for name in draft.gated),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def comment(text: str, margin: str = "") -> list[str]:
    """A text as lines of comment. What would end a line, or hide one, is written as a space."""
    plain = "".join(" " if letter in _HIDDEN or not letter.isprintable() else letter for letter in text)
    found = wrap(plain, _WIDTH - len(margin), break_long_words=False, break_on_hyphens=False)
    return [f"{margin}# {line}" for line in found]


_HIDDEN: Final = "\r\n\t\u0085\u2028\u2029\ufeff"


def literal(value: Any) -> str:
    """A value in one line, as it is: `${` begins no name of the environment."""
    return flow(_escaped(value))


def _escaped(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _escaped(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(inner) for inner in value]
    return value.replace("${", "$${") if isinstance(value, str) else value


def field_lines(name: str, type_: str, lines: Sequence[SuggestedLine], extra: Sequence[str] = ()) -> list[str]:
    """An evaluator with `fields:`, each with the reason above it."""
    found = [f"- name: {name}", f"  type: {type_}", *(f"  {line}" for line in extra), "  fields:"]
    for line in lines:
        found += comment(line.why, "    ")
        found.append(f"    {key_text(line.path)}: {literal(line.compare)}")
    return found


def _test_set(draft: Draft) -> list[str]:
    lines = ["test_set:", *(f"  {key}: {literal(place)}" for key, place in draft.test_set.items())]
    if draft.columns:
        lines.append("  columns:")
        written = {role: f"    {role}: {literal(column)}" for role, column in draft.columns.items()}
        width = max(map(len, written.values()))
        lines += [
            f"{text.ljust(width)}  {comment(draft.why[role])[0]}" if role in draft.why else text
            for role, text in written.items()
        ]
    return lines


def _measures(columns: Sequence[str]) -> list[str]:
    """The columns by the names that metrics and gates have for them, which hold no dot."""
    if not columns:
        return []
    lines = [f"  {key_text(column.replace('.', '_'))}: {literal(f'row.{column}')}" for column in columns]
    return [
        "",
        *comment("Numbers about the call: their mean, median and sum are shown beside the scores."),
        "measures:",
        *lines,
    ]


def _judge() -> list[str]:
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


def _slices(slices: Sequence[Slice]) -> list[str]:
    if not slices:
        return []
    said = ", ".join(f"{one.column} ({one.groups} groups)" for one in slices)
    listed = literal([f"row.{one.column}" for one in slices])
    return [
        "",
        *comment(f"The same metrics for groups of rows, by a column: {said}. Uncomment to see them:"),
        f"# slices: {listed}",
    ]
