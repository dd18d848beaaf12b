"""What all tests share: no property has a time limit, so that a busy machine fails no test."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("without a clock", deadline=None)
settings.load_profile("without a clock")
