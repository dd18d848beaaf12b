"""What a Python file says in so many words: calls and their literal values, read as a syntax tree and never run.

A name stands for the literal that was last assigned to it above its use. Whatever a program would have to work out is not
literal, and is said with its place.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.converting.converter import ForeignValue
from evaluators.guide.converting.sources import text_of
from evaluators.model.issues import problem

_DEEPEST: Final = 20
"""How many names may stand for each other in a row."""


class NotLiteral(Exception):
    """A value that only running the program would tell; `place` and `source` say where and what it is."""

    def __init__(self, place: str, source: str) -> None:
        super().__init__(place, source)
        self.place = place
        self.source = source

    @property
    def note(self) -> str:
        """The sentence that says why the value is not taken over."""
        return f"`{self.source}` is no literal, and the program is not run to work it out"


class PythonCall(Struct, frozen=True):
    """A call in the file: its name (the last part of a dotted one), where it stands, and its node."""

    name: str
    place: str
    node: ast.Call


class PythonFile:
    """A Python file as a syntax tree. Raises Problems (config) for one that is not Python."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = text_of(path)
        try:
            self.tree = ast.parse(text, filename=str(path))
        except (SyntaxError, ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            where = f"{path}:{line}:{getattr(error, 'offset', None) or 1}" if line else str(path)
            raise problem("not-python", f"the file is not Python: {getattr(error, 'msg', error)}", where=where) from None
        self.text = text
        self._assigned = _assignments(self.tree)

    def place(self, node: ast.expr | ast.stmt) -> str:
        """The file, line and column of a node, as in `evals.py:7:5`."""
        return f"{self.path}:{node.lineno}:{node.col_offset + 1}"

    def calls(self) -> Iterator[PythonCall]:
        """Every call, in the order of the file."""
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            name = last_name(node.func)
            if name is not None:
                yield PythonCall(name, self.place(node), node)

    def last_assignment(self, name: str, above: int) -> ast.expr | None:
        """The value last assigned to a name above a line; None when there is none, or when a loop or the like set it."""
        values = [value for line, value in self._assigned.get(name, []) if line <= above]
        return values[-1] if values else None

    def value(self, node: ast.expr) -> Any:
        """The value of an expression that is a literal, or a name for one. Raises NotLiteral for anything else."""
        try:
            return self._value(node, 0)
        except RecursionError:
            raise NotLiteral(self.place(node), "an expression of very many parts") from None

    def _value(self, node: ast.expr, depth: int) -> Any:
        """The value of a literal expression, with names replaced by what was assigned to them, joined texts, and the JSON of `dumps`.
        Raises NotLiteral for anything else; `depth` counts the names that were followed."""
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str()):
                return node.value
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._value(element, depth) for element in elements]
            case ast.Dict(keys=keys, values=values) if all(key is not None for key in keys):
                return {
                    str(self._value(key, depth)): self._value(element, depth)
                    for key, element in zip(keys, values, strict=True)
                    if key is not None
                }
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                parts = self._value(left, depth), self._value(right, depth)
                if all(isinstance(part, str) for part in parts):
                    return parts[0] + parts[1]
            case ast.JoinedStr(values=values) if all(isinstance(element, ast.Constant) for element in values):
                return "".join(str(element.value) for element in values if isinstance(element, ast.Constant))
            case ast.Name(id=name) if depth < _DEEPEST:
                assigned = self.last_assignment(name, node.lineno)
                if assigned is not None and assigned is not node:
                    return self._value(assigned, depth + 1)
            case ast.Call(func=function, args=[argument], keywords=[]) if last_name(function) == "dumps":
                return json.dumps(self._value(argument, depth), ensure_ascii=False)
        raise NotLiteral(self.place(node), " ".join((ast.get_source_segment(self.text, node) or "…").split())[:80])

    def arguments(self, call: PythonCall, positional: tuple[str, ...]) -> dict[str, ast.expr]:
        """The expressions that a call is given, by name; `positional` names those without a keyword. Raises NotLiteral for `*` and `**`,
        and for more arguments than names."""
        arguments: dict[str, ast.expr] = {}
        for index, argument in enumerate(call.node.args):
            if isinstance(argument, ast.Starred) or index >= len(positional):
                raise NotLiteral(self.place(argument), ast.get_source_segment(self.text, argument) or "*")
            arguments[positional[index]] = argument
        for keyword in call.node.keywords:
            if keyword.arg is None:
                raise NotLiteral(self.place(keyword.value), f"**{ast.get_source_segment(self.text, keyword.value)}")
            arguments[keyword.arg] = keyword.value
        return arguments

    def literal_arguments(self, call: PythonCall, positional: tuple[str, ...] = ()) -> dict[str, ForeignValue]:
        """The values that a call is given, by name, each with its place; `positional` names those without a keyword. Raises NotLiteral."""
        arguments = self.arguments(call, positional)
        return {name: ForeignValue(self.value(node), self.place(node)) for name, node in arguments.items()}


def last_name(node: ast.expr) -> str | None:
    """The last part of a dotted name, `score` of `module.scorer.score`; None for an expression that is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _assignments(tree: ast.Module) -> dict[str, list[tuple[int, ast.expr | None]]]:
    """The assignments to each name, ordered by line: the line where one ends and the value. The value is None where a loop, an argument or
    the like sets it."""
    assignments: dict[str, list[tuple[int, ast.expr | None]]] = {}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        match node:
            case ast.Assign():
                targets, value = node.targets, node.value
            case ast.AnnAssign() | ast.NamedExpr():
                targets, value = [node.target], node.value
            case ast.AugAssign() | ast.For() | ast.AsyncFor():
                targets = [node.target]
            case ast.withitem(optional_vars=ast.expr() as target):
                targets = [target]
        for target in targets:
            single = isinstance(target, ast.Name)
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    line = (node.end_lineno if isinstance(node, ast.Assign | ast.AnnAssign) else None) or name.lineno
                    assignments.setdefault(name.id, []).append((line, value if single else None))
    for inner in ast.walk(tree):
        if isinstance(inner, ast.arg):
            assignments.setdefault(inner.arg, []).append((inner.lineno, None))
    return {name: sorted(values, key=lambda pair: pair[0]) for name, values in assignments.items()}
