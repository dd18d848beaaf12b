"""`keywords`: how many of the listed words occur in the output."""

from __future__ import annotations

from typing import Literal

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import Phrases, columns_named_by, reason_found, share_found


class Keywords(Evaluator):
    """Score the share of the keywords that occur in the output: 2 of 3 is 0.67.

    Use it when an answer may be worded freely but must mention certain things. It passes when all of them occur; set
    `pass_at` lower to be content with some. The keywords are a list in the suite, or in a column of the row:
    `keywords: {column: must_have, separator: ";"}`.

    Case does not count. A keyword is found inside words too: "AI" occurs in "rain". Everything else counts: accents,
    and the spaces within a keyword. A keyword listed twice counts twice.
    """

    type: Literal["keywords"] = "keywords"
    keywords: Phrases
    """The words or phrases to look for."""

    examples = (
        Example(
            "two of three",
            output="Python is great for AI applications",
            settings={"keywords": ["Python", "machine learning", "AI"]},
            score=2 / 3,
            source="orbiter, OutputCorrectnessScorer",
        ),
        Example("case does not count", output="JOSÉ", settings={"keywords": ["José"]}, score=1.0),
        Example("accents do", output="Jose", settings={"keywords": ["José"]}, score=0.0),
    )

    def needs(self) -> Needs:
        """The output as text, and the column with the keywords where the suite names one."""
        return Text(self.column("output")), *columns_named_by(self.keywords)

    def measure(self, text: str, *cells: object) -> tuple[int, int]:
        """(found, all): how many of the keywords occur in the text, and how many there are. `cells` may hold them."""
        return share_found(text, self.keywords, cells)

    def reason(self, text: str, *cells: object) -> Reason:
        return reason_found(self, text, self.keywords, cells, "keywords")
