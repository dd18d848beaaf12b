"""The x-eval dialect: a JSON Schema whose `x-eval-` keys say how each place is compared.

`annotate` writes the keys that are missing, `read` makes a tree of nodes from a schema that has them, `structure` says
what a schema describes, and `defaults` holds the comparator of each JSON type.
"""

from evaluators.fields.xeval.annotate_xeval import annotate_xeval
from evaluators.fields.xeval.defaults import reset_type_defaults, set_type_default
from evaluators.fields.xeval.read_xeval import parse_eval_schema, parse_xeval_entry, read_xeval

__all__ = [
    "annotate_xeval",
    "parse_eval_schema",
    "parse_xeval_entry",
    "read_xeval",
    "reset_type_defaults",
    "set_type_default",
]
