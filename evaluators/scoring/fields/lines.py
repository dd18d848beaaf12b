"""The `fields:` of a suite: which values to compare, and how each of them is compared.

A line is a path with a comparator (a word or a one-key map), `skip`, or the long form with `compare:` and its closed
list of neighbours. A bare list of paths compares each of them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.registry import nearest, suggestion
from evaluators.model.settings import BadSettings, Detail, Loc, bad, boolean_hint, number_hint, read_each, spell
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator
from evaluators.scoring.fields.named_comparators import (
    COMPOUND,
    JUDGED,
    NEIGHBOURS,
    WORDS,
    NamedComparator,
    choose,
    in_field,
    with_one_needs_judge,
    word_in,
)
from evaluators.scoring.fields.reading import ALIGNMENTS, AS_A_SET, Align, read_align, read_path, read_transforms
from evaluators.scoring.fields.rules import Together
from evaluators.scoring.needs import Condition, read_conditions
from evaluators.scoring.values.paths import ANY, Path
from evaluators.scoring.values.quoting import flow_text
from evaluators.scoring.values.transforms import Transform

MOST_WEIGHT: Final = 10**12


class FieldLine(Struct, frozen=True):
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
    confidence: Path | None = None
    """Where the output says how sure it is of the field."""
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

    def known_paths(self) -> Iterator[Path]:
        """Yields the paths that the line names: its own, those of keys that are compared together or pair items, and that of its
        confidence."""
        yield self.path
        yield from (Path((*self.path.steps, key)) for key in (self.together.fields if self.together else ()))
        yield from (Path((*self.path.steps, ANY, *key.steps)) for key in (self.align.keys if self.align else ()))
        if self.confidence is not None:
            yield self.confidence


def keyed_lists(lines: Iterable[FieldLine]) -> Iterator[tuple[Path, Align]]:
    """Yields (path, alignment) of each list whose items a line pairs by a key."""
    for line in lines:
        if line.align is not None and line.align.key is not None:
            yield line.path, line.align


def read_fields(data: object, context: Mapping[str, Any] | None = None) -> tuple[FieldLine, ...]:
    """The lines of a `fields:` block.

    `context["comparators"]` holds the suite's own names, and `context["fallback"]` what stands in for a comparator that needs a
    judge.
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
    locs: list[Loc] = []
    details: list[Detail] = []
    first: dict[Path, object] = {}
    for loc, spelled, body in entries:
        try:
            line = read_line(spelled, body, context)
        except BadSettings as error:
            problems = _with_setting_hint(spelled, body, data, error.details)
            details.extend(detail.under(*loc) for detail in in_field(problems, str(spelled)))
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
        fault = "every field is skipped" if all(line.skip for line in lines) else "every weight is 0"
        details.append(Detail((), f"{fault}, so nothing would count"))
    if details:
        raise BadSettings(with_one_needs_judge(details, named="fallback" in context))
    return _with_missing_comparators(lines)


def _with_setting_hint(spelled: object, body: object, data: object, details: Sequence[Detail]) -> Sequence[Detail]:
    """The problems of a line. Where it is called like a setting of a field, their hint shows the line of a field with that setting."""
    fields = [(path, line) for path, line in data.items() if path not in NEIGHBOURS] if isinstance(data, Mapping) else []
    if spelled not in NEIGHBOURS or isinstance(body, Mapping) or not fields:
        return details
    path, own = fields[-1]
    written = own if isinstance(own, Mapping) and {*own} & {*NEIGHBOURS} else {"compare": own or "exact"}
    hint = f'"{spelled}" is a setting of one field, as in {flow_text({path: {**written, spelled: body}})[1:-1]}'
    return [replace(details[0], hint=hint)]


def read_line(spelled: object, body: object, context: Mapping[str, Any]) -> FieldLine:
    """Reads one line of `fields:`: `spelled` is its path as written, and `body` what is written for it. Raises BadSettings."""
    path = read_path(spelled)
    _refuse_alignment(path, body, context)
    if isinstance(body, Mapping) and len(body) > 1:
        _refuse_misspelled(body, context)
    if not isinstance(body, Mapping) or not any(key in NEIGHBOURS for key in body):
        return _line(path, choose("exact" if body is None else body, context))
    details = [_unknown_neighbour(key, body, context) for key in body if key not in NEIGHBOURS]
    settings: dict[str, Any] = {}
    for key, value in body.items():
        if key not in NEIGHBOURS:
            continue
        try:
            settings[key] = choose(value, context) if key == "compare" else _READERS[key](value)
        except BadSettings as error:
            details.extend(detail.under(key) for detail in error.details)
    if details:
        raise BadSettings(details)
    reshapes = any(transform.reshapes for transform in settings.get("transforms", ()))
    only_shape = set(body) == {"align"} or (reshapes and set(body) <= {"align", "transforms"})
    bare = None if only_shape else COMPARATORS.find("exact")()
    chosen: NamedComparator = settings.pop("compare", NamedComparator(comparator=bare))
    if chosen.rule == "skip" and (others := [key for key in body if key != "compare"]):
        hint = f"write {path.canonical}: skip, or another comparator"
        raise BadSettings(
            Detail((key,), f'"{key}" says nothing here: the field is skipped', hint, key=True) for key in others
        )
    if settings.get("required") and settings.get("optional"):
        message = '"required" and "optional" contradict each other: a required field that is absent counts as missing'
        raise BadSettings([Detail(("optional",), message, "keep one of them", key=True)])
    return _line(path, chosen, **settings)


def _refuse_alignment(path: Path, body: object, context: Mapping[str, Any]) -> None:
    """Raises BadSettings where the name of an alignment stands in place of a comparator."""
    word = word_in(body)
    if (
        not isinstance(word, str)
        or word not in ALIGNMENTS
        or word in COMPARATORS
        or word in context.get("comparators", {})
    ):
        return
    message = f'"{word}" says how the items of a list are paired; it is no comparator'
    hint = f"write {path.canonical}: {{align: {flow_text(body)}}}"
    raise BadSettings([Detail((word,) if isinstance(body, Mapping) else (), message, hint, isinstance(body, Mapping))])


def _refuse_misspelled(body: Mapping[Any, Any], context: Mapping[str, Any]) -> None:
    """Raises BadSettings for a comparator that stands beside settings of a field, all of which are misspelled."""
    nearest_keys = {key: nearest(str(key), NEIGHBOURS) for key in body if str(key) not in COMPARATORS}
    if any(key in NEIGHBOURS for key in body) or not any(nearest_keys.values()):
        return
    mended = {nearest_keys.get(key) or key: value for key, value in body.items()}
    details = [_unknown_neighbour(key, body if nearest_keys.get(key) else mended, context) for key in body]
    raise BadSettings(details)


def _line(path: Path, chosen: NamedComparator, align: Align | None = None, **rest: Any) -> FieldLine:
    """The line of a path, with all that its chosen comparator says. `align` goes before the alignment that came with the comparator."""
    return FieldLine(
        path, chosen.comparator, chosen.rule, align=align or chosen.align, skip=chosen.rule == "skip", word=chosen.word,
        fallback_for=chosen.fallback_for, together=chosen.together, **rest,
    )  # fmt: skip


def read_skipped(data: object) -> tuple[Path, ...]:
    """The paths to leave out of a comparison of whole documents: keys and `[*]`, since every index shares one rule. Raises BadSettings."""
    if not isinstance(data, (list, tuple)):
        raise bad(f"skip must be a list of paths; found {spell(data)}")
    return read_each(enumerate(data), _read_skipped_path)


def _read_skipped_path(index: int, spelled: object) -> Path:
    """Reads the path of a field to skip. Raises BadSettings where it picks single items of a list, by number or by a query."""
    path = read_path(spelled)
    if path.query is not None or any(isinstance(step, int) for step in path.steps):
        raise bad(
            f'"{spelled}" cannot be skipped: it picks single items', hint="use keys, and [*] for every item of a list"
        )
    return path


def _with_missing_comparators(lines: list[FieldLine]) -> tuple[FieldLine, ...]:
    """The lines, each with a comparator where it is scored. A line without one only says how a list is paired, or how its value is
    reshaped, for the lines below; where there are none that use this, it gets `exact`."""
    arrays, above = _lists_looked_into(lines), _paths_above(lines)
    exact = COMPARATORS.find("exact")()
    return tuple(
        replace(line, comparator=exact)
        if line.comparator is None
        and not line.skip
        and line.path.steps not in (arrays if line.align is not None or not line.transforms else above)
        else line
        for line in lines
    )


def _paths_above(lines: Sequence[FieldLine]) -> set[tuple[Any, ...]]:
    """The places below which some line is."""
    paths = [line.path.steps for line in lines if not line.skip and line.path.query is None]
    return {path[:cut] for path in paths for cut in range(len(path))}


def _lists_looked_into(lines: Sequence[FieldLine]) -> set[tuple[Any, ...]]:
    """The lists whose items some line compares, `[*]` being where it looks into one."""
    return {
        line.path.steps[:cut]
        for line in lines
        if not line.skip
        for cut, step in enumerate(line.path.steps)
        if step is ANY
    }


def _misplaced_alignments(lines: Sequence[FieldLine], locs: Sequence[Loc]) -> list[Detail]:
    """The errors of alignments that stand on the items of a list instead of on the list."""
    arrays = _lists_looked_into(lines)
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


def _unknown_neighbour(key: object, body: Mapping[Any, Any], context: Mapping[str, Any]) -> Detail:
    """The mistake of a key that no field has as a setting. The hint shows how to write it where it is a comparator beside other settings,
    or `unique` beside `align`; otherwise the setting that it resembles."""
    name = str(key)
    known = (COMPOUND, *WORDS, *JUDGED, *context.get("comparators", {}))
    if (name in known or name in COMPARATORS) and "compare" not in body:
        rest = ", ".join(f"{other}: {flow_text(value)}" for other, value in body.items() if other != key)
        options = body[key]
        compare = name if not options else f"{{{name}: {flow_text(options)}}}"
        message = f'"{name}" is beside {_quoted_keys(body, key)}; here the comparator goes under "compare"'
        return Detail((name,), message, f"write {{compare: {compare}, {rest}}}", key=True)
    if name == "unique" and "align" in body:
        message = '"unique" is said of the alignment any_order'
        return Detail((name,), message, f"write align: {AS_A_SET}, without unique", key=True, code="unknown-setting")
    hint = suggestion(name, NEIGHBOURS) or f"known settings: {', '.join(NEIGHBOURS)}"
    return Detail((name,), f'unknown setting "{name}" for a field', hint, key=True, code="unknown-setting")


def _quoted_keys(body: Mapping[Any, Any], but: object) -> str:
    """The keys of a map, in quotes and with commas, without the one that `but` names."""
    return ", ".join(f'"{key}"' for key in body if key != but)


def read_weight(value: object) -> Fraction:
    """A weight as an exact number. Raises BadSettings for anything but a number from 0 to MOST_WEIGHT."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        hint = number_hint(value, "a number") if isinstance(value, str) else None
        raise bad(f"weight must be a number; found {spell(value)}", hint=hint)
    if isinstance(value, float) and not isfinite(value):
        raise bad(f"weight must be a number; found {spell(value)}")
    if value > MOST_WEIGHT:
        raise bad(f"weight must be at most {MOST_WEIGHT:,}", hint="only the proportions of weights matter")
    if value < 0:
        hint = "0 leaves the field out of the score; 2 counts it twice as much as a field without a weight"
        raise bad(f"weight must be a number, 0 or more; found {spell(value)}", hint=hint)
    return Fraction(value) if isinstance(value, int) else Fraction(str(value))


def _read_flag(setting: str, value: object) -> bool:
    """The boolean of a setting. Raises BadSettings for anything else."""
    if not isinstance(value, bool):
        raise bad(f"expected true or false; found {spell(value)}", hint=boolean_hint(value, setting))
    return value


def _read_confidence(value: object) -> Path:
    """The path of a field's confidence. Raises BadSettings for one that can lead to several places."""
    path = read_path(value)
    if not path.definite:
        hint = "name one number of the output, such as meta.total"
        raise bad(f'the confidence "{path.canonical}" must be one place in the output', hint=hint)
    return path


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "weight": read_weight,
    "required": partial(_read_flag, "required"),
    "optional": partial(_read_flag, "optional"),
    "transforms": read_transforms,
    "align": read_align,
    "when": read_conditions,
    "confidence": _read_confidence,
}
"""What reads each neighbour of `compare`."""
