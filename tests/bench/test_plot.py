#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/plot with small records: refusals, and, where Matplotlib is installed, what is drawn.

    test_plot.py PLOT
"""
import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
PLOT = sys.argv.pop(1) if len(sys.argv) > 1 else "bench/plot"
sys.path.insert(0, os.path.dirname(os.path.abspath(PLOT)))

from record_support import Script, case, generator, record  # noqa: E402
from records import plot  # noqa: E402
from records.document import record_of  # noqa: E402

NEEDS_MATPLOTLIB = unittest.skipUnless(importlib.util.find_spec("matplotlib"), "Matplotlib is not installed")


def sized(method, samples, share, **others):
    name = f"sizes/{method}-{samples}"
    return case(name, generator(name), samples=samples, bytes_per_sample=16, ceiling_share=share, **others)


# The ceiling was measured with twice the bytes of the first. The interval of three values is their range.
SIZES = (sized("slerp", 512, 0.5, count=3, seconds=[2.0] * 3, ceiling_seconds=[1.6, 2.4, 2.0]),
         sized("slerp", 64, 0.25), sized("squad", 64, 0.1))


class Pictures(Script):
    def setUp(self):
        super().setUp()
        self.command = os.path.abspath(PLOT)

    def roofline(self, **others):
        """Two cases below their roofs: a fill of 16 bytes a sample, and arithmetic of 40 operations."""
        names = ("ceiling/fill", "ceiling/copy", "ceiling/arithmetic", "upsample-4/slerp", "upsample-4/squad")
        amounts = {"operations": 1 << 26, "bytes_read": 1 << 22, "bytes_written": 1 << 24}
        cases = [case(name, generator(name), **amounts) for name in names]
        cases[-2]["bound"], cases[-1]["bound"] = "fill", "arithmetic"
        return record(*cases, **others)

    def test_points_are_sorted_and_have_intervals(self):
        curves = plot.curves_of(record_of(record(*SIZES)))
        self.assertEqual([point[:2] for point in curves["slerp"]], [(1024, 0.25), (8192, 0.5)])
        self.assertEqual(curves["slerp"][1][2:], (0.4, 0.6))
        self.assertEqual(sorted(curves), ["slerp", "squad"])

    def test_the_intensity_is_per_byte_that_the_roof_counts(self):
        points = {point[0]: point for point in plot.points_of(record_of(self.roofline()), plot.CASES)}
        self.assertEqual(points["upsample-4/slerp"][2], (1 << 26) / (1 << 24))
        self.assertEqual(points["upsample-4/squad"][2], (1 << 26) / ((1 << 24) + (1 << 22)))
        for _, _, _, rate, low, high in points.values():
            self.assertTrue(0 < low <= rate <= high)

    @NEEDS_MATPLOTLIB
    def test_pictures_are_drawn_and_are_the_same_each_time(self):
        name = "$x_{1$ \x1b<script>"
        sizes = self.write("sizes.json", record(*SIZES, device=name))
        roofs = self.write("roofs.json", self.roofline(device=name))
        for words in ((sizes,), (roofs, "--roofline")):
            texts = []
            for file in ("a.svg", "b.svg"):
                self.expect(0, *words, "-o", self.path(file))
                with open(self.path(file), encoding="utf-8") as drawn:
                    texts.append(drawn.read())
            self.assertEqual(*texts)
            self.assertIn("squad", texts[0])
            self.assertNotIn("<script>", texts[0])
            self.assertNotIn("\x1b", texts[0])


if __name__ == "__main__":
    unittest.main()
