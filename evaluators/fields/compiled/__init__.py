"""A tree of nodes, compiled: both documents are walked at once and every result becomes a code (see `events`).

A node becomes a *walker*: functions that append codes and return nothing, so that a pair of items is scored the same way
when it is only weighed for an alignment. Values that are equal to the letter never meet a comparator. Objects with the
same keys in the same order share a plan (a *shape*), so that most of them are compared value by value without a look-up.

What is rare is not here: a tree with a choice, a compound or a comparator that takes all its pairs at once is scored by
`score`, which is the reference for this package too.
"""
