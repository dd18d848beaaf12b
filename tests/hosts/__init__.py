"""The second tier of tests: each folder is an environment with other people's software in it, and the tests that need it."""
