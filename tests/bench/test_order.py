#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/order with a stand-in for the command: which cases are named, and how often they are tried.

    test_order.py ORDER
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ORDER = os.path.abspath(sys.argv.pop(1))

# Its cases take a second, but for "after", which takes two after others, and for "moody", whose time changes.
STAND_IN = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
with open("runs", "a") as file:
    file.write(" ".join(words[:words.index("--json")]) + "\\n")
alone = words[words.index("--case") + 1] if "--case" in words else None
first = open("runs").read().count("bench --quick --quiet\\n") < 2
moody = (3.0 if first else 0.5) if alone is None else 1.0
times = {"same": 1.2, "after": 1.0 if alone else 2.0, "moody": moody}
cases = [{"name": name, "seconds_min": times[name]} for name in times if alone in (None, name)]
json.dump({"cases": cases}, open(words[words.index("--json") + 1], "w"))
"""


class Order(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="posemill-test-order-")
        self.addCleanup(self.folder.cleanup)
        self.command = Path(self.folder.name) / "posemill"
        self.command.write_text(STAND_IN)
        self.command.chmod(0o755)

    def run_order(self, *words):
        return subprocess.run([sys.executable, ORDER, *words], cwd=self.folder.name, capture_output=True, text=True)

    def test_a_case_that_takes_longer_after_others_is_named(self):
        done = self.run_order(self.command, "--quick")
        self.assertEqual((done.returncode, done.stdout),
                         (1, "after: 2.00 and 2.00 times as long after all others as alone\n"))
        runs = (Path(self.folder.name) / "runs").read_text().splitlines()
        self.assertEqual(len(runs), (1 + 3) + (1 + 2))
        self.assertIn("bench --quick --case same --quiet", runs)

    def test_a_command_that_fails_is_no_finding(self):
        self.command.write_text("#!/bin/sh\nexit 5\n")
        done = self.run_order(self.command)
        self.assertEqual(done.stdout, "")
        self.assertIn("returned non-zero exit status 5", done.stderr)

    def test_without_a_command_it_says_how(self):
        for words in ((), ("--help",)):
            done = self.run_order(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("bench/order POSEMILL [OPTIONS]", done.stderr)


if __name__ == "__main__":
    unittest.main()
