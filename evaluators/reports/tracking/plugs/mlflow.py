"""`mlflow`: a run of an experiment on an MLflow server, with metrics, settings, all rows, and what each row was made of."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from evaluators.model.issues import Problems, problem
from evaluators.model.settings import Name
from evaluators.reports.names import fit_name, segment
from evaluators.reports.tracking.attachments import attachments, environment_of, flat_params, note_of, row_table
from evaluators.reports.tracking.metrics import Number
from evaluators.reports.tracking.plugs._mlflow_traces import send_traces, source_of, traces_go_to
from evaluators.reports.tracking.sending import batches
from evaluators.reports.tracking.tracker import Link, RowProgress, RowTracker, no_progress, run_key
from evaluators.runs.reader import Run
from evaluators.runs.result import GateResult
from evaluators.scoring.values.addresses import without_password
from evaluators.scoring.values.file_names import clip_name
from evaluators.testsets.platforms.fetching import quiet_clients

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run as PlatformRun

RUN_KEY: Final = "evaluators.run_key"
"""The tag that a run is found by when it is sent again."""
TABLE: Final = "rows.json"
_TABLES: Final = "mlflow.loggedArtifacts"
_TABLE_TAG: Final = json.dumps([{"path": TABLE, "type": "table"}])
_PATIENCE: Final = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "6",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "15",
}
"""How long MLflow's client tries, unless the environment says otherwise: about a minute where a server refuses (or as it asks in
`Retry-After`), three where it takes requests and never answers."""
_NAME: Final = 250
_TEXT: Final = 6000
_NOTE: Final = 8000
_MOST_ROWS: Final = 100_000
"""A longer run has no table: its rows are among the files of the run folder."""


class MLflow(RowTracker):
    """A run of an experiment in MLflow: its main metrics, by the names that `mlflow.genai.evaluate` gives, the suite as parameters,
    all rows as one table, the run folder and the report as artifacts, and a note. Several models are a run each, below one
    that has what they share.

    Where things go is said by MLflow's own variables, such as `MLFLOW_TRACKING_URI` and `MLFLOW_EXPERIMENT_NAME`, or here.
    The first rows are traces, each with a feedback for every evaluator and field.
    """

    packages: ClassVar[tuple[str, ...]] = ("mlflow",)

    uri: Name | None = None
    """Where the server or the store is; without it, what MLflow's variables say, or a file `mlflow.db` in this folder."""
    experiment: Name | None = None
    """The experiment; without it, what MLflow's variables say, or else the name of the suite."""
    run: Name | None = None
    """The id of a run that is there already and gets the metrics, such as that of the training; without it, a run of its own."""
    trace_column: Name | None = None
    """The column of the test set with the ids of traces in MLflow that the outputs come from: they get the feedback, for all rows."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        """Sends the run, or updates the run that was sent before. For that, environment variables of MLflow that are not set get the values
        of `_PATIENCE`. Raises Problems where the server refuses the name or the key, else what MLflow raises."""
        for name, value in _PATIENCE.items():
            os.environ.setdefault(name, value)
        quiet_clients()
        import mlflow

        uri = self.uri or mlflow.get_tracking_uri()
        client = mlflow.MlflowClient(tracking_uri=uri)
        try:
            run = self._find_or_create_run(client, record, run_key(record))
        except mlflow.exceptions.MlflowException as error:
            raise _refusal(error, uri) or error from error
        with self._end_runs_after(client, record, [run.info.run_id]):
            self._send(client, record, run, uri, progress)
        return Link("mlflow", _address(uri, run.info.experiment_id, run.info.run_id), run.info.run_id)

    def _send(self, client: MlflowClient, record: Run, run: PlatformRun, uri: str, progress: RowProgress) -> None:
        """Sends a run below `run` for each variant, then what the run has itself, then the rows as traces to the store at `uri`, where the
        settings ask for traces. Without variants, the traces belong to `run` itself."""
        shared = run if not record.result.variants else None
        children = {
            variant: shared or self._send_variant(client, record, run, str(variant)) for variant in record.each_variant
        }
        with self._end_runs_after(
            client, record, [child.info.run_id for child in children.values() if child is not shared]
        ):
            self._log(client, record, run)
            if not (self.trace_rows or self.trace_column):
                return
            with traces_go_to(uri):
                runs = {variant: child.info.run_id for variant, child in children.items()}
                send_traces(client, record, runs, run.info.experiment_id, self, self.trace_column, progress)

    @contextmanager
    def _end_runs_after(self, client: MlflowClient, record: Run, runs: Sequence[str]) -> Iterator[None]:
        """Around a block that sends: at its end MLflow is told that the runs of these ids are finished; after an error, in one quick try,
        that they were killed."""
        try:
            yield
        except BaseException:
            with _one_quick_try():
                for run_id in runs:
                    client.set_terminated(run_id, "KILLED", _end_time(record))
            raise
        for run_id in runs:
            client.set_terminated(run_id, "FINISHED" if record.result.complete else "KILLED", _end_time(record))

    def _send_variant(self, client: MlflowClient, record: Run, above: PlatformRun, variant: str) -> PlatformRun:
        """Sends one variant as a run below `above`, and gives this run. Its metrics have the names that a run of one model has."""
        key = f"{run_key(record)}/{variant}"
        experiment = above.info.experiment_id
        runs = client.search_runs([experiment], _tag_filter(key), max_results=1)
        tags = {RUN_KEY: key, "mlflow.parentRunId": above.info.run_id, "evaluators.variant": variant}
        name = f"{above.info.run_name or record.place.name} ({variant})"
        run = runs[0] if runs else client.create_run(experiment, _start_time(record), tags, run_name=name)
        gates = record.result.of_variant(variant).gates
        _log_values(client, record, run, self.metrics(record, variant), {**flat_params(record), "run/variant": variant})
        for tag, text in {**dict(_gate_tags(gates)), **dict(_page_tags(record, self.environment))}.items():
            client.set_tag(run.info.run_id, tag, clip_name(text, _NOTE))
        client.log_inputs(run.info.run_id, datasets=[_test_set(record)])
        _log_table(client, record, run.info.run_id, (variant,))
        return run

    def _find_or_create_run(self, client: MlflowClient, record: Run, key: str) -> PlatformRun:
        """The run that the settings or the environment name, the one that was sent before, or a new one."""
        if named := self.run or os.environ.get("MLFLOW_RUN_ID"):
            return client.get_run(named)
        experiment = self._find_or_create_experiment(client, record)
        runs = client.search_runs([experiment], _tag_filter(key), max_results=1)
        if runs:
            return runs[0]
        return client.create_run(experiment, _start_time(record), {RUN_KEY: key}, run_name=record.place.name)

    def _find_or_create_experiment(self, client: MlflowClient, record: Run) -> str:
        """The id of the experiment that the setting, an environment variable of MLflow, or the suite names.

        One that is not there is made.
        """
        if self.experiment is None and (number := os.environ.get("MLFLOW_EXPERIMENT_ID")):
            return number
        name = self.experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME") or record.result.name
        known = client.get_experiment_by_name(name)
        return str(client.create_experiment(name) if known is None else known.experiment_id)

    def _log(self, client: MlflowClient, record: Run, run: PlatformRun) -> None:
        """Sends metrics, settings, tags, test set, table of rows and files to the run; metrics of one variant are left out."""
        from mlflow.entities import RunTag

        run_id = run.info.run_id
        shared = {name: value for name, value in self.metrics(record).items() if not name.startswith("variant/")}
        _log_values(client, record, run, shared, flat_params(record))
        tags = dict(_tags(record, self.environment))
        for named in batches((RunTag(name, clip_name(text, _NOTE)) for name, text in tags.items()), 100):
            client.log_batch(run_id, tags=named)
        client.log_inputs(run_id, datasets=[_test_set(record)])
        _log_table(client, record, run_id)
        with attachments(record, None, self.environment) as files:
            for name, file in files.items():
                client.log_artifact(run_id, str(file), name.rpartition("/")[0])


def _log_values(
    client: MlflowClient, record: Run, run: PlatformRun, metrics: Mapping[str, Number], params: Mapping[str, str]
) -> None:
    """Sends to the run the metrics that it lacks or has otherwise, and the settings that it lacks: a setting cannot be changed there."""
    from mlflow.entities import Metric, Param

    run_id, time = run.info.run_id, _start_time(record) or run.info.start_time
    metrics, settings = _values_to_send(metrics, run.data.metrics), _values_to_send(params, {})
    new = [Param(name, clip_name(text, _TEXT)) for name, text in settings.items() if name not in run.data.params]
    for some in batches((Metric(name, value, time, 0) for name, value in metrics.items()), 500):
        client.log_batch(run_id, metrics=some)
    for texts in batches(new, 100):
        client.log_batch(run_id, params=texts)


def _values_to_send(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> dict[str, Any]:
    """The values that MLflow lacks or has otherwise, by names that it accepts. Raises ValueError where two get the same name."""
    values: dict[str, Number | str] = {}
    for name, value in wanted.items():
        short = fit_name(name, _NAME)
        if short in values:
            raise ValueError(f"two metrics or settings are called {short}")
        values[short] = value
    return {name: value for name, value in values.items() if name not in there or there[name] != value}


def _tag_filter(key: str) -> str:
    """The filter by which MLflow finds the run that has this key as its tag."""
    quoted = key.replace("'", "''")
    return f"tags.`{RUN_KEY}` = '{quoted}'"


def _page_tags(record: Run, environment: bool) -> Iterator[tuple[str, str]]:
    """The tags that MLflow's pages need: that the run is an evaluation, its table, and its source."""
    yield "mlflow.runType", "genai_evaluate"
    yield _TABLES, _TABLE_TAG
    yield from source_of(record, environment).items()


@contextmanager
def _one_quick_try() -> Iterator[None]:
    """Within the `with` block a server is asked once and has five seconds. Every exception in it is swallowed: what the server does not
    take stays as it is there."""
    hasty = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0", "MLFLOW_HTTP_REQUEST_TIMEOUT": "5"}
    before = {name: os.environ.get(name) for name in hasty}
    os.environ.update(hasty)
    try:
        with suppress(Exception):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _refusal(error: Exception, uri: str) -> Problems | None:
    """The problem that the server at `uri` wants another name or key, as the words of the error tell; None for any other error."""
    message = str(error)
    if not re.search(r"error code 40[13]\b|\b(UNAUTHENTICATED|PERMISSION_DENIED|CUSTOMER_UNAUTHORIZED)\b", message):
        return None
    return problem(
        "wrong-key",
        f"MLflow at {without_password(uri)} refuses the name or the key",
        hint="MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, say who sends",
    )


def _tags(record: Run, environment: bool) -> Iterator[tuple[str, str]]:
    """The tags of a run, as name and text: its key, note, version and exit code, first causes, gates, and environment if wanted."""
    result = record.result
    yield RUN_KEY, run_key(record)
    yield "mlflow.note.content", note_of(record, _NOTE)
    yield from _page_tags(record, environment)
    yield "evaluators.version", result.version
    yield "evaluators.suites", result.name
    yield "evaluators.exit_code", str(result.exit_code)
    for number, cause in enumerate(result.causes[:20], 1):
        yield f"evaluators.cause.{number}", cause
    yield from _gate_tags(result.gates)
    if environment:
        yield from ((f"evaluators.{name}", text) for name, text in environment_of(record).items())


def _gate_tags(gates: Iterable[GateResult]) -> Iterator[tuple[str, str]]:
    """A tag for each metric that gates are about, with how they ended."""
    labels: dict[str, list[str]] = {}
    for gate in gates:
        variant = [] if gate.variant is None else ["variant", segment(gate.variant)]
        part = [] if gate.slice is None else ["slice", *map(segment, gate.slice)]
        target = ".".join(map(segment, gate.target.split(".")))
        name = "/".join(["evaluators.gate", *variant, *part, target, segment(gate.metric)])
        labels.setdefault(fit_name(name, _NAME), []).append(f"{gate.verdict}: {gate.message}")
    return ((name, "; ".join(texts)) for name, texts in labels.items())


def _test_set(record: Run) -> Any:
    """The test set as MLflow's dataset input: its name, fingerprint, number of rows and columns, not its contents."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    result = record.result
    digest = result.data_fingerprint.rpartition(":")[2][:36]
    source = json.dumps({"uri": result.test_set})
    profile = json.dumps({"num_rows": result.rows})
    columns = [{"type": "string", "name": name, "required": False} for name in record.facts.header]
    schema = json.dumps({"mlflow_colspec": columns})  # the format that MLflow's pages read
    dataset = Dataset(result.test_set, digest, "local", source, schema=schema, profile=profile)
    return DatasetInput(dataset, [InputTag("mlflow.data.context", "evaluation")])


def _log_table(client: MlflowClient, record: Run, run_id: str, variants: Sequence[str | None] | None = None) -> None:
    """Sends the rows of a run, or of some variants, as one table; nothing of a long run, whose rows are among its files."""
    if sum(stats.rows for stats in record.result.evaluators[:1]) <= _MOST_ROWS:
        client.log_dict(run_id, row_table(record, variants), TABLE)


def _start_time(record: Run) -> int | None:
    """When the run began, in milliseconds, as MLflow counts them; None where that is not known."""
    known = record.result.environment
    return None if known is None else round(datetime.fromisoformat(known.started).timestamp() * 1000)


def _end_time(record: Run) -> int | None:
    """When the run ended, in milliseconds; None where that is not known."""
    known, started = record.result.environment, _start_time(record)
    return None if known is None or started is None else started + round(known.seconds * 1000)


def _address(uri: str, experiment: str, run: str) -> str:
    """The address of the run's page on a server; of a store of files, the place of the store, relative to the current folder where it is in
    that."""
    if not uri.startswith(("http://", "https://")):
        return without_password(uri).replace(f"{Path.cwd()}/", "")
    return f"{without_password(uri).rstrip('/')}/#/experiments/{experiment}/runs/{run}"
