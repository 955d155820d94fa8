#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/workload: its bytes, the judge against formulas written from the definitions once more, and records.

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
RECORDS = SCRIPT.parent / "results" / "workload"
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
RIGHT = ("def prepare(task, inputs):\n"
         "    return (lambda: nlerp(task, inputs)) if task['name'] == 'uniform/nlerp' else None\n")


def run(*words, **environment):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True,
                          check=False, env={**os.environ, **environment})
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

    def expect(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stdout if code == 0 else done.stderr)


def product(a, b):
    x, y, z, w = numpy.moveaxis(a, -1, 0)
    p, q, r, s = numpy.moveaxis(b, -1, 0)
    return numpy.stack([w * p + x * s + y * r - z * q, w * q - x * r + y * s + z * p,
                        w * r + x * q - y * p + z * s, w * s - x * p - y * q - z * r], axis=-1)


def unit(keys):
    keys = keys.astype(float)
    return keys / numpy.linalg.norm(keys, axis=-1, keepdims=True)


def slerp(a, b, u):
    angle = 2 * numpy.arcsin(numpy.linalg.norm(b - a, axis=-1, keepdims=True) / 2)
    near = angle < 1e-8  # a line is exact there
    safe = numpy.where(near, 1.0, angle)
    mixed = (numpy.sin((1 - u) * safe) * a + numpy.sin(u * safe) * b) / numpy.sin(safe)
    return numpy.where(near, (1 - u) * a + u * b, mixed)


def turn_between(a, b):
    q = product(a * [-1, -1, -1, 1], b)
    length = numpy.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    return q[..., :3] * numpy.arctan2(length, q[..., 3:]) / numpy.maximum(length, 1e-300)


def inner_points(keys):
    """Shoemake's."""
    points = keys.copy()
    v = (turn_between(keys[:-2], keys[1:-1]) - turn_between(keys[1:-1], keys[2:])) / 4
    length = numpy.linalg.norm(v, axis=-1, keepdims=True)
    points[1:-1] = product(keys[1:-1], numpy.concatenate([v * numpy.sinc(length / numpy.pi),
                                                          numpy.cos(length)], axis=-1))
    return points


class Bytes(WithFolder):
    def test_both_workloads_have_the_known_bytes(self):
        """make compares them."""
        self.expect(run("make", self.path / "standard"), 0, "standard, version 3")

    def test_a_changed_missing_or_shortened_file_is_named(self):
        results = self.path / "none.npy"
        numpy.save(results, numpy.zeros((128, 4, 4)))
        for change, word in (("bit", "SHA-256"), ("short", "cannot be read"), ("missing", "cannot be read")):
            name = self.rng.choice([file.name for file in self.folder.glob("*.npy")])
            path, data = self.folder / name, (self.folder / name).read_bytes()
            path.unlink()
            if change != "missing":
                path.write_bytes(data[:-1] if change == "short" else data[:-1] + bytes([data[-1] ^ 1]))
            self.expect(run("judge", self.folder, "uniform/slerp", results), 4, name, word)
            path.write_bytes(data)

    def test_another_manifest_is_refused(self):
        path = self.folder / "workload.json"
        text = path.read_bytes()
        for other in (text.replace(b"30", b"31"), text[:-1], text + b"\n", b"", b"\xff\xfe"):
            path.write_bytes(other)
            self.expect(run("judge", self.folder, "uniform/slerp", "x.npy"), 4, "workload.json", "its bytes differ")
        path.write_bytes(text)
        self.expect(run("judge", self.path, "uniform/slerp", "x.npy"), 4, "bench/workload make")

    def test_a_folder_that_exists_stays_as_it_is(self):
        before = sorted(self.path.iterdir())
        self.expect(run("make", self.folder, "--size", "small"), 6, "exists")
        self.expect(run("make", self.path / "none" / "small", "--size", "small"), 6, "cannot be written")
        self.assertEqual(sorted(self.path.iterdir()), before)


class Judge(WithFolder):
    """Results that are computed here, right and changed."""

    def results(self, task):
        """By the definitions, without the workload's own code."""
        group, _, method = task["name"].partition("/")
        keys, inner = unit(self.arrays["keys"]), unit(self.arrays["controls"])
        times, at = self.arrays[task["times"].removesuffix(".npy")], self.arrays["key_times"]
        segments = numpy.array([max(i for i in range(len(at) - 1) if at[i] <= t) for t in times])
        u = (times - at[segments]) / (at[segments + 1] - at[segments])
        tracks = self.arrays["pair_tracks"] if group == "pairs" else numpy.arange(4)
        here = segments if group == "pairs" else segments[:, None]
        u = u[:, None] if group == "pairs" else u[:, None, None]
        a, b = keys[here, tracks], keys[here + 1, tracks]
        inside = slerp(inner[here, tracks], inner[here + 1, tracks], u)
        turns = {"slerp": slerp(a, b, u), "nlerp": unit((1 - u) * a + u * b),
                 "squad": slerp(slerp(a, b, u), inside, 2 * u * (1 - u))}[method]
        return self.matrices(turns) if group == "crowd" else turns

    def matrices(self, turns):
        """The unit vectors and the origin of each joint are carried to its parents, one after another."""
        found = numpy.empty((*turns.shape[:2], 3, 4))
        for joint in range(4):
            points, above = numpy.tile(numpy.eye(4, 3), (len(turns), 1, 1)), joint
            while above >= 0:
                turn = turns[:, above, None]
                whole = numpy.concatenate([points, numpy.zeros((*points.shape[:2], 1))], axis=-1)
                points = product(product(turn, whole), turn * [-1, -1, -1, 1])[..., :3] + self.arrays["rest"][above]
                above = self.arrays["parents"][above]
            origin = points[:, 3:]
            found[:, joint] = numpy.concatenate([points[:, :3] - origin, origin], axis=1).swapaxes(1, 2)
        return found

    def judge(self, results, code, *words, task="uniform/slerp"):
        path = self.path / "results.npy"
        if isinstance(results, bytes):
            path.write_bytes(results)
        else:
            numpy.save(path, results)
        self.expect(run("judge", self.folder, task, path), code, *words)

    def right(self, name="uniform/slerp"):
        return self.results(next(task for task in self.manifest["tasks"] if task["name"] == name))

    def test_the_definitions_pass_in_every_task_and_others_fail(self):
        self.assertLess(numpy.abs(inner_points(unit(self.arrays["keys"])) - unit(self.arrays["controls"])).max(), 2e-7)
        for task in self.manifest["tasks"]:
            results, name = self.results(task), task["name"]
            self.judge(results.astype("<f4"), 0, f"{name}: pass: {task['samples']} samples", task=name)
            self.judge(results[::-1], 1, "max_error_rad", task=name)

    def test_any_signs_pass(self):
        self.judge(self.right() * self.rng.choice([-1.0, 1.0], (128, 4, 1)), 0, "pass")

    def test_one_wrong_sample_is_found_wherever_it_is(self):
        right = self.right()
        for _ in range(3):
            at = int(self.rng.integers(128)), int(self.rng.integers(4))
            wrong = right.copy()
            turn = numpy.array([*self.rng.normal(size=3), 0.0])
            turn *= 1.1e-6 / 2 / numpy.linalg.norm(turn)
            wrong[at] += product(wrong[at], turn)
            self.judge(wrong, 1, "max_error_rad is 1.1", f"sample {at[0]}, track {at[1]};")
            self.judge(right + (wrong - right) * 0.8, 0, "pass")

    def test_a_wrong_place_of_a_joint_is_found(self):
        wrong = self.right("crowd/slerp")
        wrong[7, 2, 1, 3] += 2e-5
        self.judge(wrong, 1, "max_error_m is 2", "sample 7, track 2;", task="crowd/slerp")

    def test_results_that_are_no_rotations_fail(self):
        for bad in (numpy.nan, numpy.inf, 0.0, 1e300):
            wrong = self.right()
            wrong[5, 1] = bad
            self.judge(wrong, 1, "sample 5, track 1 is no rotation")
        long = self.right()
        long[3, 3] *= 1 + 3e-6
        self.judge(long, 1, "max_norm_error is 3")

    def test_files_that_are_no_such_array_are_refused(self):
        right = self.right()
        for content in (right[:-1], right.astype("<f2"), right.astype(">f8"), numpy.asfortranarray(right),
                        numpy.array([{}], dtype=object), b"", b"\x93NUMPY\x01\x00\xff\xff{", b"PK\x03\x04" * 40):
            self.judge(content, 4, "cannot be read")
        self.judge((self.path / "results.npy").read_bytes()[:-3], 4, "cannot be read")

    def test_the_command_is_within_the_limits(self):
        if POSEMILL is None:
            self.skipTest("no command was given")
        for method in METHODS:
            out = self.path / "out.npy"
            more = ["--tangents", "mean", "--unlimited"] if method == "squad" else []
            subprocess.run([POSEMILL, "eval", "--device", "none", "--quiet", "--keys", self.folder / "keys.npy",
                            "--key-times", self.folder / "key_times.npy", "--times", self.folder / "random_times.npy",
                            "--method", method, *more, "--out", out], check=True)
            self.expect(run("judge", self.folder, f"times/{method}", out), 0, "pass")


class Measure(WithFolder):
    def setUp(self):
        super().setUp()
        self.record = self.path / "record.json"
        self.record.unlink(missing_ok=True)

    def measure(self, adapter, code, *words, task="uniform/nlerp"):
        (self.path / "adapter.py").write_text(ADAPTER + adapter)
        done = run("measure", self.folder, "--adapter", self.path / "adapter.py", "-o", self.record, "--task", task)
        self.expect(done, code, *words)
        return json.loads(self.record.read_text())["tasks"] if code == 0 else None

    def test_the_page_of_records_has_the_table_of_the_committed_ones(self):
        done = run("table", *sorted(RECORDS.glob("*.json")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((RECORDS / "README.md").read_text(encoding="utf-8").endswith(done.stdout))

    def test_tasks_are_added_to_a_record_of_the_same_library_alone(self):
        task, = self.measure(RIGHT, 0)
        self.assertEqual((task["name"], task["dtype"], task["samples"], len(task["seconds"])),
                         ("uniform/nlerp", "float64", 512, 3))
        self.measure(RIGHT + "DEVICE = 'another'\n", 0)
        self.assertEqual(sorted(task["device"] for task in self.measure(RIGHT, 0)), ["CPU", "another"])
        self.measure(RIGHT + "LIBRARY['version'] = '2'\n", 6, "its library differs")
        table = run("table", self.record)
        self.assertIn("| A library 1, another, to-host, float64 | A library 1, CPU, to-host, float64 |", table.stdout)
        self.assertRegex(table.stdout, r"\n\| uniform/nlerp \|( [\d.]+ \([\d.]+ to [\d.]+\); [\de.-]+ rad \|){2}\n")

    def test_what_is_no_record_is_refused(self):
        self.measure(RIGHT, 0)
        text = self.record.read_text()
        for other in ("", "[]", "{}", text[:-9], text.replace('"tasks"', '"others"'), text.replace('"seconds"', '"x"'),
                      text.replace('"samples": 512', '"samples": -1')):
            self.record.write_text(other)
            self.expect(run("table", self.record), 4, "record.json")

    def test_wrong_results_leave_no_record(self):
        self.measure("def prepare(task, inputs):\n    return lambda: -nlerp(task, inputs)[::-1]\n", 1,
                     "uniform/slerp: max_error_rad", task="uniform/slerp")
        self.measure("def prepare(task, inputs):\n    return lambda: nlerp(task, inputs)[1:]\n", 4,
                     "the adapter gives float64 (127, 4, 4)")
        # It computes what the inputs say that it has changed.
        self.measure("def prepare(task, inputs):\n    inputs['keys'][:] = inputs['keys'][::-1].copy()\n"
                     "    return lambda: nlerp(task, inputs)\n", 1, "uniform/nlerp: max_error_rad")
        self.assertFalse(self.record.exists())

    def test_results_on_a_device_are_fetched_and_erased_by_the_adapter(self):
        device = ("TIMED = 'to-device'\ndef prepare(task, inputs):\n    memory['x'] = nlerp(task, inputs)\n"
                  "    return lambda: 'x'\nmemory = {}\n")
        self.measure(device, 4, "does not define fetch")
        fetch = "def fetch(handle):\n    return memory[handle]\n"
        self.measure(device + fetch + "def erase(handle):\n    pass\n", 0)
        self.measure(device + fetch + "def erase(handle):\n    memory[handle] *= numpy.nan\n", 1, "is no rotation")

    def test_results_that_do_not_fit_the_memory_are_refused(self):
        sys.path.insert(0, str(SCRIPT.parent))
        from records.text import Refused
        from workloads import host, measure
        whole, host.available_memory = host.available_memory, lambda: 8191
        self.addCleanup(setattr, host, "available_memory", whole)
        self.assertGreater(whole(), 1 << 20)
        with self.assertRaisesRegex(Refused, "8192 bytes .* 8191"):
            measure._check_memory(self.manifest["tasks"][0])

    def test_programs_in_c_are_timed_and_judged(self):
        for program in PROGRAMS:
            self.record.unlink(missing_ok=True)
            self.expect(run("measure", self.folder, "--program", program, "-o", self.record, POSEMILL_DEVICE="none"), 0)
            tasks = {task["name"] for task in json.loads(self.record.read_text())["tasks"]}
            whole = {task["name"] for task in self.manifest["tasks"]}
            self.assertTrue({"uniform/slerp", "pairs/nlerp", "large/slerp", "crowd/slerp"} <= tasks <= whole)
        self.assertEqual(list(self.path.glob(".posemill-*")), [])

    def test_a_program_that_measures_nothing_is_refused(self):
        program = self.path / "program"
        for text, code, words in (("exit 7", 1, "ended with 7"), ("echo '[' ", 4, "printed no measurement"),
                                  ("echo '{}'", 4, "printed no measurement"), ("exit 3", 4, "none of the tasks")):
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
            self.expect(run("measure", self.folder, "--program", program, "-o", self.record), code, words)
        self.assertFalse(self.record.exists())


if __name__ == "__main__":
    unittest.main()
