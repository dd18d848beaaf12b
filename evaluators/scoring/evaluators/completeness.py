"""`completeness`: how many of the required sections the output has."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import Phrases, columns_named_by, reason_found, share_found

_REPORT = """
# Introduction
This study examines...
# Methodology
We used a survey approach...
# Results
The findings show...
"""


class Completeness(Evaluator):
    """Score the share of the required sections that occur in the output: 3 of 4 is 0.75.

    Use it for reports and letters that must have certain parts. It passes when all of them occur; set `pass_at` lower to
    be content with some. The sections are a list in the suite, or in a column of the row:
    `sections: {column: parts, separator: ";"}`.

    Case does not count. A section is found wherever its name occurs, in a heading or not. Everything else counts: accents,
    and the spaces within a name.
    """

    type: Literal["completeness"] = "completeness"
    sections: Annotated[Phrases, Field(validation_alias=AliasChoices("sections", "required_sections"))]
    """The names of the sections to look for."""

    examples = (
        Example(
            "three of four",
            output=_REPORT,
            settings={"sections": ["introduction", "methodology", "results", "conclusion"]},
            score=0.75,
            source="orbiter, OutputCompletenessScorer",
        ),
        Example("case does not count", output="Here is the summary", settings={"sections": ["Summary"]}, score=1.0),
        Example("two spaces are not one", output="two  words", settings={"sections": ["two words"]}, score=0.0),
    )

    def needs(self) -> Needs:
        """The output as text, and the column with the sections where the suite names one."""
        return Text(self.column("output")), *columns_named_by(self.sections)

    def measure(self, text: str, *cells: object) -> tuple[int, int]:
        """(found, all): how many of the sections the text names, and how many there are. `cells` may hold them."""
        return share_found(text, self.sections, cells)

    def reason(self, text: str, *cells: object) -> Reason:
        return reason_found(self, text, self.sections, cells, "sections")
