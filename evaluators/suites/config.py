"""A suite's data as settings: every problem of the file at once, each with its place.

The suite's own sections are read here. Sections that belong to rooms above (test sets, gates, results) are read by
functions that the caller brings along, so that their problems are found in the same pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import MOST_PROBLEMS, Issue, Problems
from evaluators.model.registry import plug_list_text, suggestion
from evaluators.model.settings import BadSettings, Detail, Loc, bad, build, filled_texts, reading_filled, spell, under
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator
from evaluators.scoring.evaluators._evaluator import BUILTIN, START_HERE, Evaluator
from evaluators.scoring.fields.named_comparators import NEIGHBOURS, read_comparator
from evaluators.scoring.judges.judge import JUDGE_COST, Judge, read_judge
from evaluators.scoring.needs import read_conditions
from evaluators.scoring.plan.graph import EvaluatorLine, check_edges
from evaluators.scoring.values.file_names import as_file_name, clip_name, why_no_file_name
from evaluators.scoring.values.json_choice import PICKS
from evaluators.scoring.values.quoting import flow_text
from evaluators.suites.extends import presets_with
from evaluators.suites.foreign_words import TYPES, agenta_export, current_line, foreign_system, hint_for
from evaluators.suites.nodes import SECTIONS, YamlNode
from evaluators.suites.source import SuiteSource

SectionReader: TypeAlias = Callable[[Any, Mapping[str, Any]], Any]
_Draft: TypeAlias = tuple[EvaluatorLine, object]
"""A line as it is read, its name empty where none is written; and its first setting of its own, which tells it apart."""

RUN_SETTINGS: Final = ("name", "needs", "when", "unmet", "parse", "pick")


class SuiteConfig(Struct, frozen=True):
    """A suite, read and valid. `sections` are the values of the readers that the caller brought."""

    source: SuiteSource
    name: str
    lines: tuple[EvaluatorLine, ...]
    slices: tuple[str, ...] = ()
    sections: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    version: int = 1


def read_config(source: SuiteSource, readers: Mapping[str, SectionReader] | None = None) -> SuiteConfig:
    """The settings of a suite. Raises Problems (config) with every problem, in the order of their places."""
    with reading_filled(source.filled):
        return _read_config(source, readers)


def _read_config(source: SuiteSource, readers: Mapping[str, SectionReader] | None) -> SuiteConfig:
    """The settings of a suite, section by section; `readers` read the sections beyond its evaluators. What cannot be read is None or left
    out, so that one pass finds all problems. They are raised together at the end, as Problems; a file of another tool alone at once."""
    details: list[Detail] = []
    notes: list[str] = []
    data = source.data

    def collect(read: Callable[[], Any], *prefix: str | int) -> Any:
        """The result of a function; None where it refuses, and the reason is added to `details`, under the place `prefix`."""
        try:
            return read()
        except BadSettings as error:
            details.extend(detail.under(*prefix) for detail in error.details)
            return None

    unknown_keys = [key for key in data if key not in SECTIONS]
    if unknown_keys and (system := foreign_system(data)) is not None:
        message = f"this is a file of {system}, not a suite"
        hint = f"make a suite of it: evaluators convert {source.name} -o suite.yaml --rows rows.csv"
        raise Problems(
            _issues_in_order(source, [Detail((unknown_keys[0],), message, hint, key=True, code="not-a-suite")])
        )
    details.extend(_refused_variables(source))
    for key in unknown_keys:
        hint = suggestion(key, SECTIONS) or _misplaced_hint(key, data) or f"known: {', '.join(SECTIONS)}"
        details.append(Detail((key,), f'unknown setting "{key}"', hint, key=True, code="unknown-setting"))
    collect(lambda: _check_version(data.get("version", 1)), "version")
    name = collect(lambda: _optional_text(data.get("name"), "name"), "name")
    renamed: list[str] = []
    collect(lambda: _optional_text(data.get("description"), "description"), "description")
    judge = judge_to_ask = None
    if data.get("judge") is not None:
        judge = collect(lambda: read_judge(data["judge"], source.folder_of(("judge",)) or source.folder), "judge")
        judge_to_ask = judge or _UNREAD
    comparators = (
        collect(lambda: _own_comparators(data.get("comparators"), details, renamed, judge_to_ask), "comparators") or {}
    )
    notes.extend(f"{source.place(('comparators',))}: {note}" for note in renamed)
    unread: list[object] = []
    drafts = _drafts(source, data, {"comparators": comparators, "judge": judge_to_ask}, details, notes, unread)
    lines = _with_names(drafts, details)
    slices = collect(lambda: _slice_columns(data.get("slices")), "slices") or ()
    unread = unread if isinstance(data.get("evaluators"), list) else [None]

    def may_be_evaluator(name: str) -> bool:
        """Whether a line that could not be read may be the evaluator of this name."""
        return any(_may_be_called(name, item) for item in unread)

    measured = data.get("measures")
    measures = tuple(measured) if isinstance(measured, Mapping) else ()
    if any(each.price_file() for each in (judge, *_own_judges(lines)) if each is not None):
        if JUDGE_COST in measures:
            message = f'the measure "{JUDGE_COST}" is what the judge costs by its prices'
            details.append(Detail(("measures", JUDGE_COST), message, "choose another name", True, "duplicate-name"))
        measures += (JUDGE_COST,)
    context = {"evaluators": lines, "may_be_called": may_be_evaluator, "folder": source.folder, "measures": measures}
    section_notes: list[tuple[Loc, str]] = []
    sections = {} if judge is None else {"judge": judge}
    context["sections"] = sections
    for key, reader in (readers or {}).items():
        if data.get(key) is not None:
            section_notes.clear()
            sections[key] = collect(partial(reader, data[key], {**context, "notes": section_notes}), key)
            notes.extend(f"{source.place((key, *loc), key=True)}: {note}" for loc, note in section_notes)
    details.extend(check_edges(lines, may_be_evaluator))
    if details:
        raise Problems(_issues_in_order(source, details))
    shown_notes = tuple(map(source.filled.masked, notes))
    return SuiteConfig(
        source, source.filled.as_written(name) or _suite_name(source.name), lines, slices, sections, shown_notes
    )


def _own_judges(lines: Sequence[EvaluatorLine]) -> Iterator[Judge]:
    """Yields the judges that evaluators name themselves, in place of the suite's."""
    for line in lines:
        if (asking := line.settings.asking()) is not None:
            yield from asking.judges.values()


def _refused_variables(source: SuiteSource) -> Iterator[Detail]:
    """Yields a problem for each variable, `${NAME}`, in a setting whose text is shown with the rows: its value would be printed."""
    for loc, written in _texts_with_variables(source.root, ()):
        word = next((str(step) for index, step in enumerate(loc) if _makes_values(loc, index)), None)
        word = word or _path_word(loc, _type_at(source.data, loc))
        if word is not None:
            message = f'"{word}" takes no variable of the environment; found {written}'
            hint = "what it makes is shown with the rows, so write the text itself; $${ stands for the two characters ${"
            yield Detail(loc, message, hint, code="variable-refused")


def _texts_with_variables(node: YamlNode, loc: Loc) -> Iterator[tuple[Loc, str]]:
    """Yields (place, text) for each text in a tree that has a variable in it; `loc` is the place of the tree."""
    value = node.value
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _texts_with_variables(entry.node, (*loc, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts_with_variables(item, (*loc, index))
    elif isinstance(value, str) and "${" in value.replace("$${", ""):
        yield loc, value


def _makes_values(loc: Loc, index: int) -> bool:
    """Whether step `index` of a place in the suite is a setting whose texts are shown as values of rows or as names of metrics:
    `transforms`, `labels` outside of `fields`, in a schema the transforms of `x-eval`, and in gates and slices the names of slices."""
    word, section = loc[index], loc[0]
    inside = loc[1:index]
    if section in ("gates", "slices"):
        return word in ("slices", "slice", "each_slice", "label")
    if "schema" in inside:
        return word == "x-eval-transform" or (word == "transforms" and "x-eval-align" in inside)
    return word == "transforms" or (word == "labels" and "fields" not in inside)


def _path_word(loc: Loc, kind: str) -> str | None:
    """The setting at a place, where it holds paths into documents, by which results are called; None for every other setting. `kind`
    is the type of the evaluator."""
    if loc[0] != "evaluators" or "when" in loc:
        return None
    inside = loc[3:] if len(loc) > 2 and loc[2] == kind else loc[2:]
    if inside[:1] in (("at",), ("output_at",)):
        return str(inside[0])
    if inside[:1] == ("fields",):
        if len(inside) == 2 and isinstance(inside[1], int):
            return "fields"
        return "confidence" if inside[-1] == "confidence" else None
    return str(inside[0]) if kind == "rules" and len(inside) > 1 else None


def _type_at(data: Mapping[str, Any], loc: Loc) -> str:
    """The type of the evaluator that a place is in; empty where it is in none."""
    if loc[0] != "evaluators" or len(loc) < 3 or not isinstance(loc[1], int):
        return ""
    item = data["evaluators"][loc[1]]
    return str(item.get("type", loc[2])) if isinstance(item, Mapping) else ""


def _issues_in_order(source: SuiteSource, details: Sequence[Detail]) -> list[Issue]:
    """The issues of the details, each once, with their places: the suite's own lines first, then those of the files it extends."""
    own, masked = source.root.spot.document, source.filled.masked
    placed = [(source.spot(detail.loc, key=detail.key), detail) for detail in details]
    placed.sort(key=lambda item: (item[0].document is not own, *item[0].at))
    issues = (
        spot.issue(detail.code, masked(detail.message), detail.hint and masked(detail.hint)) for spot, detail in placed
    )
    return list(dict.fromkeys(issues))


def _drafts(
    source: SuiteSource,
    data: Mapping[str, Any],
    options: Mapping[str, Any],
    details: list[Detail],
    notes: list[str],
    unread: list[object],
) -> list[_Draft]:
    """The lines under `evaluators`, as far as they can be read. `options` are what evaluators are read with: the suite's comparators and
    its judge. Added to: `details` (problems), `notes` (what users should know), and `unread` (lines that cannot be read)."""
    items = data.get("evaluators")
    if items is None:
        if any(suggestion(str(key), ("evaluators",)) for key in data):
            return []  # it is misspelled, and that is said
        hint = "add a list: evaluators: [exact_match]"
        details.append(Detail(("evaluators",), '"evaluators" is missing: a suite names at least one', hint, key=True))
        return []
    if not isinstance(items, list):
        first = items.partition(" - ")[0] if isinstance(items, str) else "exact_match"
        name = first.lstrip("-")
        hint = (
            f"a space goes after the dash: - {name}" if name != first else f"start each evaluator with a dash: - {first}"
        )
        details.append(Detail(("evaluators",), f"evaluators must be a list; found {spell(items)}", hint))
        return []
    if not items:
        details.append(Detail(("evaluators",), "evaluators is empty: a suite names at least one"))
    drafts: list[_Draft] = []
    for index, item in enumerate(items):
        loc: Loc = ("evaluators", index)
        line_notes: list[str] = []
        folder = source.folder_of(loc)
        context = {**options, "folder": folder, "presets_with": presets_with, "notes": line_notes}
        try:
            drafts.append(_draft(item, loc, context, notes, source, hinted=len(details) <= MOST_PROBLEMS))
        except BadSettings as error:
            details.extend(detail.under(*loc) for detail in error.details)
            unread.append(item)
        notes.extend(f"{source.place(loc)}: {note}" for note in line_notes)
    return drafts


def _may_be_called(name: str, item: object) -> bool:
    """Whether the line `item`, which could not be read, may be the evaluator of this name: by its `name`, or else by its type. A line
    whose type cannot be told may have any name."""
    try:
        written, options, _ = _type_and_settings(item)
        kind = current_line(written, options).type
    except BadSettings:
        return True
    given = options.get("name")
    if isinstance(given, str):
        return name in (given, given.replace(".", "_"))
    return kind not in BUILTIN or name == kind or name.startswith(f"{kind}_")


def _draft(
    item: object, loc: Loc, context: Mapping[str, Any], notes: list[str], source: SuiteSource, *, hinted: bool
) -> _Draft:
    """(line, first setting): one line under `evaluators`, at `loc`, as it is read; see `_Draft`. `context` is what its settings are read
    with. Words of other tools, and retired types, are added to `notes`.

    Raises BadSettings with all that is wrong with it. `hinted` is whether an unknown type gets a hint: a problem that is not
    shown needs none.
    """
    written, options, base = _type_and_settings(item)
    with under(*base):
        current = current_line(written, options)
    if current.type not in BUILTIN and not hinted:
        raise bad(f'unknown evaluator type "{current.type}"')
    try:
        plug = BUILTIN.find(current.type)
    except Problems as error:
        known = (*BUILTIN.names(), *TYPES)
        hint = hint_for(written) or suggestion(written, known) or _first_types_hint()
        at = (*base,) if base else ("type",) if isinstance(item, Mapping) else ()
        raise BadSettings([Detail(at, error.issues[0].message, hint, key=bool(base), code="unknown-name")]) from error
    notes.extend(f"{source.place(loc)}: {note}" for note in current.notes)
    if plug.retired:
        notes.append(f'{source.place(loc)}: "{current.type}" still works, but "{plug.retired}" does more')
    # a setting of the type that is called like one of the run, as `parse` of rules, unless it is a word
    same_name = [
        key for key in plug.model_fields if key in RUN_SETTINGS and not isinstance(current.settings.get(key), str)
    ]
    run: dict[str, Any] = {
        key: current.settings.pop(key) for key in RUN_SETTINGS if key in current.settings and key not in same_name
    }
    details: list[Detail] = []
    settings: Evaluator | None = None
    try:
        settings = build(plug, current.settings, context, f'evaluator "{current.type}"', also=RUN_SETTINGS)
    except BadSettings as error:
        details.extend(_at_written_key(detail, current.spelled) for detail in error.details)
    collected = _run_settings(run, details)
    if details or settings is None:
        raise BadSettings(detail.under(*base) for detail in details)
    own_values = (value for key, value in current.settings.items() if key != "pass_at" or key not in current.implied)
    first_setting = next((value for value in own_values if isinstance(value, (str, int, float))), None)
    return EvaluatorLine(collected.pop("name", ""), settings, (*loc, *base), **collected), first_setting


def _first_types_hint() -> str:
    """A hint with the evaluator types that most suites need."""
    return plug_list_text(BUILTIN, START_HERE, "most suites need one of these (all: evaluators list evaluators):")


def _type_and_settings(item: object) -> tuple[str, dict[str, Any], Loc]:
    """(type, settings, loc): what a line under `evaluators` names, and where in the line its settings stand. Raises BadSettings."""
    if isinstance(item, str):
        return item, {}, ()
    if not isinstance(item, Mapping):
        raise bad(f"an evaluator is a word, or a map with its settings; found {spell(item)}")
    if "type" in item:
        if not isinstance(item["type"], str):
            raise bad(f'"type" must be the name of an evaluator type; found {spell(item["type"])}', "type")
        return item["type"], {key: value for key, value in item.items() if key != "type"}, ()
    if (exported := agenta_export(item)) is not None:
        return exported
    if len(item) != 1:
        raise BadSettings([_several_keys(item)])
    name, options = next(iter(item.items()))
    if options is None:
        return name, {}, (name,)
    if not isinstance(options, Mapping):
        raise bad(
            f'the settings of "{name}" must be a map; found {spell(options)}', name, hint=_as_map_hint(name, options)
        )
    if "type" in options:
        message = f'"type" is below "{name}", which is the type already'
        raise BadSettings([Detail((name, "type"), message, "take this line away", key=True)])
    return name, dict(options), (name,)


def _as_map_hint(name: str, value: object) -> str | None:
    """A hint that writes the value as a map, under the one setting that the type must have; None for an unknown type."""
    kind = TYPES.get(name, name)
    if kind not in BUILTIN:
        return None
    if kind == "llm_judge":
        return f"write - {name}: {{rubric: {flow_text(value)}}}"
    needed = [setting for setting, field in BUILTIN.find(kind).model_fields.items() if field.is_required()]
    if len(needed) == 1:
        return f"write - {name}: {{{needed[0]}: {flow_text(value)}}}"
    return f"write - {name}: {{setting: {flow_text(value)}}}, with the setting's name"


def _several_keys(item: Mapping[str, Any]) -> Detail:
    """The problem of an evaluator with several keys, none of which is `type`."""
    known = [key for key in item if key in BUILTIN or key in TYPES]
    if not item:
        return Detail((), "an evaluator needs a type")
    if not known:
        keys = ", ".join(f'"{key}"' for key in item)
        return Detail((), f'"type" is missing beside {keys}', "add type: with the name of an evaluator type")
    name, inner = known[0], item[known[0]]
    settings = {**(inner if isinstance(inner, Mapping) else {}), **{k: v for k, v in item.items() if k != name}}
    others = ", ".join(f'"{key}"' for key in item if key != name)
    message = f'the settings of "{name}" are beside it ({others}); they go below it, one step further in'
    return Detail((name,), message, f"- {name}: {flow_text(settings)}", key=True)


def _run_settings(run: Mapping[str, Any], details: list[Detail]) -> dict[str, Any]:
    """The settings of a line that are about its run, by name; `details` gets what is wrong with them."""
    readers: dict[str, Callable[[Any], Any]] = {
        "name": _evaluator_name,
        "needs": _evaluator_names,
        "when": read_conditions,
        "unmet": lambda value: _listed_word(value, "unmet", ("fail", "skip")),
        "parse": lambda value: _listed_word(value, "parse", ("lenient", "strict")),
        "pick": lambda value: _listed_word(value, "pick", PICKS),
    }
    collected = {}
    for key, value in run.items():
        try:
            collected[key] = readers[key](value)
        except BadSettings as error:
            details.extend(detail.under(key) for detail in error.details)
    return collected


def _with_names(drafts: Sequence[_Draft], details: list[Detail]) -> tuple[EvaluatorLine, ...]:
    """The lines of drafts, each a (line, first setting), with their names: the written one, else the type, with the first setting behind it
    where several have the type.

    Two lines of one name, of which the second is left out, and names that no file can have are added to `details` as problems.
    """
    unnamed = [draft.type for draft, _ in drafts if not draft.name]
    lines: list[EvaluatorLine] = []
    taken: dict[str, EvaluatorLine] = {}
    for draft, first in drafts:
        kind = draft.type
        name = draft.name or (f"{kind}_{_name_part(first)}" if unnamed.count(kind) > 1 and first is not None else kind)
        if name in taken:
            hint = "give one of them a name of its own: name: …"
            if first is not None and not draft.name and not taken[name].name:
                hint = f"{hint}; without one, an evaluator is called after its type and its first setting"
            message = f'two evaluators are called "{name}"'
            for loc in (draft.loc, taken[name].loc):
                details.append(Detail(loc, message, hint, key=True, code="duplicate-name"))
            continue
        if draft.settings.schema_inference() is not None and (why := why_no_file_name(name)) is not None:
            message = f'"{clip_name(name)}" cannot be the name of an evaluator that has a file of its name: it {why}'
            hint = f'call it "{clip_name(as_file_name(name))}"'
            details.append(Detail((*draft.loc, "name"), message, hint, code="evaluator-name"))
        taken[name] = draft
        lines.append(replace(draft, name=name))
    return tuple(lines)


_UNREAD: Final = object()
"""In place of a judge that could not be read, which has a problem of its own."""


def _own_comparators(
    data: object, details: list[Detail], notes: list[str], judge: object
) -> dict[str, tuple[Comparator, str]]:
    """The comparators that a suite names itself, by name, each with the rule that it stands for. `judge` is the one that they may ask.

    What is wrong with one is added to `details`, and old words to `notes`. Its name stays known (as `exact`), so that the fields
    that use it have no further problem. Raises BadSettings where `data` is no map.
    """
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise bad(f"comparators must be a map from your names to comparators; found {spell(data)}")
    comparators: dict[str, tuple[Comparator, str]] = {}
    for name, body in data.items():
        try:
            if name in COMPARATORS or name == "skip":
                raise BadSettings([Detail((), f'"{name}" is a comparator that ships with the package', key=True)])
            if not name.strip() or name in NEIGHBOURS:
                raise BadSettings([Detail((), f'a comparator cannot be called "{name}"', "choose another name", True)])
            comparator, rule = read_comparator(body, {"presets_with": presets_with, "notes": notes, "judge": judge})
            if comparator is None:
                raise bad('"skip" leaves a field out and cannot be given another name')
            comparators[name] = comparator, rule
        except BadSettings as error:
            details.extend(detail.under("comparators", name) for detail in error.details)
            comparators.setdefault(name, (COMPARATORS.find("exact")(), name))
    return comparators


def _slice_columns(data: object) -> tuple[str, ...]:
    """The columns that `slices` lists, without their `row.`. Raises BadSettings with every item that is no column."""
    if data is None:
        return ()
    items = [data] if isinstance(data, str) else data
    if not isinstance(items, (list, tuple)):
        raise bad(f"slices must be a list of columns; found {spell(data)}", hint="slices: [row.supplier]")
    details = [
        Detail((index,), f"a slice is a column, written row.COLUMN; found {spell(item)}", _slices_hint(item))
        for index, item in enumerate(items)
        if not isinstance(item, str) or not item.startswith("row.") or not item[4:].strip()
    ]
    if details:
        raise BadSettings(details)
    return tuple(dict.fromkeys(str(item).removeprefix("row.") for item in items))


def _slices_hint(item: object) -> str:
    """A hint with the line to write for an item of `slices` that is no column."""
    column = item.strip() if isinstance(item, str) else ""
    return f"slices: [row.{column}]" if column and not column.endswith(".") else "slices: [row.supplier]"


def _check_version(value: object) -> None:
    """Raises BadSettings for any version of the language but 1."""
    if isinstance(value, bool) or value != 1:
        raise bad(f"this is version 1 of the language; found {spell(value)}", hint="write version: 1, or leave it out")


def _optional_text(value: object, name: str) -> str | None:
    """The text of the setting `name`, or None. Raises BadSettings for anything else."""
    if value is None or isinstance(value, str):
        return value
    raise bad(f"{name} must be text; found {spell(value)}")


def _evaluator_name(value: object) -> str:
    """The name of an evaluator. Raises BadSettings for a dot, for spaces around it, and for what is no text."""
    if not isinstance(value, str) or not value.strip():
        raise bad(f"name must be text; found {spell(value)}")
    if "." in value:
        raise bad(f'the name "{value}" has a dot', hint=f"write {value.replace('.', '_')}; gates split at the first dot")
    if value != value.strip():
        raise bad(f'the name "{value}" has spaces around it', hint=f"write {value.strip()}")
    return filled_texts().name(value)


def _evaluator_names(value: object) -> tuple[str, ...]:
    """The names of the evaluators that one waits for. Raises BadSettings for what is no list of texts."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise bad(f"needs must be a list of evaluator names; found {spell(value)}")
    return tuple(dict.fromkeys(map(filled_texts().name, items)))


def _listed_word(value: object, name: str, known: Sequence[str]) -> Any:
    """The value of the setting `name`, which must be one of the `known` words. Raises BadSettings."""
    if value not in known:
        raise bad(f"{name} must be one of {', '.join(known)}; found {spell(value)}")
    return value


def _at_written_key(detail: Detail, spelled: Mapping[str, str]) -> Detail:
    """The detail, whose place has the key that the suite writes, by `spelled`, in place of today's word for it."""
    if detail.loc and detail.loc[0] in spelled:
        return replace(detail, loc=(spelled[str(detail.loc[0])], *detail.loc[1:]))
    return detail


_LINE: Final = 140
"""Characters of a line that a hint writes out."""
_HOMES: Final = {
    "cluster": "statistics", "baseline": "compare", "fail_on": "compare", "max_broken_rows": "compare", "regression_checks": "compare",
    "columns": "test_set", "unreadable_output": "test_set", "empty_expected": "test_set", "outputs": "test_set",
}  # fmt: skip
"""Settings that are likely to be written at the top of a suite, and the section that they belong to."""


def _misplaced_hint(key: str, data: Mapping[str, Any]) -> str | None:
    """A hint for a key at the top of a suite that belongs into a section, or is an evaluator type; None for any other key. It writes the
    section out, where that is a short line."""
    if (home := _HOMES.get(key)) is not None:
        there = {"file": data[home]} if isinstance(data.get(home), str) else data.get(home)
        line = f"{home}: {flow_text({**(there if isinstance(there, Mapping) else {}), key: data[key]})}"
        return f'"{key}" goes under "{home}": ' + (f"write {line}" if len(line) <= _LINE else f"{home}: {{{key}: …}}")
    return f'"{key}" is an evaluator type: it goes in the list under "evaluators"' if key in BUILTIN else None


def _name_part(value: object) -> str:
    """A setting's value as a part of a name: at most 30 letters, digits and underscores; `2` where nothing is left."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_")[:30] or "2"


def _suite_name(name: str) -> str:
    """The name of a suite's file, without folder and ending."""
    return re.sub(r"\.ya?ml$", "", name.replace("\\", "/").rsplit("/", 1)[-1]) or "suite"
