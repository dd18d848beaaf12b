"""The lines of fields, as outputs show what expected answers do not: lists of which any item is right, records, ids of their own."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from evaluators.guide.proposal_counts import place_at
from evaluators.guide.wrapped_outputs import written
from evaluators.scoring.fields.inference.suggested_lines import SeenPlace, SuggestedLine
from evaluators.scoring.values.path_text import ANY, Step


def lines_beside(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[SuggestedLine]:
    """The lines that fit both the expected documents and the outputs; `root` and `outputs` are what was seen in them."""
    return _of_records(root) or _without_own_ids(_lists_of_answers(lines, root, outputs), root, outputs)


def _lists_of_answers(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[SuggestedLine]:
    """The lines, where a list of single values is expected and outputs have one value in its place, with the comparator that takes any of
    them. An empty text among them says that the value may be left out."""
    made: list[SuggestedLine] = []
    taken: set[tuple[Step, ...]] = set()
    for line in lines:
        steps = line.steps[:-1] if line.steps[-1:] == (ANY,) else line.steps
        node, given = place_at(root, steps), place_at(outputs, steps)
        single = node.kinds == ("lists",) and node.items is not None and node.items.kinds == ("single values",)
        optional = single and node.items is not None and "" in node.items.scalars
        if single and steps and (given.kinds == ("single values",) or (optional and not given.kinds)):
            compare = {"one_of": {"answers": "expected", **({"absent": ""} if optional else {})}}
            line = SuggestedLine(steps, compare, "a list of right answers, where outputs have one value")
        if line.steps not in taken and steps not in taken:
            made.append(line)
        taken |= {steps} if line.steps == steps and "one_of" in line.compare else set()
    return made


def _of_records(root: SeenPlace) -> list[SuggestedLine]:
    """The lines for a list of lists with numbers and texts, `[[0, 3, "PER"], …]`, in any order; none for other documents."""
    inner = (
        root.items.items
        if root.kinds == ("lists",) and root.items is not None and root.items.kinds == ("lists",)
        else None
    )
    if inner is None or inner.kinds != ("single values",) or {str, int} - {*map(type, inner.scalars)}:
        return []
    why = "a list of lists with numbers and texts, whose order does not count"
    return [SuggestedLine((), {"align": "any_order"}, why), SuggestedLine((ANY,), "exact", "each as a whole")]


def _without_own_ids(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[SuggestedLine]:
    """The lines, where the `id` that pairs the items of a list has no value in common with the outputs, which then make ids of their own,
    paired by what else the items hold, and without the id."""
    made = {line.steps: line for line in lines}
    for line in lines:
        align = line.compare.get("align") if isinstance(line.compare, dict) else None
        place = (*line.steps, ANY, "id")
        wanted, given = ({*map(str, place_at(side, place).scalars)} for side in (root, outputs))
        if align == {"key_field": {"key": "id"}} and min(len(wanted), len(given)) > 1 and not wanted & given:
            made[line.steps] = replace(line, compare={"align": "hungarian"}, why="a list; outputs have ids of their own")
            made[place] = SuggestedLine(
                place, "skip", f"{len(wanted):,} ids, none of which is in the outputs: each side makes its own"
            )
    return [*made.values()]


def other_kinds(lines: Sequence[SuggestedLine], root: SeenPlace, outputs: SeenPlace) -> list[str]:
    """What is said of the first place at which the expected answers and the outputs have values of other kinds, which are never equal."""
    for line in lines:
        if "one_of" in line.compare:
            continue
        for count in range(1, len(line.steps) + 1):
            steps = line.steps[:count]
            wanted, given = place_at(root, steps).kinds, place_at(outputs, steps).kinds
            if wanted and given and not {*wanted} & {*given}:
                message = (
                    f'at "{written(steps)}" the expected answers have {" and ".join(wanted)}, and the outputs {" and ".join(given)}: '
                    "no such value can be right"
                )
                return [message]
    return []
