"""Naive scorers: what the product must come to, found leaf by leaf. They are the oracle of property tests."""
