"""The converters, one system a file."""
