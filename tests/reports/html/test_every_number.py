"""Every number that the HTML report of a run shows, read in a browser and held against the files of the run folder.

The texts that are expected are made here, of `run.json` and of the rows, codes and outcomes that the run exports.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from tests.kit import lines_of
from tests.reports.html.conftest import Opened, write_report
from tests.waiting import PATIENCE

Line = dict[str, str]
ALL = "all evaluators"

TABLES = """(section) => Array.from(document.querySelectorAll(`${section} table`), (table) =>
  Array.from(table.rows).filter((row) => !row.matches(".mistakes")).map((row) =>
    Array.from(row.cells, (cell) => cell.innerText.replace(/\\s+/g, " ").trim())))"""
SECTIONS = "() => Array.from(document.querySelectorAll('main > section'), (one) => one.querySelector('h2').textContent)"

PLAIN = {"number": "A1", "total": 10, "city": "Rome", "items": [{"sku": "x"}, {"sku": "y"}]}
ROWS: tuple[tuple[Any, Any, str, str, str, str], ...] = (
    (PLAIN, PLAIN, "a", "a", "north", "1.5"),
    ({**PLAIN, "total": 11}, PLAIN, "a", "b", "north", "2.5"),
    ("no JSON at all", PLAIN, "b", "b", "south", "3"),
    ({"number": "A2", "items": []}, PLAIN, "b", "a", "south", ""),
    (PLAIN, "not JSON", "c", "c", "south", "n/a"),
    ({**PLAIN, "city": "Oslo"}, {"number": "A1", "total": 10, "items": []}, "c", "zebra", "north", "7"),
    ({"total": 1, "city": "x"}, {}, "a", "a", "north", "8"),
    ({**PLAIN, "items": [{"sku": "x"}, {"sku": "z"}, {"sku": "w"}]}, PLAIN, "b", "b", "east", "9.25"),
    (PLAIN, {"city": "Rome"}, "a", "a", "east", "1234.5"),
    ({"number": "A1"}, PLAIN, "b", "c", "east", "0.5"),
)  # fmt: skip
"""Output, expected answer, kind, kind in the output, shop and cost of each row."""
EMPTIES = [("invented", "invented_rate"), ("left empty", "left_empty_rate")]
EVALUATORS = [
    "contains_json",
    {
        "json_multi_field_match": {
            "name": "header",
            "needs": ["contains_json"],
            "fields": {"number": "exact", "total": "numeric", "city": {"compare": "exact", "optional": True}},
        }
    },
    {
        "schema_match": {
            "name": "lines",
            "when": {"row.kind": ["a", "b"]},
            "fields": {"number": "exact", "total": "numeric", "items[*].sku": "exact"},
        }
    },
    {"exact_match": {"name": "kind", "output": "given", "expected": "kind", "labels": ["a", "b", "c"]}},
    {"weighted_mean": {"name": "both", "of": {"contains_json": 1, "header": 3}, "pass_at": 0.7}},
]
GATES = {
    "header": {"fail_below": 0.9},
    "header.total": {"fail_below": 0.1, "warn_below": 0.99},
    "lines": [{"metric": "f1", "fail_below": 0.2}, {"metric": "recall", "warn_below": 0.99, "slice": {"shop": "north"}}],
    "kind": {"metric": "macro_f1", "fail_below": 0.2},
    "cost": {"metric": "mean", "fail_above": 100},
}


class Recorded:
    """What a run folder says."""

    def __init__(self, folder: Path) -> None:
        self.report = folder / "report.html"
        run = folder / "runs" / "x"
        self.run = json.loads((run / "run.json").read_text(encoding="utf-8"))
        self.names = list(dict.fromkeys(one["name"] for one in self.run["evaluators"]))
        self.rows, self.verdicts, self.outcomes = [], [], []
        for variant in self.run["variants"] or [None]:
            codes = {(one["evaluator"], one["code"]): one for one in lines_of(run, "codes", variant)}
            rows = [{**row, "variant": variant} for row in lines_of(run, "rows", variant)]
            self.rows += rows
            self.verdicts += [
                {name: codes[name, code] for name, code in zip(self.names, row["codes"], strict=True)} for row in rows
            ]
            self.outcomes += [{**one, "variant": variant} for one in lines_of(run, "outcomes", variant)]
        listed = self.run["record"]["evaluators"]
        self.listed = {one["name"]: one["fields"] for one in listed}

    def in_order(self, names: Sequence[str]) -> list[tuple[Any, Any]]:
        """Rows and their verdicts as the page has them where no order is chosen: those with something wrong first."""
        pairs = list(zip(self.rows, self.verdicts, strict=True))
        return sorted(pairs, key=lambda pair: not any(_is(pair[1][name], "wrong") for name in names))


@pytest.fixture(scope="module", params=["one output", "two variants"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A run of an evaluator of each kind; the second one of two models, of which one gives what is expected wherever it can."""
    folder = tmp_path_factory.mktemp("numbers")
    variants = request.param == "two variants"
    suite = {"name": "every number", "evaluators": EVALUATORS, "slices": ["row.shop"], "gates": GATES}
    suite |= {"measures": {"cost": "row.cost"}, "test_set": {"file": "rows.csv"}}
    outputs = {"first": [row[0] for row in ROWS], "second": [row[1] for row in ROWS]}
    with open(folder / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "expected", "kind", "given", "shop", "cost", *([] if variants else ["output"])])
        for number, (output, expected, *cells) in enumerate(ROWS, 1):
            writer.writerow([f"r{number}", _cell(expected), *cells, *([] if variants else [_cell(output)])])
    if variants:
        suite["test_set"] = {"file": "rows.csv", "outputs": {name: f"{name}.csv" for name in outputs}}
        for name, given in outputs.items():
            with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as stream:
                lines = [[f"r{number}", _cell(one)] for number, one in enumerate(given, 1)]
                csv.writer(stream).writerows([["id", "output"], *lines])
    (folder / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    write_report(folder, folder / "suite.yaml", results=folder / "runs", name="x")
    return Recorded(folder)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture(scope="module")
def report(browser: Any, recorded: Recorded) -> Iterator[Opened]:
    """The report in a tab that all tests of a run share."""
    context = browser.new_context(viewport={"width": 1600, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE)
    opened = Opened(context.new_page()).go(recorded.report)
    opened.tab.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    if (more := opened.tab.locator("#section-fields .more")).count():
        more.click()
    yield opened
    context.close()


@pytest.fixture
def page(report: Opened) -> Opened:
    """The report, with no choice made."""
    _choose(report, "")
    return report


def score(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def quantity(value: float | None, digits: int = 4) -> str:
    return "–" if value is None else f"{float(f'{value:.{digits}g}'):,.10f}".rstrip("0").rstrip(".")


def interval(found: Any, text: Callable[[float], str]) -> str:
    return "–" if found is None else f"[{text(found['low'])}, {text(found['high'])}]".replace(" %", "")


def of_part(stats: Any, text: str) -> str:
    """A figure, with its rows where more than a twentieth of those that should be scored were not."""
    lost = stats["invalid"] + stats["unjudged"] + stats["bugs"]
    return f"{text} ({_counted(stats['scored'], 'row')})" if lost * 20 > stats["scored"] + lost else text


def _counted(size: int, noun: str) -> str:
    return f"{size} {noun}" if size == 1 else f"{size} {noun}s"


def about(pair: Sequence[str] | None) -> str:
    return f"{pair[0].removeprefix('row.')} = {pair[1]}" if pair else ""


def tables(page: Opened, title: str) -> list[list[Line]]:
    """The tables of a section, each line by its heads."""
    section = page.tab.locator("main > section").filter(has=page.tab.get_by_role("heading", name=title, exact=True))
    found = page.tab.evaluate(TABLES, f"#{section.get_attribute('id')}")
    return [[dict(zip(table[0], row, strict=True)) for row in table[1:]] for table in found]


def agree(shown: list[Line], expected: Iterable[Line]) -> None:
    """A table says what is expected; a column that it leaves out would be empty in every line."""
    wanted = list(expected)
    assert len(shown) == len(wanted)
    for line, want in zip(shown, wanted, strict=True):
        assert line == {head: want[head] for head in line}
        assert all(want[head] in ("", "0") for head in want if head not in line)


def test_no_section_has_numbers_that_are_not_held_here(page: Opened, recorded: Recorded) -> None:
    run = recorded.run
    labels = [
        f"Confusion matrix: kind ({one['variant']})" if one["variant"] else "Confusion matrix: kind"
        for one in run["confusion_matrices"]
    ]
    figures = [f"Metrics of lines ({one})" for one in run["variants"]] or ["Metrics of lines"]
    known = [
        "Gates",
        "Evaluators",
        *labels,
        *figures,
        "Array breakdown",
        "Fields",
        "Other frequent mistakes",
        "Invented, and left empty",
        "Slices",
        "Measures",
        "Rows",
        "Result",
    ]
    known += [title for title in ("Problems", "Warnings", "Notes") if title in page.tab.evaluate(SECTIONS)]
    assert sorted(page.tab.evaluate(SECTIONS)) == sorted(known)
    assert page.complaints == []


def test_gates(page: Opened, recorded: Recorded) -> None:
    (shown,) = tables(page, "Gates")
    order = ("failed", "undecided", "warned", "passed")
    signs = {"failed": "✕ failed", "undecided": "! undecided", "warned": "! warning", "passed": "✓ passed"}
    agree(
        shown,
        (
            {
                "gate": gate["target"], "variant": gate["variant"] or "", "slice": about(gate["slice"]),
                "verdict": signs[gate["verdict"]], "found": gate["message"], "limit": gate["limit"],
                "n": str(gate["n"]),
            }
            for gate in sorted(recorded.run["gates"], key=lambda gate: order.index(gate["verdict"]))
        ),
    )  # fmt: skip


def test_the_verdict_and_the_result(page: Opened, recorded: Recorded) -> None:
    run = recorded.run
    header = page.text("header")
    assert f"{run['rows']} rows of rows.csv" in header
    assert f"Exit code {run['exit_code']}:" in header
    result = page.texts("#section-result li")
    assert result == run["causes"]
    assert [line for line in header.splitlines() if line in result] == result[:5]
    ended = page.texts("#section-result p")
    fingerprints = [run[f"{name}_fingerprint"].removeprefix("sha256:")[:12] for name in ("suite", "data")]
    assert re.findall(r"\b[0-9a-f]{12}\b", ended[-1]) == fingerprints


def test_problems_and_warnings(page: Opened, recorded: Recorded) -> None:
    run = recorded.run
    for section, found, counts in (("problems", run["issues"], run["issue_counts"]), ("warnings", run["warnings"], {})):
        said = []
        for code in dict.fromkeys(issue["code"] for issue in found):
            same = [f"{issue['where']}: {issue['message']}" for issue in found if issue["code"] == code]
            more = counts.get(code, len(same)) - len(same)
            said += [*same, *([f"and {more} more like this"] if more else [])]
        assert [text.splitlines()[0] for text in page.texts(f"#section-{section} li")] == said


def test_evaluators(page: Opened, recorded: Recorded) -> None:
    cards = [re.sub(r"\s+", " ", text) for text in page.texts(".card")]
    for card, stats in zip(cards, recorded.run["evaluators"], strict=True):
        mean = stats["mean_ci"]
        words = [f"{stats['name']}{stats['variant'] or ''}", f"{of_part(stats, score(stats['mean']))} mean score"]
        if mean:
            words.append(f"95 % CI {interval(mean, score)}")
        if stats["scored"]:
            words.append(f"{stats['passed']} of {stats['scored']} passed")
        counts = (
            "passed", "failed", "skipped", "not_measured", "invalid", "unjudged", "bugs", "blocked",
            "unreadable",
        )  # fmt: skip
        words += [f"{stats[name]} {name.replace('_', ' ')}" for name in counts if stats[name]]
        if stats["failed"]:
            words.append(f"Show {_counted(stats['failed'], 'failed row')}")
        words.append("More figures")
        words.append(f"{stats['type']} · PLACE")
        words.append(f"pass rate {of_part(stats, score(stats['pass_rate']))}")
        if stats["pass_rate_ci"]:
            words.append(interval(stats["pass_rate_ci"], score))
        ratios = [f"micro {name} {score(stats[f'micro_{name.lower()}'])}" for name in ("precision", "recall", "F1")]
        if stats["micro_f1"] is not None:
            rates = [f"{name} rate {score(stats[key])}" for name, key in EMPTIES if stats[key] is not None]
            words.append(" · ".join([*ratios, *rates]))
        if stats["minimum_detectable_effect"] is not None:
            words.append(
                "With this many rows, two runs can be told apart when their mean scores differ by about "
                f"{score(stats['minimum_detectable_effect'])} or more."
            )
        words.append("0 scores 1")
        assert re.sub(r"(?<= · )\S+:\d+:\d+", "PLACE", card) == " ".join(words)


def test_remarks_below_the_evaluators(page: Opened, recorded: Recorded) -> None:
    said = (text.replace("\n", " ") for text in page.texts(".remarks li"))
    pattern = r"[^:]+: (only \d+ of \d+ rows were measured(?=;)|\d+ of the \d+(?= scored rows ))"
    shown = Counter(found[0] if (found := re.match(pattern, text)) else text for text in said)
    expected: Counter[str] = Counter()
    for stats in recorded.run["evaluators"]:
        name = f"{stats['name']} ({stats['variant']})" if stats["variant"] else stats["name"]
        asked = stats["rows"] - stats["skipped"] - stats["not_measured"]
        if of_part(stats, ""):
            expected[f"{name}: only {stats['scored']} of {asked} rows were measured"] += 1
        for count in ("unreadable", "blocked", "empty_expected"):
            if stats[count]:
                expected[f"{name}: {stats[count]} of the {stats['scored']}"] += 1
    assert shown == expected


def test_the_scores_of_rows_as_bars(page: Opened, recorded: Recorded) -> None:
    said = page.tab.evaluate(
        "() => Array.from(document.querySelectorAll('.card'), (one) => one.querySelector('svg').ariaLabel)"
    )
    for text, stats in zip(said, recorded.run["evaluators"], strict=True):
        bars = Counter(
            _bar(Fraction(*verdicts[stats["name"]]["score"]))
            for row, verdicts in zip(recorded.rows, recorded.verdicts, strict=True)
            if row["variant"] == stats["variant"] and "score" in verdicts[stats["name"]]
        )
        ordered = sorted(bars.items(), key=lambda pair: pair[0])
        assert text == "Scores: " + ", ".join(f"{_counted(size, 'row')} {_bar_words(place)}" for place, size in ordered)
        assert sum(bars.values()) == stats["scored"]


def _bar(value: Fraction) -> int:
    return 0 if value == 0 else 21 if value == 1 else 1 + int(value * 20)


def _bar_words(place: int) -> str:
    if place in (0, 21):
        return f"at {place // 21}"
    return f"from {float(Fraction(place - 1, 20)):g} to {float(Fraction(place, 20)):g}"


def test_means_of_variants(page: Opened, recorded: Recorded) -> None:
    found = tables(page, "Evaluators")
    if not recorded.run["variants"]:
        assert found == []
        return
    (shown,) = found
    stats = {(one["name"], one["variant"]): one for one in recorded.run["evaluators"]}
    agree(shown, ({"evaluator": name} | _means(stats, name, recorded.run["variants"]) for name in recorded.names))


def _means(stats: Any, name: str, variants: Sequence[str]) -> Line:
    found = {}
    for variant in variants:
        one = stats[name, variant]
        limits = one["mean_ci"]
        found[variant] = of_part(one, score(one["mean"])) + (f" {interval(limits, score)}" if limits else "")
    return found


@pytest.mark.slow
def test_labels(page: Opened, recorded: Recorded) -> None:
    for table in recorded.run["confusion_matrices"]:
        title = f"Confusion matrix: kind ({table['variant']})" if table["variant"] else "Confusion matrix: kind"
        counts, figures = tables(page, title)
        cells = {(one["expected"], one["output"]): one["count"] for one in table["cells"]}
        labels = [one["label"] for one in table["labels"]]
        agree(
            counts,
            (
                {"expected": one} | {other: str(cells.get((one, other), 0)) for other in table["columns"]}
                for one in labels
            ),
        )
        averages = [{**one, "label": f"{one['label']} average"} for one in table["averages"]]
        agree(figures, map(_label_line, [*table["labels"], *averages]))
        section = page.tab.locator("main > section").filter(has=page.tab.get_by_role("heading", name=title, exact=True))
        taken = [text.replace("\n", "") for text in section.locator("li").all_inner_texts()]
        wrong = sorted((one for one in table["cells"] if one["expected"] != one["output"]), key=lambda one: -one["count"])
        assert taken == [
            f"{one['expected']} → {one['output']}: {_counted(one['count'], 'row')}; row{'' if one['count'] == 1 else 's'} "
            + ", ".join(f"{number} ({id_})" for number, id_ in one["first_rows"])
            for one in wrong
        ]


def _label_line(one: Any) -> Line:
    counts = {name: str(one[name]) for name in ("support", "predicted", "right")}
    ratios = {name: score(one[name.lower()]) for name in ("precision", "recall", "F1")}
    return {"label": one["label"], **counts, **ratios}


def test_the_figures_of_a_schema(page: Opened, recorded: Recorded) -> None:
    for stats in recorded.run["evaluators"]:
        if stats["name"] != "lines":
            continue
        title = f"Metrics of lines ({stats['variant']})" if stats["variant"] else "Metrics of lines"
        (shown,) = tables(page, title)
        counts = stats["counts"]
        right = counts["match"] + counts["mismatch"] + counts["error"]
        over = {"precision": right + counts["hallucination"], "recall": right + counts["omission"]}
        over["f1"] = right + counts["hallucination"] + counts["omission"]
        wanted = [
            (f"micro {'F1' if name == 'f1' else name}", score(stats[f"micro_{name}"]), _counted(over[name], "field"))
            for name in over
        ]
        words = {"mean_f1": "mean F1", "overall_pass_rate": "overall pass rate"}
        wanted += [
            (words.get(one["name"], one["name"].replace("_", " ")), score(one["mean"]), _counted(one["n"], "row"))
            for one in stats["metrics"]
        ]
        assert sorted((line["metric"], line["value"], line["n"]) for line in shown) == sorted(wanted)
        section = page.tab.locator("main > section").filter(has=page.tab.get_by_role("heading", name=title, exact=True))
        kinds = ("match", "right"), ("mismatch", "wrong"), ("omission", "missing"), ("hallucination", "extra")
        said = ", ".join(f"{counts[kind]} {word}" for kind, word in kinds)
        assert section.locator("p").first.inner_text() == f"{over['f1']} fields: {said}."


def test_arrays(page: Opened, recorded: Recorded) -> None:
    (shown,) = tables(page, "Array breakdown")
    arrays = [
        (stats, field, field["array"])
        for stats in recorded.run["evaluators"]
        for field in stats["fields"]
        if field["array"]
    ]
    agree(
        shown,
        (
            {
                "evaluator": stats["name"], "variant": stats["variant"] or "", "array": field["path"],
                "right": str(array["matched"]), "wrong": str(array["paired"] - array["matched"]),
                "missing": str(array["missing"] - array["paired"] + array["matched"]),
                "extra": str(array["extra"] - array["paired"] + array["matched"]),
                "precision": score(array["precision"]), "recall": score(array["recall"]), "F1": score(array["f1"]),
            }
            for stats, field, array in arrays
        ),
    )  # fmt: skip


def test_values_that_are_invented_or_left_empty(page: Opened, recorded: Recorded) -> None:
    (shown,) = tables(page, "Invented, and left empty")
    rates = ("invented_rate", "left_empty_rate")
    lines = []
    for stats in recorded.run["evaluators"]:
        listed = [one for one in stats["fields"] if one["invented_rate"] or one["left_empty_rate"]]
        for one in (*listed, stats) if listed and stats["slice"] is None else ():
            cis = {each["metric"]: each["ci"] for each in stats["metric_cis"] if each["field"] == one.get("path")}
            invented, left_empty = (interval(cis.get(rate), score) for rate in rates)
            lines.append({
                "evaluator": stats["name"], "variant": stats["variant"] or "", "field": one.get("path", "all fields"),
                "invented rate": score(one["invented_rate"]), "95 % CI": invented, "n": str(one["expected_empty"]),
                "left empty rate": score(one["left_empty_rate"]), "its 95 % CI": left_empty,
                "its n": str(one["expected_filled"]),
            })  # fmt: skip
    agree(shown, lines)


FIELD_WORDS = {
    "right": "match", "wrong": "mismatch", "missing": "omission", "extra": "hallucination", "error": "error",
    "not judged": "not_judged", "skipped": "skipped", "not measured": "not_measured",
}  # fmt: skip


def test_fields_the_weakest_first(page: Opened, recorded: Recorded) -> None:
    (shown,) = tables(page, "Fields")
    fields = [(stats, field) for stats in recorded.run["evaluators"] for field in stats["fields"]]
    fields.sort(key=lambda pair: _weakness(*pair))
    paths = page.texts("#section-fields tbody th .path")
    assert paths == [field["path"] for _, field in fields]
    lines = []
    for line, (stats, field) in zip(shown, fields, strict=True):
        assert line["field"].startswith(" ".join((field["path"], stats["name"])))
        assert (stats["variant"] or "") in line["field"]
        counts = {word: field["counts"][kind] for word, kind in FIELD_WORDS.items()}
        want = {word: str(size) for word, size in counts.items()}
        want |= {"accuracy": score(field["accuracy"]), "field": line["field"]}
        lines.append(want | {name: score(field[name.lower()]) for name in ("precision", "recall", "F1")})
    agree(shown, lines)


def _wilson(right: int, measured: int) -> tuple[float, float]:
    z, share = 1.959963984540054, right / measured
    middle, wide = share + z**2 / (2 * measured), z * sqrt(share * (1 - share) / measured + z**2 / (4 * measured**2))
    return max(0.0, (middle - wide) / (1 + z**2 / measured)), min(1.0, (middle + wide) / (1 + z**2 / measured))


def _weakness(stats: Any, field: Any) -> tuple[bool, bool, bool, float, float, str, str, str]:
    """By the greatest accuracy that is likely: the upper end of Wilson's interval; a field that is never expected behind the others."""
    counts = field["counts"]
    right = counts["match"]
    measured = right + sum(counts[one] for one in ("mismatch", "omission", "hallucination", "error"))
    greatest = round(_wilson(right, measured)[1], 12) if measured else 1.0
    never_expected = measured == counts["hallucination"]
    names = stats["name"], stats["variant"] or "", field["path"]
    return not measured, right == measured, never_expected, greatest, field["accuracy"] or 0.0, *names


@pytest.mark.slow
def test_a_count_of_a_field_leads_to_as_many_rows(page: Opened, recorded: Recorded) -> None:
    letters = ".=x-+s!?"
    for stats in recorded.run["evaluators"]:
        if stats["name"] != "header":
            continue
        for field in stats["fields"]:
            place = recorded.listed["header"].index(field["path"])
            for word, status in (("right", 1), ("wrong", 2), ("missing", 3), ("extra", 4)):
                ids = [
                    row["id"]
                    for row, verdicts in recorded.in_order(["header"])
                    if row["variant"] == stats["variant"]
                    and verdicts["header"].get("fields", "." * 3)[place] == letters[status]
                ]
                _choose(page, f"evaluator=header&field={field['path']}&status={status}&variant={stats['variant'] or ''}")
                assert (page.ids() if ids else []) == ids
                assert len(ids) == field["counts"][FIELD_WORDS[word]]


def _choose(page: Opened, fragment: str) -> None:
    page.tab.evaluate("(hash) => { location.hash = hash }", fragment)
    page.fragment()


def test_slices_the_lowest_first(page: Opened, recorded: Recorded) -> None:
    if (more := page.tab.locator("#section-slices .more")).count():
        more.click()
    (shown,) = tables(page, "Slices")
    ordered = sorted(recorded.run["slices"], key=lambda one: (one["mean"] is None, one["mean"] or 0.0))
    agree(
        shown,
        (
            {
                "slice": about(one["slice"]), "evaluator": one["name"], "variant": one["variant"] or "",
                "mean score": of_part(one, score(one["mean"])), "pass rate": of_part(one, score(one["pass_rate"])),
                "95 % CI": interval(one["pass_rate_ci"], score) if one["pass_rate_ci"] else "",
                "scored": f"{one['scored']} of {one['rows']}",
            }
            for one in ordered
        ),
    )  # fmt: skip


def test_measures(page: Opened, recorded: Recorded) -> None:
    found = tables(page, "Measures")
    measures = recorded.run["measures"]
    for shown, wanted in zip(
        found, ([one for one in measures if not one["slice"]], [one for one in measures if one["slice"]]), strict=True
    ):
        agree(
            shown,
            (
                {
                    "measure": one["name"], "variant": one["variant"] or "", "slice": about(one["slice"]),
                    "95 % CI": interval(one["mean_ci"], quantity), "sum": quantity(one["sum"], 7),
                    "n": f"{one['n']} of {one['rows']}", "missing": str(one["missing"]),
                    "unreadable": str(one["unreadable"]),
                    **{name: quantity(one[name]) for name in ("mean", "median", "p95", "min", "max")},
                }
                for one in wanted
            ),
        )  # fmt: skip


def test_the_score_of_each_row(page: Opened, recorded: Recorded) -> None:
    for chosen in (ALL, *recorded.names):
        _choose(page, "" if chosen == ALL else f"evaluator={chosen}")
        names = recorded.names if chosen == ALL else [chosen]
        ordered = recorded.in_order(names)
        scores = [_mean_of(verdicts, names) for _, verdicts in ordered]
        shown = page.tab.evaluate(TABLES, "#section-rows")[0]
        heads, lines = (
            shown[0],
            [dict(zip(shown[0], line, strict=True)) for line in shown[1:] if len(line) == len(shown[0])],
        )
        assert heads[:2] == ["Row", "Id"]
        assert [(line["Row"], line["Id"]) for line in lines] == [(str(row["row"]), row["id"]) for row, _ in ordered]
        assert [line["Score"].split(" ")[-1] for line in lines] == [score(one) for one in scores]
        if recorded.run["variants"]:
            assert [line["Variant"] for line in lines] == [row["variant"] for row, _ in ordered]


def test_rows_with_most_wrong_come_first_when_asked(page: Opened, recorded: Recorded) -> None:
    def wrong(verdict: Any) -> int:
        return sum(each in "x-+!?" for each in verdict.get("fields", "")) or int(verdict.get("passed") is False)

    counts = [sum(map(wrong, verdicts.values())) for verdicts in recorded.verdicts]
    assert len(set(counts)) > 3
    _choose(page, "sort=-wrong")
    ordered = sorted(range(len(counts)), key=lambda place: -counts[place])
    assert page.ids() == [recorded.rows[place]["id"] for place in ordered]


def test_figures_that_could_be_taken_for_one_another_differ(recorded: Recorded) -> None:
    for stats in recorded.run["evaluators"]:
        if stats["name"] in ("header", "lines") and stats["variant"] in (None, "first"):
            assert (
                len(
                    {
                        stats["micro_precision"],
                        stats["micro_recall"],
                        stats["micro_f1"],
                        stats["mean"],
                        stats["pass_rate"],
                    }
                )
                == 5
            )


def _mean_of(verdicts: Any, names: Sequence[str]) -> float | None:
    """Zeros count; who gave no score is left out."""
    found = [Fraction(*verdicts[name]["score"]) for name in names if "score" in verdicts[name]]
    return float(sum(found) / len(found)) if found else None


@pytest.mark.slow
@pytest.mark.parametrize("result", ["failed", "passed", "none", "wrong", "unreadable", "blocked", "skipped", "invalid"])
def test_the_rows_of_a_result(page: Opened, recorded: Recorded, result: str) -> None:
    for chosen in (ALL, *recorded.names):
        names = recorded.names if chosen == ALL else [chosen]
        ids = [
            row["id"] for row, verdicts in recorded.in_order(names) if any(_is(verdicts[name], result) for name in names)
        ]
        _choose(page, f"result={result}" + ("" if chosen == ALL else f"&evaluator={chosen}"))
        assert (page.ids() if ids else []) == ids
        whole = len(recorded.rows)
        assert page.text(".found") == (f"{whole} rows" if len(ids) == whole else f"{len(ids)} of {whole} rows")
        if chosen != ALL and result in ("failed", "passed", "unreadable", "blocked", "skipped", "invalid"):
            assert len(ids) == sum(one[result] for one in recorded.run["evaluators"] if one["name"] == chosen)


def _is(verdict: Any, result: str) -> bool:
    if result in ("failed", "passed"):
        return verdict.get("passed") is (result == "passed")
    if result == "none":
        return "score" not in verdict
    if result == "wrong":
        fine = verdict["status"] == "scored" and verdict["score"][0] == verdict["score"][1] and verdict["passed"]
        return not fine and verdict["status"] not in ("skipped", "not_measured")
    return bool(verdict["status"] == result)


@pytest.mark.slow
def test_a_row_that_is_opened(page: Opened, recorded: Recorded) -> None:
    for row, verdicts in zip(recorded.rows, recorded.verdicts, strict=True):
        key = f"{row['row']}:{row['variant']}" if row["variant"] else str(row["row"])
        page.tab.evaluate("(hash) => { location.hash = hash }", f"row={key}&as=header")
        page.tab.locator("#row-title", has_text=f"Row {row['row']} · {row['id']}").wait_for()
        page.fragment()
        tabs = [text.split("\n")[-1] for text in page.texts("dialog .tab")]
        assert [text.split()[-1] for text in tabs] == [score(_mean_of(verdicts, [name])) for name in recorded.names]
        assert page.text("dialog .verdict-line .figure") == score(_mean_of(verdicts, ["header"]))
        wrong = [one for one in verdicts["header"].get("fields", "") if one in "x-+!?"]
        heading = page.texts("dialog .explained h3")
        assert heading[:1] == ([f"{_counted(len(wrong), 'field')} not right"] if wrong else heading[:1])


def test_the_mistakes_of_a_field_and_their_rows(page: Opened, recorded: Recorded) -> None:
    wrong = Counter(
        (one["evaluator"], one["variant"], _field_of(one["path"]), one["row"])
        for one in recorded.outcomes
        if one.get("status") in ("mismatch", "omission", "hallucination")
    )
    lines = page.tab.evaluate(
        "() => Array.from(document.querySelectorAll('.heat .mistakes'), (line) => [line.previousSibling.innerText, "
        "Array.from(line.querySelectorAll('li'), (one) => one.innerText)])"
    )
    assert lines
    for field, mistakes in lines:
        path, named = field.split("\n")[:2]
        names = [*named.split("\t")[0].split(" · "), ""]
        name, variant = names[0], names[1] if names[1] in recorded.run["variants"] else None
        found = {row: count for (*key, row), count in wrong.items() if key == [name, variant, path]}
        for text in mistakes:
            count, first = re.findall(r"^(\d+)(?: of \d+)? .* · (?:\d+ )?rows?:? ([\d, ]+)", text)[0]
            rows = [int(one) for one in first.split(", ")]
            assert set(rows) <= set(found)
            assert len(rows) <= int(count) <= sum(found.values())


def _field_of(path: str) -> str:
    return re.sub(r"\[\+?\d+\]", "[*]", path)


def test_a_mistake_leads_to_as_many_rows_as_it_says(page: Opened, recorded: Recorded) -> None:
    for place, line in enumerate(page.texts(".mistake")[:8]):
        page.tab.locator(".mistake button").nth(place).click()
        said = re.findall(r" · (?:(\d+) rows:|row(?:s?) ([\d, ]+))", line)[0]
        assert len(page.ids()) == (int(said[0]) if said[0] else len(said[1].split(",")))
