"""`format_valid`: the whole output is in a format."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text
from evaluators.scoring.evaluators._text_formats import FORMATS, Malformed, Refused


def _lower_text(value: object) -> object:
    """A text in lower case, so that `JSON` names a format, too; any other value as it is."""
    return value.lower() if isinstance(value, str) else value


class FormatValid(Evaluator):
    """Pass when the whole output is in a format: JSON, XML, YAML, Markdown or CSV.

    Use it when a program will read the output as it is.

    - `json`: any JSON value. A code fence, text around it, comments, NaN and a comma after the last item are refused.
    - `xml`: one root element, and every tag closed. A DOCTYPE may come before it. One that declares entities of its own is
      refused, because they can make a small text explode.
    - `yaml`: a map or a list. A plain sentence is YAML too, but does not count. Code fences are refused.
    - `markdown`: at least one heading, list, link, code fence, quotation or bold text. It can only be guessed: a text with
      `- ` at the start of a line looks like a list.
    - `csv`: a header and at least one row, two columns or more, every row with the same number of cells. The delimiter may
      be a comma, a tab, `;` or `|`. A delimiter inside double quotes belongs to the cell.

    It never looks for the format inside other text. For JSON inside other text see `contains_json`; for what the JSON
    holds see `json_schema_valid`.
    """

    type: Literal["format_valid"] = "format_valid"
    format: Annotated[
        Literal["json", "xml", "yaml", "markdown", "csv"],
        BeforeValidator(_lower_text),
        Field(validation_alias=AliasChoices("format", "fmt")),
    ] = "json"
    """The format to expect."""

    examples = (
        Example("JSON", output='{"key": "value"}', score=1.0, source="orbiter, FormatValidationScorer"),
        Example("not JSON", output="not json", score=0.0, source="orbiter, FormatValidationScorer"),
        Example(
            "XML",
            output="<root><item>text</item></root>",
            settings={"format": "xml"},
            score=1.0,
            source="orbiter, FormatValidationScorer",
        ),
        Example(
            "Markdown",
            output="# Hello\n\nSome **bold** text",
            settings={"format": "markdown"},
            score=1.0,
            source="orbiter, FormatValidationScorer",
        ),
        Example("JSON in a code fence", output='```json\n{"key": "value"}\n```', score=0.0),
        Example("YAML", output="key: value\nlist:\n- 1", settings={"format": "yaml"}, score=1.0),
        Example("CSV with a quoted comma", output='a,b\n"x,y",2', settings={"format": "csv"}, score=1.0),
        Example("CSV with a row cut short", output="a,b\n1", settings={"format": "csv"}, score=0.0),
    )

    def needs(self) -> Needs:
        return (Text(self.column("output")),)

    def measure(self, text: str) -> bool:
        try:
            FORMATS[self.format](text)
        except Malformed:
            return False
        return True

    def reason(self, text: str) -> Reason:
        try:
            details = FORMATS[self.format](text)
        except Malformed as error:
            message = f"{self.format} refused" if isinstance(error, Refused) else f"not {self.format}"
            return Reason(f"{message}: {error}", {"format": self.format, "error": str(error), **error.details})
        return Reason(f"valid {self.format}", {"format": self.format, **details})
