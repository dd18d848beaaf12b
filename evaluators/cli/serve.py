"""A suite as a small web service that scores one row at a time."""

from __future__ import annotations

from pathlib import Path

import click

from evaluators.cli._completion import suites


@click.command("serve")
@click.argument("suites", nargs=-1, required=True, type=click.Path(), shell_complete=suites)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="The port to listen on.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
    help="The address to listen on. Only this machine reaches the usual one.",
)  # fmt: skip
@click.option(
    "--allow-host", "allowed", multiple=True, metavar="NAME",
    help="A further host name that requests may be addressed to. Can be given several times.",
)  # fmt: skip
@click.option(
    "--max-bytes",
    default=4 * 1024 * 1024,
    show_default=True,
    type=click.IntRange(1),
    help="The longest request in bytes.",
)
def command(suites: tuple[str, ...], port: int, host: str, allowed: tuple[str, ...], max_bytes: int) -> None:
    """Answer webhooks: score rows that other programs send.

    POST /score takes {"inputs": {...}, "output": ...} and gives {"score": ..., "success": ..., and every evaluator and field}.
    With several SUITES it is POST /score/NAME, by the names of the suites. It goes on until it is interrupted.

    There is no password. Whoever reaches the port can have rows scored, and nothing else.
    """
    from evaluators.api.loading import load
    from evaluators.cli._printing import say
    from evaluators.harnesses.serve import LOCAL, ScoreApp, run_server
    from evaluators.issues import problem

    loaded = {}
    for path in suites:
        suite = load(Path(path))
        if suite.name in loaded:
            raise problem(
                "same-name", f'two suites are called "{suite.name}"', where=path, hint="`name:` gives it another"
            )
        loaded[suite.name] = suite
    app = ScoreApp(loaded, hosts=(*LOCAL, host, *allowed), max_bytes=max_bytes)
    run_server(app, host, port, lambda address: say(f"{address}/score\n"))
