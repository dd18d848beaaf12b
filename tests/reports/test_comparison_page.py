"""A comparison in every format, word for word.

After a wanted change, `REGENERATE=1 python -m pytest tests/reports/test_comparison_page.py` writes the golden files anew. Each test whose
file has changed fails then, with the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from evaluators.reports.comparison_page import MOST_CHANGES, comparison_line
from evaluators.reports.format import FORMATS, Format
from evaluators.reports.github import comparison_annotations
from evaluators.reports.html.comparison import comparison_payload
from evaluators.runs.compare.compare_section import CompareConfig, RegressionCheck
from evaluators.runs.compare.comparing import compare_sides, variant_side
from evaluators.runs.compare.comparison import RunComparison
from evaluators.runs.compare.pairs import Side, SideRows
from evaluators.runs.compare.variant_ranking import rank_variants
from evaluators.runs.metrics import p_value_text, signed_text
from tests.kit import comparison_written, golden
from tests.runs.compare.sides import made_rows, made_side, said

GOLDEN = Path(__file__).parent / "golden"
FIELDS = ("invoice_number", "totals.gross", "地址.城市")
MEANING = {"": {"parse": "1"}, "contains_json": {"type": "2"}, "header": {"type": "3", "fields → totals.gross": "4"}}


def rows(marks: str, seed: int = 0) -> SideRows:
    """`+` is right, `t` has a wrong total, `o` lost the town, `-` is prose without JSON."""
    header = {
        "+": said("scored", 1.0, True, ("match", "match", "match")),
        "t": said("scored", 2 / 3, False, ("match", "mismatch", "match")),
        "o": said("scored", 2 / 3, False, ("match", "match", "omission")),
        "-": said("unreadable", 0.0, False, ("omission", "omission", "omission")),
        "?": said("unjudged", None, None, ("match", "error", "match")),
        ".": said("invalid", None, None, (), 'column "expected": the cell is empty'),
        "n": said("not_measured", None, None, ("not_measured", "not_measured", "not_measured")),
        "h": said("scored", 0.0, False, ("not_measured", "hallucination", "not_measured")),
    }
    json_found = {mark: said("scored", float(mark != "-"), mark != "-") for mark in header}
    count = range(len(marks))
    return made_rows(
        [place + 2 for place in count], [f"INV-{place + 1:03}" for place in count], [f"{place:08x}" for place in count], [],
        {"contains_json": [json_found[mark] for mark in marks], "header": [header[mark] for mark in marks]},
    )  # fmt: skip


def side(label: str, found: SideRows | Mapping[str, SideRows], **changes: object) -> Side:
    about = {"name": "invoice extraction", "test_set": "invoices.csv", "data_fingerprint": "sha256:a41b90de6c2288f0"}
    return made_side(label, found, {"contains_json": (), "header": FIELDS}, **{"meaning": MEANING, **about, **changes})


def better() -> RunComparison:
    return compare_sides(side("runs/base", rows("+" * 8 + "t" * 14 + "o-")), side("runs/new", rows("+" * 21 + "t--")))


def worse() -> RunComparison:
    guards = {
        "header.totals.gross": RegressionCheck(max_drop=0.01, max_broken_rows=20),
        "contains_json": RegressionCheck(max_drop=0.5),
    }
    config = CompareConfig(fail_on=("significant_drop", "broken_rows"), max_broken_rows=3, regression_checks=guards)
    targets = {"header.totals.gross": ("header", "totals.gross"), "contains_json": ("contains_json", None)}
    return compare_sides(
        side("baselines/main", rows("+" * 22 + "to")),
        side("runs/a | b", rows("t" * 9 + "+" * 13 + "+-")),
        config,
        targets,
    )


def same() -> RunComparison:
    return compare_sides(side("runs/one", rows("+t-o")), side("runs/one", rows("+t-o")))


def incomparable() -> RunComparison:
    other = rows("++++++")
    other.lines[2].checksum = "ffffffff"
    meaning = {**MEANING, "header": {"type": "3", "fields → totals.gross": "9"}}
    return compare_sides(side("runs/base", rows("++++")), side("runs/new", other, meaning=meaning, version="0.2.0"))


def lost() -> RunComparison:
    """`?` was not judged, `.` is invalid, `n` has nothing on either side, `h` an invention where nothing is expected."""
    config = CompareConfig(regression_checks={"header.totals.gross": RegressionCheck(max_drop=0.2)})
    return compare_sides(
        side("runs/base", rows("+" * 12 + "t.hn")),
        side("runs/new", rows("+" * 9 + "?.t.+nn")),
        config,
        {"header.totals.gross": ("header", "totals.gross")},
    )


def rows_missing() -> RunComparison:
    other = rows("+" * 10 + "t")
    other.lines[-1].id = "INV-099"
    return compare_sides(side("runs/base", rows("+" * 12)), side("runs/new", other), common=True)


def unranked() -> RunComparison:
    found = {"careful": rows("+" * 20), "fast": rows("+" * 19 + "t"), "gappy": rows("+" * 16 + "...?")}
    run = side("runs/models", found)
    return RunComparison(
        "careful", "fast, gappy", run.result.name, 20, 0, 0, 0, rankings=rank_variants(run, tuple(found))
    )


def variants() -> RunComparison:
    found = {"careful": rows("+" * 20 + "to"), "fast": rows("+" * 19 + "tto"), "tiny": rows("+" * 8 + "t" * 9 + "-" * 5)}
    run = side("runs/models", found)
    return RunComparison("careful", "fast, tiny", run.result.name, 22, 0, 0, 0, rankings=rank_variants(run, tuple(found)))


def two_variants() -> RunComparison:
    found = {"careful": rows("+" * 20 + "to"), "fast": rows("+" * 8 + "t" * 9 + "-" * 5)}
    run = side("runs/models", found)
    one = compare_sides(variant_side(run, "careful"), variant_side(run, "fast"), CompareConfig(fail_on=()))
    return replace(one, rankings=rank_variants(run, tuple(found)))


COMPARISONS: Mapping[str, Callable[[], RunComparison]] = {
    made.__name__: made
    for made in (better, worse, same, incomparable, variants, two_variants, lost, rows_missing, unranked)
}


@pytest.mark.parametrize("name", sorted(COMPARISONS))
@pytest.mark.parametrize(
    ("word", "file"),
    [("text", "page.txt"), ("markdown", "page.md"), ("json", "comparison.json"), ("csv", "comparison.csv"),
     ("junit", "junit.xml"), ("github", "github.txt")],
)  # fmt: skip
def test_a_comparison_is_the_golden_one(name: str, word: str, file: str) -> None:
    made = COMPARISONS[name]()
    text = comparison_annotations(made) if word == "github" else comparison_written(word, made)
    golden(GOLDEN / f"comparison_{name}" / file, text)


def test_every_format_that_is_about_more_than_rows_holds_every_comparison() -> None:
    refusing = {
        word for word in FORMATS.shipped_names() if FORMATS.find(word).write_comparison is Format.write_comparison
    }
    for word in {*FORMATS.shipped_names()} - refusing:
        assert all(comparison_written(word, made()) for made in COMPARISONS.values())
    of_tables = {"answers", "cells", "codes", "outcomes", "parquet", "rows"}
    assert refusing == {
        "confidence",
        "field_sums",
        "fields",
        "jsonl",
        "labels",
        "measures",
        "repeats",
        "report",
        *of_tables,
    }


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_a_test_fails_exactly_when_the_comparison_does(name: str) -> None:
    comparison = COMPARISONS[name]()
    suite = ElementTree.fromstring(comparison_written("junit", comparison))[0]
    assert bool(int(suite.get("failures", "0")) + int(suite.get("errors", "0"))) == bool(comparison.exit_code)


def test_a_difference_never_rounds_to_none() -> None:
    assert [signed_text(value) for value in (0.00001, -0.00001, 0.0, None, -1.0)] == [
        "+0.0001",
        "-0.0001",
        "0",
        "–",
        "-1.0000",
    ]
    assert [p_value_text(p) for p in (0.00001, 1.0, None)] == ["<0.0001", "1.0000", "–"]


def test_the_fields_of_a_row_are_cut_and_counted() -> None:
    whole = worse()
    statuses = tuple(f"header.f{place}: match → omission" for place in range(MOST_CHANGES + 2))
    changed = replace(whole.changed[0], fields=statuses)
    page = comparison_written("text", replace(whole, changed=(changed,)))
    assert f"header.f{MOST_CHANGES - 1}: right → missing\n  and 2 more fields\n" in page
    assert f"header.f{MOST_CHANGES}:" not in page


def test_one_line_says_how_it_ended_and_why() -> None:
    assert comparison_line(incomparable()).startswith("invoice extraction: the runs cannot be compared (")
    assert comparison_line(same()) == "invoice extraction: no difference; 0 fixed, 0 broken of 4 rows"
    assert comparison_line(variants()) == "invoice extraction: 3 variants compared"


def test_every_page_and_a_prompt_begin_with_the_answer() -> None:
    for made in (better, worse, same, lost, variants, two_variants):
        answer = made().answer
        assert answer
        assert comparison_written("text", made()).split("\n")[3] == answer[0]
        assert repr(made()).split("\n")[1] == answer[0]
        assert comparison_payload(made())["verdict"] == [*answer]
    assert incomparable().answer == ()


@pytest.mark.parametrize(
    ("base", "new", "answer"),
    [
        ("+" * 9, "+" * 9, "The same score in every row: mean score 1.0000"),
        (
            "+" * 9, "+" * 8 + "t",
            ("Overall no clear difference: mean score 1.0000 → 0.9630 (-0.0370); "
            "changed most: totals.gross (1.0000 → 0.8889, no clear difference)"),
        ),
        (
            "+" * 12 + "o" * 12, "t" * 12 + "+" * 12,
            ("Overall no clear difference: mean score 0.8333; changed most: totals.gross (1.0000 → 0.5000, clearly worse); "
            "地址.城市 (0.5000 → 1.0000, clearly better)"),
        ),
    ],
)  # fmt: skip
def test_an_answer_says_what_changed_most_both_ways(base: str, new: str, answer: str) -> None:
    sides = [replace(side(label, rows(marks)), fields={"header": FIELDS}) for label, marks in (("a", base), ("b", new))]
    assert compare_sides(*sides).answer == (answer,)


def test_fields_that_say_the_same_are_one_line() -> None:
    page = comparison_written("text", compare_sides(side("a", rows("+" * 9)), side("b", rows("+" * 8 + "-"))))
    assert "\nAs invoice_number in every row, and one test with it: totals.gross, 地址.城市.\n" in page
    assert "\ntotals.gross " not in page
