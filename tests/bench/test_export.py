#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/export: the members that each service reads, and refused records.

    test_export.py EXPORT

Nothing is measured. POSEMILL_TEST_SEED changes the draws.
"""
import json
import re
import sys
import unittest

sys.dont_write_bytecode = True
EXPORT = sys.argv.pop(1) if len(sys.argv) > 1 else "bench/export"

from record_support import (  # noqa: E402
    SAMPLES, Script, case, generator, old_record, record)


class Export(Script):
    command = EXPORT

    def setUp(self):
        super().setUp()
        self.cases = [case(f"upsample-4/{name}", generator(name), sigma=0.1) for name in ("slerp", "squad")]

    def exported(self, content, form):
        return json.loads(self.expect(0, self.write("record.json", content), "--format", form))

    def test_the_list_of_the_action_has_a_rate_and_its_range_for_each_case(self):
        entries = self.exported(record(*self.cases), "benchmark-action")
        self.assertEqual(entries, json.loads(self.expect(0, self.path("record.json"))))
        self.assertEqual([entry["name"] for entry in entries], [one["name"] for one in self.cases])
        for entry, one in zip(entries, self.cases):
            self.assertEqual(set(entry), {"name", "unit", "value", "range", "extra"})
            self.assertEqual(entry["unit"], "samples/s")
            self.assertAlmostEqual(entry["value"], one["samples_per_s"], delta=1.0)
            half = float(re.fullmatch(r"± ([0-9.e+]+)", entry["range"])[1])
            largest = max(abs(SAMPLES / time - entry["value"]) for time in one["seconds"])
            self.assertTrue(0 < half <= largest * 1.001, entry["range"])
            self.assertRegex(entry["extra"], r"^[0-9.]+ % of the fill bound\n[0-9.]+ % of the ceiling\n"
                             r"a device\ndriver 3\.1\ncommit 0123456789ab$")

    def test_metrics_of_bencher_lie_in_their_intervals(self):
        metrics = self.exported(record(*self.cases), "bmf")
        self.assertEqual(list(metrics), [one["name"] for one in self.cases])
        for one in self.cases:
            measures = metrics[one["name"]]
            self.assertEqual(set(measures), {"throughput", "latency"})
            for measure in measures.values():
                self.assertEqual(set(measure), {"value", "lower_value", "upper_value"})
                self.assertLess(measure["lower_value"], measure["value"])
                self.assertLess(measure["value"], measure["upper_value"])
            latency, throughput = measures["latency"], measures["throughput"]
            self.assertAlmostEqual(latency["value"] * 1e-9, one["seconds_median"], delta=1e-12)
            for left, right in (("lower_value", "upper_value"), ("upper_value", "lower_value")):
                self.assertAlmostEqual(latency[left] * 1e-9 * throughput[right] / SAMPLES, 1.0, places=9)

    def test_a_record_without_times_of_repetitions_has_no_intervals(self):
        old = old_record(*self.cases)
        for entry in self.exported(old, "benchmark-action"):
            self.assertEqual(set(entry), {"name", "unit", "value", "extra"})
        for measures in self.exported(old, "bmf").values():
            self.assertEqual([set(measure) for measure in measures.values()], [{"value"}] * 2)


if __name__ == "__main__":
    unittest.main()
