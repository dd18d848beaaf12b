"""`python -m tests.tools.platform_pictures mlflow` and `… phoenix`: the pictures of their pages in docs/integrations, made anew.

It runs in an environment of `python -m tests.hosts --venvs FOLDER` that has playwright beside, and needs a Chromium. The table goes to a
real server, whose pages have to show the figures of `evaluators run`. Pictures depend on the fonts of a machine, so no test
compares them.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.hosts.environments import ROOT
from tests.hosts.servers import mlflow_server, phoenix_server
from tests.hosts.table import Figures, figures

FOLDER: Final = ROOT / "docs" / "screenshots"
_PATIENCE: Final = 60_000


def main(platform: str) -> None:
    """Writes the pictures of a platform."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        (place / "server").mkdir()
        if platform == "mlflow":
            with mlflow_server(place / "server") as address:
                os.environ["MLFLOW_TRACKING_URI"] = address
                _in_a_browser(_of_mlflow, figures(place, "--track", "mlflow", "--trace-rows", "100"))
        else:
            with phoenix_server(place / "server") as address:
                os.environ["PHOENIX_COLLECTOR_ENDPOINT"] = address
                _in_a_browser(_of_phoenix, figures(place, "--track", "phoenix"))


def _in_a_browser(draw: Any, ours: Figures) -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("there is no Chromium on this machine")
    (link,) = json.loads((ours.folder / "links.json").read_text(encoding="utf-8"))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        draw(browser, ours, link["url"])
        browser.close()


def _of_mlflow(browser: Any, ours: Figures, address: str) -> None:
    page = _page(browser, address, 1280, 1000)
    page.get_by_text("Show more").click(timeout=_PATIENCE)
    _close_assistant(page)
    _check(page, ours)
    _save(page, "mlflow-run")
    traces = _page(browser, f"{address.partition('/runs/')[0]}/traces", 1900, 640)
    traces.get_by_text("Got it").click(timeout=_PATIENCE)
    _close_assistant(traces)
    traces.get_by_text("I could not find an invoice.").first.wait_for(timeout=_PATIENCE)
    _save(traces, "mlflow-traces")


def _close_assistant(page: Any) -> None:
    close = page.locator("button:has(svg)").filter(has=page.locator("xpath=.")).locator("visible=true")
    for place in range(close.count() - 1, -1, -1):
        box = close.nth(place).bounding_box()
        if box is not None and box["y"] < 80 and box["x"] > page.viewport_size["width"] - 60:
            close.nth(place).click()
            return


def _of_phoenix(browser: Any, ours: Figures, address: str) -> None:
    page = _page(browser, address, 1280, 1000)
    page.get_by_text("reference output").first.wait_for(timeout=_PATIENCE)
    _save(page, "phoenix-experiment")
    listed = _page(browser, f"{address.partition('/compare')[0]}/experiments", 2600, 620)
    listed.get_by_text("error rate").first.wait_for(timeout=_PATIENCE)
    said = listed.inner_text("body")
    for name in ours.evaluators:
        shown = f"{int(ours.metrics[f'{name}/mean'] * 100) / 100:.2f}"
        assert shown in said, f"{name}: {shown} is not on the page"
    _save(listed, "phoenix-experiments")


def _page(browser: Any, address: str, width: int, height: int) -> Any:
    """The page of an address, once its texts are there. MLflow's pages never stop asking their server."""
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="light",
        reduced_motion="reduce",
        device_scale_factor=0.75,
    )
    page.goto(address, wait_until="domcontentloaded")
    page.wait_for_function("document.body.innerText.length > 400", timeout=_PATIENCE)
    return page


def _check(page: Any, ours: Figures) -> None:
    said = page.inner_text("body")
    for name in ours.evaluators:
        mean = f"{ours.metrics[f'{name}/mean']:.4f}"
        assert mean in said, f"{name}: {mean} is not on the page"


def _save(page: Any, name: str) -> None:
    page.wait_for_timeout(1500)  # what is drawn moves a little at first
    page.screenshot(path=FOLDER / f"{name}.png")
    page.close()


if __name__ == "__main__":
    main(sys.argv[1])
