"""Commands without the name of a run take the newest."""

from __future__ import annotations

from pathlib import Path

from tests.kit import cli, folder_with

SUITE = 'name: {name}\nevaluators: [exact_match, contains: {{substring: "P"}}]\ngates: {{exact_match: {{fail_below: {limit}}}}}\n'


folder = folder_with({
    "rows.csv": "output,expected\nParis,Paris\nRome,Oslo\n",
    **{f"{name}.yaml": SUITE.format(name=name, limit=0.1) for name in ("one", "other")},
})  # fmt: skip


def scored(suite: str, name: str) -> None:
    assert cli("run", f"{suite}.yaml", "rows.csv", "--name", name, "-q").exit_code == 0


def test_without_a_run_the_newest_is_taken() -> None:
    scored("one", "first")
    scored("other", "second")
    assert cli("view", "--no-open").stdout == f"{Path('runs/second/report.html')}\n"
    shown = cli("report")
    assert shown.stdout.startswith("other: passed")
    assert shown.stderr == f"the newest: {Path('runs/second')}\n"
    assert cli("advice").stdout.startswith("other: advice")


def test_the_last_two_runs_of_a_suite_are_compared() -> None:
    scored("one", "b")
    scored("other", "between")
    scored("one", "a")
    done = cli("compare")
    assert done.exit_code == 0, done.output
    assert f"Base: {Path('runs/b')}. New: {Path('runs/a')}." in done.stdout


def test_without_runs_there_is_a_sentence() -> None:
    assert "there is no run in runs; name the run" in cli("view").output
    scored("one", "first")
    found = cli("compare")
    assert (found.exit_code, 'there is only one run of "one" in runs' in found.output) == (2, True)


def test_the_list_of_runs_shows_the_first_score() -> None:
    scored("one", "first")
    assert "exact_match 0.5000" in cli("runs").stdout


def test_a_quiet_run_names_every_failed_gate() -> None:
    gates = "gates: {exact_match: {fail_below: 0.9}, contains: {fail_below: 0.9}}"
    Path("strict.yaml").write_text(
        f'evaluators: [exact_match, contains: {{substring: "P"}}]\n{gates}\n', encoding="utf-8"
    )
    done = cli("run", "strict.yaml", "rows.csv", "-q", "--no-results")
    assert done.exit_code == 1
    assert done.stdout == (
        "strict: FAILED (gate exact_match failed: mean 0.5000 is below 0.9; gate contains failed: mean 0.5000 is below 0.9)\n"
    )


def test_an_annotation_of_a_gate_has_its_place() -> None:
    Path("strict.yaml").write_text(
        "evaluators: [exact_match]\ngates:\n  exact_match: {fail_below: 0.9}\n", encoding="utf-8"
    )
    done = cli("run", "strict.yaml", "rows.csv", "--format", "github", "--no-results")
    assert "::error file=strict.yaml,line=3,col=3,title=gate exact_match::failed: mean 0.5000" in done.stdout
