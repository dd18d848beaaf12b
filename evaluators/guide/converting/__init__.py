"""Suites made from other systems' files: the contract of a converter, and what converters share."""
