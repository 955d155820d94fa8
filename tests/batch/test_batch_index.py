#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The indices of `posemill resample --report` and `posemill view --out-dir` in a real browser.

usage: test_batch_index.py POSEMILL SCREENSHOTS

Requires Debian's chromium, chromium-driver and python3-selenium. Without them the test is skipped;
POSEMILL_REQUIRE_BROWSER=1 makes that a failure. Pictures are left in the folder SCREENSHOTS.
"""
import json
import subprocess
from pathlib import Path

import browser as pages
import command_case
from command_case import ARGUMENTS, POSEMILL, SEED

from selenium.webdriver.common.by import By

import motions
from motions import UPPER, np

SHOTS = Path(ARGUMENTS[0]).resolve()
MARKUP = "<img src=x onerror=document.title=1>{{rows}}"
NAMES = ["subject1/walk.bvh", "subject1/run.bvh", "subject2/jump forward.bvh", f"{MARKUP}.bvh", "Gänge \u202e走.bvh",
         "a\x1b[31m\nb.bvh", "a long name that says all about the take of the morning, the light, and the weather.bvh"]
MEASURES = ["max_degrees", "rms_degrees", None, "time_of_max", "max_distance", "rms_distance", "max_degrees_per_s",
            "rms_degrees_per_s", "jump_excess", "jump", "source_jump", None, "time_of_jump", "joints", "frames"]


def walk(random, speed):
    return motions.walk(random, 121, 60, speed, len(UPPER))


class Index(pages.Case):
    shots = SHOTS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        random = np.random.default_rng(SEED)
        for i, name in enumerate(NAMES + [f"more/{n:02}.bvh" for n in range(25)]):
            path = cls.folder / "takes" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            motions.write_bvh(path, UPPER, walk(random, float(random.uniform(0.3, 4))), 60,
                              rename=(lambda joint: "<b>" + joint) if i == 3 else lambda joint: joint)
        motions.write_amass(cls.folder / "takes/amass.npz", np.radians(walk(random, 5)[:, 3:]), 60)
        (cls.folder / "takes/bad.bvh").write_text("<i>nothing</i>")
        (cls.folder / "takes/<i>worse.bvh").write_text("HIERARCHY\nROOT \x1b[31m<script>\n")
        done = subprocess.run([POSEMILL, "resample", "takes", "--out-dir", "out", "--rate", "24", "--unit", "cm", "--device", "none",
                               "--report", "report", "--report-pages", "6"], cwd=cls.folder, capture_output=True,
                              check=False)
        assert done.returncode == 1, done.stderr
        cls.index = json.loads((cls.folder / "report/index.json").read_bytes())

    def show(self, script=True):
        self.command("Emulation.setScriptExecutionDisabled", value=not script)
        if script:
            self.open("report/index.html")
        else:
            self.browser.get((self.folder / "report/index.html").as_uri())

    def names(self):
        return self.ask("return Array.from(document.querySelectorAll('#table tbody th bdi:first-of-type'),"
                        "(e) => e.textContent)")

    def shown(self, name):
        """As the index spells a name."""
        return "".join(c if ord(c) >= 32 and c != "\u202e" else "".join(f"\\x{b:02x}" for b in c.encode())
                       for c in name)

    def column(self, number):
        """The values of a column in their order; rows without one are None."""
        return self.ask("return Array.from(document.querySelectorAll('#table tbody tr'), (row) => {"
                        "const cell = row.cells[arguments[0]];"
                        "return cell && cell.dataset.v !== undefined ? Number(cell.dataset.v) : null; })", number)

    def heading(self, number):
        return self.browser.find_element(By.CSS_SELECTOR, f"#table th[data-column='{number}']")

    def click(self, element):
        self.ask("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", element)
        element.click()

    # ---- tests -------------------------------------------------------------------------

    def test_it_has_the_numbers_and_says_nothing(self):
        self.show()
        rows = self.index["rows"]
        self.assertEqual(self.names(), [self.shown(row["name"]) for row in rows])
        for column, name in enumerate(MEASURES, 1):
            if name is None:
                continue
            scale = [row.get("unit_mm", 0) if name.endswith("distance") else 1 for row in rows]
            want = [row[name] * s if row.get(name) is not None else None for row, s in zip(rows, scale)]
            for got, value in zip(self.column(column), want):
                if value is None:
                    self.assertIsNone(got, name)
                else:
                    self.assertAlmostEqual(got, value, delta=1e-12 * abs(value), msg=name)
        verdict = self.browser.find_element(By.ID, "verdict").text
        self.assertIn("33 of 35 files compared, 2 failed", verdict)
        self.assertIn(f"{rows[0]['max_degrees']:.4g} degrees", verdict)
        above = sum(row.get("max_degrees", 0) > 1 for row in rows)
        self.assertIn(f"above 1: {above},", verdict)
        self.assertEqual(self.ask("return document.documentElement.scrollWidth"), 1280)
        self.shot("index-light-1280")
        self.quiet("report/index.html")

    def sorts(self, column, press):
        """Descending, then ascending; rows without a value are last in both."""
        orders = {}
        for _ in range(2):
            press(self.heading(column))
            self.settle()
            order = self.heading(column).get_attribute("aria-sort")
            values = self.column(column)
            known = [v for v in values if v is not None]
            self.assertEqual(values[len(known):], [None] * (len(values) - len(known)))
            self.assertEqual(known, sorted(known, reverse=order == "descending"), f"seed {SEED}")
            orders[order] = known
        self.assertEqual(set(orders), {"ascending", "descending"})
        self.assertGreater(len(set(orders["ascending"])), 1)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "th[aria-sort]")), 1)

    def test_a_click_sorts(self):
        self.show()
        for column in (1, 5, 7, 9, 10, 11, 13):
            self.sorts(column, self.click)
        self.quiet("report/index.html")

    def test_names_sort_from_a_to_z(self):
        self.show()
        self.click(self.heading(0))
        names = self.names()
        self.assertEqual(names, self.ask("return arguments[0].sort()", names))
        self.assertNotEqual(names, [self.shown(row["name"]) for row in self.index["rows"]])
        self.click(self.heading(12))
        self.assertEqual(self.names()[-2:], ["<i>worse.bvh", "bad.bvh"]) # in the order that they had
        self.quiet("report/index.html")

    def test_names_are_text(self):
        self.show()
        body = self.browser.find_element(By.TAG_NAME, "main")
        for tag in ("img", "i", "b", "script"):
            self.assertEqual(body.find_elements(By.TAG_NAME, tag), [], tag)
        self.assertIn(f"{MARKUP}.bvh", self.names())
        self.assertEqual(self.browser.title, "Report of out")
        last = self.browser.find_elements(By.CSS_SELECTOR, "td.why")
        self.assertEqual(len(last), 2)
        self.assertTrue(last[0].text.startswith("failed: takes/"), last[0].text)

    def test_links_lead_to_the_worst_moments(self):
        self.show()
        rows = self.index["rows"]
        links = self.browser.find_elements(By.CSS_SELECTOR, "#table tbody tr td:nth-of-type(4) a")
        self.assertEqual(len(links), 6)
        for column, time_key, joint_key in ((4, "time_of_max", "joint_of_max"), (13, "time_of_jump", "joint_of_jump")):
            self.show()
            self.click(self.browser.find_element(By.CSS_SELECTOR, f"#table tbody tr td:nth-of-type({column}) a"))
            self.settle()
            self.assertAlmostEqual(self.ask("return posemillPage.state.time"), rows[0][time_key], delta=1e-6)
            self.assertEqual(self.ask("return posemillPage.names[posemillPage.state.joint]"), rows[0][joint_key])
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_400_pixels_wide(self):
        self.size(400, 800)
        self.show()
        self.assertEqual(self.ask("return document.documentElement.scrollWidth"), 400)
        self.shot("index-light-400")
        self.ask("document.querySelector('#table').scrollIntoView()")
        self.ask("document.querySelector('.wide').scrollLeft = 500")
        left = self.ask("return document.querySelector('#table tbody th').getBoundingClientRect().left")
        self.assertLess(abs(left - 8), 2) # names stay beside the numbers
        self.shot("index-light-400-scrolled")
        self.quiet("report/index.html")

    def test_of_many_rows_the_first_are_shown(self):
        folder = self.folder / "many"
        joints = [("a", -1, (0.0, 0.0, 0.0)), ("b", 0, (0.0, 1.0, 0.0))]
        random = np.random.default_rng(SEED)
        folder.mkdir()
        for i in range(620):
            rows = np.hstack([np.zeros((5, 3)), random.uniform(-60, 60, (5, 6))])
            motions.write_bvh(folder / f"{i:03}.bvh", joints, rows, 30)
        (folder / "bad.bvh").write_text("nothing")
        subprocess.run([POSEMILL, "resample", "many", "--out-dir", "out-many", "--rate", "20", "--device", "none",
                        "--report", "many-report", "--report-pages", "1", "--quiet"], cwd=self.folder,
                       capture_output=True, check=False)
        name = "many-report/index.html"
        self.open(name)
        shown = ("return Array.from(document.querySelectorAll('#table tbody tr'), (row, i) => row.offsetHeight ? i : -1)"
                 ".filter((i) => i >= 0)")
        first = list(range(500))
        self.assertEqual(self.ask(shown), first + [620])
        self.assertIn("of 621 rows", self.browser.find_element(By.ID, "more").text)
        self.click(self.heading(10))
        self.assertEqual(self.ask(shown), first + [620])
        values = self.column(10)
        self.assertEqual(values[:620], sorted(values[:620], reverse=True))
        self.click(self.browser.find_element(By.ID, "all"))
        self.assertEqual(self.ask(shown), list(range(621)))
        self.assertFalse(self.browser.find_element(By.ID, "more").is_displayed())
        self.quiet(name)
        self.show(script=False)
        self.browser.get((self.folder / name).as_uri())
        rows = self.browser.find_elements(By.CSS_SELECTOR, "#table tbody tr")
        self.assertEqual(len(rows), 621)
        self.assertTrue(rows[600].is_displayed())

    def test_the_index_of_view(self):
        """It has the same table, in the order of names; numbers of files sort, and names lead to pages."""
        done = subprocess.run([POSEMILL, "view", "takes", "--out-dir", "pages"], cwd=self.folder, capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        name = "pages/index.html"
        self.command("Emulation.setScriptExecutionDisabled", value=False)
        self.open(name)
        names = self.names()
        self.assertEqual(len(names), len(NAMES) + 28)
        self.assertEqual(sorted(names[-2:]), ["<i>worse.bvh", "bad.bvh"])
        self.assertIn("33 of 35 files have a page, 2 failed", self.browser.find_element(By.ID, "verdict").text)
        for column in (2, 3, 4, 8):
            self.click(self.heading(column))
            self.settle()
            values = self.column(column)[:33]
            self.assertEqual(values, sorted(values, reverse=True), column)
        self.assertEqual(self.ask("return document.documentElement.scrollWidth"), 1280)
        self.shot("view-index-light-1280")
        self.quiet(name)
        self.click(self.browser.find_element(By.CSS_SELECTOR, "#table tbody th a"))
        self.settle()
        self.assertEqual(self.browser.get_log("browser"), [])
        self.assertGreater(self.ask("return posemillPage.names.length"), 1)

    def test_without_script(self):
        self.show(script=False)
        self.assertIn("33 of 35 files compared", self.browser.find_element(By.ID, "verdict").text)
        self.assertFalse(self.browser.find_element(By.ID, "sort-help").is_displayed())
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#table tbody tr")), 35)
        self.assertIn("pop of one frame", self.browser.find_element(By.ID, "columns").text)


if __name__ == "__main__":
    command_case.main()
