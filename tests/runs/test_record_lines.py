"""The lines of a run's record: what is written of a value, and what is read again."""

from __future__ import annotations

import pytest

from evaluators.model.rows import FieldStatus, Outcome
from evaluators.runs.record_checks import read_outcome
from evaluators.runs.record_lines import outcome_line


@pytest.mark.parametrize(("written", "read"), [((2, 3), (2, 3)), (0.5, 0.5), ([1, "2"], [1, "2"]), (None, None)])
def test_exact_credit_is_read_as_a_pair_and_other_details_of_that_name_as_they_are(written: object, read: object) -> None:
    outcome = Outcome("a", FieldStatus.MISMATCH, 0.5, details={"ratio": written})
    line = read_outcome(outcome_line(outcome, 1_000).decode(), lambda: "run.db")
    assert isinstance(line, Outcome)
    assert line.details == {"ratio": read}
