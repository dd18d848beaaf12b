"""A JSON Schema from the fields of a pydantic class, read as a syntax tree."""

from __future__ import annotations

import ast
from typing import Any, Final

from evaluators.converting.python_calls import NotLiteral, PythonFile, last_name

_PLAIN: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_LISTS: Final = ("list", "List", "Sequence", "set", "Set")
_MAPS: Final = ("dict", "Dict", "Mapping")
_DEEPEST: Final = 20


def schema_of_class(python: PythonFile, node: ast.expr, depth: int = 0) -> dict[str, Any]:
    """The schema of the class that an expression names. Raises NotLiteral for what cannot be told without running the file."""
    name = last_name(node)
    found = python.classes().get(name or "")
    if found is None or depth > _DEEPEST:
        raise NotLiteral(python.place(node), f"{name or 'the class'}, which is not in this file")
    for base in found.bases:
        if isinstance(base, ast.Subscript) and last_name(base.value) == "RootModel":
            return _of(python, base.slice, depth + 1)
        if last_name(base) != "BaseModel":
            return _fields(python, found, depth, schema_of_class(python, base, depth + 1))
    return _fields(python, found, depth, {"type": "object", "required": [], "properties": {}})


def _fields(python: PythonFile, found: ast.ClassDef, depth: int, start: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = dict(start.get("properties", {}))
    required: list[str] = list(start.get("required", []))
    for field in found.body:
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            properties[field.target.id] = _of(python, field.annotation, depth + 1)
            if field.value is None and field.target.id not in required:
                required.append(field.target.id)
            elif field.value is not None and isinstance(field.value, ast.Call):
                raise NotLiteral(python.place(field.value), ast.unparse(field.value))
    whole: dict[str, Any] = {"type": "object", "properties": properties}
    return {**whole, "required": required} if required else whole


def _of(python: PythonFile, node: ast.expr, depth: int) -> dict[str, Any]:
    """The schema of an annotation."""
    match node:
        case ast.Name(id=name) if name in _PLAIN:
            return {"type": _PLAIN[name]}
        case ast.Name(id="Any") | ast.Attribute(attr="Any"):
            return {}
        case ast.Name(id=name) if name in _LISTS:
            return {"type": "array"}
        case ast.Name(id=name) if name in _MAPS:
            return {"type": "object"}
        case ast.Constant(value=None):
            return {"type": "null"}
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return {"anyOf": [_of(python, left, depth), _of(python, right, depth)]}
        case ast.Subscript(value=outer, slice=inner):
            return _subscripted(python, node, last_name(outer) or "", inner, depth)
        case ast.Name():
            return schema_of_class(python, node, depth + 1)
    raise NotLiteral(python.place(node), ast.unparse(node)[:80])


def _subscripted(python: PythonFile, node: ast.expr, outer: str, inner: ast.expr, depth: int) -> dict[str, Any]:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if outer in _LISTS:
        return {"type": "array", "items": _of(python, inner, depth)}
    if outer in _MAPS:
        return {"type": "object", "additionalProperties": _of(python, parts[-1], depth)}
    if outer == "Optional":
        return {"anyOf": [_of(python, inner, depth), {"type": "null"}]}
    if outer == "Union":
        return {"anyOf": [_of(python, one, depth) for one in parts]}
    if outer == "Literal":
        return {"enum": [python.value(one) for one in parts]}
    raise NotLiteral(python.place(node), ast.unparse(node)[:80])
