"""The comparators that ask a judge, one a file, by the word that suites write. A function of the user's may have their names."""
