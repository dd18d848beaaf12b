"""Comparators that need a judge, and what stands in for them in a suite without one.

A field that needs a judge is a `NeedsJudge`. They are gathered as any other bad setting is, and `listed_once` makes one of
them all, so that a reader meets one message that lists every such field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from evaluators.comparators._comparator import COMPARATORS, Comparator
from evaluators.judges.judged_comparator import JUDGED_COMPARATORS
from evaluators.settings import BadSettings, Detail
from evaluators.values.flow import flow

JUDGED: Final = ("semantic", "string_semantic", "string_llm", "array_llm")
"""The words that need a judge."""
OF_LISTS: Final = "array_llm"
"""The word whose fallback may be an alignment, since it compares whole lists."""
_ALSO: Final = {"semantic": "string_semantic", "string_semantic": "semantic"}
_SUGGESTED: Final = {"array_llm": "hungarian"}
_MOST_LISTED: Final = 20


class NeedsJudge(Detail, frozen=True):
    """A field that needs a judge, in a suite that has none and names no fallback."""

    field: str = ""
    word: str = ""


def needs_judge(word: str, context: Mapping[str, Any]) -> bool:
    """Whether the comparator of that name asks a judge, and `context["judge"]` is not there to be asked.

    A comparator of the suite, or one that a program registered, takes the place of the word.
    """
    if word in context.get("comparators", {}):
        return False
    if word in COMPARATORS:
        return context.get("judge") is None and COMPARATORS.find(word).judged
    return word in JUDGED and (context.get("judge") is None or word not in JUDGED_COMPARATORS)


def answered(word: str, context: Mapping[str, Any]) -> bool:
    """Whether the word is one that the suite's judge answers."""
    return context.get("judge") is not None and word not in COMPARATORS and word in JUDGED_COMPARATORS


def class_of(word: str, context: Mapping[str, Any]) -> type[Comparator]:
    """The comparator of that name, those included that the suite's judge answers. Raises Problems where there is none."""
    return JUDGED_COMPARATORS.find(word) if answered(word, context) else COMPARATORS.find(word)


def fallback_of(word: str, context: Mapping[str, Any]) -> object:
    """What `context["fallback"]` names for a word, as it is written; None where it names nothing."""
    named: Mapping[str, object] = context.get("fallback") or {}
    return named.get(word, named.get(_ALSO.get(word, "")))


def judge_needed(word: str, *loc: str | int) -> BadSettings:
    """The word stands where no judge can answer, ready to raise."""
    message = f'"{word}" needs a judge, and there is none'
    return BadSettings([NeedsJudge(loc, message, _hint([word]), bool(loc), "needs-judge", word=word)])


def in_field(details: Iterable[Detail], field: str) -> list[Detail]:
    """The same details; those that need a judge know their field."""
    return [
        replace(detail, field=field) if isinstance(detail, NeedsJudge) and not detail.field else detail
        for detail in details
    ]


def listed_once(details: Iterable[Detail], *, named: bool = True) -> list[Detail]:
    """The same details, with one in place of all those that need a judge. It lists their fields.

    `named`: where they stand, `fallback` may be written.
    """
    details = list(details)
    asking = [detail for detail in details if isinstance(detail, NeedsJudge)]
    if not asking:
        return details
    listed = list(dict.fromkeys(f"{one.field} ({one.word})" if one.field else one.word for one in asking))
    shown = ", ".join(listed[:_MOST_LISTED])
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    count = "1 field needs" if len(listed) == 1 else f"{len(listed)} fields need"
    message = f"{count} a judge, and there is none: {shown}{more}"
    hint = _hint([one.word for one in asking]) if named else "compare them with something else, such as fuzzy"
    first = replace(asking[0], message=message, hint=hint)
    return [first if detail is asking[0] else detail for detail in details if detail not in asking[1:]]


def _hint(words: Iterable[str]) -> str:
    named = {word: _SUGGESTED.get(word, "fuzzy") for word in dict.fromkeys(words)}
    first = next(iter(named))
    return (
        f"name what stands in for it: fallback: {flow(named)}; or who answers: judge: {{…}}; "
        f'or answer in Python: evaluators.register("{first}", f, batch=True)'
    )
