"""Several outputs of one question, as a page shows them: how often a question is answered, and what flips from one output to the
next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import PageTable, Paragraph, Section, heads
from evaluators.run.metrics import counted, interval_text, percent_text, rows_text, with_variant
from evaluators.run.result import PassesAt, RepeatStats, RunResult
from evaluators.values.quoting import first_ones

MOST_LISTED: Final = 20
"""Questions and fields that a page lists; run.json has more."""


def repeat_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator, by variant; nothing where rows are on their own."""
    return tuple(
        Section(
            f"Outputs of one {one.by}: {with_variant(one.evaluator, one.variant)}",
            tuple(_blocks(one)),
            id=f"repeats-{place}",
        )
        for place, one in enumerate(result.repeats)
    )


def repeat_line(one: RepeatStats) -> str:
    """The groups of one evaluator in a sentence."""
    smaller = f"{one.smallest:,} to " if one.smallest != one.largest else ""
    found = (
        f"{counted(one.groups, 'group')} of {smaller}{counted(one.largest, 'output')}: {one.always:,} always "
        f"{'passes' if one.always == 1 else 'pass'}, {one.sometimes:,} sometimes, {one.never:,} never"
    )
    return found if one.groups else "no group was measured"


def left_out(one: PassesAt) -> str:
    """How many groups are too small to speak of k outputs; empty without any."""
    are = "is" if one.smaller == 1 else "are"
    return f" ({counted(one.smaller, 'group')} of fewer than {one.k:,} {are} left out)" if one.smaller else ""


def passes_line(one: RepeatStats) -> str:
    """How likely a question is answered with the first and the last k, where there is more than one; begins with a semicolon."""
    shown = [each for each in one.passes[:1] + one.passes[1:][-1:] if each.groups]
    return "".join(
        f"; k = {each.k:,}: one passes {percent_text(each.pass_at_k)}, all pass {percent_text(each.pass_all_k)}{left_out(each)}"
        for each in shown
    )


def flips_line(one: RepeatStats) -> str:
    """The fields that flip, the most frequent first, with their shares of groups."""
    said = [
        f"{each.path} {percent_text(each.share)} {interval_text(each.ci)} of {counted(each.groups, 'group')}"
        for each in one.fields
    ]
    return f"fields that flip: {first_ones(said, MOST_LISTED)}"


def _blocks(one: RepeatStats) -> Iterator[Paragraph | PageTable]:
    yield Paragraph(f"{repeat_line(one)}.")
    if one.kept_out:
        are = "group has" if one.kept_out == 1 else "groups have"
        yield Paragraph(f"{one.kept_out:,} {are} no metrics: some of the rows could not be measured.", "warning")
    if one.nameless:
        have, belong = ("has", "belongs") if one.nameless == 1 else ("have", "belong")
        said = f"{rows_text(one.nameless)} {have} an empty cell in {one.by}, and {belong} to no group."
        yield Paragraph(said, "warning")
    if one.sampled:
        said = "There are more groups than are counted: these are drawn by a checksum of their names."
        yield Paragraph(said, "warning")
    if one.noise is not None:
        yield Paragraph(f"Of two outputs of one group, one passes and the other does not: {percent_text(one.noise)}.")
    if one.passes:
        yield PageTable(_PASS_HEADS, tuple(
            (
                f"{each.k:,}", percent_text(each.pass_at_k), interval_text(each.pass_at_k_ci), percent_text(each.pass_all_k),
                interval_text(each.pass_all_k_ci), f"{each.groups:,}", f"{each.smaller:,}",
            )
            for each in one.passes
        ))  # fmt: skip
        small = " Groups of fewer than k outputs are left out." if any(each.smaller for each in one.passes) else ""
        yield Paragraph(
            f"pass@k: at least one of k outputs passes. pass^k: all k pass. Intervals are over groups.{small}"
        )
    if one.largest == 1:
        yield Paragraph("Every group has one output, so nothing can be said of how they vary.", "warning")
    if one.fields:
        yield PageTable(
            heads("field that flips", "#groups", "#share", "#95 % CI"),
            tuple(
                (each.path, f"{each.flips:,} of {each.groups:,}", percent_text(each.share), interval_text(each.ci))
                for each in one.fields[:MOST_LISTED]
            ),
        )
        yield from _more(len(one.fields), "field")
    if one.sometimes or one.never:
        yield PageTable(
            heads("group", "#passed", "#share"),
            tuple(
                (each.group, f"{each.passed:,} of {each.attempts:,}", percent_text(each.passed / each.attempts))
                for each in one.listed[:MOST_LISTED]
                if each.passed < each.attempts
            ),
        )
        yield from _more(one.sometimes + one.never, "group")


_PASS_HEADS: Final = heads("#k", "#pass@k", "#95 % CI", "#pass^k", "#95 % CI", "#groups", "#smaller groups")


def _more(count: int, noun: str) -> Iterator[Paragraph]:
    if count > MOST_LISTED:
        yield Paragraph(f"{counted(count - MOST_LISTED, f'more {noun}')} in run.json.")
