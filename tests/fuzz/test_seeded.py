"""A few inputs of every seeded fuzzer. Many more: `python -m tests.tools.fuzz --inputs 1000000`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.tools.fuzz.fuzzers import FUZZERS


@pytest.mark.slow
@pytest.mark.parametrize("name", FUZZERS)
def test_any_input_has_an_answer(name: str, tmp_path: Path) -> None:
    for seed in range(25):
        FUZZERS[name](Random(seed), tmp_path)
