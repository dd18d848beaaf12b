"""Judges that are no more are refused with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

import evaluators
from evaluators import Problems


@pytest.mark.parametrize("judge", ["embedding", {"embedding": {"model": "models/minilm"}}])
def test_a_judge_that_is_gone_is_refused_with_what_to_write(judge: Any) -> None:
    suite = {"judge": judge, "evaluators": [{"json_multi_field_match": {"fields": {"name": "semantic"}}}]}
    with pytest.raises(Problems) as problems:
        evaluators.load(suite)
    (issue,) = problems.value.issues
    assert issue.message == 'there is no judge "embedding" any more'
    assert 'evaluators.register("semantic", f, batch=True)' in str(issue.hint)
