"""Names that OpenTelemetry's conventions for generative AI give to evaluations, and those that readers of spans know beside them.

The conventions are still in development. What changes there changes here.
"""

from __future__ import annotations

from typing import Final

RESULT: Final = "gen_ai.evaluation.result"
"""The event that says what one evaluation found."""
NAME: Final = "gen_ai.evaluation.name"
SCORE: Final = "gen_ai.evaluation.score.value"
LABEL: Final = "gen_ai.evaluation.score.label"
EXPLANATION: Final = "gen_ai.evaluation.explanation"
ERROR_TYPE: Final = "error.type"

SPAN_KIND: Final = "openinference.span.kind"
"""Read by Phoenix and MLflow, as are the two below."""
INPUT: Final = "input.value"
OUTPUT: Final = "output.value"

OURS: Final = "evaluators"
"""What attributes of our own begin with."""
