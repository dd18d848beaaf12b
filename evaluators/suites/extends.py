"""`extends:` followed to its end.

A suite extends one thing or a list of them: a path relative to the file that says so, or `preset:NAME`. What is extended
comes first, in the order it is written, and a file that is reached twice counts once, at its first place.

How a suite and the files it extends become one.

- Maps merge key by key, and the nearer file wins.
- `evaluators`: those of the extended file come first; a nearer evaluator with the same `name` takes its place.
- `comparators`: a nearer definition of a name replaces the whole definition, for two of them cannot be mixed.
- Anything else, other lists included, is replaced. A null takes a value away.

The presets that come with the program: one YAML file each, which a suite extends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from evaluators.model.issues import Problems
from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Filled, spell
from evaluators.scoring.values.file_names import place_in_copy
from evaluators.suites.files import FilledText, fill_variables, read_text
from evaluators.suites.nodes import SECTIONS, Findings, MapEntry, Spot, SuiteInput, YamlNode, refusal


def merge_suites(far: YamlNode, near: YamlNode) -> YamlNode:
    """The tree of a suite, `near`, merged with the tree of the one that it extends, `far`. Both are maps; where both have a
    value, `near` wins."""
    return _merge_by_key(far, near, _merge_section)


def _merge_by_key(far: YamlNode, near: YamlNode, join: Callable[[str, YamlNode, YamlNode], YamlNode]) -> YamlNode:
    """One map from two: `join` makes one value of two with the same key. Where the two are not both maps, `near`."""
    if not (isinstance(far.value, dict) and isinstance(near.value, dict)):
        return near
    value = dict(far.value)
    for key, entry in near.value.items():
        value[key] = MapEntry(entry.key, join(key, value[key].node, entry.node)) if key in value else entry
    return YamlNode(value, near.spot)


def _merge_section(name: str, far: YamlNode, near: YamlNode) -> YamlNode:
    """A section that two suites have, as one: `near` is that of the suite, `far` that of the suite that it extends."""
    if name == "evaluators":
        return _merge_evaluators(far, near)
    return _merge_by_key(far, near, _take_nearer if name == "comparators" else _merge_deep)


def _merge_deep(_: str, far: YamlNode, near: YamlNode) -> YamlNode:
    """The two values as one: maps key by key on every level, anything else as `near` has it. The key makes no difference."""
    return _merge_by_key(far, near, _merge_deep)


def _take_nearer(_: str, far: YamlNode, near: YamlNode) -> YamlNode:
    """The value of the suite that extends the other: what both define is not mixed."""
    return near


def _merge_evaluators(far: YamlNode, near: YamlNode) -> YamlNode:
    """The evaluators of two suites, as one list: those of the nearer suite replace those of the same name."""
    if not (isinstance(far.value, list) and isinstance(near.value, list)):
        return near
    value = list(far.value)
    places = {name: index for index, node in enumerate(value) if (name := _evaluator_name(node)) is not None}
    for node in near.value:
        name = _evaluator_name(node)
        if name is not None and name in places:
            # A second near evaluator of that name stays beside the first, so that the clash is seen.
            value[places.pop(name)] = node
        else:
            value.append(node)
    return YamlNode(value, near.spot)


def _evaluator_name(node: YamlNode) -> str | None:
    """The `name` that an evaluator has among its settings, in the long form or below its type; None where no text is written as `name`."""
    value = node.value
    if not isinstance(value, dict):
        return None
    if "name" not in value and len(value) == 1:
        inner = next(iter(value.values())).node.value
        value = inner if isinstance(inner, dict) else {}
    name = value["name"].node.value if "name" in value else None
    return name if isinstance(name, str) else None


PRESETS: Final = Path(__file__).resolve().with_name("presets")
"""The folder of the presets."""


def preset_names() -> tuple[str, ...]:
    """The names that `extends: preset:NAME` takes, sorted."""
    return tuple(sorted(file.stem for file in PRESETS.glob("*.yaml")))


def presets_with(comparator: str) -> tuple[str, ...]:
    """The presets that define a comparator of that name, sorted. They are read for this: ask when a name is unknown."""
    return tuple(name for name, defined in _comparators_of_presets() if comparator in defined)


@cache
def _comparators_of_presets() -> tuple[tuple[str, frozenset[str]], ...]:
    """(preset, names of the comparators that it defines) for each preset. Kept: a suite may ask for thousands of names."""
    from evaluators.scoring.values.yaml_text import load_untrusted  # for a message only

    texts = {name: (PRESETS / f"{name}.yaml").read_text(encoding="utf-8") for name in preset_names()}
    return tuple((name, frozenset(load_untrusted(text).get("comparators") or ())) for name, text in texts.items())


MOST_FILES: Final = 32
PRESET: Final = "preset:"


class Chain(Struct):
    """The documents of a suite, found by following `extends`. `read` makes the tree of a document."""

    read: Callable[[SuiteInput], YamlNode]
    environment: Mapping[str, str]
    findings: Findings = field(default_factory=Findings)
    filled: Filled = field(default_factory=Filled)
    """What the environment filled in to the names of files."""
    _seen: set[Path] = field(default_factory=set)
    _open: list[tuple[Path, str]] = field(default_factory=list)

    def follow(self, root: YamlNode, path: Path | None = None) -> list[YamlNode]:
        """The trees to merge, the farthest first and `root` last. `path` is the file of `root`, when it has one.

        Raises Problems with every `extends` that leads nowhere or round in a circle.
        """
        if path is not None:
            self._enter(_identity(path), root.spot.document.name)
        trees = [*self._extended_trees(root), root]
        self.findings.raise_any()
        return trees

    def _enter(self, path: Path, name: str) -> None:
        """Marks a file as being read, by its path and the name for messages, so that a circle is noticed."""
        self._seen.add(path)
        self._open.append((path, name))

    def _extended_trees(self, root: YamlNode) -> list[YamlNode]:
        """The trees of the files that a suite extends, and of those that they extend, the farthest first. What cannot be read is left out
        and noted in `findings`."""
        if not isinstance(root.value, dict) or "extends" not in root.value:
            return []
        wanted = root.value["extends"].node
        items = wanted.value if isinstance(wanted.value, list) else [wanted]
        trees: list[YamlNode] = []
        for item in items:
            try:
                trees.extend(self._trees_of_file(item))
            except BadSettings as error:
                self.findings.note(item.spot, error)
            except Problems as error:
                self.findings.found.extend((item.spot, issue) for issue in error.issues)
        return trees

    def _trees_of_file(self, item: YamlNode) -> list[YamlNode]:
        """The trees of one file that a suite extends, the farthest first; none for a file that was met before. Raises BadSettings for
        a circle, for too many files and for one that cannot be read."""
        if not isinstance(item.value, str):
            message = f'"extends" takes a path or {PRESET}NAME, or a list of them; found {spell(item.value)}'
            raise refusal("bad-extends", message)
        filled = fill_variables(item.value, self.environment)
        self.filled.note(filled.text, filled.shown, filled.values)
        text = filled.shown
        path, written, name = _file_of_extends(filled, item.spot)
        identity = _identity(path)
        opened_paths = [path for path, _ in self._open]
        if identity in opened_paths:
            start = opened_paths.index(identity)
            circle = " → ".join([*(opened for _, opened in self._open[start:]), name])
            raise refusal("extends-circle", f"the files extend each other: {circle}")
        if identity in self._seen:
            return []
        if len(self._seen) >= MOST_FILES:
            raise refusal("bad-extends", f"a suite may extend at most {MOST_FILES} files, theirs included")
        quotable = path.suffix.lower() in (".yaml", ".yml", ".json")
        document = SuiteInput(
            name, _read_extended_file(path, text), path.parent, quotable=quotable, file=path, written=written
        )
        self._enter(identity, name)
        try:
            root = self._tree(document)
            return [*self._extended_trees(root), root]
        finally:
            self._open.pop()

    def _tree(self, document: SuiteInput) -> YamlNode:
        """The tree of an extended file. Raises BadSettings for one that is no suite, so that a wrong path shows nothing of a file."""
        try:
            root = self.read(document)
            if document.quotable or (isinstance(root.value, dict) and root.value.keys() <= set(SECTIONS)):
                return root
        except Problems:
            if document.quotable:
                raise
        message = f'"{document.name}" is no suite, and nothing of it is shown'
        raise refusal("not-a-suite", message, "a suite is a YAML file whose name ends with .yaml or .yml")


def _file_of_extends(filled: FilledText, spot: Spot) -> tuple[Path, Path, str]:
    """(file, place, name): the file that an `extends` names, where it would be by the name as it is written, and how messages call
    it. Raises BadSettings.

    File and place differ where variables filled in the name: in the copy of a suite, such a file has the name that is written.
    """
    text = filled.text
    if text.startswith(PRESET):
        path = _preset_file(text.removeprefix(PRESET).strip())
        return path, path, filled.shown
    if not text.strip():
        raise refusal("bad-extends", f'"extends" is empty; it takes a path or {PRESET}NAME')
    path, document = Path(text), spot.document
    if path.is_absolute() and document.folder is None:
        return path, path, filled.shown
    if document.folder is None:
        message = f'"{filled.shown}" is relative, and this suite was not read from a file'
        raise refusal("bad-extends", message, "give the folder that it is relative to, or an absolute path")
    name = os.path.normpath(os.path.join(os.path.dirname(document.name), filled.shown))
    beside = document.written.parent if document.written is not None else document.folder
    elsewhere = path.is_absolute() and not filled.values
    place = place_in_copy(beside, text) if elsewhere else beside / filled.shown
    path = place if (elsewhere or filled.values) and place.exists() else document.folder / path
    return path, place, filled.shown if elsewhere else name


def _preset_file(name: str) -> Path:
    """The file of a preset. Raises BadSettings for a name that no preset has."""
    known = preset_names()
    if name not in known:
        hint = suggestion(name, known) or f"known: {', '.join(known)}"
        raise refusal("unknown-name", f'unknown preset "{name}"', hint)
    return PRESETS / f"{name}.yaml"


def _read_extended_file(path: Path, text: str) -> str:
    """The text of a file that a suite extends. Raises BadSettings, which calls the file `text`, as the suite does."""
    try:
        return read_text(path)
    except BadSettings as error:
        detail = error.details[0]
        hint = detail.hint
        if detail.code == "no-such-file" and text in preset_names():
            hint = f"did you mean {PRESET}{text}?"
        raise refusal(detail.code, f'"{text}": {detail.message}', hint) from None


def _identity(path: Path) -> Path:
    """The path of a file by which it is recognised: the same for every spelling of it, as far as it can be resolved."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path
