"""Comparators by what people call them: what to write for a name that no comparator has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from evaluators.model.registry import described
from evaluators.scoring.comparators._comparator import COMPARATORS, START_HERE
from evaluators.scoring.values.quoting import flow

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
_DATE_FORMAT: Final = re.compile(r"(?=.*[Dd])(?=.*[Mm])(?=.*[Yy])(?:[DdMmYy]{1,4}|[Hhms]{1,2}|[-./,: T])+")


def what_to_write(name: str, context: Mapping[str, Any], keyed: bool = False) -> str | None:
    """What to write for a name by which people call a comparator, with what that does; None for any other name.

    `keyed`: the name is the key of options, and so is what takes its place.
    Where `context["judge"]` is None, nothing is proposed that asks one.
    """
    if _DATE_FORMAT.fullmatch(name):
        return f"write {flow({'date': {'formats': [name.upper()]}})}"
    if name.partition(": ")[0] in COMPARATORS:
        return f"write {{{name}}}, without quotes"
    word = re.sub(r"[\s-]+", "_", name.strip().casefold())
    found = next((written for written, words in _CALLED.items() if word in words.split()), None)
    if found == "semantic" and context.get("judge") is None:
        return f"write fuzzy ({_does('fuzzy')}); what texts mean is compared by `semantic`, which asks a judge"
    if found is None:
        return None
    plain = found.lstrip("{").partition(":")[0]
    return f"write {plain if keyed else found} ({_does(plain)})"


def start_here(own: Iterable[str] = ()) -> str:
    """The comparators to start with, each with what it does, on a line of its own; and a suite's `own`."""
    mine = f"; your own: {', '.join(own)}" if own else ""
    return described(COMPARATORS, START_HERE, f"most fields need one of these (all: evaluators list comparators{mine}):")


def _does(word: str) -> str:
    if word in _WITHOUT_PLUG:
        return _WITHOUT_PLUG[word]
    first_line = (COMPARATORS.find(word).__doc__ or "").partition("\n")[0]
    sentence = re.split(r" \(|;|\.$", first_line)[0]
    return sentence[:1].lower() + sentence[1:]


_WITHOUT_PLUG: Final = {"skip": "the field is left out", "semantic": "the two values mean the same, as the judge sees it"}
