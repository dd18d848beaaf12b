"""The texts that a model gets: one file a prompt, by the word that asks. A changed text has a new version number."""
