"""Prompts are versioned: a text that changes has another number."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from evaluators.judges.messages import messages_of, prompt_names, prompt_of, reply_schema
from tests.judges.test_model_judge import about

VERSIONS = yaml.safe_load(Path(__file__).with_name("prompt_versions.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", prompt_names())
def test_a_changed_prompt_has_a_new_version(name: str) -> None:
    """A new version gets a line of its own in prompt_versions.yaml; the old lines stay."""
    prompt = prompt_of(name)
    assert prompt is not None
    text = "\n".join((prompt.system, prompt.user, str(dict(prompt.verdict))))
    assert VERSIONS[prompt.label] == sha256(text.encode()).hexdigest()[:12], "give the changed prompt a new version"


@pytest.mark.parametrize("name", prompt_names())
def test_a_prompt_can_be_asked(name: str) -> None:
    prompt = prompt_of(name)
    assert prompt is not None
    assert (prompt.name, prompt.version > 0) == (name, True)
    messages = messages_of(prompt, [about("car", "boat", instructions="Be strict.")])
    assert [one["role"] for one in messages] == ["system", "user"]
    assert '{"id": 1, "expected": "car", "found": "boat"}' in messages[1]["content"]
    assert "Be strict." in messages[1]["content"]
    assert "$" not in messages[1]["content"]
    assert reply_schema(prompt)["required"] == ["verdicts"]


def test_an_unknown_prompt_is_said() -> None:
    assert prompt_of("no_such_prompt") is None
    assert prompt_of("../semantic") is None
