"""The HTML report as a file: what is in it, what is not, and that it is the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.reports.document import Page, Section
from evaluators.reports.html.payload import page_payload
from evaluators.reports.html.rows import EmbeddedRows, embed_rows
from evaluators.runs.reader import Run
from tests.gallery import GALLERY
from tests.kit import lines_of, write_rows
from tests.reports.html.conftest import write_report


def lines_in(packed: bytes) -> list[Any]:
    return [json.loads(line) for line in zlib.decompress(packed).splitlines()]


def parts(page: str) -> dict[str, Any]:
    """What a page embeds: its head as data, and the lines of each other element."""
    found = re.findall(r'<script type="text/plain" id="([^"]+)">([^<]*)</script>', page)
    packed = {name: base64.b64decode(text) for name, text in found}
    head = json.loads(zlib.decompress(packed.pop("head")))
    return {"head": head, **{name: lines_in(text) for name, text in packed.items()}}


def recorded(folder: Path, rows: list[dict[str, Any]], *evaluators: Any) -> Run:
    """A run of rows that keeps everything."""
    write_rows(folder / "rows.jsonl", rows)
    suite = {"test_set": {"file": "rows.jsonl"}, "evaluators": list(evaluators), "results": {"documents": "all"}}
    (folder / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    finish(load(folder / "suite.yaml"), results=folder, name="x")
    return Run(folder / "x")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of 4,000 rows, of which every second one is wrong."""
    text = [hashlib.sha256(str(number).encode()).hexdigest() * 4 for number in range(4_000)]
    rows = [{"expected": one, "output": one if place % 2 == 0 else "x"} for place, one in enumerate(text)]
    return recorded(tmp_path_factory.mktemp("halves"), rows, "exact_match")


def places(rows: EmbeddedRows) -> list[int]:
    return [row for piece in rows.index["pieces"] for row in piece]


def size(rows: EmbeddedRows) -> int:
    return sum(len(text) for name, text in rows.elements.items() if not name.startswith(("rows-", "codes-")))


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
    again = write_report(tmp_path, GALLERY / "invoice_extraction" / "suite.yaml")
    assert again.read_bytes() == invoices.read_bytes()


def test_a_page_has_the_lines_of_the_run_folder(tmp_path: Path) -> None:
    suite = GALLERY / "invoice_extraction" / "suite.yaml"
    page = parts(write_report(tmp_path, suite, results=tmp_path / "runs", name="x").read_text(encoding="utf-8"))
    folder = tmp_path / "runs" / "x"

    def kept(name: str) -> list[Any]:
        return lines_of(folder, name)

    def embedded_lines(name: str) -> list[Any]:
        found = [line for part, lines in page.items() if re.fullmatch(rf"{name}-\d+", part) for line in lines]
        return sorted(found, key=lambda line: line["row"])

    def without(line: dict[str, Any], *keys: str) -> dict[str, Any]:
        return {key: value for key, value in line.items() if key not in keys}

    assert page["codes-0"] == kept("codes")
    assert page["rows-0"] == [without(line, "checksum") for line in kept("rows")]
    assert embedded_lines("cells") == kept("cells")
    wanted = [line for line in kept("outcomes") if "path" in line]
    shown = [line for line in embedded_lines("outcomes") if "path" in line]
    assert [without(line, "score", "details") for line in shown] == [without(line, "score", "details") for line in wanted]
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert page["head"]["run"]["evaluators"] == run["evaluators"]
    assert page["head"]["run"]["record"]["evaluators"] == run["record"]["evaluators"]


def test_rows_with_something_wrong_come_first_and_the_rest_is_counted(halves: Run) -> None:
    everything = embed_rows(halves)
    assert everything.index["packed"] == ""
    assert sorted(places(everything)) == list(range(4_000))
    some = embed_rows(halves, budget=size(everything) * 3 // 4)
    found = places(some)
    assert found[:2_000] == list(range(1, 4_000, 2))
    assert 2_000 < len(found) < 4_000
    assert all(row % 2 == 0 for row in found[2_000:])
    assert f"{len(found):,} of 4,000 rows bring their documents along" in some.index["packed"]
    assert f"The other {4_000 - len(found):,} have their results only" in some.index["packed"]


@pytest.mark.parametrize("budget", [0, 500, 30_000])
def test_the_pieces_never_weigh_more_than_the_budget(halves: Run, budget: int) -> None:
    rows = embed_rows(halves, budget=budget)
    assert size(rows) <= budget
    assert len(lines_in(rows.elements["rows-0"])) == 4_000, "every row is in the table"


def test_a_cell_that_is_too_long_is_cut_and_says_so(tmp_path: Path) -> None:
    record = recorded(tmp_path, [{"expected": "x", "output": "y" * 2_500_000}], "exact_match")
    rows = embed_rows(record)
    (line,) = lines_in(rows.elements["cells-0"])
    assert line["cells"]["output"] == "y" * 1_000_000
    assert lines_in(rows.elements["read-0"])[0]["cut"] == {"output": 2_500_000}


def test_where_a_document_stands_is_told_as_a_browser_counts_characters(tmp_path: Path) -> None:
    output = '😀 it is ```json\n{"a": 2}\n``` 😀'
    record = recorded(tmp_path, [{"expected": '{"a": 1}', "output": output}], "json_diff_match")
    (line,) = lines_in(embed_rows(record).elements["read-0"])
    (found,) = line["documents"].values()
    units = output.encode("utf-16-le")
    assert units[2 * found["start"] : 2 * found["end"]].decode("utf-16-le").strip() == '{"a": 2}'
    assert found["how"] == "fence"


def test_the_folder_of_a_run_has_the_report_when_it_is_asked_for(tmp_path: Path) -> None:
    suite = GALLERY / "invoice_extraction" / "suite.yaml"
    report = write_report(tmp_path, suite, results=tmp_path / "runs", name="x", formats=("html",))
    assert (tmp_path / "runs" / "x" / "report.html").read_bytes() == report.read_bytes()


def test_the_head_holds_places_of_the_suite(invoices: Path) -> None:
    head = parts(invoices.read_text(encoding="utf-8"))["head"]
    assert head["run"]["record"]["evaluators"][1]["field_places"]["totals.gross"].endswith("suite.yaml:43:7")
    assert head["rows"]["rules"][1]["totals.gross"] == "money = numeric {tolerance: {abs: 0.01}}"


TITLES = st.one_of(st.sampled_from(["z", "z\x0b", "z\t", "Z", "label-0", "result", "", "1"]), st.text(max_size=4))


@given(st.lists(st.tuples(TITLES, st.sampled_from(["", "label-0", "result"])), max_size=8))
def test_no_two_sections_have_the_same_id_and_what_cannot_be_seen_keeps_headings_apart(
    named: list[tuple[str, str]],
) -> None:
    found = page_payload(Page("x", tuple(Section(title, (), id=id_) for title, id_ in named)))["sections"]
    assert len({one["id"] for one in found}) == len(found)
    assert all((one["title"] == other["title"]) == (a == b) for one, (a, _) in zip(found, named, strict=True)
               for other, (b, _) in zip(found, named, strict=True) if "\\" not in a + b)  # fmt: skip
