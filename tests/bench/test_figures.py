#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/figures with small documents: figures that match their records, and each error.

    test_figures.py FIGURES
"""
import json
import os
import random
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
        cases = [{"name": "crowd/palette", "samples_per_s": self.rate * 1e6 + 2e5}]
        (path / "some-machine.json").write_text(json.dumps({"cases": cases}))
        (path / "text.txt").write_text("host memory         244 MB\n")

    def run_on(self, text, *options):
        self.document = Path(self.folder.name) / "document.md"
        self.document.write_text(text)
        done = subprocess.run([FIGURES, *options, "--records", self.folder.name, str(self.document)],
                              capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.returncode == 0, done.stderr == "", f"seed {SEED}")
        return done.stderr

    def test_figures_that_are_their_records_pass(self):
        self.assertEqual(self.run_on(LISTED.format(self.rate, self.rate, SOURCE)), "")
        exact = f"{self.rate}.2"
        self.assertEqual(self.run_on(LISTED.format(exact, exact, SOURCE)), "")
        self.assertEqual(self.run_on("In 244 MB of memory.\n<!-- figures\n"
                                     "244 = text.txt#host memory\n-->\n"), "")

    def test_a_figure_that_is_not_its_record_s_fails(self):
        wrong = self.rate + 1
        self.assertIn(f"{wrong} differs from its source; expected {self.rate}.", self.run_on(LISTED.format(wrong, wrong, SOURCE)))

    def test_a_figure_without_a_record_fails(self):
        for figure in ("5 million joints a second", "3 to 4 %", "7.5 GB/s", "20 ns",
                       "1.5 times the baseline", "300 MB of memory"):
            self.assertIn("has no record", self.run_on(f"So it does {figure} here.\n"), figure)

    def test_a_record_or_case_or_member_that_is_not_there_fails(self):
        for source in ("other#crowd/palette.samples_per_s", "some-machine#crowd/model.samples_per_s",
                       "some-machine#crowd/palette.seconds", "text.txt#device memory",
                       "some-machine"):
            self.assertNotEqual(self.run_on(LISTED.format(5, 5, source)), "", source)

    def test_a_list_about_another_paragraph_fails(self):
        text = LISTED.format(self.rate, self.rate, SOURCE).replace("\n\n<!--", "\n\nNo.\n\n<!--")
        self.assertIn("is not in the paragraph", self.run_on(text))

    def test_tables_and_code_and_what_is_made_from_records_are_left_to_others(self):
        self.assertEqual(self.run_on("| 5 GB/s |\n\n    5 GB/s\n\n```\n5 GB/s\n```\n\n"
                                     "<!-- bench:begin -->\n5 GB/s\n<!-- bench:end -->\n"), "")

    def test_the_least_and_the_greatest_of_several_sources_are_figures(self):
        least = f"min({SOURCE}, 44)"
        self.assertEqual(self.run_on(LISTED.format(44, 44, least)), "")
        self.assertEqual(self.run_on(LISTED.format(self.rate, self.rate, f"max(44, {SOURCE})")), "")
        self.assertIn("expected 44", self.run_on(LISTED.format(self.rate, self.rate, least)))
        for source in ("min()", "max(5, key=5)", "abs(5)", "(5).real"):
            self.assertNotEqual(self.run_on(LISTED.format(5, 5, source)), "", source)

    def test_figures_are_replaced_in_prose_and_list(self):
        text = ("It was 1 once.\n\nIt poses 1.0 and 1 million joints a second, at 1.\n\n"
                f"<!-- figures\n1.0 = {SOURCE}\n1 = {SOURCE}\n-->\n\nThen 1.\n\n"
                "In 1,000 MB of memory.\n<!-- figures\n1,000 = text.txt#host memory\n-->\n")
        self.assertEqual(self.run_on(text, "--update"), "")
        rate = self.rate
        self.assertEqual(self.document.read_text(), "It was 1 once.\n\n"
                         f"It poses {rate}.2 and {rate} million joints a second, at {rate}.\n\n"
                         f"<!-- figures\n{rate}.2 = {SOURCE}\n{rate} = {SOURCE}\n-->\n\nThen 1.\n\n"
                         "In 244 MB of memory.\n<!-- figures\n244 = text.txt#host memory\n-->\n")

    def test_figures_that_match_leave_the_document_as_it_is(self):
        text = LISTED.format(self.rate, self.rate, SOURCE) + "<!-- figures\n-->"
        self.assertEqual(self.run_on(text, "--update"), "")
        self.assertEqual(self.document.read_text(), text)


if __name__ == "__main__":
    unittest.main()
