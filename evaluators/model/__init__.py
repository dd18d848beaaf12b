"""What everybody speaks of: rows and their results, issues, words, limits, settings, the registry of plugs."""
