"""The parts of the package that are mutated, and the tests that must notice."""

from __future__ import annotations

from typing import Final, NamedTuple


class Area(NamedTuple):
    """Modules, as patterns below `evaluators`, and the tests that concern them, below `tests`."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


AREAS: Final[dict[str, Area]] = {
    "numbers": Area(
        ("values/numbers.py", "values/dates.py"),
        ("values/test_numbers.py", "values/test_formats.py", "values/test_dates.py", "comparators/test_comparators.py"),
    ),
    "texts": Area(
        (
            "values/text.py", "values/transforms.py",
            "values/patterns.py", "values/json_documents.py", "values/confusion.py",
        ),
        (
            "values/test_text.py", "values/test_unicode_forms.py", "values/test_transforms.py", "values/test_patterns.py",
            "values/test_reasoning.py", "values/test_confusion.py", "comparators/test_comparators.py",
        ),
    ),
    "json": Area(
        (
            "values/json_*.py", "values/yaml_text.py", "values/quoting.py",
        ),
        (
            "values/test_json_text.py", "values/test_json_choice.py", "values/test_yaml_text.py",
            "values/test_flow.py", "values/test_json_lines.py",
        ),
    ),
    "paths": Area(
        ("values/paths.py", "values/path_text.py", "values/jsonpath_*.py"),
        ("values/test_paths.py", "values/test_jsonpath_hits.py"),
    ),
    "pairing": Area(
        ("values/pairing.py", "values/pairing.py", "values/equality.py"),
        ("values/test_assignment.py", "values/test_pairing.py", "values/test_equality.py"),
    ),
    "fields": Area(
        (
            "fields/closed*.py", "fields/scored.py", "fields/open_*.py",
            "fields/path_*.py", "fields/reading.py", "fields/pair.py",
            "fields/marks.py", "fields/reached.py", "fields/tree.py", "fields/weighed.py", "fields/scored.py", "fields/key_counts.py",
            "fields/events.py", "fields/gains.py", "fields/metrics.py", "fields/walk*.py", "fields/frame.py",
            "fields/unit_rules.py", "fields/branches.py", "fields/item_frames.py",
            "fields/settle.py", "fields/unit*.py", "fields/compound.py",
            "fields/coding.py", "fields/row_events.py", "fields/explained.py",
        ),
        ("fields", "laws"),
    ),
    "lists of fields": Area(
        (
            "fields/lines.py", "fields/named_comparators.py", "fields/listed.py", "fields/tree.py",
            "fields/rules.py", "fields/settle.py", "fields/named_comparators.py",
            "fields/post_process*.py", "fields/readable.py", "fields/reading.py",
        ),
        ("fields",),
    ),
    "schemas": Area(
        (
            "fields/schema_*.py", "fields/references.py", "fields/dialects.py", "fields/inference/*.py",
            "fields/expected_check.py", "fields/frame.py", "fields/xeval*.py", "fields/evaluation_*.py",
            "fields/type_defaults.py",
        ),
        ("fields",),
    ),
    "tallies": Area(
        (
            "run/tally.py", "run/exact_sums.py", "run/metrics.py", "run/intervals.py", "run/stats.py",
            "run/measures.py", "run/labels.py", "run/groups.py",
        ),
        (
            "run/test_worked_by_hand.py", "run/test_sums_by_hand.py", "run/test_tally.py", "run/test_exact_sums.py", "run/test_metrics.py",
            "run/test_intervals.py", "run/test_statistics.py", "run/test_measures.py", "run/test_labels.py",
            "run/test_slices.py", "run/test_job.py",
        ),
    ),
    "gates": Area(
        ("run/gates.py", "run/gate_*.py", "run/watch.py", "run/metrics.py", "run/exit_code.py"),
        (
            "run/test_gates.py", "run/test_worked_by_hand.py", "run/test_sums_by_hand.py", "run/test_exit_code.py", "run/test_labels.py",
            "run/test_measures.py", "run/test_slices.py",
        ),
    ),
    "compare": Area(("compare/*",), ("compare",)),
}  # fmt: skip

SLOW: Final = ("twice", "deep", "nested", "grows", "grow", "cycles", "without_end", "imported")
"""Words in the names of tests that measure work, or build documents of thousands of levels. The functions under them are
wrapped to be mutated, which makes such tests many times as slow, and what they are about is not who is right."""
