#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks records of posemill bench: their members, and that shares and bounds are those of the times.

    test_bench_record.py POSEMILL BENCH

BENCH is the folder with records/ and results/. Rates are not tested.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(sys.argv.pop(2)) if len(sys.argv) > 2 else Path("bench")
POSEMILL = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/posemill"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))
from records import document, intervals  # noqa: E402

# docs/performance.md describes the members.
MEMBERS = {"schema", "date", "version", "commit", "host", "device", "driver", "platform", "options", "load", "fill_rates",
           "cases"}
OF_CASES = {"name", "samples", "bytes_per_sample", "bytes_read", "bytes_written", "operations", "repetitions", "seconds",
            "seconds_min", "seconds_median", "seconds_p95", "samples_per_s", "ceiling_seconds", "ceiling_share",
            "baseline_seconds", "baseline_ratio", "bound", "bound_seconds", "bound_share", "copy_seconds",
            "arithmetic_seconds", "max_error_rad"}
# Batches, of which only old records have cases, have the first, and records since November 2026 the next ones.
OPTIONAL = {"files", "copy_seconds", "arithmetic_seconds"}
# One method of each group, and all cases of others; test_bench runs every method.
REFERENCE = ("*/slerp", "ceiling/*", "crowd/*", "state/*")
ROOM = {"state/*": "131072"} # samples for the results of 4096 bodies
os.environ.setdefault("LSAN_OPTIONS", f"suppressions={BENCH.parent}/tests/lsan.supp") # drivers leak


def is_close(number, expected):
    return math.isclose(number, expected, rel_tol=1e-9)


def paired(case, other, scale=1.0):
    return statistics.median(scale * a / b for a, b in zip(case[other], case["seconds"]))


def measured(*words):
    """A record, or None where the device has none of the cases."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([POSEMILL, "bench", "--quick", *words, "--json", "-"], cwd=folder,
                              env={**os.environ, "TMPDIR": folder}, capture_output=True, text=True, check=False)
    if done.returncode == 2 and "no case of this device" in done.stderr:
        return None
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode}, {done.stderr}")
    return json.loads(done.stdout)


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        parts = [measured("--device", "none", "--samples", ROOM.get(one, "4096"), "--case", one) for one in REFERENCE]
        cls.reference = {**parts[0], "cases": [case for part in parts for case in part["cases"]]}

    def check_case(self, case, record):
        case = {**dict.fromkeys(OPTIONAL), **case}
        count = case["repetitions"]
        self.assertEqual(len(case["seconds"]), count)
        for name in ("ceiling_seconds", "baseline_seconds", "bound_seconds", "copy_seconds", "arithmetic_seconds"):
            self.assertIn(len(case[name] or case["seconds"]), [count], case["name"])
        self.assertTrue(is_close(case["seconds_median"], statistics.median(case["seconds"])))
        self.assertEqual(case["seconds_min"], min(case["seconds"]))
        self.check_bound(case)
        if case["ceiling_seconds"] is not None:
            self.assertTrue(is_close(case["ceiling_share"], paired(case, "ceiling_seconds")), case["name"])
        if case["baseline_seconds"] is not None:
            group = case["name"].partition("/")[0]
            is_of_case = group in ("crowd", "points", "files", "batch")
            scale = 1.0 if is_of_case else case["samples"] / record["options"]["samples"]
            self.assertTrue(is_close(case["baseline_ratio"], paired(case, "baseline_seconds", scale)), case["name"])

    def check_bound(self, case):
        bound = [case[name] is None for name in ("bound", "bound_seconds", "bound_share")]
        self.assertEqual(len(set(bound)), 1, case["name"])
        self.assertEqual(case["copy_seconds"] is None, case["arithmetic_seconds"] is None, case["name"])
        if case["bound"] is not None:
            self.assertTrue(is_close(case["bound_share"], paired(case, "bound_seconds")), case["name"])
            self.assertIsNotNone(case["operations"], case["name"])
            self.check_roofs(case)

    def check_roofs(self, case):
        """The bound is what takes longest. Its times are those of what was measured."""
        written = case["bytes_written"] / (case["samples"] * case["bytes_per_sample"])
        roofs = {"fill": [written * one for one in case["ceiling_seconds"]], "copy": case["copy_seconds"],
                 "arithmetic": case["arithmetic_seconds"]}
        medians = {name: statistics.median(seconds) for name, seconds in roofs.items() if seconds}
        if len(medians) == 3:
            self.assertTrue(is_close(medians[case["bound"]], max(medians.values())), case["name"])
        for mine, bound in zip(roofs[case["bound"]] or [], case["bound_seconds"]):
            self.assertTrue(is_close(mine, bound), case["name"])

    def check_record(self, record):
        document.record_of(record)
        for case in record["cases"]:
            self.check_case(case, record)

    def test_a_run_on_the_reference_path_fits(self):
        self.check_record(self.reference)
        names = [case["name"] for case in self.reference["cases"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(self.reference), MEMBERS)
        for case in self.reference["cases"]:
            self.assertEqual(set(case) - {"files"}, OF_CASES, case["name"])

    def test_cases_of_rotations_and_crowds_have_a_bound_and_others_none(self):
        bounded = {"upsample-4", "upsample-2", "downsample-4", "nonuniform", "loop", "times", "samples", "sizes",
                   "baseline", "crowd", "state", "oneshot-4", "oneshot-2", "oneshot-down-4"}
        unbounded = {"crowd/chains", "crowd/ground", "crowd/transitions"}  # operations are not counted
        for case in self.reference["cases"]:
            group = case["name"].partition("/")[0].replace("-log48", "").replace("-smallest48", "")
            has_bound = group in bounded and case["name"] not in unbounded
            self.assertEqual(case["bound"] is not None, has_bound, case["name"])

    def test_a_run_on_a_device_fits(self):
        """One method of each group; `./dev ratios` runs all of them."""
        record = measured("--samples", "4096", "--case", "*/slerp")
        names = [case["name"] for case in record["cases"]]
        if "obvious/slerp" not in names:
            self.skipTest("no OpenCL device")
        self.check_record(record)
        self.assertIn("warm/slerp", names)
        self.check_record(measured("--samples", "4096", "--case", "crowd/*"))

    def test_the_last_lines_are_those_of_the_record(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "record.json"
            done = subprocess.run([POSEMILL, "bench", "--quick", "--device", "none", "--samples", "4096", "--case",
                                   "upsample-4/slerp", "--json", path], capture_output=True, text=True, check=True)
            record = json.loads(path.read_text(encoding="utf-8"))
        lines, case = done.stdout.splitlines()[-5:], record["cases"][0]
        self.assertEqual([line.partition(":")[0] for line in lines], ["machine", "headline", "bound", "commit", "date"])
        self.assertIn(record["load"]["verdict"], lines[0].lower())
        self.assertEqual(lines[3:], [f"commit: {record['commit']}", f"date: {record['date']}"])
        rate, low, high = map(float, re.search(r"([\d.]+) million.*interval ([\d.]+) to ([\d.]+),", lines[1]).groups())
        self.assertAlmostEqual(rate, case["samples_per_s"] / 1e6, delta=0.051)
        _, shortest, longest = intervals.median_interval(case["seconds"])
        self.assertAlmostEqual(low, case["samples"] / 1e6 / longest, delta=0.051)
        self.assertAlmostEqual(high, case["samples"] / 1e6 / shortest, delta=0.051)
        self.assertIn(f"{100 * case['bound_share']:.1f} %", lines[2])

    def test_committed_records_fit(self):
        for path in sorted((BENCH / "results").rglob("*.json")):
            record = json.loads(path.read_text(encoding="utf-8"))
            if "cases" in record and "schema" in record:
                with self.subTest(path.name):
                    self.check_record(record)


if __name__ == "__main__":
    unittest.main()
