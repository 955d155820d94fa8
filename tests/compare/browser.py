# SPDX-License-Identifier: MIT
"""Pages in a real browser, for tests: Debian's chromium, chromium-driver and python3-selenium.

Without them a test is skipped; POSEMILL_REQUIRE_BROWSER=1 makes that a failure.
"""
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path


def skip(reason):
    print(f"not tested: {reason}")
    sys.exit(1 if os.environ.get("POSEMILL_REQUIRE_BROWSER") == "1" else 77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
except ImportError as missing:
    skip(f"{missing}; install python3-selenium")

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    skip("chromium or chromedriver is missing; install chromium and chromium-driver")


def start_browser():
    options = Options()
    options.binary_location = CHROMIUM
    words = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"]
    if os.geteuid() == 0:
        words.append("--no-sandbox")
    for word in words + ["--disable-dev-shm-usage"]:
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    # The limit of the whole test is the only one: a busy machine may be slow.
    browser.set_script_timeout(3600)
    return browser


class Case(unittest.TestCase):
    """Pages in a folder of the test. Pictures are left in the folder `shots`."""

    shots = None

    @classmethod
    def setUpClass(cls):
        cls.shots.mkdir(parents=True, exist_ok=True)
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = Path(cls.holder.name)
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.size(1280, 800)
        self.media()
        self.command("Emulation.setScriptExecutionDisabled", value=False)

    def command(self, name, **values):
        self.browser.execute_cdp_cmd(name, values)

    def size(self, width, height):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=False)

    def media(self, kind="", scheme="light"):
        self.command("Emulation.setEmulatedMedia", media=kind,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, name="page.html", words=""):
        """Opens a page. It must say nothing and request nothing but itself."""
        self.browser.get("about:blank")
        for kind in ("browser", "performance"):
            self.browser.get_log(kind)
        self.browser.get((self.folder / name).as_uri() + words)
        self.settle()

    def settle(self):
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));")

    def tick(self, milliseconds):
        """From here on, each picture of the page is that much later than the one before, whatever the clock says."""
        self.ask("""
            const next = window.requestAnimationFrame.bind(window), step = arguments[0];
            let now = 0, picture = -1;
            window.requestAnimationFrame = (draw) => next((time) => {
                if (time !== picture) now += step; // all that is drawn for one picture has its time
                picture = time;
                draw(now);
            });""", milliseconds)

    def until(self, condition):
        """Waits for the picture with which an expression of the page is true."""
        self.browser.execute_async_script(f"""
            const done = arguments[0];
            const look = () => ({condition}) ? done() : requestAnimationFrame(look);
            look();""")

    def quiet(self, name="page.html"):
        self.assertEqual(self.browser.get_log("browser"), [])
        page = (self.folder / name).as_uri()
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"].split("#")[0]
                self.assertTrue(url == page or url.startswith("data:"), url)

    def ask(self, script, *values):
        return self.browser.execute_script(script, *values)

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()
        self.settle()

    def shot(self, name):
        self.browser.save_screenshot(str(self.shots / f"{name}.png"))
