"""One walk through the two documents of a row, place by place, in document order.

    walk = Walk(lacking)
    results = walk.compare_row(root, expected, output)    # for each row
    walk.ask()                                    # what is on a list is pending, until it is settled
    walk.settle()

A match costs an append of its mark; where `every` result is asked for, it is a result like the others. What one side has in place of what
the other has is one table (`presence.py`). Values that are compared as one are in `units.py`, lists and choices in `weighing.py`.

A key that the schema lacks: where the expected side has it, it is not scored and is named once; where only the output has
it, it is a hallucination per leaf. In an item of the output without a partner, the expected side is all expected items of its
list. A skipped place is one skipped result where either side has something. Absent on both sides is nothing, unless the place is
required: then it is an omission. A *compound* compares some keys of an object as one unit, at the object's own place.

What an evaluator takes for absent (see `presence`) is as good as missing. On both sides it is one result, a match until
`reclassify_nulls` has said what it is.

What differs between the families of evaluators is in `policy`: listed fields look through containers, which have no results there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from evaluators.model.rows import MISSING
from evaluators.scoring.fields.instance_paths import InstancePath, Unpaired
from evaluators.scoring.fields.places import ARRAY, CHOICE, EACH, LACKING, OBJECT, SKIP, THROUGH, UNIT, Place
from evaluators.scoring.fields.presence import IN_PLACE, content, own_pattern, with_answers
from evaluators.scoring.fields.results import (
    HALLUCINATION,
    IS_MEASURED,
    MATCH,
    MISMATCH,
    OMISSION,
    SKIPPED,
    FieldResult,
    ListResult,
    RowResults,
)
from evaluators.scoring.fields.tree import FieldNode, knows
from evaluators.scoring.fields.weighing import IN_BOTH, NUMBERS, SCALARS, Surroundings, Weighing
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.paths import ANY


class Walk(Weighing):
    """The walk through the documents of rows, or through pairs of items that are weighed."""

    def compare_row(
        self,
        root: Place,
        expected: Any,
        output: Any,
        number: int = 0,
        cells: Mapping[str, Any] | None = None,
        left_out: Collection[int] = (),
    ) -> RowResults:
        """Compares the two documents of a row and returns its results; those of the row before are forgotten. Results that wait for a
        comparator that costs are pending: see `ask`.

        `number` is the row's position in its chunk. `cells` are those in which comparators read
        right answers, None where no comparator does; `left_out` are the numbers of listed fields that are not compared in this row.
        """
        self._clear()
        self.documents = expected, output
        self.number, self.cells, self.left_out = number, cells, left_out
        if self.chosen or self.paired:
            self.chosen, self.paired = {}, {}
        if (
            root.kind == OBJECT
            and expected
            and output
            and expected.__class__ is output.__class__ is dict
            and not root.needs_preparing
        ):
            self._compare_objects(root, expected, output, (), IN_BOTH)
        else:
            self._visit(root, expected, output, (), IN_BOTH)
        return RowResults(self.matched, self.fields, self.lists, self.outside)

    def _visit(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares two values at a place (expected `e`, output `o`) and all below it, and adds their results.

        `at` is the path in the document; `around` says which side has the objects and lists on the way.
        """
        kind = place.kind
        if place.needs_preparing:
            e, o = self._prepare(place, e, o, around)
        if e is MISSING and o is MISSING:
            if place.needed:
                self._add_omissions(place, at, around)
        elif kind == UNIT:
            if not (self.left_out and self._is_left_out(place)):
                self._compare_unit(place, e, o, at)
        elif kind == OBJECT:
            if (
                e
                and o
                and e.__class__ is o.__class__ is dict
                and not (place.needs_preparing and self._lacks_a_side(place, e, o))
            ):
                self._compare_objects(place, e, o, at, around)
            else:
                self._compare_without_contents(place, dict, e, o, at, around)
        elif kind == ARRAY:
            self._compare_lists(place, e, o, at, around)
        elif kind == SKIP:
            self.fields.append(FieldResult(place, at, SKIPPED, e, o))
        elif kind == CHOICE:
            self._compare_choice(place, e, o, at, around)
        elif kind == THROUGH:
            self._look_through(place, e, o, at, around)
        else:
            self._compare_listed_items(place, e, o, at, around)

    def _compare_objects(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares two objects and adds the results of their keys: of those that are compared as one value, then of the declared ones, then
        of all others. `at` is the path of the place, and `around` says which side has the objects and lists on the way."""
        node, steps = place.node, place.steps_of_every if self.every else place.steps
        if node.compound is not None:
            self._compare_compound(place, e, o, at)
        append = self.matched.append
        unknown = len(e) + len(o) - 2 * len(steps)  # 0 in the end where no side has a key that is not declared
        for key, mark, child in steps:
            try:
                a, b = e[key], o[key]
            except KeyError:
                a, b = e.get(key, MISSING), o.get(key, MISSING)
                unknown += 2 if a is b is MISSING else 1
                if a is b is MISSING and not (child.needed or child.needs_preparing):
                    continue
            if mark is not None:
                kind = a.__class__
                if a == b:
                    if kind is str or (kind is b.__class__ and kind in SCALARS):
                        append(mark if a or kind in NUMBERS else child.bare)
                        continue
                elif child.exact and kind in SCALARS and b.__class__ in SCALARS:
                    self.fields.append(FieldResult(child, (*at, key), MISMATCH, a, b))
                    continue
            elif child.looked_into and a and b:
                kind = a.__class__
                if kind is b.__class__:
                    if kind is dict and child.kind == OBJECT:
                        self._compare_objects(child, a, b, (*at, key), around if around is IN_BOTH else around.under(key))
                        continue
                    if kind is list and child.items is not None and child.kind == ARRAY:
                        here = (*at, key)
                        below = around if around is IN_BOTH else around.under(key)
                        self._compare_items(child, child.items, a, b, self._add_list(child, a, b, here), here, below)
                        continue
            if child.kind == UNIT and not child.needs_preparing and not a is b is MISSING:
                self._compare_unit(child, a, b, (*at, key))
            else:
                self._visit(child, a, b, (*at, key), around if around is IN_BOTH else around.under(key))
        if unknown:
            self._compare_undeclared_keys(place, e, o, at, around)

    def _compare_compound(self, place: Place, e: Any, o: Any, at: InstancePath) -> None:
        """Compares some keys of two objects as one value and adds the result, at the object's own place. Absent keys are left out; where
        both sides lack all of them, nothing is added."""
        absent = place.compound_absent
        a, b = (
            {key: side[key] for key in absent if not absent[key](side.get(key, MISSING))} or MISSING for side in (e, o)
        )
        if a is not MISSING or b is not MISSING:
            self._compare_unit(place.compound, a, b, at)

    def _compare_undeclared_keys(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares the keys of two objects that are not declared. Where the schema has no place for them, one that is expected is noted as
        outside, and one that only the output has is a hallucination for each leaf. `at` is the path of the objects. In an item of the
        output without a partner, `around.candidates` are the values that expected items have there: their keys are outside, too."""
        node, others = place.node, place.others
        keys, taken = node.below.keys, node.compound.fields if node.compound is not None else ()
        for key in sorted(key for key in {*e, *o} if key not in keys and key not in taken):
            if others is not None:
                self._visit(others, e.get(key, MISSING), o.get(key, MISSING), (*at, key), around.under(key))
            elif key in e or around.candidates.under(key):
                self.outside.append((node, key))
            else:
                self._add_undeclared_value(place, o[key], at, (key,), place.siblings)

    def _add_undeclared_value(
        self, place: Place, value: Any, at: InstancePath, steps: tuple[Any, ...], siblings: tuple[FieldNode, ...] | None
    ) -> None:
        """Adds a hallucination for each leaf of a value of the output that the schema lacks.

        `at` is the path of `place`, and `steps` lead from there to the value. `siblings` are the branches of the choice that the place
        stands in: one of them may know the first key.
        """
        known_to: Literal["elsewhere", "outside"] = "elsewhere" if siblings and knows(siblings, steps[0]) else "outside"
        has, both = place.absent.has if place.absent.values else None, place.absent.both
        waiting: list[tuple[tuple[Any, ...], Any]] = [(steps, value)]
        while waiting:
            steps, value = waiting.pop()
            absent = has is not None and has(value)
            if absent and self.weighing and both == "skip":
                continue
            if value and not absent and value.__class__ is dict:
                waiting += [((*steps, key), value[key]) for key in sorted(value, reverse=True)]
            elif value and not absent and value.__class__ is list:
                waiting += [((*steps, Unpaired(index)), value[index]) for index in reversed(range(len(value)))]
            else:
                path = (*place.node.path, *(ANY if step.__class__ is Unpaired else step for step in steps))
                key = path, place.inside
                lacking = self.lacking.get(key)
                if lacking is None:
                    lacking = self.lacking[key] = Place(
                        FieldNode(path), place.absent, place.trail, place.inside, place.choices, kind=LACKING
                    )
                if absent and self.weighing:
                    self.matched.append(lacking.full)
                else:
                    self.fields.append(FieldResult(lacking, (*at, *steps), HALLUCINATION, MISSING, value, (), known_to))

    def _compare_lists(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares two values where a list is declared, and adds the result of the list. Two objects are compared by key, where `[*]` also
        means the values of an object. `at` is the path of the place, and `around` says which side has the objects and lists on the way."""
        if e.__class__ is o.__class__ is dict and place.as_object is not None and not self._lacks_a_side(place, e, o):
            self._visit(place.as_object, e, o, at, around)
            return
        listed = self._add_list(place, e, o, at)
        if (
            e
            and o
            and e.__class__ is o.__class__ is list
            and not (place.needs_preparing and self._lacks_a_side(place, e, o))
        ):
            self._compare_contents(place, e, o, at, around, listed)
        else:
            self._compare_without_contents(place, list, e, o, at, around, listed)
            listed.last_match, listed.last_field = len(self.matched), len(self.fields)

    def _add_undeclared_items(
        self, place: Place, e: Any, o: Any, listed: ListResult, at: InstancePath, around: Surroundings
    ) -> None:
        """Adds a hallucination for each leaf of items that the schema does not describe; where the expected side has items, they are not
        scored, and the place is noted as outside. Fills in `listed`, the result of the list."""
        if e or any(isinstance(candidate, list) and candidate for candidate in around.candidates):
            self.outside.append((place.node, ANY))
        else:
            extra = []
            for column, value in enumerate(o):
                matched, others = len(self.matched), len(self.fields)
                self._add_undeclared_value(place, value, at, (Unpaired(column),), None)
                extra.append((column, matched, others, len(self.matched), len(self.fields)))
            listed.extra = extra
        listed.last_match, listed.last_field = len(self.matched), len(self.fields)

    def _compare_contents(
        self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings, listed: ListResult | None = None
    ) -> None:
        """Compares the contents of two objects, or of two lists with their `listed` result."""
        if listed is None:
            self._compare_objects(place, e, o, at, around)
        elif place.items is not None:
            self._compare_items(place, place.items, e, o, listed, at, around)
        else:
            self._add_undeclared_items(place, e, o, listed, at, around)

    def _compare_without_contents(
        self,
        place: Place,
        kind: type,
        e: Any,
        o: Any,
        at: InstancePath,
        around: Surroundings,
        listed: ListResult | None = None,
    ) -> None:
        """Compares two values of which one has no contents of the declared `kind` (dict or list), and adds what the table in `presence`
        says of them. `listed` is the result of a list; `around` says which side has the objects and lists on the way."""
        node, absent = place.node, place.absent.has if place.absent.values else None
        ours = "missing" if absent is not None and absent(e) else content(kind, e)
        theirs = "missing" if absent is not None and absent(o) else content(kind, o)
        counts, status = IN_PLACE[ours, theirs]
        # a key of two empty objects may have to be there all the same
        root = kind is dict and not at and not self.weighing
        opens = root or node.needed_in_output or (self.cells is not None and node.has_answers_below)
        if counts == "extra" or (opens and ours == theirs == "empty") or (root and ours == theirs == "missing"):
            # everything in the output is extra
            inner = around._replace(in_expected=around.in_expected and isinstance(e, dict | list))
            self._compare_contents(
                place, kind(), o if theirs != "missing" and o.__class__ is kind else kind(), at, inner, listed
            )
        elif counts == "extra or one":  # where nothing inside is measured, the value itself is one hallucination
            before, matched, known = len(self.fields), len(self.matched), len(self.known)
            self._compare_contents(place, kind(), o, at, around._replace(in_expected=False), listed)
            measured = len(self.matched) > matched or any(IS_MEASURED[field.status] for field in self.fields[before:])
            if not measured and not any(sum(best.counts) for _, best in self.known[known:]):
                self._add_result(place, HALLUCINATION, e, o, at)
        elif counts == "lost":  # everything that is expected is missing
            inner = around if isinstance(o, dict | list) else around._replace(in_output=False)
            self._compare_contents(place, e, kind(), at, inner, listed)
            if status is not None:
                self._add_result(place, status.number, e, o, at)
        elif counts == "leaves":
            self._add_undeclared_value(place, o, at, (), None)
        else:
            number = (MATCH if json_equal(e, o) else MISMATCH) if status is None else status.number
            self._add_result(place, number, e, o, at)

    def _add_omissions(self, place: Place, at: InstancePath, around: Surroundings) -> None:
        """Adds the omission of a required place that neither side has, or of one that the output must have.

        A required container stands for the required places below it, and for itself where there are none.
        """
        node, items = place.node, None
        required: Sequence[tuple[str, Place]] = ()
        if place.kind in (OBJECT, THROUGH, ARRAY, EACH):
            required = place.needed_steps
            items = place.items if node.below.items is not None and node.below.items.required else None
        if not required and items is None:
            self._add_result(place, OMISSION, MISSING, MISSING, at)
        for key, child in required:
            self._visit(child, MISSING, MISSING, (*at, key), around.under(key))
        if items is not None:
            self._visit(items, MISSING, MISSING, (*at, ANY), around)

    def _look_through(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares what the paths of listed fields lead to below two values, and adds the results. The two values have none of their own.

        Paths of one or two plain keys are read here, without a call; an equal scalar is a match at once.
        """
        plain = not (self.every or self.left_out)
        objects = e.__class__ is dict and o.__class__ is dict
        append = self.matched.append
        for key, below, joined, mark, read, read_around, child in place.reached:
            if key is None or not objects:
                a, b = read(e, o)
            elif below is None:
                a, b = e.get(key, MISSING), o.get(key, MISSING)
            else:
                a, b = e.get(key), o.get(key)
                if a.__class__ is dict and b.__class__ is dict and joined not in e and joined not in o:
                    a, b = a.get(below, MISSING), b.get(below, MISSING)
                else:  # a key with a dot, say, may stand for both keys
                    a, b = read(e, o)
            if plain and mark is not None:
                kind = a.__class__
                if a == b:
                    if kind is str or (kind is b.__class__ and kind in SCALARS):
                        append(mark if a or kind in NUMBERS else child.bare)
                        continue
                elif child.exact and kind in SCALARS and b.__class__ in SCALARS:
                    self.fields.append(FieldResult(child, at, MISMATCH, a, b))
                    continue
            here = around
            if child.needs_preparing:
                if read_around is not None:  # whether the output has the object around the value
                    near = read_around(e, o)[1]
                    here = around._replace(
                        in_output=around.in_output and isinstance(o, dict | list) and isinstance(near, dict | list)
                    )
                elif not place.inside:
                    here = around._replace(in_output=False)
            elif a is MISSING and b is MISSING and not (place.inside and child.needed):
                continue
            if child.needs_preparing:
                a, b = self._prepare(child, a, b, here)
                if a is MISSING and b is MISSING and not (place.inside and child.needed):
                    continue
                if child.kind == UNIT and not (a is MISSING and b is MISSING):
                    if not (self.left_out and self._is_left_out(child)):
                        self._compare_unit(child, a, b, at)
                    continue
            self._visit(child, a, b, at, around)

    def _compare_listed_items(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares what `[*]` of a listed field means, and adds the results: items of lists as they are paired, values of objects by
        key."""
        whole, items = place.whole, place.items
        if whole is not None and not (e.__class__ is o.__class__ is list and (e or o)):
            self._add_list(place, e, o, at)
            self._visit(whole, e, o, at, around)
            return
        if items is None:
            return
        if e.__class__ is dict:  # its values stand before the items that only the output has
            self._compare_values_by_key(items, e, o, at, around)
        if e.__class__ is list or o.__class__ is list:
            ours, theirs = (value if value.__class__ is list else [] for value in (e, o))
            inner = around if isinstance(o, dict | list) else around._replace(in_output=False)
            self._compare_items(place, items, ours, theirs, self._add_list(place, ours, theirs, at), at, inner)
        if o.__class__ is dict and e.__class__ is not dict:
            self._compare_values_by_key(items, e, o, at, around)

    def _compare_values_by_key(self, item: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares the values of two objects, whatever their keys are, and adds the results in the order of the keys."""
        ours, theirs = (value if value.__class__ is dict else {} for value in (e, o))
        inner = around if isinstance(o, dict | list) else around._replace(in_output=False)
        for key in sorted({*ours, *theirs}):
            self._visit(item, ours.get(key, MISSING), theirs.get(key, MISSING), (*at, key), inner.under(key))

    def _prepare(self, place: Place, e: Any, o: Any, around: Surroundings) -> tuple[Any, Any]:
        """Returns the two values of a place as they are compared: with the right answers of the row, with what stands for an output that
        may lack it, and without absent values. Notes in `answers` how many right answers were read.

        A value that is compared as one loses absent values only while it is weighed (absent on both sides may add a match then):
        post-processors reclassify its results.
        """
        node, absent = place.node, place.absent
        answering = node.answers_comparator
        if answering is not None and self.cells is not None and not self._is_left_out(place):
            if answering.reads == "both":
                # an item that only the output has, or a place inside what the expected side lacks, has no right answers
                has_no_expected = around.unpaired or not (
                    around.in_expected or node.policy.containers == "looked through"
                )
                if e is not MISSING or not has_no_expected:
                    e = with_answers(answering, e, self.cells, self.answers, id(place))
            else:
                pattern = own_pattern(answering, self.cells)
                asks_judge = node.policy.one_sided == "asked" and not self.weighing
                e = pattern if o is not MISSING and (asks_judge or not absent.has(e)) else e
        if node.list_comparator is not None and o is MISSING and e is not MISSING and around.in_output and place.trail:
            o = node.list_comparator.in_place_of_nothing(e)
        if not absent.values or node.skip or (e is MISSING and o is MISSING):
            return e, o
        if place.kind == UNIT:
            if self.weighing:
                a, b = (MISSING if place.absent_at(value) else value for value in (e, o))
                if a is b is MISSING and absent.both == "match" and not node.required:
                    self._add_match(place, e, o, ())
                return a, b
        elif absent.has(e) and absent.has(o) and (place.needed or (self.weighing and absent.both == "skip")):
            return MISSING, MISSING
        return e, o

    def _lacks_a_side(self, place: Place, e: Any, o: Any) -> bool:
        """Whether one of two values counts as absent."""
        return bool(place.absent.values) and (place.absent.has(e) or place.absent.has(o))

    def _is_left_out(self, place: Place) -> bool:
        """Whether the listed field of a place is not compared in this row."""
        return place.node.line is not None and place.node.line.number in self.left_out
