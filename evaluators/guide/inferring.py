"""What the command `infer-schema` makes: a schema in a dialect, and what a person should look at in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.expected_answers import open_answers, schema_in, schema_problems, unreadable_issue
from evaluators.model.issues import CellError, Issue, Problems
from evaluators.model.settings import BadSettings
from evaluators.reports.display import visible
from evaluators.runs.metrics import count_text
from evaluators.scoring.fields.inference.schema import inferred_schema, plain_schema
from evaluators.scoring.fields.references import resolve_schema_references
from evaluators.scoring.fields.schema_keywords import dialect_of, unwrap
from evaluators.scoring.fields.type_defaults import BY_FORMAT, annotate_evaluation_config, annotate_xeval
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.path_text import ANY, Step, display
from evaluators.scoring.values.quoting import first_texts
from evaluators.testsets.byte_source import locate, whole_of

_OF_A_SCHEMA: Final = frozenset({"properties", "$ref", "anyOf", "allOf", "oneOf", "items", "$schema"})
_ADVICE: Final[Mapping[str, tuple[str, str]]] = {
    "x-eval": (
        "text is compared to the letter, but for a `format`; change `x-eval-compare`, or add `x-eval-transform`, where a field may differ",
        'the order of these lists counts: {}; `"x-eval-align": {{"match_by": "hungarian"}}` beside `items` sets it free',
    ),
    "evaluation_config": (
        "text is compared to the letter; write `string_fuzzy`, or another word, where a field may differ",
        "these lists are compared item by item: {}",
    ),
}


_EVERY_FIELD: Final = (
    "every `x-eval-compare` is what fits the answers that are there; change it where a field may differ more, or less"
)


class Inferred(Struct, frozen=True):
    """A schema as text, with notes for its reader."""

    text: str
    made_of: str
    advice: tuple[str, ...]
    problems: tuple[Issue, ...] = ()
    """Answers that could not be read."""

    def words(self, file: str | None) -> str:
        """The report of the command: the schema that was made, and what to review."""
        head = f"{file or 'schema'}: made of {self.made_of}"
        return "".join(
            f"{visible(line)}\n" for line in [head, "To review:", *(f"- {sentence}" for sentence in self.advice)]
        )


def infer_schema(path: str, column: str | None, dialect: str | None, settings: Mapping[str, Any]) -> Inferred:
    """The schema of the expected answers in a file, or, where the file itself is a schema, that schema with comparators added. Raises
    Problems (config) for a file that can be neither."""
    if column is None and path.lower().endswith(".json") and _is_schema(path):
        return _completed_schema(path, dialect)
    answers = list(open_answers(path, column, settings).read())
    documents = [answer.document for answer in answers if not isinstance(answer.document, CellError)]
    problems = tuple(issue for answer in answers if (issue := unreadable_issue(answer)) is not None)
    if not documents and problems:
        raise Problems(problems)
    made_of = f"{count_text(len(documents), 'expected answer')} of {path}"
    if dialect == "evaluation_config":
        plain = plain_schema(documents)
        return _annotated_schema(plain.schema, dialect, made_of, plain.unclear, problems)
    made = inferred_schema(documents)
    return Inferred(_schema_text(made.schema), made_of, (*made.unclear, _EVERY_FIELD), problems)


def _completed_schema(path: str, dialect: str | None) -> Inferred:
    """The schema in a file, with missing comparators added; without `dialect` in the dialect of the file. Raises Problems where it
    cannot be used."""
    written, _ = unwrap(schema_in(path))
    try:
        chosen = dialect or dialect_of(written)
    except BadSettings as error:
        raise schema_problems(error, path) from error
    return _annotated_schema(resolve_schema_references(written), chosen, f"the schema {path}", (), ())


def _annotated_schema(
    schema: dict[str, Any], dialect: str, made_of: str, unclear: tuple[str, ...], problems: tuple[Issue, ...]
) -> Inferred:
    """The schema with comparators written in, and what a person should look at: first what was `unclear`, last the lists. `made_of` says
    what it comes from."""
    annotated = (
        annotate_evaluation_config(schema)
        if dialect == "evaluation_config"
        else annotate_xeval(schema, formats=BY_FORMAT)
    )
    compared, of_lists = _ADVICE[dialect]
    lists = list(dict.fromkeys(_list_places(schema, ())))
    hints = [of_lists.format(first_texts(lists, 10))] if lists else []
    return Inferred(_schema_text(annotated), made_of, (*unclear, compared, *hints), problems)


def _schema_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def _is_schema(path: str) -> bool:
    """Whether a JSON file holds a schema, bare or wrapped, and not documents."""
    try:
        data, _ = unwrap(parse(whole_of(locate(path, Path()))))
    except NotJSON:
        return False
    return isinstance(data, dict) and (bool(_OF_A_SCHEMA & data.keys()) or data.get("type") in ("object", "array"))


def _list_places(schema: Any, path: tuple[Step, ...]) -> Iterator[str]:
    """The paths of the lists in a schema, outer ones before those inside; `path` is where the schema itself stands."""
    if not isinstance(schema, dict):
        return
    for key, inner in (schema.get("properties") or {}).items():
        yield from _list_places(inner, (*path, key))
    if isinstance(schema.get("items"), dict):
        yield display(path) if path else "the whole"
        yield from _list_places(schema["items"], (*path, ANY))
    for branch in (*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())):
        yield from _list_places(branch, path)
