"""The `fields:` of a suite: which values to compare, and how each of them is compared.

A line is a path with a comparator (a word or a one-key map), `skip`, or the long form with `compare:` and its closed
list of neighbours. A bare list of paths compares each of them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from evaluators.comparators._comparator import COMPARATORS, Comparator, word_of
from evaluators.conditions import Condition, read_conditions
from evaluators.fields.align import ALIGNMENTS
from evaluators.fields.align import Align as Align
from evaluators.fields.align import read_align as read_align
from evaluators.fields.compound import WORD as COMPOUND
from evaluators.fields.compound import Together, read_names, takes_text
from evaluators.fields.fallbacks import (
    JUDGED,
    OF_LISTS,
    answered,
    class_of,
    fallback_of,
    in_field,
    judge_needed,
    listed_once,
    needs_judge,
)
from evaluators.fields.reading import read_path as read_path
from evaluators.fields.reading import read_transforms as read_transforms
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, as_number, bad, build, filled_texts, spell, word_or_map
from evaluators.value_class import NamedTuple, dataclass, replace
from evaluators.values.flow import flow
from evaluators.values.paths import ANY, Path
from evaluators.values.transforms import Transform

MOST_WEIGHT: Final = 10**12
WORDS: Final = {"oneof": "one_of"}
"""Comparators by their names in the systems that this package replaces, and today's names."""
NEIGHBOURS: Final = ("compare", "weight", "required", "optional", "transforms", "align", "when")


@dataclass(frozen=True, slots=True)
class FieldLine:
    """One line of `fields:`, read. `comparator` is None where the line only declares an alignment."""

    path: Path
    comparator: Comparator | None
    rule: str
    transforms: tuple[Transform, ...] = ()
    align: Align | None = None
    weight: Fraction = Fraction(1)
    required: bool = False
    optional: bool = False
    skip: bool = False
    when: tuple[Condition, ...] = ()
    word: str = "exact"
    """The name of the comparator."""
    fallback_for: str | None = None
    """The comparator that needs a judge and that this one, or the alignment, is a fallback for."""
    together: Together | None = None
    """The keys of the object at the path that are compared as one value."""

    @property
    def name(self) -> str:
        """The canonical spelling of the path."""
        return self.path.canonical


class NamedComparator(NamedTuple):
    """A comparator that a line names. `comparator` is None for `skip`, and where an alignment stands for one of lists."""

    word: str
    comparator: Comparator | None
    rule: str
    fallback_for: str | None = None
    align: Align | None = None
    together: Together | None = None


def keyed_lists(lines: Iterable[FieldLine]) -> Iterator[tuple[Path, Align]]:
    """The lists whose items some lines pair by a key."""
    for line in lines:
        if line.align is not None and line.align.key is not None:
            yield line.path, line.align


def read_fields(data: object, context: Mapping[str, Any] | None = None) -> tuple[FieldLine, ...]:
    """The lines of a `fields:` block.

    `context["comparators"]` holds the suite's own names, `context["default_comparator"]` what a bare path gets, and
    `context["fallback"]` what stands in for a comparator that needs a judge.
    Raises BadSettings with every problem.
    """
    context = context or {}
    if isinstance(data, Mapping):
        entries = [((path,), path, line) for path, line in data.items()]
    elif isinstance(data, (list, tuple)):
        entries = [((index,), path, "exact") for index, path in enumerate(data)]
    else:
        hint = f"write fields: [{data.replace(',', ', ').replace('  ', ' ')}]" if isinstance(data, str) else None
        raise bad(f"fields must be a list of paths, or a map from paths to comparators; found {spell(data)}", hint=hint)
    if not entries:
        raise bad("fields must name at least one path")
    lines: list[FieldLine] = []
    locs: list[tuple[Any, ...]] = []
    details: list[Detail] = []
    first: dict[Path, object] = {}
    for loc, spelled, body in entries:
        try:
            line = read_line(spelled, body, context)
        except BadSettings as error:
            details.extend(detail.under(*loc) for detail in in_field(error.details, str(spelled)))
            continue
        if line.path in first:
            message = f'"{spelled}" is the same place as "{first[line.path]}"'
            details.append(Detail(loc, message, "name each place once", key=True, code="duplicate-field"))
            continue
        first[line.path] = spelled
        lines.append(line)
        locs.append(loc)
    details.extend(_misplaced_alignments(lines, locs))
    if not details and not any(line.weight for line in lines if not line.skip):
        found = "every field is skipped" if all(line.skip for line in lines) else "every weight is 0"
        details.append(Detail((), f"{found}, so nothing would count"))
    if details:
        raise BadSettings(listed_once(details, named="fallback" in context))
    return _with_alignments_only(lines)


def read_line(spelled: object, body: object, context: Mapping[str, Any]) -> FieldLine:
    """One line of `fields:`."""
    path = read_path(spelled)
    if not isinstance(body, Mapping) or not _long(body):
        return _short(path, body, context)
    details = [_unknown_neighbour(key, body, context) for key in body if key not in NEIGHBOURS]
    collected: dict[str, Any] = {}
    readers: dict[str, Any] = {
        "compare": lambda value: choose(value, context),
        "weight": read_weight,
        "required": _flag,
        "optional": _flag,
        "transforms": read_transforms,
        "align": read_align,
        "when": read_conditions,
    }
    for key, value in body.items():
        if key not in readers:
            continue
        try:
            collected[key] = readers[key](value)
        except BadSettings as error:
            details.extend(detail.under(key) for detail in error.details)
    if details:
        raise BadSettings(details)
    bare = None if set(body) == {"align"} else default(context)
    chosen: NamedComparator = collected.pop("compare", NamedComparator("exact", bare, "exact"))
    if chosen.rule == "skip":
        return _skipped(path, body)
    if collected.get("required") and collected.get("optional"):
        message = '"required" and "optional" contradict each other: a required field that is absent counts as missing'
        raise BadSettings([Detail(("optional",), message, "keep one of them", key=True)])
    return _line(path, chosen, **collected)


def _line(path: Path, chosen: NamedComparator, align: Align | None = None, **rest: Any) -> FieldLine:
    align = align or chosen.align
    return FieldLine(
        path, chosen.comparator, chosen.rule, align=align, word=chosen.word, fallback_for=chosen.fallback_for,
        together=chosen.together, **rest,
    )  # fmt: skip


def _skipped(path: Path, body: Mapping[Any, Any]) -> FieldLine:
    """A line of the long form that leaves its field out. Nothing can be said beside that."""
    others = [key for key in body if key != "compare"]
    if others:
        hint = f"write {path.canonical}: skip, or another comparator"
        raise BadSettings(
            Detail((key,), f'"{key}" says nothing here: the field is skipped', hint, key=True) for key in others
        )
    return FieldLine(path, None, "skip", skip=True)


def read_comparator(data: object, context: Mapping[str, Any]) -> tuple[Comparator | None, str]:
    """The comparator that a word or a one-key map names, and how a person reads it. `skip` is (None, "skip")."""
    chosen = choose(data, {key: value for key, value in context.items() if key != "fallback"})
    if chosen.together is not None:
        raise BadSettings([Detail((COMPOUND,), '"compound" names keys of one field', "write it on that field", key=True)])
    return chosen.comparator, chosen.rule


def choose(data: object, context: Mapping[str, Any]) -> NamedComparator:
    """The comparator that a word or a one-key map names, or its fallback where it needs a judge.

    `context["fallback"]` maps words to their fallbacks, as they are written.
    """
    named: Mapping[str, tuple[Comparator, str]] = context.get("comparators", {})
    if isinstance(data, Mapping) and tuple(data) == (COMPOUND,):
        return _compound(data[COMPOUND], context)
    if (renamed := _todays_word(data, named, context)) is not data:
        return _chosen_today(renamed, data, context)
    word = next(iter(data)) if isinstance(data, Mapping) and len(data) == 1 else data
    if isinstance(word, str) and needs_judge(word, context):
        return _in_place_of(word, isinstance(data, Mapping), context)
    _refuse_unknown(data, context)
    _refuse_short_options(data, named, context)
    name, options = word_or_map(data, "comparator")
    if name == "skip":
        if options:
            raise BadSettings([Detail(("skip",), '"skip" takes no options', "write the word alone: skip", key=True)])
        return NamedComparator("skip", None, "skip")
    if name in named:
        if options:
            raise bad(f'"{name}" is one of your own comparators and takes no options here', name, key=True)
        comparator, rule = named[name]
        return NamedComparator(name, comparator, f"{name} = {rule}")
    try:
        comparator = build(class_of(name, context), options, {"judge": context.get("judge")}, f'comparator "{name}"')
    except BadSettings as error:
        prefix = (name,) if isinstance(data, Mapping) else ()
        raise BadSettings(detail.under(*prefix) for detail in error.details) from error
    notes = context.get("notes")
    if isinstance(notes, list):
        taken = (
            [f'the comparator "{name}" is one of your own; the one that ships is not used']
            if COMPARATORS.replaced(name)
            else []
        )
        notes.extend(note for note in (*taken, *comparator.notes) if note not in notes)
    return NamedComparator(name, comparator, _rule(name, options))


def _compound(options: object, context: Mapping[str, Any]) -> NamedComparator:
    """Keys that are compared as one value, with the comparator that compares them."""
    try:
        names, compare = read_names(options)
    except BadSettings as error:
        raise BadSettings(detail.under(COMPOUND) for detail in error.details) from error
    try:
        chosen = choose(compare, context)
        if chosen.comparator is None or chosen.together is not None:
            raise bad(f'compound cannot compare its keys with "{chosen.word}"', hint="name a comparator")
    except BadSettings as error:
        raise BadSettings(detail.under(COMPOUND, "compare") for detail in error.details) from error
    together = Together(names, takes_text(chosen.comparator, word_of(chosen.comparator)))
    return chosen._replace(rule=f"{' + '.join(names)}: {chosen.rule}", together=together)


def _in_place_of(word: str, mapped: bool, context: Mapping[str, Any]) -> NamedComparator:
    """The fallback of a word that needs a judge. Its options are for the judge, and are left aside with it."""
    instead = fallback_of(word, context)
    if instead is None:
        raise judge_needed(word, *((word,) if mapped else ()))
    return read_fallback(word, instead, context)


def read_fallback(word: str, instead: object, context: Mapping[str, Any]) -> NamedComparator:
    """What `fallback` names for a word: a comparator that needs no judge, or, for lists, an alignment."""
    first = next(iter(instead)) if isinstance(instead, Mapping) and len(instead) == 1 else instead
    if word == OF_LISTS and first in ALIGNMENTS:
        return NamedComparator("exact", None, f"{_spelled(instead)}, in place of {word}", word, read_align(instead))
    if word == OF_LISTS and isinstance(first, str) and first not in COMPARATORS and suggestion(first, ALIGNMENTS):
        return NamedComparator("exact", None, word, word, read_align(instead))  # which says what is wrong with it
    chosen = choose(instead, {key: value for key, value in context.items() if key != "fallback"})
    if chosen.comparator is None:
        raise bad(f'"skip" cannot stand in for "{word}"', hint="skip the field itself, or name a comparator")
    return chosen._replace(rule=f"{chosen.rule}, in place of {word}", fallback_for=word)


def _spelled(data: object) -> str:
    name, options = word_or_map(data, "alignment")
    return _rule(name, options)


def _todays_word(data: object, named: Mapping[str, Any], context: Mapping[str, Any]) -> object:
    """The same, with a comparator's word of another system in today's spelling, and a note in `context["notes"]`."""
    old = next(iter(data)) if isinstance(data, Mapping) and len(data) == 1 else data
    if not isinstance(old, str) or old not in WORDS or old in named or old in COMPARATORS:
        return data
    notes = context.get("notes")
    note = f'the comparator "{old}" is called "{WORDS[old]}" here'
    if isinstance(notes, list) and note not in notes:
        notes.append(note)
    return {WORDS[old]: data[old]} if isinstance(data, Mapping) else WORDS[old]


def _chosen_today(renamed: object, data: object, context: Mapping[str, Any]) -> NamedComparator:
    """What the renamed comparator chooses. What is wrong with it stands where the old word does."""
    try:
        return choose(renamed, context)
    except BadSettings as error:
        written = tuple(data) if isinstance(data, Mapping) else ()
        raise BadSettings(replace(detail, loc=(*written, *detail.loc[1:])) for detail in error.details) from error


def _refuse_short_options(data: object, named: Mapping[str, Any], context: Mapping[str, Any]) -> None:
    """Refuses an option without its name, such as `regex: "("`, with the line as it is written in full."""
    if not isinstance(data, Mapping) or len(data) != 1:
        return
    name, value = next(iter(data.items()))
    if value is None or isinstance(value, Mapping) or name in named or name == "skip":
        return
    message = f'the options of "{name}" must be a map; found {spell(value)}'
    raise BadSettings([Detail((name,), message, _in_full(class_of(name, context), name, value))])


def _in_full(plug: type[Comparator], name: str, value: object) -> str:
    """How an option without its name is written: with the setting that takes it."""
    settings = {field.alias or key: field for key, field in plug.model_fields.items()}
    if isinstance(value, bool) or not settings:
        return f"write the word alone: {name}"
    needed = [key for key, field in settings.items() if field.is_required()]
    shapes: list[dict[str, Any]] = [{key: value} for key in settings] + [{key: [value]} for key in settings]
    if isinstance(value, int | float):
        shapes += [{key: {"abs": value}} for key in settings]
    shown = next((shape for shape in shapes if _taken(plug, shape)), {needed[0]: value} if needed else None)
    return f"write {name}: {flow(shown)}" if shown else f"known options: {', '.join(settings)}"


def _taken(plug: type[Comparator], options: Mapping[str, Any]) -> bool:
    try:
        build(plug, options)
    except BadSettings:
        return False
    return True


def _refuse_unknown(data: object, context: Mapping[str, Any]) -> None:
    """Refuses a name that nobody has, before its options are looked at.

    `context["presets_with"]` knows which shipped presets define a name.
    """
    named: Mapping[str, Any] = context.get("comparators", {})
    presets_with: Callable[[str], Sequence[str]] = context.get("presets_with", lambda _: ())
    single = isinstance(data, Mapping) and len(data) == 1
    name = next(iter(data)) if isinstance(data, Mapping) and single else data
    if not isinstance(name, str) or name == "skip" or name in named or name in COMPARATORS or answered(name, context):
        return
    known = (*COMPARATORS.names(), *named, COMPOUND, "skip")
    presets = presets_with(name)
    if presets:
        hint = f"preset:{presets[0]} defines it: write extends: preset:{presets[0]} in the suite"
    else:
        hint = suggestion(name, (*known, *NEIGHBOURS)) or f"known: {', '.join(known)}"
    loc = (name,) if single else ()
    raise BadSettings([Detail(loc, f'unknown comparator "{name}"', hint, key=single, code="unknown-name")])


def default(context: Mapping[str, Any]) -> Comparator:
    """The comparator of a line that names none: exact."""
    found = context.get("default_comparator")
    return found if isinstance(found, Comparator) else COMPARATORS.find("exact")()


def read_skipped(data: object) -> tuple[Path, ...]:
    """Paths to leave out of a whole-document comparison: keys and `[*]`, since every index shares one rule."""
    if not isinstance(data, (list, tuple)):
        raise bad(f"skip must be a list of paths; found {spell(data)}")
    found: list[Path] = []
    details: list[Detail] = []
    for index, spelled in enumerate(data):
        try:
            path = read_path(spelled)
        except BadSettings as error:
            details.extend(detail.under(index) for detail in error.details)
            continue
        if path.query is not None or any(isinstance(step, int) for step in path.steps):
            hint = "use keys, and [*] for every item of a list"
            details.append(Detail((index,), f'"{spelled}" cannot be skipped: it picks single items', hint))
            continue
        found.append(path)
    if details:
        raise BadSettings(details)
    return tuple(found)


def _with_alignments_only(lines: list[FieldLine]) -> tuple[FieldLine, ...]:
    """A line that only says how a list is aligned is scored itself when no `[*]` line below it uses the alignment."""
    arrays = _looked_into(lines)
    exact = COMPARATORS.find("exact")()
    return tuple(
        replace(line, comparator=exact)
        if line.comparator is None and not line.skip and line.path.steps not in arrays
        else line
        for line in lines
    )


def _looked_into(lines: Sequence[FieldLine]) -> set[tuple[Any, ...]]:
    """The lists whose items some line compares, `[*]` being where it looks into one."""
    return {
        line.path.steps[:cut]
        for line in lines
        if not line.skip
        for cut, step in enumerate(line.path.steps)
        if step is ANY
    }


def _misplaced_alignments(lines: Sequence[FieldLine], locs: Sequence[tuple[Any, ...]]) -> list[Detail]:
    """Alignments that stand on the items of a list instead of on the list."""
    arrays = _looked_into(lines)
    return [
        Detail(
            loc,
            f'the alignment of "{line.name}" is on the items of a list; it goes on the list itself',
            f"write {line.path.part(0, -1).canonical or '$'}: {{align: …}}",
            key=True,
        )
        for line, loc in zip(lines, locs, strict=True)
        if line.align is not None and line.path.steps[-1:] == (ANY,) and line.path.steps not in arrays
    ]


def _long(body: Mapping[Any, Any]) -> bool:
    return any(key in NEIGHBOURS for key in body)


def _short(path: Path, body: object, context: Mapping[str, Any]) -> FieldLine:
    chosen = choose("exact" if body is None else body, context)
    return _line(path, chosen, skip=chosen.rule == "skip")


def _unknown_neighbour(key: object, body: Mapping[Any, Any], context: Mapping[str, Any]) -> Detail:
    name = str(key)
    known = (COMPOUND, *WORDS, *JUDGED, *context.get("comparators", {}))
    if (name in known or name in COMPARATORS) and "compare" not in body:
        rest = ", ".join(f"{other}: {flow(value)}" for other, value in body.items() if other != key)
        options = body[key]
        compare = name if not options else f"{{{name}: {flow(options)}}}"
        message = f'"{name}" is beside {_listed(body, key)}; here the comparator goes under "compare"'
        return Detail((name,), message, f"write {{compare: {compare}, {rest}}}", key=True)
    hint = suggestion(name, NEIGHBOURS) or f"known settings: {', '.join(NEIGHBOURS)}"
    return Detail((name,), f'unknown setting "{name}" for a field', hint, key=True, code="unknown-setting")


def _listed(body: Mapping[Any, Any], but: object) -> str:
    return ", ".join(f'"{key}"' for key in body if key != but)


def _rule(name: str, options: Mapping[str, Any]) -> str:
    return f"{name} {flow(filled_texts().shown(options))}" if options else name


def read_weight(value: object) -> Fraction:
    """A weight as an exact number, at least 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        hint = as_number(value, "a number") if isinstance(value, str) else None
        raise bad(f"weight must be a number; found {spell(value)}", hint=hint)
    if isinstance(value, float) and not isfinite(value):
        raise bad(f"weight must be a number; found {spell(value)}")
    if value > MOST_WEIGHT:
        raise bad(f"weight must be at most {MOST_WEIGHT:,}", hint="only the proportions of weights matter")
    if value < 0:
        hint = "0 leaves the field out of the score; 2 counts it twice as much as a field without a weight"
        raise bad(f"weight must be a number, 0 or more; found {spell(value)}", hint=hint)
    return Fraction(value) if isinstance(value, int) else Fraction(str(value))


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise bad(f"expected true or false; found {spell(value)}")
    return value
