"""What comparators answer, checked, and what becomes of a comparator that breaks.

A function that somebody wrote for their own suite may raise anything and return anything. Whatever it does costs the
field that it was asked about and nothing else: a `RowProblem` that names the comparator.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final, TypeAlias

from evaluators.comparators._comparator import Comparator, Compare, Question, reasoned, word_of
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.judges.asked_once import once, value_key
from evaluators.model import Outcome
from evaluators.value_class import replace
from evaluators.values.quoting import quote

Checked: TypeAlias = bool | Outcome
_TAKES: Final = "it must return true, false, a number from 0 to 1, or an Outcome"
_OF_FUNCTIONS: Final = ("comparator-failed", "bad-answer", "transform-failed")


def checked(word: str, found: object) -> Checked:
    """A comparator's answer as true, false or an outcome. A number passes at 1.

    Raises RowProblem for a score outside 0 to 1, and for anything that is no answer.
    """
    if isinstance(found, bool):
        return found
    if isinstance(found, Outcome):
        return _outcome(word, found)
    if isinstance(found, int | float):
        score = _score(word, found)
        return Outcome(score, False) if 0 < score < 1 else score == 1
    if found is None:
        raise bad_answer(word, f"gave no answer; {_TAKES}")
    raise bad_answer(word, f"returned {type(found).__name__} {quote(found)}; {_TAKES}")


def answers_in(comparator: Comparator, questions: Sequence[Question], found: object) -> list[Outcome | RowProblem]:
    """What one call answered to some questions, in their order, each with a reason.

    `found` is what the call returned, or the exception that it raised. A problem with one question stands in its place; an
    exception, or a list of another length, is everyone's problem: `WholeCall`, raised.
    """
    word = word_of(comparator)
    if isinstance(found, RowProblem):
        raise WholeCall(found)
    if isinstance(found, Exception):
        raise WholeCall(failed("comparator", word, found))
    if not isinstance(found, list | tuple):
        said = f"returned {type(found).__name__}; it must return a list with one answer per question"
        raise WholeCall(bad_answer(word, said))
    if len(found) != len(questions):
        raise WholeCall(bad_answer(word, f"returned {len(found)} answers to {len(questions)} questions"))
    return [answer_in(comparator, question, one) for question, one in zip(questions, found, strict=True)]


def compare_of(comparator: Comparator) -> Compare:
    """The comparison of a comparator. One that does not ship with the package is asked once for each pair while answers are
    kept: it may answer otherwise the next time."""
    compare = comparator.compile()
    if comparator.keeps_answers or comparator.costs or ships(comparator):
        return compare
    who = comparator.identity

    def kept(expected: Any, actual: Any) -> bool | Outcome:
        return once((who, value_key(expected), value_key(actual)), lambda: compare(expected, actual))

    return kept


def explain_of(comparator: Comparator, expected: Any, actual: Any) -> object:
    """The same answer with a reason. Where `explain` contradicts the comparison, the comparison counts."""
    if comparator.keeps_answers or comparator.costs or ships(comparator):
        return comparator.explain(expected, actual)
    word = word_of(comparator)
    found = checked(word, compare_of(comparator)(expected, actual))
    outcome = found if isinstance(found, Outcome) else Outcome(float(found), found)
    if type(comparator).explain is Comparator.explain:
        return reasoned(comparator, expected, actual, outcome)
    key = ("explained", comparator.identity, value_key(expected), value_key(actual))
    said = once(key, lambda: comparator.explain(expected, actual))
    if isinstance(said, Outcome) and (said.score, said.passed) == (outcome.score, outcome.passed):
        return said
    return reasoned(comparator, expected, actual, outcome)


def ships(comparator: Comparator) -> bool:
    """Whether a comparator comes with the package."""
    return type(comparator).__module__.startswith("evaluators.")


class WholeCall(Exception):
    """A call about several questions answered none of them."""

    def __init__(self, problem: RowProblem) -> None:
        self.problem = problem
        super().__init__(str(problem))


def failed(noun: str, word: str, error: Exception) -> RowProblem:
    """The problem of a row for which a comparator or a transform raised an exception."""
    message = f'{noun} "{word}" failed: {type(error).__name__}: {error}'
    import traceback  # few runs meet a fault

    trace = "".join(traceback.format_exception(error, chain=error.__cause__ is not None))
    return RowProblem(Issue(f"{noun}-failed", Blame.BUG, message, hint=trace))


def in_field(error: RowProblem, path: str) -> RowProblem:
    """The same problem, said with its field: what a function of the suite's own did wrong, and what is wrong with an
    expected value."""
    issue = error.issue
    about_a_field = issue.code in _OF_FUNCTIONS or issue.code.startswith("expected-")
    if not about_a_field or issue.message.startswith("field "):
        return error
    return RowProblem(replace(issue, message=f'field "{path}": {issue.message}'))


def answer_in(comparator: Comparator, question: Question, found: object) -> Outcome | RowProblem:
    """One answer, checked, with a reason; the problem where it is none."""
    if isinstance(found, RowProblem):
        return found
    if isinstance(found, Exception):
        return failed("comparator", word_of(comparator), found)
    try:
        one = checked(word_of(comparator), found)
    except RowProblem as error:
        return error
    outcome = one if isinstance(one, Outcome) else Outcome(float(one), one)
    return reasoned(comparator, question.expected, question.actual, outcome)


def _outcome(word: str, found: Outcome) -> Outcome:
    score: Any = found.score
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise bad_answer(word, f"returned an Outcome with the score {quote(score)}; a score is a number from 0 to 1")
    _score(word, score)
    if not isinstance(found.passed, bool):
        raise bad_answer(word, f"returned an Outcome with passed={quote(found.passed)}; it must be true or false")
    if found.ratio is not None and not 0 <= found.ratio[0] <= found.ratio[1] != 0:
        raise bad_answer(word, f"returned an Outcome with the ratio {found.ratio}; it must lie between 0 and 1")
    return found


def _score(word: str, score: int | float) -> float:
    if not (isfinite(score) and 0 <= score <= 1):
        raise bad_answer(word, f"returned the score {score}; a score is a number from 0 to 1")
    return float(score)


def bad_answer(word: str, what: str) -> RowProblem:
    """The problem of a row for which a comparator answered something that is no answer."""
    return RowProblem(Issue("bad-answer", Blame.BUG, f'comparator "{word}" {what}'))
