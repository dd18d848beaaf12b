"""`mlflow`: a run of an experiment on an MLflow server, with figures, settings, all rows, and what each row was made of."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Final

from evaluators.reports.headline import Options
from evaluators.reports.report_files import asked_files
from evaluators.run.record import RunRecord
from evaluators.run.result import GateResult
from evaluators.run.store import ENVIRONMENT_JSON, LINKS_JSON
from evaluators.settings import Name
from evaluators.testsets.platforms.fetching import quietly
from evaluators.tracking.metric_names import fitted, segment
from evaluators.tracking.note import note_of
from evaluators.tracking.params import environment_of, flat_params
from evaluators.tracking.row_table import row_table
from evaluators.tracking.run_metrics import Number, metrics_of
from evaluators.tracking.tracker import Link, Platform, run_key
from evaluators.values.addresses import without_password

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

RUN_KEY: Final = "evaluators.run_key"
"""The tag that a run is found by when it is sent again."""
TABLE: Final = "rows.json"
_NAME: Final = 250
_TEXT: Final = 6000
_NOTE: Final = 8000
_MOST_ROWS: Final = 100_000
"""A longer run has no table: its rows are among the files of the run folder."""


class MLflow(Platform):
    """A run of an experiment in MLflow: every figure as a metric, the suite as parameters, all rows as one table, the run
    folder and the report as artifacts, and a note.

    Where things go is said by MLflow's own variables, such as `MLFLOW_TRACKING_URI` and `MLFLOW_EXPERIMENT_NAME`, or here.
    `trace_rows: N` also makes a trace of N rows, each with a feedback for every evaluator and field.
    """

    packages: ClassVar[tuple[str, ...]] = ("mlflow",)

    uri: Name | None = None
    """Where the server or the store is; without it, what MLflow's variables say."""
    experiment: Name | None = None
    """The experiment; without it, what MLflow's variables say, or else the name of the suite."""
    run: Name | None = None
    """The id of a run that is there already and gets the figures, such as that of the training; without it, a run of its own."""
    trace_column: Name | None = None
    """The column of the test set with the ids of traces in MLflow that the outputs come from: they get the feedback, for all rows."""

    def send(self, record: RunRecord) -> Link:
        """Sends the run, or brings up to date what is there of it."""
        quietly()
        import mlflow

        uri = self.uri or mlflow.get_tracking_uri()
        client = mlflow.MlflowClient(tracking_uri=uri)
        key = run_key(record)
        run = self._run(client, record, key)
        run_id = run.info.run_id
        status = "KILLED"
        try:
            self._log(client, record, run)
            if self.trace_rows or self.trace_column:
                from evaluators.tracking.plugs._mlflow_traces import send_traces, traces_go_to

                with traces_go_to(uri):
                    send_traces(client, record, run.info.experiment_id, run_id, self.trace_rows, self.trace_column)
            status = "FINISHED" if record.result.complete else "KILLED"
        finally:
            client.set_terminated(run_id, status, _ended(record))
        return Link("mlflow", _address(uri, run.info.experiment_id, run_id), run_id)

    def _run(self, client: MlflowClient, record: RunRecord, key: str) -> Run:
        """The run that the settings or the environment name, the one that was sent before, or a new one."""
        if named := self.run or os.environ.get("MLFLOW_RUN_ID"):
            return client.get_run(named)
        experiment = self._experiment(client, record)
        found = client.search_runs([experiment], f"tags.`{RUN_KEY}` = '{key}'", max_results=1)
        if found:
            return found[0]
        return client.create_run(experiment, _started(record), {RUN_KEY: key}, run_name=record.folder.name)

    def _experiment(self, client: MlflowClient, record: RunRecord) -> str:
        if self.experiment is None and (number := os.environ.get("MLFLOW_EXPERIMENT_ID")):
            return number
        name = self.experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME") or record.result.name
        known = client.get_experiment_by_name(name)
        return str(client.create_experiment(name) if known is None else known.experiment_id)

    def _log(self, client: MlflowClient, record: RunRecord, run: Run) -> None:
        from mlflow.entities import Metric, Param, RunTag

        run_id, at = run.info.run_id, _started(record) or run.info.start_time
        metrics = _fitting(metrics_of(record.result), run.data.metrics)
        params = _fitting(flat_params(record), {})
        params = {name: text for name, text in params.items() if name not in run.data.params}  # they cannot be changed
        tags = dict(_tags(record, self.environment))
        for some in _some((Metric(name, value, at, 0) for name, value in metrics.items()), 500):
            client.log_batch(run_id, metrics=some)
        for texts in _some((Param(name, _cut(text, _TEXT)) for name, text in params.items()), 100):
            client.log_batch(run_id, params=texts)
        for named in _some((RunTag(name, _cut(text, _NOTE)) for name, text in tags.items()), 100):
            client.log_batch(run_id, tags=named)
        client.log_inputs(run_id, datasets=[_test_set(record)])
        _log_files(client, record, run_id, self.environment)


def _some(entities: Iterable[Any], most: int) -> Iterator[list[Any]]:
    """The entities in lists of at most `most`: MLflow takes no more at once."""
    rest = iter(entities)
    while some := list(islice(rest, most)):
        yield some


def _fitting(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> dict[str, Any]:
    """What is not there as it should be, by names that MLflow takes. Raises ValueError should two come to the same name."""
    found: dict[str, Number | str] = {}
    for name, value in wanted.items():
        short = fitted(name, _NAME)
        if short in found:
            raise ValueError(f"two figures or settings are called {short}")
        found[short] = value
    return {name: value for name, value in found.items() if name not in there or there[name] != value}


def _tags(record: RunRecord, environment: bool) -> Iterator[tuple[str, str]]:
    result = record.result
    yield RUN_KEY, run_key(record)
    yield "mlflow.note.content", note_of(record, _NOTE)
    yield "mlflow.loggedArtifacts", json.dumps([{"path": TABLE, "type": "table"}])
    yield "evaluators.version", result.version
    yield "evaluators.suite", result.name
    yield "evaluators.exit_code", str(result.exit_code)
    for number, cause in enumerate(result.causes[:20], 1):
        yield f"evaluators.cause.{number}", cause
    yield from _gates(result.gates)
    if environment:
        yield from ((f"evaluators.{name}", text) for name, text in environment_of(record).items())


def _gates(gates: Iterable[GateResult]) -> Iterator[tuple[str, str]]:
    """A tag for each figure that gates are about, with how they ended."""
    found: dict[str, list[str]] = {}
    for gate in gates:
        variant = [] if gate.variant is None else ["variant", segment(gate.variant)]
        part = [] if gate.slice is None else ["slice", *map(segment, gate.slice)]
        target = ".".join(map(segment, gate.target.split(".")))
        name = "/".join(["evaluators.gate", *variant, *part, target, segment(gate.figure)])
        found.setdefault(fitted(name, _NAME), []).append(f"{gate.verdict}: {gate.message}")
    return ((name, "; ".join(said)) for name, said in found.items())


def _test_set(record: RunRecord) -> Any:
    from mlflow.entities import Dataset, DatasetInput, InputTag

    result = record.result
    digest = result.data_fingerprint.rpartition(":")[2][:36]
    source = json.dumps({"uri": result.test_set})
    profile = json.dumps({"num_rows": result.rows})
    schema = json.dumps({"columns": list(record.facts.header), "roles": dict(result.columns)})
    dataset = Dataset(result.test_set, digest, "local", source, schema=schema, profile=profile)
    return DatasetInput(dataset, [InputTag("mlflow.data.context", "evaluation")])


def _log_files(client: MlflowClient, record: RunRecord, run_id: str, environment: bool) -> None:
    if sum(stats.rows for stats in record.result.evaluators[:1]) <= _MOST_ROWS:
        table = row_table(record)
        client.log_dict(run_id, {"columns": list(table.columns), "data": [list(row) for row in table.rows]}, TABLE)
    kept_back = {LINKS_JSON} if environment else {LINKS_JSON, ENVIRONMENT_JSON}
    for file in sorted(record.folder.rglob("*")):
        if file.is_file() and file.name not in kept_back:
            inside = file.parent.relative_to(record.folder)
            client.log_artifact(run_id, str(file), "run" if inside == Path() else f"run/{inside.as_posix()}")
    if not (record.folder / "report.html").is_file():
        with TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            asked_files([page], record, Options())
            client.log_artifact(run_id, str(page), "run")


def _started(record: RunRecord) -> int | None:
    known = record.result.environment
    return None if known is None else round(datetime.fromisoformat(known.started).timestamp() * 1000)


def _ended(record: RunRecord) -> int | None:
    known, started = record.result.environment, _started(record)
    return None if known is None or started is None else started + round(known.seconds * 1000)


def _address(uri: str, experiment: str, run: str) -> str | None:
    if not uri.startswith(("http://", "https://")):
        return None
    return f"{without_password(uri).rstrip('/')}/#/experiments/{experiment}/runs/{run}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
