#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/comparison.md is its record's. Needs no SciPy.

    test_compare_scipy.py COMPARE_SCIPY
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "bench/compare-scipy").resolve()
ROOT = SCRIPT.parent.parent
DOCUMENT = ROOT / "docs" / "comparison.md"


class Comparison(unittest.TestCase):
    def setUp(self):
        self.text = DOCUMENT.read_text(encoding="utf-8")
        link = re.search(r"\]\(\.\./(bench/results/comparison/[\w.-]+\.json)\)", self.text)
        self.assertIsNotNone(link)
        self.record = ROOT / link[1]

    def check(self, document):
        return subprocess.run([sys.executable, SCRIPT, "--table", self.record, "--check", document],
                              capture_output=True, text=True, check=False)

    def test_the_table_is_the_record_s(self):
        done = self.check(DOCUMENT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_figure_is_found(self):
        row = re.search(r"\| SciPy, one core \| ([\d.]+)", self.text)
        self.assertIsNotNone(row)
        wrong = self.text[:row.start(1)] + "9" + self.text[row.start(1):]
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder) / "comparison.md"
            document.write_text(wrong, encoding="utf-8")
            self.assertEqual(self.check(document).returncode, 1)


if __name__ == "__main__":
    unittest.main()
