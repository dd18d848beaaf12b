"""The judge `recorded`: answers from a file, or from an earlier run. Nobody is asked, and nothing is sent anywhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, Self

from pydantic import PrivateAttr, ValidationInfo, model_validator

from evaluators.model.issues import Issue, problem
from evaluators.model.settings import Name, bad
from evaluators.scoring.judges.answer_lines import AnswerLine, answers_of_run, read_answers
from evaluators.scoring.judges.judge import Judge, JudgeAnswer, JudgeQuestion, unanswered_issue
from evaluators.scoring.values.files import is_own_file
from evaluators.scoring.values.quoting import quote

_RUN_DB: Final = "run.db"
"""The file of a run folder that holds the answers, among all that is kept of rows."""


class Recorded(Judge):
    """Answers that were given before: played back from a run folder, or written down by hand.

    Use it to score a suite again without its judge, in tests, offline, or to look at what a judge answered. A question that the
    recording does not have is an error of its field, and its row has no score. Where one question was answered in several
    ways, the first answer counts.
    """

    file: Name | None = None
    """A file of answers, one JSON object a line, relative to the suite."""
    run: Name | None = None
    """An earlier run folder, relative to the suite: its answers are played back."""

    _folder: Path = PrivateAttr(default_factory=Path)
    _answers: dict[Hashable, JudgeAnswer] | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _check_source(self, info: ValidationInfo) -> Self:
        """Refuses settings that name neither a file nor a run, or both; keeps the folder where relative paths start."""
        if (self.file is None) is (self.run is None):
            which = "neither" if self.file is None else "both"
            raise bad(
                f'the judge "recorded" needs "file" or "run"; found {which}', hint="write recorded: {run: runs/NAME}"
            )
        self._folder = Path((info.context or {}).get("folder") or Path())
        return self

    def ready(self) -> None:
        """Reads the recorded answers. Raises Problems (config) where they cannot be read."""
        self._recorded_answers()

    def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
        """The recorded answer to each question; an error where there is none."""
        known = self._recorded_answers()
        return [
            known.get(question.as_written(self.written).key)
            or known.get(question.key)
            or JudgeAnswer(error=_not_recorded(question.body()))
            for question in questions
        ]

    def replayed_run(self) -> Path | None:
        return None if self.run is None else self._folder / self.run

    def _recorded_answers(self) -> Mapping[Hashable, JudgeAnswer]:
        """The answers, by question. Raises Problems (config) where they cannot be read."""
        if self._answers is None:
            answers: dict[Hashable, JudgeAnswer] = {}
            for line in self._lines():
                if line.question.prompt:
                    answers.setdefault(line.question.key, line.answer)
            self._answers = answers
        return self._answers

    def _lines(self) -> Iterator[AnswerLine]:
        """The recorded answers, from the file or from the run folder. Raises Problems where there are none."""
        if self.file is not None:
            yield from read_answers(self._folder / self.file)
            return
        folder = self._folder / (self.run or "")
        lines = answers_of_run(folder / _RUN_DB) if is_own_file(folder / _RUN_DB) else iter(())
        if (first := next(lines, None)) is None:
            hint = "a run keeps the answers of whoever was asked; this is no run folder, or nobody was asked"
            raise problem("no-answers", "there are no answers in it", where=str(folder), hint=hint)
        yield from chain([first], lines)


def _not_recorded(question: Mapping[str, Any]) -> Issue:
    """The issue of a question to which the recording has no answer."""
    shown = " and ".join(quote(question[side]) for side in ("expected", "actual") if side in question)
    about = f" about {shown}" if shown else ""
    message = f'the recording has no answer to "{question["prompt"]}"{about}'
    return unanswered_issue("not-recorded", message, "record them: run the suite with its judge")
