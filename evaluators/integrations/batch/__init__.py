"""Rows that something else holds: batches in, scores and sums out, and the sums of all batches make the result of a run.

For Spark, Ray Data, Dask, DuckDB or a data frame, where rows are not in files that a run could read itself:

    plan = batch_plan("suite.yaml", table.schema, row="row")
    scores = [evaluate_batch(plan, batch) for batch in table.to_batches()]    # wherever and in whatever order
    result = finish(plan, merge(plan, scores))

`evaluate_batch` is pure: the columns that come out are known from the plan, and the same batch gives the same scores wherever it is
scored. The metrics of `result` are those of `evaluators run` over the same rows, to the last bit, however the rows were cut.
"""

from evaluators.integrations.batch.batch_plan import BatchPlan, batch_plan
from evaluators.integrations.batch.batch_scores import evaluate_batch
from evaluators.integrations.batch.batch_sums import finish, merge

__all__ = ["BatchPlan", "batch_plan", "evaluate_batch", "finish", "merge"]
