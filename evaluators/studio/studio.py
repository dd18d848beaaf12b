"""What a studio does for its page: one method for each request, and the little that is kept between them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import join

from evaluators.api.language import language_schema
from evaluators.api.suite import Suite
from evaluators.model.issues import Problems
from evaluators.studio import messages as m
from evaluators.studio.choices import alignment_choices, check_choices, comparator_choices
from evaluators.studio.correcting import add_correction
from evaluators.studio.drafts import data_of_suite, draft_of_file
from evaluators.studio.edits import apply_edit
from evaluators.studio.folder import SUITES, Folder
from evaluators.studio.form import form_of, problems_of, read_suite
from evaluators.studio.runs import Runs
from evaluators.studio.scores import Scores
from evaluators.testsets.byte_store import local_path, resolve_place


class Studio:
    """A studio over a folder."""

    def __init__(self, root: Path, opened: str, scratch: Path) -> None:
        """`opened` is the file that it was started for, and empty for the folder. `scratch` is the folder of temporary files, where
        runs that are written nowhere keep what they recorded: beside the folder itself it is all that is read."""
        self.folder = Folder(root)
        self.runs = Runs(self.folder)
        self.scratch = scratch
        self._opened = opened
        self.scores = Scores()

    def close(self) -> None:
        """Stops the runs that are under way."""
        self.runs.close()

    def start(self) -> m.Started:
        """What the page shows first: the files of the folder, the menus, and the schema for completion."""
        return m.Started(
            self.folder.root.name, self._opened, self.folder.files(), list(comparator_choices()), list(check_choices()),
            list(alignment_choices()), language_schema(), join(["evaluators", "studio", *([self._opened] if self._opened else [])]),
        )  # fmt: skip

    def open(self, path: str) -> m.Opened:
        """Opens a file for the page: a suite with the first rows that it names, or data alone with the suite that is drafted for it."""
        place = self.folder.place(path)
        path = self.folder.name_of(place)
        if not path.lower().endswith(SUITES):
            made = draft_of_file(path, {}, {})
            return m.Opened(None, made.data, made, made.command)
        file = self.folder.read(path)
        return m.Opened(file, self._data_of(file), None, join(["evaluators", "check", path]))

    def _data_of(self, file: m.SuiteFile) -> m.Data | None:
        """The first rows of a suite's data; None where it names none that can be read here."""
        try:
            suite = self._read_suite(file.text, file.path)
            named = suite.test_set.file
            local = local_path(resolve_place(suite.test_set_folder, named)) if named is not None else None
            if local is None:
                return None
            path = self.folder.name_of(self.folder.place(local))
            return data_of_suite(path, suite.test_set)
        except Problems:
            return None

    def draft(self, path: str, roles: Mapping[str, str] = {}, answers: Mapping[str, str] = {}) -> m.Drafted:
        """The suite that `init` writes for a file. `roles` are the columns that the user chose by role, where an empty text stands for
        none; `answers` are those to questions, by their text."""
        return draft_of_file(self.folder.name_of(self.folder.place(path)), roles, answers)

    def read(self, text: str, path: str) -> m.ReadSuite:
        """A suite's text as a form, or the problems that it has."""
        command = join(["evaluators", "check", path])
        try:
            suite = self._read_suite(text, path)
        except Problems as error:
            return m.ReadSuite(text, None, problems_of(error, _message_name(path)), command)
        notes = [m.Problem(note, tone="note") for note in suite.notes]
        return m.ReadSuite(text, form_of(suite), notes, command)

    def edit(self, text: str, path: str, edit: m.AnyEdit) -> m.ReadSuite:
        """The suite's text with a change of the form made, read again."""
        return self.read(apply_edit(self._read_suite(text, path), edit), path)

    def score(self, request: m.Score) -> m.Scored:
        """The scores of the rows that are asked for, by a suite's text."""
        suite = self._read_suite(request.text, request.path)
        data = self.folder.name_of(self.folder.place(request.data)) if request.data else ""
        return self.scores.score(suite, request, data)

    def correct(self, request: m.Correct) -> m.Corrected:
        """Writes to the file of corrections that an expected answer is wrong, and what is right."""
        suite = self._read_suite(request.text, request.path)
        return add_correction(self.folder, suite, self.scores.find(request.score), request)

    def save(self, path: str, text: str, base: str) -> m.Saved:
        """Writes a suite. `base` is the hash of the file that the text was made from; empty for a file that is not there yet."""
        return m.Saved(self.folder.write(path, text, base), join(["evaluators", "check", path]))

    def state(self, paths: list[str]) -> m.Stated:
        """The hashes of files, so that a change underneath is noticed."""
        return m.Stated({path: self.folder.mark(path) for path in paths})

    def _read_suite(self, text: str, path: str) -> Suite:
        """The suite in a text of the page, whose paths start at `path`. Raises Problems with everything that is wrong with it."""
        place = self.folder.place(path or "suite.yaml")
        return read_suite(text, _message_name(path), place.parent)


def _message_name(path: str) -> str:
    """The name of a page's text in messages."""
    return path or "suite.yaml"
