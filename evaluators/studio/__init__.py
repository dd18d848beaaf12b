"""The studio: a page in the browser on which a suite is made while its verdicts on real rows are looked at.

Strategy: this room reads no suite, scores no row and words no reason of its own. `sessions` hold what a page has open, `form` shows a
suite as lines, `edits` writes a change of such a line into the text, `scores` runs the ordinary engine, `app` answers requests. What
goes over the wire is in `messages`, and which request has which answer in `app.ROUTES`.
"""
