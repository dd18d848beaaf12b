"""`post_process:` of a suite: the words for the post-processors that ship with the package, and functions of a program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Literal

from evaluators.fields.post_process import Processor, propagate_batch_errors, reclassify_nulls
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, Settings, bad, build, spell, word_or_map


class ReclassifyNulls(Settings):
    """The options of `reclassify_nulls`."""

    absent_values: tuple[Any, ...] = (None,)
    """The values that say that nothing is there."""
    both_absent: Literal["skip", "match"] = "skip"
    """What a field is that is absent on both sides."""


class NoOptions(Settings):
    """The options of a post-processor that takes none."""


WORDS: Final[Mapping[str, tuple[type[Settings], Processor]]] = {
    "reclassify_nulls": (ReclassifyNulls, reclassify_nulls),
    "propagate_batch_errors": (NoOptions, propagate_batch_errors),
}


def read_post_process(data: object) -> tuple[Processor, ...]:
    """A list of words, one-key maps and functions, applied in their order. Raises BadSettings with everything wrong."""
    if callable(data) or isinstance(data, str):
        data = [data]
    if not isinstance(data, (list, tuple)):
        raise bad(f"post_process must be a list; found {spell(data)}", hint="write post_process: [reclassify_nulls]")
    found: list[Processor] = []
    details: list[Detail] = []
    for index, item in enumerate(data):
        try:
            found.append(_read(item))
        except BadSettings as error:
            details.extend(detail.under(index) for detail in error.details)
    if details:
        raise BadSettings(details)
    return tuple(found)


def _read(item: Any) -> Processor:
    if callable(item):
        known: Processor = item
        return known
    name, options = word_or_map(item, "post-processor")
    loc = (name,) if isinstance(item, Mapping) else ()
    if name not in WORDS:
        hint = suggestion(name, WORDS) or f"known: {', '.join(WORDS)}"
        raise bad(f'unknown post-processor "{name}"', *loc, hint=hint, key=bool(loc))
    model, function = WORDS[name]
    try:
        settings = build(model, options, noun=f'post-processor "{name}"')
    except BadSettings as error:
        raise BadSettings(detail.under(*loc) for detail in error.details) from error
    return partial(function, **settings.model_dump())
