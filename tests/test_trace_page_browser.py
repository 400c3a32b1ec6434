"""A trace as one page, in a real browser: every fact leads to its source by a click, with no script and no network.

The page is made by the programs themselves (`run_team.py --standin`, then `show_trace.py --html`) and opened as a
file in headless Chromium with JavaScript switched off. What the page says is judged in test_trace_page.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

selenium = pytest.importorskip("selenium", reason="selenium is not installed: pip install -r tests/requirements.txt")

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("agentkit", "agents", "devtools", "engine", "static", "train", "web")
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,900",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)

pytestmark = pytest.mark.loopback  # the browser's driver is spoken to over it


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "MISTAKE_RATE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a real run: two players, one opening, a stand-in that invents a number in each first answer."""
    folder = tmp_path_factory.mktemp("project")
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    for door in ("run_team.py", "show_trace.py", "ratings.py"):
        shutil.copy(ROOT / door, folder / door)
    said = run(folder, "run_team.py", "--players", "easy", "medium", "--standin", "--unattended")
    trace = re.search(r"^Trace: (\S+)$", said, re.MULTILINE)
    assert trace is not None, said
    run(folder, "show_trace.py", trace[1], "--html", "page.html")
    return folder / "page.html"


@pytest.fixture(scope="module")
def browser(page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Headless Chromium with JavaScript off, showing the page."""
    program, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("Chromium and its driver are not installed: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    if os.name == "posix" and os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options, webdriver.ChromeService(executable_path=driver))
    try:
        chrome.get(page.as_uri())
        yield chrome
    finally:
        chrome.quit()


def links(browser: webdriver.Chrome) -> list[WebElement]:
    """The links from a fact to its source."""
    return browser.find_elements(By.CSS_SELECTOR, 'a[href^="#"], a[href*=".html#"]')


def numbers(browser: webdriver.Chrome) -> list[WebElement]:
    """Those links whose fact is a number."""
    found = [link for link in links(browser) if re.fullmatch(r"\d+(\.\d+)?", link.text)]
    assert found, "no number of the page is a link"
    return found


def target_of(browser: webdriver.Chrome, link: WebElement) -> WebElement:
    fragment = str(link.get_attribute("href")).partition("#")[2]
    return browser.find_element(By.ID, fragment)


def in_view(browser: webdriver.Chrome, element: WebElement) -> bool:
    script = "const r = arguments[0].getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight;"
    return bool(browser.execute_script(script, element))


def test_every_link_of_the_page_has_its_target(browser):
    assert links(browser)
    for link in links(browser):
        assert target_of(browser, link) is not None


def test_a_click_on_a_fact_brings_its_source_into_view(browser):
    facts = numbers(browser)
    for fact in (facts[0], facts[len(facts) // 2], facts[-1]):
        target = target_of(browser, fact)
        before = target.value_of_css_property("outline-style")
        fact.click()
        assert browser.current_url.endswith("#" + str(target.get_attribute("id")))
        assert target.is_displayed() and in_view(browser, target)
        assert target.value_of_css_property("outline-style") != before  # and it is marked


def test_the_source_of_a_number_shows_that_number(browser):
    wrong = [fact.text for fact in numbers(browser) if fact.text not in target_of(browser, fact).text]
    assert wrong == []


def test_an_invented_number_stands_out_and_leads_nowhere(browser):
    invented = browser.find_elements(By.CSS_SELECTOR, ".unsupported")
    assert invented and all(re.fullmatch(r"\d{4}", mark.text) for mark in invented)
    for mark in invented:
        around = mark.find_element(By.XPATH, "..")
        assert mark.value_of_css_property("color") != around.value_of_css_property("color")
        assert mark.find_elements(By.XPATH, "ancestor::a") == []


def test_the_page_asks_no_server_for_anything(browser, page):
    requests = [entry["message"] for entry in browser.get_log("performance")]
    asked = set(re.findall(r'"requestWillBeSent".*?"url":"([^"]+)"', "\n".join(requests)))
    assert {url for url in asked if not url.startswith(("file:", "data:"))} == set()
    assert browser.get_log("browser") == []


def test_the_page_fits_a_narrow_window_without_scrolling_sideways(browser):
    browser.set_window_size(420, 800)
    wide = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
    browser.set_window_size(1200, 900)
    assert wide <= 0


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
