"""The page `docs/contributing/extract-bench-tables.md`: the ExtractBench data, scored with every leaf looked at.

    python -m tests.tools.pages.extract_bench

scores the 35 documents in each kind of outputs (half a minute), keeps the figures of every document in
`tests/data/extract_bench/scores.json`, and writes the page. Tests make the page anew from the kept figures, and score the
small documents anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from evaluators.model.settings import build
from evaluators.scoring.evaluators.schema_match import SchemaMatch
from evaluators.scoring.values.json_choice import find
from tests.data.extract_bench import MADE, PACKED, SCHEMAS, files

PAGE: Final = Path(__file__).parents[3] / "docs" / "contributing" / "extract-bench-tables.md"
SCORES: Final = PACKED.with_name("scores.json")
COMMAND: Final = "python -m tests.tools.pages.extract_bench"

METRICS: Final = ("precision", "recall", "f1", "overall_score", "field_score", "pass_rate")
SUBSTITUTES: Final = ("exact", "fuzzy")
SMALL: Final = ("finance/credit_agreement", "hiring/resume", "sport/swimming")
"""The schemas whose documents are scored in less than a second or two."""
KINDS: Final[Mapping[str, str]] = {
    "identity": "unchanged",
    "markdown_fenced": "unchanged, in a code fence with prose around it",
    "reorder_arrays": "every list shuffled",
    "drop_items": "a quarter of the items left out",
    "extra_keys": "an extra key in every object",
    "num_5pct": "numbers 5 % too high",
    "null_any": "null in 15 % of the leaves",
    "case_upper": "all text in capitals",
    "mixed": "typos, items left out and shuffled, nulls, numbers 0.05 % off",
    "empty_object": "`{}`, nothing at all",
}
"""The kinds of outputs in the order of the page. `extra_keys` and `empty_object` are made here."""
RECORDED: Final[Mapping[str, tuple[float | None, float | None, float | None, int]]] = {
    "extra_keys": (0.670, 0.729, 0.729, 0),
    "empty_object": (0.640, 0.640, 0.640, 30),
    "markdown_fenced": (None, None, None, 35),
}
"""What extract-bench 0.1.0 gave for kinds that `recorded/` has no figures of: three scores, documents without one."""

Scores: TypeAlias = dict[str, dict[str, dict[str, list[str | None]]]]
"""By kind and document: for each substitute the figures of the document as fractions."""


@cache
def data() -> Mapping[str, bytes]:
    """Every file of the data set."""
    return dict(files())


def documents(schema: str) -> list[tuple[str, Any]]:
    """The name and the expected document of each document of a schema."""
    folder = f"dataset/{schema}/pdf+gold/"
    return [
        (path.removeprefix(folder).removesuffix(".gold.json"), json.loads(content))
        for path, content in data().items()
        if path.startswith(folder)
    ]


def output(kind: str, schema: str, name: str) -> Any:
    """What stands for the output of a model, read as a row's output is read."""
    if kind == "empty_object":
        return {}
    shown = kind if kind in MADE else "identity"
    stem = f"outputs/{shown}/{schema}/{name}"
    content = data().get(f"{stem}.json") or data()[f"{stem}.txt"]
    found = find(content.decode("utf-8"), "object").value
    return confident(found) if kind == "extra_keys" else found


def confident(value: Any) -> Any:
    """The value with a key that nobody asked for in each of its objects."""
    if isinstance(value, list):
        return [confident(item) for item in value]
    if isinstance(value, dict):
        return {**{key: confident(inner) for key, inner in value.items()}, "_confidence": 0.9}
    return value


def evaluator(schema: str, substitute: str) -> SchemaMatch:
    """The published schema, with what stands in for the judge that it asks for."""
    text = next(
        c for path, c in data().items() if path.startswith(f"dataset/{schema}/") and path.endswith("-schema.json")
    )
    standing_in = {"semantic": substitute, "string_llm": substitute, "array_llm": "hungarian"}
    return build(SchemaMatch, {"schema": json.loads(text), "fallback": standing_in}, {}, "schema_match")


def _named(figure: str) -> Sequence[str]:
    """What an evaluator calls the mean of a figure of the page."""
    return [figure, *(f"{over}_{figure}" for over in ("mean", "overall") if figure != "field_score")]


def scored(schemas: Sequence[str] = SCHEMAS, substitutes: Sequence[str] = SUBSTITUTES) -> Scores:
    """Every document of the schemas, in every kind, with every substitute."""
    found: Scores = {kind: {} for kind in KINDS}
    for schema in schemas:
        for substitute in substitutes:
            settings = evaluator(schema, substitute)
            check, names = settings.compile(), settings.scored_fields().metrics
            places = [at for figure in METRICS for at, name in enumerate(names) if name in _named(figure)]
            for name, expected in documents(schema):
                for kind in KINDS:
                    figures = check(expected, output(kind, schema, name)).metrics
                    shares = [_share(*figures[at]) for at in places]
                    found[kind].setdefault(f"{schema}/{name}", {})[substitute] = shares
    return found


def leaves() -> int:
    """How many results the 35 unchanged documents have."""
    return sum(
        sum(evaluator(schema, "exact").compile()(expected, expected).counts or ())
        for schema in SCHEMAS
        for _, expected in documents(schema)
    )


def _share(num: int, den: int) -> str | None:
    return str(Fraction(num, den)) if den else None


def kept() -> Scores:
    """The figures of every document as they were when the page was written."""
    found: Scores = json.loads(SCORES.read_text(encoding="utf-8"))
    return found


def page(scores: Scores) -> str:
    """The page of the figures."""
    return f"""<!-- Written by `{COMMAND}`. Changes made here are lost. -->

# ExtractBench: the scores

[ExtractBench](https://arxiv.org/abs/2602.12247) has 35 long documents, each with the JSON that a model should find in
it (MIT licence). No model was asked: each expected document was changed by a rule, and took the place of an output.
Ours are the figures of `schema_match` with the published schemas and `fallback: {{semantic: exact, array_llm:
hungarian}}` (`F1, fuzzy`: `semantic: fuzzy`). Theirs are those of extract-bench 0.1.0 with a rule as strict as ours in
place of the language model; those of `markdown_fenced`, `extra_keys` and `empty_object` were recorded on outputs made
by the same rule.

Each figure is a mean over documents. 1.000 is perfect. They differ because a list is one question there, and here every
field of every item is a result; because what is extra lowers precision here and nothing there; and because a null where
the schema allows none loses the whole document there. [Coming from extract-bench](../switching/extract-bench.md) says
more. `configs/gallery/extract_bench` is a suite for your own outputs of these documents.

{_scores(scores)}

F1 by schema:

{_by_schema(scores)}
"""


def _scores(scores: Scores) -> str:
    head = (
        "| outputs | precision | recall | F1 | overall | field | pass rate | F1, fuzzy | their overall | their field | "
    )
    lines = [f"{head}their pass rate | not scored by them |", "|---|" + "--:|" * 11]
    for kind, about in KINDS.items():
        rows = scores[kind].values()
        ours = [_mean(row["exact"][at] for row in rows) for at in range(len(METRICS))]
        fuzzy = _mean(row["fuzzy"][METRICS.index("f1")] for row in rows)
        *theirs, lost = recorded(kind)
        cells = [f"{kind}: {about}", *map(_shown, (*ours, fuzzy, *theirs)), str(lost) if lost else ""]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _by_schema(scores: Scores) -> str:
    lines = [f"| F1 | {' | '.join(SCHEMAS)} |", "|---|" + "--:|" * len(SCHEMAS)]
    for kind in KINDS:
        means = (
            _mean(
                row["exact"][METRICS.index("f1")] for name, row in scores[kind].items() if name.startswith(f"{schema}/")
            )
            for schema in SCHEMAS
        )
        lines.append(f"| {kind} | {' | '.join(map(_shown, means))} |")
    return "\n".join(lines)


def recorded(kind: str) -> tuple[float | None, float | None, float | None, int]:
    """What extract-bench gave: overall score, field score and pass rate over the documents it scored; those it did not."""
    if kind in RECORDED:
        return RECORDED[kind]
    variants = list(_variants(kind))
    read = [one for one in variants if "error" not in one]
    names = ("item_weighted_score", "overall_score", "pass_rate")
    overall, flat, passed = (sum(one[name] for one in read) / len(read) for name in names)
    return overall, flat, passed, len(variants) - len(read)


def _variants(kind: str) -> Iterator[Mapping[str, Any]]:
    for path, content in data().items():
        if path.startswith(f"recorded/{kind}/"):
            yield json.loads(content)["variants"]["original_judge"]


def _mean(shares: Iterable[str | None]) -> float | None:
    values = [Fraction(share) for share in shares if share is not None]
    return float(sum(values) / len(values)) if values else None


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def as_text(scores: Scores) -> str:
    """The kept figures, one document a line."""
    kinds = []
    for kind, rows in scores.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items()))
        kinds.append(f" {json.dumps(kind)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(kinds) + "\n}\n"


def write() -> None:
    """Score everything, keep the figures, and write the page."""
    SCORES.write_text(as_text(scored()), encoding="utf-8")
    PAGE.write_text(page(kept()), encoding="utf-8")


if __name__ == "__main__":
    write()
