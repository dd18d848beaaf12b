"""The mistakes that are made by hand fit the code of today."""

from __future__ import annotations

import pytest

from tests.tools.mutation.__main__ import MISTAKES, ROOT


@pytest.mark.parametrize("one", MISTAKES, ids=[one["mistake"] for one in MISTAKES])
def test_the_code_that_is_mistaken_stands_once_in_its_file(one: dict[str, str]) -> None:
    assert (ROOT / "evaluators" / one["file"]).read_text(encoding="utf-8").count(one["code"]) == 1
    assert (ROOT / "tests" / one["tests"]).is_file()
