"""`contains_json`: there is JSON somewhere in the output."""

from __future__ import annotations

from typing import Any, Final, Literal

from evaluators.model.rows import JSON, Result, RowStatus
from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Output, Reason, Unreadable
from evaluators.scoring.values import json_documents
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.file_names import clip_name
from evaluators.scoring.values.json_choice import Want
from evaluators.scoring.values.quoting import kind

_WANTS: Final[dict[str, Want]] = {"any": "container", "object": "object", "array": "array"}
_HOW: Final = {
    "whole": "the whole output is JSON",
    "fence": "found inside a code fence",
    "embedded": "found inside other text",
}
_EXCERPT: Final = 80


class ContainsJson(Evaluator):
    """Pass when the output holds a JSON object or a JSON list.

    Use it first, before evaluators that compare fields: an output without JSON has no fields. The JSON may be the whole
    output, be inside a code fence, or inside other text; the explanation shows which, and what was found.

    It does not repair anything: single quotes, comments, a comma after the last item, NaN and a text that is cut off are
    not JSON. A bare number, word or quoted text does not count. It says nothing about what the JSON holds: for that,
    see `json_schema_valid`. For an output that must be JSON and nothing else, see `format_valid`.
    """

    type: Literal["contains_json"] = "contains_json"
    require: Literal["any", "object", "array"] = "any"
    """What to look for: an `object`, an `array`, or `any` of the two."""

    examples = (
        Example("an object", output='{"city": "Paris"}', score=1.0, source="Agenta, Contains JSON"),
        Example("no JSON", output="The city is Paris.", score=0.0, source="Agenta, Contains JSON"),
        Example("inside a code fence", output='Here it is:\n```json\n{"city": "Paris"}\n```', score=1.0),
        Example("several values", output='{"a": 1} and {"b": 2}', score=1.0),
        Example("a list counts too", output="[1, 2, 3]", score=1.0),
        Example("a list when an object is required", output="[1, 2]", settings={"require": "object"}, score=0.0),
        Example("a bare number does not count", output="42", score=0.0),
    )

    def needs(self) -> Needs:
        """The JSON document in the output, of the kind that `require` says, and the cell that it was found in."""
        column = self.column("output")
        return Output(column, want=_WANTS[self.require]), column

    def measure(self, document: Any, cell: Any) -> bool:
        """Always true: it is not called for a row whose output holds no document."""
        return True

    def reason(self, document: Any, cell: Any) -> Reason:
        """Where in the cell the JSON was found, and of which kind it is."""
        if not isinstance(cell, str):
            return Reason(f"the output is {kind(document)}", {"how": "parsed", "kind": kind(document), "values": 1})
        documents = json_documents.documents(cell)
        place = _place_of(document, documents)
        details = {
            "how": place.how,
            "kind": kind(place.value),
            "values": len(documents.found),
            "start": place.start,
            "end": place.end,
            "excerpt": _excerpt(cell[place.start : place.end]),
        }
        return Reason(f"{kind(place.value)}: {_HOW[place.how]}", details)

    def unreadable(self) -> Unreadable:
        """A row without JSON scores 0. It is never left out, as other evaluators leave out rows whose output cannot be read."""
        return Unreadable(Result(RowStatus.SCORED, self.pass_at == 0, 0, 1), judged=True)


def _place_of(document: JSON, documents: json_documents.FoundDocuments) -> json_documents.Found:
    """The place of the document that counts: one of those in the text, or an object inside a list."""
    if documents.whole:
        return documents.found[0]
    inside = json_documents.objects_inside(documents.text)
    return next(found for found in reversed([*inside, *documents.found]) if json_equal(found.value, document))


def _excerpt(text: str) -> str:
    """The beginning of a text on one line. Only its first characters are looked at: it may be long."""
    text = " ".join(text[: 4 * _EXCERPT].split()) if len(text) > _EXCERPT else text
    return clip_name(text, _EXCERPT)
