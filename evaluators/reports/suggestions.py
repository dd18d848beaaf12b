"""Suggestions: what one change of the suite would turn from wrong to right, and how pages show it. It is offered, never done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from evaluators.reports.document import Item, Listing, Paragraph, Section
from evaluators.runs.result import RunResult
from evaluators.scoring.values.paths import path_for_people
from evaluators.scoring.values.quoting import key_text

_LEAD: Final = (
    "Each is one change to the suite: what it would turn from wrong to right, and the line to write. Nothing was changed."
)
MOST_SHOWN: Final = 10
MOST_SUGGESTED: Final = 3
"""Suggestions that a run ends with; reports show more, and `evaluators advice` all."""
SHOWN_ROWS: Final = 5
"""Rows that a suggestion names."""
WHOLE_OUTPUT: Final = "the output"
"""The field of a change that is about the whole output."""


class Suggestion(Struct, frozen=True):
    """One change to the comparison of a field, with the wrong values that it would make right."""

    evaluator: str
    variant: str | None
    field: str
    switch: str
    """What changes: `case: ignore`."""
    write: str
    """The comparison as `fields:` would say it: `normalized: {case: ignore, accents: keep}`; empty where a schema says it."""
    turned: int
    of: int
    """The mismatches that were looked at."""
    first: bool
    """There may be more mismatches than those."""
    rows: tuple[int, ...]
    """The first rows in which it would."""
    in_rows: int
    """How many rows there are."""
    says: str = ""
    """A side effect on the field or its values."""
    line: bool = False
    """`write` is a whole line of `evaluators:`, since there is no field."""
    whole: int | None = None
    """All mismatches of the run, where the tallies tell."""
    named: bool = False
    """`switch` says what happened, and `write` is what to write about it; empty where the outputs have to change."""
    at: str = ""
    """The field whose line it is, where that is another one: the list that a field is an item of."""
    aside: bool = False
    """It is a setting of the evaluator, and the values are not measured any more."""

    @property
    def place(self) -> str:
        """The text before the comparison in the line to write."""
        return self.at or self.field or "$"


def suggestion_section(
    suggestions: Sequence[Suggestion], most: int = MOST_SHOWN, *, more: bool = False
) -> tuple[Section, ...]:
    """The section with the first `most` suggestions; empty without any. With `more`, it says that a further search may find others."""
    if not suggestions:
        return ()
    items = tuple(suggestion_item(suggestion) for suggestion in suggestions[:most])
    blocks: list[Paragraph | Listing] = [
        Paragraph(_LEAD, "note"),
        Listing(items),
    ]
    if len(suggestions) > most:
        blocks.append(Paragraph(f"And {len(suggestions) - most:,} more: `evaluators advice RUN` shows them all.", "note"))
    elif more:
        blocks.append(Paragraph("`evaluators advice RUN` searches for more.", "note"))
    return (Section("Suggestions", tuple(blocks), id="suggestions"),)


def search_hint(result: RunResult) -> tuple[str, ...]:
    """The sentence on the command that searches for suggestions; empty where nothing in the run is wrong."""
    if not any(stats.failed or any(field.counts.mismatch for field in stats.fields) for stats in result.evaluators):
        return ()
    return ("`evaluators advice RUN` says which one change to the suite would turn how many wrong values right.",)


def suggestion_hint(text: str) -> Section:
    """The section with a sentence in place of suggestions."""
    return Section("Suggestions", (Paragraph(text, "note"),), id="suggestions")


def suggestion_item(suggestion: Suggestion) -> Item:
    """A suggestion in a sentence, with the line to write. One that is `named` says what happened and how to set it aside, one that is
    `aside` how many values would be set aside, any other how many would turn right."""
    variant = f' of variant "{suggestion.variant}"' if suggestion.variant is not None else ""
    shown = ", ".join(f"{row:,}" for row in suggestion.rows)
    more = f" and {suggestion.in_rows - len(suggestion.rows):,} more" if suggestion.in_rows > len(suggestion.rows) else ""
    rows = f"see row{'' if suggestion.in_rows == 1 else 's'} {shown}{more}"
    field = path_for_people(suggestion.field) or "$"
    if suggestion.named:
        values = "1 value" if suggestion.turned == 1 else f"{suggestion.turned:,} values"
        values += " of those recorded" if suggestion.first else ""
        write = f"; `{suggestion.write}` sets that aside" if suggestion.write else ""
        return Item(f"{suggestion.evaluator}: {field}: {suggestion.switch} ({values}{variant}); {rows}{write}")
    if suggestion.aside:
        text = f"{suggestion.evaluator}: `{suggestion.switch}` would set aside {_share_of_wrong(suggestion)}{variant}; {rows}"
    else:
        text = f"{suggestion.evaluator}: `{suggestion.switch}` on {field} would turn {_turned_text(suggestion)}{variant}; {rows}"
    text += f" ({suggestion.says})" if suggestion.says else ""
    line = line_to_write(suggestion)
    return Item(text, quote=(line,) if line else ())


def line_to_write(suggestion: Suggestion) -> str:
    """The line of the suite that makes the change; empty where a schema says how the field is compared."""
    write = suggestion.write
    if suggestion.line or suggestion.aside or not write:
        return write
    return f"{key_text(path_for_people(suggestion.place))}: {f'{{{write}}}' if ': ' in write else write}"


def _turned_text(suggestion: Suggestion) -> str:
    """The wrong values that a suggestion turns right, in words."""
    return (
        "the only wrong value right"
        if suggestion.of == 1 and not suggestion.first
        else f"{_share_of_wrong(suggestion)} right"
    )


def _share_of_wrong(suggestion: Suggestion) -> str:
    """The share of wrong values that a suggestion is about, in words; a share of the first ones where not all were read."""
    of_all = (
        f"of {suggestion.whole:,}" if suggestion.whole is not None and suggestion.whole >= suggestion.of else "recorded"
    )
    whole = f"the first {suggestion.of:,} {of_all}" if suggestion.first else f"{suggestion.of:,}"
    if suggestion.turned == suggestion.of:
        return f"all {'of ' if suggestion.first else ''}{whole} wrong values"
    return f"{suggestion.turned:,} of {whole} wrong values"
