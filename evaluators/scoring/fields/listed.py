"""The tree of a list of fields: `fields:` in place of a schema, for people who write no JSON Schema.

The paths become a tree: a key in a path makes an object, `[*]` makes an array, and the end of a path is compared with the
line's comparator. A line about an array says how its items are paired; a line with `compound` compares keys of an object
as one value. What is listed is the whole schema: a key that only the output has counts as an extra one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec import Struct

from evaluators.model.settings import BadSettings, Detail, Loc
from evaluators.scoring.fields.lines import FieldLine, read_fields
from evaluators.scoring.fields.reshaping import of_whole
from evaluators.scoring.fields.tree import FIELDS, ORDERED, SCHEMA, Below, Compound, FieldNode, Metric, SchemaPath
from evaluators.scoring.values.paths import ANY, Path
from evaluators.scoring.values.transforms import Transform


class Branch(Struct):
    """One place of the tree while it grows: the line about it, and what is listed below."""

    path: SchemaPath
    line: FieldLine | None = None
    loc: Loc = ()
    number: int = 0
    """The place of the first line about it or what is below among the lines."""
    below: dict[Any, Branch] = {}

    @property
    def shown(self) -> str:
        """The place as messages name it."""
        return Path(self.path).canonical or "$"


def read_listed(data: object, context: Mapping[str, Any] | None = None) -> tuple[FieldLine, ...]:
    """The lines of a `fields:` block, known to make a tree. The context is the one of `read_fields`.

    Raises BadSettings with every problem.
    """
    lines = read_fields(data, {"fallback": {}, **(context or {})})
    tree_of_lines(
        lines, (), [(path,) for path in data] if isinstance(data, Mapping) else [(at,) for at in range(len(lines))]
    )
    return lines


def tree_of_lines(
    lines: Sequence[FieldLine], transforms: Sequence[Transform] = (), locs: Sequence[Loc] | None = None
) -> FieldNode:
    """The tree of lines that have been read. `locs` say where each stands, for messages. Raises BadSettings."""
    root, details = Branch(()), []
    for number, (line, loc) in enumerate(zip(lines, locs or [()] * len(lines), strict=True)):
        found = _unsuited(line, loc)
        details.extend(found)
        if not found:
            details.extend(_planted(root, line, loc, number))
    for line, loc in zip(lines, locs or [()] * len(lines), strict=True):
        if line.confidence is not None and not _listed_at(root, line.confidence):  # it is no extra key
            details.extend(_planted(root, FieldLine(line.confidence, None, "skip", skip=True), loc, len(lines)))
    if details:
        raise BadSettings(details)
    _check(root, details)
    if details:
        raise BadSettings(details)
    return _node(root, tuple(transforms))


def _listed_at(root: Branch, path: Path) -> bool:
    """Whether some line is about the place, or about one that it stands in."""
    branch: Branch | None = root
    for step in path.steps:
        branch = branch.below.get(step) if branch is not None else None
        if branch is not None and branch.line is not None:
            return True
    return branch is not None


def _unsuited(line: FieldLine, loc: Loc) -> list[Detail]:
    """Errors for what a field line may not have beside a schema: a query, a single item of a list, a condition."""
    found = []
    if line.path.query is not None:
        hint = "use keys, and [*] for every item of a list"
        message = f'"{line.name}" is a query; schema_match takes the places of a schema'
        found.append(Detail(loc, message, hint, key=True))
    elif any(isinstance(step, int) for step in line.path.steps):
        spelled = Path(tuple(ANY if isinstance(step, int) else step for step in line.path.steps)).canonical
        hint = f"write {spelled} for every item; json_multi_field_match takes single items"
        message = f'"{line.name}" picks a single item; schema_match compares all items of a list'
        found.append(Detail(loc, message, hint, key=True))
    if line.when:
        hint = "write when beside the evaluator, or list the field in json_multi_field_match"
        message = f'"{line.name}" cannot have a condition of its own: schema_match compares every field in every row'
        found.append(Detail((*loc, "when"), message, hint, key=True))
    return found


def _planted(root: Branch, line: FieldLine, loc: Loc, number: int) -> list[Detail]:
    """Puts a line in its place. A place that is a list in one line and an object in another is a detail."""
    branch = root
    for step in line.path.steps:
        if branch.below and (step is ANY) is not (ANY in branch.below):
            message = f'"{branch.shown}" is a list in one line and an object in another'
            return [Detail(loc, message, "write [*] after the name of a list, in every line below it", key=True)]
        branch = branch.below.setdefault(step, Branch((*branch.path, step), number=number))
    branch.line, branch.loc = line, loc
    return []


def _check(branch: Branch, details: list[Detail]) -> None:
    """Finds lines below a place that is compared as one value, skipped, or of another kind."""
    line = branch.line
    if line is not None and branch.below and line.align is not None and ANY not in branch.below:
        message = f'"{branch.shown}" is an object, and an alignment pairs the items of a list'
        details.append(Detail(branch.loc, message, "write [*] after the name of a list", key=True))
    elif line is not None and branch.below:
        for inner in _lines_below(branch):
            if line.skip:
                found, hint = f'"{branch.shown}", which is skipped', "take one of the two lines away"
            elif line.together is not None and inner.path[len(branch.path)] in line.together.fields:
                found, hint = f'the compound of "{branch.shown}", which compares it', "take one of the two away"
            elif line.comparator is not None and line.together is None:
                found, hint = f'"{branch.shown}", which is compared as one value', "take one of the two lines away"
            else:
                continue
            details.append(Detail(inner.loc, f'"{inner.shown}" is below {found}', hint, key=True))
        if line.together is not None and ANY in branch.below:
            message = f'"{branch.shown}" is a list, and compound compares keys of an object'
            details.append(Detail(branch.loc, message, f"write it on {branch.shown}[*]", key=True))
    for inner in branch.below.values():
        _check(inner, details)


def _lines_below(branch: Branch) -> list[Branch]:
    found = []
    for inner in branch.below.values():
        if inner.line is not None:
            found.append(inner)
        found += _lines_below(inner)
    return found


def _node(branch: Branch, common: tuple[Transform, ...]) -> FieldNode:
    """The finished node of a place and everything below it."""
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
    transforms = of_whole(line, common)[1]
    if line.together is not None:
        compound = Compound(line.together.fields, _metric(line, line.fallback_for))
        return _object(branch, below, compound, line.together.transforms(transforms))
    if line.align is not None and not below:
        metrics = (_metric(line, None),)
        items = FieldNode((*path, ANY), "leaf", metrics, transforms, weight=line.weight, policy=FIELDS, listed=number)
    if items is not None:
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
    """A place that is looked into key by key."""
    required = branch.line is not None and branch.line.required
    return FieldNode(
        branch.path, "object", transforms=transforms, compound=compound, weight=_weight(branch), required=required,
        policy=FIELDS, listed=branch.number, make=lambda: Below(keys),
    )  # fmt: skip


def _weight(branch: Branch) -> Fraction:
    """What a place counts: the weight of its line. One without a line, or whose line says how a list is aligned, counts as long as
    something in it does."""
    line = branch.line
    if line is not None and line.comparator is not None:
        return line.weight
    return Fraction(any(inner.line is not None and inner.line.weight for inner in _lines_below(branch)))


def _metric(line: FieldLine, fallback_for: str | None) -> Metric:
    if line.comparator is None:
        raise TypeError("a line without a comparator is no unit")
    return Metric(line.word, line.comparator, line.rule, fallback_for=fallback_for)
