"""Every hint that says a finished line works when it is typed as it stands: the problem is gone, and no other one is in its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluators import loads
from evaluators.model.issues import Issue, Problems
from evaluators.suites import source
from tests.kit import read_yaml
from tests.suites.test_config import MISTAKES
from tests.suites.typed_hints import typed

TESTS = Path(__file__).parents[1]


HIDDEN = (
    '"llm_judge" needs a judge', 'the key "evaluators" is given twice', "evaluators must be a list", '"length" needs "x"',
    "a suite is a map of keys", "tolerance must say which kind it is",
)  # fmt: skip
"""How the messages begin of further mistakes in the same suites, which the first one hides."""


def table(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_yaml(TESTS / name)
    return found


def suites() -> Iterator[tuple[str, str]]:
    """The suites of the tables, each with a mistake or several; and parts of suites, whose name begins with `part`."""
    yield from ((name, text) for name, (text, _) in MISTAKES.items())
    yield from ((row["it"], row["suite"]) for row in table("cli/everyday_mistakes.yaml") if "suite" in row)
    yield from ((f"part: {row['it']}", row["yaml"]) for row in table("suites/test_source_messages.yaml"))
    words = read_yaml(TESTS / "suites" / "test_other_words.yaml")
    for word in words["comparators"]:
        yield (
            f"comparator {word}",
            f"evaluators:\n  - schema_match:\n      fields:\n        other: exact\n        name: {yaml.safe_dump(word).splitlines()[0]}\n",
        )
    for word in words["evaluators"]:
        yield f"evaluator {word}", f"evaluators:\n  - {word}\n"


def problems(text: str, part: bool = False) -> list[Issue]:
    """What is wrong with a suite, or with the YAML of a part of one."""
    try:
        (source.loads if part else loads)(text, environment={})
    except Problems as error:
        return list(error.issues)
    return []


FINISHED = [
    (name, text, issue)
    for name, text in suites()
    for issue in problems(text, name.startswith("part"))
    if issue.hint is not None and typed(text, issue) is not None
]


@pytest.mark.parametrize(
    ("name", "text", "issue"), FINISHED, ids=[f"{name}: {issue.hint}" for name, _, issue in FINISHED]
)
def test_a_hint_works_as_it_stands(name: str, text: str, issue: Issue) -> None:
    followed = typed(text, issue)
    assert followed is not None
    is_part = name.startswith("part")
    known = [one.message for one in problems(text, is_part)]
    left = [one.message for one in problems(followed, is_part)]
    assert issue.message not in left, followed
    assert not [message for message in left if message not in known and not message.startswith(HIDDEN)], followed


def test_most_hints_that_say_what_to_write_are_finished() -> None:
    assert len(FINISHED) > 150
