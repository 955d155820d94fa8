#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/figures with small documents: figures that match their records, and each error.

    test_figures.py FIGURES
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FIGURES = sys.argv.pop(1) if len(sys.argv) > 1 else "bench/figures"
SEED = int(os.environ.get("POSEMILL_TEST_SEED", "20260301"), 0)
LISTED = "It poses {} million joints a second.\n\n<!-- figures\n{} = {}\n-->\n"
SOURCE = "some-machine#crowd/palette.samples_per_s / 1e6"


class Figures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.rate = random.Random(SEED).randrange(100, 1000)
        path = Path(self.folder.name)
        shutil.copytree(Path(FIGURES).parent / "records", path / "bench" / "records")
        self.script = shutil.copy(FIGURES, path / "bench" / "figures")
        (path / "bench" / "results").mkdir()
        case = {"name": "crowd/palette", "samples_per_s": self.rate * 1e6 + 2e5}
        (path / "bench" / "results" / "some-machine.json").write_text(json.dumps({"cases": [case]}))
        (path / "bench" / "results" / "twice.json").write_text(json.dumps({"tasks": [case, case]}))

    def run_on(self, text):
        document = Path(self.folder.name) / "document.md"
        document.write_text(text)
        done = subprocess.run([self.script, str(document)], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.returncode == 0, done.stderr == "", f"seed {SEED}")
        return done.stderr

    def test_figures_that_are_their_records_pass(self):
        self.assertEqual(self.run_on(LISTED.format(self.rate, self.rate, SOURCE)), "")
        exact = f"{self.rate}.2"
        self.assertEqual(self.run_on(LISTED.format(exact, exact, SOURCE)), "")
        self.assertEqual(self.run_on("| 5 GB/s |\n\n<!-- figures\n5 = 25 / 5\n-->\n"), "")

    def test_a_figure_that_is_not_its_record_s_fails(self):
        wrong = self.rate + 1
        self.assertIn(f"{wrong} differs from its source; expected {self.rate}.", self.run_on(LISTED.format(wrong, wrong, SOURCE)))

    def test_a_figure_without_a_record_fails(self):
        for figure in ("5 million joints a second", "3 to 4 %", "7.5 GB/s", "20 ns",
                       "1.5 times the baseline", "300 MB of memory"):
            self.assertIn("has no record", self.run_on(f"So it does {figure} here.\n"), figure)

    def test_a_record_or_case_or_member_that_is_not_there_fails(self):
        for source in ("other#crowd/palette.samples_per_s", "some-machine#crowd/model.samples_per_s",
                       "some-machine#crowd/palette.seconds", "twice#crowd/palette.samples_per_s",
                       "some-machine"):
            self.assertNotEqual(self.run_on(LISTED.format(5, 5, source)), "", source)

    def test_a_list_about_another_paragraph_fails(self):
        text = LISTED.format(self.rate, self.rate, SOURCE).replace("\n\n<!--", "\n\nNo.\n\n<!--")
        self.assertIn("is not in the paragraph", self.run_on(text))

    def test_code_and_tables_without_a_list_are_not_checked(self):
        self.assertEqual(self.run_on("| 5 GB/s |\n\n    5 GB/s\n\n```\n5 GB/s\n```\n"), "")
        self.assertIn("6 is not in the paragraph", self.run_on("| 5 GB/s |\n\n<!-- figures\n6 = 6\n-->\n"))

    def test_the_least_and_the_greatest_of_several_sources_are_figures(self):
        least = f"min({SOURCE}, 44)"
        self.assertEqual(self.run_on(LISTED.format(44, 44, least)), "")
        self.assertEqual(self.run_on(LISTED.format(self.rate, self.rate, f"max(44, {SOURCE})")), "")
        self.assertIn("expected 44", self.run_on(LISTED.format(self.rate, self.rate, least)))
        for source in ("min()", "max(5, key=5)", "abs(5)", "(5).real"):
            self.assertNotEqual(self.run_on(LISTED.format(5, 5, source)), "", source)


if __name__ == "__main__":
    unittest.main()
