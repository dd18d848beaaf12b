"""The Python API of other systems, by their own names and call forms: one module a system. Who comes from one changes an import."""
