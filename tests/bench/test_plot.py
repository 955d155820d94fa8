#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/plot with small records: positions of points, and rejected records. The records of
rooflines are drawn with a seed, POSEMILL_TEST_SEED.

    test_plot.py PLOT

Nothing is measured. Expected positions are computed from the axes of the drawing.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from statistics import median

sys.dont_write_bytecode = True
import record_support  # noqa: E402
from record_support import COPY, FILL, FMA, SAMPLES, generator  # noqa: E402

PLOT = sys.argv.pop(1) if len(sys.argv) > 1 else "bench/plot"
SVG = "{http://www.w3.org/2000/svg}"


def case(method, size, share, **others):
    return {
        "name": f"sizes/{method}-{size}",
        "samples": size,
        "bytes_per_sample": 16,
        "ceiling_share": share,
        **others,
    }


def record(*cases, **others):
    known = {"device": "a device", "platform": "p", "driver": "d", "commit": "c", "options": {}}
    return {**known, "cases": list(cases), **others}


SMALL = record(
    {"name": "ceiling/fill", "samples": 4096},
    case("slerp", 4096, 1.0),
    case("slerp", 64, 0.25),
    case("slerp", 512, 0.5),
    case("squad", 64, 0.0),
    case("squad", 4096, 0.98),
)


class Drawing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="posemill-test-plot-")
        self.addCleanup(self.folder.cleanup)

    def name_of(self, name):
        return os.path.join(self.folder.name, name)

    def run_plot(self, *records):
        names = []
        for number, content in enumerate(records):
            names.append(self.name_of(f"{number}.json"))
            with open(names[-1], "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))
        return subprocess.run([PLOT, *names], capture_output=True, check=False)

    def draw(self, *records):
        done = self.run_plot(*records)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return xml.etree.ElementTree.fromstring(done.stdout)

    def expect_refusal(self, content, words):
        done = self.run_plot(content)
        error_output = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (4, b""), error_output)
        self.assertEqual(error_output.count("\n"), 1, error_output)
        self.assertRegex(error_output, r"^bench/plot: .*0\.json: ")
        self.assertIn(words, error_output)

    def dots(self, svg):
        """{title of a dot: (x, y)}"""
        return {
            dot.find(SVG + "title").text: (float(dot.get("cx")), float(dot.get("cy")))
            for dot in svg.iter(SVG + "circle")
        }

    def mark(self, svg, text):
        """(x, y) of the only text with these words; y is that of the labelled point or line."""
        found = [t for t in svg.iter(SVG + "text") if t.text == text]
        self.assertEqual(len(found), 1, text)
        return float(found[0].get("x")), float(found[0].get("y")) - 4.0

    def test_points_lie_at_their_share_between_no_result_and_the_ceiling(self):
        svg = self.draw(SMALL)
        dots = self.dots(svg)
        none, all_of_it = (self.mark(svg, text)[1] for text in ("0 %", "100 %"))
        self.assertEqual(len(dots), 5)
        for text, share in (
            ("slerp, 1 KiB: 25.0 %", 0.25),
            ("slerp, 8 KiB: 50.0 %", 0.5),
            ("slerp, 64 KiB: 100.0 %", 1.0),
            ("squad, 1 KiB: 0.0 %", 0.0),
            ("squad, 64 KiB: 98.0 %", 0.98),
        ):
            self.assertAlmostEqual(dots[text][1], none + share * (all_of_it - none), delta=0.11)

    def test_the_interval_of_a_share_is_drawn_around_its_point(self):
        small = json.loads(json.dumps(SMALL))
        (one,) = [case for case in small["cases"] if case.get("ceiling_share") == 0.5]
        one.update(ceiling_share_low=0.4, ceiling_share_high=0.7)
        svg = self.draw(small)
        none, all_of_it = (self.mark(svg, text)[1] for text in ("0 %", "100 %"))
        x = self.dots(svg)["slerp, 8 KiB: 50.0 % (40.0 to 70.0)"][0]
        (bar,) = [line for line in svg.iter(SVG + "line") if line.get("class").startswith("line")]
        self.assertAlmostEqual(float(bar.get("x1")), x, delta=0.11)
        for end, share in (("y1", 0.4), ("y2", 0.7)):
            self.assertAlmostEqual(float(bar.get(end)), none + share * (all_of_it - none), delta=0.11)
        for odd in ({"ceiling_share_low": 0.6}, {"ceiling_share_high": None}, {"ceiling_share_low": "x"}):
            one.update({"ceiling_share_low": 0.4, "ceiling_share_high": 0.7, **odd})
            self.expect_refusal(small, "interval")

    def test_points_lie_at_the_marks_of_their_size_and_powers_of_two_evenly(self):
        svg = self.draw(SMALL)
        dots = self.dots(svg)
        places = [dots[f"slerp, {text}"][0] for text in
                  ("1 KiB: 25.0 %", "8 KiB: 50.0 %", "64 KiB: 100.0 %")]
        for place, text in zip(places, ("1 KiB", "8 KiB", "64 KiB")):
            self.assertAlmostEqual(place, self.mark(svg, text)[0], delta=0.11)
        self.assertAlmostEqual(places[1] - places[0], places[2] - places[1], delta=0.21)
        self.assertGreater(places[1], places[0])

    def test_a_line_joins_the_points_of_a_method_by_size(self):
        svg = self.draw(SMALL)
        dots = self.dots(svg)
        drawn = [
            [tuple(map(float, point.split(","))) for point in line.get("points").split()]
            for line in svg.iter(SVG + "polyline")
        ]
        wanted = [sorted(at for text, at in dots.items() if text.startswith(method))
                  for method in ("slerp", "squad")]
        self.assertEqual(drawn, wanted)

    def test_labels_at_the_ends_of_lines_do_not_overlap(self):
        many = [case(f"m{i}", samples, 0.5 + 1e-4 * i) for i in range(9) for samples in (64, 512)]
        svg = self.draw(record(*many, case("lowest", 512, 0.0), case("lower", 512, 0.001)))
        labels = [t for t in svg.iter(SVG + "text") if t.get("class").startswith("label")]
        heights = sorted(float(label.get("y")) for label in labels)
        self.assertEqual(len(labels), 11)
        self.assertGreaterEqual(min(b - a for a, b in zip(heights, heights[1:])), 15.9)
        self.assertLessEqual(heights[-1] - 4.0, self.mark(svg, "0 %")[1])

    def test_a_share_above_the_ceiling_stays_within_the_axes(self):
        svg = self.draw(record(case("slerp", 64, 1.15), case("slerp", 128, 0.9)))
        dots = self.dots(svg)
        self.assertLess(dots["slerp, 1 KiB: 115.0 %"][1], self.mark(svg, "100 %")[1])
        self.assertGreater(dots["slerp, 1 KiB: 115.0 %"][1], self.mark(svg, "120 %")[1])

    def test_every_record_has_a_panel_of_its_own_on_the_same_axis_of_sizes(self):
        svg = self.draw(SMALL, record(case("slerp", 512, 0.75), device="another"))
        dots = self.dots(svg)
        upper, lower = dots["slerp, 8 KiB: 50.0 %"], dots["slerp, 8 KiB: 75.0 %"]
        self.assertEqual(upper[0], lower[0])
        self.assertGreater(lower[1], max(y for text, (_, y) in dots.items() if "75" not in text))
        height = float(svg.get("viewBox").split()[3])
        self.assertLess(lower[1], height)
        self.assertGreater(height, float(self.draw(SMALL).get("viewBox").split()[3]))

    def test_names_are_escaped_and_what_xml_has_no_place_for_is_replaced(self):
        device = "<a href='x'>&\"\x00\ud800\ufffe ]]>"
        svg = self.draw(record(case("<b>&\x01", 64, 0.5), device=device))
        texts = [text.text for text in svg.iter(SVG + "text")]
        self.assertIn("<a href='x'>&\"\ufffd\ufffd\ufffd ]]>", texts)
        self.assertIn("<b>&\ufffd 50 %", texts)

    def test_it_says_what_it_shows_to_who_cannot_see_it_and_suits_light_and_dark(self):
        svg = self.draw(SMALL)
        named = svg.get("aria-labelledby").split()
        self.assertEqual(svg.get("role"), "img")
        self.assertEqual([svg.find(SVG + "title").get("id"), svg.find(SVG + "desc").get("id")], named)
        self.assertIn("slerp: 25 % at 1 KiB, 50 % at 8 KiB, 100 % at 64 KiB.",
                      svg.find(SVG + "desc").text)
        self.assertIn("prefers-color-scheme:dark", svg.find(SVG + "style").text)

    def test_records_that_cannot_be_drawn_are_refused_in_one_line(self):
        for content, words in (
            ("", "not JSON"),
            ("[" * 100000, "not JSON"),
            ("[1, 2]", "not a record"),
            (record(case("slerp", 64, 0.5), device=7), "not a record"),
            (record({"name": "upsample-4/slerp"}), "no case of sizes"),
            (record("sizes"), "without a name"),
            (record(case("slerp", 64, 0.5, samples=65)), "number of samples"),
            (record(case("slerp", 64, 0.5, samples=True)), "number of samples"),
            (record(case("slerp", 0, 0.5)), "number of samples"),
            (record(case("slerp", 1 << 63, 0.5)), "number of samples"),
            (record(case("slerp", 64, 0.5, bytes_per_sample=1 << 60)), "bytes_per_sample"),
            (record(case("slerp", 64, 0.5, bytes_per_sample=0)), "bytes_per_sample"),
            (record(case("slerp", 64, None)), "is not a number"),
            (record(case("slerp", 64, -0.1)), "is out of range"),
            (record(case("slerp", 64, 5.0)), "is out of range"),
            (record(case("slerp", 64, float("nan"))), "is out of range"),
            (record(case("slerp", 64, 0.5), case("slerp", 64, 0.6)), "the same size"),
        ):
            with self.subTest(words=words):
                self.expect_refusal(content, words)

    def test_a_file_that_cannot_be_read_or_written_is_named(self):
        missing = subprocess.run([PLOT, "no/such.json"], capture_output=True, check=False)
        self.assertEqual(missing.returncode, 4)
        self.assertEqual(missing.stderr.decode(), "bench/plot: no/such.json: No such file or directory\n")
        self.assertEqual(self.run_plot(SMALL).returncode, 0)
        record_name, drawing = self.name_of("0.json"), self.name_of("no/folder.svg")
        unwritten = subprocess.run([PLOT, record_name, "-o", drawing], capture_output=True, check=False)
        self.assertEqual((unwritten.returncode, unwritten.stdout), (6, b""))
        self.assertIn(drawing, unwritten.stderr.decode())

    def test_a_picture_is_replaced_whole_or_kept(self):
        """The limit of the size of files stands for a full disk."""
        self.run_plot(SMALL)
        record_name, drawing = self.name_of("0.json"), self.name_of("drawing.svg")
        with open(drawing, "w", encoding="utf-8") as file:
            file.write("old")
        limited = ["sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$@"', "sh", PLOT, record_name, "-o", drawing]
        done = subprocess.run(limited, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (6, b""), done.stderr)
        with open(drawing, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(sorted(os.listdir(os.path.dirname(drawing))), ["0.json", "drawing.svg"])

    def test_a_device_is_written_to_and_not_replaced(self):
        self.run_plot(SMALL)
        done = subprocess.run([PLOT, self.name_of("0.json"), "-o", "/dev/full"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertFalse(os.path.isfile("/dev/full"))

    def test_names_move_no_cursor(self):
        svg = self.run_plot(record(case("slerp", 64, 0.5), device="a\x1b[2J\x9b31m\u202eb\rc"))
        self.assertEqual([one for one in svg.stdout.decode() if not one.isprintable() and one != "\n"], [])

    def test_a_file_is_written_as_stdout_is(self):
        printed = self.run_plot(SMALL).stdout
        drawing = self.name_of("drawing.svg")
        subprocess.run([PLOT, self.name_of("0.json"), "-o", drawing], check=True)
        with open(drawing, "rb") as file:
            self.assertEqual(file.read(), printed)


def exact(name, amount, rate, **others):
    """A ceiling that moves or computes an amount at exactly this rate."""
    return record_support.case(name, generator(name), **{"seconds_median": amount / rate, **others})


CEILINGS = (
    exact("ceiling/fill", 16 * SAMPLES, FILL, bytes_read=None, bytes_written=None),
    exact("ceiling/copy", 32 * SAMPLES, COPY, bytes_read=16 * SAMPLES),
    exact("ceiling/arithmetic", 100 * SAMPLES, FMA),
)


class Roofline(record_support.Script):
    command = PLOT

    def setUp(self):
        super().setUp()
        self.cases = [
            record_support.case("upsample-4/slerp", generator("slerp"), 0.7, sigma=0.1,
                                operations=5 * SAMPLES),
            record_support.case("upsample-4/squad", generator("squad"), 0.9, bound="arithmetic",
                                operations=320 * SAMPLES),
            record_support.case("loop/slerp", generator("loop"), 0.6),
        ]

    def record(self, *cases, **others):
        return record_support.record(*(cases or (*self.cases, *CEILINGS)), **others)

    def draw(self, content, *options):
        path = self.write("record.json", content)
        return xml.etree.ElementTree.fromstring(self.expect(0, path, "--roofline", *options))

    def scale(self, svg, low, high, axis):
        """Coordinate of a number, from the texts of two marks of a logarithmic axis."""
        def place(text):
            (found,) = [one for one in svg.iter(SVG + "text") if one.text == text]
            return float(found.get(axis)) - (4.0 if axis == "y" else 0.0)
        (a, left), (b, right) = ((number, place(text)) for text, number in (low, high))
        slope = (right - left) / math.log(b / a)
        return lambda number: left + slope * math.log(number / a)

    def axes(self, svg):
        return (self.scale(svg, ("1/4", 0.25), ("8", 8.0), "x"),
                self.scale(svg, ("100 G", 1e11), ("1 T", 1e12), "y"))

    def dots(self, svg):
        found = {}
        for dot in svg.iter(SVG + "circle"):
            title = dot.find(SVG + "title")
            if title is not None:
                found[title.text.split(":")[0]] = (float(dot.get("cx")), float(dot.get("cy")))
        return found

    def test_cases_lie_at_their_intensity_and_rate(self):
        svg = self.draw(self.record())
        x, y = self.axes(svg)
        dots = self.dots(svg)
        self.assertEqual(set(dots), {"upsample-4/slerp", "upsample-4/squad"})
        for one in self.cases[:2]:
            moved = 16 if one["bound"] == "fill" else 20  # a fill only writes
            intensity = one["operations"] / (moved * SAMPLES)
            rate = one["operations"] / median(one["seconds"])
            self.assertAlmostEqual(dots[one["name"]][0], x(intensity), delta=0.2)
            self.assertAlmostEqual(dots[one["name"]][1], y(rate), delta=0.2)

    def test_an_interval_lies_within_all_repetitions_and_around_its_point(self):
        svg = self.draw(self.record())
        x, y = self.axes(svg)
        one = self.cases[0]
        place = self.dots(svg)[one["name"]]
        (bar,) = [line for line in svg.iter(SVG + "line")
                  if line.get("class") == "line c0" and line.get("x1") == f"{place[0]:.1f}"]
        low, high = float(bar.get("y1")), float(bar.get("y2"))
        slowest, fastest = (y(one["operations"] / edge(one["seconds"])) for edge in (max, min))
        self.assertTrue(slowest + 0.2 >= low > place[1] > high >= fastest - 0.2)

    def test_roofs_of_memory_end_at_the_roof_of_arithmetic(self):
        svg = self.draw(self.record(fill_rates=[FILL / 4, FILL]))
        x, y = self.axes(svg)
        lines = [[float(line.get(name)) for name in ("x1", "y1", "x2", "y2")]
                 for line in svg.iter(SVG + "line") if line.get("class") == "ceiling"]
        self.assertEqual(len(lines), 4)
        for line, rate in zip(lines, (FILL / 4, FILL, COPY)):
            self.assertAlmostEqual(line[2], x(FMA / rate), delta=0.2)
            self.assertAlmostEqual(line[3], y(FMA), delta=0.2)
            self.assertAlmostEqual(line[1], y(rate * 0.125), delta=0.3)  # the left border
        self.assertAlmostEqual(lines[3][1], y(FMA), delta=0.2)
        texts = [text.text for text in svg.iter(SVG + "text")]
        for text in ("slow fill 12.5 GB/s", "fast fill 50 GB/s", "copy 45 GB/s", "arithmetic 400 Gop/s"):
            self.assertIn(text, texts)

    def test_cases_are_chosen_by_name_and_described(self):
        svg = self.draw(self.record(), "--case", "loop/*")
        self.assertEqual(set(self.dots(svg)), {"loop/slerp"})
        description = svg.find(SVG + "desc").text
        self.assertRegex(description, r"loop/slerp: 6.25 operations per byte, .* bound by fill\.")
        self.assertIn("prefers-color-scheme:dark", svg.find(SVG + "style").text)

    def test_names_do_not_overlap_and_are_escaped(self):
        cases = [record_support.case(f"upsample-4/<{i}>", generator(i), 0.7) for i in range(12)]
        svg = self.draw(self.record(*cases, *CEILINGS, device="a\x00<b>"))
        names = [text for text in svg.iter(SVG + "text") if (text.text or "").startswith("upsample")]
        heights = sorted(float(text.get("y")) for text in names)
        self.assertEqual({text.text for text in names}, {one["name"] for one in cases})
        self.assertGreaterEqual(min(b - a for a, b in zip(heights, heights[1:])), 15.9)
        self.assertIn("a\ufffd<b>", [text.text for text in svg.iter(SVG + "text")])

    def test_records_without_a_roofline_are_refused_in_one_line(self):
        def refused(words, content, *options):
            path = self.write("bad.json", content)
            self.expect_refusal(words, path, "--roofline", *options)
        for content, words in record_support.hostile(self.record()):
            with self.subTest(words=words):
                refused(words, content)
        refused("schema 1", record_support.old_record(*self.cases))
        for ceiling in ("fill", "copy", "arithmetic"):
            rest = [one for one in CEILINGS if not one["name"].endswith(ceiling)]
            refused(f"no ceiling/{ceiling}", self.record(*self.cases, *rest, fill_rates=None))
        refused("no case that matches 'none'", self.record(), "--case", "none")
        bare = {**self.cases[0], "operations": None}
        refused("has operations and bytes", self.record(bare, *CEILINGS))
        many = [{**self.cases[0], "name": f"upsample-4/{i}"} for i in range(41)]
        refused("41 cases", self.record(*many, *CEILINGS))

    def test_wrong_usage_is_told_apart(self):
        path = self.write("record.json", self.record())
        for arguments in ((path, path, "--roofline"), (path, "--case", "x")):
            done = self.run_script(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)

    def test_output_that_cannot_be_written_is_told(self):
        self.expect_output_errors(self.write("record.json", self.record()), "--roofline")


if __name__ == "__main__":
    unittest.main()
