"""The command `evaluators`, which is also `python -m evaluators`."""

from __future__ import annotations

from evaluators.cli import PROGRAM, command


def main() -> None:
    """Run the command line. Ends the process with the exit code."""
    command.main(prog_name=PROGRAM)


if __name__ == "__main__":
    main()
