"""A suite as a small web service that scores one row at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evaluators.cli._completion import suites
from evaluators.cli._options import REGISTER
from evaluators.cli._printing import print_out


@click.command("serve")
@click.argument("suites", nargs=-1, required=True, type=click.Path(), shell_complete=suites)
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), metavar="N", help="The port to listen on."
)
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
    metavar="N",
    help="The longest request in bytes.",
)
@click.option(
    "--token", envvar="EVALUATORS_TOKEN", metavar="TEXT",
    help="What requests must bring: `Authorization: Bearer TEXT`. Away from this machine one is needed, and is made up "
    "without this option. It is printed at the start.",
)  # fmt: skip
@click.option(
    "--body-seconds", default=10.0, show_default=True, type=click.FloatRange(0, min_open=True), metavar="SECONDS",
    help="How long a request may take to arrive.",
)  # fmt: skip
@click.option(
    "--score-seconds", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
    help="How long a request may be scored; then it is stopped and answered with 504. Without a number 30, and 300 for a suite that "
    "asks a judge.",
)  # fmt: skip
@click.option(
    "--workers", default=4, show_default=True, type=click.IntRange(1), metavar="N",
    help="How many requests are scored at once, each in a process of its own, which starts when it is needed.",
)  # fmt: skip
@REGISTER
def command(
    suites: tuple[str, ...], port: int, host: str, allowed: tuple[str, ...], token: str | None, **limits: Any
) -> None:
    """Answer webhooks: score rows that other programs send.

    POST /score takes {"inputs": {...}, "output": ...} and gives {"score": ..., "success": ..., and every evaluator and field}; many
    rows are {"rows": [...]}. With several SUITES it is POST /score/NAME, by the names of the suites. It goes on until it is
    interrupted. Requests are `Content-Type: application/json`.

    Whoever reaches the port, and has the token where there is one, can have rows scored, and nothing else. Where a suite has a judge,
    that asks its questions: its budget is for the life of the service.
    """
    import secrets

    from evaluators.api.loading import load
    from evaluators.integrations.harnesses._web import LOCAL, run_server
    from evaluators.integrations.harnesses.serve import ScoreApp
    from evaluators.model.issues import problem
    from evaluators.runs.preparing import check_judge

    loaded = {}
    for path in suites:
        suite = load(Path(path))
        if suite.name in loaded:
            raise problem(
                "same-name", f'two suites are called "{suite.name}"', where=path, hint="`name:` gives it another"
            )
        check_judge(suite)
        loaded[suite.name] = suite
    if token is None and host not in LOCAL:
        token = secrets.token_urlsafe(24)
    elif token is not None and not (token.isascii() and token.isprintable() and token.strip()):
        raise problem("bad-token", "a token is letters, digits and signs of ASCII", where="--token")
    app = ScoreApp(loaded, hosts=(*LOCAL, host, *allowed), token=token, **limits)
    more = [] if token is None else [f"token: {token}"]
    for name, suite in loaded.items():
        notices = dict.fromkeys(judge.masked(line) for judge in suite.judges.values() for line in judge.notice())
        if notices:
            notices["The budget is for the life of the service: all requests spend it, until it is started again."] = None
        more += [f"{name}: {line}" for line in notices]

    def ready(address: str) -> None:
        """Prints the address to send rows to, the token and what judges will be asked."""
        print_out("".join(f"{line}\n" for line in (f"{address}/score", *more)))

    run_server(app, host, port, ready, extra="serve", start=app.start, close=app.close)
