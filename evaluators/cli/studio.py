"""Make, try and watch a suite in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from evaluators.cli._completion import suites
from evaluators.cli._printing import print_out


@click.command("studio")
@click.argument("opened", required=False, metavar="[DATA | SUITE | FOLDER]", type=click.Path(), shell_complete=suites)
@click.option("--no-open", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--port",
    default=0,
    type=click.IntRange(0, 65535),
    metavar="N",
    help="The port to listen on.  [default: any free one]",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
    help="The address to listen on. Only this machine reaches the usual one.",
)  # fmt: skip
@click.option(
    "--allow-host", "allowed", multiple=True, metavar="NAME",
    help="A further host name that requests may be addressed to. Can be given several times.",
)  # fmt: skip
def command(opened: str | None, no_open: bool, port: int, host: str, allowed: tuple[str, ...]) -> None:
    """Make a suite in the browser, while you see what it says of your rows.

    DATA is a file with rows, or a folder of documents with their expected answers, for which a first suite is proposed; SUITE is a suite;
    of a FOLDER, or without anything of the folder in which the command stands, you choose a file on the page. Nothing outside of that
    folder is read or written.

    The address is printed and opened in the browser. It holds a token: whoever has it can read the files of the folder, score rows, and
    save suites. From another machine: `ssh -L 8400:127.0.0.1:8400 HOST evaluators studio --port 8400`, and then the address that it
    prints. It goes on until it is interrupted.
    """
    import os
    import secrets
    import tempfile
    from contextlib import ExitStack, closing

    from evaluators.integrations.harnesses._host_rows import needs
    from evaluators.integrations.harnesses._web import LOCAL, run_server

    with needs("studio", extra="studio"):
        import starlette  # noqa: F401  # is it there? without it, one sentence says what to install
    from evaluators.studio.app import studio_app
    from evaluators.studio.studio import Studio

    folder, file = folder_and_file(opened)
    token = secrets.token_urlsafe(24)
    with ExitStack() as stack:
        stack.callback(os.chdir, Path.cwd())
        os.chdir(folder)  # what a suite does not say is relative to where a command stands
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="evaluators-studio-"))
        stack.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = scratch
        studio = stack.enter_context(closing(Studio(folder, file, Path(scratch))))

        def ready(address: str) -> None:
            """Prints the address with the token that lets a browser in, and opens it unless `--no-open` is given."""
            whole = f"{address}/#token={token}"
            print_out(f"{whole}\n")
            if not no_open:
                open_browser(whole)

        app = studio_app(studio, token, (*LOCAL, host, *allowed))
        run_server(app, host, port, ready, extra="studio", start=lambda: None, close=lambda: None)


def folder_and_file(opened: str | None) -> tuple[Path, str]:
    """The folder that may be read and written, and the file that was named in it, as a relative path, empty where none was.

    The folder is the one that was named, else the current one, unless the file lies outside of it. Raises Problems where nothing is there.
    """
    here = Path.cwd()
    if opened is None:
        return here, ""
    named = Path(opened).resolve()
    if named.is_dir() and not _holds_documents(named):
        return named, ""
    if not named.exists():
        from evaluators.model.issues import problem

        raise problem("no-file", "there is no such file or folder", where=opened)
    folder = here if named.is_relative_to(here) and named != here else named.parent
    return folder, named.relative_to(folder).as_posix()


def _holds_documents(folder: Path) -> bool:
    """Whether a folder is data itself: it holds expected documents and outputs, and no suite."""
    from evaluators.guide.places import json_documents
    from evaluators.model.issues import Problems
    from evaluators.studio.folder import SUITES

    if any(file.suffix.lower() in SUITES for file in folder.iterdir()):
        return False
    try:
        return json_documents(str(folder), expected=None, output=None).output is not None
    except Problems:
        return False


def open_browser(address: str) -> None:
    """Opens an address in the browser; does nothing over SSH and without a screen."""
    import os
    import sys
    import webbrowser

    screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if screen and not os.environ.get("SSH_CONNECTION"):
        webbrowser.open(address)
