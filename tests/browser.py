"""A real browser for the pages of reports and of the studio."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from tests.waiting import PATIENCE

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
Tabs = Callable[..., Any]


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A browser for the tests of one file: while it is up, an event loop runs, and other tests start their own.

    Where the slow tests are asked for, a machine without one fails them, unless TESTS_WITHOUT_BROWSER says that this is known.
    """
    if CHROMIUM is None:
        known = request.config.getoption("markexpr") != "slow" or "TESTS_WITHOUT_BROWSER" in os.environ
        missing = pytest.skip if known else pytest.fail  # a tier that is asked for must not pass without its browser
        missing("there is no Chromium on this machine")
    with pytest.importorskip("playwright.sync_api").sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def tabs(browser: Any) -> Iterator[Tabs]:
    """Opens an empty tab, which has nothing in common with others: `tabs(dark=True, width=390)`."""
    contexts = []

    def tab(dark: bool = False, width: int = 1280) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", reduced_motion="reduce"
        )
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        return context.new_page()

    yield tab
    for context in contexts:
        context.close()
