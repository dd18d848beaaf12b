"""Scores of rows: values, comparators, judges, fields, the evaluator types, and the plan that asks them."""
