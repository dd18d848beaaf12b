"""The presets that come with the program: one YAML file each, which a suite extends."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

PRESETS: Final = Path(__file__).resolve().parents[1] / "presets"
"""The folder of the presets."""


def preset_names() -> tuple[str, ...]:
    """The names that `extends: preset:NAME` takes, sorted."""
    return tuple(sorted(file.stem for file in PRESETS.glob("*.yaml")))


def presets_with(comparator: str) -> tuple[str, ...]:
    """The presets that define a comparator of that name, sorted. They are read for this: ask when a name is unknown."""
    return tuple(name for name, defined in _comparators_of_presets() if comparator in defined)


@cache
def _comparators_of_presets() -> tuple[tuple[str, frozenset[str]], ...]:
    """Each preset with the comparators that it defines. A suite may ask for thousands of names that nothing has."""
    from evaluators.values.yaml_text import load_untrusted  # for a message only

    texts = {name: (PRESETS / f"{name}.yaml").read_text(encoding="utf-8") for name in preset_names()}
    return tuple((name, frozenset(load_untrusted(text).get("comparators") or ())) for name, text in texts.items())
