"""The browser without a window that prints the report, and that tests look at it with: Debian's chromium and its
driver. Nothing is downloaded."""

import base64
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from mxk_host import files
from mxk_host.errors import UsageError

_BROWSER, _DRIVER = "chromium", "chromedriver"
_DRAWN_WITHIN = 60.0  # seconds, of which a busy machine needs some
_CENTIMETRES_IN_AN_INCH = 2.54
_A4 = (21.0, 29.7)  # centimetres


@contextmanager
def browser(width: int = 1280, height: int = 900, *, dark: bool = False, log: bool = False) -> Iterator[Chrome]:
    """Without a window and without network. `log`: keeps what the page asks for."""
    program, driver = shutil.which(_BROWSER), shutil.which(_DRIVER)
    if program is None or driver is None:
        raise UsageError(
            f"expected {_BROWSER} and {_DRIVER} to be installed, which print the report: run tools/setup pdf"
        )
    options = ChromeOptions()
    options.binary_location = program
    wanted = ["--headless=new", f"--window-size={width},{height}", "--hide-scrollbars", "--disable-gpu"]
    wanted += [
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
        "--proxy-server=127.0.0.1:9",
    ]
    if os.geteuid() == 0:
        wanted.append("--no-sandbox")  # chromium refuses to run as root with one
    for argument in wanted:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"} | ({"performance": "ALL"} if log else {}))
    chrome = Chrome(options=options, service=Service(executable_path=driver))
    try:
        prefer_dark(chrome, dark)
        yield chrome
    finally:
        chrome.quit()


def prefer_dark(chrome: Chrome, dark: bool) -> None:
    """What the reader's system asks pages for."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def open_page(chrome: Chrome, page: Path) -> None:
    """Loads a report, and waits until its plots are drawn."""
    chrome.get(page.resolve().as_uri())
    WebDriverWait(chrome, _DRAWN_WITHIN, poll_frequency=0.05).until(
        lambda it: it.execute_script("return document.documentElement.dataset.drawn !== undefined")
    )


def print_page(chrome: Chrome, pdf: Path) -> None:
    """As on paper: A4, light."""
    width, height = (side / _CENTIMETRES_IN_AN_INCH for side in _A4)
    settings = {"paperWidth": width, "paperHeight": height, "preferCSSPageSize": True, "printBackground": True}
    printed = chrome.execute_cdp_cmd("Page.printToPDF", settings)
    files.write_bytes(pdf, base64.b64decode(printed["data"]))
