"""The parts of the package that are mutated, and the tests that must notice."""

from __future__ import annotations

from typing import Final, NamedTuple


class Area(NamedTuple):
    """Modules, as patterns below `evaluators`, and the tests that concern them, below `tests`."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


AREAS: Final[dict[str, Area]] = {
    "values": Area(("values/*",), ("values",)),
    "fields": Area(("fields/*",), ("fields", "laws", "builtin")),
    "tallies": Area(
        (
            "run/tally.py", "run/exact_sums.py", "run/figures.py", "run/intervals.py", "run/statistics.py", "run/stats.py",
            "run/measures.py", "run/label_counts.py", "run/label_tables.py", "run/clusters.py", "run/slices.py",
            "run/row_codes.py",
        ),
        (
            "run/test_worked_by_hand.py", "run/test_sums_by_hand.py", "run/test_tally.py", "run/test_exact_sums.py", "run/test_figures.py",
            "run/test_intervals.py", "run/test_statistics.py", "run/test_measures.py", "run/test_labels.py",
            "run/test_clusters.py", "run/test_slices.py", "run/test_row_codes.py", "run/test_job.py",
        ),
    ),
    "gates": Area(
        ("run/gates.py", "run/gate_*.py", "run/watch.py", "run/reach.py", "run/verdict.py"),
        (
            "run/test_gates.py", "run/test_worked_by_hand.py", "run/test_sums_by_hand.py", "run/test_verdict.py", "run/test_labels.py",
            "run/test_measures.py", "run/test_slices.py",
        ),
    ),
    "compare": Area(("compare/*",), ("compare",)),
}  # fmt: skip
