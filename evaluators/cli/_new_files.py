"""Files that a command writes: all of them or none, and never over others unless that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_SCHEMA: Final = "suite.schema.json"


def refuse_existing(files: Iterable[str], *, force: bool, hint: str = "--force replaces it") -> None:
    """Raises Problems (config) where some of the files exist already, unless `force` is set."""
    existing = [name for name in files if Path(name).resolve().exists()]
    if existing and not force:
        from evaluators.model.issues import Blame, Issue, Problems

        message = "there is such a file already, and nothing has been written"
        raise Problems(Issue("file-exists", Blame.CONFIG, message, name, hint) for name in existing)


def write(files: Mapping[str, str], *, force: bool, hint: str = "--force replaces it") -> None:
    """Writes `files`, texts by path, and makes the folders on the way.

    Raises Problems: (config) where one exists already and `force` is not set, or where the command reads it, forced or not;
    (environment) where the system does not let one be written.
    """
    from evaluators.runs.store import check_written, write_text

    refuse_existing(files, force=force, hint=hint)
    check_written(files)
    for name, text in files.items():
        write_text(Path(name), text)


def write_suite(file: str, text: str, *, data: Iterable[str] = (), force: bool) -> tuple[str, ...]:
    """Writes a suite, and the schema of the language beside it where there is none. Returns the files that were written.

    The first line of the suite names the schema, for editors. Where the schema cannot be written, or where a run would read it as one of
    the files of the `data`, there is neither schema nor line. Raises Problems as `write` does.
    """
    from evaluators.runs.store import check_written
    from evaluators.testsets.run_files import fits

    refuse_existing([file], force=force)
    check_written([file])
    schema = Path(file).with_name(_SCHEMA)
    has_schema = schema.is_file()
    wrote_schema = not has_schema and not any(fits(schema, place, Path()) for place in data) and _write_schema(schema)
    line = f"# yaml-language-server: $schema={_SCHEMA}\n#\n" if has_schema or wrote_schema else ""
    write({file: line + text}, force=force)
    return (*([str(schema)] if wrote_schema else []), file)


def _write_schema(schema: Path) -> bool:
    """Writes the schema of suites for editors. Returns whether it was written: False where a file is in its place, or it cannot
    be written."""
    from evaluators.api.language import language_schema, schema_text
    from evaluators.model.issues import Problems

    try:
        write({str(schema): schema_text(language_schema())}, force=False)
    except Problems:
        return False
    return True
