"""A suite that has been read and checked: its settings, its evaluators, its steps. Whoever runs or reports is given one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct, field

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.limits import WorkLimits
from evaluators.model.settings import Loc
from evaluators.runs.job import ShippedSuite
from evaluators.runs.results_section import ResultsConfig, StatisticsConfig, reading_of
from evaluators.scoring.judges.judge import COST_IN, JUDGE_COST, Judge
from evaluators.scoring.needs import ROLES, Role, column_of
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.plan.suite_plan import Plan, compile_plan, needed_columns
from evaluators.suites.config import SuiteConfig
from evaluators.testsets.byte_store import scheme_of
from evaluators.testsets.test_set_config import TestSetConfig

if TYPE_CHECKING:
    from evaluators.runs.confidence import Confidence
    from evaluators.runs.engines.engine import NamedEngine
    from evaluators.runs.gates import Gate
    from evaluators.runs.number_cells import NumericColumn
    from evaluators.runs.repeats import Repeats

_USUAL_RESULTS: Final = ResultsConfig.model_construct()
_NO_TEST_SET: Final = TestSetConfig.model_construct()
Section = TypeVar("Section")


class LoadedSuite(Struct, frozen=True, dict=True):
    """The settings of a suite, section by section, its evaluators, and its steps once they are compiled."""

    config: SuiteConfig
    environment: Mapping[str, str] | None = None
    """What `${NAME}` stands for; the variables of the process when it is None."""
    given: Mapping[str, Any] | None = None
    """The plain data that the suite was read from, when it was not a text."""
    inferred_schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The schemas that evaluators inferred from a test set, by name: see `evaluators.runs.schema_inference`."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Every file that the suite names, by its path, as it was read once."""

    @property
    def name(self) -> str:
        """The suite's name."""
        return self.config.name

    @cached_property
    def lines(self) -> tuple[EvaluatorLine, ...]:
        """The evaluators, in the order of the file."""
        return tuple(line.with_schema(self.inferred_schemas.get(line.name)) for line in self.config.lines)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on words of other systems that were read as ours, one sentence each."""
        return self.config.notes

    def _section(self, name: str, default: Section) -> Section:
        """A section of the suite as it was read; the default where the suite does not have it."""
        section: Section = self.config.sections.get(name) or default
        return section

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The gates of the suite, in its order; empty without the section."""
        return self._section("gates", ())

    @property
    def results(self) -> ResultsConfig:
        """The settings under `results`; the usual ones without the section."""
        return self._section("results", _USUAL_RESULTS)

    @property
    def engine(self) -> NamedEngine | None:
        """The engine that the suite names; None where it names none."""
        return self._section("engine", None)

    @property
    def cluster(self) -> str | None:
        """The column that says which rows belong together; None when rows are on their own."""
        named = self._section("statistics", StatisticsConfig.model_construct()).column
        repeats = self.repeats
        if named is None and repeats is not None and not repeats.of_ids:
            return repeats.by
        return named

    @property
    def repeats(self) -> Repeats | None:
        """Which rows are outputs of one question; None where each row is a question of its own."""
        return self._section("repeats", None)

    @property
    def confidence(self) -> Confidence:
        """The column or path of the confidence in a row, and how many errors a threshold may let pass."""
        from evaluators.runs.confidence import Confidence  # few suites have any

        return self._section("confidence", Confidence())

    def cluster_of(self, roles: Mapping[str, str]) -> str | None:
        """The column that says which rows belong together, where columns play these roles; None when rows are on their own."""
        repeats = self.repeats
        return repeats.column(roles) if repeats is not None else self.cluster

    @property
    def measures(self) -> tuple[NumericColumn, ...]:
        """The columns whose numbers are averaged and summed beside the scores, and the cost of judges where one has prices. Raises Problems
        (config) where these cannot be read."""
        from evaluators.runs.number_cells import NumericColumn  # most suites have no measures

        measures: tuple[NumericColumn, ...] = self._section("measures", ())
        file = next(filter(None, (judge.price_file() for judge in self.judges.values())), None)
        if file is None:
            return measures
        from evaluators.scoring.judges.prices import read_prices

        return *measures, NumericColumn(JUDGE_COST, f"{COST_IN}{read_prices(file).currency}", ".", of_judges=True)

    @property
    def judge(self) -> Judge | None:
        """The judge of the suite; None where it names none."""
        return self._section("judge", None)

    @cached_property
    def judges(self) -> Mapping[Loc, Judge]:
        """All judges that may be asked, by the place where the suite names them: its own, and those that evaluators bring along."""
        judges: dict[Loc, Judge] = {} if self.judge is None else {("judge",): self.judge}
        for line in self.lines:
            asking = line.settings.asking()
            judges |= {(*line.loc, *loc): judge for loc, judge in asking.judges.items()} if asking is not None else {}
        return judges

    @property
    def test_set(self) -> TestSetConfig:
        """The test set that the suite names; an empty one when it names none."""
        return self._section("test_set", _NO_TEST_SET)

    @property
    def folder(self) -> Path:
        """The folder that the suite's paths are relative to."""
        return self.config.source.folder or Path()

    @property
    def test_set_folder(self) -> Path:
        """The folder that the paths of the test set are relative to: that of the file that names it."""
        return self.config.source.folder_of(("test_set",)) or self.folder

    @property
    def results_folder(self) -> Path | None:
        """The folder of results that the suite names, relative to the file that says so; `runs`, where one stands, without one. None where
        it is in a store."""
        named, source = self.results.folder, self.config.source
        if scheme_of(named) is not None:
            return None
        written = "folder" in (source.data.get("results") or {})
        return (source.folder_of(("results", "folder")) or Path()) / named if written else Path(named)

    def named_files(self) -> Iterator[str]:
        """The files that the suite is made of, and those that it names."""
        from evaluators.runs.named_files import named_by_suite  # asked where something is about to be written over

        return named_by_suite(self.config.source)

    @property
    def limits(self) -> WorkLimits:
        """How much a row and the run may cost."""
        return self._section("limits", WorkLimits())

    @property
    def reading(self) -> Reading:
        """How outputs are read where an evaluator says nothing else."""
        return reading_of(self.config)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over what the suite means: its settings, the files it extends, the environment filled in, a judge's prompts."""
        text = self.config.source.fingerprint_text
        for judge in self.judges.values():
            if judged := judge.meaning():
                text += json.dumps(judged, sort_keys=True, ensure_ascii=False, default=str)
        return f"sha256:{hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()}"

    def settings_of(self, line: EvaluatorLine) -> Mapping[str, Any]:
        """The settings written under an evaluator; empty where it is a word alone."""
        node: Any = self.config.source.data
        for step in line.loc:
            node = node[step]
        return node if isinstance(node, Mapping) else {}

    def place(self, *loc: str | int, key: bool = False) -> str:
        """The place of a key in the suite's text."""
        where: Loc = loc
        return self.config.source.place(where, key=key)

    def for_workers(self) -> ShippedSuite:
        """The suite in the form in which workers get it: as text or plain data, with the files that it names."""
        source = self.config.source
        text = source.text if self.given is None else None
        return ShippedSuite(
            text, self.given, source.name, source.folder, self.environment, self.inferred_schemas, self.files
        )

    def plan(self, roles: Mapping[str, str] | None = None) -> Plan:
        """The compiled steps. Without `roles`, columns are called by their roles. Raises Problems as `check_columns` does."""
        roles = roles or self.role_columns
        self.check_columns(roles)
        return compile_plan(self.lines, roles, self.reading)

    def check_columns(self, roles: Mapping[str, str], origin: Callable[[str], object] = str) -> None:
        """Raises Problems (config) where outputs and expected answers come from one column: an output is always right then.

        `roles` are the columns of roles, those that are known. Two columns are one where their `origin` is.
        """
        source, issues = self.config.source, []
        for loc, output, expected in self._compared_columns(roles):
            if origin(output) == origin(expected):
                place, excerpt = (source.place(loc, key=True), source.excerpt(loc, key=True)) if loc else (None, None)
                issues.append(
                    Issue("one-column", Blame.CONFIG, _one_column_message(output, expected), place, _TWO_COLUMNS, excerpt)
                )
        if issues:
            raise Problems(map(source.filled.masked_issue, issues))

    def _compared_columns(self, roles: Mapping[str, str]) -> Iterator[tuple[Loc, str, str]]:
        """Yields (place in the suite, output column, expected column) of the test set, and of every evaluator that reads both sides and
        names a column itself."""
        if "output" in roles and "expected" in roles:
            named = [role for role in ("output", "expected") if role in self.test_set.columns.named()]
            yield ("test_set", "columns", named[0]) if named else (), roles["output"], roles["expected"]
        for line in self.lines:
            own = {column.role: column for need in line.settings.needs() if (column := column_of(need)) is not None}
            output, expected = own.get("output"), own.get("expected")
            if output is None or expected is None or not (output.literal or expected.literal):
                continue
            if all(column.literal or column.name in roles for column in (output, expected)):
                yield line.loc, output.name_by(roles), expected.name_by(roles)

    @cached_property
    def role_columns(self) -> dict[str, str]:
        """The column of each role: the one that the suite names, or the one that is called like the role."""
        named = self.test_set.columns.named()
        return {role: named.get(role, role) for role in ROLES}

    def with_roles(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """The cells of one row; a cell under the name of a role, such as `output`, is also put under the column that the suite names for
        it, unless the row has that column."""
        own = {column: cells[role] for role, column in self.role_columns.items() if role in cells}
        return {**cells, **{column: cell for column, cell in own.items() if column not in cells}}

    def needed_roles(self) -> set[Role]:
        """The roles that some evaluator reads."""
        read = {column.name for column in needed_columns(self.lines) if not column.literal}
        of_ids = self.repeats is not None and self.repeats.of_ids
        return {role for role in ROLES if role in read or (role == "id" and of_ids)}

    def named_columns(self) -> list[str]:
        """The columns that the suite names by their own names: those of evaluators, conditions, slices, clusters, measures and the
        confidence."""
        named = [column.name for column in needed_columns(self.lines) if column.literal]
        own = [self.cluster] if self.cluster is not None else []
        columns: tuple[NumericColumn, ...] = self._section("measures", ())
        measured = [column.column for column in columns]
        confidence = [self.confidence.column] if self.confidence.column is not None else []
        return list(dict.fromkeys([*named, *self.config.slices, *own, *measured, *confidence]))


_TWO_COLUMNS: Final = (
    "name two: `columns: {output: NAME, expected: NAME}` under test_set, or `output` and `expected` of the evaluator"
)


def _one_column_message(output: str, expected: str) -> str:
    """The message that the columns of outputs and of expected answers are one, or hold the same cells."""
    if output == expected:
        return f'output and expected answer are one column, "{output}", so every output would be right'
    return f'output "{output}" and expected answer "{expected}" are the same cells, so every output would be right'
