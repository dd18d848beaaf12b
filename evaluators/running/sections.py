"""The sections of a suite that belong to rooms above it: test set, statistics, gates, comparison and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, field_validator

from evaluators.issues import Problems, problem
from evaluators.registry import suggestion
from evaluators.runs.gates import Gate, GateConfig, Target, parse_target
from evaluators.runs.guard_config import CompareConfig
from evaluators.settings import BadSettings, Detail, bad, build, spell, word_or_map
from evaluators.settings_model import Name, Settings
from evaluators.suite.config import SectionReader
from evaluators.suite.lines import EvaluatorLine
from evaluators.testsets.config import TestSetConfig

if TYPE_CHECKING:
    from evaluators.tracking.tracker import Chosen


class ResultsConfig(Settings):
    """Where the results of a run go, and which files are written."""

    folder: Name = "runs"
    """The folder that holds the run folders, relative to where the command is run."""
    name: Name | None = None
    """The name of this run's folder; date, time and a fingerprint of the suite without it."""
    formats: tuple[str, ...] = ("csv", "markdown")
    """The files that are written beside run.json, summary.txt and the rows."""
    lowest_fields: int = Field(5, ge=0, strict=True)
    """How many of the lowest-scoring fields the summary lists."""
    rows: Literal["auto", "jsonl", "parquet"] = "auto"
    """How rows are stored; auto is Parquet for large files when pyarrow is installed, else JSON lines."""
    evidence: Literal["first", "all"] | Annotated[int, Field(ge=1, strict=True)] = "first"
    """How many rows with a wrong result are recorded for each field of a long run: `first` is 200, `all` is all of them."""
    documents: Literal["all", "wrong", "none"] = "wrong"
    """The rows whose cells are kept: all; those with something wrong (up to 10,000 rows all of them); or none."""

    @field_validator("formats")
    @classmethod
    def _known(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        from evaluators.reports.format import check_words  # nothing else of a suite needs the reports

        issues = check_words(words)
        if issues:
            raise BadSettings(Detail((words.index(_word(issue.message)),), issue.message, issue.hint) for issue in issues)
        return words


class StatisticsConfig(Settings):
    """What intervals are to know of the rows."""

    cluster: Annotated[str, Field(pattern=r"^row\.\s*\S")] | None = None
    """The column that says which rows belong together, such as the pages of one document: `row.doc_id`."""

    @field_validator("cluster", mode="before")
    @classmethod
    def _a_column(cls, value: object) -> object:
        if isinstance(value, str) and not (value.startswith("row.") and value[4:].strip()):
            raise bad(f'a cluster is a column, written row.COLUMN; found "{value}"', hint=f"write cluster: row.{value}")
        return value

    @property
    def column(self) -> str | None:
        """The column's own name."""
        return None if self.cluster is None else self.cluster.removeprefix("row.")


@dataclass(frozen=True, slots=True)
class CompareSection:
    """The section `compare`, with the targets of its guards resolved."""

    config: CompareConfig = field(default_factory=CompareConfig)
    targets: Mapping[str, Target] = field(default_factory=dict)


def read_test_set(data: Any, context: Mapping[str, Any]) -> TestSetConfig:
    """The settings under `test_set`."""
    return build(TestSetConfig, data, noun="test_set")


def read_results(data: Any, context: Mapping[str, Any]) -> ResultsConfig:
    """The settings under `results`."""
    return build(ResultsConfig, data, noun="results")


def read_statistics(data: Any, context: Mapping[str, Any]) -> StatisticsConfig:
    """The settings under `statistics`."""
    return build(StatisticsConfig, data, noun="statistics")


def read_compare(data: Any, context: Mapping[str, Any]) -> CompareSection:
    """The settings under `compare`, with each guard's target resolved against the suite's evaluators."""
    config = build(CompareConfig, data, noun="compare")
    targets: dict[str, Target] = {}
    details: list[Detail] = []
    for written in config.guards:
        try:
            targets[written] = guarded_target(written, context["evaluators"])
        except Problems as error:
            if error.issues[0].code == "unknown-evaluator" and context["may_be_called"](written.partition(".")[0]):
                continue  # perhaps one that could not be read, and that is said where it stands
            details.extend(
                Detail(("guards", written), issue.message, issue.hint, True, issue.code) for issue in error.issues
            )
    if details:
        raise BadSettings(details)
    return CompareSection(config, targets)


def guarded_target(written: str, lines: Sequence[EvaluatorLine]) -> Target:
    """The evaluator and the field that a guard is about. Raises Problems (config) when the suite has none of that name."""
    target = parse_target(written, [line.name for line in lines], "guard")
    fields = next(line.settings.row_fields() for line in lines if line.name == target.evaluator)
    if target.field is not None and target.field not in fields:
        raise problem(
            "unknown-field",
            f'the guard "{written}" names the field "{target.field}", and "{target.evaluator}" lists none of that path',
            hint=suggestion(target.field, fields) or (f"fields: {', '.join(fields)}" if fields else None),
        )
    return target


def read_tracking(data: Any, context: Mapping[str, Any]) -> tuple[Chosen, ...]:
    """The trackers, in the order of the file, each with its settings."""
    from evaluators.tracking.tracker import TRACKERS, Chosen  # few suites have trackers, and runs without start sooner

    if not isinstance(data, list):
        hint = f"write tracking: [{data}]" if isinstance(data, str) else "write tracking: [files]"
        raise bad(f"tracking must be a list of trackers; found {spell(data)}", hint=hint)
    found: list[Chosen] = []
    details: list[Detail] = []
    for index, one in enumerate(data):
        try:
            name, options = word_or_map(one, TRACKERS.noun)
            prefix = (index,) if isinstance(one, str) else (index, name)
            try:
                found.append(Chosen(name, build(TRACKERS.find(name), options, noun=f'the tracker "{name}"')))
            except BadSettings as error:
                details.extend(detail.under(*prefix) for detail in error.details)
            except Problems as error:
                details.extend(
                    Detail(prefix, issue.message, issue.hint, len(prefix) > 1, issue.code) for issue in error.issues
                )
        except BadSettings as error:
            details.extend(detail.under(index) for detail in error.details)
    if details:
        raise BadSettings(details)
    return tuple(found)


def read_gates(data: Any, context: Mapping[str, Any]) -> tuple[Gate, ...]:
    """The gates, in the order of the file, each with its target resolved against the suite's evaluators."""
    if not isinstance(data, Mapping):
        raise bad(f"gates must be a map from a target to its limits; found {spell(data)}")
    names = [line.name for line in context["evaluators"]]
    gates: list[Gate] = []
    details: list[Detail] = []
    for written, limits in data.items():
        several = isinstance(limits, list)
        if limits == []:
            details.append(
                Detail((written,), f'the gate "{written}" has no limit', f"write {written}: {{fail_below: 0.9}}")
            )
        for index, one in enumerate(limits if several else [limits]):
            prefix = (written, index) if several else (written,)
            if not isinstance(one, Mapping):
                number = isinstance(one, (int, float)) and not isinstance(one, bool)
                limit = one if number else 0.9
                message = f'the limits of the gate "{written}" must be a map; found {spell(one)}'
                details.append(Detail(prefix, message, f"write {written}: {{fail_below: {limit}}}", code="bad-value"))
                continue
            try:
                config = build(GateConfig, one, noun="a gate")
                gates.append(Gate(written, parse_target(written, names), config))
            except BadSettings as error:
                details.extend(detail.under(*prefix) for detail in error.details)
            except Problems as error:
                unknown = error.issues[0].code == "unknown-evaluator"
                if unknown and context["may_be_called"](written.partition(".")[0]):
                    continue  # perhaps one that could not be read, and that is said where it stands
                details.extend(Detail((written,), issue.message, issue.hint, True, issue.code) for issue in error.issues)
    if details:
        raise BadSettings(details)
    return tuple(gates)


READERS: Final[Mapping[str, SectionReader]] = {
    "test_set": read_test_set,
    "statistics": read_statistics,
    "gates": read_gates,
    "compare": read_compare,
    "results": read_results,
    "tracking": read_tracking,
}
MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "test_set": TestSetConfig,
    "statistics": StatisticsConfig,
    "gates": GateConfig,
    "compare": CompareConfig,
    "results": ResultsConfig,
}


def _word(message: str) -> str:
    return message.rpartition(' "')[2].rstrip('"')
