"""Settings that name a column of the test set."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import AliasChoices, Field

from evaluators.settings import Name

ExpectedColumn: TypeAlias = Annotated[Name | None, Field(validation_alias=AliasChoices("expected", "correct_answer_key"))]
"""The column with the expected answer; None for the test set's own."""

InputColumn: TypeAlias = Name | None
"""The column with the input; None for the test set's own."""
