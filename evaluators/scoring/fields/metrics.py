"""How a unit is compared, read for the front ends that make a tree from a schema.

The context is the one of `read_fields`: `comparators` are the suite's own names, `fallback` maps words that need a
judge to what stands in for them, and `defaults` maps JSON types to comparators. Each of them is a map of words and
one-key maps as they are written; `read_fallbacks` and `read_defaults` check a whole one of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, bad, read_each, spell
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.named_comparators import (
    COMPOUND,
    JUDGED,
    OF_LISTS,
    NamedComparator,
    choose,
    fallback_of,
    in_field,
    needs_judge,
    read_fallback,
    refuse_answers,
    with_one_needs_judge,
    word_in,
)
from evaluators.scoring.fields.reading import ALIGNMENTS, Align, read_align
from evaluators.scoring.fields.schema_keywords import DEFAULTED, SEVERAL
from evaluators.scoring.fields.tree import Compound, FieldNode, Metric, nodes
from evaluators.scoring.values.quoting import first_texts, flow_text
from evaluators.scoring.values.transforms import Transform

_MOST_TURNS: Final = 3
_MOST_NAMED: Final = 3
_MOST_LISTS: Final = 8
"""More than any lists inside lists that a person describes one by one."""


def resolve_metric(data: object, context: Mapping[str, Any], path: str, weight: Fraction = Fraction(1)) -> Metric:
    """The metric that a word or a one-key map names, or its fallback where it needs a judge.

    Raises BadSettings. The fields that need a judge are made one complaint by `with_one_needs_judge`, once all are read.
    """
    try:
        chosen = choose(data, context)
        if chosen.align is not None:
            message = f'the alignment that stands in for "{chosen.fallback_for}" pairs the items of a list'
            raise bad(message, hint=f'name a comparator for "{chosen.fallback_for}" where the value is no list')
    except BadSettings as error:
        raise BadSettings(in_field(error.details, path)) from error
    return as_metric(chosen, weight)


def as_metric(chosen: NamedComparator, weight: Fraction = Fraction(1)) -> Metric:
    """The metric of a comparator that was chosen, with its weight beside other metrics of a field. Raises BadSettings
    for `compound` and `skip`, which are no metrics."""
    if chosen.together is not None:
        raise bad('"compound" belongs on the object that has the keys')
    if chosen.comparator is None:
        raise bad('"skip" is no comparator', hint="leave the field out itself")
    return Metric(chosen.word, chosen.comparator, chosen.rule, weight, chosen.fallback_for)


def names_alignment(data: object, context: Mapping[str, Any]) -> bool:
    """Whether a word or a one-key map names an alignment of items, and no comparator of the suite or of a program."""
    word = word_in(data)
    return word in ALIGNMENTS and word not in COMPARATORS and word not in context.get("comparators", {})


def resolve_alignment(data: object, context: Mapping[str, Any]) -> Align | None:
    """The alignment that is named for a list, or that stands in for a judged comparison of it; None where a comparator is named.

    Its items are then scored on their own. Where it stands in, the node of the list has `fallback_for="array_llm"`.
    """
    if names_alignment(data, context):
        return read_align(data)
    if word_in(data) != OF_LISTS or not needs_judge(OF_LISTS, context) or fallback_of(OF_LISTS, context) is None:
        return None
    return choose(data, context).align


def refuse_list_metric(word: object, types: Collection[str], context: Mapping[str, Any]) -> None:
    """Raises BadSettings for the comparator of whole lists where the schema says that the value is none.

    A comparator of the suite, or one that a program registered, may compare anything under that name.
    """
    if word != OF_LISTS or not types or "array" in types:
        return
    if word in COMPARATORS or word in context.get("comparators", {}):
        return
    types_text = " or ".join(sorted(types))
    hint = "write it beside the items of a list; semantic and string_semantic compare texts"
    raise bad(f'"{OF_LISTS}" compares two lists, and the schema says {types_text}', hint=hint)


def resolve_compound(options: object, context: Mapping[str, Any], path: str) -> tuple[Compound, tuple[Transform, ...]]:
    """The compound that `{fields: […], compare: …}` describes, and what is done first to the two objects it compares.

    Those transforms go before the object's own ones on its node. Raises BadSettings, with places inside the options.
    """
    try:
        chosen = choose({COMPOUND: options}, context)
    except BadSettings as error:
        details = [replace(detail, loc=detail.loc[1:]) for detail in in_field(error.details, path)]
        raise BadSettings(details) from error
    if chosen.together is None:
        raise TypeError("a compound without its keys")
    return Compound(chosen.together.fields, as_metric(replace(chosen, together=None))), chosen.together.transforms(())


def read_fallbacks(data: object, context: Mapping[str, Any] | None = None) -> Mapping[str, object]:
    """Checks `fallback` of a suite, and gives it as it is written: what stands in for each comparator that needs a judge. Raises
    BadSettings with all mistakes."""
    usable = [name for name in COMPARATORS.names() if name not in {*JUDGED, *COMPARATORS.broken_plugs()}]
    known = (*JUDGED, *(name for name in usable if COMPARATORS.find(name).judged))
    return _read_map(data, "fallback", known, "a comparator that needs a judge", context or {}, read_fallback)


def read_defaults(data: object, context: Mapping[str, Any] | None = None) -> Mapping[str, object]:
    """Checks `defaults` of a suite, and gives it as it is written: the comparator of each JSON type. Raises BadSettings with all
    mistakes."""

    def check(json_type: str, body: object, context: Mapping[str, Any]) -> NamedComparator | Metric | None:
        """The metric that `body` names for values of the type; None for an alignment of lists. Raises BadSettings for anything else."""
        refuse_list_metric(word_in(body), () if json_type == SEVERAL else (json_type,), context)
        if json_type != "array" or resolve_alignment(body, context) is None:
            return resolve_metric(body, context, json_type)
        return None

    return _read_map(data, "defaults", DEFAULTED, "a JSON type", context or {}, check)


def _read_map(
    data: object,
    setting: str,
    known: tuple[str, ...],
    noun: str,
    context: Mapping[str, Any],
    check: Callable[[str, object, Mapping[str, Any]], NamedComparator | Metric | None],
) -> Mapping[str, object]:
    """A map of the suite as it is written, once `check` has read each of its values. `setting` and `noun` name the map
    and its keys in messages. Raises BadSettings with the mistakes of all entries: a key that is not among `known`, a
    value that cannot be read, or a comparator that needs answers."""
    if not isinstance(data, Mapping):
        raise bad(f"{setting} must be a map; found {spell(data)}", hint=f"write {setting}: {{{known[0]}: fuzzy}}")

    def read(word: Any, body: object) -> None:
        if word not in known:
            hint = suggestion(str(word), known) or f"known: {', '.join(known)}"
            raise BadSettings([Detail((), f'"{word}" is not {noun}', hint, key=True, code="unknown-name")])
        try:
            chosen = check(word, body, context)
            refuse_answers(chosen.comparator if chosen is not None else None, "for all fields that this stands for")
        except BadSettings as error:
            raise BadSettings(in_field(error.details, word)) from error

    try:
        read_each(data.items(), read)
    except BadSettings as error:
        raise BadSettings(with_one_needs_judge(error.details)) from error
    return dict(data)


def fallbacks(root: FieldNode) -> dict[tuple[str, str], str]:
    """The comparators that stand in for a judge, by schema path and the word that needs one.

    A schema that refers to itself is looked into three times.
    """
    rules: dict[tuple[str, str], str] = {}
    for node in scored_nodes(root):
        for metric in node.all_metrics:
            if metric.fallback_for is not None:
                rules[node.name, metric.fallback_for] = metric.rule.removesuffix(f", in place of {metric.fallback_for}")
        if node.fallback_for is not None:
            rules[node.name, node.fallback_for] = node.align.how
    return rules


WrittenIn: TypeAlias = Literal["fields", "x-eval", "evaluation_config"]
"""How the fields of a tree are written down."""


def unasked_notes(root: FieldNode, written: WrittenIn) -> list[str]:
    """A note for each freely paired list whose items a comparator that costs compares: it is not called while items are paired, unless the
    list says `ask: leftover`."""
    notes = []
    for node in scored_nodes(root):
        if node.kind != "array" or not node.align.free or node.align.ask is not None:
            continue
        inside = ((each.name, metric) for each in scored_nodes(node) for metric in each.all_metrics)
        costly = list(dict.fromkeys(f"{name} ({metric.name})" for name, metric in inside if metric.comparator.costs))
        if costly:
            notes.append(
                f'the items of "{node.name}" are paired without asking about {first_texts(costly, _MOST_NAMED)}: two items that only '
                "an answer would find alike are one missing and one extra; to ask about items that are left over, write "
                + _asking_line(node.align, written)
            )
    return notes


def _asking_line(align: Align, written: WrittenIn) -> str:
    """The line that a person writes so that items are paired by `hungarian`, and those left over are asked about;
    `written` says in which language."""
    least = None if align.at_least is None else float(align.at_least)
    options = {"ask": "leftover"} if least is None else {"at_least": least, "ask": "leftover"}
    if written == "fields":
        return f"align: {flow_text({'hungarian': options})}"
    if written == "evaluation_config":
        return f'"evaluation_config": {json.dumps({"metrics": [{"metric_id": "hungarian", "params": options}]})}'
    threshold = {} if least is None else {"threshold": least}
    return f'"x-eval-align": {json.dumps({"match_by": "hungarian", **threshold, "ask": "leftover"})}'


def scored_nodes(root: FieldNode) -> Iterator[FieldNode]:
    """The nodes of a tree that are scored, nearest first. A schema that refers to itself is followed a few times round."""
    return (node for node in nodes(root, ends=lambda node: _goes_round(node.path)) if not node.skip)


def _goes_round(path: tuple[Any, ...]) -> bool:
    """Whether the path has gone round in a schema that refers to itself, by a key or by lists inside lists."""
    if not path or isinstance(path[-1], str):
        return bool(path) and path.count(path[-1]) > _MOST_TURNS
    return len(path) > _MOST_LISTS and not any(isinstance(step, str) for step in path[-_MOST_LISTS - 1 :])
