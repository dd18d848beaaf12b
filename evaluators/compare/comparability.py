"""Whether two runs asked the same question: the same rows, evaluators that mean the same.

A reason keeps the runs from being compared; a note does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from evaluators.compare.pairs import Pairs, Side
from evaluators.run.wording import Finding


def reasons_against(base: Side, new: Side) -> Iterator[Finding]:
    """Why the runs cannot be compared, whatever their rows are."""
    if base.variants != new.variants and set(base.rows) != set(new.rows):
        yield Finding("other-variants", {"base": base.variants, "new": new.variants})
    for side, one, other in (("base", base, new), ("new run", new, base)):
        alone = [name for name in one.fields if name not in other.fields]
        if alone:
            yield Finding("one-sided-evaluators", {"side": side, "count": len(alone), "evaluators": alone})
    for name in ("", *(name for name in new.fields if name in base.fields)):
        was, now = base.result.meaning.get(name, {}), new.result.meaning.get(name, {})
        settings = [key for key in dict.fromkeys([*was, *now]) if was.get(key) != now.get(key)]
        if settings:
            of_judge = all(key.startswith("judge → ") for key in settings)
            code = "other-settings" if name else "other-judge" if of_judge else "other-reading"
            yield Finding(code, {"name": name, "settings": settings})
    for side, one in (("base", base), ("new run", new)):
        if not one.result.complete:
            yield Finding("interrupted", {"side": side})


def rows_of_one_run(pairs: Mapping[str | None, Pairs]) -> Iterator[Finding]:
    """The rows that only one of the runs has, by variant."""
    for variant, found in pairs.items():
        for side, lines in (("base", found.base_only), ("new run", found.new_only)):
            if ids := [line.id for line in lines]:
                yield Finding("one-sided-rows", {"variant": variant, "count": len(ids), "side": side, "ids": ids})


def other_questions(pairs: Mapping[str | None, Pairs]) -> Iterator[Finding]:
    """The rows that ask something else in the two runs, by variant."""
    for variant, found in pairs.items():
        if ids := [f"{line.id} (row {line.row})" for line in found.other_question]:
            yield Finding("other-question", {"variant": variant, "count": len(ids), "ids": ids})


def remarks(base: Side, new: Side, pairs: Iterable[Pairs]) -> Iterator[Finding]:
    """What a reader should know, though the runs can be compared."""
    if base.result.version != new.result.version:
        yield Finding("other-version", {"base": base.result.version, "new": new.result.version})
    if repeated := sum(one.repeated for one in pairs):
        yield Finding("repeated", {"count": repeated})
    if any(not line.checksum for side in (base, new) for rows in side.rows.values() for line in rows.lines):
        yield Finding("unchecked")
