#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/workload: its bytes, its expected results against other implementations, and the
judge. bench/submit-check is tested in test_submit_check.py.

    test_workload.py WORKLOAD [POSEMILL [PROGRAM...]]

PROGRAM is an adapter in C with its harness. Without NumPy the exit code is 77, which means skipped. The
command and the programs are tested where they are there. The seed is POSEMILL_TEST_SEED, or a fixed number.
"""
import json
import os
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
PROGRAMS, sys.argv = [Path(path).resolve() for path in sys.argv[1:]], sys.argv[:1]
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
        self.expect(run("check", self.folder), 0, "small, version 2")

    def test_the_standard_workload_has_the_committed_bytes(self):
        folder = self.path / "standard"
        self.expect(run("make", folder), 0, "standard, version 2")
        self.expect(run("check", folder), 0, "28 files")

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
        times = self.arrays[{"uniform": "uniform_times", "large": "large_times", "pairs": "pair_times"}
                            .get(group, "random_times")]
        tracks = self.arrays["pair_tracks"][positions] if group == "pairs" else positions % 4
        at = times[positions if group == "pairs" else positions // 4]
        keys = self.arrays["key_times"]
        segments = numpy.array([max(i for i in range(len(keys) - 1) if keys[i] <= t) for t in at])
        return segments, tracks, ((at - keys[segments]) / (keys[segments + 1] - keys[segments]))[:, None]

    def test_expected_results_are_the_definitions(self):
        keys, inner = unit(self.arrays["keys"]), unit(self.arrays["controls"])
        self.assertLess(angle_between(inner, inner_points(keys)).max(), 2e-7)
        for group in ("uniform", "times", "pairs", "large"):
            segments, tracks, u = self.cursors(group)
            a, b = keys[segments, tracks], keys[segments + 1, tracks]
            inside = slerp(inner[segments, tracks], inner[segments + 1, tracks], u)
            here = {"slerp": slerp(a, b, u), "nlerp": unit((1 - u) * a + u * b),
                    "squad": slerp(slerp(a, b, u), inside, 2 * u * (1 - u))}
            for method, value in here.items():
                if group == "large" and method != "slerp":
                    continue
                expected = self.arrays[f"expected_{group}_{method}"]
                self.assertLess(angle_between(value, expected).max(), 1e-11, (group, method))
                self.assertLess(numpy.abs(numpy.linalg.norm(expected, axis=-1) - 1).max(), 2e-15)

    def test_matrices_are_chains_of_turns_and_places(self):
        """Points of each joint are carried to its parents, one after another."""
        keys, points = unit(self.arrays["keys"]), self.rng.normal(size=(4, 3))
        segments, tracks, u = self.cursors("crowd")
        for method in ("slerp", "nlerp"):
            for index, (segment, track) in enumerate(zip(segments, tracks)):
                found = self.arrays[f"expected_crowd_{method}"][index].reshape(3, 4)
                moved, joint = points, track
                while joint >= 0:
                    a, b = keys[segment, joint], keys[segment + 1, joint]
                    turn = slerp(a, b, u[index]) if method == "slerp" else unit((1 - u[index]) * a + u[index] * b)
                    whole = numpy.concatenate([moved, numpy.zeros((4, 1))], axis=1)
                    moved = product(product(turn, whole), turn * [-1, -1, -1, 1])[:, :3]
                    moved = moved + self.arrays["rest"][joint]
                    joint = self.arrays["parents"][joint]
                self.assertLess(numpy.abs(points @ found[:, :3].T + found[:, 3] - moved).max(), 1e-11)

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


class MotionFile(WithFolder):
    def setUp(self):
        super().setUp()
        header, _, rest = (self.folder / "motion.bvh").read_text().partition("MOTION\n")
        self.header = header
        self.rows = numpy.array([line.split() for line in rest.splitlines()[2:]], dtype=float)

    def judge(self, rows, code, *words, frame_time=0.01):
        path = self.path / "out.bvh"
        lines = [" ".join(f"{number:.9f}" for number in row) for row in rows]
        path.write_text(f"{self.header}MOTION\nFrames: {len(rows)}\nFrame Time: {frame_time}\n" + "\n".join(lines))
        self.expect(run("judge", self.folder, "file/slerp", path), code, *words)

    def between(self):
        """Angles, instead of rotations, on lines between the frames."""
        at = numpy.arange(4 * (len(self.rows) - 1) + 1) / 4
        return numpy.stack([numpy.interp(at, numpy.arange(len(self.rows)), column) for column in self.rows.T], axis=1)

    def test_a_file_of_other_curves_places_or_frames_fails(self):
        rows = self.between()
        self.judge(rows, 1, "the largest error is", " rad at frame")
        self.judge(rows[:-1], 4, "it has 32 frames of 0.01 s; expected 33 of 0.01 s")
        self.judge(rows, 4, "it has 33 frames of 0.02 s; expected 33 of 0.01 s", frame_time=0.02)
        self.judge(numpy.where(rows == rows[4, 5], numpy.nan, rows), 4, "not finite")

    def test_the_command_is_right_and_a_changed_number_is_found(self):
        if POSEMILL is None:
            self.skipTest("no command was given")
        out = self.path / "sampled.bvh"
        subprocess.run([POSEMILL, "resample", "--device", "none", "--quiet", self.folder / "motion.bvh", "-o", out,
                        "--rate", "100"], check=True)
        self.expect(run("judge", self.folder, "file/slerp", out), 0, "file/slerp: pass: 132 samples")
        rows = numpy.array([line.split() for line in out.read_text().partition("Frame Time")[2].splitlines()[1:]],
                           dtype=float)
        frame, column = int(self.rng.integers(33)), int(self.rng.integers(3, 15))
        rows[frame, column] += 0.002  # degrees
        self.judge(rows, 1, f"at frame {frame};")
        rows[frame, column] -= 0.002
        rows[frame, 1] += 2e-5
        self.judge(rows, 1, f"m at frame {frame};")
        rows[frame, 1] -= 2e-5
        self.judge(rows, 0, "pass")


class Document(unittest.TestCase):
    def test_the_table_is_the_committed_records(self):
        folder = ROOT / "bench" / "results" / "workload"
        text = (folder / "README.md").read_text(encoding="utf-8")
        _, begin, rest = text.partition("<!-- workload:begin -->\n")
        table, end, _ = rest.partition("<!-- workload:end -->")
        self.assertTrue(begin and end)
        done = run("table", *sorted(folder.glob("*.json")))
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

    LOSSY = ("DIVISION = 'lossy'\ndef stored_bytes():\n    return 33 * 4 * 4\n"
             "def prepare(task, inputs):\n    inputs['keys'] = numpy.rint(inputs['keys'] * 500) / 500\n"
             "    return (lambda: nlerp(task, inputs)) if task['name'] == 'uniform/nlerp' else None\n")

    def test_coarse_keys_are_of_the_lossy_division_with_their_errors_and_bytes(self):
        one = ["--task", "uniform/nlerp"]
        self.measure(self.LOSSY.replace("'lossy'", "'exact'"), 1, "the largest error", more=one)
        self.measure(self.LOSSY.replace("stored_bytes", "other"), 4, "does not define stored_bytes", more=one)
        self.measure(self.LOSSY, 0, more=one)
        task, = json.loads((self.path / "record.json").read_text())["tasks"]
        keys = (numpy.rint(self.arrays["keys"] * 500) / 500).astype(float)
        coarse, right = (unit(numpy.repeat(k[:-1], 4, axis=0) * (1 - u) + numpy.repeat(k[1:], 4, axis=0) * u)
                         for u in [numpy.tile(numpy.arange(4) / 4, 32)[:, None, None]]
                         for k in (keys, unit(self.arrays["keys"])))
        angles = angle_between(coarse, right)
        self.assertAlmostEqual(task["max_error_rad"], angles.max(), delta=1e-9)
        self.assertAlmostEqual(task["mean_error_rad"], angles.mean(), delta=1e-9)
        self.assertEqual((task["division"], task["bytes_per_key"]), ("lossy", 4))
        self.assertGreater(task["build_seconds"], 0)
        table = run("table", self.path / "record.json").stdout
        self.assertIn("Division: lossy", table)
        self.assertNotIn("Division: exact", table)
        self.measure(self.LOSSY.replace("500", "20"), 1, "expected 0.01 at most", more=one)

    def test_measuring_takes_a_second_unless_told(self):
        (self.path / "adapter.py").write_text(ADAPTER + "import time\n" + self.RIGHT.replace(
            "lambda: nlerp", "lambda: time.sleep(0.2) or nlerp"))
        run("measure", self.folder, "--adapter", self.path / "adapter.py", "-o", self.path / "record.json",
            "--task", "uniform/nlerp")
        task, = json.loads((self.path / "record.json").read_text())["tasks"]
        self.assertGreaterEqual(sum(task["seconds"]), 1)
        self.assertLess(len(task["seconds"]), 6)

    def test_results_that_do_not_fit_the_memory_are_refused(self):
        sys.path.insert(0, str(SCRIPT.parent))
        from workloads import host, measure, problems
        whole, host.available_memory = host.available_memory, lambda: 8191
        self.addCleanup(setattr, host, "available_memory", whole)
        self.assertGreater(whole(), 1 << 20)
        with self.assertRaisesRegex(problems.Problem, "8192 bytes .* 8191"):
            measure._check_memory(self.task("uniform/slerp"))
        measure._check_memory(self.task("pairs/slerp"))

    def test_programs_in_c_are_timed_and_judged(self):
        for program in PROGRAMS:
            record = self.path / f"{program.name}.json"
            words = ["measure", self.folder, "--program", program, "-o", record, "--repetitions", "3"]
            done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True,
                                  check=False, env={**os.environ, "POSEMILL_DEVICE": "none"})
            self.assertEqual(done.returncode, 0, done.stderr)
            tasks = {task["name"] for task in json.loads(record.read_text())["tasks"]}
            whole = {task["name"] for task in self.manifest["tasks"]}
            self.assertTrue({"uniform/slerp", "pairs/nlerp", "large/slerp", "crowd/slerp"} <= tasks <= whole)
            check = [sys.executable, SCRIPT.parent / "submit-check", record, "--workload", self.folder]
            self.assertEqual(subprocess.run(check, capture_output=True, check=False).returncode, 0)
            self.expect(run("measure", self.path, *words[2:]), 4, "is not there")
        self.assertEqual(list(self.path.glob(".posemill-*")), [])

    def test_a_program_that_measures_nothing_is_refused(self):
        program = self.path / "program"
        for text, code, words in (("exit 7", 1, "ended with 7"), ("echo '[' ", 4, "printed no measurement"),
                                  ("echo '{}'", 4, "printed no measurement"), ("exit 3", 4, "none of the tasks")):
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
            self.expect_failed(run("measure", self.folder, "--program", program, "-o", self.path / "record.json"),
                               code, words)
        self.assertFalse((self.path / "record.json").exists())

    def expect_failed(self, done, code, words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)

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
