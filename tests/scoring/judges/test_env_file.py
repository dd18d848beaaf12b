"""Files of variables, as a judge reads them."""

from __future__ import annotations

from pathlib import Path

from evaluators.scoring.judges.model_endpoint import read_env_file
from tests.kit import problem_of

TEXT = """
# a comment
A=1
export B = "two words"  # behind it
C='# no comment'
D=x # a comment
E=
F=a=b
"""


def test_variables_are_read_as_shells_write_them(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("\ufeff" + TEXT, encoding="utf-8")
    assert read_env_file(file) == {"A": "1", "B": "two words", "C": "# no comment", "D": "x", "E": "", "F": "a=b"}


def test_a_line_that_sets_nothing_is_named_and_not_shown(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("A=1\nsecret-by-itself\n", encoding="utf-8")
    issue = problem_of(lambda: read_env_file(file))
    assert (issue.where, issue.code) == (f"{file}:2", "bad-env-file")
    assert "secret" not in str(issue)


def test_the_example_that_ships_can_be_read() -> None:
    found = read_env_file(Path(__file__).parents[3] / ".env.example")
    assert found == {"JUDGE_KEY": "", "DEFAULT_LLM_MODEL": ""}
