"""The trees that lines of `fields:` become, for people who write no JSON Schema.

Listed fields (`ListedTree`): each line is a leaf that a path of its own leads to, whatever stands on the way; `[*]` makes a list of what is
looked into, and the lines under one list share its items. A line that says how a list is aligned, and has no `[*]`, compares the items of
its own value where both sides have a list. A query is a list of its hits.

In place of a schema (`tree_of_lines`): a key in a path makes an object, `[*]` makes an array, and the end of a path is compared with the
line's comparator. A line about an array says how its items are paired; a line with `compound` compares keys of an object as one value.
What is listed is the whole schema: a key that only the output has counts as an extra one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.rows import FieldStatus
from evaluators.model.settings import BadSettings, Detail, Loc
from evaluators.scoring.fields.key_spelling import KeySpelling, TreeKeys, keys_in
from evaluators.scoring.fields.lines import FieldLine, read_fields
from evaluators.scoring.fields.places import Place
from evaluators.scoring.fields.presence import NONE_ABSENT
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.reshaping import Reshapings, reshapings_of, split_at_reshaping
from evaluators.scoring.fields.tree import (
    FIELDS,
    LISTED,
    ORDERED,
    SCHEMA,
    Below,
    Compound,
    FieldNode,
    ListedField,
    Metric,
    SchemaPath,
)
from evaluators.scoring.values.paths import ANY, Path
from evaluators.scoring.values.transforms import Transform

BothMissing = Literal["not_measured", "match"]
Reached: TypeAlias = list[tuple[Path, FieldNode]]
"""The paths that lead from a document, or from an item of a list, to fields, each with its node."""
WHOLE_ITEM: Final = Path(())


class ListedTree(Struct, frozen=True, dict=True):
    """The fields of one evaluator. `lines` are all that was written, `scored_lines` those that have a score."""

    lines: tuple[FieldLine, ...]
    transforms: tuple[Transform, ...] = ()
    both_missing: BothMissing = "not_measured"
    keys: KeySpelling | None = None
    """Which spellings of an output's keys stand for those of the fields; None where each has to be spelt alike."""

    @cached_property
    def known_keys(self) -> TreeKeys:
        """The keys that the fields name."""
        return keys_in(path for line in self.lines for path in line.known_paths())

    @cached_property
    def reshapings(self) -> Reshapings:
        """Values of documents that are split, parsed or unwrapped before fields are compared."""
        return reshapings_of(self.lines, self.transforms)

    @cached_property
    def scored_lines(self) -> tuple[FieldLine, ...]:
        """The lines that have a status: those with a comparator, and the skipped ones."""
        return tuple(line for line in self.lines if line.comparator is not None or line.skip)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The canonical spelling of each scored line."""
        return tuple(line.name for line in self.scored_lines)

    @cached_property
    def root(self) -> FieldNode:
        """The tree of the lines that are compared. Lines that share the path up to a `[*]` are below the same list."""
        aligned = {line.path.steps: line.align for line in self.lines if line.align is not None}
        top: Reached = []
        known: dict[SchemaPath, Reached] = {}
        for number, line in enumerate(self.scored_lines):
            if line.skip:
                continue
            steps, start, reached = line.path.steps, 0, top
            while line.path.query is None and ANY in steps[start:]:  # each list on the way is shared with other lines
                cut = steps.index(ANY, start)
                array = steps[:cut]
                if array not in known:
                    known[array] = []
                    reached.append(
                        (
                            line.path.part(start, cut),
                            _list_through_paths(array, aligned.get(array, ORDERED), known[array]),
                        )
                    )
                reached, start = known[array], cut + 1
            path = line.path if line.path.query is not None else line.path.part(start)
            reached.append((path, self._line_node(line, number)))
        return _through_paths((), top)

    @cached_property
    def place(self) -> Place:
        """The root of the tree, compiled for walks."""
        return Place(self.root, NONE_ABSENT)

    @cached_property
    def absent_statuses(self) -> bytes:
        """The status, as its number, of each field in a row where neither side has it, or where it is skipped."""
        return bytes(
            [(FieldStatus.SKIPPED if line.skip else self.absent_status(line)[0]).number for line in self.scored_lines]
        )

    @cached_property
    def fields_outside_lists(self) -> tuple[tuple[int, str], ...]:
        """(number, name) of each field that stands in no list, so that a row has one value of it, or none."""
        every = enumerate(self.scored_lines)
        return tuple((number, line.name) for number, line in every if line.path.definite and not line.skip)

    def _line_node(self, line: FieldLine, number: int) -> FieldNode:
        """The node of one line, whose position among the scored lines is `number`: a single value, or, with an alignment or a query, a list
        whose items are paired. With an alignment, what is no pair of lists is compared as one value."""
        if line.comparator is None:
            raise TypeError("a line without a comparator is no place")
        query = line.path.query is not None
        metric = Metric(line.word, line.comparator, line.rule, fallback_for=line.fallback_for)
        field = ListedField(number, line.name, line.together)
        leaf = FieldNode(
            line.path.steps, metrics=(metric,), transforms=self.transforms_of(line), policy=LISTED, line=field
        )
        if line.align is None and not query:
            return leaf
        whole = None if query else replace(leaf, line=replace(field, each=True))
        return replace(_list_through_paths(leaf.path, line.align or ORDERED, [(WHOLE_ITEM, leaf)], whole), line=field)

    @cached_property
    def costly_numbers(self) -> tuple[int, ...]:
        """The numbers of the lines whose comparator costs: a judge or an async function answers."""
        every = enumerate(self.scored_lines)
        return tuple(number for number, line in every if line.comparator is not None and line.comparator.costs)

    @cached_property
    def answer_columns(self) -> tuple[str, ...]:
        """The columns in which comparators read right answers."""
        named = (line.comparator.answers_column for line in self.scored_lines if line.comparator is not None)
        return tuple(dict.fromkeys(filter(None, named)))

    @cached_property
    def pairs_by_asking(self) -> bool:
        """Whether comparators that cost are asked about items that are left over (`ask: leftover`)."""
        aligned = (line.align for line in self.lines if line.align is not None)
        return bool(self.costly_numbers) and any(align.ask is not None for align in aligned)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Whole weights in the same proportions as the written ones."""
        unit = lcm(*(line.weight.denominator for line in self.scored_lines)) if self.scored_lines else 1
        return tuple(int(line.weight * unit) for line in self.scored_lines)

    @cached_property
    def memory(self) -> dict[Hashable, Any]:
        """The store in which checks remember rows: see `ListedCheck`. It lives as long as the tree, longer than a
        check."""
        return {}

    @cached_property
    def required_numbers(self) -> tuple[int, ...]:
        """The numbers of the required lines."""
        return tuple(number for number, line in enumerate(self.scored_lines) if line.required)

    def transforms_of(self, line: FieldLine) -> tuple[Transform, ...]:
        """The transforms of what a line compares: those of every field, then its own; without those that have reshaped the document
        before."""
        transforms = split_at_reshaping(line, self.transforms)[1]
        return line.together.transforms(transforms) if line.together is not None else transforms

    def absent_status(self, line: FieldLine) -> tuple[FieldStatus, str]:
        """The status of a field that neither side has, and why (law 6)."""
        if line.required:
            return FieldStatus.OMISSION, "required, and absent on both sides"
        if line.path.definite and line.comparator is not None and line.comparator.reads == "output":
            return FieldStatus.OMISSION, "missing in the output"
        return FieldStatus.MATCH if self.both_missing == "match" else FieldStatus.NOT_MEASURED, "absent on both sides"


def _through_paths(path: SchemaPath, reached: Reached) -> FieldNode:
    """A node at `path` that is looked through: only what the `reached` paths lead to is compared."""
    return FieldNode(path, "object", policy=LISTED, make=lambda: Below(reached=tuple(reached)))


def _list_through_paths(path: SchemaPath, align: Align, reached: Reached, whole: FieldNode | None = None) -> FieldNode:
    """The node of a list whose items are looked through, for what the `reached` paths lead to. `whole` compares its
    value where a side has no list."""
    item = _through_paths((*path, ANY), reached)
    return FieldNode(path, "array", align=align, policy=LISTED, make=lambda: Below(items=item, whole=whole))


class Branch(Struct):
    """One place of the tree while it grows: the line about it, and what is listed below."""

    path: SchemaPath
    line: FieldLine | None = None
    loc: Loc = ()
    number: int = 0
    """The place of the first line about it or what is below among the lines."""
    below: dict[Any, Branch] = {}

    @property
    def text(self) -> str:
        """The path as messages write it, `$` for the whole document."""
        return Path(self.path).canonical or "$"


def read_listed(data: object, context: Mapping[str, Any] | None = None) -> tuple[FieldLine, ...]:
    """The lines of a `fields:` block, known to make a tree. The context is the one of `read_fields`.

    An empty `fallback` is added to a context that has none, so that messages propose to write one. Raises BadSettings with every problem.
    """
    lines = read_fields(data, {"fallback": {}, **(context or {})})
    tree_of_lines(
        lines, (), [(path,) for path in data] if isinstance(data, Mapping) else [(at,) for at in range(len(lines))]
    )
    return lines


def tree_of_lines(
    lines: Sequence[FieldLine], transforms: Sequence[Transform] = (), locs: Sequence[Loc] | None = None
) -> FieldNode:
    """The tree of lines that have been read. `transforms` go before those of every line, and `locs` say where each line stands, for
    messages. A field of confidences that no line lists becomes a skipped place, so that it is no undeclared key. Raises BadSettings with
    all problems of single lines, or, where there are none, of lines that stand below each other."""
    root, details = Branch(()), []
    for number, (line, loc) in enumerate(zip(lines, locs or [()] * len(lines), strict=True)):
        unsuited = _unsuited_details(line, loc)
        details.extend(unsuited)
        if not unsuited:
            details.extend(_add_line(root, line, loc, number))
    for line, loc in zip(lines, locs or [()] * len(lines), strict=True):
        if line.confidence is not None and not _is_listed(root, line.confidence):  # it is no extra key
            details.extend(_add_line(root, FieldLine(line.confidence, None, "skip", skip=True), loc, len(lines)))
    if details:
        raise BadSettings(details)
    _check_lines_below(root, details)
    if details:
        raise BadSettings(details)
    return _node(root, tuple(transforms))


def _is_listed(root: Branch, path: Path) -> bool:
    """Whether some line is about the place at a path, or about a place that it stands in."""
    branch: Branch | None = root
    for step in path.steps:
        branch = branch.below.get(step) if branch is not None else None
        if branch is not None and branch.line is not None:
            return True
    return branch is not None


def _unsuited_details(line: FieldLine, loc: Loc) -> list[Detail]:
    """The errors of a line that cannot stand beside a schema: it is a query, picks a single item of a list, or has a
    condition."""
    details = []
    if line.path.query is not None:
        hint = "use keys, and [*] for every item of a list"
        message = f'"{line.name}" is a query; schema_match takes the places of a schema'
        details.append(Detail(loc, message, hint, key=True))
    elif any(isinstance(step, int) for step in line.path.steps):
        spelled = Path(tuple(ANY if isinstance(step, int) else step for step in line.path.steps)).canonical
        hint = f"write {spelled} for every item; json_multi_field_match takes single items"
        message = f'"{line.name}" picks a single item; schema_match compares all items of a list'
        details.append(Detail(loc, message, hint, key=True))
    if line.when:
        hint = "write when beside the evaluator, or list the field in json_multi_field_match"
        message = f'"{line.name}" cannot have a condition of its own: schema_match compares every field in every row'
        details.append(Detail((*loc, "when"), message, hint, key=True))
    return details


def _add_line(root: Branch, line: FieldLine, loc: Loc, number: int) -> list[Detail]:
    """Puts a line into the growing tree, at its path; `number` is its position among the lines. Returned is an error where a place is a
    list in one line and an object in another."""
    branch = root
    for step in line.path.steps:
        if branch.below and (step is ANY) is not (ANY in branch.below):
            message = f'"{branch.text}" is a list in one line and an object in another'
            return [Detail(loc, message, "write [*] after the name of a list, in every line below it", key=True)]
        branch = branch.below.setdefault(step, Branch((*branch.path, step), number=number))
    branch.line, branch.loc = line, loc
    return []


def _check_lines_below(branch: Branch, details: list[Detail]) -> None:
    """Adds to `details` the errors at a place and below it: lines below one that is skipped or compared as one value, and an alignment or a
    compound of a place that the lines below show to be of another kind."""
    line = branch.line
    if line is not None and branch.below and line.align is not None and ANY not in branch.below:
        message = f'"{branch.text}" is an object, and an alignment pairs the items of a list'
        details.append(Detail(branch.loc, message, "write [*] after the name of a list", key=True))
    elif line is not None and branch.below:
        for inner in _lines_below(branch):
            if line.skip:
                other, hint = f'"{branch.text}", which is skipped', "take one of the two lines away"
            elif line.together is not None and inner.path[len(branch.path)] in line.together.fields:
                other, hint = f'the compound of "{branch.text}", which compares it', "take one of the two away"
            elif line.comparator is not None and line.together is None:
                other, hint = f'"{branch.text}", which is compared as one value', "take one of the two lines away"
            else:
                continue
            details.append(Detail(inner.loc, f'"{inner.text}" is below {other}', hint, key=True))
        if line.together is not None and ANY in branch.below:
            message = f'"{branch.text}" is a list, and compound compares keys of an object'
            details.append(Detail(branch.loc, message, f"write it on {branch.text}[*]", key=True))
    for inner in branch.below.values():
        _check_lines_below(inner, details)


def _lines_below(branch: Branch) -> list[Branch]:
    """All branches below a branch, at any depth, that have a line of their own."""
    lines = []
    for inner in branch.below.values():
        if inner.line is not None:
            lines.append(inner)
        lines += _lines_below(inner)
    return lines


def _node(branch: Branch, common: tuple[Transform, ...]) -> FieldNode:
    """The node of a place and of everything below it; `common` are the transforms of every field.

    By its line it is skipped, a unit of several fields, a list whose items are paired, or a single value. What has fields below it is a
    list where one of them begins with `[*]`, else an object.
    """
    line, path, number = branch.line, branch.path, branch.number
    below = {key: _node(inner, common) for key, inner in branch.below.items()}
    items = below.get(ANY)
    if line is None:
        if items is None:
            return _object(branch, below)
        weight = _weight(branch)
        return FieldNode(path, "array", weight=weight, policy=FIELDS, listed=number, make=lambda: Below(items=items))
    if line.skip:
        return FieldNode(path, weight=line.weight, skip=True, policy=FIELDS)
    transforms = split_at_reshaping(line, common)[1]
    if line.together is not None:
        compound = Compound(line.together.fields, _metric(line, line.fallback_for))
        return _object(branch, below, compound, line.together.transforms(transforms))
    if line.align is not None and not below:  # the items are single values, compared as the line says
        metrics = (_metric(line, None),)
        items = FieldNode((*path, ANY), "leaf", metrics, transforms, weight=line.weight, policy=FIELDS, listed=number)
    if items is not None:
        # where the line itself pairs single values, `[*]` means the items of a list alone, as in a schema
        return FieldNode(
            path, "array", align=line.align or ORDERED, weight=_weight(branch), required=line.required,
            fallback_for=line.fallback_for, policy=FIELDS if below else SCHEMA, listed=number,
            make=lambda: Below(items=items),
        )  # fmt: skip
    if below:
        return _object(branch, below)
    metrics = (_metric(line, line.fallback_for),)
    return FieldNode(
        path, "leaf", metrics, transforms, weight=line.weight, required=line.required, policy=FIELDS, listed=number
    )


def _object(
    branch: Branch,
    keys: dict[Any, FieldNode],
    compound: Compound | None = None,
    transforms: tuple[Transform, ...] = (),
) -> FieldNode:
    """The node of a place that is looked into key by key. `keys` are the nodes below; `compound` are keys compared as one value."""
    required = branch.line is not None and branch.line.required
    return FieldNode(
        branch.path, "object", transforms=transforms, compound=compound, weight=_weight(branch), required=required,
        policy=FIELDS, listed=branch.number, make=lambda: Below(keys),
    )  # fmt: skip


def _weight(branch: Branch) -> Fraction:
    """The weight of a place: that of its line. One without a line, or whose line says how a list is aligned, counts as long as
    something in it does."""
    line = branch.line
    if line is not None and line.comparator is not None:
        return line.weight
    return Fraction(any(inner.line is not None and inner.line.weight for inner in _lines_below(branch)))


def _metric(line: FieldLine, fallback_for: str | None) -> Metric:
    """The metric of a line: its comparator, and the word that `fallback_for` says it stands in for."""
    if line.comparator is None:
        raise TypeError("a line without a comparator is no unit")
    return Metric(line.word, line.comparator, line.rule, fallback_for=fallback_for)
