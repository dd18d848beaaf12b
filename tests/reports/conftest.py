"""Realistic runs, built from counts, that the report tests print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.runs.exit_code import Facts, causes, exit_code
from evaluators.runs.gate_targets import parse_target
from evaluators.runs.gate_verdicts import judge_gates
from evaluators.runs.gates import Gate, GateConfig
from evaluators.runs.intervals import mean_of, share, wilson
from evaluators.runs.result import (
    ArrayStats,
    Counts,
    Environment,
    EvaluatorStats,
    FieldStats,
    GateResult,
    MetricStats,
    RunResult,
)
from tests.bounds import bounds_of, ratios


def field(path: str, **counts: int) -> FieldStats:
    found = Counts(**counts)
    return FieldStats(path, found, *ratios(found))


def evaluator(
    name: str,
    type_: str,
    passed: int,
    failed: int,
    sums: Mapping[int, int],
    *,
    fields: Sequence[FieldStats] = (),
    variant: str | None = None,
    slice_: tuple[str, str] | None = None,
    more_fields: int = 0,
    **others: int,
) -> EvaluatorStats:
    """Figures that agree with each other; `sums` are the numerators of the scores by denominator."""
    scored = passed + failed
    rest = {key: others.pop(key, 0) for key in ("skipped", "not_measured", "invalid", "unjudged", "bugs")}
    total = sum_of(fields) if fields else None
    _, precision, recall, f1 = ratios(total) if total else (None, None, None, None)
    return EvaluatorStats(
        name, type_, scored + sum(rest.values()), scored, passed, failed, **rest,
        unreadable=others.pop("unreadable", 0), blocked=others.pop("blocked", 0),
        empty_expected=others.pop("empty_expected", 0),
        mean=mean_of(sums, scored), pass_rate=share(passed, scored), pass_rate_ci=wilson(passed, scored),
        fields=tuple(fields), counts=total, micro_precision=precision, micro_recall=recall, micro_f1=f1,
        fields_not_listed=more_fields, variant=variant, slice=slice_,
    )  # fmt: skip


def sum_of(fields: Sequence[FieldStats]) -> Counts:
    names = Counts.__struct_fields__
    return Counts(**{name: sum(getattr(each.counts, name) for each in fields) for name in names})


def gates_of(
    limits: Sequence[tuple[str, Mapping[str, object]]],
    evaluators: Sequence[EvaluatorStats],
    slices: Sequence[EvaluatorStats] = (),
) -> tuple[GateResult, ...]:
    names = [stats.name for stats in evaluators]
    gates = [Gate(target, parse_target(target, names), GateConfig.model_validate(config)) for target, config in limits]
    sure, sliced = (
        [replace(one, metric_cis=bounds_of(one.fields, one.counts, one.scored - one.empty_expected)) for one in each]
        for each in (evaluators, slices)
    )
    return judge_gates(gates, sure, sliced)


def run(
    name: str,
    evaluators: Sequence[EvaluatorStats],
    *,
    limits: Sequence[tuple[str, Mapping[str, object]]] = (),
    slices: Sequence[EvaluatorStats] = (),
    coverage: Sequence[Issue] = (),
    issues: Sequence[Issue] = (),
    issue_counts: Mapping[str, int] | None = None,
    warnings: Sequence[Issue] = (),
    notes: Sequence[str] = (),
    complete: bool = True,
    variants: Sequence[str] = (),
    test_set: str = "invoices.csv",
) -> RunResult:
    gates = gates_of(limits, evaluators, slices)
    facts = Facts(tuple(evaluators), gates, tuple(coverage), interrupted=not complete)
    return RunResult(
        name=name,
        suite_fingerprint="5f0c2a9b1e77d3c4",
        data_fingerprint="a41b90de6c2288f0",
        version="0.1.0",
        test_set=test_set,
        rows=max((stats.rows for stats in evaluators), default=0),
        columns={"id": "doc_id", "output": "model_output", "expected": "correct_answer"},
        evaluators=tuple(evaluators),
        slices=tuple(slices),
        gates=gates,
        notes=tuple(notes),
        warnings=tuple(warnings),
        issues=(*coverage, *issues),
        issue_counts=issue_counts or {},
        complete=complete,
        exit_code=exit_code(facts),
        causes=causes(facts),
        environment=Environment("2026-03-14T09:26:53+00:00", 1.75, 4, "build-7", "3.11.9", ("evaluators", "run")),
        variants=tuple(variants),
    )


def passed() -> RunResult:
    return run(
        "invoice extraction",
        [
            evaluator("contains_json", "contains_json", 412, 0, {1: 412}),
            evaluator(
                "header", "json_multi_field_match", 398, 14, {3: 1218},
                fields=[
                    field("invoice_number", match=412),
                    field("totals.gross", match=402, mismatch=8, omission=2),
                    field("vendor.name", match=404, mismatch=3, omission=5),
                ],
            ),
        ],
        limits=[("contains_json", {"fail_below": 1}), ("header./totals/gross", {"fail_below": 0.95, "min_rows": 30})],
        notes=['the column "model_output" was taken for the output, and "correct_answer" for the expected answer'],
    )  # fmt: skip


def failed() -> RunResult:
    header = [
        field("invoice_number", match=405, omission=4),
        field("vendor.name", match=380, mismatch=18, omission=11),
        field('vendor["tax | id"]', match=371, mismatch=3, omission=35, error=2),
        field("issued_on", match=396, mismatch=9, omission=4),
        field("totals.gross", match=398, mismatch=7, omission=4),
        field("line_items[*].qty", match=350, mismatch=40, omission=12, hallucination=7),
        field("地址.城市", match=300, mismatch=99, omission=10),
        field("purchase_order", not_measured=409),
    ]
    return run(
        "invoice extraction",
        [
            evaluator("contains_json", "contains_json", 405, 7, {1: 405}),
            evaluator(
                "header", "json_multi_field_match", 260, 149, {7: 2595},
                fields=header, skipped=3, unreadable=4, blocked=3,
            ),
            evaluator("overall", "weighted_mean", 390, 22, {4: 1540}),
        ],
        limits=[
            ("contains_json", {"fail_below": 0.95, "warn_below": 0.99}),
            ("header", {"metric": "pass_rate", "fail_below": 0.6}),
            ("header./totals/gross", {"fail_below": 0.99, "warn_below": 0.995, "min_rows": 30}),
            ("header", {"metric": "precision", "warn_below": 0.5}),
        ],
        warnings=[
            Issue(
                "field-unseen", Blame.TESTSET, 'the field "purchase_order" was measured in no row; it is optional',
                "suite.yaml:19:7", 'expected answers have "po_number" in 377 rows: did you mean that?',
            ),
        ],
    )  # fmt: skip


def unmeasured() -> RunResult:
    return run(
        "contract facts",
        [
            evaluator(
                "facts", "json_field_match", 30, 8, {2: 67}, invalid=41, unjudged=1, not_measured=20,
                fields=[field("party", match=35, mismatch=3), field("notice.days", not_measured=99)],
                empty_expected=2, fields_not_listed=1,
            ),
        ],
        limits=[("facts.party", {"fail_below": 0.9, "min_rows": 50}), ("facts", {"fail_below": 0.5})],
        coverage=[
            Issue(
                "nothing-measured", Blame.TESTSET,
                'the field "notice.days" was found in 0 of 99 expected answers', "suite.yaml:12:9",
                '97 of them have "notice_period.days": did you mean that?',
                "  notice.days: numeric\n  ^^^^^^^^^^^",
            ),
        ],
        issues=[
            Issue(
                "not-json", Blame.TESTSET, 'not JSON: "," expected at character 41',
                'contracts.csv row 12, column "expected"', "text with commas must be inside double quotes",
            ),
            Issue("not-json", Blame.TESTSET, "the cell is empty", 'contracts.csv row 19, column "expected"'),
            Issue("time-limit", Blame.ENVIRONMENT, "the pattern ran out of its 2 seconds", "contracts.csv row 30"),
        ],
        issue_counts={"nothing-measured": 1, "not-json": 41, "time-limit": 1},
        test_set="contracts.csv",
    )  # fmt: skip


def interrupted() -> RunResult:
    return run(
        "invoice extraction",
        [evaluator("exact_match", "exact_match", 90, 30, {1: 90})],
        limits=[("exact_match", {"fail_below": 0.8})],
        complete=False,
    )


def compared() -> RunResult:
    """Two variants and a slice per supplier."""
    figures = [
        evaluator(
            "header", "json_multi_field_match", right, 100 - right, {2: 2 * right + half}, variant=variant,
            fields=[
                field("total", match=right, mismatch=100 - right),
                field("date", match=right + half, mismatch=100 - right - half),
            ],
        )
        for variant, right, half in (("gpt", 91, 9), ("small, tuned", 64, 20))
    ]  # fmt: skip
    slices = [
        evaluator(
            "header", "json_multi_field_match", right, rows - right, {1: right}, variant=variant,
            slice_=("row.supplier", supplier),
        )
        for variant in ("gpt", "small, tuned")
        for supplier, rows, right in (("ACME <b>", 60, 58), ("株式会社サンプル", 36, 30), ("=1+1", 4, 1))
    ]  # fmt: skip
    return run(
        "two models",
        figures,
        slices=slices,
        limits=[
            ("header", {"fail_below": 0.7}),
            ("header", {"variant": "gpt", "metric": "pass_rate", "fail_below": 0.5, "warn_below": 0.95}),
            ("header", {"each_slice": "row.supplier", "fail_below": 0.8, "min_rows": 20, "variant": "gpt"}),
        ],
        variants=["gpt", "small, tuned"],
    )


def broken() -> RunResult:
    return run(
        "short answers",
        [evaluator("exact_match", "exact_match", 0, 0, {}, bugs=3)],
        issues=[
            Issue(
                "bug", Blame.BUG, "ZeroDivisionError: division by zero", "answers.csv row 2",
                "this is a fault in the program; please report it", "evaluators/scoring/evaluators/x.py:12 in explain\n  1 / 0",
            ),
        ],
        issue_counts={"bug": 3},
        test_set="answers.csv",
    )  # fmt: skip


def schema() -> RunResult:
    """One evaluator that scores by a schema, with arrays and a substitute of a judge."""
    fields = [
        field("name", match=9, mismatch=1),
        replace(field("items", match=1), array=ArrayStats(18, 2, 3, 19, 18 / 21, 0.9, 36 / 41)),
        replace(field("items[*].qty", match=18, mismatch=1, omission=1, hallucination=2), mean_score=18.5 / 22),
        replace(field("tags"), array=ArrayStats(0, 0, 4, 0, 0.0, None, 0.0)),
        field("tags[*]", hallucination=4),
    ]
    means = (0.81, 0.95, 0.88, 0.85, 0.84, 0.9, None)
    names = (
        "mean_precision", "mean_recall", "mean_f1", "mean_field_score", "overall_score", "field_score",
        "overall_pass_rate",
    )  # fmt: skip
    figures = [MetricStats(name, mean, 10 if mean else 0) for name, mean in zip(names, means, strict=True)]
    stats = replace(
        evaluator("documents", "schema_match", 4, 6, {25: 220}, fields=fields),
        metrics=tuple(figures), fallbacks={"fuzzy in place of semantic": 2}, undeclared={"notes": 3},
    )  # fmt: skip
    return run("documents", [stats], test_set="documents.jsonl")


RUNS: Mapping[str, Callable[[], RunResult]] = {
    made.__name__: made for made in (passed, failed, unmeasured, interrupted, compared, broken, schema)
}


@pytest.fixture(params=sorted(RUNS))
def named_run(request: pytest.FixtureRequest) -> tuple[str, RunResult]:
    """Each of the runs, with its name."""
    return request.param, RUNS[request.param]()


@pytest.fixture
def runs() -> dict[str, RunResult]:
    """All of the runs by name."""
    return {name: made() for name, made in RUNS.items()}
