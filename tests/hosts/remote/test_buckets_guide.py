"""The guide of buckets is run from top to bottom, with a server of this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.blocks import blocks
from tests.docs.sessions import ROOT, prepare, run_page

GUIDE = ROOT / "docs" / "how-to" / "buckets.md"


def test_what_the_guide_shows_is_what_happens(
    servers: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import s3fs

    servers("s3")
    files = s3fs.S3FileSystem(use_listings_cache=False)
    files.mkdir("cities")
    (rows,) = (block for block in blocks(GUIDE) if block.file == "rows.csv")
    files.pipe_file("cities/rows.csv", rows.text.encode())
    run_page(GUIDE, prepare(tmp_path, monkeypatch))
    assert files.isfile("cities/out/rows.jsonl")
