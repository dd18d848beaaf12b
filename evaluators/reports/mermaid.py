"""A suite as a Mermaid flowchart: columns, evaluators and gates, and what goes from one to the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from evaluators.builtin._evaluator import Part
from evaluators.plan.suite_plan import needed_columns
from evaluators.reports.suite_page import condition_words
from evaluators.run.gates import Gate, metric_words
from evaluators.suite.evaluator_line import EvaluatorLine

_PLAIN: Final = frozenset(" _.,()-")
_LIST_MARK: Final = re.compile(r"\d+\.|-")


def flowchart(lines: Sequence[EvaluatorLine], gates: Sequence[Gate], named: Mapping[str, str]) -> str:
    """The flowchart, ending in a line feed. `named` are the names of columns by role, as far as they are known.

    Labels are escaped: what a suite says cannot change the drawing."""
    evaluators = {line.name: f"e{number}" for number, line in enumerate(lines)}
    columns = {name: f"c{number}" for number, name in enumerate(_columns(lines, named))}
    return (
        "\n".join(
            [
                "flowchart LR",
                *(f'  {node}[("{label(name)}")]' for name, node in columns.items()),
                *(_node(line, evaluators[line.name]) for line in lines),
                *(arrow for line in lines for arrow in _arrows(line, evaluators, columns, named)),
                *(part for number, gate in enumerate(gates) for part in _gate(gate, number, evaluators)),
            ]
        )
        + "\n"
    )


def label(text: str) -> str:
    """A text that Mermaid shows as it stands: everything that could mean something to it becomes its number."""
    mark = _LIST_MARK.match(text)
    last = mark.end() - 1 if mark else -1
    return "".join(
        char if (char.isalnum() or char in _PLAIN) and index != last else _code(char) for index, char in enumerate(text)
    )


def _code(char: str) -> str:
    return f"#{ord(char)};"


def _node(line: EvaluatorLine, node: str) -> str:
    lines = [label(line.name), *([label(line.type)] if line.type != line.name else [])]
    lines += [f"only where {label(condition_words(condition))}" for condition in line.when]
    text = "<br/>".join(lines)
    return f'  {node}{{{{"{text}"}}}}' if _parts(line) else f'  {node}["{text}"]'


def _arrows(
    line: EvaluatorLine, evaluators: Mapping[str, str], columns: Mapping[str, str], named: Mapping[str, str]
) -> Iterable[str]:
    me = evaluators[line.name]
    yield from (f"  {columns[name]} --> {me}" for name in _columns([line], named))
    yield from (f"  {evaluators[name]} -- needed by --> {me}" for name in line.needs)
    yield from (f"  {evaluators[name]} -- part of --> {me}" for name in _parts(line))


def _gate(gate: Gate, number: int, evaluators: Mapping[str, str]) -> Iterable[str]:
    field = f"{label(gate.target.field)}<br/>" if gate.target.field else ""
    yield f'  g{number}(["gate<br/>{field}{label(_limit(gate))}"])'
    if gate.of_measure:
        yield f'  m{number}[("{label(gate.written)}")]'
    yield f"  {f'm{number}' if gate.of_measure else evaluators[gate.target.evaluator]} --> g{number}"


def _limit(gate: Gate) -> str:
    figure = gate.config.figure
    return gate.config.limit if figure is None else f"{gate.config.limit} ({metric_words(figure)})"


def _parts(line: EvaluatorLine) -> tuple[str, ...]:
    return tuple(need.evaluator for need in line.settings.needs() if isinstance(need, Part))


def _columns(lines: Iterable[EvaluatorLine], named: Mapping[str, str]) -> list[str]:
    """The columns that evaluators read, each once."""
    found: dict[str, None] = {}
    for column in needed_columns(list(lines)):
        found[column.name if column.literal else named.get(column.name, column.name)] = None
    return list(found)
