"""The sentences of a comparison: why runs cannot be compared, what a reader should know, and what regression checks found.

They are worded here and not in reports/, since the JSON of a comparison and the causes of its exit code hold them.
"""

from __future__ import annotations

from typing import Final

from evaluators.runs.wording import Wording

sentence: Final = Wording({
    # whether both runs asked the same question
    "other-variants": "the variants differ: {base:names} in the base, {new:names} in the new run",
    "interrupted": "the {side} was interrupted before its last row",
    "one-sided-evaluators": "only the {side} has the {count:evaluator/evaluators} {evaluators:names}",
    "other-settings": 'the evaluator "{name}" has other settings: {settings:listed}',
    "other-reading": "the test set is read otherwise: {settings:listed}",
    "other-judge": "another judge was asked: {settings:listed}",
    "one-sided-rows": "{variant:variant}{count:rows} {count:is/are} in the {side} only: {ids:listed}",
    "other-question": (
        "{variant:variant}{count:rows} {count:has/have} another expected answer, or another cell that is looked at: "
        "{ids:listed}"
    ),
    "other-corrections": (
        "set aside: {variant:variant}{count:rows} whose expected answer is corrected otherwise, or in one run alone: "
        "{ids:listed}"
    ),
    "corrections-in-metrics": (
        "the expected answers of {count:rows} are corrected otherwise, or in one run alone, and are part of the metrics: {ids:listed}"
    ),
    "by-place": (
        "{variant:variant}rows were paired by their places, for want of an id; a column that names each of them would pair them: "
        "write `columns: {{id: COLUMN}}` under test_set, and score both again"
    ),
    "by-place-column": (
        '{variant:variant}rows were paired by their places, for want of an id; the column "{column}" would pair them: '
        "write `columns: {{id: {column:key}}}` under test_set, and score both again"
    ),
    "no-common-row": "no row is in both runs",
    "set-aside": "set aside: {reason}",
    "rows-needed": (
        "{rules:listed} {many:needs/need} the rows of both runs, and {sides} {count:has/have} metrics alone: name the run folder, or "
        "say `--fail-on nothing`"
    ),
    "metrics-alone": "{sides} {count:has/have} metrics alone: metrics are over all rows of each run, and nothing is tested",
    "other-data": (
        "it is not checked that both runs ask the same, since their test sets differ: {base:rows} in the base, "
        "{new:rows} in the new run"
    ),
    # what a reader should know
    "other-version": "the base was scored by evaluators {base}, the new run by {new}",
    "other-groups": "rows belong together by {base:quoted} in the base, by {new:quoted} in the new run, and intervals go by the new run",
    "one-sided-fields": 'only the {side} has the {count:field/fields} {fields:names} of the evaluator "{name}"',
    "repeated": "{count:rows} {count:shares its/share their} id with an earlier one; such rows are paired in their order",
    "unchecked": "a run does not say what its rows ask, so it is not checked that both ask the same",
    # what regression checks found
    "nothing-worse": "nothing is clearly worse",
    "worse": "clearly worse: {drops:listed}",
    "worse-by": "{name} by {drop:score}",
    "lower": "lower by {drop:score}",
    "not-lower": "not lower",
    "lost-count-0": " ({lost:,} lost {lost:row counts/rows count} 0)",
    "broken": "{broken:rows} broken",
    "broken-lost": "{broken:rows} broken, {lost:,} of them lost",
    "chance": ", which may be chance",
    "tested": ": {pairs:rows}, 95 % CI {interval}, p {p} corrected for {tested:,} {tested:field/fields}{whose}",
    "invented": "invented in {broken:rows}: the base has nothing there, and nothing is expected",
    "settled": "not lower: in {settled:rows} the new run has nothing there any more, and nothing is expected",
    "new-field": "new: the base has no such field",
    "lost-field": "lost: only the base has this field",
    "most-drop": "; the most is {most:g}",
    "most-rows": "; the most is {most:,}",
    "no-row": "it is in no row of both runs",
    "no-measured-row": "no row was measured in both runs",
    # why a comparison ends with its exit code
    "check-failed": "{check}: {message}",
    "check-undecided": "{check} is undecided: {message}",
    "check": "{rule}",
    "check-of": "{rule} of {target}",
    "lost": "{count:,} {count:row is/rows are} lost, scored in the base and not in the new run ({why:each}): {ids:listed}",
    "nothing-compared": "nothing was compared: no row was scored in both runs",
})  # fmt: skip
