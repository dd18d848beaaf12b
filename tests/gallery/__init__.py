"""The gallery: suites on realistic data, to copy from."""

from pathlib import Path
from typing import Final

GALLERY: Final = Path(__file__).parents[2] / "configs" / "gallery"
"""The folder of the worked examples, one folder each."""
