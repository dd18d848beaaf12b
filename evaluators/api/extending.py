"""Plugs of your own: comparators and transforms that are functions or classes, and evaluator types that are classes.

A comparator that ships with the package is replaced when that is asked for (`overwrite=True`), except the three that
everything rests on; other plugs that ship cannot be replaced. To share plugs between programs, give your distribution an entry
point in the group `evaluators.scoring.evaluators` (evaluator types) or `evaluators.scoring.comparators`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial
from importlib.abc import SourceLoader
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, TypeVar

from evaluators.model.issues import Problems, problem
from evaluators.scoring.comparators._comparator import AT_ONCE, COMPARATORS, Comparator
from evaluators.scoring.comparators._functions import ReadParams, check_callable, comparator_of, transform_of
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator
from evaluators.scoring.fields.named_comparators import NEIGHBOURS, WORDS
from evaluators.scoring.values.transforms import AnyParameters, Kind, add_transform
from evaluators.suites.foreign_words import TYPES

EvaluatorClass = TypeVar("EvaluatorClass", bound=type[Evaluator])
Function = TypeVar("Function", bound=Callable[..., Any])
"""A comparator: a subclass of `Comparator`, or a function, which may be async."""


KEPT: Final = ("exact", "numeric", "one_of")
"""Comparators that cannot be replaced, nor can their other names: struct-extract-eval protects the same ones."""
GIVEN: Final = ("date",)
"""Comparators that give way without being asked: struct-extract-eval has none of that name, and its page registers one."""


def evaluator(name: str, *, overwrite: bool = False) -> Callable[[EvaluatorClass], EvaluatorClass]:
    """A decorator that registers an evaluator type under the name that suites use.

    Raises Problems (config) when the name ships with the package, or is taken and `overwrite` is not asked for.
    """

    if name in TYPES:
        raise problem("shadows-built-in", f'"{name}" is another name of the evaluator type "{TYPES[name]}", which ships')

    def register(plug: EvaluatorClass) -> EvaluatorClass:
        """Registers the class under `name`, and returns it as it is, as a decorator does."""
        BUILTIN.register(name, plug, overwrite=overwrite)
        return plug

    return register


def comparator(
    name: str,
    *,
    overwrite: bool = False,
    batch: bool | Literal["row"] = False,
    reads: Literal["both", "output"] = "both",
    params: ReadParams | None = None,
    readable: Callable[..., Any] | None = None,
    at_once: int = AT_ONCE,
) -> Callable[[Function], Function]:
    """A decorator that registers a comparator, a class or a function, under the name that `fields:` use.

    The options are those of `register`, for a function; a class says for itself whether it is a batch, what it reads and which
    expected values it can read. Raises Problems (config) when the name ships with the package, or is taken and `overwrite` is not
    asked for.
    """

    def add(plug: Function) -> Function:
        """Registers the class or function under `name`, and returns it as it is, as a decorator does. A Comparator subclass gets the name
        as its `word`."""
        if inspect.isclass(plug):
            _check_name("comparator", name)
            _add_comparator(name, plug, overwrite)
            if issubclass(plug, Comparator):
                plug.word = name
        else:
            register(name, plug, overwrite, batch, reads, params, readable, at_once)
        return plug

    return add


def register(
    name: str,
    f: Callable[..., Any],
    overwrite: bool = False,
    batch: bool | Literal["row"] = False,
    reads: Literal["both", "output"] = "both",
    params: ReadParams | None = None,
    readable: Callable[..., Any] | None = None,
    at_once: int = AT_ONCE,
) -> None:
    """Make a function a comparator: `f(expected, actual, params)` returns true, false, a number or a `Comparison`.

    A number is a score from 0 to 1, and passes at 1. Null is None; a value that is missing is never asked about, nor are
    two values that are equal already. `params` are the options that a suite writes. The function may be async.

    `batch`: `f(questions, params)` gets a list of `Question`, and returns one answer for each. True: the questions are all
    those of some hundred rows, equal ones once; `"row"`: they are those of one row, for a function that looks at `path`, or at
    the fields of one row together. `at_once`: how many calls of an async function run at the same time, at most.
    `reads="output"`: the expected value does not count, so equal values are asked about too. `params`: a pydantic model,
    or a function, that checks the options when the suite is read. `readable`: `f(expected, params)` returns true, or what
    is wrong with an expected value; it is asked once for each that is not null, also where the output is equal or has
    nothing, and a value that cannot be read makes its field invalid. Raises Problems (config) when the name ships with
    the package, or is taken and `overwrite` is not asked for; `exact`, `numeric` and `one_of` are never replaced. A run says
    when a comparator that ships was replaced.
    """
    _check_name("comparator", name)
    plug = comparator_of(name, f, batch=batch, reads=reads, params=params, readable=readable, at_once=at_once)
    _add_comparator(name, plug, overwrite)


def register_transform(
    name: str, f: Callable[..., Any], overwrite: bool = False, params: ReadParams | None = None
) -> None:
    """Make a function a transform: `f(value, params)` returns the changed value. It sees null as None, and may be async.

    It raises `TransformError` for a value that it cannot change. The other parameters, and the Problems that are raised, are those of
    `register`.
    """
    _check_name("transform", name)
    check_callable("transform", name, f, ("value", "params"))

    does = (inspect.getdoc(f) or "A transform of your own.").partition("\n\n")[0]
    kind = Kind(does, AnyParameters, partial(_own_transform, name, f, params), converts=True)
    add_transform(name, kind, overwrite=overwrite)


def _own_transform(
    name: str, f: Callable[..., Any], params: ReadParams | None, options: AnyParameters
) -> Callable[[Any], Any]:
    """The transform that calls the registered function `f` with the `options` of a suite, which `params` checks."""
    return transform_of(name, f, params, options.model_extra or {})


def _add_comparator(name: str, plug: Any, overwrite: bool) -> None:
    """Registers a comparator. Raises Problems (config) for another word for a comparator of the package, and for a name that is taken."""
    if name in WORDS:
        message = f'"{name}" is another name of the comparator "{WORDS[name]}", which ships with the package and cannot be replaced'
        raise problem("shadows-built-in", message, hint="choose another name")
    gives_way = name in GIVEN and not COMPARATORS.is_replaced(name)
    COMPARATORS.register(name, plug, overwrite=overwrite or gives_way, replaceable=name not in KEPT)


def _check_name(noun: str, name: object) -> None:
    """Raises Problems (config) for a name that no comparator or transform may have; `noun` is what the message calls it."""
    if not isinstance(name, str) or not name.strip() or name == "skip" or name in NEIGHBOURS:
        raise problem("bad-name", f"a {noun} cannot be called {name!r}", hint="choose another name")


_PREFIX: Final = "evaluators_file_"


def register_file(path: str | Path, *, overwrite: bool = False) -> str:
    """Run a Python file and make the evaluator type or the comparator in it known. Returns the name that suites use.

    The file holds one subclass of `Evaluator`, called what its `type` says, or one of `Comparator`, called like the file.
    A suite never runs a file by itself: whoever calls this has decided to. Raises Problems (config) for a file that is not
    there, that breaks, or that holds none or several of them, and for a name that is taken and not to be overwritten.
    """
    file = Path(path)
    if not file.is_file():
        raise problem("no-such-file", "there is no such file", where=str(file), hint="write the path to a Python file")
    plug = _only_plug(_module_of(file), file)
    if issubclass(plug, Evaluator):
        name = plug.model_fields["type"].default
        if not isinstance(name, str):
            hint = f'write `type: Literal["{file.stem}"] = "{file.stem}"` into the class'
            raise problem("no-name", f'the class "{plug.__name__}" does not say its type', where=str(file), hint=hint)
        evaluator(name, overwrite=overwrite)(plug)
        return name
    comparator(file.stem, overwrite=overwrite)(plug)
    return file.stem


def _module_of(file: Path) -> ModuleType:
    """The module of a file, run anew and put into `sys.modules`. Raises Problems (config) where it is not Python or cannot be run;
    `sys.modules` is then as it was before."""
    name = f"{_PREFIX}{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or not isinstance(spec.loader, SourceLoader):
        raise problem("not-python", "this is not a Python file", where=str(file), hint="its name must end in .py")
    module = module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module  # the source of a class is looked up there, for the texts under its settings
    try:
        # the text as it stands now: byte code of a moment ago would be taken for it
        exec(spec.loader.source_to_code(file.read_bytes(), str(file)), vars(module))
    except Exception as error:  # the user's own file: whatever it raises is what is wrong with it
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before
        if isinstance(error, Problems):
            raise
        message = f"the file cannot be run: {type(error).__name__}: {error}"
        raise problem("file-failed", message, where=str(file)) from error
    return module


def _only_plug(module: ModuleType, file: Path) -> Any:
    """The one subclass of Evaluator or Comparator that the module itself defines. Raises Problems (config) where there is none, or more
    than one."""
    plugs = [
        member
        for member in vars(module).values()
        if isclass(member) and issubclass(member, Evaluator | Comparator) and member.__module__ == module.__name__
    ]
    if len(plugs) == 1:
        return plugs[0]
    names = ", ".join(plug.__name__ for plug in plugs) or "none"
    message = f"the file must hold one subclass of Evaluator or of Comparator; it has {names}"
    hint = (
        "a function is registered with `evaluators.register`; `evaluators new evaluator NAME` writes a file to start from"
    )
    raise problem("not-a-plug", message, where=str(file), hint=hint)
