"""Inference: from expected documents to how each of their fields is compared, as lines of `fields:` or as a schema."""
