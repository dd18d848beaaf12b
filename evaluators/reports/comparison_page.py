"""A comparison of two runs as a page, in the order of questions: may it go in, what got better or worse, which rows.

Every difference stands beside its interval, and what is called better or worse has a p-value below 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluators.compare.comparison import (
    Change,
    ChangedRow,
    Ranking,
    RunComparison,
)
from evaluators.reports.comparison_tables import (
    evaluator_section,
    field_section,
    label_section,
    measure_section,
    ranking_section,
)
from evaluators.reports.document import (
    Item,
    Listing,
    Page,
    PageTable,
    Paragraph,
    Section,
    Tone,
    dense,
    heads,
    listed,
)
from evaluators.reports.tables import row_name
from evaluators.run.metrics import counted, more_text, rows_text
from evaluators.words import plain_word

MOST_ROWS: Final = 20
"""Broken rows, and fixed rows, that a page lists; all of them are in the JSON file."""
MOST_CHANGES: Final = 5
"""Fields of such a row that a page lists; all of them are in the JSON file."""

_CHECK_TONES: Final[dict[str, Tone]] = {"passed": "good", "failed": "bad", "undecided": "warning"}
_CHECK_WORDS: Final = {"passed": "passed", "failed": "FAILED", "undecided": "UNDECIDED"}


def comparison_page(comparison: RunComparison, files: Sequence[str] = ()) -> Page:
    """The page of a comparison. `files` are lines about what was written."""
    sections = (
        _opening(comparison),
        *_why_not(comparison),
        *_regression_checks(comparison),
        *evaluator_section(comparison),
        *field_section(comparison),
        *label_section(comparison),
        *measure_section(comparison),
        *ranking_section(comparison),
        *_rows("Broken rows", comparison, "broken"),
        *_rows("Lost rows", comparison, "lost"),
        *_rows("Fixed rows", comparison, "fixed"),
        *_rows("Gained rows", comparison, "gained"),
        *_rows("Settled rows", comparison, "settled"),
        *_rows("Unchanged rows with changed fields", comparison, "unchanged"),
        *listed("Notes", (Item(note, tone="note") for note in comparison.notes)),
        _ending(comparison, files),
    )
    return Page(f"{comparison.name}: {headline(comparison)}", sections, _tone(comparison))


def headline(comparison: RunComparison) -> str:
    """How the comparison ended, in a few words."""
    if comparison.incomparable:
        return "the runs cannot be compared"
    if comparison.exit_code:
        return "FAILED" if comparison.exit_code == 1 else "not everything could be compared"
    if not comparison.evaluators:
        return f"{counted(len(_ranked_variants(comparison.rankings)), 'variant')} compared"
    found = [one.verdict for one in (*comparison.evaluators, *comparison.fields)]
    if "worse" in found:
        return "better and worse" if "better" in found else "clearly worse"
    if "better" in found:
        return "clearly better"
    return "no clear difference" if comparison.changed or "no clear difference" in found else "no difference"


def comparison_line(comparison: RunComparison) -> str:
    """The comparison in one line, with the first cause."""
    cause = f" ({comparison.causes[0]})" if comparison.causes else ""
    changed = f"{comparison.fixed:,} fixed, {comparison.broken:,} broken" + (
        f", {comparison.lost:,} lost" if comparison.lost else ""
    )
    counts = (
        "" if comparison.incomparable or not comparison.evaluators else f"; {changed} of {rows_text(comparison.rows)}"
    )
    return f"{comparison.name}: {headline(comparison)}{counts}{cause}"


def _tone(comparison: RunComparison) -> Tone:
    if comparison.exit_code:
        return "bad" if comparison.exit_code == 1 else "warning"
    worse = any(one.verdict == "worse" for one in (*comparison.evaluators, *comparison.fields))
    return "warning" if worse else "good"


def _opening(comparison: RunComparison) -> Section:
    if comparison.rankings and not comparison.evaluators:
        rows = f"{rows_text(comparison.rows)} that every ranked variant has"
        return Section(None, (Paragraph(f"Variants: {comparison.base}, {comparison.new}"), Paragraph(rows)))
    places = Paragraph(f"Base: {comparison.base}. New: {comparison.new}.")
    if comparison.incomparable:
        return Section(None, (places,))
    counts = [f"{comparison.fixed:,} fixed", f"{comparison.broken:,} broken", f"{comparison.unchanged:,} unchanged"]
    further = (
        (comparison.lost, "lost"), (comparison.gained, "gained"), (comparison.settled, "settled"),
        (comparison.never_measured, "never measured"),
    )  # fmt: skip
    counts += [f"{count:,} {word}" for count, word in further if count]
    if mended := sum(row.change == "unchanged" for row in comparison.changed):
        counts[2] += f" ({mended:,} with other fields right or wrong)"
    both = comparison.rows - comparison.one_sided
    rows = (
        f"{rows_text(comparison.rows)}, {both:,} of them in both runs"
        if comparison.one_sided
        else f"{rows_text(both)} in both runs"
    )
    return Section(None, (places, Paragraph(f"{rows}: {', '.join(counts)}")))


def _why_not(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.incomparable:
        return ()
    items = tuple(Item(reason, tone="warning") for reason in comparison.incomparable)
    hint = Paragraph("With --common, what both runs have in common is compared all the same.")
    return (Section("What differs", (Listing(items), *((hint,) if comparison.rows else ()))),)


def _regression_checks(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.regression_checks:
        return ()
    order = ("failed", "undecided", "passed")
    regression_checks = sorted(comparison.regression_checks, key=lambda check: order.index(check.verdict))
    table = PageTable(
        heads("regression check", "of", "variant", "verdict", "found"),
        tuple(
            (one.rule, one.target or "", one.variant or "", _CHECK_WORDS[one.verdict], one.message)
            for one in regression_checks
        ),
        tuple(_CHECK_TONES[check.verdict] for check in regression_checks),
    )
    return (Section("Regression checks", (dense(table, ("regression check", "verdict", "found")),)),)


def _rows(title: str, comparison: RunComparison, change: Change) -> tuple[Section, ...]:
    rows = [row for row in comparison.changed if row.change == change]
    if not rows:
        return ()
    more = len(rows) - MOST_ROWS
    items = Listing(tuple(_row(row) for row in rows[:MOST_ROWS]))
    rest = (Paragraph(f"{more_text(more, 'row')} in the JSON file."),) if more > 0 else ()
    return (Section(title, (items, *rest)),)


def _row(row: ChangedRow) -> Item:
    became = (
        ("broken", row.broken), ("lost", [_reasoned(row, name) for name in row.lost]), ("fixed", row.fixed),
        ("gained", [_reasoned(row, name, "was ") for name in row.gained]), ("settled", row.settled),
    )  # fmt: skip
    said = [f"{word}: {', '.join(names)}" for word, names in became if names] or ["passes or fails as before"]
    more = len(row.fields) - MOST_CHANGES
    fields = tuple(map(_plain_change, row.fields))
    details = (*fields[:MOST_CHANGES], f"and {more:,} more fields") if more > 1 else fields
    why = tuple(f"{name}: {row.reasons[name]}" for name in row.broken if row.reasons.get(name))
    return Item(
        f"{row_name(row.number, row.id, row.variant)}: {'; '.join(said)}",
        (*details, *why),
        tone=_CHANGE_TONES[row.change],
    )


def _reasoned(row: ChangedRow, name: str, was: str = "") -> str:
    return f"{name} ({was}{row.reasons[name]})"


_CHANGE_TONES: Final[dict[Change, Tone]] = {
    "broken": "bad", "lost": "warning", "fixed": "good", "gained": "note", "settled": "note", "unchanged": "plain",
    "never measured": "plain",
}  # fmt: skip


def _plain_change(change: str) -> str:
    """The change of a field, in the words for people: `header.total: right → wrong`."""
    place, _, statuses = change.rpartition(": ")
    return f"{place}: {' → '.join(map(plain_word, statuses.split(' → ')))}"


_EXIT_WORDS: Final = {
    0: "no regression check failed",
    1: "a regression check failed",
    3: "something could not be compared",
    4: "the runs cannot be compared",
}


def _ending(comparison: RunComparison, files: Sequence[str]) -> Section:
    words = _EXIT_WORDS.get(comparison.exit_code, "see the causes")
    if comparison.exit_code == 0 and not comparison.regression_checks:
        words = "no regression check was asked for, so no difference is too large"
    blocks: list[Paragraph | Listing] = [Paragraph(f"Exit code {comparison.exit_code}: {words}.", _tone(comparison))]
    if comparison.causes and not comparison.incomparable:
        blocks.append(Listing(tuple(Item(cause) for cause in comparison.causes)))
    if files:
        blocks.append(Paragraph("The files:"))
        blocks.append(Listing(tuple(Item(file) for file in files)))
    return Section("Result", tuple(blocks))


def _ranked_variants(rankings: Sequence[Ranking]) -> tuple[str, ...]:
    names = [[*(one.variant for one in each.variants), *(one.variant for one in each.unranked)] for each in rankings]
    return tuple(dict.fromkeys(name for each in names for name in each))
