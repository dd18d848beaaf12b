"""The second tier of tests: `python -m tests.hosts [NAME …]`.

Each environment gets a virtual environment of its own, this package with the extras that it names, and the pinned packages of
its host. Then pytest runs on its folder, in a network of its own where the machine allows it. A table at the end says what was
run with what, and what was not run. The exit code is 1 when a test failed, or an environment that is required was not run.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.hosts.environments import REQUIRED, ROOT, RUNNING, Environment, environments, required

TOOLS: Final = ("pytest>=8.3", "hypothesis>=6.122", "pytest-randomly>=3.16")
PRIVATE: Final = ("unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$0" "$@"')
"""What runs a command in a network of its own, where there is nothing but the machine itself."""
QUIET: Final = {
    "MLFLOW_DISABLE_TELEMETRY": "true", "PHOENIX_TELEMETRY_ENABLED": "false", "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "DVC_NO_ANALYTICS": "1",
    "HF_HUB_OFFLINE": "1", "WANDB_ERROR_REPORTING": "false", "OPIK_SENTRY_ENABLE": "false",
    "OPIK_ANALYTICS_ENABLE": "false", "LITELLM_TELEMETRY": "False", "DO_NOT_TRACK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
}  # fmt: skip
"""Nothing that a test starts reports home."""
_COUNTS: Final = re.compile(r"(\d+) (passed|failed|skipped|errors?)")


@dataclass(slots=True)
class Outcome:
    """What became of an environment."""

    name: str
    versions: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    said: str = ""
    """Why it was not run, or how it ended where that was not as it should be."""
    bad: bool = False


def main(words: Sequence[str] | None = None) -> int:
    """Runs environments and prints the table. Gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.hosts", description="The second tier of tests.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="an environment; all of them without one")
    parser.add_argument("--venvs", type=Path, metavar="FOLDER", help="keep virtual environments here, and use them again")
    parser.add_argument("--minutes", type=float, metavar="N", help="start no environment whose time is not left of these")
    parser.add_argument("--list", action="store_true", help="say which environments there are, and run nothing")
    parser.add_argument("-k", dest="expression", metavar="EXPRESSION", help="run only the tests that pytest selects so")
    asked = parser.parse_args(words)
    every = environments()
    unknown = [name for name in (*asked.names, *sorted(required())) if name not in every]
    if unknown:
        parser.error(f"no such environment: {', '.join(unknown)}; there are {', '.join(every)}")
    chosen = [every[name] for name in asked.names or every]
    if asked.list:
        for one in chosen:
            print(
                f"{one.name:16} {one.seconds:4} s  {', '.join(f'{name} {version}' for name, version in one.pinned.items())}"
            )
        return 0
    ends = time.monotonic() + asked.minutes * 60 if asked.minutes is not None else None
    with tempfile.TemporaryDirectory(prefix="hosts-", ignore_cleanup_errors=True) as temporary:
        folder = asked.venvs or Path(temporary)
        found = [_outcome(one, folder, ends, asked.expression) for one in chosen]
    print(_table(found), flush=True)
    return int(any(one.bad for one in found))


def _outcome(environment: Environment, folder: Path, ends: float | None, expression: str | None) -> Outcome:
    print(f"\n== {environment.name}", flush=True)
    found = Outcome(environment.name, ", ".join(f"{name} {version}" for name, version in environment.pinned.items()))
    left = float("inf") if ends is None else ends - time.monotonic()
    if left < environment.seconds:
        return _not_run(found, f"it may take {environment.seconds} s, and {max(0, left):.0f} s are left")
    private = _private_network()
    if environment.private_network and not private:
        return _not_run(found, "this machine gives it no network of its own (unshare -rn)")
    started = time.monotonic()
    try:
        python = _installed(environment, folder.resolve())
    except subprocess.TimeoutExpired:
        return _not_run(found, f"it could not be installed in {_share(environment):.0f} s")
    except subprocess.SubprocessError as error:
        return _not_run(found, f"it could not be installed: {error}")
    _test(environment, python, private, environment.seconds - (time.monotonic() - started), expression, found)
    found.seconds = time.monotonic() - started
    return found


def _not_run(found: Outcome, why: str) -> Outcome:
    found.said, found.bad = f"NOT RUN: {why}", found.name in required()
    print(found.said, flush=True)
    return found


def _installed(environment: Environment, folder: Path) -> Path:
    """The Python of the environment, made where it is not there yet. Raises SubprocessError."""
    wanted, alone = [*TOOLS, *environment.requirements], environment.alone
    stamp = hashlib.sha256("\n".join([*wanted, *alone, environment.extras, sys.version]).encode()).hexdigest()[:12]
    place = folder / f"{environment.name}-{stamp}"
    python, done = place / "bin" / "python", place / "complete"
    if not done.is_file():
        shutil.rmtree(place, ignore_errors=True)
        until = time.monotonic() + _share(environment)
        patience = ["--retries", "2", "--timeout", "30"]
        _run([sys.executable, "-m", "venv", str(place)], until)
        _run([str(python), "-m", "pip", "install", "-qq", *patience, "-e", f"{ROOT}{environment.extras}", *wanted], until)
        if alone:
            _run([str(python), "-m", "pip", "install", "-qq", *patience, "--no-deps", *alone], until)
    elif done.read_text() != str(ROOT):  # kept from another copy, which may be gone
        until = time.monotonic() + _share(environment)
        _run([str(python), "-m", "pip", "install", "-qq", "--no-deps", "-e", str(ROOT)], until)
    done.write_text(str(ROOT))
    return python


def _share(environment: Environment) -> float:
    """How many seconds of its time an environment may take to install: the rest is for its tests."""
    return 0.6 * environment.seconds


def _run(command: Sequence[str], until: float) -> None:
    """Runs a command, and ends it with all that it started where it takes too long. Raises SubprocessError."""
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as process:
        try:
            code = process.wait(max(1.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if code != 0:
        raise subprocess.CalledProcessError(code, command)


def _private_network() -> bool:
    try:
        subprocess.run([*PRIVATE, "true"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _test(
    environment: Environment, python: Path, private: bool, seconds: float, expression: str | None, found: Outcome
) -> None:
    place = environment.folder.relative_to(ROOT)
    # one process: these environments have nothing that spreads tests over several
    options = ["-o", "addopts=-q --import-mode=importlib --strict-markers --strict-config"]
    command = [str(python), "-m", "pytest", *options, "-rsfE", "-W", "default", "--disable-warnings", str(place)]
    command += ["-k", expression] if expression else []
    if private:
        command = [*PRIVATE, *command]
    else:
        print("without a network of its own: this machine does not give it one", flush=True)
    variables = {**os.environ, **QUIET, RUNNING: environment.name}
    with subprocess.Popen(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=max(1.0, seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            found.said = f"STOPPED: it took longer than {environment.seconds} s, which this machine may be to blame for"
    print(said, end="", flush=True)
    if found.said:
        print(found.said, flush=True)
        found.bad = found.name in required()
    counts = {word.removesuffix("s"): int(count) for count, word in _COUNTS.findall(said.rstrip().rpartition("\n")[2])}
    found.passed, found.skipped = counts.get("passed", 0), counts.get("skipped", 0)
    found.failed = counts.get("failed", 0) + counts.get("error", 0)
    if process.returncode != 0 and not found.said:
        found.said, found.bad = f"FAILED: pytest ended with {process.returncode}", True
    if not found.said and found.name in required() and (found.skipped or not found.passed):
        found.said, found.bad = f"FAILED: {REQUIRED} names it, and something was skipped", True


def _table(found: Sequence[Outcome]) -> str:
    width = max(11, *(len(one.name) for one in found))
    head = f"{'environment':{width}}  passed  failed  skipped  seconds  versions"
    lines = [
        f"{one.name:{width}}  {one.passed:6}  {one.failed:6}  {one.skipped:7}  {one.seconds:7.0f}  {one.versions}"
        + (f"\n{'':{width}}  {one.said}" if one.said else "")
        for one in found
    ]
    return "\n".join(["", head, *lines])


if __name__ == "__main__":
    sys.exit(main())
