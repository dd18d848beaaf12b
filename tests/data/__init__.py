"""Data that tests read, each with its source and licence beside it."""
