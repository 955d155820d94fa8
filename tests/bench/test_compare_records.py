#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/compare with records whose true ratios are known, because their times are drawn.

    test_compare_records.py COMPARE

Nothing is measured. POSEMILL_TEST_SEED changes the draws.
"""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
COMPARE = sys.argv.pop(1) if len(sys.argv) > 1 else "bench/compare"
sys.path.insert(0, os.path.dirname(os.path.abspath(COMPARE)))

from record_support import (  # noqa: E402
    FMA, SAMPLES, SEED, Script, case, generator, hostile, machine_of, noisy, record)
from records.comparison import verdict_of  # noqa: E402
from records.intervals import median_interval, ratio_interval  # noqa: E402

PAIRS = 200


class Statistics(unittest.TestCase):
    """Rates over many pairs."""

    def intervals(self, name, ratio, count, sigma):
        """Intervals of PAIRS pairs of distributions with this true ratio."""
        for pair in range(PAIRS):
            draws = generator(name, pair)
            a, b = (noisy(draws, speed, count, sigma) for speed in (1.0, ratio))
            yield ratio_interval(a, b, f"{name}-{pair}")[1:]

    def test_equal_distributions_are_hardly_ever_called_different(self):
        # Three repetitions have an interval from the smallest to the largest, which covers less.
        for count, sigma, most in ((3, 0.1, 14), (10, 0.15, 6)):
            found = [verdict_of(*one, 0.05) for one in self.intervals("equal", 1.0, count, sigma)]
            for verdict in ("slower", "faster"):
                self.assertLessEqual(found.count(verdict), most, f"{verdict}, {count}, seed {SEED}")

    def test_a_difference_beyond_the_threshold_is_found(self):
        for ratio, expected in ((0.85, "slower"), (1.18, "faster")):
            found = [verdict_of(*one, 0.05) for one in self.intervals("loss", ratio, 10, 0.04)]
            self.assertGreaterEqual(found.count(expected), PAIRS * 19 // 20, f"{ratio}, seed {SEED}")

    def test_intervals_have_the_true_ratio_nineteen_times_in_twenty(self):
        inside = sum(low <= 0.9 <= high for low, high in self.intervals("cover", 0.9, 10, 0.1))
        self.assertGreaterEqual(inside, PAIRS * 9 // 10, f"seed {SEED}")
        self.assertLess(inside, PAIRS, f"seed {SEED}")

    def test_the_interval_of_a_median_has_the_ranks_of_the_tables(self):
        # The k-th smallest and largest value (Conover, Practical Nonparametric Statistics, table of the binomial).
        for count, k in ((1, 1), (5, 1), (6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (30, 10), (100, 40), (300, 133)):
            times = noisy(generator("ranks", count), 1.0, count, 0.1)
            ordered = sorted(times)
            self.assertEqual(median_interval(times)[1:], (ordered[k - 1], ordered[-k]), count)

    def test_the_interval_of_a_ratio_depends_on_the_name_alone(self):
        a, b = (noisy(generator("many", i), 1.0, 100, 0.1) for i in range(2))
        self.assertEqual(ratio_interval(a, b, "a/b"), ratio_interval(a, b, "a/b"))
        self.assertGreater(len({ratio_interval(a, b, f"a/{i}") for i in range(10)}), 1)

    def test_verdicts_depend_on_the_whole_interval(self):
        for low, high, expected in ((0.90, 0.94, "slower"), (0.90, 0.96, "unclear"),
                                    (0.96, 1.04, "same"), (1.06, 1.20, "faster"),
                                    (1.04, 1.20, "unclear"), (0.80, 1.30, "unclear")):
            self.assertEqual(verdict_of(low, high, 0.05), expected)


class Compare(Script):
    command = COMPARE

    def pair(self, a, b):
        return self.write("a.json", a), self.write("b.json", b)

    def compared(self, a, b, *options, code=0):
        """(measure, ratio, verdict) by case."""
        text = self.expect(code, *options, *self.pair(a, b))
        rows = re.findall(r"^(\S+) +([a-z]+) +([\d.]+)  [\d.]+ to [\d.]+ +(\w+)", text, re.M)
        return {name: (measure, float(ratio), verdict) for name, measure, ratio, verdict in rows}

    def verdicts(self, *arguments, **options):
        return {name: row[2] for name, row in self.compared(*arguments, **options).items()}

    def shared(self, name, share, salt, slower=1.0):
        """A case of a machine that others use as well, and that is so many times slower."""
        draws = generator(name, salt)
        machine = [slower * one for one in machine_of(draws, 30)]
        return case(name, draws, share, 30, 0.02, machine=machine)

    def test_shares_find_on_shared_machines_what_times_cannot(self):
        a = record(self.shared("a/kept", 0.5, 1), self.shared("a/lost", 0.5, 1),
                   self.shared("a/won", 0.5, 1))
        b = record(self.shared("a/kept", 0.5, 2, 2.0), self.shared("a/lost", 0.42, 2, 2.0),
                   self.shared("a/won", 0.6, 2, 2.0))
        self.assertEqual(self.verdicts(a, b, code=1),
                         {"a/kept": "same", "a/lost": "slower", "a/won": "faster"})
        self.assertEqual(self.verdicts(a, b, "--case", "a/[kw]*"), {"a/kept": "same", "a/won": "faster"})
        self.assertEqual(set(self.verdicts(a, b, "--times", code=1).values()), {"slower"})

    def test_times_compare_what_has_no_yardstick(self):
        def plain(seconds, salt):
            return case("cold/slerp", generator(salt), bound=None, share=1e-3 / seconds,
                        ceiling_seconds=None)
        found = self.expect(0, *self.pair(record(plain(0.1, 1)), record(plain(0.2, 2))))
        self.assertRegex(found, "not compared: cold/slerp: .*--times[^\n]*\nno case was compared")
        found = self.compared(record(plain(0.1, 1)), record(plain(0.2, 2)), "--times", code=1)
        self.assertAlmostEqual(found["cold/slerp"][1], 0.5, delta=0.03)

    def test_the_threshold_decides(self):
        a, b = (record(self.shared("x", share, share)) for share in (0.5, 0.45))
        self.assertEqual(self.verdicts(a, b, code=1), {"x": "slower"})
        self.assertEqual(self.verdicts(a, b, "--threshold", "20%"), {"x": "same"})
        self.assertEqual(self.verdicts(a, b, "--threshold", "9.9 %"), {"x": "unclear"})

    def test_a_case_with_few_repetitions_is_unclear(self):
        a, b = (record(case("x", generator(share), share, 4)) for share in (0.9, 0.1))
        self.assertEqual(self.verdicts(a, b), {"x": "unclear"})
        self.assertIn("few repetitions", self.expect(0, *self.pair(a, b)))

    def test_the_bound_of_a_is_taken_where_b_has_another(self):
        """Both bounds take about as long, and the speeds are the same."""
        half, other = [0.5] * 10, [0.51] * 10
        a = case("x", generator("a"), bound="copy", bound_seconds=half, copy_seconds=half,
                 arithmetic_seconds=[0.49] * 10, seconds=[1.0] * 10)
        b = case("x", generator("b"), bound="arithmetic", bound_seconds=other, copy_seconds=half,
                 arithmetic_seconds=other, seconds=[1.0] * 10)
        self.assertEqual(self.compared(record(a), record(b)), {"x": ("copy", 1.0, "same")})
        idle = {**a, "operations": 0, "arithmetic_seconds": [0.0] * 10}
        self.assertEqual(self.verdicts(record(idle), record(idle)), {"x": "same"})

    def test_fewer_operations_count_as_speed_where_arithmetic_is_the_bound(self):
        draws = generator("operations")
        a = record(case("x", draws, 0.5, bound="arithmetic"))
        half = noisy(draws, 50 * SAMPLES / FMA, 10, 0.01)
        b = record(case("x", draws, 0.5, bound="arithmetic", operations=50 * SAMPLES,
                        bound_seconds=half, seconds=[2 * time for time in half]))
        self.assertAlmostEqual(self.compared(a, b)["x"][1], 2.0, delta=0.1)

    def test_cases_of_one_record_and_of_other_sizes_are_listed(self):
        a = record(*(case(name, generator(name)) for name in ("both", "first", "size")))
        b = record(*(case(name, generator(name)) for name in ("both", "second")),
                   case("size", generator("size"), samples=64))
        text = self.expect(0, *self.pair(a, b))
        for line in ("only in A: first\n", "only in B: second\n", f"not compared: size: {SAMPLES} samples in A, 64 in B\n",
                     "0 slower, 0 faster, 1 same, 0 unclear"):
            self.assertIn(line, text)

    def test_hostile_records_are_refused_in_one_line(self):
        sound = record(case("x", generator("x")))
        good = self.write("good.json", sound)
        self.expect(0, good, good)
        for content, words in hostile(sound):
            with self.subTest(words=words):
                self.expect_refusal(words, good, self.write("bad.json", content))
        self.expect_refusal("not JSON", self.write("a\x1b\n.json", "bad"), good)
        self.expect_refusal("No such file", good, self.path("none.json"))
        os.mkdir(self.path("folder.json"))
        self.expect_refusal("directory", self.path("folder.json"), good)

    def test_one_record_is_a_table(self):
        one = case("x", generator("x"), share=0.5, baseline_ratio=1.25)
        text = self.expect(0, self.write("a.json", record(one, case("y|", generator("y"), bound=None))))
        self.assertIn("a device, a platform, driver 3.1; commit 0123456789ab; 2026-03-01T12:00:00Z\n", text)
        rate, low, high = (SAMPLES / time / 1e6 for time in median_interval(one["seconds"]))
        shares = [100 * a / b for a, b in zip(one["bound_seconds"], one["seconds"])]
        ends = "fill, {:.0f} % ({:.0f} to {:.0f})".format(*median_interval(shares))
        self.assertIn(f"| x | {SAMPLES} | {rate:.4g} ({high:.4g} to {low:.4g}) | ", text)
        self.assertIn(f" | {ends} | 1.25 | 0.0e+00 |\n", text)
        self.assertIn("| y\\| |", text)
        self.assertEqual(text.count("\n| "), 3)

    def test_wrong_usage_is_told_apart(self):
        a, b = self.pair(*[record(case("x", generator("x")))] * 2)
        for arguments in ((), (a, b, b), (a, "--case", "none*"), ("--latest", a, a, b), (a, b, "--threshold", "5"),
                          (a, b, "--threshold", "-5%"), (a, b, "--threshold", "nan%"),
                          (a, b, "--case", "none*"), (a, b, "--no-such")):
            done = self.run_script(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertIn("exit codes", self.expect(0, "--help"))


class Latest(Script):
    command = COMPARE

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("results"))
        self.one = case("x", generator("x"))

    def find(self, new, code=0):
        return self.expect(code, "--latest", self.path("results"), self.write("new.json", new))

    def keep(self, name, **others):
        self.write(f"results/{name}.json", record(self.one, **others))

    def test_the_last_record_of_the_same_processor_and_device_is_taken(self):
        self.keep("older", date="2026-01-01T00:00:00Z")
        self.keep("deeper/newer", date="2026-02-01T00:00:00Z")
        self.keep("device", date="2026-03-01T00:00:00Z", device="another")
        self.keep("host", date="2026-03-01T00:00:00Z", host={"processor": "Processor Y"})
        self.write("results/old.json", {**record(self.one), "schema": 1})
        self.write("results/other.json", [1, 2])
        self.write("results/notes.txt", "no record")
        new = record(self.one, host={"processor": "Processor X"})  # the blanks differ
        self.assertRegex(self.find(new), r"A: \S*/deeper/newer\.json: ")

    def test_a_record_without_a_common_case_is_passed_over(self):
        self.keep("older", date="2026-01-01T00:00:00Z")
        self.write("results/newer.json", record(case("y", generator("y")), date="2026-02-01T00:00:00Z"))
        other_size = case("x", generator("x"), samples=64)
        self.write("results/size.json", record(other_size, date="2026-02-02T00:00:00Z"))
        self.assertRegex(self.find(record(self.one)), r"A: \S*/older\.json: ")
        os.remove(self.path("results/older.json"))
        text = self.find(record(self.one))
        self.assertIn("no comparable record", text)
        self.assertNotIn("0 slower", text)

    def test_that_none_is_comparable_is_said_and_no_failure(self):
        for new, words in ((record(self.one), "none of the processor 'Processor X'"),
                           (record(self.one, host={"processor": None}), "names no processor")):
            text = self.find(new)
            self.assertRegex(text, r"\Ano comparable record in [^\n]*\n\Z")
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
