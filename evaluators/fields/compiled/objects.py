"""Objects that are looked into, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.unlike import bare, unlike
from evaluators.fields.compiled.walker import CONTAINERS, Both, Codes, CompiledUnit, DeclaredKeys, Walker
from evaluators.fields.tree import Below, FieldNode
from evaluators.model import MISSING, Status
from evaluators.value_class import NamedTuple

MOST_SHAPES: Final = 200
Build: TypeAlias = Callable[[FieldNode, bool], Walker]


class Parts(NamedTuple):
    """The declared keys of an object."""

    units: dict[str, CompiledUnit]
    inner: dict[str, Walker]
    required: dict[str, int]
    """The code of each required key that neither side has."""


def compile_object(
    coding: Coding,
    node: FieldNode,
    below: Below,
    inside: bool,
    unit: Callable[[FieldNode, bool], CompiledUnit],
    build: Build,
) -> Walker:
    """An object that is compared key by key."""
    code = {status: coding.static(node, status, inside) for status in Status}
    parts = _parts(coding, below, inside, unit, build)
    shape = _shapes(parts)
    keys = _keys(parts, frozenset(below.keys), _rest(coding, node, below, inside, build))
    nothing: dict[str, Any] = {}

    def full(expected: dict[str, Any], output: dict[str, Any], out: Codes) -> None:
        names = tuple(expected)
        known = shape(names) if tuple(output) == names else None
        if known is None:
            keys(expected, output, out)
            return
        plan, _, inner = known
        out += [
            match
            if value == actual and value.__class__ is actual.__class__ and value.__class__ not in CONTAINERS
            else judge(value, actual)
            for (match, judge), value, actual in zip(plan, expected.values(), output.values(), strict=True)
            if match
        ]
        for key, walker in inner:
            value, actual = expected[key], output[key]
            if value is actual:
                walker.equal(value, out)
            elif value.__class__ is actual.__class__ is walker.kind and value and actual:
                walker.full(value, actual, out)  # type: ignore[misc]  # a walker with a kind has it
            else:
                walker.both(value, actual, out)

    def equal(value: Any, out: Codes) -> None:
        if value.__class__ is not dict or not value:
            out.append(code[Status.MATCH])
            return
        known = shape(tuple(value))
        if known is None:
            keys(value, value, out)
            return
        out += known.matches
        for key, walker in known.inner:
            walker.equal(value[key], out)

    def lost(value: Any, out: Codes) -> None:
        if value.__class__ is dict and value:
            keys(value, nothing, out)
        else:
            out.append(code[Status.OMISSION])

    def extra(value: Any, out: Codes) -> None:
        if value.__class__ is dict and value:
            keys(nothing, value, out)
        elif value.__class__ is list and value:
            coding.invented(node.path, value, out)
        else:
            out.append(code[Status.HALLUCINATION])

    def both(expected: Any, output: Any, out: Codes) -> None:
        if expected.__class__ is dict and output.__class__ is dict:
            if expected and output:
                full(expected, output, out)
            elif expected:
                lost(expected, out)
            elif output:
                bare(coding, output, out, code[Status.MATCH], extra)
            else:
                out.append(code[Status.MATCH])
        else:
            unlike(coding, expected, output, out, code, dict, lost, extra)

    return Walker(both, lost, extra, equal, dict, full, shape)


def _parts(
    coding: Coding, below: Below, inside: bool, unit: Callable[[FieldNode, bool], CompiledUnit], build: Build
) -> Parts:
    found = Parts({}, {}, {})
    for key, child in below.keys.items():
        if child.unit and not child.skip:
            made = unit(child, inside)
            if not made.always:
                found.units[key] = made
        if key not in found.units:
            found.inner[key] = build(child, inside)
        if child.required and not child.skip:
            found.required[key] = coding.static(child, Status.OMISSION, inside)
    return found


def _shapes(parts: Parts) -> Callable[[tuple[str, ...]], DeclaredKeys | None]:
    """The shape of objects with these keys; None where a key is not declared, or a required one is not there."""
    known: dict[tuple[str, ...], DeclaredKeys | None] = {}

    def make(names: tuple[str, ...]) -> DeclaredKeys | None:
        if not all(name in parts.units or name in parts.inner for name in names):
            return None
        if not parts.required.keys() <= set(names):
            return None
        units = [parts.units.get(name) for name in names]
        return DeclaredKeys(
            tuple((made.match, made.judge) if made is not None else (0, None) for made in units),
            tuple(made.match for made in units if made is not None),
            tuple((name, parts.inner[name]) for name in names if name in parts.inner),
        )

    def shape(names: tuple[str, ...]) -> DeclaredKeys | None:
        try:
            return known[names]
        except KeyError:
            made = make(names)
            if len(known) < MOST_SHAPES:
                known[names] = made
            return made

    return shape


def _keys(parts: Parts, declared: frozenset[str], rest: Both) -> Both:
    """Objects of any keys, key by key."""
    units: Sequence[tuple[str, CompiledUnit]] = tuple(parts.units.items())
    inner, required = tuple(parts.inner.items()), tuple(parts.required.items())

    def keys(expected: dict[str, Any], output: dict[str, Any], out: Codes) -> None:
        for key, (match, omission, hallucination, judge, *_) in units:
            if key in expected:
                if key in output:
                    value, actual = expected[key], output[key]
                    kind = value.__class__
                    equal = value == actual and kind is actual.__class__ and kind not in CONTAINERS
                    out.append(match if equal else judge(value, actual))
                else:
                    out.append(omission)
            elif key in output:
                out.append(hallucination)
        for key, walker in inner:
            if key in expected:
                if key not in output:
                    walker.lost(expected[key], out)
                elif expected[key] is output[key]:
                    walker.equal(expected[key], out)
                else:
                    walker.both(expected[key], output[key], out)
            elif key in output:
                walker.extra(output[key], out)
        for key, missing in required:
            if key not in expected and key not in output:
                out.append(missing)
        if not (expected.keys() <= declared and output.keys() <= declared):
            rest(expected, output, out)

    return keys


def _rest(coding: Coding, node: FieldNode, below: Below, inside: bool, build: Build) -> Both:
    """What becomes of keys that are not declared."""
    declared = frozenset(below.keys)
    if below.others is not None:
        walker = build(below.others, inside)

        def others(expected: dict[str, Any], output: dict[str, Any], out: Codes) -> None:
            for key in sorted({*expected, *output} - declared):
                walker.both(expected.get(key, MISSING), output.get(key, MISSING), out)

        return others

    def outside(expected: dict[str, Any], output: dict[str, Any], out: Codes) -> None:
        for key in expected:
            if key not in declared:
                out.append(coding.outside((*node.path, key), Status.NOT_MEASURED))
        for key in sorted(output.keys() - declared):
            if key not in expected:
                coding.invented((*node.path, key), output[key], out)

    return outside
