"""How a command ends when something went wrong: what is printed, and the exit code."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from evaluators.cli._printing import tell
from evaluators.issues import Blame, Issue, Problems
from evaluators.run.exit_code import BUG, CONFIG, INTERRUPTED, Facts, exit_code
from evaluators.run.write_errors import reason
from evaluators.settings import BadSettings


def ending(error: BaseException, with_traceback: bool) -> int:
    """Print what happened to standard error. Returns the exit code."""
    if with_traceback:
        traceback.print_exception(error)
    if _interrupted(error):
        tell("Interrupted.")
        return INTERRUPTED
    if isinstance(error, Problems):
        print_problems(error.issues)
        return code_of(error.issues)
    if isinstance(error, BadSettings):
        refused_settings = [Issue(one.code, Blame.CONFIG, one.message, hint=one.hint) for one in error.details]
        print_problems(refused_settings)
        return code_of(refused_settings)
    if isinstance(error, OSError):
        refused = _refused(error)
        print_problems([refused])
        return code_of([refused])
    tell(_bug_text(error))
    return BUG


def _interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is behind it. While a class is made, Python puts an error of its own in front of that."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _refused(error: OSError) -> Issue:
    """The system would not give or take a file: neither the suite nor the program is to blame."""
    named = str(error.filename) if error.filename is not None else None
    what = "the file" if named else "a file"
    return Issue("refused", Blame.ENVIRONMENT, f"{what} cannot be read or written: {reason(error)}", named)


def print_problems(issues: Sequence[Issue]) -> None:
    """Print every problem with its place, excerpt and hint, in order, and how many there are."""
    from evaluators.reports.display import visible

    for issue in issues:
        tell("\n".join(visible(line) for line in str(issue).splitlines()))
    tell(f"{len(issues):,} problem{'' if len(issues) == 1 else 's'} found.")


def code_of(issues: Sequence[Issue]) -> int:
    """The exit code for problems that keep a command from doing its work."""
    return exit_code(Facts(issues=tuple(issues))) or CONFIG


def _bug_text(error: BaseException) -> str:
    said = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
    return (
        f"This is a bug in evaluators, not in your files: {what}\n"
        "  hint: run the same command with --traceback, and send what it prints to the authors"
    )
