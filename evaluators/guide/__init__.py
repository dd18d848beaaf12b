"""A first suite for data that nobody has described yet: which column is what, how each field is compared, and the YAML."""
