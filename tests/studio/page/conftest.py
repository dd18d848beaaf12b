"""The studio in a real browser: the command is started, and its page is opened."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Tabs
from tests.browser import browser as browser
from tests.browser import tabs as tabs
from tests.gallery import GALLERY
from tests.waiting import PATIENCE

Start = Callable[..., str]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the studio for a file, as a user does, and gives the address that it prints: `start(folder, "suite.yaml")`."""
    started: list[subprocess.Popen[str]] = []

    def start_(folder: Path, opened: str = "") -> str:
        words = ["studio", *([opened] if opened else []), "--no-open", "--port", "0"]
        command = [sys.executable, "-m", "evaluators", *words]
        running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        started.append(running)
        assert running.stdout is not None
        return next(line.strip() for line in running.stdout if line.startswith("http"))

    yield start_
    for running in started:
        running.terminate()
        running.wait(timeout=PATIENCE)
        running.stdout.close() if running.stdout else None


FOCUSED = """() => {
  let node = document.activeElement;
  while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  const name = node.getAttribute("aria-label") || (node.closest("[role=rowheader]") ? "row" : node.textContent.trim());
  return { name, row: node.closest("[data-row]")?.dataset.row ?? "" };
}"""
"""The name of what has the focus; cells that name a row are all called so."""


class Tab:
    """A page of the studio in a tab, and what went wrong in it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self._note(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(address)
        page.wait_for_selector("[data-ready]")

    def _note(self, text: str) -> None:
        if "409 (Conflict)" not in text:  # a score that a later one of the same page has overtaken
            self.complaints.append(text)

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text()).strip()

    def go(self, page: str) -> None:
        self.page.get_by_role("navigation").get_by_role("button", name=page).click()

    def wait_for(self, selector: str, text: str) -> None:
        self.page.locator(selector, has_text=text).first.wait_for()

    def focused(self) -> dict[str, str]:
        """What has the focus: its name, and its row in the table."""
        return dict(self.page.evaluate(FOCUSED))

    def tab_to(self, name: str, backwards: bool = False) -> None:
        """Presses the key that goes from control to control until one of that name has the focus."""
        for _ in range(400):
            self.page.keyboard.press("Shift+Tab" if backwards else "Tab")
            if self.focused()["name"] == name:
                return
        raise AssertionError(f"{name} is not to be reached by keyboard")

    def wait_for_value(self, label: str, value: str) -> None:
        from playwright.sync_api import expect

        expect(self.page.get_by_label(label, exact=True)).to_have_value(value)

    def yaml(self) -> str:
        """The text of the pane."""
        return "\n".join(self.page.locator(".cm-line").all_text_contents())


@pytest.fixture
def opened(tabs: Tabs) -> Callable[..., Tab]:
    """Opens an address in a tab of its own: `opened(address, dark=True, width=390)`."""
    return lambda address, **look: Tab(tabs(**look), address)


@pytest.fixture
def invoices(tmp_path: Path) -> Path:
    """A folder with the gallery's invoices, without a suite."""
    shutil.copy(GALLERY / "invoice_extraction" / "rows.csv", tmp_path / "invoices.csv")
    return tmp_path


@pytest.fixture
def invoice_suite(tmp_path: Path) -> Path:
    """A folder with the gallery's invoices and their suite."""
    for name in ("rows.csv", "suite.yaml"):
        shutil.copy(GALLERY / "invoice_extraction" / name, tmp_path / name)
    return tmp_path
