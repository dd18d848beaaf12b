"""Settings that name a column of the test set."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import AliasChoices, Field

ExpectedColumn: TypeAlias = Annotated[
    str | None, Field(min_length=1, validation_alias=AliasChoices("expected", "correct_answer_key"))
]
"""The column with the expected answer; None for the test set's own."""

InputColumn: TypeAlias = Annotated[str | None, Field(min_length=1)]
"""The column with the input; None for the test set's own."""
