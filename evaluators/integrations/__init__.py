"""A suite inside another program: its scorers, its batches of rows, the calls of another system."""
