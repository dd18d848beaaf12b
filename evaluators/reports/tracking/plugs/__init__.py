"""The trackers that ship with the package, one a file."""
