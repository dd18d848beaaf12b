"""How two values are compared, as a suite or a schema says it: a word or a one-key map.

It names a comparator with its options, a comparator of the suite, keys of an object that are compared as one value
(`compound: {fields: [surname, name], compare: fuzzy}`), or `skip`. For a comparator that needs a judge, where there is none, its
fallback is chosen. A name that no comparator has is looked for among the words that people use for them.

A field that needs a judge is a `NeedsJudge`. They are gathered as any other bad setting is, and `with_one_needs_judge` makes one of
them all, so that a reader meets one message that lists every such field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.registry import plug_list_text, suggestion
from evaluators.model.settings import BadSettings, Detail, bad, build, filled_texts, spell, under, word_or_map
from evaluators.scoring.comparators._comparator import COMPARATORS, START_HERE, Comparator, word_of
from evaluators.scoring.fields.reading import ALIGNMENTS, Align, read_align
from evaluators.scoring.fields.rules import Together
from evaluators.scoring.judges.judged_comparator import JUDGED_COMPARATORS
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.quoting import first_texts, flow_text

COMPOUND: Final = "compound"
COMPOUND_SETTINGS: Final = ("fields", "compare")
_COMPOUND_HINT: Final = "write compound: {fields: [surname, name], compare: fuzzy}"

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


WORDS: Final = {"oneof": "one_of"}
"""Comparators by their names in the systems that this package replaces, and today's names."""
NEIGHBOURS: Final = ("compare", "weight", "required", "optional", "transforms", "align", "when", "confidence")
"""What may stand beside the comparator of a field."""


class NamedComparator(Struct, frozen=True):
    """A comparator that is named. `comparator` is None for `skip`, and where an alignment stands in for one of lists."""

    word: str = "exact"
    comparator: Comparator | None = None
    rule: str = "exact"
    fallback_for: str | None = None
    """The comparator that needs a judge and that this one, or the alignment, is the fallback for."""
    align: Align | None = None
    together: Together | None = None
    """The keys of an object that are compared as one value."""


def needs_judge(word: str, context: Mapping[str, Any]) -> bool:
    """Whether the comparator of that name asks a judge, and `context["judge"]` is not there to be asked.

    A comparator of the suite, or one that a program registered, takes the place of the word.
    """
    if word in context.get("comparators", {}):
        return False
    if word in COMPARATORS:
        return context.get("judge") is None and COMPARATORS.find(word).judged
    return word in JUDGED and (context.get("judge") is None or word not in JUDGED_COMPARATORS)


def is_answered_by_judge(word: str, context: Mapping[str, Any]) -> bool:
    """Whether the judge of the suite answers for the comparator of this name."""
    return context.get("judge") is not None and word not in COMPARATORS and word in JUDGED_COMPARATORS


def class_of(word: str, context: Mapping[str, Any]) -> type[Comparator]:
    """The class of the comparator with this name, those included that the judge of the suite answers. Raises Problems
    where there is none."""
    return JUDGED_COMPARATORS.find(word) if is_answered_by_judge(word, context) else COMPARATORS.find(word)


def fallback_of(word: str, context: Mapping[str, Any]) -> object:
    """The fallback that `context["fallback"]` names for a word, as it is written; None where it names none."""
    named: Mapping[str, object] = context.get("fallback") or {}
    return named.get(word, named.get(_ALSO.get(word, "")))


def judge_needed(word: str, *loc: str | int) -> BadSettings:
    """The BadSettings to raise where a word stands that needs a judge, and no judge can answer. `loc` is the place of
    the word."""
    message = f'"{word}" needs a judge, and there is none'
    return BadSettings([NeedsJudge(loc, message, _judge_hint([word]), bool(loc), "needs-judge", word=word)])


def in_field(details: Iterable[Detail], field: str) -> list[Detail]:
    """The details, where each that needs a judge names its field."""
    return [
        replace(detail, field=field) if isinstance(detail, NeedsJudge) and not detail.field else detail
        for detail in details
    ]


def with_one_needs_judge(details: Iterable[Detail], *, named: bool = True) -> list[Detail]:
    """The details, with one in place of all that need a judge: it lists their fields.

    `named`: its hint proposes `fallback`; else another comparator.
    """
    details = list(details)
    asking = [detail for detail in details if isinstance(detail, NeedsJudge)]
    if not asking:
        return details
    listed = list(
        dict.fromkeys(
            f"{comparator.field} ({comparator.word})" if comparator.field else comparator.word for comparator in asking
        )
    )
    count = "1 field needs" if len(listed) == 1 else f"{len(listed)} fields need"
    message = f"{count} a judge, and there is none: {first_texts(listed, _MOST_LISTED)}"
    hint = (
        _judge_hint([comparator.word for comparator in asking])
        if named
        else "compare them with something else, such as fuzzy"
    )
    first = replace(asking[0], message=message, hint=hint)
    return [first if detail is asking[0] else detail for detail in details if detail not in asking[1:]]


def _judge_hint(words: Iterable[str]) -> str:
    """What to write where these words need a judge, and there is none."""
    named = {word: _SUGGESTED.get(word, "fuzzy") for word in dict.fromkeys(words)}
    first = next(iter(named))
    return (
        f"name what stands in for it: fallback: {flow_text(named)}; or who answers: judge: {{…}}; "
        f'or answer in Python: evaluators.register("{first}", f, batch=True)'
    )


def word_in(data: object) -> object:
    """The word of what is written as a word or a one-key map; other data as it is."""
    return next(iter(data)) if isinstance(data, Mapping) and len(data) == 1 else data


def with_space_after_colon(field: str) -> str | None:
    """`vendor: normalized` for the field "vendor:normalized"; None for a field that does not end in a comparator."""
    path, _, word = field.rpartition(":")
    return f"{path}: {word}" if path and (word in COMPARATORS or word in (*JUDGED, "skip")) else None


def read_comparator(data: object, context: Mapping[str, Any]) -> tuple[Comparator | None, str]:
    """The comparator that a word or a one-key map names, and how a person reads it. `skip` is (None, "skip")."""
    chosen = choose(data, {key: value for key, value in context.items() if key != "fallback"})
    if chosen.together is not None:
        raise BadSettings([Detail((COMPOUND,), '"compound" names keys of one field', "write it on that field", key=True)])
    return chosen.comparator, chosen.rule


def choose(data: object, context: Mapping[str, Any]) -> NamedComparator:
    """The comparator that a word or a one-key map names, or its fallback where it needs a judge.

    `context["comparators"]` holds the suite's own names, and `context["fallback"]` maps words to their fallbacks, as they
    are written; remarks are added to `context["notes"]`. Raises BadSettings.
    """
    named: Mapping[str, tuple[Comparator, str]] = context.get("comparators", {})
    word = word_in(data)
    if isinstance(data, Mapping) and word == COMPOUND:
        return _choose_compound(data[COMPOUND], context)
    if isinstance(word, str) and word in WORDS and word not in named and word not in COMPARATORS:
        return _comparator_of_old_word(word, data, context)
    if isinstance(word, str) and needs_judge(word, context):
        fallback = fallback_of(word, context)  # the options of the word are for the judge, and are left aside with it
        if fallback is None:
            raise judge_needed(word, *((word,) if isinstance(data, Mapping) else ()))
        return read_fallback(word, fallback, context)
    _refuse_bare_value(data)
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
    with under(*((name,) if isinstance(data, Mapping) else ())):
        comparator = build(class_of(name, context), options, {"judge": context.get("judge")}, f'comparator "{name}"')
    if COMPARATORS.is_replaced(name):
        add_note(context, f'the comparator "{name}" is one of your own; the one that ships is not used')
    for note in comparator.notes:
        add_note(context, note)
    return NamedComparator(name, comparator, _rule_text(name, options))


def add_note(context: Mapping[str, Any], note: str) -> None:
    """Adds a remark to the notes of a context, once."""
    notes = context.get("notes")
    if isinstance(notes, list) and note not in notes:
        notes.append(note)


def read_fallback(word: str, fallback: object, context: Mapping[str, Any]) -> NamedComparator:
    """What stands in for the comparator `word`, which needs a judge: the comparator that `fallback` spells, or, for lists, an alignment.
    Its rule says that it stands in. Raises BadSettings, also for `skip` and for a comparator that needs a judge itself."""
    first = word_in(fallback)
    if word == OF_LISTS and first in ALIGNMENTS:
        name, options = word_or_map(fallback, "alignment")
        rule = f"{_rule_text(name, options)}, in place of {word}"
        return NamedComparator(rule=rule, fallback_for=word, align=read_align(fallback))
    if word == OF_LISTS and isinstance(first, str) and first not in COMPARATORS and suggestion(first, ALIGNMENTS):
        read_align(fallback)  # which says what is wrong with it
    chosen = choose(fallback, {key: value for key, value in context.items() if key != "fallback"})
    if chosen.comparator is None:
        raise bad(f'"skip" cannot stand in for "{word}"', hint="skip the field itself, or name a comparator")
    return replace(chosen, rule=f"{chosen.rule}, in place of {word}", fallback_for=word)


def _comparator_of_old_word(old: str, data: object, context: Mapping[str, Any]) -> NamedComparator:
    """The comparator that the word of another system (`old`) names, with a note in the context. A problem with it
    stands where the old word does."""
    add_note(context, f'the comparator "{old}" is called "{WORDS[old]}" here')
    try:
        return choose({WORDS[old]: data[old]} if isinstance(data, Mapping) else WORDS[old], context)
    except BadSettings as error:
        written = tuple(data) if isinstance(data, Mapping) else ()
        raise BadSettings(replace(each, loc=(*written, *each.loc[1:])) for each in error.details) from error


def refuse_answers(comparator: Comparator | None, here: str) -> None:
    """Raises BadSettings for a comparator that reads right answers, or a pattern, in a column: these are those of one field. `here` is
    where it stands, as the message says it."""
    if comparator is not None and comparator.answers_column is not None:
        column = comparator.answers_column
        names = (name for name in type(comparator).model_fields if getattr(comparator, name) == f"row.{column}")
        place_text = f'"{name}: row.{column}"' if (name := next(names, None)) is not None else f'the column "{column}"'
        message = f"what stands in a column is about one field: {place_text} is of no use {here}"
        raise bad(message, hint="write it on the line of the field, as its only comparator")


def _refuse_short_options(data: object, named: Mapping[str, Any], context: Mapping[str, Any]) -> None:
    """Raises BadSettings for an option without its name, such as `regex: "("`, with the line as it is written in full."""
    if not isinstance(data, Mapping) or len(data) != 1:
        return
    name, value = next(iter(data.items()))
    if value is None or isinstance(value, Mapping) or name in named or name == "skip":
        return
    message = f'the options of "{name}" must be a map; found {spell(value)}'
    raise BadSettings([Detail((name,), message, _full_option_hint(class_of(name, context), name, value))])


def _full_option_hint(plug: type[Comparator], name: str, value: object) -> str:
    """The hint for an option that is written without its name: the whole line, with the setting that takes the value, or all settings."""
    settings = {field.alias or key: field for key, field in plug.model_fields.items()}
    if isinstance(value, bool) or not settings:
        return f"write the word alone: {name}"
    needed = [key for key, field in settings.items() if field.is_required()]
    shapes: list[dict[str, Any]] = [{key: value} for key in settings] + [{key: [value]} for key in settings]
    if isinstance(value, int | float):
        shapes += [{key: {"abs": value}} for key in settings]
    shown = next((shape for shape in shapes if _has_options(plug, shape)), {needed[0]: value} if needed else None)
    return f"write {name}: {flow_text(shown)}" if shown else f"known options: {', '.join(settings)}"


def _has_options(plug: type[Comparator], options: Mapping[str, Any]) -> bool:
    """Whether a comparator can be built with these options."""
    try:
        build(plug, options)
    except BadSettings:
        return False
    return True


def _refuse_bare_value(data: object) -> None:
    """Raises BadSettings for a number or a boolean in place of a comparator, with the comparator that it may stand for."""
    if isinstance(data, bool):
        suggested = "exact" if data else "skip"
    elif isinstance(data, int | float):
        suggested = flow_text({"numeric": {"tolerance": {"abs": data}}})
    else:
        return
    message = f"expected the name of a comparator, or a map from its name to its options; found {spell(data)}"
    raise bad(message, hint=f"write {suggested}")


def _refuse_unknown(data: object, context: Mapping[str, Any]) -> None:
    """Raises BadSettings for an unknown name, before its options are looked at.

    `context["presets_with"]` knows which shipped presets define a name.
    """
    named: Mapping[str, Any] = context.get("comparators", {})
    presets_with: Callable[[str], Sequence[str]] = context.get("presets_with", lambda _: ())
    single = isinstance(data, Mapping) and len(data) == 1
    name = next(iter(data)) if isinstance(data, Mapping) and single else data
    if (
        not isinstance(name, str)
        or name == "skip"
        or name in named
        or name in COMPARATORS
        or is_answered_by_judge(name, context)
    ):
        return
    known = (*COMPARATORS.names(), *named, COMPOUND, "skip")
    presets = presets_with(name)
    if presets:
        hint = f"preset:{presets[0]} defines it: write extends: preset:{presets[0]} in the suite"
    else:
        hint = what_to_write(name, context, single) or suggestion(name, (*known, *NEIGHBOURS)) or start_here_text(named)
    loc = (name,) if single else ()
    raise BadSettings([Detail(loc, f'unknown comparator "{name}"', hint, key=single, code="unknown-name")])


def _rule_text(name: str, options: Mapping[str, Any]) -> str:
    """A comparator with its options, as a person reads it."""
    return f"{name} {flow_text(filled_texts().as_written(options))}" if options else name


def read_compound(options: object) -> tuple[tuple[str, ...], object]:
    """The keys of a compound and its comparator as it is written (`exact` without one). Raises BadSettings."""
    if not isinstance(options, Mapping):
        raise bad(f"the options of compound must be a map; found {spell(options)}", hint=_COMPOUND_HINT)
    details: list[Detail] = []
    for key in options:
        if key not in COMPOUND_SETTINGS:
            hint = suggestion(str(key), COMPOUND_SETTINGS) or f"known settings: {', '.join(COMPOUND_SETTINGS)}"
            details.append(
                Detail((key,), f'unknown setting "{key}" for compound', hint, key=True, code="unknown-setting")
            )
    names = options.get("fields")
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names) or len(set(names)) < 2:
        loc = ("fields",) if "fields" in options else ()
        details.append(
            Detail(loc, f"compound needs fields, a list of two keys or more; found {spell(names)}", _COMPOUND_HINT)
        )
    elif len(set(names)) < len(names):
        details.append(Detail(("fields",), "a key is listed twice", "list each key once"))
    if details:
        raise BadSettings(details)
    return tuple(names or ()), options.get("compare", "exact")


def takes_text(comparator: Comparator, word: str) -> bool:
    """Whether the values of a compound's keys are joined to one text for a comparator: for those that ship, `exact` apart."""
    return word != "exact" and word in COMPARATORS.shipped_names() and type(comparator) is COMPARATORS.shipped_plug(word)


def _choose_compound(options: object, context: Mapping[str, Any]) -> NamedComparator:
    """The comparator of a `compound`, with the keys whose values it compares as one value."""
    with under(COMPOUND):
        names, compare = read_compound(options)
    with under(COMPOUND, "compare"):
        chosen = choose(compare, context)
        if chosen.comparator is None or chosen.together is not None:
            raise bad(f'compound cannot compare its keys with "{chosen.word}"', hint="name a comparator")
        refuse_answers(chosen.comparator, "for the keys of a compound")
    together = Together(names, takes_text(chosen.comparator, word_of(chosen.comparator)))
    return replace(chosen, rule=f"{' + '.join(names)}: {chosen.rule}", together=together)


_CALLED: Final[Mapping[str, str]] = {
    "exact": "== eq equal equals equality exactly exact_match identical is literal match matches on same strict true yes",
    "normalized": (
        "case case_insensitive casefold icase iequals ignore_accents ignore_case ignorecase insensitive lenient loose lower lowercase "
        "nocase normal normalised normalize normalized_match relaxed str string strip text trim trimmed"
    ),
    "numeric": (
        "amount approx approximately close_to closeness currency decimal double float int integer isclose money number num numbers "
        "numerical percent percentage price range tolerance within"
    ),
    "date": "date_time datetime day days time timestamp",
    "fuzzy": (
        "almost alike approximate close damerau difflib distance edit_distance edits fuzz fuzzy_match fuzzywuzzy jaro jaro_winkler "
        "levenshtein levenstein misspell misspelled misspelling misspelt near nearly rapidfuzz ratio similar similarity "
        "spelling string_similarity typo typos"
    ),
    "boolean": "bool flag yes_no true_false",
    "{one_of: {values: [TEXT, TEXT]}}": "alternatives any any_of choice choices either enum enumeration in oneof options",
    "url": "address domain href link uri web website",
    "skip": "false ignore ignored no none off omit",
    "semantic": (
        "bert_score bertscore cosine cosine_similarity embedding embeddings judge llm llm_judge meaning means paraphrase "
        "semantic_match semantic_similarity semantically semantics sentence_similarity synonym synonyms"
    ),
    "{regex: {pattern: TEXT}}": (
        "contain contains contains_text glob icontains include includes like matches_regex partial pattern re regexp regex_match "
        "starts_with startswith ends_with endswith substring"
    ),
}
"""By what is written here, the words that people try."""
_DATE_FORMAT: Final = late_pattern(r"(?=.*[Dd])(?=.*[Mm])(?=.*[Yy])(?:[DdMmYy]{1,4}|[Hhms]{1,2}|[-./,: T])+")


def what_to_write(name: str, context: Mapping[str, Any], keyed: bool = False) -> str | None:
    """A hint, "write …", for a text that is no comparator: a date format, options that were put in quotes, or a common name of a
    comparator, with what that does; None for any other text.

    `keyed`: the name is the key of options, and so is what takes its place.
    Where `context["judge"]` is None, nothing is proposed that asks one.
    """
    if _DATE_FORMAT.fullmatch(name):
        return f"write {flow_text({'date': {'formats': [name.upper()]}})}"
    if name.partition(": ")[0] in COMPARATORS:
        return f"write {{{name}}}, without quotes"
    word = re.sub(r"[\s-]+", "_", name.strip().casefold())
    suggested = next((written for written, words in _CALLED.items() if word in words.split()), None)
    if suggested == "semantic" and context.get("judge") is None:
        return f"write fuzzy ({_purpose_text('fuzzy')}); what texts mean is compared by `semantic`, which asks a judge"
    if suggested is None:
        return None
    plain = suggested.lstrip("{").partition(":")[0]
    return f"write {plain if keyed else suggested} ({_purpose_text(plain)})"


def start_here_text(own: Iterable[str] = ()) -> str:
    """The comparators to start with, each with what it does, on a line of its own; and a suite's `own`."""
    mine = f"; your own: {', '.join(own)}" if own else ""
    return plug_list_text(
        COMPARATORS, START_HERE, f"most fields need one of these (all: evaluators list comparators{mine}):"
    )


def _purpose_text(word: str) -> str:
    """What a comparator does, in a few words: the start of its docstring."""
    if word in _WITHOUT_PLUG:
        return _WITHOUT_PLUG[word]
    first_line = (COMPARATORS.find(word).__doc__ or "").partition("\n")[0]
    sentence = re.split(r" \(|;|\.$", first_line)[0]
    return sentence[:1].lower() + sentence[1:]


_WITHOUT_PLUG: Final = {"skip": "the field is left out", "semantic": "the two values mean the same, as the judge sees it"}
