"""What `new` writes: the files of a suite, an evaluator or a comparator to start from, and what to do next.

The files are templates in which three words are filled in: the name, the name of the class, and the name in prose.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template
from typing import Final

from evaluators.builtin._evaluator import BUILTIN
from evaluators.comparators._comparator import COMPARATORS
from evaluators.issues import problem

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def files_of(kind: str, name: str, folder: str) -> dict[str, str]:
    """The files by path. Raises Problems (config) for a name that cannot be used."""
    if kind == "suite":
        file = name if name.lower().endswith((".yaml", ".yml")) else f"{name}.yaml"
        stem = re.sub(r"[\x00-\x1f\"\\]", " ", Path(file).stem)
        return {str(Path(folder) / file): Template(_SUITE).substitute(name=stem)}
    _check_name(kind, name)
    python, table, test = (_EVALUATOR, _EVALUATOR_CASES, _EVALUATOR_TEST) if kind == "evaluator" else (
        _COMPARATOR, _COMPARATOR_CASES, _COMPARATOR_TEST
    )  # fmt: skip
    written = {f"{name}.py": python, f"{name}.yaml": table, f"test_{name}.py": test}
    words = {"name": name, "title": class_name(name)}
    return {str(Path(folder) / file): Template(text).substitute(words) for file, text in written.items()}


def class_name(name: str) -> str:
    """`has_digits` as a class: `HasDigits`."""
    return "".join(part.capitalize() for part in name.split("_"))


def next_steps(kind: str, name: str, files: tuple[str, ...]) -> str:
    """What to do with the files, in words."""
    if kind == "suite":
        return f"Next: evaluators check {files[0]}\n"
    return Template(_NEXT).substitute(
        python=files[0], table=files[1], test=files[2], kind=kind, name=name, title=class_name(name),
        group="evaluators.builtin" if kind == "evaluator" else "evaluators.comparators",
    )  # fmt: skip


def _check_name(kind: str, name: str) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        hint = "small letters, digits and _, starting with a letter, such as has_digits"
        raise problem("bad-name", f'"{name}" cannot be the name of {_ARTICLE[kind]} {kind}', hint=hint)
    if name in (BUILTIN.shipped() if kind == "evaluator" else COMPARATORS.shipped()):
        raise problem("name-taken", f'"{name}" ships with the package', hint="choose another name")


_ARTICLE: Final = {"evaluator": "an", "comparator": "a"}

_NEXT: Final = """\
Next:
1. Change $python. Its docstring becomes its page: evaluators explain $name
2. Add cases to $table, and run them: python -m pytest $test
3. Make the name known, in one of two ways.
   In a program of yours, name the file before you load a suite:

       evaluators.register_file("$python")

   In a package of yours, for the command line too, add to pyproject.toml and install the package:

       [project.entry-points."$group"]
       $name = "your_package.$name:$title"
"""

_SUITE: Final = """\
# yaml-language-server: $$schema=suite.schema.json
# Run it:  evaluators run THIS_FILE rows.csv     where rows.csv has the columns "output" and "expected"
name: "$name"
evaluators:
  # The output is the expected answer; capitals and spaces do not count. `evaluators list` shows what else there is.
  - correctness: {name: right}
gates:
  # The command fails when fewer than 9 of 10 rows are right.
  right: {fail_below: 0.9}
"""

_EVALUATOR: Final = '''\
"""`$name`: the output holds enough digits."""

from __future__ import annotations

from typing import ClassVar, Literal

from evaluators import Evaluator, Example, Text
from pydantic import Field


class $title(Evaluator):
    """Pass when the output holds enough digits.

    Say here when to use it, and what it does not forgive. These sentences are its page. It does not read numbers that
    are written as words.
    """

    type: Literal["$name"] = "$name"
    at_least: int = Field(1, ge=0, strict=True)
    """How many digits there must be."""

    examples: ClassVar[tuple[Example, ...]] = (
        Example("a number", output="42 apples"),
        Example("no number", output="some apples", score=0.0),
        Example("too few digits", output="7 apples", settings={"at_least": 2}, score=0.0),
    )

    def needs(self) -> tuple[Text]:
        """The output as text."""
        return (Text(self.column("output")),)

    def measure(self, output: str) -> bool:
        """Whether one row passes. A number from 0 to 1, or a share such as (2, 3), gives it a score in between."""
        return digits_of(output) >= self.at_least

    def reason(self, output: str) -> str:
        """Why, for whoever reads the row."""
        return f"{digits_of(output)} digits"


def digits_of(text: str) -> int:
    """How many digits a text has."""
    return sum(letter.isdigit() for letter in text)
'''

_EVALUATOR_CASES: Final = """\
# One case per entry: what it shows, the settings, the row, and the score that must come out.
- it: finds a digit in a sentence
  output: "room 7"
  score: 1.0

- it: finds none
  output: "room seven"
  score: 0.0

- it: wants more than there are
  settings: {at_least: 2}
  output: "room 7"
  score: 0.0
"""

_EVALUATOR_TEST: Final = '''\
"""Every example and every case of the table gives its score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from evaluators import MISSING, Example

from $name import $title

CASES = yaml.safe_load(Path(__file__).with_name("$name.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", $title.examples, ids=lambda example: str(example.title))
def test_an_example_gives_its_score(example: Example) -> None:
    evaluator = $title.model_validate(example.settings or {})
    assert evaluator.score(example.output, example.expected, example.input).score == example.score


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["it"]))
def test_a_case_gives_its_score(case: dict[str, Any]) -> None:
    evaluator = $title.model_validate(case.get("settings", {}))
    cells = {role: case.get(role, MISSING) for role in ("output", "expected", "input")}
    assert evaluator.score(**cells).score == case["score"]
'''

_COMPARATOR: Final = '''\
"""The comparator `$name`: two texts that start alike."""

from __future__ import annotations

from typing import Any, ClassVar

from evaluators import Comparator, Comparison
from evaluators.comparators._comparator import Pair
from pydantic import Field


class $title(Comparator):
    """The two texts start with the same characters.

    Say here when to use it, and what it does not forgive. These sentences are its page. Values that are not text must be
    equal: equal values match before a comparator is asked.
    """

    length: int = Field(3, ge=1, strict=True)
    """How many characters are compared."""

    examples: ClassVar[tuple[Pair, ...]] = (
        Pair("the same start", "invoice 12", "invoice twelve", True),
        Pair("another start", "invoice 12", "receipt 12", False),
        Pair("more characters", "invoice 12", "invoice twelve", False, {"length": 9}),
    )

    def compare(self, expected: Any, actual: Any) -> bool:
        """Whether the two match. A Comparison says more: a score between 0 and 1, and what was found."""
        if not isinstance(expected, str) or not isinstance(actual, str):
            return False
        return expected[: self.length] == actual[: self.length]

    def reason(self, expected: Any, actual: Any, found: Comparison) -> str:
        """What was found, in a sentence for reports."""
        return f"the first {self.length} characters are {'the same' if found.passed else 'different'}"
'''

_COMPARATOR_CASES: Final = """\
# One case per entry: what it shows, the options, the two values, and whether they match.
- it: compares the first characters
  expected: "invoice 12"
  actual: "invoice 13"
  match: true

- it: counts capitals
  expected: "Invoice"
  actual: "invoice"
  match: false

- it: can look at one character only
  options: {length: 1}
  expected: "apple"
  actual: "avocado"
  match: true
"""

_COMPARATOR_TEST: Final = '''\
"""Every example and every case of the table matches, or does not, as it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from evaluators.comparators._comparator import Pair

from $name import $title

CASES = yaml.safe_load(Path(__file__).with_name("$name.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("pair", $title.examples, ids=lambda pair: str(pair.title))
def test_an_example_is_as_it_says(pair: Pair) -> None:
    comparator = $title.model_validate(pair.options or {})
    assert comparator.answer(pair.expected, pair.actual).passed is pair.match


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["it"]))
def test_a_case_is_as_it_says(case: dict[str, Any]) -> None:
    comparator = $title.model_validate(case.get("options", {}))
    assert comparator.answer(case["expected"], case["actual"]).passed is case["match"]
'''
