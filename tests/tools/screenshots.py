"""`python -m tests.tools.screenshots`: the pictures of the report and of the studio in docs, made anew from the gallery.

Needs a Chromium and playwright. Pictures depend on the fonts of a machine, so no test compares them.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any, Final, NamedTuple

from evaluators.api.execute import finish
from evaluators.api.loading import load
from tests.gallery import GALLERY
from tests.studio.serving import SECRET, serving

FOLDER: Final = Path(__file__).parents[2] / "docs" / "screenshots"


class Picture(NamedTuple):
    """One picture: a gallery suite, the address in its report, and how it is looked at."""

    name: str
    suite: str
    fragment: str
    width: int
    height: int
    dark: bool = False
    part: str | None = None
    """What is scrolled to."""


PICTURES: Final = (
    Picture("report", "comparing_models", "", 1100, 760),
    Picture("report-fields", "invoice_extraction", "", 1100, 560, part="#section-fields"),
    Picture("report-labels", "classification", "", 1100, 620, part="#section-labels-1"),
    Picture("report-rows", "invoice_extraction", "result=wrong&sort=-wrong", 1100, 640, part="#section-rows"),
    Picture("report-row", "invoice_extraction", "row=4", 1100, 760, dark=True),
)


def main() -> None:
    """Writes every picture."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("there is no Chromium on this machine")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture in PICTURES:
            page = browser.new_page(
                viewport={"width": picture.width, "height": picture.height},
                color_scheme="dark" if picture.dark else "light",
                reduced_motion="reduce",
            )
            page.goto(f"{report_of(picture.suite, Path(temporary)).as_uri()}#{picture.fragment}")
            page.wait_for_selector("[data-ready]")
            if picture.part is not None:
                page.evaluate(f"document.querySelector('{picture.part}').scrollIntoView()")
            page.screenshot(path=FOLDER / f"{picture.name}.png")
            page.close()
        show_studio(browser, Path(temporary))
        browser.close()


def show_studio(browser: Any, temporary: Path) -> None:
    """The pictures of a studio: data without a suite, a suite after a change that made a row wrong, and two runs compared."""
    folder = temporary / "studio"
    shutil.copytree(GALLERY / "invoice_extraction", folder)
    with chdir(folder):
        with serving(folder, "rows.csv") as studio:
            page = _studio_page(browser, studio.address, 620)
            page.get_by_label("Role of model_output").wait_for()
            page.evaluate("document.querySelector('.data-shown').scrollIntoView()")
            page.screenshot(path=FOLDER / "studio-data.png")
            page.close()
        load("suite.yaml").run(results="runs")
        with serving(folder, "suite.yaml") as studio:
            page = _studio_page(browser, studio.address, 1000)
            page.get_by_text("16 rows scored").first.wait_for()
            page.get_by_label("How issued_on is compared").select_option("exact")
            page.get_by_text("became wrong").first.wait_for()
            page.get_by_label("How issued_on is compared").scroll_into_view_if_needed()
            page.screenshot(path=FOLDER / "studio.png")
            page.get_by_role("button", name="Runs", exact=True).click()
            page.get_by_role("button", name="Run all rows").click()
            page.locator(".run-list tbody tr").nth(1).wait_for()
            for box in page.locator(".run-list input").all():
                box.check()
            page.get_by_role("button", name="Compare the two").click()
            page.get_by_role("button", name="Compare what both have in common").click()
            page.locator("article.compared").first.evaluate("one => one.scrollIntoView({ block: 'end' })")
            page.screenshot(path=FOLDER / "studio-compared.png")
            page.close()


def _studio_page(browser: Any, address: str, height: int) -> Any:
    page = browser.new_page(viewport={"width": 1200, "height": height}, reduced_motion="reduce")
    page.goto(f"{address}/#token={SECRET}")
    page.wait_for_selector("[data-ready]")
    return page


def report_of(suite: str, folder: Path) -> Path:
    """The report of a gallery suite."""
    report = folder / f"{suite}.html"
    finish(load(GALLERY / suite / "suite.yaml"), files=(report,))
    return report


if __name__ == "__main__":
    main()
