"""Whether two runs asked the same question, in sentences: the same rows, evaluators that mean the same.

A reason keeps the runs from being compared; a note does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from evaluators.compare.pairs import Pairs, Side
from evaluators.run.figures import rows_text

_SHOWN: Final = 5  # ids, settings and the like that a sentence names


def other_variants(base: Side, new: Side) -> Iterator[str]:
    """A reason where the runs have other variants."""
    if base.variants != new.variants and set(base.rows) != set(new.rows):
        yield f"the variants differ: {_names(base.variants)} in the base, {_names(new.variants)} in the new run"


def unfinished(base: Side, new: Side) -> Iterator[str]:
    """A reason for each run that ended early."""
    for said, side in (("base", base), ("new run", new)):
        if not side.result.complete:
            yield f"the {said} was interrupted before its last row"


def other_meaning(base: Side, new: Side) -> Iterator[str]:
    """A reason for evaluators and settings that only one run has."""
    for said, one, other in (("base", base, new), ("new run", new, base)):
        alone = [name for name in one.fields if name not in other.fields]
        if alone:
            yield f"only the {said} has the evaluator{'s' if len(alone) > 1 else ''} {_names(alone)}"
    for name in ("", *(name for name in new.fields if name in base.fields)):
        was, now = base.result.meaning.get(name, {}), new.result.meaning.get(name, {})
        settings = [key for key in dict.fromkeys([*was, *now]) if was.get(key) != now.get(key)]
        if settings:
            owner = f'the evaluator "{name}" has other settings' if name else "the test set is read otherwise"
            if not name and all(key.startswith("judge → ") for key in settings):
                owner = "another judge was asked"
            yield f"{owner}: {listed(settings)}"


def rows_of_one_run(pairs: Mapping[str | None, Pairs]) -> Iterator[str]:
    """A sentence for the rows that only one of the runs has, by variant."""
    for variant, found in pairs.items():
        for said, lines in (("base", found.base_only), ("new run", found.new_only)):
            if lines:
                are = "is" if len(lines) == 1 else "are"
                text = f"{rows_text(len(lines))} {are} in the {said} only: {listed([line.id for line in lines])}"
                yield of_variant(text, variant)


def other_questions(pairs: Mapping[str | None, Pairs]) -> Iterator[str]:
    """A sentence for the rows that ask something else in the two runs, by variant."""
    for variant, found in pairs.items():
        if ids := [f"{line.id} (row {line.row})" for line in found.other_question]:
            asks = f"{'has' if len(ids) == 1 else 'have'} another expected answer, or another cell that is looked at"
            yield of_variant(f"{rows_text(len(ids))} {asks}: {listed(ids)}", variant)


def remarks(base: Side, new: Side, pairs: Iterable[Pairs]) -> Iterator[str]:
    """What a reader should know, though the runs can be compared."""
    if base.result.version != new.result.version:
        yield f"the base was scored by evaluators {base.result.version}, the new run by {new.result.version}"
    repeated = sum(one.repeated for one in pairs)
    if repeated:
        shares = "shares its" if repeated == 1 else "share their"
        yield f"{rows_text(repeated)} {shares} id with an earlier one; such rows are paired in their order"
    if any(not line.checksum for side in (base, new) for rows in side.rows.values() for line in rows.lines):
        yield "a run does not say what its rows ask, so it is not checked that both ask the same"


def of_variant(text: str, variant: str | None) -> str:
    """The sentence with the variant that it is about."""
    return text if variant is None else f'variant "{variant}": {text}'


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _names(names: Sequence[str]) -> str:
    return listed([f'"{name}"' for name in names]) if names else "none"
