"""A suite in words and as a diagram."""

from __future__ import annotations

import pytest

from evaluators.api.loading import loads
from evaluators.api.suite import Suite
from evaluators.reports.suite_page import suite_data, suite_page
from evaluators.reports.text import WIDTH, page_text

SUITE = """\
description: Invoices of three suppliers.
test_set: {columns: {output: answer}}
comparators:
  money: {numeric: {tolerance: {abs: 0.01}}}
  close: {numeric: {tolerance: {abs: 1, rel: 0.1, either: true}}}
evaluators:
  - contains_json
  - json_multi_field_match:
      name: header
      needs: [contains_json]
      unmet: skip
      when: {row.kind: [invoice, "credit \\"note\\""], expected.total: {present: true}}
      transforms: [strip]
      fields:
        total: {compare: money, weight: 2, required: true}
        "lines": {align: {key_field: {key: sku}}}
        "lines[*].sku": {compare: exact, transforms: [lowercase]}
        note: skip
        remark: {compare: exact, optional: true}
        tax: {compare: {numeric: {tolerance: {abs: 1, rel: 0.1}}}, weight: 2}
        fee: close
  - length: {max: 400, pass_at: 0.5}
  - weighted_mean: {name: overall, of: {contains_json: 1, header: 3}, pass_at: 0.9}
  - all_of: {name: ready, of: [overall, length]}
slices: [row.supplier]
gates:
  overall: {metric: pass_rate, fail_below: 0.8, min_rows: 10, each_slice: row.supplier}
  header.total: {warn_below: 0.95}
"""


@pytest.fixture
def suite() -> Suite:
    return loads(SUITE, "invoices.yaml")


def test_a_suite_in_words(suite: Suite) -> None:
    text = page_text(suite_page(suite.config, suite.gates, suite.plan(), {"output": "answer"}), WIDTH, apart=True)
    assert (
        text.split("\nSteps\n")[0]
        == """\
invoices (invoices.yaml)
========================

Invoices of three suppliers.

5 evaluators, 2 gates, metrics for each supplier.

Evaluators
----------
- contains_json
  Pass when the output holds a JSON object or a JSON list.
  looks at the JSON object or list in column "answer"
  a row passes at a score of 1
- header: json_multi_field_match
  Compare chosen fields of the output with the same fields of the expected JSON.
  compares the JSON in column "answer" with the JSON in the expected column
  waits for: contains_json. A row that does not pass there is left out here.
  only where: row.kind is invoice or "credit \\"note\\"" and expected.total is there. Other rows are
    skipped.
  transforms: [strip]
  compared field by field:
  - total: money = numeric {tolerance: {abs: 0.01}}, weight 2, required
  - lines: items belong together when they have the same sku
  - lines[*].sku: exact, after lowercase
  - note: not compared
  - remark: exact, may be absent everywhere
  - tax: numeric {tolerance: {abs: 1, rel: 0.1}}, abs and rel must both hold, weight 2
  - fee: close = numeric {tolerance: {abs: 1, rel: 0.1, either: true}}, abs or rel is enough
  a row passes at a score of 1
- length
  Pass when the number of characters in the output is within limits, both included.
  looks at the text in column "answer"
  max: 400
  a row passes at a score of 0.5 or more
- overall: weighted_mean
  The mean of the parts' scores, each counted with its weight.
  combines: contains_json (weight 1), header (weight 3)
  a row passes at a score of 0.9 or more
- ready: all_of
  Pass when every part passes: 1.0 then, and 0.0 otherwise.
  combines: overall, length
  a row passes at a score of 1

Gates
-----
- overall: fail below 0.8 (pass rate), for each supplier, undecided below 10 rows
- header.total: warn below 0.95

Order
-----
- first: contains_json, length
- header, after contains_json
- overall, after contains_json, header
- ready, after overall, length
"""
    )


def test_a_suite_as_data(suite: Suite) -> None:
    data = suite_data(suite.config, suite.gates, suite.plan(), {"output": "answer"})
    header = data["evaluators"][1]
    assert (header["name"], header["waits_for"]) == ("header", ["contains_json"])
    assert header["when"][1] == "expected.total is there"
    assert header["settings"]["transforms"] == ["strip"]
    assert [step["number"] for step in data["steps"]] == [
        *range(len(data["columns"]), len(data["columns"]) + len(data["steps"]))
    ]
