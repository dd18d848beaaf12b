"""The tables of docs/contributing/interval-tables.md have the form their script writes; those without chance are made anew."""

from __future__ import annotations

import re

import pytest

from tests.tools.pages import statistics
from tests.tools.pages.statistics import PAGE, TABLES, page, table_lines, tables_of


def lines_of(name: str) -> list[str]:
    found = re.search(
        rf"<!-- table: {name} -->\n\n(.*?)\n\n<!-- end: {name} -->", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found, f"no table of that name; write it: python -m tests.tools.pages.statistics {name}"
    return found[1].split("\n")


def test_what_stands_around_the_tables_is_written_by_the_script() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(tables_of(text)) == text


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_page_has_the_lines_that_its_script_writes(name: str) -> None:
    table, (head, rule, *lines) = TABLES[name], lines_of(name)
    assert head == f"| {' | '.join(table.head)} |"
    assert rule == f"| {' | '.join('---' for _ in table.head)} |"
    assert [
        tuple(line.strip("| ").split(" | ")[: len(label)]) for line, label in zip(lines, table.labels, strict=True)
    ] == list(table.labels)
    assert all(line.count(" %") >= len(table.head) - len(label) for line, label in zip(lines, table.labels, strict=True))


@pytest.mark.parametrize("name", ["wilson", "mcnemar"])
def test_a_table_without_chance_is_up_to_date(name: str) -> None:
    assert lines_of(name) == list(table_lines(name)), (
        f"out of date; write it anew: python -m tests.tools.pages.statistics {name}"
    )


@pytest.mark.parametrize("name", ["mean", "difference", "pairs", "clusters", "cluster_differences"])
def test_every_interval_holds_the_truth_in_94_of_100_cases(name: str) -> None:
    for line in lines_of(name)[2:]:
        shares = [float(one) for one in re.findall(r"([\d.]+) %", line)][-len(statistics.UNITS) :]
        assert min(shares) >= 94, line


def test_the_lower_ends_of_ratios_lie_below_the_truth_in_94_of_100_cases() -> None:
    for line in lines_of("ratios")[2:]:
        assert min(float(one) for one in re.findall(r"\| ([\d.]+) % \(", line)) >= 94, line


@pytest.mark.parametrize("name", ["sign_flips", "sign_flips_discrete"])
def test_no_test_calls_equal_runs_different_too_often(name: str) -> None:
    least = 4.0 if name == "sign_flips" else 0.0
    for line in lines_of(name)[2:]:
        assert all(least <= float(one) <= 6.0 for one in re.findall(r"([\d.]+) %", line)), line
