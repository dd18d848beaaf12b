"""What the guide says of Phoenix is what happens."""

from __future__ import annotations

from pathlib import Path

from phoenix.client import Client

from tests.hosts.guide import run_shell


def test_the_commands_of_the_guide(phoenix_store: str, tmp_path: Path) -> None:
    said = run_shell("phoenix.md", tmp_path, "PHOENIX_COLLECTOR_ENDPOINT", phoenix_store)
    assert said.count(f"sent to phoenix: {phoenix_store}/datasets/") == 2
    client = Client(base_url=phoenix_store)
    dataset = client.datasets.get_dataset(dataset="cities")
    (experiment,) = client.experiments.list(dataset_id=dataset.id)
    assert (experiment["name"], experiment["successful_run_count"], len(dataset.examples)) == ("nightly", 3, 3)
    assert len(client.datasets.get_dataset_versions(dataset="cities")) == 1
