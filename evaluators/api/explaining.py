"""The pages of the command `explain`: of a thing that a suite can name, and of a suite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from evaluators.api.loading import load
from evaluators.reports.alignments import alignment_data, alignment_page, is_alignment
from evaluators.reports.catalog import Kind, entries, kinds_of, page, present_name, settings_in, unknown_name
from evaluators.reports.document import Page
from evaluators.reports.markdown import page_markdown
from evaluators.reports.suite_page import suite_data, suite_page
from evaluators.reports.text import WIDTH, page_text


def is_suite(subject: str) -> bool:
    """Whether a word on the command line names the file of a suite: it ends or looks like one, or there is a file and nothing else
    has the name."""
    if subject.lower().endswith((".yaml", ".yml")) or "/" in subject or "\\" in subject:
        return True
    return not kinds_of(present_name(subject)) and Path(subject).is_file()


def explain_suite(file: str, format_: str, steps: bool, width: int) -> str:
    """The explanation of the suite in a file, as text, `markdown` or `json` (`format_`): what each evaluator does, or with `steps` the
    compiled steps. `width` is that of text, in characters. Raises Problems with everything that is wrong with the suite."""
    suite = load(file)
    columns: dict[str, str] = dict(suite.test_set.columns.named().items())
    if format_ == "json":
        text = _json_text(suite_data(suite.config, suite.gates, suite.plan(), columns))
    else:
        page = suite_page(suite.config, suite.gates, suite.plan() if steps else None, columns)
        text = _render_page(page, format_, width)
    return suite.config.source.filled.masked(text)


def explain_name(written: str, format_: str, columns: int = WIDTH) -> str:
    """The page of everything that has the name `written`, as text, `markdown` or `json` (`format_`): plugs, an alignment, or a word of
    suites. `columns` is the width of text, in characters. Raises Problems (config) when nothing has the name."""
    name = present_name(written.removeprefix("preset:"))
    kinds = kinds_of(name)
    if not kinds and not is_alignment(name):
        return _explain_word(name, format_, columns)
    if not kinds:
        return (
            _json_text(alignment_data(name))
            if format_ == "json"
            else _render_page(alignment_page(name), format_, columns)
        )
    if format_ == "json":
        return _json_text([_plug_data(kind, name) for kind in kinds])
    note = f'"{written}" is called "{name}" here.\n\n' if present_name(written) != written else ""
    return note + "\n".join(_render_page(page(kind, name), format_, columns) for kind in kinds)


def _explain_word(word: str, format_: str, columns: int) -> str:
    """The page of a key of the language, or of a word that a key takes. Raises Problems (config) for other words."""
    from evaluators.api.language import language_words, word_data, word_page  # reads the whole language

    words = language_words()
    if word not in words:
        raise unknown_name(word, words)
    return _json_text(word_data(word)) if format_ == "json" else _render_page(word_page(word), format_, columns)


def _render_page(document: Page, format_: str, columns: int) -> str:
    """A page as `markdown`, or else as plain text that is `columns` characters wide."""
    return page_markdown(document, own_words=True) if format_ == "markdown" else page_text(document, columns, apart=True)


def _plug_data(kind: Kind, name: str) -> Mapping[str, Any]:
    """The entry of a plug in the catalog, with its settings, as plain data."""
    entry = next(entry for entry in entries(kind) if entry.name == name)
    settings = [asdict(setting) for setting in settings_in(kind, name)]
    return {"kind": kind, "name": name, "does": entry.does, "instead": entry.retired, "settings": settings}


def _json_text(data: object) -> str:
    """Plain data as indented JSON, with a line break at the end."""
    return json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n"
