"""The sentences of a run: what its gates, its exit code and its resuming found, worded.

Functions that compute give a `Finding`: a code, and the numbers and names that go with it. They are worded here and not in
reports/, since run.json and the causes of an exit code hold the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from string import Formatter
from typing import Any, Final

from msgspec import Struct

from evaluators.runs.metrics import (
    beside_limit,
    beside_quantity,
    count_text,
    full_name,
    limit_text,
    rows_text,
    score_text,
)
from evaluators.runs.result import EvaluatorStats, GateResult
from evaluators.scoring.values.quoting import first_texts, key_text

_SHOWN: Final = 5  # names that a sentence lists


class Finding(Struct, frozen=True):
    """A finding in code: the code of a sentence, and the values in it."""

    code: str
    facts: Mapping[str, object] = {}


SENTENCES: Final[Mapping[str, str]] = {
    # what a gate comes to; what begins with a comma or a semicolon goes on from the one before
    "metric": "{metric:metric}",
    "lower-bound": "lower bound of the {metric:metric}",
    "label-metric": '{metric:metric} of "{label}"',
    "held": "{metric} {value:beside}",
    "missed": "{metric} {value:beside} is {side} {limit:limit}",
    "quantity-held": "{metric} {value:beside quantity}",
    "quantity-missed": "{metric} {value:beside quantity} is {side} {limit:limit}",
    "no-rows": "no row was measured",
    "few-rows": "only {rows} measured, and the gate asks for {asked:,}",
    "no-such-slice": 'no row was measured: the column "{column}" has {values:first}',
    "small-groups": "no group has {k:,} outputs; the largest has {largest:,}",
    "left-out": "; {count:,} {count:group/groups} of fewer than {k:,} {count:is/are} left out",
    "undefined": "{metric} is undefined: there is nothing to divide by",
    "no-bound": "{metric} is unknown: there is nothing to divide by",
    "no-bound-in-slices": "{metric} is unknown: slices are not counted by group",
    "no-threshold": "{metric} is unknown: rows belong together, and no threshold is sure",
    "no-such-field": 'no row has the field "{path}"{near:after}',
    "items-together": (
        'write "{together}": the items of a list are counted together, so "{path}" has no metric of its own'
    ),
    "no-labels": "no labels were counted; list them in the suite: labels: [{label}]",
    "no-such-label": 'no row expects the label "{label}"{near:after}',
    "other-answers": "{metric} is not given: some expected answers are none of the labels",
    "items": "; {items:items} in {rows:rows}",
    "fails-anyway": ", and would be with every row that was kept out {certain}",
    "short": ", on only {found.of_text}; the gate asks for {asked:limit} of them",
    "unseen": "; {count:rows} of {scored:,} {count:has/have} an output that gave nothing, which precision does not see",
    # why a run ends with its exit code
    "interrupted": "the run was interrupted after {rows:rows}",
    "told": "{sentence}",
    "issue": "{issue.where:before}{issue.message}{issue.hint:brackets}",
    "gate-failed": "gate {gate:gate} failed: {gate.message}",
    "gate-undecided": "gate {gate:gate} is undecided: {gate.message}",
    "bugs": "a fault in the program left rows without a score: {counts:counts}",
    "invalid": "the test set left rows without a score: {counts:counts}",
    "unjudged": "the environment left rows without a score: {counts:counts}",
    "nothing-measured": "nothing was measured",
    "no-rows-at-all": "nothing was measured: the test set has no rows",
}


def quote_or_none(text: str | None) -> str:
    """A name in quotes; the word `none`, without quotes, where there is none."""
    return "none" if text is None else f'"{text}"'


def metric_words(name: str) -> str:
    """A metric as it is shown: `micro F1`."""
    return name.replace("_", " ").replace("f1", "F1")


def gate_label(gate: GateResult) -> str:
    """The gate's target with what sets it apart, for people: `header.total (recall, supplier = ACME)`."""
    about = [] if gate.metric in ("mean", "accuracy") else [metric_words(gate.metric)]  # what a gate is about unsaid
    if gate.label is not None:
        about.append(f"label {gate.label}")
    if gate.variant is not None:
        about.append(f"variant {gate.variant}")
    if gate.slice is not None:
        about.append(f"{gate.slice[0].removeprefix('row.')} = {gate.slice[1]}")
    return f"{gate.target} ({', '.join(about)})" if about else gate.target


def _counts_text(counts: Iterable[tuple[EvaluatorStats, int]]) -> str:
    """The evaluators with their counts: `exact_match 3 of 40, judge 2 of 40`."""
    return ", ".join(f"{full_name(stats)} {count:,} of {stats.rows:,}" for stats, count in counts)


_FORMS: Final[Mapping[str, Callable[[Any], str]]] = {
    "rows": rows_text,
    "items": lambda count: count_text(count, "item"),
    "limit": limit_text,
    "score": score_text,
    "beside": lambda pair: beside_limit(*pair),
    "beside quantity": lambda pair: beside_quantity(*pair),
    "metric": metric_words,
    "gate": gate_label,
    "counts": _counts_text,
    "quoted": quote_or_none,
    "key": key_text,
    "listed": lambda names: first_texts(names, _SHOWN),
    "first": lambda names: ", ".join(map(quote_or_none, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else ""),
    "names": lambda names: first_texts([quote_or_none(name) for name in names], _SHOWN) if names else "none",
    "each": lambda counts: ", ".join(f"{name} {count:,}" for name, count in counts),
    "before": lambda text: f"{text}: " if text else "",
    "after": lambda text: f"; {text}" if text else "",
    "brackets": lambda text: f" ({text})" if text else "",
    "variant": lambda name: "" if name is None else f'variant "{name}": ',
}
"""How what stands in a sentence is written, by the word after its colon; `is/are` is one or several."""


class Wording(Formatter):
    """Words findings by a table of sentences, one after the other."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = sentences

    def __call__(self, *findings: Finding) -> str:
        """The sentences of the findings, one after the other, without anything between them."""
        return "".join(self.vformat(self.sentences[finding.code], (), finding.facts) for finding in findings)

    def format_field(self, value: Any, form: str) -> str:
        """A value in the form that a sentence asks for: a finding is worded, and so is one in a list; `one/several` chooses by the number;
        else a form of `_FORMS`, or one of Python's."""
        if isinstance(value, Finding):
            return self(value)
        if isinstance(value, list):
            value = [self(each) if isinstance(each, Finding) else each for each in value]
        if (worded := _FORMS.get(form)) is not None:
            return worded(value)
        singular, slash, plural = form.partition("/")
        if not slash:
            return str(format(value, form))
        return singular if value == 1 else plural


sentence: Final = Wording(SENTENCES)
