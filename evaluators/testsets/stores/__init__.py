"""Where bytes are: one store per file, found by the word before `://`."""
