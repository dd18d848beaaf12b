"""One trace per row: the numbers of what two documents differ in, made once for all evaluators that look at them alike.

Rows with the same trace are the same row to these evaluators, so each of them is asked once per trace. `record_type` learns
what the expected documents of a test set have in common, `comparison_source` writes the function that compares such a
document with an output, and `tracer` runs it. What does not fit goes the general way, which gives the same verdicts.
"""
