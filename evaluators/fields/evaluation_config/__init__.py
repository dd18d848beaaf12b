"""The evaluation_config dialect: a JSON Schema whose `evaluation_config` keys say which metrics compare each place.

`words` reads one of these keys, `schemas` says what a schema describes, `read` makes the tree of nodes, and
`result_paths` spells places as extract-bench does.
"""

from evaluators.fields.evaluation_config.read_config import parse_evaluation_config, read_evaluation_config
from evaluators.fields.evaluation_config.result_paths import normalized_path, results_path, schema_path

__all__ = ["normalized_path", "parse_evaluation_config", "read_evaluation_config", "results_path", "schema_path"]
