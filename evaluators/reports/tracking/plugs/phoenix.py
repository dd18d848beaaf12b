"""`phoenix`: a run as an experiment over a dataset in Arize Phoenix, with an evaluation of every row by every evaluator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import NonNegativeInt

from evaluators.model.issues import Problems, problem
from evaluators.model.settings import Name
from evaluators.reports.rows import FieldView, RowView, row_views, scores_of, wrong_rows_first
from evaluators.reports.tracking.attachments import environment_of, flat_params
from evaluators.reports.tracking.patience import in_parallel
from evaluators.reports.tracking.sending import batches
from evaluators.reports.tracking.tracker import Link, RowProgress, RowTracker, no_progress, run_key
from evaluators.runs.reader import Run
from evaluators.scoring.values.addresses import without_password
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.testsets.platforms.fetching import quiet_clients

if TYPE_CHECKING:
    from phoenix.client import Client

RUN_KEY: Final = "evaluators_run_key"
"""What an experiment is found by when its run is sent again."""
_SECONDS: Final = 600
_AT_ONCE: Final = 500
_UNDER_WAY: Final = 8
_EVERY_CELL: Final = 10_000
"""A run of so many rows keeps all its cells, so that its dataset has all its rows."""


class Phoenix(RowTracker):
    """An experiment in Phoenix: the test set as a dataset, an output for each row, and for each evaluator an
    evaluation with a score, a word and a reason. Our metrics are in the metadata of the experiment.

    Where Phoenix is, is said by its own variables, such as `PHOENIX_COLLECTOR_ENDPOINT` and `PHOENIX_API_KEY`, or here. Several models
    make several experiments over one dataset. Phoenix shows means of the rows that it has: those are ours when all rows were sent.
    """

    packages: ClassVar[tuple[str, ...]] = ("phoenix.client",)

    endpoint: Name | None = None
    """The address of Phoenix; without it, what Phoenix's variables say."""
    dataset: Name | None = None
    """The name of the dataset; without it, that of the suite and of its test set."""
    trace_rows: NonNegativeInt = 1000
    """How many rows have an output and evaluations, of each variant, rows with something wrong first."""
    fields: bool = False
    """Whether each field of a row has an evaluation of its own, which is a column of the experiments and takes more time."""
    span_column: Name | None = None
    """The column of the test set with the ids of spans that the outputs come from: all of them get annotations."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        """Sends the run, or updates the experiments that were sent before."""
        quiet_clients()
        with _client(self.endpoint) as client:
            return self._send(client, record, progress)

    def _send(self, client: Client, record: Run, progress: RowProgress) -> Link:
        """Sends the dataset, and an experiment with its rows for each variant; gives a link that shows them all.

        An experiment that is there from an earlier time is used again.
        """
        dataset = client.datasets.create_dataset(
            name=self.dataset or f"{record.result.name}: {record.result.test_set}",
            examples=list(_examples(record, self.trace_rows)),
            timeout=_SECONDS,
        )
        nodes = {example["id"]: example["node_id"] for example in dataset.examples}
        there = {
            experiment["metadata"].get(RUN_KEY): experiment["id"]
            for experiment in client.experiments.list(dataset_id=dataset.id)
        }
        experiments = []
        for variant in record.each_variant:
            metadata = _metadata(record, variant, self)
            experiment = there.get(metadata[RUN_KEY])
            if experiment is None:
                experiment = client.experiments.create(
                    dataset_id=dataset.id, dataset_version_id=dataset.version_id, experiment_metadata=metadata,
                    experiment_name=record.place.name if variant is None else f"{record.place.name} ({variant})",
                    experiment_description=_description(record, variant, self.trace_rows),
                )["id"]  # fmt: skip
            experiments.append(experiment)
            _send_rows(client, record, variant, experiment, nodes, self, progress)
        if self.span_column is not None:
            _annotate(client, record, self.span_column)
        address = client.experiments.get_experiment_url(dataset.id, experiments[0])
        address = "&".join([without_password(address), *(f"experimentId={experiment}" for experiment in experiments[1:])])
        return Link("phoenix", address, ",".join(experiments))


def _examples(record: Run, most: int) -> Iterator[dict[str, Any]]:
    """The examples of the dataset, one for each row number: all rows, as the first variant has them, or of a run of more than
    `_EVERY_CELL` rows those that are sent, `most` of each variant. Outputs are left out, since they differ from model to model."""
    longer = record.result.rows > _EVERY_CELL
    rows = (
        row
        for variant in record.each_variant[: None if longer else 1]
        for row in (_first_rows(record, variant, most) if longer else row_views(record, (variant,)))
    )
    roles, names = record.result.columns, _example_names(record)
    for row in {row.number: row for row in rows}.values():
        cells = {name: _document_or_text(cell) for name, cell in (row.cells or {}).items() if name != roles.get("output")}
        expected = cells.pop(roles["expected"], None) if "expected" in roles else None
        about: dict[str, Any] = {"row": row.number, "id": row.id, "checksum": row.checksum}
        about["slices"] = dict(zip(record.facts.slices, row.slices, strict=True)) if row.slices else {}
        yield {"id": names[row.number], "input": cells, "output": {"expected": expected}, "metadata": about}


def _first_rows(record: Run, variant: str | None, most: int) -> Iterator[RowView]:
    """The rows of a variant that are sent: `most` of them, those with something wrong first."""
    return wrong_rows_first(row_views(record, (variant,)), most)


def _example_names(record: Run) -> dict[int, str]:
    """The name of each row's example: its id, with its number where several rows have the id, or where it has none."""
    ids = {row.number: row.id for row in record.each_row(record.each_variant[0], explained=False)}
    times = Counter(ids.values())
    return {number: id if id and times[id] == 1 else f"{id} (row {number})".lstrip() for number, id in ids.items()}


@contextmanager
def _client(endpoint: str | None) -> Iterator[Client]:
    """Phoenix's client, which tries requests again as `PatientClient` does; it is closed at the end of the `with`. Without an `endpoint`,
    it goes by Phoenix's variables."""
    from phoenix.client import Client

    from evaluators.reports.tracking.plugs._phoenix_http import PatientClient

    plain = (Client(base_url=endpoint) if endpoint else Client())._client
    with PatientClient(base_url=plain.base_url, headers=plain.headers, timeout=plain.timeout) as patient:
        yield Client(http_client=patient)


def _metadata(record: Run, variant: str | None, settings: Phoenix) -> dict[str, Any]:
    """The metadata of an experiment, with the key by which it is known when the run is sent again."""
    key = run_key(record)
    metadata = {
        RUN_KEY: key if variant is None else f"{key}/{variant}",
        "metrics": settings.metrics(record, variant),
        "params": flat_params(record),
    }
    return {**metadata, "environment": environment_of(record)} if settings.environment else metadata


def _description(record: Run, variant: str | None, most: int) -> str:
    """The description of an experiment; it says so where only some of the rows are sent."""
    rows = record.result.rows
    text = f"{record.result.name}, exit code {record.result.exit_code}"
    text += "" if variant is None else f", {variant}"
    if rows <= most:
        return text
    return f"{text}; {most} of {rows} rows, those with something wrong first: the metrics of all rows are in the metadata"


def _send_rows(
    client: Client,
    record: Run,
    variant: str | None,
    experiment: str,
    nodes: Mapping[str, str],
    settings: Phoenix,
    progress: RowProgress,
) -> None:
    """Sends the outputs of a variant's rows and their evaluations, as far as they are not in the experiment yet, and reports each row to
    `progress`. `experiment` is the id of the experiment, `nodes` has Phoenix's ids of the examples by their names; at most
    `settings.trace_rows` rows are sent.

    Phoenix takes outputs and evaluations one by one, so several rows are under way at once.
    """
    time = _start_time(record)
    known = client.experiments.get_experiment(experiment_id=experiment)
    there = {run["dataset_example_id"]: run["id"] for run in known["task_runs"]}
    assessed = {(evaluation.experiment_run_id, evaluation.name) for evaluation in known["evaluation_runs"]}
    names, output = _example_names(record), record.result.columns.get("output")

    def send_row(row: RowView) -> None:
        """Sends the output of a row and its evaluations, each unless it is there already.

        Evaluations of fields are sent only where the settings ask for them.
        """
        node = nodes[names[row.number]]
        run = there.get(node) or _log_run(
            client, experiment_id=experiment, dataset_example_id=node, start_time=time, end_time=time,
            output=_document_or_text((row.cells or {}).get(output or "")),
        )  # fmt: skip
        for score in scores_of(record, row):
            if (run, score.name) not in assessed and (settings.fields or score.path is None):
                client.experiments.log_evaluation(
                    experiment_run_id=run, start_time=time, end_time=time, **_evaluation(score)
                )

    rows = _first_rows(record, variant, settings.trace_rows)
    total = min(settings.trace_rows, max((stats.rows for stats in record.result.evaluators), default=0))
    progress(0, total)
    for done, _ in enumerate(in_parallel(send_row, rows, _UNDER_WAY), 1):
        progress(done, total)


def _log_run(client: Client, **about: Any) -> str:
    """Sends an output and returns Phoenix's id of it; also where it is there already, because only the answer was lost."""
    import httpx

    try:
        return str(client.experiments.log_run(**about)["id"])
    except httpx.HTTPStatusError as error:
        if error.response.status_code != httpx.codes.CONFLICT:
            raise
        runs = client.experiments.get_experiment(experiment_id=about["experiment_id"])["task_runs"]
        return next(str(run["id"]) for run in runs if run["dataset_example_id"] == about["dataset_example_id"])


def _evaluation(view: FieldView) -> dict[str, Any]:
    """A score in Phoenix's words: always a label, a score where there is one, and the reason why the row has none."""
    about: dict[str, Any] = {"evaluator": view.evaluator, "passed": view.passed}
    if view.path is not None:
        about["path"] = view.path
    return {
        "name": view.name, "score": view.score, "label": view.label, "explanation": view.reason,
        "error": None if view.issue is None else view.issue.message, "metadata": about,
    }  # fmt: skip


def _annotate(client: Client, record: Run, column: str) -> None:
    """Annotates the spans that `column` names with the results of their rows. An annotation takes the place of an earlier one of this
    suite. Raises Problems where no row names a span."""
    annotations = [each for row in row_views(record) for each in _annotations(row, column, record)]
    for some in batches(annotations, _AT_ONCE):
        client.spans.log_span_annotations(span_annotations=some, sync=True)
    if not annotations:
        raise _no_ids(column)


def _annotations(row: RowView, column: str, record: Run) -> Iterable[Any]:
    """The annotations of the span that a row names in `column`, one for each result; none where the cell names no span."""
    span = (row.cells or {}).get(column)
    if not isinstance(span, str) or not span.strip():
        return
    for score in scores_of(record, row):
        evaluation = _evaluation(score)
        result = {key: evaluation[key] for key in ("score", "label", "explanation") if evaluation[key] is not None}
        about = {key: value for key, value in evaluation["metadata"].items() if value is not None}
        if score.issue is not None:
            about["error"] = score.issue.message
        yield {
            "span_id": span.strip(), "name": score.name, "annotator_kind": "CODE", "result": result, "metadata": about,
            "identifier": f"evaluators/{record.result.name}",
        }  # fmt: skip


def _start_time(record: Run) -> datetime:
    """When the run began, or now where that is not known. It is begin and end of every answer: how long one took is not known here."""
    known = record.result.environment
    return datetime.now(UTC) if known is None else datetime.fromisoformat(known.started)


def _document_or_text(cell: Any) -> Any:
    """A cell as Phoenix shows it best: a document where the text is one, and the text as it stands anywhere else."""
    if not isinstance(cell, str):
        return cell
    try:
        value = parse(cell.encode())
    except (NotJSON, UnicodeEncodeError):
        return cell
    return value if isinstance(value, dict | list) else cell


def _no_ids(column: str) -> Problems:
    """The problem that no row has the id of a span in the named column."""
    return problem(
        "no-span-ids",
        f'no kept row has the id of a span in the column "{column}"',
        hint="`span_column` names the column with Phoenix's span ids; `results: {documents: all}` keeps the cells of all rows",
    )
