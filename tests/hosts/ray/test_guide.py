"""The guide is run from top to bottom, with the real thing; a free port takes the place of the usual one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.sessions import ROOT, prepare, run_page
from tests.hosts.ray.conftest import READY
from tests.hosts.servers import free_port
from tests.hosts.started import programs_of


def test_what_the_guide_shows_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "ray.md"
    text = (ROOT / "docs/integrations/ray.md").read_text(encoding="utf-8")
    page.write_text(text.replace("6379", str(free_port())), encoding="utf-8")
    here = prepare(tmp_path, monkeypatch)
    with programs_of(page, [READY, READY], here):
        run_page(page, here)
