"""Everything that a suite can name: evaluator types, comparators, transforms and presets, each with its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Issue, Problems, problem
from evaluators.model.registry import suggestion
from evaluators.reports.document import Page
from evaluators.reports.reference import (
    comparator_page,
    evaluator_page,
    first_sentence,
    opening_comment,
    preset_page,
    transform_page,
)
from evaluators.reports.settings_in_words import Setting, settings_of
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.comparators._comparator import START_HERE as COMPARATORS_FIRST
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.evaluators._evaluator import START_HERE as EVALUATORS_FIRST
from evaluators.scoring.judges.judged_comparator import any_comparator, comparator_names
from evaluators.scoring.values.transforms import TRANSFORMS
from evaluators.suites import source
from evaluators.suites.extends import PRESETS, preset_names
from evaluators.suites.foreign_words import current_line

Kind: TypeAlias = Literal["evaluators", "comparators", "transforms", "presets"]
KINDS: Final[tuple[Kind, ...]] = ("evaluators", "comparators", "transforms", "presets")


Group: TypeAlias = Literal["start here", "further", "compatibility"]
GROUPS: Final[tuple[Group, ...]] = ("start here", "further", "compatibility")
_START_HERE: Final[Mapping[Kind, tuple[str, ...]]] = {
    "evaluators": EVALUATORS_FIRST,
    "comparators": COMPARATORS_FIRST,
}
"""What is listed first, in this order."""
_COMPATIBILITY: Final[Mapping[Kind, frozenset[str]]] = {
    "evaluators": frozenset({"json_field_match", "json_field_match_normalized", "field_match"}),
    "comparators": frozenset({
        "boolean_exact", "integer_exact", "number_exact", "number_tolerance", "string_exact", "string_case_insensitive",
        "string_fuzzy", "string_url", "string_semantic", "string_llm", "array_llm",
    }),
}  # fmt: skip
"""Names of other systems and of old suites, which others do as well. They are listed last."""


class CatalogEntry(Struct, frozen=True):
    """One thing that a suite can name, and what it does in one sentence."""

    kind: Kind
    name: str
    does: str
    retired: str | None = None
    """What to use instead, for one that is kept for old suites only."""

    @property
    def group(self) -> Group:
        """The part of its list in which it stands."""
        if self.name in _START_HERE.get(self.kind, ()):
            return "start here"
        return "compatibility" if self.name in _COMPATIBILITY.get(self.kind, ()) else "further"


def entries(kind: Kind) -> tuple[CatalogEntry, ...]:
    """The entries of a kind in the order of `list`: those to start with first, then group by group. Plugs that cannot be loaded are left
    out."""
    others = {entry.name: entry for entry in _ENTRIES[kind]()}
    first = [others.pop(name) for name in _START_HERE.get(kind, ())]
    return (*first, *sorted(others.values(), key=lambda entry: GROUPS.index(entry.group)))


def plug_problems(kind: Kind) -> dict[str, Issue]:
    """The issues of plugs that cannot be loaded, by name; `entries` leaves these plugs out."""
    if kind == "evaluators":
        return BUILTIN.broken_plugs()
    return COMPARATORS.broken_plugs() if kind == "comparators" else {}


def kinds_of(name: str) -> tuple[Kind, ...]:
    """The kinds of thing that have the name."""
    return tuple(kind for kind in KINDS if name in names_of(kind))


def page(kind: Kind, name: str) -> Page:
    """The reference page of a thing. Raises Problems (config) when there is none of that kind and name."""
    if name not in names_of(kind):
        raise unknown_name(name)
    return _PAGES[kind](name)


def settings_in(kind: Kind, name: str) -> tuple[Setting, ...]:
    """The settings of a thing, in words; a preset has none."""
    if kind == "evaluators":
        return settings_of(BUILTIN.find(name))
    if kind == "comparators":
        return settings_of(any_comparator(name))
    return settings_of(TRANSFORMS[name].parameters) if kind == "transforms" else ()


def present_name(name: str) -> str:
    """Today's name of an evaluator type that is called by another system's word; any other name as it is."""
    return current_line(name, {}).type


def unknown_name(name: str, words: Iterable[str] = ()) -> Problems:
    """The problem of a name that nothing has, with the nearest known name as a hint. `words` are known beside those of `names_of`."""
    known = [*(known for kind in KINDS for known in names_of(kind)), *words]
    hint = suggestion(name, known) or "`evaluators list` names everything there is"
    return problem("unknown-name", f'nothing is called "{name}"', hint=hint)


def names_of(kind: Kind) -> tuple[str, ...]:
    """The names of all things of a kind, found without importing them."""
    if kind == "evaluators":
        return BUILTIN.names()
    if kind == "comparators":
        return comparator_names()
    return tuple(TRANSFORMS) if kind == "transforms" else preset_names()


def _evaluators() -> tuple[CatalogEntry, ...]:
    """The evaluator types, each with the first sentence of its docstring; types that cannot be loaded are left out."""
    bad = plug_problems("evaluators")
    plugs = [(name, BUILTIN.find(name)) for name in BUILTIN.names() if name not in bad]
    return tuple(
        CatalogEntry("evaluators", name, first_sentence(plug.__doc__ or ""), plug.retired) for name, plug in plugs
    )


def _comparators() -> tuple[CatalogEntry, ...]:
    bad = plug_problems("comparators")
    plugs = [(name, any_comparator(name)) for name in comparator_names() if name not in bad]
    return tuple(CatalogEntry("comparators", name, first_sentence(plug.__doc__ or "")) for name, plug in plugs)


def _transforms() -> tuple[CatalogEntry, ...]:
    return tuple(CatalogEntry("transforms", name, first_sentence(kind.does)) for name, kind in TRANSFORMS.items())


def _presets() -> tuple[CatalogEntry, ...]:
    presets = [(name, " ".join(opening_comment(_preset_text(name)))) for name in preset_names()]
    return tuple(CatalogEntry("presets", name, first_sentence(text)) for name, text in presets)


def _preset_text(name: str) -> str:
    return (PRESETS / f"{name}.yaml").read_text(encoding="utf-8")


def _preset_page(name: str) -> Page:
    data = source.load(PRESETS / f"{name}.yaml").data
    return preset_page(name, _preset_text(name), data.get("comparators") or {})


_ENTRIES: Final[Mapping[Kind, Callable[[], tuple[CatalogEntry, ...]]]] = {
    "evaluators": _evaluators,
    "comparators": _comparators,
    "transforms": _transforms,
    "presets": _presets,
}
_PAGES: Final[Mapping[Kind, Callable[[str], Page]]] = {
    "evaluators": lambda name: evaluator_page(name, BUILTIN.find(name)),
    "comparators": lambda name: comparator_page(name, any_comparator(name)),
    "transforms": lambda name: transform_page(name, TRANSFORMS[name]),
    "presets": _preset_page,
}
