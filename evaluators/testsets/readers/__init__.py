"""The socket of the formats: one reader per file, named after its format."""
