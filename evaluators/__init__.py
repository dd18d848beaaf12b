"""A declarative engine that scores structured output."""
