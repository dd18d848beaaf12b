"""Prompts are versioned: a text that changes has another number."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from evaluators.scoring.judges.messages import prompt_names, prompt_of
from tests.kit import read_yaml

VERSIONS = read_yaml(Path(__file__).with_name("prompt_versions.yaml"))


@pytest.mark.parametrize("name", prompt_names())
def test_a_changed_prompt_has_a_new_version(name: str) -> None:
    """A new version gets a line of its own in prompt_versions.yaml; the old lines stay."""
    prompt = prompt_of(name)
    assert prompt is not None
    text = "\n".join((prompt.system, prompt.user, str(dict(prompt.verdict))))
    assert VERSIONS[prompt.label] == sha256(text.encode()).hexdigest()[:12], "give the changed prompt a new version"


def test_an_unknown_prompt_is_said() -> None:
    assert prompt_of("no_such_prompt") is None
    assert prompt_of("../semantic") is None
