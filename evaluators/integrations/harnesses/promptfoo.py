"""promptfoo: a suite as a Python assertion.

A file of two lines beside the configuration of promptfoo,

    # suite_assert.py
    from evaluators.integrations.harnesses.promptfoo import get_assert

and the assertion:

    assert:
      - type: python
        value: file://suite_assert.py
        config: {suite: suite.yaml}

The variables of a test are the columns, the expected answer among them; `config` may also have `columns` and `overall`. promptfoo starts
a Python for each assertion, so a suite is read for each row: with many rows ask the web service (`evaluators serve`) in place of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow
from evaluators.integrations.harnesses._row_scores import promptfoo_result
from evaluators.integrations.harnesses._scorer import SuiteScorer
from evaluators.model.issues import problem


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """The result of one test, in promptfoo's words: every score by name, and a result for each evaluator.

    It passes when the overall score does. What could not be measured does not pass, and its reason begins with `error:`. Raises Problems
    with all that is wrong with the suite.
    """
    config = context.get("config") or {}
    if "suite" not in config:
        raise problem("no-suite", "the assertion names no suite", hint="config: {suite: suite.yaml}")
    variables = context.get("vars") or {}
    scorer = _scorer_of_suite(
        str(config["suite"]), tuple(sorted((config.get("columns") or {}).items())), config.get("overall")
    )
    scores = scorer.score(HostRow({"vars": variables, "output": output, **context}, output, more=[variables]))
    return {
        **promptfoo_result(scores.overall),
        "namedScores": {score.name: score.score for score in scores.every_score if score.score is not None},
        "componentResults": [promptfoo_result(score) for score in scores.evaluators if score.path is None],
    }


@lru_cache(maxsize=8)
def _scorer_of_suite(suite: str, columns: tuple[tuple[str, str], ...], overall: str | None) -> SuiteScorer:
    """The scorer of a suite, which is kept for further calls. `columns` are pairs of names and places, as a key of the cache
    has to be hashable."""
    return SuiteScorer(suite, columns=dict(columns), overall=overall, keep=False)
