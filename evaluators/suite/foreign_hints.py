"""What to write in place of another system's evaluator that is none here: a line of a suite, or where else it is done.

A name that is read as it is stands in `foreign_words`. These cannot be read, because what they say has to be written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

_JUDGE: Final = "and judge: of the suite says who is asked"
_RUBRIC: Final = f'write - llm_judge: {{rubric: "what the output must be like"}}; {_JUDGE}'
_OWN: Final = "write it in Python (evaluators new evaluator NAME), as an evaluator of your own"
_NOT_HERE: Final = "there is no counterpart: it does not look at an output and an expected answer"

HINTS: Final[Mapping[str, str]] = {
    "auto_ai_critique": _RUBRIC,
    "auto_semantic_similarity": (
        "a model of sentences is a function of yours, registered as semantic: "
        'write - json_multi_field_match: {fields: {answer: semantic}}, and in Python evaluators.register("semantic", f, batch=True)'
    ),
    "match": (
        "a pattern is looked for by regex_match; for Agenta's matchers write one evaluator each, and put them together: "
        "- weighted_mean: {name: overall, of: {answer: 3, polite: 1}, pass_at: 0.75}"
    ),
    "auto_custom_code_run": _OWN,
    "code": _OWN,
    "auto_webhook_test": _OWN,
    "hook": _OWN,
    "feedback": "what people said is a column: write - exact_match: {output: COLUMN, expected: COLUMN}",
    "Text Similarity": "write - levenshtein: {pass_at: 0.5}",
    "Text Match": "write - levenshtein: {pass_at: 0.85}",
    "Tool Correctness": _NOT_HERE,
    "URL Validation": "write - regex_match: {pattern: 'https://'}; whether a page is there is not looked at",
    "LLMAsJudgeScorer": _RUBRIC,
    "ReasoningValidityScorer": _RUBRIC,
    "AnswerAccuracyLLMScorer": f'write - llm_judge: {{rubric: "Is the answer right?", columns: [input, expected]}}; {_JUDGE}',
    "OutputQualityScorer": (
        'write - llm_judge: {criteria: {correctness: {rubric: "Is it right?", weight: 4}, clarity: "Is it clear?"}}, '
        f"with a criterion for each quality; {_JUDGE}"
    ),
    "LogicConsistencyScorer": (
        'write - llm_judge: {criteria: {contradiction: {rubric: "Is it free of contradictions?", weight: 5}, '
        f'causal: {{rubric: "Do its causes hold?", weight: 3}}, data: {{rubric: "Do its numbers agree?", weight: 2}}}}}}; {_JUDGE}'
    ),
    "ConstraintSatisfactionScorer": f"write - llm_judge: {{criteria: …}}, with a criterion for each constraint; {_JUDGE}",
    "TimeCostScorer": "a measure gives figures of a column: write measures: {time: row.COLUMN}",
    "LabelDistributionScorer": "exact_match counts labels: write - exact_match: {labels: [one, another]}",
    "TrajectoryValidator": _NOT_HERE,
}
"""By name; Agenta's by the slug of its address."""


_OF_PROMPTFOO: Final = ("prompts", "providers", "targets", "tests", "defaultTest", "scenarios", "assertionTemplates")

TABLE_OF_PROMPTFOO: Final = r"""\A[^\n]*(?<![^,;\t"\ufeff])__expected\d*(?![^,;\t"\r\n])"""
"""How a table begins in which a column holds assertions of promptfoo."""


def foreign_system(keys: Iterable[str]) -> str | None:
    """The system whose configuration has these keys at its top, and `evaluators` nowhere; None for a suite, or a file of nobody's."""
    known = set(keys)
    if "evaluators" in known:
        return None
    if "testing_criteria" in known:
        return "openai"
    return "promptfoo" if len(known.intersection(_OF_PROMPTFOO)) > 1 else None


def hint_for(name: str) -> str | None:
    """What to write in place of another system's evaluator; None for a name that is not known here."""
    slug = name.split(":")[2] if name.startswith("agenta:") and name.count(":") >= 2 else name
    return HINTS.get(slug)
