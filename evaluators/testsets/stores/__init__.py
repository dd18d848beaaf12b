"""The socket of the stores: one per word before `://`."""

from __future__ import annotations

from typing import Final

TOGETHER: Final = {"_object_stores": ("s3", "gs", "abfs"), "_web": ("http", "https")}
"""The stores that share a module, by its name."""
