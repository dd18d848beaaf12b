"""The parts of the package that are mutated, and the tests that must notice."""

from __future__ import annotations

from typing import Final, NamedTuple


class Area(NamedTuple):
    """Modules, as patterns below `evaluators`, and the tests that concern them, below `tests`."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


AREAS: Final[dict[str, Area]] = {
    "numbers": Area(
        ("scoring/values/numbers.py", "scoring/values/dates.py"),
        ("scoring/values/test_numbers.py", "scoring/values/test_formats.py", "scoring/values/test_dates.py",
         "scoring/comparators/test_comparators.py"),
    ),
    "texts": Area(
        (
            "scoring/values/text.py", "scoring/values/transforms.py",
            "scoring/values/patterns.py", "scoring/values/json_documents.py", "scoring/values/confusion.py",
        ),
        (
            "scoring/values/test_text.py", "scoring/values/test_unicode_forms.py",
            "scoring/values/test_transforms.py", "scoring/values/test_patterns.py",
            "scoring/values/test_reasoning.py", "scoring/values/test_confusion.py",
            "scoring/comparators/test_comparators.py",
        ),
    ),
    "json": Area(
        (
            "scoring/values/json_*.py", "scoring/values/yaml_text.py", "scoring/values/quoting.py",
        ),
        (
            "scoring/values/test_json_text.py", "scoring/values/test_json_choice.py", "scoring/values/test_yaml_text.py",
            "scoring/values/test_flow.py", "scoring/values/test_json_lines.py",
        ),
    ),
    "paths": Area(
        ("scoring/values/paths.py", "scoring/values/path_text.py", "scoring/values/jsonpath_*.py"),
        ("scoring/values/test_paths.py", "scoring/values/test_jsonpath_hits.py"),
    ),
    "pairing": Area(
        ("scoring/values/pairing.py", "scoring/values/equality.py"),
        ("scoring/values/test_assignment.py", "scoring/values/test_pairing.py", "scoring/values/test_equality.py"),
    ),
    "fields": Area(
        (
            "scoring/fields/walk.py", "scoring/fields/weighing.py", "scoring/fields/presence.py", "scoring/fields/places.py",
            "scoring/fields/results.py", "scoring/fields/outcomes.py", "scoring/fields/wording.py",
            "scoring/fields/listed*.py", "scoring/fields/open_*.py", "scoring/fields/row_*.py",
            "scoring/fields/reading.py", "scoring/fields/pairing.py", "scoring/fields/fingerprints.py",
            "scoring/fields/item_keys.py", "scoring/fields/tree.py", "scoring/fields/key_counts.py",
            "scoring/fields/events.py", "scoring/fields/metrics.py", "scoring/fields/rules.py",
            "scoring/fields/instance_paths.py", "scoring/fields/units.py",
        ),
        ("scoring/fields", "laws"),
    ),
    "lists of fields": Area(
        (
            "scoring/fields/lines.py", "scoring/fields/named_comparators.py", "scoring/fields/listed.py",
            "scoring/fields/tree.py",
            "scoring/fields/rules.py", "scoring/fields/outcomes.py", "scoring/fields/wording.py",
            "scoring/fields/post_process.py", "scoring/fields/reading.py",
        ),
        ("scoring/fields",),
    ),
    "schemas": Area(
        (
            "scoring/fields/schema_*.py", "scoring/fields/references.py",
            "scoring/fields/inference/*.py",
            "scoring/fields/expected_check.py", "scoring/fields/xeval*.py",
            "scoring/fields/evaluation_*.py",
            "scoring/fields/type_defaults.py",
        ),
        ("scoring/fields",),
    ),
    "tallies": Area(
        (
            "runs/tally.py", "runs/exact_sums.py", "runs/metrics.py", "runs/intervals.py", "runs/stats.py",
            "runs/measures.py", "runs/labels.py", "runs/groups.py",
        ),
        (
            "runs/test_worked_by_hand.py", "runs/test_sums_by_hand.py", "runs/test_tally.py",
            "runs/test_exact_sums.py", "runs/test_metrics.py",
            "runs/test_intervals.py", "runs/test_statistics.py", "runs/test_measures.py", "runs/test_labels.py",
            "runs/test_slices.py", "runs/test_job.py",
        ),
    ),
    "gates": Area(
        ("runs/gates.py", "runs/gate_*.py", "runs/watch.py", "runs/metrics.py", "runs/exit_code.py"),
        (
            "runs/test_gates.py", "runs/test_worked_by_hand.py", "runs/test_sums_by_hand.py",
            "runs/test_exit_code.py", "runs/test_labels.py",
            "runs/test_measures.py", "runs/test_slices.py",
        ),
    ),
    "compare": Area(("runs/compare/*.py",), ("runs/compare",)),
}  # fmt: skip

SLOW: Final = ("twice", "deep", "nested", "grows", "grow", "cycles", "without_end", "imported")
"""Words in the names of tests that measure work, or build documents of thousands of levels. The functions under them are
wrapped to be mutated, which makes such tests many times as slow, and what they are about is not who is right."""
