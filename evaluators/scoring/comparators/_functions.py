"""Comparators and transforms that are plain functions.

`comparator_of` makes the plug that a function stands behind, so that it is used wherever a comparator that ships with
the package is. The function may be async. It sees null as None, and is never asked about a value that is missing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, partial
from types import new_class
from typing import Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, PrivateAttr, model_validator
from pydantic_core import CoreSchema

from evaluators.model.issues import RowProblem, problem
from evaluators.model.rows import Comparison
from evaluators.model.settings import BadSettings, build, filled_texts
from evaluators.scoring.comparators._answer_cache import CallKey, cached_result, value_key
from evaluators.scoring.comparators._awaiting import await_result, results_of
from evaluators.scoring.comparators._comparator import (
    AT_ONCE,
    Answer,
    Comparator,
    Question,
    Readable,
    call_failure,
    checked_answers,
)
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.transforms import Apply, TransformError

Params: TypeAlias = Mapping[str, Any]
ReadParams: TypeAlias = type[BaseModel] | Callable[[dict[str, Any]], Mapping[str, Any] | None]
"""What checks the parameters when the suite is read: a pydantic model, or a function that takes them as they are written
and returns them as the comparator gets them (None: unchanged). It raises ValueError for what cannot be used."""


class FunctionComparator(Comparator):
    """A comparator that is a function of the suite's own."""

    model_config = ConfigDict(extra="allow")

    slow: ClassVar[bool] = True
    function: ClassVar[Callable[..., Any]]
    read_params: ClassVar[ReadParams | None] = None
    says_readable: ClassVar[Callable[..., Any] | None] = None
    """What is asked about an expected value alone: `f(expected, params)`."""
    _params: Params = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _read_params(self) -> Self:
        """Keeps the options as the parameters of the function, checked by its own `params`."""
        self._params = params_of("comparator", self.word, type(self).read_params, self.model_extra or {})
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The JSON schema of the options, without descriptions of the fields."""
        return handler(core)  # the class has no source text to read descriptions from

    def compare(self, expected: Any, actual: Any) -> bool | Comparison:
        """The function's answer on one pair of values. A function that costs is called with a list of one question."""
        if not self.costs:
            answer: bool | Comparison = await_result(type(self).function(expected, actual, dict(self._params)))
            return answer
        question = Question("", expected, actual, expected, actual)
        (comparison,) = checked_answers(self, [question], self.compare_all([question]))
        if isinstance(comparison, RowProblem):
            raise comparison
        return comparison

    @cached_property
    def identity(self) -> Hashable:
        """The function and its options: equal ones ask the same."""
        return type(self), value_key(self._params)

    def readable(self, expected: Any) -> Readable:
        """What the suite's own function `readable` says of an expected value; without one, every value can be used."""
        says = type(self).says_readable
        if says is None:
            return True
        key = CallKey("readable", self.identity, value_key(expected))
        answer: Readable = cached_result(key, lambda: await_result(says(expected, dict(self._params))))
        return answer

    @property
    def reads_any(self) -> bool:
        """Whether the function says nothing of expected values, so that it can use any."""
        return type(self).says_readable is None

    def compare_all(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """The function's answers: a batch gets all questions in one call; an async function is called for each, several at a time."""
        function = type(self).function
        if self.batch:
            answers: Sequence[Answer] = await_result(function(list(questions), dict(self._params)))
            return answers
        if not self.waits:
            return super().compare_all(questions)
        calls = [partial(function, question.expected, question.actual, dict(self._params)) for question in questions]
        return results_of(calls, self.at_once)

    def compare_rows(self, rows: Sequence[Sequence[Question]]) -> list[Sequence[Answer] | Exception]:
        """The answers to the questions of several rows; an async batch is called for several rows at a time."""
        if not (self.waits and self.batch):
            return super().compare_rows(rows)
        return results_of([partial(type(self).function, list(row), dict(self._params)) for row in rows], self.at_once)


def comparator_of(
    name: str,
    function: Callable[..., Any],
    *,
    batch: bool | Literal["row"] = False,
    reads: Literal["both", "output"] = "both",
    params: ReadParams | None = None,
    readable: Callable[..., Any] | None = None,
    at_once: int = AT_ONCE,
) -> type[FunctionComparator]:
    """The plug made of a function: `f(expected, actual, params)`, or `f(questions, params)` for a batch.

    `batch` says that one call gets many questions, and "row" that these are of one row. `reads` is "output" for a function that does not
    look at the expected value. `params` checks and changes the options. `readable` is a function `f(expected, params)`, which says whether
    an expected value can be read. Of an async function, `at_once` calls run at a time. Raises Problems (config) for a function that cannot
    be called so, and for another value of `batch`, `reads` or `at_once`.
    """
    if batch not in (True, False, "row"):
        raise problem("bad-plug", f'comparator "{name}": batch must be true, false or "row"; found {quote(batch)}')
    if isinstance(at_once, bool) or not isinstance(at_once, int) or at_once < 1:
        raise problem(
            "bad-plug", f'comparator "{name}": at_once must be a whole number from 1 up; found {quote(at_once)}'
        )
    wanted = ("questions", "params") if batch else ("expected", "actual", "params")
    check_callable("comparator", name, function, wanted)
    if readable is not None:
        check_callable("readable of comparator", name, readable, ("expected", "params"))
    if reads not in ("both", "output"):
        raise problem("bad-plug", f'comparator "{name}": reads must be "both" or "output"; found {quote(reads)}')
    members = {
        "__module__": getattr(function, "__module__", __name__) or __name__,
        "__doc__": inspect.getdoc(function) or "A comparator of your own.",
        "word": name,
        "function": staticmethod(function),
        "batch": batch,
        "waits": is_async(function),
        "at_once": at_once,
        "reads": reads,
        "says_readable": None if readable is None else staticmethod(readable),
        "read_params": params if inspect.isclass(params) or params is None else staticmethod(params),
    }
    return new_class(f"FunctionComparator_{name}", (FunctionComparator,), exec_body=lambda body: body.update(members))


def remaking_call(plug: type[FunctionComparator]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function and its arguments by which another process makes the same plug again: a class made here cannot be sent there."""
    own: dict[str, Any] = {"batch": plug.batch, "reads": plug.reads, "at_once": plug.at_once}
    own |= {"params": plug.read_params, "readable": plug.says_readable}
    return partial(comparator_of, **own), (plug.word, plug.function)


def plug_of_entry_point(name: str, plug: Any) -> Any:
    """The comparator of an installed entry point `name`: a function becomes a class, and a class gets that name."""
    if not inspect.isclass(plug):
        return comparator_of(name, plug)
    if issubclass(plug, Comparator):
        plug.word = name
    return plug


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a function is async: calling it gives an awaitable."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def transform_of(name: str, function: Callable[..., Any], params: ReadParams | None, options: Params) -> Apply:
    """A function that applies a transform of the suite's own: it calls `function(value, params)`, which gets null as None.

    Raises BadSettings for parameters that cannot be used. A TransformError says that a value cannot be changed; anything
    else that the function raises is its own fault.
    """
    read = params_of("transform", name, params, options)
    identity, filled = (name, value_key(read)), filled_texts()

    def apply(value: Any) -> Any:
        """The transformed value, from the cache where answers are cached."""
        return cached_result(CallKey("transform", identity, value_key(value)), lambda: change(value), function)

    def change(value: Any) -> Any:
        """The transformed value. Raises TransformError as the function does, and RowProblem for any other exception of it."""
        try:
            return await_result(function(value, read))
        except (RowProblem, TransformError):
            raise
        except Exception as error:  # a row is guarded: a transform that breaks costs its own field
            raise call_failure("transform", name, error, filled) from error

    return apply


def params_of(noun: str, word: str, read: ReadParams | None, options: Params) -> dict[str, Any]:
    """The parameters as the function gets them: the options, checked and changed by `read`, if there is one. Raises ValueError, which
    BadSettings is too, for those that cannot be used; it names the plug, a `noun` called `word`."""
    if read is None:
        return dict(options)
    if isinstance(read, type):
        return dict(build(read, dict(options), noun=f'{noun} "{word}"'))
    try:
        params = read(dict(options))
    except BadSettings:
        raise
    except Exception as error:  # what a validator of the user's own raises is what is wrong with the parameters
        text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f'{noun} "{word}": {text}') from error
    return dict(options) if params is None else dict(params)


def check_callable(noun: str, name: str, function: Callable[..., Any], wanted: tuple[str, ...]) -> None:
    """Refuses what cannot be called with the wanted arguments. Raises Problems (config)."""
    if not callable(function):
        raise problem("not-a-plug", f'{noun} "{name}" must be a function; found {quote(function)}')
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # some functions written in C say nothing about themselves
        return
    try:
        signature.bind(*wanted)
    except TypeError as error:
        takes = f"f({', '.join(wanted)})"
        raise problem("not-a-plug", f'{noun} "{name}" must be a function {takes}: {error}') from error
