"""The mistakes that are made by hand, and the areas that others are drawn from, fit the code of today."""

from __future__ import annotations

import pytest

from tests.tools.mutation.__main__ import MISTAKES, ROOT
from tests.tools.mutation.areas import AREAS, Area


@pytest.mark.parametrize("one", MISTAKES, ids=[one["mistake"] for one in MISTAKES])
def test_the_code_that_is_mistaken_stands_once_in_its_file(one: dict[str, str]) -> None:
    assert (ROOT / "evaluators" / one["file"]).read_text(encoding="utf-8").count(one["code"]) == 1
    assert (ROOT / "tests" / one["tests"]).is_file()


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS)
def test_an_area_names_modules_and_tests_that_are_there(area: Area) -> None:
    assert [pattern for pattern in area.modules if not any((ROOT / "evaluators").glob(pattern))] == []
    assert [name for name in area.tests if not (ROOT / "tests" / name).exists()] == []
    assert len({*area.modules}) == len(area.modules)
