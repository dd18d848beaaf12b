"""The HTML report as a file: what is in it, what is not, and that it is the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluators.issues import Blame, Issue
from evaluators.model import FieldStatus, Outcome, Result, RowStatus
from evaluators.reports.html.packed_rows import (
    EvaluatorFacts,
    Explanation,
    Material,
    PackedRows,
    ReportRow,
    RowDetail,
    RowGroup,
    ShownDocument,
    general,
    pack,
)
from tests.reports.html.conftest import write_report

RIGHT = Result(RowStatus.SCORED, True, 1, 1, bytes([FieldStatus.MATCH]))
WRONG = Result(RowStatus.SCORED, False, 0, 1, bytes([FieldStatus.MISMATCH]))


def rows_of(verdicts: Iterable[Result], text: str = "x") -> Iterable[ReportRow]:
    for number, verdict in enumerate(verdicts, 2):
        detail = RowDetail((ShownDocument("output", "output", "text", f"{text} {number}"),))
        yield ReportRow(number, f"r{number}", [verdict], [], partial(_same, detail))


def _same(detail: RowDetail) -> RowDetail:
    return detail


def packed(verdicts: Sequence[Result], budget: int = 1 << 20, text: str = "x") -> PackedRows:
    facts = (EvaluatorFacts("header", ("a",)),)
    return pack(Material(facts, (), [RowGroup(None, rows_of(verdicts, text))]), budget)


def unpacked(piece: bytes) -> Any:
    return json.loads(zlib.decompress(piece))


def parts(page: str) -> dict[str, Any]:
    found = re.findall(r'<script type="text/plain" id="([^"]+)">([^<]*)</script>', page)
    return {name: json.loads(zlib.decompress(base64.b64decode(text))) for name, text in found}


def test_the_policy_allows_this_script_and_this_style_and_nothing_else(invoices: Path) -> None:
    page = invoices.read_text(encoding="utf-8")
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[0]
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (*re.findall(r"<script>(.*?)</script>", page, re.S), *re.findall(r"<style>(.*?)</style>", page, re.S))
    ]
    assert len(hashes) == 2
    assert policy.startswith(f"default-src 'none'; script-src {hashes[0]}; style-src {hashes[1]}; ")
    assert not re.search(r"<[^>]*\s(on\w+|style|href|src)=", page.replace("<script>", "").split("<script")[0])


def test_nothing_that_a_user_wrote_stands_in_the_markup(invoices: Path) -> None:
    page = invoices.read_text(encoding="utf-8")
    for text in ("invoice extraction", "Nordwind", "D-003", "totals.gross", "suite.yaml"):
        assert text not in page


def test_the_same_run_is_the_same_file(invoices: Path, tmp_path: Path) -> None:
    from tests.gallery import GALLERY

    again = write_report(tmp_path, GALLERY / "invoice_extraction" / "suite.yaml")
    assert again.read_bytes() == invoices.read_bytes()


def test_rows_with_something_wrong_come_first_and_the_rest_is_counted() -> None:
    verdicts = [RIGHT, WRONG] * 3_000
    text = "".join(hashlib.sha256(bytes([seed])).hexdigest() for seed in range(8))
    everything = packed(verdicts, text=text)
    assert everything.columns["packed"] == ""
    assert sorted(row for piece in everything.columns["pieces"] for row in piece) == list(range(6_000))
    some = packed(verdicts, sum(map(len, everything.pieces)) * 3 // 4, text)
    embedded = [row for piece in some.columns["pieces"] for row in piece]
    assert embedded[:3_000] == list(range(1, 6_000, 2))
    assert 3_000 < len(embedded) < 6_000
    assert all(row % 2 == 0 for row in embedded[3_000:])
    assert f"{len(embedded):,} of 6,000 rows bring their documents along" in some.columns["packed"]
    assert f"The other {6_000 - len(embedded):,} have their results only" in some.columns["packed"]


def test_the_pieces_never_weigh_more_than_the_budget() -> None:
    for budget in (0, 500, 3_000):
        rows = packed([RIGHT, WRONG] * 2_000, budget)
        assert sum(map(len, rows.pieces)) <= budget


def test_a_verdict_is_spelled_once() -> None:
    rows = packed([RIGHT, WRONG, RIGHT, RIGHT])
    assert rows.columns["verdicts"] == [[[0, 1.0, True, "1", None, None, []], [0, 0.0, False, "2", None, None, []]]]
    (group,) = rows.columns["groups"]
    assert group["codes"] == [[0, 1, 0, 0]]
    assert group["numbers"] == {"first": 2, "count": 4}
    assert group["ids"] == ["r2", "r3", "r4", "r5"]


def test_what_went_wrong_in_an_open_document_is_found_by_general_paths() -> None:
    fields = (
        Outcome("items[0].sku", FieldStatus.MISMATCH, 0.0), Outcome("items[3].sku", FieldStatus.MISMATCH, 0.0),
        Outcome("name", FieldStatus.MATCH, 1.0), Outcome("x", FieldStatus.OMISSION, 0.0, field="y"),
    )  # fmt: skip
    verdict = Result(RowStatus.SCORED, False, 1, 4, counts=(1, 2, 1, 0))
    detail = RowDetail(explanations=(Explanation(0, Result(RowStatus.SCORED, False, 1, 4, fields=fields)),))
    row = ReportRow(2, "a", [verdict], [], lambda: detail)
    rows = pack(Material((EvaluatorFacts("diff"),), (), [RowGroup(None, [row])]))
    assert rows.columns["verdicts"][0][0][6] == [["items[*].sku", 2], ["y", 3]]
    assert [one["path"] for one in unpacked(rows.pieces[0])[0]["explanations"][0]["fields"]][-1] == "name"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b", "a.b"), ("a[0].b[12]", "a[*].b[*]"), ("[3]", "[*]"), ('["x[0]"][1]', '["x[0]"][*]'), ("", ""),
        ('a["b', 'a["b'), ("a[*].b", "a[*].b"),
    ],
)  # fmt: skip
def test_an_index_is_any_index_and_a_quoted_key_is_a_key(path: str, found: str) -> None:
    assert general(path) == found


def test_a_document_that_is_too_long_is_cut_and_says_so() -> None:
    rows = packed([WRONG], text="y" * 250_000)
    assert unpacked(rows.pieces[0])[0]["documents"][0]["value"] == {"cut": "y" * 100_000, "of": 250_002}


def test_a_row_without_a_score_says_why() -> None:
    verdict = Result(RowStatus.INVALID, None, 0, 0, issue=Issue("x", Blame.TESTSET, "the cell is empty"))
    assert packed([verdict]).columns["verdicts"] == [[[5, None, None, "", None, "the cell is empty", []]]]


def test_the_folder_of_a_run_has_the_report_when_it_is_asked_for(tmp_path: Path) -> None:
    from tests.gallery import GALLERY

    suite = GALLERY / "invoice_extraction" / "suite.yaml"
    report = write_report(tmp_path, suite, results=tmp_path / "runs", name="x", formats=("html",))
    assert (tmp_path / "runs" / "x" / "report.html").read_bytes() == report.read_bytes()


def test_the_head_holds_places_of_the_suite(invoices: Path) -> None:
    head = parts(invoices.read_text(encoding="utf-8"))["head"]
    assert head["fieldPlaces"][1]["totals.gross"].endswith("suite.yaml:43:7")
    assert head["rules"][1]["totals.gross"] == "money = numeric {tolerance: {abs: 0.01}}"
