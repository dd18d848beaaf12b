"""The lines of fields, as outputs show what expected answers do not: lists of which any item is right, records, ids of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from evaluators.guide.column_names import words_of
from evaluators.guide.proposal_counts import place_at
from evaluators.guide.wrapped_outputs import path_text
from evaluators.scoring.fields.inference.suggested_lines import SeenPlace, SuggestedLine
from evaluators.scoring.values.path_text import ANY, Step
from evaluators.scoring.values.quoting import first_texts, quote


def lines_beside(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[SuggestedLine]:
    """The lines of the expected documents, changed so that they fit the outputs, too: lists of possible answers, lists of records, ids that
    each side makes itself. `root` and `outputs` are the shapes seen in documents and in outputs."""
    changed = _without_own_ids(_lists_of_answers(lines, root, outputs), root, outputs)
    return [new_line for line in changed for new_line in _lines_of_records(line, root)]


def _lists_of_answers(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[SuggestedLine]:
    """The lines, where a list of possible answers is expected and outputs have one value in its place, with the comparator that takes any
    of them. An empty text among them says that the value may be left out."""
    made: list[SuggestedLine] = []
    taken: set[tuple[Step, ...]] = set()
    beside = [*_lists_beside_values(root, outputs, deep=True)]
    everywhere = sum(beside) >= _NEARLY_ALL * len(beside)
    for line in lines:
        steps = line.steps[:-1] if line.steps[-1:] == (ANY,) else line.steps
        node, given = place_at(root, steps), place_at(outputs, steps)
        if any(line.steps[: len(above)] == above for above in taken):
            continue
        if steps and _lists_outputs_there(node, given) and _are_alternatives(steps, root, outputs, everywhere):
            absent = {"absent": ""} if _may_be_left_out(node) else {}
            compare = {"one_of": {"answers": "expected", **absent}}
            line = SuggestedLine(steps, compare, "a list of right answers, where outputs have one value")
            taken.add(steps)
        made.append(line)
    return made


def _lists_outputs_there(node: SeenPlace, given: SeenPlace) -> bool:
    """Whether a place where lists are expected (`node`) has items of the kind that outputs have at the same place (`given`): lists of lists
    where outputs have lists. Where outputs have nothing there, whether the value may be left out."""
    if node.kinds != ("lists",) or node.items is None:
        return False
    kinds = (
        tuple(kind for kind in node.items.kinds if kind == "single values")
        if _may_be_left_out(node)
        else node.items.kinds
    )
    if not given.kinds:
        return _may_be_left_out(node)
    if given.kinds == ("lists",) and node.items.kinds[:1] == ("lists",):
        inner, own = (place.items.kinds if place.items is not None else () for place in (node.items, given))
        return inner == own
    return kinds == given.kinds != ("lists",)


def _may_be_left_out(node: SeenPlace) -> bool:
    """Whether an empty text is among the items of the lists at a place, which says that the value may be left out."""
    return node.items is not None and "" in node.items.scalars


def _are_alternatives(steps: tuple[Step, ...], root: SeenPlace, outputs: SeenPlace, everywhere: bool) -> bool:
    """Whether the list at a path holds possible answers: its key says so, or nearly all values of its object are lists of what outputs have
    there, as in the calls of BFCL. A list alone in its object says that only where it is so `everywhere` in the documents.
    """
    words = words_of(str(steps[-1]))
    if _POSSIBLE.intersection(words) and _POSSIBLE_THINGS.issuperset(words):
        return True
    siblings = [*_lists_beside_values(place_at(root, steps[:-1]), place_at(outputs, steps[:-1]))]
    return everywhere if len(siblings) < _SEVERAL else sum(siblings) >= _NEARLY_ALL * len(siblings)


def _lists_beside_values(place: SeenPlace, given: SeenPlace, deep: bool = False) -> Iterator[bool]:
    """For each value of an object at a place, whether it is a list of what outputs have in its stead. With `deep`, a value that is not
    gives the answers for its own values, where it has some, and the items of a list at the place are looked at, too."""
    for key, child in place.keys.items():
        other = given.keys.get(key, SeenPlace())
        kinds = child.items.kinds if child.kinds == ("lists",) and child.items is not None else ()
        is_optional = not other.kinds and child.items is not None and "" in child.items.scalars
        if kinds and (kinds == other.kinds or is_optional):
            yield True
        else:
            inner = [*_lists_beside_values(child, other, deep)] if deep else []
            yield from inner or [False]
    if deep and place.items is not None:
        yield from _lists_beside_values(place.items, given.items or SeenPlace(), deep)


_POSSIBLE: Final = frozenset(
    [
        "answer", "answers", "alias", "aliases", "alternative", "alternatives", "synonym", "synonyms", "gold", "reference",
        "references", "possible", "acceptable", "accepted", "allowed", "correct", "valid", "truth",
    ]
)  # fmt: skip
"""Words of a key that say that any of its values is right."""
_POSSIBLE_THINGS: Final = _POSSIBLE | {
    "value", "values", "name", "names", "text", "texts", "label", "labels", "solution", "solutions", "ground", "final", "short",
}  # fmt: skip
"""Words beside them. With any other one, a key names things of its own, as `accepted_cards` does."""
_SEVERAL: Final = 2
_NEARLY_ALL: Final = 0.8


def review_notes(lines: Sequence[SuggestedLine]) -> list[str]:
    """The note that asks for a look at fields for which any item of an expected list is right; none where there are no such fields."""
    places = [line.written for line in lines if isinstance(line.compare, dict) and "one_of" in line.compare]
    if not places:
        return []
    shown = first_texts([quote(place) for place in places], _SHOWN)
    message = (
        f"to review: any item of the expected list is right at {shown}, as outputs have one value there; if the answer is all of the list, "
        "write {align: any_order} instead"
    )
    return [message]


_SHOWN: Final = 3


def inner_answer_notes(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[str]:
    """The note on lists of possible answers inside the objects of such a list, as BFCL has them for arguments that are objects: no
    comparator looks for them there. Empty where there are none."""
    for line in lines:
        node, given = place_at(root, line.steps), place_at(outputs, line.steps)
        if "one_of" in line.compare and node.items is not None and any(_lists_beside_values(node.items, given)):
            message = (
                f'at "{line.written}" the right answers are objects with lists of right answers inside, and whole objects are compared: '
                "write out each object that is right"
            )
            return [message]
    return []


def _lines_of_records(line: SuggestedLine, root: SeenPlace) -> list[SuggestedLine]:
    """The two lines for a list of records, which are lists with numbers and texts: `[[0, 3, "PER"], …]`, in any order. For any other line
    the line itself."""
    node = place_at(root, line.steps)
    inner = (
        node.items.items
        if node.kinds == ("lists",) and node.items is not None and node.items.kinds == ("lists",)
        else None
    )
    if (
        inner is None
        or inner.kinds != ("single values",)
        or {str, int} - {*map(type, inner.scalars)}
        or "one_of" in line.compare
    ):
        return [line]
    why = "a list of lists with numbers and texts, whose order does not count"
    items = SuggestedLine((*line.steps, ANY), "exact", "each as a whole")
    return [SuggestedLine(line.steps, {"align": "any_order"}, why), items]


def _without_own_ids(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[SuggestedLine]:
    """The lines, where the `id` of the items of a paired list has no value in common with the outputs, which then make ids of their own:
    paired by what else the items hold, and without the id."""
    made = {line.steps: line for line in lines}
    for line in lines:
        align = line.compare.get("align") if isinstance(line.compare, dict) else None
        place = (*line.steps, ANY, "id")
        wanted, given = ({*map(str, place_at(side, place).scalars)} for side in (root, outputs))
        keyed = align == {"key_field": {"key": "id"}}
        if (keyed or (align is not None and place in made)) and min(len(wanted), len(given)) > 1 and not wanted & given:
            if keyed:
                made[line.steps] = replace(
                    line, compare={"align": "hungarian"}, why="a list; outputs have ids of their own"
                )
            made[place] = SuggestedLine(
                place, "skip", f"{len(wanted):,} ids, none of which is in the outputs: each side makes its own"
            )
    return [*made.values()]


def kind_conflict_notes(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[str]:
    """The note on the first place at which expected answers and outputs have values of different kinds, which are never equal; empty where
    there is no such place."""
    for line in lines:
        if "one_of" in line.compare:
            continue
        for count in range(1, len(line.steps) + 1):
            steps = line.steps[:count]
            wanted, given = place_at(root, steps).kinds, place_at(outputs, steps).kinds
            if wanted and given and not {*wanted} & {*given}:
                message = (
                    f'at "{path_text(steps)}" the expected answers have {" and ".join(wanted)}, and the outputs {" and ".join(given)}: '
                    "no such value can be right"
                )
                if wanted == ("lists",) and given == ("single values",):
                    message += "; if any item of the list is right, write {one_of: {answers: expected}}"
                return [message]
    return []


def extra_key_notes(root: SeenPlace, outputs: SeenPlace) -> list[str]:
    """The note on keys that nearly every output has and no expected answer, such as a confidence: they lower the score of each row. None
    where outputs lack some key of the same object, which then may only be called otherwise."""
    places = [*_extra_places(root, outputs, ())]
    if not places:
        return []
    shown = first_texts([quote(path_text(steps)) for steps in places], _SHOWN)
    it, sets_aside = ("it counts", "sets it aside") if len(places) == 1 else ("they count", "sets the first aside")
    message = (
        f"nearly every output has {shown}, which no expected answer has: {it} as extra, and the score of each row is lower; "
        f"{quote(f'{path_text(places[0])}: skip')} among the fields {sets_aside}"
    )
    return [message]


def _extra_places(wanted: SeenPlace, given: SeenPlace, above: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The places of keys that nearly every output has and no expected answer, in the objects at a place and below it; `above` are the steps
    to that place."""
    if wanted.keys and wanted.keys.keys() <= given.keys.keys():
        for key, inner in given.keys.items():
            if key not in wanted.keys and inner.met >= _NEARLY_ALL * given.objects:
                yield (*above, key)
    for key, inner in wanted.keys.items():
        if key in given.keys:
            yield from _extra_places(inner, given.keys[key], (*above, key))
    if wanted.items is not None and given.items is not None:
        yield from _extra_places(wanted.items, given.items, (*above, ANY))
