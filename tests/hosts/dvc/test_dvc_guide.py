"""The guide of the tracker is run from top to bottom, with the real thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.sessions import ROOT, prepare, run_page


def test_what_the_guide_shows_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(ROOT / "docs/integrations/dvc.md", prepare(tmp_path, monkeypatch), ("pip ",))
