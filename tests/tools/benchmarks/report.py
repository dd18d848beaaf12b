"""`python -m tests.tools.benchmarks.report [ROWS …]`: how large the HTML report is, and how soon a browser shows it.

Sizes are of the file; "making" is the time of a run with the report against the same run without it, both with a run folder;
the page is opened from disk in Chromium. Needs a Chromium and playwright. Run by hand, like all benchmarks.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.api.run_options import RunOptions
from tests.tools.benchmarks import rows, suites

ROWS = (1_000, 10_000, 200_000)
OPENED = 3
"""How often a page is opened; the least time counts."""


class Shown(NamedTuple):
    """Milliseconds until the page is ready, sorted and filtered, and the memory of its script in MB."""

    ready: float
    sort: float
    filter: float
    memory: float


def main() -> None:
    """Prints one line per number of rows."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks.report")
    parser.add_argument("rows", nargs="*", type=int, default=ROWS)
    given = parser.parse_args()
    print("rows     file MB  of input  making   ready ms  sort ms  filter ms  memory MB")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for count in given.rows:
            print(line(folder, count), flush=True)


def line(folder: Path, count: int) -> str:
    """One measurement."""
    source = rows.write(folder, count, ("csv",))["csv"]
    suite = load(suites.write(folder)["five"])
    report = folder / "report.html"
    plain = RunOptions(results=folder / "runs", name="x", force=True)
    finish(suite, str(source), **plain)
    without = timed(lambda: finish(suite, str(source), **plain))
    making = timed(lambda: finish(suite, str(source), files=(report,), **plain))
    size, shown = report.stat().st_size, in_browser(report)
    return (
        f"{count:<8} {size / 1e6:>7.2f}  {size / source.stat().st_size:>8.2f}  {making / without:>5.1f} ×  "
        f"{shown.ready:>8.0f}  {shown.sort:>7.0f}  {shown.filter:>9.0f}  {shown.memory:>9.0f}"
    )


def timed(act: Callable[[], object]) -> float:
    """The seconds that something takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def in_browser(report: Path) -> Shown:
    """The report opened, sorted and filtered. Raises RuntimeError without a Chromium."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise RuntimeError("there is no Chromium on this machine")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        ready = min(timed(lambda: opened(page, report)) for _ in range(OPENED))
        sort = timed(lambda: chosen(page, "sort=-wrong", "[aria-sort=descending]"))
        found = timed(lambda: chosen(page, "result=failed", ".clear"))
        memory = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
        browser.close()
    return Shown(1e3 * ready, 1e3 * sort, 1e3 * found, memory)


def opened(page: Any, report: Path) -> None:
    """Opens the report and waits until everything is there."""
    page.goto(report.as_uri())
    page.wait_for_selector("[data-ready]", timeout=60_000)


def chosen(page: Any, fragment: str, mark: str) -> None:
    """Chooses rows through the address and waits for the sign that it happened."""
    page.evaluate(f"location.hash = '{fragment}'")
    page.wait_for_selector(mark)


if __name__ == "__main__":
    main()
