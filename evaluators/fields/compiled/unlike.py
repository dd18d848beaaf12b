"""Two sides of a container that are not both of the declared kind: the rare rows of the table in `score`."""

from __future__ import annotations

from typing import Any

from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.walker import Codes, NotCompiled, One
from evaluators.model import MISSING, Status
from evaluators.values.equality import same


def unlike(
    coding: Coding, expected: Any, output: Any, out: Codes, code: dict[Status, int], kind: type, lost: One, extra: One
) -> int:
    """Appends what becomes of the two sides.

    Returns the code of the container itself; 0 where its leaves have codes instead.
    """
    if output is MISSING:
        if expected is not MISSING:
            lost(expected, out)
        return 0
    if expected is MISSING:
        extra(output, out)
        return 0
    if expected is None and output is not None:
        return bare(coding, output, out, code[Status.HALLUCINATION] if kind is dict else None, extra)
    if expected.__class__ is kind and expected:
        lost(expected, out)
        if output is not None:
            out.append(code[Status.HALLUCINATION])
        return 0
    if output is None and expected is not None:
        found = code[Status.OMISSION]
    else:
        found = code[Status.MATCH if same(expected, output) else Status.MISMATCH]
    out.append(found)
    return found


def bare(coding: Coding, output: Any, out: Codes, otherwise: int | None, extra: One) -> int:
    """Appends what the output has where the expected side has nothing in it. Where none of that counts, the place has a code.

    Returns the code of the container itself; 0 where its leaves have codes instead. Raises Rare where there is no `otherwise`.
    """
    begin = len(out)
    extra(output, out)
    if coding.measured(out, begin):
        return 0
    if otherwise is None:
        raise NotCompiled
    out.append(otherwise)
    return otherwise
