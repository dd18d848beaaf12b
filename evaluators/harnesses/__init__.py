"""A suite as a scorer inside another harness: one module for each host, which gives what the host calls a scorer.

A module here imports its host, so it is imported by whoever uses that host. What all of them share begins with an underscore:
the scores of a row (`_scores`), how what a host gives becomes a row (`_given`), and a suite that scores row after row (`_scorer`).
"""
