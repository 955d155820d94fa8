#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/workload: its bytes, its expected results against other implementations, and the
judge. bench/submit-check is tested in test_submit_check.py.

    test_workload.py WORKLOAD [POSEMILL]

Without NumPy the exit code is 77, which means skipped. The command is compared with where it is
there. The seed is POSEMILL_TEST_SEED, or a fixed number.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
except ImportError as missing:
    print(f"skipped: in {sys.executable}: {missing}")
    sys.exit(77)

SCRIPT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "bench/workload").resolve()
POSEMILL = sys.argv.pop(1) if len(sys.argv) > 1 else None
ROOT = SCRIPT.parent.parent
SEED = int(os.environ.get("POSEMILL_TEST_SEED", "20261123"), 0)
METHODS = ("slerp", "nlerp", "squad")

ADAPTER = """
import numpy
LIBRARY = {"name": "A library", "version": "1"}
DEVICE, TIMED = "CPU", "to-host"
def nlerp(task, inputs):
    keys = inputs["keys"].astype(float)
    u = numpy.tile(numpy.arange(4) / 4, len(keys) - 1)[:, None, None]
    mixed = (1 - u) * numpy.repeat(keys[:-1], 4, axis=0) + u * numpy.repeat(keys[1:], 4, axis=0)
    return mixed / numpy.linalg.norm(mixed, axis=-1, keepdims=True)
"""


def run(*words):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


class WithFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"seed {SEED}")
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.path = Path(cls.temporary.name)
        cls.folder = cls.path / "small"
        made = run("make", cls.folder, "--size", "small")
        assert made.returncode == 0, made.stderr
        cls.manifest = json.loads((cls.folder / "workload.json").read_text())
        cls.arrays = {file.stem: numpy.load(file) for file in cls.folder.glob("*.npy")}

    def setUp(self):
        self.rng = numpy.random.default_rng(SEED)

    def task(self, name):
        return next(task for task in self.manifest["tasks"] if task["name"] == name)

    def expect(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stdout if code == 0 else done.stderr)
        if code:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


def product(a, b):
    x, y, z, w = numpy.moveaxis(a, -1, 0)
    p, q, r, s = numpy.moveaxis(b, -1, 0)
    return numpy.stack([w * p + x * s + y * r - z * q, w * q - x * r + y * s + z * p,
                        w * r + x * q - y * p + z * s, w * s - x * p - y * q - z * r], axis=-1)


def slerp(a, b, u):
    angle = 2 * numpy.arcsin(numpy.linalg.norm(b - a, axis=-1, keepdims=True) / 2)
    near = angle < 1e-8  # a line is exact there
    safe = numpy.where(near, 1.0, angle)
    mixed = (numpy.sin((1 - u) * safe) * a + numpy.sin(u * safe) * b) / numpy.sin(safe)
    return numpy.where(near, (1 - u) * a + u * b, mixed)


def logarithm(q):
    length = numpy.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    scale = numpy.where(length > 0, numpy.arctan2(length, q[..., 3:]) / numpy.where(length > 0, length, 1), 1)
    return q[..., :3] * scale


def turn_between(a, b):
    return logarithm(product(a * [-1, -1, -1, 1], b))


def inner_points(keys):
    points = keys.copy()
    v = (turn_between(keys[:-2], keys[1:-1]) - turn_between(keys[1:-1], keys[2:])) / 4
    length = numpy.linalg.norm(v, axis=-1, keepdims=True)
    points[1:-1] = product(keys[1:-1], numpy.concatenate([v * numpy.sinc(length / numpy.pi),
                                                          numpy.cos(length)], axis=-1))
    return points


def unit(keys):
    keys = keys.astype(float)
    return keys / numpy.linalg.norm(keys, axis=-1, keepdims=True)


def angle_between(a, b):
    chord = numpy.minimum(numpy.linalg.norm(a - b, axis=-1), numpy.linalg.norm(a + b, axis=-1))
    return 4 * numpy.arcsin(numpy.minimum(chord / 2, 1))


class Bytes(WithFolder):
    def test_the_small_workload_has_the_committed_bytes(self):
        committed = (ROOT / "bench" / "workloads" / "small.json").read_bytes()
        self.assertEqual((self.folder / "workload.json").read_bytes(), committed)
        self.expect(run("check", self.folder), 0, "small, version 1")

    def test_the_standard_workload_has_the_committed_bytes(self):
        folder = self.path / "standard"
        self.expect(run("make", folder), 0, "standard, version 1")
        self.expect(run("check", folder), 0, "19 files")

    def test_a_changed_missing_or_shortened_file_is_named(self):
        for change, word in (("bit", "SHA-256"), ("short", "bytes; expected"), ("missing", "is not there")):
            name = self.rng.choice([file.name for file in self.folder.glob("*.npy")])
            path, data = self.folder / name, (self.folder / name).read_bytes()
            at = int(self.rng.integers(len(data)))
            path.unlink()
            if change != "missing":
                path.write_bytes(data[:at] if change == "short" else
                                 data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
            self.expect(run("check", self.folder), 4, name, word)
            path.write_bytes(data)
        self.expect(run("check", self.folder), 0)

    def test_another_manifest_is_refused(self):
        path = self.folder / "workload.json"
        text = path.read_bytes()
        for other in (text.replace(b"1e-06", b"1e-01"), text[:-1], text + b"\n", b"", b"\xff\xfe"):
            path.write_bytes(other)
            self.expect(run("check", self.folder), 4, "workload.json")
        path.write_bytes(text)
        self.expect(run("check", self.path), 4, "is not there")

    def test_a_folder_that_exists_stays_as_it_is(self):
        before = sorted(self.path.iterdir())
        self.expect(run("make", self.folder, "--size", "small"), 6, "exists")
        self.expect(run("make", self.path / "none" / "small", "--size", "small"), 6, "cannot be written")
        self.assertEqual(sorted(self.path.iterdir()), before)


class Definition(WithFolder):
    """Expected results against formulas written from the definitions once more, and the command."""

    def cursors(self, group):
        """Segments, tracks and u of the stored positions."""
        positions = self.arrays[f"positions_{group}"]
        times = self.arrays[{"uniform": "uniform_times", "times": "random_times",
                             "pairs": "pair_times"}[group]]
        tracks = self.arrays["pair_tracks"][positions] if group == "pairs" else positions % 4
        at = times[positions if group == "pairs" else positions // 4]
        keys = self.arrays["key_times"]
        segments = numpy.array([max(i for i in range(len(keys) - 1) if keys[i] <= t) for t in at])
        return segments, tracks, ((at - keys[segments]) / (keys[segments + 1] - keys[segments]))[:, None]

    def test_expected_results_are_the_definitions(self):
        keys, inner = unit(self.arrays["keys"]), unit(self.arrays["controls"])
        self.assertLess(angle_between(inner, inner_points(keys)).max(), 2e-7)
        for group in ("uniform", "times", "pairs"):
            segments, tracks, u = self.cursors(group)
            a, b = keys[segments, tracks], keys[segments + 1, tracks]
            inside = slerp(inner[segments, tracks], inner[segments + 1, tracks], u)
            here = {"slerp": slerp(a, b, u), "nlerp": unit((1 - u) * a + u * b),
                    "squad": slerp(slerp(a, b, u), inside, 2 * u * (1 - u))}
            for method, value in here.items():
                expected = self.arrays[f"expected_{group}_{method}"]
                self.assertLess(angle_between(value, expected).max(), 1e-11, (group, method))
                self.assertLess(numpy.abs(numpy.linalg.norm(expected, axis=-1) - 1).max(), 2e-15)

    def test_the_command_is_within_the_tolerance(self):
        if POSEMILL is None:
            self.skipTest("no command was given")
        for group, words in (("uniform", ["--key-rate", "30", "--rate", "120", "--count", "128"]),
                             ("times", ["--key-times", self.folder / "key_times.npy",
                                        "--times", self.folder / "random_times.npy"])):
            for method in METHODS:
                out = self.path / "out.npy"
                more = ["--tangents", "mean", "--no-limit"] if method == "squad" else []
                subprocess.run([POSEMILL, "eval", "--device", "none", "--quiet", "--keys",
                                self.folder / "keys.npy", *words, "--method", method, *more,
                                "--out", out], check=True)
                self.expect(run("judge", self.folder, f"{group}/{method}", out), 0, "pass")
                other = METHODS[METHODS.index(method) - 1]
                self.expect(run("judge", self.folder, f"{group}/{other}", out), 1, "largest error")


class Judge(WithFolder):
    """Results of uniform/slerp, right and changed."""

    def setUp(self):
        super().setUp()
        keys = unit(self.arrays["keys"])
        u = numpy.tile(numpy.arange(4) / 4, len(keys) - 1)[:, None, None]
        self.right = slerp(numpy.repeat(keys[:-1], 4, axis=0), numpy.repeat(keys[1:], 4, axis=0), u)

    def judge(self, results, code, *words, task="uniform/slerp"):
        path = self.path / "results.npy"
        if isinstance(results, bytes):
            path.write_bytes(results)
        else:
            numpy.save(path, results)
        self.expect(run("judge", self.folder, task, path), code, *words)

    def somewhere(self):
        return int(self.rng.integers(128)), int(self.rng.integers(4))

    def test_right_results_pass_in_both_types_and_with_any_signs(self):
        self.judge(self.right.astype("<f4"), 0, "uniform/slerp: pass: 512 samples")
        self.judge(self.right * self.rng.choice([-1.0, 1.0], (128, 4, 1)), 0, "pass")

    def test_one_wrong_sample_is_found_wherever_it_is(self):
        for _ in range(4):
            sample, track = self.somewhere()
            wrong = self.right.copy()
            turn = numpy.array([*self.rng.normal(size=3), 0.0])
            turn *= 1.1e-6 / 2 / numpy.linalg.norm(turn)
            wrong[sample, track] += product(wrong[sample, track], turn)
            self.judge(wrong, 1, "1.1e-06 rad", f"sample {sample}, track {track};")
            self.judge(self.right + (wrong - self.right) * 0.8, 0, "pass")

    def test_results_that_are_no_rotations_fail(self):
        for bad in (numpy.nan, numpy.inf, -numpy.inf, 0.0, 1e300):
            sample, track = self.somewhere()
            wrong = self.right.copy()
            wrong[sample, track] = bad
            self.judge(wrong, 1, f"sample {sample}, track {track} is no rotation")
        long = self.right.copy()
        long[self.somewhere()] *= 1 + 3e-6
        self.judge(long, 1, "norm differs from 1 by 3e-06")

    def test_other_orders_of_tracks_samples_and_components_fail(self):
        self.judge(self.right[:, [1, 0, 2, 3]], 1, "largest error")
        self.judge(numpy.roll(self.right, 1, axis=0), 1, "largest error")
        self.judge(numpy.roll(self.right, 1, axis=2), 1, "largest error")
        self.judge(self.right * [-1, -1, -1, 1], 1, "largest error")


class Document(unittest.TestCase):
    def test_the_table_is_the_committed_records(self):
        text = (ROOT / "docs" / "workload.md").read_text(encoding="utf-8")
        _, begin, rest = text.partition("<!-- workload:begin -->\n")
        table, end, _ = rest.partition("<!-- workload:end -->")
        self.assertTrue(begin and end)
        names = re.findall(r"\]\(\.\./(bench/results/workload/[\w.-]+\.json)\)", text)
        self.assertTrue(names)
        done = run("table", *(ROOT / name for name in names))
        self.assertEqual((done.returncode, done.stdout.strip()), (0, table.strip()), done.stderr)


class Measure(WithFolder):
    def measure(self, adapter, code, *words, more=()):
        (self.path / "adapter.py").write_text(ADAPTER + adapter)
        done = run("measure", self.folder, "--adapter", self.path / "adapter.py", "-o",
                   self.path / "record.json", "--repetitions", "3", *more)
        self.expect(done, code, *words) if code else self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def setUp(self):
        super().setUp()
        (self.path / "record.json").unlink(missing_ok=True)

    RIGHT = ("def prepare(task, inputs):\n"
             "    return (lambda: nlerp(task, inputs)) if task['name'] == 'uniform/nlerp' else None\n")

    def test_a_record_can_be_submitted_but_for_its_workload(self):
        self.measure(self.RIGHT, 0)
        record = json.loads((self.path / "record.json").read_text())
        task, = record["tasks"]
        self.assertEqual((task["name"], task["dtype"], task["samples"], len(task["seconds"])),
                         ("uniform/nlerp", "float64", 512, 3))
        check = [sys.executable, SCRIPT.parent / "submit-check", self.path / "record.json"]
        self.assertEqual(subprocess.run([*check, "--workload", self.folder], check=False).returncode, 0)
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("workload.name: expected standard, found small", done.stderr)

    def test_tasks_are_added_to_a_record_of_the_same_library_alone(self):
        self.measure(self.RIGHT, 0)
        self.measure(self.RIGHT + "DEVICE = 'another'\n", 0)
        self.measure(self.RIGHT, 0)
        devices = [t["device"] for t in json.loads((self.path / "record.json").read_text())["tasks"]]
        self.assertEqual(sorted(devices), ["CPU", "another"])
        self.measure(self.RIGHT + "LIBRARY['version'] = '2'\n", 6, "its library differs")
        table = run("table", self.path / "record.json")
        self.assertEqual(table.stdout.count("| uniform/nlerp | A library 1 |"), 2, table.stderr)

    def test_wrong_results_leave_no_record(self):
        self.measure("def prepare(task, inputs):\n    return lambda: -nlerp(task, inputs)[::-1]\n", 1,
                     "uniform/slerp: the largest error", more=["--task", "uniform/slerp"])
        self.measure("def prepare(task, inputs):\n    return lambda: nlerp(task, inputs)[1:]\n", 4,
                     "the adapter gives float64 (127, 4, 4)", more=["--task", "uniform/nlerp"])
        self.assertFalse((self.path / "record.json").exists())

    def test_an_adapter_cannot_change_what_it_is_judged_by(self):
        """It computes what the changed inputs say."""
        self.measure("def prepare(task, inputs):\n    inputs['keys'][:] = inputs['keys'][::-1].copy()\n"
                     "    return lambda: nlerp(task, inputs)\n", 1,
                     "uniform/nlerp: the largest error", more=["--task", "uniform/nlerp"])

    def test_results_on_a_device_are_fetched_and_erased_by_the_adapter(self):
        device = ("TIMED = 'to-device'\ndef prepare(task, inputs):\n    memory['x'] = nlerp(task, inputs)\n"
                  "    return lambda: 'x'\nmemory = {}\n")
        one = ["--task", "uniform/nlerp"]
        self.measure(device, 4, "does not define fetch and erase", more=one)
        fetch = "def fetch(handle):\n    return memory[handle]\n"
        self.measure(device + fetch + "def erase(handle):\n    pass\n", 0, more=one)
        self.measure(device + fetch + "def erase(handle):\n    memory[handle] *= numpy.nan\n", 1,
                     "is no rotation", more=one)


if __name__ == "__main__":
    unittest.main()
