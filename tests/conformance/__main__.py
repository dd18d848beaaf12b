"""`python -m tests.conformance [FOLDER]`: the recorded cases of a folder against our evaluators, one paragraph a system.

Exits with 1 when a case disagrees.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.conformance.cases import HERE
from tests.conformance.verdicts import Finding, Result, files_not_covered, judge_folder, why_not_covered


def main(arguments: list[str]) -> int:
    """Print what became of every case. The status: 0 when nothing disagrees."""
    folder = Path(arguments[0]) if arguments else HERE
    by_system: dict[str, list[Result]] = {}
    for _, verdicts in judge_folder(folder):
        for verdict in verdicts:
            by_system.setdefault(verdict.case.system, []).append(verdict)
    for system, verdicts in by_system.items():
        print("\n".join(paragraph(system, verdicts)))
    for name, count, reason in files_not_covered(folder):
        print(f"{name}.jsonl: {count} not covered: {reason}")
    if not by_system:
        print(f"{folder}: no file of cases that is known")
        return 1
    return int(any(verdict.finding is Finding.DISAGREES for verdicts in by_system.values() for verdict in verdicts))


def paragraph(system: str, verdicts: Iterable[Result]) -> list[str]:
    """What became of the cases of one system."""
    verdicts = list(verdicts)
    counts = Counter(verdict.finding for verdict in verdicts)
    figures = ", ".join(f"{counts[finding]} {_said(finding)}" for finding in Finding)
    lines = [f"{system}: {len(verdicts)} cases: {figures}"]
    lines += [_disagreement(verdict) for verdict in verdicts if verdict.finding is Finding.DISAGREES]
    without = Counter(
        (verdict.case.evaluator, why_not_covered(verdict.case))
        for verdict in verdicts
        if verdict.finding is Finding.NOT_COVERED
    )
    lines += [f"  not covered: {count} of {evaluator}: {why}" for (evaluator, why), count in without.items()]
    return lines


def _disagreement(verdict: Result) -> str:
    return f"  disagrees: {verdict}" if verdict.broke else f"  disagrees: {verdict.case.id}"


def _said(finding: Finding) -> str:
    return {Finding.AGREES: "agree", Finding.DISAGREES: "disagree"}.get(finding, finding.value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
