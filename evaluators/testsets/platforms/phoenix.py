"""Outputs that live in Phoenix: the runs of an experiment, the examples of a dataset, or traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from pydantic import PositiveInt, model_validator

from evaluators.model.issues import problem
from evaluators.model.settings import Name, bad
from evaluators.scoring.needs import ROLES
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.testsets.platforms.fetching import Cells, PlatformRows, PlatformSource, row_cells

if TYPE_CHECKING:
    from phoenix.client import Client

_EVERY: Final = 10_000_000


class PhoenixRows(PlatformRows):
    """What is in Phoenix: `{phoenix: {experiment: ID}}`, `{phoenix: {dataset: NAME}}`, `{phoenix: {traces: PROJECT}}`."""

    platform: ClassVar[str] = "phoenix"

    endpoint: Name | None = None
    """The address of Phoenix; without it, what Phoenix's variables say."""
    experiment: Name | None = None
    """The id of an experiment: a row for each of its outputs, beside the example that it answers. With `dataset`, its name will do."""
    dataset: Name | None = None
    """The name of a dataset: a row for each example, with what it expects. Outputs come from `output:` beside it."""
    traces: Name | None = None
    """The name of a project: a row for each trace, with `id` and `span_id` of its outermost span, `trace_id`, `input`, `output`."""
    limit: PositiveInt | None = None
    """No more traces than so many."""

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        """Refuses settings that go with another kind of rows."""
        if self.traces is None and self.dataset is None and self.experiment is None:
            raise bad('an "experiment", a "dataset" or "traces" must be named', hint="{phoenix: {experiment: ID}}")
        if self.traces is not None and (self.dataset is not None or self.experiment is not None):
            raise bad('"traces" cannot be beside "dataset" or "experiment"', hint="keep one of them")
        if self.traces is None and self.limit is not None:
            raise bad('"limit" belongs to "traces"', hint="{phoenix: {traces: PROJECT, limit: 100}}")
        return self

    def source(self) -> PlatformSource:
        """The rows of the traces, the experiment or the dataset that the settings name."""
        from phoenix.client import Client

        client = Client(base_url=self.endpoint) if self.endpoint else Client()
        if self.traces is not None:
            rows = _rows_of_traces(client, self.traces, self.limit or _EVERY)
            return PlatformSource(f"Phoenix traces of {self.traces}", rows, ROLES)
        if self.experiment is not None:
            rows = _rows_of_experiment(client, self._experiment_id(client, self.experiment))
            return PlatformSource(f"Phoenix experiment {self.experiment}", rows, ROLES)
        examples = client.datasets.get_dataset(dataset=str(self.dataset)).examples
        return PlatformSource(f"Phoenix dataset {self.dataset}", map(_example_cells, examples), ROLES)

    def _experiment_id(self, client: Client, named: str) -> str:
        """The id of the experiment that is named by its id, or, beside `dataset`, by its name: the latest that is called so."""
        if self.dataset is None:
            return named
        dataset = client.datasets.get_dataset(dataset=self.dataset)
        experiments = [
            experiment
            for experiment in client.experiments.list(dataset_id=dataset.id)
            if named in (experiment["id"], experiment.get("name"))
        ]
        if not experiments:
            message = f'the dataset "{self.dataset}" has no experiment "{named}"'
            raise problem("no-such-experiment", message, where="test_set")
        return str(max(experiments, key=lambda experiment: experiment["created_at"])["id"])


def _rows_of_experiment(client: Client, experiment: str) -> Iterator[Cells]:
    """The rows of an experiment: each run of each example, in the order of the examples and then of the repetitions. A row has its
    `repetition` from the second one on. An example that was not run has no row."""
    ran = client.experiments.get_experiment(experiment_id=experiment)
    dataset = client.datasets.get_dataset(dataset=ran["dataset_id"], version_id=ran["dataset_version_id"])
    runs: dict[str, list[Mapping[str, Any]]] = {}
    for run in ran["task_runs"]:
        runs.setdefault(run["dataset_example_id"], []).append(run)
    for example in dataset.examples:
        for run in sorted(runs.get(_node_id(example), ()), key=lambda task_run: task_run["repetition_number"]):
            times = {} if run["repetition_number"] == 1 else {"repetition": run["repetition_number"]}
            about = {"run_id": run["id"], "trace_id": run.get("trace_id"), **times}
            yield {**_example_cells(example), **_without_none({"output": run.get("output"), **about})}


def _example_cells(example: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of an example of a dataset. Its expected answer is its output, or the only value in an output that is a map."""
    answer = example.get("output")
    if isinstance(answer, Mapping) and len(answer) == 1:
        (answer,) = answer.values()
    metadata = {name: value for name, value in (example.get("metadata") or {}).items() if value is not None}
    row = row_cells({"id": str(example["id"]), "input": example.get("input"), "expected": answer}, metadata)
    return {**row, "id": str(example["id"]), "example_id": _node_id(example)}


def _node_id(example: Mapping[str, Any]) -> str:
    """The id by which Phoenix knows an example, which runs refer to."""
    return str(example.get("node_id") or example["id"])


def _rows_of_traces(client: Client, project: str, limit: int) -> Iterator[Cells]:
    """The rows of the root spans of a project, by time."""
    spans = client.spans.get_spans(project_identifier=project, parent_id="null", limit=limit)
    for span in sorted(spans, key=lambda span: (span["start_time"], span["context"]["span_id"])):
        attributes = span.get("attributes") or {}
        more = {name: value for name, value in attributes.items() if not name.startswith(("input.", "output."))}
        about = {"span_id": span["context"]["span_id"], "trace_id": span["context"]["trace_id"], "name": span["name"]}
        inputs, answer = (_value_of_side(attributes, side) for side in ("input", "output"))
        yield row_cells({"id": span["context"]["span_id"], "input": inputs, "output": answer}, about, more)


def _value_of_side(attributes: Mapping[str, Any], side: str) -> Any:
    """The value of a side of a span, "input" or "output": an input that is JSON is read, anything else is as it is."""
    value = attributes.get(f"{side}.value")
    if side == "output" or not isinstance(value, str) or attributes.get("input.mime_type") != "application/json":
        return value
    try:
        return parse(value.encode())
    except (NotJSON, UnicodeEncodeError):
        return value


def _without_none(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
