"""What a suite means, as checksums: one for each setting of each evaluator, so that two runs can say what differs.

Only checksums are kept: a setting may have been filled in from the environment, and a run is shared.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final

from evaluators.model.limits import WorkLimits
from evaluators.model.registry import registered_plugs
from evaluators.scoring.judges.judge import Judge
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.files import NoSmallFile, read_small
from evaluators.scoring.values.transforms import registered_transforms

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite


READING: Final = ""
"""The name under which stands how the test set is read."""
_READ: Final = ("unreadable_output", "parse", "pick", "no_output", "empty_expected")

_WORK: Final = ("text_length", "list_cells", "path_steps", "depth")


def meaning_of(suite: LoadedSuite) -> dict[str, dict[str, str]]:
    """The checksum of each setting by its name, for each evaluator by its name; under `READING`, of the settings by which rows are read, of
    limits, and of the judge."""
    comparators = suite.config.source.data.get("comparators") or {}
    checksums = {line.name: _line_checksums(suite, line, comparators) for line in suite.lines}
    reading = {name: _checksum(getattr(suite.test_set, name)) for name in _READ}
    reading |= {f"limits → {name}": _checksum(value) for name, value in _unusual_limits(suite.limits).items()}
    if suite.judge is not None:
        reading |= _judge_checksums(suite.judge, "judge", READING)
    return {READING: reading, **checksums}


def deciding_checksum(suite: LoadedSuite) -> str:
    """A checksum of the settings and files that decide an answer, or what a run keeps of it: the name and description of a
    suite, its gates, trackers and reports are left out, as they decide none."""
    settings = {key: value for key, value in suite.config.source.data.items() if key not in _HARMLESS}
    judges = [judged for judge in suite.judges.values() if (judged := judge.meaning())]
    # a file that it does not name is a suite that it extends
    named = {Path(word).name for word in _words(settings) if word}
    files = {name: sha256(data).hexdigest() for name, data in suite.files.items() if Path(name).name in named}
    return _checksum([settings, judges, suite.results.reasoning_length, files])


_HARMLESS: Final = frozenset(
    ("name", "description", "version", "extends", "gates", "compare", "results", "tracking", "engine")
)


def _unusual_limits(limits: WorkLimits) -> dict[str, int]:
    """The limits of work that are not the usual ones. Those of time say nothing of what a score means."""
    usual = WorkLimits()
    return {name: value for name in _WORK if (value := getattr(limits, name)) != getattr(usual, name)}


def _line_checksums(suite: LoadedSuite, line: EvaluatorLine, comparators: Mapping[str, Any]) -> dict[str, str]:
    """A checksum for each setting of an evaluator, by its name: each field, each comparator of the suite that its settings name, each
    judge, and a schema by its contents where the file can be read."""
    settings = suite.settings_of(line)
    checksums = {"type": _checksum(line.type)}
    for key, value in settings.items():
        if key == "fields" and isinstance(value, Mapping):
            checksums |= {f"fields → {path}": _checksum(rules) for path, rules in value.items()}
        elif key not in ("type", "name"):
            checksums[key] = _checksum(value)
    words = set(_words(settings))
    checksums |= {f"comparators → {name}": _checksum(body) for name, body in comparators.items() if name in words}
    asking = line.settings.asking()
    for loc, judge in asking.judges.items() if asking is not None else ():
        checksums |= _judge_checksums(judge, " → ".join(map(str, loc)), line.name)
    file = settings.get("schema")
    if isinstance(file, str):
        path = (suite.config.source.folder_of(line.loc) or Path()) / file
        data = suite.files.get(str(path))
        if data is None and path.is_file():
            data = path.read_bytes()
        checksums["schema"] = _checksum(file) if data is None else sha256(data).hexdigest()[:12]
    return checksums


def _judge_checksums(judge: Judge, path: str, owner: str) -> dict[str, str]:
    """A checksum for each setting that a judge's answers depend on, by names that begin with `path`. One that plays a run back has those
    that the judge had in that run, under the evaluator `owner`."""
    folder = judge.replayed_run()
    if folder is not None:
        # a run that cannot be read is nothing here: `ready` says it
        with suppress(OSError, ValueError, NoSmallFile, AttributeError, KeyError, TypeError):
            run = json.loads(read_small(folder / "run.json"))
            meanings: Mapping[str, str] = run["meaning"].get(owner, {})
            return {key: meaning for key, meaning in meanings.items() if key == path or key.startswith(f"{path} → ")}
    return {f"{path} → {name}": _checksum(value) for name, value in judge.meaning().items()}


def _words(value: Any) -> Iterator[str]:
    """Every key and text, however deep: among them are the names of comparators."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _words(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _words(inner)


def _checksum(value: object) -> str:
    """The first 12 hexadecimal digits of SHA-256 over the value as JSON with sorted keys."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def source_checksums(suite: LoadedSuite) -> dict[str, str]:
    """A checksum of the source code of each plug and transform that the suite names and a program has registered, by its name."""
    words = set(_words(suite.config.source.data))
    plugs: dict[str, Any] = {name: plug for plugs in registered_plugs().values() for name, plug in plugs.items()}
    plugs = {name: getattr(plug, "function", plug) for name, plug in plugs.items() if name in words}
    for name, kind in registered_transforms().items():
        if name in words:
            plugs[f"transform {name}"] = kind.make.args[1] if isinstance(kind.make, partial) else kind.make
    return {name: _checksum(_source_text(plug)) for name, plug in sorted(plugs.items())}


def _source_text(plug: Any) -> str:
    """The syntax tree, as text without comments, of the module in which a plug is written: what a plug does is also what it calls. Of one
    that was typed at a prompt, that of its own lines; empty where no source is found."""
    candidates: tuple[Any, Any] = (inspect.getmodule(plug), plug)
    for candidate in candidates:
        with suppress(OSError, TypeError, SyntaxError):
            return ast.dump(ast.parse(dedent(inspect.getsource(candidate))))
    return ""
