"""Predicates on the recorded cases of struct-extract-eval, for `divergences.yaml`.

Most of them speak of the schema. Those of an evaluation are the *partings* that the second calculation met on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.conformance import x_eval_schemas
from tests.conformance.cases import Case
from tests.conformance.x_eval_computed import partings
from tests.conformance.x_eval_refused import refused

PREDICATES: Final[Mapping[str, Callable[[Case], bool]]] = {**x_eval_schemas.PREDICATES, "refused": refused}
ASKING: Final[Mapping[str, Callable[[Case, Any], bool]]] = {
    **x_eval_schemas.ASKING,
    "parting": lambda case, asked: asked in partings(case),
}
