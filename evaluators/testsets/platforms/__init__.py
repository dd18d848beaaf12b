"""Rows whose outputs already live in a platform: one platform a file. They are fetched once, and then read like a file of rows."""
