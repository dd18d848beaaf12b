"""The suite for the ExtractBench data scores a whole checkout when it is told where one is."""

from __future__ import annotations

from pathlib import Path

import pytest

import evaluators
from tests.data.extract_bench import unpack

SUITE = Path(__file__).parents[2] / "configs" / "gallery" / "extract_bench" / "suite.yaml"
SMALL = ("finance/credit_agreement", "sport/swimming")


def test_a_checkout_is_named_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = ("identity", "null_any")
    unpack(tmp_path, *(f"dataset/{one}" for one in SMALL), *(f"outputs/{kind}/{one}" for kind in kinds for one in SMALL))
    monkeypatch.setenv("EXTRACT_BENCH", str(tmp_path))
    monkeypatch.setenv("MODELS", str(tmp_path / "outputs"))
    result = evaluators.load(SUITE).run()
    assert (result.n_rows, result.variants) == (15, kinds)
    assert [stats.variant for stats in result.evaluators if stats.mean == 1.0] == ["identity"]
    assert {stats.slice[1] for stats in result.slices if stats.slice} == set(SMALL)


def test_the_licence_of_the_data_and_the_paper_are_named() -> None:
    assert "Contextual AI" in (SUITE.parent / "LICENSE").read_text(encoding="utf-8")
    assert "2602.12247" in SUITE.read_text(encoding="utf-8")
