"""A suite's text as plain data in which every value knows its place. The only door to YAML.

One pass over the parser's events builds a tree of nodes; duplicate keys, foreign tags and aliases that multiply are
found on the way, before anything walks the tree. The tree is merged with the files it extends, and the variables of the
environment are filled in when plain data are read off it. PyYAML's C parser is used where it exists, and the other one
gives the same answers; only their events are used, so nothing of PyYAML's own reading of values is left.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Final

import yaml
from msgspec import Struct, field

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.settings import BadSettings, Filled, Loc, spell
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.suites.complaints import BACKSLASH, BAD_CHARACTER, Mark, ParserError, YamlErrorExplainer, YamlProblem
from evaluators.suites.excerpt import lines_of
from evaluators.suites.extends import Chain, merge_suites
from evaluators.suites.files import read_text
from evaluators.suites.nodes import (
    COLLECTION_TAGS,
    Findings,
    MapEntry,
    Scalar,
    Spot,
    SuiteInput,
    YamlNode,
    check_quotes,
    find,
    parse_plain,
    parse_tagged,
    spelled_tag,
)
from evaluators.suites.python_data import DEEPEST, TOO_DEEP, Filling, tree_of, written_data

MOST_ALIASES: Final = 10_000
MOST_COPIES: Final = 100_000
"""How many values aliases may add to a document."""

PARSER: Final[Any] = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_DIRECTIVE = late_pattern(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*(%(?!YAML 1\.[12]\s)[^\r\n]*)")
_LONG_ESCAPE = late_pattern(r"\\U([0-9A-Fa-f]{8})")
_SURROGATE = late_pattern("[\ud800-\udfff]")


class SuiteSource(Struct, frozen=True):
    """A suite as plain data, with the place of every value.

    `name` is what the user typed; `text` is the suite's own text, extended files aside; `folder` is where its relative
    paths start (None for a text or data given without one). `data` has the environment filled in and no `extends`.
    """

    data: dict[str, Any]
    name: str
    text: str
    folder: Path | None
    root: YamlNode
    documents: tuple[SuiteInput, ...] = ()
    """Every text that the suite is made of: those it extends, the farthest first, and its own last."""
    shown: dict[str, Any] = field(default_factory=dict)
    """`data` as people read it: `${NAME}` where the environment gave a value. The same object where it gave none."""
    filled: Filled = field(default_factory=Filled)
    """What the environment filled in."""

    def spot(self, loc: Loc, *, key: bool = False) -> Spot:
        """The place in the text where a value starts, or its key; the nearest parent's key when there is no such value."""
        return find(self.root, loc, key)

    def place(self, loc: Loc, *, key: bool = False) -> str:
        """The place as messages print it: `suite.yaml:7:5`."""
        return self.spot(loc, key=key).place

    def excerpt(self, loc: Loc, *, key: bool = False) -> str | None:
        """The line of that place with a caret below it; None for a suite given as data."""
        return self.spot(loc, key=key).excerpt

    def folder_of(self, loc: Loc) -> Path | None:
        """The folder of the file that a value was written in: where a path in that value starts."""
        return self.document_of(loc).folder

    def document_of(self, loc: Loc) -> SuiteInput:
        """The file or text that a value was written in."""
        return self.spot(loc).document

    @property
    def fingerprint_text(self) -> str:
        """The content of the suite as JSON for fingerprints: extended files merged, environment filled in, without comments.

        `engine` is left out: it changes no result.
        """
        content = {key: value for key, value in self.data.items() if key != "engine"}
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def load(path: Path, environment: Mapping[str, str] | None = None) -> SuiteSource:
    """The suite in a file. Raises Problems (config) with everything wrong in its YAML."""
    return _suite_source(tree(_read_document(path)), path, environment)


def _read_document(path: Path) -> SuiteInput:
    """The text of a suite's file, with the folder that its paths start in. Raises Problems (config) where it cannot be read."""
    try:
        return SuiteInput(str(path), read_text(path), path.parent)
    except BadSettings as error:
        raise Problems(
            Issue(detail.code, Blame.CONFIG, detail.message, str(path), detail.hint) for detail in error.details
        ) from None


def as_written(path: Path) -> dict[str, Any]:
    """The plain data of the suite in a file, with what it extends, and with `${NAME}` left as it stands.

    Variables are looked up where they name a file that is extended, and nowhere else; one that is not set stands for its own
    name, as it does in the copy of a suite. Raises Problems (config).
    """
    root = tree(_read_document(path))
    try:
        trees = Chain(tree, os.environ).follow(root, path)
    except Problems:
        trees = Chain(tree, _OrName(os.environ)).follow(root, path)
    return {key: written_data(entry.node) for key, entry in _merged_sections(trees).items()}


class _OrName(dict[str, str]):
    """An environment in which a variable that is not set holds `${NAME}`."""

    def get(self, name: str, default: object = None) -> Any:
        """The value of a variable; `${NAME}` where it is not set, or empty."""
        return super().get(name) or f"${{{name}}}"


def loads(
    text: str, name: str = "suite.yaml", folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> SuiteSource:
    """The suite in a text. `folder` is where its relative paths start. Raises Problems (config)."""
    return _suite_source(tree(SuiteInput(name, text.removeprefix("\ufeff"), folder)), None, environment)


def from_data(
    data: Mapping[str, Any], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> SuiteSource:
    """The suite in a Python dict. Places are spelled like `evaluators[0].fields`. Raises Problems (config)."""
    document = SuiteInput("suite", folder=folder, locs=[])
    findings = Findings()
    root = tree_of(data, document, findings)
    findings.raise_any()
    return _suite_source(_map_at_top(root), None, environment)


def tree(document: SuiteInput) -> YamlNode:
    """The values of a suite with their spots; the top level is a map. Raises Problems (config)."""
    return _map_at_top(_compose_tree(document, of_suite=True))


def any_tree(document: SuiteInput) -> YamlNode:
    """The values of a YAML document that is no suite, whatever stands at its top. Raises Problems (config)."""
    return _compose_tree(document, of_suite=False)


def marked_nodes(text: str) -> Any:
    """The root of the nodes of PyYAML for a text that can be read, each with `start_mark` and `end_mark`; None for an empty text."""
    return yaml.compose(text, Loader=PARSER)


def _compose_tree(document: SuiteInput, *, of_suite: bool) -> YamlNode:
    """The tree of a document. Raises Problems with all that is wrong with its YAML. `of_suite`: hints on what suites hold are given."""
    _refuse_characters(document)
    explainer = YamlErrorExplainer(document, _can_be_read, _data_of)
    composer = _Composer(document, explainer, of_suite)
    try:
        for event in _events(document.text):
            composer.take(event)
    except yaml.MarkedYAMLError as error:
        composer.complain(explainer.explain(_parser_error(error, composer.open_bracket())))
    except _Stop:
        pass
    root = composer.root or YamlNode(None, Spot(document, 0, 0))
    if of_suite and isinstance(root.value, str) and not composer.findings.found:
        complaint = explainer.text_at_top(root.spot.line, root.value)
        if complaint is not None:
            composer.complain(complaint)
    composer.findings.raise_any()
    return root


def _suite_source(root: YamlNode, path: Path | None, environment: Mapping[str, str] | None) -> SuiteSource:
    """The suite of a tree, with the files that it extends and the variables of `environment` (None: those of this process) filled in.
    `path` is the file of the tree, None where it has none. What is shown of it has the names of variables in place of what they filled in.
    Raises Problems."""
    known = os.environ if environment is None else environment
    own = root.spot.document
    chain = Chain(tree, known)
    trees = chain.follow(root, path)
    entries = _merged_sections(trees)
    whole = YamlNode(entries, root.spot)
    filling = Filling(known, filled=chain.filled)
    data: dict[str, Any] = filling.filled_data(whole)
    filling.findings.raise_any()
    shown: dict[str, Any] = filling.shown_data(whole) if filling.filled else data
    documents = tuple(each.spot.document for each in trees)
    return SuiteSource(data, own.name, own.text, own.folder, whole, documents, shown, filling.filled)


def _merged_sections(trees: Sequence[YamlNode]) -> dict[str, MapEntry]:
    """The sections of a suite and of those it extends, merged, without `extends`."""
    whole = reduce(merge_suites, trees)
    entries = whole.value if isinstance(whole.value, dict) else {}
    return {key: entry for key, entry in entries.items() if key != "extends"}


def _map_at_top(root: YamlNode) -> YamlNode:
    """The tree, which must be a map. Raises Problems for an empty document, a list and a word."""
    if isinstance(root.value, dict):
        return root
    hint = 'the smallest one says "evaluators: [exact_match]"'
    if root.value is None:
        raise Problems([root.spot.issue("empty-suite", "there is nothing in this suite", hint)])
    if isinstance(root.value, list):
        hint = 'put "evaluators:" on a line of its own above the list'
    message = f"a suite is a map of keys such as evaluators; found {spell(root.value)}"
    raise Problems([root.spot.issue("not-a-map", message, hint)])


def _refuse_characters(document: SuiteInput) -> None:
    """Raises Problems for characters that no parser of YAML takes, and for a directive (a line that begins with `%`)."""
    if match := _DIRECTIVE.match(document.text):
        spot = _spot_at(document, match.start(1))
        message = "a line that starts with % is an instruction to YAML readers, which a suite cannot give"
        raise Problems([spot.issue("bad-yaml", message, "take the line away, or put the text in quotes")])
    if match := _UNREADABLE.search(document.text):
        message = f"the character U+{ord(match[0]):04X} cannot be seen and cannot be in a suite"
        raise Problems([_spot_at(document, match.start()).issue("bad-character", message, "delete it")])


def _spot_at(document: SuiteInput, position: int) -> Spot:
    """The line and column of a position, in characters, in a document's text."""
    before = lines_of(document.text[:position])
    return Spot(document, len(before) - 1, len(before[-1]))


def _events(text: str) -> Iterator[Any]:
    """Yields the events of the YAML parser. Raises yaml.YAMLError, for an escape beyond Unicode as well."""
    try:
        yield from yaml.parse(text, Loader=PARSER)
    except (ValueError, OverflowError):
        # The pure parser lets Python's own error out for an escape beyond Unicode, such as "\UFFFFFFFF".
        found = next((match for match in _LONG_ESCAPE.finditer(text) if int(match[1], 16) > sys.maxunicode), None)
        position = max(text.rfind('"', 0, found.start()), 0) if found else 0
        before = lines_of(text[:position])
        mark = yaml.Mark("", position, len(before) - 1, len(before[-1]), None, 0)
        raise yaml.scanner.ScannerError("", mark, "invalid Unicode character escape code", mark) from None


def _can_be_read(text: str) -> bool:
    """Whether the parser can read a text."""
    try:
        return all(True for _ in _events(text))
    except yaml.YAMLError:
        return False


def _data_of(text: str) -> object:
    """The data of a text, with `${NAME}` left as it stands; None where it cannot be read."""
    try:
        return written_data(any_tree(SuiteInput("", text)))
    except Problems:
        return None


def _parser_error(error: yaml.MarkedYAMLError, bracket: Mark | None) -> ParserError:
    """The parser's error as a record of ours. `bracket` is the place of the innermost bracket that is open."""
    start, at = error.context_mark, error.problem_mark or error.context_mark
    return ParserError(
        error.context or "",
        error.problem or "",
        (start.line, start.column) if start else None,
        (at.line, at.column) if at else (0, 0),
        bracket,
    )


class _Stop(Exception):
    """Reading ends here; the findings say why."""


class _KeyText(Struct, frozen=True):
    """A key that waits for its value. One without a text could not be used, and its value is dropped."""

    text: str | None
    spot: Spot
    merge: bool = False


class _OpenCollection(Struct):
    """A map or a list whose end has not been met."""

    node: YamlNode
    key: _KeyText | None = None
    merge: YamlNode | None = None
    """The value of `<<` in this map."""

    @property
    def wants_key(self) -> bool:
        """Whether it is a map whose next scalar is a key."""
        return self.key is None and type(self.node.value) is dict


class _Composer:
    """Builds the tree of one document from its events, and notes what a suite may not hold."""

    def __init__(self, document: SuiteInput, explainer: YamlErrorExplainer, of_suite: bool) -> None:
        """Starts an empty tree for the document; `of_suite` is whether hints are about suites. `stack` has the open maps and lists, the
        innermost last; `anchors`, by name, the value and the text of a scalar; `weights` what `_weight` counted, by the id of a value."""
        self.document = document
        self.explainer = explainer
        self.of_suite = of_suite
        self.findings = Findings()
        self.root: YamlNode | None = None
        self.stack: list[_OpenCollection] = []
        self.anchors: dict[str, tuple[YamlNode, str | None]] = {}
        self.weights: dict[int, tuple[YamlNode, int, int]] = {}
        self.documents = self.aliases = self.copies = 0

    def take(self, event: Any) -> None:
        """Takes the next event of the YAML parser into the tree; events that bring nothing, such as the end of the document, are passed
        over."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._take_scalar(event)
        elif kind is yaml.MappingStartEvent:
            self._open_collection(event, {}, "map")
        elif kind is yaml.SequenceStartEvent:
            self._open_collection(event, [], "list")
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._close_collection()
        elif kind is yaml.AliasEvent:
            self._take_alias(event)
        elif kind is yaml.DocumentStartEvent:
            self._begin_document(event)

    def complain(self, complaint: YamlProblem) -> None:
        """Notes a complaint of the explainer as a finding."""
        spot = Spot(self.document, *complaint.at)
        self.findings.add(spot, complaint.code, complaint.message, complaint.hint)

    def open_bracket(self) -> Mark | None:
        """The innermost bracket or brace that has not been closed."""
        for open_ in reversed(self.stack):
            line, column = open_.node.spot.at
            if self.document.line(line)[column : column + 1] in ("[", "{"):
                return line, column
        return None

    def _spot(self, event: Any) -> Spot:
        """The place where an event of the parser begins."""
        mark = event.start_mark
        return Spot(self.document, mark.line, mark.column)

    def _stop(self, spot: Spot, code: str, message: str, hint: str | None = None) -> _Stop:
        """Notes a problem behind which nothing can be read, and gives the exception to raise."""
        self.findings.add(spot, code, message, hint)
        return _Stop()

    def _begin_document(self, event: Any) -> None:
        """Counts the documents. Raises _Stop at a second one, as a suite is one document."""
        self.documents += 1
        if self.documents > 1:
            message = "a second document starts here; a suite is one document"
            raise self._stop(self._spot(event), "two-documents", message, "put the second one in its own file")

    def _take_scalar(self, event: Any) -> None:
        """Takes a scalar: the next key of the innermost map if that waits for one, else a value."""
        spot, word = self._spot(event), event.value
        bare = event.implicit[0] and event.tag is None
        top = self.stack[-1] if self.stack else None
        if event.style == '"' and _SURROGATE.search(word):
            self.findings.add(spot, "bad-escape", BAD_CHARACTER, BACKSLASH)
        if top is not None and top.wants_key:
            self._take_key(top, word, spot, bare)
            if event.anchor:
                self.anchors[event.anchor] = (YamlNode(word, spot), word)
            return
        node = YamlNode(self._scalar_value(event.tag, word, bare, spot), spot)
        if event.anchor:
            self.anchors[event.anchor] = (node, word)
        self._put_value(node)

    def _scalar_value(self, tag: str | None, word: str, bare: bool, spot: Spot) -> Scalar:
        """The value that a scalar stands for: a `bare` word, without quotes and tag, is a number, a boolean, null or text; others are text,
        or what the tag says. A word that cannot be read is None, and is noted in `findings`."""
        try:
            if bare:
                if self.of_suite:
                    check_quotes(word)
                return parse_plain(word)
            return word if tag is None else parse_tagged(tag, word)
        except BadSettings as error:
            self.findings.note(spot, error)
            return None

    def _take_key(self, open_map: _OpenCollection, word: str, spot: Spot, bare: bool) -> None:
        """Takes a word as the next key of a map, whose value comes later, and notes what is wrong with it.

        A `bare` word has no quotes and no tag: only such a one can be `<<`, or nothing at all.
        """
        if bare and self.of_suite:
            try:
                check_quotes(word)
            except BadSettings as error:
                self.findings.note(spot, error)
        if bare and not word:
            self.findings.add(spot, "bad-key", "a key is missing before this colon")
            open_map.key = _KeyText(None, spot)
        elif bare and word == "<<":
            if open_map.merge:
                self.findings.add(spot, "duplicate-key", "a map takes one <<", "merge two with <<: [*first, *second]")
            open_map.key = _KeyText(word, spot, merge=True)
        else:
            self._check_duplicate(open_map, word, spot)
            open_map.key = _KeyText(word, spot)

    def _check_duplicate(self, open_map: _OpenCollection, word: str, spot: Spot) -> None:
        """Notes a key that the map has already. `spot` is where it stands."""
        entries = open_map.node.value
        if isinstance(entries, dict) and word in entries:
            first = entries[word].key
            message = f'the key "{word}" is given twice; the first is at {first.place}'
            self.findings.add(spot, "duplicate-key", message, "keep one of them")

    def _open_collection(self, event: Any, value: list[YamlNode] | dict[str, MapEntry], noun: str) -> None:
        """Puts an empty map or list, `value`, into the tree, and on the stack until its end; `noun` is what messages call it. A tag that is
        not allowed, and one that stands for a key, are noted in `findings`. Raises _Stop where it is too deep."""
        spot = self._spot(event)
        if event.tag is not None and event.tag not in COLLECTION_TAGS[noun]:
            message = f"the tag {spelled_tag(event.tag)} is not allowed here"
            self.findings.add(spot, "bad-tag", message, "a suite is plain data; leave the tag out")
        if len(self.stack) >= DEEPEST:
            raise self._stop(spot, "too-deep", TOO_DEEP)
        node = YamlNode(value, spot)
        if event.anchor:
            self.anchors[event.anchor] = (node, None)
        top = self.stack[-1] if self.stack else None
        if top is not None and top.wants_key:
            hint = "text that begins with a bracket or a brace goes in quotes"
            self.findings.add(spot, "bad-key", f"a key must be text; found a {noun}", hint)
            top.key = _KeyText(None, spot)
        else:
            self._put_value(node)
        self.stack.append(_OpenCollection(node))

    def _put_value(self, node: YamlNode) -> None:
        """Puts a value into the innermost open list or map, under the key that waits; the first one is the root."""
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        value = top.node.value
        if type(value) is list:
            value.append(node)
        elif type(value) is dict and top.key is not None:
            key, top.key = top.key, None
            if key.merge:
                top.merge = node
            elif key.text is not None:
                value[key.text] = MapEntry(key.spot, node)

    def _close_collection(self) -> None:
        """Closes the innermost map or list. What a map merges with `<<` comes before its own keys, which win."""
        done = self.stack.pop()
        entries = done.node.value
        if done.merge and isinstance(entries, dict):
            own = dict(entries)
            entries.clear()
            for far in reversed(self._merge_sources(done.merge)):
                entries.update(far)
            entries.update(own)

    def _merge_sources(self, merge: YamlNode) -> list[dict[str, MapEntry]]:
        """The entries of the maps that `<<` names; anything else that it names is noted as a finding."""
        items = merge.value if isinstance(merge.value, list) else [merge]
        sources = [item.value for item in items if isinstance(item.value, dict)]
        if len(sources) < len(items):
            self.findings.add(merge.spot, "bad-merge", "<< takes a map, or a list of maps, such as *name")
        return sources

    def _take_alias(self, event: Any) -> None:
        """Takes `*name`, as a value that of the anchor, or as a key its text. A name without an anchor, and a key that is no text, are
        noted in `findings`, and null or no key takes their place."""
        spot, name = self._spot(event), event.anchor
        if name not in self.anchors:
            self.complain(self.explainer.unknown_alias((spot.line, spot.column), name))
            node, word = YamlNode(None, spot), f"*{name}"
        else:
            node, text = self.anchors[name]
            word = text or ""
            self._count_copies(node, spot, name)
        top = self.stack[-1] if self.stack else None
        if top is None or not top.wants_key:
            self._put_value(node)
        elif isinstance(node.value, (dict, list)):
            self.findings.add(spot, "bad-key", f"a key must be text; *{name} is not")
            top.key = _KeyText(None, spot)
        else:
            self._take_key(top, word, spot, bare=False)

    def _count_copies(self, node: YamlNode, spot: Spot, name: str) -> None:
        """Adds the values of the node that the alias `name` repeats to the count of copies. Raises _Stop for an alias inside itself, and
        for too many or too deep repetitions."""
        if any(open_.node is node for open_ in self.stack):
            raise self._stop(spot, "bad-alias", f"*{name} is inside &{name} itself")
        size, depth = self._weight(node)
        self.aliases += 1
        self.copies += size
        if self.aliases > MOST_ALIASES or self.copies > MOST_COPIES:
            hint = "write the values out, or keep them in a file that several suites extend"
            raise self._stop(spot, "too-many-aliases", f"the aliases up to here repeat {self.copies:,} values", hint)
        if len(self.stack) + depth > DEEPEST:
            raise self._stop(spot, "too-deep", TOO_DEEP)

    def _weight(self, node: YamlNode) -> tuple[int, int]:
        """(size, depth): the number of values in a closed node, with aliases followed, and its depth. Kept for each node."""
        known = self.weights.get(id(node.value))
        if known:
            return known[1:]
        children: list[YamlNode] = []
        if isinstance(node.value, dict):
            children = [entry.node for entry in node.value.values()]
        elif isinstance(node.value, list):
            children = node.value
        else:
            return 1, 1
        parts = [self._weight(child) for child in children]
        size, depth = 1 + sum(part[0] for part in parts), 1 + max((part[1] for part in parts), default=0)
        self.weights[id(node.value)] = node, size, depth
        return size, depth
