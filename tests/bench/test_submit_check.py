#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/submit-check: the committed records and the record in docs/workload.md, and records
with mistakes. Needs no NumPy.

    test_submit_check.py SUBMIT_CHECK
"""
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "bench/submit-check").resolve()
ROOT = SCRIPT.parent.parent
DOCUMENT = ROOT / "docs" / "workload.md"
# Members of some tasks alone.
KINDS = ("max_norm_error", "max_error_m", "mean_error_m", "bytes_per_key", "build_seconds")
RECORDS = sorted((ROOT / "bench" / "results" / "workload").glob("*.json"))

sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPT.parent))
from workloads import submission  # noqa: E402


def example():
    """The record in the document."""
    return json.loads(re.search(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)[1])


def places(value, path=()):
    """The paths of all members and elements."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


class SubmitCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "record.json"
        self.record = example()

    def check(self, content):
        """Exit code, output and messages; in this process, since many records are checked."""
        self.path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        out, err, words = io.StringIO(), io.StringIO(), sys.argv
        sys.argv = ["submit-check", str(self.path)]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = submission.main()
        finally:
            sys.argv = words
        lines = err.getvalue().splitlines()
        self.assertTrue(all(line.startswith("submit-check: ") and line.isprintable() for line in lines), lines)
        return code, out.getvalue(), err.getvalue()

    def expect(self, content, code, *words):
        found = self.check(content)
        self.assertEqual(found[0], code, found)
        for word in words:
            self.assertIn(word, found[2])
        return found[2]

    def put(self, path, value):
        """The example with another value at a path."""
        record = example()
        inner = record
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return record

    def test_the_record_in_the_document_and_the_committed_ones_can_be_submitted(self):
        self.assertEqual(self.expect(self.record, 0), "")
        self.assertTrue(RECORDS)
        for path in RECORDS:
            done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("can be submitted", done.stdout)

    def test_a_missing_or_unknown_member_is_named(self):
        for path in places(self.record):
            if isinstance(path[-1], int) or path[-1] in ("url", "notes", "memory_bytes_per_s", *KINDS):
                continue
            record = example()
            inner = record
            for key in path[:-1]:
                inner = inner[key]
            inner["x" + path[-1]] = inner.pop(path[-1])
            told = self.expect(record, 4)
            self.assertIn(f"{path[-1]}: is missing", told)
            self.assertIn(f"x{path[-1]}: is unknown", told)

    def test_every_member_has_a_type(self):
        for path in places(self.record):
            for bad in (None, True, [], {}, [[]], "", "\x1b[2J", "\ud800", -1, 10**400, 1e999):
                record = self.put(path, bad)
                code, _, told = self.check(record)
                if path[-1] == "notes" and bad == "":
                    self.assertEqual(code, 0)
                else:
                    self.assertIn(code, (1, 4), (path, bad))
                    self.assertIn(str(path[0]), told if bad != 1e999 else str(path[0]))

    def test_figures_that_contradict_each_other_or_the_workload_are_found(self):
        task = self.record["tasks"][0]
        for path, value, word in (
                (("workload", "sha256"), "0" * 64, "workload.sha256: expected "),
                (("workload", "name"), "small", "workload.name: expected standard"),
                (("tasks", 0, "name"), "uniform/cubic", "is no task of the workload"),
                (("tasks", 0, "samples"), task["samples"] + 1, "tasks[0].samples: expected"),
                (("tasks", 0, "samples_per_s"), task["samples_per_s"] * 1.001, "tasks[0].samples_per_s"),
                (("tasks", 0, "max_error_rad"), 1.01e-6, "max_error_rad: expected 1e-06 at most"),
                (("tasks", 0, "max_norm_error"), 2.1e-6, "max_norm_error: expected 2e-06 at most"),
                (("tasks", 0, "mean_error_rad"), 3e-7, "mean_error_rad: is above max_error_rad"),
                (("tasks", 1, "max_error_rad"), 0.11, "tasks[1].max_error_rad: expected 0.1 at most"),
                (("tasks", 1, "max_error_m"), 0.11, "tasks[1].max_error_m: expected 0.1 at most"),
                (("tasks", 1, "mean_error_m"), 2e-4, "mean_error_m: is above max_error_m"),
                (("tasks", 1, "timed"), "to-file", "are of the task file"),
                (("tasks", 0, "dtype"), "text", "are of the task file")):
            self.assertEqual(self.expect(self.put(path, value), 1, word).count("\n"), 1)
        self.record["tasks"].append(dict(task))
        self.expect(self.record, 1, "repeats")

    def test_members_of_a_division_and_of_a_kind_of_results_are_required(self):
        for index, division, wanted in ((0, "exact", KINDS[:1]), (1, "exact", KINDS[1:3]), (1, "lossy", KINDS[1:])):
            for member in KINDS:
                record = self.put(("tasks", index, "division"), division)
                task = record["tasks"][index]
                for other in KINDS:
                    task.pop(other, None)
                task |= dict.fromkeys(wanted, 1e-9)
                task |= {"max_error_rad": 1e-9, "mean_error_rad": 1e-10}
                self.expect(record, 0)
                if member in wanted:
                    del task[member]
                    self.expect(record, 1, f"tasks[{index}].{member}: is missing")
                else:
                    task[member] = 1e-9
                    self.expect(record, 1, f"tasks[{index}].{member}: is not of this task")

    def test_measurements_of_less_than_a_second_are_refused(self):
        for seconds, code in (([0.3, 0.33, 0.36], 1), ([0.3, 0.34, 0.37], 0)):
            record = self.put(("tasks", 0, "seconds"), seconds)
            record["tasks"][0]["samples_per_s"] = record["tasks"][0]["samples"] / seconds[1]
            self.expect(record, code, *(["expected 1 s in all at least"] if code else []))

    def test_implausible_figures_are_warnings(self):
        task = self.record["tasks"][0]
        record = self.put(("tasks", 0, "seconds"), [*[0.512] * 4, 1e-6])
        del record["host"]["memory_bytes_per_s"]
        self.expect(record, 0, "warning: tasks[0].seconds", "the fastest memory")
        record = self.put(("host", "memory_bytes_per_s"), 1e3)
        self.expect(record, 0, "warning: tasks[0].seconds", "host.memory_bytes_per_s has 1e+03")
        record = self.put(("tasks", 0, "max_error_rad"), 0)
        record["tasks"][0]["mean_error_rad"] = 0
        self.expect(record, 0, "warning: tasks[0].max_error_rad")
        self.expect(self.put(("date",), "2999-01-01"), 0, "warning: date: is in the future")
        uneven = self.put(("tasks", 0, "seconds"), [*task["seconds"], max(task["seconds"]) * 9])
        uneven["tasks"][0]["seconds"].append(min(task["seconds"]) / 1.01)
        uneven["tasks"][0]["samples_per_s"] = task["samples_per_s"]
        self.expect(uneven, 0, "warning: tasks[0].seconds: the slowest")

    def test_texts_that_are_no_record_are_refused(self):
        text = json.dumps(self.record)
        for bad, word in ((b"", "is no JSON text"), (b"[]", "no JSON object"), (b"\xff", "is no JSON text"),
                          (b"[" * 100000, "nested too deeply"), (b"1" * 10000, "JSON"),
                          (text[:-1].encode(), "is no JSON text"), (b'{"a": NaN}', "NaN is not a number"),
                          (b'{"a": 1, "a": 1}', "occurs twice"), (b'{"\x1b": 1}', "is no JSON text"),
                          (b'{"\\u001b[2J\\u202e": 1, "\\u001b[2J\\u202e": 1}', "\\x1b[2J\\u202e"),
                          (b" " * (1 << 20) + b"{}", "has more than 1048576 bytes")):
            self.assertEqual(self.expect(bad, 4, word).count("\n"), 1)
        for path, word in ((self.path.parent / "none\x1b", "cannot be read"), (self.path.parent, "is no file")):
            done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (4, 1), done.stderr)
            self.assertIn(word, done.stderr)
            self.assertNotIn("\x1b", done.stderr)
        self.assertEqual(subprocess.run([sys.executable, SCRIPT], capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
