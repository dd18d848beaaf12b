"""An evaluator type or a comparator of your own, from the Python file that it stands in."""

from __future__ import annotations

import sys
from importlib.abc import SourceLoader
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from evaluators.api.extending import comparator, evaluator
from evaluators.builtin._evaluator import Evaluator
from evaluators.comparators._comparator import Comparator
from evaluators.issues import Problems, problem

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
    found = [
        one
        for one in vars(module).values()
        if isclass(one) and issubclass(one, Evaluator | Comparator) and one.__module__ == module.__name__
    ]
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.__name__ for one in found) or "none"
    message = f"the file must hold one subclass of Evaluator or of Comparator; it has {names}"
    hint = (
        "a function is registered with `evaluators.register`; `evaluators new evaluator NAME` writes a file to start from"
    )
    raise problem("not-a-plug", message, where=str(file), hint=hint)
