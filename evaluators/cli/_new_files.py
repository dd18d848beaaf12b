"""Files that a command writes: all of them or none, and never over others unless that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_SCHEMA: Final = "suite.schema.json"


def refuse_taken(files: Iterable[str], *, force: bool, hint: str = "--force replaces it") -> None:
    """Raises Problems (config) for files that are there already, unless `force` is asked for."""
    taken = [name for name in files if Path(name).resolve().exists()]
    if taken and not force:
        from evaluators.model.issues import Blame, Issue, Problems

        message = "there is such a file already, and nothing has been written"
        raise Problems(Issue("file-exists", Blame.CONFIG, message, name, hint) for name in taken)


def write(files: Mapping[str, str], *, force: bool, hint: str = "--force replaces it") -> None:
    """Write every file, folders on the way included.

    Raises Problems (config) when one is there already and `force` is not asked for, and for one that the command reads, forced or not;
    (environment) when the system does not take one.
    """
    from evaluators.runs.store import check_written, write_text

    refuse_taken(files, force=force, hint=hint)
    check_written(files)
    for name, text in files.items():
        write_text(Path(name), text)


def write_suite(file: str, text: str, *, data: Iterable[str] = (), force: bool) -> tuple[str, ...]:
    """Write a suite, and the schema of the language beside it, where there is none. Gives the files that were written.

    The first line of the suite names the schema, for editors. Where it cannot be written, or where a run would read it as one of
    the files of the `data`, there is no such line.
    """
    from evaluators.runs.store import check_written
    from evaluators.testsets.run_files import fits

    refuse_taken([file], force=force)
    check_written([file])
    schema = Path(file).with_name(_SCHEMA)
    there = schema.is_file()
    new = not there and not any(fits(schema, place, Path()) for place in data) and _write_schema(schema)
    line = f"# yaml-language-server: $schema={_SCHEMA}\n#\n" if there or new else ""
    write({file: line + text}, force=force)
    return (*([str(schema)] if new else []), file)


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
