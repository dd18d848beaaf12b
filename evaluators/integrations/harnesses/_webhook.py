"""What a request of a webhook asks, and what it is answered: see `evaluators.integrations.harnesses.serve`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, TypeGuard

from evaluators.integrations.harnesses._host_rows import HostRow
from evaluators.integrations.harnesses._row_scores import RowScores, promptfoo_result
from evaluators.integrations.harnesses._scorer import SuiteScorer
from evaluators.model.rows import MISSING
from evaluators.scoring.values.json_text import NotJSON, parse

Answer: TypeAlias = tuple[int, Mapping[str, Any]]
"""A status of HTTP and the body, which is JSON."""

MAX_ROWS: Final = 1_000
"""Rows of one request."""
_KEYS: Final = frozenset(("score", "success", "pass", "status", "reason", "errors"))


def refusal(status: int, message: str) -> Answer:
    """The answer, with that status of HTTP, to a request that is not scored."""
    return status, {"error": message}


def score_answer(scores: RowScores) -> dict[str, Any]:
    """The scores of a row as a webhook gives them.

    `score` and `success` are the overall score and whether it passed. Each evaluator and each field has its score under its name, as
    results spell it; an evaluator that is called like one of the other keys has a star behind it. What has none is null, with the
    reason under `errors` where something other than the output is to blame.
    """
    overall = scores.overall
    whole: dict[str, Any] = {
        "score": overall.score, "success": overall.passed, "status": overall.label,
        "reason": overall.error or overall.reason, "errors": {},
    }  # fmt: skip
    for score in scores.evaluators:
        name = str(score.evaluator) if score.path is None else f"{score.evaluator}.{score.path}"
        name = f"{name}*" if name in _KEYS else name
        whole[name] = score.score
        if score.error is not None:
            whole["errors"][name] = score.error
    return whole


def answer_to(scorer: SuiteScorer, raw: bytes) -> Answer:
    """(status, body): the reply to a request with this body, which is a row, or has several under `rows`. Nothing that is in the body makes
    it raise. One row that could not be measured is answered 422; several, and a row of promptfoo, are answered 200 all the same."""
    try:
        body = parse(raw)
    except NotJSON as error:
        return refusal(400, f"the request is not JSON that is read: {error}")
    rows = body.get("rows") if isinstance(body, dict) and "output" not in body and "inputs" not in body else None
    if isinstance(rows, list):
        if len(rows) > MAX_ROWS:
            return refusal(413, f"a request may have {MAX_ROWS:,} rows; found {len(rows):,}")
        maps = [row for row in rows if _is_row(row)]
        if len(maps) < len(rows):
            wrong = next(number for number, row in enumerate(rows, start=1) if not _is_row(row))
            return refusal(400, f"row {wrong} of the request {_ROW_SHAPE}")
        return 200, {"rows": [score_answer(scorer.score(row_of_webhook(row))) for row in maps]}
    if not _is_row(body):
        return refusal(400, f"the request {_ROW_SHAPE}")
    # promptfoo sends the columns of a row as `context.vars`, and wants its own words in the answer
    if (
        "inputs" not in body
        and isinstance(context := body.get("context"), dict)
        and isinstance(context.get("vars"), dict)
    ):
        scores = scorer.score(row_of_webhook({**body, "inputs": context["vars"]}))
        return 200, {**score_answer(scores), **promptfoo_result(scores.overall)}
    scores = scorer.score(row_of_webhook(body))
    return 200 if scores.overall.error is None else 422, score_answer(scores)


_ROW_SHAPE: Final = 'must be an object: {"inputs": {…}, "output": …}'


def _is_row(body: object) -> TypeGuard[dict[str, Any]]:
    """Whether a body has the shape of a row: an object whose `inputs`, if it has any, are an object."""
    return isinstance(body, dict) and isinstance(body.get("inputs", {}), dict)


def row_of_webhook(body: Mapping[str, Any]) -> HostRow:
    """The row in a webhook's body: its inputs are columns, the expected answer among them."""
    inputs = body.get("inputs") or {}
    return HostRow({**body, "inputs": inputs}, body.get("output", body.get("outputs", MISSING)), more=[inputs])
