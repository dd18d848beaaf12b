"""Test sets: what a run reads.

`reader` has the contract of the formats, and the socket `readers` has one format per file. `opening` opens what a suite
or the command line names, and puts outputs, expected answers and variants together; a `test_set` is what comes of it.
"""
