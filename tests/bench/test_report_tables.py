#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/report in a copy of its folder: the columns of both schemas, and refused records.

    test_report_tables.py REPORT

Nothing is measured. test_bench fills the documents from a fresh record.
"""
import os
import re
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
REPORT = sys.argv.pop(1) if len(sys.argv) > 1 else "bench/report"
BENCH = os.path.dirname(os.path.abspath(REPORT))

from record_support import Script, case, generator, old_record, record  # noqa: E402

EMPTY = "before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n"
# The interval of three values is their range.
SHARES = {"count": 3, "seconds": [1.0] * 3, "bound_seconds": [0.724, 0.696, 0.711], "bound_share": 0.711,
          "ceiling_share": 0.5, "baseline_ratio": 1.234, "max_error_rad": 1.23e-7,
          "seconds_median": 0.002, "samples_per_s": 2.5e9}


class Tables(Script):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bench"))
        os.mkdir(self.path("docs")) # whose figures --check compares
        for name in ("report", "figures"):
            shutil.copy(os.path.join(BENCH, name), self.path("bench"))
        shutil.copytree(os.path.join(BENCH, "records"), self.path("bench/records"))
        self.command = self.path("bench/report")
        self.write("README.md", EMPTY)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def filled(self, *records):
        """The README, and what is printed."""
        names = [self.write(f"machine-{i}.json", content) for i, content in enumerate(records)]
        self.expect(0, "--write", *names)
        self.expect(0, "--check", *names)
        return self.read("README.md"), self.expect(0, *names)

    def case(self, name, **others):
        return case(name, generator(name), **{**SHARES, **others})

    def test_schema_2_shows_the_bound_and_its_share_with_its_interval(self):
        summary, tables = self.filled(record(
            self.case("upsample-4/slerp"),
            self.case("cold/slerp", bound=None, bound_share=None, ceiling_share=None,
                      baseline_ratio=None, max_error_rad=None)))
        self.assertIn("| method | million samples/s | of the write ceiling | bound | of the bound | times "
                      "vectorised C on all cores |\n|---|---:|---:|---:|---:|---:|\n"
                      "| slerp | 2500 | 50 % | fill | 71 % (70 to 72) | 1.23 |\n", summary)
        self.assertIn("| of the ceiling | bound | of the bound | times the baseline | largest error, rad |\n"
                      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
                      "| upsample-4/slerp | 1048576 | 2 | 2500 | 40.00 | 50 % | fill | 71 % (70 to 72) | "
                      "1.23 | 1.2e-07 |\n"
                      "| cold/slerp | 1048576 | 2 | 2500 | 40.00 | - | - | - | - | - |\n", tables)

    def test_crowds_are_compared_with_their_baseline(self):
        summary, _ = self.filled(record(self.case("crowd/palette")))
        self.assertIn("\n| 48 bytes per joint | million joints/s | of the write ceiling | bound | of the bound | times "
                      "vectorised C on all cores |\n|---|---:|---:|---:|---:|---:|\n", summary)
        self.assertRegex(summary, r"\n\| palette \| .* \| 1\.23 \|\n")

    def test_jobs_files_and_batches_have_tables_of_their_own(self):
        tables = self.filled(record(
            self.case("batch/bvh-jobs-2", files=200, bytes_read=10**6, bytes_written=3 * 10**6),
            self.case("files/bvh-x4", bytes_read=10**6, bytes_written=3 * 10**6),
            self.case("upsample-4/slerp")))[1]
        places = [tables.index(text) for text in (
            "| upsample-4/slerp | 1048576 | 2 | 2500 | 40.00 |",
            "| files/bvh-x4 | 1048576 | 1.00 | 3.00 | 2 | 2500 | 2000 |",
            "| batch/bvh-jobs-2 | 200 | 1.0 | 3.0 | 2 | 100000 | 2000 |")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(tables.count("\n| case |"), 3)

    def test_the_readme_has_the_newest_record_of_all_cases(self):
        def dated(name, date, **options):
            return record(self.case(f"upsample-4/{name}"), date=date, options={"samples": 1 << 20, **options})

        summary, tables = self.filled(
            old_record(self.case("upsample-4/squad")), dated("squad", "2026-03-01T12:00:00Z"),
            dated("slerp", "2026-11-02T12:00:00Z", case=None, quick=False),
            dated("squad", "2026-11-03T12:00:00Z", case="upsample-4/*"),
            dated("spline", "2026-11-03T12:00:00Z", quick=True))
        self.assertEqual(re.findall(r"^\| (\w+) \| 2500", summary, re.M), ["slerp"])
        self.assertEqual(re.findall(r"^### machine-(\d)$", tables, re.M), list("01234"))

    def test_the_summary_is_of_one_record_and_the_tables_are_of_all(self):
        first = record(self.case("upsample-4/slerp"), self.case("obvious/slerp", samples_per_s=5e7))
        summary, tables = self.filled(first, record(self.case("upsample-4/squad"), device="a | b"))
        self.assertIn("Slerp is 50 times as fast as the obvious kernel", summary)
        self.assertNotIn("squad", summary)
        self.assertTrue(tables.startswith("### machine-0\n"))
        self.assertIn("\n### machine-1\n\na \\| b, a platform, driver 3.1; commit 0123456789ab;", tables)
        self.assertTrue(summary.startswith("before\n<!-- bench:begin -->\n"))
        self.assertTrue(summary.endswith("<!-- bench:end -->\nafter\n"))
        self.assertNotIn("old", summary)

    def test_a_document_that_differs_is_found_and_not_written(self):
        self.filled(record(self.case("upsample-4/slerp")))
        changed = self.read("README.md").replace("2500", "2501")
        self.write("README.md", changed)
        done = self.run_script("--check", self.path("machine-0.json"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Areport: \S*README\.md differs from the records[^\n]*\n\Z")
        self.assertEqual(self.read("README.md"), changed)


if __name__ == "__main__":
    unittest.main()
