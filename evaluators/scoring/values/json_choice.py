"""Which of several JSON documents in an output counts, so that a row has one document for every evaluator that reads it.

The choice is made among all documents of the text, and what it goes by is the same for all evaluators of a suite: what
the documents are, the kind that the row's expected document is, and the keys that the suite names anywhere. An
evaluator that wants another kind gets the best one of that kind. What the row expects to be in the document is never
looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.rows import JSON
from evaluators.scoring.values.json_documents import Found, FoundDocuments, documents, objects_inside
from evaluators.scoring.values.json_text import NotJSON

Want: TypeAlias = Literal["object", "array", "container", "any"]
"""What is looked for: an object, an array, either of the two, or any JSON."""
Pick: TypeAlias = Literal["fitting", "first", "last", "largest", "only", "all"]
"""Which of several documents counts."""
PICKS: Final[tuple[Pick, ...]] = ("fitting", "first", "last", "largest", "only", "all")


class Search(Struct, frozen=True):
    """The settings by which JSON is looked for in an output."""

    lenient: bool = True
    """It may stand inside other text."""
    pick: Pick = "fitting"
    keys: frozenset[str] = frozenset()
    """The keys that the suite names at the top of documents: `fitting` goes by them."""

    def lists_all(self, want: Want, prefer: Want = "any") -> bool:
        """Whether all documents count together, as one list: with `pick: all`, unless an object is looked for."""
        return self.pick == "all" and "object" not in (want, prefer)


LENIENT: Final = Search()


class PickedDocument(Struct, frozen=True):
    """The document that counts, and which of how many in the text it is."""

    found: Found
    number: int = 1
    """0: all of them count, as a list."""
    among: int = 1
    reasoning: bool = False
    """Some of the text was reasoning, and set aside."""

    @property
    def which(self) -> str:
        """Sentences for people: which of several documents it is, and whether reasoning was set aside; empty where neither is."""
        which = (
            f"number {self.number} of {self.among} JSON documents"
            if self.number
            else f"the list of all {self.among} JSON documents"
        )
        several = f"It is {which} there." if self.among > 1 else ""
        reasoning = "The reasoning in its tags is set aside first." if self.reasoning else ""
        return " ".join(filter(None, (several, reasoning)))


def find(text: str, want: Want, search: Search = LENIENT, prefer: Want = "any") -> Found:
    """The document of a text that counts: `choose` among its `documents`. Raises NotJSON when there is none."""
    return choose(documents(text), want, search, prefer).found


def choose(among: FoundDocuments, want: Want, search: Search = LENIENT, prefer: Want = "any") -> PickedDocument:
    """The document that counts, of the kind that is wanted; of several kinds that will do, the one to `prefer`. With `pick: all` it is the
    list of all documents, unless an object is looked for.

    Raises NotJSON when there is none, with the reason why the most promising place failed, and for several with `pick: only`.
    """
    documents = among.found
    # a number or a text alone makes no list
    lone = len(documents) == 1 and not isinstance(documents[0].value, dict | list)
    if documents and not lone and search.lists_all(want, prefer):
        return _all_as_list(among)
    if (
        len(documents) == 1
        and isinstance(documents[0].value, _TYPES[want])
        and isinstance(documents[0].value, _TYPES[prefer])
    ):
        return PickedDocument(documents[0], reasoning=among.reasoning)  # the usual case, without a search
    if len(documents) > 1 and search.pick == "only":
        raise NotJSON(f"the text holds {len(documents)} JSON documents, and `pick: only` takes no more than one")
    fits = _documents_of_kind(_candidates(documents, search.pick), want)
    pool = _documents_of_kind(fits, prefer if want in ("any", "container") else want)
    if not pool and "object" in (want, prefer) and want != "array":
        pool = _objects_in_lists(among, search.pick)
    pool = pool or fits  # where none is of the kind to prefer, any that is wanted
    if not pool:
        if not documents and among.problem:
            raise among.problem.again()
        raise (
            _other_kind_error(documents, want)
            if documents
            else NotJSON(f"no {_NOUNS[want].replace('an ', '')} in the text")
        )
    chosen = pool[0] if len(pool) == 1 else _PICKING[search.pick](pool, search.keys)
    number = sum(document.start <= chosen.start for document in documents)
    return PickedDocument(chosen, number, len(documents), among.reasoning)


def _all_as_list(among: FoundDocuments) -> PickedDocument:
    """All documents as a list; those in fences alone, where there are some. One that is a list already stands for itself."""
    every = _candidates(among.found, "fitting")
    first, last = every[0], every[-1]
    if len(every) > 1 or not isinstance(first.value, list):
        first = Found([document.value for document in every], first.how, first.start, last.end)
    return PickedDocument(first, 0, len(every), among.reasoning)


def _objects_in_lists(among: FoundDocuments, pick: Pick) -> Sequence[Found]:
    """The objects that stand inside lists, for a text whose prose holds no others. Empty where they do not count: in a text that is JSON as
    a whole, beside documents in code fences, and where a document is cut off and there is no other."""
    if (
        among.whole
        or any(document.how == "fence" for document in _candidates(among.found, pick))
        or "[" not in among.text
    ):
        return ()
    if not among.found and among.problem is not None and among.problem.truncated:
        return ()  # what is cut off never gives way to a part of itself
    return objects_inside(among.text)


def overlap(value: JSON, keys: frozenset[str]) -> int:
    """How many of the `keys` an object has; for a list, how many its objects have together."""
    if isinstance(value, dict):
        return sum(key in keys for key in value)
    if isinstance(value, list):
        return len({key for item in value if isinstance(item, dict) for key in item if key in keys})
    return 0


def _candidates(documents: Sequence[Found], pick: Pick) -> Sequence[Found]:
    """The documents that `pick` chooses among: with `fitting`, those in code fences where there are some; else all."""
    fenced = [document for document in documents if document.how == "fence"] if pick == "fitting" else ()
    return fenced or documents


def _documents_of_kind(documents: Sequence[Found], want: Want) -> Sequence[Found]:
    """The documents that are of the kind that is wanted, such as objects."""
    types = _TYPES[want]
    return documents if want == "any" else [document for document in documents if isinstance(document.value, types)]


def _best_document(pool: Sequence[Found], keys: frozenset[str]) -> Found:
    """The document that has the most keys in common with `keys`, the last of several; without keys, the last of all."""
    if not keys:
        return pool[-1]
    return max(reversed(pool), key=lambda document: overlap(document.value, keys))


_PICKING: Final[dict[Pick, Callable[[Sequence[Found], frozenset[str]], Found]]] = {
    "fitting": _best_document,
    "first": lambda pool, _: pool[0],
    "last": lambda pool, _: pool[-1],
    "largest": lambda pool, _: max(reversed(pool), key=lambda document: document.end - document.start),
    "only": lambda pool, _: pool[-1],
    "all": _best_document,
}


def _other_kind_error(documents: Sequence[Found], want: Want) -> NotJSON:
    """The error of an output in which all documents are of another kind than `want`. It names the kind of the last one."""
    last = _candidates(documents, "fitting")[-1]
    where = "fence" if last.how == "fence" else "text"
    position = last.start if last.how == "fence" else None
    return NotJSON(f"{_NOUNS[want]} was expected, the {where} holds {_KINDS[type(last.value)]}", position)


_TYPES: Final[dict[Want, tuple[type, ...]]] = {
    "object": (dict,), "array": (list,), "container": (dict, list), "any": (object,)
}  # fmt: skip
_NOUNS: Final[dict[Want, str]] = {
    "object": "an object", "array": "an array", "container": "an object or an array", "any": "JSON"
}  # fmt: skip
_KINDS: Final[dict[type, str]] = {
    dict: "an object", list: "an array", str: "a text in quotes", bool: "true or false",
    int: "a number", float: "a number", type(None): "null",
}  # fmt: skip
