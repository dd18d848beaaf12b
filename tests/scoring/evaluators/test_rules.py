"""Rules between fields: sums as exact as by hand, planted errors found and no others, and what a run and a check say of them."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.model.issues import Problems
from evaluators.model.settings import build
from evaluators.runs.result import EvaluatorStats
from evaluators.scoring.evaluators._evaluator import BUILTIN
from tests.kit import cli, write_files, write_rows

RULES: dict[str, Any] = {
    "lines add up": {"sum": "items[*].amount", "equals": "total", "tolerance": 0.01},
    "net and tax": {"sum": ["net", "tax"], "equals": "gross", "tolerance": 0.01},
    "each line": {"each": "items[*]", "product": ["qty", "unit_price"], "equals": "amount", "tolerance": 0.01},
    "due later": {"order": ["issued_on", "due_on"]},
    "one payee": {"exactly_one_of": ["iban", "card"]},
    "why rejected": {"when": {"output.status": "rejected"}, "present": "reason"},
    "no doubles": {"unique": "items[*].sku"},
}
CENTS = st.integers(-(10**9), 10**9)


def held(rule: dict[str, Any], output: Any) -> bool:
    """Whether a rule holds in an output."""
    return build(BUILTIN.find("rules"), {"the rule": rule}).score(output).score == 1


def run_of(rows: list[Any], settings: dict[str, Any]) -> EvaluatorStats:
    (found,) = evaluators.load({"evaluators": [{"rules": settings}]}).run(rows).evaluators
    return found


@given(st.lists(CENTS, min_size=1, max_size=8), CENTS, st.integers(0, 300))
def test_a_sum_holds_exactly_where_it_is_as_near_as_the_tolerance_says(
    amounts: list[int], off: int, tolerance: int
) -> None:
    for distance in (off, tolerance, -tolerance, tolerance + 1, 0):
        total = sum(amounts) + distance
        output = {"items": [{"n": cents / 100} for cents in amounts], "total": total / 100}
        rule = {"sum": "items[*].n", "equals": "total", "tolerance": tolerance / 100}
        assert held(rule, output) is (abs(distance) <= tolerance)


@given(st.lists(st.fractions(-100, 100, max_denominator=1).map(int) | st.floats(-100, 100), min_size=1, max_size=6))
def test_sums_and_products_are_those_of_the_decimals_that_are_written(numbers: list[float]) -> None:
    exact = [Fraction(repr(number)) for number in numbers]
    product = Fraction(1)
    for number in exact:
        product *= number
    for word, value in (("sum", sum(exact)), ("product", product)):
        near = float(value)
        output = {"n": numbers, "is": near}
        assert held({word: "n[*]", "equals": "is"}, output) is (Fraction(repr(near)) == value)


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-5, 5), min_size=2, max_size=6))
def test_numbers_are_in_order_where_sorting_leaves_them_as_they_are(numbers: list[float]) -> None:
    assert held({"order": "n[*]"}, {"n": numbers}) is (sorted(numbers) == numbers)


@given(st.lists(st.dates(), min_size=2, max_size=5))
def test_dates_are_in_order_where_sorting_leaves_them_as_they_are(days: list[Any]) -> None:
    assert held({"order": "n[*]"}, {"n": [day.isoformat() for day in days]}) is (sorted(days) == days)


@pytest.mark.parametrize("word", ["order", "present", "unique"])
def test_a_rule_about_no_items_that_holds_says_so(word: str) -> None:
    suite = evaluators.load({"evaluators": [{"rules": {"empty": "holds", "a": {word: "n[*]"}}}]})
    (found,) = suite.evaluate({"output": {"n": []}})["rules"].fields
    assert (found.status.word, found.reason) == ("match", "there are no items")


# Invoices with planted errors


def invoice(draw: random.Random) -> dict[str, Any]:
    """An invoice in which every rule holds."""
    items = []
    for number in range(draw.randint(1, 6)):
        qty, price = draw.randint(1, 20), draw.randint(1, 99_999)
        items.append({"sku": f"S{number}", "qty": qty, "unit_price": price / 100, "amount": round(qty * price / 100, 2)})
    cents = sum(round(item["amount"] * 100) for item in items)
    tax = cents * 19 // 100
    day = draw.randint(1, 27)
    return {
        "items": items, "total": cents / 100, "net": cents / 100, "tax": tax / 100, "gross": (cents + tax) / 100,
        "issued_on": f"2024-05-{day:02}", "due_on": f"2024-05-{day + 1:02}", "iban": "DE00", "status": "rejected",
        "reason": "late",
    }  # fmt: skip


def _more(field: str) -> Callable[[dict[str, Any]], object]:
    return lambda output: output.update({field: round(output[field] + 0.02, 2)})


PLANTED: dict[str, list[Callable[[dict[str, Any]], object]]] = {
    "lines add up": [_more("total"), lambda output: output.pop("total")],
    "net and tax": [_more("tax"), lambda output: output.update(net=str(output["net"]))],
    "each line": [
        lambda output: output["items"][-1].update(qty=output["items"][-1]["qty"] + 1),
        lambda output: output["items"][0].pop("unit_price"),
    ],
    "due later": [lambda output: output.update(due_on="2024-04-30"), lambda output: output.update(due_on="next week")],
    "one payee": [lambda output: output.update(card="4111"), lambda output: output.update(iban=None)],
    "why rejected": [lambda output: output.pop("reason")],
    "no doubles": [
        lambda output: output["items"].append(
            {**copy.deepcopy(output["items"][0]), "qty": 0, "amount": 0, "unit_price": 0}
        )
    ],
}


def test_every_planted_error_is_found_and_nothing_else_is_accused() -> None:
    draw = random.Random(7)
    rows, planted = [], dict.fromkeys(RULES, 0)
    for number in range(300):
        output = invoice(draw)
        for name in RULES:
            if draw.random() < 0.1:
                draw.choice(PLANTED[name])(output)
                planted[name] += 1
        rows.append({"id": number, "output": output})
    found = run_of(rows, RULES)
    assert {field.path: field.counts.n - field.counts.match for field in found.fields} == planted
    assert {field.path: field.counts.n for field in found.fields} == dict.fromkeys(RULES, 300)


# In a run


def test_a_rule_is_gated_by_its_name_to_the_letter_and_counted_in_slices(tmp_path: Path) -> None:
    name = "net & tax, in EUR [gross]"
    suite = {
        "test_set": "rows.jsonl",
        "evaluators": [{"rules": {name: {"sum": ["net", "tax"], "equals": "gross"}}}],
        "slices": ["row.region"],
        "gates": {f"rules.{name}": {"fail_below": 0.9}},
    }
    write_files(tmp_path, {"suite.yaml": yaml.safe_dump(suite, sort_keys=False)})
    outputs = [{"net": 1, "tax": 1, "gross": gross} for gross in (2, 2, 3)]
    write_rows(tmp_path / "rows.jsonl", ({"id": at, "output": one, "region": "eu"} for at, one in enumerate(outputs)))
    done = cli("run", str(tmp_path / "suite.yaml"), "--no-results", "-v")
    assert done.exit_code == 1
    assert f"gate rules.{name} failed: accuracy 0.6667 is below 0.9" in done.output
    assert "region = eu  rules          0.6667" in done.output


def test_a_rule_that_no_row_measures_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"suite.yaml": _SUITE, "rows.csv": 'id,output,expected\n1,"{""a"": 1}","{""a"": 1}"\n'})
    done = cli("run", "suite.yaml", "--no-results")
    assert done.exit_code == 3
    said = " ".join(done.output.split())
    assert 'suite.yaml:5:7: "rules": no row has "b", which the rule "b [x" names hint: the rows have "a"' in said
    assert "measured nothing" not in said


def test_a_field_that_no_output_gives_is_no_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = "test_set: rows.csv\nevaluators:\n  - grounded: {source: mail, fields: [a, b]}\n"
    write_files(tmp_path, {"suite.yaml": suite, "rows.csv": 'id,mail,output\n1,1,"{""a"": 1}"\n'})
    done = cli("run", "suite.yaml", "--no-results")
    assert done.exit_code == 3
    said = " ".join(done.output.split())
    assert '"grounded": the field "b" measured nothing: no output gives a value to look for' in said


_SUITE = """\
test_set: rows.csv
evaluators:
  - rules:
      a: {present: a}
      "b [x": {present: b}
"""


def test_everything_that_is_wrong_with_rules_is_said_at_once_where_it_stands(tmp_path: Path) -> None:
    text = "evaluators:\n  - rules:\n      sid: output\n      a: {sum: x, equal: y}\n      b.c: {present: z}\n      parse: 3\n"
    with pytest.raises(Problems) as caught:
        evaluators.load(write(tmp_path, text))
    said = [(str(issue.where).rpartition("suite.yaml:")[2], issue.message, issue.hint) for issue in caught.value.issues]
    assert said == [
        ("3:7", 'the rule "sid" must be a map; found the text "output"', 'did you mean "side"?'),
        ("4:19", 'unknown setting "equal" for the rule "a"', 'did you mean "equals"?'),
        ("5:7", 'the name "b.c" of a rule has a dot', "write b_c; gates split at the first dot"),
        (
            "6:14",
            "parse must be true, or say how numbers and dates are written; found the number 3",
            'write parse: true, or parse: {thousands: ".", decimal: ","}',
        ),
    ]


def write(folder: Path, text: str) -> Path:
    write_files(folder, {"suite.yaml": text})
    return folder / "suite.yaml"


def test_parse_says_how_numbers_are_written_or_as_everywhere_how_json_is_read(tmp_path: Path) -> None:
    rule = "      a: {sum: x, equals: y}\n"
    lenient = evaluators.load(write(tmp_path, f"evaluators:\n  - rules:\n      parse: {{decimal: ','}}\n{rule}"))
    assert lenient.evaluate({"output": '```json\n{"x": "1,5", "y": 1.5}\n```'})["rules"].score == 1
    strict = evaluators.load(write(tmp_path, f"evaluators:\n  - rules:\n      parse: strict\n{rule}"))
    assert strict.evaluate({"output": '```json\n{"x": 1.5, "y": 1.5}\n```'})["rules"].status == "unreadable"


def test_check_expected_names_the_rules_that_expected_answers_break(tmp_path: Path) -> None:
    rules = "a: {sum: x, equals: y}, b: {when: {row.kind: k}, present: z}"
    suite = write(tmp_path, f"test_set: rows.jsonl\nevaluators:\n  - rules: {{side: expected, {rules}}}\n")
    answers = [{"x": 1, "y": 1}, {"x": 1, "y": 2}, "{"]
    rows = ({"id": at, "output": "{}", "expected": one, "kind": "k"} for at, one in enumerate(answers))
    write_rows(tmp_path / "rows.jsonl", rows)
    done = cli("check-expected", str(suite))
    assert done.exit_code == 3
    assert 'against the rules of "rules"' in done.output
    assert 'row 2, column "expected": the rule "a": the sum of x is 1, y is 2' in done.output
    assert 'the rule "b"' not in done.output
    assert "2 problems found." in done.output


def test_rows_that_are_blocked_keep_0_on_either_side() -> None:
    settings = {"needs": ["contains_json"], "a": {"present": "x"}}
    suite = evaluators.load(
        {
            "evaluators": [
                "contains_json",
                {"rules": {**settings, "side": "expected", "name": "gold"}},
                {"rules": settings},
            ]
        }
    )
    found = suite.run(
        [{"id": 1, "output": "none", "expected": {"x": 1}}, {"id": 2, "output": {"x": 1}, "expected": {"x": 1}}]
    )
    assert [(one.name, one.blocked, one.mean) for one in found.evaluators[1:]] == [("gold", 1, 0.5), ("rules", 1, 0.5)]


# What a model could leave out


READ_RULES: dict[str, Any] = {
    "sum": {"sum": "lines[*].n", "equals": "total"},
    "sum of lists": {"sum": ["lines[*].parts[*].n", "box.n"], "equals": "total"},
    "product": {"product": "lines[*].n", "equals": "total"},
    "each": {"each": "lines[*]", "sum": "parts[*].n", "equals": "n"},
    "each is there": {"each": "lines[*]", "present": "n"},
    "order": {"order": "lines[*].n"},
    "order of fields": {"order": ["box.n", "total"]},
    "present": {"present": "lines[*].n"},
    "unique": {"unique": "lines[*].parts[*].n"},
    "unique in each": {"each": "lines[*]", "unique": "parts[*].n"},
    "one of": {"exactly_one_of": ["box.n", "tags"]},
    "filter": {"sum": "$.lines[?(@.n > 0)].n", "equals": "total"},
}
_NUMBERS = st.sampled_from([0, 1, 2, 3, 0.5, None])


def _object(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=values)


_PARTS = st.lists(_object(n=_NUMBERS), max_size=3)
DOCUMENTS = _object(
    lines=st.lists(_object(n=_NUMBERS, parts=_PARTS), max_size=3),
    total=_NUMBERS,
    box=_object(n=_NUMBERS),
    tags=st.lists(_NUMBERS, max_size=1),
)


def statuses(output: Any, expected: Any = None, **settings: Any) -> dict[str, str]:
    """What becomes of the rules in an output."""
    suite = evaluators.load({"evaluators": [{"rules": {**settings, **READ_RULES}}]})
    found = suite.evaluate({"output": output, **({} if expected is None else {"expected": expected})})["rules"].fields
    return {str(one.path): one.status.word for one in found}


def places(value: Any, kinds: tuple[type, ...], above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places below a document at which a value of such a kind stands."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [place for key, one in inner for place in places(one, kinds, (*above, key))]
    return [above, *below] if above and isinstance(value, kinds) else below


def replaced(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    """A copy of a document with another value at a place."""
    document = copy.deepcopy(document)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return document


@given(DOCUMENTS, st.none() | DOCUMENTS, st.sampled_from(["fail", "skip"]), st.sampled_from([[], {}]))
def test_emptying_a_list_never_turns_a_failed_rule_into_one_that_holds(
    output: Any, expected: Any, missing: str, empty: Any
) -> None:
    before = statuses(output, expected, missing=missing)
    for place in places(output, (list,)):
        after = statuses(replaced(output, place, empty), expected, missing=missing)
        assert [name for name in before if before[name] in ("mismatch", "omission") and after[name] == "match"] == []


@given(DOCUMENTS, st.none() | DOCUMENTS, st.sampled_from(["none", True, 7, [1]]))
def test_a_value_of_the_wrong_kind_never_makes_a_rule_leave_a_row(output: Any, expected: Any, wrong: Any) -> None:
    measured = ("match", "mismatch", "omission")
    before = statuses(output, expected, missing="skip")
    wrong_for = (dict,) if isinstance(wrong, list) else (dict, list) if wrong == 7 else (dict, list, int, float)
    for place in places(output, wrong_for):
        after = statuses(replaced(output, place, wrong), expected, missing="skip")
        left = [name for name in before if before[name] in measured and after[name] not in measured]
        # values that may be of any kind are others then, no wrong ones; a filter chooses its items
        free = ("filter", *(("unique", "unique in each") if isinstance(output, dict) and place[-1] == "n" else ()))
        assert [name for name in left if name not in free] == []


@pytest.mark.parametrize("count", [1, 1000, 5000])
def test_a_product_is_exact_however_many_digits_it_has(count: int) -> None:
    halves = {"n": [2, 0.5] * count + [1.0000001], "is": 1.0000001}
    assert held({"product": "n[*]", "equals": "is"}, halves)
    assert not held({"product": "n[*]", "equals": "is"}, {**halves, "is": 1.0000002})
    assert held({"product": "n[*]", "equals": "is", "tolerance": 1e-7}, {**halves, "is": 1.0000002})
    long = {"n": [10**300 + at for at in range(count)], "is": 1}
    assert not held({"product": "n[*]", "equals": "is", "tolerance": {"rel": 0.5}}, long)


@pytest.mark.parametrize(
    ("rule", "missing"),
    [
        ("{exactly_one_of: [iban, crad]}", '"crad"'),
        ("{sum: [iban, crad], equals: 3}", '"crad"'),
        ("{sum: [iban], equals: totl}", '"totl"'),
        ("{order: [iban, lines.0.x]}", '"lines[0].x"'),
        ("{present: crad, when: {row.id: 7}}", '"crad"'),
        ('{unique: "lines[*].y"}', '"lines[*].y"'),
        ('{each: "lines[*]", product: [n, qty], equals: amount}', '"lines[*].qty", "lines[*].amount"'),
        ('{sum: "$.lines[?(@.n > 9)].n", equals: iban}', '"$.lines[?(@.n > 9)].n"'),
    ],
)
def test_a_path_that_no_row_has_is_an_error_whatever_the_rule_scores(tmp_path: Path, rule: str, missing: str) -> None:
    suite = write(
        tmp_path, f"test_set: rows.jsonl\nevaluators:\n  - rules:\n      one: {rule}\n      two: {{present: iban}}\n"
    )
    write_rows(
        tmp_path / "rows.jsonl", ({"id": at, "output": {"iban": 1, "card": 2, "lines": [{"n": 1}]}} for at in (1, 2))
    )
    done = cli("run", str(suite), "--no-results")
    assert done.exit_code == 3
    said = f'suite.yaml:4:7: "rules": no row has {missing}, which the rule "one" names'
    assert "".join(said.split()) in "".join(done.output.split())  # a long place takes two lines
    write(tmp_path, suite.read_text().replace(f"one: {rule[:-1]}", f"one: {rule[:-1]}, optional: true"))
    assert cli("run", str(suite), "--no-results").exit_code == 0


@pytest.mark.parametrize("where", ["output", "expected"])
def test_a_path_that_one_row_has_on_either_side_is_no_error(tmp_path: Path, where: str) -> None:
    suite = write(tmp_path, "test_set: rows.jsonl\nevaluators:\n  - rules: {one: {present: [a, b]}}\n")
    rows = [{"output": {"a": 1}, "expected": {"a": 1}}, {"output": {"a": 1}, "expected": {"a": 1}}]
    rows[1][where] = {"a": 1, "b": 2}
    write_rows(tmp_path / "rows.jsonl", ({"id": at, **row} for at, row in enumerate(rows)))
    assert cli("run", str(suite), "--no-results").exit_code == 0


@pytest.mark.parametrize(("empty", "mean"), [("missing", 0.25), ("holds", 0.75)])
def test_rows_with_a_list_without_items_are_counted_in_the_summary(tmp_path: Path, empty: str, mean: float) -> None:
    rules = f'{{empty: {empty}, up: {{sum: "lines[*].n", equals: total}}, two: {{unique: "lines[*].n"}}}}'
    suite = write(tmp_path, f"test_set: rows.jsonl\nevaluators:\n  - rules: {rules}\n")
    outputs = [{"lines": [{"n": 1}], "total": 1}, {"lines": [], "total": 0}, {"lines": {}, "total": 0}, {"lines": "none"}]
    write_rows(tmp_path / "rows.jsonl", ({"id": at, "output": one} for at, one in enumerate(outputs)))
    done = cli("run", str(suite), "--no-results")
    said = " ".join(done.output.split())
    assert f"rules {mean:.4f}" in said
    assert '"rules": the list "lines" of "up", "two" has no items, in 2 rows (rows 2, 3)' in said
    assert "counts as missing; where the suite says `empty: holds`, a rule over its items holds" in said
    assert cli("check", str(suite), "--with-data").exit_code == 0
