"""pytest: a suite as tests.

`assert_suite("suite.yaml")` inside a test runs a suite and fails with the gates that failed and the rows behind them. A suite file is
collected by itself: one test for each gate, and one that says whether everything could be measured. Collected are files whose name ends
with `.evaluators.yaml`, those that the option `evaluators_suites` names by patterns, and a suite named on the command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from msgspec import Struct

if TYPE_CHECKING:
    from evaluators.api.suite import Suite
    from evaluators.model.rows import Result
    from evaluators.runs.gates import Gate, Target
    from evaluators.runs.reader import Run
    from evaluators.runs.result import GateResult, RunResult

ENDING: Final = ".evaluators.yaml"
MOST_ROWS: Final = 10
"""Rows that a failing test lists, the first ones."""
_OPTION: Final = "evaluators_suites"
_MEASURED: Final = "everything was measured"
_EXIT_OK: Final = (0, 1)


def assert_suite(suite: str | Path | Suite, test_set: str | Path | None = None, **options: Any) -> RunResult:
    """Runs a suite; the result when every gate passed and everything could be measured.

    Raises AssertionError with each failing gate, the rows behind it, and what could not be measured. `test_set` and `options` are those of
    `Suite.run`. Raises Problems when the suite cannot be run at all.
    """
    __tracebackhide__ = True
    with closing(_run_suite(suite, test_set, options)) as ran:
        messages = [ran.failure_text(gate) for gate in ran.result.gates if gate.verdict in ("failed", "undecided")]
        messages += ran.unmeasured_messages()
        if messages:
            raise AssertionError(f"{ran.result.name}: {len(messages)} of its checks failed\n\n" + "\n\n".join(messages))
        return ran.result


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that names further suite files to those of pytest."""
    parser.addini(_OPTION, f"patterns of suite files that are collected, beside *{ENDING}", type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The collector of a suite file, which makes tests of it; None for any other file."""
    if file_path.suffix not in (".yaml", ".yml"):
        return None
    patterns: Sequence[str] = parent.config.getini(_OPTION)
    wanted = file_path.name.endswith(ENDING) or parent.session.isinitpath(file_path)
    if wanted or any(file_path.match(pattern) for pattern in patterns):
        return SuiteFile.from_parent(parent, path=file_path)
    return None


class SuiteFile(pytest.File):
    """A suite: run once, when the first of its tests is."""

    ran: SuiteRun | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each gate, in the order of the suite, and one for whether everything was measured."""
        from evaluators.api.loading import load
        from evaluators.model.issues import Problems

        try:
            gates = load(self.path).gates
        except Problems as error:
            raise self.CollectError(str(error)) from None
        for gate in gates:
            yield GateItem.from_parent(self, name=_test_name(gate), gate=gate)
        yield MeasuredItem.from_parent(self, name=_MEASURED)

    def suite_run(self) -> SuiteRun:
        """The run of the suite, which the first call makes, and all its tests share; its folder is removed when pytest ends."""
        if self.ran is None:
            self.ran = _run_suite(self.path, None, {})
            self.config.add_cleanup(self.ran.close)
        return self.ran


class _SuiteItem(pytest.Item):
    """The base of a suite's tests."""

    def suite_run(self) -> SuiteRun:
        """The run of the suite that all its tests share."""
        file = self.getparent(SuiteFile)
        assert file is not None  # made by one
        return file.suite_run()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure message, without a traceback through this program."""
        from evaluators.model.issues import Problems

        if isinstance(excinfo.value, (AssertionError, Problems)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The place of the test, for pytest's reports."""
        return self.path, None, f"{self.path.name}: {self.name}"


class GateItem(_SuiteItem):
    """The test of one gate."""

    def __init__(self, *, gate: Gate, **rest: Any) -> None:
        super().__init__(**rest)
        self.gate = gate

    def runtest(self) -> None:
        """Fails when the gate failed or is undecided, for any variant or slice."""
        ran = self.suite_run()
        mine = [gate for gate in ran.result.gates if _is_result_of(self.gate, gate)]
        self.user_properties += [(f"{gate.target} {gate.metric}", gate.value) for gate in mine]
        if not mine and self.gate.of_every is not None:
            pytest.skip("no row has the field")  # a gate on every field leaves it out, as the command does
        bad = [ran.failure_text(gate) for gate in mine if gate.verdict in ("failed", "undecided")]
        if bad:
            raise AssertionError("\n\n".join(bad))


class MeasuredItem(_SuiteItem):
    """Whether everything could be measured."""

    def runtest(self) -> None:
        """Fails when something other than the outputs kept rows from being measured, or when nothing was."""
        messages = self.suite_run().unmeasured_messages()
        if messages:
            raise AssertionError("\n\n".join(messages))


class SuiteRun(Struct):
    """A run, and its record in a folder that goes away."""

    result: RunResult
    record: Run
    targets: Mapping[str, Target]
    """The evaluator and the field of each gate, by how the suite writes it."""
    folder: Any

    def close(self) -> None:
        """Removes the folder."""
        self.folder.cleanup()

    def failure_text(self, gate: GateResult) -> str:
        """A gate that did not pass, with the first rows that are behind it, in lines."""
        from evaluators.runs.wording import gate_label

        head = f"gate {gate_label(gate)} {gate.verdict}: {gate.message} ({gate.limit}; {gate.n:,} measured)"
        return "\n".join([head, *self._first_wrong_rows(gate)])

    def unmeasured_messages(self) -> list[str]:
        """Messages about what kept something from being measured."""
        result = self.result
        ours = tuple(f"gate {gate.target}" for gate in result.gates)
        causes = [cause for cause in result.causes if not cause.startswith(ours)]
        if result.exit_code in _EXIT_OK and not causes:
            return []
        issues = [f"  {issue}" for issue in result.issues]
        return ["\n".join(["not everything was measured: " + "; ".join(causes or result.causes), *issues])]

    def _first_wrong_rows(self, gate: GateResult) -> list[str]:
        """The first wrong rows behind a gate, a line for each, and a line that says how many more there are."""
        rows = list(self._wrong_rows(gate))
        more = [f"  … and {len(rows) - MOST_ROWS:,} more rows"] if len(rows) > MOST_ROWS else []
        return rows[:MOST_ROWS] + more

    def _wrong_rows(self, gate: GateResult) -> Iterator[str]:
        """A line for each row that is wrong in what the gate is about, within its slice and variant; none for a gate on a measure."""
        from evaluators.reports.rows import row_views, why_of

        facts = self.record.facts
        name, path = self.targets[gate.target]
        if not any(evaluator.name == name for evaluator in facts.evaluators):
            return  # a measure: no row of it is right or wrong
        place = next(index for index, evaluator in enumerate(facts.evaluators) if evaluator.name == name)
        for row in row_views(self.record, (gate.variant,)):
            if gate.slice is not None and row.slices[facts.slices.index(gate.slice[0])] != gate.slice[1]:
                continue
            result = row.evaluators[place]
            if _is_wrong(result, path):
                called = f' "{row.id}"' if row.id and row.id != str(row.number) else ""
                yield f"  row {row.number}{called}: {_field_faults(result, path) or why_of(result)}"


def _is_wrong(result: Result, path: str | None) -> bool:
    """Whether a row is not as it should be, for the evaluator or for the field `path` that a gate is about."""
    if result.status.kept_out:
        return True
    if not path:
        return result.status.scored and (result.passed is False or result.score != 1)
    return bool(_field_faults(result, path)) or (result.status.scored and not result.fields and result.score != 1)


def _field_faults(result: Result, path: str | None) -> str:
    """The faults of the field `path` in a row, in words; empty when there are none, and without a path."""
    from evaluators.model.words import FIELD_WORDS
    from evaluators.scoring.fields.outcomes import WRONG

    if not path:
        return ""
    wrong = [outcome for outcome in result.fields if path in (outcome.path, outcome.field) and outcome.status in WRONG]
    reasons = ((f"{outcome.path} {FIELD_WORDS[outcome.status.word].of_reason}", outcome.reason) for outcome in wrong)
    return "; ".join(f"{text} ({reason})" if reason else text for text, reason in reasons)


def _is_result_of(gate: Gate, result: GateResult) -> bool:
    """Whether a result is that of the gate, for one variant and one slice of it."""
    config = gate.config
    sliced = config.slice is not None or config.each_slice is not None
    return (
        (result.target, result.metric, result.label) == (gate.written, gate.shown_metric, config.label)
        and config.variant in (None, result.variant)
        and sliced == (result.slice is not None)
        and (result.slice is None or config.is_about_slice(result.slice[1]))
    )


def _test_name(gate: Gate) -> str:
    """The name of a gate's test: the gate as it is written, and in brackets what it is about."""
    config = gate.config
    about: list[str] = [gate.shown_metric] if config.metric is not None else []
    about += [f"label {config.label}"] if config.label is not None else []
    about += [f"variant {config.variant}"] if config.variant is not None else []
    about += [f"{column} = {value}" for column, value in config.slice_words.items()]
    about += [f"each {config.each_slice}"] if config.each_slice is not None else []
    return f"gate {gate.written} ({', '.join(about)})" if about else f"gate {gate.written}"


def _run_suite(suite: str | Path | Suite, test_set: str | Path | None, options: dict[str, Any]) -> SuiteRun:
    """Runs a suite in a temporary folder, which `Ran.close` removes, or this function where the run raises. `options` are
    arguments of `Suite.run`, and go before the usual ones."""
    from tempfile import TemporaryDirectory

    from evaluators.api.loading import load
    from evaluators.api.suite import Suite
    from evaluators.runs.reader import Run

    loaded = suite if isinstance(suite, Suite) else load(suite)
    folder = TemporaryDirectory(prefix="evaluators-")
    try:
        run_options = {"results": Path(folder.name), "name": "run", "formats": (), "track": ("none",), **options}
        result = loaded.run(test_set, **run_options)
        targets = {gate.written: gate.target for gate in loaded.gates}
        return SuiteRun(result.result, Run(Path(run_options["results"]) / run_options["name"]), targets, folder)
    except BaseException:
        folder.cleanup()
        raise
